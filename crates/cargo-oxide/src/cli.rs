//! What can be typed: the commands and their options.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  cargo oxide new mine && cd mine && cargo oxide run
  cargo oxide run vecadd                       a workspace member, a binary or an example, by name
  cargo oxide run --release --example demo -- --size 1000
  cargo oxide inspect vecadd --stage ptx --arch sm_90
  cargo oxide pipeline vecadd
  cargo oxide doctor

Exit codes:
  run and test give the program's own; 101: something did not build; 2: a wrong command line;
  1: doctor found something that keeps kernels from building or running.";

/// Compiles the kernels of a crate, and the crate with them inside.
#[derive(Parser, Debug)]
#[command(name = "cargo oxide", bin_name = "cargo oxide", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Make a crate with a kernel that runs at once
    #[command(after_help = "Example:\n  cargo oxide new mine && cd mine && cargo oxide run")]
    New(NewArgs),
    /// Compile the kernels and the crate
    #[command(
        after_help = "Examples:\n  cargo oxide build\n  cargo oxide build --workspace --release --arch sm_90"
    )]
    Build(BuildArgs),
    /// Build and run a program, on the GPU if there is one, else on the simulator
    #[command(
        after_help = "Examples:\n  cargo oxide run vecadd\n  cargo oxide run --release -- --size 1000"
    )]
    Run(RunArgs),
    /// Build a program and run it on the simulator, under the debugger
    #[command(
        after_help = "Examples:\n  cargo oxide debug vecadd\n  cargo oxide debug vecadd --batch -x commands.txt\nIn it: break main.rs:17, run, info cuda threads, print a, next, continue; help says more."
    )]
    Debug(DebugArgs),
    /// Build and run tests that launch kernels
    #[command(
        after_help = "Examples:\n  cargo oxide test\n  cargo oxide test -p mine -- --nocapture"
    )]
    Test(RunArgs),
    /// Print one stage of the kernels, alone on standard output
    #[command(
        after_help = "Examples:\n  cargo oxide inspect vecadd --stage ptx\n  cargo oxide inspect vecadd --stage mir --kernel vecadd\n  cargo oxide inspect vecadd --annotate --arch sm_90\n  cargo oxide inspect vecadd --html > vecadd.html\n  cargo oxide inspect some.cubin --usage"
    )]
    Inspect(InspectArgs),
    /// Print every stage of one kernel, one after the other
    #[command(after_help = "Example:\n  cargo oxide pipeline vecadd --kernel vecadd")]
    Pipeline(PipelineArgs),
    /// Say what was found on this machine, and what mends what was not
    Doctor(DoctorArgs),
    /// NVIDIA's ptxas and nvdisasm, for looking closer: never needed to build or run
    #[command(
        after_help = "Examples:\n  cargo oxide toolchain install\n  $(cargo oxide toolchain path ptxas) --version"
    )]
    Toolchain(ToolchainArgs),
    /// Remove what cargo oxide has built for the device (the rest is cargo's: `cargo clean`)
    Clean(CleanArgs),
}

#[derive(Args, Debug)]
pub struct NewArgs {
    /// Folder and name of the crate
    #[arg(value_name = "NAME")]
    pub path: PathBuf,
    /// Package name, if it is not the folder's
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

/// Which crates: cargo's own words, handed on to cargo.
#[derive(Args, Debug, Default, Clone)]
pub struct Selection {
    /// Package of the workspace
    #[arg(short, long, value_name = "SPEC", help_heading = "What to build")]
    pub package: Vec<String>,
    /// Every member of the workspace
    #[arg(long, help_heading = "What to build")]
    pub workspace: bool,
    /// The library
    #[arg(long, help_heading = "What to build")]
    pub lib: bool,
    /// One binary
    #[arg(long, value_name = "NAME", help_heading = "What to build")]
    pub bin: Vec<String>,
    /// One example
    #[arg(long, value_name = "NAME", help_heading = "What to build")]
    pub example: Vec<String>,
    /// Features to switch on
    #[arg(
        short = 'F',
        long,
        value_name = "FEATURES",
        help_heading = "What to build"
    )]
    pub features: Vec<String>,
    /// Every feature
    #[arg(long, help_heading = "What to build")]
    pub all_features: bool,
    /// Not the `default` feature
    #[arg(long, help_heading = "What to build")]
    pub no_default_features: bool,
    /// With the release profile
    #[arg(
        short,
        long,
        conflicts_with = "profile",
        help_heading = "What to build"
    )]
    pub release: bool,
    /// With this profile
    #[arg(long, value_name = "PROFILE", help_heading = "What to build")]
    pub profile: Option<String>,
    /// Path of Cargo.toml
    #[arg(long, value_name = "PATH", help_heading = "Cargo")]
    pub manifest_path: Option<PathBuf>,
    /// Folder for everything built
    #[arg(long, value_name = "DIR", help_heading = "Cargo")]
    pub target_dir: Option<PathBuf>,
    /// Parallel jobs of cargo
    #[arg(short, long, value_name = "N", help_heading = "Cargo")]
    pub jobs: Option<String>,
    /// Cargo.lock must stay as it is
    #[arg(long, help_heading = "Cargo")]
    pub locked: bool,
    /// No network
    #[arg(long, help_heading = "Cargo")]
    pub offline: bool,
    /// --locked and --offline
    #[arg(long, help_heading = "Cargo")]
    pub frozen: bool,
    /// Say what rustc and our part took, and which bodies came from where
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// No progress lines
    #[arg(short, long)]
    pub quiet: bool,
    /// Colours
    #[arg(long, value_name = "WHEN", value_enum)]
    pub color: Option<Color>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// How kernels are compiled.
