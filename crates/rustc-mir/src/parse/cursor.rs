//! A cursor over text: the tokens that all parts of the reader share.
//!
//! The position only ever stops at ASCII bytes or the text's end, so it is always a character boundary.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::span::{LineCol, Span};

/// An error before it is given its file, line and Rust span.
#[derive(Debug)]
pub(crate) struct Fail {
    pub pos: usize,
    pub what: Cow<'static, str>,
    pub help: Option<&'static str>,
}

pub(crate) type Res<T> = Result<T, Box<Fail>>;

/// Nesting of types, places and constants that is accepted. rustc's own recursion limit is 128 by default.
const MAX_DEPTH: u32 = 160;

pub(crate) struct Cursor<'a> {
    pub src: &'a str,
    pub pos: usize,
    depth: u32,
    files: HashMap<&'a str, Arc<str>>,
    /// What the comments below the statement that is being read say of its constants, in order.
    pub notes: Vec<ConstNote<'a>>,
    /// Same, of a closure or coroutine that it constructs.
    pub closure_note: Option<crate::ast::ClosureIdentity>,
}

/// One `// mir::ConstOperand` comment.
pub(crate) struct ConstNote<'a> {
    pub ty: crate::ty::Ty,
    pub span: Option<Span>,
    pub value: NoteValue<'a>,
    pub used: bool,
}

pub(crate) enum NoteValue<'a> {
    /// `Value(text)`
    Value(&'a str),
    Unevaluated,
    Param,
}

pub(crate) fn is_ident_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b >= 0x80
}

