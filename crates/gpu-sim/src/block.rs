//! A block: its warps, shared memory and barriers.

use crate::error::{Fault, FaultReport, LaunchError};
use crate::inst::{BarrierKind, NONE};
use crate::lanes::Rows;
use crate::launch::Env;
use crate::warp::{Failure, Line, Split, State, Warp};

#[derive(Clone, Default)]
struct Barrier {
    /// Lanes that have arrived, by warp.
    arrived: Vec<(u32, u32)>,
    /// The thread count that was named, if one was.
    count: Option<u32>,
    /// Threads whose predicate was true.
    votes: u32,
    all: bool,
    any: bool,
}

/// What the warps of a block share.
#[derive(Clone)]
pub(crate) struct BlockState {
    pub index: u64,
    pub ctaid: [u32; 3],
    pub shared: Vec<Line>,
    pub shared_size: u32,
    barriers: Vec<Barrier>,
    /// Its place in its cluster, and the number of that place.
    pub cluster_ctaid: [u32; 3],
    pub cluster_rank: u32,
    /// Lanes of each warp that have arrived at the barrier of the cluster.
    pub cluster_arrived: Vec<u32>,
    /// Warps that met at barriers since they were looked at.
    pub met: Vec<Vec<u32>>,
    /// Some barrier has changed since it was looked at.
    changed: bool,
}

impl BlockState {
    /// Lanes of a warp arrive at a barrier.
    pub fn arrive(
        &mut self,
        warp: u32,
        id: u32,
        lanes: u32,
        count: Option<u32>,
        kind: BarrierKind,
        votes: u32,
    ) {
        let b = &mut self.barriers[id as usize];
        if b.arrived.is_empty() {
            (b.votes, b.all, b.any) = (0, true, false);
            b.count = count;
        }
        if kind != BarrierKind::Sync && kind != BarrierKind::Arrive {
            b.votes += votes.count_ones();
            b.all &= votes == lanes;
            b.any |= votes != 0;
        }
        b.arrived.push((warp, lanes));
        self.changed = true;
    }
}

#[derive(Clone)]
pub(crate) struct Block {
    pub state: BlockState,
    pub warps: Vec<Warp>,
    next: usize,
}

/// What a block did with its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Its turn is over.
    Running,
    /// All its threads have exited.
    Done,
    /// No thread can go on before other blocks of the cluster do.
    Waiting,
}

impl Block {
    pub fn new(env: &Env<'_>, index: u64) -> Block {
        let [gx, gy, _] = env.launch.grid.map(u64::from);
        let ctaid = [index % gx, index / gx % gy, index / (gx * gy)].map(|v| v as u32);
        let shared_size = env.program.shared + env.launch.dynamic_shared;
        let threads: u32 = env.launch.block.iter().product();
        let [cx, cy, _] = env.launch.cluster;
        let cluster_ctaid = std::array::from_fn(|k| ctaid[k] % env.launch.cluster[k]);
        let state = BlockState {
            index,
            ctaid,
            shared: vec![Line([0; 64]); shared_size.div_ceil(64) as usize],
            shared_size,
            barriers: vec![Barrier::default(); 16],
            cluster_ctaid,
            cluster_rank: (cluster_ctaid[2] * cy + cluster_ctaid[1]) * cx + cluster_ctaid[0],
            cluster_arrived: vec![0; threads.div_ceil(32) as usize],
            met: Vec::new(),
            changed: false,
        };
        let warps = (0..threads.div_ceil(32))
            .map(|w| Warp::new(env, w))
            .collect();
        Block {
            state,
            warps,
            next: 0,
        }
    }

