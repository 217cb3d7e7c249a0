//! PTX line → Rust frames. It travels to the simulator on its own, so it has its own mark and version.

use crate::format::{FormatError, Reader, Writer};
use std::collections::{BTreeMap, HashMap};

const MAGIC: &[u8; 6] = b"OXSIDE";
const VERSION: u16 = 1;

/// For each PTX line (1-based) that holds an instruction, the Rust frames that it came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideTable {
    /// File names, as rustc prints them.
    pub files: Vec<String>,
    /// Function names, as a person reads them.
    pub functions: Vec<String>,
    /// PTX line → frames, innermost first; never an empty list.
    pub lines: BTreeMap<u32, Vec<Frame>>,
}

/// One frame, by index into the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Index into [`SideTable::files`].
    pub file: u32,
    /// 1-based; 0 when it is not known.
    pub line: u32,
    /// 1-based; 0 when it is not known.
    pub column: u32,
    /// Index into [`SideTable::functions`].
    pub function: u32,
}

/// One frame, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResolvedFrame<'a> {
    pub file: &'a str,
    pub line: u32,
    pub column: u32,
    pub function: &'a str,
}

impl SideTable {
    /// The frames of a PTX line, innermost first.
    pub fn frames(&self, ptx_line: u32) -> impl Iterator<Item = ResolvedFrame<'_>> {
        self.lines
            .get(&ptx_line)
            .into_iter()
            .flatten()
            .filter_map(|f| {
                Some(ResolvedFrame {
                    file: self.files.get(f.file as usize)?,
                    line: f.line,
                    column: f.column,
                    function: self.functions.get(f.function as usize)?,
                })
            })
    }

    /// The index of a file name, added if it is new.
    pub fn intern_file(&mut self, file: &str) -> u32 {
        intern(&mut self.files, file)
    }

    /// The index of a function name, added if it is new.
    pub fn intern_function(&mut self, function: &str) -> u32 {
        intern(&mut self.functions, function)
    }

    /// The same table for a text in which `offset` lines were put before the PTX, joined with what is already here.
    /// Names are interned anew.
    pub fn append(&mut self, other: &SideTable, offset: u32) {
        let mut known: HashMap<Frame, Frame> = HashMap::new();
        for (line, frames) in &other.lines {
            let moved = frames.iter().map(|f| {
                *known.entry(*f).or_insert_with(|| Frame {
                    file: self.intern_file(other.files.get(f.file as usize).map_or("", |s| s)),
                    function: self.intern_function(
                        other.functions.get(f.function as usize).map_or("", |s| s),
                    ),
                    ..*f
                })
            });
            let moved: Vec<Frame> = moved.collect();
            self.lines.insert(line.saturating_add(offset), moved);
        }
    }

    /// The table's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::default();
        w.0.extend_from_slice(MAGIC);
        w.u16(VERSION);
        for names in [&self.files, &self.functions] {
            w.u32(names.len() as u32);
            for name in names {
                w.str(name);
            }
        }
        w.u32(self.lines.len() as u32);
        for (line, frames) in &self.lines {
            w.u32(*line);
            w.u32(frames.len() as u32);
            for f in frames {
                for v in [f.file, f.line, f.column, f.function] {
                    w.u32(v);
                }
            }
        }
        w.0
    }

    /// Reads a table; never panics. Indices are checked here, lines must ascend.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut r = Reader::new(bytes);
        r.header("a side table", MAGIC, VERSION)?;
        let mut table = SideTable::default();
        for _ in 0..r.count("files", 4)? {
            table.files.push(r.str("file name")?);
        }
        for _ in 0..r.count("functions", 4)? {
            table.functions.push(r.str("function name")?);
        }
        let mut last = None;
        for _ in 0..r.count("lines", 8)? {
            let at = r.at;
            let line = r.u32("PTX line")?;
            if last.is_some_and(|last| last >= line) {
                return Err(FormatError::Value {
                    at,
                    field: "PTX line",
                    value: line.into(),
                });
            }
            last = Some(line);
            let n = r.count("frames", 16)?;
            let mut frames = Vec::with_capacity(n);
            for _ in 0..n {
                let at = r.at;
                let mut u = || r.u32("frame");
                let f = Frame {
                    file: u()?,
                    line: u()?,
                    column: u()?,
                    function: u()?,
                };
                if f.file as usize >= table.files.len() {
                    return Err(FormatError::Value {
                        at,
                        field: "file of a frame",
                        value: f.file.into(),
                    });
                }
                if f.function as usize >= table.functions.len() {
                    return Err(FormatError::Value {
                        at,
                        field: "function of a frame",
                        value: f.function.into(),
                    });
                }
                frames.push(f);
            }
            table.lines.insert(line, frames);
        }
        r.end()?;
        Ok(table)
    }
}

fn intern(names: &mut Vec<String>, name: &str) -> u32 {
    match names.iter().position(|n| n == name) {
        Some(i) => i as u32,
        None => {
            names.push(name.to_owned());
            names.len() as u32 - 1
        }
    }
}
