//! rustc's intrinsics, and the few functions of core that are as simple as one. One table: the `match` on the name.

use dialect_mir::{attributes::*, ops::*, types as mt};
use pliron::{
    r#type::{TypeHandle, Typed},
    value::Value,
};
use rustc_mir::{
    ast::{BinOp, Call, Operand},
    ty::{GenericArg, Path, Ty},
};

use crate::{
    call::{i64_of, pointee_of},
    func::{Func, PlaceRef, Res, Val},
    types::{Kind, is_signed, type_args},
};

/// Functions of floats that hardware has no exact instruction for, with their names in C; for `f32` with an `f` behind.
/// The runtime's symbol is `__oxide_math_<name>`.
const MATH: &[(&str, &str)] = &[
    ("sin", "sin"),
    ("cos", "cos"),
    ("tan", "tan"),
    ("asin", "asin"),
    ("acos", "acos"),
    ("atan", "atan"),
    ("atan2", "atan2"),
    ("sinh", "sinh"),
    ("cosh", "cosh"),
    ("tanh", "tanh"),
    ("exp", "exp"),
    ("exp2", "exp2"),
    ("exp10", "exp10"),
    ("expm1", "expm1"),
    ("log", "log"),
    ("log2", "log2"),
    ("log10", "log10"),
    ("log1p", "log1p"),
    ("pow", "pow"),
    ("cbrt", "cbrt"),
    ("hypot", "hypot"),
    ("fdim", "fdim"),
];

/// The name in C of a function of the table, for a width.
fn c_name(base: &str, width: u32) -> Option<String> {
    if base == "powi" {
        return Some(
            if width == 64 {
                "__powidf2"
            } else {
                "__powisf2"
            }
            .to_string(),
        );
    }
    let c = MATH.iter().find(|row| row.0 == base)?.1;
    Some(format!("{c}{}", if width == 64 { "" } else { "f" }))
}

/// `sinf32` → `sin`, 32.
fn float_suffix(name: &str) -> Option<(&str, u32)> {
    for (suffix, width) in [("f16", 16), ("f32", 32), ("f64", 64)] {
        if let Some(base) = name.strip_suffix(suffix) {
            return Some((base.trim_end_matches('_'), width));
        }
    }
    None
}

fn unary_or_more(base: &str) -> Option<IntrinsicAttr> {
    Some(match base {
        "sqrt" => IntrinsicAttr::Sqrt,
        "floor" => IntrinsicAttr::Floor,
        "ceil" => IntrinsicAttr::Ceil,
        "trunc" => IntrinsicAttr::Trunc,
        "round" => IntrinsicAttr::Round,
        "round_ties_even" | "rint" | "nearbyint" => IntrinsicAttr::RoundTiesEven,
        "fabs" => IntrinsicAttr::Fabs,
        "copysign" => IntrinsicAttr::Copysign,
        "minnum" | "minimum_number_nsz" => IntrinsicAttr::MinNum,
        "maxnum" | "maximum_number_nsz" => IntrinsicAttr::MaxNum,
        "minimum" => IntrinsicAttr::Minimum,
        "maximum" => IntrinsicAttr::Maximum,
        "fma" | "fmuladd" => IntrinsicAttr::Fma,
        _ => return None,
    })
}

impl Func<'_, '_> {
    fn const_generic(path: &Path, index: usize) -> Option<&GenericArg> {
        path.last_args().get(index)
    }

    /// The memory order of an atomic intrinsic: in 1.95 a constant argument, whose printing names the variant.
    fn order(arg: Option<&GenericArg>) -> Res<Ordering> {
        let text = arg.map(ToString::to_string).unwrap_or_default();
        let pick = |s: &str| text.contains(s);
        Ok(if pick("SeqCst") {
            Ordering::SeqCst
        } else if pick("AcqRel") {
            Ordering::AcqRel
        } else if pick("Acquire") {
            Ordering::Acquire
        } else if pick("Release") {
            Ordering::Release
        } else if pick("Relaxed") {
            Ordering::Relaxed
        } else {
            return Err(format!("the memory order `{text}`").into());
        })
    }

