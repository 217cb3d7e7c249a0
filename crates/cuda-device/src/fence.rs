//! Memory fences: what this thread wrote before is seen before what it writes after.

use crate::intrinsics::*;

/// For all threads of the device.
#[inline(always)]
pub fn threadfence() {
    // SAFETY: a fence.
    unsafe { __nvvm_membar_gl() }
}

/// For the threads of the block.
#[inline(always)]
pub fn threadfence_block() {
    // SAFETY: a fence.
    unsafe { __nvvm_membar_cta() }
}

/// For all threads of the system: host and other devices too.
#[inline(always)]
pub fn threadfence_system() {
    // SAFETY: a fence.
    unsafe { __nvvm_membar_sys() }
}
