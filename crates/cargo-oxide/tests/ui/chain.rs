use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn bad(x: &[u32], mut y: DisjointSlice<u32>) {
        let i = thread::index_1d();
        let n = i.get();
        if let Some(y) = y.get_mut(i) {
            *y = super::outer(x[n]);
        }
    }
}

#[inline(never)]
fn outer(x: u32) -> u32 {
    middle(x) + 1
}

#[inline(never)]
fn middle(x: u32) -> u32 {
    let names = vec![x; 4];
    names.iter().sum()
}

fn main() {}
