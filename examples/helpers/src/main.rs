//! Kernels call functions of another crate, which knows nothing about GPUs: generic ones, ones that are not inlined, and
//! one that calls itself.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};
use helpers_lib::{gcd, mix, polynomial};

const COEFFICIENTS: [f32; 4] = [1.0, -0.5, 0.25, -0.125];

/// The work for one element, the same on both sides.
fn work(i: u32) -> [u32; 4] {
    let x = i as f32 / 64.0 - 2.0;
    let grey = mix(&[i as u8, 200, 10], (i % 257) as u16).unwrap_or(0);
    let colour = mix(&[[x, 0.5, 1.0], [0.0, x, x * x]], 100).unwrap_or([0.0; 3]);
    [
        polynomial(&COEFFICIENTS, x).to_bits(),
        grey as u32,
        (colour[0] + colour[1] + colour[2]).to_bits(),
        gcd(i as u64 * 12, 5040) as u32,
    ]
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn run(mut results: DisjointSlice<[u32; 4]>) {
        let i = thread::index_1d();
        let n = i.get() as u32;
        if let Some(place) = results.get_mut(i) {
            *place = work(n);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(10_000), |n| n.parse())?;
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let mut results = DeviceBuffer::<[u32; 4]>::zeroed(&stream, n)?;
    // SAFETY: one dimension.
    unsafe { module.run(&stream, LaunchConfig::for_num_elems(n as u32), &mut results)? };

    for (i, got) in results.to_host_vec(&stream)?.into_iter().enumerate() {
        let want = work(i as u32);
        if got != want {
            return Err(format!("element {i}: {got:x?} instead of {want:x?}").into());
        }
    }
    println!("{n} elements");
    println!("SUCCESS");
    Ok(())
}
