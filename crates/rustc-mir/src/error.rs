//! The one error: text that is not understood.

use std::fmt;
use std::ops::Range;

use crate::span::Span;

/// Text that the reader does not know. It says where (in the `.mir` text and, where known, in the Rust source), what, and
/// what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirError {
    /// The `.mir` file's name.
    pub file: Box<str>,
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

impl MirError {
    pub(crate) fn new(
        file: &str,
        text: &str,
        range: Range<usize>,
        what: String,
        rust_span: Option<Span>,
        help: Option<&'static str>,
    ) -> MirError {
        let before = text.get(..range.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        let line = before.bytes().filter(|b| *b == b'\n').count() as u32 + 1;
        let col = before[line_start..].chars().count() as u32 + 1;
        let help = match help {
            Some(h) => h.to_string(),
            None => format!("the text of {} is read", crate::parse::TOOLCHAIN),
        };
        MirError {
            file: file.into(),
            range,
            line,
            col,
            rust_span,
            what,
            help: Some(help),
        }
    }
}
