//! The kernels.

use cuda_device::barrier::{self, Barrier};
use cuda_device::tma::{self, TmaDescriptor};
use cuda_device::wgmma::{self, Swizzle};
use cuda_device::{
    DisjointSlice, SharedArray, async_copy, cluster, cluster_launch, cooperative_launch,
    cuda_module, device, grid, kernel, thread, warp, wmma,
};

#[cuda_module]
pub mod kernels {
    use super::*;

    /// Writes element `i` of the output: every thread has its own.
    fn put<T: Copy>(out: &mut DisjointSlice<T>, i: usize, value: T) {
        // SAFETY: the kernels here give each thread its own elements.
        unsafe { *out.get_unchecked_mut(i) = value };
    }

    /// Four rows of 32: reductions in one instruction, and the elected lane.
    #[kernel]
    pub fn warps(mut out: DisjointSlice<u32>) {
        let lane = warp::lane_id();
        let at = lane as usize;
        put(&mut out, at, warp::redux_sync_add(u32::MAX, lane));
        put(&mut out, 32 + at, warp::redux_sync_xor(u32::MAX, lane * 5));
        put(
            &mut out,
            64 + at,
            warp::redux_sync_max_u32(u32::MAX, lane ^ 9),
        );
        put(&mut out, 96 + at, warp::elect_sync(u32::MAX) as u32);
    }

    /// Two blocks of a cluster read each other's shared memory, by address and by the composed operation.
    #[cluster_launch(2, 1, 1)]
    #[kernel]
    pub fn clusters(mut out: DisjointSlice<u32>) {
        static mut TILE: SharedArray<u32, 32> = SharedArray::UNINIT;
        let me = thread::threadIdx_x() as usize;
        let tile = SharedArray::raw(&raw mut TILE);
        let (rank, size) = (cluster::block_rank(), cluster::cluster_size());
        // SAFETY: the thread's own element.
        unsafe { *tile.add(me) = cluster::cluster_idx() * 1000 + rank * 100 + me as u32 };
        cluster::cluster_sync();
        let other = (rank + 1) % size;
        // SAFETY: the other block has begun and waits below.
        let (mapped, read) = unsafe {
            let there = cluster::map_shared_rank(tile.add(31 - me), other);
            (*there, cluster::dsmem_read_u32(tile.add(me), other))
        };
        cluster::cluster_sync();
        let base = (thread::blockIdx_x() as usize * 32 + me) * 4;
        put(&mut out, base, mapped);
        put(&mut out, base + 1, read);
        put(
            &mut out,
            base + 2,
            cluster::cluster_ctaidX() * 10 + cluster::cluster_nctaidX(),
        );
        put(&mut out, base + 3, cluster::num_clusters());
    }

    /// Every thread of both blocks arrives at the barrier of block 0, which alone waits.
    #[cluster_launch(2, 1, 1)]
    #[kernel]
    pub fn remote_arrivals(mut out: DisjointSlice<u32>) {
        static mut BAR: SharedArray<Barrier, 1> = SharedArray::UNINIT;
        static mut TILE: SharedArray<u32, 32> = SharedArray::UNINIT;
        let me = thread::threadIdx_x() as usize;
        let (bar, tile) = (
            SharedArray::raw(&raw mut BAR),
            SharedArray::raw(&raw mut TILE),
        );
        let rank = cluster::block_rank();
        // SAFETY: one thread initialises; all meet before the first arrival, and none leaves before the last.
        unsafe {
            if me == 0 {
                barrier::mbarrier_init(bar, 64);
                barrier::fence_mbarrier_init_cluster();
            }
            cluster::cluster_sync();
            *tile.add(me) = 7 + rank * 100 + me as u32;
            barrier::mbarrier_arrive_cluster(bar, 0);
            if rank == 0 {
                while !barrier::mbarrier_try_wait_parity(bar, 0) {}
            }
            cluster::cluster_sync();
            put(
                &mut out,
                rank as usize * 32 + me,
                cluster::dsmem_read_u32(tile.add(me), 1 - rank),
            );
            cluster::cluster_sync();
        }
    }

