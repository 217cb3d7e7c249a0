//! `dialect-mir` to `dialect-llvm` and `dialect-nvvm`.

mod aggregate;
mod builder;
mod control;
mod function;
mod memory;
mod module;
mod scalar;
mod types;
mod wide;

use dialect_nvvm::MinimumSm;
use pliron::{
    builtin::ops::ModuleOp,
    context::{Context, Ptr},
    location::Location,
    operation::Operation,
};

/// How to lower.
#[derive(Clone, Debug, Default)]
pub struct LowerOptions {
    /// Let `a * b + c` become one rounding, as nvcc does.
    pub fmad: bool,
    /// The target, `(90, true)` for `sm_90a`: an operation that it lacks is an error. `None`: not checked.
    pub target: Option<(u32, bool)>,
    /// Functions that are no kernels are the module's own: the module is one of several of a crate, each with its copy.
    pub internal_functions: bool,
}

/// What cannot be lowered.
#[derive(Debug, thiserror::Error)]
pub enum LowerError {
    /// An operation breaks a rule.
    #[error("{location}: `{op}`: {rule}")]
    Op {
        op: String,
        location: String,
        /// The operation's location in pliron's terms, for those who can print source.
        position: Box<Location>,
        rule: String,
    },
    /// An operation that the target does not have.
    #[error("{location}: in `{kernel}`: `{op}` needs {needs}, but the target is {target}")]
    Target {
        op: String,
        kernel: String,
        location: String,
        position: Box<Location>,
        needs: MinimumSm,
        target: String,
    },
    /// A name that is no identifier.
    #[error("`{0}` cannot be the name of a symbol")]
    Symbol(String),
    /// A type that is not lowered.
    #[error("type `{0}` cannot be lowered: {1}")]
    Type(String, &'static str),
}

type Result<T> = std::result::Result<T, LowerError>;

/// Makes the LLVM module of a MIR module, which stays as it is.
pub fn lower(ctx: &mut Context, module: ModuleOp) -> Result<ModuleOp> {
    lower_with(ctx, module, &LowerOptions::default())
}

/// [`lower`] with options.
pub fn lower_with(ctx: &mut Context, module: ModuleOp, options: &LowerOptions) -> Result<ModuleOp> {
    module::lower(ctx, module, options)
}

fn op_error(ctx: &Context, op: Ptr<Operation>, rule: impl Into<String>) -> LowerError {
    let location = op.deref(ctx).loc().clone();
    LowerError::Op {
        op: Operation::get_opid(op, ctx).to_string(),
        location: dialect_llvm::location_text(ctx, &location),
        position: Box::new(location),
        rule: rule.into(),
    }
}
