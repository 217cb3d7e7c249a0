//! Positions: in Rust sources (as the MIR text says them), and in the MIR text itself.

use std::fmt;
use std::sync::Arc;

/// A range in a Rust source file: `src/k.rs:9:26: 9:36`, lines and columns from 1, columns in characters. Code from a
/// `macro_rules` body has the position in the macro's definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// As printed: relative to the directory rustc ran in, or `/rustc/<hash>/library/...` for the standard library.
    pub file: Arc<str>,
    pub lo: LineCol,
    pub hi: LineCol,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineCol {
    pub line: u32,
    pub col: u32,
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}:{}: {}:{}",
            self.file, self.lo.line, self.lo.col, self.hi.line, self.hi.col
        )
    }
}