    /// Two phases, waited for by token and by parity; then copies of 4, 8 and 16 bytes that complete a barrier.
    #[kernel]
    pub fn barriers(x: &[u32], mut out: DisjointSlice<u32>) {
        static mut BAR: SharedArray<Barrier, 2> = SharedArray::UNINIT;
        static mut TILE: SharedArray<u32, 512, 16> = SharedArray::UNINIT;
        let me = thread::threadIdx_x() as usize;
        let (bar, tile) = (
            SharedArray::raw(&raw mut BAR),
            SharedArray::raw(&raw mut TILE),
        );
        // SAFETY: in shared memory; the first thread initialises; each thread writes its own elements between phases.
        unsafe {
            if me == 0 {
                barrier::mbarrier_init(bar, 64);
                barrier::mbarrier_init(bar.add(1), 64);
            }
            thread::sync_threads();
            *tile.add(me) = me as u32;
            let token = barrier::mbarrier_arrive(bar);
            while !barrier::mbarrier_try_wait(bar, token) {
                barrier::nanosleep(20);
            }
            let first = *tile.add(63 - me);
            (*bar).arrive();
            (*bar).wait_parity(1);

            let from = x.as_ptr();
            async_copy::cp_async_4(tile.add(me), from.add(me));
            async_copy::cp_async_8(tile.add(64 + 2 * me), from.add(64 + 2 * me));
            async_copy::cp_async_cg_16(tile.add(192 + 4 * me), from.add(192 + 4 * me));
            async_copy::arrive_on_completion(bar.add(1));
            (*bar.add(1)).wait_parity(0);
            let mut sum = first;
            for k in 0..7 {
                sum = sum.wrapping_add(*tile.add((me + 64 * k + 1) % 448) * (k as u32 + 1));
            }
            thread::sync_threads();
            if me == 0 {
                barrier::mbarrier_inval(bar);
                barrier::mbarrier_inval(bar.add(1));
            }
            put(&mut out, me, sum);
        }
    }

