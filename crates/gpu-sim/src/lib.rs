//! Executes PTX on the CPU: warps, blocks, memory, checks.

mod decode;
mod error;
mod float;
mod inst;
mod lanes;
mod memory;
mod module;

pub use error::*;
pub use inst::KernelParam;
pub use memory::*;
pub use module::{Kernel, Module};