    fn cmp(&mut self, op: BinOp, a: &Operand, b: &Operand) -> Res<Value> {
        match self.binary(op, a, b, &Ty::Bool)? {
            Val::Ssa(v) => Ok(v),
            _ => Err("a comparison".into()),
        }
    }

    /// True if the call was one of these.
    pub fn rustc_intrinsic(&mut self, call: &Call, path: &Path, name: &str) -> Res<bool> {
        let args = &call.args;
        let plain = path.plain_name().unwrap_or_default();
        let in_intrinsics = plain.contains("::intrinsics::");
        let tys = type_args(path);
        macro_rules! done {
            ($v:expr) => {{
                let v = $v;
                self.finish(call, v)?;
                return Ok(true);
            }};
        }
        // Functions that are not intrinsics but are left behind as calls.
        if !in_intrinsics {
            match name {
                "black_box" => done!(self.operand(&args[0])?),
                "size_of" if tys.len() == 1 => {
                    let v = self.m.types.size_align(&tys[0])?.0;
                    done!(Val::Ssa(self.usize(v)))
                }
                "align_of" if tys.len() == 1 => {
                    let v = self.m.types.size_align(&tys[0])?.1;
                    done!(Val::Ssa(self.usize(v)))
                }
                "swap" if plain.ends_with("ptr::swap") => {
                    // The two may be the same place, so both are read before one is written.
                    let (a, b) = (
                        self.pointed(&args[0], false)?,
                        self.pointed(&args[1], false)?,
                    );
                    if self.m.kind(&a.ty)? != Kind::Zst {
                        let (x, y) = (self.temp_of(&a.ty)?, self.temp_of(&a.ty)?);
                        for (to, from) in [(&x, &a), (&y, &b), (&a, &y), (&b, &x)] {
                            let v = self.read(from)?;
                            self.write(to, v)?;
                        }
                    }
                    self.finish_call(call.target)?;
                    return Ok(true);
                }
                "forget" => {
                    self.finish_call(call.target)?;
                    return Ok(true);
                }
                // What `std` calls by the names of C.
                _ if plain.contains("::cmath::")
                    && MATH
                        .iter()
                        .any(|row| name == row.1 || name.strip_suffix('f') == Some(row.1)) =>
                {
                    let values = args
                        .iter()
                        .map(|a| self.scalar(a))
                        .collect::<Res<Vec<_>>>()?;
                    let out = self.place_ty(&call.destination)?;
                    let t = self.m.types.convert(self.ctx, &out)?;
                    let op =
                        CallOp::new(self.ctx, &format!("__oxide_math_{name}"), values, Some(t));
                    done!(Val::Ssa(self.val(&op)))
                }
                _ if plain.contains("::f32::math::")
                    || plain.contains("::f64::math::")
                    || plain.starts_with("std::f") => {}
                _ => return Ok(false),
            }
        }
        if let Some((base, width)) = float_suffix(name) {
            if let Some(kind) = unary_or_more(base) {
                let values = args
                    .iter()
                    .map(|a| self.scalar(a))
                    .collect::<Res<Vec<_>>>()?;
                if values.len() == kind.arity() {
                    let op = IntrinsicOp::new(self.ctx, kind, values, false);
                    done!(Val::Ssa(self.val(&op)))
                }
            }
            if let Some(c) = c_name(base, width) {
                let mut values = args
                    .iter()
                    .map(|a| self.scalar(a))
                    .collect::<Res<Vec<_>>>()?;
                let out_ty = self.place_ty(&call.destination)?;
                let t = self.m.types.convert(self.ctx, &out_ty)?;
                let f32_ty: TypeHandle = pliron::builtin::types::FP32Type::get(self.ctx).into();
                // Half precision is computed in single.
                if width == 16 {
                    for v in &mut values {
                        if mt::float_width(self.ctx, v.get_type(self.ctx)) == Some(16) {
                            *v = self.cast(*v, f32_ty, CastKindAttr::FloatToFloat);
                        }
                    }
                }
                let result = if width == 16 { f32_ty } else { t };
                let symbol = format!("__oxide_math_{c}");
                let op = CallOp::new(self.ctx, &symbol, values, Some(result));
                let mut v = self.val(&op);
                if width == 16 {
                    v = self.cast(v, t, CastKindAttr::FloatToFloat);
                }
                done!(Val::Ssa(v))
            }
        }
        if !in_intrinsics {
            return Ok(false);
        }
        if let Some(kind) = unary_or_more(name) {
            let values = args
                .iter()
                .map(|a| self.scalar(a))
                .collect::<Res<Vec<_>>>()?;
            let op = IntrinsicOp::new(self.ctx, kind, values, false);
            done!(Val::Ssa(self.val(&op)))
        }
        if let Some(rest) = name.strip_prefix("atomic_") {
            return self.atomic(call, path, rest);
        }
        let signed = args
            .first()
            .and_then(|a| self.operand_ty(a).ok())
            .is_some_and(|t| is_signed(&t));
        macro_rules! int1 {
            ($kind:ident) => {{
                let v = self.scalar(&args[0])?;
                let op = IntrinsicOp::new(self.ctx, IntrinsicAttr::$kind, vec![v], signed);
                self.val(&op)
            }};
        }
        macro_rules! int2 {
            ($kind:ident) => {{
                let (a, b) = (self.scalar(&args[0])?, self.scalar(&args[1])?);
                let t = a.get_type(self.ctx);
                let b = self.int_resize(b, t, false)?;
                let op = IntrinsicOp::new(self.ctx, IntrinsicAttr::$kind, vec![a, b], signed);
                self.val(&op)
            }};
        }
        macro_rules! bin {
            ($op:ident) => {{
                let (a, b) = (self.scalar(&args[0])?, self.scalar(&args[1])?);
                let op = $op::new(self.ctx, a, b, signed);
                self.val(&op)
            }};
        }
        let out_ty = self.place_ty(&call.destination)?;
        match name {
            "ctpop" | "ctlz" | "cttz" | "ctlz_nonzero" | "cttz_nonzero" => {
                let v = match name {
                    "ctpop" => int1!(Ctpop),
                    "ctlz" | "ctlz_nonzero" => int1!(Ctlz),
                    _ => int1!(Cttz),
                };
                // The count is a `u32` whatever it counts in.
                let t = self.m.types.convert(self.ctx, &out_ty)?;
                let v = self.int_resize(v, t, false)?;
                done!(Val::Ssa(v))
            }
            "bswap" => {
                if mt::int_width(self.ctx, self.m.types.convert(self.ctx, &out_ty)?) == Some(8) {
                    done!(self.operand(&args[0])?)
                }
                done!(Val::Ssa(int1!(Bswap)))
            }
            "bitreverse" => done!(Val::Ssa(int1!(Bitreverse))),
            "rotate_left" => done!(Val::Ssa(int2!(RotateLeft))),
            "rotate_right" => done!(Val::Ssa(int2!(RotateRight))),
            "saturating_add" => done!(Val::Ssa(int2!(SaturatingAdd))),
            "saturating_sub" => done!(Val::Ssa(int2!(SaturatingSub))),
            "wrapping_add" | "unchecked_add" => done!(Val::Ssa(bin!(AddOp))),
            "wrapping_sub" | "unchecked_sub" => done!(Val::Ssa(bin!(SubOp))),
            "wrapping_mul" | "unchecked_mul" => done!(Val::Ssa(bin!(MulOp))),
            "unchecked_div" | "exact_div" => done!(Val::Ssa(bin!(DivOp))),
            "unchecked_rem" => done!(Val::Ssa(bin!(RemOp))),
            "unchecked_shl" | "unchecked_shr" => {
                let op = if name == "unchecked_shl" {
                    BinOp::ShlUnchecked
                } else {
                    BinOp::ShrUnchecked
                };
                done!(self.binary(op, &args[0], &args[1], &out_ty)?)
            }
            "add_with_overflow" | "sub_with_overflow" | "mul_with_overflow" => {
                let op = match name {
                    "add_with_overflow" => BinOp::AddWithOverflow,
                    "sub_with_overflow" => BinOp::SubWithOverflow,
                    _ => BinOp::MulWithOverflow,
                };
                done!(self.binary(op, &args[0], &args[1], &out_ty)?)
            }
            "three_way_compare" => done!(self.binary(BinOp::Cmp, &args[0], &args[1], &out_ty)?),
            "fadd_fast" | "fadd_algebraic" => done!(Val::Ssa(bin!(AddOp))),
            "fsub_fast" | "fsub_algebraic" => done!(Val::Ssa(bin!(SubOp))),
            "fmul_fast" | "fmul_algebraic" => done!(Val::Ssa(bin!(MulOp))),
            "fdiv_fast" | "fdiv_algebraic" => done!(Val::Ssa(bin!(DivOp))),
            "frem_fast" | "frem_algebraic" => done!(Val::Ssa(bin!(RemOp))),
            "float_to_int_unchecked" => {
                let v = self.scalar(&args[0])?;
                let t = self.m.types.convert(self.ctx, &out_ty)?;
                let kind = if is_signed(&out_ty) {
                    CastKindAttr::FloatToSInt
                } else {
                    CastKindAttr::FloatToUInt
                };
                done!(Val::Ssa(self.cast(v, t, kind)))
            }
            "size_of" => {
                let v = self
                    .m
                    .types
                    .size_align(tys.first().ok_or("size_of of nothing")?)?
                    .0;
                done!(Val::Ssa(self.usize(v)))
            }
            "align_of" | "min_align_of" | "pref_align_of" => {
                let v = self
                    .m
                    .types
                    .size_align(tys.first().ok_or("align_of of nothing")?)?
                    .1;
                done!(Val::Ssa(self.usize(v)))
            }
            "needs_drop" => Err("`needs_drop` that rustc did not evaluate".into()),
            "likely" | "unlikely" | "black_box" => done!(self.operand(&args[0])?),
            "cold_path"
            | "assert_inhabited"
            | "assert_zero_valid"
            | "assert_mem_uninitialized_valid"
            | "forget" => {
                self.finish_call(call.target)?;
                Ok(true)
            }
            "is_val_statically_known" => done!(Val::Ssa(self.int(1, 0))),
            "ub_checks" => {
                let on = self.m.options.debug_assertions;
                done!(Val::Ssa(self.int(1, on.into())))
            }
            "overflow_checks" => {
                let on = self.m.options.overflow_checks;
                done!(Val::Ssa(self.int(1, on.into())))
            }
            "contract_checks" => done!(Val::Ssa(self.int(1, 0))),
            "assume" => {
                let v = self.scalar(&args[0])?;
                let op = AssumeOp::new(self.ctx, v);
                self.push(&op);
                self.finish_call(call.target)?;
                Ok(true)
            }
            "unreachable" => {
                let op = UnreachableOp::new(self.ctx);
                self.push(&op);
                Ok(true)
            }
            "abort" | "breakpoint" => {
                let symbol = if name == "abort" {
                    "__nvvm_trap"
                } else {
                    "__nvvm_brkpt"
                };
                let op = CallOp::new(self.ctx, symbol, vec![], None);
                self.push(&op);
                self.finish_call(call.target)?;
                Ok(true)
            }
            "discriminant_value" => {
                let v = self.scalar(&args[0])?;
                let ty = pointee_of(&self.operand_ty(&args[0])?)?;
                let t = self.m.types.convert(self.ctx, &out_ty)?;
                let width = mt::int_width(self.ctx, t).ok_or("a discriminant's type")?;
                match self.m.types.enum_type(self.ctx, &ty, u64::from(width))? {
                    Ok(e) => {
                        let op = GetDiscriminantOp::new(self.ctx, v, e);
                        done!(Val::Ssa(self.val(&op)))
                    }
                    Err(i) => done!(Val::Ssa(self.int(width, i.into()))),
                }
            }
            "select_unpredictable" => {
                let (c, a, b) = (
                    self.scalar(&args[0])?,
                    self.operand(&args[1])?,
                    self.operand(&args[2])?,
                );
                match (a, b) {
                    (Val::Ssa(a), Val::Ssa(b)) => {
                        let op = SelectOp::new(self.ctx, c, a, b);
                        done!(Val::Ssa(self.val(&op)))
                    }
                    (Val::Memory(a, x), Val::Memory(b, y)) => {
                        let t = a.get_type(self.ctx);
                        let b = self.coerce(b, t);
                        let op = SelectOp::new(self.ctx, c, a, b);
                        let v = self.val(&op);
                        done!(Val::Memory(v, x.min(y)))
                    }
                    _ => done!(Val::Zst),
                }
            }
            "transmute" | "transmute_unchecked" => {
                let from = self.operand_ty(&args[0])?;
                let v = self.operand(&args[0])?;
                done!(self.transmute(v, &from, &out_ty)?)
            }
            "copy"
            | "copy_nonoverlapping"
            | "volatile_copy_memory"
            | "volatile_copy_nonoverlapping_memory" => {
                let volatile = name.starts_with("volatile");
                let (src, dst) = if volatile { (1, 0) } else { (0, 1) };
                let overlap = !name.contains("nonoverlapping");
                self.copy(&args[dst], &args[src], &args[2], overlap, volatile)?;
                self.finish_call(call.target)?;
                Ok(true)
            }
            "write_bytes" | "volatile_set_memory" => {
                let elem = pointee_of(&self.operand_ty(&args[0])?)?;
                let (size, align) = self.m.types.size_align(&elem)?;
                let (d, v, n) = (
                    self.scalar(&args[0])?,
                    self.scalar(&args[1])?,
                    self.scalar(&args[2])?,
                );
                let size = self.usize(size);
                let op = MulOp::new(self.ctx, n, size, false);
                let bytes = self.val(&op);
                let op = MemsetOp::new(self.ctx, d, v, bytes, align);
                self.push(&op);
                self.finish_call(call.target)?;
                Ok(true)
            }
            "volatile_load" | "unaligned_volatile_load" | "read_via_copy" => {
                let at = self.pointed(&args[0], name.starts_with("unaligned"))?;
                if name == "read_via_copy" {
                    done!(self.read(&at)?)
                }
                match self.m.kind(&at.ty)? {
                    Kind::Scalar | Kind::Slice => {
                        let t = self.m.types.convert(self.ctx, &at.ty)?;
                        let op = LoadOp::new(self.ctx, at.addr, t, at.align);
                        op.set_volatile(self.ctx);
                        done!(Val::Ssa(self.val(&op)))
                    }
                    Kind::Zst => done!(Val::Zst),
                    Kind::Memory => {
                        let out = self.temp_of(&at.ty)?;
                        let t = self.m.types.convert(self.ctx, &at.ty)?;
                        let op = AssignOp::new(self.ctx, out.addr, at.addr, t, at.align);
                        op.set_volatile(self.ctx);
                        self.push(&op);
                        done!(Val::Memory(out.addr, out.align))
                    }
                }
            }
            "volatile_store" | "unaligned_volatile_store" | "write_via_move" => {
                let at = self.pointed(&args[0], name.starts_with("unaligned"))?;
                let v = self.operand_as(&args[1], &at.ty)?;
                match v {
                    Val::Ssa(v) if name != "write_via_move" => {
                        let op = StoreOp::new(self.ctx, v, at.addr, at.align);
                        op.set_volatile(self.ctx);
                        self.push(&op);
                    }
                    Val::Memory(from, align) if name != "write_via_move" => {
                        let t = self.m.types.convert(self.ctx, &at.ty)?;
                        let op = AssignOp::new(self.ctx, at.addr, from, t, align.min(at.align));
                        op.set_volatile(self.ctx);
                        self.push(&op);
                    }
                    v => self.write(&at, v)?,
                }
                self.finish_call(call.target)?;
                Ok(true)
            }
            "typed_swap_nonoverlapping" => {
                let (a, b) = (
                    self.pointed(&args[0], false)?,
                    self.pointed(&args[1], false)?,
                );
                if self.m.kind(&a.ty)? != Kind::Zst {
                    let temp = self.temp_of(&a.ty)?;
                    let v = self.read(&a)?;
                    self.write(&temp, v)?;
                    let v = self.read(&b)?;
                    self.write(&a, v)?;
                    let v = self.read(&temp)?;
                    self.write(&b, v)?;
                }
                self.finish_call(call.target)?;
                Ok(true)
            }
            "raw_eq" => {
                let ty = pointee_of(&self.operand_ty(&args[0])?)?;
                let size = self.m.types.size_align(&ty)?.0;
                let (a, b) = (self.scalar(&args[0])?, self.scalar(&args[1])?);
                let n = self.usize(size);
                let op = MemcmpOp::new(self.ctx, a, b, n);
                let v = self.val(&op);
                let zero = self.int(32, 0);
                let op = EqOp::new(self.ctx, v, zero, true);
                done!(Val::Ssa(self.val(&op)))
            }
            "compare_bytes" => {
                let (a, b, n) = (
                    self.scalar(&args[0])?,
                    self.scalar(&args[1])?,
                    self.scalar(&args[2])?,
                );
                let op = MemcmpOp::new(self.ctx, a, b, n);
                done!(Val::Ssa(self.val(&op)))
            }
            "offset" | "arith_offset" => {
                let elem = pointee_of(&self.operand_ty(&args[0])?)?;
                let size = self.m.types.size_align(&elem)?.0;
                let (p, n) = (self.scalar(&args[0])?, self.scalar(&args[1])?);
                let op = PtrOffsetOp::new(self.ctx, p, n, size, name == "offset");
                done!(Val::Ssa(self.val(&op)))
            }
            "ptr_mask" => {
                let (p, m) = (self.scalar(&args[0])?, self.scalar(&args[1])?);
                let (t, i) = (p.get_type(self.ctx), i64_of(self.ctx));
                let v = self.cast(p, i, CastKindAttr::PtrToInt);
                let op = BitAndOp::new(self.ctx, v, m, false);
                let v = self.val(&op);
                done!(Val::Ssa(self.cast(v, t, CastKindAttr::IntToPtr)))
            }
            "ptr_offset_from" | "ptr_offset_from_unsigned" => {
                let elem = pointee_of(&self.operand_ty(&args[0])?)?;
                let size = self.m.types.size_align(&elem)?.0;
                let (a, b) = (self.scalar(&args[0])?, self.scalar(&args[1])?);
                let i = i64_of(self.ctx);
                let (a, b) = (
                    self.cast(a, i, CastKindAttr::PtrToInt),
                    self.cast(b, i, CastKindAttr::PtrToInt),
                );
                let op = SubOp::new(self.ctx, a, b, true);
                let d = self.val(&op);
                let size = self.usize(size.max(1));
                let op = DivOp::new(self.ctx, d, size, true);
                done!(Val::Ssa(self.val(&op)))
            }
            "ptr_metadata" => {
                let v = self.scalar(&args[0])?;
                if mt::is_slice(self.ctx, v.get_type(self.ctx)) {
                    done!(Val::Ssa(self.slice_parts(v).1))
                }
                done!(Val::Zst)
            }
            "ptr_guaranteed_cmp" => {
                let v = self.cmp(BinOp::Eq, &args[0], &args[1])?;
                let t = self.m.types.convert(self.ctx, &out_ty)?;
                let v = self.int_resize(v, t, false)?;
                done!(Val::Ssa(v))
            }
            "size_of_val" | "align_of_val" | "min_align_of_val" => {
                let ty = pointee_of(&self.operand_ty(&args[0])?)?;
                let first = usize::from(name != "size_of_val");
                let pick = |s: (u64, u64)| if first == 0 { s.0 } else { s.1 };
                match crate::types::element(&ty).filter(|_| crate::types::is_slice_like(&ty)) {
                    Some(elem) => {
                        let n = pick(self.m.types.size_align(&elem)?);
                        let n = self.usize(n);
                        if first == 1 {
                            done!(Val::Ssa(n))
                        }
                        let v = self.scalar(&args[0])?;
                        let len = self.slice_parts(v).1;
                        let op = MulOp::new(self.ctx, len, n, false);
                        done!(Val::Ssa(self.val(&op)))
                    }
                    None => {
                        let n = pick(self.m.types.size_align(&ty)?);
                        done!(Val::Ssa(self.usize(n)))
                    }
                }
            }
            "powif32" | "powif64" => Ok(false),
            "catch_unwind" | "type_id" | "type_name" | "caller_location" | "vtable_size"
            | "vtable_align" => {
                Err(format!("the intrinsic `{name}` is not handled on a GPU").into())
            }
            _ => Err(format!("the intrinsic `{name}` is not in the table of intrinsics").into()),
        }
    }

