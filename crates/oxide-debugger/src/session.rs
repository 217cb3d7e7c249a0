//! The state of a debugging session: modules, breakpoints, focus; running and stopping.

use crate::breakpoints::Breakpoint;
use crate::image::{Image, Place};
use crate::source::Sources;
use artifact::Artifact;
use cudbg::{Api, CUDBGEventQueueType, CUDBGException_t, CUDBGResult, Error, Event};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Raised when events may have arrived, or when the user interrupts.
#[derive(Default)]
pub struct Signal {
    state: Mutex<(bool, bool)>,
    changed: Condvar,
}

impl Signal {
    /// Events may have arrived.
    pub fn raise(&self) {
        self.state.lock().unwrap_or_else(|e| e.into_inner()).0 = true;
        self.changed.notify_all();
    }

    /// The user wants the program to stop.
    pub fn interrupt(&self) {
        self.state.lock().unwrap_or_else(|e| e.into_inner()).1 = true;
        self.changed.notify_all();
    }

    /// Waits until raised, for a while; answers whether it was an interrupt.
    fn wait(&self) -> bool {
        let guard = self.state.lock().unwrap_or_else(|e| e.into_inner());
        let (mut guard, _) = self
            .changed
            .wait_timeout_while(guard, Duration::from_millis(200), |s| !s.0 && !s.1)
            .unwrap_or_else(|e| e.into_inner());
        let interrupted = guard.1;
        *guard = (false, false);
        interrupted
    }
}

/// A thread in focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Focus {
    pub sm: u32,
    pub wp: u32,
    pub lane: u32,
    pub block: [u32; 3],
    pub thread: [u32; 3],
    pub grid: u64,
    /// Frame that `up` and `down` have chosen.
    pub frame: usize,
}

/// A launch that was seen.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub grid: u64,
    pub grid_dim: [u32; 3],
    pub block_dim: [u32; 3],
    pub name: String,
    pub ended: bool,
}

/// What a command wants of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The next command.
    Go,
    /// Start the program, then call [`Session::started`].
    Start,
    /// The program has ended or lost its connection; the caller knows which, and then calls [`Session::ended`].
    Ended,
    /// The user wants to leave.
    Quit,
}

/// Why a run came to an end.
pub(crate) enum Halt {
    Breakpoint,
    Exception,
    Interrupted,
    Ended,
}

/// One frame of a backtrace.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub pc: u64,
    pub symbol: String,
    pub place: Option<Place>,
    pub inlined: bool,
}

/// A debugging session. Commands write into [`Session::out`].
pub struct Session {
    pub(crate) api: Option<Api>,
    pub(crate) signal: Arc<Signal>,
    pub(crate) images: Vec<Image>,
    pub(crate) artifacts: Vec<Artifact>,
    pub(crate) breakpoints: Vec<Breakpoint>,
    pub(crate) next_breakpoint: u32,
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) focus: Option<Focus>,
    pub(crate) sources: Sources,
    pub(crate) set: BTreeSet<u64>,
    pub(crate) listed: Option<(String, u32)>,
    pub(crate) displays: Vec<String>,
    /// The device has been shown to the user and waits.
    pub(crate) stopped: bool,
    /// What was answered and has not been printed yet.
    pub out: String,
}

pub(crate) type Answer<T = ()> = Result<T, String>;

impl Session {
    /// A session without a program. `artifacts` tell the names and types of kernel arguments.
    pub fn new(signal: Arc<Signal>, artifacts: Vec<Artifact>) -> Session {
        Session {
            api: None,
            signal,
            images: Vec::new(),
            artifacts,
            breakpoints: Vec::new(),
            next_breakpoint: 1,
            kernels: Vec::new(),
            focus: None,
            sources: Sources::default(),
            set: BTreeSet::new(),
            listed: None,
            displays: Vec::new(),
            stopped: false,
            out: String::new(),
        }
    }

