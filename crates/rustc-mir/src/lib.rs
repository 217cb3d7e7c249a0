//! Reads what `rustc --emit=mir` prints into a typed syntax tree with spans and scopes.
//!
//! ```text
//! let file = MirFile::parse("k.mir", text)?;          // one quick pass: finds the items, reads no body
//! for item in file.items() {                          // ItemHeader { kind, name (as printed), for_ctfe, .. }
//!     let body: ast::Body = file.body(item.id)?;      // parsed on demand
//! }
//! let memory: Option<ast::Alloc> = file.alloc(AllocId(9))?;
//! body.inline_chain(&statement.source)                // [Frame { span, function, .. }], innermost first
//! body.for_each_type(&mut |t| ..)                     // e.g. to prefetch layouts
//! body.is_certainly_generic(), body.maybe_params()    // does it mention type parameters?
//! Ty::parse("std::option::Option<&mut f32>")?         // ty::parse_ty, ty::parse_path for single types and paths
//! ```
//!
//! Nothing is resolved here: names stay as printed, types of locals are trees, and an unknown construct is a
//! [`MirError`] that quotes it, never a guess.

// The tree is built once and walked; its nodes are not moved about.
#![allow(clippy::large_enum_variant)]

pub mod ast;
mod error;
mod file;
mod parse;
mod print;
mod scopes;
pub mod span;
pub mod ty;

pub use error::MirError;
pub use file::{ItemHeader, ItemId, ItemKind, MirFile};
pub use scopes::Frame;
pub use span::{LineCol, Span};
