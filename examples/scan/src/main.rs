//! Prefix sums in three launches: blocks scan their part by shuffles and shared memory, one block scans the parts' sums,
//! and every element adds what lies before its part.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, SharedArray, cuda_module, kernel, sync_threads, thread, warp};

const BLOCK: u32 = 256;

#[cuda_module]
mod kernels {
    use super::*;

    /// The sum of this lane's value and those of the lanes below it.
    fn warp_scan(mut sum: u32) -> u32 {
        let lane = warp::lane_id();
        let mut distance = 1;
        while distance < 32 {
            let below = warp::shuffle_up(sum, distance);
            if lane >= distance {
                sum = sum.wrapping_add(below);
            }
            distance *= 2;
        }
        sum
    }

    /// Scans each block's part of `data` in place and writes the sum of each part.
    #[kernel]
    pub fn scan_parts(mut data: DisjointSlice<u32>, mut sums: DisjointSlice<u32>) {
        static mut WARPS: SharedArray<u32, 32> = SharedArray::UNINIT;

        let lane = thread::threadIdx_x() % 32;
        let warp = thread::threadIdx_x() / 32;
        let own = data.get_mut(thread::index_1d());
        // Threads past the end take part with zeros: shuffles and barriers are for all.
        let value = own.as_deref().map_or(0, |value| *value);
        let in_warp = warp_scan(value);
        if lane == 31 {
            // SAFETY: each warp has its own element.
            unsafe { WARPS[warp as usize] = in_warp };
        }
        sync_threads();
        if warp == 0 {
            let warps = thread::blockDim_x() / 32;
            // SAFETY: the warps wrote these before the barrier; lanes have elements of their own.
            let part = if lane < warps {
                unsafe { WARPS[lane as usize] }
            } else {
                0
            };
            let scanned = warp_scan(part);
            // SAFETY: as above.
            unsafe { WARPS[lane as usize] = scanned };
        }
        sync_threads();
        // SAFETY: written before the barrier.
        let before = if warp > 0 {
            unsafe { WARPS[warp as usize - 1] }
        } else {
            0
        };
        let sum = in_warp.wrapping_add(before);
        if let Some(place) = own {
            *place = sum;
        }
        if thread::threadIdx_x() == thread::blockDim_x() - 1 {
            // SAFETY: the launch gives an element for each block, and this is the one thread that writes it.
            unsafe { *sums.get_unchecked_mut(thread::blockIdx_x() as usize) = sum };
        }
    }

    /// Adds to each part of `data` the sums of the parts before it.
    #[kernel]
    pub fn add_before(mut data: DisjointSlice<u32>, sums: &[u32]) {
        let part = thread::blockIdx_x() as usize;
        if part > 0
            && let Some(place) = data.get_mut(thread::index_1d())
        {
            *place = place.wrapping_add(sums[part - 1]);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(50_000), |n| n.parse())?;
    let parts = (n as u32).div_ceil(BLOCK);
    if parts == 0 || parts > BLOCK {
        return Err(format!("between 1 and {} elements, not {n}", BLOCK * BLOCK).into());
    }
    let data: Vec<u32> = (0..n).map(|i| (i * 31 % 101) as u32).collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let mut data_dev = DeviceBuffer::from_host(&stream, &data)?;
    let mut sums = DeviceBuffer::<u32>::zeroed(&stream, parts as usize)?;
    let mut total = DeviceBuffer::<u32>::zeroed(&stream, 1)?;
    let grid = |blocks| LaunchConfig {
        grid_dim: (blocks, 1, 1),
        block_dim: (BLOCK, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: whole warps in one dimension; a sum for each block; at most one block of sums.
    unsafe {
        module.scan_parts(&stream, grid(parts), &mut data_dev, &mut sums)?;
        module.scan_parts(&stream, grid(1), &mut sums, &mut total)?;
        module.add_before(&stream, grid(parts), &mut data_dev, &sums)?;
    }

    let got = data_dev.to_host_vec(&stream)?;
    let mut sum = 0u32;
    for i in 0..n {
        sum += data[i];
        if got[i] != sum {
            return Err(format!("element {i}: {} instead of {sum}", got[i]).into());
        }
    }
    if total.to_host_vec(&stream)? != [sum] {
        return Err("the total is wrong".into());
    }
    println!("{n} elements, total {sum}");
    println!("SUCCESS");
    Ok(())
}
