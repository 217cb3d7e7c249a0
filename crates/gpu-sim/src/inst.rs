//! The decoded form of a kernel: instructions with resolved operands, in one array.
//!
//! An operand is the byte offset of a row in the frame of the executing warp, or, with [`CONST_BIT`], in the constants
//! of the program. A row holds one value for each of the 32 lanes; a predicate is one `u32` with a bit for each lane.

use crate::lanes::LaneFn;
use crate::matrix::Matrix;
use ptx::Span;
use std::collections::HashMap;
use std::sync::Arc;

/// Marks an operand as an offset into the program's constants.
pub(crate) const CONST_BIT: u32 = 1 << 31;
/// An operand or guard that is not there.
pub(crate) const NONE: u32 = u32::MAX;

/// A register's width in bytes; 0 is a predicate.
pub(crate) type Width = u8;

/// One decoded instruction.
#[derive(Clone)]
pub(crate) struct Inst {
    pub op: Op,
    /// Predicate row, or `NONE`.
    pub guard: u32,
    pub guard_negated: bool,
    /// Results.
    pub d: u32,
    pub d2: u32,
    /// Sources.
    pub a: u32,
    pub b: u32,
    pub c: u32,
    /// What else the operation needs: an index into a table, a target, a small number.
    pub x: u32,
}

/// A scalar function on the raw bits of up to three sources.
pub(crate) type ScalarFn = Arc<dyn Fn(u64, u64, u64) -> u64 + Send + Sync>;

#[derive(Clone)]
pub(crate) enum Op {
    /// Works on all lanes at once.
    Lanes(LaneFn),
    /// Works on one lane after the other: what is rare.
    Scalar(Arc<Scalar>),
    /// Reads a special register; `x` unused.
    Special(Special),
    /// `x`: index into `Program::mems`.
    Load,
    Store,
    Atomic,
    /// `x`: target.
    Branch,
    /// `a`: index row; `x`: index into `Program::tables`.
    BranchIndex,
    /// `x`: index into `Program::calls`.
    Call,
    Return,
    Exit,
    Trap,
    Breakpoint,
    /// `a`: id, `b`: count or `NONE`, `c`: predicate of a reduction.
    Barrier(BarrierKind),
    /// `a`: member mask.
    WarpSync,
    /// `x`: kind-specific.
    Shuffle(ShuffleKind),
    Vote(VoteKind),
    Match {
        all: bool,
        width: Width,
    },
    Redux(ReduxKind),
    Elect,
    ActiveMask,
    Fence,
    Nanosleep,
    /// `x`: index into `Program::mems`; `a`: count, bytes, token or parity; `d`: result.
    Mbarrier(BarrierOp),
    /// `x` and `d2`: indices into `Program::mems` of destination and source; `a`: bytes to read; `b`: whether to read none.
    Copy,
    CopyCommit,
    /// All groups but the youngest so many, or everything.
    CopyWait {
        keep: Option<u32>,
    },
    /// `c`: the full member mask.
    Matrix(Arc<Matrix>),
    ClusterArrive,
    ClusterWait,
    /// The address of a local variable: `x` is its offset in the frame's local memory.
    LocalAddress {
        width: Width,
    },
    /// Copies a part of `part` bytes into the `x`th place of a row of `whole` bytes, or out of it.
    Pack {
        whole: Width,
        part: Width,
        into: bool,
    },
    Nop,
}

