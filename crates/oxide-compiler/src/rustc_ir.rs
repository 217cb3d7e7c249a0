//! The LLVM route: rustc's own LLVM IR of a crate, cut to what kernels reach and made a module for the device.
mod constant;
mod kernels;
mod module;
mod panics;
mod text;

pub use kernels::{Root, roots};
pub use module::{Cut, cut};
pub use text::IrFile;
