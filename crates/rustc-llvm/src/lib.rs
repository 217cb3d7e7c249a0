//! The LLVM route: rustc's own LLVM IR of a crate, cut to what kernels reach and made a module for the device.
//!
//! ```text
//! let file = IrFile::parse(&text)?;                    // rustc --emit=llvm-ir -C no-prepopulate-passes -C debuginfo=2 …
//! let roots = roots(&file, "app")?;                    // kernels, plain ones and instances of generic ones
//! let modules = compile(&file, &roots, &[], &libraries, &dialect_nvvm::llvm_definition)?;   // texts for libLLVM
//! ```
//!
//! What is absent on purpose: any optimisation (the text goes to libLLVM, which checks every word of it), and the
//! dialects (what a device intrinsic is comes as a function from the caller).

mod bitcode;
mod builtins;
mod constant;
mod debug;
mod error;
mod forbidden;
mod format;
mod kernels;
mod library;
pub mod math;
mod module;
mod panics;
mod text;

pub use bitcode::{BitcodeError, core_bitcode, embedded_bitcode};
pub use error::{Error, Frame};
pub use kernels::{MARK, Root, roots};
pub use library::{Signature, compile};
pub use module::{Cut, Request, cut};
pub use text::IrFile;
