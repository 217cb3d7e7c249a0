//! Matrix products of a warp (`mma.sync`) and what moves their fragments. All 32 lanes come to each call.
//!
//! A fragment's register holds two 16-bit elements, the one of the lower column in the low half.

use crate::intrinsics::*;

/// `A`, 16 × 16. Register `r` of lane `l` holds row `l / 4 + 8 (r % 2)`, columns `2 (l % 4) + 8 (r / 2)` and the next.
pub type FragmentA = [u32; 4];
/// `B`, 16 × 8. Register `r` of lane `l` holds column `l / 4`, rows `2 (l % 4) + 8 r` and the next.
pub type FragmentB = [u32; 2];
/// `C` and `D`, 16 × 8 of `f32`. Element `i` of lane `l` is row `l / 4 + 8 (i / 2)`, column `2 (l % 4) + i % 2`.
pub type Accumulator = [f32; 4];

macro_rules! products {
    ($($name:ident = $intrinsic:ident, $ty:literal;)*) => {$(
        #[doc = concat!("`acc += A B` with elements of ", $ty, ". sm_80 and up.")]
        #[inline(always)]
        pub fn $name(acc: &mut Accumulator, a: &FragmentA, b: &FragmentB) {
            // SAFETY: registers.
            unsafe {
                $intrinsic(
                    acc as *mut Accumulator as *mut u8,
                    a as *const FragmentA as *mut u8,
                    b as *const FragmentB as *mut u8,
                )
            }
        }
    )*};
}
products! {
    mma_m16n8k16_f16 = __nvvm_mma_m16n8k16_f32_f16, "`f16`";
    mma_m16n8k16_bf16 = __nvvm_mma_m16n8k16_f32_bf16, "`bf16`";
}

macro_rules! loads {
    ($($name:ident = $intrinsic:ident, $n:literal, $how:literal;)*) => {$(
        #[doc = concat!("Loads ", stringify!($n), " matrices of 8 × 8 16-bit elements", $how, ". sm_75 and up.")]
        ///
        /// # Safety
        /// Lane `8 m + r` gives the address of row `r` of matrix `m`: 16 bytes of shared memory, aligned to 16.
        #[inline(always)]
        pub unsafe fn $name<T>(row: *const T) -> [u32; $n] {
            let mut out = [0; $n];
            // SAFETY: the caller's contract.
            unsafe { $intrinsic(&raw mut out as *mut u8, row as *mut u8) }
            out
        }
    )*};
}
loads! {
    ldmatrix_x1 = __nvvm_ldmatrix_m8n8_x1, 1, "";
    ldmatrix_x2 = __nvvm_ldmatrix_m8n8_x2, 2, "";
    ldmatrix_x4 = __nvvm_ldmatrix_m8n8_x4, 4, "";
    ldmatrix_x1_trans = __nvvm_ldmatrix_m8n8_x1_trans, 1, ", transposed";
    ldmatrix_x2_trans = __nvvm_ldmatrix_m8n8_x2_trans, 2, ", transposed";
    ldmatrix_x4_trans = __nvvm_ldmatrix_m8n8_x4_trans, 4, ", transposed";
}

macro_rules! stores {
    ($($name:ident = $intrinsic:ident, $n:literal ($($index:literal)*), $how:literal;)*) => {$(
        #[doc = concat!("Stores ", stringify!($n), " matrices of 8 × 8 16-bit elements", $how, ". sm_90 and up.")]
        ///
        /// # Safety
        /// As the loads.
        #[inline(always)]
        pub unsafe fn $name<T>(row: *mut T, registers: [u32; $n]) {
            // SAFETY: the caller's contract.
            unsafe { $intrinsic(row as *mut u8, $(registers[$index]),*) }
        }
    )*};
}
stores! {
    stmatrix_x2 = __nvvm_stmatrix_m8n8_x2, 2 (0 1), "";
    stmatrix_x4 = __nvvm_stmatrix_m8n8_x4, 4 (0 1 2 3), "";
    stmatrix_x2_trans = __nvvm_stmatrix_m8n8_x2_trans, 2 (0 1), ", transposed";
    stmatrix_x4_trans = __nvvm_stmatrix_m8n8_x4_trans, 4 (0 1 2 3), ", transposed";
}

/// Two `f32` as `bf16`, rounded to nearest even: `low` in the low half. sm_80 and up.
#[inline(always)]
pub fn pack_bf16(low: f32, high: f32) -> u32 {
    // SAFETY: arithmetic.
    unsafe { __nvvm_cvt_rn_bf16x2_f32(high, low) }
}
