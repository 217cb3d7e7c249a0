//! Initialisation, the device and contexts.

use crate::result::*;
use crate::state::*;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// The CUDA version whose API this is.
const VERSION: c_int = 12080;
/// What the device calls itself.
const NAME: &[u8] = b"cuda-oxide simulator\0";
/// Memory that the device reports.
pub(crate) const TOTAL_MEMORY: usize = 16 << 30;

/// Writes through an out pointer of the caller.
pub(crate) fn put<T>(out: *mut T, value: T) -> Result<(), CUresult> {
    if out.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    // SAFETY: the caller gives a place for a `T`.
    unsafe { out.write(value) };
    Ok(())
}

fn ordinal(device: c_int) -> Result<(), CUresult> {
    initialised()?;
    if device == 0 {
        Ok(())
    } else {
        Err(CUDA_ERROR_INVALID_DEVICE)
    }
}

/// The value of a `CUdevice_attribute`.
fn attribute(which: c_int) -> Option<c_int> {
    let sms = device().config.sms as c_int;
    Some(match which {
        1 => 1024,                          // MAX_THREADS_PER_BLOCK
        2 | 3 => 1024,                      // MAX_BLOCK_DIM_X, Y
        4 => 64,                            // MAX_BLOCK_DIM_Z
        5 => 0x7fff_ffff,                   // MAX_GRID_DIM_X
        6 | 7 => 65535,                     // MAX_GRID_DIM_Y, Z
        8 => 48 << 10,                      // MAX_SHARED_MEMORY_PER_BLOCK
        9 => 64 << 10,                      // TOTAL_CONSTANT_MEMORY
        10 => 32,                           // WARP_SIZE
        11 => 0x7fff_ffff,                  // MAX_PITCH
        12 => 65536,                        // MAX_REGISTERS_PER_BLOCK
        13 => 1_000_000,                    // CLOCK_RATE, kHz
        14 => 512,                          // TEXTURE_ALIGNMENT
        15 => 1,                            // GPU_OVERLAP
        16 => sms,                          // MULTIPROCESSOR_COUNT
        17 => 0,                            // KERNEL_EXEC_TIMEOUT
        18 => 0,                            // INTEGRATED
        19 => 1,                            // CAN_MAP_HOST_MEMORY
        20 => 0,                            // COMPUTE_MODE
        30 => 512,                          // SURFACE_ALIGNMENT
        31 => 1,                            // CONCURRENT_KERNELS
        32 => 0,                            // ECC_ENABLED
        33..=35 => 0,                       // PCI_BUS_ID, PCI_DEVICE_ID, TCC_DRIVER
        36 => 1_000_000,                    // MEMORY_CLOCK_RATE, kHz
        37 => 64,                           // GLOBAL_MEMORY_BUS_WIDTH
        38 => 1 << 20,                      // L2_CACHE_SIZE
        39 => 2048,                         // MAX_THREADS_PER_MULTIPROCESSOR
        40 => 1,                            // ASYNC_ENGINE_COUNT
        41 => 1,                            // UNIFIED_ADDRESSING
        50 => 0,                            // PCI_DOMAIN_ID
        75 => 9,                            // COMPUTE_CAPABILITY_MAJOR
        76 => 0,                            // COMPUTE_CAPABILITY_MINOR
        78 => 0,                            // STREAM_PRIORITIES_SUPPORTED
        79 | 80 => 1,                       // GLOBAL_L1_CACHE_SUPPORTED, LOCAL_L1_CACHE_SUPPORTED
        81 => 228 << 10,                    // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
        82 => 65536,                        // MAX_REGISTERS_PER_MULTIPROCESSOR
        83 => 1,                            // MANAGED_MEMORY
        84 => 0,                            // MULTI_GPU_BOARD
        86 => 1,                            // HOST_NATIVE_ATOMIC_SUPPORTED
        88..=90 => 0, // PAGEABLE_MEMORY_ACCESS, CONCURRENT_MANAGED_ACCESS, COMPUTE_PREEMPTION_SUPPORTED
        91 => 1,      // CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
        95 => 1,      // COOPERATIVE_LAUNCH
        97 => gpu_sim::MAX_SHARED as c_int, // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        99 => 1,      // HOST_REGISTER_SUPPORTED
        106 => 32,    // MAX_BLOCKS_PER_MULTIPROCESSOR
        111 => 1 << 10, // RESERVED_SHARED_MEMORY_PER_BLOCK
        115 => 1,     // MEMORY_POOLS_SUPPORTED
        120 => 1,     // CLUSTER_LAUNCH
        // Everything else that a program may ask for is not there.
        21..=150 => 0,
        _ => return None,
    })
}

