//! `y = a * x + y`, one thread for each element.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
        let i = thread::index_1d();
        let n = i.get();
        // `get_mut` is `None` for the threads of the last block that have no element: the grid is rounded up.
        if let Some(y) = y.get_mut(i) {
            *y += a * x[n];
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(100_000), |n| n.parse())?;
    let a = 2.5;
    let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.5).collect();
    let y: Vec<f32> = (0..n).map(|i| 1000.0 - i as f32).collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let x_dev = DeviceBuffer::from_host(&stream, &x)?;
    let mut y_dev = DeviceBuffer::from_host(&stream, &y)?;
    // SAFETY: one dimension, as `index_1d` wants it.
    unsafe {
        module.saxpy(
            &stream,
            LaunchConfig::for_num_elems(n as u32),
            a,
            &x_dev,
            &mut y_dev,
        )?
    };

    let got = y_dev.to_host_vec(&stream)?;
    for i in 0..n {
        // To the bit: a kernel's arithmetic is Rust's, nothing is fused.
        let want = a * x[i] + y[i];
        if got[i] != want {
            return Err(format!("element {i}: {} instead of {want}", got[i]).into());
        }
    }
    println!("SUCCESS");
    Ok(())
}
