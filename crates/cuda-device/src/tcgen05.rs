//! Tensor cores of the fifth generation and their memory. sm_100a.
//!
//! Tensor memory is allocated in columns by one warp; its address is a number that [`alloc`] writes to shared memory. What is loaded is there after
//! [`wait_ld`]. `_cg2` is for a pair of blocks.

use crate::barrier::Barrier;
use crate::intrinsics::*;

macro_rules! both {
    ($($(#[$doc:meta])* $name:ident $pair:ident($($arg:ident: $ty:ty as $raw:ty),*) = $one:ident, $two:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// PTX's contract of the instruction: who calls it, what is allocated, which memory it may touch.
        #[inline(always)]
        pub unsafe fn $name($($arg: $ty),*) {
            // SAFETY: the caller's contract.
            unsafe { $one($($arg as $raw),*) }
        }
        #[doc = concat!("[`", stringify!($name), "`] for a pair of blocks.")]
        ///
        /// # Safety
        /// As there.
        #[inline(always)]
        pub unsafe fn $pair($($arg: $ty),*) {
            // SAFETY: the caller's contract.
            unsafe { $two($($arg as $raw),*) }
        }
    )*};
}
both! {
    /// Allocates 32 to 512 columns (a power of two) and writes the address to shared memory. One warp.
    alloc alloc_cg2(to: *mut u32 as *mut u8, columns: u32 as u32) = __nvvm_tcgen05_alloc, __nvvm_tcgen05_alloc_cg2;
    /// Gives columns back. The warp that allocated.
    dealloc dealloc_cg2(address: u32 as u32, columns: u32 as u32) = __nvvm_tcgen05_dealloc, __nvvm_tcgen05_dealloc_cg2;
    /// The block allocates no more.
    relinquish_alloc_permit relinquish_alloc_permit_cg2() = __nvvm_tcgen05_relinquish_alloc_permit, __nvvm_tcgen05_relinquish_alloc_permit_cg2;
    /// Arrives at the barrier when the products and copies that this thread has begun are done.
    commit commit_cg2(bar: *mut Barrier as *mut u8) = __nvvm_tcgen05_commit, __nvvm_tcgen05_commit_cg2;
    /// [`commit`] to the barrier at the same place of each block whose bit is set.
    commit_multicast commit_multicast_cg2(bar: *mut Barrier as *mut u8, ranks: u16 as u16) = __nvvm_tcgen05_commit_multicast, __nvvm_tcgen05_commit_multicast_cg2;
    /// Begins `D = A B + (add ? D : 0)` with `A` and `B` of 16-bit floats, by descriptors of shared memory; `D` in tensor memory. One thread.
    mma_f16 mma_f16_cg2(d: u32 as u32, a: u64 as u64, b: u64 as u64, descriptor: u32 as u32, add: bool as bool) = __nvvm_tcgen05_mma_f16, __nvvm_tcgen05_mma_f16_cg2;
    /// Begins a copy of 128 × 256 bits from shared to tensor memory. One thread.
    cp_128x256b cp_128x256b_cg2(to: u32 as u32, descriptor: u64 as u64) = __nvvm_tcgen05_cp_128x256b, __nvvm_tcgen05_cp_128x256b_cg2;
}

/// [`mma_f16`] that keeps `B` (weight-stationary).
///
/// # Safety
/// As there.
#[inline(always)]
pub unsafe fn mma_ws_f16(d: u32, a: u64, b: u64, descriptor: u32, add: bool) {
    // SAFETY: the caller's contract.
    unsafe { __nvvm_tcgen05_mma_ws_f16(d, a, b, descriptor, add) }
}

macro_rules! moves {
    ($($load:ident = $intrinsic:ident, $n:literal;)*) => {$(
        #[doc = concat!("Loads ", stringify!($n), " registers of each thread of the warp.")]
        ///
        /// # Safety
        /// The address is allocated; all lanes come to the call with the same; nothing is used before [`wait_ld`].
        #[inline(always)]
        pub unsafe fn $load(address: u32) -> [u32; $n] {
            let mut out = [0; $n];
            // SAFETY: the caller's contract.
            unsafe { $intrinsic(address, &raw mut out as *mut u8) }
            out
        }
    )*};
}
moves! {
    ld_16x256b_x1 = __nvvm_tcgen05_ld_16x256b_x1, 4;
    ld_16x256b_x8 = __nvvm_tcgen05_ld_16x256b_x8, 32;
    ld_32x32b_x32 = __nvvm_tcgen05_ld_32x32b_x32, 32;
}

/// Stores 32 registers of each thread of the warp.
///
/// # Safety
/// The address is allocated; all lanes come to the call with the same.
#[inline(always)]
pub unsafe fn st_32x32b_x32(address: u32, registers: &[u32; 32]) {
    // SAFETY: the caller's contract.
    unsafe { __nvvm_tcgen05_st_32x32b_x32(address, registers.as_ptr() as *mut u8) }
}

/// Moves rows down by one.
///
/// # Safety
/// The address is allocated. One thread.
#[inline(always)]
pub unsafe fn shift_down(address: u32) {
    // SAFETY: the caller's contract.
    unsafe { __nvvm_tcgen05_shift_down(address) }
}

macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident = $intrinsic:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name() {
            // SAFETY: a fence, or waits.
            unsafe { $intrinsic() }
        }
    )*};
}
plain! {
    /// Before a barrier: what this thread began comes before what others begin after it.
    fence_before_thread_sync = __nvvm_tcgen05_fence_before_thread_sync;
    /// After a barrier: the other half.
    fence_after_thread_sync = __nvvm_tcgen05_fence_after_thread_sync;
    /// Waits for this thread's loads.
    wait_ld = __nvvm_tcgen05_wait_ld;
    /// Waits for this thread's stores.
    wait_st = __nvvm_tcgen05_wait_st;
}
