//! Constants (3), the cast (1), and our scalar additions: `mir.intrinsic`, `mir.select`, `mir.assume`.

use std::num::NonZero;

use pliron::{
    builtin::{
        attributes::{BoolAttr, IntegerAttr},
        types::IntegerType,
    },
    common_traits::Verify,
    context::Context,
    op::Op,
    result::Result,
    r#type::{TypeHandle, Typed, TypedHandle},
    utils::apint::APInt,
    value::Value,
};

use super::{Check, mir_op, pure};
use crate::{
    attributes::{self, CAST_KIND, CastKindAttr, INTRINSIC, IntrinsicAttr, SIGNED, VALUE},
    errors::MirVerifyErr,
    types::{PtrType, as_type, float_width, int_type, int_width, is_ptr, is_slice},
};

mir_op!(
    /// An integer (`bool`, `char`) constant. Attribute `mir_value`: `IntegerAttr` of the result's type.
    ///
    /// No operand, one result.
    ConstantOp = "mir.constant"
);
pure!(ConstantOp);

impl ConstantOp {
    /// The low bits of `value` as an integer of type `ty`.
    pub fn new(ctx: &mut Context, ty: TypedHandle<IntegerType>, value: u128) -> Self {
        let op = Self::build(ctx, vec![ty.into()], vec![]);
        let attr = int_attr(ctx, ty, value);
        attributes::set(ctx, op.get_operation(), &VALUE, attr);
        op
    }

    /// The value, zero-extended.
    pub fn value(&self, ctx: &Context) -> Option<u128> {
        attributes::get::<IntegerAttr>(ctx, self.get_operation(), &VALUE).map(|a| attr_bits(&a))
    }
}

/// The low bits of `value` as an attribute of integer type `ty`.
pub fn int_attr(ctx: &Context, ty: TypedHandle<IntegerType>, value: u128) -> IntegerAttr {
    let width = ty.deref(ctx).width();
    let wide = NonZero::new(128).expect("not zero");
    let apint = APInt::from_u128(value, wide);
    let width = NonZero::new(width as usize).expect("an integer has bits");
    IntegerAttr::new(
        ty,
        if width == wide {
            apint
        } else {
            apint.trunc(width)
        },
    )
}

/// The bits of an integer attribute, zero-extended.
pub fn attr_bits(attr: &IntegerAttr) -> u128 {
    let value = attr.value();
    let wide = NonZero::new(128).expect("not zero");
    if value.bw() < 128 {
        value.zext(wide).to_u128()
    } else {
        value.to_u128()
    }
}

impl Verify for ConstantOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(0, 1)?;
        let value: IntegerAttr = c.attr(&VALUE, "mir_value")?;
        c.ensure(
            c.result(0) == value.get_type().into(),
            MirVerifyErr::ResultTypeDiffers,
        )
    }
}

mir_op!(
    /// A float constant. Attribute `mir_value`: its bits, an `IntegerAttr` of the float's width.
    ///
    /// No operand, one result: f16, f32 or f64.
    FloatConstantOp = "mir.float_constant"
);
pure!(FloatConstantOp);

impl FloatConstantOp {
    /// The float of type `ty` with these bits. Panics if `ty` is no float type.
    pub fn new(ctx: &mut Context, ty: TypeHandle, bits: u64) -> Self {
        let width = float_width(ctx, ty).expect("a float type");
        let op = Self::build(ctx, vec![ty], vec![]);
        let int = int_type(ctx, width);
        let attr = int_attr(ctx, int, u128::from(bits));
        attributes::set(ctx, op.get_operation(), &VALUE, attr);
        op
    }

    /// The bits.
    pub fn bits(&self, ctx: &Context) -> Option<u64> {
        attributes::get::<IntegerAttr>(ctx, self.get_operation(), &VALUE)
            .map(|a| attr_bits(&a) as u64)
    }
}

