//! From the units of a device pass to artifacts, and the commands that need them.

use crate::cargo_config::CargoConfig;
use crate::cli::{BuildArgs, DebugInfo, KernelOptions, Route, RunArgs, Selection};
use crate::device::{self, Pass, Unit};
use crate::project::{Project, Verb};
use crate::rustc_args::{self, RustcArgs};
use crate::toolchain::Toolchain;
use crate::wrapper::{self, Record};
use crate::{Said, files, host, progress, simulator, stages, toolchain};
use anyhow::{Context, bail};
use oxide_compiler::{Compiler, Instances, Role};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What every command that compiles has found.
pub struct Session {
    pub project: Project,
    pub toolchain: Toolchain,
    pub config: CargoConfig,
    pub options: oxide_compiler::Options,
    pub color: bool,
}

impl Session {
    /// Checks the machine and resolves the selection.
    pub fn open(
        name: Option<&str>,
        selection: Selection,
        kernels: &KernelOptions,
    ) -> anyhow::Result<Self> {
        let cwd = std::env::current_dir().context("there is no current folder")?;
        let config = CargoConfig::of(&cwd);
        let toolchain = Toolchain::find(&config)?;
        toolchain.check()?;
        let libllvm = toolchain.libllvm()?;
        // Programs that a user names are asked for their version before anything is compiled; the library is asked when it is opened.
        if variable("CUDA_OXIDE_LLC").is_some() {
            oxide_compiler::check_llvm(&libllvm).map_err(anyhow::Error::msg)?;
        }
        toolchain::linker(&config, &toolchain.host)?;
        let color = device::colored(selection.color);
        let project = Project::open(name, selection, kernels)?;
        let options = oxide_compiler::Options {
            arch: kernels
                .arch
                .clone()
                .or_else(|| variable("CUDA_OXIDE_TARGET")),
            debug: debug_kind(kernels.debuginfo, variable("CUDA_OXIDE_DEBUG").as_deref())?,
            fmad: kernels.fmad,
            route: match kernels.route {
                Some(Route::Llvm) => oxide_compiler::RouteChoice::Llvm,
                Some(Route::Mir) => oxide_compiler::RouteChoice::Mir,
                None => oxide_compiler::RouteChoice::Automatic,
            },
            remap: Vec::new(),
            library: Vec::new(),
            // The profile's, which cargo tells the wrapper; set for each crate.
            overflow_checks: false,
            debug_assertions: false,
            rustc: toolchain.rustc.clone(),
            host: toolchain.host.clone(),
            toolchain: toolchain.version.clone(),
            libllvm,
            sysroot: toolchain.sysroot.clone(),
        };
        Ok(Self {
            project,
            toolchain,
            config,
            options,
            color,
        })
    }

    pub fn device_pass(&self, verb: Verb) -> anyhow::Result<Pass> {
        let pass = device::run(&self.project, verb, &self.toolchain, &self.config)?;
        if self.verbose() {
            progress(
                "Device pass",
                &format!("{} ms in all", pass.elapsed.as_millis()),
            );
            for unit in pass.units.iter().filter(|u| !u.fresh) {
                let time = unit
                    .rustc_time()
                    .map_or_else(String::new, |t| format!(" {} ms", t.as_millis()));
                progress("rustc", &format!("{}{time}", unit.record.crate_name));
            }
        }
        Ok(pass)
    }

    pub fn verbose(&self) -> bool {
        self.project.selection.verbose > 0
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|v| !v.is_empty())
}

/// The debug kind of a build. The variable goes before the option, so that a build inside a script can be looked into without
/// a change to the script; the cargo profile and RUSTFLAGS have no say.
fn debug_kind(
    option: Option<DebugInfo>,
    variable: Option<&str>,
) -> anyhow::Result<oxide_compiler::DebugKind> {
    let kind = match variable {
        None => option.unwrap_or(DebugInfo::Off),
        Some("off") => DebugInfo::Off,
        Some("line-tables") => DebugInfo::LineTables,
        Some("full") => DebugInfo::Full,
        Some(other) => {
            bail!("CUDA_OXIDE_DEBUG is `{other}`\n  help: it is off, line-tables or full")
        }
    };
    Ok(match kind {
        DebugInfo::Off => oxide_compiler::DebugKind::Off,
        DebugInfo::LineTables => oxide_compiler::DebugKind::LineTables,
        DebugInfo::Full => oxide_compiler::DebugKind::Full,
    })
}

