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
    /// Folders of code that users do not step through, besides the standard library's: what is inlined from there has the line
    /// that called it.
    pub library: Vec<PathBuf>,
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

    /// Whether a file is the standard library's or below a folder of [`Sources::library`].
    pub(crate) fn is_library(&self, file: &str) -> bool {
        let absolute = self.absolute(file);
        absolute.starts_with("/rustc/")
            || self
                .library
                .iter()
                .any(|folder| Path::new(&absolute).starts_with(folder))
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
            library: vec![here.join("src/lib")],
        };
        let own = here.join("src/sources.rs").display().to_string();
        assert_eq!(sources.name("src/sources.rs"), own);
        assert_eq!(sources.name("src/never.rs"), "/gone/src/never.rs");
        assert_eq!(sources.name("/rustc/1/x.rs"), "/rustc/1/x.rs");
        assert_eq!(sources.name("<anon>"), "<anon>");
        assert!(sources.is_library("/rustc/1/library/core/src/a.rs"));
        assert!(sources.is_library(&here.join("src/lib/a.rs").display().to_string()));
        assert!(!sources.is_library("src/sources.rs"));
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
