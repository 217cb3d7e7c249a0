//! A warp: 32 lanes, their call stacks, and the splits into which divergence cuts them.
//!
//! A split is a set of lanes at one instruction in one frame. The split that is deepest in calls and earliest in the
//! code runs first, which brings the lanes of a branch together where its sides meet; a split that has waited too long
//! runs all the same, so that a lane that spins for another one of its warp does not spin for ever.

use crate::access;
use crate::block::BlockState;
use crate::error::Fault;
use crate::inst::*;
use crate::lanes::Rows;
use crate::launch::Env;
use crate::sync;

/// Instructions that a split may run while others that could run wait.
const FAIR: u64 = 2048;

/// A piece of a frame.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Line(pub [u8; 64]);

/// The registers and parameter blocks of one call, for the lanes that made it together.
#[derive(Clone)]
pub(crate) struct Frame {
    pub data: Vec<Line>,
    pub function: u32,
    /// Index of the caller's frame, `NONE` for the kernel.
    pub parent: u32,
    /// Where the caller goes on.
    pub return_pc: u32,
    /// Index into `Program::calls`.
    pub call: u32,
    /// Lanes that are in it, or in calls that it made.
    pub lanes: u32,
    pub depth: u32,
    pub local_base: u32,
    pub local_end: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Ready,
    /// At a barrier of the block; for a reduction, the row of the result and its width.
    Barrier {
        id: u32,
        result: Option<(u32, Width, BarrierKind)>,
    },
    /// At a warp-synchronous instruction, for lanes that have not come.
    Sync,
}

/// Lanes at one instruction in one frame.
#[derive(Clone, Debug)]
pub(crate) struct Split {
    pub mask: u32,
    pub pc: u32,
    pub frame: u32,
    pub state: State,
    /// `Warp::steps` when it ran last.
    ran: u64,
}

/// Local memory of the lanes, one after the other.
#[derive(Clone, Default)]
pub(crate) struct Local {
    pub data: Vec<Line>,
    /// Bytes a lane.
    pub stride: u32,
}

impl Local {
    /// Gives each lane at least `size` bytes.
    fn grow(&mut self, size: u32) {
        if size <= self.stride {
            return;
        }
        let stride = size.next_power_of_two().max(64);
        let (old, new) = ((self.stride / 64) as usize, (stride / 64) as usize);
        let mut data = vec![Line([0; 64]); new * 32];
        for lane in 0..32 {
            data[lane * new..lane * new + old]
                .copy_from_slice(&self.data[lane * old..lane * old + old]);
        }
        (self.data, self.stride) = (data, stride);
    }
}

#[derive(Clone)]
pub(crate) struct Warp {
    pub index: u32,
    /// Lanes that have not exited.
    pub live: u32,
    /// Lanes that the block's size gives it.
    pub all: u32,
    pub splits: Vec<Split>,
    pub frames: Vec<Frame>,
    free: Vec<u32>,
    pub local: Local,
    /// Instructions executed.
    pub steps: u64,
    pub tid: [[u32; 32]; 3],
    /// A split that runs out of turn, until this many steps.
    forced: u64,
}

/// A fault, and the lane and instruction of it.
pub(crate) struct Failure {
    pub fault: Fault,
    pub lane: u32,
    pub pc: u32,
    pub frame: u32,
}

impl Warp {
    pub fn new(env: &Env<'_>, index: u32) -> Warp {
        let [bx, by, bz] = env.launch.block;
        let threads = bx * by * bz;
        let first = index * 32;
        let count = (threads - first).min(32);
        let all = if count == 32 {
            u32::MAX
        } else {
            (1 << count) - 1
        };
        let mut tid = [[0; 32]; 3];
        for l in 0..32u32 {
            let t = first + l;
            tid[0][l as usize] = t % bx;
            tid[1][l as usize] = t / bx % by;
            tid[2][l as usize] = t / (bx * by);
        }
        let mut warp = Warp {
            index,
            live: all,
            all,
            splits: Vec::new(),
            frames: Vec::new(),
            free: Vec::new(),
            local: Local::default(),
            steps: 0,
            tid,
            forced: 0,
        };
        let f = &env.program.functions[0];
        let frame = warp.frame(f, 0, NONE, 0, NONE, all, 0);
        warp.splits.push(Split {
            mask: all,
            pc: f.entry,
            frame,
            state: State::Ready,
            ran: 0,
        });
        warp
    }

