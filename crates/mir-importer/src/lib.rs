//! # mir-importer
//!
//! MIR of kernel crates to one `dialect-mir` module with the kernels and everything that they reach.
//!
//! ```text
//! let imported = import(&mut ctx, &Inputs { crates, layouts, bodies }, &options)?;   // or all diagnostics
//! imported.module            // builtin.module: mir.func, mir.global
//! imported.kernels           // key, symbol, PTX parameters, Rust arguments
//! imported.externs           // functions that the LLVM route has to define
//! promote(&mut ctx, imported.module)?;                                                // mem2reg
//! ```
//!
//! A call is resolved in this order: device intrinsic `__nvvm_…`; intrinsic of rustc; what a GPU cannot do (an error at the
//! user's line); a body in the `.mir` files that is concrete and the only one of its name; the LLVM route ([`BodySource`]);
//! a panic of core. A call that is left is an error with the chain of calls from the kernel.

// An error here is a diagnostic, and a diagnostic is the end of the compilation: its size does not matter.
#![allow(clippy::result_large_err)]

mod call;
mod consts;
mod diag;
mod eval;
mod files;
mod func;
mod intrinsics;
mod kernels;
mod layout_hash;
mod loc;
mod module;
mod panics;
mod rvalue;
mod source;
mod types;

pub use diag::{Diagnostic, Level};
pub use files::FileCrate;
pub use kernels::{KernelArg, KernelInfo, KernelParam};
pub use loc::{is_library, span_to_loc};
pub use source::{BodySource, CallSite, ExternFn, Item, Layouts, LlvmTy, MirCrate};

use pliron::{
    builtin::ops::ModuleOp,
    context::{Context, Ptr},
    op::Op,
    operation::{Operation, verify_operation},
    opts::mem2reg::mem2reg,
    pass::AnalysisManager,
    printable::Printable,
};

/// What is imported.
pub struct Inputs<'a> {
    /// The crate whose kernels are wanted and the crates that they may use (`cuda_device`, other kernel crates).
    pub crates: &'a [&'a dyn MirCrate],
    pub layouts: &'a dyn Layouts,
    /// The LLVM route, if there is one.
    pub bodies: Option<&'a dyn BodySource>,
}

/// What depends on the profile and on the command.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub overflow_checks: bool,
    pub debug_assertions: bool,
    /// Only kernels of this crate; all crates' otherwise.
    pub krate: Option<String>,
    /// Only the kernel with this key or name.
    pub kernel: Option<String>,
}

/// A module that verifies.
pub struct Imported {
    pub module: ModuleOp,
    pub kernels: Vec<KernelInfo>,
    pub externs: Vec<ExternFn>,
    /// Statics in global memory that can be written to and are defined here, by crate and path.
    pub statics: Vec<String>,
}

/// Imports the kernels and what they reach; all diagnostics if anything was wrong.
pub fn import(
    ctx: &mut Context,
    inputs: &Inputs<'_>,
    options: &Options,
) -> Result<Imported, Vec<Diagnostic>> {
    let types = types::Types {
        layouts: inputs.layouts,
        zero_sized: Default::default(),
    };
    let mut m = module::Module::new(ctx, inputs.crates, types, inputs.bodies, options);
    let mut found = vec![];
    for (key, desc, path) in kernels::find(&m) {
        let krate = inputs.crates[key.0].name();
        let full = format!("{krate}::{path}");
        let wanted = options.krate.as_deref().is_none_or(|k| k == krate)
            && options
                .kernel
                .as_deref()
                .is_none_or(|k| k == full || path.rsplit("::").next() == Some(k) || path == k);
        if !wanted {
            continue;
        }
        match m.kernel(ctx, key, desc, &path) {
            Ok(info) => found.push(info),
            Err(d) => m.errors.push(d),
        }
    }
    while let Some((key, chain)) = m.queue.pop_front() {
        if let Err(d) = m.called(ctx, key, chain) {
            m.errors.push(d);
        }
    }
    let externs = m.extern_symbols();
    let mut errors = std::mem::take(&mut m.errors);
    let module = m.op;
    if errors.is_empty()
        && let Err(e) = verify_operation(module.get_operation(), ctx)
    {
        errors.push(
            Diagnostic::error(
                "internal",
                format!("the imported module does not verify: {}", e.disp(ctx)),
                None,
            )
            .note("this is an error of the compiler, not of the kernel"),
        );
    }
    if errors.is_empty() {
        Ok(Imported {
            module,
            kernels: found,
            externs,
            statics: std::mem::take(&mut m.statics),
        })
    } else {
        errors.dedup();
        Err(errors)
    }
}

/// `mem2reg` over the module, and its verification.
pub fn promote(ctx: &mut Context, module: Ptr<Operation>) -> Result<(), Diagnostic> {
    let internal = |ctx: &Context, e: pliron::result::Error| {
        Diagnostic::error("internal", format!("mem2reg: {}", e.disp(ctx)), None)
    };
    mem2reg(module, ctx, &mut AnalysisManager::default()).map_err(|e| internal(ctx, e))?;
    verify_operation(module, ctx).map_err(|e| internal(ctx, e))
}
