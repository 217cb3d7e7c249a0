//! `grid::sync` in a cooperative launch: blocks that read what other blocks wrote before it.

use crate::{Checked, same};
use cuda_core::{CudaContext, CudaStream, DeviceBuffer, LaunchConfig1D};
use cuda_device::{DisjointSlice, cooperative_launch, cuda_module, grid, kernel, thread};
use std::sync::Arc;

#[cuda_module]
pub mod kernels {
    use super::*;

    /// Adds to each element its neighbour to the right, so many times, in two buffers by turns.
    #[cooperative_launch]
    #[kernel]
    pub fn relax(mut a: DisjointSlice<u32>, mut b: DisjointSlice<u32>, steps: u32) {
        let i = thread::index_1d().get();
        let (a, b, n) = (a.as_mut_ptr(), b.as_mut_ptr(), a.len());
        for step in 0..steps {
            let (from, to) = if step % 2 == 0 { (a, b) } else { (b, a) };
            // SAFETY: each thread writes its own element; the grid meets between writes and reads.
            unsafe { *to.add(i) = *from.add(i) + *from.add((i + 1) % n) };
            grid::sync();
        }
    }
}

pub fn run(ctx: &Arc<CudaContext>, stream: &CudaStream) -> Checked {
    const STEPS: u32 = 6;
    let module = kernels::load(ctx)?;
    let mut expected: Vec<u32> = (0..512).map(|i| i % 7).collect();
    let mut a = DeviceBuffer::from_host(stream, &expected)?;
    let mut b = DeviceBuffer::<u32>::zeroed(stream, 512)?;
    let cfg = LaunchConfig1D::new(8, 64);
    // SAFETY: one thread for each element.
    unsafe { module.relax(stream, cfg, &mut a, &mut b, STEPS)? };
    for _ in 0..STEPS {
        expected = (0..512)
            .map(|i| expected[i] + expected[(i + 1) % 512])
            .collect();
    }
    same("relax", &a.to_host_vec(stream)?, expected.into_iter())?;
    // One block more than any device has room for at once.
    let cfg = LaunchConfig1D::new(1 << 20, 64);
    // SAFETY: it is refused.
    match unsafe { module.relax(stream, cfg, &mut a, &mut b, 1) } {
        Err(e) if e.code() == Some(720) => Ok(()),
        other => Err(format!("a cooperative launch that cannot fit: {other:?}").into()),
    }
}
