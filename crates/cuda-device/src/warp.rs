//! The 32 threads that execute together: who is here, exchange of values, votes, reductions.
//!
//! The functions without `_sync` are for all 32 lanes. In those with it, bit `k` of `mask` means that lane `k` takes
//! part: all lanes of the mask must come to the call with the same mask.

use crate::intrinsics::*;

const FULL: u32 = u32::MAX;
/// No sub-warps: lanes 0 to 31.
const CLAMP: u32 = 31;

macro_rules! sregs {
    ($($(#[$doc:meta])* $name:ident = $intrinsic:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name() -> u32 {
            // SAFETY: reads a special register.
            unsafe { $intrinsic() }
        }
    )*};
}
sregs! {
    /// This thread's lane, 0 to 31.
    lane_id = __nvvm_read_ptx_sreg_laneid;
    /// The hardware's number of this warp; may change, see [`warp_id`].
    warpid = __nvvm_read_ptx_sreg_warpid;
    /// Upper bound of [`warpid`].
    nwarpid = __nvvm_read_ptx_sreg_nwarpid;
    /// Lanes that execute together with this one now.
    active_mask = __nvvm_activemask;
    /// Lanes before this one.
    lanemask_lt = __nvvm_read_ptx_sreg_lanemask_lt;
    /// Lanes up to this one.
    lanemask_le = __nvvm_read_ptx_sreg_lanemask_le;
    /// This lane.
    lanemask_eq = __nvvm_read_ptx_sreg_lanemask_eq;
    /// Lanes from this one on.
    lanemask_ge = __nvvm_read_ptx_sreg_lanemask_ge;
    /// Lanes after this one.
    lanemask_gt = __nvvm_read_ptx_sreg_lanemask_gt;
}

/// The index of this warp in a one-dimensional block: `threadIdx.x / 32`.
#[inline(always)]
pub fn warp_id() -> u32 {
    crate::thread::threadIdx_x() / 32
}

/// Waits for the lanes of the mask and orders their accesses to memory.
#[inline(always)]
pub fn sync_mask(mask: u32) {
    // SAFETY: a barrier within the warp.
    unsafe { __nvvm_bar_warp_sync(mask) }
}

