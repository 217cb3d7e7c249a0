//! The joined view of a module.

use crate::usage::KernelUsage;
use serde::Serialize;

/// A module.
#[derive(Clone, Debug, Serialize)]
pub struct Listing {
    /// The crate, or the file.
    pub name: String,
    /// `sm_90a`: what the PTX is for, or the SASS, if there is some.
    pub arch: String,
    pub kernels: Vec<KernelListing>,
}

/// A kernel.
#[derive(Clone, Debug, Serialize)]
pub struct KernelListing {
    /// Its Rust path; in a foreign cubin the symbol.
    pub name: String,
    /// Its name in PTX and SASS.
    pub symbol: String,
    /// Its PTX, and that of functions which its SASS holds beside it.
    pub ptx: Vec<PtxRow>,
    /// Empty without ptxas.
    pub sass: Vec<SassRow>,
    /// What it takes; `None` without ptxas.
    pub usage: Option<KernelUsage>,
}

/// A line of PTX.
#[derive(Clone, Debug, Serialize)]
pub struct PtxRow {
    /// 1-based, in the text of the module.
    pub line: u32,
    pub text: String,
    /// Where it comes from, innermost first; empty where it is not known.
    pub frames: Vec<Frame>,
    pub mark: Mark,
}

/// An instruction.
#[derive(Clone, Debug, Serialize)]
pub struct SassRow {
    /// In bytes from the beginning of the kernel's section.
    pub address: u64,
    /// Hexadecimal.
    pub encoding: String,
    pub text: String,
    pub ptx_line: Option<u32>,
    /// As of [`PtxRow`].
    pub frames: Vec<Frame>,
    pub mark: Mark,
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Frame {
    pub file: String,
    pub line: u32,
    /// 0 where it is not known.
    pub column: u32,
    pub function: String,
}

/// What is worth seeing about an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// `load global 8 B`
    pub access: Option<String>,
    pub barrier: bool,
    pub spill: bool,
}

impl Mark {
    /// In a few words; nothing where nothing is worth seeing.
    pub fn words(&self) -> String {
        let mut words: Vec<&str> = Vec::new();
        if self.spill {
            words.push("SPILL");
        }
        words.extend(self.access.as_deref());
        if self.barrier {
            words.push("barrier");
        }
        words.join(", ")
    }
}

impl Listing {
    /// Keeps the lines that come from a place: `file.rs:42` (the file by the end of its path), inlined or not.
    pub fn keep_line(&mut self, file: &str, line: u32) {
        let here = |frames: &[Frame]| {
            frames
                .iter()
                .any(|f| f.line == line && is_path_end(&f.file, file))
        };
        for kernel in &mut self.kernels {
            kernel.ptx.retain(|r| here(&r.frames));
            kernel.sass.retain(|r| here(&r.frames));
        }
        self.kernels
            .retain(|k| !k.ptx.is_empty() || !k.sass.is_empty());
    }
}

/// Whether `end` is the path, or whole components of its end.
pub(crate) fn is_path_end(path: &str, end: &str) -> bool {
    path.strip_suffix(end)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || rest.ends_with('\\'))
}

#[cfg(test)]
mod tests {
    use super::is_path_end;

    #[test]
    fn ends_of_paths() {
        assert!(is_path_end("/a/src/main.rs", "main.rs"));
        assert!(is_path_end("/a/src/main.rs", "src/main.rs"));
        assert!(!is_path_end("/a/src/domain.rs", "main.rs"));
    }
}
