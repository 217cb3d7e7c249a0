//! Errors for users: what, why, what instead, and where.

use std::fmt;

/// A place in Rust source, of a chain of calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub function: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Frame {
    /// Whether it is in the standard library, or in what that is built from: the user has no such file.
    pub fn is_library(&self) -> bool {
        self.file.starts_with("/rustc/") || self.file.starts_with("/rust/deps/")
    }
}

/// Why the IR cannot become a module for the device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Error {
    pub title: String,
    /// What is said at the innermost line of the user's; may be empty.
    pub label: String,
    pub notes: Vec<String>,
    pub help: Option<String>,
    /// Where it is needed, innermost first, up to the kernel.
    pub frames: Vec<Frame>,
}

impl Error {
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    pub(crate) fn label(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)?;
        for frame in &self.frames {
            write!(
                f,
                "\n  at {}:{}:{} in {}",
                frame.file, frame.line, frame.column, frame.function
            )?;
        }
        for note in &self.notes {
            write!(f, "\n  note: {note}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
