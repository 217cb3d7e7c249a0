//! `cargo oxide toolchain`: NVIDIA's programs that are never needed to build or run, and good to have for looking closer.
//!
//! They are proprietary: nothing of them is in this repository, and pip or uv fetches them from the Python package index onto the
//! user's machine, of one version and by hash.

use crate::cli::{ToolchainArgs, ToolchainCommand};
use crate::{Said, files};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The version of every package below.
pub const VERSION: &str = "13.5.37";

/// A package of the Python package index, with the SHA-256 of its wheels for Linux.
struct Package {
    name: &'static str,
    x86_64: &'static str,
    aarch64: &'static str,
    /// Fetched only with `--tileiras`.
    tileiras: bool,
}

const PACKAGES: &[Package] = &[
    Package {
        name: "nvidia-cuda-nvcc",
        x86_64: "f5c4f7ead5d964fb4af42bbf1e6d3ec3c1e6e9d83b53749f691d387e7fcaa3a7",
        aarch64: "588eda18eb5076ae859fe272844b526459228af22df0b117f54eec3aa82bc9c8",
        tileiras: false,
    },
    Package {
        name: "nvidia-cuda-nvdisasm",
        x86_64: "d3fdbdd49fa53e2e4aacd3db8259d052bd2b049ececdcb69e92e083c6728e7ca",
        aarch64: "a3a8248074edb9fba63b74c38a5416b712a91ab09e70b8ab37186c3d293fc605",
        tileiras: false,
    },
    Package {
        name: "nvidia-cuda-tileiras",
        x86_64: "d1657aa03ef05bba0ae22baa34728d955fa11524ef3be5a4f6401ef589dba5b5",
        aarch64: "095bc8ab525f5c551a1fff55f00e684d7c3ef6303513307e60d28924f5fb02bc",
        tileiras: true,
    },
    // Of tileiras: it looks for libNVVM beside itself.
    Package {
        name: "nvidia-nvvm",
        x86_64: "c41bfa362e407405163f103c2229f0765f8cc2ed7d148b754dc77f228bf7e070",
        aarch64: "b659bd3115b7ac7ec8931e67d0e2c0dd09cd35b08a6a7372df6f8f22c67da80a",
        tileiras: true,
    },
];

/// Where the wheels have their programs.
const BIN: &str = "nvidia/cu13/bin";

/// A program that can be looked for, and the variable that names it.
pub const TOOLS: &[(&str, &str)] = &[
    ("ptxas", "CUDA_OXIDE_PTXAS"),
    ("nvdisasm", "CUDA_OXIDE_NVDISASM"),
    ("tileiras", "CUDA_OXIDE_TILEIRAS"),
];

/// Where a tool is and how it was found: its variable, `PATH`, `CUDA_HOME`, a Python environment, `toolchain install`. An error if
/// the variable names no file.
pub fn find(tool: &str) -> anyhow::Result<Option<(PathBuf, &'static str)>> {
    let known = TOOLS.iter().find(|(name, _)| *name == tool);
    if let Some((_, variable)) = known
        && let Some(path) = std::env::var_os(variable).filter(|p| !p.is_empty())
    {
        let path = PathBuf::from(path);
        if path.is_file() {
            return Ok(Some((path, variable)));
        }
        bail!(
            "{variable} is `{}`, which is no file\n  help: unset it, or let it name {tool}",
            path.display()
        );
    }
    if let Some(path) = files::which(tool) {
        return Ok(Some((path, "PATH")));
    }
    let folder = |name: &str| {
        std::env::var_os(name)
            .filter(|d| !d.is_empty())
            .map(PathBuf::from)
    };
    let home = folder("CUDA_HOME").map(|h| (h.join("bin"), "CUDA_HOME"));
    let environment = folder("VIRTUAL_ENV").into_iter().flat_map(|e| {
        let versions = std::fs::read_dir(e.join("lib"))
            .into_iter()
            .flatten()
            .flatten();
        versions.map(|v| (v.path().join("site-packages").join(BIN), "VIRTUAL_ENV"))
    });
    let own = installed()
        .ok()
        .map(|d| (d.join(BIN), "cargo oxide toolchain install"));
    let mut all = home.into_iter().chain(environment).chain(own);
    Ok(all.find_map(|(dir, how)| Some((dir.join(tool), how)).filter(|(p, _)| p.is_file())))
}

/// The folder of `toolchain install`.
fn installed() -> anyhow::Result<PathBuf> {
    Ok(files::cache_dir()?.join("tools").join(VERSION))
}

pub fn run(args: &ToolchainArgs) -> anyhow::Result<()> {
    match &args.command {
        ToolchainCommand::Install { tileiras } => install(*tileiras),
        ToolchainCommand::Path { tool } => match find(tool)? {
            Some((path, _)) => {
                println!("{}", path.display());
                Ok(())
            }
            None => bail!(
                "there is no {tool} on this machine\n  help: cargo oxide toolchain install{}",
                if tool == "tileiras" {
                    " --tileiras"
                } else {
                    ""
                }
            ),
        },
    }
}

