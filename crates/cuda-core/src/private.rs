//! What `#[cuda_module]` expands to. Not for anyone else.

use crate::module::{Loaded, launch_raw, no_kernel};
use crate::{
    CudaContext, CudaModule, CudaStream, DeviceBuffer, DeviceCopy, DriverError, LaunchConfig,
    Pitched, observe,
};
use artifact::{Artifact, Kernel};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::Arc;

/// A plain kernel as the host sees it: its key, and name and layout hash of each argument.
pub struct Expected {
    pub key: &'static str,
    pub args: &'static [(&'static str, u64)],
}

/// `load` of a module: compares layouts, then loads.
#[inline(never)]
pub fn load(
    ctx: &Arc<CudaContext>,
    artifact: Option<&[u8]>,
    expected: &[Expected],
    module: &str,
) -> Result<Arc<CudaModule>, DriverError> {
    let Some(bytes) = artifact else {
        let text = format!(
            "`{module}::load`: this program was built by plain cargo build, so it holds no device code: \
             use `cargo oxide build` or `cargo oxide run`"
        );
        return Err(DriverError::ours("CUDA_OXIDE_ERROR_NOT_BUILT", text));
    };
    let artifact = Artifact::from_bytes(bytes).map_err(|e| {
        let text = format!("the embedded artifact of `{module}` cannot be read: {e}");
        DriverError::ours("CUDA_OXIDE_ERROR_INVALID_ARTIFACT", text)
    })?;
    for e in expected {
        let kernel = artifact
            .kernel(e.key)
            .ok_or_else(|| no_kernel(&artifact, e.key))?;
        if kernel.args.len() != e.args.len() {
            return Err(count_differs(kernel, e.args.len()));
        }
        for (arg, (name, layout)) in kernel.args.iter().zip(e.args) {
            same_layout(kernel, arg, name, *layout)?;
        }
    }
    let ptx = artifact.ptx.clone();
    CudaModule::from_ptx(ctx, &ptx, Some(artifact))
}

#[inline(never)]
fn count_differs(kernel: &Kernel, host: usize) -> DriverError {
    let text = format!(
        "kernel `{}` has {} arguments on the device and {host} on the host: run `cargo oxide build` again",
        artifact::pretty(&kernel.key),
        kernel.args.len(),
    );
    DriverError::ours("CUDA_OXIDE_ERROR_LAYOUT_MISMATCH", text)
}

#[inline(never)]
fn same_layout(
    kernel: &Kernel,
    arg: &artifact::Arg,
    name: &str,
    host: u64,
) -> Result<(), DriverError> {
    match arg.layout_hash {
        Some(device) if device != host => {
            let text = format!(
                "kernel `{}`: argument `{name}: {}` is laid out differently on the host (hash {host:#018x}) and on the device \
                 ({device:#018x}): the two passes saw different sources or compilers; run `cargo oxide build` again",
                artifact::pretty(&kernel.key),
                arg.type_name,
            );
            Err(DriverError::ours("CUDA_OXIDE_ERROR_LAYOUT_MISMATCH", text))
        }
        _ => Ok(()),
    }
}

/// One argument of a launch: its bytes as the Rust argument has them on the device, and its layout hash.
pub struct Arg<'a> {
    bytes: Bytes,
    layout: u64,
    _borrow: PhantomData<&'a ()>,
}

enum Bytes {
    /// Words made here: addresses and lengths.
    Words([u64; 3], usize),
    /// A value elsewhere.
    Value(*const c_void, usize),
}

impl<'a> Arg<'a> {
    /// `&[T]`, `&mut [T]`, `DisjointSlice<T>`
    #[inline(never)]
    pub fn slice<T: DeviceCopy>(buffer: &'a DeviceBuffer<T>) -> Self {
        Self::words(
            [buffer_address(buffer), buffer.len() as u64, 0],
            16,
            T::LAYOUT,
        )
    }

