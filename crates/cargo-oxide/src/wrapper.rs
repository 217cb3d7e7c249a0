//! Wrapper mode: cargo runs this program as `RUSTC_WRAPPER`, in both passes, in place of rustc.
//!
//! A *kernel crate* is one that depends on `cuda-device`, directly or not, by whatever name. That is seen where it is exact: in
//! the `--extern` paths of the call itself. Each kernel crate leaves a record beside its metadata (`lib<crate>-<hash>.oxide`),
//! and a crate with an extern that has one, or that is `cuda-device`, is a kernel crate.
//!
//! Calls that are not cargo's compilation of a target crate (`rustc -vV`, probes of build scripts, a cargo inside a build
//! script, build scripts and proc-macros) go through untouched: `RUSTC_BOOTSTRAP` must not change what they see.

use crate::rustc_args::{self, RustcArgs};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Says that this process is a wrapper, and of which pass: `device` or `host`.
pub const PASS: &str = "CUDA_OXIDE_PASS";
/// The folder `<target>/oxide/device`: only calls that write into its `<triple>/<profile>/deps` are compiled for the device.
pub const DEVICE_DIR: &str = "CUDA_OXIDE_DEVICE_DIR";
/// The user's own `RUSTC_WRAPPER`, which is run in its turn.
pub const USER_WRAPPER: &str = "CUDA_OXIDE_USER_WRAPPER";
/// Names of the variables that were there before cargo added its own.
pub const BASE_ENV: &str = "CUDA_OXIDE_BASE_ENV";

/// Changes whenever the flags below or the record do: device folders made by another revision are made anew.
pub const REVISION: u32 = 3;

const OWN_COMMANDS: &[&str] = &[
    "oxide",
    "new",
    "build",
    "run",
    "test",
    "inspect",
    "pipeline",
    "doctor",
    "toolchain",
    "clean",
    "help",
];

/// The flags of a kernel crate. Jump threading duplicates calls across a barrier; without code generation nothing is lost, since MIR is
/// written all the same.
const KERNEL_FLAGS: &[&str] = &[
    "--cfg=cuda_oxide_device",
    "--check-cfg=cfg(cuda_oxide_device)",
    "-Cpanic=abort",
    "-Copt-level=3",
    "-Zmir-opt-level=3",
    "-Zinline-mir=yes",
    "-Zinline-mir-threshold=100000",
    "-Zinline-mir-hint-threshold=100000",
    "-Zcross-crate-inline-threshold=always",
    "-Zalways-encode-mir",
    "-Zmir-enable-passes=-JumpThreading",
    "-Zmir-include-spans=on",
    "-Ztrim-diagnostic-paths=no",
    "-Csymbol-mangling-version=v0",
];

/// rustc refuses `panic=abort` for tests without it; no test of the device pass is ever run.
const TEST_FLAG: &str = "-Zpanic-abort-tests";

/// What MIR alone needs.
const MIR_FLAGS: &[&str] = &["-Zno-codegen"];

/// What LLVM IR needs: every instance, before any pass, with the debug metadata that holds layouts.
const LLVM_FLAGS: &[&str] = &[
    "-Cno-prepopulate-passes",
    "-Cdebuginfo=2",
    "-Ccodegen-units=1",
];

/// The flags of every other target crate.
const OTHER_FLAGS: &[&str] = &[
    "-Copt-level=3",
    "-Zalways-encode-mir",
    "-Zcross-crate-inline-threshold=always",
    "-Csymbol-mangling-version=v0",
];

/// The record of the crate `libm`, whose code defines mathematical functions: not one of a kernel crate.
pub const LIBM_RECORD: &str = "oxide-libm";

/// What its LLVM IR needs: every function as itself and not in its callers, and nothing of the host's processor.
const LIBM_FLAGS: &[&str] = &[
    "-Cpanic=abort",
    "-Copt-level=3",
    "-Cno-prepopulate-passes",
    "-Cdebuginfo=1",
    "-Ccodegen-units=1",
    "-Cdebug-assertions=off",
    "-Coverflow-checks=off",
    "-Zcross-crate-inline-threshold=never",
    "-Csymbol-mangling-version=v0",
    "--cap-lints=allow",
];