impl Verify for FloatConstantOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(0, 1)?;
        let value: IntegerAttr = c.attr(&VALUE, "mir_value")?;
        let width = value.get_type().deref(ctx).width();
        c.ensure(
            float_width(ctx, c.result(0)) == Some(width),
            MirVerifyErr::ResultTypeDiffers,
        )
    }
}

mir_op!(
    /// A value of any type whose bits do not matter (uninitialised memory).
    ///
    /// No operand, one result.
    UndefOp = "mir.undef"
);
pure!(UndefOp);

impl UndefOp {
    /// Of type `ty`.
    pub fn new(ctx: &mut Context, ty: TypeHandle) -> Self {
        Self::build(ctx, vec![ty], vec![])
    }
}

impl Verify for UndefOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        Check {
            ctx,
            op: self.get_operation(),
        }
        .shape(0, 1)
    }
}

mir_op!(
    /// A scalar as another type; `mir_cast_kind` says how.
    ///
    /// One operand, one result.
    CastOp = "mir.cast"
);
pure!(CastOp);

impl CastOp {
    /// `value` as `ty`.
    pub fn new(ctx: &mut Context, value: Value, ty: TypeHandle, kind: CastKindAttr) -> Self {
        let op = Self::build(ctx, vec![ty], vec![value]);
        attributes::set(ctx, op.get_operation(), &CAST_KIND, kind);
        op
    }

    /// How.
    pub fn kind(&self, ctx: &Context) -> Option<CastKindAttr> {
        attributes::get(ctx, self.get_operation(), &CAST_KIND)
    }
}

impl Verify for CastOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        use CastKindAttr::*;
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(1, 1)?;
        let kind: CastKindAttr = c.attr(&CAST_KIND, "mir_cast_kind")?;
        let (from, to) = (c.operand(0), c.result(0));
        let (fi, ti) = (int_width(ctx, from), int_width(ctx, to));
        let (ff, tf) = (float_width(ctx, from), float_width(ctx, to));
        let space = |t| as_type::<PtrType>(ctx, t).map(|p| p.addrspace);
        let bits = |t| {
            if is_ptr(ctx, t) {
                Some(64)
            } else {
                int_width(ctx, t).or_else(|| float_width(ctx, t))
            }
        };
        let ok = match kind {
            Trunc => matches!((fi, ti), (Some(f), Some(t)) if t < f),
            ZExt | SExt => matches!((fi, ti), (Some(f), Some(t)) if t > f),
            UIntToFloat | SIntToFloat => fi.is_some() && tf.is_some(),
            FloatToUInt | FloatToSInt => ff.is_some() && ti.is_some(),
            FloatToFloat => ff.is_some() && tf.is_some(),
            PtrToPtr => space(from).is_some() && space(from) == space(to),
            PtrToInt => space(from).is_some() && ti == Some(64),
            IntToPtr => fi == Some(64) && space(to).is_some(),
            AddrSpace => {
                matches!((space(from), space(to)), (Some(f), Some(t)) if (f == 0) != (t == 0))
            }
            Bitcast => bits(from).is_some() && bits(from) == bits(to),
            SliceToSlice => is_slice(ctx, from) && is_slice(ctx, to),
        };
        c.ensure(ok, MirVerifyErr::CastTypes(format!("{kind:?}")))
    }
}

mir_op!(
    /// *Ours.* A scalar function that hardware or LLVM has; [`IntrinsicAttr`] says which, what it takes and gives.
    IntrinsicOp = "mir.intrinsic"
);
pure!(IntrinsicOp);

impl IntrinsicOp {
    /// The result has the operands' type (`i8` for `ThreeWay`). `signed` counts where the kind says so.
    pub fn new(ctx: &mut Context, kind: IntrinsicAttr, operands: Vec<Value>, signed: bool) -> Self {
        let ty = if kind == IntrinsicAttr::ThreeWay {
            int_type(ctx, 8).into()
        } else {
            operands[0].get_type(ctx)
        };
        let op = Self::build(ctx, vec![ty], operands);
        attributes::set(ctx, op.get_operation(), &INTRINSIC, kind);
        attributes::set(ctx, op.get_operation(), &SIGNED, BoolAttr::new(signed));
        op
    }

