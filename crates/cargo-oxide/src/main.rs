//! `cargo oxide`: kernels compiled by the toolchain that is there, programs run with them inside.
//!
//! Two passes of cargo (ARCHITECTURE.md, *Device pass*) with our compiler between them. The same binary is the command and, in
//! [`wrapper`] mode, the `RUSTC_WRAPPER` of both passes.

mod cargo_config;
mod cli;
mod compile;
mod debug;
mod device;
mod doctor;
mod files;
mod host;
mod inspect;
mod look;
mod new;
mod project;
mod rustc_args;
mod simulator;
mod stages;
mod toolchain;
mod tools;
mod wrapper;

use clap::Parser;
use cli::{Cli, Command};
use std::ffi::OsString;
use std::io::Write;

/// The exit code of a build that failed, as cargo's own.
const BUILD_FAILED: i32 = 101;

/// An error whose words the user has seen already.
#[derive(Debug)]
struct Said;

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("it did not build")
    }
}

impl std::error::Error for Said {}

fn main() {
    if let Some(code) = wrapper::run_if_asked() {
        std::process::exit(code);
    }
    if let Some(code) = debug::run_as_runner() {
        std::process::exit(code);
    }
    // `cargo oxide …` of an installed command arrives with `oxide` in front, the alias of the repository without.
    let mut args: Vec<OsString> = std::env::args_os().collect();
    if args.get(1).is_some_and(|a| a == "oxide") {
        args.remove(1);
    }
    let cli = Cli::parse_from(args);
    let code = match run(cli) {
        Ok(code) => code,
        Err(e) => {
            if !e.is::<Said>() {
                let _ = writeln!(std::io::stderr(), "{}: {e:#}", paint("error", "1;31"));
            }
            BUILD_FAILED
        }
    };
    std::process::exit(code);
}

fn run(cli: Cli) -> anyhow::Result<i32> {
    match cli.command {
        Command::New(args) => new::run(&args).map(|()| 0),
        Command::Build(args) => compile::build(args),
        Command::Run(args) => compile::run(args, project::Verb::Run),
        Command::Debug(args) => debug::run(args),
        Command::Test(args) => compile::run(args, project::Verb::Test),
        Command::Inspect(args) => inspect::inspect(args).map(|()| 0),
        Command::Pipeline(args) => inspect::pipeline(args).map(|()| 0),
        Command::Doctor(args) => doctor::run(&args),
        Command::Toolchain(args) => tools::run(&args).map(|()| 0),
        Command::Clean(args) => clean(&args).map(|()| 0),
    }
}

fn clean(args: &cli::CleanArgs) -> anyhow::Result<()> {
    let target = match &args.target_dir {
        Some(dir) => dir.clone(),
        None => project::target_dir(args.manifest_path.as_deref())?,
    };
    let mut folders = vec![target.join("oxide")];
    if args.cache {
        folders.push(files::cache_dir()?);
    }
    for folder in folders {
        match std::fs::remove_dir_all(&folder) {
            Ok(()) => progress("Removed", &folder.display().to_string()),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => anyhow::bail!("cannot remove {}: {e}", folder.display()),
        }
    }
    Ok(())
}

/// A progress line in cargo's form, on standard error.
pub(crate) fn progress(word: &str, text: &str) {
    let word = format!("{word:>12}");
    // A closed standard error is no reason to stop.
    let _ = writeln!(std::io::stderr(), "{} {text}", paint(&word, "1;32"));
}

fn paint(text: &str, code: &str) -> String {
    if device::colored(None) {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_string()
    }
}
