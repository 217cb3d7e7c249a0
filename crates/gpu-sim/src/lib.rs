//! Executes PTX on the CPU: warps, blocks, memory, checks.

mod access;
mod block;
mod decode;
mod error;
mod float;
mod inst;
mod lanes;
mod launch;
mod machine;
mod memory;
mod module;
mod printf;
mod sync;
mod warp;

pub use error::*;
pub use inst::KernelParam;
pub use launch::{Config, Device, LaunchParams, MAX_SHARED, Output, Statistics, Stdout};
pub use machine::{CODE_BASE, CallFrame, Group, LaneState, Machine};
pub use memory::*;
pub use module::{Kernel, Module};
