//! `inspect` and `pipeline`: stages on standard output, with no host pass.

use crate::cli::{InspectArgs, PipelineArgs, Stage};
use crate::compile::{self, KernelCrate, Session};
use crate::project::Verb;
use crate::{Said, look, progress};
use anyhow::bail;
use std::io::Write;
use std::time::Instant;

const ALL: &[Stage] = &[
    Stage::Mir,
    Stage::DialectMir,
    Stage::DialectMirSsa,
    Stage::DialectLlvm,
    Stage::Llvm,
    Stage::Ptx,
];

/// `None`: not the compiler's.
fn of_compiler(stage: Stage) -> Option<oxide_compiler::Stage> {
    Some(match stage {
        Stage::Mir => oxide_compiler::Stage::Mir,
        Stage::DialectMir => oxide_compiler::Stage::DialectMir,
        Stage::DialectMirSsa => oxide_compiler::Stage::DialectMirSsa,
        Stage::DialectLlvm => oxide_compiler::Stage::DialectLlvm,
        Stage::Llvm => oxide_compiler::Stage::Llvm,
        Stage::Ptx => oxide_compiler::Stage::Ptx,
        Stage::Sass => return None,
    })
}

/// The crates of the selection whose kernels are meant: those with kernels, and of them those with the one that is asked for.
pub fn crates(
    session: &Session,
    kernel: Option<&str>,
) -> anyhow::Result<Vec<(KernelCrate, oxide_compiler::Compiler)>> {
    let pass = session.device_pass(Verb::Build)?;
    for text in &pass.warnings {
        eprint!("{text}");
    }
    let mut out = Vec::new();
    let mut names = Vec::new();
    for krate in KernelCrate::all(&pass)? {
        let compiler = krate.compiler(session);
        let kernels = match compiler.kernels() {
            Ok(kernels) => kernels,
            Err(diagnostics) => {
                compile::report(&diagnostics, session.color);
                bail!(Said);
            }
        };
        let wanted = kernels
            .iter()
            .filter(|k| kernel.is_none_or(|name| oxide_compiler::is_named(k, name)))
            .count();
        names.extend(kernels);
        if wanted > 0 {
            out.push((krate, compiler));
        }
    }
    if out.is_empty() {
        match kernel {
            Some(kernel) if !names.is_empty() => bail!(
                "no kernel is called `{kernel}`\n  help: there are: {}",
                names.join(", ")
            ),
            _ => bail!(
                "there are no kernels here\n  help: a kernel is a function with #[kernel] in a #[cuda_module]"
            ),
        }
    }
    Ok(out)
}

pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    // A reader such as `head` that has seen enough is no error.
    match out.write_all(text.as_bytes()).and_then(|()| {
        if text.ends_with('\n') {
            Ok(())
        } else {
            out.write_all(b"\n")
        }
    }) {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        other => Ok(other?),
    }
}

fn stage(
    session: &Session,
    compiler: &oxide_compiler::Compiler,
    kernel: Option<&str>,
    stage: Stage,
) -> anyhow::Result<String> {
    let start = Instant::now();
    let Some(stage) = of_compiler(stage) else {
        bail!("SASS is made by ptxas, for all stages see `cargo oxide inspect --help`");
    };
    match compiler.stage(kernel, stage) {
        Ok(staged) => {
            compile::report(&staged.warnings, session.color);
            if session.verbose() {
                compile::say(&staged.summary, start);
            }
            Ok(staged.text)
        }
        Err(diagnostics) => {
            compile::report(&diagnostics, session.color);
            bail!(Said);
        }
    }
}

pub fn inspect(mut args: InspectArgs) -> anyhow::Result<()> {
    let start = Instant::now();
    if look::run(&mut args)? {
        return Ok(());
    }
    let session = Session::open(args.target.as_deref(), args.selection, &args.kernels)?;
    for (_, compiler) in crates(&session, args.kernel.as_deref())? {
        print(&stage(
            &session,
            &compiler,
            args.kernel.as_deref(),
            args.stage.unwrap_or(Stage::Ptx),
        )?)?;
    }
    if session.verbose() {
        progress(
            "Inspect",
            &format!("{} ms in all", start.elapsed().as_millis()),
        );
    }
    Ok(())
}

pub fn pipeline(args: PipelineArgs) -> anyhow::Result<()> {
    let session = Session::open(args.target.as_deref(), args.selection, &args.kernels)?;
    let crates = crates(&session, args.kernel.as_deref())?;
    let mut kernels = Vec::new();
    for (at, (_, compiler)) in crates.iter().enumerate() {
        let names = compiler.kernels().unwrap_or_default();
        let wanted = names.into_iter().filter(|k| {
            args.kernel
                .as_deref()
                .is_none_or(|name| oxide_compiler::is_named(k, name))
        });
        kernels.extend(wanted.map(|name| (at, name)));
    }
    let [(at, kernel)] = &kernels[..] else {
        let names: Vec<&str> = kernels.iter().map(|(_, n)| n.as_str()).collect();
        bail!(
            "there are several kernels: {}\n  help: say which with --kernel",
            names.join(", ")
        );
    };
    for step in ALL {
        let title = clap::ValueEnum::to_possible_value(step)
            .map(|v| v.get_name().to_string())
            .unwrap_or_default();
        let text = stage(&session, &crates[*at].1, Some(kernel), *step)?;
        print(&format!(
            "==== {title}: {kernel} ====\n{}\n",
            text.trim_end()
        ))?;
    }
    Ok(())
}