    /// Which function.
    pub fn kind(&self, ctx: &Context) -> Option<IntrinsicAttr> {
        attributes::get(ctx, self.get_operation(), &INTRINSIC)
    }

    /// Are integer operands signed?
    pub fn signed(&self, ctx: &Context) -> bool {
        attributes::get::<BoolAttr>(ctx, self.get_operation(), &SIGNED).is_some_and(bool::from)
    }
}

impl IntrinsicAttr {
    /// How many operands.
    pub fn arity(self) -> usize {
        use IntrinsicAttr::*;
        match self {
            Fma => 3,
            RotateLeft | RotateRight | SaturatingAdd | SaturatingSub | IntMin | IntMax
            | ThreeWay | Copysign | MinNum | MaxNum | Minimum | Maximum => 2,
            Ctpop | Ctlz | Cttz | Bswap | Bitreverse | Sqrt | Floor | Ceil | Trunc | Round
            | RoundTiesEven | Fabs => 1,
        }
    }

    /// Does it take floats (else integers)?
    pub fn is_float(self) -> bool {
        use IntrinsicAttr::*;
        !matches!(
            self,
            Ctpop
                | Ctlz
                | Cttz
                | Bswap
                | Bitreverse
                | RotateLeft
                | RotateRight
                | SaturatingAdd
                | SaturatingSub
                | IntMin
                | IntMax
                | ThreeWay
        )
    }
}

impl Verify for IntrinsicOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        let kind: IntrinsicAttr = c.attr(&INTRINSIC, "mir_intrinsic")?;
        c.shape(kind.arity(), 1)?;
        let ty = c.operand(0);
        let class = if kind.is_float() {
            float_width(ctx, ty).is_some()
        } else {
            int_width(ctx, ty).is_some()
        };
        let same = (1..kind.arity()).all(|i| c.operand(i) == ty);
        let result = match kind {
            IntrinsicAttr::ThreeWay => int_width(ctx, c.result(0)) == Some(8),
            _ => c.result(0) == ty,
        };
        c.ensure(
            class && same && result,
            MirVerifyErr::IntrinsicTypes(format!("{kind:?}")),
        )
    }
}

mir_op!(
    /// *Ours.* The second operand if the first (`i1`) is true, else the third. Scalars and slices.
    SelectOp = "mir.select"
);
pure!(SelectOp);

impl SelectOp {
    /// `condition ? yes : no`.
    pub fn new(ctx: &mut Context, condition: Value, yes: Value, no: Value) -> Self {
        let ty = yes.get_type(ctx);
        Self::build(ctx, vec![ty], vec![condition, yes, no])
    }
}

impl Verify for SelectOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(3, 1)?;
        c.ensure(
            int_width(ctx, c.operand(0)) == Some(1),
            MirVerifyErr::OperandType(0, "i1"),
        )?;
        c.ensure(
            c.operand(1) == c.operand(2),
            MirVerifyErr::OperandTypesDiffer,
        )?;
        c.ensure(c.result(0) == c.operand(1), MirVerifyErr::ResultTypeDiffers)
    }
}

mir_op!(
    /// *Ours.* The operand (`i1`) is true, or behaviour is undefined. No result.
    AssumeOp = "mir.assume"
);

impl AssumeOp {
    /// Assume `condition`.
    pub fn new(ctx: &mut Context, condition: Value) -> Self {
        Self::build(ctx, vec![], vec![condition])
    }
}

impl Verify for AssumeOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(1, 0)?;
        c.ensure(
            int_width(ctx, c.operand(0)) == Some(1),
            MirVerifyErr::OperandType(0, "i1"),
        )
    }
}