    /// Whether some split could run.
    pub fn ready(&self) -> bool {
        self.splits.iter().any(|s| s.state == State::Ready)
    }

    #[allow(clippy::too_many_arguments)]
    fn frame(
        &mut self,
        f: &Function,
        function: u32,
        parent: u32,
        return_pc: u32,
        call: u32,
        lanes: u32,
        local_base: u32,
    ) -> u32 {
        let lines = f.frame.div_ceil(64) as usize;
        let local_end = local_base + f.local;
        self.local.grow(local_end);
        let depth = if parent == NONE {
            0
        } else {
            self.frames[parent as usize].depth + 1
        };
        let mut frame = Frame {
            data: Vec::new(),
            function,
            parent,
            return_pc,
            call,
            lanes,
            depth,
            local_base,
            local_end,
        };
        match self.free.pop() {
            Some(i) => {
                frame.data = std::mem::take(&mut self.frames[i as usize].data);
                frame.data.clear();
                frame.data.resize(lines, Line([0; 64]));
                self.frames[i as usize] = frame;
                i
            }
            None => {
                frame.data = vec![Line([0; 64]); lines];
                self.frames.push(frame);
                self.frames.len() as u32 - 1
            }
        }
    }

    /// Takes lanes out of a frame, and out of its callers too when they exit.
    fn leave(&mut self, frame: u32, lanes: u32, exit: bool) {
        let mut f = frame;
        while f != NONE {
            let at = &mut self.frames[f as usize];
            at.lanes &= !lanes;
            let parent = at.parent;
            if at.lanes == 0 {
                self.free.push(f);
            }
            if !exit {
                return;
            }
            f = parent;
        }
    }

    /// Wakes splits that wait for lanes of the warp: some may have exited.
    fn recheck(&mut self) {
        for s in &mut self.splits {
            if s.state == State::Sync {
                s.state = State::Ready;
            }
        }
    }

