//! Loaded modules and the kernels in them.

use crate::context::report_drop;
use crate::driver::{CUdeviceptr, CUfunction, CUmodule, NOT_FOUND};
use crate::{CudaContext, CudaStream, DriverError, LaunchConfig, observe};
use artifact::{Artifact, Kernel};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// A loaded module.
pub struct CudaModule {
    ctx: Arc<CudaContext>,
    module: CUmodule,
    /// What it was loaded from, when that was an artifact.
    artifact: Option<Artifact>,
    /// What it was loaded from, when that was something else: PTX text, a cubin, a fat binary.
    image: Vec<u8>,
    /// Functions by kernel key, and for generic instances by symbol.
    functions: Mutex<HashMap<String, Loaded>>,
}

/// A kernel that was looked up: its function, and its row of the artifact.
#[derive(Clone, Copy)]
pub(crate) struct Loaded {
    pub(crate) function: CUfunction,
    pub(crate) kernel: usize,
}

// SAFETY: handles that the driver API takes from any thread.
unsafe impl Send for CudaModule {}
// SAFETY: as above; the map is behind a lock.
unsafe impl Sync for CudaModule {}

/// Options of `cuModuleLoadDataEx`.
const JIT_ERROR_LOG_BUFFER: c_int = 5;
const JIT_ERROR_LOG_BUFFER_SIZE: c_int = 6;
/// The global by which a module finds the panic record.
const PANIC_RECORD: &CStr = c"__oxide_panic_record";

impl CudaModule {
    #[inline(never)]
    pub(crate) fn from_ptx(
        ctx: &Arc<CudaContext>,
        ptx: &str,
        artifact: Option<Artifact>,
    ) -> Result<Arc<Self>, DriverError> {
        let text = CString::new(ptx).map_err(|_| {
            DriverError::ours("CUDA_OXIDE_ERROR_INVALID_PTX", "the PTX holds a NUL")
        })?;
        // SAFETY: PTX that ends in a NUL.
        unsafe { Self::from_image(ctx, text.as_bytes_with_nul(), artifact) }
    }

