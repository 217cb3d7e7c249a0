//! Line tables: from an address of a function to a line of the source, of the PTX, or of Tile IR.

use crate::elf::{Cubin, Relocation};
use crate::error::{Error, Result};
use crate::line_program::{self, Program, ProgramRow, Sink};
use std::ops::Range;

/// Which text the lines are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// The user's source: `.debug_line`.
    Source,
    /// The PTX that ptxas read: `.nv_debug_line_sass`. Files are names of `.nv_debug_ptx_txt` sections.
    Ptx,
    /// Tile IR, or another intermediate text: `.nv.tileir.debug_line`. Files are names of `.nv.tileir.debug_txt.*` sections.
    TileIr,
}

impl LineKind {
    /// The section that has the table.
    pub fn section(self) -> &'static str {
        match self {
            LineKind::Source => ".debug_line",
            LineKind::Ptx => ".nv_debug_line_sass",
            LineKind::TileIr => ".nv.tileir.debug_line",
        }
    }
}

/// A line, and the calls into which it was inlined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Path as the table has it; of PTX and Tile IR the name of the section with the text.
    pub file: String,
    /// 1-based. Of PTX, blanked lines count.
    pub line: u32,
    /// The calls, innermost first.
    pub inlined: Vec<Inlined>,
}

/// `file:line, inlined at file:line`
impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        for call in &self.inlined {
            write!(f, ", inlined at {}:{}", call.file, call.line)?;
        }
        Ok(())
    }
}

/// A call that is not there any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inlined {
    /// The function that was inlined; empty where it is not told.
    pub function: String,
    /// Where it was called.
    pub file: String,
    pub line: u32,
}

/// A row as it is kept; 20 bytes.
#[derive(Clone, Copy, Debug)]
struct Row {
    address: u32,
    line: u32,
    file: u32,
    context: u32,
    function_name: u32,
}

#[derive(Clone, Debug)]
struct Sequence {
    /// Code section.
    section: u32,
    program: Program,
    rows: Range<usize>,
    end: u32,
}

/// One line table of a cubin.
pub struct LineTable<'a> {
    kind: LineKind,
    data: &'a [u8],
    strings: &'a [u8],
    rows: Vec<Row>,
    sequences: Vec<Sequence>,
}

impl std::fmt::Debug for LineTable<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LineTable({:?}, {} rows)", self.kind, self.rows.len())
    }
}

/// As text of no more bytes than there are: what is not UTF-8 becomes question marks.
fn printable(parts: &[&[u8]]) -> String {
    let mut out = String::with_capacity(parts.iter().map(|p| p.len()).sum());
    for chunk in parts.iter().flat_map(|p| p.utf8_chunks()) {
        out.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            out.push('?');
        }
    }
    out
}

impl<'a> Cubin<'a> {
    /// Reads a line table.
    ///
    /// # Errors
    /// [`Error::MissingSection`] when there is none.
    pub fn lines(&self, kind: LineKind) -> Result<LineTable<'a>> {
        let name = kind.section();
        let Some(data) = self.section(name)? else {
            return Err(Error::MissingSection {
                looked_for: name.to_string(),
                why: match kind {
                    LineKind::TileIr => "only tileiras and ptxas of CUDA 13.4 and later write it, for modules with an intermediate text",
                    _ => "the code was assembled without line information (ptxas -lineinfo, or `.loc` in the PTX)",
                }
                .to_string(),
            });
        };
        let relocations = self.relocations(name)?;
        let mut reader = Reader {
            cubin: self,
            // A row stands for at least one instruction of 16 bytes, or for a call that was inlined.
            limit: 64 + self.data.len() / size_of::<Row>(),
            relocations,
            section: None,
            table: LineTable {
                kind,
                data,
                strings: self.section(".debug_str")?.unwrap_or_default(),
                rows: Vec::new(),
                sequences: Vec::new(),
            },
            first: 0,
        };
        reader.relocations.sort_by_key(|r| r.offset);
        line_program::run(name, data, &mut reader)?;
        reader.table.rows.shrink_to_fit();
        Ok(reader.table)
    }
}

struct Reader<'a, 'c> {
    cubin: &'c Cubin<'a>,
    limit: usize,
    relocations: Vec<Relocation>,
    section: Option<u32>,
    table: LineTable<'a>,
    first: usize,
}

impl Sink for Reader<'_, '_> {
    fn address(&mut self, at: u64, value: u64) -> Result<u64> {
        let found = self.relocations.binary_search_by_key(&at, |r| r.offset);
        let Ok(found) = found else {
            return Ok(value);
        };
        let relocation = self.relocations[found];
        let Some((section, base)) = self.cubin.symbol(relocation.symbol) else {
            return Ok(value);
        };
        self.section = Some(section);
        let addend = relocation.addend.map_or(value, |a| a as u64);
        Ok(base.wrapping_add(addend))
    }

