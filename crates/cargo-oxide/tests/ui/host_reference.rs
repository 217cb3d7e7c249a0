use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn add(x: &u32, mut y: DisjointSlice<u32>) {
        if let Some(y) = y.get_mut(thread::index_1d()) {
            *y += *x;
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let mut y = DeviceBuffer::<u32>::zeroed(&stream, 8)?;
    let module = kernels::load(&ctx)?;
    let host = 3;
    unsafe { module.add(&stream, LaunchConfig::for_num_elems(8), &host, &mut y)? };
    Ok(())
}
