//! The one toolchain: which rustc cargo will run, whether it is the supported one, and where its LLVM is.

use crate::{cargo_config::CargoConfig, files};
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The rustc whose MIR is read and whose LLVM is loaded.
pub const SUPPORTED: &str = "1.95.0";

/// A rustc, asked once and remembered while its file stays the same.
#[derive(Serialize, Deserialize, Debug, Clone)]
pub struct Toolchain {
    pub rustc: PathBuf,
    pub version: String,
    pub release: String,
    pub host: String,
    pub sysroot: PathBuf,
    stamp: Option<(u64, u128)>,
    selector: String,
}

/// The cargo that runs this command, or the one on PATH.
pub fn cargo() -> PathBuf {
    std::env::var_os("CARGO")
        .filter(|c| !c.is_empty())
        .map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

impl Toolchain {
    /// Finds the rustc that cargo will use here.
    pub fn find(config: &CargoConfig) -> anyhow::Result<Self> {
        let rustc = match std::env::var_os("RUSTC")
            .filter(|r| !r.is_empty())
            .map(PathBuf::from)
        {
            Some(rustc) => rustc,
            None => match config.string("build.rustc")? {
                Some(rustc) => PathBuf::from(rustc),
                // Beside the real cargo, so that rustup's proxy is not asked again.
                None => {
                    let beside =
                        std::env::var_os("CARGO").map(|c| Path::new(&c).with_file_name("rustc"));
                    beside
                        .filter(|r| r.is_file())
                        .unwrap_or_else(|| PathBuf::from("rustc"))
                }
            },
        };
        let file = if rustc.components().count() == 1 {
            files::which(&rustc.to_string_lossy())
        } else {
            Some(rustc.clone())
        };
        let stamp = file.as_deref().and_then(files::stamp);
        let selector = std::env::var("RUSTUP_TOOLCHAIN").unwrap_or_default();
        // A proxy answers differently in different folders; only a real rustc is remembered.
        let proxy = rustc.components().count() == 1;
        let memory = files::cache_dir().ok().map(|d| d.join("toolchains"));
        let key = format!(
            "{:016x}.json",
            files::hash(&[rustc.as_os_str().as_encoded_bytes(), selector.as_bytes()])
        );
        if let (false, Some(memory)) = (proxy, &memory)
            && let Some(known) = std::fs::read(memory.join(&key))
                .ok()
                .and_then(|b| serde_json::from_slice::<Toolchain>(&b).ok())
            && known.stamp == stamp
            && known.rustc == rustc
            && known.selector == selector
        {
            return Ok(known);
        }
        let found = Self::ask(&rustc, stamp, selector)?;
        if let (false, Some(memory)) = (proxy, memory) {
            // Not being able to remember costs a few milliseconds, no more.
            let _ = files::write_atomic(&memory.join(key), &serde_json::to_vec(&found)?);
        }
        Ok(found)
    }

    fn ask(rustc: &Path, stamp: Option<(u64, u128)>, selector: String) -> anyhow::Result<Self> {
        let run = |args: &[&str]| -> anyhow::Result<String> {
            let out = Command::new(rustc).args(args).output().with_context(|| {
                format!(
                    "cannot run `{}`; rustup installs it: https://rustup.rs",
                    rustc.display()
                )
            })?;
            if !out.status.success() {
                bail!(
                    "`{} {}` failed: {}",
                    rustc.display(),
                    args.join(" "),
                    String::from_utf8_lossy(&out.stderr).trim()
                );
            }
            Ok(String::from_utf8_lossy(&out.stdout).into_owned())
        };
        let verbose = run(&["-vV"])?;
        let field = |name: &str| {
            verbose
                .lines()
                .find_map(|l| l.strip_prefix(name))
                .map(|v| v.trim().to_string())
                .unwrap_or_default()
        };
        let sysroot = run(&["--print", "sysroot"])
            .map(|s| PathBuf::from(s.trim()))
            .unwrap_or_default();
        Ok(Toolchain {
            rustc: rustc.to_path_buf(),
            version: verbose.lines().next().unwrap_or_default().to_string(),
            release: field("release:"),
            host: field("host:"),
            sysroot,
            stamp,
            selector,
        })
    }

    /// The supported rustc, or an error that says how to get it.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.release == SUPPORTED {
            return Ok(());
        }
        bail!(
            "this is `{}` ({}), and kernels need rustc {SUPPORTED} exactly: its MIR is read and its LLVM is loaded\n  \
             help: rustup toolchain install {SUPPORTED}, and put this into rust-toolchain.toml beside Cargo.toml:\n        \
             [toolchain]\n        channel = \"{SUPPORTED}\"",
            if self.version.is_empty() {
                "an unknown rustc"
            } else {
                &self.version
            },
            self.rustc.display(),
        )
    }

    /// The LLVM: `llc` if `CUDA_OXIDE_LLC` names it, else the one that rustc carries, the largest `libLLVM*` of the toolchain (the others are linker scripts), unless `CUDA_OXIDE_LLVM` names one.
    pub fn libllvm(&self) -> anyhow::Result<PathBuf> {
        for variable in ["CUDA_OXIDE_LLC", "CUDA_OXIDE_LLVM"] {
            let Some(path) = std::env::var_os(variable).filter(|p| !p.is_empty()) else {
                continue;
            };
            let path = PathBuf::from(path);
            if path.is_file() {
                return Ok(path);
            }
            bail!(
                "{variable} is `{}`, which is no file\n  help: unset it to use the LLVM of rustc",
                path.display()
            );
        }
        let lib = self.sysroot.join("lib");
        let candidates = std::fs::read_dir(&lib)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|e| e.file_name().to_string_lossy().starts_with("libLLVM"));
        let best = candidates
            .filter_map(|e| Some((e.metadata().ok()?.len(), e.path())))
            .max();
        match best {
            Some((len, path)) if len > 1 << 20 => Ok(path),
            _ => bail!(
                "there is no libLLVM in {}\n  help: the toolchains of rustup have it (rustup toolchain install {SUPPORTED}); \
                 with one from elsewhere, set CUDA_OXIDE_LLVM to the path of a libLLVM 22, or CUDA_OXIDE_LLC to that of its llc",
                lib.display()
            ),
        }
    }
}

/// A C compiler to link host programs with, where cargo's own settings name no other linker.
pub fn linker(config: &CargoConfig, host: &str) -> anyhow::Result<String> {
    let variable = format!(
        "CARGO_TARGET_{}_LINKER",
        host.to_uppercase().replace(['-', '.'], "_")
    );
    if let Ok(linker) = std::env::var(&variable) {
        return Ok(linker);
    }
    if config.mentions("linker") || std::env::var("RUSTFLAGS").is_ok_and(|f| f.contains("linker")) {
        return Ok("as Cargo's settings say".to_string());
    }
    match files::which("cc") {
        Some(path) => Ok(path.display().to_string()),
        None => bail!(
            "there is no linker: `cc` is not on PATH\n  help: install a C compiler (Debian and Ubuntu: apt install gcc; Fedora: dnf install gcc)"
        ),
    }
}
