//! What threads of a block do together, on sm_80 and up: groups, barriers in shared memory, asynchronous copies, constant memory, inline PTX.
//! Each is checked against the CPU.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig1D};
use cuda_device::barrier::{Barrier, GeneralBarrier, ManagedBarrier, Uninit};
use cuda_device::cooperative_groups::{self as cg, Group};
use cuda_device::{
    ConstantMemory, DisjointSlice, SharedArray, async_copy, constant, convergent,
    cooperative_launch, cuda_module, grid, kernel, launch_contract, ptx_asm, thread,
};

/// Threads of a block in every launch here.
const BLOCK: u32 = 64;

#[cuda_module]
mod kernels {
    use super::*;

    /// The host replaces it before the second launch.
    #[constant]
    static WEIGHTS: ConstantMemory<[f32; 4]> = ConstantMemory::new([1.0, 2.0, 4.0, 8.0]);

    #[kernel]
    pub fn constants(x: &[f32], mut y: DisjointSlice<f32>) {
        let i = thread::index_1d();
        let n = i.get();
        if let Some(v) = y.get_mut(i) {
            *v = WEIGHTS[n % 4] * x[n];
        }
    }

    /// Sixteen rows of 64: one result for each function and thread.
    #[launch_contract(grid_dim(1), block_dim(64))]
    #[kernel]
    pub fn groups(mut out: DisjointSlice<u32>) {
        let block = cg::this_thread_block();
        let me = block.thread_rank();
        let mut put = |row: u32, value: u32| {
            // SAFETY: each thread has its own column.
            unsafe { *out.get_unchecked_mut((row * BLOCK + me) as usize) = value };
        };
        let tile = block.tile::<8>();
        put(0, block.size() * 1000 + tile.thread_rank());
        put(1, tile.shfl(me, 3));
        put(2, tile.shfl_xor(me, 5));
        put(3, tile.shfl_up(me, 2));
        put(4, tile.shfl_down(me, 2));
        put(5, tile.ballot(me.is_multiple_of(3)));
        put(6, tile.all(me >= 8) as u32 + 2 * tile.any(me == 9) as u32);
        put(7, tile.reduce(me, |a, b| a + b));
        put(8, tile.inclusive_scan(me, |a, b| a + b));
        put(9, tile.exclusive_scan(me, 100, |a, b| a + b));
        tile.sync();
        if me % 4 == 1 {
            let some = cg::coalesced_threads();
            put(10, some.size() * 1000 + some.thread_rank());
            put(11, some.shfl(me, 2));
            put(12, some.ballot(me > 8));
            put(13, some.reduce(me, u32::max));
        }
        block.sync();
        let grid = cg::this_grid();
        put(14, grid.size() * 1000 + grid.thread_rank());
    }

    /// Each thread copies its four values through shared memory without waiting, then reads another's.
    #[kernel]
    pub fn copies(x: &[u32], mut y: DisjointSlice<u32>) {
        static mut TILE: SharedArray<u32, 256, 16> = SharedArray::UNINIT;
        let me = thread::threadIdx_x() as usize;
        let tile = SharedArray::raw(&raw mut TILE);
        // SAFETY: 16 bytes of this thread's own, aligned; `x` has 256 values.
        unsafe { async_copy::cp_async_16(tile.add(4 * me), x.as_ptr().add(4 * me)) };
        async_copy::commit_group();
        async_copy::wait_group::<0>();
        thread::sync_threads();
        for k in 0..4 {
            // SAFETY: all copies are there; each thread writes its own four values.
            unsafe { *y.get_unchecked_mut(4 * me + k) = *tile.add(255 - (4 * me + k)) };
        }
    }

