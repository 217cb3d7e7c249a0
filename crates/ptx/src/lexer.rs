//! Text to tokens. Every byte of the input belongs to one token or to the white space and comments between them.

use crate::ast::{Error, Span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `foo`, `%r1`, `$L__BB0_1`, `_`.
    Ident,
    /// `.global`, `.L1::no_allocate`, `.2d`: a dot and what clings to it.
    Dot,
    /// An integer literal, with its value.
    Int(u64),
    /// `0f…`: the bits of an f32.
    F32(u32),
    /// `0d…` or a decimal literal with a point or exponent: the bits of an f64.
    F64(u64),
    /// A string with its quotes.
    Str,
    /// One character of punctuation.
    Punct(char),
    /// The end of the text.
    Eof,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
    /// Whether white space or a comment stands before it: `ld .global` is not `ld.global`.
    pub spaced: bool,
}

fn ident_start(c: u8) -> bool {
    c.is_ascii_alphabetic() || matches!(c, b'_' | b'$' | b'%')
}

fn ident_part(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'%')
}

/// Cuts `text` into tokens; what is no token is reported and left out.
pub fn lex(text: &str) -> (Vec<Token>, Vec<Error>) {
    let b = text.as_bytes();
    let (mut tokens, mut errors) = (Vec::with_capacity(b.len() / 4), Vec::new());
    let (mut i, mut line, mut spaced) = (0usize, 1u32, true);
    let at = |i: usize| b.get(i).copied().unwrap_or(0);
    // Spans are 32 bits wide; a longer text cannot be described by them.
    if b.len() > u32::MAX as usize / 2 {
        errors.push(Error {
            span: Span {
                start: 0,
                end: 0,
                line: 1,
            },
            message: "the text is longer than 2 GiB".into(),
        });
        tokens.push(Token {
            kind: TokenKind::Eof,
            span: Span {
                start: 0,
                end: 0,
                line: 1,
            },
            spaced,
        });
        return (tokens, errors);
    }
    while i < b.len() {
        let c = b[i];
        let start = i;
        let start_line = line;
        let span = |end: usize| Span {
            start: start as u32,
            end: end as u32,
            line: start_line,
        };
        if c == b'\n' {
            line += 1;
            i += 1;
            spaced = true;
            continue;
        }
        if c.is_ascii_whitespace() || c == 0x0b {
            i += 1;
            spaced = true;
            continue;
        }
        if c == b'/' && at(i + 1) == b'/' {
            while i < b.len() && b[i] != b'\n' {
                i += 1;
            }
            spaced = true;
            continue;
        }
        if c == b'/' && at(i + 1) == b'*' {
            i += 2;
            loop {
                if i >= b.len() {
                    errors.push(Error {
                        span: span(i),
                        message: "comment without an end".into(),
                    });
                    break;
                }
                if b[i] == b'*' && at(i + 1) == b'/' {
                    i += 2;
                    break;
                }
                if b[i] == b'\n' {
                    line += 1;
                }
                i += 1;
            }
            spaced = true;
            continue;
        }
        let kind = if ident_start(c) {
            while i < b.len() && ident_part(b[i]) {
                i += 1;
            }
            TokenKind::Ident
        } else if c.is_ascii_digit() {
            match number(text, &mut i) {
                Ok(kind) => kind,
                Err(message) => {
                    errors.push(Error {
                        span: span(i),
                        message,
                    });
                    TokenKind::Int(0)
                }
            }
        } else if c == b'.' && ident_part(at(i + 1)) {
            i += 1;
            loop {
                while i < b.len() && ident_part(b[i]) {
                    i += 1;
                }
                if at(i) == b':' && at(i + 1) == b':' && ident_part(at(i + 2)) {
                    i += 2;
                } else {
                    break;
                }
            }
            TokenKind::Dot
        } else if c == b'"' {
            i += 1;
            while i < b.len() && b[i] != b'"' && b[i] != b'\n' {
                i += if b[i] == b'\\' && at(i + 1) != b'\n' {
                    2
                } else {
                    1
                };
            }
            i = i.min(b.len());
            // A backslash before a character of several bytes must not leave the end inside it.
            while !text.is_char_boundary(i) {
                i += 1;
            }
            if at(i) == b'"' {
                i += 1;
            } else {
                errors.push(Error {
                    span: span(i),
                    message: "string without an end".into(),
                });
            }
            TokenKind::Str
        } else if c.is_ascii_punctuation() {
            i += 1;
            TokenKind::Punct(c as char)
        } else {
            i += 1;
            while !text.is_char_boundary(i) {
                i += 1;
            }
            errors.push(Error {
                span: span(i),
                message: "character that PTX does not know".into(),
            });
            spaced = true;
            continue;
        };
        tokens.push(Token {
            kind,
            span: span(i),
            spaced,
        });
        spaced = false;
    }
    let end = b.len() as u32;
    tokens.push(Token {
        kind: TokenKind::Eof,
        span: Span {
            start: end,
            end,
            line,
        },
        spaced,
    });
    (tokens, errors)
}

