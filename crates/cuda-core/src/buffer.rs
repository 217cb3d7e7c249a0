//! Memory: the device's, and the host's that the device copies fast.

use crate::context::report_drop;
use crate::driver::CUdeviceptr;
use crate::{CudaContext, CudaStream, DeviceCopy, DriverError};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// `len` values in the device's memory; freed when it is dropped.
pub struct DeviceBuffer<T: DeviceCopy> {
    ctx: Arc<CudaContext>,
    /// 0 when there are no bytes.
    address: CUdeviceptr,
    len: usize,
    _values: PhantomData<T>,
}

// SAFETY: an address in the device's memory, and values that may be sent.
unsafe impl<T: DeviceCopy + Send> Send for DeviceBuffer<T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy + Sync> Sync for DeviceBuffer<T> {}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Memory with undefined contents.
    ///
    /// # Safety
    /// Nothing reads it as `T` before it is written.
    #[inline(never)]
    pub unsafe fn uninit(stream: &CudaStream, len: usize) -> Result<Self, DriverError> {
        let ctx = stream.context().clone();
        let bytes = len.checked_mul(size_of::<T>()).ok_or_else(|| {
            DriverError::ours(
                "CUDA_OXIDE_ERROR_INVALID_VALUE",
                "a buffer of more bytes than an address can count",
            )
        })?;
        let mut address = 0;
        if bytes > 0 {
            ctx.bind()?;
            // SAFETY: into a local; freed when `Self` is dropped.
            unsafe { ctx.driver.cuMemAlloc_v2(&mut address, bytes)? };
        }
        Ok(DeviceBuffer {
            ctx,
            address,
            len,
            _values: PhantomData,
        })
    }

    /// A copy of `values` on the device.
    #[inline(never)]
    pub fn from_host(stream: &CudaStream, values: &[T]) -> Result<Self, DriverError> {
        // SAFETY: written at once.
        let mut new = unsafe { Self::uninit(stream, values.len())? };
        new.copy_from_host(stream, values)?;
        Ok(new)
    }

    /// `len` values whose bytes are all zero.
    #[inline(never)]
    pub fn zeroed(stream: &CudaStream, len: usize) -> Result<Self, DriverError> {
        // SAFETY: written at once; `DeviceCopy` has zero among its values.
        let new = unsafe { Self::uninit(stream, len)? };
        if new.num_bytes() > 0 {
            // SAFETY: the buffer's own bytes.
            unsafe {
                new.ctx
                    .driver
                    .cuMemsetD8Async(new.address, 0, new.num_bytes(), stream.raw())
            }
            .map_err(|e| new.ctx.explain(e))?;
        }
        Ok(new)
    }

    /// The values, copied to the host when what the stream has now is done.
    #[inline(never)]
    pub fn to_host_vec(&self, stream: &CudaStream) -> Result<Vec<T>, DriverError> {
        let mut values: Vec<T> = Vec::with_capacity(self.len);
        // SAFETY: room for all values; the copy is complete when it returns.
        unsafe {
            self.copy_out(stream, values.as_mut_ptr().cast())?;
            values.set_len(self.len);
        }
        Ok(values)
    }

    /// Copies all values to `to`, which has as many.
    #[inline(never)]
    pub fn copy_to_host(&self, stream: &CudaStream, to: &mut [T]) -> Result<(), DriverError> {
        self.same_len(to.len())?;
        // SAFETY: room for all values.
        unsafe { self.copy_out(stream, to.as_mut_ptr().cast()) }
    }

    #[inline(never)]
    unsafe fn copy_out(&self, stream: &CudaStream, to: *mut c_void) -> Result<(), DriverError> {
        self.ctx.bind()?;
        if self.num_bytes() > 0 {
            // SAFETY: the buffer's own bytes; the caller has room for them.
            unsafe {
                self.ctx.driver.cuMemcpyDtoHAsync_v2(
                    to,
                    self.address,
                    self.num_bytes(),
                    stream.raw(),
                )
            }
            .map_err(|e| self.ctx.explain(e))?;
        }
        stream.synchronize()
    }

    /// Copies as many values as the buffer has from `from`. The copy is complete when it returns.
    #[inline(never)]
    pub fn copy_from_host(&mut self, stream: &CudaStream, from: &[T]) -> Result<(), DriverError> {
        self.same_len(from.len())?;
        if self.num_bytes() == 0 {
            return Ok(());
        }
        self.ctx.bind()?;
        let (bytes, address) = (self.num_bytes(), self.address);
        // SAFETY: the buffer's own bytes, from as many.
        unsafe {
            self.ctx
                .driver
                .cuMemcpyHtoDAsync_v2(address, from.as_ptr().cast(), bytes, stream.raw())
        }
        .map_err(|e| self.ctx.explain(e))?;
        // `from` may be pinned memory, which the device reads later.
        stream.synchronize()
    }

    #[inline(never)]
    fn same_len(&self, other: usize) -> Result<(), DriverError> {
        if self.len == other {
            return Ok(());
        }
        let text = format!("the buffer has {} values, the slice {other}", self.len);
        Err(DriverError::ours("CUDA_OXIDE_ERROR_INVALID_VALUE", text))
    }

    /// Number of values.
    #[inline(never)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no values.
    #[inline(never)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of bytes.
    #[inline(never)]
    pub fn num_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The device's address of the first value.
    #[inline(never)]
    pub fn cu_deviceptr(&self) -> CUdeviceptr {
        self.address
    }

    /// The buffer's context.
    #[inline(never)]
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.ctx
    }

    /// The same bytes as values of another type of the same size.
    ///
    /// # Safety
    /// The bytes are values of `U`.
    #[inline(never)]
    pub unsafe fn cast_elem<U: DeviceCopy>(self) -> Result<DeviceBuffer<U>, DriverError> {
        if size_of::<T>() != size_of::<U>() || align_of::<U>() > 256 {
            let text = format!("a cast from {} to {} bytes", size_of::<T>(), size_of::<U>());
            return Err(DriverError::ours("CUDA_OXIDE_ERROR_INVALID_VALUE", text));
        }
        let (address, len, ctx) = self.into_raw_parts();
        Ok(DeviceBuffer {
            ctx,
            address,
            len,
            _values: PhantomData,
        })
    }

    /// The same values as arrays of `N`; an error when they do not come out even.
    #[inline(never)]
    pub fn cast_chunks<const N: usize>(self) -> Result<DeviceBuffer<[T; N]>, DriverError> {
        if N == 0 || !self.len.is_multiple_of(N) {
            let text = format!("{} values do not make arrays of {N}", self.len);
            return Err(DriverError::ours("CUDA_OXIDE_ERROR_INVALID_VALUE", text));
        }
        let (address, len, ctx) = self.into_raw_parts();
        Ok(DeviceBuffer {
            ctx,
            address,
            len: len / N,
            _values: PhantomData,
        })
    }

    /// Address, number of values and context; the memory is the caller's to free by [`from_raw_parts`](Self::from_raw_parts).
    #[inline(never)]
    pub fn into_raw_parts(self) -> (CUdeviceptr, usize, Arc<CudaContext>) {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is not dropped, so the context is moved out once.
        (this.address, this.len, unsafe { std::ptr::read(&this.ctx) })
    }

    /// Takes memory over.
    ///
    /// # Safety
    /// `address` was allocated by the driver in `ctx`, with room for `len` values, and nobody else frees it.
    #[inline(never)]
    pub unsafe fn from_raw_parts(address: CUdeviceptr, len: usize, ctx: Arc<CudaContext>) -> Self {
        DeviceBuffer {
            ctx,
            address,
            len,
            _values: PhantomData,
        }
    }
}

