//! Executes PTX on the CPU: warps, blocks, memory, checks.
//!
//! The way of a launch: [`Module::load`] places variables; `decode` makes of a kernel and what it reaches one array of
//! instructions (`inst`); [`Device::launch`] gives blocks (`block`) their turns, which run their warps (`warp`), whose
//! instructions work on 32 lanes at once (`lanes`), on memory (`access`) and on each other (`sync`).

// Loops over 32 lanes are written as such: they become vector instructions.
#![allow(clippy::needless_range_loop)]
// Comparisons of PTX that are true for NaN are negations of those that are not.
#![allow(clippy::neg_cmp_op_on_partial_ord)]
// Shifts and masks as bit-twiddlers write them.
#![allow(clippy::precedence)]

mod access;
mod block;
mod cluster;
mod copies;
mod debug;
mod decode;
mod error;
mod float;
mod inst;
mod lanes;
mod launch;
mod machine;
mod matrix;
mod mbarrier;
mod memory;
mod module;
mod printf;
mod races;
mod sync;
mod warp;

pub use debug::{Advance, CodeFunction};
pub use error::*;
pub use inst::KernelParam;
pub use launch::{Config, Device, LaunchParams, MAX_SHARED, Output, Statistics, Stdout};
pub use machine::{CODE_BASE, CallFrame, Group, LaneState, Machine};
pub use memory::*;
pub use module::{Kernel, Module};
