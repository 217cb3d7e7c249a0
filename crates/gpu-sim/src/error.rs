//! What a launch can end with: a fault of the program, or something that the simulator cannot do.

use std::fmt;

/// A position in the Rust source, one level of an inline chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFrame {
    /// File name.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 when not known.
    pub column: u32,
    /// Function.
    pub function: String,
}

/// Answers with the Rust positions of a PTX line, innermost first.
pub trait SourceMap: Send + Sync {
    /// The inline chain of the instruction on `line` (from 1); empty when nothing is known.
    fn frames(&self, line: u32) -> Vec<SourceFrame>;
}

/// Where an access went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySpace {
    /// Global memory, by a global or generic address.
    Global,
    /// A block's shared memory.
    Shared,
    /// A thread's local memory.
    Local,
    /// Constants.
    Const,
    /// A kernel's parameters.
    Param,
}

impl fmt::Display for MemorySpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MemorySpace::Global => "global",
            MemorySpace::Shared => "shared",
            MemorySpace::Local => "local",
            MemorySpace::Const => "constant",
            MemorySpace::Param => "parameter",
        })
    }
}

/// What an instruction wanted from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// It read.
    Load,
    /// It wrote.
    Store,
    /// It read and wrote at once.
    Atomic,
}

impl fmt::Display for AccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic operation",
        })
    }
}

/// How an address lies to the memory nearest to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nearby {
    /// A null pointer, or nearly one.
    Null,
    /// So many bytes before the start of an allocation of `size` bytes.
    Below {
        /// Distance.
        distance: u64,
        /// Start of the allocation.
        start: u64,
        /// Its size.
        size: u64,
        /// Its name, for a variable.
        name: String,
    },
    /// So many bytes behind the end of an allocation.
    Above {
        /// Distance: 0 is the first byte behind.
        distance: u64,
        /// Start of the allocation.
        start: u64,
        /// Its size.
        size: u64,
        /// Its name, for a variable.
        name: String,
    },
    /// Inside an allocation that has been freed.
    AfterFree {
        /// Start of the allocation.
        start: u64,
        /// Its size.
        size: u64,
    },
    /// The memory of the space is this large.
    Limit {
        /// Size in bytes.
        size: u64,
    },
    /// Nothing is near.
    Nothing,
    /// The memory is there, but is not to be written.
    ReadOnly,
}

impl fmt::Display for Nearby {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |name: &str| {
            if name.is_empty() {
                String::new()
            } else {
                format!(" of `{name}`")
            }
        };
        match self {
            Nearby::Null => f.write_str("the pointer is null"),
            Nearby::Below {
                distance,
                start,
                size,
                name,
            } => {
                write!(
                    f,
                    "{distance} bytes below the allocation{} at {start:#x} of {size} bytes",
                    named(name)
                )
            }
            Nearby::Above {
                distance,
                start,
                size,
                name,
            } => write!(
                f,
                "{distance} bytes above the end of the allocation{} at {start:#x} of {size} bytes",
                named(name)
            ),
            Nearby::AfterFree { start, size } => {
                write!(
                    f,
                    "use after free: the allocation at {start:#x} of {size} bytes has been freed"
                )
            }
            Nearby::Limit { size } => write!(f, "{size} bytes are there"),
            Nearby::Nothing => f.write_str("no allocation is near it"),
            Nearby::ReadOnly => f.write_str("that memory is read-only"),
        }
    }
}

/// The earlier one of two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstAccess {
    /// Load, store, atomic.
    pub kind: AccessKind,
    /// `ctaid`.
    pub block: [u32; 3],
    /// `tid`.
    pub thread: [u32; 3],
    /// PTX line.
    pub line: u32,
    /// The instruction.
    pub instruction: String,
    /// Rust positions, innermost first.
    pub source: Vec<SourceFrame>,
}

