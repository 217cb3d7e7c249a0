//! Contexts, streams, buffers, modules and launches over whichever driver is there.
//!
//! ```no_run
//! use cuda_core::{CudaContext, DeviceBuffer};
//! # fn main() -> Result<(), cuda_core::DriverError> {
//! let ctx = CudaContext::new(0)?;
//! let stream = ctx.default_stream();
//! let x = DeviceBuffer::from_host(&stream, &[1.0f32, 2.0])?;
//! assert_eq!(x.to_host_vec(&stream)?, [1.0, 2.0]);
//! # Ok(()) }
//! ```

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod buffer;
mod context;
mod driver;
mod error;
mod launch;
mod module;
pub mod observe;
mod panic_record;
mod stream;
mod symbol;
mod tensor_map;

pub use buffer::{DeviceBuffer, PinnedHostBuffer, Pitched};
pub use context::{CudaContext, LaunchLimits};
pub use device_copy::{DeviceCopy, layout_hash, opaque_layout};
pub use driver::CUdeviceptr;
pub use error::DriverError;
pub use launch::{LaunchConfig, LaunchConfig1D, LaunchConfig2D, LaunchConfig3D};
pub use module::{CudaFunction, CudaModule};
pub use stream::{CudaEvent, CudaStream};
pub use tensor_map::{TensorElement, TensorMap};

macro_rules! opaque_debug {
    ($($ty:ident)*) => {$(
        /// The name: what is inside are the driver's handles.
        impl std::fmt::Debug for $ty {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($ty))
            }
        }
    )*};
}
opaque_debug!(CudaContext CudaStream CudaEvent CudaModule CudaFunction);

impl<T: DeviceCopy> std::fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "DeviceBuffer({:#x}, {} values)",
            self.cu_deviceptr(),
            self.len()
        )
    }
}
