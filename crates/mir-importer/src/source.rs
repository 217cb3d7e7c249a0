//! Where the importer's inputs come from, as traits: MIR of crates, layouts, and bodies that MIR text cannot give.

use std::sync::Arc;

use layout::Layout;
use rustc_mir::{
    MirError, Span,
    ast::{Alloc, AllocId, Body, BodyKind},
    ty::Ty,
};

/// One item of a crate's `.mir` file.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// For [`MirCrate::body`].
    pub id: usize,
    pub kind: BodyKind,
    /// The path as its header prints it.
    pub path: String,
    /// rustc prints a `const fn` twice; this is the printing for evaluation while compiling.
    pub for_ctfe: bool,
}

/// The `.mir` file of one crate.
pub trait MirCrate {
    /// The crate's name as it stands in paths (`cuda_device`).
    fn name(&self) -> &str;
    fn items(&self) -> &[Item];
    fn body(&self, id: usize) -> Result<Arc<Body>, MirError>;
    fn alloc(&self, id: AllocId) -> Result<Option<Arc<Alloc>>, MirError>;
}

/// The owner of layouts.
pub trait Layouts {
    /// The layout, or why it is not known.
    fn layout(&self, ty: &Ty) -> Result<Arc<Layout>, String>;
}

/// A parameter or result of an extern function as LLVM has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LlvmTy {
    Int(u32),
    F16,
    F32,
    F64,
    Ptr,
}

/// A function that the LLVM route defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternFn {
    pub symbol: String,
    pub params: Vec<LlvmTy>,
    /// None: void. Two: a pair.
    pub ret: Vec<LlvmTy>,
    /// The first parameter is where the result goes.
    pub sret: bool,
}

/// Which call is asked for.
#[derive(Clone, Debug)]
pub struct CallSite<'a> {
    /// Crate and path of the body that holds the call.
    pub caller: (&'a str, &'a str),
    /// The call's position, then the positions of the calls that were inlined around it, innermost first.
    pub spans: Vec<Option<Span>>,
    /// The callee as MIR prints it.
    pub callee: String,
}

/// The second source of bodies.
pub trait BodySource {
    /// The function that is called at `site`, if rustc's LLVM IR has it. An error says why it cannot be told.
    fn resolve(&self, site: &CallSite<'_>) -> Result<Option<ExternFn>, String>;
}
