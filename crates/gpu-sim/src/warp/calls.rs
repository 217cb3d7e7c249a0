//! Calls: frames, what passes between them, and the functions that are the simulator's own.

use super::{Frame, Line, Split, State, Warp};
use crate::block::BlockState;
use crate::error::Fault;
use crate::inst::*;
use crate::lanes::Rows;
use crate::launch::Env;

impl Warp {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn frame(
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
    pub(super) fn leave(&mut self, frame: u32, lanes: u32, exit: bool) {
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

    /// Copies what a function returns to its caller's blocks.
    pub(super) fn give_back(&mut self, program: &Program, frame: u32, lanes: u32) {
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
    pub(super) fn call(
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
                    let place = self.place(frame, block);
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

    pub(super) fn call_pointer(
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

    pub(super) fn enter(
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
