//! Source files, as far as they can be found.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Texts by the names that rustc gave them.
#[derive(Default)]
pub(crate) struct Sources {
    files: HashMap<String, Option<Vec<String>>>,
}

impl Sources {
    /// One line, if the file is where its name says: as it is, or under the current folder or one above it.
    pub fn line(&mut self, file: &str, line: u32) -> Option<&str> {
        let lines = self
            .files
            .entry(file.into())
            .or_insert_with(|| read(file))
            .as_ref()?;
        lines
            .get((line as usize).checked_sub(1)?)
            .map(String::as_str)
    }
}

fn read(file: &str) -> Option<Vec<String>> {
    let cwd = std::env::current_dir().unwrap_or_default();
    let places = std::iter::once(PathBuf::new()).chain(cwd.ancestors().map(Path::to_path_buf));
    let text = places
        .filter_map(|p| std::fs::read_to_string(p.join(file)).ok())
        .next()?;
    Some(text.lines().map(str::to_string).collect())
}

/// Whether a user's word means a file: its name, or the end of its path.
pub(crate) fn same_file(word: &str, file: &str) -> bool {
    file == word
        || file
            .strip_suffix(word)
            .is_some_and(|rest| rest.ends_with('/'))
}

/// Whether a user's word means a function: its path, or the end of it, generic arguments left out.
pub(crate) fn same_function(word: &str, function: &str) -> bool {
    let mut plain = String::new();
    let mut depth = 0;
    for c in function.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let plain = plain.trim_end_matches("::");
    function == word
        || plain == word
        || plain
            .strip_suffix(word)
            .is_some_and(|rest| rest.ends_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_files_and_functions() {
        assert!(same_file("main.rs", "a/src/main.rs") && same_file("src/main.rs", "src/main.rs"));
        assert!(!same_file("ain.rs", "a/src/main.rs"));
        assert!(same_function(
            "get_mut",
            "cuda_device::DisjointSlice<f32>::get_mut"
        ));
        assert!(
            same_function("map", "k::kernels::map::<f32>")
                && !same_function("ap", "k::kernels::map")
        );
    }
}