/// The flags of a kernel crate in the host pass: the launch names its instance by v0 symbol.
const HOST_FLAGS: &[&str] = &[
    "-Csymbol-mangling-version=v0",
    "--check-cfg=cfg(cuda_oxide_device)",
];

/// How one kernel crate was compiled: enough to do it again without cargo, and to find the crates under it.
#[derive(Serialize, Deserialize, Debug, Clone)]
pub struct Record {
    pub crate_name: String,
    pub package: String,
    pub manifest_dir: PathBuf,
    pub crate_types: Vec<String>,
    pub test: bool,
    pub is_cuda_device: bool,
    pub debug_assertions: bool,
    pub overflow_checks: bool,
    /// Metadata files of the kernel crates that it was compiled against.
    pub kernel_deps: Vec<PathBuf>,
    /// Programs in front of the arguments: wrappers and rustc.
    pub program: Vec<String>,
    /// Arguments as cargo gave them.
    pub args: Vec<String>,
    pub cwd: PathBuf,
    pub env: BTreeMap<String, String>,
}

impl Record {
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        let bytes = std::fs::read(path)
            .map_err(|e| anyhow::anyhow!("cannot read {}: {e}", path.display()))?;
        serde_json::from_slice(&bytes)
            .map_err(|e| anyhow::anyhow!("{}: {e}; `cargo oxide clean` mends it", path.display()))
    }

    /// The same crate compiled to LLVM IR, with no cargo around it. A program compiled as a library gives the code of its kernels, which
    /// are marked as used, and not that of `main`.
    pub fn llvm_ir_command(&self, out: &Path, as_library: bool) -> Command {
        let mut args = rustc_args::without_emit(&rustc_args::without_decided(&self.args));
        args.push(format!("--emit=llvm-ir={}", out.display()));
        if as_library {
            let at = args.iter().position(|a| a == "--crate-type");
            if let Some(kind) = at.and_then(|at| args.get_mut(at + 1)) {
                *kind = "lib".to_string();
            }
        }
        // What the crate's own lints say was said by the device pass.
        args.push("--cap-lints=allow".to_string());
        args.extend(KERNEL_FLAGS.iter().chain(LLVM_FLAGS).map(|s| s.to_string()));
        args.extend(self.checks());
        args.extend(self.test.then(|| TEST_FLAG.to_string()));
        let mut command = Command::new(&self.program[0]);
        command
            .args(&self.program[1..])
            .args(args)
            .current_dir(&self.cwd);
        command
            .envs(&self.env)
            .env("RUSTC_BOOTSTRAP", "1")
            .env(PASS, "device");
        command
    }

    /// `libm` compiled to LLVM IR; its features and `cfg`s for processors are left out.
    pub fn libm_command(&self, out: &Path) -> Command {
        let all = rustc_args::without_emit(&rustc_args::without_decided(&self.args));
        let mut args: Vec<String> = Vec::with_capacity(all.len());
        for word in all {
            let of_processor = matches!(word.as_str(), "arch_enabled" | "feature=\"arch\"");
            if of_processor && args.last().is_some_and(|w| w == "--cfg") {
                args.pop();
            } else {
                args.push(word);
            }
        }
        args.push(format!("--emit=llvm-ir={}", out.display()));
        args.extend(LIBM_FLAGS.iter().map(|s| s.to_string()));
        let mut command = Command::new(&self.program[0]);
        command
            .args(&self.program[1..])
            .args(args)
            .current_dir(&self.cwd)
            .envs(&self.env)
            .env("RUSTC_BOOTSTRAP", "1")
            .env(PASS, "device");
        command
    }

    fn checks(&self) -> [String; 2] {
        let on = |b: bool| if b { "on" } else { "off" };
        [
            format!("-Cdebug-assertions={}", on(self.debug_assertions)),
            format!("-Coverflow-checks={}", on(self.overflow_checks)),
        ]
    }
}

