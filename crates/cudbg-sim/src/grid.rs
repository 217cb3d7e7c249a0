//! A launch as the API sees it: blocks on SMs, warps in slots, run until something is to be shown.

use crate::fault;
use cudbg::{CUDBGException_t, CUDBGResult};
use gpu_sim::{Advance, CODE_BASE, Device, Kernel, LaunchError, LaunchParams, Machine, SimError};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// Warp slots of an SM.
pub(crate) const WARPS: u32 = 64;
/// Instructions that a warp may run before the next one has its turn. Few enough that all warps of a wave come to a
/// breakpoint in one round, and are shown together.
const TURN: u64 = 512;

/// What is in a warp slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub block: usize,
    pub warp: usize,
}

/// A fault that has happened.
#[derive(Clone, Debug)]
pub(crate) struct Exception {
    pub sm: u32,
    pub wp: u32,
    pub lane: u32,
    pub pc: u64,
    pub kind: CUDBGException_t,
    pub error: LaunchError,
}

/// Why a grid does not run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Warps have met a breakpoint.
    Broken,
    Fault,
    /// Somebody wants it to.
    Asked,
    Done,
}

pub(crate) struct Grid {
    pub id: u64,
    pub machine: Machine,
    pub params: LaunchParams,
    pub context: u64,
    pub module: u64,
    /// Address of the kernel's first instruction.
    pub base: u64,
    slots: Vec<Vec<Option<Place>>>,
    /// The block that each SM takes next; blocks go round the SMs, as `%smid` says.
    next: Vec<usize>,
    per_sm: usize,
    pub broken: BTreeSet<(u32, u32)>,
    /// Warps that have been shown at a breakpoint and now execute its instruction.
    over: BTreeSet<(u32, u32)>,
    pub exception: Option<Exception>,
}

impl Grid {
    pub fn new(
        device: &Device,
        kernel: &Kernel,
        params: &LaunchParams,
        id: u64,
        base: u64,
    ) -> Result<Grid, LaunchError> {
        let machine = Machine::new(device, kernel, params)?;
        if machine.cluster() != [1; 3] {
            // Blocks of a cluster wait for each other wherever they are; nothing here brings them onto the device together.
            let why = "a launch with clusters cannot be debugged yet".to_string();
            return Err(SimError::BadLaunch { why }.into());
        }
        let threads: u32 = params.block.iter().product();
        let shared = kernel.static_shared() + params.dynamic_shared;
        let sms = device.config.sms as usize;
        let mut grid = Grid {
            id,
            machine,
            params: params.clone(),
            context: 0,
            module: 0,
            base,
            slots: vec![vec![None; WARPS as usize]; sms],
            next: (0..sms).collect(),
            per_sm: device.blocks_per_sm(threads, shared).max(1) as usize,
            broken: BTreeSet::new(),
            over: BTreeSet::new(),
            exception: None,
        };
        (0..sms).for_each(|sm| grid.admit(sm));
        Ok(grid)
    }

    /// Fills an SM with the blocks that it has room for.
    fn admit(&mut self, sm: usize) {
        let warps = self.machine.warps();
        loop {
            let slots = &self.slots[sm];
            let resident: BTreeSet<usize> = slots.iter().flatten().map(|p| p.block).collect();
            let free: Vec<usize> = (0..slots.len()).filter(|s| slots[*s].is_none()).collect();
            let block = self.next[sm];
            if block >= self.machine.blocks() || resident.len() >= self.per_sm || free.len() < warps
            {
                return;
            }
            for (warp, slot) in free.into_iter().take(warps).enumerate() {
                self.slots[sm][slot] = Some(Place { block, warp });
            }
            self.next[sm] += self.slots.len();
        }
    }

