//! The device functions `__nvvm_<op>`: one for each operation of `dialect-nvvm` that this crate uses, with exactly the
//! operation's operands and result. In the device pass they are declarations that the compiler replaces by the
//! operation; on the host they panic.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

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

    fn __nvvm_barrier_sync(id: u32);
    fn __nvvm_barrier_sync_count(id: u32, threads: u32);
    fn __nvvm_barrier_arrive_count(id: u32, threads: u32);
    fn __nvvm_read_ptx_sreg_total_smem_size() -> u32;

    fn __nvvm_read_ptx_sreg_globaltimer_lo() -> u32;

    fn __nvvm_read_ptx_sreg_cluster_ctaid_x() -> u32;
    fn __nvvm_read_ptx_sreg_cluster_ctaid_y() -> u32;
    fn __nvvm_read_ptx_sreg_cluster_ctaid_z() -> u32;
    fn __nvvm_read_ptx_sreg_cluster_nctaid_x() -> u32;
    fn __nvvm_read_ptx_sreg_cluster_nctaid_y() -> u32;
    fn __nvvm_read_ptx_sreg_cluster_nctaid_z() -> u32;
    fn __nvvm_read_ptx_sreg_cluster_ctarank() -> u32;
    fn __nvvm_read_ptx_sreg_cluster_nctarank() -> u32;
    fn __nvvm_cluster_sync();
    fn __nvvm_mapa_shared_cluster(address: *mut u8, rank: u32) -> *mut u8;
    fn __nvvm_dsmem_read_u32(address: *mut u8, rank: u32) -> u32;
    fn __nvvm_read_ptx_sreg_clusterid_x() -> u32;
    fn __nvvm_read_ptx_sreg_clusterid_y() -> u32;
    fn __nvvm_read_ptx_sreg_clusterid_z() -> u32;
    fn __nvvm_read_ptx_sreg_nclusterid_x() -> u32;
    fn __nvvm_read_ptx_sreg_nclusterid_y() -> u32;
    fn __nvvm_read_ptx_sreg_nclusterid_z() -> u32;
    fn __nvvm_cluster_arrive();
    fn __nvvm_cluster_arrive_relaxed();
    fn __nvvm_cluster_wait();

    fn __nvvm_mbarrier_init(bar: *mut u8, count: u32);
    fn __nvvm_mbarrier_arrive(bar: *mut u8) -> u64;
    fn __nvvm_mbarrier_arrive_expect_tx(bar: *mut u8, bytes: u32) -> u64;
    fn __nvvm_mbarrier_arrive_cluster(bar: *mut u8, rank: u32);
    fn __nvvm_mbarrier_test_wait(bar: *mut u8, token: u64) -> bool;
    fn __nvvm_mbarrier_try_wait(bar: *mut u8, token: u64) -> bool;
    fn __nvvm_mbarrier_try_wait_parity(bar: *mut u8, parity: u32) -> bool;
    fn __nvvm_mbarrier_inval(bar: *mut u8);
    fn __nvvm_fence_proxy_async_shared_cta();
    fn __nvvm_fence_mbarrier_init_cluster();
    fn __nvvm_mbarrier_expect_tx(bar: *mut u8, bytes: u32);

    fn __nvvm_cp_async_bulk_tensor_g2s_tile_1d(to: *mut u8, bar: *mut u8, map: *mut u8, x: u32);
    fn __nvvm_cp_async_bulk_tensor_g2s_tile_2d(to: *mut u8, bar: *mut u8, map: *mut u8, x: u32, y: u32);
    fn __nvvm_cp_async_bulk_tensor_g2s_tile_3d(to: *mut u8, bar: *mut u8, map: *mut u8, x: u32, y: u32, z: u32);
    fn __nvvm_cp_async_bulk_tensor_g2s_tile_4d(to: *mut u8, bar: *mut u8, map: *mut u8, x: u32, y: u32, z: u32, w: u32);
    fn __nvvm_cp_async_bulk_tensor_g2s_tile_5d(to: *mut u8, bar: *mut u8, map: *mut u8, x: u32, y: u32, z: u32, w: u32, v: u32);
    fn __nvvm_cp_async_bulk_tensor_s2g_tile_1d(from: *mut u8, map: *mut u8, x: u32);
    fn __nvvm_cp_async_bulk_tensor_s2g_tile_2d(from: *mut u8, map: *mut u8, x: u32, y: u32);
    fn __nvvm_cp_async_bulk_tensor_s2g_tile_3d(from: *mut u8, map: *mut u8, x: u32, y: u32, z: u32);
    fn __nvvm_cp_async_bulk_tensor_s2g_tile_4d(from: *mut u8, map: *mut u8, x: u32, y: u32, z: u32, w: u32);
    fn __nvvm_cp_async_bulk_tensor_s2g_tile_5d(from: *mut u8, map: *mut u8, x: u32, y: u32, z: u32, w: u32, v: u32);
    fn __nvvm_cp_async_bulk_tensor_g2s_tile_2d_multicast(to: *mut u8, bar: *mut u8, map: *mut u8, x: u32, y: u32, ranks: u16);
    fn __nvvm_cp_async_bulk_commit_group();
    fn __nvvm_cp_async_bulk_wait_group(pending: u32);
    fn __nvvm_cp_async_bulk_wait_group_read(pending: u32);
    fn __nvvm_prefetch_tensormap(map: *mut u8);

    fn __nvvm_wgmma_fence();
    fn __nvvm_wgmma_commit_group();
    fn __nvvm_wgmma_wait_group(pending: u32);
    fn __nvvm_wgmma_mma_async_m64n64k16_f32_bf16(acc: *mut u8, a: u64, b: u64, add: bool);
    fn __nvvm_wgmma_mma_async_m64n64k16_f32_f16(acc: *mut u8, a: u64, b: u64, add: bool);
    fn __nvvm_wgmma_fence_f32x32(acc: *mut u8);
    fn __nvvm_wgmma_wait_all_f32x32(acc: *mut u8);

    fn __nvvm_stmatrix_m8n8_x2(row: *mut u8, r0: u32, r1: u32);
    fn __nvvm_stmatrix_m8n8_x2_trans(row: *mut u8, r0: u32, r1: u32);
    fn __nvvm_stmatrix_m8n8_x4(row: *mut u8, r0: u32, r1: u32, r2: u32, r3: u32);
    fn __nvvm_stmatrix_m8n8_x4_trans(row: *mut u8, r0: u32, r1: u32, r2: u32, r3: u32);
    fn __nvvm_cvt_rn_bf16x2_f32(high: f32, low: f32) -> u32;

    fn __nvvm_tcgen05_alloc(to: *mut u8, columns: u32);
    fn __nvvm_tcgen05_dealloc(address: u32, columns: u32);
    fn __nvvm_tcgen05_relinquish_alloc_permit();
    fn __nvvm_tcgen05_commit(bar: *mut u8);
    fn __nvvm_tcgen05_commit_multicast(bar: *mut u8, ranks: u16);
    fn __nvvm_tcgen05_mma_f16(d: u32, a: u64, b: u64, descriptor: u32, add: bool);
    fn __nvvm_tcgen05_cp_128x256b(to: u32, descriptor: u64);
    fn __nvvm_tcgen05_alloc_cg2(to: *mut u8, columns: u32);
    fn __nvvm_tcgen05_dealloc_cg2(address: u32, columns: u32);
    fn __nvvm_tcgen05_relinquish_alloc_permit_cg2();
    fn __nvvm_tcgen05_commit_cg2(bar: *mut u8);
    fn __nvvm_tcgen05_commit_multicast_cg2(bar: *mut u8, ranks: u16);
    fn __nvvm_tcgen05_mma_f16_cg2(d: u32, a: u64, b: u64, descriptor: u32, add: bool);
    fn __nvvm_tcgen05_cp_128x256b_cg2(to: u32, descriptor: u64);
    fn __nvvm_tcgen05_mma_ws_f16(d: u32, a: u64, b: u64, descriptor: u32, add: bool);
    fn __nvvm_tcgen05_fence_before_thread_sync();
    fn __nvvm_tcgen05_fence_after_thread_sync();
    fn __nvvm_tcgen05_ld_16x256b_x8(address: u32, to: *mut u8);
    fn __nvvm_tcgen05_ld_16x256b_x1(address: u32, to: *mut u8);
    fn __nvvm_tcgen05_ld_32x32b_x32(address: u32, to: *mut u8);
    fn __nvvm_tcgen05_st_32x32b_x32(address: u32, from: *mut u8);
    fn __nvvm_tcgen05_wait_ld();
    fn __nvvm_tcgen05_wait_st();
    fn __nvvm_tcgen05_shift_down(address: u32);

    fn __nvvm_clc_try_cancel_async(response: *mut u8, bar: *mut u8);
    fn __nvvm_clc_try_cancel_async_multicast(response: *mut u8, bar: *mut u8);
    fn __nvvm_clc_query_cancel_is_canceled(response: *mut u8) -> bool;
    fn __nvvm_clc_query_cancel_first_ctaid_x(response: *mut u8) -> u32;
    fn __nvvm_clc_query_cancel_first_ctaid_y(response: *mut u8) -> u32;
    fn __nvvm_clc_query_cancel_first_ctaid_z(response: *mut u8) -> u32;

    fn __nvvm_cp_async_ca_4(to: *mut u8, from: *mut u8);
    fn __nvvm_cp_async_ca_8(to: *mut u8, from: *mut u8);
    fn __nvvm_cp_async_ca_16(to: *mut u8, from: *mut u8);
    fn __nvvm_cp_async_cg_16(to: *mut u8, from: *mut u8);
    fn __nvvm_cp_async_commit_group();
    fn __nvvm_cp_async_wait_group(pending: u32);
    fn __nvvm_cp_async_wait_all();
    fn __nvvm_cp_async_mbarrier_arrive(bar: *mut u8);

    fn __nvvm_ldmatrix_m8n8_x1(to: *mut u8, row: *mut u8);
    fn __nvvm_ldmatrix_m8n8_x2(to: *mut u8, row: *mut u8);
    fn __nvvm_ldmatrix_m8n8_x4(to: *mut u8, row: *mut u8);
    fn __nvvm_ldmatrix_m8n8_x1_trans(to: *mut u8, row: *mut u8);
    fn __nvvm_ldmatrix_m8n8_x2_trans(to: *mut u8, row: *mut u8);
    fn __nvvm_ldmatrix_m8n8_x4_trans(to: *mut u8, row: *mut u8);
    fn __nvvm_mma_m16n8k16_f32_f16(acc: *mut u8, a: *mut u8, b: *mut u8);
    fn __nvvm_mma_m16n8k16_f32_bf16(acc: *mut u8, a: *mut u8, b: *mut u8);
    fn __nvvm_pmevent(event: u32);
}

cuda_macros::__atomics!(intrinsics);
