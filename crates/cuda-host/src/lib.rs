//! What host programs use beside `cuda-core`.

pub use artifact;
pub use cuda_core;
pub use cuda_core::*;
pub use cuda_macros::cuda_module;
#[cfg(feature = "reflect")]
pub use reflect;
