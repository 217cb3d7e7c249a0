//! Where warps and lanes are, and their exceptions.

use super::{device, dim, grid, lane, output, put, slots};
use crate::grid::{Grid, Place};
use cudbg::CUDBGException_t as E;
use cudbg::CUDBGResult as R;
use cudbg::*;
use std::result::Result;

/// PC of a lane.
fn pc(g: &Grid, p: Place, ln: u32) -> Result<u64, R> {
    let groups = g.machine.groups(p.block, p.warp);
    let at = groups
        .iter()
        .find(|s| s.lanes >> ln & 1 != 0)
        .ok_or(R::CUDBG_ERROR_INVALID_LANE)?;
    Ok(g.address(at.pc))
}

/// The lanes that execute the next instruction. A warp that waits shows the lanes of its first place.
fn active(g: &mut Grid, p: Place) -> u32 {
    match g.machine.next(p.block, p.warp) {
        Some((lanes, _)) => lanes,
        None => g
            .machine
            .groups(p.block, p.warp)
            .first()
            .map_or(0, |s| s.lanes),
    }
}

fn exception(g: &Grid, sm: u32, wp: u32, ln: u32) -> E {
    let e = g
        .exception
        .as_ref()
        .filter(|e| (e.sm, e.wp, e.lane) == (sm, wp, ln));
    e.map_or(E::CUDBG_EXCEPTION_NONE, |e| e.kind)
}

/// Return addresses of a lane, innermost first.
fn returns(g: &Grid, p: Place, ln: u32) -> Vec<u64> {
    let stack = g.machine.stack(p.block, p.warp, ln);
    // The stack has the PC of the call.
    stack.iter().skip(1).map(|f| g.address(f.pc + 16)).collect()
}

fn return_address(dev: u32, sm: u32, wp: u32, ln: u32, level: u32, ra: *mut u64) -> Result<(), R> {
    let all = lane(dev, sm, wp, ln, |g, p| Ok(returns(g, p, ln)))?;
    if all.is_empty() {
        return Err(R::CUDBG_ERROR_ZERO_CALL_DEPTH);
    }
    put(
        ra,
        *all.get(level as usize)
            .ok_or(R::CUDBG_ERROR_INVALID_CALL_LEVEL)?,
    )
}