/// What a program did wrong, or did on purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An access outside any allocation.
    OutOfBounds {
        /// Load, store, atomic.
        kind: AccessKind,
        /// Which memory.
        space: MemorySpace,
        /// The address: an offset for shared, local and parameter memory.
        address: u64,
        /// Bytes.
        size: u32,
        /// What is near it.
        nearby: Nearby,
    },
    /// An address that is not a multiple of the size of the access.
    Misaligned {
        /// Load, store, atomic.
        kind: AccessKind,
        /// Which memory.
        space: MemorySpace,
        /// The address.
        address: u64,
        /// Bytes.
        size: u32,
    },
    /// A barrier that can never complete.
    BarrierDeadlock {
        /// Where the threads of the block are.
        waiting: Vec<String>,
    },
    /// A `*.sync` instruction whose member mask lacks the executing lane.
    MemberMask {
        /// The mask.
        mask: u32,
        /// The lane.
        lane: u32,
    },
    /// The step budget of a warp is spent.
    StepBudget {
        /// The budget, in warp instructions.
        budget: u64,
        /// Where each warp of the block is.
        warps: Vec<String>,
    },
    /// Too many calls within each other.
    CallDepth {
        /// The limit.
        limit: u32,
    },
    /// Local memory of a thread is spent.
    StackOverflow {
        /// Bytes a thread has.
        limit: u32,
    },
    /// A call through a pointer that is no function's.
    BadFunctionPointer {
        /// The pointer.
        address: u64,
    },
    /// `brx.idx` with an index outside of its list.
    BadBranchIndex {
        /// The index.
        index: u32,
        /// Length of the list.
        len: u32,
    },
    /// A barrier object in shared memory that is used wrongly.
    Mbarrier {
        /// Its address.
        address: u64,
        /// What is wrong.
        why: &'static str,
    },
    /// Two accesses to one place, one of them a plain write, that nothing orders.
    Race {
        /// The second access: the one that the report is of.
        kind: AccessKind,
        /// Its address, as the program gave it.
        address: u64,
        /// The access before it.
        first: Box<FirstAccess>,
    },
    /// `trap`.
    Trap,
    /// `brkpt` with no debugger.
    Breakpoint,
    /// `__assertfail`.
    Assert {
        /// Its message.
        message: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::OutOfBounds {
                kind,
                space,
                address,
                size,
                nearby,
            } => {
                write!(
                    f,
                    "out-of-bounds {kind} of {size} bytes at {space} address {address:#x}: {nearby}"
                )
            }
            Fault::Misaligned {
                kind,
                space,
                address,
                size,
            } => write!(
                f,
                "misaligned {kind} of {size} bytes at {space} address {address:#x}: not a multiple of {size}"
            ),
            Fault::BarrierDeadlock { waiting } => {
                write!(
                    f,
                    "a barrier can never complete: no thread of the block can go on"
                )?;
                waiting.iter().try_for_each(|w| write!(f, "\n  {w}"))
            }
            Fault::MemberMask { mask, lane } => {
                write!(
                    f,
                    "lane {lane} executes a warp-synchronous instruction whose member mask {mask:#010x} lacks it"
                )
            }
            Fault::StepBudget { budget, warps } => {
                write!(
                    f,
                    "step budget exceeded: a warp executed {budget} instructions (CUDA_OXIDE_SIM_STEPS)"
                )?;
                warps.iter().try_for_each(|w| write!(f, "\n  {w}"))
            }
            Fault::CallDepth { limit } => {
                write!(f, "call depth exceeded: {limit} calls within each other")
            }
            Fault::StackOverflow { limit } => write!(
                f,
                "stack overflow: a thread has {limit} bytes of local memory"
            ),
            Fault::BadFunctionPointer { address } => {
                write!(f, "call of {address:#x}, which is no function")
            }
            Fault::BadBranchIndex { index, len } => {
                write!(f, "brx.idx with index {index} into {len} targets")
            }
            Fault::Race {
                kind,
                address,
                first,
            } => {
                let ([bx, by, bz], [tx, ty, tz]) = (first.block, first.thread);
                write!(
                    f,
                    "data race: nothing orders the {kind} at address {address:#x} and the {} before it, of block ({bx}, {by}, {bz}), \
                     thread ({tx}, {ty}, {tz}) at PTX line {}: {}",
                    first.kind, first.line, first.instruction
                )?;
                for s in &first.source {
                    write!(
                        f,
                        "\n    at {}:{}:{} in {}",
                        s.file, s.line, s.column, s.function
                    )?;
                }
                Ok(())
            }
            Fault::Mbarrier { address, why } => {
                write!(
                    f,
                    "wrong use of the mbarrier at shared address {address:#x}: {why}"
                )
            }
            Fault::Trap => f.write_str("trap"),
            Fault::Breakpoint => f.write_str("breakpoint, and no debugger is attached"),
            Fault::Assert { message } => write!(f, "assertion failed: {message}"),
        }
    }
}