/// rustc's LLVM IR of a unit: made when first asked for, kept while the unit stays the same.
pub struct UnitIr {
    units: Vec<Unit>,
    verbose: bool,
}

impl oxide_compiler::LlvmIr for UnitIr {
    fn llvm_ir(&self, unit: usize, needed: Instances) -> Result<PathBuf, String> {
        let unit = self.units.get(unit).ok_or("no such unit")?;
        // A test harness is a program by rustc's own doing, and a library is one already.
        let as_library = needed == Instances::OfKernels
            && !unit.record.test
            && unit.record.crate_types == ["bin"];
        let form = if as_library { "kernels.ll" } else { "ll" };
        let of = format!(
            "{:?} {:?}",
            files::stamp(&unit.mir()),
            files::stamp(&unit.metadata.with_extension("oxide"))
        );
        let command = |out: &Path| unit.record.llvm_ir_command(out, as_library);
        made_once(
            &unit.metadata,
            form,
            &of,
            &unit.record.crate_name,
            self.verbose,
            command,
        )
        .map_err(|e| format!("{e:#}"))
    }

    fn libm(&self) -> Result<PathBuf, String> {
        // `cuda-device` depends on it for this alone: so cargo has got it, and it is of one version.
        let metadata = self
            .units
            .iter()
            .find(|u| u.record.is_cuda_device)
            .map(|u| RustcArgs::parse(&u.record.args).externs)
            .and_then(|externs| {
                let is_libm = |p: &PathBuf| rustc_args::crate_of_file(p) == Some("libm");
                externs.into_iter().find(is_libm)
            })
            .ok_or(
                "`cuda-device` was compiled without the crate `libm`\n  help: cargo oxide clean",
            )?;
        let path = metadata.with_extension(wrapper::LIBM_RECORD);
        let record = Record::load(&path).map_err(|e| format!("{e:#}"))?;
        let of = format!("{:?}", files::stamp(&metadata));
        made_once(&metadata, "ll", &of, "libm", self.verbose, |out| {
            record.libm_command(out)
        })
        .map_err(|e| format!("{e:#}"))
    }
}

/// The `.ll` file beside some metadata: kept while what it is made of (`of`) stays the same.
fn made_once(
    metadata: &Path,
    form: &str,
    of: &str,
    crate_name: &str,
    verbose: bool,
    command: impl Fn(&Path) -> std::process::Command,
) -> anyhow::Result<PathBuf> {
    let out = metadata.with_extension(form);
    let mark = metadata.with_extension(format!("{form}-of"));
    if out.is_file() && std::fs::read_to_string(&mark).is_ok_and(|m| m == of) {
        return Ok(out);
    }
    let start = Instant::now();
    let temporary = metadata.with_extension(format!("{form}-part"));
    let result = command(&temporary).output().context("cannot run rustc")?;
    if !result.status.success() {
        let _ = std::fs::remove_file(&temporary);
        bail!(
            "rustc gave no LLVM IR for `{crate_name}`:\n{}",
            String::from_utf8_lossy(&result.stderr).trim()
        );
    }
    std::fs::rename(&temporary, &out).with_context(|| format!("cannot write {}", out.display()))?;
    files::write_atomic(&mark, of.as_bytes())?;
    if verbose {
        progress(
            "rustc",
            &format!("{crate_name} as LLVM IR {} ms", start.elapsed().as_millis()),
        );
    }
    Ok(out)
}

/// A crate with its kernels and everything that it or they are made of.
pub struct KernelCrate {
    pub name: String,
    /// Its place in `units`.
    pub unit: usize,
    pub units: Vec<(Unit, Role)>,
}