slots! {
    fn readThreadIdx(dev: u32, sm: u32, wp: u32, ln: u32, threadIdx: *mut CuDim3) {
        put(threadIdx, lane(dev, sm, wp, ln, |g, p| Ok(dim(g.thread_index(p.warp, ln))))?)
    }
    fn readBlockIdx(dev: u32, sm: u32, wp: u32, blockIdx: *mut CuDim3) {
        put(blockIdx, grid(dev, sm, wp, |g, p| Ok(dim(g.block_index(p.block))))?)
    }
    fn readClusterIdx(dev: u32, sm: u32, wp: u32, clusterIdx: *mut CuDim3) {
        // Every block is a cluster of its own.
        put(clusterIdx, grid(dev, sm, wp, |g, p| Ok(dim(g.block_index(p.block))))?)
    }
    fn readGridId(dev: u32, sm: u32, wp: u32, gridId64: *mut u64) {
        put(gridId64, grid(dev, sm, wp, |g, _| Ok(g.id))?)
    }
    fn readValidLanes(dev: u32, sm: u32, wp: u32, validLanesMask: *mut u32) {
        put(validLanesMask, grid(dev, sm, wp, |g, p| Ok(g.machine.live(p.block, p.warp)))?)
    }
    fn readActiveLanes(dev: u32, sm: u32, wp: u32, activeLanesMask: *mut u32) {
        put(activeLanesMask, grid(dev, sm, wp, |g, p| Ok(active(g, p)))?)
    }
    fn readPC(dev: u32, sm: u32, wp: u32, ln: u32, to: *mut u64) {
        put(to, lane(dev, sm, wp, ln, |g, p| pc(g, p, ln))?)
    }
    fn readVirtualPC(dev: u32, sm: u32, wp: u32, ln: u32, to: *mut u64) {
        put(to, lane(dev, sm, wp, ln, |g, p| pc(g, p, ln))?)
    }
    fn readLaneStatus(dev: u32, sm: u32, wp: u32, ln: u32, error: *mut bool) {
        let e = lane(dev, sm, wp, ln, |g, _| Ok(exception(g, sm, wp, ln)))?;
        put(error, e != E::CUDBG_EXCEPTION_NONE)
    }
    fn readLaneException(dev: u32, sm: u32, wp: u32, ln: u32, to: *mut CUDBGException_t) {
        put(to, lane(dev, sm, wp, ln, |g, _| Ok(exception(g, sm, wp, ln)))?)
    }
    fn readErrorPC(devId: u32, sm: u32, wp: u32, errorPC: *mut u64, errorPCValid: *mut bool) {
        let e = grid(devId, sm, wp, |g, _| Ok(g.exception.as_ref().filter(|e| (e.sm, e.wp) == (sm, wp)).map(|e| e.pc)))?;
        put(errorPC, e.unwrap_or(0))?;
        put(errorPCValid, e.is_some())
    }
    fn readSmException(dev: u32, sm: u32, to: *mut CUDBGException_t, errorPC: *mut u64, errorPCValid: *mut bool) {
        let mut c = device(dev)?;
        if sm >= c.device.map_or(0, |d| d.config.sms) {
            return Err(R::CUDBG_ERROR_INVALID_SM);
        }
        let e = match c.grid() {
            Ok(g) => g.exception.as_ref().filter(|e| e.sm == sm).map(|e| (e.kind, e.pc)),
            Err(R::CUDBG_ERROR_INVALID_WARP) => None,
            Err(e) => return Err(e),
        };
        put(to, e.map_or(E::CUDBG_EXCEPTION_NONE, |e| e.0))?;
        put(errorPC, e.map_or(0, |e| e.1))?;
        put(errorPCValid, e.is_some())
    }
    fn readDeviceExceptionState(devId: u32, mask: *mut u64, numWords: u32) {
        let mut c = device(devId)?;
        let out = output(mask, numWords)?;
        out.fill(0);
        match c.grid() {
            Ok(g) => {
                if let Some(e) = &g.exception {
                    let word = out.get_mut(e.sm as usize / 64).ok_or(R::CUDBG_ERROR_BUFFER_TOO_SMALL)?;
                    *word = 1 << (e.sm % 64);
                }
                Ok(())
            }
            Err(R::CUDBG_ERROR_INVALID_WARP) => Ok(()),
            Err(e) => Err(e),
        }
    }
    fn readCallDepth(dev: u32, sm: u32, wp: u32, ln: u32, depth: *mut u32) {
        put(depth, lane(dev, sm, wp, ln, |g, p| Ok(returns(g, p, ln).len() as u32))?)
    }
    fn readSyscallCallDepth(dev: u32, sm: u32, wp: u32, ln: u32, depth: *mut u32) {
        // What a GPU does by system calls is done by the simulator at once.
        put(depth, lane(dev, sm, wp, ln, |_, _| Ok(0))?)
    }
    fn readReturnAddress(dev: u32, sm: u32, wp: u32, ln: u32, level: u32, ra: *mut u64) {
        return_address(dev, sm, wp, ln, level, ra)
    }
    fn readVirtualReturnAddress(dev: u32, sm: u32, wp: u32, ln: u32, level: u32, ra: *mut u64) {
        return_address(dev, sm, wp, ln, level, ra)
    }
    fn readAllVirtualReturnAddresses(
        dev: u32, sm: u32, wp: u32, ln: u32, addrs: *mut u64, numAddrs: u32, callDepth: *mut u32, syscallCallDepth: *mut u32
    ) {
        let all = lane(dev, sm, wp, ln, |g, p| Ok(returns(g, p, ln)))?;
        for (to, from) in output(addrs, numAddrs)?.iter_mut().zip(&all) {
            *to = *from;
        }
        put(callDepth, all.len() as u32)?;
        put(syscallCallDepth, 0)
    }
    fn readWarpResources(dev: u32, sm: u32, wp: u32, resources: *mut CUDBGWarpResources) {
        let (sharedMemSize, numRegisters) = grid(dev, sm, wp, |g, p| {
            Ok((g.machine.shared(p.block).len() as u32, g.machine.kernel().registers()))
        })?;
        put(resources, CUDBGWarpResources { sharedMemSize, numRegisters })
    }
    fn readWarpState(dev: u32, sm: u32, wp: u32, state: *mut CUDBGWarpState) {
        let value = grid(dev, sm, wp, |g, p| {
            let validLanes = g.machine.live(p.block, p.warp);
            let none = CUDBGLaneState { virtualPC: 0, threadIdx: dim([0; 3]), exception: E::CUDBG_EXCEPTION_NONE };
            let activeLanes = active(g, p);
            let mut lanes = [none; 32];
            for (ln, to) in (0..32).zip(&mut lanes) {
                if validLanes >> ln & 1 != 0 {
                    *to = CUDBGLaneState { virtualPC: pc(g, p, ln)?, threadIdx: dim(g.thread_index(p.warp, ln)), exception: exception(g, sm, wp, ln) };
                }
            }
            let error = g.exception.as_ref().filter(|e| (e.sm, e.wp) == (sm, wp)).map(|e| e.pc);
            let blockIdx = dim(g.block_index(p.block));
            Ok(CUDBGWarpState {
                gridId: g.id,
                errorPC: error.unwrap_or(0),
                blockIdx,
                validLanes,
                activeLanes,
                errorPCValid: u32::from(error.is_some()),
                lane: lanes,
                clusterIdx: blockIdx,
                clusterDim: dim([1; 3]),
                clusterExceptionTargetBlockIdxValid: 0,
                clusterExceptionTargetBlockIdx: dim([0; 3]),
                inSyscallLanes: 0,
            })
        })?;
        put(state, value)
    }
}
