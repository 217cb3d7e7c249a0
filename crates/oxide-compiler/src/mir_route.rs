//! The MIR route: rustc's MIR through the dialects to LLVM IR.

use crate::{Diagnostic, Label, Level, Stage, Unit};
use layout::llvm_text::{Callee, FnType, LlvmModule, LlvmTy};
use layout::{LayoutDb, Probe};
use mir_importer::{BodySource, CallSite, ExternFn, FileCrate, Inputs, KernelInfo, MirCrate};
use pliron::{context::Context, location::Location, op::Op, printable::Printable};
use rustc_mir::MirFile;
use std::path::{Path, PathBuf};

/// What the route starts from.
pub struct Input<'a> {
    /// The crate's own unit first, then those under it.
    pub units: Vec<&'a Unit>,
    /// Their MIR, in the same order.
    pub files: Vec<&'a MirFile>,
    /// rustc's LLVM IR of the own crate, where it was needed before.
    pub llvm_ir: Option<&'a str>,
    pub rustc: PathBuf,
    pub host: String,
    /// `rustc --version`.
    pub toolchain: String,
    pub overflow_checks: bool,
    pub debug_assertions: bool,
    pub fmad: bool,
    pub target: Option<(u32, bool)>,
    /// One kernel, by its key.
    pub kernel: Option<String>,
}

/// What came out, up to the stage that was asked for.
pub struct Output {
    /// The text of the stage, or of LLVM IR for the stages after it.
    pub text: String,
    pub kernels: Vec<KernelInfo>,
    pub externs: Vec<ExternFn>,
    /// Functions of the module, by their names there.
    pub functions: Vec<String>,
    /// Statics that are written to, by crate and path.
    pub statics: Vec<String>,
}

/// Compiles the kernels up to a stage.
pub fn run(input: &Input<'_>, upto: Stage) -> Result<Output, Vec<Diagnostic>> {
    let one = |text: String| vec![Diagnostic::error(text)];
    let crates: Vec<FileCrate<'_>> = input
        .units
        .iter()
        .zip(&input.files)
        .map(|(unit, file)| FileCrate::new(unit.crate_name.clone(), file))
        .collect();
    let crates: Vec<&dyn MirCrate> = crates.iter().map(|c| c as &dyn MirCrate).collect();
    let own = input.units[0];
    let mut layouts = LayoutDb::new(own.crate_name.clone());
    // A program has no metadata that another crate could use.
    let usable = |unit: &&&Unit| std::fs::metadata(&unit.metadata).is_ok_and(|m| m.len() > 0);
    let scratch = std::env::temp_dir().join(format!("oxide-layouts-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)
        .map_err(|e| one(format!("cannot make {}: {e}", scratch.display())))?;
    layouts.set_probe(Probe {
        rustc: input.rustc.clone(),
        externs: input
            .units
            .iter()
            .filter(usable)
            .map(|u| (u.crate_name.clone(), u.metadata.clone()))
            .collect(),
        search: search(&own.metadata),
        args: vec!["--target".to_string(), input.host.clone()],
        scratch: scratch.clone(),
        kept: Some(own.mir.with_extension("layouts")),
        version: input.toolchain.clone(),
    });
    for file in &input.files {
        layouts.add_mir(file);
    }
    let bodies = input.llvm_ir.map(|text| {
        layouts.add_llvm_ir(text);
        Bodies(LlvmModule::index(text))
    });
    // An error of the compiler is one kernel's error: the others, and the other route, go on.
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        compile(input, &crates, &layouts, bodies.as_ref(), upto)
    }));
    let result = caught.unwrap_or_else(|_| {
        Err(one(
            "internal error of the MIR route, said above".to_string()
        ))
    });
    let _ = std::fs::remove_dir_all(&scratch);
    result
}

/// Where cargo puts what a crate depends on: `<target>/<triple>/<profile>/deps`, and `<target>/<profile>/deps` for proc-macros.
fn search(metadata: &Path) -> Vec<PathBuf> {
    let Some(deps) = metadata.parent() else {
        return Vec::new();
    };
    let of_host = || {
        Some(
            deps.ancestors()
                .nth(3)?
                .join(deps.parent()?.file_name()?)
                .join("deps"),
        )
    };
    std::iter::once(deps.to_path_buf())
        .chain(of_host())
        .collect()
}