    /// Two phases of a barrier: the neighbour's value of the first, then of the second.
    #[kernel]
    pub fn phases(mut y: DisjointSlice<u32>) {
        static mut BAR: SharedArray<Barrier, 1> = SharedArray::UNINIT;
        static mut TILE: SharedArray<u32, 64> = SharedArray::UNINIT;
        let me = thread::threadIdx_x() as usize;
        let tile = SharedArray::raw(&raw mut TILE);
        // SAFETY: in shared memory, and the only manager.
        let bar = unsafe {
            ManagedBarrier::<Uninit, GeneralBarrier, 0>::from_static(SharedArray::raw(&raw mut BAR))
        };
        let bar = bar.init(BLOCK);
        let mut sum = 0;
        for round in 1..3u32 {
            // SAFETY: each thread writes its own element between two phases.
            unsafe { *tile.add(me) = round * 100 + me as u32 };
            let token = bar.arrive();
            bar.wait(token);
            // SAFETY: all have written.
            sum += unsafe { *tile.add((me + 1) % 64) };
            let token = bar.arrive();
            bar.wait(token);
        }
        bar.inval();
        if let Some(v) = y.get_mut(thread::index_1d()) {
            *v = sum;
        }
    }

    /// `a * b + c` in 32 and in 64 bits, by hand.
    #[convergent]
    fn fused(a: u32, b: u32, c: u64) -> (u32, u64) {
        let (low, mut sum): (u32, u64);
        sum = c;
        // SAFETY: arithmetic in registers.
        unsafe {
            ptx_asm!("mul.lo.u32 {low}, {0}, {1};", in("r") a, in("r") b, low = out("r") low, options(pure));
            ptx_asm!(
                "{{ .reg .u64 p;",
                "mul.wide.u32 p, {a}, {b};",
                "add.u64 {s}, {s}, p; }}",
                s = inout("l") sum,
                a = in("r") a,
                b = in("r") b,
            );
        }
        (low, sum)
    }

    #[kernel]
    pub fn inline(mut low: DisjointSlice<u32>, mut wide: DisjointSlice<u64>) {
        let n = thread::index_1d().get() as u32;
        let (l, w) = fused(n + 0x1_0000, n + 0x2_0000, n as u64);
        if let Some(v) = low.get_mut(thread::index_1d()) {
            *v = l;
        }
        if let Some(v) = wide.get_mut(thread::index_1d()) {
            *v = w;
        }
    }

    /// The whole grid meets: each thread reads what a thread of the next block wrote before.
    #[cooperative_launch]
    #[kernel]
    pub fn whole(mut first: DisjointSlice<u32>, mut second: DisjointSlice<u32>) {
        let i = thread::index_1d().get();
        let all = first.len();
        if let Some(v) = first.get_mut(thread::index_1d()) {
            *v = i as u32 * 3;
        }
        grid::sync();
        // SAFETY: every block has written and nobody writes any more.
        let other = unsafe { *first.as_mut_ptr().add((i + BLOCK as usize) % all) };
        if let Some(v) = second.get_mut(thread::index_1d()) {
            *v = other;
        }
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &[T], expected: impl Fn(usize) -> T) {
    for (i, v) in found.iter().enumerate() {
        assert_eq!(*v, expected(i), "{what}, element {i}");
    }
    println!("{what}: as on the CPU");
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let cfg = LaunchConfig1D::new(1, BLOCK);
    let n = BLOCK as usize;

    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let xs = DeviceBuffer::from_host(&stream, &x)?;
    let mut ys = DeviceBuffer::<f32>::zeroed(&stream, n)?;
    // SAFETY: one thread for each element.
    unsafe { module.constants(&stream, cfg, &xs, &mut ys)? };
    same("constant memory", &ys.to_host_vec(&stream)?, |i| {
        [1.0, 2.0, 4.0, 8.0][i % 4] * x[i]
    });

    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 16 * n)?;
    // SAFETY: one block of 64 threads, sixteen rows.
    unsafe { module.groups(&stream, cfg, &mut out)? };
    let out = out.to_host_vec(&stream)?;
    let row = |r: usize| &out[r * n..(r + 1) * n];
    let me = |i: usize| i as u32;
    let base = |i: usize| me(i) & !7;
    same("size and rank", row(0), |i| 64_000 + me(i) % 8);
    same("tile shfl", row(1), |i| base(i) + 3);
    same("tile shfl_xor", row(2), |i| me(i) ^ 5);
    same("tile shfl_up", row(3), |i| {
        if i % 8 < 2 { me(i) } else { me(i) - 2 }
    });
    same("tile shfl_down", row(4), |i| {
        if i % 8 > 5 { me(i) } else { me(i) + 2 }
    });
    same("tile ballot", row(5), |i| {
        (0..8)
            .filter(|k| (base(i) + k) % 3 == 0)
            .map(|k| 1 << k)
            .sum()
    });
    same("tile all, any", row(6), |i| {
        (i >= 8) as u32 + 2 * (base(i) == 8) as u32
    });
    same("tile reduce", row(7), |i| (base(i)..base(i) + 8).sum());
    same("tile inclusive scan", row(8), |i| (base(i)..=me(i)).sum());
    same("tile exclusive scan", row(9), |i| {
        if i % 8 == 0 {
            100
        } else {
            (base(i)..me(i)).sum()
        }
    });
    let here = |i: usize| i % 4 == 1;
    let warp = |i: usize| me(i) & !31;
    same("coalesced size and rank", row(10), |i| {
        if here(i) { 8000 + me(i) % 32 / 4 } else { 0 }
    });
    same("coalesced shfl", row(11), |i| {
        if here(i) { warp(i) + 9 } else { 0 }
    });
    same("coalesced ballot", row(12), |i| {
        let votes = (0..8)
            .filter(|k| warp(i) + 4 * k + 1 > 8)
            .map(|k| 1 << k)
            .sum();
        if here(i) { votes } else { 0 }
    });
    same("coalesced reduce", row(13), |i| {
        if here(i) { warp(i) + 29 } else { 0 }
    });
    same("grid size and rank", row(14), |i| 64_000 + me(i));
    let mut wrong = DeviceBuffer::<u32>::zeroed(&stream, 16 * n)?;
    // SAFETY: the launch is refused.
    let refused = unsafe { module.groups(&stream, LaunchConfig1D::new(2, BLOCK), &mut wrong) };
    let refused = refused.expect_err("two blocks break the contract");
    assert_eq!(refused.error_name(), "CUDA_OXIDE_ERROR_LAUNCH_CONTRACT");

