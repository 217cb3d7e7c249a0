//! Launches: blocks over threads of the host, or one after the other in a seeded order.

use crate::block::Turn;
use crate::cluster::{self, Cluster};
use crate::error::{LaunchError, SimError, SourceFrame, SourceMap};
use crate::inst::Program;
use crate::memory::{Memory, Table};
use crate::module::Kernel;
use crate::races::Races;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

/// Warp instructions that a block may run before others have their turn.
const QUANTUM: u64 = 200_000;
/// Warp instructions that a warp may run before the others of its block have their turn.
const SLICE: u64 = 4096;

/// How the device is simulated.
#[derive(Clone, Debug)]
pub struct Config {
    /// Streaming multiprocessors: with the size of a block they bound how many blocks run at the same time.
    pub sms: u32,
    /// Instructions that a warp may execute; `None` has no bound.
    pub steps: Option<u64>,
    /// One thread, and an order of blocks and warps that this number decides.
    pub seed: Option<u64>,
    /// Calls within each other.
    pub call_depth: u32,
    /// Bytes of local memory a thread.
    pub local_limit: u32,
    /// In the seeded mode: whether data races in shared and global memory are looked for.
    pub races: bool,
    /// Threads of the host; 0 for all.
    pub threads: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            sms: 16,
            steps: Some(1 << 30),
            seed: None,
            call_depth: 1024,
            local_limit: 512 << 10,
            races: false,
            threads: 0,
        }
    }
}

/// Shape and arguments of a launch.
#[derive(Clone, Debug, Default)]
pub struct LaunchParams {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The parameter buffer, laid out as [`Kernel::params`] says.
    pub params: Vec<u8>,
    /// Whether all blocks must be resident at once, so that they may wait for each other.
    pub cooperative: bool,
    /// Blocks of a cluster; zeroes leave it to the kernel.
    pub cluster: [u32; 3],
}

/// What a launch did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Instructions times the lanes that executed them.
    pub lane_instructions: u64,
    /// Blocks that ran to their end.
    pub blocks: u64,
}

/// Where `vprintf` writes.
pub trait Output: Send + Sync {
    /// Writes the text of one call.
    fn print(&self, text: &[u8]);
}

/// Writes to the process's standard output.
#[derive(Debug, Default)]
pub struct Stdout;

impl Output for Stdout {
    fn print(&self, text: &[u8]) {
        use std::io::Write;
        let mut out = std::io::stdout().lock();
        // A closed standard output is not the kernel's fault.
        let _ = out.write_all(text).and_then(|()| out.flush());
    }
}

/// What all workers of a launch know.
pub(crate) struct Launch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    pub params: Vec<u128>,
    pub config: Config,
    /// Blocks of a cluster, 1 without.
    pub cluster: [u32; 3],
    pub explicit_cluster: bool,
    workspace: Option<Workspace>,
    pub id: u64,
    pub output: Arc<dyn Output>,
    stop: Arc<AtomicBool>,
    failed: AtomicBool,
    start: Instant,
}

impl Launch {
    /// Address of what the blocks of a cooperative launch meet at; 0 in other launches.
    pub fn workspace(&self) -> u64 {
        self.workspace.as_ref().map_or(0, |w| w.address)
    }
}

/// Memory of a cooperative launch, as long as the launch.
struct Workspace {
    memory: Arc<Memory>,
    address: u64,
}

impl Drop for Workspace {
    fn drop(&mut self) {
        self.memory.free(self.address);
    }
}

/// A range of addresses and what to add to them for the host's.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cached {
    start: u64,
    end: u64,
    pub delta: u64,
    pub writable: bool,
}

/// What one worker works with.
pub(crate) struct Env<'a> {
    pub program: &'a Program,
    pub consts: *const u8,
    pub launch: &'a Launch,
    pub table: Arc<Table>,
    pub lane_instructions: u64,
    /// Shared memory of the blocks of the cluster under way, by rank.
    pub peers: Vec<*mut u8>,
    /// The detector of data races, if it is asked for.
    pub races: Option<Races>,
    cache: [Cached; 4],
    next_victim: usize,
    rng: Option<u64>,
    source_map: Option<Arc<dyn SourceMap>>,
}

