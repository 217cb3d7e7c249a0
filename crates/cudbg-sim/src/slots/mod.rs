//! The API's functions over the engine, and for each slot whether it is there.

mod execution;
mod memory;
mod queries;
mod state;

use crate::engine::{Control, ENGINE};
use crate::grid::{Grid, Place, WARPS};
use cudbg::CUDBGResult as R;
use cudbg::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::result::Result;

/// What is to be known of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It does what the API says.
    There,
    /// It answers `CUDBG_ERROR_NOT_SUPPORTED`, because of this.
    Absent(&'static str),
}

/// Why current slots are not there.
const ABSENT: &[(&str, &str)] = &[
    ("readCodeMemory", "instructions of PTX have no bytes"),
    (
        "writeParamMemory",
        "parameters are shared by all threads and fixed at the launch",
    ),
    (
        "getHostAddrFromDeviceAddr",
        "host and device are one process's memory only where it is mapped; not yet",
    ),
    (
        "readPinnedMemory",
        "mapped host memory is read by readGlobalMemory",
    ),
    (
        "writePinnedMemory",
        "mapped host memory is written by writeGlobalMemory",
    ),
    ("readTextureMemory", "textures are not simulated"),
    ("readTextureMemoryBindless", "textures are not simulated"),
    (
        "clearAttachState",
        "a debugger cannot attach to a program that runs; not yet",
    ),
    (
        "initializeAttachStub",
        "a debugger cannot attach to a program that runs; not yet",
    ),
    ("requestCleanupOnDetach", "finalize cleans up"),
    (
        "memcheckReadErrorAddress",
        "no driver has the integrated memory checker any more",
    ),
    ("getDevicePCIBusInfo", "the simulator is on no bus"),
    (
        "getManagedMemoryRegionInfo",
        "managed memory is not simulated",
    ),
    (
        "readCCRegister",
        "PTX's carry flag is no register of the simulator",
    ),
    (
        "writeCCRegister",
        "PTX's carry flag is no register of the simulator",
    ),
    ("readUniformRegisterRange", "PTX has no uniform registers"),
    ("writeUniformRegister", "PTX has no uniform registers"),
    ("readUniformPredicates", "PTX has no uniform predicates"),
    ("writeUniformPredicates", "PTX has no uniform predicates"),
    (
        "getLoadedFunctionInfo",
        "functions are loaded with their module",
    ),
    ("generateCoredump", "core dumps are not written yet"),
    ("getDeviceInfoSizes", "not yet; readWarpState has the same"),
    ("getDeviceInfo", "not yet; readWarpState has the same"),
    (
        "getConstBankAddress",
        "parameters are read by readParamMemory",
    ),
    ("executeInternalCommand", "the commands are NVIDIA's own"),
    (
        "getClusterExceptionTargetBlock",
        "clusters are not simulated",
    ),
    (
        "getCbuWarpState",
        "convergence barriers are a matter of the hardware",
    ),
    ("readCPUCallStack", "host stacks are not kept yet"),
    ("lookupDeviceCodeSymbol", "symbols are in the image"),
    (
        "setNotifyNewEventCallback",
        "callbacks are the transport's matter",
    ),
];

/// What is known of a slot.
pub fn support(slot: &Slot) -> Support {
    if there().any(|n| n == slot.name) {
        return Support::There;
    }
    let why = ABSENT
        .iter()
        .find(|(n, _)| *n == slot.name)
        .map(|(_, w)| *w);
    Support::Absent(why.unwrap_or(if slot.current {
        "not yet"
    } else {
        "a newer slot has its place"
    }))
}

/// Names of the slots that are there.
pub fn there() -> impl Iterator<Item = &'static str> {
    [
        execution::NAMES,
        memory::NAMES,
        queries::NAMES,
        state::NAMES,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// Reasons that are given for slots which do not need one; for a test.
pub fn superfluous_reasons() -> Vec<&'static str> {
    let needed =
        |n: &str| SLOTS.iter().any(|s| s.name == n && s.current) && !there().any(|t| t == n);
    ABSENT
        .iter()
        .map(|(n, _)| *n)
        .filter(|n| !needed(n))
        .collect()
}

/// The functions of one file: extern functions, their names, and what puts them into the table. The body answers
/// with `Result<(), CUDBGResult>`; nothing unwinds into the caller's C.
macro_rules! slots {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $(#[allow(clippy::too_many_arguments)]
        unsafe extern "C" fn $name($($arg: $ty),*) -> cudbg::CUDBGResult {
            $crate::slots::guarded(move || $body)
        })*

        pub(super) const NAMES: &[&str] = &[$(stringify!($name)),*];

        pub(super) fn fill(table: &mut cudbg::CUDBGAPI_st) {
            $(table.$name = Some($name);)*
        }
    };
}
use slots;

fn guarded(body: impl FnOnce() -> Result<(), R>) -> R {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => R::CUDBG_SUCCESS,
        Ok(Err(e)) => e,
        Err(_) => R::CUDBG_ERROR_INTERNAL,
    }
}

