//! rustc's own libLLVM at run time: parse, link, verify, optimise, emit PTX and the side table.
//!
//! ```no_run
//! let llvm = llvm_backend::Llvm::load()?;
//! let emitted = llvm.compile(&[("kernel.ll", "…")], &llvm_backend::Options::default())?;
//! println!("{}", emitted.ptx);
//! # Ok::<(), llvm_backend::Error>(())
//! ```

mod arch;
mod compile;
mod error;
mod fatal;
mod ffi;
mod library;
mod module;
mod programs;
mod remainder;
mod saturating;
mod side;
mod signs;
mod sources;

pub use arch::Arch;
pub use artifact::SideTable;
pub use compile::{DebugKind, Emitted, Llvm, OptLevel, Options};
pub use error::{Error, Unresolved};
pub use library::LLVM_MAJOR;
pub use side::Frame;
pub use sources::Sources;
