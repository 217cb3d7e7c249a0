//! What each line of Rust became, from the texts that an artifact or a cubin holds.
//!
//! [`Listing`] is the joined view of a module: for each kernel its PTX and SASS, each line with the Rust frames it came from
//! and what it does to memory. [`code_ptx`] and its kin give one kernel's text at a stage; [`device_code_ptx`] and its kin those of
//! every kernel that a closure launches. It prints as text ([`text`]), JSON (`serde`) and a page ([`html`]).

mod code;
mod device_code;
mod functions;
pub mod html;
mod listing;
mod model;
mod sources;
pub mod text;
mod usage;

pub use code::{
    Kernel, code_dialect_llvm, code_dialect_mir, code_llvm, code_mir, code_ptx, code_sass, kernel,
};
pub use device_code::{
    DeviceCode, Launched, device_code_dialect_llvm, device_code_dialect_mir, device_code_llvm,
    device_code_mir, device_code_ptx, device_code_sass, record,
};
pub use functions::{PtxFunction, ptx_functions, ptx_of_kernel, ptx_target};
pub use listing::{Tools, of_artifact, of_cubin};
pub use model::{Frame, KernelListing, Listing, Mark, PtxRow, SassRow};
pub use sources::Sources;
pub use usage::{KernelUsage, OccupancyRow};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Cubin(#[from] cubin::Error),
    #[error("no kernel is called `{name}`; there are: {there_are}")]
    NoKernel { name: String, there_are: String },
    #[error("`{name}` names several kernels: {kernels}")]
    Ambiguous { name: String, kernels: String },
    #[error(
        "this was built for {built}, and {asked} is older\n  help: build it with --arch {asked}"
    )]
    OlderArch { built: String, asked: String },
    #[error("no kernel was launched by this thread")]
    NothingLaunched,
    #[error("{0}")]
    NoArch(String),
    #[error(
        "`{kernel}` was not compiled by this project, so it has no {stage}; it has PTX and SASS"
    )]
    Foreign { kernel: String, stage: String },
    #[error(transparent)]
    Driver(#[from] cuda_core::DriverError),
    #[error("the artifact of `{crate_name}` holds no text of stage `{stage}`\n  help: {help}")]
    NoStage {
        crate_name: String,
        stage: String,
        help: String,
    },
}

pub type Result<T> = std::result::Result<T, Error>;
