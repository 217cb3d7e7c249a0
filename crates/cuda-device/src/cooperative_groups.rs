//! Groups of threads by what they are: grid, cluster, block, tile of a warp, lanes that came together.
//!
//! A group says how many it has, which of them this thread is, and lets them meet. Groups within a warp exchange values too.

use crate::intrinsics::*;
use crate::{cluster, grid, thread, warp};

/// What every group has.
pub trait Group {
    /// Threads of the group.
    fn size(&self) -> u32;
    /// This thread's number in the group.
    fn thread_rank(&self) -> u32;
    /// Waits until every thread of the group has come here; orders their accesses to memory.
    fn sync(&self);
}

#[inline(always)]
fn block_threads() -> u32 {
    thread::blockDim_x()
        .wrapping_mul(thread::blockDim_y())
        .wrapping_mul(thread::blockDim_z())
}

#[inline(always)]
fn rank_in_block() -> u32 {
    thread::threadIdx_z()
        .wrapping_mul(thread::blockDim_y())
        .wrapping_add(thread::threadIdx_y())
        .wrapping_mul(thread::blockDim_x())
        .wrapping_add(thread::threadIdx_x())
}

/// All threads of a cooperative launch.
#[derive(Clone, Copy, Debug)]
pub struct Grid(());

/// The grid of this thread.
#[inline(always)]
pub fn this_grid() -> Grid {
    Grid(())
}

impl Group for Grid {
    #[inline(always)]
    fn size(&self) -> u32 {
        block_threads()
            .wrapping_mul(thread::gridDim_x())
            .wrapping_mul(thread::gridDim_y())
            .wrapping_mul(thread::gridDim_z())
    }
    #[inline(always)]
    fn thread_rank(&self) -> u32 {
        thread::blockIdx_z()
            .wrapping_mul(thread::gridDim_y())
            .wrapping_add(thread::blockIdx_y())
            .wrapping_mul(thread::gridDim_x())
            .wrapping_add(thread::blockIdx_x())
            .wrapping_mul(block_threads())
            .wrapping_add(rank_in_block())
    }
    #[inline(always)]
    fn sync(&self) {
        grid::sync()
    }
}

/// The threads of a cluster. sm_90.
#[derive(Clone, Copy, Debug)]
pub struct Cluster(());

/// The cluster of this thread.
#[inline(always)]
pub fn this_cluster() -> Cluster {
    Cluster(())
}

impl Cluster {
    /// This block's number in the cluster.
    #[inline(always)]
    pub fn block_rank(&self) -> u32 {
        cluster::block_rank()
    }
    /// Blocks in the cluster.
    #[inline(always)]
    pub fn num_blocks(&self) -> u32 {
        cluster::cluster_size()
    }
}

impl Group for Cluster {
    #[inline(always)]
    fn size(&self) -> u32 {
        block_threads().wrapping_mul(cluster::cluster_size())
    }
    #[inline(always)]
    fn thread_rank(&self) -> u32 {
        cluster::block_rank()
            .wrapping_mul(block_threads())
            .wrapping_add(rank_in_block())
    }
    #[inline(always)]
    fn sync(&self) {
        cluster::cluster_sync()
    }
}

/// The threads of a block.
#[derive(Clone, Copy, Debug)]
pub struct ThreadBlock(());

/// The block of this thread.
#[inline(always)]
pub fn this_thread_block() -> ThreadBlock {
    ThreadBlock(())
}

impl ThreadBlock {
    /// The tile of `N` neighbouring threads to which this one belongs; `N` is a power of two up to 32.
    #[inline(always)]
    pub fn tile<const N: u32>(&self) -> WarpTile<N> {
        const {
            assert!(
                N.is_power_of_two() && N <= 32,
                "a tile has 1, 2, 4, 8, 16 or 32 threads"
            )
        };
        WarpTile(())
    }
}

impl Group for ThreadBlock {
    #[inline(always)]
    fn size(&self) -> u32 {
        block_threads()
    }
    #[inline(always)]
    fn thread_rank(&self) -> u32 {
        rank_in_block()
    }
    #[inline(always)]
    fn sync(&self) {
        thread::sync_threads()
    }
}

/// `N` neighbouring lanes of a warp.
#[derive(Clone, Copy, Debug)]
pub struct WarpTile<const N: u32>(());

impl<const N: u32> WarpTile<N> {
    /// The tile's lanes as a mask of the warp.
    #[inline(always)]
    pub fn mask(&self) -> u32 {
        let lanes = u32::MAX >> (32 - N);
        lanes << (warp::lane_id() & !(N - 1))
    }

    /// Clamp and segment of a shuffle (PTX ISA, `shfl.sync`): bits 8 to 12 are the mask of the segment, the low five the last lane of it.
    const SEGMENT: u32 = (32 - N) << 8;

    /// The value of thread `rank % N` of the tile.
    #[inline(always)]
    pub fn shfl(&self, value: u32, rank: u32) -> u32 {
        // SAFETY: exchanges registers.
        unsafe { __nvvm_shfl_sync_idx_i32(self.mask(), value, rank, Self::SEGMENT | 31) }
    }
    /// The value of thread `rank ^ mask` of the tile.
    #[inline(always)]
    pub fn shfl_xor(&self, value: u32, mask: u32) -> u32 {
        // SAFETY: exchanges registers.
        unsafe { __nvvm_shfl_sync_bfly_i32(self.mask(), value, mask, Self::SEGMENT | 31) }
    }
    /// The value of the thread `delta` before; one's own where there is none.
    #[inline(always)]
    pub fn shfl_up(&self, value: u32, delta: u32) -> u32 {
        // SAFETY: exchanges registers.
        unsafe { __nvvm_shfl_sync_up_i32(self.mask(), value, delta, Self::SEGMENT) }
    }
    /// The value of the thread `delta` after; one's own where there is none.
    #[inline(always)]
    pub fn shfl_down(&self, value: u32, delta: u32) -> u32 {
        // SAFETY: exchanges registers.
        unsafe { __nvvm_shfl_sync_down_i32(self.mask(), value, delta, Self::SEGMENT | 31) }
    }

