//! The rows of the device API that the other examples do not show, each checked against what the CPU says.

mod atomic_rows;
mod grid_rows;
mod memory_rows;
mod warp_rows;

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig1D, LaunchConfig2D, Pitched};
use cuda_device::atomic::{
    AtomicOrdering::*, BlockAtomicU32, DeviceAtomicF32, DeviceAtomicI64, DeviceAtomicU32,
    SystemAtomicU64,
};
use cuda_device::thread::{Index2D, Runtime2DIndex};
use cuda_device::{
    DeviceCopy, DisjointSlice, DynamicSharedArray, cuda_module, device, fence, gpu_assert,
    gpu_printf, kernel, launch_bounds, thread, warp,
};

/// rustc puts `b` first in memory; both passes agree.
#[derive(Clone, Copy, DeviceCopy)]
pub struct Mixed {
    pub a: u8,
    pub b: u32,
    pub c: u16,
}

#[cuda_module]
mod kernels {
    use super::*;

    #[device]
    fn put(out: &mut DisjointSlice<u32>, row: usize, value: u32) {
        let at = row * 32 + warp::lane_id() as usize;
        // SAFETY: each lane has its own column.
        unsafe { *out.get_unchecked_mut(at) = value };
    }

    /// One warp; a row of 32 results for each function.
    #[kernel]
    pub fn warps(mut out: DisjointSlice<u32>) {
        let lane = warp::lane_id();
        let odd = lane % 2 == 1;
        put(&mut out, 0, warp::shuffle(lane * 3, 5));
        put(&mut out, 1, warp::shuffle_xor(lane, 1));
        put(&mut out, 2, warp::shuffle_up(lane, 2));
        put(&mut out, 3, warp::shuffle_down(lane, 2));
        put(
            &mut out,
            4,
            (warp::shuffle_xor_u64((lane as u64) << 40, 3) >> 40) as u32,
        );
        put(
            &mut out,
            5,
            warp::shuffle_down_f64(lane as f64 * 0.5, 4)
                .to_bits()
                .wrapping_shr(32) as u32,
        );
        put(&mut out, 6, warp::ballot(odd));
        put(
            &mut out,
            7,
            warp::any(lane == 7) as u32
                + 2 * warp::all(lane < 32) as u32
                + 4 * warp::all(odd) as u32,
        );
        put(&mut out, 8, warp::popc(odd));
        put(&mut out, 9, warp::match_any_sync(u32::MAX, lane / 4));
        put(&mut out, 10, warp::match_all_sync(u32::MAX, 9) & 0xff);
        put(&mut out, 11, warp::redux_sync_add(u32::MAX, lane));
        put(
            &mut out,
            12,
            warp::redux_sync_min_i32(u32::MAX, 5 - lane as i32) as u32,
        );
        put(
            &mut out,
            13,
            warp::lanemask_lt() ^ warp::lanemask_ge() ^ warp::lanemask_eq(),
        );
        put(
            &mut out,
            14,
            warp::reduce_sum_f32(lane as f32) as u32 + warp::reduce_max_f64(lane as f64) as u32,
        );
        put(&mut out, 15, warp::active_mask());
        if odd {
            warp::sync_mask(0xaaaa_aaaa);
            put(&mut out, 16, warp::ballot_sync(0xaaaa_aaaa, lane > 15));
        } else {
            put(&mut out, 16, 0);
        }
    }

    #[kernel]
    pub fn atomics(
        counts: &[DeviceAtomicU32],
        sum: &DeviceAtomicF32,
        extremes: &[DeviceAtomicI64],
        system: &SystemAtomicU64,
    ) {
        let i = thread::index_1d().get();
        counts[i % 4].fetch_add(1, Relaxed);
        sum.fetch_add(0.5, Relaxed);
        extremes[0].fetch_min(-(i as i64), Relaxed);
        extremes[1].fetch_max(i as i64, AcqRel);
        system.fetch_xor(i as u64, SeqCst);
        // A loop of compare-exchange counts once for each thread.
        let mut old = counts[4].load(Acquire);
        while let Err(now) = counts[4].compare_exchange(old, old + 1, AcqRel, Relaxed) {
            old = now;
        }
    }