driver_api! {
    /// Starts the driver.
    plain fn cuInit(flags: c_uint) {
        if flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        initialise();
        cudbg_sim::program::start(device());
        Ok(())
    }
    /// The version of the API.
    plain fn cuDriverGetVersion(version: *mut c_int) { put(version, VERSION) }
    /// The handle of a device.
    plain fn cuDeviceGet(device: *mut c_int, which: c_int) {
        ordinal(which)?;
        put(device, which)
    }
    /// The number of devices: 1.
    plain fn cuDeviceGetCount(count: *mut c_int) {
        initialised()?;
        put(count, 1)
    }
    /// The device's name.
    plain fn cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int) {
        ordinal(device)?;
        if name.is_null() || len <= 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let n = (len as usize).min(NAME.len());
        // SAFETY: the caller gives `len` bytes.
        unsafe {
            std::ptr::copy_nonoverlapping(NAME.as_ptr().cast(), name, n);
            *name.add(n - 1) = 0;
        }
        Ok(())
    }
    /// An attribute of the device.
    plain fn cuDeviceGetAttribute(value: *mut c_int, which: c_int, device: c_int) {
        ordinal(device)?;
        put(value, attribute(which).ok_or(CUDA_ERROR_INVALID_VALUE)?)
    }
    /// Compute capability, the old way.
    plain fn cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, device: c_int) {
        ordinal(device)?;
        put(major, 9)?;
        put(minor, 0)
    }
    /// Bytes of device memory.
    plain fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) {
        ordinal(device)?;
        put(bytes, TOTAL_MEMORY)
    }
    /// A number for the device.
    plain fn cuDeviceGetUuid(uuid: *mut [u8; 16], device: c_int) {
        ordinal(device)?;
        put(uuid, *b"cuda-oxide sim 0")
    }
    /// A number for the device.
    plain fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int) {
        ordinal(device)?;
        put(uuid, *b"cuda-oxide sim 0")
    }
    /// Retains the primary context.
    plain fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) {
        ordinal(device)?;
        let mut s = state();
        if s.primary.1 == 0 {
            s.primary.0 = new_handle();
            let handle = s.primary.0;
            s.contexts.insert(handle, 0);
        }
        s.primary.1 += 1;
        put(context, s.primary.0 as Handle)
    }
    /// Releases the primary context.
    plain fn cuDevicePrimaryCtxRelease_v2(device: c_int) {
        ordinal(device)?;
        let mut s = state();
        if s.primary.1 == 0 {
            return Err(CUDA_ERROR_INVALID_CONTEXT);
        }
        s.primary.1 -= 1;
        if s.primary.1 == 0 {
            let handle = s.primary.0;
            s.contexts.remove(&handle);
            s.sticky = None;
        }
        Ok(())
    }
    /// Ends the primary context.
    plain fn cuDevicePrimaryCtxReset_v2(device: c_int) {
        ordinal(device)?;
        state().sticky = None;
        Ok(())
    }
    /// Flags change nothing here.
    plain fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, _flags: c_uint) { ordinal(device) }
    /// Whether the primary context is there.
    plain fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int) {
        ordinal(device)?;
        put(flags, 0)?;
        put(active, c_int::from(state().primary.1 > 0))
    }
    /// Creates a context and makes it current.
    plain fn cuCtxCreate_v2(context: *mut Handle, flags: c_uint, device: c_int) {
        ordinal(device)?;
        let handle = new_handle();
        state().contexts.insert(handle, flags);
        put(context, handle as Handle)?;
        with_stack(|s| s.push(handle));
        Ok(())
    }
    /// Destroys a context.
    plain fn cuCtxDestroy_v2(context: Handle) {
        initialised()?;
        let mut s = state();
        s.contexts.remove(&(context as usize)).ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        s.sticky = None;
        with_stack(|t| t.retain(|c| *c != context as usize));
        Ok(())
    }
    /// Makes a context current.
    plain fn cuCtxSetCurrent(context: Handle) {
        initialised()?;
        if !context.is_null() && !state().contexts.contains_key(&(context as usize)) {
            return Err(CUDA_ERROR_INVALID_CONTEXT);
        }
        with_stack(|s| {
            s.pop();
            if !context.is_null() {
                s.push(context as usize);
            }
        });
        Ok(())
    }
    /// The current context.
    plain fn cuCtxGetCurrent(context: *mut Handle) {
        initialised()?;
        put(context, current().unwrap_or(0) as Handle)
    }
    /// Pushes a context.
    plain fn cuCtxPushCurrent_v2(context: Handle) {
        initialised()?;
        if !state().contexts.contains_key(&(context as usize)) {
            return Err(CUDA_ERROR_INVALID_CONTEXT);
        }
        with_stack(|s| s.push(context as usize));
        Ok(())
    }
    /// Pops the current context.
    plain fn cuCtxPopCurrent_v2(context: *mut Handle) {
        initialised()?;
        let handle = with_stack(Vec::pop).ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        if context.is_null() { Ok(()) } else { put(context, handle as Handle) }
    }
    /// The device of the current context.
    plain fn cuCtxGetDevice(device: *mut c_int) {
        initialised()?;
        current().ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        put(device, 0)
    }
    /// The version of the API that a context has.
    plain fn cuCtxGetApiVersion(_context: Handle, version: *mut c_uint) { put(version, 3020) }
    /// Waits for everything: launches are over when they return, so only their errors are left.
    sticky fn cuCtxSynchronize() { Ok(()) }
    /// Priorities of streams.
    sticky fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
        put(least, 0)?;
        put(greatest, 0)
    }
    /// A limit of the context.
    sticky fn cuCtxGetLimit(value: *mut usize, limit: c_int) {
        let default = match limit {
            0 => 1024,    // STACK_SIZE
            1 => 1 << 20, // PRINTF_FIFO_SIZE
            2 => 8 << 20, // MALLOC_HEAP_SIZE
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        };
        put(value, state().limits.get(&limit).copied().unwrap_or(default))
    }
    /// Limits are remembered; the simulator's own are larger.
    sticky fn cuCtxSetLimit(limit: c_int, value: usize) {
        if !(0..=2).contains(&limit) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        state().limits.insert(limit, value);
        Ok(())
    }
    /// Caches are not simulated.
    sticky fn cuCtxSetCacheConfig(_config: c_int) { Ok(()) }
    /// One device has no peers.
    plain fn cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, _peer: c_int) {
        ordinal(device)?;
        put(can, 0)
    }
    /// What a pointer points to.
    sticky fn cuPointerGetAttribute(data: *mut c_void, attribute: c_int, pointer: u64) {
        let region = device().memory.region(pointer).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let host = region.start < gpu_sim::GLOBAL_BASE;
        match attribute {
            1 => put(data.cast(), current().unwrap_or(0)),         // CONTEXT
            2 => put(data.cast(), if host { 1u32 } else { 2 }),    // MEMORY_TYPE
            3 => put(data.cast(), pointer),                        // DEVICE_POINTER
            4 if host => put(data.cast(), pointer),                // HOST_POINTER
            8 => put(data.cast(), 0u32),                           // IS_MANAGED
            9 => put(data.cast(), 0 as c_int),                     // DEVICE_ORDINAL
            11 => put(data.cast(), region.start),                  // RANGE_START_ADDR
            12 => put(data.cast(), region.size as usize),          // RANGE_SIZE
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
}
