//! Transposes a matrix through shared memory, so that both reads and writes of global memory go along rows.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, SharedArray, cuda_module, kernel, sync_threads, thread};

const TILE: usize = 32;
/// A row of the tile has one element more, so that the elements of a column lie in different banks.
const ROW: usize = TILE + 1;
/// Rows that a block of 32 x 8 threads handles at a time.
const STEP: usize = 8;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn transpose(a: &[u32], mut b: DisjointSlice<u32>, n: u32) {
        static mut T: SharedArray<u32, { TILE * ROW }> = SharedArray::UNINIT;

        let n = n as usize;
        let (x, y) = (
            thread::threadIdx_x() as usize,
            thread::threadIdx_y() as usize,
        );
        let (block_x, block_y) = (
            thread::blockIdx_x() as usize * TILE,
            thread::blockIdx_y() as usize * TILE,
        );
        for j in (0..TILE).step_by(STEP) {
            // SAFETY: each thread writes elements of its own.
            unsafe { T[(y + j) * ROW + x] = a[(block_y + y + j) * n + block_x + x] };
        }
        sync_threads();
        for j in (0..TILE).step_by(STEP) {
            // SAFETY: written before the barrier; the element of `b` is this thread's alone.
            unsafe {
                *b.get_unchecked_mut((block_x + y + j) * n + block_y + x) = T[x * ROW + y + j]
            };
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(256), |n| n.parse())?;
    if n == 0 || !n.is_multiple_of(TILE) {
        return Err(format!("the size must be a multiple of {TILE}, not {n}").into());
    }
    let a: Vec<u32> = (0..(n * n) as u32).collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let a_dev = DeviceBuffer::from_host(&stream, &a)?;
    let mut b_dev = DeviceBuffer::<u32>::zeroed(&stream, n * n)?;
    let blocks = (n / TILE) as u32;
    let config = LaunchConfig {
        grid_dim: (blocks, blocks, 1),
        block_dim: (TILE as u32, STEP as u32, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: whole tiles, with the block shape that the kernel is written for.
    unsafe { module.transpose(&stream, config, &a_dev, &mut b_dev, n as u32)? };

    let b = b_dev.to_host_vec(&stream)?;
    for row in 0..n {
        for column in 0..n {
            if b[column * n + row] != a[row * n + column] {
                return Err(format!("row {row}, column {column} went elsewhere").into());
            }
        }
    }
    println!("{n} x {n} elements");
    println!("SUCCESS");
    Ok(())
}
