//! Barriers that are objects in shared memory: phases, pending arrivals, pending bytes.
//!
//! The object is 64 bits, opaque to programs. Ours: bits 0–19 arrivals still to come, 20–39 arrivals that a phase
//! expects, 40–61 the bytes that asynchronous copies still owe (signed), 63 the parity of the phase under way. Zero is no
//! barrier: memory that nobody has initialised reads so.

use crate::access::{Place, addresses, locate};
use crate::error::{AccessKind, Fault};
use crate::inst::*;
use crate::lanes::Rows;
use crate::launch::Env;
use std::sync::atomic::{AtomicU64, Ordering};

const COUNT: u64 = (1 << 20) - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Object {
    pending: u64,
    expected: u64,
    bytes: i64,
    phase: bool,
}

impl Object {
    fn unpack(v: u64) -> Object {
        Object {
            pending: v & COUNT,
            expected: v >> 20 & COUNT,
            bytes: ((v << 2).cast_signed()) >> 42,
            phase: v >> 63 != 0,
        }
    }

    fn pack(self) -> u64 {
        self.pending
            | self.expected << 20
            | (self.bytes.cast_unsigned() & 0x3f_ffff) << 40
            | u64::from(self.phase) << 63
    }

    /// Begins the next phase when nothing is owed to this one.
    fn settle(mut self) -> Object {
        if self.pending == 0 && self.bytes == 0 {
            self.phase = !self.phase;
            self.pending = self.expected;
        }
        self
    }

    fn arrive(mut self, count: u64) -> Result<Object, &'static str> {
        if count > self.pending {
            return Err("more threads arrive than the phase expects");
        }
        self.pending -= count;
        Ok(self.settle())
    }

    fn expect(mut self, bytes: i64) -> Result<Object, &'static str> {
        self.bytes += bytes;
        if self.bytes.abs() >= 1 << 20 {
            return Err("a phase cannot await so many bytes");
        }
        Ok(self)
    }
}

/// Executes an operation for the lanes of `rows.mask`, one after the other.
pub(crate) fn execute(
    env: &mut Env<'_>,
    rows: &Rows,
    place: &Place,
    inst: &Inst,
    mem: &Mem,
    op: BarrierOp,
) -> Result<(), (Fault, u32)> {
    let address = addresses(rows, mem);
    for l in (0..32u32).filter(|l| rows.mask >> l & 1 != 0) {
        let lane = l as usize;
        let at = address[lane];
        let kind = match op {
            BarrierOp::Test { .. } => AccessKind::Load,
            _ => AccessKind::Atomic,
        };
        let p = locate(env, place, mem.space, at, 8, kind, l).map_err(|f| (f, l))?;
        // SAFETY: `locate` has checked eight aligned bytes.
        let cell = unsafe { &*(p as *const AtomicU64) };
        let fault = |why| (Fault::Mbarrier { address: at, why }, l);
        let old = cell.load(Ordering::SeqCst);
        let object = Object::unpack(old);
        // SAFETY: the operand is a row of the frame or the constants, 4 or 8 bytes wide as the operation has it.
        let operand = |width| unsafe { rows.lane(inst.a, width, lane) };
        if op == BarrierOp::Init {
            let count = operand(4);
            if count == 0 || count > COUNT {
                return Err(fault("the count of an initialisation is 1 to 1048575"));
            }
            let new = Object {
                pending: count,
                expected: count,
                bytes: 0,
                phase: false,
            };
            cell.store(new.pack(), Ordering::SeqCst);
            continue;
        }
        if old == 0 {
            return Err(fault("it has not been initialised"));
        }
        let count = |default| if inst.a == NONE { default } else { operand(4) };
        let (result, new) = match op {
            BarrierOp::Init => unreachable!("done above"),
            BarrierOp::Invalidate => (0, Ok(Object::unpack(0))),
            BarrierOp::Arrive { drop: false } => (old, object.arrive(count(1))),
            BarrierOp::Arrive { drop: true } => {
                let n = count(1);
                let mut fewer = object;
                fewer.expected = fewer.expected.saturating_sub(n);
                (old, fewer.arrive(n))
            }
            BarrierOp::ArriveExpect => {
                let expecting = object.expect(operand(4) as i64);
                (old, expecting.and_then(|o| o.arrive(1)))
            }
            BarrierOp::Expect => (0, object.expect(operand(4) as i64)),
            BarrierOp::Complete => {
                let fewer = object.expect(-(operand(4) as i64));
                (0, fewer.map(Object::settle))
            }
            // Without `.noinc` the operation itself raises what it lowers again.
            BarrierOp::ArriveCopies { increments: true } => (0, Ok(object)),
            BarrierOp::ArriveCopies { increments: false } => (0, object.arrive(1)),
            BarrierOp::Test { parity: true } => {
                let awaited = operand(4) & 1 != 0;
                (u64::from(object.phase != awaited), Ok(object))
            }
            BarrierOp::Test { parity: false } => {
                let token = Object::unpack(operand(8));
                (u64::from(object.phase != token.phase), Ok(object))
            }
        };
        let new = new.map_err(fault)?.pack();
        if new != old {
            cell.store(new, Ordering::SeqCst);
        }
        if inst.d != NONE {
            let width = if matches!(op, BarrierOp::Test { .. }) {
                0
            } else {
                8
            };
            // SAFETY: the result is a row of the frame of this width.
            unsafe { rows.put_lane(inst.d, width, lane, result) };
        }
    }
    Ok(())
}

/// `mbarrier.pending_count`: how many arrivals were to come when the token was made.
pub(crate) fn pending(token: u64) -> u64 {
    Object::unpack(token).pending
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_turn_when_arrivals_and_bytes_are_there() {
        let o = Object {
            pending: 2,
            expected: 2,
            bytes: 0,
            phase: false,
        };
        assert_eq!(Object::unpack(o.pack()), o);
        let o = o.expect(100).unwrap().arrive(1).unwrap().arrive(1).unwrap();
        assert!(!o.phase && o.pending == 0);
        assert_eq!(Object::unpack(o.pack()), o);
        // Bytes may come before they are announced.
        let early = Object { bytes: -5, ..o };
        assert_eq!(Object::unpack(early.pack()), early);
        let next = o.expect(-100).unwrap().settle();
        assert!(next.phase && next.pending == 2 && next.bytes == 0);
        assert!(o.arrive(1).is_err());
    }
}
