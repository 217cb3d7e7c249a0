//! Files that are whole or not there, and processes that take this one's place.

use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes a file so that no reader ever sees a part of it.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    let temporary = parent.join(format!(
        ".{}.{}",
        path.file_name().unwrap_or_default().to_string_lossy(),
        std::process::id()
    ));
    let result = std::fs::write(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, path));
    if result.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    result.with_context(|| format!("cannot write {}", path.display()))
}

/// The same, if the bytes are not there already; says whether it wrote.
pub fn write_if_changed(path: &Path, bytes: &[u8]) -> anyhow::Result<bool> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(false);
    }
    write_atomic(path, bytes)?;
    Ok(true)
}

/// Replaces this process by the command, so that signals and exit codes are the program's own.
#[cfg(unix)]
pub fn exec(mut command: Command) -> anyhow::Result<i32> {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    Err(error).with_context(|| format!("cannot run {}", Path::new(command.get_program()).display()))
}

#[cfg(not(unix))]
pub fn exec(mut command: Command) -> anyhow::Result<i32> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {}", Path::new(command.get_program()).display()))?;
    Ok(status.code().unwrap_or(101))
}

/// What is kept for all crates: `CUDA_OXIDE_CACHE`, else the user's cache folder.
pub fn cache_dir() -> anyhow::Result<PathBuf> {
    if let Some(dir) = std::env::var_os("CUDA_OXIDE_CACHE").filter(|d| !d.is_empty()) {
        return Ok(PathBuf::from(dir));
    }
    let base = std::env::var_os("XDG_CACHE_HOME")
        .filter(|d| !d.is_empty())
        .map(PathBuf::from);
    let base = base.or_else(|| std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".cache")));
    Ok(base
        .context("neither CUDA_OXIDE_CACHE nor HOME is set")?
        .join("cuda-oxide"))
}

/// Length and time of a file in one number pair: what changes when it is written.
pub fn stamp(path: &Path) -> Option<(u64, u128)> {
    let meta = std::fs::metadata(path).ok()?;
    let time = meta
        .modified()
        .ok()?
        .duration_since(std::time::UNIX_EPOCH)
        .ok()?;
    Some((meta.len(), time.as_nanos()))
}

/// FNV-1a, for names and freshness; nothing here needs more.
pub fn hash(parts: &[&[u8]]) -> u64 {
    let mut h = 0xcbf2_9ce4_8422_2325u64;
    for part in parts {
        for byte in part.iter().chain(&(part.len() as u64).to_le_bytes()) {
            h = (h ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    h
}

/// A program on PATH.
pub fn which(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|d| d.join(name))
        .find(|p| p.is_file())
}