    /// # Safety
    /// The driver reads as much as the image says.
    #[inline(never)]
    pub(crate) unsafe fn from_image(
        ctx: &Arc<CudaContext>,
        image: &[u8],
        artifact: Option<Artifact>,
    ) -> Result<Arc<Self>, DriverError> {
        ctx.bind()?;
        let mut log = vec![0u8; 8192];
        let mut names = [JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_SIZE];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), log.len() as *mut c_void];
        let mut module = std::ptr::null_mut();
        // SAFETY: the options are two pairs: a buffer and its size.
        let result = unsafe {
            ctx.driver.cuModuleLoadDataEx(
                &mut module,
                image.as_ptr().cast(),
                2,
                names.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        result.map_err(|e| {
            let len = log.iter().position(|b| *b == 0).unwrap_or(log.len());
            let said = String::from_utf8_lossy(&log[..len]).into_owned();
            e.with_detail(if said.trim().is_empty() {
                ctx.driver.last_report()
            } else {
                said
            })
        })?;
        let image = match &artifact {
            Some(_) => Vec::new(),
            None => image.to_vec(),
        };
        let module = CudaModule {
            ctx: ctx.clone(),
            module,
            artifact,
            image,
            functions: Mutex::default(),
        };
        module.set_panic_record()?;
        module.set_side_table()?;
        Ok(Arc::new(module))
    }

    /// Tells the module where its panics go, if it can panic.
    #[inline(never)]
    fn set_panic_record(&self) -> Result<(), DriverError> {
        let (address, bytes) = match self.global(PANIC_RECORD) {
            Err(e) if e.code() == Some(NOT_FOUND) => return Ok(()),
            global => global?,
        };
        let record = self.ctx.panic_record();
        if bytes != size_of_val(&record) {
            let text = format!(
                "`{}` has {bytes} bytes, an address has 8",
                PANIC_RECORD.to_string_lossy()
            );
            return Err(DriverError::ours("CUDA_OXIDE_ERROR_INVALID_PTX", text));
        }
        // SAFETY: eight bytes of the module's own global.
        unsafe {
            self.ctx
                .driver
                .cuMemcpyHtoD_v2(address, (&raw const record).cast(), bytes)
        }
    }

    /// Gives the simulator the Rust lines.
    #[inline(never)]
    fn set_side_table(&self) -> Result<(), DriverError> {
        let Some(artifact) = &self.artifact else {
            return Ok(());
        };
        if !self.ctx.driver.takes_side_tables() {
            return Ok(());
        }
        let bytes = artifact.side.to_bytes();
        // SAFETY: the bytes are read during the call.
        unsafe {
            self.ctx
                .driver
                .oxideModuleSetSideTable(self.module, bytes.as_ptr().cast(), bytes.len())
        }
    }

    /// The module's context.
    #[inline(never)]
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.ctx
    }

    /// What the module was loaded from, when that was an artifact.
    #[inline(never)]
    pub fn artifact(&self) -> Option<&Artifact> {
        self.artifact.as_ref()
    }

    /// What the module was loaded from, when that was no artifact: PTX with a NUL at its end, a cubin, or a fat binary.
    #[inline(never)]
    pub fn image(&self) -> Option<&[u8]> {
        self.artifact.is_none().then_some(&self.image)
    }

    #[inline(never)]
    fn global(&self, name: &CStr) -> Result<(CUdeviceptr, usize), DriverError> {
        self.ctx.bind()?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: into locals; the name ends in a NUL.
        unsafe {
            self.ctx.driver.cuModuleGetGlobal_v2(
                &mut address,
                &mut bytes,
                self.module,
                name.as_ptr(),
            )?
        };
        Ok((address, bytes))
    }

    /// Address and size of a global variable, by its PTX name.
    #[inline(never)]
    pub fn get_global(&self, name: &str) -> Result<(CUdeviceptr, usize), DriverError> {
        self.global(&c_name(name)?)
    }

    /// A kernel by its name in PTX or, in a module of ours, by its Rust path or the last part of it.
    #[inline(never)]
    pub fn load_function(self: &Arc<Self>, name: &str) -> Result<CudaFunction, DriverError> {
        let rust = self.artifact.iter().flat_map(|a| &a.kernels);
        let named: Vec<&Kernel> = rust
            .filter(|k| k.key == name || k.key.rsplit("::").next() == Some(name))
            .collect();
        let ptx_name = match named[..] {
            [kernel] => kernel.ptx_name.as_str(),
            [] => name,
            _ => {
                let keys: Vec<&str> = named.iter().map(|k| k.key.as_str()).collect();
                let text = format!("`{name}` names several kernels: {}", keys.join(", "));
                return Err(DriverError::ours("CUDA_OXIDE_ERROR_AMBIGUOUS_KERNEL", text));
            }
        };
        let function = self.function(ptx_name)?;
        Ok(CudaFunction {
            module: self.clone(),
            function,
            ptx_name: ptx_name.into(),
        })
    }

    #[inline(never)]
    fn function(&self, ptx_name: &str) -> Result<CUfunction, DriverError> {
        self.ctx.bind()?;
        let name = c_name(ptx_name)?;
        let mut function = std::ptr::null_mut();
        // SAFETY: into a local; the name ends in a NUL.
        let result = unsafe {
            self.ctx
                .driver
                .cuModuleGetFunction(&mut function, self.module, name.as_ptr())
        };
        result.map_err(|e| e.with_detail(format!("the module has no kernel `{ptx_name}`")))?;
        Ok(function)
    }

    /// The kernel that `name` stands for; `key` makes the artifact's key of it when it is asked for the first time.
    #[inline(never)]
    pub(crate) fn kernel(
        &self,
        name: &str,
        key: impl FnOnce() -> Result<String, DriverError>,
    ) -> Result<(Loaded, &Kernel), DriverError> {
        let Some(artifact) = &self.artifact else {
            return Err(DriverError::ours(
                "CUDA_OXIDE_ERROR_NOT_BUILT",
                "the module was not loaded from an artifact",
            ));
        };
        let mut functions = self
            .functions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let loaded = match functions.get(name) {
            Some(loaded) => *loaded,
            None => {
                let key = key()?;
                let Some(kernel) = artifact.kernels.iter().position(|k| k.key == key) else {
                    return Err(no_kernel(artifact, &key));
                };
                let function = self.function(&artifact.kernels[kernel].ptx_name)?;
                let loaded = Loaded { function, kernel };
                functions.insert(name.to_owned(), loaded);
                loaded
            }
        };
        Ok((loaded, &artifact.kernels[loaded.kernel]))
    }
}