/// Runs as the wrapper if the environment and the command line say that this is one of cargo's calls; `None` if not.
pub fn run_if_asked() -> Option<i32> {
    let pass = std::env::var(PASS).ok()?;
    let mut words = std::env::args_os().skip(1);
    // Cargo gives the program first, by path or name. A program that `cargo oxide run` started may type one of our own commands.
    let program = words.next()?;
    let rest: Vec<OsString> = words.collect();
    let typed = program.to_string_lossy();
    if typed.starts_with('-') || OWN_COMMANDS.contains(&typed.as_ref()) {
        return None;
    }
    Some(match run(&pass, program, rest) {
        Ok(code) => code,
        Err(e) => {
            eprintln!("error: cargo oxide as rustc wrapper: {e:#}");
            101
        }
    })
}

fn run(pass: &str, program: OsString, rest: Vec<OsString>) -> anyhow::Result<i32> {
    let mut programs: Vec<OsString> = Vec::new();
    if let Some(user) = std::env::var_os(USER_WRAPPER) {
        programs.push(user);
    }
    programs.push(program);
    let mut rest = rest;
    // With a workspace wrapper, cargo gives that first and rustc after it.
    if rest
        .first()
        .is_some_and(|w| !w.to_string_lossy().starts_with(['-', '@']))
    {
        programs.push(rest.remove(0));
    }
    let plain = |rest: Vec<OsString>| exec(&programs, rest, false);
    let Some(args) = as_text(&rest) else {
        return plain(rest);
    };
    let Some(args) = expand_response_files(args)? else {
        return plain(rest);
    };
    let parsed = RustcArgs::parse(&args);
    let from_cargo =
        parsed.crate_name.is_some() && std::env::var("CARGO_CRATE_NAME").ok() == parsed.crate_name;
    if !from_cargo || parsed.crate_types.iter().any(|t| t == "proc-macro") {
        return plain(rest);
    }
    match pass {
        "device" if is_target_crate(&parsed) => device(&programs, args, &parsed),
        "host" => host(&programs, args, &parsed),
        _ => plain(rest),
    }
}

fn as_text(words: &[OsString]) -> Option<Vec<String>> {
    words
        .iter()
        .map(|w| w.to_str().map(str::to_string))
        .collect()
}

/// Cargo puts a long command line into a file, one argument a line.
fn expand_response_files(args: Vec<String>) -> anyhow::Result<Option<Vec<String>>> {
    let mut out = Vec::with_capacity(args.len());
    for arg in args {
        match arg.strip_prefix('@') {
            Some(path) => match std::fs::read_to_string(path) {
                Ok(text) => out.extend(text.lines().map(str::to_string)),
                Err(_) => return Ok(None),
            },
            None => out.push(arg),
        }
    }
    Ok(Some(out))
}

/// Whether the call is the device pass's own compilation of a crate for the target, not one of a cargo inside a build script.
fn is_target_crate(args: &RustcArgs) -> bool {
    let (Some(_), Some(out_dir), Some(device)) =
        (&args.target, &args.out_dir, std::env::var_os(DEVICE_DIR))
    else {
        return false;
    };
    out_dir
        .strip_prefix(Path::new(&device))
        .is_ok_and(|rest| rest.components().count() == 3)
}

/// The metadata files of kernel crates among the externs, and whether there is any.
fn kernel_deps(args: &RustcArgs) -> Vec<PathBuf> {
    let is_kernel = |path: &PathBuf| {
        rustc_args::crate_of_file(path) == Some("cuda_device")
            || path.with_extension("oxide").exists()
    };
    args.externs
        .iter()
        .filter(|p| is_kernel(p))
        .cloned()
        .collect()
}

fn is_cuda_device(args: &RustcArgs) -> bool {
    args.crate_name.as_deref() == Some("cuda_device")
        && std::env::var("CARGO_PKG_NAME").is_ok_and(|n| n == "cuda-device")
}

