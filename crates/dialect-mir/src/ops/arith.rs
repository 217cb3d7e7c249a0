//! Arithmetic (15) and comparison (6).

use pliron::{
    builtin::{attributes::BoolAttr, types::IntegerType},
    common_traits::Verify,
    context::Context,
    op::Op,
    result::Result,
    r#type::{Typed, TypedHandle},
    value::Value,
};

use super::{Check, mir_op, pure};
use crate::{
    attributes::{self, NOWRAP, SIGNED},
    errors::MirVerifyErr,
    types::{TupleType, bool_type, float_width, int_width, is_ptr},
};

/// Which operands a binary operation takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Int,
    IntOrFloat,
    IntFloatOrPtr,
}

fn check_operands(c: &Check, class: Class, needs_sign: bool) -> Result<()> {
    c.ensure(
        c.operand(0) == c.operand(1),
        MirVerifyErr::OperandTypesDiffer,
    )?;
    let ty = c.operand(0);
    let is_int = int_width(c.ctx, ty).is_some();
    let ok = is_int
        || (class != Class::Int && float_width(c.ctx, ty).is_some())
        || (class == Class::IntFloatOrPtr && is_ptr(c.ctx, ty));
    let what = match class {
        Class::Int => "an integer",
        Class::IntOrFloat => "an integer or a float",
        Class::IntFloatOrPtr => "an integer, a float or a pointer",
    };
    c.ensure(ok, MirVerifyErr::OperandType(0, what))?;
    if needs_sign && is_int {
        let sign = attributes::get::<BoolAttr>(c.ctx, c.op, &SIGNED);
        c.ensure(sign.is_some(), MirVerifyErr::SignMissing)?;
    }
    Ok(())
}

