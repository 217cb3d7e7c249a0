//! Six kernels, timed with events: the twins of `cuda/kernels.cu`, with the same launch shapes and sizes.
//!
//! Each line: name, milliseconds a launch (median of 21), what it moved or computed a second, PASS or FAIL. `run.sh` runs
//! both sides on a machine with a GPU and prints ratios. An argument scales the sizes down by a power of two, so that the
//! program can be tried in the simulator: `bench 12`.

use cuda_core::{CudaContext, CudaStream, DeviceBuffer, DriverError, LaunchConfig};
use cuda_device::atomic::{AtomicOrdering, DeviceAtomicF32};
use cuda_device::{
    DeviceCopy, DisjointSlice, SharedArray, cuda_module, kernel, sync_threads, thread, warp,
};
use std::sync::Arc;

/// Four floats that are loaded at once, as CUDA's `float4`.
#[repr(C, align(16))]
#[derive(Clone, Copy, Default, DeviceCopy)]
pub struct Float4 {
    x: f32,
    y: f32,
    z: f32,
    w: f32,
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn vecadd(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
        let i = thread::index_1d();
        let n = i.get();
        if let Some(c) = c.get_mut(i) {
            *c = a[n] + b[n];
        }
    }

    #[kernel]
    pub fn saxpy(k: f32, x: &[f32], mut y: DisjointSlice<f32>) {
        let i = thread::index_1d();
        let n = i.get();
        if let Some(y) = y.get_mut(i) {
            *y += k * x[n];
        }
    }

    /// Grid-stride loop, warp shuffles, one atomic a block.
    #[kernel]
    pub fn reduce_sum(x: &[f32], mut out: DisjointSlice<f32>) {
        static mut PART: SharedArray<f32, 32> = SharedArray::UNINIT;

        fn warp_sum(mut sum: f32) -> f32 {
            let mut distance = 16;
            while distance > 0 {
                sum += warp::shuffle_down_f32(sum, distance);
                distance >>= 1;
            }
            sum
        }

        let stride = thread::gridDim_x() as usize * thread::blockDim_x() as usize;
        let mut sum = 0.0;
        let mut i = thread::index_1d().get();
        while i < x.len() {
            sum += x[i];
            i += stride;
        }
        let (lane, warp) = (thread::threadIdx_x() & 31, thread::threadIdx_x() >> 5);
        let sum = warp_sum(sum);
        if lane == 0 {
            // SAFETY: an element for each warp; a block has at most 32.
            unsafe { PART[warp as usize] = sum };
        }
        sync_threads();
        if warp == 0 {
            // SAFETY: written before the barrier.
            let part = if lane < thread::blockDim_x() / 32 {
                unsafe { PART[lane as usize] }
            } else {
                0.0
            };
            let sum = warp_sum(part);
            if lane == 0 {
                // SAFETY: the launch gives one element, which is accessed atomically alone.
                unsafe { DeviceAtomicF32::from_ptr(out.as_mut_ptr()) }
                    .fetch_add(sum, AtomicOrdering::Relaxed);
            }
        }
    }

    #[kernel]
    pub fn transpose(a: &[f32], mut b: DisjointSlice<f32>, n: u32) {
        static mut T: SharedArray<f32, { 32 * 33 }> = SharedArray::UNINIT;

        let n = n as usize;
        let (tx, ty) = (
            thread::threadIdx_x() as usize,
            thread::threadIdx_y() as usize,
        );
        let (bx, by) = (
            thread::blockIdx_x() as usize * 32,
            thread::blockIdx_y() as usize * 32,
        );
        let t = SharedArray::raw(&raw mut T);
        // SAFETY: whole tiles of a matrix of n rows and columns; each thread writes elements of its own, and reads after
        // the barrier.
        unsafe {
            let mut j = 0;
            while j < 32 {
                *t.add((ty + j) * 33 + tx) = *a.get_unchecked((by + ty + j) * n + bx + tx);
                j += 8;
            }
            sync_threads();
            j = 0;
            while j < 32 {
                *b.get_unchecked_mut((bx + ty + j) * n + by + tx) = *t.add(tx * 33 + ty + j);
                j += 8;
            }
        }
    }

