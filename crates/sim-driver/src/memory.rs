//! Allocations, copies and fills. `…Async` functions are done when they return.

use crate::context::{TOTAL_MEMORY, put};
use crate::result::*;
use crate::state::*;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::{c_uint, c_void};

/// A device pointer.
pub type CUdeviceptr = u64;

fn allocate(out: *mut CUdeviceptr, size: usize) -> Result<(), CUresult> {
    if size == 0 || out.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if device().memory.used() + size as u64 > TOTAL_MEMORY as u64 {
        return Err(CUDA_ERROR_OUT_OF_MEMORY);
    }
    put(
        out,
        device()
            .memory
            .alloc(size as u64)
            .map_err(|e| sim_error(&e))?,
    )
}

fn free(address: CUdeviceptr) -> Result<(), CUresult> {
    if address == 0 {
        return Ok(());
    }
    if state().host.contains_key(&(address as usize)) {
        return free_host(address as *mut c_void);
    }
    if device().memory.free(address) {
        Ok(())
    } else {
        Err(CUDA_ERROR_INVALID_VALUE)
    }
}

/// Host memory that kernels see under its own address.
fn allocate_host(size: usize) -> Result<*mut c_void, CUresult> {
    let layout =
        Layout::from_size_align(size.max(1), 4096).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
    // SAFETY: the layout is not empty.
    let p = unsafe { alloc_zeroed(layout) };
    if p.is_null() {
        return Err(CUDA_ERROR_OUT_OF_MEMORY);
    }
    // SAFETY: the bytes live until `free_host`, which unmaps them first.
    unsafe { device().memory.map_host(p, size as u64) };
    state().host.insert(
        p as usize,
        HostEntry {
            layout: Some(layout),
        },
    );
    Ok(p.cast())
}

