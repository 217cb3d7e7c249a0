//! SASS, by `nvdisasm -json`: names and operands are nvdisasm's, encodings are the cubin's own bytes, lines come from its tables.

use crate::access::{Access, Space, is_barrier, ptx_access, sass_access};
use crate::elf::Cubin;
use crate::error::{Error, Result};
use crate::lines::{LineKind, LineTable, Location};
use crate::ptx_text::extract_ptx;
use crate::tools::FoundTool;
use serde_json::Value;
use std::collections::HashMap;
use std::process::Command;

/// The code of one section: a kernel with what was not inlined into it, or a function of its own.
#[derive(Clone, Debug)]
pub struct SassFunction {
    pub name: String,
    /// A kernel.
    pub entry: bool,
    pub instructions: Vec<SassInstruction>,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SassInstruction {
    /// In bytes from the beginning of the section.
    pub address: u64,
    /// The bytes, little-endian.
    pub encoding: u128,
    /// `@!P0`, or nothing.
    pub predicate: String,
    /// `LDG.E.64`
    pub opcode: String,
    /// `R2, desc[UR4][R2.64]`
    pub operands: String,
    /// Where it comes from, if the cubin has line tables.
    pub source: Option<Location>,
    /// The line of the PTX (the file is the section of the text).
    pub ptx: Option<Location>,
    /// What it does to memory.
    pub access: Option<Access>,
    /// Threads wait here.
    pub barrier: bool,
    /// A register that did not fit is put into local memory here, or got back: the line of the PTX, if it is known, has no access
    /// to local memory.
    pub spill: bool,
}

impl SassInstruction {
    /// The instruction as nvdisasm prints it.
    pub fn text(&self) -> String {
        let words = [&self.predicate, &self.opcode, &self.operands];
        let words: Vec<&str> = words
            .iter()
            .map(|w| w.as_str())
            .filter(|w| !w.is_empty())
            .collect();
        words.join(" ")
    }
}

/// Disassembles every function of a cubin.
///
/// # Errors
/// Those of the file, and of nvdisasm.
pub fn disassemble(nvdisasm: &FoundTool, cubin: &Cubin<'_>) -> Result<Vec<SassFunction>> {
    let cannot = |error| Error::CannotRun {
        path: nvdisasm.path.clone(),
        error,
    };
    let dir = tempfile::tempdir().map_err(cannot)?;
    let input = dir.path().join("kernels.cubin");
    std::fs::write(&input, cubin.data).map_err(cannot)?;
    let run = Command::new(&nvdisasm.path)
        .arg("-json")
        .arg(&input)
        .current_dir(dir.path())
        .output()
        .map_err(cannot)?;
    if !run.status.success() {
        return Err(Error::ToolFailed {
            tool: "nvdisasm -json".to_string(),
            said: String::from_utf8_lossy(&run.stderr).trim().to_string(),
        });
    }
    read(&run.stdout, cubin)
}

fn odd(why: impl Into<String>) -> Error {
    Error::ToolOutput {
        tool: "nvdisasm -json".to_string(),
        why: why.into(),
    }
}

/// A line table, or none where the cubin has none.
fn table<'a>(cubin: &Cubin<'a>, kind: LineKind) -> Result<Option<LineTable<'a>>> {
    match cubin.lines(kind) {
        Ok(table) => Ok(Some(table)),
        Err(Error::MissingSection { .. }) => Ok(None),
        Err(e) => Err(e),
    }
}

/// PTX lines with an access to local memory, by section and line.
fn local_lines(cubin: &Cubin<'_>) -> HashMap<(String, u32), bool> {
    let mut out = HashMap::new();
    for ptx in extract_ptx(cubin).unwrap_or_default() {
        for line in ptx.lines() {
            // A generic access may become a local one, and a call passes its arguments there.
            let local = ptx_access(&line.text)
                .is_some_and(|a| matches!(a.space, Space::Local | Space::Generic | Space::Param));
            if local || line.text.starts_with("call") {
                out.insert((ptx.section.to_string(), line.number), true);
            }
        }
    }
    out
}

pub(crate) fn read(json: &[u8], cubin: &Cubin<'_>) -> Result<Vec<SassFunction>> {
    let json: Value = serde_json::from_slice(json).map_err(|e| odd(e.to_string()))?;
    let functions = json
        .get(1)
        .and_then(Value::as_array)
        .ok_or_else(|| odd("there is no list of functions"))?;
    let source = table(cubin, LineKind::Source)?;
    let ptx = table(cubin, LineKind::Ptx)?;
    let local = local_lines(cubin);
    let mut out = Vec::new();
    for function in functions {
        let text = |key: &str| function.get(key).and_then(Value::as_str);
        let name = text("function-name").ok_or_else(|| odd("a function has no name"))?;
        let list = function
            .get("sass-instructions")
            .and_then(Value::as_array)
            .ok_or_else(|| odd(format!("`{name}` has no instructions")))?;
        let start = function.get("start").and_then(Value::as_u64).unwrap_or(0);
        let length = function.get("length").and_then(Value::as_u64).unwrap_or(0);
        let section_name = format!(".text.{name}");
        let section = cubin
            .section_index(&section_name)
            .ok_or_else(|| odd(format!("the cubin has no section `{section_name}`")))?;
        let code = cubin.section_data(section)?;
        // 16 bytes from Volta on; the length tells.
        let size = length.checked_div(list.len() as u64).unwrap_or(0);
        if size != 16 && !list.is_empty() {
            return Err(odd(format!(
                "instructions of `{name}` have {size} bytes and not 16"
            )));
        }
        let mut instructions = Vec::with_capacity(list.len());
        for (i, instruction) in list.iter().enumerate() {
            let text = |key: &str| {
                let text = instruction.get(key).and_then(Value::as_str);
                text.unwrap_or_default().to_string()
            };
            let address = start + i as u64 * size;
            let bytes = usize::try_from(address)
                .ok()
                .and_then(|a| code.get(a..a.checked_add(16)?))
                .and_then(|b| b.try_into().ok())
                .ok_or_else(|| odd(format!("`{name}` is longer than its section")))?;
            let opcode = text("opcode");
            let access = sass_access(&opcode);
            let of =
                |t: &Option<LineTable<'_>>| t.as_ref().and_then(|t| t.lookup(section, address));
            let ptx = of(&ptx);
            let spill = access.is_some_and(|a| a.space == Space::Local)
                && ptx
                    .as_ref()
                    .is_some_and(|p| !local.contains_key(&(p.file.clone(), p.line)));
            instructions.push(SassInstruction {
                address,
                encoding: u128::from_le_bytes(bytes),
                predicate: text("predicate"),
                operands: spaced(&text("operands")),
                source: of(&source),
                ptx,
                access,
                barrier: is_barrier(&opcode),
                spill,
                opcode,
            });
        }
        out.push(SassFunction {
            name: name.to_string(),
            entry: cubin.kernels().any(|k| k.name == name),
            instructions,
        });
    }
    Ok(out)
}

/// The JSON has no blanks between operands.
fn spaced(operands: &str) -> String {
    operands
        .split(',')
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(", ")
}