fn device(programs: &[OsString], args: Vec<String>, parsed: &RustcArgs) -> anyhow::Result<i32> {
    let deps = kernel_deps(parsed);
    let cuda_device = is_cuda_device(parsed);
    let mut flags = rustc_args::without_decided(&args);
    let (Some(record_path), Some(mir_path)) = (parsed.beside("oxide"), parsed.beside("mir")) else {
        return exec(
            programs,
            args.into_iter().map(OsString::from).collect(),
            false,
        );
    };
    let record = Record {
        crate_name: parsed.crate_name.clone().unwrap_or_default(),
        package: std::env::var("CARGO_PKG_NAME").unwrap_or_default(),
        manifest_dir: std::env::var_os("CARGO_MANIFEST_DIR")
            .map(PathBuf::from)
            .unwrap_or_default(),
        crate_types: parsed.crate_types.clone(),
        test: parsed.test,
        is_cuda_device: cuda_device,
        debug_assertions: parsed.debug_assertions,
        overflow_checks: parsed.overflow_checks,
        kernel_deps: deps.clone(),
        program: programs
            .iter()
            .map(|p| p.to_string_lossy().into_owned())
            .collect(),
        args,
        cwd: std::env::current_dir()?,
        env: cargo_env(),
    };
    if deps.is_empty() && !cuda_device {
        flags.extend(OTHER_FLAGS.iter().map(|s| s.to_string()));
        let on = |b: bool| if b { "on" } else { "off" };
        flags.push(format!(
            "-Cdebug-assertions={}",
            on(parsed.debug_assertions)
        ));
        flags.push(format!("-Coverflow-checks={}", on(parsed.overflow_checks)));
        if record.crate_name == "libm" && record.package == "libm" {
            let path = record_path.with_extension(LIBM_RECORD);
            crate::files::write_atomic(&path, &serde_json::to_vec(&record)?)?;
        }
        // A crate that was a kernel crate once and is none any more.
        let _ = std::fs::remove_file(record_path);
        return exec(
            programs,
            flags.into_iter().map(OsString::from).collect(),
            true,
        );
    }
    // Written before rustc starts: crates above this one may start as soon as its metadata is there. Its time is the start of the call.
    crate::files::write_atomic(&record_path, &serde_json::to_vec(&record)?)?;
    flags.push(format!("--emit=mir={}", mir_path.display()));
    flags.extend(KERNEL_FLAGS.iter().chain(MIR_FLAGS).map(|s| s.to_string()));
    flags.extend(record.checks());
    flags.extend(record.test.then(|| TEST_FLAG.to_string()));
    exec(
        programs,
        flags.into_iter().map(OsString::from).collect(),
        true,
    )
}

/// What cargo and build scripts added to the environment: all that a second call of rustc needs beside ours.
fn cargo_env() -> BTreeMap<String, String> {
    let base = std::env::var(BASE_ENV).unwrap_or_default();
    let base: std::collections::HashSet<&str> = base.split(',').collect();
    std::env::vars_os()
        .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
        .filter(|(k, _)| {
            k.starts_with("CARGO")
                || k == "LD_LIBRARY_PATH"
                || k == "DYLD_FALLBACK_LIBRARY_PATH"
                || !base.contains(k.as_str())
        })
        .filter(|(k, _)| !k.contains("TOKEN") && k != BASE_ENV && k != "CARGO_MAKEFLAGS")
        .collect()
}

fn host(programs: &[OsString], mut args: Vec<String>, parsed: &RustcArgs) -> anyhow::Result<i32> {
    let deps = kernel_deps(parsed);
    if deps.is_empty() && !is_cuda_device(parsed) {
        return exec(
            programs,
            args.into_iter().map(OsString::from).collect(),
            false,
        );
    }
    if let Some(mark) = parsed.beside("oxide") {
        crate::files::write_atomic(&mark, b"{}")?;
    }
    args.extend(HOST_FLAGS.iter().map(|s| s.to_string()));
    exec(
        programs,
        args.into_iter().map(OsString::from).collect(),
        false,
    )
}

/// Becomes the next program of the chain.
fn exec(programs: &[OsString], args: Vec<OsString>, bootstrap: bool) -> anyhow::Result<i32> {
    let mut command = Command::new(&programs[0]);
    command.args(&programs[1..]).args(args);
    if bootstrap {
        command.env("RUSTC_BOOTSTRAP", "1");
    }
    crate::files::exec(command)
}