    let x: Vec<u32> = (0..256).map(|i| i * 7).collect();
    let xs = DeviceBuffer::from_host(&stream, &x)?;
    let mut ys = DeviceBuffer::<u32>::zeroed(&stream, 256)?;
    // SAFETY: 256 values, 64 threads.
    unsafe { module.copies(&stream, cfg, &xs, &mut ys)? };
    same("cp.async", &ys.to_host_vec(&stream)?, |i| x[255 - i]);

    let mut ys = DeviceBuffer::<u32>::zeroed(&stream, n)?;
    // SAFETY: one block of 64 threads.
    unsafe { module.phases(&stream, cfg, &mut ys)? };
    same("mbarrier", &ys.to_host_vec(&stream)?, |i| {
        300 + 2 * ((me(i) + 1) % 64)
    });

    let mut low = DeviceBuffer::<u32>::zeroed(&stream, n)?;
    let mut wide = DeviceBuffer::<u64>::zeroed(&stream, n)?;
    // SAFETY: one thread for each element.
    unsafe { module.inline(&stream, cfg, &mut low, &mut wide)? };
    let (a, b) = (
        |i: usize| i as u64 + 0x1_0000,
        |i: usize| i as u64 + 0x2_0000,
    );
    same("ptx_asm, 32 bits", &low.to_host_vec(&stream)?, |i| {
        (a(i) * b(i)) as u32
    });
    same("ptx_asm, 64 bits", &wide.to_host_vec(&stream)?, |i| {
        a(i) * b(i) + i as u64
    });

    let mut first = DeviceBuffer::<u32>::zeroed(&stream, 4 * n)?;
    let mut second = DeviceBuffer::<u32>::zeroed(&stream, 4 * n)?;
    let cfg = LaunchConfig1D::new(4, BLOCK);
    // SAFETY: one thread for each element.
    unsafe { module.whole(&stream, cfg, &mut first, &mut second)? };
    same("grid sync", &second.to_host_vec(&stream)?, |i| {
        ((i + n) % (4 * n)) as u32 * 3
    });
    Ok(())
}
