//! The simulator's library: beside this program when cargo built both, else built once from its sources into the cache.

use crate::{Said, files, toolchain};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library's file name.
pub const FILE: &str = if cfg!(target_os = "macos") {
    "libcuda_oxide_sim.dylib"
} else {
    "libcuda_oxide_sim.so"
};

/// Folders whose files decide what is in the library.
const SOURCES: &[&str] = &[
    "sim-driver",
    "gpu-sim",
    "ptx",
    "artifact",
    "device-copy",
    "cudbg",
    "cudbg-sim",
];

/// `crates/` of the repository that this program was built from.
pub fn crates_dir() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent()
        .map_or_else(|| here.to_path_buf(), Path::to_path_buf)
}

/// Where the library is, if it is there: as the user says, beside this program, or in the cache.
pub fn find() -> anyhow::Result<Option<PathBuf>> {
    if let Some(path) = std::env::var_os("CUDA_OXIDE_SIM")
        .filter(|p| !p.is_empty())
        .map(PathBuf::from)
    {
        if path.is_file() {
            return Ok(Some(path));
        }
        bail!(
            "CUDA_OXIDE_SIM is `{}`, which is no file\n  help: unset it to use the simulator of this cargo-oxide",
            path.display()
        );
    }
    let own = std::env::current_exe().unwrap_or_default();
    let beside = own
        .parent()
        .into_iter()
        .flat_map(|d| [d.join(FILE), d.join("deps").join(FILE)]);
    if let Some(path) = beside.into_iter().find(|p| p.is_file()) {
        return Ok(Some(path));
    }
    Ok(Some(cached()?).filter(|p| p.is_file()))
}

fn cached() -> anyhow::Result<PathBuf> {
    Ok(files::cache_dir()?
        .join("sim")
        .join(format!("{:016x}", fingerprint(&crates_dir())?))
        .join(FILE))
}

/// The library, built if need be.
pub fn get(quiet: bool) -> anyhow::Result<PathBuf> {
    if let Some(path) = find()? {
        return Ok(path);
    }
    let source = crates_dir().join("sim-driver");
    if !source.join("Cargo.toml").is_file() {
        bail!(
            "the sources of the simulator are gone from {}\n  help: install cargo-oxide again from a clone (cargo install --path crates/cargo-oxide), or set CUDA_OXIDE_SIM",
            source.display()
        );
    }
    if !quiet {
        crate::progress("Compiling", "the simulator (once)");
    }
    let cache = files::cache_dir()?;
    let target = cache.join("build");
    let status = Command::new(toolchain::cargo())
        .args([
            "build",
            "--quiet",
            "--release",
            "--package",
            "sim-driver",
            "--lib",
            "--manifest-path",
        ])
        .arg(source.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        // It is our code, with our settings; the repository's own Cargo.lock is used.
        .current_dir(&source)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .env_remove("RUSTC_WRAPPER")
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!(Said);
    }
    let to = cached()?;
    files::write_atomic(
        &to,
        &std::fs::read(target.join("release").join(FILE))
            .with_context(|| format!("{FILE} was not built"))?,
    )?;
    Ok(to)
}

/// Changes when a source of the library does.
fn fingerprint(crates: &Path) -> anyhow::Result<u64> {
    let mut paths = Vec::new();
    for name in SOURCES {
        collect(&crates.join(name).join("src"), &mut paths);
        paths.push(crates.join(name).join("Cargo.toml"));
    }
    paths.sort();
    let mut hash = 0;
    for path in paths {
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        hash = files::hash(&[&u64::to_le_bytes(hash), &bytes]);
    }
    Ok(hash)
}

fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, out);
        } else {
            out.push(path);
        }
    }
}

/// Whether a GPU's driver is installed, so that the simulator is not needed. `CUDA_OXIDE_DEVICE=sim` says no, `gpu` yes.
pub fn gpu_driver() -> bool {
    match std::env::var("CUDA_OXIDE_DEVICE").as_deref() {
        Ok("sim") => false,
        Ok("gpu") => true,
        _ => driver_devices().is_some_and(|n| n > 0),
    }
}

/// How many devices the driver of this machine has; `None` without a driver.
pub fn driver_devices() -> Option<i32> {
    // SAFETY: libcuda's initialisers are the driver's own; loading it is what every CUDA program does.
    let library = unsafe { libloading::Library::new("libcuda.so.1") }.ok()?;
    // SAFETY: both are exported by every libcuda with these prototypes (cuda.h: cuInit, cuDeviceGetCount).
    unsafe {
        let init: libloading::Symbol<unsafe extern "C" fn(u32) -> i32> =
            library.get(b"cuInit\0").ok()?;
        let count: libloading::Symbol<unsafe extern "C" fn(*mut i32) -> i32> =
            library.get(b"cuDeviceGetCount\0").ok()?;
        let mut n = 0;
        Some(if init(0) == 0 && count(&mut n) == 0 {
            n
        } else {
            0
        })
    }
}