macro_rules! shuffles {
    ($($(#[$doc:meta])* $ty:ty: $base:ident $masked:ident = $intrinsic:ident($arg:ident, $clamp:expr);)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $base(var: $ty, $arg: u32) -> $ty {
            $masked(FULL, var, $arg)
        }
        $(#[$doc])*
        #[inline(always)]
        pub fn $masked(mask: u32, var: $ty, $arg: u32) -> $ty {
            // SAFETY: exchanges registers.
            unsafe { $intrinsic(mask, var, $arg, $clamp) }
        }
    )*};
}
shuffles! {
    /// The value of lane `src_lane`.
    u32: shuffle shuffle_sync = __nvvm_shfl_sync_idx_i32(src_lane, CLAMP);
    /// The value of lane `lane ^ lane_mask`.
    u32: shuffle_xor shuffle_xor_sync = __nvvm_shfl_sync_bfly_i32(lane_mask, CLAMP);
    /// The value of lane `lane - delta`; one's own where there is none.
    u32: shuffle_up shuffle_up_sync = __nvvm_shfl_sync_up_i32(delta, 0);
    /// The value of lane `lane + delta`; one's own where there is none.
    u32: shuffle_down shuffle_down_sync = __nvvm_shfl_sync_down_i32(delta, CLAMP);
    /// The value of lane `src_lane`.
    f32: shuffle_f32 shuffle_f32_sync = __nvvm_shfl_sync_idx_f32(src_lane, CLAMP);
    /// The value of lane `lane ^ lane_mask`.
    f32: shuffle_xor_f32 shuffle_xor_f32_sync = __nvvm_shfl_sync_bfly_f32(lane_mask, CLAMP);
    /// The value of lane `lane - delta`; one's own where there is none.
    f32: shuffle_up_f32 shuffle_up_f32_sync = __nvvm_shfl_sync_up_f32(delta, 0);
    /// The value of lane `lane + delta`; one's own where there is none.
    f32: shuffle_down_f32 shuffle_down_f32_sync = __nvvm_shfl_sync_down_f32(delta, CLAMP);
}

/// 64 bits are two shuffles of 32.
macro_rules! wide_shuffles {
    ($($u64:ident $u64_sync:ident $f64:ident $f64_sync:ident = $narrow:ident($arg:ident);)*) => {$(
        #[doc = concat!("64-bit form of [`", stringify!($narrow), "`] for the whole warp.")]
        #[inline(always)]
        pub fn $u64(var: u64, $arg: u32) -> u64 {
            $u64_sync(FULL, var, $arg)
        }
        #[doc = concat!("64-bit form of [`", stringify!($narrow), "`].")]
        #[inline(always)]
        pub fn $u64_sync(mask: u32, var: u64, $arg: u32) -> u64 {
            let low = $narrow(mask, var as u32, $arg);
            let high = $narrow(mask, (var >> 32) as u32, $arg);
            (high as u64) << 32 | low as u64
        }
        #[doc = concat!("`f64` form of [`", stringify!($narrow), "`] for the whole warp.")]
        #[inline(always)]
        pub fn $f64(var: f64, $arg: u32) -> f64 {
            $f64_sync(FULL, var, $arg)
        }
        #[doc = concat!("`f64` form of [`", stringify!($narrow), "`].")]
        #[inline(always)]
        pub fn $f64_sync(mask: u32, var: f64, $arg: u32) -> f64 {
            f64::from_bits($u64_sync(mask, var.to_bits(), $arg))
        }
    )*};
}
wide_shuffles! {
    shuffle_u64 shuffle_u64_sync shuffle_f64 shuffle_f64_sync = shuffle_sync(src_lane);
    shuffle_xor_u64 shuffle_xor_u64_sync shuffle_xor_f64 shuffle_xor_f64_sync = shuffle_xor_sync(lane_mask);
    shuffle_up_u64 shuffle_up_u64_sync shuffle_up_f64 shuffle_up_f64_sync = shuffle_up_sync(delta);
    shuffle_down_u64 shuffle_down_u64_sync shuffle_down_f64 shuffle_down_f64_sync = shuffle_down_sync(delta);
}

/// Whether the predicate holds in every lane.
#[inline(always)]
pub fn all(pred: bool) -> bool {
    all_sync(FULL, pred)
}
/// Whether the predicate holds in every lane of the mask.
#[inline(always)]
pub fn all_sync(mask: u32, pred: bool) -> bool {
    // SAFETY: a vote.
    unsafe { __nvvm_vote_all_sync(mask, pred) }
}
/// Whether the predicate holds in some lane.
#[inline(always)]
pub fn any(pred: bool) -> bool {
    any_sync(FULL, pred)
}
/// Whether the predicate holds in some lane of the mask.
#[inline(always)]
pub fn any_sync(mask: u32, pred: bool) -> bool {
    // SAFETY: a vote.
    unsafe { __nvvm_vote_any_sync(mask, pred) }
}
/// Whether the predicate is the same in all lanes of the mask.
#[inline(always)]
pub fn uniform_sync(mask: u32, pred: bool) -> bool {
    // SAFETY: a vote.
    unsafe { __nvvm_vote_uni_sync(mask, pred) }
}
/// The lanes in which the predicate holds.
#[inline(always)]
pub fn ballot(pred: bool) -> u32 {
    ballot_sync(FULL, pred)
}
/// The lanes of the mask in which the predicate holds.
#[inline(always)]
pub fn ballot_sync(mask: u32, pred: bool) -> u32 {
    // SAFETY: a vote.
    unsafe { __nvvm_vote_ballot_sync(mask, pred) }
}
/// In how many lanes the predicate holds.
#[inline(always)]
pub fn popc(pred: bool) -> u32 {
    popc_sync(FULL, pred)
}
/// In how many lanes of the mask the predicate holds.
#[inline(always)]
pub fn popc_sync(mask: u32, pred: bool) -> u32 {
    ballot_sync(mask, pred).count_ones()
}

/// The lanes of the mask whose value equals this lane's.
#[inline(always)]
pub fn match_any_sync(mask: u32, value: u32) -> u32 {
    // SAFETY: compares registers.
    unsafe { __nvvm_match_any_sync_i32(mask, value) }
}
/// The lanes of the mask whose value equals this lane's.
#[inline(always)]
pub fn match_any_sync_i64(mask: u32, value: u64) -> u32 {
    // SAFETY: compares registers.
    unsafe { __nvvm_match_any_sync_i64(mask, value) }
}
/// The mask when all its lanes have one value, else 0.
#[inline(always)]
pub fn match_all_sync(mask: u32, value: u32) -> u32 {
    // SAFETY: compares registers.
    unsafe { __nvvm_match_all_sync_i32(mask, value) }
}
/// The mask when all its lanes have one value, else 0.
#[inline(always)]
pub fn match_all_sync_i64(mask: u32, value: u64) -> u32 {
    // SAFETY: compares registers.
    unsafe { __nvvm_match_all_sync_i64(mask, value) }
}

macro_rules! redux {
    ($($(#[$doc:meta])* $name:ident($ty:ty) = $intrinsic:ident;)*) => {$(
        $(#[$doc])*
        #[doc = ""]
        #[doc = "sm_80 and up."]
        #[inline(always)]
        pub fn $name(mask: u32, value: $ty) -> $ty {
            // SAFETY: combines registers.
            unsafe { $intrinsic(value, mask) }
        }
    )*};
}
redux! {
    /// The wrapping sum over the lanes of the mask.
    redux_sync_add(u32) = __nvvm_redux_sync_add;
    /// The bitwise and over the lanes of the mask.
    redux_sync_and(u32) = __nvvm_redux_sync_and;
    /// The bitwise or over the lanes of the mask.
    redux_sync_or(u32) = __nvvm_redux_sync_or;
    /// The bitwise exclusive or over the lanes of the mask.
    redux_sync_xor(u32) = __nvvm_redux_sync_xor;
    /// The least value of the lanes of the mask.
    redux_sync_min_u32(u32) = __nvvm_redux_sync_umin;
    /// The greatest value of the lanes of the mask.
    redux_sync_max_u32(u32) = __nvvm_redux_sync_umax;
    /// The least value of the lanes of the mask.
    redux_sync_min_i32(i32) = __nvvm_redux_sync_min;
    /// The greatest value of the lanes of the mask.
    redux_sync_max_i32(i32) = __nvvm_redux_sync_max;
}

/// True in exactly one lane of the mask. sm_90 and up.
#[inline(always)]
pub fn elect_sync(mask: u32) -> bool {
    // SAFETY: a vote.
    unsafe { __nvvm_elect_sync(mask) }
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident($ty:ty) = $shuffle:ident, |$a:ident, $b:ident| $op:expr;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(value: $ty) -> $ty {
            // A butterfly: every lane adds the same pairs, so all lanes get the same bits.
            let $a = value;
            let $b = $shuffle($a, 16);
            let $a = $op;
            let $b = $shuffle($a, 8);
            let $a = $op;
            let $b = $shuffle($a, 4);
            let $a = $op;
            let $b = $shuffle($a, 2);
            let $a = $op;
            let $b = $shuffle($a, 1);
            $op
        }
    )*};
}
reductions! {
    /// The sum over the warp, in every lane.
    reduce_sum_f32(f32) = shuffle_xor_f32, |a, b| a + b;
    /// The least value of the warp, in every lane.
    reduce_min_f32(f32) = shuffle_xor_f32, |a, b| a.min(b);
    /// The greatest value of the warp, in every lane.
    reduce_max_f32(f32) = shuffle_xor_f32, |a, b| a.max(b);
    /// The sum over the warp, in every lane.
    reduce_sum_f64(f64) = shuffle_xor_f64, |a, b| a + b;
    /// The least value of the warp, in every lane.
    reduce_min_f64(f64) = shuffle_xor_f64, |a, b| a.min(b);
    /// The greatest value of the warp, in every lane.
    reduce_max_f64(f64) = shuffle_xor_f64, |a, b| a.max(b);
}
