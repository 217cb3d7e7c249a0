//! The state that the program's side and the debugger's calls share.
//!
//! While a grid runs, the thread that launched it has it in its hands; suspended, it lies here. So no call can see a running grid.

use crate::grid::{Grid, Stop};
use crate::image::Text;
use crate::server::{Notifier, notify};
use cudbg::{CUDBGResult, Event};
use gpu_sim::{Device, LaunchError};
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

/// A module that the debugger knows.
pub(crate) struct Image {
    pub handle: u64,
    pub bytes: Vec<u8>,
    pub texts: Vec<Text>,
}

#[derive(Default)]
pub(crate) struct Control {
    pub initialized: bool,
    /// The debugger has said goodbye: nothing waits for it any more.
    pub detached: bool,
    pub device: Option<&'static Device>,
    sync: VecDeque<Event>,
    /// Synchronous events: how many there were, how many were read, how many acknowledged.
    pushed: u64,
    read: u64,
    acknowledged: u64,
    pub defer_launches: bool,
    pub breakpoints: BTreeSet<u64>,
    pub images: Vec<Image>,
    pub contexts: BTreeSet<u64>,
    next_code: u64,
    pub last_grid: u64,
    pub suspended: bool,
    /// A thread of the program has the grid and runs it.
    pub running: bool,
    pub grid: Option<Grid>,
    /// Words on the last error.
    pub words: String,
    notifier: Option<Notifier>,
}

/// One for the process.
pub(crate) struct Engine {
    control: Mutex<Control>,
    changed: Condvar,
    /// The debugger wants a running grid to stop.
    asked: AtomicBool,
}

pub(crate) static ENGINE: Engine = Engine::new();

impl Engine {
    pub const fn new() -> Engine {
        Engine {
            control: Mutex::new(Control {
                initialized: false,
                detached: false,
                device: None,
                sync: VecDeque::new(),
                pushed: 0,
                read: 0,
                acknowledged: 0,
                defer_launches: false,
                breakpoints: BTreeSet::new(),
                images: Vec::new(),
                contexts: BTreeSet::new(),
                next_code: 0x10_0000_0000,
                last_grid: 0,
                suspended: false,
                running: false,
                grid: None,
                words: String::new(),
                notifier: None,
            }),
            changed: Condvar::new(),
            asked: AtomicBool::new(false),
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, Control> {
        self.control.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Waits while `busy` says so.
    pub fn wait<'a>(
        &self,
        guard: MutexGuard<'a, Control>,
        busy: impl FnMut(&mut Control) -> bool,
    ) -> MutexGuard<'a, Control> {
        self.changed
            .wait_while(guard, busy)
            .unwrap_or_else(|e| e.into_inner())
    }

    pub fn wake(&self) {
        self.changed.notify_all();
    }

    pub fn set_notifier(&self, notifier: Notifier) {
        self.lock().notifier = Some(notifier);
    }

    /// Tells the debugger of an event, and waits until it has acknowledged it when `wait` is set.
    pub fn event(&self, event: Event, wait: bool) {
        let mut c = self.lock();
        if !c.initialized || c.detached {
            return;
        }
        c.sync.push_back(event);
        c.pushed += 1;
        let mine = c.pushed;
        if let Some(n) = c.notifier.clone() {
            drop(c);
            notify(&n);
            c = self.lock();
        }
        if wait {
            drop(self.wait(c, |c| c.acknowledged < mine && !c.detached));
        }
    }

    /// Stops a running device and waits until it stands.
    pub fn suspend(&self) {
        let mut c = self.lock();
        c.suspended = true;
        self.asked.store(true, Ordering::Release);
        drop(self.wait(c, |c| c.running));
    }

    pub fn resume(&self) {
        let mut c = self.lock();
        c.suspended = false;
        self.asked.store(false, Ordering::Release);
        self.wake();
    }

    /// The debugger has gone: breakpoints go, everything runs.
    pub fn detach(&self) {
        let mut c = self.lock();
        c.detached = true;
        c.initialized = false;
        c.breakpoints.clear();
        c.suspended = false;
        c.sync.clear();
        self.asked.store(false, Ordering::Release);
        self.wake();
    }

    /// Runs a grid to its end, with all the stops that the debugger wants.
    pub fn run(&self, grid: Grid) -> Result<(), LaunchError> {
        self.lock().grid = Some(grid);
        loop {
            let mut c = self.wait(self.lock(), |c| c.suspended && !c.detached);
            // Launches take turns, and only this function takes the grid that it has put down.
            let Some(mut grid) = c.grid.take() else {
                return Err(gpu_sim::SimError::Stopped.into());
            };
            if let Some(e) = grid.exception.take() {
                return Err(e.error);
            }
            c.running = true;
            let breakpoints = c.breakpoints.clone();
            drop(c);
            let stop = grid.run(&breakpoints, &self.asked);
            let broken = u64::from(!grid.broken.is_empty());
            let mut c = self.lock();
            c.running = false;
            self.wake();
            if stop == Stop::Done {
                return Ok(());
            }
            c.grid = Some(grid);
            if c.detached {
                continue;
            }
            c.suspended = true;
            drop(c);
            match stop {
                Stop::Broken => {
                    self.event(Event::AllDevicesSuspended { broken, faulted: 0 }, false)
                }
                Stop::Fault => self.event(Event::AllDevicesSuspended { broken, faulted: 1 }, false),
                Stop::Asked | Stop::Done => {}
            }
        }
    }
}

impl Control {
    /// A place for code of so many instructions.
    pub fn place_code(&mut self, instructions: usize) -> u64 {
        let base = self.next_code;
        self.next_code += (16 * instructions as u64 + 16).next_multiple_of(0x1000);
        base
    }

    pub fn next_event(&mut self) -> Option<Event> {
        let e = self.sync.pop_front()?;
        self.read += 1;
        Some(e)
    }

    pub fn acknowledge(&mut self) {
        self.acknowledged = self.read;
    }

    /// The kernel that has an address in its code, and the instruction's number.
    pub fn code(&self, address: u64) -> Option<(&Text, u32)> {
        let texts = self.images.iter().flat_map(|i| &i.texts);
        let text = texts
            .into_iter()
            .find(|t| (t.base..t.end()).contains(&address))?;
        Some((text, ((address - text.base) / 16) as u32))
    }

    /// The grid of a suspended device.
    pub fn grid(&mut self) -> Result<&mut Grid, CUDBGResult> {
        if self.running || !self.suspended {
            return Err(CUDBGResult::CUDBG_ERROR_RUNNING_DEVICE);
        }
        self.grid
            .as_mut()
            .ok_or(CUDBGResult::CUDBG_ERROR_INVALID_WARP)
    }
}
