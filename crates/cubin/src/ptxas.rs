//! Running ptxas: PTX to a cubin, and its own figures of each kernel.

use crate::error::{Error, Result};
use crate::tools::FoundTool;
use std::process::Command;

/// What ptxas made.
#[derive(Clone, Debug)]
pub struct Assembled {
    pub cubin: Vec<u8>,
    /// One for each kernel and each function that was not inlined.
    pub usage: Vec<Usage>,
    /// Warnings, as ptxas said them.
    pub warnings: Vec<String>,
}

/// ptxas's own figures (`-v`) of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub function: String,
    /// A kernel: only these have registers, barriers, shared and constant memory.
    pub entry: bool,
    pub registers: u32,
    pub barriers: u32,
    /// Bytes of each thread.
    pub stack: u32,
    pub spill_stores: u32,
    pub spill_loads: u32,
    /// Bytes of each block.
    pub shared: u32,
    /// Bytes of the banks of constants that ptxas tells; from sm_90 on the cubin tells them.
    pub constant: u32,
}

/// Assembles PTX for `arch` (`sm_90a`) with line tables, so that the cubin holds the PTX.
///
/// # Errors
/// ptxas's words, when it refuses the text.
pub fn assemble(ptxas: &FoundTool, ptx: &str, arch: &str, options: &[&str]) -> Result<Assembled> {
    let cannot = |error| Error::CannotRun {
        path: ptxas.path.clone(),
        error,
    };
    // Files and no pipes: ptxas opens its input a second time to embed it.
    let dir = tempfile::tempdir().map_err(cannot)?;
    let (input, output) = (
        dir.path().join("kernels.ptx"),
        dir.path().join("kernels.cubin"),
    );
    std::fs::write(&input, ptx).map_err(cannot)?;
    let run = Command::new(&ptxas.path)
        .args(["-v", "-lineinfo", "-arch", arch, "-o"])
        .arg(&output)
        .args(options)
        .arg(&input)
        .current_dir(dir.path())
        .output()
        .map_err(cannot)?;
    let mut said = String::from_utf8_lossy(&run.stderr).into_owned();
    said += &String::from_utf8_lossy(&run.stdout);
    let said = said.replace(&input.display().to_string(), "kernels.ptx");
    if !run.status.success() {
        return Err(Error::ToolFailed {
            tool: format!("ptxas -arch {arch}"),
            said: said.trim().to_string(),
        });
    }
    Ok(Assembled {
        cubin: std::fs::read(&output).map_err(cannot)?,
        usage: usage(&said)?,
        warnings: said
            .lines()
            .filter(|l| l.starts_with("ptxas") && l.contains("warning"))
            .map(str::to_string)
            .collect(),
    })
}

/// Reads what `ptxas -v` says.
pub(crate) fn usage(said: &str) -> Result<Vec<Usage>> {
    let mut out: Vec<Usage> = Vec::new();
    let mut entry = String::new();
    let bad = |line: &str| Error::ToolOutput {
        tool: "ptxas -v".to_string(),
        why: format!("`{line}`"),
    };
    let mut lines = said.lines();
    while let Some(line) = lines.next() {
        let info = line
            .strip_prefix("ptxas info")
            .map(|l| l.trim_start_matches([' ', ':']));
        let Some(info) = info else { continue };
        if let Some(name) = info.strip_prefix("Compiling entry function '") {
            entry = name.split('\'').next().unwrap_or_default().to_string();
        } else if let Some(name) = info.strip_prefix("Function properties for ") {
            let figures = lines.next().ok_or_else(|| bad(line))?;
            let mut usage = Usage {
                function: name.trim().to_string(),
                entry: name.trim() == entry,
                ..Usage::default()
            };
            for part in figures.split(',') {
                let (number, what) = figure(part).ok_or_else(|| bad(figures))?;
                match what {
                    "bytes stack frame" => usage.stack = number,
                    "bytes spill stores" => usage.spill_stores = number,
                    "bytes spill loads" => usage.spill_loads = number,
                    _ => {}
                }
            }
            out.push(usage);
        } else if let Some(rest) = info.strip_prefix("Used ") {
            let of_entry = out.iter_mut().rev().find(|u| u.function == entry);
            let Some(usage) = of_entry else { continue };
            for part in rest.split(',') {
                let part = part.trim().trim_start_matches("used ");
                let (number, what) = figure(part).ok_or_else(|| bad(line))?;
                match what {
                    "registers" => usage.registers = number,
                    "barriers" => usage.barriers = number,
                    "bytes smem" => usage.shared = number,
                    "bytes cumulative stack size" => usage.stack = usage.stack.max(number),
                    _ if what.starts_with("bytes cmem") => usage.constant += number,
                    _ => {}
                }
            }
        }
    }
    Ok(out)
}

fn figure(text: &str) -> Option<(u32, &str)> {
    let (number, what) = text.trim().split_once(' ')?;
    Some((number.parse().ok()?, what.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbose_output() {
        let said = "\
ptxas info    : 11 bytes gmem, 24 bytes cmem[4]
ptxas info    : Compiling entry function 'vadd' for 'sm_80'
ptxas info    : Function properties for vadd
    8 bytes stack frame, 16 bytes spill stores, 32 bytes spill loads
ptxas info    : Used 12 registers, used 1 barriers, 8 bytes cumulative stack size, 512 bytes smem, 380 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compile time = 3.376 ms
ptxas info    : Function properties for _Z6helperf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
";
        let found = usage(said).unwrap();
        assert_eq!(
            found[0],
            Usage {
                function: "vadd".to_string(),
                entry: true,
                registers: 12,
                barriers: 1,
                stack: 8,
                spill_stores: 16,
                spill_loads: 32,
                shared: 512,
                constant: 388,
            }
        );
        assert_eq!(
            (found[1].function.as_str(), found[1].entry),
            ("_Z6helperf", false)
        );
        assert!(usage("ptxas info : Function properties for k\n  many bytes\n").is_err());
    }
}