impl<'a> Env<'a> {
    pub fn new(
        program: &'a Program,
        launch: &'a Launch,
        table: Arc<Table>,
        source_map: Option<Arc<dyn SourceMap>>,
    ) -> Self {
        Env {
            program,
            consts: program.consts.as_ptr().cast(),
            launch,
            table,
            lane_instructions: 0,
            peers: Vec::new(),
            races: None,
            cache: [Cached {
                start: 1,
                end: 0,
                ..Cached::default()
            }; 4],
            next_victim: 0,
            // The generator must not start at zero.
            rng: launch
                .config
                .seed
                .map(|s| s.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            source_map,
        }
    }

    /// The allocation that holds all of `address..address + size`.
    #[inline(always)]
    pub fn find(&mut self, address: u64, size: u64) -> Option<Cached> {
        let end = address.checked_add(size)?;
        for c in &self.cache {
            if address >= c.start && end <= c.end {
                return Some(*c);
            }
        }
        self.find_slow(address, size)
    }

    #[cold]
    fn find_slow(&mut self, address: u64, size: u64) -> Option<Cached> {
        let r = self.table.find(address, size)?;
        let delta = (r.host() as u64).wrapping_sub(r.start);
        let c = Cached {
            start: r.start,
            end: r.start + r.size,
            delta,
            writable: r.writable,
        };
        self.cache[self.next_victim] = c;
        self.next_victim = (self.next_victim + 1) % self.cache.len();
        Some(c)
    }

    fn random(&mut self, below: u64) -> Option<u64> {
        let x = self.rng.as_mut()?;
        *x ^= *x << 13;
        *x ^= *x >> 7;
        *x ^= *x << 17;
        Some((*x >> 11) % below.max(1))
    }

    /// The warp to run next: in turn, or by the seed.
    pub fn pick(&mut self, next: usize, count: usize) -> usize {
        self.random(count as u64).map_or(next, |n| n as usize)
    }

    /// `%globaltimer`: real time, or a count in the seeded mode.
    pub fn nanoseconds(&self, steps: u64) -> u64 {
        if self.rng.is_some() {
            steps
        } else {
            self.launch.start.elapsed().as_nanos() as u64
        }
    }

    pub fn stopped(&self) -> bool {
        self.launch.stop.load(Ordering::Relaxed) || self.launch.failed.load(Ordering::Relaxed)
    }

    pub fn source(&self, line: u32) -> Vec<SourceFrame> {
        self.source_map
            .as_ref()
            .map_or(Vec::new(), |m| m.frames(line))
    }
}

/// A device: memory, configuration and where output goes.
pub struct Device {
    /// Its memory.
    pub memory: Arc<Memory>,
    /// How it is simulated.
    pub config: Config,
    /// Where `vprintf` writes.
    pub output: Arc<dyn Output>,
    stop: Arc<AtomicBool>,
    launches: AtomicU64,
}

impl Device {
    /// A device that prints to standard output.
    pub fn new(config: Config) -> Self {
        Device {
            memory: Arc::default(),
            config,
            output: Arc::new(Stdout),
            stop: Arc::default(),
            launches: AtomicU64::new(0),
        }
    }

    /// Raised, it ends every launch with [`SimError::Stopped`].
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// Blocks of this size that fit one multiprocessor.
    pub fn blocks_per_sm(&self, threads: u32, shared: u32) -> u32 {
        let by_threads = 2048 / threads.next_multiple_of(32).max(32);
        let by_shared = if shared == 0 {
            32
        } else {
            MAX_SHARED / shared.max(1)
        };
        by_threads.min(by_shared).min(32)
    }

