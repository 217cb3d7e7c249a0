// Written by generate.py.

//! Reading the state of a suspended device.

use crate::api::{TEXT, check, count, text, zeroed};
#[allow(unused_imports)]
use crate::*;
use crate::{Api, Result};
#[allow(unused_imports)]
use std::ffi::CStr;

impl Api {
    /// The coordinates of a lane's thread in its block.
    pub fn read_thread_idx(&self, dev: u32, sm: u32, wp: u32, ln: u32) -> Result<CuDim3> {
        let mut thread_idx: CuDim3 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().readThreadIdx)?(dev, sm, wp, ln, &mut thread_idx) })?;
        Ok(thread_idx)
    }
    /// Mask of the warps of an SM that have met a breakpoint.
    pub fn read_broken_warps(&self, dev: u32, sm: u32) -> Result<u64> {
        let mut broken_warps_mask: u64 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readBrokenWarps)?(dev, sm, &mut broken_warps_mask)
        })?;
        Ok(broken_warps_mask)
    }
    /// Mask of the warp slots of an SM that hold a warp.
    pub fn read_valid_warps(&self, dev: u32, sm: u32) -> Result<u64> {
        let mut valid_warps_mask: u64 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().readValidWarps)?(dev, sm, &mut valid_warps_mask) })?;
        Ok(valid_warps_mask)
    }
    /// Mask of the lanes of a warp that hold a thread which has not exited.
    pub fn read_valid_lanes(&self, dev: u32, sm: u32, wp: u32) -> Result<u32> {
        let mut valid_lanes_mask: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readValidLanes)?(dev, sm, wp, &mut valid_lanes_mask)
        })?;
        Ok(valid_lanes_mask)
    }
    /// Mask of the valid lanes that execute the warp's next instruction.
    pub fn read_active_lanes(&self, dev: u32, sm: u32, wp: u32) -> Result<u32> {
        let mut active_lanes_mask: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readActiveLanes)?(dev, sm, wp, &mut active_lanes_mask)
        })?;
        Ok(active_lanes_mask)
    }
    /// Reads bytes of code.
    pub fn read_code_memory(&self, dev: u32, addr: u64, buf: &mut [u8]) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readCodeMemory)?(
                dev,
                addr,
                buf.as_mut_ptr().cast(),
                count(buf.len())?,
            )
        })?;
        Ok(())
    }
    /// Reads a kernel's parameter buffer; the address is an offset in it.
    pub fn read_param_memory(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        addr: u64,
        buf: &mut [u8],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readParamMemory)?(
                dev,
                sm,
                wp,
                addr,
                buf.as_mut_ptr().cast(),
                count(buf.len())?,
            )
        })?;
        Ok(())
    }
    /// Reads the shared memory of a warp's block; the address is an offset in it.
    pub fn read_shared_memory(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        addr: u64,
        buf: &mut [u8],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readSharedMemory)?(
                dev,
                sm,
                wp,
                addr,
                buf.as_mut_ptr().cast(),
                count(buf.len())?,
            )
        })?;
        Ok(())
    }
    /// Reads the local memory of a lane; the address is an offset in it.
    pub fn read_local_memory(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        ln: u32,
        addr: u64,
        buf: &mut [u8],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readLocalMemory)?(
                dev,
                sm,
                wp,
                ln,
                addr,
                buf.as_mut_ptr().cast(),
                count(buf.len())?,
            )
        })?;
        Ok(())
    }
    /// One 32-bit register of a lane.
    pub fn read_register(&self, dev: u32, sm: u32, wp: u32, ln: u32, regno: u32) -> Result<u32> {
        let mut val: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().readRegister)?(dev, sm, wp, ln, regno, &mut val) })?;
        Ok(val)
    }
    /// Physical PC of a lane.
    pub fn read_pc(&self, dev: u32, sm: u32, wp: u32, ln: u32) -> Result<u64> {
        let mut pc: u64 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().readPC)?(dev, sm, wp, ln, &mut pc) })?;
        Ok(pc)
    }
    /// PC of a lane as an address in the image's terms.
    pub fn read_virtual_pc(&self, dev: u32, sm: u32, wp: u32, ln: u32) -> Result<u64> {
        let mut pc: u64 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().readVirtualPC)?(dev, sm, wp, ln, &mut pc) })?;
        Ok(pc)
    }
    /// Whether a lane has an exception.
    pub fn read_lane_status(&self, dev: u32, sm: u32, wp: u32, ln: u32) -> Result<bool> {
        let mut error: bool = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().readLaneStatus)?(dev, sm, wp, ln, &mut error) })?;
        Ok(error)
    }
    /// The exception of a lane, or none.
    pub fn read_lane_exception(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        ln: u32,
    ) -> Result<CUDBGException_t> {
        let mut exception: CUDBGException_t = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readLaneException)?(dev, sm, wp, ln, &mut exception)
        })?;
        Ok(exception)
    }
    /// Reads host memory that is mapped into the device.
    pub fn read_pinned_memory(&self, addr: u64, buf: &mut [u8]) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readPinnedMemory)?(
                addr,
                buf.as_mut_ptr().cast(),
                count(buf.len())?,
            )
        })?;
        Ok(())
    }
    /// Reads through a texture of a binding.
    pub fn read_texture_memory(
        &self,
        dev_id: u32,
        vsm: u32,
        wp: u32,
        id: u32,
        coords: &[u32],
        buf: &mut [u8],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readTextureMemory)?(
                dev_id,
                vsm,
                wp,
                id,
                count(coords.len())?,
                coords.as_ptr().cast_mut().cast(),
                buf.as_mut_ptr().cast(),
                count(buf.len())?,
            )
        })?;
        Ok(())
    }
    /// Coordinates of a warp's block in its grid.
    pub fn read_block_idx(&self, dev: u32, sm: u32, wp: u32) -> Result<CuDim3> {
        let mut block_idx: CuDim3 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().readBlockIdx)?(dev, sm, wp, &mut block_idx) })?;
        Ok(block_idx)
    }
    /// How many calls a lane is in, system calls included.
    pub fn read_call_depth(&self, dev: u32, sm: u32, wp: u32, ln: u32) -> Result<u32> {
        let mut depth: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().readCallDepth)?(dev, sm, wp, ln, &mut depth) })?;
        Ok(depth)
    }
    /// Physical return address of a call level; 0 is the innermost.
    pub fn read_return_address(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        ln: u32,
        level: u32,
    ) -> Result<u64> {
        let mut ra: u64 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readReturnAddress)?(dev, sm, wp, ln, level, &mut ra)
        })?;
        Ok(ra)
    }
    /// Return address of a call level; 0 is the innermost.
    pub fn read_virtual_return_address(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        ln: u32,
        level: u32,
    ) -> Result<u64> {
        let mut ra: u64 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readVirtualReturnAddress)?(dev, sm, wp, ln, level, &mut ra)
        })?;
        Ok(ra)
    }
    /// How many system calls a lane is in.
    pub fn read_syscall_call_depth(&self, dev: u32, sm: u32, wp: u32, ln: u32) -> Result<u32> {
        let mut depth: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readSyscallCallDepth)?(dev, sm, wp, ln, &mut depth)
        })?;
        Ok(depth)
    }
    /// Reads through a bindless texture.
    pub fn read_texture_memory_bindless(
        &self,
        dev_id: u32,
        vsm: u32,
        wp: u32,
        tex_symtab_index: u32,
        coords: &[u32],
        buf: &mut [u8],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readTextureMemoryBindless)?(
                dev_id,
                vsm,
                wp,
                tex_symtab_index,
                count(coords.len())?,
                coords.as_ptr().cast_mut().cast(),
                buf.as_mut_ptr().cast(),
                count(buf.len())?,
            )
        })?;
        Ok(())
    }
    /// The address of an access error of the integrated memory checker, which no driver has any more.
    pub fn memcheck_read_error_address(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        ln: u32,
    ) -> Result<(u64, ptxStorageKind)> {
        let mut address: u64 = zeroed();
        let mut storage: ptxStorageKind = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().memcheckReadErrorAddress)?(
                dev,
                sm,
                wp,
                ln,
                &mut address,
                &mut storage,
            )
        })?;
        Ok((address, storage))
    }
    /// Number of a warp's grid.
    pub fn read_grid_id(&self, dev: u32, sm: u32, wp: u32) -> Result<u64> {
        let mut grid_id64: u64 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().readGridId)?(dev, sm, wp, &mut grid_id64) })?;
        Ok(grid_id64)
    }
    /// The PC of the instruction that made a warp's exception, and whether there is one.
    pub fn read_error_pc(&self, dev_id: u32, sm: u32, wp: u32) -> Result<(u64, bool)> {
        let mut error_pc: u64 = zeroed();
        let mut error_pc_valid: bool = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readErrorPC)?(dev_id, sm, wp, &mut error_pc, &mut error_pc_valid)
        })?;
        Ok((error_pc, error_pc_valid))
    }
    /// Consecutive 32-bit registers of a lane, from an index on.
    pub fn read_register_range(
        &self,
        dev_id: u32,
        sm: u32,
        wp: u32,
        ln: u32,
        index: u32,
        registers: &mut [u32],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readRegisterRange)?(
                dev_id,
                sm,
                wp,
                ln,
                index,
                count(registers.len())?,
                registers.as_mut_ptr().cast(),
            )
        })?;
        Ok(())
    }
    /// Reads by a generic address, as a lane sees it.
    pub fn read_generic_memory(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        ln: u32,
        addr: u64,
        buf: &mut [u8],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readGenericMemory)?(
                dev,
                sm,
                wp,
                ln,
                addr,
                buf.as_mut_ptr().cast(),
                count(buf.len())?,
            )
        })?;
        Ok(())
    }
    /// Reads global memory, constants too.
    pub fn read_global_memory(&self, addr: u64, buf: &mut [u8]) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readGlobalMemory)?(
                addr,
                buf.as_mut_ptr().cast(),
                count(buf.len())?,
            )
        })?;
        Ok(())
    }
    /// Managed allocations from an address on, and how many were told.
    pub fn get_managed_memory_region_info(
        &self,
        start_address: u64,
        memory_info: &mut [CUDBGMemoryInfo],
    ) -> Result<u32> {
        let mut num_entries: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getManagedMemoryRegionInfo)?(
                start_address,
                memory_info.as_mut_ptr().cast(),
                count(memory_info.len())?,
                &mut num_entries,
            )
        })?;
        Ok(num_entries)
    }
    /// The predicates of a lane, one word each.
    pub fn read_predicates(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        ln: u32,
        predicates: &mut [u32],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readPredicates)?(
                dev,
                sm,
                wp,
                ln,
                count(predicates.len())?,
                predicates.as_mut_ptr().cast(),
            )
        })?;
        Ok(())
    }
    /// The carry register of a lane.
    pub fn read_cc_register(&self, dev: u32, sm: u32, wp: u32, ln: u32) -> Result<u32> {
        let mut val: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().readCCRegister)?(dev, sm, wp, ln, &mut val) })?;
        Ok(val)
    }
    /// Consecutive uniform registers of a warp.
    pub fn read_uniform_register_range(
        &self,
        dev_id: u32,
        sm: u32,
        wp: u32,
        regno: u32,
        registers: &mut [u32],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readUniformRegisterRange)?(
                dev_id,
                sm,
                wp,
                regno,
                count(registers.len())?,
                registers.as_mut_ptr().cast(),
            )
        })?;
        Ok(())
    }
    /// The uniform predicates of a warp, one word each.
    pub fn read_uniform_predicates(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        predicates: &mut [u32],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readUniformPredicates)?(
                dev,
                sm,
                wp,
                count(predicates.len())?,
                predicates.as_mut_ptr().cast(),
            )
        })?;
        Ok(())
    }
    /// Coordinates of a warp's cluster in its grid.
    pub fn read_cluster_idx(&self, dev: u32, sm: u32, wp: u32) -> Result<CuDim3> {
        let mut cluster_idx: CuDim3 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().readClusterIdx)?(dev, sm, wp, &mut cluster_idx) })?;
        Ok(cluster_idx)
    }
    /// Addresses of lazily loaded functions of a module, by section index.
    pub fn get_loaded_function_info(
        &self,
        dev_id: u32,
        handle: u64,
        info: &mut [CUDBGLoadedFunctionInfo],
        start_index: u32,
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getLoadedFunctionInfo)?(
                dev_id,
                handle,
                info.as_mut_ptr().cast(),
                start_index,
                count(info.len())?,
            )
        })?;
        Ok(())
    }
    /// Writes the state of all devices into a file.
    pub fn generate_coredump(
        &self,
        filename: &CStr,
        flags: CUDBGCoredumpGenerationFlags,
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().generateCoredump)?(filename.as_ptr(), flags) })?;
        Ok(())
    }
    /// The sizes by which the stream of `get_device_info` is to be read.
    pub fn get_device_info_sizes(&self, dev: u32) -> Result<CUDBGDeviceInfoSizes> {
        let mut sizes: CUDBGDeviceInfoSizes = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getDeviceInfoSizes)?(dev, &mut sizes) })?;
        Ok(sizes)
    }
    /// Much of a device's state as one stream, and its length.
    pub fn get_device_info(
        &self,
        dev: u32,
        kind: CUDBGDeviceInfoQueryType_t,
        buffer: &mut [u8],
    ) -> Result<u32> {
        let mut data_length: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getDeviceInfo)?(
                dev,
                kind,
                buffer.as_mut_ptr().cast(),
                count(buffer.len())?,
                &mut data_length,
            )
        })?;
        Ok(data_length)
    }
    /// Address and size of a constant bank of a grid.
    pub fn get_const_bank_address(
        &self,
        dev: u32,
        grid_id64: u64,
        bank: u32,
    ) -> Result<(u64, u32)> {
        let mut address: u64 = zeroed();
        let mut size: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getConstBankAddress)?(
                dev,
                grid_id64,
                bank,
                &mut address,
                &mut size,
            )
        })?;
        Ok((address, size))
    }
    /// Return addresses of a lane, innermost first, with call depth and system call depth.
    pub fn read_all_virtual_return_addresses(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        ln: u32,
        addrs: &mut [u64],
    ) -> Result<(u32, u32)> {
        let mut call_depth: u32 = zeroed();
        let mut syscall_call_depth: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readAllVirtualReturnAddresses)?(
                dev,
                sm,
                wp,
                ln,
                addrs.as_mut_ptr().cast(),
                count(addrs.len())?,
                &mut call_depth,
                &mut syscall_call_depth,
            )
        })?;
        Ok((call_depth, syscall_call_depth))
    }
    /// The exception of an SM, its PC, and whether the PC is known.
    pub fn read_sm_exception(&self, dev: u32, sm: u32) -> Result<(CUDBGException_t, u64, bool)> {
        let mut exception: CUDBGException_t = zeroed();
        let mut error_pc: u64 = zeroed();
        let mut error_pc_valid: bool = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readSmException)?(
                dev,
                sm,
                &mut exception,
                &mut error_pc,
                &mut error_pc_valid,
            )
        })?;
        Ok((exception, error_pc, error_pc_valid))
    }
    /// The block that a cluster exception was about, if it was one.
    pub fn get_cluster_exception_target_block(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
    ) -> Result<(CuDim3, bool)> {
        let mut block_idx: CuDim3 = zeroed();
        let mut block_idx_valid: bool = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getClusterExceptionTargetBlock)?(
                dev,
                sm,
                wp,
                &mut block_idx,
                &mut block_idx_valid,
            )
        })?;
        Ok((block_idx, block_idx_valid))
    }
    /// Registers and shared memory that a warp takes.
    pub fn read_warp_resources(&self, dev: u32, sm: u32, wp: u32) -> Result<CUDBGWarpResources> {
        let mut resources: CUDBGWarpResources = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().readWarpResources)?(dev, sm, wp, &mut resources) })?;
        Ok(resources)
    }
    /// Convergence barriers and thread states of some warps of an SM.
    pub fn get_cbu_warp_state(
        &self,
        dev: u32,
        sm: u32,
        warp_mask: u64,
        warp_states: &mut [CUDBGCbuWarpState],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getCbuWarpState)?(
                dev,
                sm,
                warp_mask,
                warp_states.as_mut_ptr().cast(),
                count(warp_states.len())?,
            )
        })?;
        Ok(())
    }
    /// Everything about a warp and its lanes.
    pub fn read_warp_state(&self, dev: u32, sm: u32, wp: u32) -> Result<CUDBGWarpState> {
        let mut state: CUDBGWarpState = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().readWarpState)?(dev, sm, wp, &mut state) })?;
        Ok(state)
    }
    /// Log messages of the driver, and how many.
    pub fn consume_cuda_logs(&self, log_messages: &mut [CUDBGCudaLogMessage]) -> Result<u32> {
        let mut num_consumed: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().consumeCudaLogs)?(
                log_messages.as_mut_ptr().cast(),
                count(log_messages.len())?,
                &mut num_consumed,
            )
        })?;
        Ok(num_consumed)
    }
    /// Host return addresses of a grid's launch, and how many there are.
    pub fn read_cpu_call_stack(&self, dev: u32, grid_id64: u64, addrs: &mut [u64]) -> Result<u32> {
        let mut total_num_addrs: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readCPUCallStack)?(
                dev,
                grid_id64,
                addrs.as_mut_ptr().cast(),
                count(addrs.len())?,
                &mut total_num_addrs,
            )
        })?;
        Ok(total_num_addrs)
    }
    /// The exception of a lane in words.
    pub fn get_cuda_exception_string(&self, dev: u32, sm: u32, wp: u32, ln: u32) -> Result<String> {
        let mut buf = [0u8; TEXT];
        let mut msg_sz: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getCudaExceptionString)?(
                dev,
                sm,
                wp,
                ln,
                buf.as_mut_ptr().cast(),
                buf.len() as u32,
                &mut msg_sz,
            )
        })?;
        Ok(text(&buf))
    }
}
