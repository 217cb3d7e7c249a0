//! What stands in a module: directives, variables with their initialisers, heads of functions.

use super::{Parsed, Parser, Reported};
use crate::ast::*;
use crate::lexer::*;

impl Parser<'_> {
    pub(super) fn item(&mut self) -> Parsed<Item> {
        let start = self.peek();
        let Some(name) = self.dot() else {
            return self.fail("a directive");
        };
        match name {
            "version" => {
                self.next();
                // `8.7` is one token, a decimal number.
                let t = self.next();
                let text = self.text_of(t);
                let (major, minor) = text.split_once('.').unwrap_or((text, ""));
                match (major.parse(), minor.parse()) {
                    (Ok(major), Ok(minor)) => Ok(Item::Version {
                        major,
                        minor,
                        span: self.span_from(start),
                    }),
                    _ => {
                        let message = format!("expected a version like 8.7, found `{text}`");
                        self.errors.push(Error {
                            span: t.span,
                            message,
                        });
                        Err(Reported)
                    }
                }
            }
            "target" => {
                self.next();
                let mut names = vec![self.ident("a target")?];
                while self.eat(',') {
                    names.push(self.ident("a target option")?);
                }
                Ok(Item::Target {
                    names,
                    span: self.span_from(start),
                })
            }
            "address_size" => {
                self.next();
                let bits = self.u32("an address size")?;
                Ok(Item::AddressSize {
                    bits,
                    span: self.span_from(start),
                })
            }
            "file" => {
                self.next();
                let index = self.uint("a file number")?;
                let name = self.string()?;
                let stamp = if self.eat(',') {
                    let time = self.uint("a time stamp")?;
                    self.expect(',')?;
                    Some((time, self.uint("a file size")?))
                } else {
                    None
                };
                Ok(Item::File {
                    index,
                    name,
                    stamp,
                    span: self.span_from(start),
                })
            }
            "pragma" => {
                self.next();
                let texts = self.strings()?;
                self.expect(';')?;
                Ok(Item::Pragma {
                    texts,
                    span: self.span_from(start),
                })
            }
            "alias" => {
                self.next();
                let name = self.ident("a name")?;
                self.expect(',')?;
                let target = self.ident("a function")?;
                self.expect(';')?;
                Ok(Item::Alias {
                    name,
                    target,
                    span: self.span_from(start),
                })
            }
            _ if name == "section" || name.ends_with("_section") => self.section(start),
            _ => {
                let linkage = self.linkage();
                match self.dot() {
                    Some("entry" | "func") => self.function(start, linkage).map(Item::Function),
                    _ => {
                        let v = self.variable(start, linkage, true)?;
                        self.expect(';')?;
                        Ok(Item::Variable(v))
                    }
                }
            }
        }
    }

    /// A block that is kept as text. Its content need not be PTX, so lexer errors inside do not count.
    pub(super) fn section(&mut self, start: Token) -> Parsed<Item> {
        while !self.is_punct('{') {
            match self.peek().kind {
                TokenKind::Ident | TokenKind::Dot => self.next(),
                _ => return self.fail("`{` of a section"),
            };
        }
        let open = self.next();
        let head = self.text[start.span.start as usize..open.span.start as usize]
            .trim()
            .to_string();
        let mut depth = 1u32;
        let close = loop {
            let t = self.peek();
            match t.kind {
                TokenKind::Eof => return self.fail("`}` of a section"),
                TokenKind::Punct('{') => depth += 1,
                TokenKind::Punct('}') => depth -= 1,
                _ => {}
            }
            self.next();
            if depth == 0 {
                break t;
            }
        };
        self.errors
            .retain(|e| e.span.start < open.span.end || e.span.start >= close.span.start);
        let body = self.text[open.span.end as usize..close.span.start as usize].to_string();
        Ok(Item::Section {
            head,
            body,
            span: self.span_from(start),
        })
    }

    pub(super) fn linkage(&mut self) -> Linkage {
        let linkage = match self.dot() {
            Some("visible") => Linkage::Visible,
            Some("extern") => Linkage::Extern,
            Some("weak") => Linkage::Weak,
            Some("common") => Linkage::Common,
            _ => return Linkage::Internal,
        };
        self.next();
        linkage
    }

    pub(super) fn space(&mut self) -> Option<Space> {
        let space = match self.dot()? {
            "const" => Space::Const,
            "global" => Space::Global,
            "local" => Space::Local,
            "param" => Space::Param,
            "shared" | "shared::cta" => Space::Shared,
            "tex" => Space::Tex,
            _ => return None,
        };
        self.next();
        Some(space)
    }

    /// A declaration up to its `;`, `,` or `)`.
    pub(super) fn variable(
        &mut self,
        start: Token,
        linkage: Linkage,
        initialiser: bool,
    ) -> Parsed<Variable> {
        let Some(space) = self.space() else {
            return self.fail("a state space");
        };
        let (mut align, mut attributes, mut vector, mut ty, mut ptr) =
            (None, Vec::new(), 1, None, None);
        while let Some(d) = self.dot() {
            match d {
                "align" => {
                    self.next();
                    align = Some(self.u32("an alignment")?);
                }
                "attribute" => {
                    self.next();
                    attributes.push(self.parenthesised()?);
                }
                "v2" | "v4" | "v8" => {
                    self.next();
                    vector = u32::from(d.as_bytes()[1] - b'0');
                }
                "ptr" => {
                    self.next();
                    let mut p = Ptr {
                        space: self.space(),
                        align: None,
                    };
                    if self.eat_dot("align") {
                        p.align = Some(self.u32("an alignment")?);
                    }
                    ptr = Some(p);
                }
                _ => match Type::from_name(d) {
                    Some(t) if ty.is_none() => {
                        self.next();
                        ty = Some(t);
                    }
                    _ => return self.fail("a type"),
                },
            }
        }
        let Some(ty) = ty else {
            return self.fail("a type");
        };
        let name = self.ident("the name of a variable")?;
        let mut dims = Vec::new();
        while self.eat('[') {
            if self.eat(']') {
                dims.push(None);
            } else {
                dims.push(Some(self.uint("a dimension")?));
                self.expect(']')?;
            }
        }
        let init = if initialiser && self.eat('=') {
            Some(self.init()?)
        } else {
            None
        };
        Ok(Variable {
            linkage,
            space,
            align,
            attributes,
            vector,
            ty,
            ptr,
            name,
            dims,
            init,
            span: self.span_from(start),
        })
    }

    /// The text between `(` and its `)`.
    pub(super) fn parenthesised(&mut self) -> Parsed<String> {
        let open = self.peek();
        self.expect('(')?;
        let mut depth = 1u32;
        loop {
            let t = self.peek();
            match t.kind {
                TokenKind::Eof | TokenKind::Punct(';' | '{' | '}') => return self.fail("`)`"),
                TokenKind::Punct('(') => depth += 1,
                TokenKind::Punct(')') => depth -= 1,
                _ => {}
            }
            self.next();
            if depth == 0 {
                return Ok(self.text[open.span.end as usize..t.span.start as usize]
                    .trim()
                    .to_string());
            }
        }
    }

    pub(super) fn init(&mut self) -> Parsed<Init> {
        if self.is_punct('{') {
            return self.nested(|p| {
                p.next();
                let mut items = Vec::new();
                while !p.eat('}') {
                    items.push(p.init()?);
                    if !p.eat(',') {
                        p.expect('}')?;
                        break;
                    }
                }
                Ok(Init::List(items))
            });
        }
        match self.peek().kind {
            TokenKind::F32(b) => {
                self.next();
                Ok(Init::F32(b))
            }
            TokenKind::F64(b) => {
                self.next();
                Ok(Init::F64(b))
            }
            TokenKind::Int(mask)
                if self.peek_ahead(1).kind == TokenKind::Punct('(')
                    && self.peek_ahead(2).kind == TokenKind::Ident =>
            {
                self.next();
                self.next();
                let (name, offset, generic) = self.init_symbol()?;
                self.expect(')')?;
                Ok(Init::Symbol {
                    name,
                    offset,
                    generic,
                    mask: Some(mask),
                })
            }
            TokenKind::Ident => {
                let (name, offset, generic) = self.init_symbol()?;
                Ok(Init::Symbol {
                    name,
                    offset,
                    generic,
                    mask: None,
                })
            }
            TokenKind::Punct('-')
                if matches!(
                    self.peek_ahead(1).kind,
                    TokenKind::F32(_) | TokenKind::F64(_)
                ) =>
            {
                self.next();
                match self.next().kind {
                    TokenKind::F32(b) => Ok(Init::F32(b ^ 1 << 31)),
                    TokenKind::F64(b) => Ok(Init::F64(b ^ 1 << 63)),
                    _ => self.fail("a number"),
                }
            }
            _ => self.int("an initialiser").map(Init::Int),
        }
    }

    pub(super) fn init_symbol(&mut self) -> Parsed<(String, i64, bool)> {
        let name = self.ident("a name")?;
        if name == "generic" && self.eat('(') {
            let name = self.ident("a name")?;
            self.expect(')')?;
            return Ok((name, self.offset()?, true));
        }
        Ok((name, self.offset()?, false))
    }

    pub(super) fn params(&mut self) -> Parsed<Vec<Variable>> {
        self.expect('(')?;
        let mut params = Vec::new();
        if self.eat(')') {
            return Ok(params);
        }
        loop {
            let start = self.peek();
            params.push(self.param(start)?);
            if self.eat(')') {
                return Ok(params);
            }
            self.expect(',')?;
        }
    }

    /// A parameter; `.reg` parameters of functions count as `.param`s of their type.
    pub(super) fn param(&mut self, start: Token) -> Parsed<Variable> {
        if !self.eat_dot("reg") {
            return self.variable(start, Linkage::Internal, false);
        }
        let Some(ty) = self.dot().and_then(Type::from_name) else {
            return self.fail("a type");
        };
        self.next();
        let name = self.ident("a parameter")?;
        Ok(Variable {
            linkage: Linkage::Internal,
            space: Space::Param,
            align: None,
            attributes: Vec::new(),
            vector: 1,
            ty,
            ptr: None,
            name,
            dims: Vec::new(),
            init: None,
            span: self.span_from(start),
        })
    }

    pub(super) fn function(&mut self, start: Token, linkage: Linkage) -> Parsed<Function> {
        let kind = if self.dot() == Some("entry") {
            FunctionKind::Entry
        } else {
            FunctionKind::Func
        };
        self.next();
        let mut directives = Vec::new();
        while self.dot().is_some() {
            directives.push(self.directive()?);
        }
        let returns = if self.is_punct('(') {
            self.params()?
        } else {
            Vec::new()
        };
        let name = self.ident("the name of a function")?;
        let params = if self.is_punct('(') {
            self.params()?
        } else {
            Vec::new()
        };
        let span = self.span_from(start);
        loop {
            if self.eat(';') {
                return Ok(Function {
                    linkage,
                    kind,
                    name,
                    returns,
                    params,
                    directives,
                    body: None,
                    span,
                });
            }
            if self.is_punct('{') {
                break;
            }
            if self.dot().is_none() {
                return self.fail("the body of a function, or `;`");
            }
            let d = self.directive()?;
            if d.name == ".pragma" {
                self.expect(';')?;
            }
            directives.push(d);
        }
        let body = self.block()?;
        Ok(Function {
            linkage,
            kind,
            name,
            returns,
            params,
            directives,
            body: Some(body),
            span,
        })
    }

    pub(super) fn directive(&mut self) -> Parsed<Directive> {
        let t = self.next();
        let mut d = Directive {
            name: self.text_of(t).to_string(),
            values: Vec::new(),
            texts: Vec::new(),
        };
        if self.is_punct('(') && d.name == ".attribute" {
            let text = self.parenthesised()?;
            d.texts.push(format!("({text})"));
            return Ok(d);
        }
        loop {
            match self.peek().kind {
                TokenKind::Int(n) => {
                    self.next();
                    d.values.push(n);
                }
                TokenKind::Str => {
                    let t = self.next();
                    d.texts.push(self.text_of(t).to_string());
                }
                _ => return Ok(d),
            }
            if !self.eat(',') {
                return Ok(d);
            }
        }
    }
}