    /// Reverses a block in dynamic shared memory.
    #[launch_bounds(256)]
    #[kernel]
    pub fn dynamic(input: &[u32], mut out: DisjointSlice<u32>) {
        let t = thread::threadIdx_x() as usize;
        let last = thread::blockDim_x() as usize - 1;
        gpu_assert!(t < 256, "block too big");
        let tile = DynamicSharedArray::<u32>::get();
        // SAFETY: one element for each thread; the barrier is between writes and reads.
        unsafe {
            *tile.add(t) = input[thread::index_1d().get()];
            fence::threadfence_block();
            thread::sync_threads();
            let total = BlockAtomicU32::from_ptr(DynamicSharedArray::<u32>::offset(4 * (last + 1)));
            if t == 0 {
                total.store(0, Relaxed);
            }
            thread::sync_threads();
            total.fetch_add(1, Relaxed);
            thread::sync_threads();
            let value = *tile.add(last - t) + total.load(Relaxed);
            if let Some(o) = out.get_mut(thread::index_1d()) {
                *o = value;
            }
        }
    }

    /// Two dimensions, with the width known now and at the launch.
    #[kernel]
    pub fn two_d(
        mut fixed: DisjointSlice<u32, Index2D<20>>,
        mut carried: DisjointSlice<u32, Runtime2DIndex>,
    ) {
        if let Some(i) = thread::index_2d::<20>() {
            let value = (i.row() * 100 + i.col()) as u32;
            if let Some(o) = fixed.get_mut(i) {
                *o = value;
            }
        }
        let width = carried.row_width();
        if let Some(i) = thread::index_2d_runtime(&carried) {
            let value = (i.get() + width) as u32;
            if let Some(o) = carried.get_mut(i) {
                *o = value;
            }
        }
    }

    #[kernel]
    pub fn by_value<const N: usize>(m: Mixed, table: [u32; N], mut out: DisjointSlice<u32>) {
        let i = thread::index_1d();
        let n = i.get();
        if let Some(o) = out.get_mut(i) {
            *o = m.a as u32 + m.b + m.c as u32 + table[n % N];
        }
    }

    #[kernel]
    pub fn prints(x: f32) {
        if thread::threadIdx_x() == 0 {
            gpu_printf!("x is %.2f in block %d\n", x, thread::blockIdx_x());
        }
    }
}

type Checked = Result<(), Box<dyn std::error::Error>>;

fn same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    got: &[T],
    expected: impl Iterator<Item = T>,
) -> Checked {
    let expected: Vec<T> = expected.collect();
    if got == expected {
        Ok(())
    } else {
        Err(format!("{what}: got {got:?}, expected {expected:?}").into())
    }
}

