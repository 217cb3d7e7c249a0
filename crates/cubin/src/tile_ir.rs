//! The intermediate text that CUDA 13.4 and later keep in cubins: Tile IR, or whatever the PTX's
//! `.nv_intermediate_source_section` held.

use crate::elf::Cubin;
use crate::error::{Error, Result};
use std::borrow::Cow;

const SECTION: &str = ".nv.tileir.debug_txt.";

/// One intermediate text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileIr<'a> {
    /// The section's name: [`crate::LineKind::TileIr`] tables have it as their file.
    pub section: &'a str,
    /// The text, verbatim; it has no newline at its end.
    pub text: Cow<'a, str>,
}

/// The intermediate texts of a cubin.
///
/// # Errors
/// [`Error::MissingSection`] says why there is likely none.
pub fn extract_tile_ir<'a>(cubin: &Cubin<'a>) -> Result<Vec<TileIr<'a>>> {
    let mut out = Vec::new();
    for (section, _) in cubin.sections() {
        if section.starts_with(SECTION) {
            let bytes = cubin.section(section)?.unwrap_or_default();
            let end = bytes.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1);
            out.push(TileIr {
                section,
                text: String::from_utf8_lossy(&bytes[..end]),
            });
        }
    }
    if out.is_empty() {
        let why = if cubin.is_tile() {
            "this is a tile cubin: its tileiras is older than 13.4, had no --lineinfo, or the bytecode has no debug information"
        } else {
            "this is no tile cubin, and its PTX had no `.nv_intermediate_source_section`"
        };
        return Err(Error::MissingSection {
            looked_for: format!("{SECTION}*"),
            why: why.to_string(),
        });
    }
    Ok(out)
}