    #[kernel]
    pub fn matmul_tiled(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, n: u32) {
        static mut S: SharedArray<f32, 1024> = SharedArray::UNINIT;
        static mut T: SharedArray<f32, 1024> = SharedArray::UNINIT;

        let (tx, ty) = (thread::threadIdx_x(), thread::threadIdx_y());
        let x = thread::blockIdx_x() * 32 + tx;
        let y = thread::blockIdx_y() * 32 + ty;
        let (s, t) = (SharedArray::raw(&raw mut S), SharedArray::raw(&raw mut T));
        let mut sum = 0.0f32;
        let mut k = 0;
        while k < n {
            // SAFETY: whole tiles of matrices of n rows and columns; the barriers part writes from reads.
            unsafe {
                *s.add((ty * 32 + tx) as usize) = *a.get_unchecked((y * n + k + tx) as usize);
                *t.add((ty * 32 + tx) as usize) = *b.get_unchecked(((k + ty) * n + x) as usize);
                sync_threads();
                for q in 0..32 {
                    sum += *s.add((ty * 32 + q) as usize) * *t.add((q * 32 + tx) as usize);
                }
                sync_threads();
            }
            k += 32;
        }
        // SAFETY: this thread's own element.
        unsafe { *c.get_unchecked_mut((y * n + x) as usize) = sum };
    }

    #[kernel]
    pub fn nbody(p: &[Float4], mut acc: DisjointSlice<Float4>) {
        static mut T: SharedArray<Float4, 256> = SharedArray::UNINIT;

        let own = thread::threadIdx_x() as usize;
        let i = thread::blockIdx_x() as usize * 256 + own;
        let t = SharedArray::raw(&raw mut T);
        let (mut ax, mut ay, mut az) = (0.0f32, 0.0f32, 0.0f32);
        // SAFETY: whole blocks of bodies; the barriers part writes from reads; the output is this thread's own.
        unsafe {
            let me = *p.get_unchecked(i);
            let mut k = 0;
            while k < p.len() {
                *t.add(own) = *p.get_unchecked(k + own);
                sync_threads();
                for j in 0..256 {
                    let other = *t.add(j);
                    let (dx, dy, dz) = (other.x - me.x, other.y - me.y, other.z - me.z);
                    let r2 = dx * dx + dy * dy + dz * dz + 1e-4;
                    let inv = 1.0 / r2.sqrt();
                    let f = other.w * inv * inv * inv;
                    ax += dx * f;
                    ay += dy * f;
                    az += dz * f;
                }
                sync_threads();
                k += 256;
            }
            *acc.get_unchecked_mut(i) = Float4 {
                x: ax,
                y: ay,
                z: az,
                w: 0.0,
            };
        }
    }
}

struct Bench {
    ctx: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    failed: bool,
}

impl Bench {
    /// Milliseconds a launch: the median of 21, after three.
    fn median(
        &self,
        mut launch: impl FnMut() -> Result<(), DriverError>,
    ) -> Result<f64, DriverError> {
        for _ in 0..3 {
            launch()?;
        }
        self.stream.synchronize()?;
        let mut times = Vec::new();
        for _ in 0..21 {
            let start = self.stream.record_event(None)?;
            launch()?;
            let end = self.stream.record_event(None)?;
            end.synchronize()?;
            times.push(start.elapsed_ms(&end)? as f64);
        }
        times.sort_by(f64::total_cmp);
        Ok(times[10])
    }

    fn line(&mut self, name: &str, ms: f64, amount: f64, unit: &str, ok: bool) {
        self.failed |= !ok;
        let verdict = if ok { "PASS" } else { "FAIL" };
        println!(
            "{name:<14} {ms:9.4} ms  {:10.1} {unit}  {verdict}",
            amount / ms * 1e-6
        );
    }
}

/// The element at `i`, without copying the whole buffer.
fn element(bench: &Bench, buffer: &DeviceBuffer<f32>, i: usize) -> Result<f32, DriverError> {
    bench.stream.synchronize()?;
    Ok(buffer.to_host_vec(&bench.stream)?[i])
}