impl KernelCrate {
    /// The crates of a pass that can define kernels. Of a library and the same library as its own tests, the tests hold both.
    pub fn all(pass: &Pass) -> anyhow::Result<Vec<KernelCrate>> {
        let units = &pass.units;
        let by_file = |file: &Path| units.iter().position(|u| u.metadata == *file);
        let under: Vec<Vec<usize>> = {
            let mut all: Vec<Vec<usize>> = Vec::new();
            for unit in units {
                let mut mine = Vec::new();
                let mut todo: Vec<usize> = unit
                    .record
                    .kernel_deps
                    .iter()
                    .filter_map(|f| by_file(f))
                    .collect();
                while let Some(next) = todo.pop() {
                    if !mine.contains(&next) {
                        mine.push(next);
                        todo.extend(
                            units[next]
                                .record
                                .kernel_deps
                                .iter()
                                .filter_map(|f| by_file(f)),
                        );
                    }
                }
                mine.sort_unstable();
                all.push(mine);
            }
            all
        };
        let mut out: Vec<KernelCrate> = Vec::new();
        for (at, unit) in units.iter().enumerate() {
            let record = &unit.record;
            if record.is_cuda_device {
                continue;
            }
            let same_crate =
                |u: &Unit| u.record.crate_name == record.crate_name && !u.record.is_cuda_device;
            if !record.test
                && units.iter().any(|u| {
                    same_crate(u) && u.record.test && u.record.manifest_dir == record.manifest_dir
                })
            {
                continue;
            }
            if let Some(other) = units
                .iter()
                .find(|u| same_crate(u) && u.record.manifest_dir != record.manifest_dir)
            {
                bail!(
                    "two crates with kernels are called `{}`: {} and {}\n  help: rename one of the packages or targets, or build them apart",
                    record.crate_name,
                    record.manifest_dir.display(),
                    other.record.manifest_dir.display()
                );
            }
            let mut mine: Vec<(Unit, Role)> = under[at]
                .iter()
                .map(|d| (units[*d].clone(), Role::Dependency))
                .collect();
            mine.push((unit.clone(), Role::Own));
            for (above, deps) in under.iter().enumerate() {
                // A crate above holds instances of generic kernels; so does the library beside its own tests.
                let twin = above != at && same_crate(&units[above]) && !units[above].record.test;
                let of_twin = deps.iter().any(|d| *d != at && same_crate(&units[*d]));
                if deps.contains(&at) || twin || of_twin {
                    mine.push((units[above].clone(), Role::Dependent));
                }
            }
            out.push(KernelCrate {
                name: record.crate_name.clone(),
                unit: under[at].len(),
                units: mine,
            });
        }
        Ok(out)
    }

    pub fn own(&self) -> &Unit {
        &self.units[self.unit].0
    }

    pub fn compiler(&self, session: &Session) -> Compiler {
        let units: Vec<Unit> = self.units.iter().map(|(u, _)| u.clone()).collect();
        let inputs = self
            .units
            .iter()
            .map(|(unit, role)| oxide_compiler::Unit {
                crate_name: unit.record.crate_name.clone(),
                mir: unit.mir(),
                metadata: unit.metadata.clone(),
                root: unit.record.cwd.clone(),
                role: *role,
            })
            .collect();
        let mut options = session.options.clone();
        options.overflow_checks = self.own().record.overflow_checks;
        options.debug_assertions = self.own().record.debug_assertions;
        options.library = self
            .units
            .iter()
            .filter(|(unit, _)| unit.record.is_cuda_device)
            .map(|(unit, _)| unit.record.manifest_dir.clone())
            .collect();
        options.remap = rustc_args::remapped(&self.own().record.args);
        Compiler::new(
            inputs,
            options,
            Box::new(UnitIr {
                units,
                verbose: session.verbose(),
            }),
        )
    }

    /// What decides the bytes of the artifact.
    fn fingerprint(&self, session: &Session) -> String {
        let own = std::env::current_exe().ok().and_then(|p| files::stamp(&p));
        let units: Vec<_> = self
            .units
            .iter()
            .map(|(u, r)| {
                (
                    &u.metadata,
                    r,
                    files::stamp(&u.mir()),
                    u.record.overflow_checks,
                )
            })
            .collect();
        format!(
            "{own:?}\n{:?}\n{units:?}\n{}\n",
            session.options,
            stages::wanted()
        )
    }
}

/// Prints diagnostics of ours as rustc prints its own.
pub fn report(diagnostics: &oxide_compiler::Diagnostics, color: bool) {
    for text in diagnostics.render(color) {
        eprintln!("{text}\n");
    }
}

