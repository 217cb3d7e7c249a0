//! Copies from global to shared memory that the thread does not wait for (`cp.async`). sm_80 and up.

use crate::barrier::Barrier;
use crate::intrinsics::*;

macro_rules! copies {
    ($($(#[$doc:meta])* $name:ident = $intrinsic:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// `to` is in shared memory and `from` in global memory, both aligned to the number of bytes, and nobody else writes either until the
        /// copy has been waited for.
        #[inline(always)]
        pub unsafe fn $name<T>(to: *mut T, from: *const T) {
            // SAFETY: the caller's contract.
            unsafe { $intrinsic(to as *mut u8, from as *mut u8) }
        }
    )*};
}
copies! {
    /// Begins a copy of 4 bytes.
    cp_async_4 = __nvvm_cp_async_ca_4;
    /// Begins a copy of 8 bytes.
    cp_async_8 = __nvvm_cp_async_ca_8;
    /// Begins a copy of 16 bytes.
    cp_async_16 = __nvvm_cp_async_ca_16;
    /// Begins a copy of 16 bytes that leaves the L1 cache alone.
    cp_async_cg_16 = __nvvm_cp_async_cg_16;
}

/// Makes a group of the copies that this thread has begun since the last group.
#[inline(always)]
pub fn commit_group() {
    // SAFETY: touches nothing.
    unsafe { __nvvm_cp_async_commit_group() }
}

/// Waits until at most `PENDING` of this thread's newest groups are under way.
#[inline(always)]
pub fn wait_group<const PENDING: u32>() {
    const { assert!(PENDING < 8, "at most 7 groups can stay under way") };
    // SAFETY: waits.
    unsafe { __nvvm_cp_async_wait_group(PENDING) }
}

/// Waits for all copies of this thread.
#[inline(always)]
pub fn wait_all() {
    // SAFETY: waits.
    unsafe { __nvvm_cp_async_wait_all() }
}

/// Arrives at a barrier once the copies that this thread has begun are there; the arrival is one of those that the barrier was initialised for.
///
/// # Safety
/// `bar` is initialised, in shared memory.
#[inline(always)]
pub unsafe fn arrive_on_completion(bar: *mut Barrier) {
    // SAFETY: the caller's contract.
    unsafe { __nvvm_cp_async_mbarrier_arrive(bar as *mut u8) }
}
