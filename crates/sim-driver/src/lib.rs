//! The CUDA driver API over `gpu-sim`, as a shared library with libcuda's symbols.
//!
//! A program that loads `libcuda.so.1` by name can load this library instead. Every function has the driver's
//! signature and result codes. A launch runs the kernel to its end; a fault of it shows, as with a GPU, in the calls
//! that follow, and stays until the context is destroyed.

#![allow(non_snake_case)]

#[macro_use]
mod macros;
mod context;
mod events;
mod launch;
mod memory;
mod modules;
mod ours;
mod proc_address;
mod result;
mod side_table;
mod state;

pub use context::*;
pub use events::*;
pub use launch::*;
pub use memory::*;
pub use modules::*;
pub use ours::*;
pub use proc_address::*;
pub use result::*;
