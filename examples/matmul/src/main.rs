//! `C = A * B` for square matrices, by tiles of 32 x 32 that the threads of a block load together into shared memory.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, SharedArray, cuda_module, kernel, sync_threads, thread};

const TILE: usize = 32;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn matmul(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, n: u32) {
        static mut A: SharedArray<f32, { TILE * TILE }> = SharedArray::UNINIT;
        static mut B: SharedArray<f32, { TILE * TILE }> = SharedArray::UNINIT;

        let n = n as usize;
        let x = thread::threadIdx_x() as usize;
        let y = thread::threadIdx_y() as usize;
        let column = thread::blockIdx_x() as usize * TILE + x;
        let row = thread::blockIdx_y() as usize * TILE + y;

        let mut sum = 0.0;
        let mut k = 0;
        while k < n {
            // SAFETY: each thread writes its own element of both tiles; the barriers part writes from reads.
            unsafe {
                A[y * TILE + x] = a[row * n + k + x];
                B[y * TILE + x] = b[(k + y) * n + column];
                sync_threads();
                for q in 0..TILE {
                    sum += A[y * TILE + q] * B[q * TILE + x];
                }
                sync_threads();
            }
            k += TILE;
        }
        // SAFETY: row and column are this thread's alone, and below n.
        unsafe { *c.get_unchecked_mut(row * n + column) = sum };
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(128), |n| n.parse())?;
    if n == 0 || !n.is_multiple_of(TILE) {
        return Err(format!("the size must be a multiple of {TILE}, not {n}").into());
    }
    let a: Vec<f32> = (0..n * n)
        .map(|i| (i * 7 % 23) as f32 / 8.0 - 1.0)
        .collect();
    let b: Vec<f32> = (0..n * n)
        .map(|i| (i * 5 % 19) as f32 / 4.0 - 2.0)
        .collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let a_dev = DeviceBuffer::from_host(&stream, &a)?;
    let b_dev = DeviceBuffer::from_host(&stream, &b)?;
    let mut c_dev = DeviceBuffer::<f32>::zeroed(&stream, n * n)?;
    let blocks = (n / TILE) as u32;
    let config = LaunchConfig {
        grid_dim: (blocks, blocks, 1),
        block_dim: (TILE as u32, TILE as u32, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: the grid has one thread for each element, in whole tiles.
    unsafe { module.matmul(&stream, config, &a_dev, &b_dev, &mut c_dev, n as u32)? };

    let c = c_dev.to_host_vec(&stream)?;
    for row in 0..n {
        for column in 0..n {
            // In the kernel's order, so that the bits are the same.
            let want = (0..n).fold(0.0, |sum, k| sum + a[row * n + k] * b[k * n + column]);
            let got = c[row * n + column];
            if got != want {
                return Err(format!("row {row}, column {column}: {got} instead of {want}").into());
            }
        }
    }
    println!("{n} x {n} elements");
    println!("SUCCESS");
    Ok(())
}
