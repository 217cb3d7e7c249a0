//! What the driver remembers. Handles are numbers that are never used twice, so that a stale one is known.

use crate::result::*;
use gpu_sim::{Config, Device, Fault, Kernel, LaunchError, Module, SimError};
use std::alloc::Layout;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Instant;

/// An opaque handle.
pub type Handle = *mut c_void;

/// A function of a module and what was set for it.
#[derive(Clone)]
pub(crate) struct FunctionEntry {
    pub kernel: Kernel,
    pub name: std::ffi::CString,
    pub module: usize,
    pub max_dynamic_shared: i32,
}

/// Host memory that the driver gave out or registered.
pub(crate) struct HostEntry {
    pub layout: Option<Layout>,
}

#[derive(Default)]
pub(crate) struct State {
    pub contexts: HashMap<usize, u32>,
    pub modules: HashMap<usize, Arc<Module>>,
    /// Side tables as they came, for a debugger.
    pub sides: HashMap<usize, Arc<[u8]>>,
    pub functions: HashMap<usize, FunctionEntry>,
    pub streams: HashMap<usize, (u32, i32)>,
    pub events: HashMap<usize, Option<Instant>>,
    pub host: HashMap<usize, HostEntry>,
    pub limits: HashMap<i32, usize>,
    /// The error of a launch, which all calls answer until the context ends.
    pub sticky: Option<CUresult>,
    /// The full report of the last error.
    pub report: String,
    /// Handle of the primary context and how often it is retained.
    pub primary: (usize, u32),
}

static INIT: AtomicUsize = AtomicUsize::new(0);
static NEXT: AtomicUsize = AtomicUsize::new(1);
static STATE: OnceLock<Mutex<State>> = OnceLock::new();
static DEVICE: OnceLock<Device> = OnceLock::new();
pub(crate) static LANE_INSTRUCTIONS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Contexts that the thread has pushed; the last is the current one.
    static STACK: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// The simulator's configuration, from the environment.
fn config() -> Config {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|v| v.trim().parse::<u64>().ok())
    };
    let mut c = Config::default();
    if let Some(n) = number("CUDA_OXIDE_SIM_SMS") {
        c.sms = n.clamp(1, 1024) as u32;
    }
    match number("CUDA_OXIDE_SIM_STEPS") {
        Some(0) => c.steps = None,
        Some(n) => c.steps = Some(n),
        None => {}
    }
    c.seed = number("CUDA_OXIDE_SIM_SEED");
    c.races = number("CUDA_OXIDE_SIM_RACES").is_some_and(|n| n != 0);
    if c.races {
        // The detector needs one order of everything.
        c.seed.get_or_insert(0);
    }
    c
}

pub(crate) fn initialise() {
    DEVICE.get_or_init(|| Device::new(config()));
    INIT.store(1, Ordering::Release);
}

pub(crate) fn initialised() -> Result<(), CUresult> {
    if INIT.load(Ordering::Acquire) == 0 {
        Err(CUDA_ERROR_NOT_INITIALIZED)
    } else {
        Ok(())
    }
}

pub(crate) fn device() -> &'static Device {
    DEVICE.get_or_init(|| Device::new(config()))
}

pub(crate) fn state() -> MutexGuard<'static, State> {
    STATE
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(|e| e.into_inner())
}

/// A number for a new handle: a multiple of 16, as pointers are.
pub(crate) fn new_handle() -> usize {
    0x1000 + 16 * NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Initialised, with a current context and without an error from before.
pub(crate) fn check() -> Result<(), CUresult> {
    initialised()?;
    let s = state();
    if !current().is_some_and(|c| s.contexts.contains_key(&c)) {
        return Err(CUDA_ERROR_INVALID_CONTEXT);
    }
    s.sticky.map_or(Ok(()), Err)
}

pub(crate) fn current() -> Option<usize> {
    STACK.with_borrow(|s| s.last().copied())
}

pub(crate) fn with_stack<T>(f: impl FnOnce(&mut Vec<usize>) -> T) -> T {
    STACK.with_borrow_mut(f)
}

/// Remembers the report of an error and answers with its code.
pub(crate) fn sim_error(e: &SimError) -> CUresult {
    state().report = e.to_string();
    match e {
        SimError::Parse { .. } => CUDA_ERROR_INVALID_PTX,
        SimError::Unknown { .. } => CUDA_ERROR_NOT_SUPPORTED,
        SimError::Undefined { .. } => CUDA_ERROR_INVALID_PTX,
        SimError::NotFound { .. } => CUDA_ERROR_NOT_FOUND,
        SimError::BadLaunch { .. } => CUDA_ERROR_INVALID_VALUE,
        SimError::CooperativeTooLarge { .. } => CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
        SimError::OutOfMemory { .. } => CUDA_ERROR_OUT_OF_MEMORY,
        SimError::Stopped => CUDA_ERROR_LAUNCH_TIMEOUT,
    }
}

/// The code that a GPU gives for a fault.
pub(crate) fn fault_code(f: &Fault) -> CUresult {
    match f {
        Fault::OutOfBounds { .. } => CUDA_ERROR_ILLEGAL_ADDRESS,
        Fault::Misaligned { .. } => CUDA_ERROR_MISALIGNED_ADDRESS,
        Fault::BarrierDeadlock { .. } | Fault::StepBudget { .. } => CUDA_ERROR_LAUNCH_TIMEOUT,
        Fault::MemberMask { .. } | Fault::BadBranchIndex { .. } => CUDA_ERROR_ILLEGAL_INSTRUCTION,
        Fault::CallDepth { .. } | Fault::StackOverflow { .. } => CUDA_ERROR_HARDWARE_STACK_ERROR,
        Fault::BadFunctionPointer { .. } => CUDA_ERROR_INVALID_PC,
        // A GPU does not look at the object; what comes of it is anything.
        Fault::Mbarrier { .. } => CUDA_ERROR_ILLEGAL_INSTRUCTION,
        // A GPU does not notice.
        Fault::Race { .. } => CUDA_ERROR_LAUNCH_FAILED,
        Fault::Trap | Fault::Breakpoint => CUDA_ERROR_LAUNCH_FAILED,
        Fault::Assert { .. } => CUDA_ERROR_ASSERT,
    }
}

/// Takes note of how a launch failed. Faults stay; refusals concern the call alone.
pub(crate) fn launch_error(e: &LaunchError) -> Result<(), CUresult> {
    match e {
        LaunchError::Sim(e) => Err(sim_error(e)),
        LaunchError::Fault(r) => {
            let mut s = state();
            s.report = r.to_string();
            s.sticky = Some(fault_code(&r.fault));
            Ok(())
        }
    }
}