/// The artifact lacks a kernel that the host launches.
#[inline(never)]
pub(crate) fn no_kernel(artifact: &Artifact, key: &str) -> DriverError {
    let has: Vec<String> = artifact
        .kernels
        .iter()
        .map(|k| format!("\n  {}", artifact::pretty(&k.key)))
        .collect();
    let text = format!(
        "the artifact of `{}` has no kernel `{}`: host and device code are of different builds; run `cargo oxide build` again",
        artifact.crate_name,
        artifact::pretty(key),
    );
    let has = if has.is_empty() {
        "it has none".to_owned()
    } else {
        format!("it has:{}", has.concat())
    };
    DriverError::ours("CUDA_OXIDE_ERROR_NO_KERNEL", text).with_detail(has)
}

#[inline(never)]
fn c_name(name: &str) -> Result<CString, DriverError> {
    CString::new(name)
        .map_err(|_| DriverError::ours("CUDA_OXIDE_ERROR_INVALID_VALUE", "a name with a NUL"))
}

impl Drop for CudaModule {
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: loaded by `from_image`; functions hold the module.
        let result = self
            .ctx
            .bind()
            .and_then(|()| unsafe { self.ctx.driver.cuModuleUnload(self.module) });
        report_drop("a module", result);
    }
}

/// A kernel.
#[derive(Clone)]
pub struct CudaFunction {
    module: Arc<CudaModule>,
    function: CUfunction,
    ptx_name: Arc<str>,
}

// SAFETY: a handle that the driver API takes from any thread.
unsafe impl Send for CudaFunction {}
// SAFETY: as above.
unsafe impl Sync for CudaFunction {}

impl CudaFunction {
    #[inline(never)]
    fn attribute(&self, attribute: c_int) -> Result<i32, DriverError> {
        let mut value = 0;
        // SAFETY: a query into a local.
        unsafe {
            self.module
                .ctx
                .driver
                .cuFuncGetAttribute(&mut value, attribute, self.function)?
        };
        Ok(value)
    }

    /// The most threads in a block with which it can be launched.
    #[inline(never)]
    pub fn max_threads_per_block(&self) -> Result<i32, DriverError> {
        self.attribute(0)
    }

    /// Bytes of static shared memory.
    #[inline(never)]
    pub fn static_shared_memory_bytes(&self) -> Result<i32, DriverError> {
        self.attribute(1)
    }

    /// Bytes of constant memory.
    #[inline(never)]
    pub fn const_size_bytes(&self) -> Result<i32, DriverError> {
        self.attribute(2)
    }

    /// Bytes of local memory for each thread.
    #[inline(never)]
    pub fn local_size_bytes(&self) -> Result<i32, DriverError> {
        self.attribute(3)
    }

    /// Registers for each thread.
    #[inline(never)]
    pub fn num_registers(&self) -> Result<i32, DriverError> {
        self.attribute(4)
    }