#[derive(Args, Debug, Default, Clone)]
#[command(next_help_heading = "Kernels")]
pub struct KernelOptions {
    /// GPU architecture, such as sm_90 [default: CUDA_OXIDE_TARGET, else sm_80]
    #[arg(long, value_name = "sm_XX", value_parser = arch)]
    pub arch: Option<String>,
    /// Let multiplications and additions fuse, as nvcc does; results may then differ from the CPU's in the last bit
    #[arg(long)]
    pub fmad: bool,
    /// Debug information in the PTX: off, line-tables or full [default: off; line-tables if no word follows; CUDA_OXIDE_DEBUG overrides]
    #[arg(short = 'g', long, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "line-tables")]
    pub debuginfo: Option<DebugInfo>,
    /// Source of kernel bodies: rustc's MIR, or rustc's LLVM IR
    #[arg(long, value_name = "ROUTE")]
    pub route: Option<Route>,
    /// Overflow checks in kernels [default: the profile's]
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes")]
    pub overflow_checks: Option<YesNo>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum DebugInfo {
    Off,
    LineTables,
    Full,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    Mir,
    Llvm,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum YesNo {
    Yes,
    No,
}

fn arch(text: &str) -> Result<String, String> {
    let digits = text.strip_prefix("sm_").unwrap_or("");
    let number = digits.trim_end_matches(['a', 'f']);
    match number.parse::<u32>() {
        Ok(n) if (50..=200).contains(&n) && digits.len() - number.len() <= 1 => {
            Ok(text.to_string())
        }
        _ => Err("an architecture looks like sm_80 or sm_90a".to_string()),
    }
}

#[derive(Args, Debug)]
pub struct BuildArgs {
    /// A workspace member, a binary or an example
    #[arg(value_name = "TARGET")]
    pub target: Option<String>,
    #[command(flatten)]
    pub selection: Selection,
    #[command(flatten)]
    pub kernels: KernelOptions,
}

#[derive(Args, Debug)]
pub struct RunArgs {
    /// A workspace member, a binary or an example
    #[arg(value_name = "TARGET")]
    pub target: Option<String>,
    #[command(flatten)]
    pub selection: Selection,
    #[command(flatten)]
    pub kernels: KernelOptions,
    /// Arguments for the program
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<std::ffi::OsString>,
}

#[derive(Args, Debug)]
pub struct DebugArgs {
    /// Commands from a file, before any are asked for
    #[arg(short = 'x', long, value_name = "FILE")]
    pub command: Vec<PathBuf>,
    /// Leave when the files are done; the exit code is 1 if a command failed, else the program's
    #[arg(long)]
    pub batch: bool,
    /// On a GPU (not supported yet)
    #[arg(long)]
    pub native: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// What rustc printed for the kernel
    Mir,
    /// Its translation, before stack slots become values
    DialectMir,
    /// The same, after it
    DialectMirSsa,
    /// Lowered: LLVM and NVVM operations
    DialectLlvm,
    /// LLVM IR text
    Llvm,
    /// What the driver or the simulator gets
    Ptx,
    /// What the GPU executes, by ptxas and nvdisasm
    Sass,
}

#[derive(Args, Debug)]
pub struct InspectArgs {
    /// A workspace member, a binary or an example; or a file: a cubin or a fat binary
    #[arg(value_name = "TARGET")]
    pub target: Option<String>,
    /// The stage [default: ptx]
    #[arg(long, value_name = "STAGE")]
    pub stage: Option<Stage>,
    #[command(flatten)]
    pub look: crate::look::LookArgs,
    /// One kernel alone, by its name or the end of its path
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    #[command(flatten)]
    pub selection: Selection,
    #[command(flatten)]
    pub kernels: KernelOptions,
}

#[derive(Args, Debug)]
pub struct PipelineArgs {
    /// A workspace member, a binary or an example
    #[arg(value_name = "TARGET")]
    pub target: Option<String>,
    /// The kernel, by its name or the end of its path, if there are several
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    #[command(flatten)]
    pub selection: Selection,
    #[command(flatten)]
    pub kernels: KernelOptions,
}

#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Path of Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct ToolchainArgs {
    #[command(subcommand)]
    pub command: ToolchainCommand,
}

#[derive(Subcommand, Debug)]
pub enum ToolchainCommand {
    /// Fetch them from the Python package index, by pip or uv, into a folder of cargo oxide's
    Install {
        /// Also tileiras, the assembler of CUDA Tile
        #[arg(long)]
        tileiras: bool,
    },
    /// Print where a tool is
    Path {
        #[arg(value_name = "TOOL", value_parser = ["ptxas", "nvdisasm", "tileiras"])]
        tool: String,
    },
}

#[derive(Args, Debug)]
pub struct CleanArgs {
    /// Path of Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
    /// Folder for everything built
    #[arg(long, value_name = "DIR")]
    pub target_dir: Option<PathBuf>,
    /// Also what is kept for all crates: the simulator's library and found toolchains
    #[arg(long)]
    pub cache: bool,
}