    /// Runs the warps in turn, each for at most `slice` instructions, until `quantum` are done.
    pub fn run(
        &mut self,
        env: &mut Env<'_>,
        quantum: u64,
        slice: u64,
    ) -> Result<Turn, LaunchError> {
        let mut done = 0;
        while done < quantum {
            let mut ran = false;
            for _ in 0..self.warps.len() {
                let w = env.pick(self.next, self.warps.len());
                self.next = (self.next + 1) % self.warps.len();
                if !self.warps[w].ready() {
                    continue;
                }
                ran = true;
                let before = self.warps[w].steps;
                if let Err(f) = self.warps[w].run(env, &mut self.state, slice) {
                    return Err(self.report(env, w, f));
                }
                done += self.warps[w].steps - before;
                if self.warps[w].live == 0 || self.state.changed {
                    self.release();
                    self.tell_races(env);
                }
                if done >= quantum {
                    break;
                }
            }
            if env.stopped() {
                return Err(crate::error::SimError::Stopped.into());
            }
            // A seeded order can miss a warp that is ready.
            if !ran && !self.warps.iter().any(Warp::ready) {
                if self.warps.iter().all(|w| w.live == 0) {
                    return Ok(Turn::Done);
                }
                self.release();
                self.tell_races(env);
                let mut released = self.warps.iter().any(Warp::ready);
                for w in &mut self.warps {
                    released |= w.release_warp_barriers(env);
                }
                if !released {
                    let waits = |s: &Split| s.state == State::Cluster;
                    if self.warps.iter().any(|w| w.splits.iter().any(waits)) {
                        return Ok(Turn::Waiting);
                    }
                    return Err(self.deadlock(env));
                }
            }
        }
        Ok(Turn::Running)
    }

    /// One turn of one warp, for a debugger.
    pub fn step(&mut self, env: &mut Env<'_>, warp: usize, steps: u64) -> Result<(), LaunchError> {
        if let Err(f) = self.warps[warp].run(env, &mut self.state, steps) {
            return Err(self.report(env, warp, f));
        }
        self.release();
        self.tell_races(env);
        Ok(())
    }

    /// Who met at a barrier knows of what the others did before.
    fn tell_races(&mut self, env: &mut Env<'_>) {
        for warps in self.state.met.drain(..) {
            if let Some(races) = &mut env.races {
                let actors: Vec<_> = warps.iter().map(|w| (self.state.index, *w)).collect();
                races.meet(&actors);
            }
        }
    }

    /// Completes the barriers at which all have arrived.
    pub(crate) fn release(&mut self) {
        self.state.changed = false;
        for id in 0..16 {
            if self.state.barriers[id].arrived.is_empty() {
                continue;
            }
            let b = &self.state.barriers[id];
            let mut arrived = vec![0u32; self.warps.len()];
            for (w, lanes) in &b.arrived {
                arrived[*w as usize] |= lanes;
            }
            let complete = match b.count {
                // Threads that have exited are not waited for.
                None => self
                    .warps
                    .iter()
                    .zip(&arrived)
                    .all(|(w, a)| w.live & !a == 0),
                // A warp counts whole once its living lanes have come.
                Some(count) => {
                    let whole = |w: &Warp, a: u32| {
                        if a != 0 && w.live & !a == 0 {
                            32
                        } else {
                            a.count_ones()
                        }
                    };
                    let n: u32 = self
                        .warps
                        .iter()
                        .zip(&arrived)
                        .map(|(w, a)| whole(w, *a))
                        .sum();
                    n >= count.next_multiple_of(32)
                }
            };
            if !complete {
                continue;
            }
            let b = std::mem::take(&mut self.state.barriers[id]);
            self.state.met.push(b.arrived.iter().map(|a| a.0).collect());
            for w in &mut self.warps {
                for s in &mut w.splits {
                    let State::Barrier { id: at, result } = s.state else {
                        continue;
                    };
                    if at as usize != id {
                        continue;
                    }
                    s.state = State::Ready;
                    let Some((row, width, kind)) = result else {
                        continue;
                    };
                    let value = match kind {
                        BarrierKind::RedPopc => u64::from(b.votes),
                        BarrierKind::RedAnd => u64::from(b.all),
                        _ => u64::from(b.any),
                    };
                    let regs = w.frames[s.frame as usize].data.as_mut_ptr() as *mut u8;
                    let rows = Rows {
                        regs,
                        consts: std::ptr::null(),
                        mask: s.mask,
                    };
                    for l in (0..32usize).filter(|l| s.mask >> l & 1 != 0) {
                        // SAFETY: the row is one of the frame in which the split waits.
                        unsafe { rows.put_lane(row, width, l, value) };
                    }
                }
            }
        }
    }