fn free_host(p: *mut c_void) -> Result<(), CUresult> {
    let entry = {
        let mut s = state();
        match s.host.get(&(p as usize)) {
            Some(HostEntry { layout: Some(_) }) => s.host.remove(&(p as usize)),
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
    };
    device().memory.free(p as u64);
    if let Some(HostEntry {
        layout: Some(layout),
    }) = entry
    {
        // SAFETY: it came from `alloc_zeroed` with this layout.
        unsafe { dealloc(p.cast(), layout) };
    }
    Ok(())
}

/// The device's bytes as a slice of the host, when the range lies in one allocation.
fn device_bytes(address: CUdeviceptr, len: usize) -> Option<*mut u8> {
    let table = device().memory.table();
    let r = table.find(address, len as u64)?;
    Some(r.host().wrapping_add((address - r.start) as usize))
}

fn copy(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: both ranges were checked, or are the caller's.
    unsafe { std::ptr::copy(src, dst, len) };
}

fn upload(dst: CUdeviceptr, src: *const c_void, len: usize) -> Result<(), CUresult> {
    if len == 0 {
        return Ok(());
    }
    if src.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    copy(
        device_bytes(dst, len).ok_or(CUDA_ERROR_INVALID_VALUE)?,
        src.cast(),
        len,
    );
    Ok(())
}

fn download(dst: *mut c_void, src: CUdeviceptr, len: usize) -> Result<(), CUresult> {
    if len == 0 {
        return Ok(());
    }
    if dst.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    copy(
        dst.cast(),
        device_bytes(src, len).ok_or(CUDA_ERROR_INVALID_VALUE)?,
        len,
    );
    Ok(())
}

fn within(dst: CUdeviceptr, src: CUdeviceptr, len: usize) -> Result<(), CUresult> {
    if len == 0 {
        return Ok(());
    }
    let (d, s) = (device_bytes(dst, len), device_bytes(src, len));
    copy(
        d.ok_or(CUDA_ERROR_INVALID_VALUE)?,
        s.ok_or(CUDA_ERROR_INVALID_VALUE)?,
        len,
    );
    Ok(())
}

/// A copy of `cuMemcpy`: each side is a device pointer or host memory.
fn any(dst: CUdeviceptr, src: CUdeviceptr, len: usize) -> Result<(), CUresult> {
    let host = |p: u64| device().memory.region(p).is_none() && p < gpu_sim::GLOBAL_BASE;
    match (host(dst), host(src)) {
        (true, true) => {
            copy(dst as *mut u8, src as *const u8, len);
            Ok(())
        }
        (true, false) => download(dst as *mut c_void, src, len),
        (false, true) => upload(dst, src as *const c_void, len),
        (false, false) => within(dst, src, len),
    }
}

fn fill(dst: CUdeviceptr, value: &[u8], count: usize) -> Result<(), CUresult> {
    if count == 0 {
        return Ok(());
    }
    let len = count
        .checked_mul(value.len())
        .ok_or(CUDA_ERROR_INVALID_VALUE)?;
    if !dst.is_multiple_of(value.len() as u64) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let p = device_bytes(dst, len).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    for k in 0..count {
        copy(p.wrapping_add(k * value.len()), value.as_ptr(), value.len());
    }
    Ok(())
}

driver_api! {
    /// Allocates device memory.
    sticky fn cuMemAlloc_v2(out: *mut CUdeviceptr, size: usize) { allocate(out, size) }
    /// Frees device memory.
    sticky fn cuMemFree_v2(address: CUdeviceptr) { free(address) }
    /// Allocates device memory.
    sticky fn cuMemAllocAsync(out: *mut CUdeviceptr, size: usize, _stream: Handle) { allocate(out, size) }
    /// Frees device memory.
    sticky fn cuMemFreeAsync(address: CUdeviceptr, _stream: Handle) { free(address) }
    /// Allocates memory that host and device share.
    sticky fn cuMemAllocManaged(out: *mut CUdeviceptr, size: usize, _flags: c_uint) {
        if size == 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        put(out, allocate_host(size)? as u64)
    }
    /// Free and total bytes.
    sticky fn cuMemGetInfo_v2(available: *mut usize, total: *mut usize) {
        put(available, TOTAL_MEMORY.saturating_sub(device().memory.used() as usize))?;
        put(total, TOTAL_MEMORY)
    }
    /// The allocation around an address.
    sticky fn cuMemGetAddressRange_v2(base: *mut CUdeviceptr, size: *mut usize, address: CUdeviceptr) {
        let r = device().memory.region(address).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        if !base.is_null() {
            put(base, r.start)?;
        }
        if size.is_null() { Ok(()) } else { put(size, r.size as usize) }
    }
    /// Allocates pinned host memory.
    sticky fn cuMemHostAlloc(out: *mut *mut c_void, size: usize, _flags: c_uint) { put(out, allocate_host(size)?) }
    /// Allocates pinned host memory.
    sticky fn cuMemAllocHost_v2(out: *mut *mut c_void, size: usize) { put(out, allocate_host(size)?) }
    /// Frees pinned host memory.
    sticky fn cuMemFreeHost(p: *mut c_void) { free_host(p) }
    /// The device's address of pinned memory: the same.
    sticky fn cuMemHostGetDevicePointer_v2(out: *mut CUdeviceptr, p: *mut c_void, _flags: c_uint) {
        device().memory.region(p as u64).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        put(out, p as u64)
    }
    /// Flags of pinned memory: mapped and portable.
    sticky fn cuMemHostGetFlags(flags: *mut c_uint, p: *mut c_void) {
        device().memory.region(p as u64).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        put(flags, 3)
    }
    /// Makes host memory visible to kernels.
    sticky fn cuMemHostRegister_v2(p: *mut c_void, size: usize, _flags: c_uint) {
        if p.is_null() || size == 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        if device().memory.region(p as u64).is_some() {
            return Err(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
        }
        // SAFETY: the caller keeps the memory until it unregisters it.
        unsafe { device().memory.map_host(p.cast(), size as u64) };
        state().host.insert(p as usize, HostEntry { layout: None });
        Ok(())
    }
    /// Takes host memory back.
    sticky fn cuMemHostUnregister(p: *mut c_void) {
        match state().host.remove(&(p as usize)) {
            Some(HostEntry { layout: None }) => {
                device().memory.free(p as u64);
                Ok(())
            }
            Some(entry) => {
                state().host.insert(p as usize, entry);
                Err(CUDA_ERROR_INVALID_VALUE)
            }
            None => Err(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
        }
    }
    /// Copies between any two places.
    sticky fn cuMemcpy(dst: CUdeviceptr, src: CUdeviceptr, len: usize) { any(dst, src, len) }
    /// Copies between any two places.
    sticky fn cuMemcpyAsync(dst: CUdeviceptr, src: CUdeviceptr, len: usize, _stream: Handle) { any(dst, src, len) }
    /// Copies to the device.
    sticky fn cuMemcpyHtoD_v2(dst: CUdeviceptr, src: *const c_void, len: usize) { upload(dst, src, len) }
    /// Copies to the device.
    sticky fn cuMemcpyHtoDAsync_v2(dst: CUdeviceptr, src: *const c_void, len: usize, _stream: Handle) { upload(dst, src, len) }
    /// Copies from the device.
    sticky fn cuMemcpyDtoH_v2(dst: *mut c_void, src: CUdeviceptr, len: usize) { download(dst, src, len) }
    /// Copies from the device.
    sticky fn cuMemcpyDtoHAsync_v2(dst: *mut c_void, src: CUdeviceptr, len: usize, _stream: Handle) { download(dst, src, len) }
    /// Copies on the device.
    sticky fn cuMemcpyDtoD_v2(dst: CUdeviceptr, src: CUdeviceptr, len: usize) { within(dst, src, len) }
    /// Copies on the device.
    sticky fn cuMemcpyDtoDAsync_v2(dst: CUdeviceptr, src: CUdeviceptr, len: usize, _stream: Handle) { within(dst, src, len) }
    /// Fills bytes.
    sticky fn cuMemsetD8_v2(dst: CUdeviceptr, value: u8, count: usize) { fill(dst, &[value], count) }
    /// Fills bytes.
    sticky fn cuMemsetD8Async(dst: CUdeviceptr, value: u8, count: usize, _stream: Handle) { fill(dst, &[value], count) }
    /// Fills 16-bit words.
    sticky fn cuMemsetD16_v2(dst: CUdeviceptr, value: u16, count: usize) { fill(dst, &value.to_le_bytes(), count) }
    /// Fills 16-bit words.
    sticky fn cuMemsetD16Async(dst: CUdeviceptr, value: u16, count: usize, _stream: Handle) { fill(dst, &value.to_le_bytes(), count) }
    /// Fills 32-bit words.
    sticky fn cuMemsetD32_v2(dst: CUdeviceptr, value: c_uint, count: usize) { fill(dst, &value.to_le_bytes(), count) }
    /// Fills 32-bit words.
    sticky fn cuMemsetD32Async(dst: CUdeviceptr, value: c_uint, count: usize, _stream: Handle) { fill(dst, &value.to_le_bytes(), count) }
}