/// Reads the number that starts at `*i`, which is a digit.
fn number(text: &str, i: &mut usize) -> Result<TokenKind, String> {
    let b = text.as_bytes();
    let at = |i: usize| b.get(i).copied().unwrap_or(0);
    let start = *i;
    let take = |i: &mut usize, f: fn(&u8) -> bool| {
        let from = *i;
        while *i < b.len() && f(&b[*i]) {
            *i += 1;
        }
        &text[from..*i]
    };
    let prefix = (at(start), at(start + 1).to_ascii_lowercase());
    match prefix {
        (b'0', b'f') | (b'0', b'd') => {
            *i += 2;
            let digits = take(i, u8::is_ascii_hexdigit);
            let wanted = if prefix.1 == b'f' { 8 } else { 16 };
            if digits.len() != wanted {
                return Err(format!("float literal needs {wanted} hexadecimal digits"));
            }
            let bits = u64::from_str_radix(digits, 16).map_err(|e| e.to_string())?;
            return Ok(if prefix.1 == b'f' {
                TokenKind::F32(bits as u32)
            } else {
                TokenKind::F64(bits)
            });
        }
        _ => {}
    }
    let (radix, digits) = match prefix {
        (b'0', b'x') => {
            *i += 2;
            (16, take(i, u8::is_ascii_hexdigit))
        }
        (b'0', b'b') => {
            *i += 2;
            (2, take(i, u8::is_ascii_digit))
        }
        _ => {
            take(i, u8::is_ascii_digit);
            let mut float = false;
            if at(*i) == b'.' && at(*i + 1).is_ascii_digit() {
                float = true;
                *i += 1;
                take(i, u8::is_ascii_digit);
            }
            let exponent = matches!(at(*i), b'e' | b'E')
                && (at(*i + 1).is_ascii_digit()
                    || (matches!(at(*i + 1), b'+' | b'-') && at(*i + 2).is_ascii_digit()));
            if exponent {
                float = true;
                *i += 2;
                take(i, u8::is_ascii_digit);
            }
            if float {
                let value: f64 = text[start..*i]
                    .parse()
                    .map_err(|_| "malformed float literal".to_string())?;
                return Ok(TokenKind::F64(value.to_bits()));
            }
            let digits = &text[start..*i];
            if digits.len() > 1 && digits.starts_with('0') {
                (8, &digits[1..])
            } else {
                (10, digits)
            }
        }
    };
    let value = u64::from_str_radix(digits, radix);
    if at(*i) == b'U' || at(*i) == b'u' {
        *i += 1;
    }
    if ident_part(at(*i)) {
        take(i, |c| ident_part(*c));
        return Err(format!("malformed number `{}`", &text[start..*i]));
    }
    value
        .map(TokenKind::Int)
        .map_err(|_| format!("number `{}` is out of range", &text[start..*i]))
}
