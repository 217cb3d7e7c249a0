//! A launch that is driven from outside, one instruction of one warp at a time: what a debugger needs.
//!
//! A machine holds all blocks of its grid and can be cloned at any instruction; global memory belongs to the device and
//! is copied by [`Memory::snapshot`](crate::Memory::snapshot).

use crate::block::{Block, Turn};
use crate::cluster;
use crate::error::{LaunchError, SourceFrame};
use crate::inst::NONE;
use crate::lanes::Rows;
use crate::launch::{Device, Env, Launch, LaunchParams};
use crate::memory::Table;
use crate::module::Kernel;
use crate::warp::State;
use std::sync::Arc;

/// Where the code of a kernel starts: the PC of an instruction is this plus 16 times its number.
pub const CODE_BASE: u64 = 0x1000;

/// A launch under way.
#[derive(Clone)]
pub struct Machine {
    pub(crate) kernel: Kernel,
    pub(crate) launch: Arc<Launch>,
    table: Arc<Table>,
    pub(crate) blocks: Vec<Block>,
}

/// Why lanes do not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneState {
    /// They can run.
    Ready,
    /// They wait at a barrier of the block.
    Barrier(u32),
    /// They wait for other lanes of the warp.
    WarpSync,
    /// They wait for the other blocks of the cluster.
    Cluster,
}

/// The cluster of a block.
fn cluster_of(launch: &Launch, block: usize) -> u64 {
    let (grid, size) = (launch.grid.map(u64::from), launch.cluster.map(u64::from));
    let b = block as u64;
    let at = [b % grid[0], b / grid[0] % grid[1], b / (grid[0] * grid[1])];
    let n = [grid[0] / size[0], grid[1] / size[1]];
    (at[2] / size[2] * n[1] + at[1] / size[1]) * n[0] + at[0] / size[0]
}

/// Shared memory of the blocks of a block's cluster, by rank.
pub(crate) fn peers(launch: &Launch, blocks: &mut [Block], block: usize) -> Vec<*mut u8> {
    let members = cluster::members(launch, cluster_of(launch, block));
    let shared = |i: u64| blocks[i as usize].state.shared.as_mut_ptr() as *mut u8;
    members.into_iter().map(shared).collect()
}

/// Lanes at one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Which lanes.
    pub lanes: u32,
    /// PC of the next instruction.
    pub pc: u64,
    /// Whether they can run.
    pub state: LaneState,
}

/// One level of a lane's call stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFrame {
    /// Function.
    pub function: String,
    /// PC: of the next instruction, or of the call.
    pub pc: u64,
    /// PTX line.
    pub line: u32,
    /// Rust positions, innermost first.
    pub source: Vec<SourceFrame>,
}

impl Machine {
    /// Puts all blocks of a launch at their first instruction.
    pub fn new(
        device: &Device,
        kernel: &Kernel,
        params: &LaunchParams,
    ) -> Result<Machine, LaunchError> {
        let launch = Arc::new(device.prepare(kernel, params)?);
        let table = device.memory.table();
        let total: u64 = params.grid.iter().map(|d| u64::from(*d)).product();
        let blocks = {
            let env = Env::new(
                &kernel.program,
                &launch,
                table.clone(),
                kernel.module.source_map(),
            );
            (0..total).map(|i| Block::new(&env, i)).collect()
        };
        Ok(Machine {
            kernel: kernel.clone(),
            launch,
            table,
            blocks,
        })
    }

