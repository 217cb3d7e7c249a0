//! What a debugger asks of a launch beyond single steps: running to a breakpoint, and what the code is made of.

use crate::error::LaunchError;
use crate::inst::NONE;
use crate::lanes::Rows;
use crate::machine::{CODE_BASE, Machine, peers};
use crate::module::Kernel;
use crate::warp::Warp;

/// How a warp came to the end of its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// Its instructions are used up.
    Ran,
    /// None of its lanes can run, or all have exited.
    Waits,
    /// The next instruction, for these lanes, is one to stop at.
    Stopped {
        /// Which lanes.
        lanes: u32,
        /// PC of the instruction.
        pc: u64,
    },
}

/// A function of a kernel's code: the kernel, or what it calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeFunction {
    /// PTX name.
    pub name: String,
    /// Its instructions, by number.
    pub code: std::ops::Range<u32>,
    /// PTX names of its registers and their bytes (0 for a predicate), by name.
    pub registers: Vec<(String, u8)>,
}

impl Kernel {
    /// The functions of the code, the kernel first.
    pub fn functions(&self) -> Vec<CodeFunction> {
        let functions = self.program.functions.iter().map(|f| {
            let mut registers: Vec<_> = f
                .registers
                .iter()
                .map(|(n, r)| (n.clone(), r.width))
                .collect();
            registers.sort();
            CodeFunction {
                name: f.name.clone(),
                code: f.entry..f.end,
                registers,
            }
        });
        functions.collect()
    }

    /// PTX line of each instruction, from 1.
    pub fn lines(&self) -> Vec<u32> {
        self.program.spans.iter().map(|s| s.line).collect()
    }

    /// The text of an instruction, on one line.
    pub fn instruction(&self, index: u32) -> Option<String> {
        ((index as usize) < self.program.spans.len()).then(|| self.program.text(index))
    }
}

impl Machine {
    /// The kernel that runs.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The lanes that execute a warp's next instruction, and its PC; `None` when none can run. Lanes that have come to the same
    /// instruction are joined, as they are when the warp goes on.
    pub fn next(&mut self, block: usize, warp: usize) -> Option<(u32, u64)> {
        self.with(|env, blocks| {
            let w = &mut blocks[block].warps[warp];
            let (split, _) = w.select(env)?;
            let s = &w.splits[split];
            Some((s.mask, CODE_BASE + 16 * u64::from(s.pc)))
        })
    }

    /// Runs a warp for at most `steps` instructions, up to one for whose PC `stop` is true; the first is not asked for when
    /// `over` is set.
    pub fn advance(
        &mut self,
        block: usize,
        warp: usize,
        steps: u64,
        over: bool,
        stop: &dyn Fn(u64) -> bool,
    ) -> Result<Advance, LaunchError> {
        self.with(|env, blocks| {
            env.peers = peers(env.launch, blocks, block);
            let b = &mut blocks[block];
            for n in 0..steps {
                let w = &mut b.warps[warp];
                let Some((split, _)) = w.select(env) else {
                    return Ok(Advance::Waits);
                };
                let pc = CODE_BASE + 16 * u64::from(w.splits[split].pc);
                if !(over && n == 0) && stop(pc) {
                    let lanes = w.splits[split].mask;
                    return Ok(Advance::Stopped { lanes, pc });
                }
                b.step(env, warp, 1)?;
            }
            Ok(Advance::Ran)
        })
    }

    /// Completes barriers at which all have arrived. `true` when the block has ended; the error is that its threads wait for
    /// each other for ever.
    pub fn settle(&mut self, block: usize) -> Result<bool, LaunchError> {
        self.with(|env, blocks| {
            let b = &mut blocks[block];
            if b.warps.iter().all(|w| w.live == 0) {
                return Ok(true);
            }
            if b.warps.iter().any(Warp::ready) {
                return Ok(false);
            }
            b.release();
            let mut released = b.warps.iter().any(Warp::ready);
            for w in &mut b.warps {
                released |= w.release_warp_barriers(env);
            }
            if released {
                Ok(false)
            } else {
                Err(b.deadlock(env))
            }
        })
    }

    /// Blocks of a cluster.
    pub fn cluster(&self) -> [u32; 3] {
        self.launch.cluster
    }

    /// The parameter buffer.
    pub fn params(&self) -> Vec<u8> {
        let bytes = self.launch.params.iter().flat_map(|w| w.to_le_bytes());
        bytes.take(self.kernel.param_size() as usize).collect()
    }

