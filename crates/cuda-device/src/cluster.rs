//! Clusters: blocks that run together and see each other's shared memory. sm_90 and up, in a kernel with `#[cluster_launch]`.

use crate::intrinsics::*;

macro_rules! sregs {
    ($($(#[$doc:meta])* $name:ident = $intrinsic:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[allow(non_snake_case)]
        pub fn $name() -> u32 {
            // SAFETY: reads a special register.
            unsafe { $intrinsic() }
        }
    )*};
}
sregs! {
    /// Index of the block in its cluster.
    cluster_ctaidX = __nvvm_read_ptx_sreg_cluster_ctaid_x;
    /// Index of the block in its cluster.
    cluster_ctaidY = __nvvm_read_ptx_sreg_cluster_ctaid_y;
    /// Index of the block in its cluster.
    cluster_ctaidZ = __nvvm_read_ptx_sreg_cluster_ctaid_z;
    /// Blocks in a cluster.
    cluster_nctaidX = __nvvm_read_ptx_sreg_cluster_nctaid_x;
    /// Blocks in a cluster.
    cluster_nctaidY = __nvvm_read_ptx_sreg_cluster_nctaid_y;
    /// Blocks in a cluster.
    cluster_nctaidZ = __nvvm_read_ptx_sreg_cluster_nctaid_z;
    /// Index of the block in its cluster, over all dimensions: what [`map_shared_rank`] takes.
    block_rank = __nvvm_read_ptx_sreg_cluster_ctarank;
    /// Blocks in the cluster, over all dimensions.
    cluster_size = __nvvm_read_ptx_sreg_cluster_nctarank;
}

/// Index of the cluster in the grid, over all dimensions, x first.
#[inline(always)]
pub fn cluster_idx() -> u32 {
    // SAFETY: read special registers.
    unsafe {
        let (x, y, z) = (
            __nvvm_read_ptx_sreg_clusterid_x(),
            __nvvm_read_ptx_sreg_clusterid_y(),
            __nvvm_read_ptx_sreg_clusterid_z(),
        );
        let row = __nvvm_read_ptx_sreg_nclusterid_x();
        let plane = __nvvm_read_ptx_sreg_nclusterid_y();
        z.wrapping_mul(plane)
            .wrapping_add(y)
            .wrapping_mul(row)
            .wrapping_add(x)
    }
}

/// Clusters in the grid.
#[inline(always)]
pub fn num_clusters() -> u32 {
    // SAFETY: read special registers.
    unsafe {
        __nvvm_read_ptx_sreg_nclusterid_x()
            .wrapping_mul(__nvvm_read_ptx_sreg_nclusterid_y())
            .wrapping_mul(__nvvm_read_ptx_sreg_nclusterid_z())
    }
}

/// Waits until every thread of the cluster has come here; orders their accesses to memory.
#[inline(always)]
pub fn cluster_sync() {
    // SAFETY: a barrier.
    unsafe { __nvvm_cluster_sync() }
}

/// First half of [`cluster_sync`].
#[inline(always)]
pub fn cluster_arrive() {
    // SAFETY: a barrier.
    unsafe { __nvvm_cluster_arrive() }
}

/// Second half of [`cluster_sync`].
#[inline(always)]
pub fn cluster_wait() {
    // SAFETY: a barrier.
    unsafe { __nvvm_cluster_wait() }
}

/// The place in the shared memory of block `rank` that `address` is in this block's.
///
/// # Safety
/// `address` is in shared memory and `rank` below [`cluster_size`]. The other block must run when the result is used: it has begun
/// (a `cluster_sync` before) and has not ended (one after).
#[inline(always)]
pub unsafe fn map_shared_rank<T>(address: *const T, rank: u32) -> *mut T {
    // SAFETY: the caller's contract.
    unsafe { __nvvm_mapa_shared_cluster(address as *mut u8, rank) as *mut T }
}

/// Reads a word of the shared memory of block `rank`.
///
/// # Safety
/// As [`map_shared_rank`].
#[inline(always)]
pub unsafe fn dsmem_read_u32(address: *const u32, rank: u32) -> u32 {
    // SAFETY: the caller's contract.
    unsafe { __nvvm_dsmem_read_u32(address as *mut u8, rank) }
}
