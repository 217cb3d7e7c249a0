//! Joining texts and tables to a [`Listing`].

use crate::functions::{ptx_functions, ptx_target};
use crate::model::{Frame, KernelListing, Listing, Mark, PtxRow, SassRow};
use crate::usage::KernelUsage;
use crate::{Error, Result};
use artifact::{Artifact, SideTable};
use cubin::{Cubin, FoundTool, Location, SassFunction, SassInstruction, Usage};

/// The tools that are there.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    pub ptxas: Option<FoundTool>,
    pub nvdisasm: Option<FoundTool>,
}

impl Tools {
    /// Those that [`cubin::find`] finds; a variable that names no file is an error.
    pub fn find() -> Result<Self> {
        let find = |tool: cubin::Tool| {
            let named = std::env::var_os(tool.variable()).is_some_and(|v| !v.is_empty());
            match cubin::find(tool, None) {
                Ok(tool) => Ok(Some(tool)),
                Err(cubin::Error::NoTool { .. }) if !named => Ok(None),
                Err(e) => Err(e),
            }
        };
        Ok(Self {
            ptxas: find(cubin::Tool::Ptxas)?,
            nvdisasm: find(cubin::Tool::Nvdisasm)?,
        })
    }
}

/// The listing of a module of ours: PTX with the frames of the side table and, if both tools are there, SASS and usage for
/// `arch` (by default what the PTX is for), occupancy for blocks of `block` threads (of a kernel with launch bounds: theirs).
///
/// # Errors
/// What the tools say.
pub fn of_artifact(
    artifact: &Artifact,
    tools: &Tools,
    arch: Option<&str>,
    block: Option<u32>,
) -> Result<Listing> {
    let target = ptx_target(&artifact.ptx).unwrap_or(&artifact.arch);
    let arch = arch.unwrap_or(target);
    let made = match &tools.ptxas {
        Some(ptxas) if !artifact.kernels.is_empty() => {
            Some(cubin::assemble(ptxas, &artifact.ptx, arch, &[])?)
        }
        _ => None,
    };
    let cubin = made.as_ref().map(|m| Cubin::parse(&m.cubin)).transpose()?;
    let sass = match (&cubin, &tools.nvdisasm) {
        (Some(cubin), Some(nvdisasm)) => cubin::disassemble(nvdisasm, cubin)?,
        _ => Vec::new(),
    };
    let lines: Vec<&str> = artifact.ptx.lines().collect();
    let functions = ptx_functions(lines.iter().copied());
    let mut kernels = Vec::new();
    for kernel in &artifact.kernels {
        let instructions = of_function(&sass, &kernel.ptx_name);
        let rows: Vec<SassRow> = instructions
            .iter()
            .map(|i| {
                let ptx_line = i.ptx.as_ref().map(|l| l.line);
                let frames = ptx_line.map(|l| frames(&artifact.side, l));
                sass_row(i, ptx_line, frames.unwrap_or_default())
            })
            .collect();
        let is_mine = |f: &crate::PtxFunction| {
            f.name == kernel.ptx_name
                || !f.entry
                    && rows
                        .iter()
                        .any(|r| r.ptx_line.is_some_and(|l| f.lines.contains(&l)))
        };
        let ptx = functions
            .iter()
            .filter(|f| is_mine(f))
            .flat_map(|f| f.lines.clone())
            .filter_map(|line| {
                let text = *lines.get(line as usize - 1)?;
                Some(ptx_row(line, text, frames(&artifact.side, line)))
            })
            .collect();
        let block = block
            .or(kernel.launch_bounds.map(|(threads, _)| threads))
            .unwrap_or(256);
        let usage = match (&cubin, &made) {
            (Some(cubin), Some(made)) => {
                KernelUsage::of(cubin, &kernel.ptx_name, &made.usage, arch, block)?
            }
            _ => None,
        };
        kernels.push(KernelListing {
            name: artifact::pretty(&kernel.key),
            symbol: kernel.ptx_name.clone(),
            ptx,
            sass: rows,
            usage,
        });
    }
    Ok(Listing {
        name: artifact.crate_name.clone(),
        arch: arch.to_string(),
        kernels,
    })
}