    /// Brings the lanes of split `b` into split `a`, which is at the same instruction, if their frames allow it.
    fn try_merge(&mut self, env: &Env<'_>, a: usize, b: usize) -> bool {
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
    fn select(&mut self, env: &Env<'_>) -> Option<(usize, u32)> {
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

    /// Runs until every split waits, or `quantum` instructions are done.
    pub fn run(
        &mut self,
        env: &mut Env<'_>,
        block: &mut BlockState,
        quantum: u64,
    ) -> Result<(), Failure> {
        let stop = self.steps.saturating_add(quantum);
        while self.steps < stop {
            let Some((split, limit)) = self.select(env) else {
                return Ok(());
            };
            self.run_split(env, block, split, limit, stop)?;
            if let Some(budget) = env.launch.config.steps
                && self.steps > budget
            {
                let s = self.splits.first();
                let (pc, frame, lane) =
                    s.map_or((0, 0, 0), |s| (s.pc, s.frame, s.mask.trailing_zeros()));
                let fault = Fault::StepBudget {
                    budget,
                    warps: Vec::new(),
                };
                return Err(Failure {
                    fault,
                    lane,
                    pc,
                    frame,
                });
            }
        }
        Ok(())
    }

    /// Runs one split until it branches with others waiting, blocks, ends, meets `limit` or is out of steps.
    fn run_split(
        &mut self,
        env: &mut Env<'_>,
        block: &mut BlockState,
        split: usize,
        limit: u32,
        stop: u64,
    ) -> Result<(), Failure> {
        let Split {
            mask,
            mut pc,
            frame,
            ..
        } = self.splits[split];
        let mut alone = self.splits.len() == 1;
        let single = stop - self.steps <= 1;
        let program = env.program;
        let code = &program.code[..];
        let mut rows = Rows {
            regs: self.frames[frame as usize].data.as_mut_ptr() as *mut u8,
            consts: env.consts,
            mask,
        };
        let full = u64::from(mask.count_ones());
        let (mut steps, mut lanes) = (self.steps, 0u64);
        let mut mask = mask;
        let result = loop {
            // `steps >= stop` holds within straight code only for a debugger's single steps.
            if pc == limit || (single && steps >= stop) {
                break Ok(());
            }
            let inst = &code[pc as usize];
            steps += 1;
            let mut m = mask;
            if inst.guard != NONE {
                // SAFETY: the guard is a predicate row of the frame's function.
                let p = unsafe { rows.bits(inst.guard) };
                m &= if inst.guard_negated { !p } else { p };
                lanes += u64::from(m.count_ones());
            } else {
                lanes += full;
            }
            rows.mask = m;
            match &inst.op {
                Op::Lanes(f) => {
                    if m != 0 {
                        // SAFETY: the decoder made the instruction for the rows of this function's frame.
                        unsafe { f(&rows, inst) };
                    }
                    pc += 1;
                    continue;
                }
                Op::Load | Op::Store | Op::Atomic => {
                    if m != 0 {
                        let mem = &program.mems[inst.x as usize];
                        let f = &self.frames[frame as usize];
                        let place = access::Place {
                            local: self.local.data.as_mut_ptr() as *mut u8,
                            stride: self.local.stride,
                            local_end: f.local_end,
                            shared: block.shared.as_mut_ptr() as *mut u8,
                            shared_size: block.shared_size,
                        };
                        if let Err((fault, lane)) = access::access(env, &rows, &place, inst, mem) {
                            break Err((fault, lane));
                        }
                    }
                    pc += 1;
                    continue;
                }
                Op::Branch => {
                    if m == mask {
                        pc = inst.x;
                    } else if m == 0 {
                        pc += 1;
                    } else {
                        self.splits[split].mask = mask & !m;
                        self.splits.push(Split {
                            mask: m,
                            pc: inst.x,
                            frame,
                            state: State::Ready,
                            ran: steps,
                        });
                        pc += 1;
                        break Ok(());
                    }
                    if !alone || steps >= stop {
                        break Ok(());
                    }
                    continue;
                }
                Op::Scalar(s) => {
                    for l in (0..32usize).filter(|l| m >> l & 1 != 0) {
                        let [wa, wb, wc, wd] = s.widths;
                        // SAFETY: as for `Op::Lanes`.
                        unsafe {
                            let v = (s.f)(
                                rows.lane(inst.a, wa, l),
                                rows.lane(inst.b, wb, l),
                                rows.lane(inst.c, wc, l),
                            );
                            rows.put_lane(inst.d, wd, l, v);
                        }
                    }
                    pc += 1;
                    continue;
                }
                Op::Special(s) => {
                    self.special(env, block, &rows, inst, *s, steps);
                    pc += 1;
                    continue;
                }
                Op::LocalAddress { width } => {
                    let base = self.frames[frame as usize].local_base;
                    for l in 0..32 {
                        // SAFETY: as for `Op::Lanes`.
                        unsafe { rows.put_lane(inst.d, *width, l, u64::from(base + inst.x)) };
                    }
                    pc += 1;
                    continue;
                }
                Op::Pack { whole, part, into } => {
                    let (w, p, k) = (*whole as usize, *part as usize, inst.x as usize);
                    for l in (0..32usize).filter(|l| m >> l & 1 != 0) {
                        // SAFETY: rows of `whole` and `part` bytes a lane, and the `k`th part lies in the whole.
                        unsafe {
                            let (small, big) = if *into {
                                (inst.a, inst.d)
                            } else {
                                (inst.d, inst.a)
                            };
                            let small = rows.at(small).add(l * p);
                            let big = rows.at(big).add(l * w + k * p);
                            let (s, d) = if *into { (small, big) } else { (big, small) };
                            std::ptr::copy_nonoverlapping(s, d, p);
                        }
                    }
                    pc += 1;
                    continue;
                }
                Op::ActiveMask => {
                    // SAFETY: as for `Op::Lanes`.
                    unsafe { rows.put(inst.d, [m; 32]) };
                    pc += 1;
                    continue;
                }
                Op::Fence => {
                    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
                    pc += 1;
                    continue;
                }
                Op::Nanosleep => {
                    pc += 1;
                    // Others may go on meanwhile.
                    if !alone {
                        break Ok(());
                    }
                    continue;
                }
                Op::Nop => {
                    pc += 1;
                    continue;
                }
                _ => {}
            }
            // What follows concerns the control flow or other lanes: the lanes that the guard holds back go their way.
            if m == 0 {
                pc += 1;
                continue;
            }
            if m != mask {
                self.splits.push(Split {
                    mask: mask & !m,
                    pc: pc + 1,
                    frame,
                    state: State::Ready,
                    ran: steps,
                });
                self.splits[split].mask = m;
                mask = m;
                alone = false;
            }
            let lane = m.trailing_zeros();
            match &inst.op {
                Op::BranchIndex => {
                    let table = &program.tables[inst.x as usize];
                    // SAFETY: as for `Op::Lanes`.
                    let index: [u32; 32] = unsafe { rows.get(inst.a) };
                    let bad = (0..32)
                        .find(|l| m >> l & 1 != 0 && index[*l as usize] as usize >= table.len());
                    if let Some(l) = bad {
                        let fault = Fault::BadBranchIndex {
                            index: index[l as usize],
                            len: table.len() as u32,
                        };
                        break Err((fault, l));
                    }
                    let target = |l: u32| table[index[l as usize] as usize];
                    let mut rest = m;
                    let first = target(lane);
                    while rest != 0 {
                        let t = target(rest.trailing_zeros());
                        let same = (0..32)
                            .filter(|l| rest >> l & 1 != 0 && target(*l) == t)
                            .fold(0, |s, l| s | 1 << l);
                        rest &= !same;
                        if t == first {
                            self.splits[split].mask = same;
                        } else {
                            self.splits.push(Split {
                                mask: same,
                                pc: t,
                                frame,
                                state: State::Ready,
                                ran: steps,
                            });
                        }
                    }
                    pc = first;
                    break Ok(());
                }
                Op::Call => match self.call(env, block, split, pc, m, inst.x, &rows, steps) {
                    Ok(next) => {
                        pc = next;
                        break Ok(());
                    }
                    Err(e) => break Err(e),
                },
                Op::Return if self.frames[frame as usize].parent != NONE => {
                    self.give_back(program, frame, m);
                    let f = &self.frames[frame as usize];
                    let (parent, return_pc) = (f.parent, f.return_pc);
                    self.leave(frame, m, false);
                    self.splits[split].frame = parent;
                    pc = return_pc;
                    break Ok(());
                }
                Op::Return | Op::Exit => {
                    self.live &= !m;
                    self.leave(frame, m, true);
                    self.splits.swap_remove(split);
                    self.recheck();
                    self.steps = steps;
                    env.lane_instructions += lanes;
                    return Ok(());
                }
                Op::Trap => break Err((Fault::Trap, lane)),
                Op::Breakpoint => break Err((Fault::Breakpoint, lane)),
                Op::Barrier(kind) => {
                    // SAFETY: as for `Op::Lanes`.
                    let get = |row| {
                        if row == NONE {
                            None
                        } else {
                            // SAFETY: as for `Op::Lanes`.
                            Some(unsafe { rows.lane(row, 4, lane as usize) } as u32)
                        }
                    };
                    let id = get(inst.a).unwrap_or(0) & 15;
                    let count = get(inst.b);
                    let votes = if inst.c == NONE {
                        0
                    } else {
                        // SAFETY: as for `Op::Lanes`.
                        unsafe { rows.bits(inst.c) & m }
                    };
                    block.arrive(self.index, id, m, count, *kind, votes);
                    pc += 1;
                    if *kind != BarrierKind::Arrive {
                        let reduces = !matches!(kind, BarrierKind::Sync);
                        let result = reduces.then_some((inst.d, inst.x as Width, *kind));
                        self.splits[split].state = State::Barrier { id, result };
                    }
                    break Ok(());
                }
                _ => {
                    let row = if matches!(inst.op, Op::WarpSync) {
                        inst.a
                    } else {
                        inst.c
                    };
                    // SAFETY: as for `Op::Lanes`.
                    let members: [u32; 32] = unsafe { rows.get(row) };
                    let bad =
                        (0..32).find(|l| m >> l & 1 != 0 && members[*l as usize] >> l & 1 == 0);
                    if let Some(l) = bad {
                        break Err((
                            Fault::MemberMask {
                                mask: members[l as usize],
                                lane: l,
                            },
                            l,
                        ));
                    }
                    // Lanes of one instruction may name different groups: each is complete on its own.
                    let group = members[lane as usize];
                    let same = (0..32)
                        .filter(|l| m >> l & 1 != 0 && members[*l as usize] == group)
                        .fold(0, |s, l| s | 1 << l);
                    if same != m {
                        self.splits.push(Split {
                            mask: m & !same,
                            pc,
                            frame,
                            state: State::Ready,
                            ran: steps,
                        });
                        self.splits[split].mask = same;
                        mask = same;
                    }
                    if group & self.live & !same != 0 {
                        self.splits[split].state = State::Sync;
                        break Ok(());
                    }
                    rows.mask = same;
                    sync::execute(&rows, inst);
                    pc += 1;
                    if same != m {
                        break Ok(());
                    }
                    continue;
                }
            }
        };
        env.lane_instructions += lanes;
        self.steps = steps;
        match result {
            Ok(()) => {
                let s = &mut self.splits[split];
                s.pc = pc;
                s.ran = steps;
                Ok(())
            }
            Err((fault, lane)) => Err(Failure {
                fault,
                lane,
                pc,
                frame,
            }),
        }
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

    /// Copies what a function returns to its caller's blocks.
    fn give_back(&mut self, program: &Program, frame: u32, lanes: u32) {
        let f = &self.frames[frame as usize];
        let call = &program.calls[f.call as usize];
        let from = f.data.as_ptr() as *const u8;
        let blocks = program.functions[f.function as usize].returns.clone();
        let parent = f.parent as usize;
        let to = self.frames[parent].data.as_mut_ptr() as *mut u8;
        for (s, d) in blocks.iter().zip(&call.returns) {
            copy_blocks(from, *s, to, *d, lanes);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn call(
        &mut self,
        env: &mut Env<'_>,
        block: &mut BlockState,
        split: usize,
        pc: u32,
        lanes: u32,
        call: u32,
        rows: &Rows,
        steps: u64,
    ) -> Result<u32, (Fault, u32)> {
        let program = env.program;
        let lane = lanes.trailing_zeros();
        let c = &program.calls[call as usize];
        let frame = self.splits[split].frame;
        let function = match c.callee {
            Callee::Function(f) => f,
            Callee::Pointer(row) => {
                // SAFETY: the row is one of the frame's function, 8 bytes wide.
                let targets: [u64; 32] = unsafe { rows.get(row) };
                let address = targets[lane as usize];
                let same = (0..32)
                    .filter(|l| lanes >> l & 1 != 0 && targets[*l as usize] == address)
                    .fold(0, |s, l| s | 1 << l);
                if same != lanes {
                    // Lanes that call something else do so on their own.
                    self.splits.push(Split {
                        mask: lanes & !same,
                        pc,
                        frame,
                        state: State::Ready,
                        ran: steps,
                    });
                    self.splits[split].mask = same;
                    return self.call_pointer(env, split, pc, same, call, address);
                }
                return self.call_pointer(env, split, pc, lanes, call, address);
            }
            Callee::Builtin(b) => {
                for l in (0..32u32).filter(|l| lanes >> l & 1 != 0) {
                    let f = &self.frames[frame as usize];
                    let place = access::Place {
                        local: self.local.data.as_mut_ptr() as *mut u8,
                        stride: self.local.stride,
                        local_end: f.local_end,
                        shared: block.shared.as_mut_ptr() as *mut u8,
                        shared_size: block.shared_size,
                    };
                    let args: Vec<*const u8> = c
                        .args
                        .iter()
                        // SAFETY: the blocks lie in the frame.
                        .map(|b| unsafe {
                            rows.regs.add((b.offset + l * b.size) as usize) as *const u8
                        })
                        .collect();
                    let thread = std::array::from_fn(|k| self.tid[k][l as usize]);
                    let value =
                        crate::printf::builtin(env, &place, b, &args, block.ctaid, thread, l)?;
                    if let Some(r) = c.returns.first() {
                        // SAFETY: the block lies in the frame and has at least 16 bytes a lane.
                        unsafe {
                            (rows.regs.add((r.offset + l * r.size) as usize) as *mut u32)
                                .write(value)
                        };
                    }
                }
                return Ok(pc + 1);
            }
        };
        self.enter(env, split, pc, lanes, call, function)
    }

    fn call_pointer(
        &mut self,
        env: &Env<'_>,
        split: usize,
        pc: u32,
        lanes: u32,
        call: u32,
        address: u64,
    ) -> Result<u32, (Fault, u32)> {
        match env.program.addresses.get(&address) {
            Some(f) => self.enter(env, split, pc, lanes, call, *f),
            None => Err((
                Fault::BadFunctionPointer { address },
                lanes.trailing_zeros(),
            )),
        }
    }

    fn enter(
        &mut self,
        env: &Env<'_>,
        split: usize,
        pc: u32,
        lanes: u32,
        call: u32,
        function: u32,
    ) -> Result<u32, (Fault, u32)> {
        let program = env.program;
        let config = &env.launch.config;
        let parent = self.splits[split].frame;
        let f = &program.functions[function as usize];
        let (depth, local) = (
            self.frames[parent as usize].depth,
            self.frames[parent as usize].local_end,
        );
        if depth + 1 > config.call_depth {
            return Err((
                Fault::CallDepth {
                    limit: config.call_depth,
                },
                lanes.trailing_zeros(),
            ));
        }
        if local + f.local > config.local_limit {
            return Err((
                Fault::StackOverflow {
                    limit: config.local_limit,
                },
                lanes.trailing_zeros(),
            ));
        }
        let frame = self.frame(f, function, parent, pc + 1, call, lanes, local);
        let from = self.frames[parent as usize].data.as_ptr() as *const u8;
        let to = self.frames[frame as usize].data.as_mut_ptr() as *mut u8;
        for (s, d) in program.calls[call as usize].args.iter().zip(&f.params) {
            copy_blocks(from, *s, to, *d, lanes);
        }
        self.splits[split].frame = frame;
        Ok(f.entry)
    }

    fn special(
        &self,
        env: &Env<'_>,
        block: &BlockState,
        rows: &Rows,
        inst: &Inst,
        s: Special,
        steps: u64,
    ) {
        let launch = env.launch;
        let one = |v: u64| [v; 32];
        let each = |f: &dyn Fn(u32) -> u32| std::array::from_fn(|l| u64::from(f(l as u32)));
        let clock = self.steps.max(steps);
        let values: [u64; 32] = match s {
            Special::Tid(k) => each(&|l| self.tid[k as usize][l as usize]),
            Special::Ntid(k) => one(launch.block[k as usize].into()),
            Special::Ctaid(k) => one(block.ctaid[k as usize].into()),
            Special::Nctaid(k) => one(launch.grid[k as usize].into()),
            Special::LaneId => each(&|l| l),
            Special::WarpId => one(self.index.into()),
            Special::NWarpId => one(u64::from(launch.block.iter().product::<u32>().div_ceil(32))),
            Special::SmId => one(block.index % u64::from(launch.config.sms)),
            Special::NSmId => one(launch.config.sms.into()),
            Special::GridId => one(launch.id),
            Special::Clock | Special::Clock64 => one(clock),
            Special::ClockHi => one(clock >> 32),
            Special::GlobalTimer | Special::GlobalTimerLo => one(env.nanoseconds(clock)),
            Special::GlobalTimerHi => one(env.nanoseconds(clock) >> 32),
            Special::LaneMask(kind) => each(&|l| {
                let eq = 1u32 << l;
                match kind {
                    MaskKind::Eq => eq,
                    MaskKind::Lt => eq - 1,
                    MaskKind::Le => eq | (eq - 1),
                    MaskKind::Gt => !(eq | (eq - 1)),
                    MaskKind::Ge => !(eq - 1),
                }
            }),
            Special::TotalSmem => one(block.shared_size.into()),
            Special::DynamicSmem => one(launch.dynamic_shared.into()),
            Special::Constant(c) => one(c.into()),
        };
        for (l, v) in values.into_iter().enumerate() {
            if rows.mask >> l & 1 != 0 {
                // SAFETY: `x` is the width of the destination row.
                unsafe { rows.put_lane(inst.d, inst.x as Width, l, v) };
            }
        }
    }
}

/// Copies the lanes' parts of a parameter block from one frame to another.
fn copy_blocks(from: *const u8, s: Block, to: *mut u8, d: Block, lanes: u32) {
    let size = s.size.min(d.size) as usize;
    for l in (0..32usize).filter(|l| lanes >> l & 1 != 0) {
        // SAFETY: the blocks lie in their frames, which are different allocations.
        unsafe {
            let (s, d) = (
                from.add(s.offset as usize + l * s.size as usize),
                to.add(d.offset as usize + l * d.size as usize),
            );
            std::ptr::copy_nonoverlapping(s, d, size);
        }
    }
}