macro_rules! binary {
    ($(#[$meta:meta])* $name:ident = $id:literal, $class:ident, sign: $sign:literal) => {
        mir_op!(
            $(#[$meta])*
            ///
            /// | operand | |
            /// |---|---|
            /// | `lhs`, `rhs` | the same type |
            ///
            /// One result of the operands' type. Attributes: `mir_signed` (required on integers where the table of
            /// `crate::table` says so), `mir_nowrap`.
            $name = $id
        );
        pure!($name);

        impl $name {
            /// `signed` counts for integers; on floats it is not stored.
            pub fn new(ctx: &mut Context, lhs: Value, rhs: Value, signed: bool) -> Self {
                let ty = lhs.get_type(ctx);
                let op = Self::build(ctx, vec![ty], vec![lhs, rhs]);
                if int_width(ctx, ty).is_some() {
                    attributes::set(ctx, op.get_operation(), &SIGNED, BoolAttr::new(signed));
                }
                op
            }

            /// Are integer operands signed?
            pub fn signed(&self, ctx: &Context) -> bool {
                attributes::get::<BoolAttr>(ctx, self.get_operation(), &SIGNED).is_some_and(bool::from)
            }

            /// Promise that the operation does not wrap.
            pub fn set_nowrap(&self, ctx: &Context) {
                attributes::set(ctx, self.get_operation(), &NOWRAP, BoolAttr::new(true));
            }

            /// Was it promised that the operation does not wrap (in the sense of `signed`)?
            pub fn nowrap(&self, ctx: &Context) -> bool {
                attributes::get::<BoolAttr>(ctx, self.get_operation(), &NOWRAP).is_some_and(bool::from)
            }
        }

        impl Verify for $name {
            fn verify(&self, ctx: &Context) -> Result<()> {
                let c = Check { ctx, op: self.get_operation() };
                c.shape(2, 1)?;
                check_operands(&c, Class::$class, $sign)?;
                c.ensure(c.result(0) == c.operand(0), MirVerifyErr::ResultTypeDiffers)
            }
        }
    };
}

binary!(
    /// Wrapping integer or IEEE float addition.
    AddOp = "mir.add", IntOrFloat, sign: false
);
binary!(
    /// Wrapping integer or IEEE float subtraction.
    SubOp = "mir.sub", IntOrFloat, sign: false
);
binary!(
    /// Wrapping integer or IEEE float multiplication.
    MulOp = "mir.mul", IntOrFloat, sign: false
);
binary!(
    /// Division. For integers the divisor is not 0 and the quotient fits (MIR asserts both before it).
    DivOp = "mir.div", IntOrFloat, sign: true
);
binary!(
    /// Remainder with the dividend's sign; for floats C's `fmod`. As [`DivOp`].
    RemOp = "mir.rem", IntOrFloat, sign: true
);
binary!(
    /// Shift right, arithmetic if signed. The amount is taken modulo the width.
    ShrOp = "mir.shr", Int, sign: true
);
binary!(
    /// Shift left. The amount is taken modulo the width.
    ShlOp = "mir.shl", Int, sign: false
);
binary!(
    /// Bitwise and.
    BitAndOp = "mir.bitand", Int, sign: false
);
binary!(
    /// Bitwise or.
    BitOrOp = "mir.bitor", Int, sign: false
);
binary!(
    /// Bitwise exclusive or.
    BitXorOp = "mir.bitxor", Int, sign: false
);

macro_rules! checked {
    ($(#[$meta:meta])* $name:ident = $id:literal) => {
        mir_op!(
            $(#[$meta])*
            ///
            /// | operand | |
            /// |---|---|
            /// | `lhs`, `rhs` | the same integer type |
            ///
            /// One result: `mir.tuple<iN, i1>`, the wrapped value and whether the exact one (in the sense of
            /// `mir_signed`) did not fit.
            $name = $id
        );
        pure!($name);

        impl $name {
            /// Panics if the operands are not integers.
            pub fn new(ctx: &mut Context, lhs: Value, rhs: Value, signed: bool) -> Self {
                let ty = TypedHandle::<IntegerType>::from_handle(lhs.get_type(ctx), ctx)
                    .expect("a checked operation takes integers");
                let tuple = TupleType::checked(ctx, ty);
                let op = Self::build(ctx, vec![tuple.into()], vec![lhs, rhs]);
                attributes::set(ctx, op.get_operation(), &SIGNED, BoolAttr::new(signed));
                op
            }

            /// Are the operands signed?
            pub fn signed(&self, ctx: &Context) -> bool {
                attributes::get::<BoolAttr>(ctx, self.get_operation(), &SIGNED).is_some_and(bool::from)
            }
        }

        impl Verify for $name {
            fn verify(&self, ctx: &Context) -> Result<()> {
                let c = Check { ctx, op: self.get_operation() };
                c.shape(2, 1)?;
                check_operands(&c, Class::Int, true)?;
                let tuple = TypedHandle::<IntegerType>::from_handle(c.operand(0), ctx)
                    .map(|t| TupleType::checked(ctx, t));
                c.ensure(
                    tuple.is_ok_and(|t| c.result(0) == t.into()),
                    MirVerifyErr::ResultType(0, "a tuple of the operands' type and i1"),
                )
            }
        }
    };
}

checked!(
    /// Addition with its overflow flag.
    CheckedAddOp = "mir.checked_add"
);
checked!(
    /// Subtraction with its overflow flag.
    CheckedSubOp = "mir.checked_sub"
);
checked!(
    /// Multiplication with its overflow flag.
    CheckedMulOp = "mir.checked_mul"
);

macro_rules! unary {
    ($(#[$meta:meta])* $name:ident = $id:literal, $float:literal) => {
        mir_op!(
            $(#[$meta])*
            ///
            /// One operand, one result of its type.
            $name = $id
        );
        pure!($name);

        impl $name {
            /// Of `value`.
            pub fn new(ctx: &mut Context, value: Value) -> Self {
                let ty = value.get_type(ctx);
                Self::build(ctx, vec![ty], vec![value])
            }
        }

        impl Verify for $name {
            fn verify(&self, ctx: &Context) -> Result<()> {
                let c = Check { ctx, op: self.get_operation() };
                c.shape(1, 1)?;
                let ty = c.operand(0);
                let ok = int_width(ctx, ty).is_some() || ($float && float_width(ctx, ty).is_some());
                c.ensure(ok, MirVerifyErr::OperandType(0, "a number"))?;
                c.ensure(c.result(0) == ty, MirVerifyErr::ResultTypeDiffers)
            }
        }
    };
}

unary!(
    /// Wrapping integer negation, or the float with its sign bit flipped.
    NegOp = "mir.neg", true
);
unary!(
    /// All bits of an integer flipped (of `i1`: logical not).
    NotOp = "mir.not", false
);

macro_rules! compare {
    ($(#[$meta:meta])* $name:ident = $id:literal) => {
        mir_op!(
            $(#[$meta])*
            ///
            /// | operand | |
            /// |---|---|
            /// | `lhs`, `rhs` | the same integer, float or thin pointer type |
            ///
            /// One result, `i1`. Integers need `mir_signed`; pointers compare by address, unsigned.
            $name = $id
        );
        pure!($name);

        impl $name {
            /// `signed` counts for integers; on other types it is not stored.
            pub fn new(ctx: &mut Context, lhs: Value, rhs: Value, signed: bool) -> Self {
                let ty = lhs.get_type(ctx);
                let bool_ty = bool_type(ctx);
                let op = Self::build(ctx, vec![bool_ty.into()], vec![lhs, rhs]);
                if int_width(ctx, ty).is_some() {
                    attributes::set(ctx, op.get_operation(), &SIGNED, BoolAttr::new(signed));
                }
                op
            }

            /// Are integer operands signed?
            pub fn signed(&self, ctx: &Context) -> bool {
                attributes::get::<BoolAttr>(ctx, self.get_operation(), &SIGNED).is_some_and(bool::from)
            }
        }

        impl Verify for $name {
            fn verify(&self, ctx: &Context) -> Result<()> {
                let c = Check { ctx, op: self.get_operation() };
                c.shape(2, 1)?;
                check_operands(&c, Class::IntFloatOrPtr, true)?;
                c.ensure(int_width(ctx, c.result(0)) == Some(1), MirVerifyErr::ResultType(0, "i1"))
            }
        }
    };
}

compare!(
    /// Equal. False if a float is NaN.
    EqOp = "mir.eq"
);
compare!(
    /// Not equal. True if a float is NaN.
    NeOp = "mir.ne"
);
compare!(
    /// Less. False if a float is NaN.
    LtOp = "mir.lt"
);
compare!(
    /// Less or equal. False if a float is NaN.
    LeOp = "mir.le"
);
compare!(
    /// Greater. False if a float is NaN.
    GtOp = "mir.gt"
);
compare!(
    /// Greater or equal. False if a float is NaN.
    GeOp = "mir.ge"
);
