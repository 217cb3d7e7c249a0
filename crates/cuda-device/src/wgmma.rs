//! Matrix products of a warpgroup, 128 threads: 64 × 64 of `f32` from tiles of 16-bit elements in shared memory. sm_90a alone.
//!
//! [`fence`], any number of [`mma_m64n64k16_bf16`], [`commit_group`], [`wait_all`]. All threads of the warpgroup come to each call.

use crate::intrinsics::*;

/// The accumulator of one thread. For thread `t` of the warpgroup, element `i` is row
/// `16 (t / 32) + (t % 32) / 4 + 8 (i / 2 % 2)` and column `8 (i / 4) + 2 (t % 4) + i % 2`
/// (PTX ISA, "Asynchronous Warpgroup Level Matrix Register Fragment", D of `wgmma .m64nNk16`).
pub type Accumulator = [f32; 32];

/// How the rows of a tile are interleaved in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Swizzle {
    /// Blocks of 8 rows of 16 bytes, one after another.
    None = 0,
    B128 = 1,
    B64 = 2,
    B32 = 3,
}

/// The descriptor of a tile in shared memory (PTX ISA, "Matrix Descriptor Format"): address, distance of neighbouring blocks along K
/// (`leading`) and along M or N (`stride`), both in bytes, multiples of 16 below 2¹⁸.
#[inline(always)]
pub fn descriptor<T>(tile: *const T, leading: u32, stride: u32, swizzle: Swizzle) -> u64 {
    // The window of shared memory is aligned to 2¹⁸, so the low bits of a generic address are those of the shared one.
    let field = |bytes: u64| (bytes & 0x3ffff) >> 4;
    field(tile as u64)
        | field(leading as u64) << 16
        | field(stride as u64) << 32
        | (swizzle as u64) << 62
}

/// Orders what was written to the accumulator's registers before the products that follow. Shared memory that threads wrote needs
/// `barrier::fence_proxy_async_shared_cta` beside it.
#[inline(always)]
pub fn fence(acc: &mut Accumulator) {
    // SAFETY: a fence, and 32 values.
    unsafe { __nvvm_wgmma_fence_f32x32(acc as *mut Accumulator as *mut u8) }
}

/// Makes a group of the products begun since the last one.
#[inline(always)]
pub fn commit_group() {
    // SAFETY: touches nothing.
    unsafe { __nvvm_wgmma_commit_group() }
}

/// Waits until at most `PENDING` groups are under way. The accumulator may be used only after [`wait_all`].
#[inline(always)]
pub fn wait_group<const PENDING: u32>() {
    const { assert!(PENDING < 8, "at most 7 groups can stay under way") };
    // SAFETY: waits.
    unsafe { __nvvm_wgmma_wait_group(PENDING) }
}

/// Waits for all products; the accumulator is there after it.
#[inline(always)]
pub fn wait_all(acc: &mut Accumulator) {
    // SAFETY: 32 values.
    unsafe { __nvvm_wgmma_wait_all_f32x32(acc as *mut Accumulator as *mut u8) }
}

macro_rules! products {
    ($($name:ident = $intrinsic:ident, $ty:literal;)*) => {$(
        #[doc = concat!("Begins `acc = A Bᵀ + (add ? acc : 0)`, 64 × 16 times 16 × 64 of ", $ty, ", both tiles K-major, by descriptor.")]
        ///
        /// # Safety
        /// The descriptors are of tiles in shared memory that nobody writes until the wait. `acc` is not used before [`wait_all`].
        #[inline(always)]
        pub unsafe fn $name(acc: &mut Accumulator, a: u64, b: u64, add: bool) {
            // SAFETY: the caller's contract.
            unsafe { $intrinsic(acc as *mut Accumulator as *mut u8, a, b, add) }
        }
    )*};
}
products! {
    mma_m64n64k16_bf16 = __nvvm_wgmma_mma_async_m64n64k16_f32_bf16, "`bf16`";
    mma_m64n64k16_f16 = __nvvm_wgmma_mma_async_m64n64k16_f32_f16, "`f16`";
}
