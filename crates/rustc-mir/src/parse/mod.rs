//! The reader, by hand: a cursor, and for each kind of thing a method that reads it.

mod alloc;
mod body;
mod check;
mod constant;
pub(crate) mod cursor;
mod place;
pub(crate) mod statement;
mod ty;

/// The compiler whose text is known.
pub(crate) const TOOLCHAIN: &str = "rustc 1.95.0";