    /// `DisjointSlice<T, Runtime2DIndex>`
    #[inline(never)]
    pub fn pitched<T: DeviceCopy>(pitched: &'a Pitched<'_, T>) -> Self {
        let words = [
            buffer_address(pitched.buffer),
            pitched.buffer.len() as u64,
            pitched.row_width as u64,
        ];
        Self::words(words, 24, T::LAYOUT)
    }

    /// `&T`
    #[inline(never)]
    pub fn reference<T: DeviceCopy>(buffer: &'a DeviceBuffer<T>) -> Result<Self, DriverError> {
        if buffer.is_empty() {
            let text = "a reference needs a buffer with at least one value";
            return Err(DriverError::ours("CUDA_OXIDE_ERROR_INVALID_VALUE", text));
        }
        Ok(Self::words([buffer_address(buffer), 0, 0], 8, T::LAYOUT))
    }

    /// A value.
    #[inline(never)]
    pub fn value<T: DeviceCopy>(value: &'a T) -> Self {
        let bytes = Bytes::Value((value as *const T).cast(), size_of::<T>());
        Arg {
            bytes,
            layout: T::LAYOUT,
            _borrow: PhantomData,
        }
    }

    /// A closure: of its layout size and alignment are known.
    #[inline(never)]
    pub fn closure<F: Copy>(value: &'a F) -> Self {
        let bytes = Bytes::Value((value as *const F).cast(), size_of::<F>());
        Arg {
            bytes,
            layout: device_copy::opaque_layout::<F>(),
            _borrow: PhantomData,
        }
    }

    #[inline(never)]
    fn words(words: [u64; 3], bytes: usize, layout: u64) -> Self {
        Arg {
            bytes: Bytes::Words(words, bytes),
            layout,
            _borrow: PhantomData,
        }
    }

    #[inline(never)]
    fn bytes(&self) -> (*const c_void, usize) {
        match &self.bytes {
            Bytes::Words(words, len) => (words.as_ptr().cast(), *len),
            Bytes::Value(at, len) => (*at, *len),
        }
    }
}

/// An empty buffer has no memory; Rust wants a slice's address to be aligned and not null.
#[inline(never)]
fn buffer_address<T: DeviceCopy>(buffer: &DeviceBuffer<T>) -> u64 {
    match buffer.cu_deviceptr() {
        0 => align_of::<T>() as u64,
        address => address,
    }
}

