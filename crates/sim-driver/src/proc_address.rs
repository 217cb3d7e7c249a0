//! `cuGetProcAddress`: functions by name.

use crate::context::put;
use crate::*;
use std::ffi::{CStr, c_char, c_int, c_void};

macro_rules! table {
    ($($name:ident)*) => {
        /// Every exported function, by its symbol.
        pub const EXPORTS: &[(&str, unsafe extern "C" fn())] = &[$((
            stringify!($name),
            // SAFETY: a function pointer may be kept as one of another type; the caller casts it back.
            unsafe { std::mem::transmute::<*const (), unsafe extern "C" fn()>($name as *const ()) },
        ),)*];
    };
}

table! {
    cuGetErrorName
    cuGetErrorString
    cuInit
    cuDriverGetVersion
    cuDeviceGet
    cuDeviceGetCount
    cuDeviceGetName
    cuDeviceGetAttribute
    cuDeviceComputeCapability
    cuDeviceTotalMem_v2
    cuDeviceGetUuid
    cuDeviceGetUuid_v2
    cuDevicePrimaryCtxRetain
    cuDevicePrimaryCtxRelease_v2
    cuDevicePrimaryCtxReset_v2
    cuDevicePrimaryCtxSetFlags_v2
    cuDevicePrimaryCtxGetState
    cuCtxCreate_v2
    cuCtxDestroy_v2
    cuCtxSetCurrent
    cuCtxGetCurrent
    cuCtxPushCurrent_v2
    cuCtxPopCurrent_v2
    cuCtxGetDevice
    cuCtxGetApiVersion
    cuCtxSynchronize
    cuCtxGetStreamPriorityRange
    cuCtxGetLimit
    cuCtxSetLimit
    cuCtxSetCacheConfig
    cuDeviceCanAccessPeer
    cuPointerGetAttribute
    cuMemAlloc_v2
    cuMemFree_v2
    cuMemAllocAsync
    cuMemFreeAsync
    cuMemAllocManaged
    cuMemGetInfo_v2
    cuMemGetAddressRange_v2
    cuMemHostAlloc
    cuMemAllocHost_v2
    cuMemFreeHost
    cuMemHostGetDevicePointer_v2
    cuMemHostGetFlags
    cuMemHostRegister_v2
    cuMemHostUnregister
    cuMemcpy
    cuMemcpyAsync
    cuMemcpyHtoD_v2
    cuMemcpyHtoDAsync_v2
    cuMemcpyDtoH_v2
    cuMemcpyDtoHAsync_v2
    cuMemcpyDtoD_v2
    cuMemcpyDtoDAsync_v2
    cuMemsetD8_v2
    cuMemsetD8Async
    cuMemsetD16_v2
    cuMemsetD16Async
    cuMemsetD32_v2
    cuMemsetD32Async
    cuStreamCreate
    cuStreamCreateWithPriority
    cuStreamDestroy_v2
    cuStreamSynchronize
    cuStreamQuery
    cuStreamWaitEvent
    cuStreamGetFlags
    cuStreamGetPriority
    cuStreamGetCtx
    cuStreamIsCapturing
    cuLaunchHostFunc
    cuEventCreate
    cuEventDestroy_v2
    cuEventRecord
    cuEventRecordWithFlags
    cuEventQuery
    cuEventSynchronize
    cuEventElapsedTime
    cuEventElapsedTime_v2
    cuModuleLoadData
    cuModuleLoadDataEx
    cuModuleLoad
    cuModuleUnload
    cuModuleGetFunction
    cuModuleGetGlobal_v2
    cuModuleGetFunctionCount
    cuModuleGetLoadingMode
    cuFuncGetAttribute
    cuFuncSetAttribute
    cuFuncSetCacheConfig
    cuFuncGetName
    cuFuncGetModule
    cuFuncGetParamInfo
    cuOccupancyMaxActiveBlocksPerMultiprocessor
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
    cuOccupancyMaxPotentialBlockSize
    cuLaunchKernel
    cuLaunchCooperativeKernel
    cuLaunchKernelEx
    oxideModuleSetSideTable
    oxideLastError
    oxideStatistics
    cuGetProcAddress_v2
    cuGetProcAddress
}

/// A function by its name, with or without a version suffix.
fn find(name: &str) -> Option<unsafe extern "C" fn()> {
    let exact = |n: &str| EXPORTS.iter().find(|e| e.0 == n).map(|e| e.1);
    exact(&format!("{name}_v2")).or_else(|| exact(name))
}

driver_api! {
    /// The address of a function; a null one and a status when there is none.
    plain fn cuGetProcAddress_v2(symbol: *const c_char, out: *mut *mut c_void, _version: c_int, _flags: u64, status: *mut c_int) {
        if symbol.is_null() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        // SAFETY: the caller gives a text that ends with a zero.
        let name = unsafe { CStr::from_ptr(symbol) }.to_str().unwrap_or("");
        let found = find(name);
        put(out, found.map_or(std::ptr::null_mut(), |f| f as *mut c_void))?;
        if !status.is_null() {
            put(status, c_int::from(found.is_none()))?;
        }
        found.map(|_| ()).ok_or(CUDA_ERROR_NOT_FOUND)
    }
    /// The older form.
    plain fn cuGetProcAddress(symbol: *const c_char, out: *mut *mut c_void, version: c_int, flags: u64) {
        // SAFETY: the same contract.
        match unsafe { cuGetProcAddress_v2(symbol, out, version, flags, std::ptr::null_mut()) } {
            CUDA_SUCCESS => Ok(()),
            e => Err(e),
        }
    }
}
