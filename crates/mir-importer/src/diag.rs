//! What the user is told, kept apart from how it is rendered.

use rustc_mir::Span;

/// How bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Error,
    Warning,
}

/// A message in rustc's form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub level: Level,
    /// A short name of the kind of message, for tests and documentation.
    pub code: Option<&'static str>,
    pub message: String,
    /// The user's own line where there is one: the outermost call that was inlined.
    pub span: Option<Span>,
    /// What the primary span is.
    pub label: Option<String>,
    /// Other places.
    pub labels: Vec<(Span, String)>,
    pub notes: Vec<String>,
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error of kind `code` at `span`.
    pub fn error(code: &'static str, message: impl Into<String>, span: Option<Span>) -> Self {
        Diagnostic {
            level: Level::Error,
            code: Some(code),
            message: message.into(),
            span,
            label: None,
            labels: vec![],
            notes: vec![],
            help: None,
        }
    }

    /// With what to do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With a note.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// rustc-like text. `read` gives a source file's text, if it can be read.
    pub fn render(&self, read: &dyn Fn(&str) -> Option<String>, color: bool) -> String {
        use annotate_snippets::{AnnotationKind, Level as L, Renderer, Snippet};
        let level = match self.level {
            Level::Error => L::ERROR,
            Level::Warning => L::WARNING,
        };
        let mut title = level.primary_title(self.message.as_str());
        if let Some(code) = self.code {
            title = title.id(code);
        }
        let mut group = annotate_snippets::Group::with_title(title);
        let mut spans: Vec<(&Span, &str, bool)> = self
            .span
            .iter()
            .map(|s| (s, self.label.as_deref().unwrap_or(""), true))
            .collect();
        spans.extend(self.labels.iter().map(|(s, l)| (s, l.as_str(), false)));
        let sources: Vec<_> = spans.iter().map(|(s, ..)| read(&s.file)).collect();
        for ((span, label, primary), source) in spans.iter().zip(&sources) {
            let kind = if *primary {
                AnnotationKind::Primary
            } else {
                AnnotationKind::Context
            };
            match source
                .as_deref()
                .and_then(|t| Some((t, byte_range(t, span)?)))
            {
                Some((text, range)) => {
                    let annotation = kind.span(range).label(*label);
                    group = group.element(
                        Snippet::source(text)
                            .path(span.file.as_ref())
                            .annotation(annotation),
                    );
                }
                None => {
                    let origin = annotate_snippets::Origin::path(span.file.as_ref())
                        .line(span.lo.line as usize)
                        .char_column(span.lo.col as usize);
                    group = group.element(origin);
                }
            }
        }
        for note in &self.notes {
            group = group.element(L::NOTE.message(note.as_str()));
        }
        if let Some(help) = &self.help {
            group = group.element(L::HELP.message(help.as_str()));
        }
        let renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        renderer.render(&[group]).to_string()
    }
}

/// The bytes of `span` in `text`.
fn byte_range(text: &str, span: &Span) -> Option<std::ops::Range<usize>> {
    let at = |line: u32, col: u32| {
        let mut start = 0;
        for l in text
            .split_inclusive('\n')
            .take(line.checked_sub(1)? as usize)
        {
            start += l.len();
        }
        let line = text.get(start..)?.lines().next()?;
        let col = line
            .char_indices()
            .nth(col.checked_sub(1)? as usize)
            .map_or(line.len(), |(i, _)| i);
        Some(start + col)
    };
    let (lo, hi) = (
        at(span.lo.line, span.lo.col)?,
        at(span.hi.line, span.hi.col)?,
    );
    (lo <= hi).then_some(lo..hi)
}
