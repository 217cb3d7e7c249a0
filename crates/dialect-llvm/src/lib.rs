//! `pliron-llvm`, and what it lacks for NVPTX.
//!
//! `pliron-llvm` (re-exported as [`llvm`]) has LLVM's types and instructions as pliron operations. It has no calling convention, no
//! parameter attributes, no inline assembly with several results and no address with an offset; those are here, as an
//! operation ([`ops::InlineAsmMultiOp`]) and attributes ([`attributes`]) beside its own. [`table`] lists the operations that the
//! dialect document counts.

pub use pliron_llvm as llvm;

mod location;
pub use location::location_text;

pub mod attributes;
pub mod ops;
pub mod table;
