//! Modules and functions.

use crate::context::put;
use crate::result::*;
use crate::state::*;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

const JIT_INFO_LOG_BUFFER: c_int = 3;
const JIT_INFO_LOG_SIZE: c_int = 4;
const JIT_ERROR_LOG_BUFFER: c_int = 5;
const JIT_ERROR_LOG_SIZE: c_int = 6;

/// Loads PTX text.
fn load(out: *mut Handle, text: &[u8]) -> Result<(), CUresult> {
    let fail = |code: CUresult, report: &str| {
        state().report = report.to_string();
        Err(code)
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return fail(CUDA_ERROR_INVALID_IMAGE, "the module is no text");
    };
    let module = gpu_sim::Module::load(&device().memory, text).map_err(|e| sim_error(&e))?;
    for target in module.targets() {
        let Some(sm) = target.strip_prefix("sm_") else {
            continue;
        };
        let digits = sm.trim_end_matches(|c: char| !c.is_ascii_digit());
        if digits
            .parse::<u32>()
            .is_ok_and(|n| n > 90 || n != 90 && sm != digits)
        {
            let report =
                format!("the module is for {target}, and the simulator has compute capability 9.0");
            return fail(CUDA_ERROR_NO_BINARY_FOR_GPU, &report);
        }
    }
    let handle = new_handle();
    put(out, handle as Handle)?;
    state().modules.insert(handle, module);
    Ok(())
}

/// The bytes of an image in memory, of which only the start is known.
fn image<'a>(p: *const c_void) -> Result<&'a [u8], CUresult> {
    if p.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    // SAFETY: an image has at least four bytes: it is a text that ends with a zero, or begins with a magic number.
    let magic: [u8; 4] = unsafe { std::ptr::read_unaligned(p.cast()) };
    if magic == *b"\x7fELF"
        || magic == 0xba55_ed50u32.to_le_bytes()
        || magic == 0x4662_43b1u32.to_le_bytes()
    {
        state().report =
            "the module is machine code for a GPU; the simulator executes PTX text".into();
        return Err(CUDA_ERROR_NO_BINARY_FOR_GPU);
    }
    // SAFETY: PTX images end with a zero.
    Ok(unsafe { CStr::from_ptr(p.cast()) }.to_bytes())
}

/// Copies text into a log buffer, with a zero at its end.
fn write_log(buffer: *mut c_char, size: usize, text: &str) -> usize {
    if buffer.is_null() || size == 0 {
        return 0;
    }
    let n = text.len().min(size - 1);
    // SAFETY: the caller gives `size` bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), buffer, n);
        *buffer.add(n) = 0;
    }
    n + 1
}

fn load_with_options(
    out: *mut Handle,
    p: *const c_void,
    count: c_uint,
    options: *const c_int,
    values: *mut *mut c_void,
) -> Result<(), CUresult> {
    let result = image(p).and_then(|text| load(out, text));
    if count == 0 || options.is_null() || values.is_null() {
        return result;
    }
    // SAFETY: the caller gives `count` options and values.
    let (options, values) = unsafe {
        (
            std::slice::from_raw_parts(options, count as usize),
            std::slice::from_raw_parts_mut(values, count as usize),
        )
    };
    let find = |o: c_int| options.iter().position(|x| *x == o);
    let report = if result.is_err() {
        state().report.clone()
    } else {
        String::new()
    };
    for (buffer, size, text) in [
        (JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_SIZE, &report[..]),
        (JIT_INFO_LOG_BUFFER, JIT_INFO_LOG_SIZE, ""),
    ] {
        if let (Some(b), Some(s)) = (find(buffer), find(size)) {
            // Sizes travel in the pointer, and come back in it.
            let written = write_log(values[b].cast(), values[s] as usize, text);
            values[s] = written as *mut c_void;
        }
    }
    result
}

