//! The PTX that ptxas read, out of the cubin that it wrote.
//!
//! `.nv_debug_ptx_txt` holds one NUL-ended entry for each line. Leading blanks are gone; lines that begin with `//`, `.loc`,
//! `.loc_intermediate` or `.file` are blank, and so is the data of debug sections. Line numbers are kept.

use crate::elf::Cubin;
use crate::error::{Error, Result};
use crate::info::ToolInfo;
use crate::lines::{LineKind, LineTable, Location};
use crate::ptx_layout::Layout;
use std::borrow::Cow;
use std::fmt::{self, Write as _};

pub(crate) const SECTION: &str = ".nv_debug_ptx_txt";
const INTERMEDIATE: &str = ".nv_intermediate_source_section";

/// The PTX of one compilation unit.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedPtx<'a> {
    /// The section's name: line tables have it as their file.
    pub section: &'a str,
    bytes: &'a [u8],
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxLine<'a> {
    /// 1-based: the line of the file that ptxas read.
    pub number: u32,
    /// Without leading blanks; empty where it was blank, a comment, or one of the directives that are not kept.
    pub text: Cow<'a, str>,
    /// The layout has a tab here.
    pub indented: bool,
    /// Part of the intermediate text (Tile IR, MIR…) that PTX 9.4 can carry; [`crate::extract_tile_ir`] gives it unharmed.
    pub intermediate: bool,
}

/// What assembling the restored PTX again, with the same ptxas and flags, gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reassembly {
    /// The same `.text` of every kernel.
    Identical,
    /// The same, if ptxas gets flags that the cubin does not record: what tileiras passes.
    IdenticalWithFlags(&'static [&'static str]),
    /// Perhaps other code: data of debug sections is lost, and with it functions that are not inlined may differ.
    DebugDataLost,
    /// The cubin does not say which ptxas made it (CUDA 12 and before).
    UnknownTool,
}

/// What tileiras passes and cubins do not record.
const TILE_FLAGS: &[&str] = &["-uumn", "--enable-extended-smem=true"];

/// The PTX of each unit of a cubin; a linked cubin has several.
///
/// # Errors
/// [`Error::MissingSection`] says why there is likely none.
pub fn extract_ptx<'a>(cubin: &Cubin<'a>) -> Result<Vec<EmbeddedPtx<'a>>> {
    let mut out = Vec::new();
    for (section, _) in cubin.sections() {
        let suffix = section.strip_prefix(SECTION);
        if suffix.is_some_and(|s| s.is_empty() || s.starts_with('.')) {
            // Read again, so that a section that is cut off is an error.
            let bytes = cubin.section(section)?.unwrap_or_default();
            out.push(EmbeddedPtx { section, bytes });
        }
    }
    if out.is_empty() {
        return Err(missing(cubin));
    }
    Ok(out)
}

fn missing(cubin: &Cubin<'_>) -> Error {
    let has_lines = cubin.section_index(LineKind::Ptx.section()).is_some();
    let why = match (has_lines, cubin.is_tile()) {
        (true, _) => {
            "it has a table of PTX lines, so ptxas most likely read its PTX from a pipe, which it cannot read a second time"
        }
        (_, true) => {
            "this is a tile cubin: either tileiras had no --lineinfo, or the bytecode has no debug information"
        }
        _ => "it was assembled without -lineinfo, from PTX without `.loc`, or was stripped",
    };
    Error::MissingSection {
        looked_for: SECTION.to_string(),
        why: why.to_string(),
    }
}

impl<'a> EmbeddedPtx<'a> {
    /// The lines, blank ones at the end left out.
    pub fn lines(&self) -> impl Iterator<Item = PtxLine<'a>> + use<'a> {
        let end = self
            .bytes
            .iter()
            .rposition(|b| !matches!(b, 0 | b' ' | b'\t'))
            .map_or(0, |last| last + 1);
        let mut rest = self.bytes.get(..end).filter(|b| !b.is_empty());
        let mut number = 0;
        let mut layout = Layout::default();
        let mut section = Intermediate::Outside;
        std::iter::from_fn(move || {
            let bytes = rest?;
            let line = match bytes.iter().position(|b| *b == 0) {
                Some(nul) => {
                    rest = Some(&bytes[nul + 1..]);
                    &bytes[..nul]
                }
                None => {
                    rest = None;
                    bytes
                }
            };
            number += 1;
            let text = String::from_utf8_lossy(line);
            let intermediate = section.next(&text);
            Some(PtxLine {
                number,
                indented: !intermediate && layout.next(&text),
                text,
                intermediate,
            })
        })
    }

