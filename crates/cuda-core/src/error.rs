//! What can go wrong, in words.

use std::fmt;

/// An error of the driver, of the simulator, or of what lies before them (no library, no artifact, layouts that differ).
#[derive(Clone, PartialEq, Eq)]
pub struct DriverError(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    code: Option<i32>,
    name: String,
    text: String,
    detail: Option<String>,
}

impl DriverError {
    /// An error that the driver returned.
    #[inline(never)]
    pub(crate) fn from_driver(code: i32, name: String, text: String) -> Self {
        DriverError(Box::new(Inner {
            code: Some(code),
            name,
            text,
            detail: None,
        }))
    }

    /// An error of ours; `name` begins with `CUDA_OXIDE_ERROR_`.
    #[inline(never)]
    pub(crate) fn ours(name: &str, text: impl Into<String>) -> Self {
        DriverError(Box::new(Inner {
            code: None,
            name: name.to_owned(),
            text: text.into(),
            detail: None,
        }))
    }

    /// The same with more words: a device panic, the simulator's report, the log of the PTX compiler.
    #[inline(never)]
    pub(crate) fn with_detail(mut self, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        if !detail.trim().is_empty() {
            self.0.detail = Some(detail.trim_end().to_owned());
        }
        self
    }

    /// The driver's number, where the driver returned one.
    #[inline(never)]
    pub fn code(&self) -> Option<i32> {
        self.0.code
    }

    /// `CUDA_ERROR_ILLEGAL_ADDRESS`, or for an error of ours `CUDA_OXIDE_ERROR_…`.
    #[inline(never)]
    pub fn error_name(&self) -> &str {
        &self.0.name
    }

    /// The error in words, with all that is known of it: what a kernel said when it panicked, and where.
    #[inline(never)]
    pub fn error_string(&self) -> String {
        match &self.0.detail {
            Some(detail) => format!("{}\n{detail}", self.0.text),
            None => self.0.text.clone(),
        }
    }

    /// What a kernel, the simulator or the PTX compiler said, without the driver's own words.
    #[inline(never)]
    pub fn detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }
}

impl fmt::Display for DriverError {
    #[inline(never)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.name, self.error_string())
    }
}

/// As `Display`: what `main` prints when it returns the error, and what `unwrap` prints.
impl fmt::Debug for DriverError {
    #[inline(never)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for DriverError {}