fn with_module<T>(
    module: Handle,
    f: impl FnOnce(&std::sync::Arc<gpu_sim::Module>) -> T,
) -> Result<T, CUresult> {
    let m = state()
        .modules
        .get(&(module as usize))
        .cloned()
        .ok_or(CUDA_ERROR_INVALID_HANDLE)?;
    Ok(f(&m))
}

fn name_of<'a>(name: *const c_char) -> Result<&'a str, CUresult> {
    if name.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    // SAFETY: the caller gives a text that ends with a zero.
    unsafe { CStr::from_ptr(name) }
        .to_str()
        .map_err(|_| CUDA_ERROR_NOT_FOUND)
}

pub(crate) fn function(handle: Handle) -> Result<FunctionEntry, CUresult> {
    state()
        .functions
        .get(&(handle as usize))
        .cloned()
        .ok_or(CUDA_ERROR_INVALID_HANDLE)
}

driver_api! {
    /// Loads a module from memory.
    sticky fn cuModuleLoadData(out: *mut Handle, image: *const c_void) {
        load_with_options(out, image, 0, std::ptr::null(), std::ptr::null_mut())
    }
    /// Loads a module, with logs.
    sticky fn cuModuleLoadDataEx(out: *mut Handle, image: *const c_void, count: c_uint, options: *const c_int, values: *mut *mut c_void) {
        load_with_options(out, image, count, options, values)
    }
    /// Loads a module from a file.
    sticky fn cuModuleLoad(out: *mut Handle, path: *const c_char) {
        let text = std::fs::read(name_of(path)?).map_err(|_| CUDA_ERROR_FILE_NOT_FOUND)?;
        let end = text.iter().position(|b| *b == 0).unwrap_or(text.len());
        load(out, &text[..end])
    }
    /// Unloads a module.
    plain fn cuModuleUnload(module: Handle) {
        let mut s = state();
        let m = s.modules.remove(&(module as usize)).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        s.functions.retain(|_, f| f.module != module as usize);
        s.sides.remove(&(module as usize));
        drop(s);
        cudbg_sim::program::unload(module as u64);
        drop(m);
        Ok(())
    }
    /// A kernel by name. What it cannot execute shows here.
    sticky fn cuModuleGetFunction(out: *mut Handle, module: Handle, name: *const c_char) {
        let name = name_of(name)?;
        let kernel = with_module(module, |m| m.kernel(name))?.map_err(|e| sim_error(&e))?;
        let handle = new_handle();
        put(out, handle as Handle)?;
        let name = std::ffi::CString::new(name).map_err(|_| CUDA_ERROR_NOT_FOUND)?;
        let entry = FunctionEntry { kernel, name, module: module as usize, max_dynamic_shared: 48 << 10 };
        state().functions.insert(handle, entry);
        Ok(())
    }
    /// A variable by name.
    sticky fn cuModuleGetGlobal_v2(address: *mut u64, size: *mut usize, module: Handle, name: *const c_char) {
        let name = name_of(name)?;
        let (a, n) = with_module(module, |m| m.variable(name))?.ok_or(CUDA_ERROR_NOT_FOUND)?;
        if !address.is_null() {
            put(address, a)?;
        }
        if size.is_null() { Ok(()) } else { put(size, n as usize) }
    }
    /// The number of kernels.
    sticky fn cuModuleGetFunctionCount(count: *mut c_uint, module: Handle) {
        put(count, with_module(module, |m| m.kernels().len())? as c_uint)
    }
    /// When modules are loaded: at once.
    plain fn cuModuleGetLoadingMode(mode: *mut c_int) { put(mode, 1) }
    /// An attribute of a kernel.
    sticky fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, handle: Handle) {
        let f = function(handle)?;
        let k = &f.kernel;
        put(value, match attribute {
            0 => k.max_threads() as c_int,     // MAX_THREADS_PER_BLOCK
            1 => k.static_shared() as c_int,   // SHARED_SIZE_BYTES
            2 => 0,                            // CONST_SIZE_BYTES
            3 => k.local_bytes() as c_int,     // LOCAL_SIZE_BYTES
            4 => k.registers() as c_int,       // NUM_REGS
            5 | 6 => 90,                       // PTX_VERSION, BINARY_VERSION
            7 => 0,                            // CACHE_MODE_CA
            8 => f.max_dynamic_shared,         // MAX_DYNAMIC_SHARED_SIZE_BYTES
            9 => -1,                           // PREFERRED_SHARED_MEMORY_CARVEOUT
            10..=15 => 0,                      // cluster attributes
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        })
    }
    /// Sets an attribute of a kernel.
    sticky fn cuFuncSetAttribute(handle: Handle, attribute: c_int, value: c_int) {
        let mut s = state();
        let f = s.functions.get_mut(&(handle as usize)).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        match attribute {
            8 if value >= 0 && value as u32 + f.kernel.static_shared() <= gpu_sim::MAX_SHARED => f.max_dynamic_shared = value,
            9 => {}
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
        Ok(())
    }
    /// Caches are not simulated.
    sticky fn cuFuncSetCacheConfig(handle: Handle, _config: c_int) { function(handle).map(|_| ()) }
    /// A kernel's name; it lives as long as the function.
    sticky fn cuFuncGetName(name: *mut *const c_char, handle: Handle) {
        let s = state();
        let f = s.functions.get(&(handle as usize)).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        put(name, f.name.as_ptr())
    }
    /// The module of a kernel.
    sticky fn cuFuncGetModule(module: *mut Handle, handle: Handle) { put(module, function(handle)?.module as Handle) }
    /// Place and size of a parameter.
    sticky fn cuFuncGetParamInfo(handle: Handle, index: usize, offset: *mut usize, size: *mut usize) {
        let f = function(handle)?;
        let p = f.kernel.params().get(index).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        put(offset, p.offset as usize)?;
        if size.is_null() { Ok(()) } else { put(size, p.size as usize) }
    }
    /// Blocks that fit a multiprocessor.
    sticky fn cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, handle: Handle, threads: c_int, dynamic: usize) {
        let f = function(handle)?;
        if threads <= 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let fits = threads as u32 <= f.kernel.max_threads();
        put(blocks, if fits { device().blocks_per_sm(threads as u32, f.kernel.static_shared() + dynamic as u32) as c_int } else { 0 })
    }
    /// The same, with flags.
    sticky fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks: *mut c_int, handle: Handle, threads: c_int, dynamic: usize, _flags: c_uint) {
        let f = function(handle)?;
        if threads <= 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let fits = threads as u32 <= f.kernel.max_threads();
        put(blocks, if fits { device().blocks_per_sm(threads as u32, f.kernel.static_shared() + dynamic as u32) as c_int } else { 0 })
    }
    /// A block size that fills a multiprocessor.
    sticky fn cuOccupancyMaxPotentialBlockSize(grid: *mut c_int, block: *mut c_int, handle: Handle, dynamic_of: Option<unsafe extern "C" fn(c_int) -> usize>, dynamic: usize, limit: c_int) {
        let f = function(handle)?;
        let most = f.kernel.max_threads().min(if limit > 0 { limit as u32 } else { 1024 });
        let mut best = (0, 32u32.min(most), 0);
        for threads in (32..=most).step_by(32).chain(std::iter::once(most)) {
            // SAFETY: the caller gives a function of the block size.
            let dynamic = dynamic_of.map_or(dynamic, |g| unsafe { g(threads as c_int) });
            let blocks = device().blocks_per_sm(threads, f.kernel.static_shared() + dynamic as u32);
            if blocks * threads >= best.0 {
                best = (blocks * threads, threads, blocks);
            }
        }
        put(grid, (best.2 * device().config.sms) as c_int)?;
        put(block, best.1 as c_int)
    }
}
