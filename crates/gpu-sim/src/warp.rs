//! A warp: 32 lanes, their call stacks, and the splits into which divergence cuts them.
//!
//! A split is a set of lanes at one instruction in one frame. The split that is deepest in calls and earliest in the
//! code runs first, which brings the lanes of a branch together where its sides meet; a split that has waited too long
//! runs all the same, so that a lane that spins for another one of its warp does not spin for ever.

mod calls;
mod schedule;
mod special;

use crate::access;
use crate::block::BlockState;
use crate::copies::Copies;
use crate::error::Fault;
use crate::inst::*;
use crate::lanes::Rows;
use crate::launch::Env;
use crate::sync;
use crate::{matrix, mbarrier, races};

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
    /// At the barrier of the cluster.
    Cluster,
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
    pub copies: Copies,
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
            copies: Copies::default(),
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

    /// The memory that an instruction in a frame can reach beside global memory.
    fn place(&mut self, frame: u32, block: &mut BlockState) -> access::Place {
        access::Place {
            local: self.local.data.as_mut_ptr() as *mut u8,
            stride: self.local.stride,
            local_end: self.frames[frame as usize].local_end,
            shared: block.shared.as_mut_ptr() as *mut u8,
            shared_size: block.shared_size,
        }
    }

    /// Whether some split could run.
    pub fn ready(&self) -> bool {
        self.splits.iter().any(|s| s.state == State::Ready)
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
                        let place = self.place(frame, block);
                        // What a load overwrites may be its own address.
                        let address = env.races.is_some().then(|| access::addresses(&rows, mem));
                        if let Err((fault, lane)) = access::access(env, &rows, &place, inst, mem) {
                            break Err((fault, lane));
                        }
                        if let Some(address) = address {
                            let kind = access::kind(inst);
                            let who = ((block.index, self.index), pc, m);
                            if let Err(e) = races::note(env, who, &address, mem, kind) {
                                break Err(e);
                            }
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
                Op::Mbarrier(op) => {
                    let place = self.place(frame, block);
                    let mem = &program.mems[inst.x as usize];
                    if let Some(races) = &mut env.races {
                        let address = access::addresses(&rows, mem);
                        for l in (0..32).filter(|l| m >> l & 1 != 0) {
                            races.exchange((block.index, self.index), mem.space, address[l]);
                        }
                    }
                    if let Err(e) = mbarrier::execute(env, &rows, &place, inst, mem, *op) {
                        break Err(e);
                    }
                    pc += 1;
                    // Who tests may wait for lanes of this very warp.
                    if !alone && matches!(op, BarrierOp::Test { .. }) {
                        break Ok(());
                    }
                    continue;
                }
                Op::Copy => {
                    let place = self.place(frame, block);
                    let mems = (
                        &program.mems[inst.x as usize],
                        &program.mems[inst.d2 as usize],
                    );
                    if let Err(e) = self.copies.issue(env, &rows, &place, inst, mems) {
                        break Err(e);
                    }
                    pc += 1;
                    continue;
                }
                Op::CopyCommit => {
                    self.copies.commit(m);
                    pc += 1;
                    continue;
                }
                Op::CopyWait { keep } => {
                    let place = self.place(frame, block);
                    self.copies.wait(&place, m, *keep);
                    pc += 1;
                    continue;
                }
                Op::ClusterArrive => {
                    block.cluster_arrived[self.index as usize] |= m;
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
                Op::ClusterWait => {
                    if block.cluster_arrived[self.index as usize] & m != 0 {
                        self.splits[split].state = State::Cluster;
                    } else {
                        pc += 1;
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
                    if let Op::Matrix(operation) = &inst.op {
                        let place = self.place(frame, block);
                        if let Err(e) = matrix::execute(env, &rows, &place, operation) {
                            break Err(e);
                        }
                    } else {
                        sync::execute(&rows, inst);
                    }
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
}
