//! Loads, stores and atomics: from addresses to bytes, with every check on the way.

use crate::cluster;
use crate::error::{AccessKind, Fault, MemorySpace, Nearby};
use crate::float::{BF16, F16, add_odd, canonical, max64, min64};
use crate::inst::*;
use crate::lanes::Rows;
use crate::launch::Env;
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW_SIZE};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence};

/// The memory that belongs to the executing warp and its block.
pub(crate) struct Place {
    pub local: *mut u8,
    pub stride: u32,
    /// End of what the executing frame may touch.
    pub local_end: u32,
    pub shared: *mut u8,
    pub shared_size: u32,
}

/// Atomics of 16 bytes, which the host does not have everywhere, take turns.
static WIDE: Mutex<()> = Mutex::new(());

fn window(address: u64) -> MemSpace {
    if address < SHARED_WINDOW {
        return MemSpace::Global;
    }
    let within = |w: u64| address - w < WINDOW_SIZE;
    if within(SHARED_WINDOW) {
        MemSpace::Shared
    } else if address >= LOCAL_WINDOW && within(LOCAL_WINDOW) {
        MemSpace::Local
    } else if address >= PARAM_WINDOW && within(PARAM_WINDOW) {
        MemSpace::KernelParam
    } else {
        MemSpace::Global
    }
}

/// The host's address of a lane's access, or what is wrong with it.
pub(crate) fn locate(
    env: &mut Env<'_>,
    place: &Place,
    space: MemSpace,
    address: u64,
    size: u64,
    kind: AccessKind,
    lane: u32,
) -> Result<*mut u8, Fault> {
    let (space, address) = match space {
        MemSpace::Generic => match window(address) {
            MemSpace::Shared => (MemSpace::SharedCluster, address - SHARED_WINDOW),
            MemSpace::Local => (MemSpace::Local, address - LOCAL_WINDOW),
            MemSpace::KernelParam => (MemSpace::KernelParam, address - PARAM_WINDOW),
            s => (s, address),
        },
        s => (s, address),
    };
    let mut offset = address;
    let (name, limit, base) = match space {
        MemSpace::Shared => (
            MemorySpace::Shared,
            u64::from(place.shared_size),
            place.shared,
        ),
        MemSpace::SharedCluster => {
            let base = match cluster::rank_of(address) {
                None => Some(place.shared),
                Some(rank) => env.peers.get(rank as usize).copied(),
            };
            // A rank that the cluster does not have is outside, whatever the offset.
            let limit = if base.is_some() && address < WINDOW_SIZE {
                offset = cluster::offset_of(address);
                u64::from(place.shared_size)
            } else {
                0
            };
            (MemorySpace::Shared, limit, base.unwrap_or(place.shared))
        }
        MemSpace::Local => {
            // SAFETY: a lane's part of local memory.
            let base = place.local.wrapping_add((lane * place.stride) as usize);
            (MemorySpace::Local, u64::from(place.local_end), base)
        }
        MemSpace::KernelParam => (
            MemorySpace::Param,
            u64::from(env.program.param_size),
            env.launch.params.as_ptr() as *mut u8,
        ),
        s => {
            let name = if s == MemSpace::Const {
                MemorySpace::Const
            } else {
                MemorySpace::Global
            };
            let found = env
                .find(address, size)
                .filter(|r| r.writable || kind == AccessKind::Load);
            let Some(r) = found else {
                let nearby = env.table.nearby(address, size, kind);
                return Err(Fault::OutOfBounds {
                    kind,
                    space: name,
                    address,
                    size: size as u32,
                    nearby,
                });
            };
            if address % size != 0 {
                return Err(Fault::Misaligned {
                    kind,
                    space: name,
                    address,
                    size: size as u32,
                });
            }
            return Ok(r.delta.wrapping_add(address) as *mut u8);
        }
    };
    let writes = name == MemorySpace::Param && kind != AccessKind::Load;
    if offset.checked_add(size).is_none_or(|end| end > limit) || writes {
        let nearby = if writes {
            Nearby::ReadOnly
        } else {
            Nearby::Limit { size: limit }
        };
        return Err(Fault::OutOfBounds {
            kind,
            space: name,
            address,
            size: size as u32,
            nearby,
        });
    }
    if offset % size != 0 {
        return Err(Fault::Misaligned {
            kind,
            space: name,
            address,
            size: size as u32,
        });
    }
    Ok(base.wrapping_add(offset as usize))
}

