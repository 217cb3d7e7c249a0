//! A `.mir` file: an index of its items made in one quick pass, and their bodies on demand.

use std::collections::HashMap;
use std::ops::Range;

use crate::ast::{Alloc, AllocId, Body, Path, Ty};
use crate::error::MirError;
use crate::parse::cursor::{Cursor, Fail, Res};
use crate::span::Span;

/// One `.mir` file.
pub struct MirFile {
    name: String,
    text: String,
    items: Vec<ItemHeader>,
    /// Where each allocation is printed first (it is printed again below every body that mentions it).
    allocs: HashMap<AllocId, Range<usize>>,
    by_name: HashMap<String, Vec<ItemId>>,
}

/// The n-th item of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    Fn,
    Const,
    Static {
        mutable: bool,
    },
    /// `const f::promoted[0]`
    Promoted(u32),
}

/// What the index knows of an item without reading its body.
#[derive(Clone, Debug)]
pub struct ItemHeader {
    pub id: ItemId,
    pub kind: ItemKind,
    /// The path as printed: `<impl at a.rs:5:1: 5:15>::go`, `f::{closure#0}`; of a promoted, its parent's path.
    pub name: String,
    /// The second printing of a `const fn` or constructor, as the constant evaluator sees it. The other one is the
    /// optimised body; a constant's body has no mark though it is for evaluation too.
    pub for_ctfe: bool,
    /// Bytes of the text, comments before it excluded.
    pub range: Range<usize>,
}

