//! Errors and warnings as rustc prints them: the source is read from disk when it is shown.

use annotate_snippets::{AnnotationKind, Group, Level as Shown, Renderer, Snippet};
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Error,
    Warning,
}

/// A place in a source and what is to be said of it.
#[derive(Clone, Debug)]
pub struct Label {
    pub span: rustc_mir::Span,
    pub text: String,
}

/// One error or warning.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub level: Level,
    pub title: String,
    /// The place itself first; the rest are places that lead there, such as a chain of calls.
    pub labels: Vec<Label>,
    pub notes: Vec<String>,
    pub help: Vec<String>,
    /// Folders in which a relative file name is looked for.
    pub roots: Vec<PathBuf>,
    /// The other route would not help.
    pub is_final: bool,
}

impl Diagnostic {
    pub fn error(title: impl Into<String>) -> Self {
        Self {
            level: Level::Error,
            title: title.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            roots: Vec::new(),
            is_final: false,
        }
    }

    pub fn at(mut self, span: rustc_mir::Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    fn render(&self, color: bool) -> String {
        let level = match self.level {
            Level::Error => Shown::ERROR,
            Level::Warning => Shown::WARNING,
        };
        // Neighbouring labels in one file share a snippet, as in rustc.
        let mut files: Vec<(String, Option<String>, Vec<&Label>)> = Vec::new();
        for label in &self.labels {
            match files.last_mut() {
                Some((name, _, labels)) if **name == *label.span.file => labels.push(label),
                _ => files.push((
                    label.span.file.to_string(),
                    self.source(&label.span.file),
                    vec![label],
                )),
            }
        }
        let mut group = Group::with_title(level.primary_title(&*self.title));
        let mut lost = Vec::new();
        let mut first = true;
        for (name, text, labels) in &files {
            let Some(text) = text else {
                lost.extend(
                    labels.iter().map(|l| {
                        format!("{}:{}:{}: {}", name, l.span.lo.line, l.span.lo.col, l.text)
                    }),
                );
                continue;
            };
            let mut snippet = Snippet::source(&**text).path(&**name).line_start(1);
            for label in labels {
                let Some(range) = bytes(text, &label.span) else {
                    lost.push(format!(
                        "{}:{}:{}: {}",
                        name, label.span.lo.line, label.span.lo.col, label.text
                    ));
                    continue;
                };
                let kind = if std::mem::take(&mut first) {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                snippet = snippet.annotation(kind.span(range).label(&*label.text));
            }
            group = group.element(snippet);
        }
        // Sources that are not on this machine, such as the standard library's, are named by position.
        for text in lost.iter().chain(&self.notes) {
            group = group.element(Shown::NOTE.message(&**text));
        }
        for text in &self.help {
            group = group.element(Shown::HELP.message(&**text));
        }
        let renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        renderer.render(&[group])
    }

    fn source(&self, file: &str) -> Option<String> {
        let path = Path::new(file);
        if path.is_absolute() {
            return std::fs::read_to_string(path).ok();
        }
        self.roots
            .iter()
            .find_map(|root| std::fs::read_to_string(root.join(path)).ok())
    }
}

/// The bytes of a span whose columns count characters; `None` if the text has changed under it.
fn bytes(text: &str, span: &rustc_mir::Span) -> Option<std::ops::Range<usize>> {
    let offset = |at: rustc_mir::span::LineCol| -> Option<usize> {
        let mut start = 0;
        let mut lines = text.split_inclusive('\n');
        for _ in 1..at.line {
            start += lines.next()?.len();
        }
        let line = lines.next().unwrap_or("");
        let column = usize::try_from(at.col).ok()?.checked_sub(1)?;
        let within = line
            .char_indices()
            .map(|(i, _)| i)
            .chain(std::iter::once(line.len()))
            .nth(column)?;
        Some(start + within)
    };
    let (lo, hi) = (offset(span.lo)?, offset(span.hi)?);
    (lo <= hi).then_some(lo..hi)
}

/// Errors and warnings in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// One text for each.
    pub fn render(&self, color: bool) -> Vec<String> {
        self.0.iter().map(|d| d.render(color)).collect()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(one: Diagnostic) -> Self {
        Diagnostics(vec![one])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_mir::span::LineCol;

    fn span(file: &str, lo: (u32, u32), hi: (u32, u32)) -> rustc_mir::Span {
        let at = |(line, col)| LineCol { line, col };
        rustc_mir::Span {
            file: file.into(),
            lo: at(lo),
            hi: at(hi),
        }
    }

    #[test]
    fn columns_count_characters() {
        let text = "let ä = 1;\nlet b = ä;\n";
        assert_eq!(
            bytes(text, &span("", (2, 9), (2, 10))).map(|r| &text[r]),
            Some("ä")
        );
        assert_eq!(bytes(text, &span("", (9, 1), (9, 2))), None);
        assert_eq!(bytes(text, &span("", (1, 0), (1, 2))), None);
    }

    #[test]
    fn prints_as_rustc_does() {
        let dir = std::env::temp_dir().join(format!("oxide-diagnostics-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("src")).unwrap();
        std::fs::write(dir.join("src/k.rs"), "fn k() {\n    let v = vec![1];\n}\n").unwrap();
        let mut error = Diagnostic::error("kernels cannot allocate")
            .at(span("src/k.rs", (2, 13), (2, 20)), "`Vec` is made here")
            .at(
                span("/rustc/0/library/alloc/src/vec.rs", (7, 1), (7, 2)),
                "which calls the allocator",
            )
            .help("use a `SharedArray`");
        error.roots = vec![dir.clone()];
        let text = Diagnostics::from(error).render(false).remove(0);
        std::fs::remove_dir_all(dir).unwrap();
        assert_eq!(
            text,
            "error: kernels cannot allocate\n --> src/k.rs:2:13\n  |\n2 |     let v = vec![1];\n  |             ^^^^^^^ `Vec` is made here\n  |\n  \
             = note: /rustc/0/library/alloc/src/vec.rs:7:1: which calls the allocator\n  = help: use a `SharedArray`"
        );
    }
}
