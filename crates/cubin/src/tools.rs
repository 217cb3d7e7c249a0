//! Where NVIDIA's tools are.

use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Ptxas,
    Nvdisasm,
}

impl Tool {
    pub fn name(self) -> &'static str {
        match self {
            Tool::Ptxas => "ptxas",
            Tool::Nvdisasm => "nvdisasm",
        }
    }

    /// The variable that names it.
    pub fn variable(self) -> &'static str {
        match self {
            Tool::Ptxas => "CUDA_OXIDE_PTXAS",
            Tool::Nvdisasm => "CUDA_OXIDE_NVDISASM",
        }
    }
}

/// A tool that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundTool {
    pub tool: Tool,
    pub path: PathBuf,
    /// How it was found, in words.
    pub by: String,
}

/// How deep `bin` folders are looked for in the toolchain folder (`nvidia/cu13/bin` of a wheel in a folder of its version).
const DEPTH: u32 = 5;

/// Finds a tool: `setting`, else the variable (both must be right), else PATH, `$CUDA_HOME/bin`, the Python environment, what
/// `cargo oxide toolchain install` fetched (`tools` or `toolchain` in `$CUDA_OXIDE_CACHE`, by default in the user's cache folder).
///
/// # Errors
/// [`Error::NoTool`] tells every place that was looked at.
pub fn find(tool: Tool, setting: Option<&Path>) -> Result<FoundTool> {
    let env = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
    let found = |path: PathBuf, by: &str| FoundTool {
        tool,
        path,
        by: by.to_string(),
    };
    let missing = |looked_at: String| Error::NoTool {
        tool: tool.name().to_string(),
        variable: tool.variable().to_string(),
        looked_at,
    };
    let explicit = match setting {
        Some(path) => Some((path.to_path_buf(), "as set")),
        None => env(tool.variable()).map(|p| (PathBuf::from(p), tool.variable())),
    };
    if let Some((path, by)) = explicit {
        return match path.is_file() {
            true => Ok(found(path, by)),
            false => Err(missing(format!(
                "{} ({by}), which is no file",
                path.display()
            ))),
        };
    }
    let file = format!("{}{}", tool.name(), std::env::consts::EXE_SUFFIX);
    let mut looked_at = vec!["PATH".to_string()];
    for folder in env("PATH").iter().flat_map(std::env::split_paths) {
        let path = folder.join(&file);
        if path.is_file() {
            return Ok(found(path, "PATH"));
        }
    }
    if let Some(home) = env("CUDA_HOME") {
        let path = Path::new(&home).join("bin").join(&file);
        if path.is_file() {
            return Ok(found(path, "CUDA_HOME"));
        }
        looked_at.push(path.display().to_string());
    }
    if let Some(environment) = env("VIRTUAL_ENV") {
        let versions = std::fs::read_dir(Path::new(&environment).join("lib"));
        for version in versions.into_iter().flatten().flatten() {
            let packages = version.path().join("site-packages/nvidia");
            if let Some(path) = within(&packages, &file, 2) {
                return Ok(found(path, "VIRTUAL_ENV"));
            }
        }
    }
    for folder in toolchain_dirs() {
        if let Some(path) = within(&folder, &file, DEPTH) {
            return Ok(found(path, "cargo oxide toolchain install"));
        }
        looked_at.push(folder.display().to_string());
    }
    Err(missing(looked_at.join(", ")))
}

fn toolchain_dirs() -> Vec<PathBuf> {
    let cache = cache_dir();
    let folders = cache
        .iter()
        .flat_map(|c| [c.join("tools"), c.join("toolchain")]);
    folders.collect()
}

fn cache_dir() -> Option<PathBuf> {
    let env = |name: &str| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    env("CUDA_OXIDE_CACHE").or_else(|| {
        let base = env("XDG_CACHE_HOME").or_else(|| env("HOME").map(|h| h.join(".cache")))?;
        Some(base.join("cuda-oxide"))
    })
}

/// `bin/<file>` in the folder or below it; of several the one whose folders sort last, which is the newest version.
fn within(folder: &Path, file: &str, depth: u32) -> Option<PathBuf> {
    let here = folder.join("bin").join(file);
    if here.is_file() {
        return Some(here);
    }
    let depth = depth.checked_sub(1)?;
    let mut folders: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter(|e| e.file_type().is_ok_and(|t| t.is_dir()))
        .map(|e| e.path())
        .collect();
    folders.sort_by_key(|p| version(p));
    folders.iter().rev().find_map(|f| within(f, file, depth))
}

/// Numbers compare as numbers: 13.10 is after 13.9.
fn version(path: &Path) -> (Vec<u64>, PathBuf) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let numbers = name
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|n| n.parse().ok())
        .collect();
    (numbers, path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_of_a_folder() {
        let dir = tempfile::tempdir().unwrap();
        for version in ["13.9.1", "13.10.2"] {
            let bin = dir.path().join(version).join("nvidia/cu13/bin");
            std::fs::create_dir_all(&bin).unwrap();
            std::fs::write(bin.join("ptxas"), "").unwrap();
        }
        let found = within(dir.path(), "ptxas", DEPTH).unwrap();
        assert!(found.starts_with(dir.path().join("13.10.2")), "{found:?}");
        assert_eq!(within(dir.path(), "nvdisasm", DEPTH), None);
    }

    #[test]
    fn a_setting_must_be_right() {
        let e = find(Tool::Ptxas, Some(Path::new("/nowhere/ptxas"))).unwrap_err();
        assert!(
            e.to_string()
                .contains("/nowhere/ptxas (as set), which is no file"),
            "{e}"
        );
    }
}
