//! `inspect` beyond the compiler's own stages: SASS, listings of Rust beside PTX and SASS, resources; and foreign cubins.

use crate::cli::{InspectArgs, Selection};
use crate::compile::{self, Session};
use crate::{Said, inspect, progress};
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use reflect::{Listing, Sources, Tools, html, text};
use std::path::Path;

/// What is shown of each kernel, and how.
#[derive(Args, Debug, Default, Clone)]
#[command(next_help_heading = "What to show")]
pub struct LookArgs {
    /// Rust, PTX and SASS beside each other (PTX alone without ptxas and nvdisasm)
    #[arg(long, conflicts_with_all = ["stage", "usage"])]
    pub annotate: bool,
    /// Registers, spills, stack, shared and constant memory of each kernel, and occupancy
    #[arg(long, conflicts_with = "stage")]
    pub usage: bool,
    /// Threads in a block, for occupancy [default: the kernel's launch bounds, else 256]
    #[arg(long, value_name = "THREADS", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub block: Option<u32>,
    /// Only what comes from this line
    #[arg(long, value_name = "FILE:LINE", value_parser = place)]
    pub line: Option<(String, u32)>,
    /// Text, JSON, or a page with three panes
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    /// The same as --format html
    #[arg(long, conflicts_with_all = ["stage", "usage"])]
    pub html: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    #[default]
    Text,
    Json,
    Html,
}

fn place(word: &str) -> Result<(String, u32), String> {
    let wrong = || "a line looks like main.rs:42".to_string();
    let (file, line) = word.rsplit_once(':').ok_or_else(wrong)?;
    match line.parse() {
        Ok(line) if line > 0 && !file.is_empty() => Ok((file.to_string(), line)),
        _ => Err(wrong()),
    }
}

/// What is printed of a listing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    Sass,
    Annotate,
    Usage,
}

impl LookArgs {
    fn format(&self) -> Format {
        if self.html { Format::Html } else { self.format }
    }

    /// The view that these options ask for; `None`: one of the compiler's stages.
    fn view(&self, sass: bool) -> Option<View> {
        match (sass, self.usage) {
            (true, _) => Some(View::Sass),
            (_, true) => Some(View::Usage),
            _ if self.annotate || self.line.is_some() || self.format() != Format::Text => {
                Some(View::Annotate)
            }
            _ => None,
        }
    }
}

/// Does what `inspect` was asked for, if it is one of these views or of a file; else says `false`.
pub fn run(args: &mut InspectArgs) -> anyhow::Result<bool> {
    let sass = args.stage == Some(crate::cli::Stage::Sass);
    if let Some(target) = &args.target
        && Path::new(target).is_file()
    {
        of_file(args, Path::new(target))?;
        return Ok(true);
    }
    let Some(view) = args.look.view(sass) else {
        return Ok(false);
    };
    let tools = tools(view, true)?;
    let selection: Selection = std::mem::take(&mut args.selection);
    let session = Session::open(args.target.as_deref(), selection, &args.kernels)?;
    let mut listings = Vec::new();
    let mut roots = Vec::new();
    for (krate, compiler) in inspect::crates(&session, args.kernel.as_deref())? {
        let compiled = match compiler.artifact() {
            Ok(compiled) => compiled,
            Err(diagnostics) => {
                compile::report(&diagnostics, session.color);
                bail!(Said);
            }
        };
        compile::report(&compiled.warnings, session.color);
        roots.extend(krate.units.iter().map(|(unit, _)| unit.record.cwd.clone()));
        let arch = args.kernels.arch.as_deref();
        let mut listing = reflect::of_artifact(&compiled.artifact, &tools, arch, args.look.block)?;
        // Of generic kernels the name stands for all instances.
        if let Some(kernel) = &args.kernel {
            let is = |name: &str| oxide_compiler::is_named(name, kernel);
            let keys = compiled.artifact.kernels.iter().map(|k| k.key.as_str());
            let mut keep = keys.map(is);
            listing.kernels.retain(|_| keep.next().unwrap_or(true));
        }
        listings.push(listing);
    }
    let sources = Sources::new(roots, Some(session.toolchain.sysroot.clone()));
    print(listings, view, args, &sources)?;
    Ok(true)
}

