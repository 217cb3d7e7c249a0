use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn bad(x: &[u32], mut y: DisjointSlice<u32>) {
        let i = thread::index_1d();
        let n = i.get();
        if let Some(y) = y.get_mut(i) {
            *y = unsafe { std::arch::x86_64::_rdtsc() } as u32 + x[n];
        }
    }
}

fn main() {}