fn main() -> Checked {
    let ctx = CudaContext::new(0)?;
    let stream = ctx.new_stream()?;
    warp_rows::run(&ctx, &stream)?;
    atomic_rows::run(&ctx, &stream)?;
    memory_rows::run(&ctx, &stream)?;
    grid_rows::run(&ctx, &stream)?;
    let module = kernels::load(&ctx)?;

    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 17 * 32)?;
    // SAFETY: one warp, as the kernel is written for.
    unsafe { module.warps(&stream, LaunchConfig1D::new(1, 32), &mut out)? };
    let got = out.to_host_vec(&stream)?;
    let rows: [&dyn Fn(u32) -> u32; 17] = [
        &|_| 15,
        &|l| l ^ 1,
        &|l| if l < 2 { l } else { l - 2 },
        &|l| if l > 29 { l } else { l + 2 },
        &|l| l ^ 3,
        &|l| ((if l > 27 { l } else { l + 4 } as f64 * 0.5).to_bits() >> 32) as u32,
        &|_| 0xaaaa_aaaa,
        &|_| 3,
        &|_| 16,
        &|l| 0xf << (l / 4 * 4),
        &|_| 0xff,
        &|_| 496,
        &|_| -26i32 as u32,
        &|l| u32::MAX ^ (1 << l),
        &|_| 496 + 31,
        &|_| u32::MAX,
        &|l| if l % 2 == 1 { 0xaaaa_0000 } else { 0 },
    ];
    for (i, row) in rows.iter().enumerate() {
        same(
            &format!("warps, row {i}"),
            &got[i * 32..][..32],
            (0..32).map(row),
        )?;
    }

    let counts = DeviceBuffer::<u32>::zeroed(&stream, 5)?;
    let sum = DeviceBuffer::<f32>::zeroed(&stream, 1)?;
    let extremes = DeviceBuffer::<i64>::zeroed(&stream, 2)?;
    let system = DeviceBuffer::<u64>::zeroed(&stream, 1)?;
    // SAFETY: all access is atomic.
    unsafe {
        module.atomics(
            &stream,
            LaunchConfig1D::new(8, 64),
            &counts,
            &sum,
            &extremes,
            &system,
        )?
    };
    same(
        "atomics",
        &counts.to_host_vec(&stream)?,
        [128, 128, 128, 128, 512].into_iter(),
    )?;
    assert_eq!(sum.to_host_vec(&stream)?, [256.0]);
    assert_eq!(extremes.to_host_vec(&stream)?, [-511, 511]);
    assert_eq!(
        system.to_host_vec(&stream)?,
        [(0..512).fold(0, |a, i| a ^ i)]
    );

    let input: Vec<u32> = (0..512).map(|i| i * 7).collect();
    let input_dev = DeviceBuffer::from_host(&stream, &input)?;
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 512)?;
    let cfg = LaunchConfig1D {
        grid_dim: 2,
        block_dim: 256,
        shared_mem_bytes: 257 * 4,
    };
    // SAFETY: as many threads as elements, and shared memory for one block's.
    unsafe { module.dynamic(&stream, cfg, &input_dev, &mut out)? };
    let reversed = (0..512).map(|i| input[i / 256 * 256 + 255 - i % 256] + 256);
    same("dynamic", &out.to_host_vec(&stream)?, reversed)?;

    let mut fixed = DeviceBuffer::<u32>::zeroed(&stream, 20 * 10)?;
    let mut carried = DeviceBuffer::<u32>::zeroed(&stream, 13 * 10)?;
    // SAFETY: threads past the ends get no index.
    unsafe {
        module.two_d(
            &stream,
            LaunchConfig2D::for_elems(20, 10),
            &mut fixed,
            Pitched::new(&mut carried, 13),
        )?
    };
    same(
        "two_d, fixed",
        &fixed.to_host_vec(&stream)?,
        (0..200).map(|i| i / 20 * 100 + i % 20),
    )?;
    same(
        "two_d, carried",
        &carried.to_host_vec(&stream)?,
        (0..130).map(|i| i + 13),
    )?;

    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 64)?;
    let mixed = Mixed {
        a: 1,
        b: 1000,
        c: 20,
    };
    // SAFETY: a launch in one dimension.
    unsafe {
        module.by_value::<3>(
            &stream,
            LaunchConfig1D::new(1, 64),
            mixed,
            [5, 6, 7],
            &mut out,
        )?
    };
    same(
        "by_value",
        &out.to_host_vec(&stream)?,
        (0..64).map(|i| 1021 + 5 + i % 3),
    )?;

    // SAFETY: prints only.
    unsafe { module.prints(&stream, LaunchConfig1D::new(1, 32), 1.5)? };
    stream.synchronize()?;
    println!("SUCCESS");
    Ok(())
}