fn compile(
    input: &Input<'_>,
    crates: &[&dyn MirCrate],
    layouts: &LayoutDb,
    bodies: Option<&Bodies>,
    upto: Stage,
) -> Result<Output, Vec<Diagnostic>> {
    let mut ctx = Context::new();
    let options = mir_importer::Options {
        overflow_checks: input.overflow_checks,
        debug_assertions: input.debug_assertions,
        krate: Some(input.units[0].crate_name.clone()),
        kernel: input.kernel.clone(),
    };
    let inputs = Inputs {
        crates,
        layouts,
        bodies: bodies.map(|b| b as &dyn BodySource),
    };
    let imported = mir_importer::import(&mut ctx, &inputs, &options)
        .map_err(|all| all.into_iter().map(of_importer).collect::<Vec<_>>())?;
    let op = imported.module.get_operation();
    let done = |text: String| Output {
        text,
        kernels: imported.kernels.clone(),
        externs: imported.externs.clone(),
        functions: Vec::new(),
        statics: imported.statics.clone(),
    };
    if upto == Stage::DialectMir {
        return Ok(done(op.disp(&ctx).to_string()));
    }
    mir_importer::promote(&mut ctx, op).map_err(|d| vec![of_importer(d)])?;
    if upto == Stage::DialectMirSsa {
        return Ok(done(op.disp(&ctx).to_string()));
    }
    let lowering = mir_lower::LowerOptions {
        fmad: input.fmad,
        target: input.target,
        // The other kernels of the crate have modules of their own.
        internal_functions: input.kernel.is_some(),
    };
    let lowered = match mir_lower::lower_with(&mut ctx, imported.module, &lowering) {
        Ok(lowered) => lowered,
        Err(error) => return Err(vec![of_lowering(&ctx, &error)]),
    };
    if upto == Stage::DialectLlvm {
        return Ok(done(lowered.get_operation().disp(&ctx).to_string()));
    }
    let text = llvm_export::export(&ctx, lowered, &llvm_export::ExportOptions::default())
        .map_err(|e| vec![Diagnostic::error(e.to_string())])?;
    let mut out = done(text);
    let defined = out.text.lines().filter(|l| l.starts_with("define "));
    out.functions = defined
        .filter_map(|l| Some(l.split_once('@')?.1.split_once('(')?.0.to_string()))
        .collect();
    Ok(out)
}

pub fn of_reader(error: &rustc_mir::MirError) -> Diagnostic {
    let mut out = Diagnostic::error(format!("this MIR is not understood: {}", error.what));
    if let Some(span) = &error.rust_span {
        out = out.at(span.clone(), "");
    }
    out.help.extend(error.help.clone());
    out.note(format!("at {}:{}:{}", error.file, error.line, error.col))
}

/// An operation that the target lacks is missing by any route, and the caller's own line is what its author can change.
fn of_lowering(ctx: &Context, error: &mir_lower::LowerError) -> Diagnostic {
    let mir_lower::LowerError::Target {
        op,
        kernel,
        position,
        needs,
        target,
        ..
    } = error
    else {
        return Diagnostic::error(error.to_string());
    };
    let mut places = Vec::new();
    frames(ctx, position, &mut places);
    let mut out = Diagnostic::error(format!("`{op}` needs {needs}, but the target is {target}"));
    for (number, span) in places.into_iter().rev().enumerate() {
        let text = match number {
            0 => format!("in `{kernel}`"),
            _ => "which is this".to_string(),
        };
        out = out.at(span, text);
    }
    out.is_final = true;
    out.help(format!("build for it: `--arch {needs}`"))
}

/// The places of a location, innermost first.
fn frames(ctx: &Context, location: &Location, out: &mut Vec<rustc_mir::Span>) {
    match location {
        Location::CallSite { callee, caller } => {
            frames(ctx, callee, out);
            frames(ctx, caller, out);
        }
        Location::Named { child_loc, .. } => frames(ctx, child_loc, out),
        Location::Fused { locations, .. } => {
            if let Some(first) = locations.first() {
                frames(ctx, first, out);
            }
        }
        Location::SrcPos { src, pos } => {
            let place = |add: u32| rustc_mir::span::LineCol {
                line: u32::try_from(pos.line).unwrap_or(1),
                col: u32::try_from(pos.column).unwrap_or(1) + add,
            };
            out.push(rustc_mir::Span {
                file: src.disp(ctx).to_string().trim_matches('"').into(),
                lo: place(0),
                hi: place(1),
            });
        }
        Location::Unknown => {}
    }
}

