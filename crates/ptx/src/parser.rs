//! Tokens to the syntax tree, by recursive descent. A statement that cannot be read is reported and skipped.

mod body;
mod declarations;

use crate::ast::*;
use crate::lexer::{Token, TokenKind, lex};

/// Scopes, initialisers and operands nested deeper than this are an error: the parser recurses over them.
const MAX_DEPTH: u32 = 100;

/// Reads a PTX text. What cannot be read is in the list of errors and not in the module.
pub fn parse(text: &str) -> (Module, Vec<Error>) {
    let (tokens, errors) = lex(text);
    let mut p = Parser {
        text,
        tokens,
        at: 0,
        errors,
        depth: 0,
    };
    let module = p.module();
    let mut errors = p.errors;
    errors.sort_by_key(|e| e.span.start);
    (module, errors)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    errors: Vec<Error>,
    depth: u32,
}

/// The error has been recorded in `Parser::errors`.
struct Reported;
type Parsed<T> = Result<T, Reported>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    fn peek_ahead(&self, n: usize) -> Token {
        self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token {
        let t = self.tokens[self.at];
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        t
    }

    fn text_of(&self, t: Token) -> &'a str {
        &self.text[t.span.start as usize..t.span.end as usize]
    }

    fn fail<T>(&mut self, what: &str) -> Parsed<T> {
        let t = self.peek();
        let found = match t.kind {
            TokenKind::Eof => "the end of the text".to_string(),
            _ => format!("`{}`", self.text_of(t)),
        };
        self.errors.push(Error {
            span: t.span,
            message: format!("expected {what}, found {found}"),
        });
        Err(Reported)
    }

    fn is_punct(&self, c: char) -> bool {
        self.peek().kind == TokenKind::Punct(c)
    }

    fn eat(&mut self, c: char) -> bool {
        let there = self.is_punct(c);
        if there {
            self.next();
        }
        there
    }

    fn expect(&mut self, c: char) -> Parsed<()> {
        if self.eat(c) {
            Ok(())
        } else {
            self.fail(&format!("`{c}`"))
        }
    }

    /// The text of a dotted token without its dot, if one is next.
    fn dot(&self) -> Option<&'a str> {
        let t = self.peek();
        (t.kind == TokenKind::Dot).then(|| &self.text_of(t)[1..])
    }

    fn eat_dot(&mut self, name: &str) -> bool {
        let there = self.dot() == Some(name);
        if there {
            self.next();
        }
        there
    }

    fn ident(&mut self, what: &str) -> Parsed<String> {
        match self.peek().kind {
            TokenKind::Ident => {
                let t = self.next();
                Ok(self.text_of(t).to_string())
            }
            _ => self.fail(what),
        }
    }

    fn uint(&mut self, what: &str) -> Parsed<u64> {
        match self.peek().kind {
            TokenKind::Int(n) => {
                self.next();
                Ok(n)
            }
            _ => self.fail(what),
        }
    }

    fn u32(&mut self, what: &str) -> Parsed<u32> {
        match self.peek().kind {
            TokenKind::Int(n) if u32::try_from(n).is_ok() => {
                self.next();
                Ok(n as u32)
            }
            _ => self.fail(what),
        }
    }

    fn string(&mut self) -> Parsed<String> {
        match self.peek().kind {
            TokenKind::Str => {
                let t = self.next();
                let s = self.text_of(t);
                let s = &s[1..];
                Ok(s.strip_suffix('"').unwrap_or(s).to_string())
            }
            _ => self.fail("a string"),
        }
    }

    fn strings(&mut self) -> Parsed<Vec<String>> {
        let mut all = vec![self.string()?];
        while self.eat(',') {
            all.push(self.string()?);
        }
        Ok(all)
    }

    /// From the token at `start` to the last one read.
    fn span_from(&self, start: Token) -> Span {
        let end = self.tokens[self.at.saturating_sub(1)].span.end;
        Span {
            end: end.max(start.span.end),
            ..start.span
        }
    }

    /// Runs `f` one level deeper.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.peek().span;
            self.errors.push(Error {
                span,
                message: format!("nested deeper than {MAX_DEPTH} levels"),
            });
            return Err(Reported);
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Skips to behind the next `;`, or to a `}` that closes what we are in, stepping over `{ }`.
    fn recover(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.peek().kind {
                TokenKind::Eof => return,
                TokenKind::Punct(';') if depth == 0 => {
                    self.next();
                    return;
                }
                TokenKind::Punct('{') => depth += 1,
                TokenKind::Punct('}') if depth == 0 => return,
                TokenKind::Punct('}') => depth -= 1,
                _ => {}
            }
            self.next();
        }
    }

    fn module(&mut self) -> Module {
        let mut items = Vec::new();
        while self.peek().kind != TokenKind::Eof {
            let before = self.at;
            match self.item() {
                Ok(item) => items.push(item),
                Err(Reported) => {
                    self.recover();
                    // A brace without a partner at module scope.
                    if self.at == before || self.is_punct('}') {
                        self.next();
                    }
                }
            }
        }
        Module { items }
    }

    /// `+4`, `-4`, `+-4` or nothing.
    fn offset(&mut self) -> Parsed<i64> {
        let mut total = 0i64;
        while self.is_punct('+') || self.is_punct('-') {
            let mut negative = self.is_punct('-');
            self.next();
            if self.eat('-') {
                negative = !negative;
            }
            let n = self.uint("an offset")? as i64;
            total = total.wrapping_add(if negative { n.wrapping_neg() } else { n });
        }
        Ok(total)
    }

    /// An integer with a sign.
    fn int(&mut self, what: &str) -> Parsed<i128> {
        let negative = self.eat('-');
        if !negative {
            self.eat('+');
        }
        let n = i128::from(self.uint(what)?);
        Ok(if negative { -n } else { n })
    }
}