pub(crate) fn is_ident(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

impl<'a> Cursor<'a> {
    pub fn new(src: &'a str, pos: usize) -> Self {
        Cursor {
            src,
            pos,
            depth: 0,
            files: HashMap::new(),
            notes: Vec::new(),
            closure_note: None,
        }
    }

    pub fn rest(&self) -> &'a str {
        self.src.get(self.pos..).unwrap_or("")
    }

    pub fn peek(&self) -> Option<u8> {
        self.src.as_bytes().get(self.pos).copied()
    }

    pub fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.src.as_bytes().get(self.pos + ahead).copied()
    }

    pub fn at(&self, s: &str) -> bool {
        self.src.as_bytes()[self.pos.min(self.src.len())..].starts_with(s.as_bytes())
    }

    pub fn eat(&mut self, s: &str) -> bool {
        let there = self.at(s);
        if there {
            self.pos += s.len();
        }
        there
    }

    /// `s` as a whole word.
    pub fn at_word(&self, s: &str) -> bool {
        self.at(s) && !self.peek_at(s.len()).is_some_and(is_ident)
    }

    pub fn expect(&mut self, s: &'static str) -> Res<()> {
        if self.eat(s) {
            Ok(())
        } else {
            Err(self.fail(format!("expected `{}`", s.escape_debug())))
        }
    }

    pub fn fail(&self, what: impl Into<Cow<'static, str>>) -> Box<Fail> {
        self.fail_at(self.pos, what)
    }

    pub fn fail_at(&self, pos: usize, what: impl Into<Cow<'static, str>>) -> Box<Fail> {
        Box::new(Fail {
            pos,
            what: what.into(),
            help: None,
        })
    }

    /// Runs `f` one level deeper, so that no text can exhaust the stack.
    pub fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.fail("nested more deeply than rustc's recursion limit allows"));
        }
        self.depth += 1;
        let r = f(self);
        self.depth -= 1;
        r
    }

    /// Runs `f`; if it fails, the position is as before.
    pub fn attempt<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Option<T> {
        let (pos, depth) = (self.pos, self.depth);
        match f(self) {
            Ok(t) => Some(t),
            Err(_) => {
                self.pos = pos;
                self.depth = depth;
                None
            }
        }
    }

    pub fn spaces(&mut self) {
        while self.peek() == Some(b' ') {
            self.pos += 1;
        }
    }

    pub fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r')) {
            self.pos += 1;
        }
    }

    /// To the end of the line, which is not consumed.
    pub fn line_rest(&mut self) -> &'a str {
        let rest = self.rest();
        let n = rest.find('\n').unwrap_or(rest.len());
        self.pos += n;
        &rest[..n]
    }

    /// A name, `r#` prefix kept.
    pub fn ident(&mut self) -> Res<&'a str> {
        let start = self.pos;
        if self.at("r#") && self.peek_at(2).is_some_and(is_ident_start) {
            self.pos += 2;
        }
        if !self.peek().is_some_and(is_ident_start) {
            self.pos = start;
            return Err(self.fail("expected a name"));
        }
        while self.peek().is_some_and(is_ident) {
            self.pos += 1;
        }
        Ok(&self.src[start..self.pos])
    }

    pub fn digits(&mut self) -> Res<&'a str> {
        let start = self.pos;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.pos += 1;
        }
        if start == self.pos {
            return Err(self.fail("expected a number"));
        }
        Ok(&self.src[start..self.pos])
    }

    pub fn u128(&mut self) -> Res<u128> {
        let start = self.pos;
        let d = self.digits()?;
        d.parse()
            .map_err(|_| self.fail_at(start, "number out of range"))
    }

    pub fn u64(&mut self) -> Res<u64> {
        let start = self.pos;
        let d = self.digits()?;
        d.parse()
            .map_err(|_| self.fail_at(start, "number out of range"))
    }

    pub fn u32(&mut self) -> Res<u32> {
        let start = self.pos;
        let d = self.digits()?;
        d.parse()
            .map_err(|_| self.fail_at(start, "number out of range"))
    }

    /// Hexadecimal digits after `0x`.
    pub fn hex(&mut self) -> Res<u128> {
        self.expect("0x")?;
        let start = self.pos;
        while self.peek().is_some_and(|b| b.is_ascii_hexdigit()) {
            self.pos += 1;
        }
        u128::from_str_radix(&self.src[start..self.pos], 16)
            .map_err(|_| self.fail_at(start, "expected a hexadecimal number"))
    }

    /// Position of the bracket that closes what is open at the cursor, whose opening bracket is already consumed.
    /// Strings and character literals are skipped; `->` and `=>` are no brackets.
    pub fn find_close(&self) -> Option<usize> {
        let b = self.src.as_bytes();
        let mut i = self.pos;
        let mut depth = 0u32;
        while i < b.len() {
            match b[i] {
                b'(' | b'[' | b'{' | b'<' => depth += 1,
                b'>' if i > 0 && (b[i - 1] == b'-' || b[i - 1] == b'=') => {}
                b')' | b']' | b'}' | b'>' => {
                    if depth == 0 {
                        return Some(i);
                    }
                    depth -= 1;
                }
                b'"' => {
                    i += 1;
                    while i < b.len() && b[i] != b'"' {
                        if b[i] == b'\\' {
                            i += 1;
                        }
                        i += 1;
                    }
                }
                b'\'' if b.get(i + 1) == Some(&b'\\') => {
                    i += 2;
                    while i < b.len() && b[i] != b'\'' && b[i] != b'\n' {
                        i += 1;
                    }
                }
                b'\'' if b.get(i + 2) == Some(&b'\'') => i += 2,
                _ => {}
            }
            i += 1;
        }
        None
    }

    /// Text up to the bracket that closes what is open, which is not consumed.
    pub fn balanced(&mut self) -> Res<&'a str> {
        let end = self
            .find_close()
            .ok_or_else(|| self.fail("a bracket is never closed"))?;
        let text = &self.src[self.pos..end];
        self.pos = end;
        Ok(text)
    }

    pub fn file(&mut self, name: &'a str) -> Arc<str> {
        self.files
            .entry(name)
            .or_insert_with(|| Arc::from(name))
            .clone()
    }

    /// `file:1:2: 3:4`, the whole of `text`; `None` for `no-location`.
    pub fn span_of(&mut self, text: &'a str, pos: usize) -> Res<Option<Span>> {
        if text == "no-location" {
            return Ok(None);
        }
        match split_span(text) {
            Some((file, lo, hi)) => Ok(Some(Span {
                file: self.file(file),
                lo,
                hi,
            })),
            None => Err(self.fail_at(
                pos,
                "expected a source position, file:line:column: line:column",
            )),
        }
    }

    /// A double-quoted literal as `Debug` for `str` writes it.
    pub fn string(&mut self) -> Res<String> {
        self.expect("\"")?;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let n = rest
                .find(['"', '\\'])
                .ok_or_else(|| self.fail("a string is never closed"))?;
            out.push_str(&rest[..n]);
            self.pos += n;
            if self.eat("\"") {
                return Ok(out);
            }
            out.push(self.escape()?);
        }
    }

    /// `\n`, `\u{1f}`, …
    fn escape(&mut self) -> Res<char> {
        let start = self.pos;
        self.expect("\\")?;
        let c = match self.peek() {
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'0') => '\0',
            Some(b'\\') => '\\',
            Some(b'\'') => '\'',
            Some(b'"') => '"',
            Some(b'u') => {
                self.pos += 1;
                self.expect("{")?;
                let rest = self.rest();
                let n = rest
                    .find('}')
                    .filter(|n| *n <= 6)
                    .ok_or_else(|| self.fail_at(start, "bad escape"))?;
                let c = u32::from_str_radix(&rest[..n], 16)
                    .ok()
                    .and_then(char::from_u32)
                    .ok_or_else(|| self.fail_at(start, "bad escape"))?;
                self.pos += n + 1;
                return Ok(c);
            }
            _ => return Err(self.fail_at(start, "bad escape")),
        };
        self.pos += 1;
        Ok(c)
    }

    /// The rest of `b"…"` after the `b`, as `escape_ascii` writes it.
    pub fn byte_string(&mut self) -> Res<Vec<u8>> {
        self.expect("\"")?;
        let mut out = Vec::new();
        loop {
            let b = self
                .peek()
                .ok_or_else(|| self.fail("a string is never closed"))?;
            self.pos += 1;
            match b {
                b'"' => return Ok(out),
                b'\\' => {
                    let e = self
                        .peek()
                        .ok_or_else(|| self.fail("a string is never closed"))?;
                    self.pos += 1;
                    out.push(match e {
                        b'n' => b'\n',
                        b'r' => b'\r',
                        b't' => b'\t',
                        b'\\' | b'\'' | b'"' => e,
                        b'x' => {
                            let hex = self.src.get(self.pos..self.pos + 2);
                            let v = hex.and_then(|h| u8::from_str_radix(h, 16).ok());
                            let v = v.ok_or_else(|| self.fail("bad escape"))?;
                            self.pos += 2;
                            v
                        }
                        _ => {
                            self.pos -= 1;
                            return Err(self.fail_at(self.pos - 1, "bad escape"));
                        }
                    });
                }
                0x20..=0x7e => out.push(b),
                _ => {
                    self.pos -= 1;
                    return Err(self.fail("expected an ASCII character in a byte string"));
                }
            }
        }
    }

    /// `'c'`
    pub fn char_literal(&mut self) -> Res<char> {
        self.expect("'")?;
        let c = if self.peek() == Some(b'\\') {
            self.escape()?
        } else {
            let c = self
                .rest()
                .chars()
                .next()
                .ok_or_else(|| self.fail("expected a character"))?;
            self.pos += c.len_utf8();
            c
        };
        if !self.eat("'") {
            // The position may be inside nothing but a character boundary here: `c` was consumed whole.
            return Err(Box::new(Fail {
                pos: self.pos,
                what: "expected `'`".into(),
                help: None,
            }));
        }
        Ok(c)
    }
}

/// Splits `file:1:2: 3:4` from the right, as a file's name may hold colons.
pub(crate) fn split_span(text: &str) -> Option<(&str, LineCol, LineCol)> {
    fn num(s: &str) -> Option<u32> {
        (!s.is_empty() && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse().ok())?
    }
    let (rest, hi_col) = text.rsplit_once(':')?;
    let (rest, hi_line) = rest.rsplit_once(": ")?;
    let (rest, lo_col) = rest.rsplit_once(':')?;
    let (file, lo_line) = rest.rsplit_once(':')?;
    let lo = LineCol {
        line: num(lo_line)?,
        col: num(lo_col)?,
    };
    let hi = LineCol {
        line: num(hi_line)?,
        col: num(hi_col)?,
    };
    Some((file, lo, hi))
}