    /// How many blocks of `block_size` threads fit on an SM at once.
    #[inline(never)]
    pub fn max_active_blocks_per_multiprocessor(
        &self,
        block_size: u32,
        shared_mem_bytes: usize,
    ) -> Result<u32, DriverError> {
        self.module.ctx.bind()?;
        let mut blocks = 0;
        let size = c_int::try_from(block_size).unwrap_or(c_int::MAX);
        let driver = self.module.ctx.driver;
        // SAFETY: a query into a local.
        unsafe {
            driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                self.function,
                size,
                shared_mem_bytes,
            )?
        };
        Ok(blocks.max(0) as u32)
    }

    /// Launches with one pointer for each PTX parameter, to its bytes.
    ///
    /// # Safety
    /// The pointers are as many as the kernel's parameters and point to as many bytes as each has; and the kernel's own
    /// contract.
    #[inline(never)]
    pub unsafe fn launch(
        &self,
        stream: &CudaStream,
        cfg: impl Into<LaunchConfig>,
        params: &[*const c_void],
    ) -> Result<(), DriverError> {
        let cfg = cfg.into();
        // SAFETY: the caller's contract.
        unsafe { launch_raw(&self.module.ctx, self.function, stream, cfg, false, params)? };
        observe::launched(&self.module, &self.ptx_name, cfg);
        Ok(())
    }

    /// [`launch`](Self::launch) of a grid whose blocks are all resident at once, so that they may wait for each other
    /// (`grid::sync`). More blocks than fit are `CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE`; how many fit is
    /// [`max_active_blocks_per_multiprocessor`](Self::max_active_blocks_per_multiprocessor) times the context's
    /// [`multiprocessor_count`](CudaContext::multiprocessor_count).
    ///
    /// # Safety
    /// As [`launch`](Self::launch).
    #[inline(never)]
    pub unsafe fn launch_cooperative(
        &self,
        stream: &CudaStream,
        cfg: impl Into<LaunchConfig>,
        params: &[*const c_void],
    ) -> Result<(), DriverError> {
        // SAFETY: the caller's contract.
        unsafe {
            launch_raw(
                &self.module.ctx,
                self.function,
                stream,
                cfg.into(),
                true,
                params,
            )
        }
    }
}

/// # Safety
/// As [`CudaFunction::launch`].
#[inline(never)]
pub(crate) unsafe fn launch_raw(
    ctx: &CudaContext,
    function: CUfunction,
    stream: &CudaStream,
    cfg: LaunchConfig,
    cooperative: bool,
    params: &[*const c_void],
) -> Result<(), DriverError> {
    /// What a block has without asking for more.
    const SHARED_WITHOUT_ASKING: u32 = 48 * 1024;
    const MAX_DYNAMIC_SHARED_SIZE_BYTES: c_int = 8;
    ctx.bind()?;
    if cfg.shared_mem_bytes > SHARED_WITHOUT_ASKING {
        let bytes = c_int::try_from(cfg.shared_mem_bytes).unwrap_or(c_int::MAX);
        // SAFETY: values.
        unsafe {
            ctx.driver
                .cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?
        };
    }
    let ((gx, gy, gz), (bx, by, bz)) = (cfg.grid_dim, cfg.block_dim);
    let mut params: Vec<*mut c_void> = params.iter().map(|p| p.cast_mut()).collect();
    let none = std::ptr::null_mut();
    let (shared, stream) = (cfg.shared_mem_bytes, stream.raw());
    // SAFETY: the caller's contract; the driver copies the parameters during the call.
    let result = unsafe {
        if cooperative {
            ctx.driver.cuLaunchCooperativeKernel(
                function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                shared,
                stream,
                params.as_mut_ptr(),
            )
        } else {
            ctx.driver.cuLaunchKernel(
                function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                shared,
                stream,
                params.as_mut_ptr(),
                none,
            )
        }
    };
    result
        .map_err(|e| ctx.explain(e))
        .map_err(|e| match e.code() {
            Some(1 | 720) => e.with_detail(format!(
                "the launch: grid {:?}, block {:?}, {shared} bytes of shared memory",
                cfg.grid_dim, cfg.block_dim
            )),
            _ => e,
        })
}
