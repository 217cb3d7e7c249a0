//! The first kernel: c = a + b, checked against the CPU.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    /// Each thread adds one element; the threads past the end of `c` get none.
    #[kernel]
    pub fn vecadd(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
        let i = thread::index_1d();
        let n = i.get();
        if let Some(sum) = c.get_mut(i) {
            *sum = a[n] + b[n];
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Not a multiple of the block size, so that some threads have nothing to do.
    const N: usize = 100_003;
    let a: Vec<f32> = (0..N).map(|i| i as f32 * 0.5).collect();
    let b: Vec<f32> = (0..N).map(|i| 1.0 / (i + 1) as f32).collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let a_dev = DeviceBuffer::from_host(&stream, &a)?;
    let b_dev = DeviceBuffer::from_host(&stream, &b)?;
    let mut c_dev = DeviceBuffer::<f32>::zeroed(&stream, N)?;
    // SAFETY: a launch in one dimension with a thread for each element.
    unsafe {
        module.vecadd(
            &stream,
            LaunchConfig::for_num_elems(N as u32),
            &a_dev,
            &b_dev,
            &mut c_dev,
        )?
    };
    let c = c_dev.to_host_vec(&stream)?;

    for i in 0..N {
        let expected = a[i] + b[i];
        if c[i].to_bits() != expected.to_bits() {
            return Err(
                format!("element {i}: the device says {}, the CPU {expected}", c[i]).into(),
            );
        }
    }
    println!("SUCCESS: {N} elements");
    Ok(())
}
