//! The tensor memory accelerator: one thread begins the copy of a whole tile. sm_90 and up.
//!
//! The tensor map is made on the host by the driver (`cuTensorMapEncodeTiled`) and given to the kernel by address, in global memory.
//! A copy into shared memory completes a [`Barrier`] that expects its bytes; a copy out of it belongs to a group.

use crate::barrier::Barrier;
use crate::intrinsics::*;

/// 128 bytes that the driver fills.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct TmaDescriptor(pub [u64; 16]);

macro_rules! tiles {
    ($($load:ident = $g2s:ident, $store:ident = $s2g:ident ($($coordinate:ident)*);)*) => {$(
        /// Begins the copy of the tile at these coordinates (innermost first) into shared memory; it completes `bar`.
        ///
        /// # Safety
        /// `to` is in shared memory, aligned to 128 bytes, with room for the tile; `map` is a tensor map of this many dimensions; `bar` is initialised
        /// and expects the tile's bytes. One thread calls it.
        #[inline(always)]
        #[allow(clippy::too_many_arguments)] // Five coordinates of PTX.
        pub unsafe fn $load<T>(to: *mut T, bar: *mut Barrier, map: *const TmaDescriptor, $($coordinate: i32),*) {
            // SAFETY: the caller's contract.
            unsafe { $g2s(to as *mut u8, bar as *mut u8, map as *mut u8, $($coordinate as u32),*) }
        }

        /// Begins the copy of a tile from shared memory to these coordinates; [`commit_group`] and [`wait_group`] say when it is done.
        ///
        /// # Safety
        /// As the other direction. What threads wrote to the tile is ordered before by `fence_proxy_async_shared_cta` and a barrier.
        #[inline(always)]
        pub unsafe fn $store<T>(from: *const T, map: *const TmaDescriptor, $($coordinate: i32),*) {
            // SAFETY: the caller's contract.
            unsafe { $s2g(from as *mut u8, map as *mut u8, $($coordinate as u32),*) }
        }
    )*};
}
tiles! {
    load_1d = __nvvm_cp_async_bulk_tensor_g2s_tile_1d, store_1d = __nvvm_cp_async_bulk_tensor_s2g_tile_1d (x);
    load_2d = __nvvm_cp_async_bulk_tensor_g2s_tile_2d, store_2d = __nvvm_cp_async_bulk_tensor_s2g_tile_2d (x y);
    load_3d = __nvvm_cp_async_bulk_tensor_g2s_tile_3d, store_3d = __nvvm_cp_async_bulk_tensor_s2g_tile_3d (x y z);
    load_4d = __nvvm_cp_async_bulk_tensor_g2s_tile_4d, store_4d = __nvvm_cp_async_bulk_tensor_s2g_tile_4d (x y z w);
    load_5d = __nvvm_cp_async_bulk_tensor_g2s_tile_5d, store_5d = __nvvm_cp_async_bulk_tensor_s2g_tile_5d (x y z w v);
}

/// [`load_2d`] into the same place of every block of the cluster whose bit is set in `ranks`; each block's own barrier is completed.
///
/// # Safety
/// As [`load_2d`], in each of those blocks.
#[inline(always)]
pub unsafe fn load_2d_multicast<T>(
    to: *mut T,
    bar: *mut Barrier,
    map: *const TmaDescriptor,
    x: i32,
    y: i32,
    ranks: u16,
) {
    // SAFETY: the caller's contract.
    unsafe {
        __nvvm_cp_async_bulk_tensor_g2s_tile_2d_multicast(
            to as *mut u8,
            bar as *mut u8,
            map as *mut u8,
            x as u32,
            y as u32,
            ranks,
        )
    }
}

/// Makes a group of the copies out of shared memory that this thread has begun.
#[inline(always)]
pub fn commit_group() {
    // SAFETY: touches nothing.
    unsafe { __nvvm_cp_async_bulk_commit_group() }
}

/// Waits until at most `PENDING` of this thread's groups are under way.
#[inline(always)]
pub fn wait_group<const PENDING: u32>() {
    const { assert!(PENDING < 8, "at most 7 groups can stay under way") };
    // SAFETY: waits.
    unsafe { __nvvm_cp_async_bulk_wait_group(PENDING) }
}

/// Waits until at most `PENDING` of this thread's groups still read shared memory.
#[inline(always)]
pub fn wait_group_read<const PENDING: u32>() {
    const { assert!(PENDING < 8, "at most 7 groups can stay under way") };
    // SAFETY: waits.
    unsafe { __nvvm_cp_async_bulk_wait_group_read(PENDING) }
}

/// Fetches a tensor map into the cache before its first use.
///
/// # Safety
/// It is one.
#[inline(always)]
pub unsafe fn prefetch(map: *const TmaDescriptor) {
    // SAFETY: the caller's contract.
    unsafe { __nvvm_prefetch_tensormap(map as *mut u8) }
}
