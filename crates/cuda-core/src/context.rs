//! A device and its context.

use crate::driver::{self, CUcontext, CUdevice, CUdeviceptr, Driver};
use crate::{CudaModule, CudaStream, DriverError, panic_record};
use std::ffi::{c_int, c_void};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The primary context of a device: the same memory for everyone in the process.
pub struct CudaContext {
    pub(crate) driver: &'static Driver,
    device: CUdevice,
    context: CUcontext,
    ordinal: usize,
    record: PanicRecord,
}

// SAFETY: the driver API takes a context from any thread; the panic record is read through atomics and copies.
unsafe impl Send for CudaContext {}
// SAFETY: as above.
unsafe impl Sync for CudaContext {}

/// Memory that host and device see: where a panicking kernel writes what happened.
struct PanicRecord {
    host: *mut c_void,
    device: CUdeviceptr,
}

/// What a launch on the device may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchLimits {
    /// Threads in a block.
    pub max_threads_per_block: u32,
    /// Threads in a block along x, y, z.
    pub max_block_dim: (u32, u32, u32),
    /// Blocks in a grid along x, y, z.
    pub max_grid_dim: (u32, u32, u32),
    /// Bytes of shared memory in a block, without asking for more.
    pub max_shared_mem_per_block: u32,
    /// Threads in a warp.
    pub warp_size: u32,
}

/// Errors after which a kernel may have something to say.
#[inline(never)]
fn is_launch_failure(code: Option<i32>) -> bool {
    // ILLEGAL_ADDRESS to LAUNCH_TIMEOUT, ASSERT, HARDWARE_STACK_ERROR to LAUNCH_FAILED, UNKNOWN.
    matches!(code, Some(700..=702 | 710 | 714..=720 | 999))
}

impl CudaContext {
    /// The context of the device with this number.
    #[inline(never)]
    pub fn new(ordinal: usize) -> Result<Arc<Self>, DriverError> {
        let driver = driver::driver()?;
        let (mut device, mut context) = (0, std::ptr::null_mut());
        let number = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        // SAFETY: queries into locals; the context is released when `Self` is dropped.
        unsafe {
            driver.cuDeviceGet(&mut device, number)?;
            driver.cuDevicePrimaryCtxRetain(&mut context, device)?;
        }
        let empty = PanicRecord {
            host: std::ptr::null_mut(),
            device: 0,
        };
        let mut ctx = CudaContext {
            driver,
            device,
            context,
            ordinal,
            record: empty,
        };
        ctx.bind()?;
        // SAFETY: PORTABLE | DEVICEMAP memory, freed when `Self` is dropped; zeroed before the device can see it.
        unsafe {
            driver.cuMemHostAlloc(&mut ctx.record.host, panic_record::SIZE, 1 | 2)?;
            ctx.record
                .host
                .cast::<u8>()
                .write_bytes(0, panic_record::SIZE);
            driver.cuMemHostGetDevicePointer_v2(&mut ctx.record.device, ctx.record.host, 0)?;
        }
        Ok(Arc::new(ctx))
    }

    /// Makes the context this thread's; every call begins with it.
    #[inline(never)]
    pub(crate) fn bind(&self) -> Result<(), DriverError> {
        // SAFETY: the context lives as long as `self`.
        unsafe { self.driver.cuCtxSetCurrent(self.context) }
    }

    /// The number that it was made with.
    #[inline(never)]
    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// Whether the device is the simulator.
    #[inline(never)]
    pub fn is_simulated(&self) -> bool {
        self.driver.simulated
    }

    /// The stream that every context has.
    #[inline(never)]
    pub fn default_stream(self: &Arc<Self>) -> Arc<CudaStream> {
        Arc::new(CudaStream::default_of(self))
    }

    /// A new stream.
    #[inline(never)]
    pub fn new_stream(self: &Arc<Self>) -> Result<Arc<CudaStream>, DriverError> {
        CudaStream::new(self).map(Arc::new)
    }

