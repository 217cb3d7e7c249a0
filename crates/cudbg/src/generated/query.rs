// Written by generate.py.

//! Devices, grids, events and what else can be asked.

use crate::api::{TEXT, check, count, text, zeroed};
#[allow(unused_imports)]
use crate::*;
use crate::{Api, Result};
#[allow(unused_imports)]
use std::ffi::CStr;

impl Api {
    /// Threads of a block of a warp's grid.
    pub fn get_block_dim(&self, dev: u32, sm: u32, wp: u32) -> Result<CuDim3> {
        let mut block_dim: CuDim3 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getBlockDim)?(dev, sm, wp, &mut block_dim) })?;
        Ok(block_dim)
    }
    /// The host thread that launched a warp's grid.
    pub fn get_tid(&self, dev: u32, sm: u32, wp: u32) -> Result<u32> {
        let mut tid: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getTID)?(dev, sm, wp, &mut tid) })?;
        Ok(tid)
    }
    /// The chip's name.
    pub fn get_device_type(&self, dev: u32) -> Result<String> {
        let mut buf = [0u8; TEXT];
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getDeviceType)?(dev, buf.as_mut_ptr().cast(), buf.len() as u32)
        })?;
        Ok(text(&buf))
    }
    /// The SM architecture, such as `sm_90`.
    pub fn get_sm_type(&self, dev: u32) -> Result<String> {
        let mut buf = [0u8; TEXT];
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getSmType)?(dev, buf.as_mut_ptr().cast(), buf.len() as u32)
        })?;
        Ok(text(&buf))
    }
    /// How many devices there are.
    pub fn get_num_devices(&self) -> Result<u32> {
        let mut num_dev: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getNumDevices)?(&mut num_dev) })?;
        Ok(num_dev)
    }
    /// How many SMs a device has.
    pub fn get_num_sms(&self, dev: u32) -> Result<u32> {
        let mut num_sms: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getNumSMs)?(dev, &mut num_sms) })?;
        Ok(num_sms)
    }
    /// How many warp slots an SM has.
    pub fn get_num_warps(&self, dev: u32) -> Result<u32> {
        let mut num_warps: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getNumWarps)?(dev, &mut num_warps) })?;
        Ok(num_warps)
    }
    /// How many lanes a warp has.
    pub fn get_num_lanes(&self, dev: u32) -> Result<u32> {
        let mut num_lanes: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getNumLanes)?(dev, &mut num_lanes) })?;
        Ok(num_lanes)
    }
    /// How many 32-bit registers a lane can have.
    pub fn get_num_registers(&self, dev: u32) -> Result<u32> {
        let mut num_regs: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getNumRegisters)?(dev, &mut num_regs) })?;
        Ok(num_regs)
    }
    /// The address of a symbol of device code, and whether it is known.
    pub fn lookup_device_code_symbol(&self, sym_name: &CStr) -> Result<(bool, usize)> {
        let mut sym_found: bool = zeroed();
        let mut sym_addr: usize = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().lookupDeviceCodeSymbol)?(
                sym_name.as_ptr().cast_mut(),
                &mut sym_found,
                &mut sym_addr,
            )
        })?;
        Ok((sym_found, sym_addr))
    }
    /// One attribute of a warp's grid.
    pub fn get_grid_attribute(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        attr: CUDBGAttribute,
    ) -> Result<u64> {
        let mut value: u64 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getGridAttribute)?(dev, sm, wp, attr, &mut value) })?;
        Ok(value)
    }
    /// Several attributes of a warp's grid, each for the name in its pair.
    pub fn get_grid_attributes(
        &self,
        dev: u32,
        sm: u32,
        wp: u32,
        pairs: &mut [CUDBGAttributeValuePair],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getGridAttributes)?(
                dev,
                sm,
                wp,
                pairs.as_mut_ptr().cast(),
                count(pairs.len())?,
            )
        })?;
        Ok(())
    }
    /// Blocks of a warp's grid.
    pub fn get_grid_dim(&self, dev: u32, sm: u32, wp: u32) -> Result<CuDim3> {
        let mut grid_dim: CuDim3 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getGridDim)?(dev, sm, wp, &mut grid_dim) })?;
        Ok(grid_dim)
    }
    /// Where a mapped device address is on the host.
    pub fn get_host_addr_from_device_addr(&self, dev: u32, device_addr: u64) -> Result<u64> {
        let mut host_addr: u64 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getHostAddrFromDeviceAddr)?(dev, device_addr, &mut host_addr)
        })?;
        Ok(host_addr)
    }
    /// Forgets that the debugger was attached.
    pub fn clear_attach_state(&self) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().clearAttachState)?() })?;
        Ok(())
    }
    /// Lets the program go on after all synchronous events that were read.
    pub fn acknowledge_sync_events(&self) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().acknowledgeSyncEvents)?() })?;
        Ok(())
    }
    /// Prepares the attach stub of older drivers.
    pub fn initialize_attach_stub(&self) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().initializeAttachStub)?() })?;
        Ok(())
    }
    /// Whether a grid waits, runs or has ended.
    pub fn get_grid_status(&self, dev: u32, grid_id64: u64) -> Result<CUDBGGridStatus> {
        let mut status: CUDBGGridStatus = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getGridStatus)?(dev, grid_id64, &mut status) })?;
        Ok(status)
    }
    /// Whether launches give events.
    pub fn set_kernel_launch_notification_mode(
        &self,
        mode: CUDBGKernelLaunchNotifyMode,
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().setKernelLaunchNotificationMode)?(mode) })?;
        Ok(())
    }
    /// Bus and device number on the PCI bus.
    pub fn get_device_pci_bus_info(&self, dev_id: u32) -> Result<(u32, u32)> {
        let mut pci_bus_id: u32 = zeroed();
        let mut pci_dev_id: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getDevicePCIBusInfo)?(dev_id, &mut pci_bus_id, &mut pci_dev_id)
        })?;
        Ok((pci_bus_id, pci_dev_id))
    }
    /// The next event of a queue.
    pub fn get_next_event(&self, kind: CUDBGEventQueueType) -> Result<CUDBGEvent> {
        let mut event: CUDBGEvent = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getNextEvent)?(kind, &mut event) })?;
        Ok(event)
    }
    /// Copies a module's image, as large as its event said.
    pub fn get_elf_image_by_handle(
        &self,
        dev_id: u32,
        handle: u64,
        kind: CUDBGElfImageType,
        elf_image: &mut [u8],
    ) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getElfImageByHandle)?(
                dev_id,
                handle,
                kind,
                elf_image.as_mut_ptr().cast(),
                elf_image.len() as u64,
            )
        })?;
        Ok(())
    }
    /// Whether an address is in the code of some device.
    pub fn is_device_code_address(&self, addr: usize) -> Result<bool> {
        let mut is_device_address: bool = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().isDeviceCodeAddress)?(addr, &mut is_device_address)
        })?;
        Ok(is_device_address)
    }
    /// Asks for cleaning up before a detach; the flag says whether the program is to go on.
    pub fn request_cleanup_on_detach(&self, app_resume_flag: u32) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().requestCleanupOnDetach)?(app_resume_flag) })?;
        Ok(())
    }
    /// How many predicates a lane has.
    pub fn get_num_predicates(&self, dev: u32) -> Result<u32> {
        let mut num_predicates: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getNumPredicates)?(dev, &mut num_predicates) })?;
        Ok(num_predicates)
    }
    /// The name of a device.
    pub fn get_device_name(&self, dev: u32) -> Result<String> {
        let mut buf = [0u8; TEXT];
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getDeviceName)?(dev, buf.as_mut_ptr().cast(), buf.len() as u32)
        })?;
        Ok(text(&buf))
    }
    /// Mask of the SMs with an exception, in 64-bit words.
    pub fn read_device_exception_state(&self, dev_id: u32, mask: &mut [u64]) -> Result<()> {
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().readDeviceExceptionState)?(
                dev_id,
                mask.as_mut_ptr().cast(),
                count(mask.len())?,
            )
        })?;
        Ok(())
    }
    /// How many uniform registers a warp has.
    pub fn get_num_uniform_registers(&self, dev: u32) -> Result<u32> {
        let mut num_regs: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getNumUniformRegisters)?(dev, &mut num_regs) })?;
        Ok(num_regs)
    }
    /// How many uniform predicates a warp has.
    pub fn get_num_uniform_predicates(&self, dev: u32) -> Result<u32> {
        let mut num_predicates: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getNumUniformPredicates)?(dev, &mut num_predicates)
        })?;
        Ok(num_predicates)
    }
    /// More words on the last error.
    pub fn get_error_string_ex(&self) -> Result<String> {
        let mut buf = [0u8; TEXT];
        let mut msg_sz: u32 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe {
            self.slot(self.table().getErrorStringEx)?(
                buf.as_mut_ptr().cast(),
                buf.len() as u32,
                &mut msg_sz,
            )
        })?;
        Ok(text(&buf))
    }
    /// Everything about a grid.
    pub fn get_grid_info(&self, dev: u32, grid_id64: u64) -> Result<CUDBGGridInfo> {
        let mut grid_info: CUDBGGridInfo = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getGridInfo)?(dev, grid_id64, &mut grid_info) })?;
        Ok(grid_info)
    }
    /// Blocks of a cluster of a warp's grid.
    pub fn get_cluster_dim(&self, dev: u32, sm: u32, wp: u32) -> Result<CuDim3> {
        let mut cluster_dim: CuDim3 = zeroed();
        // SAFETY: pointers and lengths are of the same slices, which live through the call.
        check(unsafe { self.slot(self.table().getClusterDim)?(dev, sm, wp, &mut cluster_dim) })?;
        Ok(cluster_dim)
    }
}
