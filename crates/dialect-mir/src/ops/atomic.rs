//! *Ours.* Atomic accesses of `core::sync::atomic`; system scope, as Rust's are.

use pliron::{
    builtin::types::IntegerType,
    common_traits::Verify,
    context::Context,
    op::Op,
    result::Result,
    r#type::{TypeHandle, Typed, TypedHandle},
    value::Value,
};

use super::{Check, mir_op};
use crate::{
    attributes::{self, ATOMIC, AtomicAttr, Ordering, RmwKind},
    errors::MirVerifyErr,
    types::{TupleType, int_width, is_ptr, pointee_matches},
};

fn order(ordering: Ordering) -> AtomicAttr {
    AtomicAttr {
        success: ordering,
        failure: ordering,
        kind: RmwKind::Xchg,
    }
}

macro_rules! atomic_attr {
    ($name:ident) => {
        impl $name {
            /// Order, and kind.
            pub fn atomic(&self, ctx: &Context) -> Option<AtomicAttr> {
                attributes::get(ctx, self.get_operation(), &ATOMIC)
            }
        }
    };
}

mir_op!(
    /// One operand: the address. One result: the integer or pointer there.
    AtomicLoadOp = "mir.atomic_load"
);
atomic_attr!(AtomicLoadOp);

impl AtomicLoadOp {
    /// Read a `ty`.
    pub fn new(ctx: &mut Context, address: Value, ty: TypeHandle, ordering: Ordering) -> Self {
        let op = Self::build(ctx, vec![ty], vec![address]);
        attributes::set(ctx, op.get_operation(), &ATOMIC, order(ordering));
        op
    }
}

fn check_value(c: &Check, ptr: usize, value: TypeHandle) -> Result<()> {
    let p = c.ptr(ptr)?;
    let ok = int_width(c.ctx, value).is_some() || is_ptr(c.ctx, value);
    c.ensure(
        ok,
        MirVerifyErr::OperandType(ptr, "a pointer to an integer or pointer"),
    )?;
    c.ensure(
        pointee_matches(c.ctx, p.pointee, value),
        MirVerifyErr::PointeeMismatch,
    )?;
    c.attr::<AtomicAttr>(&ATOMIC, "mir_atomic").map(|_| ())
}

impl Verify for AtomicLoadOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(1, 1)?;
        check_value(&c, 0, c.result(0))
    }
}

mir_op!(
    /// Operands: the value, the address. No result.
    AtomicStoreOp = "mir.atomic_store"
);
atomic_attr!(AtomicStoreOp);

impl AtomicStoreOp {
    /// Write `value`.
    pub fn new(ctx: &mut Context, value: Value, address: Value, ordering: Ordering) -> Self {
        let op = Self::build(ctx, vec![], vec![value, address]);
        attributes::set(ctx, op.get_operation(), &ATOMIC, order(ordering));
        op
    }
}

impl Verify for AtomicStoreOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(2, 0)?;
        check_value(&c, 1, c.operand(0))
    }
}

mir_op!(
    /// Operands: the address, the value. One result: what was there before.
    AtomicRmwOp = "mir.atomic_rmw"
);
atomic_attr!(AtomicRmwOp);

impl AtomicRmwOp {
    /// Combine what is at `address` with `value`.
    pub fn new(
        ctx: &mut Context,
        address: Value,
        value: Value,
        kind: RmwKind,
        ordering: Ordering,
    ) -> Self {
        let ty = value.get_type(ctx);
        let op = Self::build(ctx, vec![ty], vec![address, value]);
        attributes::set(
            ctx,
            op.get_operation(),
            &ATOMIC,
            AtomicAttr {
                kind,
                ..order(ordering)
            },
        );
        op
    }
}

impl Verify for AtomicRmwOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(2, 1)?;
        c.ensure(c.result(0) == c.operand(1), MirVerifyErr::ResultTypeDiffers)?;
        check_value(&c, 0, c.operand(1))
    }
}

mir_op!(
    /// Operands: the address, the expected and the new integer. One result: `mir.tuple<iN, i1>`, what was there and whether
    /// it was replaced.
    AtomicCmpxchgOp = "mir.atomic_cmpxchg"
);
atomic_attr!(AtomicCmpxchgOp);

impl AtomicCmpxchgOp {
    /// Panics if `expected` is no integer.
    pub fn new(
        ctx: &mut Context,
        address: Value,
        expected: Value,
        new: Value,
        success: Ordering,
        failure: Ordering,
    ) -> Self {
        let ty = TypedHandle::<IntegerType>::from_handle(expected.get_type(ctx), ctx)
            .expect("an integer");
        let tuple = TupleType::checked(ctx, ty);
        let op = Self::build(ctx, vec![tuple.into()], vec![address, expected, new]);
        attributes::set(
            ctx,
            op.get_operation(),
            &ATOMIC,
            AtomicAttr {
                success,
                failure,
                kind: RmwKind::Xchg,
            },
        );
        op
    }
}

impl Verify for AtomicCmpxchgOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(3, 1)?;
        c.ensure(
            c.operand(1) == c.operand(2),
            MirVerifyErr::OperandTypesDiffer,
        )?;
        let tuple = TypedHandle::<IntegerType>::from_handle(c.operand(1), ctx)
            .map(|t| TupleType::checked(ctx, t));
        let ok = tuple.is_ok_and(|t| c.result(0) == t.into());
        c.ensure(
            ok,
            MirVerifyErr::ResultType(0, "a tuple of the integer and i1"),
        )?;
        check_value(&c, 0, c.operand(1))
    }
}

mir_op!(
    /// A fence. No operand, no result.
    AtomicFenceOp = "mir.atomic_fence"
);
atomic_attr!(AtomicFenceOp);

impl AtomicFenceOp {
    /// Of this order.
    pub fn new(ctx: &mut Context, ordering: Ordering) -> Self {
        let op = Self::build(ctx, vec![], vec![]);
        attributes::set(ctx, op.get_operation(), &ATOMIC, order(ordering));
        op
    }
}

impl Verify for AtomicFenceOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(0, 0)?;
        c.attr::<AtomicAttr>(&ATOMIC, "mir_atomic").map(|_| ())
    }
}
