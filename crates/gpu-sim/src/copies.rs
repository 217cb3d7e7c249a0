//! `cp.async`: copies from global to shared memory that are done no earlier than a program may rely on them.
//!
//! The bytes are read when the instruction executes and written when the thread waits for their group: a program that
//! forgets to wait sees old bytes, as it may on a GPU.

use crate::access::{Place, addresses, locate};
use crate::error::{AccessKind, Fault};
use crate::inst::*;
use crate::lanes::Rows;
use crate::launch::Env;

/// A copy under way.
#[derive(Clone, Debug)]
struct Copy {
    lane: u8,
    /// The lane's count of committed groups when it was issued.
    group: u32,
    /// Where in the block's shared memory.
    to: u32,
    size: u8,
    bytes: [u8; 16],
}

/// The copies of a warp.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    pending: Vec<Copy>,
    /// Groups that each lane has committed.
    committed: [u32; 32],
}

impl Copies {
    /// Issues a copy for each lane of `rows.mask`; the mems are destination and source.
    pub fn issue(
        &mut self,
        env: &mut Env<'_>,
        rows: &Rows,
        place: &Place,
        inst: &Inst,
        mems: (&Mem, &Mem),
    ) -> Result<(), (Fault, u32)> {
        let (to, from) = (addresses(rows, mems.0), addresses(rows, mems.1));
        let size = mems.0.size;
        for l in (0..32u32).filter(|l| rows.mask >> l & 1 != 0) {
            let lane = l as usize;
            // SAFETY: the operands are rows of the frame or the constants, of these widths.
            let (given, ignored) =
                unsafe { (rows.lane(inst.a, 4, lane), rows.lane(inst.b, 0, lane)) };
            let read = if inst.b != NONE && ignored != 0 {
                0
            } else if inst.a == NONE {
                u64::from(size)
            } else {
                given.min(u64::from(size))
            };
            let each = u64::from(size);
            let target = locate(
                env,
                place,
                mems.0.space,
                to[lane],
                each,
                AccessKind::Store,
                l,
            );
            let target = target.map_err(|f| (f, l))?;
            let mut bytes = [0; 16];
            if read > 0 {
                // What is not read need not be there; alignment is that of the whole.
                let wide = if read == each { each } else { 1 };
                let source = locate(
                    env,
                    place,
                    mems.1.space,
                    from[lane],
                    wide,
                    AccessKind::Load,
                    l,
                )
                .and_then(|p| {
                    let last = from[lane] + read - 1;
                    locate(env, place, mems.1.space, last, 1, AccessKind::Load, l).map(|_| p)
                })
                .map_err(|f| (f, l))?;
                // SAFETY: both ends of the source have been found, and allocations lie apart from each other.
                unsafe { std::ptr::copy_nonoverlapping(source, bytes.as_mut_ptr(), read as usize) };
            }
            self.pending.push(Copy {
                lane: l as u8,
                group: self.committed[lane],
                to: (target as usize - place.shared as usize) as u32,
                size,
                bytes,
            });
        }
        Ok(())
    }

    /// Makes groups of what the lanes have issued since the last time.
    pub fn commit(&mut self, lanes: u32) {
        for l in (0..32).filter(|l| lanes >> l & 1 != 0) {
            self.committed[l] += 1;
        }
    }

    /// Does what the lanes wait for: all groups but the `keep` youngest, or with `None` everything.
    pub fn wait(&mut self, place: &Place, lanes: u32, keep: Option<u32>) {
        let committed = self.committed;
        self.pending.retain(|c| {
            let due = match keep {
                None => true,
                Some(keep) => c.group.saturating_add(keep) < committed[c.lane as usize],
            };
            if lanes >> c.lane & 1 == 0 || !due {
                return true;
            }
            // SAFETY: `issue` has checked the destination within the block's shared memory.
            unsafe {
                let to = place.shared.add(c.to as usize);
                std::ptr::copy_nonoverlapping(c.bytes.as_ptr(), to, c.size as usize);
            }
            false
        });
    }
}
