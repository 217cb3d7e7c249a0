//! Streams and events. Everything is done when its call returns, so there is never anything to wait for.

use crate::context::put;
use crate::result::*;
use crate::state::*;
use std::ffi::{c_int, c_uint, c_void};
use std::time::Instant;

/// A stream of the caller: one that exists, or a default one (null, 1 and 2).
fn stream(handle: Handle) -> Result<(), CUresult> {
    if handle as usize <= 2 || state().streams.contains_key(&(handle as usize)) {
        Ok(())
    } else {
        Err(CUDA_ERROR_INVALID_HANDLE)
    }
}

fn create(out: *mut Handle, flags: c_uint, priority: c_int) -> Result<(), CUresult> {
    let handle = new_handle();
    put(out, handle as Handle)?;
    state().streams.insert(handle, (flags, priority));
    Ok(())
}

driver_api! {
    /// Creates a stream.
    sticky fn cuStreamCreate(out: *mut Handle, flags: c_uint) { create(out, flags, 0) }
    /// Creates a stream; priorities change nothing.
    sticky fn cuStreamCreateWithPriority(out: *mut Handle, flags: c_uint, priority: c_int) { create(out, flags, priority) }
    /// Destroys a stream, also after an error.
    plain fn cuStreamDestroy_v2(handle: Handle) {
        state().streams.remove(&(handle as usize)).map(|_| ()).ok_or(CUDA_ERROR_INVALID_HANDLE)
    }
    /// Waits for a stream.
    sticky fn cuStreamSynchronize(handle: Handle) { stream(handle) }
    /// Whether a stream is done.
    sticky fn cuStreamQuery(handle: Handle) { stream(handle) }
    /// Makes a stream wait for an event.
    sticky fn cuStreamWaitEvent(handle: Handle, event: Handle, _flags: c_uint) {
        stream(handle)?;
        state().events.get(&(event as usize)).map(|_| ()).ok_or(CUDA_ERROR_INVALID_HANDLE)
    }
    /// Flags of a stream.
    sticky fn cuStreamGetFlags(handle: Handle, flags: *mut c_uint) {
        put(flags, state().streams.get(&(handle as usize)).map_or(0, |s| s.0))
    }
    /// Priority of a stream.
    sticky fn cuStreamGetPriority(handle: Handle, priority: *mut c_int) {
        put(priority, state().streams.get(&(handle as usize)).map_or(0, |s| s.1))
    }
    /// The context of a stream.
    sticky fn cuStreamGetCtx(handle: Handle, context: *mut Handle) {
        stream(handle)?;
        put(context, current().unwrap_or(0) as Handle)
    }
    /// Whether a stream is being captured: never.
    sticky fn cuStreamIsCapturing(handle: Handle, status: *mut c_int) {
        stream(handle)?;
        put(status, 0)
    }
    /// Runs a function of the host in the order of the stream.
    sticky fn cuLaunchHostFunc(handle: Handle, f: Option<unsafe extern "C" fn(*mut c_void)>, data: *mut c_void) {
        stream(handle)?;
        let f = f.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        // SAFETY: the caller gives a function that may be called with this data.
        unsafe { f(data) };
        Ok(())
    }
    /// Creates an event.
    sticky fn cuEventCreate(out: *mut Handle, _flags: c_uint) {
        let handle = new_handle();
        put(out, handle as Handle)?;
        state().events.insert(handle, None);
        Ok(())
    }
    /// Destroys an event, also after an error.
    plain fn cuEventDestroy_v2(event: Handle) {
        state().events.remove(&(event as usize)).map(|_| ()).ok_or(CUDA_ERROR_INVALID_HANDLE)
    }
    /// Records an event.
    sticky fn cuEventRecord(event: Handle, handle: Handle) {
        stream(handle)?;
        *state().events.get_mut(&(event as usize)).ok_or(CUDA_ERROR_INVALID_HANDLE)? = Some(Instant::now());
        Ok(())
    }
    /// Records an event.
    sticky fn cuEventRecordWithFlags(event: Handle, handle: Handle, _flags: c_uint) {
        stream(handle)?;
        *state().events.get_mut(&(event as usize)).ok_or(CUDA_ERROR_INVALID_HANDLE)? = Some(Instant::now());
        Ok(())
    }
    /// Whether an event has happened.
    sticky fn cuEventQuery(event: Handle) {
        state().events.get(&(event as usize)).map(|_| ()).ok_or(CUDA_ERROR_INVALID_HANDLE)
    }
    /// Waits for an event.
    sticky fn cuEventSynchronize(event: Handle) {
        state().events.get(&(event as usize)).map(|_| ()).ok_or(CUDA_ERROR_INVALID_HANDLE)
    }
    /// Milliseconds between two events.
    sticky fn cuEventElapsedTime(ms: *mut f32, start: Handle, end: Handle) {
        let s = state();
        let at = |e: Handle| s.events.get(&(e as usize)).copied().ok_or(CUDA_ERROR_INVALID_HANDLE)?.ok_or(CUDA_ERROR_INVALID_HANDLE);
        let (a, b) = (at(start)?, at(end)?);
        let d = if b >= a { (b - a).as_secs_f64() } else { -(a - b).as_secs_f64() };
        put(ms, (d * 1e3) as f32)
    }
    /// The newer name.
    sticky fn cuEventElapsedTime_v2(ms: *mut f32, start: Handle, end: Handle) {
        let s = state();
        let at = |e: Handle| s.events.get(&(e as usize)).copied().ok_or(CUDA_ERROR_INVALID_HANDLE)?.ok_or(CUDA_ERROR_INVALID_HANDLE);
        let (a, b) = (at(start)?, at(end)?);
        let d = if b >= a { (b - a).as_secs_f64() } else { -(a - b).as_secs_f64() };
        put(ms, (d * 1e3) as f32)
    }
}