/// The listing of a cubin of any producer: the PTX that it holds, if it does, and SASS if nvdisasm is there.
///
/// # Errors
/// Damaged files, and what nvdisasm says.
pub fn of_cubin(name: &str, cubin: &Cubin<'_>, tools: &Tools, block: u32) -> Result<Listing> {
    let arch = cubin.tool()?.and_then(|t| t.arch().map(str::to_string));
    let arch = arch.unwrap_or_else(|| format!("sm_{}", cubin.sm()));
    let sass = match &tools.nvdisasm {
        Some(nvdisasm) => cubin::disassemble(nvdisasm, cubin)?,
        None => Vec::new(),
    };
    let texts = match cubin::extract_ptx(cubin) {
        Ok(texts) => texts,
        Err(cubin::Error::MissingSection { .. }) => Vec::new(),
        Err(e) => return Err(e.into()),
    };
    let mut units = Vec::new();
    for text in &texts {
        let lines: Vec<cubin::PtxLine<'_>> = text.lines().collect();
        let functions = ptx_functions(
            lines
                .iter()
                .map(|l| if l.intermediate { "" } else { &l.text }),
        );
        units.push((text.section, lines, functions, text.locations(cubin)?));
    }
    let mut kernels = Vec::new();
    for kernel in cubin.kernels() {
        let instructions = of_function(&sass, kernel.name);
        let mut ptx = Vec::new();
        for (section, lines, functions, locations) in &units {
            for function in functions {
                let from_here = |i: &SassInstruction| {
                    i.ptx
                        .as_ref()
                        .is_some_and(|p| p.file == *section && function.lines.contains(&p.line))
                };
                if function.name != kernel.name
                    && (function.entry || !instructions.iter().any(from_here))
                {
                    continue;
                }
                for line in function.lines.clone() {
                    let Some(l) = lines.get(line as usize - 1) else {
                        continue;
                    };
                    let tab = if l.indented { "\t" } else { "" };
                    let frames = locations
                        .get(line)
                        .map(|l| of_location(&l))
                        .unwrap_or_default();
                    ptx.push(ptx_row(line, &format!("{tab}{}", l.text), frames));
                }
            }
        }
        let rows = instructions
            .iter()
            .map(|i| {
                let frames = i.source.as_ref().map(of_location).unwrap_or_default();
                sass_row(i, i.ptx.as_ref().map(|l| l.line), frames)
            })
            .collect();
        kernels.push(KernelListing {
            name: kernel.name.to_string(),
            symbol: kernel.name.to_string(),
            ptx,
            sass: rows,
            usage: KernelUsage::of(cubin, kernel.name, &[] as &[Usage], &arch, block)?,
        });
    }
    Ok(Listing {
        name: name.to_string(),
        arch,
        kernels,
    })
}

impl Listing {
    /// Keeps the one kernel that a name means: its whole name, its symbol, or the end of its path.
    ///
    /// # Errors
    /// None, or several.
    pub fn keep_kernel(&mut self, name: &str) -> Result<()> {
        let is = |k: &KernelListing| k.name == name || k.symbol == name;
        let ends = |k: &KernelListing| {
            k.name
                .strip_suffix(name)
                .is_some_and(|rest| rest.ends_with("::"))
        };
        let named: Vec<usize> = {
            let all = |f: &dyn Fn(&KernelListing) -> bool| -> Vec<usize> {
                (0..self.kernels.len())
                    .filter(|i| f(&self.kernels[*i]))
                    .collect()
            };
            let exact = all(&is);
            if exact.is_empty() { all(&ends) } else { exact }
        };
        let names = |which: &mut dyn Iterator<Item = usize>| {
            which
                .map(|i| self.kernels[i].name.clone())
                .collect::<Vec<_>>()
                .join(", ")
        };
        match named[..] {
            [one] => {
                let kernel = self.kernels.swap_remove(one);
                self.kernels = vec![kernel];
                Ok(())
            }
            [] => Err(Error::NoKernel {
                name: name.to_string(),
                there_are: names(&mut (0..self.kernels.len())),
            }),
            _ => Err(Error::Ambiguous {
                name: name.to_string(),
                kernels: names(&mut named.iter().copied()),
            }),
        }
    }
}

fn of_function<'a>(sass: &'a [SassFunction], name: &str) -> &'a [SassInstruction] {
    sass.iter()
        .find(|f| f.name == name)
        .map_or(&[], |f| &f.instructions)
}

fn frames(side: &SideTable, line: u32) -> Vec<Frame> {
    let frame = |f: artifact::ResolvedFrame<'_>| Frame {
        file: f.file.to_string(),
        line: f.line,
        column: f.column,
        function: f.function.to_string(),
    };
    // Line 0 is LLVM's word for code of no line.
    side.frames(line)
        .filter(|f| f.line > 0)
        .map(frame)
        .collect()
}

/// Innermost first: the location, then the calls. A call's row tells which function was inlined there, which is the name of the
/// frame within.
fn of_location(location: &Location) -> Vec<Frame> {
    let mut out = vec![Frame {
        file: location.file.clone(),
        line: location.line,
        column: 0,
        function: String::new(),
    }];
    for call in &location.inlined {
        if let Some(inner) = out.last_mut() {
            inner.function = call.function.clone();
        }
        out.push(Frame {
            file: call.file.clone(),
            line: call.line,
            column: 0,
            function: String::new(),
        });
    }
    out
}

fn ptx_row(line: u32, text: &str, frames: Vec<Frame>) -> PtxRow {
    PtxRow {
        line,
        text: text.replace('\t', "    "),
        frames,
        mark: Mark {
            access: cubin::ptx_access(text).map(|a| a.to_string()),
            barrier: cubin::ptx_is_barrier(text),
            spill: false,
        },
    }
}

fn sass_row(i: &SassInstruction, ptx_line: Option<u32>, frames: Vec<Frame>) -> SassRow {
    SassRow {
        address: i.address,
        encoding: format!("{:032x}", i.encoding),
        text: i.text(),
        ptx_line,
        frames,
        mark: Mark {
            access: i.access.map(|a| a.to_string()),
            barrier: i.barrier,
            spill: i.spill,
        },
    }
}