/// What a memory instruction does.
pub(crate) fn kind(inst: &Inst) -> AccessKind {
    match inst.op {
        Op::Load => AccessKind::Load,
        Op::Store => AccessKind::Store,
        _ => AccessKind::Atomic,
    }
}

/// The address of each lane.
pub(crate) fn addresses(rows: &Rows, mem: &Mem) -> [u64; 32] {
    let mut address = [mem.offset; 32];
    if mem.base != NONE {
        // SAFETY: the base is a row of 8 or 4 bytes a lane.
        unsafe {
            if mem.base_width == 8 {
                let base: [u64; 32] = rows.get(mem.base);
                for l in 0..32 {
                    address[l] = base[l].wrapping_add(mem.offset);
                }
            } else {
                let base: [u32; 32] = rows.get(mem.base);
                for l in 0..32 {
                    address[l] = u64::from(base[l].wrapping_add(mem.offset as u32));
                }
            }
        }
    }
    address
}

/// Executes a memory instruction for the lanes of `rows.mask`. The error names the first lane at fault.
pub(crate) fn access(
    env: &mut Env<'_>,
    rows: &Rows,
    place: &Place,
    inst: &Inst,
    mem: &Mem,
) -> Result<(), (Fault, u32)> {
    let kind = kind(inst);
    let size = u64::from(mem.size) * u64::from(mem.count);
    let mask = rows.mask;
    let address = addresses(rows, mem);
    if mem.ordered {
        fence(Ordering::SeqCst);
    }
    let host = match mem.space {
        MemSpace::FrameParam { block, size: each } => {
            if mem.offset + size > u64::from(each) {
                let nearby = Nearby::Limit { size: each.into() };
                let (space, address) = (MemorySpace::Param, mem.offset);
                let fault = Fault::OutOfBounds {
                    kind,
                    space,
                    address,
                    size: size as u32,
                    nearby,
                };
                return Err((fault, mask.trailing_zeros()));
            }
            let start = rows.regs as u64 + u64::from(block) + mem.offset;
            std::array::from_fn(|l| start + l as u64 * u64::from(each))
        }
        space => resolve(env, place, space, &address, size, kind, mask)?,
    };
    if kind == AccessKind::Atomic {
        atomics(rows, mem, &host);
    } else {
        let load = kind == AccessKind::Load;
        for (k, &(reg, width)) in mem.regs.iter().enumerate() {
            let offset = k as u64 * u64::from(mem.size);
            // SAFETY: `resolve` has checked the bytes of each active lane, or they are the frame's own; the registers
            // are rows of the frame.
            unsafe {
                match (mem.size, width) {
                    (4, 4) if load && reg != NONE => {
                        load_row::<AtomicU32>(rows, reg, &host, offset)
                    }
                    (8, 8) if load && reg != NONE => {
                        load_row::<AtomicU64>(rows, reg, &host, offset)
                    }
                    (4, 4) if !load => store_row::<AtomicU32>(rows, reg, &host, offset),
                    (8, 8) if !load => store_row::<AtomicU64>(rows, reg, &host, offset),
                    _ if load => load_odd(rows, mem, reg, width, &host, offset),
                    _ => store_odd(rows, mem, reg, width, &host, offset),
                }
            }
        }
    }
    if mem.ordered {
        fence(Ordering::SeqCst);
    }
    Ok(())
}

