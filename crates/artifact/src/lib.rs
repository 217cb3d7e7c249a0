//! The format that is embedded in host binaries, and the key that joins launch and instance.
//!
//! # File format (version 1)
//! Everything is little-endian; `str` and `bytes` are a `u32` length and that many bytes; `vec` is a `u32` count and that
//! many items; `opt` is a `u8` 0 or 1 and, if 1, the item.
//!
//! ```text
//! "OXART\0"  u16 version  u64 checksum (FNV-1a 64 of all that follows)
//! str crate_name, arch, ptx, llvm_ir, toolchain, options
//! bytes side                      a SideTable in its own format
//! vec kernels: str key, ptx_name, symbol; u8 route; opt(u32 max_threads, u32 min_blocks);
//!              opt(str file, u32 line, u32 column);
//!              vec args: str name, str type_name, u64 size, u64 align, opt u64 layout_hash
//!              vec params: u32 arg, u64 offset, u64 size
//! vec stages:  opt str kernel, str stage, u32 length of the text, bytes text (zlib)
//! ```
//!
//! The side table: `"OXSIDE"  u16 version  vec files: str  vec functions: str
//! vec lines: u32 ptx_line, vec frames: u32 file, u32 line, u32 column, u32 function`.

mod format;
mod mangling;
mod side_table;

pub use device_copy::{fnv1a, fnv1a_bytes, layout_hash};
pub use format::FormatError;
pub use mangling::{ManglingError, canonical_instance, exact_instance, pretty};
pub use side_table::{Frame, ResolvedFrame, SideTable};

/// What the device pass made of one crate's kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Artifact {
    /// The crate that defines the kernels, as rustc's `--crate-name`.
    pub crate_name: String,
    /// `sm_80`.
    pub arch: String,
    /// The PTX that is loaded.
    pub ptx: String,
    /// The module as LLVM IR, for other targets; empty when it was not kept.
    pub llvm_ir: String,
    /// PTX line → Rust frames.
    pub side: SideTable,
    /// One entry for each `.entry` of the PTX.
    pub kernels: Vec<Kernel>,
    /// Texts of the stages, for reflection.
    pub stages: Vec<Stage>,
    /// `rustc --version` of the device pass.
    pub toolchain: String,
    /// The compiler options that shaped the PTX, in words (debug kind, fmad, optimisation…).
    pub options: String,
}

impl Artifact {
    /// The kernel with this key.
    pub fn kernel(&self, key: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.key == key)
    }

    /// The text of a stage: of one kernel, or of the whole module when `kernel` is `None`.
    pub fn stage(&self, kernel: Option<&str>, stage: &str) -> Option<&str> {
        let found = |s: &&Stage| s.stage == stage && s.kernel.as_deref() == kernel;
        self.stages.iter().find(found).map(|s| s.text.as_str())
    }
}

/// One compiled kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// `crate::module::name`, or for an instance of a generic kernel [`canonical_instance`] of its symbol.
    pub key: String,
    /// The name of its `.entry`.
    pub ptx_name: String,
    /// rustc's v0 symbol of the instance, with disambiguators; empty where it is not known.
    pub symbol: String,
    /// Which source of bodies the kernel was compiled from.
    pub route: Route,
    /// `#[launch_bounds(max_threads, min_blocks)]`; `min_blocks` 0 when it was not given.
    pub launch_bounds: Option<(u32, u32)>,
    /// Where the kernel is defined.
    pub source: Option<Source>,
    /// The Rust arguments in order.
    pub args: Vec<Arg>,
    /// The PTX parameters in order: byte ranges of the arguments.
    pub params: Vec<Param>,
}

/// Where something stands in the Rust source (1-based).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// Which source of bodies a kernel was compiled from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    Mir,
    Llvm,
}

/// One Rust argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg {
    /// The name in the source, `_` when it has none.
    pub name: String,
    /// The type, for messages.
    pub type_name: String,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u64,
    /// [`layout_hash`] of the type (for slices: of the element) where the compiler knows it.
    pub layout_hash: Option<u64>,
}

/// One PTX parameter: the bytes `offset..offset + size` of argument `arg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Index into [`Kernel::args`].
    pub arg: u32,
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
}

/// The text of one stage of the pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The key of the kernel; `None` for a text of the whole module.
    pub kernel: Option<String>,
    /// `mir`, `dialect-mir`, `dialect-llvm`…
    pub stage: String,
    /// The text; compressed in the file.
    pub text: String,
}
