//! Data races: two accesses to a byte of shared or global memory, at least one a plain write, that nothing orders.
//!
//! Each warp has a clock, and knows of every other warp how far that one had come when it last heard of it. Warps hear
//! of each other at barriers of the block and the cluster, and by atomics, ordered accesses and barrier objects: each such
//! access hands on what its warp knows and takes what was left there, whatever its ordering. So a race that is reported is
//! one; one that relaxed atomics hide, or between lanes of one warp in different instructions, is not seen.

use crate::error::{AccessKind, Fault, FirstAccess};
use crate::inst::*;
use crate::launch::Env;
use crate::memory::{SHARED_WINDOW, WINDOW_SIZE};
use std::collections::HashMap;

/// A warp: its block and its number there.
type Actor = (u64, u32);

/// What a warp knows: how far each had come. Its own entry is its clock.
#[derive(Clone, Debug, Default)]
struct Knowledge(HashMap<Actor, u32>);

impl Knowledge {
    fn join(&mut self, other: &Knowledge) {
        for (actor, clock) in &other.0 {
            let mine = self.0.entry(*actor).or_default();
            *mine = (*mine).max(*clock);
        }
    }

    fn knows(&self, a: &Access) -> bool {
        self.0.get(&a.actor).is_some_and(|c| *c >= a.clock)
    }
}

#[derive(Clone, Copy, Debug)]
struct Access {
    actor: Actor,
    clock: u32,
    lane: u8,
    kind: AccessKind,
    pc: u32,
}

/// What has happened to a byte.
#[derive(Clone, Debug, Default)]
struct Byte {
    write: Option<Access>,
    /// The last read of each warp since that write, if nothing ordered it before.
    reads: Vec<Access>,
}

/// The detector of one launch, which runs on one thread.
#[derive(Debug, Default)]
pub(crate) struct Races {
    warps: HashMap<Actor, Knowledge>,
    /// What was left at the addresses of atomics.
    left: HashMap<u64, Knowledge>,
    bytes: HashMap<u64, Byte>,
}

/// Shared memory of a block has keys of its own, beside the addresses of global memory.
fn key(block: u64, space: MemSpace, address: u64) -> Option<u64> {
    let shared = |offset: u64| {
        // Another block's shared memory in a cluster is not watched.
        (offset < 1 << 24).then_some(1 << 63 | block << 24 | offset)
    };
    match space {
        MemSpace::Shared | MemSpace::SharedCluster => shared(address),
        MemSpace::Global => Some(address),
        MemSpace::Generic if (SHARED_WINDOW..SHARED_WINDOW + WINDOW_SIZE).contains(&address) => {
            shared(address - SHARED_WINDOW)
        }
        MemSpace::Generic if address < SHARED_WINDOW => Some(address),
        _ => None,
    }
}

impl Races {
    fn now(&mut self, actor: Actor) -> u32 {
        *self
            .warps
            .entry(actor)
            .or_default()
            .0
            .entry(actor)
            .or_insert(1)
    }

    /// The warps of a block that meet at a barrier know of each other afterwards.
    pub fn meet(&mut self, actors: &[Actor]) {
        let mut all = Knowledge::default();
        for a in actors {
            self.now(*a);
            all.join(&self.warps[a]);
        }
        for a in actors {
            let mut known = all.clone();
            *known.0.entry(*a).or_default() += 1;
            self.warps.insert(*a, known);
        }
    }

    /// A warp hands on what it knows at an address, and takes what was left there.
    pub fn exchange(&mut self, actor: Actor, space: MemSpace, address: u64) {
        let Some(key) = key(actor.0, space, address) else {
            return;
        };
        self.now(actor);
        let left = self.left.entry(key).or_default();
        let mine = self.warps.entry(actor).or_default();
        mine.join(left);
        *left = mine.clone();
        *mine.0.entry(actor).or_default() += 1;
    }

    /// Notes a plain access, or an atomic one; answers with an earlier access that nothing orders before it.
    fn access(&mut self, key: u64, size: u64, now: Access) -> Option<Access> {
        let known = &self.warps[&now.actor];
        let conflict = |a: &Access| {
            let atomic = a.kind == AccessKind::Atomic && now.kind == AccessKind::Atomic;
            a.actor != now.actor && !atomic && !known.knows(a)
        };
        for byte in key..key + size {
            let cell = self.bytes.entry(byte).or_default();
            let earlier = cell.write.filter(|w| conflict(w));
            if earlier.is_some() {
                return earlier;
            }
            if now.kind == AccessKind::Load {
                cell.reads.retain(|r| r.actor != now.actor);
                cell.reads.push(now);
            } else {
                if let Some(r) = cell.reads.iter().find(|r| conflict(r)) {
                    return Some(*r);
                }
                cell.reads.clear();
                cell.write = Some(now);
            }
        }
        None
    }
}

/// Notes an instruction's accesses. The fault names the first lane whose access races, and the access before it.
pub(crate) fn note(
    env: &mut Env<'_>,
    (actor, pc, mask): (Actor, u32, u32),
    address: &[u64; 32],
    mem: &Mem,
    kind: AccessKind,
) -> Result<(), (Fault, u32)> {
    let program = env.program;
    let Some(races) = &mut env.races else {
        return Ok(());
    };
    let size = u64::from(mem.size) * u64::from(mem.count);
    // Accesses that name an ordering or a scope take part in order, they do not race.
    let kind = if mem.strong { AccessKind::Atomic } else { kind };
    for l in (0..32u32).filter(|l| mask >> l & 1 != 0) {
        let at = address[l as usize];
        let Some(key) = key(actor.0, mem.space, at) else {
            continue;
        };
        let clock = races.now(actor);
        let now = Access {
            actor,
            clock,
            lane: l as u8,
            kind,
            pc,
        };
        let earlier = races.access(key, size, now);
        if kind == AccessKind::Atomic {
            races.exchange(actor, mem.space, at);
        }
        if let Some(e) = earlier {
            let launch = env.launch;
            let [gx, gy, _] = launch.grid.map(u64::from);
            let [bx, by, _] = launch.block;
            let block = [e.actor.0 % gx, e.actor.0 / gx % gy, e.actor.0 / (gx * gy)];
            let t = e.actor.1 * 32 + u32::from(e.lane);
            let line = program.spans[e.pc as usize].line;
            let first = FirstAccess {
                kind: e.kind,
                block: block.map(|v| v as u32),
                thread: [t % bx, t / bx % by, t / (bx * by)],
                line,
                instruction: program.text(e.pc),
                source: env.source(line),
            };
            let fault = Fault::Race {
                kind,
                address: at,
                first: Box::new(first),
            };
            return Err((fault, l));
        }
    }
    Ok(())
}
