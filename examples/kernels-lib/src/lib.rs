//! Generic kernels in a library: each program that launches them gets its own instances.

use cuda_device::{DeviceCopy, DisjointSlice, cuda_module, kernel, thread};

/// The kernels.
#[cuda_module]
pub mod kernels {
    use super::*;

    /// `output[i] = f(input[i])`.
    #[kernel]
    pub fn map<T: DeviceCopy, U: DeviceCopy, F: Fn(T) -> U + Copy>(
        f: F,
        input: &[T],
        mut output: DisjointSlice<U>,
    ) {
        let i = thread::index_1d();
        let n = i.get();
        if let Some(place) = output.get_mut(i) {
            *place = f(input[n]);
        }
    }
}
