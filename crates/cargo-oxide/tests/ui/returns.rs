use cuda_device::{cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn sum(x: &[u32]) -> u32 {
        x.iter().sum()
    }
}

fn main() {}
