//! Result codes, their names and descriptions.

use std::ffi::{c_char, c_int};

/// A result of the driver API.
pub type CUresult = c_int;

macro_rules! results {
    ($($name:ident $value:literal $text:literal,)*) => {
        $(#[doc = $text] pub const $name: CUresult = $value;)*
        fn describe(code: CUresult) -> Option<(&'static str, &'static str)> {
            // Both texts end with a zero byte for C.
            match code {
                $($value => Some((concat!(stringify!($name), "\0"), concat!($text, "\0"))),)*
                _ => None,
            }
        }
    };
}

results! {
    CUDA_SUCCESS 0 "no error",
    CUDA_ERROR_INVALID_VALUE 1 "invalid argument",
    CUDA_ERROR_OUT_OF_MEMORY 2 "out of memory",
    CUDA_ERROR_NOT_INITIALIZED 3 "initialization error",
    CUDA_ERROR_DEINITIALIZED 4 "driver shutting down",
    CUDA_ERROR_NO_DEVICE 100 "no CUDA-capable device is detected",
    CUDA_ERROR_INVALID_DEVICE 101 "invalid device ordinal",
    CUDA_ERROR_INVALID_IMAGE 200 "device kernel image is invalid",
    CUDA_ERROR_INVALID_CONTEXT 201 "invalid device context",
    CUDA_ERROR_NO_BINARY_FOR_GPU 209 "no kernel image is available for execution on the device",
    CUDA_ERROR_INVALID_PTX 218 "a PTX JIT compilation failed",
    CUDA_ERROR_FILE_NOT_FOUND 301 "file not found",
    CUDA_ERROR_INVALID_HANDLE 400 "invalid resource handle",
    CUDA_ERROR_NOT_FOUND 500 "named symbol not found",
    CUDA_ERROR_NOT_READY 600 "device not ready",
    CUDA_ERROR_ILLEGAL_ADDRESS 700 "an illegal memory access was encountered",
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES 701 "too many resources requested for launch",
    CUDA_ERROR_LAUNCH_TIMEOUT 702 "the launch timed out and was terminated",
    CUDA_ERROR_CONTEXT_IS_DESTROYED 709 "context is destroyed",
    CUDA_ERROR_ASSERT 710 "device-side assert triggered",
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED 712 "part or all of the requested memory range is already mapped",
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED 713 "pointer does not correspond to a registered memory region",
    CUDA_ERROR_HARDWARE_STACK_ERROR 714 "hardware stack error",
    CUDA_ERROR_ILLEGAL_INSTRUCTION 715 "an illegal instruction was encountered",
    CUDA_ERROR_MISALIGNED_ADDRESS 716 "misaligned address",
    CUDA_ERROR_INVALID_PC 718 "invalid program counter",
    CUDA_ERROR_LAUNCH_FAILED 719 "unspecified launch failure",
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE 720 "too many blocks in cooperative launch",
    CUDA_ERROR_NOT_PERMITTED 800 "operation not permitted",
    CUDA_ERROR_NOT_SUPPORTED 801 "operation not supported",
    CUDA_ERROR_UNKNOWN 999 "unknown error",
}

/// Writes a name or description, or null and `CUDA_ERROR_INVALID_VALUE` for an unknown code.
fn give(
    code: CUresult,
    out: *mut *const c_char,
    pick: fn((&'static str, &'static str)) -> &'static str,
) -> Result<(), CUresult> {
    if out.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let text = describe(code).map(pick);
    // SAFETY: the caller gives a place for a pointer.
    unsafe { *out = text.map_or(std::ptr::null(), |t| t.as_ptr().cast()) };
    text.map(|_| ()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

driver_api! {
    /// The name of a result code.
    plain fn cuGetErrorName(error: CUresult, out: *mut *const c_char) { give(error, out, |d| d.0) }
    /// The description of a result code.
    plain fn cuGetErrorString(error: CUresult, out: *mut *const c_char) { give(error, out, |d| d.1) }
}
