//! What kernels call.
//!
//! ```ignore
//! #[cuda_module]
//! mod kernels {
//!     use super::*;
//!     #[kernel]
//!     pub fn scale(k: f32, x: &[f32], mut y: DisjointSlice<f32>) {
//!         let i = thread::index_1d();
//!         let n = i.get();
//!         if let Some(v) = y.get_mut(i) { *v = k * x[n]; }
//!     }
//! }
//! ```
#![cfg_attr(not(test), no_std)]

#[doc(hidden)]
pub mod asm;
pub mod async_copy;
pub mod atomic;
pub mod barrier;
pub mod clc;
pub mod cluster;
pub mod constant;
pub mod cooperative_groups;
pub mod debug;
mod disjoint;
pub mod fence;
pub mod grid;
pub mod intrinsics;
mod kernel_desc;
#[doc(hidden)]
pub mod printf;
mod shared;
pub mod tcgen05;
pub mod thread;
pub mod tma;
pub mod warp;
pub mod wgmma;
pub mod wmma;

pub use constant::ConstantMemory;
pub use cuda_macros::{
    DeviceCopy, cluster_launch, constant, convergent, cooperative_launch, cuda_module, device,
    gpu_printf, kernel, launch_bounds, launch_contract, ptx_asm,
};
pub use device_copy::{DeviceCopy, layout_hash, opaque_layout};
pub use disjoint::DisjointSlice;
pub use kernel_desc::{__oxide_kernel_instance, ArgDesc, KernelDesc};
pub use shared::{DynamicSharedArray, SharedArray};
pub use thread::sync_threads;

/// Stops the kernel with a message unless the condition holds; the launch's error says message, file, line, block and thread.
#[macro_export]
macro_rules! gpu_assert {
    ($cond:expr $(,)?) => { ::core::assert!($cond) };
    ($cond:expr, $($arg:tt)+) => { ::core::assert!($cond, $($arg)+) };
}

/// Chooses by pass: `{ device } { host }`. A macro of this crate, because `cfg` in the user's crate would need a check-cfg there.
#[doc(hidden)]
#[cfg(cuda_oxide_device)]
#[macro_export]
macro_rules! __on_device {
    ({ $($device:tt)* } { $($host:tt)* }) => { { $($device)* } };
}
#[doc(hidden)]
#[cfg(not(cuda_oxide_device))]
#[macro_export]
macro_rules! __on_device {
    ({ $($device:tt)* } { $($host:tt)* }) => { { $($host)* } };
}

/// Items of the device pass alone.
#[doc(hidden)]
#[cfg(cuda_oxide_device)]
#[macro_export]
macro_rules! __only_on_device {
    ($($item:tt)*) => { $($item)* };
}
#[doc(hidden)]
#[cfg(not(cuda_oxide_device))]
#[macro_export]
macro_rules! __only_on_device {
    ($($item:tt)*) => {};
}

/// Items of the host pass alone.
#[doc(hidden)]
#[cfg(not(cuda_oxide_device))]
#[macro_export]
macro_rules! __only_on_host {
    ($($item:tt)*) => { $($item)* };
}
#[doc(hidden)]
#[cfg(cuda_oxide_device)]
#[macro_export]
macro_rules! __only_on_host {
    ($($item:tt)*) => {};
}
