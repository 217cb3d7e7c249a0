//! A dot product: each thread sums a stride of the vectors, warps add up by shuffles, blocks through shared memory, and
//! one atomic addition a block makes the total.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::atomic::{AtomicOrdering, DeviceAtomicF32};
use cuda_device::{DisjointSlice, SharedArray, cuda_module, kernel, sync_threads, thread, warp};

const BLOCK: u32 = 256;

#[cuda_module]
mod kernels {
    use super::*;

    /// The sum over the lanes of a warp, in lane 0.
    fn warp_sum(mut sum: f32) -> f32 {
        let mut distance = 16;
        while distance > 0 {
            sum += warp::shuffle_down_f32(sum, distance);
            distance /= 2;
        }
        sum
    }

    #[kernel]
    pub fn dot(x: &[f32], y: &[f32], mut total: DisjointSlice<f32>) {
        // One sum for each warp of the block.
        static mut PARTS: SharedArray<f32, 32> = SharedArray::UNINIT;

        let stride = (thread::gridDim_x() * thread::blockDim_x()) as usize;
        let mut sum = 0.0;
        let mut i = thread::index_1d().get();
        while i < x.len() {
            sum += x[i] * y[i];
            i += stride;
        }

        let lane = thread::threadIdx_x() % 32;
        let warp = thread::threadIdx_x() / 32;
        let sum = warp_sum(sum);
        if lane == 0 {
            // SAFETY: each warp has its own element.
            unsafe { PARTS[warp as usize] = sum };
        }
        sync_threads();
        if warp == 0 {
            let parts = thread::blockDim_x() / 32;
            // SAFETY: the warps wrote these before the barrier.
            let part = if lane < parts {
                unsafe { PARTS[lane as usize] }
            } else {
                0.0
            };
            let sum = warp_sum(part);
            if lane == 0 {
                // SAFETY: the launch gives one element, which is accessed atomically alone.
                let total = unsafe { DeviceAtomicF32::from_ptr(total.as_mut_ptr()) };
                total.fetch_add(sum, AtomicOrdering::Relaxed);
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(50_000), |n| n.parse())?;
    // Small integers: their sums are exact, so the order of the additions does not matter.
    let x: Vec<f32> = (0..n).map(|i| (i % 7) as f32).collect();
    let y: Vec<f32> = (0..n).map(|i| (i % 5) as f32 - 2.0).collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let x_dev = DeviceBuffer::from_host(&stream, &x)?;
    let y_dev = DeviceBuffer::from_host(&stream, &y)?;
    let mut total = DeviceBuffer::<f32>::zeroed(&stream, 1)?;
    let config = LaunchConfig {
        grid_dim: (16, 1, 1),
        block_dim: (BLOCK, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: whole warps in one dimension, at most 32 of them, and one element for the total.
    unsafe { module.dot(&stream, config, &x_dev, &y_dev, &mut total)? };

    let got = total.to_host_vec(&stream)?[0];
    let want: f32 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
    if got != want {
        return Err(format!("{got} instead of {want}").into());
    }
    println!("dot product of {n} elements: {got}");
    println!("SUCCESS");
    Ok(())
}
