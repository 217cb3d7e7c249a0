//! The types of the table, and the table itself.

use crate::ops;
use pliron::{context::Ptr, op::OpObj, operation::Operation};
use std::{any::TypeId, fmt};

/// A GPU feature set: one group of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Module {
    Thread,
    Warp,
    Grid,
    Debug,
    Atomic,
    Cluster,
    Mbarrier,
    Tma,
    Wgmma,
    Stmatrix,
    Tcgen05,
    Clc,
    AsyncCopy,
    Matrix,
    Packed,
}

impl Module {
    /// Every module of the dialect document, with the number of operations that the document gives it.
    pub const DOCUMENT: [(Module, usize); 12] = [
        (Module::Thread, 18),
        (Module::Warp, 18),
        (Module::Grid, 1),
        (Module::Debug, 6),
        (Module::Atomic, 4),
        (Module::Cluster, 11),
        (Module::Mbarrier, 10),
        (Module::Tma, 15),
        (Module::Wgmma, 5),
        (Module::Stmatrix, 5),
        (Module::Tcgen05, 24),
        (Module::Clc, 6),
    ];

    /// The module's name, as the document spells it.
    pub fn name(self) -> &'static str {
        match self {
            Module::Thread => "thread",
            Module::Warp => "warp",
            Module::Grid => "grid",
            Module::Debug => "debug",
            Module::Atomic => "atomic",
            Module::Cluster => "cluster",
            Module::Mbarrier => "mbarrier",
            Module::Tma => "tma",
            Module::Wgmma => "wgmma",
            Module::Stmatrix => "stmatrix",
            Module::Tcgen05 => "tcgen05",
            Module::Clc => "clc",
            Module::AsyncCopy => "async_copy",
            Module::Matrix => "matrix",
            Module::Packed => "packed",
        }
    }
}

/// The least GPU that has an operation. `Sm(0)` is every GPU; `SmA(90)` is `sm_90a`, whose features no other GPU has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MinimumSm {
    Sm(u32),
    SmA(u32),
}

impl MinimumSm {
    /// Whether code for `sm_<number>`, with an `a` if `specific`, may use the operation.
    pub fn allows(self, number: u32, specific: bool) -> bool {
        match self {
            MinimumSm::Sm(least) => number >= least,
            MinimumSm::SmA(exact) => number == exact && specific,
        }
    }

    /// The target with which the operation can be tried: `sm_75` stands for every GPU, since no assembler of today
    /// knows an older one.
    pub fn target(self) -> String {
        match self {
            MinimumSm::Sm(least) => format!("sm_{}", least.max(75)),
            MinimumSm::SmA(exact) => format!("sm_{exact}a"),
        }
    }
}

impl fmt::Display for MinimumSm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MinimumSm::Sm(0) => write!(f, "all"),
            MinimumSm::Sm(n) => write!(f, "sm_{n}"),
            MinimumSm::SmA(n) => write!(f, "sm_{n}a"),
        }
    }
}

/// The type of an operand or result. `Ptr` is a generic pointer; an operation on shared memory converts it itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    I1,
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    Ptr,
}

impl Ty {
    /// The type in LLVM's text.
    pub fn llvm(self) -> &'static str {
        match self {
            Ty::I1 => "i1",
            Ty::I8 => "i8",
            Ty::I16 => "i16",
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::F16 => "half",
            Ty::F32 => "float",
            Ty::F64 => "double",
            Ty::Ptr => "ptr",
        }
    }
}

/// What an operation does besides giving its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    /// The result depends on the operands and the thread alone; an unused one may go.
    Pure,
    /// The result changes from call to call (clocks); an unused one may go, two must not become one.
    Volatile,
    /// Orders, reads or writes memory, meets other threads, or does not return.
    Memory,
}

/// What pliron keeps of an operation's Rust type.
pub type OpInfo = (fn(Ptr<Operation>) -> OpObj, TypeId);

/// One row: everything that is known of an operation.
pub struct Spec {
    /// Name with the dialect prefix, `nvvm.barrier0`.
    pub name: &'static str,
    pub module: Module,
    /// Whether the operation is one of the document's 123. The others are ours.
    pub document: bool,
    pub minimum_sm: MinimumSm,
    pub operands: &'static [Ty],
    pub result: Option<Ty>,
    pub effects: Effects,
    /// Whether LLVM must keep the operation under the control flow that it stands in.
    pub convergent: bool,
    /// LLVM IR that does it: see [`crate::expand`]. Empty for the atomic families, which [`crate::atomic`] expands.
    pub body: &'static str,
    /// The instruction or register that the PTX contains.
    pub ptx: &'static str,
    /// What pliron needs to create the operation.
    pub info: fn() -> OpInfo,
}