fn shape(grid: (u32, u32), block: (u32, u32)) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (grid.0, grid.1, 1),
        block_dim: (block.0, block.1, 1),
        shared_mem_bytes: 0,
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let down: u32 = std::env::args().nth(1).map_or(Ok(0), |n| n.parse())?;
    // Powers of two, so that every shape stays whole.
    let n = 1usize << 28u32.saturating_sub(down).max(12);
    let side = 1usize << (n.ilog2() / 2);
    let m = (2048usize >> (down / 2)).max(32);
    let q = (65536usize >> (down / 2)).max(256);

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let mut bench = Bench {
        ctx,
        stream,
        failed: false,
    };
    println!("{}", bench.ctx.device_name()?);
    let stream = bench.stream.clone();

    let h: Vec<f32> = (0..n).map(|i| (i * 7919 % 1000) as f32 / 1000.0).collect();
    let a = DeviceBuffer::from_host(&stream, &h)?;
    let mut b = DeviceBuffer::from_host(&stream, &h)?;
    let mut c = DeviceBuffer::<f32>::zeroed(&stream, n)?;
    let flat = shape(((n / 256) as u32, 1), (256, 1));

    // SAFETY, of this launch and the five below: the shapes are those that the kernels are written for.
    let ms = bench.median(|| unsafe { module.vecadd(&stream, flat, &a, &b, &mut c) })?;
    let at = 1234;
    let ok = element(&bench, &c, at)? == 2.0 * h[at];
    bench.line("vecadd", ms, 12.0 * n as f64, "GB/s", ok);

    // With k = 0, so that `b` stays what it is.
    // SAFETY: as above.
    let ms = bench.median(|| unsafe { module.saxpy(&stream, flat, 0.0, &a, &mut b) })?;
    let ok = element(&bench, &b, 777)? == h[777];
    bench.line("saxpy", ms, 12.0 * n as f64, "GB/s", ok);

    let mut total = DeviceBuffer::<f32>::zeroed(&stream, 1)?;
    let zero = [0.0f32];
    let ms = bench.median(|| {
        total.copy_from_host(&stream, &zero)?;
        // SAFETY: as above.
        unsafe { module.reduce_sum(&stream, shape((132 * 8, 1), (512, 1)), &a, &mut total) }
    })?;
    let want: f64 = h.iter().map(|x| *x as f64).sum();
    let ok = (element(&bench, &total, 0)? as f64 - want).abs() < want * 1e-3;
    bench.line("reduce_sum", ms, 4.0 * n as f64, "GB/s", ok);

    let blocks = (side / 32) as u32;
    // SAFETY: as above.
    let ms = bench.median(|| unsafe {
        module.transpose(
            &stream,
            shape((blocks, blocks), (32, 8)),
            &a,
            &mut c,
            side as u32,
        )
    })?;
    let ok = element(&bench, &c, 5 * side + 9)? == h[9 * side + 5];
    bench.line("transpose", ms, 8.0 * (side * side) as f64, "GB/s", ok);

    let blocks = (m / 32) as u32;
    let tiles = shape((blocks, blocks), (32, 32));
    // SAFETY: as above.
    let ms = bench
        .median(|| unsafe { module.matmul_tiled(&stream, tiles, &a, &b, &mut c, m as u32) })?;
    let want: f64 = (0..m)
        .map(|k| h[3 * m + k] as f64 * h[k * m + 4] as f64)
        .sum();
    let ok = (element(&bench, &c, 3 * m + 4)? as f64 - want).abs() < 1e-2 * want;
    bench.line("matmul_tiled", ms, 2.0 * (m as f64).powi(3), "GFLOP/s", ok);

    let at = |i: usize| Float4 {
        x: h[4 * i],
        y: h[4 * i + 1],
        z: h[4 * i + 2],
        w: h[4 * i + 3],
    };
    let bodies: Vec<Float4> = (0..q).map(at).collect();
    let bodies_dev = DeviceBuffer::from_host(&stream, &bodies)?;
    let mut acc = DeviceBuffer::<Float4>::zeroed(&stream, q)?;
    let blocks = shape(((q / 256) as u32, 1), (256, 1));
    // SAFETY: as above.
    let ms = bench.median(|| unsafe { module.nbody(&stream, blocks, &bodies_dev, &mut acc) })?;
    let me = bodies[100];
    let want: f64 = bodies
        .iter()
        .map(|other| {
            let [dx, dy, dz] = [other.x - me.x, other.y - me.y, other.z - me.z].map(|d| d as f64);
            let r2 = dx * dx + dy * dy + dz * dz + 1e-4;
            dx * other.w as f64 / (r2 * r2.sqrt())
        })
        .sum();
    let got = acc.to_host_vec(&stream)?[100].x as f64;
    let ok = (got - want).abs() < 1e-3 * want.abs().max(1.0);
    bench.line("nbody", ms, 20.0 * (q as f64).powi(2), "GFLOP/s", ok);

    if bench.failed {
        return Err("a result is wrong".into());
    }
    println!("SUCCESS");
    Ok(())
}
