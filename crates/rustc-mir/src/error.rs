//! The one error: text that is not understood.

use std::fmt;
use std::ops::Range;

use crate::span::Span;

/// Text that the reader does not know. It says where (in the `.mir` text and, where known, in the Rust source), what, and
/// what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirError {
    /// The `.mir` file's name.
    pub file: String,
    /// Bytes of the `.mir` text.
    pub range: Range<usize>,
    /// Line (from 1) and column (from 1, in characters) of the start of `range`.
    pub line: u32,
    pub col: u32,
    /// The Rust position of the statement, local or scope that could not be read.
    pub rust_span: Option<Span>,
    /// What was expected, and a quotation of what is there.
    pub what: String,
    pub help: Option<String>,
}

impl fmt::Display for MirError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.col, self.what)?;
        if let Some(s) = &self.rust_span {
            write!(f, " (of {s})")?;
        }
        if let Some(h) = &self.help {
            write!(f, "; {h}")?;
        }
        Ok(())
    }
}

impl std::error::Error for MirError {}