impl MirFile {
    /// Indexes the text. An item that is not well-formed is found when its body is asked for.
    ///
    /// # Errors
    /// A line that begins nothing known.
    pub fn parse(name: impl Into<String>, text: impl Into<String>) -> Result<MirFile, MirError> {
        let mut file = MirFile {
            name: name.into(),
            text: text.into(),
            items: Vec::new(),
            allocs: HashMap::new(),
            by_name: HashMap::new(),
        };
        file.index()?;
        Ok(file)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn items(&self) -> &[ItemHeader] {
        &self.items
    }

    /// All items of that printed name and any kind, promoteds excepted: two impls of one macro share a name, and so do a
    /// function and its form for constant evaluation.
    pub fn find(&self, name: &str) -> impl Iterator<Item = &ItemHeader> {
        let ids = self.by_name.get(name).map_or(&[][..], |v| v);
        ids.iter().filter_map(|id| self.items.get(id.0 as usize))
    }

    /// The promoted constant `index` of the item that is called `parent`. `None` if there is none, or if several items of
    /// that name have one (a macro's impls): then the promoteds stand behind their parent in the file, see
    /// [`MirFile::promoteds_of`].
    pub fn promoted(&self, parent: &str, index: u32) -> Option<&ItemHeader> {
        let mut found = self
            .items
            .iter()
            .filter(|i| i.kind == ItemKind::Promoted(index) && i.name == parent);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The promoteds that are printed directly behind an item, before the next one: they are its own.
    pub fn promoteds_of(&self, item: ItemId) -> impl Iterator<Item = &ItemHeader> {
        self.items
            .iter()
            .skip(item.0 as usize + 1)
            .take_while(|i| matches!(i.kind, ItemKind::Promoted(_)))
    }

    /// Reads one item.
    ///
    /// # Errors
    /// Text that is not understood.
    pub fn body(&self, id: ItemId) -> Result<Body, MirError> {
        let Some(item) = self.items.get(id.0 as usize) else {
            return Err(self.error(0..0, format!("no item {}", id.0), None, None));
        };
        let mut rust_span = None;
        self.read(&item.range, &mut rust_span, |c, span| {
            let body = c.body(span)?;
            c.blank();
            if c.pos < item.range.end {
                Err(c.fail("text behind the end of the item"))
            } else {
                Ok(body)
            }
        })
    }

    /// Reads an allocation's contents. `None`: it is not printed.
    ///
    /// # Errors
    /// Text that is not understood.
    pub fn alloc(&self, id: AllocId) -> Result<Option<Alloc>, MirError> {
        let Some(range) = self.allocs.get(&id) else {
            return Ok(None);
        };
        self.read(range, &mut None, |c, _| c.alloc()).map(Some)
    }

    pub fn alloc_ids(&self) -> impl Iterator<Item = AllocId> {
        self.allocs.keys().copied()
    }

    fn read<T>(
        &self,
        range: &Range<usize>,
        rust_span: &mut Option<Span>,
        f: impl FnOnce(&mut Cursor<'_>, &mut Option<Span>) -> Res<T>,
    ) -> Result<T, MirError> {
        // The cursor must not run into the next item.
        let text = self.text.get(..range.end).unwrap_or("");
        let mut c = Cursor::new(text, range.start);
        f(&mut c, rust_span).map_err(|e| self.convert(*e, rust_span.take()))
    }

    fn convert(&self, e: Fail, rust_span: Option<Span>) -> MirError {
        let rest = self.text.get(e.pos..).unwrap_or("");
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let what = format!("{}, found {}", e.what, quote(line));
        let end = e.pos + line.len();
        self.error(e.pos..end, what, rust_span, e.help)
    }

    fn error(
        &self,
        range: Range<usize>,
        what: String,
        rust_span: Option<Span>,
        help: Option<&'static str>,
    ) -> MirError {
        MirError::new(&self.name, &self.text, range, what, rust_span, help)
    }

    /// Items begin at the start of a line and end in a line that is `}` alone, or on their own line.
    fn index(&mut self) -> Result<(), MirError> {
        let text = std::mem::take(&mut self.text);
        let result = self.index_text(&text);
        self.text = text;
        result.map_err(|(range, what)| self.error(range, what, None, None))
    }

    fn index_text(&mut self, text: &str) -> Result<(), (Range<usize>, String)> {
        let mut pos = 0;
        let mut for_ctfe = false;
        // Most of the time goes into finding the ends: a file of a library of generics has megabytes.
        let closing = memchr::memmem::Finder::new("\n}");
        while pos < text.len() {
            let rest = &text[pos..];
            let line_len = rest.find('\n').unwrap_or(rest.len());
            let line = rest[..line_len].trim_end_matches('\r');
            let after_line = (pos + line_len + 1).min(text.len());
            if line.is_empty() || line.starts_with("| ") || line == "|" {
                pos = after_line;
                continue;
            }
            if line.starts_with("//") {
                for_ctfe |= line == "// MIR FOR CTFE";
                pos = after_line;
                continue;
            }
            if line.starts_with([' ', '}', ')']) {
                let what = format!("expected an item, found {}", quote(line));
                return Err((pos..pos + line_len, what));
            }
            let one_line = line.ends_with(';')
                || line.ends_with("{}")
                || (line.starts_with("alloc") && !line.ends_with('{'));
            let end = if one_line {
                pos + line_len
            } else {
                match closing.find(rest.as_bytes()) {
                    Some(n) => pos + n + 2,
                    None => {
                        let what = format!("an item that does not end: {}", quote(line));
                        return Err((pos..pos + line_len, what));
                    }
                }
            };
            self.add_item(line, pos..end, for_ctfe)?;
            for_ctfe = false;
            pos = end;
            // Behind the closing brace nothing but the line's end.
            if text[pos..].starts_with('\r') {
                pos += 1;
            }
            if text[pos..].starts_with('\n') {
                pos += 1;
            } else if pos < text.len() {
                let tail = &text[pos..];
                let tail = &tail[..tail.find('\n').unwrap_or(tail.len())];
                return Err((
                    pos..pos + tail.len(),
                    format!("text behind an item: {}", quote(tail)),
                ));
            }
        }
        Ok(())
    }

    fn add_item(
        &mut self,
        line: &str,
        range: Range<usize>,
        for_ctfe: bool,
    ) -> Result<(), (Range<usize>, String)> {
        let line_range = range.start..range.start + line.len();
        if let Some(rest) = line.strip_prefix("alloc")
            && let Some((id, _)) = rest.split_once(" (")
            && let Ok(id) = id.parse()
        {
            // One that is shown with its bytes wins over one that is only named.
            let entry = self
                .allocs
                .entry(AllocId(id))
                .or_insert_with(|| range.clone());
            if entry.len() < range.len() {
                *entry = range;
            }
            return Ok(());
        }
        let (mut kind, rest) = if let Some(r) = line.strip_prefix("fn ") {
            (ItemKind::Fn, r)
        } else if let Some(r) = line.strip_prefix("static mut ") {
            (ItemKind::Static { mutable: true }, r)
        } else if let Some(r) = line.strip_prefix("static ") {
            (ItemKind::Static { mutable: false }, r)
        } else {
            (ItemKind::Const, line.strip_prefix("const ").unwrap_or(line))
        };
        let end = header_name_end(rest, kind == ItemKind::Fn);
        let Some(end) = end else {
            return Err((
                line_range,
                format!("expected an item, found {}", quote(line)),
            ));
        };
        let mut name = &rest[..end];
        if let Some((parent, n)) = name.rsplit_once("::promoted[")
            && let Some(n) = n.strip_suffix(']')
            && let Ok(n) = n.parse()
        {
            kind = ItemKind::Promoted(n);
            name = parent;
        }
        let id = ItemId(self.items.len() as u32);
        if !matches!(kind, ItemKind::Promoted(_)) {
            self.by_name.entry(name.to_string()).or_default().push(id);
        }
        self.items.push(ItemHeader {
            id,
            kind,
            name: name.to_string(),
            for_ctfe,
            range,
        });
        Ok(())
    }
}

/// Where an item's path ends in its header: at the `(` of a function or the `: ` of the rest, outside all brackets.
fn header_name_end(rest: &str, is_fn: bool) -> Option<usize> {
    let b = rest.as_bytes();
    let mut depth = 0i32;
    let mut i = 0;
    while i < b.len() {
        match b[i] {
            b'(' if is_fn && depth == 0 => return Some(i),
            b':' if !is_fn && depth == 0 && b.get(i + 1) == Some(&b' ') => return Some(i),
            b'<' | b'{' | b'[' | b'(' => depth += 1,
            b'>' if i > 0 && b[i - 1] == b'-' => {}
            b'>' | b'}' | b']' | b')' => depth -= 1,
            _ => {}
        }
        i += 1;
    }
    None
}

/// A piece of text for an error's message, not too long.
pub(crate) fn quote(text: &str) -> String {
    const MAX: usize = 120;
    if text.is_empty() {
        return "the end".to_string();
    }
    let mut end = text.len();
    if end > MAX {
        end = (0..=MAX)
            .rev()
            .find(|i| text.is_char_boundary(*i))
            .unwrap_or(0);
        return format!("`{}…`", &text[..end]);
    }
    format!("`{}`", &text[..end])
}

impl Ty {
    /// Reads one type as rustc prints it.
    ///
    /// # Errors
    /// Text that is not a type, or is more than one.
    pub fn parse(text: &str) -> Result<Ty, MirError> {
        whole(text, |c| c.ty())
    }
}

impl Path {
    /// Reads one path as rustc prints it in value position (`a::b::<T>`) or in type position (`a::b<T>`).
    ///
    /// # Errors
    /// Text that is not a path.
    pub fn parse(text: &str) -> Result<Path, MirError> {
        whole(text, |c| c.path(true)).or_else(|_| whole(text, |c| c.path(false)))
    }
}

fn whole<T>(text: &str, f: impl FnOnce(&mut Cursor<'_>) -> Res<T>) -> Result<T, MirError> {
    let mut c = Cursor::new(text, 0);
    let r = f(&mut c);
    let r = match r {
        Ok(_) if c.pos < text.len() => Err(c.fail("more text than expected")),
        r => r,
    };
    r.map_err(|e| {
        let what = format!(
            "{}, found {}",
            e.what,
            quote(text.get(e.pos..).unwrap_or(""))
        );
        MirError::new("", text, e.pos..text.len(), what, None, e.help)
    })
}