/// Host addresses of the active lanes. All that lie in one allocation need one check.
#[inline]
fn resolve(
    env: &mut Env<'_>,
    place: &Place,
    space: MemSpace,
    address: &[u64; 32],
    size: u64,
    kind: AccessKind,
    mask: u32,
) -> Result<[u64; 32], (Fault, u32)> {
    let first = address[mask.trailing_zeros() as usize];
    let (mut least, mut greatest, mut low) = (first, first, 0);
    for l in 0..32 {
        let a = if mask >> l & 1 != 0 {
            address[l]
        } else {
            first
        };
        least = least.min(a);
        greatest = greatest.max(a);
        low |= a;
    }
    if low & (size - 1) == 0 && size.is_power_of_two() {
        let (space, shift) = match space {
            MemSpace::Generic => match window(least) {
                MemSpace::Shared => (MemSpace::Shared, SHARED_WINDOW),
                MemSpace::Local => (MemSpace::Local, LOCAL_WINDOW),
                MemSpace::KernelParam => (MemSpace::Generic, 0),
                s => (s, 0),
            },
            s => (s, 0),
        };
        let end = (greatest - shift).checked_add(size);
        match space {
            MemSpace::Global | MemSpace::Const => {
                if let Some(r) = env.find(least, greatest - least + size)
                    && (r.writable || kind == AccessKind::Load)
                {
                    return Ok(std::array::from_fn(|l| address[l].wrapping_add(r.delta)));
                }
            }
            MemSpace::KernelParam
                if kind == AccessKind::Load
                    && end.is_some_and(|e| e <= u64::from(env.program.param_size)) =>
            {
                let base = env.launch.params.as_ptr() as u64;
                return Ok(std::array::from_fn(|l| address[l].wrapping_add(base)));
            }
            MemSpace::Shared | MemSpace::SharedCluster
                if end.is_some_and(|e| e <= u64::from(place.shared_size)) =>
            {
                let base = (place.shared as u64).wrapping_sub(shift);
                return Ok(std::array::from_fn(|l| address[l].wrapping_add(base)));
            }
            MemSpace::Local if end.is_some_and(|e| e <= u64::from(place.local_end)) => {
                let base = (place.local as u64).wrapping_sub(shift);
                let stride = u64::from(place.stride);
                return Ok(std::array::from_fn(|l| {
                    address[l]
                        .wrapping_add(base)
                        .wrapping_add(stride * l as u64)
                }));
            }
            _ => {}
        }
    }
    let mut host = [0; 32];
    for l in (0..32u32).filter(|l| mask >> l & 1 != 0) {
        let p =
            locate(env, place, space, address[l as usize], size, kind, l).map_err(|f| (f, l))?;
        host[l as usize] = p as u64;
    }
    Ok(host)
}

/// A cell of memory that others may touch at the same time.
trait Cell {
    type Value: Copy + Default;
    /// # Safety
    /// `at` is valid and aligned for the cell.
    unsafe fn read(at: u64) -> Self::Value;
    /// # Safety
    /// `at` is valid and aligned for the cell.
    unsafe fn write(at: u64, value: Self::Value);
}

macro_rules! cell {
    ($($atomic:ty, $value:ty;)*) => {$(
        impl Cell for $atomic {
            type Value = $value;
            #[inline(always)]
            unsafe fn read(at: u64) -> $value {
                // SAFETY: the caller's promise. Programs may race; relaxed atomics keep that defined.
                unsafe { (*(at as *const $atomic)).load(Ordering::Relaxed) }
            }
            #[inline(always)]
            unsafe fn write(at: u64, value: $value) {
                // SAFETY: the caller's promise.
                unsafe { (*(at as *const $atomic)).store(value, Ordering::Relaxed) }
            }
        }
    )*};
}
cell! { AtomicU8, u8; AtomicU16, u16; AtomicU32, u32; AtomicU64, u64; }

/// # Safety
/// The addresses of the active lanes plus `offset` are valid cells, and `reg` is a row of them.
#[inline(always)]
unsafe fn load_row<C: Cell>(rows: &Rows, reg: u32, host: &[u64; 32], offset: u64) {
    // SAFETY: the caller's promise.
    unsafe {
        let row = rows.at(reg) as *mut C::Value;
        if rows.mask == u32::MAX {
            for l in 0..32 {
                *row.add(l) = C::read(host[l] + offset);
            }
        } else {
            for l in (0..32).filter(|l| rows.mask >> l & 1 != 0) {
                *row.add(l) = C::read(host[l] + offset);
            }
        }
    }
}