    /// The threads of the tile whose predicate holds: bit `k` is thread `k` of the tile.
    #[inline(always)]
    pub fn ballot(&self, pred: bool) -> u32 {
        let lanes = u32::MAX >> (32 - N);
        (warp::ballot_sync(self.mask(), pred) >> (warp::lane_id() & !(N - 1))) & lanes
    }
    /// Whether the predicate holds for every thread of the tile.
    #[inline(always)]
    pub fn all(&self, pred: bool) -> bool {
        warp::all_sync(self.mask(), pred)
    }
    /// Whether the predicate holds for a thread of the tile.
    #[inline(always)]
    pub fn any(&self, pred: bool) -> bool {
        warp::any_sync(self.mask(), pred)
    }

    /// `op` over all values of the tile, in every thread. `op` is associative and commutative.
    #[inline(always)]
    pub fn reduce(&self, value: u32, op: impl Fn(u32, u32) -> u32) -> u32 {
        let (mut value, mut step) = (value, N / 2);
        while step > 0 {
            value = op(value, self.shfl_xor(value, step));
            step /= 2;
        }
        value
    }
    /// `op` over the values of the threads up to this one. `op` is associative.
    #[inline(always)]
    pub fn inclusive_scan(&self, value: u32, op: impl Fn(u32, u32) -> u32) -> u32 {
        let (mut value, mut step) = (value, 1);
        while step < N {
            let before = self.shfl_up(value, step);
            if self.thread_rank() >= step {
                value = op(before, value);
            }
            step *= 2;
        }
        value
    }
    /// `op` over the values of the threads before this one; `first` for the first thread.
    #[inline(always)]
    pub fn exclusive_scan(&self, value: u32, first: u32, op: impl Fn(u32, u32) -> u32) -> u32 {
        let before = self.shfl_up(self.inclusive_scan(value, op), 1);
        if self.thread_rank() == 0 {
            first
        } else {
            before
        }
    }
}

impl<const N: u32> Group for WarpTile<N> {
    #[inline(always)]
    fn size(&self) -> u32 {
        N
    }
    #[inline(always)]
    fn thread_rank(&self) -> u32 {
        warp::lane_id() & (N - 1)
    }
    #[inline(always)]
    fn sync(&self) {
        warp::sync_mask(self.mask())
    }
}

/// The lanes of a warp that came to [`coalesced_threads`] together.
#[derive(Clone, Copy, Debug)]
pub struct CoalescedThreads {
    mask: u32,
}

/// The lanes that execute together with this one here.
#[inline(always)]
pub fn coalesced_threads() -> CoalescedThreads {
    CoalescedThreads {
        mask: warp::active_mask(),
    }
}

impl CoalescedThreads {
    /// The group's lanes as a mask of the warp.
    #[inline(always)]
    pub fn mask(&self) -> u32 {
        self.mask
    }

    /// The lane of thread `rank`: the place of the `rank`-th set bit.
    #[inline(always)]
    fn lane(&self, rank: u32) -> u32 {
        let (mut mask, mut left) = (self.mask, rank);
        while left > 0 {
            mask &= mask.wrapping_sub(1);
            left -= 1;
        }
        mask.trailing_zeros()
    }

    /// The value of thread `rank` of the group; `rank` is below its size.
    #[inline(always)]
    pub fn shfl(&self, value: u32, rank: u32) -> u32 {
        let lane = self.lane(rank);
        warp::shuffle_sync(self.mask, value, lane)
    }

    /// The threads of the group whose predicate holds: bit `k` is thread `k` of the group.
    #[inline(always)]
    pub fn ballot(&self, pred: bool) -> u32 {
        let (mut lanes, votes) = (self.mask, warp::ballot_sync(self.mask, pred));
        let (mut out, mut rank) = (0, 0);
        while lanes != 0 {
            out |= ((votes >> lanes.trailing_zeros()) & 1) << rank;
            lanes &= lanes.wrapping_sub(1);
            rank += 1;
        }
        out
    }
    /// Whether the predicate holds for every thread of the group.
    #[inline(always)]
    pub fn all(&self, pred: bool) -> bool {
        warp::all_sync(self.mask, pred)
    }
    /// Whether the predicate holds for a thread of the group.
    #[inline(always)]
    pub fn any(&self, pred: bool) -> bool {
        warp::any_sync(self.mask, pred)
    }

    /// `op` over all values of the group, in every thread. `op` is associative.
    #[inline(always)]
    pub fn reduce(&self, value: u32, op: impl Fn(u32, u32) -> u32) -> u32 {
        let mut lanes = self.mask;
        let mut total = warp::shuffle_sync(self.mask, value, lanes.trailing_zeros());
        lanes &= lanes.wrapping_sub(1);
        while lanes != 0 {
            total = op(
                total,
                warp::shuffle_sync(self.mask, value, lanes.trailing_zeros()),
            );
            lanes &= lanes.wrapping_sub(1);
        }
        total
    }
}

impl Group for CoalescedThreads {
    #[inline(always)]
    fn size(&self) -> u32 {
        self.mask.count_ones()
    }
    #[inline(always)]
    fn thread_rank(&self) -> u32 {
        (self.mask & warp::lanemask_lt()).count_ones()
    }
    #[inline(always)]
    fn sync(&self) {
        warp::sync_mask(self.mask)
    }
}
