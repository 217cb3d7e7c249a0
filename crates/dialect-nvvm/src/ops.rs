//! The rows of the table, and the pliron operations made from them: one file for each module.
//!
//! A row reads `Struct "nvvm.name" (operands) -> result [origin, minimum SM, effects, convergence] body => ptx;`. The
//! operations verify their number of operands and results and the type of each.

use crate::table::{Spec, Ty};
use pliron::{
    builtin::types::{FP16Type, FP32Type, FP64Type, IntegerType, Signedness},
    context::{Context, Ptr},
    op::Op,
    operation::Operation,
    printable::Printable,
    result::Result,
    r#type::{TypeHandle, Typed},
    value::Value,
    verify_err,
};
use pliron_llvm::types::PointerType;

pub mod async_copy;
pub mod atomic;
pub mod clc;
pub mod cluster;
pub mod debug;
pub mod grid;
pub mod matrix;
pub mod mbarrier;
pub mod stmatrix;
pub mod tcgen05;
pub mod thread;
pub mod tma;
pub mod warp;
pub mod wgmma;

/// Why an operation is not what its row says.
#[derive(Debug, thiserror::Error)]
pub enum NvvmOpVerifyErr {
    #[error("{op} takes {expected} operands, but has {found}")]
    OperandCount {
        op: &'static str,
        expected: usize,
        found: usize,
    },
    #[error("operand {index} of {op} is {expected}, but has type {found}")]
    OperandType {
        op: &'static str,
        index: usize,
        expected: &'static str,
        found: String,
    },
    #[error("{op} gives {expected} results, but has {found}")]
    ResultCount {
        op: &'static str,
        expected: usize,
        found: usize,
    },
    #[error("the result of {op} is {expected}, but has type {found}")]
    ResultType {
        op: &'static str,
        expected: &'static str,
        found: String,
    },
    #[error("{op} lacks its attribute `nvvm_atomic`")]
    NoAtomic { op: &'static str },
    #[error("{op} has an attribute that says {found}")]
    WrongAtomic { op: &'static str, found: String },
}

impl Ty {
    /// The type in the LLVM dialect.
    pub fn get(self, ctx: &Context) -> TypeHandle {
        let int = |width| IntegerType::get(ctx, width, Signedness::Signless).into();
        match self {
            Ty::I1 => int(1),
            Ty::I8 => int(8),
            Ty::I16 => int(16),
            Ty::I32 => int(32),
            Ty::I64 => int(64),
            Ty::F16 => FP16Type::get(ctx).into(),
            Ty::F32 => FP32Type::get(ctx).into(),
            Ty::F64 => FP64Type::get(ctx).into(),
            Ty::Ptr => PointerType::get(ctx, 0).into(),
        }
    }
}

/// Creates the operation of `spec` with `operands`; [`pliron::operation::verify_operation`] tells whether they fit.
pub fn build(ctx: &mut Context, spec: &Spec, operands: Vec<Value>) -> Ptr<Operation> {
    let results = spec.result.map(|ty| ty.get(ctx)).into_iter().collect();
    Operation::new(ctx, (spec.info)(), results, operands, vec![], 0)
}

/// The row of an operation, or `None` if it is not of this dialect.
pub fn spec_of(ctx: &Context, op: Ptr<Operation>) -> Option<&'static Spec> {
    let id = Operation::get_opid(op, ctx);
    let name = id.to_string();
    name.starts_with("nvvm.")
        .then(|| crate::lookup::by_name(&name))
        .flatten()
}

/// Checks operation `op` against a prototype.
pub(crate) fn verify_prototype(
    op: &dyn Op,
    ctx: &Context,
    name: &'static str,
    operands: &[Ty],
    result: Option<Ty>,
) -> Result<()> {
    let operation = op.get_operation().deref(ctx);
    let loc = operation.loc().clone();
    let found: Vec<_> = operation
        .operands()
        .map(|value| value.get_type(ctx))
        .collect();
    if found.len() != operands.len() {
        return verify_err!(
            loc,
            NvvmOpVerifyErr::OperandCount {
                op: name,
                expected: operands.len(),
                found: found.len()
            }
        );
    }
    for (index, (found, expected)) in found.into_iter().zip(operands).enumerate() {
        if found != expected.get(ctx) {
            return verify_err!(
                loc,
                NvvmOpVerifyErr::OperandType {
                    op: name,
                    index,
                    expected: expected.llvm(),
                    found: found.disp(ctx).to_string()
                }
            );
        }
    }
    let found: Vec<_> = operation.result_types().collect();
    if found.len() != usize::from(result.is_some()) {
        return verify_err!(
            loc,
            NvvmOpVerifyErr::ResultCount {
                op: name,
                expected: usize::from(result.is_some()),
                found: found.len()
            }
        );
    }
    if let (Some(found), Some(expected)) = (found.first(), result)
        && *found != expected.get(ctx)
    {
        return verify_err!(
            loc,
            NvvmOpVerifyErr::ResultType {
                op: name,
                expected: expected.llvm(),
                found: found.disp(ctx).to_string()
            }
        );
    }
    Ok(())
}

/// Makes the rows of one module, and an operation for each.
macro_rules! nvvm_ops {
    ($module:ident: $(
        $struct:ident $name:literal ($($operand:ident),*) $(-> $result:ident)?
        [$origin:ident, $sm:expr, $effects:ident, $convergence:ident] $body:expr => $ptx:literal;
    )*) => {
        /// The rows of this module.
        pub const SPECS: &[$crate::table::Spec] = &[$(
            $crate::table::Spec {
                name: $name,
                module: $crate::table::Module::$module,
                document: $crate::ops::nvvm_ops!(@origin $origin),
                minimum_sm: $sm,
                operands: &[$($crate::table::Ty::$operand),*],
                result: $crate::ops::nvvm_ops!(@result $($result)?),
                effects: $crate::table::Effects::$effects,
                convergent: $crate::ops::nvvm_ops!(@convergence $convergence),
                body: $body,
                ptx: $ptx,
                info: <$struct as pliron::op::Op>::get_concrete_op_info,
            },
        )*];
        $(
            #[doc = concat!("`", $name, "`: see its row in [`SPECS`].")]
            #[pliron::derive::pliron_op(name = $name, format)]
            pub struct $struct;

            impl pliron::common_traits::Verify for $struct {
                fn verify(&self, ctx: &pliron::context::Context) -> pliron::result::Result<()> {
                    $crate::ops::verify_prototype(
                        self,
                        ctx,
                        $name,
                        &[$($crate::table::Ty::$operand),*],
                        $crate::ops::nvvm_ops!(@result $($result)?),
                    )
                }
            }

            #[pliron::derive::op_interface_impl]
            impl pliron::opts::dce::SideEffects for $struct {
                fn has_side_effects(&self, _ctx: &pliron::context::Context) -> bool {
                    $crate::table::Effects::$effects == $crate::table::Effects::Memory
                }
            }
        )*
    };
    (@origin document) => { true };
    (@origin ours) => { false };
    (@convergence convergent) => { true };
    (@convergence plain) => { false };
    (@result) => { None };
    (@result $result:ident) => { Some($crate::table::Ty::$result) };
}
pub(crate) use nvvm_ops;
