use std::path::PathBuf;

/// What can be wrong with a file, or with running a tool on it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("this is neither a cubin (an ELF file) nor a fat binary: it begins with {begins}")]
    NotCubin { begins: String },
    #[error("this ELF file is for {machine}, and cubins have machine 190 (NVIDIA CUDA)")]
    WrongMachine { machine: String },
    #[error("the ELF file is damaged or cut off: {0}")]
    Elf(String),
    #[error("{what} is damaged: {why}")]
    Damaged { what: String, why: String },
    /// The section is not there.
    #[error("there is no section `{looked_for}` in this cubin: {why}")]
    MissingSection { looked_for: String, why: String },
    /// Refused because reading it would take far more memory than the file has bytes.
    #[error(
        "{what} would take more than {limit} bytes of memory, which no tool writes into a file of this size"
    )]
    TooLarge { what: String, limit: usize },
    #[error("the fat binary holds no {wanted}; it holds: {holds}")]
    NotInFatbin { wanted: String, holds: String },
    #[error(
        "cannot find {tool}: looked at {looked_at}\n  help: set {variable} to its path, or install it with `cargo oxide toolchain install`"
    )]
    NoTool {
        tool: String,
        variable: String,
        looked_at: String,
    },
    #[error("cannot run {}: {error}", path.display())]
    CannotRun {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("{tool} failed: {said}")]
    ToolFailed { tool: String, said: String },
    #[error("cannot understand what {tool} printed: {why}")]
    ToolOutput { tool: String, why: String },
    #[error("no occupancy figures are known for {0}")]
    UnknownSm(String),
}

pub type Result<T> = std::result::Result<T, Error>;

pub(crate) fn damaged(what: impl Into<String>, why: impl Into<String>) -> Error {
    Error::Damaged {
        what: what.into(),
        why: why.into(),
    }
}
