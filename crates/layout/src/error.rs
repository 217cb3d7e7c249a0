//! A layout that is not known.

use std::fmt;

/// Why a type's layout is not known. It names the type; no layout is ever made up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutError {
    /// The type as printed; empty where the error is about a source of layouts.
    pub ty: String,
    pub what: String,
    /// rustc's LLVM IR with debug metadata may tell: ask for it, and try again.
    pub needs_llvm_ir: bool,
}

impl LayoutError {
    pub(crate) fn new(ty: &str, what: impl Into<String>) -> LayoutError {
        LayoutError {
            ty: ty.to_string(),
            what: what.into(),
            needs_llvm_ir: false,
        }
    }
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ty.is_empty() {
            f.write_str(&self.what)
        } else {
            write!(f, "the layout of `{}` is not known: {}", self.ty, self.what)
        }
    }
}

impl std::error::Error for LayoutError {}