    macro_rules! tiles {
        ($($(#[$doc:meta])* $name:ident: $load:ident $store:ident ($($at:literal)*);)*) => {$(
            $(#[$doc])*
            fn $name(from: &[u64], to: &[u64]) {
                static mut BAR: SharedArray<Barrier, 1> = SharedArray::UNINIT;
                static mut TILE: SharedArray<u32, 64, 128> = SharedArray::UNINIT;
                let me = thread::threadIdx_x() as usize;
                let (bar, tile) = (SharedArray::raw(&raw mut BAR), SharedArray::raw(&raw mut TILE));
                let from = from.as_ptr() as *const TmaDescriptor;
                let to = to.as_ptr() as *const TmaDescriptor;
                // SAFETY: maps of this many dimensions with tiles of 64 words; one thread begins the copies.
                unsafe {
                    if me == 0 {
                        tma::prefetch(from);
                        barrier::mbarrier_init(bar, 1);
                        barrier::fence_mbarrier_init_cluster();
                        barrier::fence_proxy_async_shared_cta();
                    }
                    thread::sync_threads();
                    if me == 0 {
                        (*bar).arrive_expect_tx(256);
                        tma::$load(tile, bar, from, $($at),*);
                    }
                    (*bar).wait_parity(0);
                    *tile.add(me) = *tile.add(me) * 2 + 1;
                    barrier::fence_proxy_async_shared_cta();
                    thread::sync_threads();
                    if me == 0 {
                        tma::$store(tile, to, $($at),*);
                        tma::commit_group();
                        tma::wait_group_read::<0>();
                        tma::wait_group::<0>();
                    }
                }
            }
        )*};
    }
    tiles! {
        /// One tile of 64 words comes, is changed and goes to the same place of another array.
        change_1d: load_1d store_1d (64);
        change_2d: load_2d store_2d (16 4);
        change_3d: load_3d store_3d (8 4 2);
        change_4d: load_4d store_4d (4 4 2 2);
        change_5d: load_5d store_5d (4 2 2 2 2);
    }

    #[kernel]
    pub fn tile_1d(from: &[u64], to: &[u64]) {
        change_1d(from, to);
    }

    #[kernel]
    pub fn tile_2d(from: &[u64], to: &[u64]) {
        change_2d(from, to);
    }

    #[kernel]
    pub fn tile_3d(from: &[u64], to: &[u64]) {
        change_3d(from, to);
    }

    #[kernel]
    pub fn tile_4d(from: &[u64], to: &[u64]) {
        change_4d(from, to);
    }

    #[kernel]
    pub fn tile_5d(from: &[u64], to: &[u64]) {
        change_5d(from, to);
    }

    /// One copy into both blocks of a cluster.
    #[cluster_launch(2, 1, 1)]
    #[kernel]
    pub fn multicast(from: &[u64], mut out: DisjointSlice<u32>) {
        static mut BAR: SharedArray<Barrier, 1> = SharedArray::UNINIT;
        static mut TILE: SharedArray<u32, 64, 128> = SharedArray::UNINIT;
        let me = thread::threadIdx_x() as usize;
        let (bar, tile) = (
            SharedArray::raw(&raw mut BAR),
            SharedArray::raw(&raw mut TILE),
        );
        let rank = cluster::block_rank();
        // SAFETY: each block expects the bytes before the one copy begins, and none leaves before it has come.
        unsafe {
            if me == 0 {
                barrier::mbarrier_init(bar, 1);
                barrier::fence_mbarrier_init_cluster();
                (*bar).arrive_expect_tx(256);
            }
            cluster::cluster_sync();
            if me == 0 && rank == 0 {
                let from = from.as_ptr() as *const TmaDescriptor;
                tma::load_2d_multicast(tile, bar, from, 16, 4, 0b11);
            }
            (*bar).wait_parity(0);
            put(&mut out, rank as usize * 64 + me, *tile.add(me));
            cluster::cluster_sync();
        }
    }

    /// 64 × 64 = 64 × 32 times 32 × 64 of 16-bit floats, as two products of a warpgroup. `a` and `b` are K-major: `b` is the transpose.
    #[device]
    fn product(a: &[u16], b: &[u16], out: &mut DisjointSlice<f32>, bf16: bool) {
        static mut A: SharedArray<u16, 2048, 128> = SharedArray::UNINIT;
        static mut B: SharedArray<u16, 2048, 128> = SharedArray::UNINIT;
        let me = thread::threadIdx_x() as usize;
        let (ta, tb) = (SharedArray::raw(&raw mut A), SharedArray::raw(&raw mut B));
        let mut i = me;
        while i < 2048 {
            let (row, k) = (i / 32, i % 32);
            // Blocks of 8 rows of 8 elements; the four along K are neighbours.
            let at = ((row / 8) * 4 + k / 8) * 64 + (row % 8) * 8 + k % 8;
            // SAFETY: each element once.
            unsafe {
                *ta.add(at) = a[i];
                *tb.add(at) = b[i];
            }
            i += 128;
        }
        barrier::fence_proxy_async_shared_cta();
        thread::sync_threads();
        let mut acc = [0.0f32; 32];
        wgmma::fence(&mut acc);
        for step in 0..2 {
            // SAFETY: two blocks along K are 256 bytes.
            let (da, db) = unsafe {
                (
                    wgmma::descriptor(ta.add(step * 128), 128, 512, Swizzle::None),
                    wgmma::descriptor(tb.add(step * 128), 128, 512, Swizzle::None),
                )
            };
            // SAFETY: tiles that nobody writes any more.
            unsafe {
                if bf16 {
                    wgmma::mma_m64n64k16_bf16(&mut acc, da, db, step > 0);
                } else {
                    wgmma::mma_m64n64k16_f16(&mut acc, da, db, step > 0);
                }
            }
        }
        wgmma::commit_group();
        wgmma::wait_group::<0>();
        wgmma::wait_all(&mut acc);
        // Unrolled, the accumulator stays in registers.
        #[unroll]
        for i in 0..32usize {
            let row = 16 * (me / 32) + me % 32 / 4 + 8 * (i / 2 % 2);
            let column = 8 * (i / 4) + 2 * (me % 4) + i % 2;
            put(out, row * 64 + column, acc[i]);
        }
    }

    #[kernel]
    pub fn wgmma_bf16(a: &[u16], b: &[u16], mut out: DisjointSlice<f32>) {
        product(a, b, &mut out, true);
    }

    #[kernel]
    pub fn wgmma_f16(a: &[u16], b: &[u16], mut out: DisjointSlice<f32>) {
        product(a, b, &mut out, false);
    }

    /// 16 × 8 = 16 × 16 times 16 × 8 of `bf16` by one warp: fragments by `ldmatrix`, the product back by `stmatrix` as `bf16`.
    #[kernel]
    pub fn warp_product(
        a: &[u16],
        b: &[u16],
        mut out: DisjointSlice<f32>,
        mut narrow: DisjointSlice<u16>,
    ) {
        static mut A: SharedArray<u16, 256, 16> = SharedArray::UNINIT;
        static mut B: SharedArray<u16, 128, 16> = SharedArray::UNINIT;
        static mut D: SharedArray<u16, 128, 16> = SharedArray::UNINIT;
        let lane = warp::lane_id() as usize;
        let (ta, tb) = (SharedArray::raw(&raw mut A), SharedArray::raw(&raw mut B));
        let td = SharedArray::raw(&raw mut D);
        // SAFETY: each element once, then rows of the tiles.
        unsafe {
            for k in 0..8 {
                *ta.add(lane * 8 + k) = a[lane * 8 + k];
            }
            for k in 0..4 {
                *tb.add(lane * 4 + k) = b[lane * 4 + k];
            }
            warp::sync_mask(u32::MAX);
            // Four 8 × 8 matrices of A: rows 0 to 7 and 8 to 15 of the left half, then of the right.
            let (matrix, row) = (lane / 8, lane % 8);
            let fa = wmma::ldmatrix_x4(ta.add((row + matrix % 2 * 8) * 16 + matrix / 2 * 8));
            // B is stored by rows, and the fragment wants columns.
            let fb = wmma::ldmatrix_x2_trans(tb.add((lane % 16) * 8));
            let mut acc = [0.0f32; 4];
            wmma::mma_m16n8k16_bf16(&mut acc, &fa, &fb);
            for (i, v) in acc.iter().enumerate() {
                put(
                    &mut out,
                    (lane / 4 + 8 * (i / 2)) * 8 + 2 * (lane % 4) + i % 2,
                    *v,
                );
            }
            let (upper, lower) = (
                wmma::pack_bf16(acc[0], acc[1]),
                wmma::pack_bf16(acc[2], acc[3]),
            );
            wmma::stmatrix_x2(td.add((lane % 16) * 8), [upper, lower]);
            warp::sync_mask(u32::MAX);
            for k in 0..4 {
                put(&mut narrow, lane * 4 + k, *td.add(lane * 4 + k));
            }
        }
    }

    /// Registers to shared memory: four matrices as they are, four transposed, two transposed.
    #[kernel]
    pub fn stmatrix(mut out: DisjointSlice<u16>) {
        static mut D: SharedArray<u16, 640, 16> = SharedArray::UNINIT;
        let lane = warp::lane_id() as usize;
        let td = SharedArray::raw(&raw mut D);
        // Element (matrix, row, column) is matrix * 64 + row * 8 + column.
        let register = |m: u32| {
            let low = m * 64 + lane as u32 * 2;
            low | (low + 1) << 16
        };
        let all = [register(0), register(1), register(2), register(3)];
        // SAFETY: each lane's address is of a row of its own.
        unsafe {
            wmma::stmatrix_x4(td.add(lane * 8), all);
            wmma::stmatrix_x4_trans(td.add(256 + lane * 8), all);
            wmma::stmatrix_x2_trans(td.add(512 + (lane % 16) * 8), [all[0], all[1]]);
            warp::sync_mask(u32::MAX);
            for k in 0..20 {
                put(&mut out, lane * 20 + k, *td.add(lane * 20 + k));
            }
        }
    }

    /// Three rounds in which each thread reads what one of the next block has written.
    #[cooperative_launch]
    #[kernel]
    pub fn grids(mut words: DisjointSlice<u32>) {
        let me = (thread::blockIdx_x() * thread::blockDim_x() + thread::threadIdx_x()) as usize;
        let all = words.len();
        for _ in 0..3 {
            // SAFETY: nobody writes between the two meetings.
            let other = unsafe { words.as_mut_ptr().add((me + 64) % all).read_volatile() };
            grid::sync();
            put(&mut words, me, other + 1);
            grid::sync();
        }
    }
}
