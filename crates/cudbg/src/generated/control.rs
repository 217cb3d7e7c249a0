// Written by generate.py.

//! Starting and ending, running and stopping, breakpoints.

use crate::api::{TEXT, check, text, zeroed};
#[allow(unused_imports)]
use crate::*;
use crate::{Api, Result};
#[allow(unused_imports)]
use std::ffi::CStr;

impl Api {
    /// Connects the API with the program's driver. Everything but the callback and the capabilities comes after it.
    pub fn initialize(&self) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().initialize)?() })?;
        Ok(())
    }
    /// Ends the connection; breakpoints go.
    pub fn finalize(&self) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().finalize)?() })?;
        Ok(())
    }
    /// Stops all warps of a running device.
    pub fn suspend_device(&self, dev: u32) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().suspendDevice)?(dev) })?;
        Ok(())
    }
    /// Lets a suspended device run; warps that stand on a breakpoint first execute its instruction.
    pub fn resume_device(&self, dev: u32) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().resumeDevice)?(dev) })?;
        Ok(())
    }
    /// Puts a breakpoint at an adjusted code address.
    pub fn set_breakpoint(&self, dev: u32, addr: u64) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().setBreakpoint)?(dev, addr) })?;
        Ok(())
    }
    /// Takes a breakpoint away.
    pub fn unset_breakpoint(&self, dev: u32, addr: u64) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().unsetBreakpoint)?(dev, addr) })?;
        Ok(())
    }
    /// The address at, before or after an address at which an instruction starts.
    pub fn get_adjusted_code_address(
        &self,
        dev_id: u32,
        address: u64,
        adj_action: CUDBGAdjAddrAction,
    ) -> Result<u64> {
        let mut adjusted_address: u64 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getAdjustedCodeAddress)?(
                dev_id,
                address,
                &mut adjusted_address,
                adj_action,
            )
        })?;
        Ok(adjusted_address)
    }
    /// Lets some warps of an SM run to an address.
    pub fn resume_warps_until_pc(
        &self,
        dev_id: u32,
        sm: u32,
        warp_mask: u64,
        virt_pc: u64,
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().resumeWarpsUntilPC)?(dev_id, sm, warp_mask, virt_pc)
        })?;
        Ok(())
    }
    /// Executes instructions of one warp; answers with the warps that moved.
    pub fn single_step_warp(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        lane_hint: u32,
        nsteps: u32,
        flags: u32,
    ) -> Result<u64> {
        let mut warp_mask: u64 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().singleStepWarp)?(
                dev,
                sm,
                wp,
                lane_hint,
                nsteps,
                flags,
                &mut warp_mask,
            )
        })?;
        Ok(warp_mask)
    }
    /// The capabilities that the back end has.
    pub fn get_supported_debugger_capabilities(&self) -> Result<CUDBGCapabilityFlags> {
        let mut capabilities: CUDBGCapabilityFlags = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getSupportedDebuggerCapabilities)?(&mut capabilities)
        })?;
        Ok(capabilities)
    }
    /// A command of NVIDIA's own.
    pub fn execute_internal_command(&self, command: &CStr) -> Result<String> {
        let mut result_buffer = [0u8; TEXT];
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().executeInternalCommand)?(
                command.as_ptr(),
                result_buffer.as_mut_ptr().cast(),
                result_buffer.len() as u32,
            )
        })?;
        Ok(text(&result_buffer))
    }
}