    /// What is in a slot, if it has lanes that have not exited.
    pub fn place(&self, sm: u32, wp: u32) -> Result<Place, CUDBGResult> {
        let slots = self
            .slots
            .get(sm as usize)
            .ok_or(CUDBGResult::CUDBG_ERROR_INVALID_SM)?;
        let place = slots.get(wp as usize).copied().flatten();
        place
            .filter(|p| self.machine.live(p.block, p.warp) != 0)
            .ok_or(CUDBGResult::CUDBG_ERROR_INVALID_WARP)
    }

    fn all(&self) -> Vec<(u32, u32, Place)> {
        let mut all = Vec::new();
        for (sm, slots) in self.slots.iter().enumerate() {
            for (wp, place) in slots.iter().enumerate() {
                if let Some(place) = place {
                    all.push((sm as u32, wp as u32, *place));
                }
            }
        }
        all
    }

    /// The machine's PC as an address.
    pub fn address(&self, pc: u64) -> u64 {
        pc.wrapping_sub(CODE_BASE).wrapping_add(self.base)
    }

    fn fail(&mut self, sm: u32, wp: u32, error: LaunchError) {
        let mut e = Exception {
            sm,
            wp,
            lane: 0,
            pc: 0,
            kind: fault::exception(&error),
            error,
        };
        if let LaunchError::Fault(r) = &e.error {
            let [bx, by, _] = self.params.block;
            let thread = r.thread[0] + bx * (r.thread[1] + by * r.thread[2]);
            e.lane = thread % 32;
            // A deadlock is found in some warp; the report says which.
            let warp = (thread / 32) as usize;
            let block = self.slots[sm as usize][wp as usize].map_or(0, |p| p.block);
            if let Some((sm, wp, _)) = self
                .all()
                .into_iter()
                .find(|(_, _, p)| *p == Place { block, warp })
            {
                (e.sm, e.wp) = (sm, wp);
            }
            if let Ok(place) = self.place(e.sm, e.wp) {
                let groups = self.machine.groups(place.block, place.warp);
                let at = groups.iter().find(|g| g.lanes >> e.lane & 1 != 0);
                e.pc = at.map_or(0, |g| self.address(g.pc));
            }
        }
        self.exception = Some(e);
    }

    /// Ends blocks whose threads have exited, and lets others begin.
    fn settle(&mut self) {
        let mut seen = BTreeSet::new();
        for (sm, wp, place) in self.all() {
            if !seen.insert(place.block) {
                continue;
            }
            match self.machine.settle(place.block) {
                Ok(false) => {}
                Ok(true) => {
                    let slots = &mut self.slots[sm as usize];
                    slots
                        .iter_mut()
                        .filter(|s| s.is_some_and(|p| p.block == place.block))
                        .for_each(|s| *s = None);
                    self.admit(sm as usize);
                }
                Err(e) => return self.fail(sm, wp, e),
            }
        }
    }

    fn done(&self) -> bool {
        self.slots.iter().flatten().all(Option::is_none)
    }

    /// What the warps that stand on a breakpoint do first.
    fn start(&mut self) {
        self.over = std::mem::take(&mut self.broken);
    }

    fn one(&mut self, sm: u32, wp: u32, p: Place, steps: u64, stops: &dyn Fn(u64) -> bool) {
        let over = self.over.remove(&(sm, wp));
        let base = self.base;
        let stop = |pc: u64| stops(pc.wrapping_sub(CODE_BASE).wrapping_add(base));
        match self.machine.advance(p.block, p.warp, steps, over, &stop) {
            Ok(Advance::Stopped { .. }) => {
                self.broken.insert((sm, wp));
            }
            Ok(Advance::Ran | Advance::Waits) => {}
            Err(e) => self.fail(sm, wp, e),
        }
    }