    /// Where each split of the block is.
    fn places(&self, env: &Env<'_>) -> Vec<String> {
        let mut all = Vec::new();
        for w in &self.warps {
            if w.live == 0 {
                all.push(format!("warp {}: exited", w.index));
            }
            for s in &w.splits {
                // A split at a barrier stands behind it.
                let (pc, what) = match s.state {
                    State::Ready => (s.pc, "at".to_string()),
                    State::Barrier { id, .. } => {
                        (s.pc.saturating_sub(1), format!("waits at barrier {id},"))
                    }
                    State::Sync => (s.pc, "waits for other lanes at".to_string()),
                    State::Cluster => (s.pc, "waits for the cluster at".to_string()),
                };
                let line = env.program.spans[pc as usize].line;
                let text = env.program.text(pc);
                let source = env.source(line);
                let source = source.first().map_or(String::new(), |f| {
                    format!(" ({}:{}:{})", f.file, f.line, f.column)
                });
                all.push(format!(
                    "warp {}, lanes {:#010x}: {what} PTX line {line}: {text}{source}",
                    w.index, s.mask
                ));
            }
            let exited = w.all & !w.live;
            if w.live != 0 && exited != 0 {
                all.push(format!("warp {}, lanes {exited:#010x}: exited", w.index));
            }
        }
        all
    }

    pub fn deadlock(&self, env: &Env<'_>) -> LaunchError {
        let at = self
            .warps
            .iter()
            .enumerate()
            .find_map(|(i, w)| w.splits.first().map(|s| (i, s)));
        let (w, failure) = match at {
            Some((i, s)) => {
                let pc = if matches!(s.state, State::Barrier { .. }) {
                    s.pc.saturating_sub(1)
                } else {
                    s.pc
                };
                (
                    i,
                    Failure {
                        fault: Fault::BarrierDeadlock {
                            waiting: Vec::new(),
                        },
                        lane: s.mask.trailing_zeros(),
                        pc,
                        frame: s.frame,
                    },
                )
            }
            None => (
                0,
                Failure {
                    fault: Fault::BarrierDeadlock {
                        waiting: Vec::new(),
                    },
                    lane: 0,
                    pc: 0,
                    frame: 0,
                },
            ),
        };
        self.report(env, w, failure)
    }

    fn report(&self, env: &Env<'_>, warp: usize, failure: Failure) -> LaunchError {
        let program = env.program;
        let w = &self.warps[warp];
        let fault = match failure.fault {
            Fault::StepBudget { budget, .. } => Fault::StepBudget {
                budget,
                warps: self.places(env),
            },
            Fault::BarrierDeadlock { .. } => Fault::BarrierDeadlock {
                waiting: self.places(env),
            },
            f => f,
        };
        let line = program.spans[failure.pc as usize].line;
        let mut callers = Vec::new();
        let mut frame = w.frames.get(failure.frame as usize);
        while let Some(f) = frame {
            if f.parent == NONE {
                break;
            }
            let call = f.return_pc.saturating_sub(1);
            callers.push((
                program.function_at(call).name.clone(),
                program.spans[call as usize].line,
            ));
            frame = w.frames.get(f.parent as usize);
        }
        // The middle of a deep recursion tells nothing.
        let callers_left_out = callers.len().saturating_sub(8);
        if callers_left_out > 0 {
            callers.drain(7..7 + callers_left_out);
        }
        LaunchError::Fault(Box::new(FaultReport {
            fault,
            kernel: program.name.clone(),
            function: program.function_at(failure.pc).name.clone(),
            block: self.state.ctaid,
            thread: std::array::from_fn(|k| w.tid[k][failure.lane as usize & 31]),
            line,
            instruction: program.text(failure.pc),
            callers,
            callers_left_out,
            source: env.source(line),
        }))
    }
}