/// # Safety
/// As [`load_row`].
#[inline(always)]
unsafe fn store_row<C: Cell>(rows: &Rows, reg: u32, host: &[u64; 32], offset: u64) {
    // SAFETY: the caller's promise.
    unsafe {
        let row = rows.at(reg) as *const C::Value;
        if rows.mask == u32::MAX {
            for l in 0..32 {
                C::write(host[l] + offset, *row.add(l));
            }
        } else {
            for l in (0..32).filter(|l| rows.mask >> l & 1 != 0) {
                C::write(host[l] + offset, *row.add(l));
            }
        }
    }
}

/// Loads whose register is wider than the element, or of an odd size.
///
/// # Safety
/// As [`load_row`], for cells of the instruction's size.
unsafe fn load_odd(rows: &Rows, mem: &Mem, reg: u32, width: Width, host: &[u64; 32], offset: u64) {
    for l in (0..32usize).filter(|l| rows.mask >> l & 1 != 0) {
        let at = host[l] + offset;
        // SAFETY: the caller's promise.
        unsafe {
            let v = match (mem.size, mem.signed) {
                (1, false) => u64::from(AtomicU8::read(at)),
                (1, true) => AtomicU8::read(at).cast_signed() as u64,
                (2, false) => u64::from(AtomicU16::read(at)),
                (2, true) => AtomicU16::read(at).cast_signed() as u64,
                (4, false) => u64::from(AtomicU32::read(at)),
                (4, true) => AtomicU32::read(at).cast_signed() as u64,
                _ => AtomicU64::read(at),
            };
            rows.put_lane(reg, width, l, v);
            if mem.size == 16 && reg != NONE {
                *(rows.at(reg) as *mut u64).add(2 * l + 1) = AtomicU64::read(at + 8);
            }
        }
    }
}

/// # Safety
/// As [`load_odd`].
unsafe fn store_odd(rows: &Rows, mem: &Mem, reg: u32, width: Width, host: &[u64; 32], offset: u64) {
    for l in (0..32usize).filter(|l| rows.mask >> l & 1 != 0) {
        let at = host[l] + offset;
        // SAFETY: the caller's promise.
        unsafe {
            let v = rows.lane(reg, width, l);
            match mem.size {
                1 => AtomicU8::write(at, v as u8),
                2 => AtomicU16::write(at, v as u16),
                4 => AtomicU32::write(at, v as u32),
                _ => AtomicU64::write(at, v),
            }
            if mem.size == 16 {
                AtomicU64::write(at + 8, *(rows.at(reg) as *const u64).add(2 * l + 1));
            }
        }
    }
}

/// The new value of an atomic operation on cells of up to 8 bytes.
fn combine(op: AtomicOp, number: Number, bits: u32, old: u64, v: u64, swap: u64) -> u64 {
    use AtomicOp::*;
    let signed = |v: u64| {
        if bits == 32 {
            i64::from(v as i32)
        } else {
            v as i64
        }
    };
    let pair = |f: &dyn Fn(u64, u64) -> u64| {
        f(old & 0xffff, v & 0xffff) | f(old >> 16 & 0xffff, v >> 16 & 0xffff) << 16
    };
    let half = |format: crate::float::Format| {
        move |a: u64, b: u64| {
            let (a, b) = (format.to_f64(a), format.to_f64(b));
            let r = match op {
                Add => add_odd(a, b),
                Min => min64(a, b),
                _ => max64(a, b),
            };
            format.round(r, crate::float::Rounding::Rn)
        }
    };
    match (op, number) {
        (Exch, _) => v,
        (Cas, _) => {
            if old == v {
                swap
            } else {
                old
            }
        }
        (_, Number::F16) => half(F16)(old, v),
        (_, Number::Bf16) => half(BF16)(old, v),
        (_, Number::F16x2) => pair(&half(F16)),
        (_, Number::Bf16x2) => pair(&half(BF16)),
        (_, Number::F32) => canonical(f32::from_bits(old as u32) + f32::from_bits(v as u32))
            .to_bits()
            .into(),
        (_, Number::F64) => (f64::from_bits(old) + f64::from_bits(v)).to_bits(),
        (Add, _) => old.wrapping_add(v),
        (And, _) => old & v,
        (Or, _) => old | v,
        (Xor, _) => old ^ v,
        (Inc, _) => {
            if old >= v {
                0
            } else {
                old + 1
            }
        }
        (Dec, _) => {
            if old == 0 || old > v {
                v
            } else {
                old - 1
            }
        }
        (Min, Number::Signed) => {
            if signed(old) <= signed(v) {
                old
            } else {
                v
            }
        }
        (Max, Number::Signed) => {
            if signed(old) >= signed(v) {
                old
            } else {
                v
            }
        }
        (Min, _) => old.min(v),
        (Max, _) => old.max(v),
    }
}