/// What the simulator itself cannot do, or was asked wrongly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SimError {
    /// Text that is no PTX.
    Parse {
        /// All that was found.
        errors: Vec<ptx::Error>,
    },
    /// An instruction, modifier or operand that is not known.
    Unknown {
        /// The instruction or declaration.
        text: String,
        /// What about it.
        why: String,
        /// PTX line.
        line: u32,
        /// The function that it is in.
        function: String,
    },
    /// A name that nothing defines.
    Undefined {
        /// The name.
        name: String,
        /// PTX line.
        line: u32,
        /// The function that it is in.
        function: String,
    },
    /// No kernel or variable of that name.
    NotFound {
        /// The name.
        name: String,
    },
    /// A launch with sizes that a GPU would refuse too.
    BadLaunch {
        /// Why.
        why: String,
    },
    /// A cooperative launch of more blocks than can be resident at once.
    CooperativeTooLarge {
        /// Blocks.
        blocks: u64,
        /// How many fit.
        fit: u64,
    },
    /// The host has no more memory.
    OutOfMemory {
        /// Bytes asked for.
        size: u64,
    },
    /// The launch was stopped from outside.
    Stopped,
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimError::Parse { errors } => {
                write!(f, "the PTX cannot be read")?;
                errors.iter().try_for_each(|e| write!(f, "\n  {e}"))
            }
            SimError::Unknown {
                text,
                why,
                line,
                function,
            } => {
                write!(
                    f,
                    "instruction or modifier not known: `{text}`: {why} (PTX line {line}, in `{function}`)"
                )
            }
            SimError::Undefined {
                name,
                line,
                function,
            } => {
                write!(
                    f,
                    "`{name}` is not defined (PTX line {line}, in `{function}`)"
                )
            }
            SimError::NotFound { name } => write!(f, "the module has no `{name}`"),
            SimError::BadLaunch { why } => write!(f, "launch refused: {why}"),
            SimError::CooperativeTooLarge { blocks, fit } => write!(
                f,
                "a cooperative launch of {blocks} blocks, and {fit} fit (CUDA_OXIDE_SIM_SMS)"
            ),
            SimError::OutOfMemory { size } => write!(f, "no host memory for {size} bytes"),
            SimError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for SimError {}

/// A fault and where it happened.
#[derive(Clone, Debug)]
pub struct FaultReport {
    /// What.
    pub fault: Fault,
    /// Kernel that was launched.
    pub kernel: String,
    /// Function that was executing.
    pub function: String,
    /// `ctaid`.
    pub block: [u32; 3],
    /// `tid`, of the first thread that faulted.
    pub thread: [u32; 3],
    /// Line of the instruction in the PTX, from 1.
    pub line: u32,
    /// The instruction.
    pub instruction: String,
    /// Callers, innermost first: function and PTX line of the call.
    pub callers: Vec<(String, u32)>,
    /// Callers left out before the last one of `callers`.
    pub callers_left_out: usize,
    /// Rust positions of the instruction, innermost first.
    pub source: Vec<SourceFrame>,
}

impl fmt::Display for FaultReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([bx, by, bz], [tx, ty, tz]) = (self.block, self.thread);
        write!(f, "{}", self.fault)?;
        write!(
            f,
            "\n  in kernel `{}`, block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz})",
            self.kernel
        )?;
        write!(f, "\n  at PTX line {}: {}", self.line, self.instruction)?;
        for s in &self.source {
            write!(
                f,
                "\n  at {}:{}:{} in {}",
                s.file, s.line, s.column, s.function
            )?;
        }
        if self.function != self.kernel {
            write!(f, "\n  in function `{}`", self.function)?;
        }
        for (i, (name, line)) in self.callers.iter().enumerate() {
            if self.callers_left_out > 0 && i + 1 == self.callers.len() {
                write!(f, "\n  … {} more calls …", self.callers_left_out)?;
            }
            write!(f, "\n  called from `{name}`, PTX line {line}")?;
        }
        Ok(())
    }
}

/// How a launch failed.
#[derive(Clone, Debug)]
pub enum LaunchError {
    /// The program's doing.
    Fault(Box<FaultReport>),
    /// Ours.
    Sim(SimError),
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Fault(r) => r.fmt(f),
            LaunchError::Sim(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for LaunchError {}

impl From<SimError> for LaunchError {
    fn from(e: SimError) -> Self {
        LaunchError::Sim(e)
    }
}
