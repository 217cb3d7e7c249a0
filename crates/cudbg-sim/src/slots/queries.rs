//! Devices, grids, words.

use super::{control, device, dim, grid, lane, output, put, put_text, slots};
use crate::grid::{Grid, WARPS};
use cudbg::CUDBGResult as R;
use cudbg::*;
use std::ffi::c_char;

/// More numbers than a GPU has: PTX registers are not allocated.
pub(super) const REGISTERS: u32 = 1 << 16;

fn info(g: &Grid) -> CUDBGGridInfo {
    CUDBGGridInfo {
        dev: 0,
        gridId64: g.id,
        tid: std::process::id(),
        context: g.context,
        module: g.module,
        function: 0,
        functionEntry: g.base,
        gridDim: dim(g.params.grid),
        blockDim: dim(g.params.block),
        r#type: CUDBGKernelType::CUDBG_KNL_TYPE_APPLICATION,
        parentGridId: 0,
        origin: CUDBGKernelOrigin::CUDBG_KNL_ORIGIN_CPU,
        clusterDim: dim([1; 3]),
        preferredClusterDim: dim([1; 3]),
    }
}

slots! {
    fn getNumDevices(numDev: *mut u32) {
        drop(control()?);
        put(numDev, 1)
    }
    fn getDeviceName(dev: u32, buf: *mut c_char, sz: u32) {
        drop(device(dev)?);
        put_text(buf, sz, "cuda-oxide simulator")
    }
    fn getDeviceType(dev: u32, buf: *mut c_char, sz: u32) {
        drop(device(dev)?);
        put_text(buf, sz, "simulator")
    }
    fn getSmType(dev: u32, buf: *mut c_char, sz: u32) {
        drop(device(dev)?);
        put_text(buf, sz, "sm_90")
    }
    fn getNumSMs(dev: u32, numSMs: *mut u32) {
        let sms = device(dev)?.device.map_or(0, |d| d.config.sms);
        put(numSMs, sms)
    }
    fn getNumWarps(dev: u32, numWarps: *mut u32) {
        drop(device(dev)?);
        put(numWarps, WARPS)
    }
    fn getNumLanes(dev: u32, numLanes: *mut u32) {
        drop(device(dev)?);
        put(numLanes, 32)
    }
    fn getNumRegisters(dev: u32, numRegs: *mut u32) {
        drop(device(dev)?);
        put(numRegs, REGISTERS)
    }
    fn getNumUniformRegisters(dev: u32, numRegs: *mut u32) {
        drop(device(dev)?);
        put(numRegs, 0)
    }
    fn getNumUniformPredicates(dev: u32, numPredicates: *mut u32) {
        drop(device(dev)?);
        put(numPredicates, 0)
    }
    fn disassemble(dev: u32, addr: u64, instSize: *mut u32, buf: *mut c_char, sz: u32) {
        let c = device(dev)?;
        let (text, number) = c.code(addr).ok_or(R::CUDBG_ERROR_INVALID_ADDRESS)?;
        let words = text.kernel.instruction(number).ok_or(R::CUDBG_ERROR_INVALID_ADDRESS)?;
        put_text(buf, sz, &words)?;
        put(instSize, 16)
    }
    fn getGridDim(dev: u32, sm: u32, wp: u32, gridDim: *mut CuDim3) {
        put(gridDim, grid(dev, sm, wp, |g, _| Ok(dim(g.params.grid)))?)
    }
    fn getBlockDim(dev: u32, sm: u32, wp: u32, blockDim: *mut CuDim3) {
        put(blockDim, grid(dev, sm, wp, |g, _| Ok(dim(g.params.block)))?)
    }
    fn getClusterDim(dev: u32, sm: u32, wp: u32, clusterDim: *mut CuDim3) {
        put(clusterDim, grid(dev, sm, wp, |_, _| Ok(dim([1; 3])))?)
    }
    fn getTID(dev: u32, sm: u32, wp: u32, tid: *mut u32) {
        put(tid, grid(dev, sm, wp, |_, _| Ok(std::process::id()))?)
    }
    fn getGridAttribute(dev: u32, sm: u32, wp: u32, attr: CUDBGAttribute, value: *mut u64) {
        let v = match attr {
            // A launch of the simulator is done when it returns.
            CUDBGAttribute::CUDBG_ATTR_GRID_LAUNCH_BLOCKING => 1,
            CUDBGAttribute::CUDBG_ATTR_GRID_TID => u64::from(std::process::id()),
            _ => return Err(R::CUDBG_ERROR_INVALID_ATTRIBUTE),
        };
        put(value, grid(dev, sm, wp, |_, _| Ok(v))?)
    }
    fn getGridAttributes(dev: u32, sm: u32, wp: u32, pairs: *mut CUDBGAttributeValuePair, numPairs: u32) {
        grid(dev, sm, wp, |_, _| Ok(()))?;
        for pair in output(pairs, numPairs)? {
            pair.value = match pair.attribute {
                CUDBGAttribute::CUDBG_ATTR_GRID_LAUNCH_BLOCKING => 1,
                CUDBGAttribute::CUDBG_ATTR_GRID_TID => u64::from(std::process::id()),
                _ => return Err(R::CUDBG_ERROR_INVALID_ATTRIBUTE),
            };
        }
        Ok(())
    }
    fn getGridStatus(dev: u32, gridId64: u64, status: *mut CUDBGGridStatus) {
        let c = device(dev)?;
        if gridId64 == 0 || gridId64 > c.last_grid {
            return Err(R::CUDBG_ERROR_INVALID_GRID);
        }
        let active = gridId64 == c.last_grid && (c.running || c.grid.is_some());
        put(status, if active { CUDBGGridStatus::CUDBG_GRID_STATUS_ACTIVE } else { CUDBGGridStatus::CUDBG_GRID_STATUS_TERMINATED })
    }
    fn getGridInfo(dev: u32, gridId64: u64, gridInfo: *mut CUDBGGridInfo) {
        let c = device(dev)?;
        let g = c.grid.as_ref().filter(|g| g.id == gridId64).ok_or(R::CUDBG_ERROR_INVALID_GRID)?;
        put(gridInfo, info(g))
    }
    fn getErrorStringEx(buf: *mut c_char, bufSz: u32, msgSz: *mut u32) {
        let words = control()?.words.clone();
        if !msgSz.is_null() {
            put(msgSz, words.len() as u32 + 1)?;
        }
        put_text(buf, bufSz, &words)
    }
    fn getCudaExceptionString(dev: u32, sm: u32, wp: u32, ln: u32, buf: *mut c_char, bufSz: u32, msgSz: *mut u32) {
        let words = lane(dev, sm, wp, ln, |g, _| {
            let e = g.exception.as_ref().filter(|e| (e.sm, e.wp) == (sm, wp));
            Ok(e.map_or(String::new(), |e| e.error.to_string()))
        })?;
        if !msgSz.is_null() {
            put(msgSz, words.len() as u32 + 1)?;
        }
        put_text(buf, bufSz, &words)
    }
}
