//! `cargo oxide debug`: the program on the simulator, under the debugger.
//!
//! Cargo runs the program through a *runner*, as it does for foreign targets; the runner is this same binary, which then is the debugger.

use crate::cli::DebugArgs;
use crate::compile::{Session, compile_kernels};
use crate::project::Verb;
use crate::{files, host, simulator};
use anyhow::{Context, bail};
use std::ffi::OsString;

/// The word by which cargo calls us back.
pub const RUNNER: &str = "--oxide-debugger";

pub fn run(args: DebugArgs) -> anyhow::Result<i32> {
    let scripts: Vec<_> = args
        .command
        .iter()
        .map(|f| {
            std::path::absolute(f)
                .ok()
                .filter(|f| f.is_file())
                .with_context(|| format!("there is no script {}", f.display()))
        })
        .collect::<anyhow::Result<_>>()?;
    if args.native {
        bail!(
            "debugging on a GPU is not supported yet\n  help: without --native the program runs on the simulator; cuda-gdb debugs kernels built with -g on a GPU"
        );
    }
    let run = args.run;
    let session = Session::open(run.target.as_deref(), run.selection, &run.kernels)?;
    compile_kernels(&session, Verb::Run)?;
    let library = simulator::get(session.project.selection.quiet)?;
    let mut runner = vec![
        std::env::current_exe()
            .context("this program does not know where it is")?
            .into_os_string(),
        RUNNER.into(),
        session.project.artifacts_dir().into_os_string(),
        if args.batch { "batch" } else { "ask" }.into(),
        scripts.len().to_string().into(),
    ];
    runner.extend(scripts.into_iter().map(Into::into));
    let words = runner.iter().map(|w: &OsString| {
        let text = w
            .to_str()
            .context("a path is no text, and cargo's settings are")?;
        // JSON's strings are strings of TOML.
        Ok(serde_json::to_string(text)?)
    });
    let words = words.collect::<anyhow::Result<Vec<_>>>()?.join(",");
    let mut command = host::command(&session.project, Verb::Run, &session.config)?;
    command
        .arg("--config")
        .arg(format!(
            "target.{}.runner=[{words}]",
            session.toolchain.host
        ))
        .env("CUDA_OXIDE_SIM", library)
        .env("CUDA_OXIDE_DEVICE", "sim");
    if !run.args.is_empty() {
        command.arg("--").args(run.args);
    }
    files::exec(command)
}

/// When cargo has called us as its runner: the debugger's exit code.
pub fn run_as_runner() -> Option<i32> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != RUNNER {
        return None;
    }
    let mut options = oxide_debugger_cli::Options {
        artifacts: args.next().map(Into::into),
        batch: args.next()? == "batch",
        ..Default::default()
    };
    let scripts: usize = args.next()?.to_str()?.parse().ok()?;
    options.scripts = args.by_ref().take(scripts).map(Into::into).collect();
    options.program = args.next()?.into();
    options.args = args.collect();
    Some(oxide_debugger_cli::run(options))
}