    pub(crate) fn prepare(&self, kernel: &Kernel, p: &LaunchParams) -> Result<Launch, SimError> {
        let bad = |why: String| Err(SimError::BadLaunch { why });
        let threads = p
            .block
            .iter()
            .try_fold(1u32, |n, d| n.checked_mul(*d))
            .unwrap_or(u32::MAX);
        let program = &kernel.program;
        if p.grid.contains(&0) || p.block.contains(&0) {
            return bad(format!(
                "grid {:?} and block {:?} must not have a zero",
                p.grid, p.block
            ));
        }
        if p.grid[0] > 0x7fff_ffff || p.grid[1] > 65535 || p.grid[2] > 65535 || p.block[2] > 64 {
            return bad(format!(
                "grid {:?} or block {:?} is too large",
                p.grid, p.block
            ));
        }
        if threads > program.max_threads {
            return bad(format!(
                "{threads} threads a block, and the kernel allows {}",
                program.max_threads
            ));
        }
        if let Some(required) = program.required_block
            && required != p.block
        {
            return bad(format!(
                "block {:?}, and the kernel requires {required:?}",
                p.block
            ));
        }
        let shared = u64::from(program.shared) + u64::from(p.dynamic_shared);
        if shared > u64::from(MAX_SHARED) {
            return bad(format!(
                "{shared} bytes of shared memory a block, and the device has {MAX_SHARED}"
            ));
        }
        if p.params.len() < program.param_size as usize {
            return bad(format!(
                "{} bytes of parameters, and the kernel takes {}",
                p.params.len(),
                program.param_size
            ));
        }
        let explicit = (p.cluster != [0; 3]).then(|| p.cluster.map(|n| n.max(1)));
        if let (Some(a), Some(b)) = (explicit, program.required_cluster)
            && a != b
        {
            return bad(format!("cluster {a:?}, and the kernel requires {b:?}"));
        }
        let explicit = explicit.or(program.required_cluster);
        let cluster = explicit.unwrap_or([1; 3]);
        let size = cluster.iter().try_fold(1u32, |n, d| n.checked_mul(*d));
        if size.is_none_or(|n| n == 0 || n > cluster::MAX_BLOCKS)
            || (0..3).any(|k| !p.grid[k].is_multiple_of(cluster[k]))
        {
            return bad(format!(
                "clusters of {cluster:?} in a grid of {:?}: a cluster has up to {} blocks, and the grid whole clusters",
                p.grid,
                cluster::MAX_BLOCKS
            ));
        }
        let workspace = if p.cooperative {
            let blocks = p.grid.iter().map(|d| u64::from(*d)).product::<u64>();
            let fit =
                u64::from(self.blocks_per_sm(threads, shared as u32)) * u64::from(self.config.sms);
            if blocks > fit {
                return Err(SimError::CooperativeTooLarge { blocks, fit });
            }
            let address = self
                .memory
                .alloc_named(64, 64, "cooperative launch", true)?;
            Some(Workspace {
                memory: self.memory.clone(),
                address,
            })
        } else {
            None
        };
        let params = p.params.chunks(16).map(|c| {
            let mut b = [0; 16];
            b[..c.len()].copy_from_slice(c);
            u128::from_le_bytes(b)
        });
        Ok(Launch {
            grid: p.grid,
            block: p.block,
            dynamic_shared: p.dynamic_shared,
            params: params.collect(),
            cluster,
            explicit_cluster: explicit.is_some(),
            workspace,
            config: self.config.clone(),
            id: self.launches.fetch_add(1, Ordering::Relaxed) + 1,
            output: self.output.clone(),
            stop: self.stop.clone(),
            failed: AtomicBool::new(false),
            start: Instant::now(),
        })
    }

