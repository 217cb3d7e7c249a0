use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

pub struct Scale {
    pub by: u32,
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn scale(scale: Scale, mut y: DisjointSlice<u32>) {
        if let Some(y) = y.get_mut(thread::index_1d()) {
            *y *= scale.by;
        }
    }
}

fn main() {}
