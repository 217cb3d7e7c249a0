use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn bad(x: &[u32], mut y: DisjointSlice<u32>) {
        let i = thread::index_1d();
        let n = i.get();
        if let Some(y) = y.get_mut(i) {
            let n = x[n];
            let t = std::thread::spawn(move || n + 1);
            *y = t.join().unwrap_or(0);
        }
    }
}

fn main() {}
