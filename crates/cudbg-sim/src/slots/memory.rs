//! Memory and registers, reading and writing.

use super::{control, device, grid, input, lane, output, put, slots};
use crate::grid::{Grid, Place};
use crate::registers::{Home, homes};
use cudbg::CUDBGResult as R;
use gpu_sim::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW_SIZE};
use std::ffi::c_void;

const OUTSIDE: R = R::CUDBG_ERROR_INVALID_MEMORY_ACCESS;

fn copy(from: &[u8], addr: u64, buf: *mut c_void, sz: u32) -> Result<(), R> {
    let part = usize::try_from(addr)
        .ok()
        .and_then(|a| from.get(a..a.checked_add(sz as usize)?));
    output(buf.cast::<u8>(), sz)?.copy_from_slice(part.ok_or(OUTSIDE)?);
    Ok(())
}

/// The homes of the registers of the function in which a lane is.
fn registers_of(g: &Grid, p: Place, ln: u32) -> Result<Vec<Home>, R> {
    let stack = g.machine.stack(p.block, p.warp, ln);
    let name = &stack.first().ok_or(R::CUDBG_ERROR_INVALID_LANE)?.function;
    let functions = g.machine.kernel().functions();
    let function = functions
        .iter()
        .find(|f| f.name == *name)
        .ok_or(R::CUDBG_ERROR_UNKNOWN_FUNCTION)?;
    Ok(homes(function))
}

fn general(homes: &[Home], number: u32) -> Option<(&Home, u32)> {
    let h = homes
        .iter()
        .find(|h| !h.predicate && (h.number..h.number + h.words).contains(&number))?;
    Some((h, number - h.number))
}

/// A register; those that the function does not have are 0, as unused ones of a GPU may be.
fn read(g: &Grid, p: Place, ln: u32, homes: &[Home], number: u32) -> Result<u32, R> {
    if number >= super::queries::REGISTERS {
        return Err(R::CUDBG_ERROR_INVALID_ARGS);
    }
    let value = general(homes, number).and_then(|(h, word)| {
        let bits = g.machine.register(p.block, p.warp, ln, 0, &h.name)?;
        Some((bits >> (32 * word)) as u32)
    });
    Ok(value.unwrap_or(0))
}

/// Reads by a generic address.
fn generic(
    g: &Grid,
    p: Place,
    ln: u32,
    addr: u64,
    buf: *mut c_void,
    sz: u32,
) -> Option<Result<(), R>> {
    let within = |w: u64| addr.checked_sub(w).filter(|o| *o < WINDOW_SIZE);
    if let Some(offset) = within(SHARED_WINDOW) {
        Some(copy(g.machine.shared(p.block), offset, buf, sz))
    } else if let Some(offset) = within(LOCAL_WINDOW) {
        Some(copy(g.machine.local(p.block, p.warp, ln), offset, buf, sz))
    } else {
        within(PARAM_WINDOW).map(|offset| copy(&g.machine.params(), offset, buf, sz))
    }
}

fn read_global(addr: u64, buf: *mut c_void, sz: u32) -> Result<(), R> {
    let c = control()?;
    if c.running {
        return Err(R::CUDBG_ERROR_RUNNING_DEVICE);
    }
    let to = output(buf.cast::<u8>(), sz)?;
    let memory = &c.device.ok_or(R::CUDBG_ERROR_NO_DEVICE_AVAILABLE)?.memory;
    memory
        .read(addr, to)
        .ok_or(R::CUDBG_ERROR_INVALID_MEMORY_SEGMENT)
}

fn write_global(addr: u64, buf: *const c_void, sz: u32) -> Result<(), R> {
    let c = control()?;
    if c.running {
        return Err(R::CUDBG_ERROR_RUNNING_DEVICE);
    }
    let bytes = input(buf.cast::<u8>(), sz)?;
    let memory = &c.device.ok_or(R::CUDBG_ERROR_NO_DEVICE_AVAILABLE)?.memory;
    memory
        .write_bytes(addr, bytes)
        .ok_or(R::CUDBG_ERROR_INVALID_MEMORY_SEGMENT)
}

