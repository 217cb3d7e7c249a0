//! Launches.

use crate::modules::function;
use crate::result::*;
use crate::state::*;
use gpu_sim::LaunchParams;
use std::ffi::{c_uint, c_void};
use std::sync::atomic::Ordering;

const BUFFER_POINTER: usize = 1;
const BUFFER_SIZE: usize = 2;

/// `CUlaunchConfig`.
#[repr(C)]
pub struct CUlaunchConfig {
    /// Blocks.
    pub grid: [c_uint; 3],
    /// Threads of a block.
    pub block: [c_uint; 3],
    /// Bytes of dynamic shared memory.
    pub shared: c_uint,
    /// Stream.
    pub stream: Handle,
    /// `CUlaunchAttribute`s: 8 bytes of id and padding, 64 of value.
    pub attributes: *const [u64; 9],
    /// How many.
    pub count: c_uint,
}

/// The parameter buffer, from one pointer for each parameter or from a buffer of the caller.
fn parameters(
    f: &FunctionEntry,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<Vec<u8>, CUresult> {
    let mut buffer = vec![0u8; f.kernel.param_size() as usize];
    if !params.is_null() {
        for (k, p) in f.kernel.params().iter().enumerate() {
            // SAFETY: the caller gives a pointer for each parameter, to as many bytes as it has.
            unsafe {
                let source = *params.add(k);
                if source.is_null() {
                    return Err(CUDA_ERROR_INVALID_VALUE);
                }
                let place = &mut buffer[p.offset as usize..(p.offset + p.size) as usize];
                std::ptr::copy_nonoverlapping(source.cast(), place.as_mut_ptr(), place.len());
            }
        }
    } else if !extra.is_null() {
        let (mut data, mut size, mut k) = (std::ptr::null(), 0usize, 0);
        loop {
            // SAFETY: the list has pairs of an option and a value, and ends with a zero.
            unsafe {
                match *extra.add(k) as usize {
                    0 => break,
                    BUFFER_POINTER => data = *extra.add(k + 1) as *const u8,
                    BUFFER_SIZE => size = *(*extra.add(k + 1) as *const usize),
                    _ => return Err(CUDA_ERROR_INVALID_VALUE),
                }
            }
            k += 2;
        }
        if data.is_null() || size < buffer.len() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        // SAFETY: the caller gives `size` bytes.
        unsafe { std::ptr::copy_nonoverlapping(data, buffer.as_mut_ptr(), buffer.len()) };
    } else if !buffer.is_empty() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    Ok(buffer)
}

#[allow(clippy::too_many_arguments)]
fn launch(
    handle: Handle,
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
    cooperative: bool,
    cluster: [c_uint; 3],
) -> Result<(), CUresult> {
    let f = function(handle)?;
    if shared as i64 > i64::from(f.max_dynamic_shared) {
        state().report = format!(
            "{shared} bytes of dynamic shared memory, and the kernel has been allowed {}",
            f.max_dynamic_shared
        );
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let device = device();
    let params = LaunchParams {
        grid,
        block,
        dynamic_shared: shared,
        params: parameters(&f, params, extra)?,
        cooperative,
        cluster,
    };
    if cudbg_sim::program::debugged() {
        let side = state().sides.get(&f.module).cloned();
        let launched = cudbg_sim::program::Launched {
            context: current().unwrap_or(0) as u64,
            module: f.module as u64,
            function: handle as u64,
            kernel: &f.kernel,
            side: side.as_deref().unwrap_or(&[]),
        };
        let result = cudbg_sim::program::launch(device, &launched, &params);
        return result.or_else(|e| launch_error(&e));
    }
    match device.launch(&f.kernel, &params) {
        Ok(s) => {
            LANE_INSTRUCTIONS.fetch_add(s.lane_instructions, Ordering::Relaxed);
            Ok(())
        }
        Err(e) => launch_error(&e),
    }
}

driver_api! {
    /// Launches a kernel.
    sticky fn cuLaunchKernel(
        f: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, _stream: Handle,
        params: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        launch(f, [gx, gy, gz], [bx, by, bz], shared, params, extra, false, [0; 3])
    }
    /// Launches a kernel whose blocks may wait for each other.
    sticky fn cuLaunchCooperativeKernel(
        f: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, _stream: Handle,
        params: *mut *mut c_void,
    ) {
        launch(f, [gx, gy, gz], [bx, by, bz], shared, params, std::ptr::null_mut(), true, [0; 3])
    }
    /// Launches a kernel with attributes: of those, cooperation and the size of clusters matter here.
    sticky fn cuLaunchKernelEx(config: *const CUlaunchConfig, f: Handle, params: *mut *mut c_void, extra: *mut *mut c_void) {
        if config.is_null() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        // SAFETY: the caller gives a configuration.
        let c = unsafe { &*config };
        let (mut cooperative, mut cluster) = (false, [0; 3]);
        for k in 0..c.count as usize {
            // SAFETY: the caller gives `count` attributes.
            let a = unsafe { *c.attributes.add(k) };
            match a[0] as u32 {
                2 => cooperative = a[1] as u32 != 0,
                4 => cluster = [a[1] as u32, (a[1] >> 32) as u32, a[2] as u32],
                _ => {}
            }
        }
        launch(f, c.grid, c.block, c.shared, params, extra, cooperative, cluster)
    }
}