/// A program that fetches packages by a list of hashes and unpacks them.
fn installer() -> anyhow::Result<Command> {
    let answers = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).arg("--version");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|s| s.success())
    };
    for python in ["python3", "python"] {
        if answers(python, &["-m", "pip"]) {
            let mut command = Command::new(python);
            command.args([
                "-m",
                "pip",
                "--disable-pip-version-check",
                "install",
                "--no-compile",
            ]);
            return Ok(command);
        }
    }
    if answers("uv", &[]) {
        let mut command = Command::new("uv");
        command.args(["pip", "install"]);
        return Ok(command);
    }
    bail!(
        "neither `python3 -m pip` nor `uv` is here to fetch the packages with\n  help: Debian and Ubuntu: apt install python3-pip; Fedora: dnf install python3-pip; or https://docs.astral.sh/uv"
    )
}

/// What pip is told: it refuses a file whose hash is another.
fn requirements(tileiras: bool, arch: &str) -> Option<String> {
    let mut out = String::new();
    for package in PACKAGES.iter().filter(|p| tileiras || !p.tileiras) {
        let hash = match arch {
            "x86_64" => package.x86_64,
            "aarch64" => package.aarch64,
            _ => return None,
        };
        out += &format!("{}=={VERSION} --hash=sha256:{hash}\n", package.name);
    }
    Some(out)
}

fn install(tileiras: bool) -> anyhow::Result<()> {
    let to = installed()?;
    let wanted = if tileiras {
        &["ptxas", "nvdisasm", "tileiras"][..]
    } else {
        &["ptxas", "nvdisasm"]
    };
    if wanted.iter().all(|t| to.join(BIN).join(t).is_file()) {
        crate::progress(
            "Installed",
            &format!(
                "already: {} in {}",
                wanted.join(", "),
                to.join(BIN).display()
            ),
        );
        return Ok(());
    }
    let list =
        (std::env::consts::OS == "linux").then(|| requirements(tileiras, std::env::consts::ARCH));
    let Some(list) = list.flatten() else {
        bail!(
            "there are packages for Linux on x86_64 and aarch64, and this is {} on {}\n  help: install NVIDIA's CUDA toolkit and set CUDA_HOME",
            std::env::consts::OS,
            std::env::consts::ARCH
        );
    };
    let mut command = installer()?;
    let parent = to.parent().context("the cache has no parent folder")?;
    std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    let part = parent.join(format!(".{VERSION}.{}", std::process::id()));
    let result = fetch(&mut command, &part, &list, wanted).and_then(|()| {
        // What was there before has less in it.
        let _ = std::fs::remove_dir_all(&to);
        std::fs::rename(&part, &to).with_context(|| format!("cannot make {}", to.display()))
    });
    if result.is_err() {
        let _ = std::fs::remove_dir_all(&part);
    }
    result?;
    crate::progress(
        "Installed",
        &format!("{} in {}", wanted.join(", "), to.join(BIN).display()),
    );
    Ok(())
}

fn fetch(command: &mut Command, part: &Path, list: &str, tools: &[&str]) -> anyhow::Result<()> {
    let file = part.join("requirements.txt");
    files::write_atomic(&file, list.as_bytes())?;
    crate::progress(
        "Fetching",
        &format!(
            "NVIDIA's tools {VERSION} (proprietary, by their licence) from the Python package index"
        ),
    );
    // Its progress is shown as it is; standard output is ours.
    let status = command
        .args([
            "--no-deps",
            "--require-hashes",
            "--only-binary",
            ":all:",
            "--target",
        ])
        .arg(part)
        .arg("--requirement")
        .arg(&file)
        .stdout(std::io::stderr())
        .status()
        .context("cannot run the installer")?;
    if !status.success() {
        eprintln!(
            "{}: the packages were not installed; nothing is left of them",
            crate::paint("error", "1;31")
        );
        bail!(Said);
    }
    for tool in tools {
        let path = part.join(BIN).join(tool);
        runnable(&path)?;
        let out = Command::new(&path).arg("--version").output();
        let out = out.with_context(|| format!("{tool} does not start"))?;
        if !out.status.success() {
            bail!(
                "{tool} does not run: {}",
                String::from_utf8_lossy(&out.stderr).trim()
            );
        }
    }
    Ok(())
}

/// Not every installer keeps the run bit of a file in a wheel.
#[cfg(unix)]
fn runnable(path: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let all = std::fs::read_dir(path.parent().unwrap_or(path));
    for entry in all.with_context(|| format!("the packages have no {}", path.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::set_permissions(entry.path(), std::fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn runnable(_: &Path) -> anyhow::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_has_two_hashes_of_its_own() {
        let mut hashes: Vec<&str> = PACKAGES
            .iter()
            .flat_map(|p| [p.x86_64, p.aarch64])
            .collect();
        assert!(
            hashes
                .iter()
                .all(|h| h.len() == 64 && h.bytes().all(|b| b.is_ascii_hexdigit()))
        );
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 2 * PACKAGES.len());
        assert_eq!(requirements(false, "x86_64").unwrap().lines().count(), 2);
        assert_eq!(requirements(true, "aarch64").unwrap().lines().count(), 4);
        assert_eq!(requirements(true, "riscv64"), None);
    }
}