impl Spec {
    /// Name without the dialect prefix, `barrier0`.
    pub fn op(&self) -> &'static str {
        self.name.strip_prefix("nvvm.").unwrap_or(self.name)
    }

    /// Name of the device function, `__nvvm_barrier0`. A family's functions have the attributes in their names.
    pub fn extern_name(&self) -> String {
        format!("__nvvm_{}", self.op())
    }

    /// The PTX version × 10 that the operation needs, where LLVM's default for its least SM is older.
    pub fn ptx_version(&self) -> Option<u32> {
        match self.name {
            "nvvm.elect_sync"
            | "nvvm.mbarrier_arrive_expect_tx"
            | "nvvm.mbarrier_arrive_cluster"
            | "nvvm.mbarrier_try_wait"
            | "nvvm.mbarrier_try_wait_parity"
            | "nvvm.mbarrier_expect_tx"
            | "nvvm.cluster_arrive_relaxed"
            | "nvvm.fence_proxy_async_shared_cta"
            | "nvvm.fence_mbarrier_init_cluster" => Some(80),
            _ if matches!(self.module, Module::Tma | Module::Stmatrix) => Some(80),
            name if name.starts_with("nvvm.ldmatrix_") => Some(65),
            _ => None,
        }
    }

    /// The LLVM intrinsics that the operation calls, in order.
    pub fn intrinsics(&self) -> Vec<&'static str> {
        crate::expand::called_functions(self.body)
            .into_iter()
            .filter(|name| name.starts_with("llvm."))
            .collect()
    }

    /// The prototype in Rust's spelling, `(i32, i1) -> i32`.
    pub fn prototype(&self) -> String {
        let operands: Vec<_> = self.operands.iter().map(|ty| ty.llvm()).collect();
        let result = self.result.map_or("void", Ty::llvm);
        format!("({}) -> {result}", operands.join(", "))
    }
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.prototype())
    }
}

/// Every operation, module by module.
pub const TABLE: &[&[Spec]] = &[
    ops::thread::SPECS,
    ops::warp::SPECS,
    ops::grid::SPECS,
    ops::debug::SPECS,
    ops::atomic::SPECS,
    ops::cluster::SPECS,
    ops::mbarrier::SPECS,
    ops::tma::SPECS,
    ops::wgmma::SPECS,
    ops::stmatrix::SPECS,
    ops::tcgen05::SPECS,
    ops::clc::SPECS,
    ops::async_copy::SPECS,
    ops::matrix::SPECS,
];

/// Every operation, in the table's order.
pub fn specs() -> impl Iterator<Item = &'static Spec> {
    TABLE.iter().flat_map(|module| module.iter())
}

/// The operations in a module's text: those whose intrinsics it calls, or whose inline PTX it has.
pub fn used(module: &str) -> impl Iterator<Item = &'static Spec> {
    specs().filter(move |spec| {
        let intrinsics = spec.intrinsics();
        if intrinsics.is_empty() {
            spec.body.contains(" asm ") && module.contains(spec.ptx)
        } else {
            intrinsics
                .iter()
                .all(|name| module.contains(&format!("@{name}(")))
        }
    })
}

/// The least of two GPUs that has the operations of both; `None` if there is none.
pub fn both(a: MinimumSm, b: MinimumSm) -> Option<MinimumSm> {
    use MinimumSm::{Sm, SmA};
    match (a, b) {
        (Sm(a), Sm(b)) => Some(Sm(a.max(b))),
        (Sm(least), SmA(exact)) | (SmA(exact), Sm(least)) => (least <= exact).then_some(SmA(exact)),
        (SmA(a), SmA(b)) => (a == b).then_some(SmA(a)),
    }
}

/// The least GPU that has every operation in a module's text.
///
/// # Errors
/// Two operations that no GPU has both.
pub fn needed_sm(module: &str) -> Result<MinimumSm, (&'static Spec, &'static Spec)> {
    let mut needed: (MinimumSm, Option<&Spec>) = (MinimumSm::Sm(0), None);
    for spec in used(module) {
        match (both(needed.0, spec.minimum_sm), needed.1) {
            (Some(sm), _) if sm == needed.0 => {}
            (Some(sm), _) => needed = (sm, Some(spec)),
            (None, first) => return Err((first.unwrap_or(spec), spec)),
        }
    }
    Ok(needed.0)
}

/// The PTX version × 10 that the intrinsics in a module's text need, if LLVM's default may be older.
pub fn needed_ptx(module: &str) -> Option<u32> {
    specs()
        .filter_map(|spec| Some((spec, spec.ptx_version()?)))
        .filter(|(spec, _)| {
            spec.intrinsics()
                .iter()
                .any(|name| module.contains(&format!("@{name}(")))
        })
        .map(|(_, version)| version)
        .max()
}
