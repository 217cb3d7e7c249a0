//! Names of source files as the PTX has them.

use std::path::{Path, PathBuf};

/// How the names of source files become those of `.file` directives: absolute, so that a debugger finds them from any folder, and
/// then with the user's prefixes replaced, so that PTX can be handed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// Folders in which rustc ran: a relative name starts in the first of them that has the file, else in the first.
    pub roots: Vec<PathBuf>,
    /// `--remap-path-prefix FROM=TO` in the order of the command line; of several that match, the last counts, as in rustc.
    pub remap: Vec<(String, String)>,
}

impl Sources {
    pub(crate) fn name(&self, file: &str) -> String {
        let absolute = self.absolute(file);
        for (from, to) in self.remap.iter().rev() {
            // Whole components match: `/a/b` is no prefix of `/a/bc`.
            if let Ok(rest) = Path::new(&absolute).strip_prefix(from) {
                return match rest.as_os_str().is_empty() {
                    true => to.clone(),
                    false => Path::new(to).join(rest).to_string_lossy().into_owned(),
                };
            }
        }
        absolute
    }

    fn absolute(&self, file: &str) -> String {
        // `<macro>` and its like are no files.
        if file.starts_with('<') || Path::new(file).is_absolute() {
            return file.to_owned();
        }
        let root = self.roots.iter().find(|root| root.join(file).is_file());
        match root.or(self.roots.first()) {
            Some(root) => root.join(file).to_string_lossy().into_owned(),
            None => file.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Sources;

    #[test]
    fn names() {
        let here = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let mut sources = Sources {
            roots: vec!["/gone".into(), here.clone()],
            remap: Vec::new(),
        };
        let own = here.join("src/sources.rs").display().to_string();
        assert_eq!(sources.name("src/sources.rs"), own);
        assert_eq!(sources.name("src/never.rs"), "/gone/src/never.rs");
        assert_eq!(sources.name("/rustc/1/x.rs"), "/rustc/1/x.rs");
        assert_eq!(sources.name("<anon>"), "<anon>");
        let map = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        sources.remap = vec![
            map("/gone/src", "/first"),
            map("/gone", "/last"),
            map("/go", "/no"),
        ];
        assert_eq!(sources.name("src/never.rs"), "/last/src/never.rs");
        sources.remap.swap(0, 1);
        assert_eq!(sources.name("src/never.rs"), "/first/never.rs");
    }

    #[test]
    fn without_roots_a_name_stays() {
        assert_eq!(Sources::default().name("src/a.rs"), "src/a.rs");
    }
}
