//! From the files of a device pass to an artifact: the rooms of the compiler in their order.
//!
//! ```text
//! let compiler = Compiler::new(units, options, Box::new(ir));   // reads nothing yet
//! compiler.kernels()?;                                          // names of the kernels of the `Own` unit
//! compiler.stage(Some("vecadd"), Stage::DialectMir)?.text;      // no further than that stage
//! compiler.artifact()?.artifact;                                // everything
//! ```
//! Whatever goes wrong comes as [`Diagnostics`], which print like rustc's own.

mod diagnostics;
mod kernels;
mod mir_route;
mod pipeline;
mod statics;

pub use artifact::Artifact;
pub use diagnostics::{Diagnostic, Diagnostics, Label, Level};
pub use kernels::is_named;
pub use pipeline::Compiler;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One kernel crate of a device pass.
#[derive(Clone, Debug)]
pub struct Unit {
    pub crate_name: String,
    /// What rustc's `--emit=mir` wrote.
    pub mir: PathBuf,
    /// Its metadata; of a program, an empty file.
    pub metadata: PathBuf,
    /// The folder in which rustc ran: relative file names in spans start there.
    pub root: PathBuf,
    pub role: Role,
}

/// What a unit is to the crate whose kernels are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// That crate. There is exactly one.
    Own,
    /// A crate under it: bodies come from there.
    Dependency,
    /// A crate above it: it may hold instances of generic kernels.
    Dependent,
}

/// rustc's LLVM IR of a unit, asked for only when something needs it.
pub trait LlvmIr {
    /// The `.ll` file of the unit with this index, made if need be, with at least these instances in it.
    fn llvm_ir(&self, unit: usize, needed: Instances) -> Result<PathBuf, String>;
    /// The `.ll` file of the crate `libm`, which defines mathematical functions.
    fn libm(&self) -> Result<PathBuf, String>;
}

/// How much of a program's code is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instances {
    /// The kernels that are not generic, and what they call.
    OfKernels,
    /// Also what `main` reaches: instances of generic kernels are there.
    All,
}

/// Which source of bodies kernels are compiled from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteChoice {
    /// MIR, and LLVM IR for what MIR does not give.
    Automatic,
    /// MIR; a kernel that has to come from LLVM IR is an error.
    Mir,
    /// LLVM IR for everything.
    Llvm,
}

/// What the PTX says of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebugKind {
    Off,
    LineTables,
    Full,
}

/// What shapes the result.
#[derive(Clone, Debug)]
pub struct Options {
    /// `sm_90`; `None` is the default, raised to what the operations need.
    pub arch: Option<String>,
    pub debug: DebugKind,
    /// `--remap-path-prefix` of the crate's own rustc command line, in order: for the file names in PTX.
    pub remap: Vec<(String, String)>,
    /// Folders whose code users do not step through: cuda-device's own.
    pub library: Vec<PathBuf>,
    pub fmad: bool,
    pub route: RouteChoice,
    pub overflow_checks: bool,
    pub debug_assertions: bool,
    pub rustc: PathBuf,
    /// The target of the device pass, which is the host.
    pub host: String,
    /// `rustc --version`.
    pub toolchain: String,
    pub libllvm: PathBuf,
    pub sysroot: PathBuf,
}

/// A stage of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Mir,
    DialectMir,
    /// After mem2reg.
    DialectMirSsa,
    DialectLlvm,
    Llvm,
    Ptx,
}

impl Stage {
    /// The name in artifacts and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Mir => "mir",
            Stage::DialectMir => "dialect-mir",
            Stage::DialectMirSsa => "dialect-mir-ssa",
            Stage::DialectLlvm => "dialect-llvm",
            Stage::Llvm => "llvm",
            Stage::Ptx => "ptx",
        }
    }
}

/// What was compiled and what it took.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub kernels: Vec<KernelSummary>,
    pub timings: Vec<(&'static str, Duration)>,
}

/// One kernel, in the words of `-v`.
#[derive(Clone, Debug)]
pub struct KernelSummary {
    pub key: String,
    /// Functions whose bodies came from MIR.
    pub from_mir: Vec<String>,
    /// Functions whose bodies came from rustc's LLVM IR.
    pub from_llvm: Vec<String>,
}

impl fmt::Display for KernelSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: usize| {
            if n == 1 {
                "1 body".to_string()
            } else {
                format!("{n} bodies")
            }
        };
        write!(f, "{}: {} from MIR", self.key, count(self.from_mir.len()))?;
        if !self.from_llvm.is_empty() {
            write!(
                f,
                ", {} from LLVM IR ({})",
                count(self.from_llvm.len()),
                self.from_llvm.join(", ")
            )?;
        }
        Ok(())
    }
}

/// The text of one stage.
#[derive(Clone, Debug)]
pub struct Staged {
    pub text: String,
    pub summary: Summary,
    pub warnings: Diagnostics,
}

/// An artifact, with what is to be said of it.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub artifact: Artifact,
    pub summary: Summary,
    pub warnings: Diagnostics,
}

/// Opens a libLLVM and says its version.
pub fn check_llvm(path: &Path) -> Result<String, String> {
    use_llvm(path);
    let llvm =
        llvm_backend::Llvm::load().map_err(|e| e.to_string().replace("\nhelp:", "\n  help:"))?;
    let (major, minor, patch) = llvm.version();
    Ok(format!("LLVM {major}.{minor}.{patch}"))
}

/// Says which libLLVM the back end is to load, so that it need not ask rustc again.
fn use_llvm(path: &Path) {
    // `llc` and the programs beside it are named by that variable already.
    if std::env::var_os("CUDA_OXIDE_LLC").is_some_and(|p| !p.is_empty()) {
        return;
    }
    // SAFETY: the command has one thread at this time; the variable is what a user may set for the same end.
    unsafe { std::env::set_var("CUDA_OXIDE_LLVM", path) };
}

/// Reads an artifact, for the doctor.
pub fn read_artifact(bytes: &[u8]) -> Result<Artifact, String> {
    Artifact::from_bytes(bytes).map_err(|e| e.to_string())
}