    /// Writes the shared memory of a block; `false` when it does not reach so far.
    pub fn write_shared(&mut self, block: usize, offset: usize, bytes: &[u8]) -> bool {
        let s = &mut self.blocks[block].state;
        let end = offset.checked_add(bytes.len());
        if end.is_none_or(|end| end > s.shared_size as usize) {
            return false;
        }
        // SAFETY: the lines are plain bytes, at least `shared_size` of them, and the range ends before.
        unsafe {
            let to = s.shared.as_mut_ptr().cast::<u8>().add(offset);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
        true
    }

    /// Writes the local memory of a lane; `false` when it does not reach so far.
    pub fn write_local(
        &mut self,
        block: usize,
        warp: usize,
        lane: u32,
        offset: usize,
        bytes: &[u8],
    ) -> bool {
        let l = &mut self.blocks[block].warps[warp].local;
        let end = offset.checked_add(bytes.len());
        if end.is_none_or(|end| end > l.stride as usize) {
            return false;
        }
        let start = (lane & 31) as usize * l.stride as usize;
        // SAFETY: the lines are plain bytes: 32 lanes of `stride` each, and the range ends before the next lane's.
        unsafe {
            let to = l.data.as_mut_ptr().cast::<u8>().add(start + offset);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
        true
    }

    /// Sets a predicate or a register of up to 64 bits in the innermost frame of a lane; `false` when there is none of that name.
    pub fn set_predicate(
        &mut self,
        block: usize,
        warp: usize,
        lane: u32,
        name: &str,
        value: bool,
    ) -> bool {
        let w = &mut self.blocks[block].warps[warp];
        let Some(frame) = w
            .splits
            .iter()
            .find(|s| s.mask >> lane & 1 != 0)
            .map(|s| s.frame)
        else {
            return false;
        };
        if frame == NONE {
            return false;
        }
        let f = &mut w.frames[frame as usize];
        let Some(r) = self.kernel.program.functions[f.function as usize]
            .registers
            .get(name)
            .filter(|r| r.width == 0)
        else {
            return false;
        };
        let rows = Rows {
            regs: f.data.as_mut_ptr() as *mut u8,
            consts: std::ptr::null(),
            mask: 1 << (lane & 31),
        };
        // SAFETY: the register is a predicate row of the frame's function.
        unsafe { rows.put_bits(r.offset, if value { u32::MAX } else { 0 }) };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Device, LaunchParams, Module};

    const PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64
.visible .entry k()
{
	.reg .b32 %r<4>;
	.reg .pred %p<2>;
	mov.u32 %r1, %tid.x;
	setp.gt.u32 %p1, %r1, 40;
	bar.sync 0;
	add.u32 %r2, %r1, 7;
	ret;
}
";

    #[test]
    fn runs_to_a_stop_and_through_a_barrier() {
        let device = Device::new(Config::default());
        let module = Module::load(&device.memory, PTX).unwrap();
        let kernel = module.kernel("k").unwrap();
        let params = LaunchParams {
            grid: [3, 1, 1],
            block: [64, 1, 1],
            ..LaunchParams::default()
        };
        let mut m = Machine::new(&device, &kernel, &params).unwrap();
        assert_eq!((m.blocks(), m.warps()), (3, 2));
        let at_add = |pc| pc == CODE_BASE + 48;
        assert_eq!(
            m.advance(2, 0, 100, false, &at_add).unwrap(),
            Advance::Waits
        );
        assert!(!m.settle(2).unwrap());
        assert_eq!(
            m.advance(2, 1, 100, false, &at_add).unwrap(),
            Advance::Stopped {
                lanes: u32::MAX,
                pc: CODE_BASE + 48
            }
        );
        assert_eq!(m.register(2, 1, 9, 0, "%p1"), Some(1));
        assert!(m.set_predicate(2, 1, 9, "%p1", false));
        assert_eq!(m.register(2, 1, 9, 0, "%p1"), Some(0));
        assert_eq!(m.register(2, 1, 10, 0, "%p1"), Some(1));
        // The barrier let the other warp go too.
        assert_eq!(m.next(2, 0), Some((u32::MAX, CODE_BASE + 48)));
        assert_eq!(m.advance(2, 0, 1, true, &at_add).unwrap(), Advance::Ran);
        assert_eq!(m.register(2, 0, 1, 0, "%r2"), Some(8));
        for w in 0..2 {
            assert_eq!(m.advance(2, w, 100, true, &at_add).unwrap(), Advance::Waits);
        }
        assert!(m.settle(2).unwrap());
        let f = kernel.functions();
        assert_eq!((f.len(), f[0].code.clone()), (1, 0..6));
        assert_eq!(kernel.instruction(3).unwrap(), "add.u32 %r2, %r1, 7;");
        assert_eq!(kernel.lines().len(), 6);
    }
}
