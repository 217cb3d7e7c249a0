//! The texts of source files, where they are still there.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Reads lines of files by the names that line tables have.
#[derive(Debug, Default)]
pub struct Sources {
    /// Where relative names start.
    pub roots: Vec<PathBuf>,
    /// rustc's own folder: names that begin with `/rustc/` are of its libraries.
    pub sysroot: Option<PathBuf>,
    read: RefCell<HashMap<String, Option<Vec<String>>>>,
}

impl Sources {
    pub fn new(roots: Vec<PathBuf>, sysroot: Option<PathBuf>) -> Self {
        Self {
            roots,
            sysroot,
            read: RefCell::default(),
        }
    }

    /// A line (1-based), if the file is there and has one.
    pub fn line(&self, file: &str, line: u32) -> Option<String> {
        let mut read = self.read.borrow_mut();
        let lines = read
            .entry(file.to_string())
            .or_insert_with(|| self.lines_of(file));
        lines
            .as_ref()?
            .get((line as usize).checked_sub(1)?)
            .cloned()
    }

    /// All lines of a file.
    pub fn lines(&self, file: &str) -> Option<Vec<String>> {
        self.line(file, 1);
        self.read.borrow().get(file).cloned().flatten()
    }

    fn lines_of(&self, file: &str) -> Option<Vec<String>> {
        let text = self
            .places(file)
            .find_map(|p| std::fs::read_to_string(p).ok())?;
        Some(text.lines().map(|l| l.replace('\t', "    ")).collect())
    }

    fn places<'a>(&'a self, file: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
        let library = file
            .strip_prefix("/rustc/")
            .and_then(|f| f.split_once('/'))
            .and_then(|(_, rest)| {
                Some(
                    self.sysroot
                        .as_ref()?
                        .join("lib/rustlib/src/rust")
                        .join(rest),
                )
            });
        let direct = Path::new(file).is_absolute().then(|| PathBuf::from(file));
        let relative = self.roots.iter().map(move |r| r.join(file));
        direct.into_iter().chain(library).chain(relative)
    }
}
