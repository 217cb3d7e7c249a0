use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, thread};

#[cuda_module]
mod kernels {
    use super::*;

    pub fn set(mut y: DisjointSlice<u32>) {
        if let Some(y) = y.get_mut(thread::index_1d()) {
            *y = 1;
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let mut y = DeviceBuffer::<u32>::zeroed(&stream, 8)?;
    let module = kernels::load(&ctx)?;
    unsafe { module.set(&stream, LaunchConfig::for_num_elems(8), &mut y)? };
    Ok(())
}
