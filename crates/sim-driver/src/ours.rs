//! What only the simulator has.

use crate::context::put;
use crate::result::*;
use crate::state::*;
use std::ffi::{c_char, c_void};
use std::sync::atomic::Ordering;

driver_api! {
    /// Gives the simulator the Rust positions of a module's PTX lines.
    plain fn oxideModuleSetSideTable(module: Handle, bytes: *const c_void, len: usize) {
        let handle = module as usize;
        let module = state().modules.get(&handle).cloned().ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        if bytes.is_null() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        // SAFETY: the caller gives `len` bytes.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), len) };
        match crate::side_table::read(bytes) {
            Ok(map) => {
                module.set_source_map(map);
                state().sides.insert(handle, bytes.into());
                Ok(())
            }
            Err(e) => {
                state().report = format!("the side table cannot be read: {e}");
                Err(CUDA_ERROR_INVALID_VALUE)
            }
        }
    }
    /// Copies the full report of the last error, cut to the buffer, with a zero at its end.
    plain fn oxideLastError(buffer: *mut c_char, len: usize) {
        if buffer.is_null() || len == 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let s = state();
        let mut n = s.report.len().min(len - 1);
        while !s.report.is_char_boundary(n) {
            n -= 1;
        }
        // SAFETY: the caller gives `len` bytes.
        unsafe {
            std::ptr::copy_nonoverlapping(s.report.as_ptr().cast(), buffer, n);
            *buffer.add(n) = 0;
        }
        Ok(())
    }
    /// Lane instructions that all launches have executed so far.
    plain fn oxideStatistics(lane_instructions: *mut u64) {
        put(lane_instructions, LANE_INSTRUCTIONS.load(Ordering::Relaxed))
    }
}