    /// Runs a kernel to its end.
    pub fn launch(
        &self,
        kernel: &Kernel,
        params: &LaunchParams,
    ) -> Result<Statistics, LaunchError> {
        let launch = self.prepare(kernel, params)?;
        let size = u64::from(launch.cluster.iter().product::<u32>());
        let total = params.grid.iter().map(|d| u64::from(*d)).product::<u64>() / size;
        let threads: u32 = params.block.iter().product();
        let shared = kernel.program.shared + params.dynamic_shared;
        let resident =
            u64::from(self.blocks_per_sm(threads, shared).max(1)) * u64::from(self.config.sms);
        let resident = (resident / size).max(1);
        let host = match self.config.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        };
        let workers = if self.config.seed.is_some() {
            1
        } else {
            host.min(total as usize).max(1)
        };
        let table = self.memory.table();
        let map = kernel.module.source_map();
        let queue = Mutex::new(Queue {
            next: 0,
            total,
            resident,
            running: 0,
            parked: VecDeque::new(),
            done: 0,
            error: None,
        });
        let idle = Condvar::new();
        let lanes = AtomicU64::new(0);
        let work = || {
            let mut env = Env::new(&kernel.program, &launch, table.clone(), map.clone());
            env.races = (self.config.races && workers == 1).then(Races::default);
            work(&mut env, &queue, &idle);
            lanes.fetch_add(env.lane_instructions, Ordering::Relaxed);
        };
        if workers == 1 {
            work();
        } else {
            std::thread::scope(|s| {
                for _ in 1..workers {
                    s.spawn(work);
                }
                work();
            });
        }
        let queue = queue.into_inner().unwrap_or_else(|e| e.into_inner());
        match queue.error {
            Some(e) => Err(e),
            None => Ok(Statistics {
                lane_instructions: lanes.into_inner(),
                blocks: queue.done * size,
            }),
        }
    }
}

/// Shared memory that a block can have, as on compute capability 9.0.
pub const MAX_SHARED: u32 = 227 << 10;

/// What is to be run: clusters, of one block each in most launches.
struct Queue {
    next: u64,
    total: u64,
    resident: u64,
    /// Clusters that have begun and not ended.
    running: u64,
    /// Those of them that wait for their next turn.
    parked: VecDeque<Cluster>,
    done: u64,
    error: Option<LaunchError>,
}

struct OnPanic<'a> {
    queue: &'a Mutex<Queue>,
    idle: &'a Condvar,
}

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut q = self.queue.lock().unwrap_or_else(|e| e.into_inner());
            q.error.get_or_insert(SimError::Stopped.into());
            drop(q);
            self.idle.notify_all();
        }
    }
}

/// Gives blocks their turns until none is left: new ones while there is room, then those that have waited longest.
fn work(env: &mut Env<'_>, queue: &Mutex<Queue>, idle: &Condvar) {
    let lock = || queue.lock().unwrap_or_else(|e| e.into_inner());
    // Should a worker panic, the others must not wait for its block.
    let _guard = OnPanic { queue, idle };
    loop {
        let mut q = lock();
        let block = loop {
            if q.error.is_some() || q.done == q.total {
                idle.notify_all();
                return;
            }
            if q.next < q.total && q.running < q.resident {
                // The seeded mode mixes new blocks with old ones.
                let old = !q.parked.is_empty() && env.random(2) == Some(1);
                if !old {
                    let index = q.next;
                    q.next += 1;
                    q.running += 1;
                    drop(q);
                    break Cluster::new(env, index);
                }
            }
            let n = env.random(q.parked.len() as u64).unwrap_or(0) as usize;
            if let Some(b) = q.parked.remove(n) {
                drop(q);
                break b;
            }
            // The others run what is left; one of them may put a block back.
            q = idle.wait(q).unwrap_or_else(|e| e.into_inner());
        };
        let mut block = block;
        let (quantum, slice) = match env.random(1000) {
            Some(r) => (100 + 20 * r, 1 + r % 97),
            None => (QUANTUM, SLICE),
        };
        let turn = block.run(env, quantum, slice);
        let mut q = lock();
        match turn {
            Ok(Turn::Running | Turn::Waiting) => q.parked.push_back(block),
            Ok(Turn::Done) => {
                q.running -= 1;
                q.done += 1;
            }
            Err(e) => {
                env.launch.failed.store(true, Ordering::Relaxed);
                // The first fault is the one to report, not that others stopped because of it.
                if q.error.is_none() {
                    q.error = Some(e);
                }
            }
        }
        drop(q);
        idle.notify_all();
    }
}