    fn row(&mut self, program: Program, row: ProgramRow) -> Result<()> {
        let table = &mut self.table;
        let address = row.address.min(u64::from(u32::MAX)) as u32;
        if row.end {
            let rows = self.first..table.rows.len();
            self.first = table.rows.len();
            // A sequence whose function is gone (dead code that a linker dropped) says nothing.
            if let Some(section) = self.section.take()
                && !rows.is_empty()
            {
                table.sequences.push(Sequence {
                    section,
                    program,
                    rows,
                    end: address,
                });
            }
            return Ok(());
        }
        if table.rows.len() >= self.limit {
            return Err(Error::TooLarge {
                what: format!("section `{}`", table.kind.section()),
                limit: self.limit * size_of::<Row>(),
            });
        }
        if table.rows.capacity() == table.rows.len() {
            // Not doubling: the bound on memory is of the whole.
            table.rows.reserve_exact(64 + table.rows.len() / 4);
        }
        table.rows.push(Row {
            address,
            line: row.line,
            file: row.file,
            context: row.context,
            function_name: row.function_name,
        });
        Ok(())
    }
}

impl LineTable<'_> {
    fn row_of(&self, section: u32, address: u64) -> Option<(&Sequence, usize)> {
        let address = u32::try_from(address).ok()?;
        let sequence = self.sequences.iter().find(|s| {
            s.section == section
                && address < s.end
                && self
                    .rows
                    .get(s.rows.start)
                    .is_some_and(|r| r.address <= address)
        })?;
        let rows = self.rows.get(sequence.rows.clone())?;
        let after = rows.partition_point(|r| r.address <= address);
        Some((sequence, after.checked_sub(1)?))
    }

    /// The line of an address in a code section, by the section's index ([`crate::Function::section`]).
    pub fn lookup(&self, section: u32, address: u64) -> Option<Location> {
        let (sequence, row) = self.row_of(section, address)?;
        self.location(sequence, row)
    }

    fn location(&self, sequence: &Sequence, row: usize) -> Option<Location> {
        let rows = self.rows.get(sequence.rows.clone())?;
        let row = rows.get(row)?;
        let mut out = Location {
            file: self.file(sequence, row.file),
            line: row.line,
            inlined: Vec::new(),
        };
        let mut bytes = out.file.len();
        let mut inner = row;
        // A damaged table may have a circle, and long names: together they are never longer than the table.
        while inner.context != 0 && bytes <= self.data.len() {
            let Some(outer) = rows.get(inner.context as usize - 1) else {
                break;
            };
            let call = Inlined {
                function: self.string(inner.function_name),
                file: self.file(sequence, outer.file),
                line: outer.line,
            };
            bytes += call.function.len() + call.file.len() + size_of::<Inlined>();
            out.inlined.push(call);
            inner = outer;
        }
        Some(out)
    }

    fn string(&self, at: u32) -> String {
        let rest = self.strings.get(at as usize..).unwrap_or_default();
        let len = rest.iter().position(|b| *b == 0).unwrap_or(0);
        printable(&[&rest[..len]])
    }

    fn file(&self, sequence: &Sequence, file: u32) -> String {
        let Some((directory, name)) = line_program::file(self.data, sequence.program, file) else {
            // ptxas writes tables of its PTX without files.
            return match self.kind {
                LineKind::Ptx => ".nv_debug_ptx_txt".to_string(),
                _ => String::new(),
            };
        };
        if directory.is_empty() || directory == b"." || name.starts_with(b"/") {
            return printable(&[name]);
        }
        printable(&[
            directory.strip_suffix(b"/").unwrap_or(directory),
            b"/",
            name,
        ])
    }

    /// The rows in the order of the table: code section, first address, location. Rows of which only inlined calls speak
    /// are among them.
    pub fn rows(&self) -> impl Iterator<Item = (u32, u64, Location)> + '_ {
        self.sequences.iter().flat_map(move |s| {
            (0..s.rows.len()).filter_map(move |i| {
                let row = self.rows.get(s.rows.start + i)?;
                Some((s.section, u64::from(row.address), self.location(s, i)?))
            })
        })
    }

    /// The first addresses of rows with their sections, files by name and lines; nothing is allocated but the names.
    pub(crate) fn plain_rows(&self) -> impl Iterator<Item = (u32, u64, u32, &'_ [u8])> + '_ {
        self.sequences.iter().flat_map(move |s| {
            let rows = self.rows.get(s.rows.clone()).unwrap_or_default();
            rows.iter().map(move |r| {
                let name = line_program::file(self.data, s.program, r.file);
                (
                    s.section,
                    u64::from(r.address),
                    r.line,
                    name.map_or(&b".nv_debug_ptx_txt"[..], |(_, n)| n),
                )
            })
        })
    }
}