    pub(crate) fn say(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.out, "{}", text.as_ref());
    }

    /// The program is there and its driver waits; runs it to the first stop. The caller flushes `out` before.
    pub fn started(&mut self, api: Api) -> Answer<Reaction> {
        api.initialize()
            .map_err(|e| format!("the debugger API does not start: {e}"))?;
        self.api = Some(api);
        self.go()
    }

    /// Whether a program is being debugged.
    pub fn running(&self) -> bool {
        self.api.is_some()
    }

    /// The program is no more.
    pub fn ended(&mut self) {
        self.api = None;
        self.images.clear();
        self.kernels.clear();
        self.focus = None;
        self.set.clear();
        self.stopped = false;
        for b in &mut self.breakpoints {
            b.addresses.clear();
        }
    }

    /// Lets the program go on without the debugger.
    pub fn detach(&mut self) {
        if let Some(api) = self.api.take() {
            // A program that has gone needs no goodbye.
            let _ = api.finalize();
        }
        self.ended();
    }

    pub(crate) fn api(&self) -> Answer<Api> {
        self.api
            .ok_or_else(|| "the program is not being run; `run` starts it".to_string())
    }

    pub(crate) fn focused(&self) -> Answer<Focus> {
        self.api()?;
        self.focus.ok_or_else(|| "no kernel is stopped".to_string())
    }

    /// Lets the device run and waits for what comes.
    pub(crate) fn go(&mut self) -> Answer<Reaction> {
        loop {
            let api = self.api()?;
            if self.stopped {
                self.stopped = false;
                self.focus = None;
                if let Err(e) = api.resume_device(0) {
                    return self.lost(e);
                }
            }
            match self.wait()? {
                Halt::Ended => return Ok(Reaction::Ended),
                Halt::Breakpoint => {
                    self.stopped = true;
                    if self.at_breakpoint()? {
                        return Ok(Reaction::Go);
                    }
                }
                Halt::Exception => {
                    self.stopped = true;
                    self.at_exception()?;
                    return Ok(Reaction::Go);
                }
                Halt::Interrupted => {
                    self.stopped = true;
                    self.say("Interrupted.");
                    match self.first_thread(None)? {
                        Some(f) => self.show_focus(f, None)?,
                        None => self.say("No kernel runs; the program is in host code."),
                    }
                    return Ok(Reaction::Go);
                }
            }
        }
    }

    pub(crate) fn lost(&mut self, e: Error) -> Answer<Reaction> {
        match e.code() {
            Some(CUDBGResult::CUDBG_ERROR_COMMUNICATION_FAILURE) => Ok(Reaction::Ended),
            _ => Err(e.to_string()),
        }
    }

    fn wait(&mut self) -> Answer<Halt> {
        let api = self.api()?;
        loop {
            match self.drain()? {
                Some(halt) => return Ok(halt),
                None if self.signal.wait() => match api.suspend_device(0) {
                    Ok(()) | Err(Error::Code(CUDBGResult::CUDBG_ERROR_SUSPENDED_DEVICE)) => {
                        // It may have come to a breakpoint meanwhile.
                        return Ok(self.drain()?.unwrap_or(Halt::Interrupted));
                    }
                    Err(Error::Code(CUDBGResult::CUDBG_ERROR_COMMUNICATION_FAILURE)) => {
                        return Ok(Halt::Ended);
                    }
                    Err(e) => return Err(e.to_string()),
                },
                None => {}
            }
        }
    }

    /// Reads all events; modules get their breakpoints before the program goes on.
    fn drain(&mut self) -> Answer<Option<Halt>> {
        let api = self.api()?;
        let (mut halt, mut any) = (None, false);
        loop {
            let event = match api.next_event(CUDBGEventQueueType::CUDBG_EVENT_QUEUE_TYPE_SYNC) {
                Ok(Some(e)) => e,
                Ok(None) => break,
                Err(Error::Code(CUDBGResult::CUDBG_ERROR_COMMUNICATION_FAILURE)) => {
                    return Ok(Some(Halt::Ended));
                }
                Err(e) => return Err(e.to_string()),
            };
            any = true;
            match event {
                Event::ElfImageLoaded {
                    dev, size, handle, ..
                } => {
                    let bytes = api
                        .elf_image(dev, handle, size)
                        .map_err(|e| format!("no image of a module: {e}"))?;
                    match Image::read(handle, &bytes) {
                        Ok(image) => self.loaded(image)?,
                        Err(e) => self.say(format!("warning: {e}")),
                    }
                }
                Event::ElfImageUnloaded { handle, .. } => {
                    if let Some(at) = self.images.iter().position(|i| i.handle == handle) {
                        let gone = self.images.remove(at);
                        self.set.retain(|a| !gone.holds(*a));
                        self.breakpoints
                            .iter_mut()
                            .for_each(|b| b.addresses.retain(|a| !gone.holds(*a)));
                    }
                }
                Event::KernelReady {
                    grid,
                    entry,
                    grid_dim,
                    block_dim,
                    ..
                } => {
                    let name = self
                        .images
                        .iter()
                        .find_map(|i| i.kernel(entry))
                        .map_or(String::new(), |k| k.name.clone());
                    self.kernels.push(Kernel {
                        grid,
                        grid_dim,
                        block_dim,
                        name,
                        ended: false,
                    });
                }
                Event::KernelFinished { grid, .. } => {
                    self.kernels
                        .iter_mut()
                        .filter(|k| k.grid == grid)
                        .for_each(|k| k.ended = true);
                }
                Event::AllDevicesSuspended { faulted, .. } => {
                    halt = Some(if faulted != 0 {
                        Halt::Exception
                    } else {
                        Halt::Breakpoint
                    });
                }
                Event::InternalError { code } => {
                    return Err(format!("the debugger API has failed: {code:?}"));
                }
                _ => {}
            }
        }
        if any {
            match api.acknowledge_sync_events() {
                Ok(()) => {}
                Err(Error::Code(CUDBGResult::CUDBG_ERROR_COMMUNICATION_FAILURE)) => {
                    return Ok(Some(Halt::Ended));
                }
                Err(e) => return Err(e.to_string()),
            }
        }
        Ok(halt)
    }

    fn loaded(&mut self, image: Image) -> Answer {
        self.images.push(image);
        let last = self.images.len() - 1;
        for at in 0..self.breakpoints.len() {
            let b = &self.breakpoints[at];
            match b.spec.resolve(&self.images[last]) {
                Ok((addresses, _)) => {
                    self.breakpoints[at].addresses.extend(addresses);
                    let b = &self.breakpoints[at];
                    let words = format!(
                        "Breakpoint {} is set: {} location{}.",
                        b.number,
                        b.addresses.len(),
                        plural(b.addresses.len())
                    );
                    self.say(words);
                }
                Err(why) if b.addresses.is_empty() => {
                    let words = format!("Breakpoint {} stays pending: {why}.", b.number);
                    self.say(words);
                }
                Err(_) => {}
            }
        }
        self.plant()
    }

    /// Makes the device's breakpoints those of the user.
    pub(crate) fn plant(&mut self) -> Answer {
        let Some(api) = self.api else {
            return Ok(());
        };
        let wanted: BTreeSet<u64> = self
            .breakpoints
            .iter()
            .filter(|b| b.enabled)
            .flat_map(|b| b.addresses.iter().copied())
            .collect();
        for a in self.set.difference(&wanted) {
            api.unset_breakpoint(0, *a)
                .map_err(|e| format!("the breakpoint at {a:#x} stays: {e}"))?;
        }
        for a in wanted.difference(&self.set) {
            use cudbg::CUDBGAdjAddrAction as Adjust;
            let adjusted = api.get_adjusted_code_address(0, *a, Adjust::CUDBG_ADJ_CURRENT_ADDRESS);
            let adjusted = adjusted.map_err(|e| format!("no breakpoint can be at {a:#x}: {e}"))?;
            api.set_breakpoint(0, adjusted)
                .map_err(|e| format!("no breakpoint can be at {a:#x}: {e}"))?;
        }
        self.set = wanted;
        Ok(())
    }

    /// Chooses the thread to show at a breakpoint; `false` when no breakpoint of the user wants to stop here.
    fn at_breakpoint(&mut self) -> Answer<bool> {
        let mut best: Option<(Focus, usize)> = None;
        for f in self.warps(true)? {
            let state = self
                .api()?
                .read_warp_state(0, f.sm, f.wp)
                .map_err(|e| e.to_string())?;
            let (active, lanes) = (state.activeLanes, state.lane);
            for ln in (0..32u32).filter(|l| active >> l & 1 != 0) {
                let lane = lanes[ln as usize];
                let (pc, t) = (lane.virtualPC, lane.threadIdx);
                let focus = Focus {
                    lane: ln,
                    thread: [t.x, t.y, t.z],
                    ..f
                };
                let hit = self.breakpoints.iter().position(|b| {
                    b.enabled
                        && b.addresses.contains(&pc)
                        && b.block.is_none_or(|w| w == focus.block)
                        && b.thread.is_none_or(|w| w == focus.thread)
                });
                let Some(hit) = hit else { continue };
                let order = |f: &Focus| {
                    (
                        f.block[2],
                        f.block[1],
                        f.block[0],
                        f.thread[2],
                        f.thread[1],
                        f.thread[0],
                    )
                };
                if best.as_ref().is_none_or(|(b, _)| order(&focus) < order(b)) {
                    best = Some((focus, hit));
                }
            }
        }
        let Some((focus, hit)) = best else {
            return Ok(false);
        };
        let b = &mut self.breakpoints[hit];
        b.hits += 1;
        let title = format!(
            "{} {}",
            if b.temporary {
                "Temporary breakpoint"
            } else {
                "Breakpoint"
            },
            b.number
        );
        if b.temporary {
            self.breakpoints.remove(hit);
            self.plant()?;
        }
        self.show_focus(focus, Some(&title))?;
        Ok(true)
    }

    fn at_exception(&mut self) -> Answer {
        let Some((focus, kind)) = self.faulted()? else {
            return Err("the device reports an exception, and no lane has one".into());
        };
        let api = self.api()?;
        let text = api
            .get_cuda_exception_string(0, focus.sm, focus.wp, focus.lane)
            .unwrap_or_default();
        let name = kind
            .name()
            .map_or(String::new(), |n| n.replace("CUDBG_EXCEPTION_", ""));
        self.say(format!("CUDA exception {name}:"));
        for line in text.lines() {
            self.say(format!("  {line}"));
        }
        self.show_focus(focus, None)
    }

    /// The lane with an exception.
    pub(crate) fn faulted(&mut self) -> Answer<Option<(Focus, CUDBGException_t)>> {
        for f in self.warps(false)? {
            let state = self
                .api()?
                .read_warp_state(0, f.sm, f.wp)
                .map_err(|e| e.to_string())?;
            let lanes = state.lane;
            for (ln, lane) in (0..).zip(lanes) {
                let (kind, t) = (lane.exception, lane.threadIdx);
                if kind != CUDBGException_t::CUDBG_EXCEPTION_NONE {
                    return Ok(Some((
                        Focus {
                            lane: ln,
                            thread: [t.x, t.y, t.z],
                            ..f
                        },
                        kind,
                    )));
                }
            }
        }
        Ok(None)
    }

    /// All warps on the device, or those at a breakpoint; each with its first active lane.
    pub(crate) fn warps(&mut self, broken: bool) -> Answer<Vec<Focus>> {
        let api = self.api()?;
        let say = |e: Error| e.to_string();
        let mut all = Vec::new();
        for sm in 0..api.get_num_sms(0).map_err(say)? {
            let mask = if broken {
                api.read_broken_warps(0, sm)
            } else {
                api.read_valid_warps(0, sm)
            }
            .map_err(say)?;
            for wp in (0..64).filter(|w| mask >> w & 1 != 0) {
                let block = api.read_block_idx(0, sm, wp).map_err(say)?;
                let valid = api.read_active_lanes(0, sm, wp).map_err(say)?;
                let lane = valid.trailing_zeros().min(31);
                let t = api.read_thread_idx(0, sm, wp, lane).map_err(say)?;
                let grid = api.read_grid_id(0, sm, wp).map_err(say)?;
                all.push(Focus {
                    sm,
                    wp,
                    lane,
                    block: [block.x, block.y, block.z],
                    thread: [t.x, t.y, t.z],
                    grid,
                    frame: 0,
                });
            }
        }
        Ok(all)
    }

    /// The thread with the lowest coordinates, in a block if one is given.
    pub(crate) fn first_thread(&mut self, block: Option<[u32; 3]>) -> Answer<Option<Focus>> {
        let mut all = self.warps(false)?;
        all.retain(|f| block.is_none_or(|b| b == f.block));
        let order = |f: &Focus| {
            (
                f.block[2],
                f.block[1],
                f.block[0],
                f.thread[2],
                f.thread[1],
                f.thread[0],
            )
        };
        Ok(all.into_iter().min_by_key(order))
    }

    pub(crate) fn image(&self, pc: u64) -> Option<&Image> {
        self.images.iter().find(|i| i.holds(pc))
    }

    pub(crate) fn pc(&self, f: &Focus) -> Answer<u64> {
        self.api()?
            .read_virtual_pc(0, f.sm, f.wp, f.lane)
            .map_err(|e| e.to_string())
    }

    /// The frames of a thread, innermost first, inlined ones among them.
    pub(crate) fn frames(&self, f: &Focus) -> Answer<Vec<Frame>> {
        let api = self.api()?;
        let mut addresses = [0u64; 1024];
        let (depth, hidden) = api
            .read_all_virtual_return_addresses(0, f.sm, f.wp, f.lane, &mut addresses)
            .map_err(|e| e.to_string())?;
        let returns = addresses.iter().take(depth as usize).skip(hidden as usize);
        // A return address is behind the call.
        let pcs = std::iter::once(self.pc(f)?).chain(returns.map(|a| a - 16));
        let mut frames = Vec::new();
        for pc in pcs {
            let image = self.image(pc);
            let symbol = image
                .and_then(|i| i.function(pc))
                .map_or("??".to_string(), |s| s.name.clone());
            let places = image.map_or(Vec::new(), |i| i.places(pc));
            let count = places.len();
            if places.is_empty() {
                frames.push(Frame {
                    pc,
                    symbol,
                    place: None,
                    inlined: false,
                });
            } else {
                frames.extend(places.into_iter().enumerate().map(|(n, p)| Frame {
                    pc,
                    symbol: symbol.clone(),
                    place: Some(p),
                    inlined: n + 1 < count,
                }));
            }
        }
        Ok(frames)
    }

    /// Makes a thread the focus and says where it is.
    pub(crate) fn show_focus(&mut self, f: Focus, title: Option<&str>) -> Answer {
        self.focus = Some(f);
        let kernel = self
            .kernels
            .iter()
            .position(|k| k.grid == f.grid)
            .unwrap_or(0);
        self.say(format!(
            "[Focus: kernel {kernel}, grid {}, block {}, thread {}, sm {}, warp {}, lane {}]",
            f.grid,
            triple(f.block),
            triple(f.thread),
            f.sm,
            f.wp,
            f.lane
        ));
        self.show_place(title)
    }

    /// Says where the focus is.
    pub(crate) fn show_place(&mut self, title: Option<&str>) -> Answer {
        let f = self.focused()?;
        let frames = self.frames(&f)?;
        let frame = frames.get(f.frame).ok_or("there is no such frame")?.clone();
        let title = title.map_or(String::new(), |t| format!("{t}, "));
        match &frame.place {
            Some(p) => {
                self.say(format!("{title}{} at {}:{}", p.function, p.file, p.line));
                self.listed = Some((p.file.clone(), p.line));
                self.show_line(&p.file.clone(), p.line);
            }
            None => {
                let words = self.instruction(frame.pc);
                self.say(format!(
                    "{title}{:#x} in {}: {words}",
                    frame.pc, frame.symbol
                ));
            }
        }
        for text in self.displays.clone() {
            match self.evaluate(&text) {
                Ok(value) => self.say(format!("{text} = {value}")),
                Err(e) => self.say(format!("{text}: {e}")),
            }
        }
        Ok(())
    }

    pub(crate) fn show_line(&mut self, file: &str, line: u32) {
        let text = match self.sources.line(file, line) {
            Some(text) => format!("{line}\t{text}"),
            None => format!("{line}\tin {file}"),
        };
        self.say(text);
    }

    pub(crate) fn instruction(&self, pc: u64) -> String {
        self.api()
            .ok()
            .and_then(|a| a.disassemble(0, pc).ok())
            .map_or(String::new(), |(_, text)| text)
    }
}

pub(crate) fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

pub(crate) fn triple(v: [u32; 3]) -> String {
    format!("({},{},{})", v[0], v[1], v[2])
}
