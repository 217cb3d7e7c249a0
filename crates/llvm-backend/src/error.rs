//! Everything that can go wrong here, in words that say what to do.

use std::path::PathBuf;

use crate::Frame;

/// A function or variable that a kernel needs and that nothing defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// Its symbol.
    pub symbol: String,
    /// The function with a use of it, after inlining.
    pub user: String,
    /// Where the use is, innermost frame first; empty when there is no debug metadata.
    pub frames: Vec<Frame>,
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "cannot run `{rustc} --print sysroot`, by which rustc's libLLVM is found: {reason}\nhelp: install Rust with rustup (https://rustup.rs), or set CUDA_OXIDE_LLVM to the path of libLLVM {}",
        crate::LLVM_MAJOR
    )]
    NoRustc { rustc: String, reason: String },
    #[error("no libLLVM in {}\nhelp: use a toolchain from rustup (`rustup toolchain install 1.95.0`), or set CUDA_OXIDE_LLVM to the path of libLLVM {}", folder.display(), crate::LLVM_MAJOR)]
    NoLibrary { folder: PathBuf },
    #[error("cannot use {} as libLLVM: {reason}\nhelp: unset CUDA_OXIDE_LLVM to take the one in the Rust toolchain", path.display())]
    BrokenLibrary { path: PathBuf, reason: String },
    #[error("{} is LLVM {}.{}.{}, and LLVM {} is needed\nhelp: use Rust 1.95.0 (`rustup toolchain install 1.95.0`), or unset CUDA_OXIDE_LLVM", path.display(), version.0, version.1, version.2, crate::LLVM_MAJOR)]
    WrongVersion {
        path: PathBuf,
        version: (u32, u32, u32),
    },
    #[error("cannot use {} for CUDA_OXIDE_LLC: {reason}\nhelp: it names `llc` of LLVM {}, with `opt` and `llvm-link` beside it; unset it to take the libLLVM of the Rust toolchain", path.display(), crate::LLVM_MAJOR)]
    BrokenProgram { path: PathBuf, reason: String },
    #[error("{} is LLVM {}.{}.{}, and LLVM {} is needed\nhelp: let CUDA_OXIDE_LLC name an `llc` of LLVM {} (Debian: apt install llvm-{}), or unset it to take the libLLVM of the Rust toolchain", path.display(), version.0, version.1, version.2, crate::LLVM_MAJOR, crate::LLVM_MAJOR, crate::LLVM_MAJOR)]
    WrongProgram {
        path: PathBuf,
        version: (u32, u32, u32),
    },
    #[error("unknown GPU architecture `{0}`\nhelp: known are {known}", known = known_archs())]
    UnknownArch(String),
    #[error("there is no LLVM IR to compile")]
    Empty,
    #[error("LLVM cannot read {name}: {message}")]
    Parse { name: String, message: String },
    #[error("LLVM cannot link the modules: {0}")]
    Link(String),
    #[error("the LLVM IR is not valid: {0}")]
    Verify(String),
    #[error("LLVM's passes `{pipeline}` failed: {message}")]
    Passes { pipeline: String, message: String },
    #[error("LLVM cannot emit PTX: {0}")]
    Emit(String),
    #[error("LLVM cannot emit PTX for this code: {0}")]
    Fatal(String),
    #[error("{}", unresolved_text(.0))]
    Unresolved(Vec<Unresolved>),
    #[error(
        "LLVM {} does not know the intrinsic `{symbol}`, which `{user}` calls",
        crate::LLVM_MAJOR
    )]
    UnknownIntrinsic { symbol: String, user: String },
    #[error("internal error of the LLVM back end: {0}")]
    Internal(String),
}

fn known_archs() -> String {
    crate::Arch::all()
        .map(|arch| arch.name())
        .collect::<Vec<_>>()
        .join(", ")
}

fn unresolved_text(all: &[Unresolved]) -> String {
    let mut text = String::new();
    for one in all {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!(
            "nothing defines `{}`, which `{}` needs",
            one.symbol, one.user
        ));
        for frame in &one.frames {
            text.push_str(&format!(
                "\n  at {}:{}:{} in {}",
                frame.file, frame.line, frame.column, frame.function
            ));
        }
    }
    text
}
