//! Starting and ending, running and stopping, breakpoints, events.

use super::{control, device, grid, output, put, slots};
use crate::engine::ENGINE;
use crate::grid::WARPS;
use cudbg::CUDBGResult as R;
use cudbg::*;
use std::ffi::c_void;

/// Capabilities that mean something here.
const CAPABILITIES: u32 = CUDBGCapabilityFlags::CUDBG_DEBUGGER_CAPABILITY_SUSPEND_EVENTS.0
    | CUDBGCapabilityFlags::CUDBG_DEBUGGER_CAPABILITY_NO_CONTEXT_PUSH_POP_EVENTS.0
    | CUDBGCapabilityFlags::CUDBG_DEBUGGER_CAPABILITY_REPORT_EXCEPTIONS_IN_EXITED_WARPS.0;

slots! {
    fn initialize() {
        let mut c = ENGINE.lock();
        c.initialized = true;
        c.detached = false;
        ENGINE.wake();
        Ok(())
    }
    fn finalize() {
        drop(control()?);
        ENGINE.detach();
        Ok(())
    }
    fn suspendDevice(dev: u32) {
        let c = device(dev)?;
        if c.suspended {
            return Err(R::CUDBG_ERROR_SUSPENDED_DEVICE);
        }
        drop(c);
        ENGINE.suspend();
        Ok(())
    }
    fn resumeDevice(dev: u32) {
        drop(device(dev)?);
        ENGINE.resume();
        Ok(())
    }
    fn singleStepWarp(dev: u32, sm: u32, wp: u32, laneHint: u32, nsteps: u32, flags: u32, warpMask: *mut u64) {
        // The lanes that the warp runs next are the ones that step; a hint has nothing to choose from.
        let _ = (laneHint, flags);
        if warpMask.is_null() || nsteps == 0 {
            drop(control()?);
            return Err(R::CUDBG_ERROR_INVALID_ARGS);
        }
        let moved = grid(dev, sm, wp, |g, place| {
            let mut moved = 0;
            for _ in 0..nsteps {
                moved |= g.step(sm, wp)?;
                if g.exception.is_some() || g.place(sm, wp) != Ok(place) {
                    break;
                }
            }
            Ok(moved)
        })?;
        put(warpMask, moved)
    }
    fn resumeWarpsUntilPC(devId: u32, sm: u32, warpMask: u64, virtPC: u64) {
        let mut c = device(devId)?;
        let breakpoints = c.breakpoints.clone();
        if warpMask == 0 {
            return Err(R::CUDBG_ERROR_INVALID_WARP_MASK);
        }
        if c.code(virtPC).is_none() {
            return Err(R::CUDBG_ERROR_INVALID_ADDRESS);
        }
        c.grid()?.run_until(sm, warpMask, virtPC, &breakpoints)
    }
    fn setBreakpoint(dev: u32, addr: u64) {
        let mut c = device(dev)?;
        if c.code(addr).is_none() || !addr.is_multiple_of(16) {
            return Err(R::CUDBG_ERROR_INVALID_ADDRESS);
        }
        c.breakpoints.insert(addr);
        Ok(())
    }
    fn unsetBreakpoint(dev: u32, addr: u64) {
        let mut c = device(dev)?;
        if c.breakpoints.remove(&addr) { Ok(()) } else { Err(R::CUDBG_ERROR_INVALID_ADDRESS) }
    }
    fn getAdjustedCodeAddress(devId: u32, address: u64, adjustedAddress: *mut u64, adjAction: CUDBGAdjAddrAction) {
        let c = device(devId)?;
        let (text, number) = c.code(address).ok_or(R::CUDBG_ERROR_INVALID_ADDRESS)?;
        let at = text.base + 16 * u64::from(number);
        let adjusted = match adjAction {
            CUDBGAdjAddrAction::CUDBG_ADJ_PREVIOUS_ADDRESS => at.checked_sub(16).filter(|a| *a >= text.base),
            CUDBGAdjAddrAction::CUDBG_ADJ_CURRENT_ADDRESS => Some(at),
            CUDBGAdjAddrAction::CUDBG_ADJ_NEXT_ADDRESS => Some(at + 16).filter(|a| *a < text.end()),
            _ => return Err(R::CUDBG_ERROR_INVALID_ARGS),
        };
        put(adjustedAddress, adjusted.ok_or(R::CUDBG_ERROR_INVALID_ADDRESS)?)
    }
    fn isDeviceCodeAddress(addr: usize, isDeviceAddress: *mut bool) {
        let c = control()?;
        put(isDeviceAddress, c.code(addr as u64).is_some())
    }
    fn getNextEvent(kind: CUDBGEventQueueType, event: *mut CUDBGEvent) {
        let mut c = control()?;
        if event.is_null() {
            return Err(R::CUDBG_ERROR_INVALID_ARGS);
        }
        let next = match kind {
            CUDBGEventQueueType::CUDBG_EVENT_QUEUE_TYPE_SYNC => c.next_event(),
            // Nothing here happens without being waited for.
            CUDBGEventQueueType::CUDBG_EVENT_QUEUE_TYPE_ASYNC => None,
            _ => return Err(R::CUDBG_ERROR_INVALID_ARGS),
        };
        put(event, next.ok_or(R::CUDBG_ERROR_NO_EVENT_AVAILABLE)?.to_c())
    }
    fn acknowledgeSyncEvents() {
        control()?.acknowledge();
        ENGINE.wake();
        Ok(())
    }
    fn setKernelLaunchNotificationMode(mode: CUDBGKernelLaunchNotifyMode) {
        control()?.defer_launches = match mode {
            CUDBGKernelLaunchNotifyMode::CUDBG_KNL_LAUNCH_NOTIFY_EVENT => false,
            CUDBGKernelLaunchNotifyMode::CUDBG_KNL_LAUNCH_NOTIFY_DEFER => true,
            _ => return Err(R::CUDBG_ERROR_INVALID_ARGS),
        };
        Ok(())
    }
    fn getSupportedDebuggerCapabilities(capabilities: *mut CUDBGCapabilityFlags) {
        put(capabilities, CUDBGCapabilityFlags(CAPABILITIES))
    }
    fn getElfImageByHandle(devId: u32, handle: u64, kind: CUDBGElfImageType, elfImage: *mut c_void, size: u64) {
        let c = device(devId)?;
        // Addresses are fixed when the image is made, so that the other kind would be the same.
        if kind != CUDBGElfImageType::CUDBG_ELF_IMAGE_TYPE_RELOCATED && kind != CUDBGElfImageType::CUDBG_ELF_IMAGE_TYPE_NONRELOCATED {
            return Err(R::CUDBG_ERROR_INVALID_ARGS);
        }
        let image = c.images.iter().find(|i| i.handle == handle).ok_or(R::CUDBG_ERROR_INVALID_MODULE)?;
        if (image.bytes.len() as u64) > size {
            return Err(R::CUDBG_ERROR_BUFFER_TOO_SMALL);
        }
        output(elfImage.cast::<u8>(), image.bytes.len() as u32)?.copy_from_slice(&image.bytes);
        Ok(())
    }
    fn consumeCudaLogs(logMessages: *mut CUDBGCudaLogMessage, numMessages: u32, numConsumed: *mut u32) {
        // The simulated driver keeps no log.
        let _ = (control()?, logMessages, numMessages);
        put(numConsumed, 0)
    }
    fn readValidWarps(dev: u32, sm: u32, validWarpsMask: *mut u64) {
        let mut c = device(dev)?;
        if sm >= c.device.map_or(0, |d| d.config.sms) {
            return Err(R::CUDBG_ERROR_INVALID_SM);
        }
        let mask = match c.grid() {
            Ok(g) => (0..WARPS).filter(|w| g.place(sm, *w).is_ok()).fold(0, |m, w| m | 1u64 << w),
            Err(R::CUDBG_ERROR_INVALID_WARP) => 0,
            Err(e) => return Err(e),
        };
        put(validWarpsMask, mask)
    }
    fn readBrokenWarps(dev: u32, sm: u32, brokenWarpsMask: *mut u64) {
        let mut c = device(dev)?;
        if sm >= c.device.map_or(0, |d| d.config.sms) {
            return Err(R::CUDBG_ERROR_INVALID_SM);
        }
        let mask = match c.grid() {
            Ok(g) => g.broken.iter().filter(|(s, _)| *s == sm).fold(0, |m, (_, w)| m | 1u64 << w),
            Err(R::CUDBG_ERROR_INVALID_WARP) => 0,
            Err(e) => return Err(e),
        };
        put(brokenWarpsMask, mask)
    }
}