pub(crate) struct Scalar {
    pub f: ScalarFn,
    /// Widths of `a`, `b`, `c`, `d`; `NONE` operands are not read.
    pub widths: [Width; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    NWarpId,
    SmId,
    NSmId,
    GridId,
    Clock,
    ClockHi,
    Clock64,
    GlobalTimer,
    GlobalTimerLo,
    GlobalTimerHi,
    LaneMask(MaskKind),
    TotalSmem,
    DynamicSmem,
    ClusterId(u8),
    NClusterId(u8),
    ClusterCtaid(u8),
    ClusterNctaid(u8),
    ClusterRank,
    ClusterSize,
    /// Whether the launch has clusters: a predicate.
    ExplicitCluster,
    /// Halves of the address of a cooperative launch's workspace.
    WorkspaceHigh,
    WorkspaceLow,
    Constant(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MaskKind {
    Eq,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    Sync,
    Arrive,
    RedPopc,
    RedAnd,
    RedOr,
}

/// An operation on a barrier object in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierOp {
    Init,
    Invalidate,
    /// With `drop`, later phases expect the thread no more.
    Arrive {
        drop: bool,
    },
    /// Announces bytes, then arrives.
    ArriveExpect,
    Expect,
    Complete,
    /// Arrives once the thread's copies are done.
    ArriveCopies {
        increments: bool,
    },
    /// Whether the phase of a token, or of a parity, is over.
    Test {
        parity: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShuffleKind {
    Up,
    Down,
    Bfly,
    Idx,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VoteKind {
    All,
    Any,
    Uni,
    Ballot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReduxKind {
    Add,
    MinU,
    MaxU,
    MinS,
    MaxS,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemSpace {
    Generic,
    Global,
    Shared,
    /// Shared memory of the blocks of a cluster.
    SharedCluster,
    Local,
    Const,
    /// The kernel's parameter buffer.
    KernelParam,
    /// A parameter block in the frame: its offset there and its size.
    FrameParam {
        block: u32,
        size: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicOp {
    Add,
    Min,
    Max,
    Inc,
    Dec,
    And,
    Or,
    Xor,
    Exch,
    Cas,
}

/// How the bits of an atomic's operand are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Bits,
    Unsigned,
    Signed,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F64,
}

/// A load, store or atomic.
#[derive(Clone, Debug)]
pub(crate) struct Mem {
    pub space: MemSpace,
    /// Row of the base address, `NONE` for an absolute one.
    pub base: u32,
    pub base_width: Width,
    pub offset: u64,
    /// Bytes of an element, and how many there are.
    pub size: u8,
    pub count: u8,
    /// Whether an element is sign-extended into a wider register.
    pub signed: bool,
    /// Whether the access orders others: it is followed (load) or preceded (store) by a fence.
    pub ordered: bool,
    /// Whether it is more than a plain access: volatile, relaxed, or ordered.
    pub strong: bool,
    /// Registers of the elements and their widths.
    pub regs: Vec<(u32, Width)>,
    pub atomic: Option<(AtomicOp, Number)>,
    /// Second operand of cas.
    pub swap: u32,
}

/// Where a call goes.
#[derive(Clone, Debug)]
pub(crate) enum Callee {
    /// Index into `Program::functions`.
    Function(u32),
    /// Through the function address in this row.
    Pointer(u32),
    Builtin(Builtin),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Vprintf,
    AssertFail,
}

/// A call and what it passes: parameter blocks of the caller's frame.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub callee: Callee,
    pub args: Vec<Block>,
    pub returns: Vec<Block>,
}

/// A parameter block in a frame: 32 times `size` bytes, one lane after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub offset: u32,
    pub size: u32,
}

/// A register as the debugger sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Register {
    pub offset: u32,
    pub width: Width,
}

/// A function of a program.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: String,
    pub entry: u32,
    /// Code is `entry..end`.
    pub end: u32,
    /// Bytes of a frame.
    pub frame: u32,
    /// Bytes of local memory a thread.
    pub local: u32,
    pub params: Vec<Block>,
    pub returns: Vec<Block>,
    /// Declared registers that the code uses, by PTX name.
    pub registers: HashMap<String, Register>,
    /// Every row of the frame, for moving lanes from one frame to another.
    pub rows: Vec<Register>,
    pub blocks: Vec<Block>,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelParam {
    /// Its name.
    pub name: String,
    /// Offset in the parameter buffer.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

/// A kernel and all functions that it reaches, decoded.
pub(crate) struct Program {
    pub name: String,
    pub code: Vec<Inst>,
    /// PTX position of each instruction.
    pub spans: Vec<Span>,
    /// The PTX that the spans mean.
    pub source: Arc<str>,
    /// Constant rows.
    pub consts: Vec<ConstRow>,
    pub mems: Vec<Mem>,
    pub calls: Vec<Call>,
    pub tables: Vec<Vec<u32>>,
    /// The kernel is the first.
    pub functions: Vec<Function>,
    /// Function addresses to indices into `functions`.
    pub addresses: HashMap<u64, u32>,
    pub params: Vec<KernelParam>,
    pub param_size: u32,
    /// Bytes of static shared memory; dynamic shared memory begins there.
    pub shared: u32,
    /// `.maxntid`/`.reqntid` product, 1024 without.
    pub max_threads: u32,
    pub required_block: Option<[u32; 3]>,
    pub required_cluster: Option<[u32; 3]>,
}

/// 32 lanes of up to 16 bytes.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct ConstRow(pub [u8; 64]);

impl Program {
    /// The text of an instruction, on one line.
    pub fn text(&self, pc: u32) -> String {
        let s = self.spans[pc as usize];
        let text = self
            .source
            .get(s.start as usize..s.end as usize)
            .unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The function that holds `pc`.
    pub fn function_at(&self, pc: u32) -> &Function {
        self.functions
            .iter()
            .find(|f| (f.entry..f.end).contains(&pc))
            .unwrap_or(&self.functions[0])
    }
}