/// The tools, as far as the view needs them.
fn tools(view: View, of_source: bool) -> anyhow::Result<Tools> {
    let tools = Tools::find()?;
    let needs = |tool: cubin::Tool| -> anyhow::Result<()> {
        // Asked again for the words of its error.
        cubin::find(tool, None).map(|_| ()).map_err(Into::into)
    };
    match view {
        View::Sass => {
            if of_source {
                needs(cubin::Tool::Ptxas)?;
            }
            needs(cubin::Tool::Nvdisasm)?;
        }
        View::Usage if of_source => needs(cubin::Tool::Ptxas)?,
        View::Usage => {}
        View::Annotate => {
            let missing = [
                (of_source && tools.ptxas.is_none()).then_some("ptxas"),
                tools.nvdisasm.is_none().then_some("nvdisasm"),
            ];
            let missing: Vec<&str> = missing.into_iter().flatten().collect();
            if !missing.is_empty() {
                progress(
                    "Note",
                    &format!(
                        "no SASS: there is no {} (`cargo oxide toolchain install` fetches it)",
                        missing.join(" and no ")
                    ),
                );
            }
        }
    }
    Ok(tools)
}

fn print(
    mut listings: Vec<Listing>,
    view: View,
    args: &InspectArgs,
    sources: &Sources,
) -> anyhow::Result<()> {
    if let Some((file, line)) = &args.look.line {
        for listing in &mut listings {
            listing.keep_line(file, *line);
        }
        if listings.iter().all(|l| l.kernels.is_empty()) {
            bail!(
                "no instruction comes from {file}:{line}\n  help: an optimised line may be part of another; --annotate without --line shows them all"
            );
        }
    }
    match args.look.format() {
        Format::Json => inspect::print(&serde_json::to_string_pretty(&listings)?),
        Format::Html => inspect::print(&html::page(&listings, sources)),
        Format::Text => {
            for listing in &listings {
                inspect::print(&match view {
                    View::Sass => text::sass(listing, false),
                    View::Usage => text::usage(listing),
                    View::Annotate => text::annotate(listing, sources),
                })?;
            }
            Ok(())
        }
    }
}

/// A cubin, or the cubins and texts of a fat binary.
fn of_file(args: &InspectArgs, path: &Path) -> anyhow::Result<()> {
    let data = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match cubin::Image::parse(&data).with_context(|| path.display().to_string())? {
        cubin::Image::Cubin(cubin) => of_cubin(args, &name, &cubin),
        cubin::Image::Fatbin(fatbin) => {
            let wanted = args.kernels.arch.as_deref();
            let wanted = wanted.map(|a| a.trim_start_matches("sm_").trim_end_matches(['a', 'f']));
            for entry in fatbin.entries() {
                let entry = entry?;
                if wanted.is_some_and(|w| w != entry.sm.to_string()) {
                    continue;
                }
                let name = format!("{name}, {} for sm_{}", entry.kind, entry.sm);
                let data = entry.data()?;
                match entry.kind {
                    cubin::EntryKind::Cubin => of_cubin(args, &name, &cubin::Cubin::parse(&data)?)?,
                    cubin::EntryKind::Ptx if args.stage == Some(crate::cli::Stage::Ptx) => {
                        inspect::print(&String::from_utf8_lossy(&data))?
                    }
                    _ => inspect::print(&format!("{name}: {} bytes\n", data.len()))?,
                }
            }
            Ok(())
        }
    }
}

fn of_cubin(args: &InspectArgs, name: &str, cubin: &cubin::Cubin<'_>) -> anyhow::Result<()> {
    use crate::cli::Stage;
    let view = match (args.look.view(args.stage == Some(Stage::Sass)), args.stage) {
        (Some(view), _) => view,
        (None, Some(Stage::Ptx)) => {
            for ptx in cubin::extract_ptx(cubin)? {
                inspect::print(&ptx.with_locations(cubin)?.to_string())?;
            }
            return Ok(());
        }
        (None, Some(_)) => bail!(
            "{name} is no crate: it has the stages ptx and sass\n  help: cargo oxide inspect {name} --stage ptx"
        ),
        (None, None) => {
            let tool = cubin.tool()?.map_or(String::new(), |t| {
                format!(", by {} {}", t.name, t.number().unwrap_or_default())
            });
            let has = |is: bool| if is { "yes" } else { "no" };
            let ptx = has(cubin::extract_ptx(cubin).is_ok());
            let tile = has(cubin::extract_tile_ir(cubin).is_ok());
            inspect::print(&format!(
                "{name}{tool}; embedded PTX: {ptx}, Tile IR: {tile}\n"
            ))?;
            View::Usage
        }
    };
    let tools = tools(view, false)?;
    let tools = if view == View::Usage {
        Tools::default()
    } else {
        tools
    };
    let mut listing = reflect::of_cubin(name, cubin, &tools, args.look.block.unwrap_or(256))?;
    if let Some(kernel) = &args.kernel {
        listing.keep_kernel(kernel)?;
    }
    let here = std::env::current_dir().into_iter().collect();
    print(vec![listing], view, args, &Sources::new(here, None))
}
