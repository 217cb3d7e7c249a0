//! The operations, by group. `table::OPERATIONS` is the inventory.

pub mod aggregate;
pub mod arith;
pub mod atomic;
pub mod control;
pub mod func;
pub mod memory;
pub mod scalar;

pub use aggregate::*;
pub use arith::*;
pub use atomic::*;
pub use control::*;
pub use func::*;
pub use memory::*;
pub use scalar::*;

use pliron::{
    attribute::Attribute,
    context::{Context, Ptr},
    identifier::Identifier,
    operation::Operation,
    result::Result,
    r#type::{TypeHandle, Typed},
    verify_err,
};

use crate::{attributes, errors::MirVerifyErr};

/// An operation of this dialect without regions.
macro_rules! mir_op {
    ($(#[$meta:meta])* $name:ident = $id:literal) => {
        $(#[$meta])*
        #[pliron::derive::pliron_op(name = $id, format)]
        pub struct $name;

        impl $name {
            /// The bare operation; the typed constructors add the attributes that the verifier wants.
            #[allow(dead_code)]
            fn build(
                ctx: &mut pliron::context::Context,
                results: Vec<pliron::r#type::TypeHandle>,
                operands: Vec<pliron::value::Value>,
            ) -> Self {
                use pliron::op::Op;
                $name {
                    op: pliron::operation::Operation::new(
                        ctx,
                        Self::get_concrete_op_info(),
                        results,
                        operands,
                        vec![],
                        0,
                    ),
                }
            }

            /// The only result.
            #[allow(dead_code)]
            pub fn result(&self, ctx: &pliron::context::Context) -> pliron::value::Value {
                use pliron::op::Op;
                self.get_operation().deref(ctx).get_result(0)
            }

            /// Operand `index`.
            #[allow(dead_code)]
            pub fn operand(&self, ctx: &pliron::context::Context, index: usize) -> pliron::value::Value {
                use pliron::op::Op;
                self.get_operation().deref(ctx).get_operand(index)
            }
        }
    };
}
pub(crate) use mir_op;

/// The operation has no effect but its results.
macro_rules! pure {
    ($($name:ident),+ $(,)?) => {
        $(
            #[pliron::derive::op_interface_impl]
            impl pliron::opts::dce::SideEffects for $name {
                fn has_side_effects(&self, _ctx: &pliron::context::Context) -> bool {
                    false
                }
            }
        )+
    };
}
pub(crate) use pure;

/// Helpers of the verifiers: the operation, looked at with its location.
pub(crate) struct Check<'a> {
    pub ctx: &'a Context,
    pub op: Ptr<Operation>,
}

impl Check<'_> {
    pub fn fail<T>(&self, err: MirVerifyErr) -> Result<T> {
        verify_err!(self.op.deref(self.ctx).loc().clone(), err)
    }

    pub fn ensure(&self, ok: bool, err: MirVerifyErr) -> Result<()> {
        if ok { Ok(()) } else { self.fail(err) }
    }

    /// Exactly this many operands and results, and no successors.
    pub fn shape(&self, operands: usize, results: usize) -> Result<()> {
        let op = self.op.deref(self.ctx);
        let (o, r, s) = (
            op.get_num_operands(),
            op.get_num_results(),
            op.get_num_successors(),
        );
        drop(op);
        self.ensure(
            o == operands,
            MirVerifyErr::OperandCount {
                expected: operands,
                found: o,
            },
        )?;
        self.ensure(
            r == results,
            MirVerifyErr::ResultCount {
                expected: results,
                found: r,
            },
        )?;
        self.ensure(
            s == 0,
            MirVerifyErr::SuccessorCount {
                expected: 0,
                found: s,
            },
        )
    }

    pub fn operand(&self, i: usize) -> TypeHandle {
        self.op.deref(self.ctx).get_operand(i).get_type(self.ctx)
    }

    pub fn result(&self, i: usize) -> TypeHandle {
        self.op.deref(self.ctx).get_type(i)
    }

    pub fn attr<T: Attribute + Clone>(&self, key: &Identifier, name: &'static str) -> Result<T> {
        match attributes::get::<T>(self.ctx, self.op, key) {
            Some(a) => Ok(a),
            None => self.fail(MirVerifyErr::MissingAttribute(name)),
        }
    }

    pub fn ptr(&self, i: usize) -> Result<crate::types::PtrType> {
        match crate::types::as_type(self.ctx, self.operand(i)) {
            Some(p) => Ok(p),
            None => self.fail(MirVerifyErr::OperandType(i, "a pointer")),
        }
    }
}