macro_rules! absent {
    ($({ $index:literal $name:ident $age:ident ($($arg:ident: $ty:ty = $kind:ident $(($n:tt))?),*) })*) => {
        $(#[allow(clippy::too_many_arguments, unused_variables)]
        unsafe extern "C" fn $name($($arg: $ty),*) -> CUDBGResult {
            R::CUDBG_ERROR_NOT_SUPPORTED
        })*

        const NOTHING: CUDBGAPI_st = CUDBGAPI_st { $($name: Some($name),)* };
    };
}
mod nothing {
    use super::R;
    use cudbg::*;
    use std::ffi::{c_char, c_void};
    pub(super) const TABLE: CUDBGAPI_st = NOTHING;
    for_each_slot!(absent);
}

/// The table.
pub fn table() -> &'static CUDBGAPI_st {
    static TABLE: std::sync::OnceLock<CUDBGAPI_st> = std::sync::OnceLock::new();
    TABLE.get_or_init(|| {
        let mut t = nothing::TABLE;
        execution::fill(&mut t);
        memory::fill(&mut t);
        queries::fill(&mut t);
        state::fill(&mut t);
        t
    })
}

/// Writes an answer.
fn put<T>(to: *mut T, value: T) -> Result<(), R> {
    if to.is_null() {
        return Err(R::CUDBG_ERROR_INVALID_ARGS);
    }
    // SAFETY: the caller gives a place for the answer, aligned or, in a packed struct, not.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Writes a text with a zero at its end.
fn put_text(to: *mut std::ffi::c_char, size: u32, text: &str) -> Result<(), R> {
    if to.is_null() {
        return Err(R::CUDBG_ERROR_INVALID_ARGS);
    }
    if text.len() >= size as usize {
        return Err(R::CUDBG_ERROR_BUFFER_TOO_SMALL);
    }
    // SAFETY: the caller gives `size` bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast(), text.len());
        *to.add(text.len()) = 0;
    }
    Ok(())
}

/// The caller's memory to write into.
fn output<'a, T>(to: *mut T, n: u32) -> Result<&'a mut [T], R> {
    if to.is_null() || !to.is_aligned() {
        return Err(R::CUDBG_ERROR_INVALID_ARGS);
    }
    // SAFETY: the caller gives `n` items of plain numbers.
    Ok(unsafe { std::slice::from_raw_parts_mut(to, n as usize) })
}

/// The caller's memory to read.
fn input<'a, T>(from: *const T, n: u32) -> Result<&'a [T], R> {
    if from.is_null() || !from.is_aligned() {
        return Err(R::CUDBG_ERROR_INVALID_ARGS);
    }
    // SAFETY: the caller gives `n` items of plain numbers.
    Ok(unsafe { std::slice::from_raw_parts(from, n as usize) })
}

/// The engine, initialised.
fn control() -> Result<std::sync::MutexGuard<'static, Control>, R> {
    let c = ENGINE.lock();
    if c.initialized {
        Ok(c)
    } else {
        Err(R::CUDBG_ERROR_UNINITIALIZED)
    }
}

/// The engine, for a device that is there.
fn device(dev: u32) -> Result<std::sync::MutexGuard<'static, Control>, R> {
    let c = control()?;
    if dev == 0 {
        Ok(c)
    } else {
        Err(R::CUDBG_ERROR_INVALID_DEVICE)
    }
}

/// Calls `f` with the grid of a suspended device. Wrong coordinates are told before that there is no grid.
fn grid<T>(
    dev: u32,
    sm: u32,
    wp: u32,
    f: impl FnOnce(&mut Grid, Place) -> Result<T, R>,
) -> Result<T, R> {
    let mut c = device(dev)?;
    let sms = c.device.map_or(0, |d| d.config.sms);
    if sm >= sms {
        return Err(R::CUDBG_ERROR_INVALID_SM);
    }
    if wp >= WARPS {
        return Err(R::CUDBG_ERROR_INVALID_WARP);
    }
    let g = c.grid()?;
    let place = g.place(sm, wp)?;
    f(g, place)
}

/// As `grid`, for a lane that holds a thread.
fn lane<T>(
    dev: u32,
    sm: u32,
    wp: u32,
    ln: u32,
    f: impl FnOnce(&mut Grid, Place) -> Result<T, R>,
) -> Result<T, R> {
    if ln >= 32 {
        drop(control()?);
        return Err(R::CUDBG_ERROR_INVALID_LANE);
    }
    grid(dev, sm, wp, |g, p| {
        if g.machine.live(p.block, p.warp) >> ln & 1 == 0 {
            return Err(R::CUDBG_ERROR_INVALID_LANE);
        }
        f(g, p)
    })
}

fn dim(d: [u32; 3]) -> CuDim3 {
    CuDim3 {
        x: d[0],
        y: d[1],
        z: d[2],
    }
}
