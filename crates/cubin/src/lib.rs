//! Cubins and fat binaries of any producer: what is in them, and what the PTX and the SASS of each line are.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = std::fs::read("vadd.cubin")?;
//! let cubin = cubin::Cubin::parse(&file)?;
//! for kernel in cubin.kernels() {
//!     println!("{}: {:?} registers", kernel.name, cubin.resources(&kernel)?.registers);
//! }
//! for ptx in cubin::extract_ptx(&cubin)? {
//!     println!("{}", ptx.with_locations(&cubin)?);
//! }
//! # Ok(()) }
//! ```
//! Reading never panics, and takes at most about twice the file's size in memory beside the file itself (of compressed parts
//! of fat binaries: of their unpacked size).

mod access;
mod bytes;
mod disasm;
mod elf;
mod error;
mod fatbin;
mod info;
mod line_program;
mod lines;
mod occupancy;
mod ptx_layout;
mod ptx_text;
mod ptxas;
mod tile_ir;
mod tools;

pub use access::{
    ACCESSES, Access, AccessKind, Space, is_barrier, ptx_access, ptx_is_barrier, sass_access,
};
pub use disasm::{SassFunction, SassInstruction, disassemble};
pub use elf::{Cubin, Function};
pub use error::{Error, Result};
pub use fatbin::{Entry, EntryKind, Fatbin};
pub use info::{Attribute, Attributes, Resources, ToolInfo, attribute_name};
pub use lines::{Inlined, LineKind, LineTable, Location};
pub use occupancy::{Limit, Occupancy, SM_LIMITS, SmLimits, occupancy, sm_limits};
pub use ptx_text::{EmbeddedPtx, PtxLine, PtxLocations, Reassembly, extract_ptx};
pub use ptxas::{Assembled, Usage, assemble};
pub use tile_ir::{TileIr, extract_tile_ir};
pub use tools::{FoundTool, Tool, find};

/// What a file is, by its first bytes.
#[derive(Debug)]
pub enum Image<'a> {
    Cubin(Box<Cubin<'a>>),
    Fatbin(Fatbin<'a>),
}

impl<'a> Image<'a> {
    /// Reads a cubin or a fat binary.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        if data.starts_with(&fatbin::MAGIC.to_le_bytes()) {
            return Fatbin::parse(data).map(Image::Fatbin);
        }
        Cubin::parse(data).map(|c| Image::Cubin(Box::new(c)))
    }
}
