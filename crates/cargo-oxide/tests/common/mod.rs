//! User crates in temporary folders, and the command run in them as a user would.

#![allow(dead_code)] // Each test binary uses a part.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// What the command did.
pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    #[track_caller]
    pub fn success(self) -> Self {
        assert_eq!(
            self.code, 0,
            "--- stdout\n{}\n--- stderr\n{}",
            self.stdout, self.stderr
        );
        self
    }

    /// Fails with this code, and says all of these on standard error.
    #[track_caller]
    pub fn fails(self, code: i32, says: &[&str]) -> Self {
        assert_eq!(
            self.code, code,
            "--- stdout\n{}\n--- stderr\n{}",
            self.stdout, self.stderr
        );
        for text in says {
            assert!(
                self.stderr.contains(text),
                "`{text}` is not in\n{}",
                self.stderr
            );
        }
        self
    }
}

/// A folder of the user's, removed at the end.
pub struct User {
    pub dir: PathBuf,
}

impl Drop for User {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.dir);
        }
    }
}

impl User {
    pub fn new(name: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let unique = format!(
            "{name}-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        // Outside the repository, so that its settings and its workspace are not the user's.
        let dir = std::env::temp_dir().join("cargo-oxide-tests").join(unique);
        std::fs::create_dir_all(&dir).unwrap();
        Self {
            dir: dir.canonicalize().unwrap(),
        }
    }

    /// A package of its own, `t-NAME`, that can have kernels and launch them.
    pub fn with_kernels(name: &str) -> Self {
        let user = Self::new(name);
        let head =
            format!("[package]\nname = \"t-{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
        let dependencies = "[dependencies]\ncuda-core = { path = \"{crates}/cuda-core\" }\ncuda-device = { path = \"{crates}/cuda-device\" }\n";
        user.file("Cargo.toml", &format!("{head}{dependencies}[workspace]\n"));
        user
    }

    /// Writes a file; `{crates}` in it is the repository's folder of crates.
    pub fn file(&self, path: &str, text: &str) -> &Self {
        // The versions of the repository: nothing is looked up in the registry, and what is built already serves again.
        if path == "Cargo.toml" {
            let lock = crates().parent().unwrap().join("Cargo.lock");
            std::fs::copy(lock, self.dir.join("Cargo.lock")).unwrap();
        }
        let path = self.dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(
            path,
            text.replace("{crates}", &crates().display().to_string()),
        )
        .unwrap();
        self
    }

    /// The command with these words, in the folder or one under it.
    pub fn oxide_in(&self, under: &str, words: &[&str], env: &[(&str, &str)]) -> Outcome {
        let mut command = command();
        command.args(words).current_dir(self.dir.join(under));
        for (key, value) in env {
            command.env(key, value);
        }
        let out = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Outcome {
            code: out.status.code().unwrap_or(-1),
            stdout: text(out.stdout),
            stderr: text(out.stderr),
        }
    }

    pub fn oxide(&self, words: &[&str]) -> Outcome {
        self.oxide_in("", words, &[])
    }
}

/// `crates/` of the repository.
pub fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_path_buf()
}

/// One target folder for every test: what they all depend on is built once.
pub fn target_dir() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("users")
}

/// The command, in an environment without anything of the cargo that runs the tests.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-oxide"));
    for (key, _) in std::env::vars_os() {
        let name = key.to_string_lossy();
        if name.starts_with("CUDA_OXIDE_") && name != "CUDA_OXIDE_CACHE"
            || name.starts_with("CARGO_PKG")
            || matches!(&*name, "RUSTFLAGS" | "RUSTC_WRAPPER" | "CARGO_MANIFEST_DIR")
        {
            command.env_remove(key);
        }
    }
    command
        .env("CARGO_TARGET_DIR", target_dir())
        .env("CUDA_OXIDE_DEVICE", "sim")
        .env("CARGO_TERM_COLOR", "never")
        .env("COLUMNS", "100");
    command
}

/// A program with serde's derive, regex and clap beside its kernel.
pub const POPULAR_MANIFEST: &str = r#"[package]
name = "t-popular"
version = "0.1.0"
edition = "2024"

[dependencies]
cuda-core = { path = "{crates}/cuda-core" }
cuda-device = { path = "{crates}/cuda-device" }
clap = { version = "4.6", features = ["derive"] }
regex = "1"
serde = { version = "1", features = ["derive"] }
serde_json = "1"

[workspace]
"#;

/// It parses arguments, keeps the lines that match, sums what is in them on the device, and prints JSON.
pub const POPULAR_MAIN: &str = r#"use clap::Parser;
use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DeviceCopy, DisjointSlice, cuda_module, kernel, thread};
use serde::Serialize;

#[derive(Parser)]
struct Args {
    #[arg(long)]
    scale: u32,
}

/// A type that is both on the device and in JSON.
#[derive(Clone, Copy, Serialize, DeviceCopy)]
struct Item {
    value: u32,
    weight: u32,
}

#[derive(Serialize)]
struct Answer {
    kept: Vec<String>,
    sum: u32,
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn weigh(scale: u32, x: &[Item], mut y: DisjointSlice<u32>) {
        let i = thread::index_1d();
        let n = i.get();
        if let Some(y) = y.get_mut(i) {
            *y = x[n].value * x[n].weight * scale;
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args = Args::parse();
    let pattern = regex::Regex::new(r"^[a-z](\d+)$")?;
    let lines = ["a", "b7", "7c", "d11"];
    let kept: Vec<&str> = lines.into_iter().filter(|l| pattern.is_match(l)).collect();
    let items: Vec<Item> = kept
        .iter()
        .map(|l| Item { value: pattern.captures(l).unwrap()[1].parse().unwrap(), weight: 1 })
        .collect();
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let x = DeviceBuffer::from_host(&stream, &items)?;
    let mut y = DeviceBuffer::<u32>::zeroed(&stream, items.len())?;
    // SAFETY: one thread for each element; nothing else uses the buffers.
    unsafe { kernels::load(&ctx)?.weigh(&stream, LaunchConfig::for_num_elems(items.len() as u32), args.scale, &x, &mut y)? };
    let sum = y.to_host_vec(&stream)?.iter().sum();
    let kept = kept.into_iter().map(str::to_string).collect();
    println!("{}", serde_json::to_string(&Answer { kept, sum })?);
    Ok(())
}
"#;