slots! {
    fn readGlobalMemory(addr: u64, buf: *mut c_void, sz: u32) { read_global(addr, buf, sz) }
    fn writeGlobalMemory(addr: u64, buf: *const c_void, sz: u32) { write_global(addr, buf, sz) }
    fn readGenericMemory(dev: u32, sm: u32, wp: u32, ln: u32, addr: u64, buf: *mut c_void, sz: u32) {
        match lane(dev, sm, wp, ln, |g, p| Ok(generic(g, p, ln, addr, buf, sz)))? {
            Some(done) => done,
            None => read_global(addr, buf, sz),
        }
    }
    fn writeGenericMemory(dev: u32, sm: u32, wp: u32, ln: u32, addr: u64, buf: *const c_void, sz: u32) {
        let bytes = input(buf.cast::<u8>(), sz)?;
        let within = |w: u64| addr.checked_sub(w).filter(|o| *o < WINDOW_SIZE).map(|o| o as usize);
        let done = lane(dev, sm, wp, ln, |g, p| {
            Ok(if let Some(offset) = within(SHARED_WINDOW) {
                Some(g.machine.write_shared(p.block, offset, bytes))
            } else if let Some(offset) = within(LOCAL_WINDOW) {
                Some(g.machine.write_local(p.block, p.warp, ln, offset, bytes))
            } else {
                within(PARAM_WINDOW).map(|_| false)
            })
        })?;
        match done {
            Some(true) => Ok(()),
            Some(false) => Err(OUTSIDE),
            None => write_global(addr, buf, sz),
        }
    }
    fn readParamMemory(dev: u32, sm: u32, wp: u32, addr: u64, buf: *mut c_void, sz: u32) {
        grid(dev, sm, wp, |g, _| copy(&g.machine.params(), addr, buf, sz))
    }
    fn readSharedMemory(dev: u32, sm: u32, wp: u32, addr: u64, buf: *mut c_void, sz: u32) {
        grid(dev, sm, wp, |g, p| copy(g.machine.shared(p.block), addr, buf, sz))
    }
    fn writeSharedMemory(dev: u32, sm: u32, wp: u32, addr: u64, buf: *const c_void, sz: u32) {
        let bytes = input(buf.cast::<u8>(), sz)?;
        grid(dev, sm, wp, |g, p| if g.machine.write_shared(p.block, addr as usize, bytes) { Ok(()) } else { Err(OUTSIDE) })
    }
    fn readLocalMemory(dev: u32, sm: u32, wp: u32, ln: u32, addr: u64, buf: *mut c_void, sz: u32) {
        lane(dev, sm, wp, ln, |g, p| copy(g.machine.local(p.block, p.warp, ln), addr, buf, sz))
    }
    fn writeLocalMemory(dev: u32, sm: u32, wp: u32, ln: u32, addr: u64, buf: *const c_void, sz: u32) {
        let bytes = input(buf.cast::<u8>(), sz)?;
        lane(dev, sm, wp, ln, |g, p| if g.machine.write_local(p.block, p.warp, ln, addr as usize, bytes) { Ok(()) } else { Err(OUTSIDE) })
    }
    fn readRegister(dev: u32, sm: u32, wp: u32, ln: u32, regno: u32, val: *mut u32) {
        let value = lane(dev, sm, wp, ln, |g, p| read(g, p, ln, &registers_of(g, p, ln)?, regno))?;
        put(val, value)
    }
    fn readRegisterRange(devId: u32, sm: u32, wp: u32, ln: u32, index: u32, registers_size: u32, registers: *mut u32) {
        let out = output(registers, registers_size)?;
        lane(devId, sm, wp, ln, |g, p| {
            let homes = registers_of(g, p, ln)?;
            for (n, to) in (0..).zip(out) {
                *to = read(g, p, ln, &homes, index.saturating_add(n))?;
            }
            Ok(())
        })
    }
    fn writeRegister(dev: u32, sm: u32, wp: u32, ln: u32, regno: u32, val: u32) {
        lane(dev, sm, wp, ln, |g, p| {
            let homes = registers_of(g, p, ln)?;
            let (h, word) = general(&homes, regno).filter(|(h, _)| h.words <= 2).ok_or(R::CUDBG_ERROR_INVALID_ARGS)?;
            let old = g.machine.register(p.block, p.warp, ln, 0, &h.name).ok_or(R::CUDBG_ERROR_INVALID_ARGS)? as u64;
            let shift = 32 * word;
            let new = old & !(0xffff_ffff << shift) | u64::from(val) << shift;
            if g.machine.set_register(p.block, p.warp, ln, &h.name, new) { Ok(()) } else { Err(R::CUDBG_ERROR_INVALID_ARGS) }
        })
    }
    fn readPredicates(dev: u32, sm: u32, wp: u32, ln: u32, predicates_size: u32, predicates: *mut u32) {
        let out = output(predicates, predicates_size)?;
        lane(dev, sm, wp, ln, |g, p| {
            let homes = registers_of(g, p, ln)?;
            out.fill(0);
            for h in homes.iter().filter(|h| h.predicate) {
                if let Some(to) = out.get_mut(h.number as usize) {
                    *to = g.machine.register(p.block, p.warp, ln, 0, &h.name).unwrap_or(0) as u32;
                }
            }
            Ok(())
        })
    }
    fn writePredicates(dev: u32, sm: u32, wp: u32, ln: u32, predicates_size: u32, predicates: *const u32) {
        let values = input(predicates, predicates_size)?;
        lane(dev, sm, wp, ln, |g, p| {
            for h in registers_of(g, p, ln)?.iter().filter(|h| h.predicate) {
                if let Some(v) = values.get(h.number as usize) {
                    g.machine.set_predicate(p.block, p.warp, ln, &h.name, *v != 0);
                }
            }
            Ok(())
        })
    }
    fn getNumPredicates(dev: u32, numPredicates: *mut u32) {
        drop(device(dev)?);
        put(numPredicates, super::queries::REGISTERS)
    }
}
