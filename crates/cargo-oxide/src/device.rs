//! The device pass: cargo checks the selection in a target folder of its own, with this program as rustc wrapper, and every
//! kernel crate leaves its MIR.

use crate::project::{Project, Verb};
use crate::toolchain::{self, Toolchain};
use crate::wrapper::{self, Record};
use crate::{Said, cargo_config::CargoConfig, cli::Color, files};
use anyhow::{Context, bail};
use serde::Deserialize;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// One kernel crate as the device pass compiled it.
#[derive(Debug, Clone)]
pub struct Unit {
    /// `lib<crate>-<hash>.rmeta`; the MIR and the record lie beside it.
    pub metadata: PathBuf,
    pub record: Record,
    /// Cargo did not compile it anew.
    pub fresh: bool,
}

impl Unit {
    pub fn mir(&self) -> PathBuf {
        self.metadata.with_extension("mir")
    }

    /// What rustc took, read off its files: the record is written before it starts and the MIR last.
    pub fn rustc_time(&self) -> Option<Duration> {
        let time = |p: &Path| -> Option<SystemTime> { std::fs::metadata(p).ok()?.modified().ok() };
        time(&self.mir())?
            .duration_since(time(&self.metadata.with_extension("oxide"))?)
            .ok()
    }
}

/// What a device pass left.
#[derive(Debug)]
pub struct Pass {
    /// Kernel crates in the order in which cargo finished them: dependencies first.
    pub units: Vec<Unit>,
    pub elapsed: Duration,
    /// rustc's warnings, as the user's terminal shows them. The host pass says the same again.
    pub warnings: Vec<String>,
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    filenames: Vec<PathBuf>,
    #[serde(default)]
    fresh: bool,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    rendered: Option<String>,
    #[serde(default)]
    level: String,
}

/// Whether diagnostics on standard error are coloured.
pub fn colored(color: Option<Color>) -> bool {
    match color {
        Some(Color::Always) => true,
        Some(Color::Never) => false,
        _ => match std::env::var("CARGO_TERM_COLOR").as_deref() {
            Ok("always") => true,
            Ok("never") => false,
            _ => {
                std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
                    && std::io::stderr().is_terminal()
            }
        },
    }
}

/// Sets what both passes need of a cargo: the wrapper and the user's own behind it.
pub fn wrap(command: &mut Command, pass: &str, config: &CargoConfig) -> anyhow::Result<()> {
    let own = std::env::current_exe().context("cannot find this program's own file")?;
    if let Some(user) = config.rustc_wrapper()? {
        command.env(wrapper::USER_WRAPPER, user);
    }
    command
        .env("RUSTC_WRAPPER", own)
        .env(wrapper::PASS, pass)
        .env_remove("CARGO_CRATE_NAME");
    Ok(())
}

/// Runs the pass. Errors of rustc go to standard error as they are.
pub fn run(
    project: &Project,
    verb: Verb,
    toolchain: &Toolchain,
    config: &CargoConfig,
) -> anyhow::Result<Pass> {
    let start = Instant::now();
    let dir = project.device_dir();
    prepare(&dir)?;
    let mut command = Command::new(toolchain::cargo());
    command
        .arg("check")
        .arg("--target")
        .arg(&toolchain.host)
        .arg("--target-dir")
        .arg(&dir);
    let color = colored(project.selection.color);
    command.arg(if color {
        "--message-format=json-diagnostic-rendered-ansi"
    } else {
        "--message-format=json"
    });
    project.cargo_args(&mut command, verb, true);
    wrap(&mut command, "device", config)?;
    let names: Vec<String> = std::env::vars_os()
        .filter_map(|(k, _)| k.into_string().ok())
        .collect();
    command
        .env(wrapper::BASE_ENV, names.join(","))
        .env(wrapper::DEVICE_DIR, &dir);
    // A separate build folder in the user's settings is for the user's own builds.
    command
        .env("CARGO_BUILD_BUILD_DIR", &dir)
        .env_remove("CARGO_TARGET_DIR")
        .env_remove(crate::host::ARTIFACTS);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run cargo")?;
    let output = child.stdout.take().context("cargo has no output")?;
    let mut units = Vec::new();
    let mut diagnostics = Vec::new();
    let mut failed = false;
    for line in BufReader::new(output).lines() {
        let line = line.context("cannot read what cargo prints")?;
        let Ok(message) = serde_json::from_str::<Message>(&line) else {
            // Not a message: something that a tool of the user's prints.
            eprintln!("{line}");
            continue;
        };
        match message.reason.as_str() {
            "compiler-message" => {
                let Some(Diagnostic {
                    rendered: Some(text),
                    level,
                }) = message.message
                else {
                    continue;
                };
                diagnostics.push(text);
                failed |= level.starts_with("error");
                if failed {
                    // The build will end here: what was said so far belongs to it.
                    diagnostics.drain(..).for_each(|text| eprint!("{text}"));
                }
            }
            "compiler-artifact" => {
                for file in message.filenames {
                    let record = file.with_extension("oxide");
                    if file.extension().is_some_and(|e| e == "rmeta") && record.exists() {
                        let record = Record::load(&record)?;
                        units.push(Unit {
                            metadata: file,
                            record,
                            fresh: message.fresh,
                        });
                    }
                }
            }
            _ => {}
        }
    }
    let status = child.wait().context("cannot wait for cargo")?;
    if !status.success() {
        for text in &diagnostics {
            eprint!("{text}");
        }
        bail!(Said);
    }
    if let Some(gone) = units.iter().find(|u| !u.mir().is_file()) {
        bail!(
            "the device pass left no {}\n  help: cargo oxide clean",
            gone.mir().display()
        );
    }
    Ok(Pass {
        units,
        elapsed: start.elapsed(),
        warnings: diagnostics,
    })
}

/// Cargo does not know our flags, so a folder that another revision of them filled is made anew.
fn prepare(dir: &Path) -> anyhow::Result<()> {
    let mark = dir.join("revision");
    let revision = wrapper::REVISION.to_string();
    if std::fs::read_to_string(&mark).is_ok_and(|r| r == revision) {
        return Ok(());
    }
    if dir.exists() {
        std::fs::remove_dir_all(dir).with_context(|| format!("cannot remove {}", dir.display()))?;
    }
    files::write_atomic(&mark, revision.as_bytes())
}
