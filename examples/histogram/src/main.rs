//! Counts byte values: atomics in shared memory for each block, then one atomic addition for each bin in global memory.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::atomic::{AtomicOrdering, BlockAtomicU32, DeviceAtomicU32};
use cuda_device::{DisjointSlice, SharedArray, cuda_module, kernel, sync_threads, thread};

/// Bins, and threads of a block: each thread clears and adds up one bin.
const BINS: usize = 256;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn histogram(data: &[u8], mut counts: DisjointSlice<u32>) {
        static mut LOCAL: SharedArray<u32, BINS> = SharedArray::UNINIT;

        let own = thread::threadIdx_x() as usize;
        // SAFETY: each thread clears its own bin.
        unsafe { LOCAL[own] = 0 };
        sync_threads();

        let local = SharedArray::raw(&raw mut LOCAL);
        let stride = (thread::gridDim_x() * thread::blockDim_x()) as usize;
        let mut i = thread::index_1d().get();
        while i < data.len() {
            // SAFETY: a byte is below BINS; between the barriers the bins are accessed atomically alone.
            let bin = unsafe { BlockAtomicU32::from_ptr(local.add(data[i] as usize)) };
            bin.fetch_add(1, AtomicOrdering::Relaxed);
            i += stride;
        }
        sync_threads();

        // SAFETY: the launch gives BINS counters, which are accessed atomically alone.
        let count = unsafe { DeviceAtomicU32::from_ptr(counts.as_mut_ptr().add(own)) };
        // SAFETY: the additions ended before the barrier.
        count.fetch_add(unsafe { LOCAL[own] }, AtomicOrdering::Relaxed);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(200_000), |n| n.parse())?;
    let data: Vec<u8> = (0..n).map(|i| (i * i / 3 + i) as u8).collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let data_dev = DeviceBuffer::from_host(&stream, &data)?;
    let mut counts = DeviceBuffer::<u32>::zeroed(&stream, BINS)?;
    let config = LaunchConfig {
        grid_dim: (16, 1, 1),
        block_dim: (BINS as u32, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: a thread for each bin, and a counter for each bin.
    unsafe { module.histogram(&stream, config, &data_dev, &mut counts)? };

    let mut want = [0u32; BINS];
    for byte in &data {
        want[*byte as usize] += 1;
    }
    let got = counts.to_host_vec(&stream)?;
    if let Some(bin) = (0..BINS).find(|bin| got[*bin] != want[*bin]) {
        return Err(format!("bin {bin}: {} instead of {}", got[bin], want[bin]).into());
    }
    println!(
        "{n} bytes, most often {} times",
        got.iter().max().unwrap_or(&0)
    );
    println!("SUCCESS");
    Ok(())
}
