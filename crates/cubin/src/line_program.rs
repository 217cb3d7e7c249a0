//! DWARF line programs of versions 2 to 4, run without keeping anything.
//!
//! Own code, because NVIDIA's programs have two opcodes that libraries skip (inlining, 0x90 and 0x91), relocations are matched by
//! the place of an address in the section, and a file of one-byte names must not grow twentyfold in memory.

use crate::bytes::Cursor;
use crate::error::{Result, damaged};

/// One row: from `address` on, until the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProgramRow {
    pub address: u64,
    pub file: u32,
    pub line: u32,
    /// The row of the same sequence (1-based) that has the call into which this was inlined; 0 if there is none.
    pub context: u32,
    /// Where in `.debug_str` the inlined function's name is.
    pub function_name: u32,
    pub end: bool,
}

/// What running a section tells.
pub(crate) trait Sink {
    /// A set address: where its bytes are in the section, and what they hold.
    fn address(&mut self, at: u64, value: u64) -> Result<u64>;
    fn row(&mut self, program: Program, row: ProgramRow) -> Result<()>;
}

/// One program: where it starts in the section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Program(pub usize);

struct Header<'a> {
    version: u16,
    minimum_length: u64,
    line_base: i64,
    line_range: u8,
    opcode_base: u8,
    lengths: &'a [u8],
    /// Directories and files, up to the program.
    tables: &'a [u8],
    /// The program, and where it is in the section.
    code: &'a [u8],
    code_at: usize,
    next: usize,
}

fn header<'a>(section: &'a [u8], at: usize) -> Option<Header<'a>> {
    let mut c = Cursor { data: section, at };
    let length = c.u32()? as usize;
    let next = c.at.checked_add(length)?;
    let unit = section.get(..next)?;
    let mut c = Cursor {
        data: unit,
        at: c.at,
    };
    let version = c.u16()?;
    let header_length = c.u32()? as usize;
    let code_at = c.at.checked_add(header_length)?;
    let code = unit.get(code_at..)?;
    let minimum_length = u64::from(c.u8()?);
    if version >= 4 {
        c.u8()?;
    }
    c.u8()?;
    let line_base = i64::from(c.u8()? as i8);
    let line_range = c.u8()?;
    let opcode_base = c.u8()?;
    let lengths = c.take(usize::from(opcode_base.checked_sub(1)?))?;
    let tables = unit.get(c.at..code_at)?;
    Some(Header {
        version,
        minimum_length,
        line_base,
        line_range,
        opcode_base,
        lengths,
        tables,
        code,
        code_at,
        next,
    })
}

/// Directory and name of a file of a program; files count from 1, and none has number 0.
pub(crate) fn file(section: &[u8], program: Program, file: u32) -> Option<(&[u8], &[u8])> {
    let tables = header(section, program.0)?.tables;
    let mut c = Cursor::new(tables);
    while !c.c_str()?.is_empty() {}
    for _ in 1..file {
        if c.c_str()?.is_empty() {
            return None;
        }
        for _ in 0..3 {
            c.uleb()?;
        }
    }
    let name = c.c_str().filter(|n| !n.is_empty() && file > 0)?;
    let mut directory: &[u8] = &[];
    let index = c.uleb()?;
    let mut c = Cursor::new(tables);
    for _ in 0..index {
        directory = c.c_str().filter(|d| !d.is_empty())?;
    }
    Some((directory, name))
}

/// Runs every program of a section.
pub(crate) fn run(name: &str, section: &[u8], sink: &mut impl Sink) -> Result<()> {
    let mut at = 0;
    while at < section.len() {
        let Some(h) = header(section, at) else {
            return Err(damaged(
                format!("section `{name}`"),
                format!("the line program at byte {at} is cut off"),
            ));
        };
        if !(2..=4).contains(&h.version) || h.line_range == 0 {
            return Err(damaged(
                format!("section `{name}`"),
                format!("the line program at byte {at} has version {}", h.version),
            ));
        }
        match one(&h, Program(at), sink) {
            Some(result) => result?,
            None => {
                return Err(damaged(
                    format!("section `{name}`"),
                    format!("the line program at byte {at} ends within an instruction"),
                ));
            }
        }
        at = h.next;
    }
    Ok(())
}

/// `None`: it ends within an instruction.
fn one(h: &Header<'_>, program: Program, sink: &mut impl Sink) -> Option<Result<()>> {
    let start = ProgramRow {
        address: 0,
        file: 1,
        line: 1,
        context: 0,
        function_name: 0,
        end: false,
    };
    let mut row = start;
    let mut c = Cursor::new(h.code);
    let move_line = |line: u32, by: i64| (i64::from(line).wrapping_add(by)) as u32;
    macro_rules! emit {
        ($row:expr) => {
            if let Err(e) = sink.row(program, $row) {
                return Some(Err(e));
            }
        };
    }
    while c.at < h.code.len() {
        let opcode = c.u8()?;
        if opcode >= h.opcode_base {
            let special = opcode - h.opcode_base;
            let advance = u64::from(special / h.line_range).wrapping_mul(h.minimum_length);
            row.address = row.address.wrapping_add(advance);
            row.line = move_line(row.line, h.line_base + i64::from(special % h.line_range));
            emit!(row);
            continue;
        }
        match opcode {
            0 => {
                let len = usize::try_from(c.uleb()?).ok()?;
                let operand_at = h.code_at + c.at + 1;
                let body = c.take(len)?;
                let mut b = Cursor::new(body);
                // An empty instruction is none.
                let Some(extended) = b.u8() else { continue };
                match extended {
                    1 => {
                        emit!(ProgramRow { end: true, ..row });
                        row = start;
                    }
                    2 => {
                        let value = match len {
                            9 => b.u64()?,
                            5 => u64::from(b.u32()?),
                            _ => return None,
                        };
                        row.address = match sink.address(operand_at as u64, value) {
                            Ok(address) => address,
                            Err(e) => return Some(Err(e)),
                        };
                    }
                    // NVIDIA's: inlined call, and name of a function.
                    0x90 => {
                        row.context = b.uleb()? as u32;
                        row.function_name = b.uleb()? as u32;
                    }
                    0x91 => row.function_name = b.uleb()? as u32,
                    _ => {}
                }
            }
            1 => emit!(row),
            2 => {
                let advance = c.uleb()?.wrapping_mul(h.minimum_length);
                row.address = row.address.wrapping_add(advance);
            }
            3 => row.line = move_line(row.line, c.sleb()?),
            4 => row.file = c.uleb()? as u32,
            8 => {
                let advance = u64::from((255 - h.opcode_base) / h.line_range);
                row.address = row
                    .address
                    .wrapping_add(advance.wrapping_mul(h.minimum_length));
            }
            9 => row.address = row.address.wrapping_add(u64::from(c.u16()?)),
            _ => {
                let operands = *h.lengths.get(usize::from(opcode) - 1)?;
                for _ in 0..operands {
                    c.uleb()?;
                }
            }
        }
    }
    Some(Ok(()))
}
