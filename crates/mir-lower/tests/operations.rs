//! Each operation: what it becomes, and that LLVM takes it to PTX.

mod common;

use common::{Build, body, ident, ptx};
use dialect_mir::{
    attributes::{
        CastKindAttr as Cast, GlobalAttr, IntrinsicAttr as Intrinsic, Ordering, PanicSiteAttr,
        Param, PtxAsmAttr, Relocation, RmwKind,
    },
    ops::*,
    types::{
        self, ArrayType, EnumType, Layout, StructType, TagEncoding, TupleType, Variant, int_type,
    },
};
use expect_test::{Expect, expect};
use pliron::{context::Ptr, op::Op, operation::Operation, r#type::TypeHandle, value::Value};

/// A function of these arguments whose result is what `make` gives; its text must be `expected`.
fn check(
    args: impl Fn(&Build) -> Vec<TypeHandle>,
    make: impl Fn(&mut Build, &[Value]) -> Option<Value>,
    expected: Expect,
) {
    let mut b = Build::new();
    let types = args(&b);
    // The result's type is that of the value, which needs a function to stand in first.
    let result = {
        let mut trial = Build::new();
        let types = args(&trial);
        let args = types.into_iter().map(|ty| (ty, Param::default())).collect();
        let values = trial.func("f", args, None);
        globals(&mut trial);
        let value = make(&mut trial, &values);
        value.map(|value| {
            use pliron::{printable::Printable, r#type::Typed};
            value.get_type(&trial.ctx).disp(&trial.ctx).to_string()
        })
    };
    let result = result.map(|text| {
        let parser = pliron::irfmt::parsers::type_parser();
        pliron::parsable::parse_from_str(parser, &mut b.ctx, &text)
            .unwrap_or_else(|err| panic!("{err}"))
    });
    let args = types.into_iter().map(|ty| (ty, Param::default())).collect();
    let values = b.func("f", args, result);
    globals(&mut b);
    match make(&mut b, &values) {
        Some(value) => b.ret_value(value),
        None => b.ret(),
    }
    let ll = b.export();
    expected.assert_eq(&body(&ll));
    ptx(&(ll + KERNEL));
}

/// Keeps LLVM from dropping everything: a kernel that holds the function's address.
const KERNEL: &str = "
@keep = addrspace(1) externally_initialized global ptr null
define ptx_kernel void @kernel() {
  store ptr @f, ptr addrspace(1) @keep
  ret void
}
";

fn globals(b: &mut Build) {
    for (name, addrspace) in [("table", 4), ("tile", 3)] {
        let data = GlobalAttr {
            size: 16,
            align: 8,
            addrspace,
            mutable: addrspace == 3,
            hex: if addrspace == 3 {
                String::new()
            } else {
                "00112233445566778899aabbccddeeff".to_string()
            },
            relocations: vec![],
        };
        let global = GlobalOp::new(&mut b.ctx, ident(name), data);
        b.top(global.get_operation());
    }
}

fn two(b: &Build, ty: TypeHandle) -> Vec<TypeHandle> {
    let _ = b;
    vec![ty, ty]
}

macro_rules! binary {
    ($name:ident, $op:ident, $ty:expr, $signed:expr, $expected:expr) => {
        #[test]
        fn $name() {
            check(
                |b| two(b, $ty(b)),
                |b, v| {
                    let op = $op::new(&mut b.ctx, v[0], v[1], $signed);
                    Some(b.val(op.get_operation()))
                },
                $expected,
            );
        }
    };
}

binary!(
    add_int,
    AddOp,
    |b: &Build| b.int(32),
    false,
    expect![[r#"
    define i32 @f(i32 %v0, i32 %v1) convergent nounwind {
    entry:
      %v2 = add i32 %v0, %v1
      ret i32 %v2
    }
"#]]
);
binary!(
    add_float,
    AddOp,
    |b: &Build| b.f32(),
    false,
    expect![[r#"
    define float @f(float %v0, float %v1) convergent nounwind {
    entry:
      %v2 = fadd float %v0, %v1
      ret float %v2
    }
"#]]
);
binary!(
    sub_float,
    SubOp,
    |b: &Build| b.f64(),
    false,
    expect![[r#"
    define double @f(double %v0, double %v1) convergent nounwind {
    entry:
      %v2 = fsub double %v0, %v1
      ret double %v2
    }
"#]]
);
binary!(
    mul_wide,
    MulOp,
    |b: &Build| b.int(128),
    false,
    expect![[r#"
    define i128 @f(i128 %v0, i128 %v1) convergent nounwind {
    entry:
      %v2 = mul i128 %v0, %v1
      ret i128 %v2
    }
"#]]
);
binary!(
    div_signed,
    DivOp,
    |b: &Build| b.int(32),
    true,
    expect![[r#"
    define i32 @f(i32 %v0, i32 %v1) convergent nounwind {
    entry:
      %v2 = sdiv i32 %v0, %v1
      ret i32 %v2
    }
"#]]
);
binary!(
    div_unsigned,
    DivOp,
    |b: &Build| b.int(128),
    false,
    expect![[r#"
    define i128 @f(i128 %v0, i128 %v1) convergent nounwind {
    entry:
      %v2 = udiv i128 %v0, %v1
      ret i128 %v2
    }
"#]]
);
binary!(
    rem_signed,
    RemOp,
    |b: &Build| b.int(128),
    true,
    expect![[r#"
    define i128 @f(i128 %v0, i128 %v1) convergent nounwind {
    entry:
      %v2 = srem i128 %v0, %v1
      ret i128 %v2
    }
"#]]
);
binary!(
    rem_float,
    RemOp,
    |b: &Build| b.f32(),
    true,
    expect![[r#"
    define float @f(float %v0, float %v1) convergent nounwind {
    entry:
      %v2 = frem float %v0, %v1
      ret float %v2
    }
"#]]
);
binary!(
    shr_signed,
    ShrOp,
    |b: &Build| b.int(8),
    true,
    expect![[r#"
    define i8 @f(i8 %v0, i8 %v1) convergent nounwind {
    entry:
      %v2 = and i8 %v1, 7
      %v3 = ashr i8 %v0, %v2
      ret i8 %v3
    }
"#]]
);
binary!(
    shr_unsigned,
    ShrOp,
    |b: &Build| b.int(64),
    false,
    expect![[r#"
    define i64 @f(i64 %v0, i64 %v1) convergent nounwind {
    entry:
      %v2 = and i64 %v1, 63
      %v3 = lshr i64 %v0, %v2
      ret i64 %v3
    }
"#]]
);
binary!(
    shl,
    ShlOp,
    |b: &Build| b.int(16),
    false,
    expect![[r#"
    define i16 @f(i16 %v0, i16 %v1) convergent nounwind {
    entry:
      %v2 = and i16 %v1, 15
      %v3 = shl i16 %v0, %v2
      ret i16 %v3
    }
"#]]
);
binary!(
    bitxor,
    BitXorOp,
    |b: &Build| b.int(32),
    false,
    expect![[r#"
    define i32 @f(i32 %v0, i32 %v1) convergent nounwind {
    entry:
      %v2 = xor i32 %v0, %v1
      ret i32 %v2
    }
"#]]
);
binary!(
    checked_add,
    CheckedAddOp,
    |b: &Build| b.int(8),
    true,
    expect![[r#"
    define { i8, i1 } @f(i8 %v0, i8 %v1) convergent nounwind {
    entry:
      %v2 = call { i8, i1 } @llvm.sadd.with.overflow.i8(i8 %v0, i8 %v1)
      ret { i8, i1 } %v2
    }
"#]]
);
binary!(
    checked_sub,
    CheckedSubOp,
    |b: &Build| b.int(64),
    false,
    expect![[r#"
    define { i64, i1 } @f(i64 %v0, i64 %v1) convergent nounwind {
    entry:
      %v2 = call { i64, i1 } @llvm.usub.with.overflow.i64(i64 %v0, i64 %v1)
      ret { i64, i1 } %v2
    }
"#]]
);
binary!(
    checked_mul,
    CheckedMulOp,
    |b: &Build| b.int(64),
    true,
    expect![[r#"
    define { i64, i1 } @f(i64 %v0, i64 %v1) convergent nounwind {
    entry:
      %v2 = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %v0, i64 %v1)
      ret { i64, i1 } %v2
    }
"#]]
);
binary!(
    checked_mul_wide,
    CheckedMulOp,
    |b: &Build| b.int(128),
    true,
    expect![[r#"
    define { i128, i1 } @f(i128 %v0, i128 %v1) convergent nounwind {
    entry:
      %v2 = sub i128 0, %v0
      %v3 = icmp slt i128 %v0, 0
      %v4 = select i1 %v3, i128 %v2, i128 %v0
      %v5 = sub i128 0, %v1
      %v6 = icmp slt i128 %v1, 0
      %v7 = select i1 %v6, i128 %v5, i128 %v1
      %v8 = trunc i128 %v4 to i64
      %v9 = zext i64 %v8 to i128
      %v10 = trunc i128 %v7 to i64
      %v11 = zext i64 %v10 to i128
      %v12 = lshr i128 %v4, 64
      %v13 = lshr i128 %v7, 64
      %v14 = icmp ne i128 %v12, 0
      %v15 = icmp ne i128 %v13, 0
      %v16 = and i1 %v14, %v15
      %v17 = mul i128 %v12, %v11
      %v18 = mul i128 %v9, %v13
      %v19 = add i128 %v17, %v18
      %v20 = lshr i128 %v19, 64
      %v21 = icmp ne i128 %v20, 0
      %v22 = mul i128 %v9, %v11
      %v23 = shl i128 %v19, 64
      %v24 = add i128 %v22, %v23
      %v25 = icmp ult i128 %v24, %v22
      %v26 = or i1 %v16, %v21
      %v27 = or i1 %v26, %v25
      %v28 = mul i128 %v0, %v1
      %v29 = xor i128 %v0, %v1
      %v30 = icmp slt i128 %v29, 0
      %v31 = select i1 %v30, i128 -170141183460469231731687303715884105728, i128 170141183460469231731687303715884105727
      %v32 = icmp ugt i128 %v24, %v31
      %v33 = or i1 %v27, %v32
      %v34 = insertvalue { i128, i1 } undef, i128 %v28, 0
      %v35 = insertvalue { i128, i1 } %v34, i1 %v33, 1
      ret { i128, i1 } %v35
    }
"#]]
);
binary!(
    eq_float,
    EqOp,
    |b: &Build| b.f32(),
    false,
    expect![[r#"
    define i1 @f(float %v0, float %v1) convergent nounwind {
    entry:
      %v2 = fcmp oeq float %v0, %v1
      ret i1 %v2
    }
"#]]
);
binary!(
    ne_float,
    NeOp,
    |b: &Build| b.f32(),
    false,
    expect![[r#"
    define i1 @f(float %v0, float %v1) convergent nounwind {
    entry:
      %v2 = fcmp une float %v0, %v1
      ret i1 %v2
    }
"#]]
);
binary!(
    lt_signed,
    LtOp,
    |b: &Build| b.int(32),
    true,
    expect![[r#"
    define i1 @f(i32 %v0, i32 %v1) convergent nounwind {
    entry:
      %v2 = icmp slt i32 %v0, %v1
      ret i1 %v2
    }
"#]]
);
binary!(
    ge_unsigned,
    GeOp,
    |b: &Build| b.int(32),
    false,
    expect![[r#"
    define i1 @f(i32 %v0, i32 %v1) convergent nounwind {
    entry:
      %v2 = icmp uge i32 %v0, %v1
      ret i1 %v2
    }
"#]]
);
binary!(
    le_half,
    LeOp,
    |b: &Build| b.f16(),
    false,
    expect![[r#"
    define i1 @f(half %v0, half %v1) convergent nounwind {
    entry:
      %v2 = fcmp ole half %v0, %v1
      ret i1 %v2
    }
"#]]
);
binary!(
    gt_pointer,
    GtOp,
    |b: &Build| b.ptr(b.int(8), 0),
    true,
    expect![[r#"
        define i1 @f(ptr %v0, ptr %v1) convergent nounwind {
        entry:
          %v2 = icmp ugt ptr %v0, %v1
          ret i1 %v2
        }
    "#]]
);

#[test]
fn neg_and_not() {
    check(
        |b| vec![b.int(32), b.f32()],
        |b, v| {
            let op = NegOp::new(&mut b.ctx, v[0]);
            let n = b.val(op.get_operation());
            let op = NegOp::new(&mut b.ctx, v[1]);
            b.val(op.get_operation());
            let op = NotOp::new(&mut b.ctx, n);
            Some(b.val(op.get_operation()))
        },
        expect![[r#"
            define i32 @f(i32 %v0, float %v1) convergent nounwind {
            entry:
              %v2 = sub i32 0, %v0
              %v3 = fneg float %v1
              %v4 = xor i32 %v2, -1
              ret i32 %v4
            }
        "#]],
    );
}

macro_rules! cast {
    ($name:ident, $kind:expr, $from:expr, $to:expr, $expected:expr) => {
        #[test]
        fn $name() {
            check(
                |b| vec![$from(b)],
                |b, v| {
                    let to = $to(b);
                    let op = CastOp::new(&mut b.ctx, v[0], to, $kind);
                    Some(b.val(op.get_operation()))
                },
                $expected,
            );
        }
    };
}

cast!(
    cast_trunc,
    Cast::Trunc,
    |b: &Build| b.int(64),
    |b: &Build| b.int(8),
    expect![[r#"
    define i8 @f(i64 %v0) convergent nounwind {
    entry:
      %v1 = trunc i64 %v0 to i8
      ret i8 %v1
    }
"#]]
);
cast!(
    cast_sext,
    Cast::SExt,
    |b: &Build| b.int(8),
    |b: &Build| b.int(128),
    expect![[r#"
    define i128 @f(i8 %v0) convergent nounwind {
    entry:
      %v1 = sext i8 %v0 to i128
      ret i128 %v1
    }
"#]]
);
cast!(
    cast_to_float,
    Cast::UIntToFloat,
    |b: &Build| b.int(64),
    |b: &Build| b.f32(),
    expect![[r#"
    define float @f(i64 %v0) convergent nounwind {
    entry:
      %v1 = uitofp i64 %v0 to float
      ret float %v1
    }
"#]]
);
cast!(
    cast_wide_to_float,
    Cast::SIntToFloat,
    |b: &Build| b.int(128),
    |b: &Build| b.f32(),
    expect![[r#"
        define float @f(i128 %v0) convergent nounwind {
        entry:
          %v1 = sub i128 0, %v0
          %v2 = icmp slt i128 %v0, 0
          %v3 = select i1 %v2, i128 %v1, i128 %v0
          %v4 = call i128 @llvm.ctlz.i128(i128 %v3, i1 false)
          %v5 = and i128 %v4, 127
          %v6 = shl i128 %v3, %v5
          %v7 = lshr i128 %v6, 64
          %v8 = trunc i128 %v7 to i64
          %v9 = trunc i128 %v6 to i64
          %v10 = icmp ne i64 %v9, 0
          %v11 = zext i1 %v10 to i64
          %v12 = or i64 %v8, %v11
          %v13 = uitofp i64 %v12 to float
          %v14 = trunc i128 %v5 to i32
          %v15 = sub i32 191, %v14
          %v16 = shl i32 %v15, 23
          %v17 = bitcast i32 %v16 to float
          %v18 = fmul float %v13, %v17
          %v19 = icmp slt i128 %v0, 0
          %v20 = fneg float %v18
          %v21 = select i1 %v19, float %v20, float %v18
          ret float %v21
        }
    "#]]
);
cast!(
    cast_to_int,
    Cast::FloatToSInt,
    |b: &Build| b.f32(),
    |b: &Build| b.int(8),
    expect![[r#"
    define i8 @f(float %v0) convergent nounwind {
    entry:
      %v1 = call i8 @llvm.fptosi.sat.i8.f32(float %v0)
      ret i8 %v1
    }
"#]]
);
cast!(
    cast_to_wide,
    Cast::FloatToUInt,
    |b: &Build| b.f64(),
    |b: &Build| b.int(128),
    expect![[r#"
        define i128 @f(double %v0) convergent nounwind {
        entry:
          %v1 = bitcast double %v0 to i64
          %v2 = lshr i64 %v1, 52
          %v3 = and i64 %v2, 2047
          %v4 = and i64 %v1, 4503599627370495
          %v5 = or i64 %v4, 4503599627370496
          %v6 = zext i64 %v5 to i128
          %v7 = sub i64 %v3, 1075
          %v8 = sub i64 1075, %v3
          %v9 = and i64 %v7, 127
          %v10 = zext i64 %v9 to i128
          %v11 = and i64 %v8, 127
          %v12 = zext i64 %v11 to i128
          %v13 = shl i128 %v6, %v10
          %v14 = lshr i128 %v6, %v12
          %v15 = icmp ugt i64 %v3, 1075
          %v16 = select i1 %v15, i128 %v13, i128 %v14
          %v17 = icmp ult i64 %v3, 1023
          %v18 = select i1 %v17, i128 0, i128 %v16
          %v19 = icmp uge i64 %v3, 1151
          %v20 = icmp slt i64 %v1, 0
          %v21 = select i1 %v19, i128 -1, i128 %v18
          %v22 = select i1 %v20, i128 0, i128 %v21
          %v23 = fcmp uno double %v0, 0x0000000000000000
          %v24 = select i1 %v23, i128 0, i128 %v22
          ret i128 %v24
        }
    "#]]
);
cast!(
    cast_floats,
    Cast::FloatToFloat,
    |b: &Build| b.f64(),
    |b: &Build| b.f16(),
    expect![[r#"
    define half @f(double %v0) convergent nounwind {
    entry:
      %v1 = fptrunc double %v0 to half
      ret half %v1
    }
"#]]
);
cast!(
    cast_bits_of_pointer,
    Cast::Bitcast,
    |b: &Build| b.ptr(b.int(8), 0),
    |b: &Build| b.f64(),
    expect![[r#"
        define double @f(ptr %v0) convergent nounwind {
        entry:
          %v1 = ptrtoint ptr %v0 to i64
          %v2 = bitcast i64 %v1 to double
          ret double %v2
        }
    "#]]
);

/// Every scalar function, on types where NVPTX might have to think.
#[test]
fn intrinsics() {
    use Intrinsic::*;
    let ints = [
        Ctpop,
        Ctlz,
        Cttz,
        Bswap,
        Bitreverse,
        RotateLeft,
        RotateRight,
        SaturatingAdd,
        SaturatingSub,
        IntMin,
        IntMax,
        ThreeWay,
    ];
    let floats = [
        Sqrt,
        Floor,
        Ceil,
        Trunc,
        Round,
        RoundTiesEven,
        Fabs,
        Copysign,
        MinNum,
        MaxNum,
        Minimum,
        Maximum,
        Fma,
    ];
    for bits in [8, 16, 32, 64, 128] {
        for kind in ints {
            for signed in [false, true] {
                one_intrinsic(kind, &|b| b.int(bits), signed);
            }
        }
    }
    for kind in floats {
        one_intrinsic(kind, &|b| b.f32(), false);
        one_intrinsic(kind, &|b| b.f64(), false);
        one_intrinsic(kind, &|b| b.f16(), false);
    }
}

fn one_intrinsic(kind: Intrinsic, ty: &dyn Fn(&Build) -> TypeHandle, signed: bool) {
    let mut b = Build::new();
    let ty = ty(&b);
    let args = vec![(ty, Param::default()); kind.arity()];
    let result = if kind == Intrinsic::ThreeWay {
        b.int(8)
    } else {
        ty
    };
    let values = b.func("f", args, Some(result));
    let op = IntrinsicOp::new(&mut b.ctx, kind, values, signed);
    let value = b.val(op.get_operation());
    b.ret_value(value);
    let ll = b.export();
    assert!(ll.contains("@llvm.") || (kind == Intrinsic::Bswap && ll.contains("i8 @f")));
    let ptx = ptx(&(ll + KERNEL));
    assert!(ptx.contains(".func"), "{kind:?}: {ptx}");
}

#[test]
fn load_and_store_of_bool() {
    check(
        |b| vec![b.ptr(b.int(1), 0)],
        |b, v| {
            let ty = b.int(1);
            let op = LoadOp::new(&mut b.ctx, v[0], ty, 1);
            let value = b.val(op.get_operation());
            let op = StoreOp::new(&mut b.ctx, value, v[0], 1);
            op.set_volatile(&b.ctx);
            b.add(op.get_operation());
            None
        },
        expect![[r#"
            define void @f(ptr %v0) convergent nounwind {
            entry:
              %v1 = load i8, ptr %v0, align 1
              %v2 = trunc i8 %v1 to i1
              %v3 = zext i1 %v2 to i8
              store volatile i8 %v3, ptr %v0, align 1
              ret void
            }
        "#]],
    );
}

#[test]
fn load_and_store_of_slice() {
    check(
        |b| vec![b.ptr(b.slice(b.f32()), 0)],
        |b, v| {
            let ty = b.slice(b.f32());
            let op = LoadOp::new(&mut b.ctx, v[0], ty, 8);
            let value = b.val(op.get_operation());
            let op = StoreOp::new(&mut b.ctx, value, v[0], 8);
            b.add(op.get_operation());
            Some(value)
        },
        expect![[r#"
            define { ptr, i64 } @f(ptr %v0) convergent nounwind {
            entry:
              %v1 = load ptr, ptr %v0, align 8
              %v2 = getelementptr inbounds i8, ptr %v0, i64 8
              %v3 = load i64, ptr %v2, align 8
              %v4 = insertvalue { ptr, i64 } undef, ptr %v1, 0
              %v5 = insertvalue { ptr, i64 } %v4, i64 %v3, 1
              store ptr %v1, ptr %v0, align 8
              %v6 = getelementptr inbounds i8, ptr %v0, i64 8
              store i64 %v3, ptr %v6, align 8
              ret { ptr, i64 } %v5
            }
        "#]],
    );
}

#[test]
fn alloca_assign_and_fields() {
    let point = |b: &Build| -> TypeHandle {
        StructType::get(
            &b.ctx,
            "Point".to_string(),
            vec![b.int(8), b.int(32)],
            Layout::new(8, 4, vec![4, 0]),
        )
        .into()
    };
    check(
        |b| vec![b.ptr(types::shallow(&b.ctx, point(b)), 0)],
        |b, v| {
            let ty = point(b);
            let op = AllocaOp::new(&mut b.ctx, ty, 4, Some("p"));
            let local = b.val(op.get_operation());
            let op = AssignOp::new(&mut b.ctx, local, v[0], ty, 4);
            b.add(op.get_operation());
            let byte = b.int(8);
            let op = FieldAddrOp::new(&mut b.ctx, local, byte, 0, 4, None);
            let field = b.val(op.get_operation());
            let op = LoadOp::new(&mut b.ctx, field, byte, 4);
            Some(b.val(op.get_operation()))
        },
        expect![[r#"
            define i8 @f(ptr %v0) convergent nounwind {
            entry:
              %v1 = alloca [8 x i8], align 4
              call void @llvm.memcpy.p0.p0.i64(ptr align 4 %v1, ptr align 4 %v0, i64 8, i1 false)
              %v2 = getelementptr inbounds i8, ptr %v1, i64 4
              %v3 = load i8, ptr %v2, align 4
              ret i8 %v3
            }
        "#]],
    );
}

#[test]
fn copies_and_fills() {
    check(
        |b| vec![b.ptr(b.int(8), 0), b.ptr(b.int(8), 1), b.int(64)],
        |b, v| {
            let op = MemcpyOp::new(&mut b.ctx, v[0], v[1], v[2], 4);
            b.add(op.get_operation());
            let op = MemmoveOp::new(&mut b.ctx, v[0], v[1], v[2], 1);
            b.add(op.get_operation());
            let byte = b.const_int(8, 255);
            let op = MemsetOp::new(&mut b.ctx, v[0], byte, v[2], 1);
            b.add(op.get_operation());
            None
        },
        expect![[r#"
            define void @f(ptr %v0, ptr addrspace(1) %v1, i64 %v2) convergent nounwind {
            entry:
              call void @llvm.memcpy.p0.p1.i64(ptr align 4 %v0, ptr addrspace(1) align 4 %v1, i64 %v2, i1 false)
              call void @llvm.memmove.p0.p1.i64(ptr align 1 %v0, ptr addrspace(1) align 1 %v1, i64 %v2, i1 false)
              call void @llvm.memset.p0.i64(ptr align 1 %v0, i8 -1, i64 %v2, i1 false)
              ret void
            }
        "#]],
    );
}

#[test]
fn memcmp() {
    check(
        |b| vec![b.ptr(b.int(8), 0), b.ptr(b.int(8), 0), b.int(64)],
        |b, v| {
            let op = MemcmpOp::new(&mut b.ctx, v[0], v[1], v[2]);
            Some(b.val(op.get_operation()))
        },
        expect![[r#"
            define i32 @f(ptr %v0, ptr %v1, i64 %v2) convergent nounwind {
            entry:
              br label %bb1

            bb1:
              %v3 = phi i64 [ 0, %entry ], [ %v13, %bb3 ]
              %v4 = icmp ult i64 %v3, %v2
              br i1 %v4, label %bb2, label %bb4

            bb2:
              %v5 = getelementptr inbounds i8, ptr %v0, i64 %v3
              %v6 = load i8, ptr %v5, align 1
              %v7 = getelementptr inbounds i8, ptr %v1, i64 %v3
              %v8 = load i8, ptr %v7, align 1
              %v9 = icmp eq i8 %v6, %v8
              %v10 = zext i8 %v6 to i32
              %v11 = zext i8 %v8 to i32
              %v12 = sub i32 %v10, %v11
              br i1 %v9, label %bb3, label %bb4

            bb3:
              %v13 = add i64 %v3, 1
              br label %bb1

            bb4:
              %v14 = phi i32 [ 0, %bb1 ], [ %v12, %bb2 ]
              ret i32 %v14
            }
        "#]],
    );
}

#[test]
fn offsets() {
    check(
        |b| vec![b.ptr(b.f32(), 0), b.int(64)],
        |b, v| {
            let op = PtrOffsetOp::new(&mut b.ctx, v[0], v[1], 4, false);
            let p = b.val(op.get_operation());
            let op = PtrOffsetOp::new(&mut b.ctx, p, v[1], 12, true);
            Some(b.val(op.get_operation()))
        },
        expect![[r#"
            define ptr @f(ptr %v0, i64 %v1) convergent nounwind {
            entry:
              %v2 = getelementptr float, ptr %v0, i64 %v1
              %v3 = getelementptr inbounds [12 x i8], ptr %v2, i64 %v1
              ret ptr %v3
            }
        "#]],
    );
}

#[test]
fn symbols() {
    check(
        |_| vec![],
        |b, _| {
            let ty = b.ptr(b.int(8), 4);
            let op = GlobalAllocOp::new(&mut b.ctx, "table", ty);
            let p = b.val(op.get_operation());
            let generic = b.ptr(b.int(8), 0);
            let op = CastOp::new(&mut b.ctx, p, generic, Cast::AddrSpace);
            b.val(op.get_operation());
            let ty = b.ptr(b.int(8), 3);
            let op = SharedAllocOp::new(&mut b.ctx, "tile", ty);
            let tile = b.val(op.get_operation());
            let op = ExternSharedOp::new(&mut b.ctx, ty, 16);
            b.val(op.get_operation());
            // The operation and the intrinsic are one memory, declared once.
            let op = CallOp::new(&mut b.ctx, "__nvvm_dynamic_shared", vec![], Some(generic));
            b.val(op.get_operation());
            let generic = b.ptr(b.int(8), 0);
            let op = CastOp::new(&mut b.ctx, tile, generic, Cast::AddrSpace);
            Some(b.val(op.get_operation()))
        },
        expect![[r#"
            define ptr @f() convergent nounwind {
            entry:
              %v0 = addrspacecast ptr addrspace(4) @table to ptr
              %v1 = addrspacecast ptr addrspace(3) @__oxide_dynamic_shared to ptr
              %v2 = addrspacecast ptr addrspace(3) @tile to ptr
              ret ptr %v2
            }
        "#]],
    );
}

#[test]
fn atomics() {
    check(
        |b| vec![b.ptr(b.int(32), 0), b.int(32)],
        |b, v| {
            let ty = b.int(32);
            let op = AtomicLoadOp::new(&mut b.ctx, v[0], ty, Ordering::Acquire);
            let old = b.val(op.get_operation());
            let op = AtomicStoreOp::new(&mut b.ctx, old, v[0], Ordering::SeqCst);
            b.add(op.get_operation());
            let op = AtomicRmwOp::new(&mut b.ctx, v[0], v[1], RmwKind::Add, Ordering::SeqCst);
            b.val(op.get_operation());
            let op = AtomicRmwOp::new(&mut b.ctx, v[0], v[1], RmwKind::SMax, Ordering::Relaxed);
            b.val(op.get_operation());
            let op = AtomicFenceOp::new(&mut b.ctx, Ordering::AcqRel);
            b.add(op.get_operation());
            let op = AtomicCmpxchgOp::new(
                &mut b.ctx,
                v[0],
                old,
                v[1],
                Ordering::AcqRel,
                Ordering::Relaxed,
            );
            let pair = b.val(op.get_operation());
            let op = ExtractFieldOp::new(&mut b.ctx, pair, 0);
            Some(b.val(op.get_operation()))
        },
        expect![[r#"
            define i32 @f(ptr %v0, i32 %v1) convergent nounwind {
            entry:
              %v2 = load atomic i32, ptr %v0 acquire, align 4
              store atomic i32 %v2, ptr %v0 seq_cst, align 4
              fence seq_cst
              %v3 = call i32 asm sideeffect "atom.acquire.sys.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr %v0, i32 %v1)
              %v4 = call i32 asm sideeffect "atom.relaxed.sys.max.s32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr %v0, i32 %v1)
              fence acq_rel
              %v5 = cmpxchg ptr %v0, i32 %v2, i32 %v1 acq_rel monotonic
              %v6 = extractvalue { i32, i1 } %v5, 0
              ret i32 %v6
            }
        "#]],
    );
}

fn enumeration(b: &Build, tag: TagEncoding, discrs: [u64; 3], signed: bool) -> TypeHandle {
    let variants = discrs
        .iter()
        .enumerate()
        .map(|(index, discr)| Variant {
            name: format!("V{index}"),
            discr: *discr,
            fields: vec![],
            offsets: vec![],
        })
        .collect();
    let layout = Layout::new(8, 4, vec![]);
    EnumType::get(&b.ctx, "E".to_string(), variants, layout, tag, 64, signed).into()
}

fn discriminants(tag: TagEncoding, discrs: [u64; 3], signed: bool, expected: Expect) {
    check(
        |b| {
            let ty = enumeration(b, tag.clone(), discrs, signed);
            vec![b.ptr(types::shallow(&b.ctx, ty), 0)]
        },
        |b, v| {
            let ty = enumeration(b, tag.clone(), discrs, signed);
            for variant in 0..3 {
                let op = SetDiscriminantOp::new(&mut b.ctx, v[0], ty, variant);
                b.add(op.get_operation());
            }
            let op = GetDiscriminantOp::new(&mut b.ctx, v[0], ty);
            Some(b.val(op.get_operation()))
        },
        expected,
    );
}

#[test]
fn discriminant_direct() {
    let tag = TagEncoding::Direct { offset: 4, bits: 8 };
    discriminants(
        tag,
        [0, 1, u64::MAX],
        true,
        expect![[r#"
        define i64 @f(ptr %v0) convergent nounwind {
        entry:
          %v1 = getelementptr inbounds i8, ptr %v0, i64 4
          store i8 0, ptr %v1, align 4
          %v2 = getelementptr inbounds i8, ptr %v0, i64 4
          store i8 1, ptr %v2, align 4
          %v3 = getelementptr inbounds i8, ptr %v0, i64 4
          store i8 -1, ptr %v3, align 4
          %v4 = getelementptr inbounds i8, ptr %v0, i64 4
          %v5 = load i8, ptr %v4, align 4
          %v6 = sext i8 %v5 to i64
          ret i64 %v6
        }
    "#]],
    );
}

#[test]
fn discriminant_niche() {
    let tag = TagEncoding::Niche {
        offset: 0,
        bits: 32,
        untagged: 0,
        first: 1,
        last: 2,
        niche_start: 0xffff_ffff,
    };
    discriminants(
        tag,
        [0, 1, 2],
        true,
        expect![[r#"
        define i64 @f(ptr %v0) convergent nounwind {
        entry:
          store i32 -1, ptr %v0, align 4
          store i32 0, ptr %v0, align 4
          %v1 = load i32, ptr %v0, align 4
          %v2 = sub i32 %v1, -1
          %v3 = icmp ule i32 %v2, 1
          %v4 = zext i32 %v2 to i64
          %v5 = add i64 %v4, 1
          %v6 = select i1 %v3, i64 %v5, i64 0
          ret i64 %v6
        }
    "#]],
    );
}

#[test]
fn discriminant_niche_of_one() {
    let tag = TagEncoding::Niche {
        offset: 0,
        bits: 64,
        untagged: 1,
        first: 0,
        last: 0,
        niche_start: 0,
    };
    discriminants(
        tag,
        [0, 1, 2],
        true,
        expect![[r#"
        define i64 @f(ptr %v0) convergent nounwind {
        entry:
          store i64 0, ptr %v0, align 4
          store i64 2, ptr %v0, align 4
          %v1 = load i64, ptr %v0, align 4
          %v2 = icmp eq i64 %v1, 0
          %v3 = select i1 %v2, i64 0, i64 1
          ret i64 %v3
        }
    "#]],
    );
}

#[test]
fn aggregate_values() {
    check(
        |b| vec![b.int(32), b.f32(), b.int(64)],
        |b, v| {
            let tuple = TupleType::get(
                &b.ctx,
                vec![b.int(32), b.f32()],
                Layout::new(8, 4, vec![0, 4]),
            )
            .into();
            let op = ConstructTupleOp::new(&mut b.ctx, tuple, vec![v[0], v[1]]);
            let t = b.val(op.get_operation());
            let op = InsertFieldOp::new(&mut b.ctx, t, v[0], 0);
            let t = b.val(op.get_operation());
            let op = ExtractFieldOp::new(&mut b.ctx, t, 0);
            let first = b.val(op.get_operation());
            let array = ArrayType::get(&b.ctx, b.int(32), 2, 4, 4).into();
            let op = ConstructArrayOp::new(&mut b.ctx, array, vec![first, v[0]]);
            let a = b.val(op.get_operation());
            let op = ExtractArrayElementOp::new(&mut b.ctx, a, v[2]);
            Some(b.val(op.get_operation()))
        },
        expect![[r#"
            define i32 @f(i32 %v0, float %v1, i64 %v2) convergent nounwind {
            entry:
              %v3 = alloca [2 x i32], align 16
              %v4 = insertvalue { i32, float } undef, i32 %v0, 0
              %v5 = insertvalue { i32, float } %v4, float %v1, 1
              %v6 = insertvalue { i32, float } %v5, i32 %v0, 0
              %v7 = extractvalue { i32, float } %v6, 0
              %v8 = insertvalue [2 x i32] undef, i32 %v7, 0
              %v9 = insertvalue [2 x i32] %v8, i32 %v0, 1
              store [2 x i32] %v9, ptr %v3, align 4
              %v10 = getelementptr inbounds i32, ptr %v3, i64 %v2
              %v11 = load i32, ptr %v10, align 1
              ret i32 %v11
            }
        "#]],
    );
}

fn site(template: &str) -> PanicSiteAttr {
    PanicSiteAttr {
        template: template.to_string(),
        file: "k.rs".to_string(),
        line: 3,
        column: 7,
    }
}

#[test]
fn a_panic_with_three_values_has_an_array_of_them() {
    check(
        |b| vec![b.int(64), b.int(64)],
        |b, v| {
            let values = vec![v[0], v[1], v[0]];
            let op = LtOp::new(&mut b.ctx, v[0], v[1], false);
            let ok = b.val(op.get_operation());
            let next = b.new_block(vec![]);
            let op = AssertOp::new(&mut b.ctx, ok, true, site("{0} {1} {2}"), values, next);
            b.add(op.get_operation());
            b.block = Some(next);
            Some(v[0])
        },
        expect![[r#"
            define i64 @f(i64 %v0, i64 %v1) convergent nounwind {
            entry:
              %v2 = alloca [48 x i8], align 8
              %v3 = icmp ult i64 %v0, %v1
              br i1 %v3, label %bb1, label %bb2

            bb1:
              ret i64 %v0

            bb2:
              %v4 = addrspacecast ptr addrspace(1) @__oxide_text_0 to ptr
              %v5 = addrspacecast ptr addrspace(1) @__oxide_text_1 to ptr
              store i64 %v0, ptr %v2, align 8
              %v6 = getelementptr inbounds i8, ptr %v2, i64 8
              store i64 %v1, ptr %v6, align 8
              %v7 = getelementptr inbounds i8, ptr %v2, i64 16
              store i64 %v0, ptr %v7, align 8
              call void @__oxide_panic(ptr %v4, i64 11, ptr %v5, i64 4, i32 3, i32 7, ptr %v2, i64 3)
              unreachable
            }
        "#]],
    );
}

#[test]
fn assert_and_panic() {
    check(
        |b| vec![b.int(64), b.int(64)],
        |b, v| {
            let op = LtOp::new(&mut b.ctx, v[0], v[1], false);
            let ok = b.val(op.get_operation());
            let next = b.new_block(vec![]);
            let message = site("index out of bounds: the len is {0} but the index is {1}");
            let op = AssertOp::new(&mut b.ctx, ok, true, message, vec![v[1], v[0]], next);
            b.add(op.get_operation());
            b.block = Some(next);
            let (a, c) = (b.new_block(vec![]), b.new_block(vec![]));
            let op = CondBrOp::new(&mut b.ctx, ok, (a, vec![]), (c, vec![]));
            b.add(op.get_operation());
            b.block = Some(c);
            let op = PanicOp::new(&mut b.ctx, site("explicit panic"), vec![]);
            b.add(op.get_operation());
            b.block = Some(a);
            Some(v[0])
        },
        expect![[r#"
            define i64 @f(i64 %v0, i64 %v1) convergent nounwind {
            entry:
              %v2 = icmp ult i64 %v0, %v1
              br i1 %v2, label %bb1, label %bb4

            bb1:
              br i1 %v2, label %bb3, label %bb2

            bb2:
              %v3 = addrspacecast ptr addrspace(1) @__oxide_text_2 to ptr
              %v4 = addrspacecast ptr addrspace(1) @__oxide_text_1 to ptr
              call void @__oxide_panic(ptr %v3, i64 14, ptr %v4, i64 4, i32 3, i32 7, ptr null, i64 0)
              unreachable

            bb3:
              ret i64 %v0

            bb4:
              %v5 = addrspacecast ptr addrspace(1) @__oxide_text_0 to ptr
              %v6 = addrspacecast ptr addrspace(1) @__oxide_text_1 to ptr
              call void @__oxide_panic2(ptr %v5, i64 56, ptr %v6, i64 4, i32 3, i32 7, i64 %v1, i64 %v0, i64 2)
              unreachable
            }
        "#]],
    );
}

/// Two cases of a switch lead to one block with different values: phis need an edge for each.
#[test]
fn switch_with_arguments() {
    check(
        |b| vec![b.int(8)],
        |b, v| {
            let ty = b.int(32);
            let join = b.new_block(vec![ty]);
            let int8 = int_type(&b.ctx, 8);
            let cases = vec![
                (int_attr(&b.ctx, int8, 1), join),
                (int_attr(&b.ctx, int8, 255), join),
            ];
            let (x, y, z) = (
                b.const_int(32, 10),
                b.const_int(32, 20),
                b.const_int(32, u128::from(u32::MAX)),
            );
            let op = SwitchOp::new(&mut b.ctx, v[0], join, cases);
            use pliron::builtin::op_interfaces::BranchOpInterface;
            op.add_successor_operand(&mut b.ctx, 0, x);
            op.add_successor_operand(&mut b.ctx, 1, y);
            op.add_successor_operand(&mut b.ctx, 2, z);
            b.add(op.get_operation());
            b.block = Some(join);
            Some(join.deref(&b.ctx).get_argument(0))
        },
        expect![[r#"
            define i32 @f(i8 %v0) convergent nounwind {
            entry:
              switch i8 %v0, label %bb1 [ i8 1, label %entry.to1 i8 -1, label %entry.to2 ]

            entry.to1:
              br label %bb1

            entry.to2:
              br label %bb1

            bb1:
              %v1 = phi i32 [ 10, %entry ], [ 20, %entry.to1 ], [ -1, %entry.to2 ]
              ret i32 %v1
            }
        "#]],
    );
}

#[test]
fn inline_ptx() {
    check(
        |b| vec![b.int(32)],
        |b, v| {
            let asm = PtxAsmAttr {
                template: "{ add.u32 $0, $2, 1; mov.u32 $1, %laneid; }".to_string(),
                constraints: "=r,=r,r".to_string(),
                side_effects: false,
                convergent: true,
            };
            let results = vec![b.int(32), b.int(32)];
            let op = PtxAsmOp::new(&mut b.ctx, asm, vec![v[0]], results);
            let op: Ptr<Operation> = op.get_operation();
            b.add(op);
            let second = op.deref(&b.ctx).get_result(1);
            Some(second)
        },
        expect![[r#"
            define i32 @f(i32 %v0) convergent nounwind {
            entry:
              %v3 = call { i32, i32 } asm "{ add.u32 $0, $2, 1; mov.u32 $1, %laneid; }", "=r,=r,r"(i32 %v0) #0
              %v1 = extractvalue { i32, i32 } %v3, 0
              %v2 = extractvalue { i32, i32 } %v3, 1
              ret i32 %v2
            }
        "#]],
    );
}

/// A function with a slice parameter, called directly and through its address.
#[test]
fn calls() {
    let mut b = Build::new();
    let slice = b.slice(b.f32());
    let i64 = b.int(64);
    let args = b.func("callee", vec![(slice, Param::default())], Some(i64));
    let op = ExtractFieldOp::new(&mut b.ctx, args[0], 1);
    let len = b.val(op.get_operation());
    b.ret_value(len);
    let args = b.func("f", vec![(slice, Param::default())], Some(i64));
    let op = CallOp::new(&mut b.ctx, "callee", vec![args[0]], Some(i64));
    b.val(op.get_operation());
    let ty = b.ptr(b.int(8), 0);
    let op = FuncAddrOp::new(&mut b.ctx, "callee", ty);
    let address = b.val(op.get_operation());
    let op = CallIndirectOp::new(&mut b.ctx, address, vec![args[0]], Some(i64));
    let value = b.val(op.get_operation());
    b.ret_value(value);
    let ll = b.export();
    expect![[r#"
        target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
        target triple = "nvptx64-nvidia-cuda"

        define i64 @callee(ptr %v0, i64 %v1) convergent nounwind {
        entry:
          ret i64 %v1
        }

        define i64 @f(ptr %v0, i64 %v1) convergent nounwind {
        entry:
          %v2 = call i64 @callee(ptr %v0, i64 %v1)
          %v3 = call i64 @callee(ptr %v0, i64 %v1) #0
          ret i64 %v3
        }

        attributes #0 = { convergent }
    "#]]
    .assert_eq(&ll);
    ptx(&(ll + KERNEL));
}

/// Bytes with addresses in them, in both spaces.
#[test]
fn relocations() {
    let mut b = Build::new();
    let data = |relocations, addrspace| GlobalAttr {
        size: 20,
        align: 8,
        addrspace,
        mutable: false,
        hex: "01000000000000000000000000000000ff000000".to_string(),
        relocations,
    };
    let text = GlobalOp::new(&mut b.ctx, ident("text"), data(vec![], 1));
    b.top(text.get_operation());
    let relocation = Relocation {
        offset: 8,
        symbol: "text".to_string(),
        addend: 4,
    };
    let table = GlobalOp::new(&mut b.ctx, ident("table"), data(vec![relocation], 4));
    b.top(table.get_operation());
    let result = b.ptr(b.int(8), 4);
    b.func("f", vec![], Some(result));
    let op = GlobalAllocOp::new(&mut b.ctx, "table", result);
    let value = b.val(op.get_operation());
    b.ret_value(value);
    let ll = b.export();
    let globals: String = ll
        .lines()
        .filter(|line| line.starts_with('@'))
        .map(|line| format!("{line}\n"))
        .collect();
    expect![[r#"
        @text = internal addrspace(1) constant [20 x i8] c"\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\FF\00\00\00", align 8
        @table = addrspace(4) externally_initialized constant <{ [8 x i8], ptr, [8 x i8] }> <{ [8 x i8] c"\01\00\00\00\00\00\00\00", ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @text to ptr), i64 4), [8 x i8] c"\FF\00\00\00\00\00\00\00" }>, align 8
    "#]].assert_eq(&globals);
    let ptx = ptx(&(ll + KERNEL));
    assert!(ptx.contains("generic(text)+4"), "{ptx}");
}

#[test]
fn kernel_parameters_and_bounds() {
    let mut b = Build::new();
    let slice = b.slice(b.f32());
    let point = b.ptr(b.int(8), 0);
    let read = Param {
        noalias: true,
        readonly: true,
        align: 4,
        ..Param::default()
    };
    let byval = Param {
        byval: 12,
        align: 4,
        ..Param::default()
    };
    let f32 = b.f32();
    let args = b.kernel("k", vec![(slice, read), (point, byval)]);
    dialect_mir::attributes::set(
        &b.ctx,
        b.func.unwrap().get_operation(),
        &dialect_mir::attributes::LAUNCH_BOUNDS,
        dialect_mir::attributes::LaunchBoundsAttr {
            max_threads: 256,
            min_blocks: 2,
            cluster_x: 2,
            cluster_y: 1,
            cluster_z: 1,
        },
    );
    let op = ExtractFieldOp::new(&mut b.ctx, args[0], 0);
    let pointer = b.val(op.get_operation());
    let op = LoadOp::new(&mut b.ctx, pointer, f32, 4);
    let value = b.val(op.get_operation());
    let float = b.ptr(f32, 0);
    let op = CastOp::new(&mut b.ctx, pointer, float, Cast::PtrToPtr);
    b.val(op.get_operation());
    let op = StoreOp::new(&mut b.ctx, value, pointer, 4);
    b.add(op.get_operation());
    b.ret();
    let ll = b.export();
    let define = ll.lines().find(|line| line.starts_with("define")).unwrap();
    expect![[r#"define ptx_kernel void @k(ptr addrspace(1) noalias readonly align 4 %v0, i64 %v1, ptr byval([12 x i8]) align 4 %v2) "nvvm.maxntid"="256" "nvvm.minctasm"="2" "nvvm.cluster_dim"="2,1,1" {"#]].assert_eq(define);
    let ptx = ptx(&ll);
    for directive in [".maxntid 256", ".minnctapersm 2"] {
        assert!(ptx.contains(directive), "{directive}: {ptx}");
    }
}

/// Contraction only when it is asked for.
#[test]
fn fmad() {
    let make = |fmad| {
        let mut b = Build::new();
        let f32 = b.f32();
        let args = b.func("f", vec![(f32, Param::default()); 3], Some(f32));
        let op = MulOp::new(&mut b.ctx, args[0], args[1], false);
        let product = b.val(op.get_operation());
        let op = AddOp::new(&mut b.ctx, product, args[2], false);
        let sum = b.val(op.get_operation());
        b.ret_value(sum);
        let options = mir_lower::LowerOptions {
            fmad,
            ..Default::default()
        };
        ptx(&(b.export_with(&options, &Default::default()) + KERNEL))
    };
    assert!(!make(false).contains("fma.rn.f32"));
    assert!(make(true).contains("fma.rn.f32"));
}

/// What cannot be lowered says which operation, where and why.
#[test]
fn errors() {
    let mut b = Build::new();
    b.at(4, 9);
    b.func("f", vec![], None);
    let op = CallOp::new(&mut b.ctx, "__nvvm_no_such_thing", vec![], None);
    b.add(op.get_operation());
    b.ret();
    let err = mir_lower::lower(&mut b.ctx, b.module)
        .err()
        .expect("an error");
    expect![
        "/src/kernel.rs:4:9: `mir.call`: `__nvvm_no_such_thing` is in the table of dialect-nvvm"
    ]
    .assert_eq(&err.to_string());

    let mut b = Build::new();
    b.at(4, 9);
    b.func("f", vec![], None);
    let op = CallOp::new(&mut b.ctx, "absent", vec![], None);
    b.add(op.get_operation());
    b.ret();
    let err = mir_lower::lower(&mut b.ctx, b.module)
        .err()
        .expect("an error");
    expect!["/src/kernel.rs:4:9: `mir.call`: `absent` is a function of the module"]
        .assert_eq(&err.to_string());

    let mut b = Build::new();
    b.at(4, 9);
    b.kernel("k", vec![]);
    let (mask, bit) = (b.const_int(32, 1), b.int(1));
    let op = CallOp::new(&mut b.ctx, "__nvvm_elect_sync", vec![mask], Some(bit));
    b.val(op.get_operation());
    b.ret();
    let options = mir_lower::LowerOptions {
        target: Some((80, false)),
        ..Default::default()
    };
    let err = mir_lower::lower_with(&mut b.ctx, b.module, &options)
        .err()
        .expect("an error");
    expect!["/src/kernel.rs:4:9: in `k`: `nvvm.elect_sync` needs sm_90, but the target is sm_80"]
        .assert_eq(&err.to_string());
}
