//! Which split of a warp runs, and where splits become one again.

use super::{FAIR, Split, State, Warp};
use crate::inst::{NONE, Op};
use crate::lanes::Rows;
use crate::launch::Env;

impl Warp {
    /// Wakes splits that wait for lanes of the warp: some may have exited.
    pub(super) fn recheck(&mut self) {
        for s in &mut self.splits {
            if s.state == State::Sync {
                s.state = State::Ready;
            }
        }
    }

    /// Brings the lanes of split `b` into split `a`, which is at the same instruction, if their frames allow it.
    pub(super) fn try_merge(&mut self, env: &Env<'_>, a: usize, b: usize) -> bool {
        let (fa, fb) = (self.splits[a].frame, self.splits[b].frame);
        if self.splits[a].pc != self.splits[b].pc {
            return false;
        }
        if fa != fb {
            let (x, y) = (&self.frames[fa as usize], &self.frames[fb as usize]);
            if x.function != y.function
                || x.parent != y.parent
                || x.return_pc != y.return_pc
                || x.parent == NONE
            {
                return false;
            }
            // Calls that were made apart: the lanes' columns move to the other frame.
            let moving = self.splits[b].mask;
            let f = &env.program.functions[x.function as usize];
            let from = y.data.clone();
            let from = from.as_ptr() as *mut u8;
            let to = self.frames[fa as usize].data.as_mut_ptr() as *mut u8;
            let (from, to) = (
                Rows {
                    regs: from,
                    consts: env.consts,
                    mask: moving,
                },
                Rows {
                    regs: to,
                    consts: env.consts,
                    mask: moving,
                },
            );
            for lane in (0..32).filter(|l| moving >> l & 1 != 0) {
                for r in &f.rows {
                    // SAFETY: both frames are of function `f`, whose rows lie in them; 16-byte rows are two halves.
                    unsafe {
                        if r.width == 16 {
                            let (s, d) = (
                                from.at(r.offset) as *const u128,
                                to.at(r.offset) as *mut u128,
                            );
                            *d.add(lane) = *s.add(lane);
                        } else {
                            to.put_lane(
                                r.offset,
                                r.width,
                                lane,
                                from.lane(r.offset, r.width, lane),
                            );
                        }
                    }
                }
                for b in &f.blocks {
                    let at = (b.offset as usize) + lane * b.size as usize;
                    // SAFETY: the block lies in both frames.
                    unsafe {
                        std::ptr::copy_nonoverlapping(
                            from.regs.add(at),
                            to.regs.add(at),
                            b.size as usize,
                        )
                    };
                }
            }
            self.frames[fa as usize].lanes |= moving;
            self.leave(fb, moving, false);
        }
        let s = self.splits.swap_remove(b);
        let a = if a == self.splits.len() { b } else { a };
        self.splits[a].mask |= s.mask;
        true
    }

    /// Chooses the split to run and merges into it what is at the same instruction; answers with it and the
    /// instruction at which it may meet another one.
    pub(crate) fn select(&mut self, env: &Env<'_>) -> Option<(usize, u32)> {
        if let [only] = &self.splits[..] {
            return (only.state == State::Ready).then_some((0, NONE));
        }
        let ready = |s: &Split| s.state == State::Ready;
        let count = self.splits.iter().filter(|s| ready(s)).count();
        if count == 0 {
            return None;
        }
        let oldest = self
            .splits
            .iter()
            .enumerate()
            .filter(|(_, s)| ready(s))
            .min_by_key(|(_, s)| s.ran)?;
        let starved = count > 1
            && self.steps.saturating_sub(oldest.1.ran) > FAIR
            && self.steps >= self.forced;
        let mut chosen = if starved {
            self.forced = self.steps + FAIR;
            oldest.0
        } else if self.steps < self.forced {
            // The split that was let go first goes on.
            self.splits
                .iter()
                .enumerate()
                .filter(|(_, s)| ready(s))
                .max_by_key(|(_, s)| s.ran)?
                .0
        } else {
            let depth = |s: &Split| self.frames[s.frame as usize].depth;
            let best = self.splits.iter().enumerate().filter(|(_, s)| ready(s));
            best.min_by_key(|(_, s)| (u32::MAX - depth(s), s.pc))?.0
        };
        // Merging moves splits about, so the search starts again after each.
        'merge: loop {
            for other in 0..self.splits.len() {
                if other == chosen
                    || !matches!(self.splits[other].state, State::Ready | State::Sync)
                {
                    continue;
                }
                let last = self.splits.len() - 1;
                if self.try_merge(env, chosen, other) {
                    if chosen == last {
                        chosen = other;
                    }
                    continue 'merge;
                }
            }
            break;
        }
        let pc = self.splits[chosen].pc;
        let limit = self.splits.iter().filter(|s| s.pc > pc).map(|s| s.pc).min();
        Some((chosen, limit.unwrap_or(NONE)))
    }

    /// Releases splits that wait for each other at `bar.warp.sync`s in different places. Answers whether some go on.
    pub fn release_warp_barriers(&mut self, env: &Env<'_>) -> bool {
        let mut groups: Vec<(u32, u32)> = Vec::new();
        let member = |w: &Self, s: &Split| {
            let inst = &env.program.code[s.pc as usize];
            if s.state != State::Sync || !matches!(inst.op, Op::WarpSync) {
                return None;
            }
            let regs = w.frames[s.frame as usize].data.as_ptr() as *mut u8;
            let rows = Rows {
                regs,
                consts: env.consts,
                mask: s.mask,
            };
            // SAFETY: the instruction is one of the frame's function.
            Some(unsafe { rows.lane(inst.a, 4, s.mask.trailing_zeros() as usize) } as u32)
        };
        for s in &self.splits {
            if let Some(mask) = member(self, s) {
                match groups.iter_mut().find(|g| g.0 == mask) {
                    Some(g) => g.1 |= s.mask,
                    None => groups.push((mask, s.mask)),
                }
            }
        }
        let mut released = false;
        for (mask, there) in groups {
            if mask & self.live & !there != 0 {
                continue;
            }
            for i in 0..self.splits.len() {
                if member(self, &self.splits[i]) == Some(mask) {
                    self.splits[i].state = State::Ready;
                    self.splits[i].pc += 1;
                    released = true;
                }
            }
        }
        released
    }
}