    /// The text with its layout, line by line what ptxas read but for leading blanks and what the section blanks.
    pub fn text(&self) -> impl fmt::Display + 'a {
        Text {
            ptx: *self,
            cut: false,
            locations: None,
        }
    }

    /// The same in a form that ptxas takes again: without the intermediate section, whose `.file` is lost.
    pub fn assemblable(&self) -> impl fmt::Display + 'a {
        Text {
            ptx: *self,
            cut: true,
            locations: None,
        }
    }

    /// The text with the source lines as comments: where the location changes, in the blank line above when there is one
    /// (there `.loc` stood), else at the end of the line. Lines keep their numbers. By addresses of the SASS, so lines of
    /// which no instruction was made have none.
    ///
    /// # Errors
    /// Those of the line tables. A cubin without `.debug_line` has no comments.
    pub fn with_locations(&self, cubin: &Cubin<'a>) -> Result<impl fmt::Display + use<'a>> {
        Ok(Text {
            ptx: *self,
            cut: false,
            locations: Some(self.locations(cubin)?),
        })
    }

    /// PTX line → source line.
    ///
    /// # Errors
    /// Damaged tables. Without a table it is empty.
    pub fn locations(&self, cubin: &Cubin<'a>) -> Result<PtxLocations<'a>> {
        let mut out = PtxLocations {
            first: Vec::new(),
            source: None,
        };
        let (ptx, source) = match (cubin.lines(LineKind::Ptx), cubin.lines(LineKind::Source)) {
            (Ok(ptx), Ok(source)) => (ptx, source),
            (Err(Error::MissingSection { .. }), _) | (_, Err(Error::MissingSection { .. })) => {
                return Ok(out);
            }
            (Err(e), _) | (_, Err(e)) => return Err(e),
        };
        let of_this = |file: &[u8]| file == self.section.as_bytes();
        let rows = || ptx.plain_rows().filter(|(.., file)| of_this(file));
        out.first.reserve_exact(rows().count());
        for (section, address, line, _) in rows() {
            let address = u32::try_from(address).unwrap_or(u32::MAX);
            out.first.push((line, section, address));
        }
        out.first.sort_unstable();
        out.first.dedup_by_key(|(line, ..)| *line);
        out.source = Some(source);
        Ok(out)
    }

    /// Which meaning of "the same PTX" holds beyond the lines: what assembling it again gives. Verified by the producers'
    /// cubins of CUDA 12.9 to 13.5.
    pub fn reassembly(&self, cubin: &Cubin<'_>) -> Result<Reassembly> {
        let debug = self.lines().any(|l| {
            l.text.starts_with(".target") && l.text.split([',', ' ']).any(|w| w == "debug")
        });
        if debug {
            return Ok(Reassembly::DebugDataLost);
        }
        if cubin.is_tile() {
            return Ok(Reassembly::IdenticalWithFlags(TILE_FLAGS));
        }
        Ok(match ToolInfo::of(cubin)? {
            Some(_) => Reassembly::Identical,
            None => Reassembly::UnknownTool,
        })
    }
}

/// PTX line → source line, by the first instruction of the PTX line.
#[derive(Debug)]
pub struct PtxLocations<'a> {
    /// Line, code section, address.
    first: Vec<(u32, u32, u32)>,
    source: Option<LineTable<'a>>,
}

impl PtxLocations<'_> {
    /// The source of a PTX line; `None` where no instruction was made of it.
    pub fn get(&self, line: u32) -> Option<Location> {
        let at = self.first.binary_search_by_key(&line, |(l, ..)| *l).ok()?;
        let (_, section, address) = self.first[at];
        self.source.as_ref()?.lookup(section, address.into())
    }
}

struct Text<'a> {
    ptx: EmbeddedPtx<'a>,
    cut: bool,
    locations: Option<PtxLocations<'a>>,
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut last: Option<Location> = None;
        // A blank line is held back: it may get the location of the line below.
        let mut blank = false;
        for line in self.ptx.lines() {
            if line.text.is_empty() || self.cut && line.intermediate {
                if blank {
                    f.write_char('\n')?;
                }
                blank = true;
                continue;
            }
            let tab = if line.indented { "\t" } else { "" };
            let location = self.locations.as_ref().and_then(|l| l.get(line.number));
            let changed = location.filter(|l| last.as_ref() != Some(l));
            match (std::mem::take(&mut blank), &changed) {
                (true, Some(at)) => writeln!(f, "{tab}// {at}\n{tab}{}", line.text)?,
                (true, None) => writeln!(f, "\n{tab}{}", line.text)?,
                (false, Some(at)) => writeln!(f, "{tab}{} // {at}", line.text)?,
                (false, None) => writeln!(f, "{tab}{}", line.text)?,
            }
            last = changed.or(last);
        }
        Ok(())
    }
}

/// Where in the intermediate section a line is.
#[derive(Clone, Copy)]
enum Intermediate {
    Outside,
    /// Within so many braces.
    Directives(u32),
    /// Between `.source_begin` and `.source_end`: any text.
    Source(u32),
}

impl Intermediate {
    /// Whether this line, which is the next one, belongs to the section.
    fn next(&mut self, line: &str) -> bool {
        let depth = match *self {
            Intermediate::Outside if line.starts_with(INTERMEDIATE) => 0,
            Intermediate::Outside => return false,
            Intermediate::Source(depth) => {
                if line.trim_end() == ".source_end" {
                    *self = Intermediate::Directives(depth);
                }
                return true;
            }
            Intermediate::Directives(depth) => depth,
        };
        if line.trim_end() == ".source_begin" {
            *self = Intermediate::Source(depth);
            return true;
        }
        let count = |c| line.bytes().filter(|b| *b == c).count() as u32;
        let depth = depth
            .saturating_add(count(b'{'))
            .saturating_sub(count(b'}'));
        let ended = depth == 0 && line.contains('}');
        *self = if ended {
            Intermediate::Outside
        } else {
            Intermediate::Directives(depth)
        };
        true
    }
}
