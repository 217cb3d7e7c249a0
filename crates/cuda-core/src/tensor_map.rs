//! Tensor maps: what the tensor memory accelerator must know of an array.

use crate::{CudaContext, DeviceBuffer, DeviceCopy, DriverError};
use std::ffi::{c_int, c_uint, c_void};

/// The elements of a tensor map (`CUtensorMapDataType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum TensorElement {
    U8 = 0,
    U16 = 1,
    U32 = 2,
    I32 = 3,
    U64 = 4,
    I64 = 5,
    F16 = 6,
    F32 = 7,
    F64 = 8,
    Bf16 = 9,
}

impl TensorElement {
    fn bytes(self) -> u64 {
        match self {
            TensorElement::U8 => 1,
            TensorElement::U16 | TensorElement::F16 | TensorElement::Bf16 => 2,
            TensorElement::U32 | TensorElement::I32 | TensorElement::F32 => 4,
            TensorElement::U64 | TensorElement::I64 | TensorElement::F64 => 8,
        }
    }
}

/// A tensor map, made by the driver. A kernel takes it by address: put [`TensorMap::words`] into a buffer.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct TensorMap([u64; 16]);

impl TensorMap {
    /// The map of an array that fills the buffer's beginning without gaps, `dims` elements along each dimension (innermost first, one to five),
    /// that is copied in tiles of `tile` elements. Elements outside read as zero.
    ///
    /// # Errors
    /// As many tile sizes as dimensions; the array lies in the buffer; the driver has more rules: each tile size up to 256, the innermost
    /// size in bytes a multiple of 16.
    #[inline(never)]
    pub fn tiled<T: DeviceCopy>(
        ctx: &CudaContext,
        buffer: &DeviceBuffer<T>,
        element: TensorElement,
        dims: &[u64],
        tile: &[u32],
    ) -> Result<TensorMap, DriverError> {
        let wrong = |text: String| DriverError::ours("CUDA_OXIDE_ERROR_INVALID_VALUE", text);
        let rank = dims.len();
        if !(1..=5).contains(&rank) || tile.len() != rank {
            return Err(wrong(format!(
                "a tensor map has one to five dimensions and as many tile sizes, not {rank} and {}",
                tile.len()
            )));
        }
        let mut strides = Vec::new();
        let mut bytes = Some(element.bytes());
        for n in dims {
            bytes = bytes.and_then(|bytes| bytes.checked_mul(*n));
            strides.extend(bytes);
        }
        if bytes.is_none_or(|bytes| bytes > buffer.num_bytes() as u64) {
            return Err(wrong(format!(
                "an array of {dims:?} does not lie in a buffer of {} bytes",
                buffer.num_bytes()
            )));
        }
        let steps = [1u32; 5];
        let mut map = TensorMap([0; 16]);
        ctx.bind()?;
        // SAFETY: the driver writes 128 bytes at an address aligned to 64, and reads `rank` numbers of each list (of the strides one less).
        unsafe {
            ctx.driver.cuTensorMapEncodeTiled(
                (&raw mut map).cast(),
                element as c_int,
                rank as c_uint,
                buffer.cu_deviceptr() as *mut c_void,
                dims.as_ptr(),
                strides.as_ptr(),
                tile.as_ptr(),
                steps.as_ptr(),
                0,
                0,
                0,
                0,
            )?
        };
        Ok(map)
    }

    /// Its 128 bytes.
    #[inline(never)]
    pub fn words(&self) -> &[u64; 16] {
        &self.0
    }
}