    /// Waits for everything that was given to the device.
    #[inline(never)]
    pub fn synchronize(&self) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: no arguments.
        unsafe { self.driver.cuCtxSynchronize() }.map_err(|e| self.explain(e))
    }

    /// The device's name.
    #[inline(never)]
    pub fn device_name(&self) -> Result<String, DriverError> {
        let mut name = [0u8; 256];
        // SAFETY: at most `len` bytes are written.
        unsafe {
            self.driver.cuDeviceGetName(
                name.as_mut_ptr().cast(),
                name.len() as c_int,
                self.device,
            )?
        };
        let len = name.iter().position(|b| *b == 0).unwrap_or(name.len());
        Ok(String::from_utf8_lossy(&name[..len]).into_owned())
    }

    /// A device attribute by its number in the driver API (`CU_DEVICE_ATTRIBUTE_…`).
    #[inline(never)]
    pub fn attribute(&self, attribute: i32) -> Result<i32, DriverError> {
        let mut value = 0;
        // SAFETY: a query into a local.
        unsafe {
            self.driver
                .cuDeviceGetAttribute(&mut value, attribute, self.device)?
        };
        Ok(value)
    }

    #[inline(never)]
    fn unsigned(&self, attribute: i32) -> Result<u32, DriverError> {
        Ok(self.attribute(attribute)?.max(0) as u32)
    }

    /// Major and minor compute capability.
    #[inline(never)]
    pub fn compute_capability(&self) -> Result<(i32, i32), DriverError> {
        Ok((self.attribute(75)?, self.attribute(76)?))
    }

    /// Number of SMs.
    #[inline(never)]
    pub fn multiprocessor_count(&self) -> Result<u32, DriverError> {
        self.unsigned(16)
    }

    /// What a launch may ask for.
    #[inline(never)]
    pub fn launch_limits(&self) -> Result<LaunchLimits, DriverError> {
        Ok(LaunchLimits {
            max_threads_per_block: self.unsigned(1)?,
            max_block_dim: (self.unsigned(2)?, self.unsigned(3)?, self.unsigned(4)?),
            max_grid_dim: (self.unsigned(5)?, self.unsigned(6)?, self.unsigned(7)?),
            max_shared_mem_per_block: self.unsigned(8)?,
            warp_size: self.unsigned(10)?,
        })
    }

    /// Whether whole grids can be launched that synchronise.
    #[inline(never)]
    pub fn supports_cooperative_launch(&self) -> Result<bool, DriverError> {
        Ok(self.attribute(95)? != 0)
    }

    /// Whether blocks can be launched in clusters.
    #[inline(never)]
    pub fn supports_cluster_launch(&self) -> Result<bool, DriverError> {
        Ok(self.attribute(120)? != 0)
    }

    /// Bytes of stack for each thread.
    #[inline(never)]
    pub fn stack_size(&self) -> Result<usize, DriverError> {
        self.bind()?;
        let mut value = 0;
        // SAFETY: a query into a local; CU_LIMIT_STACK_SIZE is 0.
        unsafe { self.driver.cuCtxGetLimit(&mut value, 0)? };
        Ok(value)
    }

    /// Sets the bytes of stack for each thread.
    #[inline(never)]
    pub fn set_stack_size(&self, bytes: usize) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: values.
        unsafe { self.driver.cuCtxSetLimit(0, bytes) }
    }

    /// Loads a module from PTX text.
    #[inline(never)]
    pub fn load_module_from_ptx_src(
        self: &Arc<Self>,
        ptx: &str,
    ) -> Result<Arc<CudaModule>, DriverError> {
        CudaModule::from_ptx(self, ptx, None)
    }

    /// Loads a module from a cubin or a fat binary, or from PTX that ends in a NUL.
    ///
    /// # Safety
    /// The driver reads as much as the image's own headers say.
    #[inline(never)]
    pub unsafe fn load_module_from_image(
        self: &Arc<Self>,
        image: &[u8],
    ) -> Result<Arc<CudaModule>, DriverError> {
        // SAFETY: the caller's contract.
        unsafe { CudaModule::from_image(self, image, None) }
    }

    /// Loads a module from a file with PTX text.
    #[inline(never)]
    pub fn load_module_from_file(
        self: &Arc<Self>,
        file: impl AsRef<Path>,
    ) -> Result<Arc<CudaModule>, DriverError> {
        let file = file.as_ref();
        let text = std::fs::read_to_string(file).map_err(|e| {
            DriverError::ours(
                "CUDA_OXIDE_ERROR_FILE",
                format!("cannot read `{}`: {e}", file.display()),
            )
        })?;
        self.load_module_from_ptx_src(&text)
    }

    /// The record's address for the device.
    #[inline(never)]
    pub(crate) fn panic_record(&self) -> CUdeviceptr {
        self.record.device
    }

    /// A failed launch with what the kernel said, or else the simulator's report.
    #[inline(never)]
    pub(crate) fn explain(&self, error: DriverError) -> DriverError {
        if !is_launch_failure(error.code()) {
            return error;
        }
        match self.take_panic() {
            Some(text) => error.with_detail(text),
            None => error.with_detail(self.driver.last_report()),
        }
    }

    #[inline(never)]
    fn take_panic(&self) -> Option<String> {
        if self.record.host.is_null() {
            return None;
        }
        // SAFETY: the record's first word, aligned, alive; the device writes it with system scope.
        let state = unsafe { AtomicU32::from_ptr(self.record.host.cast()) };
        if state.load(Ordering::Acquire) != panic_record::COMPLETE {
            return None;
        }
        let mut copy = [0u8; panic_record::SIZE];
        // SAFETY: the record is complete, so the device does not write it any more.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.record.host.cast::<u8>(),
                copy.as_mut_ptr(),
                copy.len(),
            )
        };
        state.store(0, Ordering::Release);
        panic_record::describe(&copy)
    }
}

impl Drop for CudaContext {
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: both were made by `new`; nothing uses them any more, because everything that does holds the context.
        let result = self.bind().and_then(|()| unsafe {
            if !self.record.host.is_null() {
                self.driver.cuMemFreeHost(self.record.host)?;
            }
            self.driver.cuDevicePrimaryCtxRelease_v2(self.device)
        });
        report_drop("a context", result);
    }
}

/// An error while something is dropped. After a failed launch every call of a GPU's context fails, which was reported.
#[inline(never)]
pub(crate) fn report_drop(what: &str, result: Result<(), DriverError>) {
    if let Err(e) = result
        && !is_launch_failure(e.code())
    {
        eprintln!("cuda-oxide: while {what} was freed: {e}");
    }
}
