//! The device functions `__nvvm_<op>`: one for each operation of `dialect-nvvm` that this crate uses, with exactly the
//! operation's operands and result. In the device pass they are declarations that the compiler replaces by the
//! operation; on the host they panic.
#![allow(clippy::missing_safety_doc)]

macro_rules! intrinsics {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)*) => {
        #[cfg(cuda_oxide_device)]
        unsafe extern "C" {
            $($(#[$doc])* pub fn $name($($arg: $ty),*) $(-> $ret)?;)*
        }
        $(
            $(#[$doc])*
            #[cfg(not(cuda_oxide_device))]
            #[cold]
            pub unsafe fn $name($($arg: $ty),*) $(-> $ret)? {
                $(let _ = $arg;)*
                only_on_the_device(stringify!($name))
            }
        )*
    };
}

/// What every intrinsic does on the host.
#[cfg(not(cuda_oxide_device))]
#[cold]
#[track_caller]
pub(crate) fn only_on_the_device(name: &str) -> ! {
    panic!("`{name}` works only on the device: launch a kernel that calls it (`cargo oxide run`)")
}

intrinsics! {
    fn __nvvm_read_ptx_sreg_tid_x() -> u32;
    fn __nvvm_read_ptx_sreg_tid_y() -> u32;
    fn __nvvm_read_ptx_sreg_tid_z() -> u32;
    fn __nvvm_read_ptx_sreg_ntid_x() -> u32;
    fn __nvvm_read_ptx_sreg_ntid_y() -> u32;
    fn __nvvm_read_ptx_sreg_ntid_z() -> u32;
    fn __nvvm_read_ptx_sreg_ctaid_x() -> u32;
    fn __nvvm_read_ptx_sreg_ctaid_y() -> u32;
    fn __nvvm_read_ptx_sreg_ctaid_z() -> u32;
    fn __nvvm_read_ptx_sreg_nctaid_x() -> u32;
    fn __nvvm_read_ptx_sreg_nctaid_y() -> u32;
    fn __nvvm_read_ptx_sreg_nctaid_z() -> u32;
    fn __nvvm_read_ptx_sreg_laneid() -> u32;
    fn __nvvm_read_ptx_sreg_warpid() -> u32;
    fn __nvvm_read_ptx_sreg_nwarpid() -> u32;
    fn __nvvm_read_ptx_sreg_smid() -> u32;
    fn __nvvm_read_ptx_sreg_nsmid() -> u32;
    fn __nvvm_read_ptx_sreg_lanemask_eq() -> u32;
    fn __nvvm_read_ptx_sreg_lanemask_le() -> u32;
    fn __nvvm_read_ptx_sreg_lanemask_lt() -> u32;
    fn __nvvm_read_ptx_sreg_lanemask_ge() -> u32;
    fn __nvvm_read_ptx_sreg_lanemask_gt() -> u32;
    fn __nvvm_read_ptx_sreg_clock() -> u32;
    fn __nvvm_read_ptx_sreg_clock64() -> u64;
    fn __nvvm_read_ptx_sreg_globaltimer() -> u64;
    fn __nvvm_read_ptx_sreg_dynamic_smem_size() -> u32;

    fn __nvvm_barrier0();
    fn __nvvm_barrier0_and(pred: bool) -> bool;
    fn __nvvm_barrier0_or(pred: bool) -> bool;
    fn __nvvm_barrier0_popc(pred: bool) -> u32;
    fn __nvvm_membar_cta();
    fn __nvvm_membar_gl();
    fn __nvvm_membar_sys();
    fn __nvvm_dynamic_shared() -> *mut u8;
    fn __nvvm_grid_sync();

    fn __nvvm_shfl_sync_bfly_i32(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    fn __nvvm_shfl_sync_bfly_f32(mask: u32, value: f32, lane: u32, clamp: u32) -> f32;
    fn __nvvm_shfl_sync_up_i32(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    fn __nvvm_shfl_sync_up_f32(mask: u32, value: f32, lane: u32, clamp: u32) -> f32;
    fn __nvvm_shfl_sync_down_i32(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    fn __nvvm_shfl_sync_down_f32(mask: u32, value: f32, lane: u32, clamp: u32) -> f32;
    fn __nvvm_shfl_sync_idx_i32(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    fn __nvvm_shfl_sync_idx_f32(mask: u32, value: f32, lane: u32, clamp: u32) -> f32;
    fn __nvvm_vote_all_sync(mask: u32, pred: bool) -> bool;
    fn __nvvm_vote_any_sync(mask: u32, pred: bool) -> bool;
    fn __nvvm_vote_uni_sync(mask: u32, pred: bool) -> bool;
    fn __nvvm_vote_ballot_sync(mask: u32, pred: bool) -> u32;
    fn __nvvm_match_any_sync_i32(mask: u32, value: u32) -> u32;
    fn __nvvm_match_any_sync_i64(mask: u32, value: u64) -> u32;
    fn __nvvm_match_all_sync_i32(mask: u32, value: u32) -> u32;
    fn __nvvm_match_all_sync_i64(mask: u32, value: u64) -> u32;
    fn __nvvm_activemask() -> u32;
    fn __nvvm_bar_warp_sync(mask: u32);
    fn __nvvm_redux_sync_add(value: u32, mask: u32) -> u32;
    fn __nvvm_redux_sync_umin(value: u32, mask: u32) -> u32;
    fn __nvvm_redux_sync_umax(value: u32, mask: u32) -> u32;
    fn __nvvm_redux_sync_min(value: i32, mask: u32) -> i32;
    fn __nvvm_redux_sync_max(value: i32, mask: u32) -> i32;
    fn __nvvm_redux_sync_and(value: u32, mask: u32) -> u32;
    fn __nvvm_redux_sync_or(value: u32, mask: u32) -> u32;
    fn __nvvm_redux_sync_xor(value: u32, mask: u32) -> u32;
    fn __nvvm_elect_sync(mask: u32) -> bool;

    fn __nvvm_trap();
    fn __nvvm_brkpt();
    fn __nvvm_exit();
    fn __nvvm_vprintf(format: *const u8, args: *const u8) -> i32;
    fn __nvvm_nanosleep(ns: u32);
}

cuda_macros::__atomics!(intrinsics);
