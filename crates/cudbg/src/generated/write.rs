// Written by generate.py.

//! Changing the state of a suspended device.

use crate::api::{check, count};
#[allow(unused_imports)]
use crate::*;
use crate::{Api, Result};
#[allow(unused_imports)]
use std::ffi::CStr;

impl Api {
    /// Writes a kernel's parameter buffer.
    pub fn write_param_memory(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        addr: u64,
        buf: &[u8],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().writeParamMemory)?(
                dev,
                sm,
                wp,
                addr,
                buf.as_ptr().cast(),
                count(buf.len())?,
            )
        })?;
        Ok(())
    }
    /// Writes the shared memory of a warp's block.
    pub fn write_shared_memory(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        addr: u64,
        buf: &[u8],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().writeSharedMemory)?(
                dev,
                sm,
                wp,
                addr,
                buf.as_ptr().cast(),
                count(buf.len())?,
            )
        })?;
        Ok(())
    }
    /// Writes the local memory of a lane.
    pub fn write_local_memory(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        ln: u32,
        addr: u64,
        buf: &[u8],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().writeLocalMemory)?(
                dev,
                sm,
                wp,
                ln,
                addr,
                buf.as_ptr().cast(),
                count(buf.len())?,
            )
        })?;
        Ok(())
    }
    /// Sets one 32-bit register of a lane.
    pub fn write_register(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        ln: u32,
        regno: u32,
        val: u32,
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().writeRegister)?(dev, sm, wp, ln, regno, val) })?;
        Ok(())
    }
    /// Writes host memory that is mapped into the device.
    pub fn write_pinned_memory(&self, addr: u64, buf: &[u8]) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().writePinnedMemory)?(addr, buf.as_ptr().cast(), count(buf.len())?)
        })?;
        Ok(())
    }
    /// Writes by a generic address, as a lane sees it.
    pub fn write_generic_memory(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        ln: u32,
        addr: u64,
        buf: &[u8],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().writeGenericMemory)?(
                dev,
                sm,
                wp,
                ln,
                addr,
                buf.as_ptr().cast(),
                count(buf.len())?,
            )
        })?;
        Ok(())
    }
    /// Writes global memory.
    pub fn write_global_memory(&self, addr: u64, buf: &[u8]) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().writeGlobalMemory)?(addr, buf.as_ptr().cast(), count(buf.len())?)
        })?;
        Ok(())
    }
    /// Sets the predicates of a lane, one word each.
    pub fn write_predicates(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        ln: u32,
        predicates: &[u32],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().writePredicates)?(
                dev,
                sm,
                wp,
                ln,
                count(predicates.len())?,
                predicates.as_ptr().cast(),
            )
        })?;
        Ok(())
    }
    /// Sets the carry register of a lane.
    pub fn write_cc_register(&self, dev: u32, sm: u32, wp: u32, ln: u32, val: u32) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().writeCCRegister)?(dev, sm, wp, ln, val) })?;
        Ok(())
    }
    /// Sets a uniform register of a warp.
    pub fn write_uniform_register(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        regno: u32,
        val: u32,
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().writeUniformRegister)?(dev, sm, wp, regno, val) })?;
        Ok(())
    }
    /// Sets the uniform predicates of a warp.
    pub fn write_uniform_predicates(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        predicates: &[u32],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().writeUniformPredicates)?(
                dev,
                sm,
                wp,
                count(predicates.len())?,
                predicates.as_ptr().cast(),
            )
        })?;
        Ok(())
    }
}
