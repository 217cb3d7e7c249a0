use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn bad(x: &[u32], mut y: DisjointSlice<u32>) {
        let i = thread::index_1d();
        let n = i.get();
        if let Some(y) = y.get_mut(i) {
            use std::arch::x86_64::*;
            // SAFETY: wrong in any case.
            *y = unsafe {
                let v = _mm_aesenc_si128(_mm_set1_epi32(x[n] as i32), _mm_set1_epi32(2));
                _mm_cvtsi128_si32(v)
            } as u32;
        }
    }
}

fn main() {}