impl<T: DeviceCopy> Drop for DeviceBuffer<T> {
    #[inline(never)]
    fn drop(&mut self) {
        if self.address != 0 {
            // SAFETY: allocated by the driver; the driver waits for what uses it.
            let result = self
                .ctx
                .bind()
                .and_then(|()| unsafe { self.ctx.driver.cuMemFree_v2(self.address) });
            report_drop("a buffer", result);
        }
    }
}

/// A buffer as rows of `row_width` values: what a kernel takes as `DisjointSlice<T, Runtime2DIndex>`.
pub struct Pitched<'a, T: DeviceCopy> {
    pub(crate) buffer: &'a mut DeviceBuffer<T>,
    pub(crate) row_width: usize,
}

impl<'a, T: DeviceCopy> Pitched<'a, T> {
    /// Rows of `row_width` values.
    #[inline(never)]
    pub fn new(buffer: &'a mut DeviceBuffer<T>, row_width: usize) -> Self {
        Pitched { buffer, row_width }
    }
}

/// Host memory that the device copies from and to without a detour; dereferences to a slice.
pub struct PinnedHostBuffer<T: DeviceCopy> {
    ctx: Arc<CudaContext>,
    values: *mut T,
    len: usize,
}

// SAFETY: owned memory.
unsafe impl<T: DeviceCopy + Send> Send for PinnedHostBuffer<T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy + Sync> Sync for PinnedHostBuffer<T> {}

impl<T: DeviceCopy> PinnedHostBuffer<T> {
    /// `len` values whose bytes are all zero.
    #[inline(never)]
    pub fn zeroed(ctx: &Arc<CudaContext>, len: usize) -> Result<Self, DriverError> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or_else(|| {
            DriverError::ours(
                "CUDA_OXIDE_ERROR_INVALID_VALUE",
                "a buffer of more bytes than an address can count",
            )
        })?;
        let mut values = std::ptr::dangling_mut::<T>();
        if bytes > 0 {
            ctx.bind()?;
            let mut memory = std::ptr::null_mut();
            // SAFETY: into a local; the bytes are the allocation's. The driver aligns to pages.
            unsafe {
                ctx.driver.cuMemHostAlloc(&mut memory, bytes, 1)?;
                memory.cast::<u8>().write_bytes(0, bytes);
            }
            values = memory.cast();
        }
        Ok(PinnedHostBuffer {
            ctx: ctx.clone(),
            values,
            len,
        })
    }

    /// A copy of `values`.
    #[inline(never)]
    pub fn from_slice(ctx: &Arc<CudaContext>, values: &[T]) -> Result<Self, DriverError> {
        let mut new = Self::zeroed(ctx, values.len())?;
        new.copy_from_slice(values);
        Ok(new)
    }
}

impl<T: DeviceCopy> Deref for PinnedHostBuffer<T> {
    type Target = [T];
    #[inline(never)]
    fn deref(&self) -> &[T] {
        // SAFETY: `len` values that were zeroed, zero being a value of every `DeviceCopy` type.
        unsafe { std::slice::from_raw_parts(self.values, self.len) }
    }
}

impl<T: DeviceCopy> DerefMut for PinnedHostBuffer<T> {
    #[inline(never)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.values, self.len) }
    }
}

impl<T: DeviceCopy> Drop for PinnedHostBuffer<T> {
    #[inline(never)]
    fn drop(&mut self) {
        if self.len * size_of::<T>() > 0 {
            // SAFETY: allocated by `zeroed`.
            let result = self
                .ctx
                .bind()
                .and_then(|()| unsafe { self.ctx.driver.cuMemFreeHost(self.values.cast()) });
            report_drop("pinned memory", result);
        }
    }
}