fn of_importer(d: mir_importer::Diagnostic) -> Diagnostic {
    let level = match d.level {
        mir_importer::Level::Error => Level::Error,
        mir_importer::Level::Warning => Level::Warning,
    };
    let first = d.span.map(|span| Label {
        span,
        text: d.label.unwrap_or_default(),
    });
    let rest = d
        .labels
        .into_iter()
        .map(|(span, text)| Label { span, text });
    Diagnostic {
        level,
        title: d.message,
        labels: first.into_iter().chain(rest).collect(),
        notes: d.notes,
        help: d.help.into_iter().collect(),
        roots: Vec::new(),
        is_final: false,
    }
}

/// The second source of bodies: the call that rustc's LLVM IR has at the same place in the same function.
struct Bodies(LlvmModule);

impl BodySource for Bodies {
    fn resolve(&self, site: &CallSite<'_>) -> Result<Option<ExternFn>, String> {
        let path = format!("{}::{}", site.caller.0, site.caller.1);
        let callers = self
            .0
            .functions()
            .filter(|(symbol, defined)| *defined && artifact::pretty(symbol) == path);
        let mut found: Option<ExternFn> = None;
        for (symbol, _) in callers {
            let calls = self
                .0
                .calls(symbol)
                .map_err(|e| e.to_string())?
                .unwrap_or_default();
            for call in calls {
                let Callee::Symbol(callee) = &call.callee else {
                    continue;
                };
                if callee.starts_with("llvm.")
                    || callee.starts_with("__nvvm_")
                    || !same_place(&call.frames, &site.spans)
                {
                    continue;
                }
                let ty = self
                    .0
                    .function(callee)
                    .map_err(|e| e.to_string())?
                    .unwrap_or(call.ty);
                let function = extern_fn(callee, &ty).ok_or_else(|| {
                    format!(
                        "`{}` passes what is not passed here",
                        artifact::pretty(callee)
                    )
                })?;
                match &found {
                    Some(other) if *other != function => {
                        return Err(format!(
                            "rustc's LLVM IR has two calls there: `{}` and `{}`",
                            artifact::pretty(&other.symbol),
                            artifact::pretty(callee)
                        ));
                    }
                    _ => found = Some(function),
                }
            }
        }
        Ok(found)
    }
}

fn same_place(frames: &[layout::llvm_text::Frame], spans: &[Option<rustc_mir::Span>]) -> bool {
    frames.len() == spans.len()
        && frames.iter().zip(spans).all(|(frame, span)| {
            span.as_ref().is_some_and(|s| {
                s.lo.line == frame.line && s.lo.col == frame.col && *s.file == *frame.file
            })
        })
}

fn extern_fn(symbol: &str, ty: &FnType) -> Option<ExternFn> {
    let scalar = |ty: &LlvmTy| {
        Some(match ty {
            LlvmTy::Int(width) => mir_importer::LlvmTy::Int(*width),
            LlvmTy::Half => mir_importer::LlvmTy::F16,
            LlvmTy::Float => mir_importer::LlvmTy::F32,
            LlvmTy::Double => mir_importer::LlvmTy::F64,
            LlvmTy::Ptr => mir_importer::LlvmTy::Ptr,
            _ => return None,
        })
    };
    if ty.variadic || ty.params.iter().any(|p| p.byval.is_some()) {
        return None;
    }
    let ret = match &ty.ret {
        LlvmTy::Void => Vec::new(),
        LlvmTy::Struct(parts) if parts.len() == 2 => {
            parts.iter().map(scalar).collect::<Option<Vec<_>>>()?
        }
        one => vec![scalar(one)?],
    };
    Some(ExternFn {
        symbol: symbol.to_string(),
        params: ty
            .params
            .iter()
            .map(|p| scalar(&p.ty))
            .collect::<Option<Vec<_>>>()?,
        ret,
        sret: ty.params.first().is_some_and(|p| p.sret.is_some()),
    })
}
