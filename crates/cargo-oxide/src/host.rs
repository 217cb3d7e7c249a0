//! The host pass: plain cargo, told where the artifacts are.

use crate::project::{Project, Verb};
use crate::{cargo_config::CargoConfig, device, files, toolchain};
use anyhow::Context;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// The variable by which `#[cuda_module]` finds the artifacts.
pub const ARTIFACTS: &str = "CUDA_OXIDE_ARTIFACTS";

pub fn command(project: &Project, verb: Verb, config: &CargoConfig) -> anyhow::Result<Command> {
    let mut command = Command::new(toolchain::cargo());
    command.arg(match verb {
        Verb::Build => "build",
        Verb::Run => "run",
        Verb::Test => "test",
    });
    project.cargo_args(&mut command, verb, false);
    device::wrap(&mut command, "host", config)?;
    command.env(ARTIFACTS, project.artifacts_dir());
    Ok(command)
}

/// `cargo build`; the exit code is cargo's.
pub fn build(project: &Project, config: &CargoConfig) -> anyhow::Result<i32> {
    let status = command(project, Verb::Build, config)?
        .status()
        .context("cannot run cargo")?;
    Ok(status.code().unwrap_or(101))
}

/// `cargo run` or `cargo test`, which takes this process's place.
pub fn run(
    project: &Project,
    verb: Verb,
    config: &CargoConfig,
    simulator: Option<&Path>,
    args: &[OsString],
) -> anyhow::Result<i32> {
    let mut command = command(project, verb, config)?;
    if let Some(simulator) = simulator {
        command.env("CUDA_OXIDE_SIM", simulator);
    }
    if !args.is_empty() {
        command.arg("--").args(args);
    }
    files::exec(command)
}
