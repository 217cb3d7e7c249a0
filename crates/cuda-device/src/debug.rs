//! Clocks, traps and breakpoints. Printing and assertions are [`gpu_printf!`](crate::gpu_printf) and
//! [`gpu_assert!`](crate::gpu_assert).

pub use crate::{gpu_assert, gpu_printf};

use crate::intrinsics::*;

/// Stops the kernel; the launch fails.
#[inline(always)]
pub fn trap() -> ! {
    // SAFETY: ends the kernel.
    unsafe { __nvvm_trap() };
    // SAFETY: a trap does not return.
    unsafe { core::hint::unreachable_unchecked() }
}

/// Stops in the debugger.
#[inline(always)]
pub fn breakpoint() {
    // SAFETY: no effect on the program.
    unsafe { __nvvm_brkpt() }
}

/// The SM's cycle counter, lower 32 bits.
#[inline(always)]
pub fn clock() -> u32 {
    // SAFETY: reads a special register.
    unsafe { __nvvm_read_ptx_sreg_clock() }
}

/// The SM's cycle counter.
#[inline(always)]
pub fn clock64() -> u64 {
    // SAFETY: reads a special register.
    unsafe { __nvvm_read_ptx_sreg_clock64() }
}

/// Nanoseconds of the device's clock.
#[inline(always)]
pub fn globaltimer() -> u64 {
    // SAFETY: reads a special register.
    unsafe { __nvvm_read_ptx_sreg_globaltimer() }
}

/// Ends this thread.
#[inline(always)]
pub fn exit() -> ! {
    // SAFETY: ends the thread.
    unsafe { __nvvm_exit() };
    // SAFETY: the thread has ended.
    unsafe { core::hint::unreachable_unchecked() }
}

/// Suspends this thread for about `ns` nanoseconds (sm_70 and up).
#[inline(always)]
pub fn nanosleep(ns: u32) {
    // SAFETY: no effect on memory.
    unsafe { __nvvm_nanosleep(ns) }
}

/// Raises the profiler's event `N`, 0 to 15 (PTX `pmevent`): profilers count it, programs see nothing of it.
#[inline(always)]
pub fn prof_trigger<const N: u32>() {
    const { assert!(N < 16, "a GPU has 16 profiler events, 0 to 15") };
    // SAFETY: no effect on the program.
    unsafe { __nvvm_pmevent(N) }
}