    /// Runs all warps in turn until there is something to show.
    pub fn run(&mut self, breakpoints: &BTreeSet<u64>, asked: &AtomicBool) -> Stop {
        self.start();
        let stops = |pc: u64| breakpoints.contains(&pc);
        loop {
            for (sm, wp, place) in self.all() {
                self.one(sm, wp, place, TURN, &stops);
                if self.exception.is_some() {
                    return Stop::Fault;
                }
            }
            self.settle();
            if self.exception.is_some() {
                return Stop::Fault;
            } else if self.done() {
                return Stop::Done;
            } else if !self.broken.is_empty() {
                return Stop::Broken;
            } else if asked.load(Ordering::Acquire) {
                return Stop::Asked;
            }
        }
    }

    /// One instruction of one warp. A warp that waits for others of its block is waited for: they run too. Answers with
    /// the mask of the warps of the SM that moved.
    pub fn step(&mut self, sm: u32, wp: u32) -> Result<u64, CUDBGResult> {
        let place = self.place(sm, wp)?;
        if self.exception.is_some() {
            return Err(CUDBGResult::CUDBG_ERROR_WARP_RESUME_NOT_POSSIBLE);
        }
        self.broken.remove(&(sm, wp));
        let never = |_| false;
        let mut moved = 1u64 << wp;
        let mates: Vec<_> = self
            .all()
            .into_iter()
            .filter(|(_, _, p)| p.block == place.block && *p != place)
            .collect();
        while self.machine.next(place.block, place.warp).is_none() {
            let mut ran = false;
            for (sm, w, p) in &mates {
                if self.machine.next(p.block, p.warp).is_some() {
                    self.one(*sm, *w, *p, 1, &never);
                    self.broken.remove(&(*sm, *w));
                    moved |= 1 << w;
                    ran = true;
                }
                if self.exception.is_some() {
                    return Ok(moved);
                }
            }
            if !ran {
                self.settle();
                if self.exception.is_some() || self.place(sm, wp) != Ok(place) {
                    return Ok(moved);
                }
            }
        }
        self.one(sm, wp, place, 1, &never);
        if self.exception.is_none() {
            self.settle();
        }
        Ok(moved)
    }

    /// Runs some warps of an SM up to an address.
    pub fn run_until(
        &mut self,
        sm: u32,
        warps: u64,
        pc: u64,
        breakpoints: &BTreeSet<u64>,
    ) -> Result<(), CUDBGResult> {
        let mut waiting: Vec<u32> = (0..WARPS).filter(|w| warps >> w & 1 != 0).collect();
        for w in &waiting {
            self.place(sm, *w)?;
            self.broken.remove(&(sm, *w));
            self.over.insert((sm, *w));
        }
        let stops = |at: u64| at == pc || breakpoints.contains(&at);
        // Warps that wait for others which may not run cannot come there.
        for _ in 0..1 << 20 {
            let mut ran = false;
            for w in std::mem::take(&mut waiting) {
                let Ok(place) = self.place(sm, w) else {
                    continue;
                };
                if self.machine.next(place.block, place.warp).is_some() {
                    self.one(sm, w, place, TURN, &stops);
                    ran = true;
                }
                if self.exception.is_some() {
                    return Ok(());
                }
                if !self.broken.contains(&(sm, w)) {
                    waiting.push(w);
                }
            }
            self.settle();
            if waiting.is_empty() || self.exception.is_some() {
                return Ok(());
            }
            if !ran {
                break;
            }
        }
        Err(CUDBGResult::CUDBG_ERROR_WARP_RESUME_NOT_POSSIBLE)
    }

    /// Block and thread coordinates from their numbers.
    pub fn block_index(&self, block: usize) -> [u32; 3] {
        let [x, y, _] = self.params.grid.map(|d| d as usize);
        [block % x, block / x % y, block / (x * y)].map(|v| v as u32)
    }

    pub fn thread_index(&self, warp: usize, lane: u32) -> [u32; 3] {
        let [x, y, _] = self.params.block;
        let t = warp as u32 * 32 + lane;
        [t % x, t / x % y, t / (x * y)]
    }
}