    /// What an operand points to.
    fn pointed(&mut self, op: &Operand, unaligned: bool) -> Res<PlaceRef> {
        let ty = pointee_of(&self.operand_ty(op)?)?;
        let addr = self.scalar(op)?;
        let align = if unaligned {
            1
        } else {
            self.m.types.size_align(&ty)?.1
        };
        Ok(PlaceRef {
            addr,
            len: None,
            ty,
            variant: None,
            align,
        })
    }

    fn atomic(&mut self, call: &Call, path: &Path, rest: &str) -> Res<bool> {
        let args = &call.args;
        let generics = path.last_args();
        // Type arguments come first; the orders are the constants after them.
        let orders: Vec<_> = generics
            .iter()
            .filter(|a| a.to_string().contains("Ordering") || is_order(a))
            .collect();
        let order = |i: usize| Self::order(orders.get(i).copied());
        let _ = Self::const_generic(path, 0);
        match rest {
            "fence" => {
                let op = AtomicFenceOp::new(self.ctx, order(0)?);
                self.push(&op);
                self.finish_call(call.target)?;
                return Ok(true);
            }
            "singlethreadfence" => {
                self.finish_call(call.target)?;
                return Ok(true);
            }
            _ => {}
        }
        let at = self.pointed(&args[0], false)?;
        let t = self.m.types.convert(self.ctx, &at.ty)?;
        let signed = is_signed(&at.ty);
        if self.m.kind(&at.ty)? != Kind::Scalar {
            return Err(format!("an atomic access to a `{}`", at.ty).into());
        }
        match rest {
            "load" => {
                let op = AtomicLoadOp::new(self.ctx, at.addr, t, order(0)?);
                let v = self.val(&op);
                self.finish(call, Val::Ssa(v))?;
            }
            "store" => {
                let v = self.scalar(&args[1])?;
                let op = AtomicStoreOp::new(self.ctx, v, at.addr, order(0)?);
                self.push(&op);
                self.finish_call(call.target)?;
            }
            "cxchg" | "cxchgweak" => {
                let (old, new) = (self.scalar(&args[1])?, self.scalar(&args[2])?);
                let int = mt::int_width(self.ctx, t).is_some();
                if !int {
                    return Err(format!("a compare-exchange of a `{}`", at.ty).into());
                }
                let op = AtomicCmpxchgOp::new(self.ctx, at.addr, old, new, order(0)?, order(1)?);
                let v = self.val(&op);
                let ty = self.place_ty(&call.destination)?;
                let v = self.spill_pair(v, &ty)?;
                self.finish(call, v)?;
            }
            _ => {
                let kind = match rest {
                    "xchg" => RmwKind::Xchg,
                    "xadd" => RmwKind::Add,
                    "xsub" => RmwKind::Sub,
                    "and" => RmwKind::And,
                    "nand" => RmwKind::Nand,
                    "or" => RmwKind::Or,
                    "xor" => RmwKind::Xor,
                    "max" if signed => RmwKind::SMax,
                    "min" if signed => RmwKind::SMin,
                    "umax" | "max" => RmwKind::UMax,
                    "umin" | "min" => RmwKind::UMin,
                    _ => {
                        return Err(format!(
                            "the intrinsic `atomic_{rest}` is not in the table of intrinsics"
                        )
                        .into());
                    }
                };
                let v = self.scalar(&args[1])?;
                let v = self.coerce(v, t);
                let op = AtomicRmwOp::new(self.ctx, at.addr, v, kind, order(0)?);
                let v = self.val(&op);
                self.finish(call, Val::Ssa(v))?;
            }
        }
        Ok(true)
    }
}

fn is_order(a: &GenericArg) -> bool {
    let s = a.to_string();
    ["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"]
        .iter()
        .any(|o| s.contains(o))
}