/// Launches a plain kernel.
///
/// # Safety
/// The kernel's contract.
#[inline(never)]
pub unsafe fn launch(
    module: &CudaModule,
    key: &str,
    stream: &CudaStream,
    cfg: LaunchConfig,
    cooperative: bool,
    args: &[Arg<'_>],
) -> Result<(), DriverError> {
    let (loaded, kernel) = module.kernel(key, || Ok(key.to_owned()))?;
    // SAFETY: the caller's contract.
    unsafe { launch_sliced(module, loaded, kernel, stream, cfg, cooperative, args) }
}

/// Launches the instance of a generic kernel with this symbol.
///
/// # Safety
/// The kernel's contract.
#[inline(never)]
pub unsafe fn launch_instance(
    module: &CudaModule,
    symbol: &str,
    stream: &CudaStream,
    cfg: LaunchConfig,
    cooperative: bool,
    args: &[Arg<'_>],
) -> Result<(), DriverError> {
    let key = || {
        artifact::canonical_instance(symbol).map_err(|e| {
            let text = format!(
                "the launch's own symbol cannot be read: {e}; run `cargo oxide build` again"
            );
            DriverError::ours("CUDA_OXIDE_ERROR_NO_KERNEL", text)
        })
    };
    let (loaded, kernel) = module.kernel(symbol, key)?;
    if kernel.args.len() == args.len() {
        for (arg, host) in kernel.args.iter().zip(args) {
            same_layout(kernel, arg, &arg.name, host.layout)?;
        }
    }
    // SAFETY: the caller's contract.
    unsafe { launch_sliced(module, loaded, kernel, stream, cfg, cooperative, args) }
}

/// Whether a launch is what `#[launch_contract]` says: dimensions where they are given, and at least so much shared memory.
#[inline(never)]
pub fn keeps_contract(
    kernel: &str,
    cfg: &LaunchConfig,
    grid: Option<(u32, u32, u32)>,
    block: Option<(u32, u32, u32)>,
    shared: u32,
) -> Result<(), DriverError> {
    let mut wrong = Vec::new();
    if let Some(grid) = grid.filter(|g| *g != cfg.grid_dim) {
        wrong.push(format!("grid {:?}, not {grid:?}", cfg.grid_dim));
    }
    if let Some(block) = block.filter(|b| *b != cfg.block_dim) {
        wrong.push(format!("block {:?}, not {block:?}", cfg.block_dim));
    }
    if cfg.shared_mem_bytes < shared {
        wrong.push(format!(
            "{} bytes of shared memory, not {shared}",
            cfg.shared_mem_bytes
        ));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let text = format!(
        "kernel `{kernel}` is launched against its contract: {}",
        wrong.join("; ")
    );
    Err(DriverError::ours("CUDA_OXIDE_ERROR_LAUNCH_CONTRACT", text))
}

/// Slices the arguments' bytes by the artifact's table.
#[inline(never)]
unsafe fn launch_sliced(
    module: &CudaModule,
    loaded: Loaded,
    kernel: &Kernel,
    stream: &CudaStream,
    cfg: LaunchConfig,
    cooperative: bool,
    args: &[Arg<'_>],
) -> Result<(), DriverError> {
    if kernel.args.len() != args.len() {
        return Err(count_differs(kernel, args.len()));
    }
    for (arg, host) in kernel.args.iter().zip(args) {
        let (_, size) = host.bytes();
        if arg.size != size as u64 {
            let text = format!(
                "kernel `{}`: argument `{}: {}` has {} bytes on the device and {size} on the host: run `cargo oxide build` again",
                artifact::pretty(&kernel.key),
                arg.name,
                arg.type_name,
                arg.size,
            );
            return Err(DriverError::ours("CUDA_OXIDE_ERROR_LAYOUT_MISMATCH", text));
        }
    }
    let mut params = Vec::with_capacity(kernel.params.len());
    for p in &kernel.params {
        // The reader of the artifact checked that the range lies within the argument.
        let (at, _) = args[p.arg as usize].bytes();
        params.push(at.wrapping_byte_add(p.offset as usize));
    }
    // SAFETY: one pointer for each parameter, to as many bytes as the table says; and the caller's contract.
    unsafe {
        launch_raw(
            module.context(),
            loaded.function,
            stream,
            cfg,
            cooperative,
            &params,
        )?
    };
    observe::launched(module, &kernel.ptx_name, cfg);
    Ok(())
}

/// What generated code returns in the device pass, where it never runs.
#[inline(never)]
pub fn device_pass() -> DriverError {
    DriverError::ours(
        "CUDA_OXIDE_ERROR_NOT_BUILT",
        "this is the device pass of `cargo oxide`, which is not run",
    )
}

/// A string of `__symbol_of!`.
///
/// # Safety
/// `text` ends in a NUL and lives as long as the program.
#[inline(never)]
pub unsafe fn c_str(text: *const std::ffi::c_char) -> &'static str {
    // SAFETY: the caller's contract.
    let text = unsafe { std::ffi::CStr::from_ptr(text) };
    // A mangled name is ASCII.
    text.to_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_against_its_contract_says_how() {
        let cfg = LaunchConfig {
            grid_dim: (2, 1, 1),
            block_dim: (64, 1, 1),
            shared_mem_bytes: 16,
        };
        let of = |grid, block, shared| keeps_contract("k", &cfg, grid, block, shared);
        assert!(of(None, Some((64, 1, 1)), 16).is_ok());
        let err = of(Some((2, 1, 1)), Some((32, 2, 1)), 17).expect_err("a wrong launch");
        assert_eq!(err.error_name(), "CUDA_OXIDE_ERROR_LAUNCH_CONTRACT");
        let text = err.to_string();
        assert!(
            text.contains("block (64, 1, 1), not (32, 2, 1); 16 bytes of shared memory, not 17"),
            "{text}"
        );
    }
}