/// Device pass and artifacts of everything that is selected.
pub fn compile_kernels(session: &Session, verb: Verb) -> anyhow::Result<()> {
    let pass = session.device_pass(verb)?;
    let dir = session.project.artifacts_dir();
    let crates = KernelCrate::all(&pass)?;
    if crates.is_empty() {
        for text in &pass.warnings {
            eprint!("{text}");
        }
        bail!(
            "nothing here depends on `cuda-device`, so there are no kernels\n  help: `cargo oxide new NAME` makes a crate that has one; cargo itself builds this one"
        );
    }
    let mut failed = false;
    for krate in crates {
        let artifact = dir.join(format!("{}.oxart", krate.name));
        let mark = dir.join(format!("{}.fresh", krate.name));
        let fingerprint = krate.fingerprint(session);
        if artifact.is_file() && std::fs::read_to_string(&mark).is_ok_and(|m| m == fingerprint) {
            continue;
        }
        if !session.project.selection.quiet {
            progress("Compiling", &format!("kernels ({})", krate.name));
        }
        let start = Instant::now();
        let compiler = krate.compiler(session);
        match compiler.artifact() {
            Ok(mut compiled) => {
                report(&compiled.warnings, session.color);
                stages::keep(&compiler, &mut compiled.artifact);
                files::write_if_changed(&artifact, &compiled.artifact.to_bytes())?;
                files::write_atomic(&mark, fingerprint.as_bytes())?;
                if session.verbose() {
                    say(&compiled.summary, start);
                }
            }
            Err(diagnostics) => {
                // The old artifact is of kernels that are no more.
                let _ = std::fs::remove_file(&mark);
                let _ = std::fs::remove_file(&artifact);
                report(&diagnostics, session.color);
                eprintln!(
                    "{}: could not compile the kernels of `{}`",
                    crate::paint("error", "1;31"),
                    krate.name
                );
                // The errors of the other crates are said too.
                failed = true;
            }
        }
    }
    if failed {
        bail!(Said);
    }
    Ok(())
}

/// What `-v` says of a compilation: bodies by route, and what each step took.
pub fn say(summary: &oxide_compiler::Summary, start: Instant) {
    for kernel in &summary.kernels {
        progress("Kernel", &kernel.to_string());
    }
    let total = start.elapsed();
    // rustc's time is not ours; it has its own line.
    let rustc: Duration = summary
        .timings
        .iter()
        .filter(|(name, _)| name.starts_with("rustc"))
        .map(|(_, t)| *t)
        .sum();
    let ours = summary
        .timings
        .iter()
        .filter(|(name, _)| !name.starts_with("rustc"));
    let steps: Vec<String> = ours
        .map(|(name, time)| format!("{name} {:.1}", time.as_secs_f64() * 1e3))
        .collect();
    progress(
        "Ours",
        &format!(
            "{:.1} ms ({})",
            total.saturating_sub(rustc).as_secs_f64() * 1e3,
            steps.join(", ")
        ),
    );
}

pub fn build(args: BuildArgs) -> anyhow::Result<i32> {
    let session = Session::open(args.target.as_deref(), args.selection, &args.kernels)?;
    compile_kernels(&session, Verb::Build)?;
    host::build(&session.project, &session.config)
}

pub fn run(args: RunArgs, verb: Verb) -> anyhow::Result<i32> {
    let session = Session::open(args.target.as_deref(), args.selection, &args.kernels)?;
    compile_kernels(&session, verb)?;
    let simulator = match simulator::gpu_driver() {
        true => simulator::find()?,
        false => Some(simulator::get(session.project.selection.quiet)?),
    };
    host::run(
        &session.project,
        verb,
        &session.config,
        simulator.as_deref(),
        &args.args,
    )
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::debug_kind;
    use crate::cli::{DebugInfo, KernelOptions};
    use oxide_compiler::DebugKind;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        kernels: KernelOptions,
    }

    fn option(words: &[&str]) -> Option<DebugInfo> {
        let line = Line::parse_from(std::iter::once("cargo-oxide").chain(words.iter().copied()));
        line.kernels.debuginfo
    }

    /// The table of docs/cargo-oxide.md, a line a row.
    #[test]
    fn debug_kinds() {
        let table: [(&[&str], Option<&str>, DebugKind); 9] = [
            (&[], None, DebugKind::Off),
            (&["-g"], None, DebugKind::LineTables),
            (&["--debuginfo"], None, DebugKind::LineTables),
            (&["--debuginfo=off"], None, DebugKind::Off),
            (&["--debuginfo=line-tables"], None, DebugKind::LineTables),
            (&["--debuginfo=full"], None, DebugKind::Full),
            (&["--debuginfo=full"], Some("off"), DebugKind::Off),
            (&[], Some("line-tables"), DebugKind::LineTables),
            (&["-g"], Some("full"), DebugKind::Full),
        ];
        for (words, variable, kind) in table {
            let found = debug_kind(option(words), variable).unwrap();
            assert_eq!(found, kind, "{words:?}, {variable:?}");
        }
        let wrong = debug_kind(None, Some("yes")).unwrap_err();
        assert!(wrong.to_string().contains("CUDA_OXIDE_DEBUG is `yes`"));
    }
}