    pub(crate) fn with<T>(&mut self, f: impl FnOnce(&mut Env<'_>, &mut Vec<Block>) -> T) -> T {
        let map = self.kernel.module.source_map();
        let mut env = Env::new(&self.kernel.program, &self.launch, self.table.clone(), map);
        f(&mut env, &mut self.blocks)
    }

    /// Lets the cluster of a block go on if all its threads have come to its barrier.
    fn release_cluster(&mut self, block: usize) {
        let members = cluster::members(&self.launch, cluster_of(&self.launch, block));
        let member = |r: usize| members[r] as usize;
        cluster::release(&mut self.blocks, member, members.len());
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Number of warps of each block.
    pub fn warps(&self) -> usize {
        self.blocks.first().map_or(0, |b| b.warps.len())
    }

    /// Executes one instruction of a warp. `false` when none of its lanes can run.
    pub fn step(&mut self, block: usize, warp: usize) -> Result<bool, LaunchError> {
        self.with(|env, blocks| {
            let shared = peers(env.launch, blocks, block);
            let b = &mut blocks[block];
            env.peers = shared;
            if !b.warps[warp].ready() {
                return Ok(false);
            }
            b.step(env, warp, 1)?;
            Ok(true)
        })
        .inspect(|_| self.release_cluster(block))
    }

    /// Runs a block for about so many warp instructions. `true` when all its threads have exited.
    pub fn run_block(&mut self, block: usize, steps: u64) -> Result<bool, LaunchError> {
        let turn = self.with(|env, blocks| {
            env.peers = peers(env.launch, blocks, block);
            blocks[block].run(env, steps, steps.clamp(1, 64))
        })?;
        self.release_cluster(block);
        Ok(turn == Turn::Done)
    }

    /// Lanes of a warp that have not exited.
    pub fn live(&self, block: usize, warp: usize) -> u32 {
        self.blocks[block].warps[warp].live
    }

    /// Where the lanes of a warp are.
    pub fn groups(&self, block: usize, warp: usize) -> Vec<Group> {
        let splits = self.blocks[block].warps[warp].splits.iter();
        splits
            .map(|s| Group {
                lanes: s.mask,
                pc: CODE_BASE + 16 * u64::from(s.pc),
                state: match s.state {
                    State::Ready => LaneState::Ready,
                    State::Barrier { id, .. } => LaneState::Barrier(id),
                    State::Sync => LaneState::WarpSync,
                    State::Cluster => LaneState::Cluster,
                },
            })
            .collect()
    }

    /// PTX line and text of a PC.
    pub fn instruction(&self, pc: u64) -> Option<(u32, String)> {
        let index = u32::try_from(pc.checked_sub(CODE_BASE)? / 16).ok()?;
        let span = self.kernel.program.spans.get(index as usize)?;
        Some((span.line, self.kernel.program.text(index)))
    }

    fn frame_of(&self, block: usize, warp: usize, lane: u32) -> Option<(u32, u32)> {
        let splits = &self.blocks[block].warps[warp].splits;
        splits
            .iter()
            .find(|s| s.mask >> lane & 1 != 0)
            .map(|s| (s.frame, s.pc))
    }

    /// The call stack of a lane, innermost first; empty when it has exited.
    pub fn stack(&self, block: usize, warp: usize, lane: u32) -> Vec<CallFrame> {
        let mut all = Vec::new();
        let Some((mut frame, mut pc)) = self.frame_of(block, warp, lane) else {
            return all;
        };
        let program = &self.kernel.program;
        let map = self.kernel.module.source_map();
        while frame != NONE {
            let f = &self.blocks[block].warps[warp].frames[frame as usize];
            let line = program.spans[pc as usize].line;
            let source = map.as_ref().map_or(Vec::new(), |m| m.frames(line));
            let function = program.functions[f.function as usize].name.clone();
            all.push(CallFrame {
                function,
                pc: CODE_BASE + 16 * u64::from(pc),
                line,
                source,
            });
            pc = f.return_pc.saturating_sub(1);
            frame = f.parent;
        }
        all
    }

    /// The bits of a register of a lane in a level of its stack (0 is the innermost), by its PTX name.
    pub fn register(
        &self,
        block: usize,
        warp: usize,
        lane: u32,
        level: usize,
        name: &str,
    ) -> Option<u128> {
        let (mut frame, _) = self.frame_of(block, warp, lane)?;
        let w = &self.blocks[block].warps[warp];
        for _ in 0..level {
            frame = w.frames.get(frame as usize)?.parent;
        }
        let f = w.frames.get(frame as usize)?;
        let r = self.kernel.program.functions[f.function as usize]
            .registers
            .get(name)?;
        let rows = Rows {
            regs: f.data.as_ptr() as *mut u8,
            consts: std::ptr::null(),
            mask: 0,
        };
        // SAFETY: the register is a row of the frame's function, and only read.
        Some(unsafe {
            if r.width == 16 {
                *(rows.at(r.offset) as *const u128).add(lane as usize & 31)
            } else {
                u128::from(rows.lane(r.offset, r.width, lane as usize & 31))
            }
        })
    }

    /// Sets a register of up to 64 bits; `false` when there is none of that name.
    pub fn set_register(
        &mut self,
        block: usize,
        warp: usize,
        lane: u32,
        name: &str,
        value: u64,
    ) -> bool {
        let Some((frame, _)) = self.frame_of(block, warp, lane) else {
            return false;
        };
        let f = &mut self.blocks[block].warps[warp].frames[frame as usize];
        let Some(r) = self.kernel.program.functions[f.function as usize]
            .registers
            .get(name)
        else {
            return false;
        };
        let rows = Rows {
            regs: f.data.as_mut_ptr() as *mut u8,
            consts: std::ptr::null(),
            mask: 0,
        };
        // SAFETY: the register is a row of the frame's function.
        unsafe { rows.put_lane(r.offset, r.width, lane as usize & 31, value) };
        true
    }

    /// Names of the registers of the function in which a lane is.
    pub fn registers(&self, block: usize, warp: usize, lane: u32) -> Vec<String> {
        let Some((frame, _)) = self.frame_of(block, warp, lane) else {
            return Vec::new();
        };
        let f = &self.blocks[block].warps[warp].frames[frame as usize];
        let mut names: Vec<_> = self.kernel.program.functions[f.function as usize]
            .registers
            .keys()
            .cloned()
            .collect();
        names.sort();
        names
    }

    /// The shared memory of a block.
    pub fn shared(&self, block: usize) -> &[u8] {
        let s = &self.blocks[block].state;
        // SAFETY: the lines are plain bytes, and the block has at least `shared_size` of them.
        unsafe { std::slice::from_raw_parts(s.shared.as_ptr().cast(), s.shared_size as usize) }
    }

    /// The local memory of a lane.
    pub fn local(&self, block: usize, warp: usize, lane: u32) -> &[u8] {
        let l = &self.blocks[block].warps[warp].local;
        let start = (lane & 31) as usize * l.stride as usize;
        // SAFETY: the lines are plain bytes: 32 lanes of `stride` each.
        let all = unsafe {
            std::slice::from_raw_parts(l.data.as_ptr().cast::<u8>(), l.stride as usize * 32)
        };
        &all[start..start + l.stride as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Module};

    const PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64
.visible .entry k(.param .u32 n)
{
	.reg .b32 %r<4>;
	.shared .align 4 .b8 s[4];
	ld.param.b32 %r1, [n];
	mov.u32 %r2, %tid.x;
	add.u32 %r3, %r1, %r2;
	st.shared.b32 [s], %r3;
	ret;
}
";

    #[test]
    fn steps_registers_and_copies() {
        let device = Device::new(Config::default());
        let module = Module::load(&device.memory, PTX).unwrap();
        let kernel = module.kernel("k").unwrap();
        let params = LaunchParams {
            grid: [1; 3],
            block: [2, 1, 1],
            dynamic_shared: 0,
            params: 40u32.to_le_bytes().into(),
            ..LaunchParams::default()
        };
        let mut m = Machine::new(&device, &kernel, &params).unwrap();
        assert_eq!(
            m.groups(0, 0),
            [Group {
                lanes: 3,
                pc: CODE_BASE,
                state: LaneState::Ready
            }]
        );
        assert!(m.step(0, 0).unwrap());
        assert!(m.step(0, 0).unwrap());
        assert_eq!(m.groups(0, 0)[0].pc, CODE_BASE + 32);
        assert_eq!(
            m.instruction(CODE_BASE + 32).unwrap(),
            (10, "add.u32 %r3, %r1, %r2;".to_string())
        );
        assert_eq!(m.register(0, 0, 1, 0, "%r2"), Some(1));
        let before = m.clone();
        assert!(m.step(0, 0).unwrap());
        assert_eq!(m.register(0, 0, 1, 0, "%r3"), Some(41));
        assert_eq!(m.stack(0, 0, 0)[0].function, "k");
        m = before;
        assert!(m.set_register(0, 0, 1, "%r1", 100));
        while m.step(0, 0).unwrap() {}
        assert_eq!(m.live(0, 0), 0);
        assert_eq!(m.shared(0), 101u32.to_le_bytes());
    }
}