fn atomics(rows: &Rows, mem: &Mem, host: &[u64; 32]) {
    let Some((op, number)) = mem.atomic else {
        return;
    };
    let ((d, width), (a, _)) = (mem.regs[0], mem.regs[1]);
    let bits = u32::from(width) * 8;
    for l in (0..32usize).filter(|l| rows.mask >> l & 1 != 0) {
        let at = host[l];
        if width == 16 {
            wide_atomic(rows, mem, op, at, l);
            continue;
        }
        // SAFETY: `resolve` has checked each lane's bytes; the registers are rows of the frame.
        unsafe {
            let (v, swap) = (rows.lane(a, width, l), rows.lane(mem.swap, width, l));
            let next = |old: u64| combine(op, number, bits, old, v, swap);
            macro_rules! update {
                ($atomic:ty, $t:ty) => {{
                    let cell = &*(at as *const $atomic);
                    let mut old = cell.load(Ordering::Relaxed);
                    loop {
                        let new = next(u64::from(old)) as $t;
                        match cell.compare_exchange_weak(
                            old,
                            new,
                            Ordering::SeqCst,
                            Ordering::Relaxed,
                        ) {
                            Ok(_) => break u64::from(old),
                            Err(o) => old = o,
                        }
                    }
                }};
            }
            let old = match (op, number, width) {
                // The frequent ones need no loop.
                (AtomicOp::Add, Number::Unsigned | Number::Signed, 4) => {
                    u64::from((*(at as *const AtomicU32)).fetch_add(v as u32, Ordering::SeqCst))
                }
                (AtomicOp::Add, Number::Unsigned | Number::Signed, 8) => {
                    (*(at as *const AtomicU64)).fetch_add(v, Ordering::SeqCst)
                }
                (_, _, 2) => update!(AtomicU16, u16),
                (_, _, 4) => update!(AtomicU32, u32),
                _ => update!(AtomicU64, u64),
            };
            rows.put_lane(d, width, l, old);
        }
    }
}

fn wide_atomic(rows: &Rows, mem: &Mem, op: AtomicOp, at: u64, l: usize) {
    let _turn = WIDE.lock().unwrap_or_else(|e| e.into_inner());
    // SAFETY: `resolve` has checked the lane's 16 bytes; the registers are rows of the frame.
    unsafe {
        let row = |r: u32| (rows.at(r) as *mut u128).add(l);
        let old = u128::from(AtomicU64::read(at)) | u128::from(AtomicU64::read(at + 8)) << 64;
        let v = *row(mem.regs[1].0);
        let new = match op {
            AtomicOp::Cas => {
                if old == v {
                    *row(mem.swap)
                } else {
                    old
                }
            }
            _ => v,
        };
        AtomicU64::write(at, new as u64);
        AtomicU64::write(at + 8, (new >> 64) as u64);
        if mem.regs[0].0 != NONE {
            *row(mem.regs[0].0) = old;
        }
    }
}
