//! `cargo oxide doctor`: what is on this machine, and what mends what is not.

use crate::cargo_config::CargoConfig;
use crate::cli::DoctorArgs;
use crate::toolchain::{self, Toolchain};
use crate::{project, simulator, tools};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    /// Not there and not needed.
    None,
    Warning,
    Error,
}

#[derive(Serialize)]
struct Finding {
    what: &'static str,
    state: State,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

/// Prints the findings; 1 if one of them keeps kernels from building or running.
pub fn run(args: &DoctorArgs) -> anyhow::Result<i32> {
    let findings = examine(args);
    let broken = findings.iter().any(|f| f.state == State::Error);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&findings)?);
    } else {
        for finding in &findings {
            let word = match finding.state {
                State::Ok => "ok",
                State::None => "-",
                State::Warning => "warning",
                State::Error => "ERROR",
            };
            println!("{:<14} {word:<8} {}", finding.what, finding.found);
            for line in finding.help.iter().flat_map(|h| h.lines()) {
                println!("{:<14} {:<8} help: {}", "", "", line.trim());
            }
        }
    }
    Ok(i32::from(broken))
}

fn finding(what: &'static str, result: anyhow::Result<String>) -> Finding {
    match result {
        Ok(found) => Finding {
            what,
            state: State::Ok,
            found,
            help: None,
        },
        Err(e) => {
            let text = format!("{e:#}");
            let (found, help) = text
                .split_once("\n  help: ")
                .map_or((text.as_str(), None), |(f, h)| (f, Some(h.to_string())));
            Finding {
                what,
                state: State::Error,
                found: found.to_string(),
                help,
            }
        }
    }
}

fn examine(args: &DoctorArgs) -> Vec<Finding> {
    let cwd = std::env::current_dir().unwrap_or_default();
    let config = CargoConfig::of(&cwd);
    let mut out = Vec::new();
    let found = Toolchain::find(&config);
    out.push(finding(
        "rustc",
        match &found {
            Ok(t) => t
                .check()
                .map(|()| format!("{} ({})", t.version, t.rustc.display())),
            Err(e) => Err(anyhow::anyhow!("{e:#}")),
        },
    ));
    if let Ok(t) = &found {
        out.push(finding(
            "libLLVM",
            t.libllvm().and_then(|p| {
                oxide_compiler::check_llvm(&p)
                    .map(|v| format!("{v} ({})", p.display()))
                    .map_err(anyhow::Error::msg)
            }),
        ));
        out.push(finding("linker", toolchain::linker(&config, &t.host)));
    }
    out.push(simulator_finding());
    out.push(match simulator::driver_devices() {
        Some(n) if n > 0 => Finding {
            what: "GPU driver",
            state: State::Ok,
            found: format!("libcuda.so.1, {n} device(s)"),
            help: None,
        },
        Some(_) => absent(
            "GPU driver",
            "libcuda.so.1 is there, and no device: kernels run on the simulator",
        ),
        None => absent("GPU driver", "not found: kernels run on the simulator"),
    });
    for (tool, _) in tools::TOOLS {
        out.push(match tools::find(tool) {
            Ok(Some((path, how))) => Finding {
                what: tool,
                state: State::Ok,
                found: format!("{} (by {how})", path.display()),
                help: None,
            },
            Ok(None) => absent(
                tool,
                "not found; never needed to build or run (`cargo oxide toolchain install` fetches it)",
            ),
            // Nothing that builds or runs needs it.
            Err(e) => Finding {
                state: State::Warning,
                ..finding(tool, Err(e))
            },
        });
    }
    match project::target_dir(args.manifest_path.as_deref()) {
        Ok(target) => out.push(artifacts(&target)),
        Err(_) => out.push(absent("artifacts", "no Cargo.toml here")),
    }
    out
}

fn absent(what: &'static str, found: &str) -> Finding {
    Finding {
        what,
        state: State::None,
        found: found.to_string(),
        help: None,
    }
}

fn simulator_finding() -> Finding {
    match simulator::find() {
        Ok(Some(path)) => finding("simulator", check_simulator(&path)),
        Ok(None)
            if simulator::crates_dir()
                .join("sim-driver")
                .join("Cargo.toml")
                .is_file() =>
        {
            Finding {
                what: "simulator",
                state: State::Ok,
                found: "not built yet; the first run builds it".to_string(),
                help: None,
            }
        }
        Ok(None) => Finding {
            what: "simulator",
            state: State::Error,
            found: format!(
                "neither the library nor its sources ({}) are there",
                simulator::crates_dir().display()
            ),
            help: Some(
                "install cargo-oxide again from a clone: cargo install --path crates/cargo-oxide"
                    .to_string(),
            ),
        },
        Err(e) => finding("simulator", Err(e)),
    }
}

/// The library opens and has the driver's symbols.
fn check_simulator(path: &Path) -> anyhow::Result<String> {
    // SAFETY: the simulator's library runs nothing when it is loaded.
    let library = unsafe { libloading::Library::new(path) }.map_err(|e| {
        anyhow::anyhow!(
            "{} does not load: {e}\n  help: cargo oxide clean --cache",
            path.display()
        )
    })?;
    // SAFETY: the symbol is only looked up.
    unsafe { library.get::<unsafe extern "C" fn(u32) -> i32>(b"cuInit\0") }.map_err(|_| {
        anyhow::anyhow!(
            "{} is no CUDA driver\n  help: cargo oxide clean --cache",
            path.display()
        )
    })?;
    Ok(path.display().to_string())
}

/// Artifacts that no longer belong to what the device pass last compiled.
fn artifacts(target: &Path) -> Finding {
    let dir = target.join("oxide").join("artifacts");
    let profiles = std::fs::read_dir(&dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path());
    let files: Vec<PathBuf> = profiles
        .flat_map(|p| {
            std::fs::read_dir(p)
                .into_iter()
                .flatten()
                .flatten()
                .map(|e| e.path())
                .collect::<Vec<_>>()
        })
        .collect();
    let (mut good, mut stale, mut broken) = (0, Vec::new(), Vec::new());
    for file in files
        .iter()
        .filter(|f| f.extension().is_some_and(|e| e == "oxart"))
    {
        let name = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match std::fs::read(file)
            .map_err(|e| e.to_string())
            .and_then(|b| oxide_compiler::read_artifact(&b))
        {
            Err(e) => broken.push(format!("{}: {e}", file.display())),
            Ok(a) if a.toolchain.split_whitespace().nth(1) != Some(toolchain::SUPPORTED) => {
                stale.push(format!("{name} (by {})", a.toolchain))
            }
            Ok(_) if !file.with_extension("fresh").is_file() => stale.push(name),
            Ok(_) => good += 1,
        }
    }
    let help = Some("cargo oxide clean".to_string());
    match (broken.is_empty(), stale.is_empty()) {
        (false, _) => Finding {
            what: "artifacts",
            state: State::Error,
            found: format!("cannot be read: {}", broken.join("; ")),
            help,
        },
        (_, false) => Finding {
            what: "artifacts",
            state: State::Warning,
            found: format!("stale: {}", stale.join(", ")),
            help,
        },
        _ if good == 0 => absent("artifacts", "none built yet"),
        _ => Finding {
            what: "artifacts",
            state: State::Ok,
            found: format!("{good} in {}", dir.display()),
            help: None,
        },
    }
}
