//! Tokens to the syntax tree, by recursive descent. A statement that cannot be read is reported and skipped.

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

    fn item(&mut self) -> Parsed<Item> {
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
    fn section(&mut self, start: Token) -> Parsed<Item> {
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

    fn linkage(&mut self) -> Linkage {
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

    fn space(&mut self) -> Option<Space> {
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
    fn variable(&mut self, start: Token, linkage: Linkage, initialiser: bool) -> Parsed<Variable> {
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
    fn parenthesised(&mut self) -> Parsed<String> {
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

    fn init(&mut self) -> Parsed<Init> {
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

    fn init_symbol(&mut self) -> Parsed<(String, i64, bool)> {
        let name = self.ident("a name")?;
        if name == "generic" && self.eat('(') {
            let name = self.ident("a name")?;
            self.expect(')')?;
            return Ok((name, self.offset()?, true));
        }
        Ok((name, self.offset()?, false))
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

    fn params(&mut self) -> Parsed<Vec<Variable>> {
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
    fn param(&mut self, start: Token) -> Parsed<Variable> {
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

    fn function(&mut self, start: Token, linkage: Linkage) -> Parsed<Function> {
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

    fn directive(&mut self) -> Parsed<Directive> {
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

    /// `{ … }`, with recovery for each statement.
    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.nested(|p| {
            p.expect('{')?;
            let mut statements = Vec::new();
            loop {
                if p.eat('}') {
                    return Ok(statements);
                }
                if p.peek().kind == TokenKind::Eof {
                    return p.fail("`}`");
                }
                if p.eat(';') {
                    continue;
                }
                let before = p.at;
                match p.statement() {
                    Ok(s) => statements.push(s),
                    Err(Reported) => {
                        p.recover();
                        if p.at == before {
                            p.next();
                        }
                    }
                }
            }
        })
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.peek();
        match start.kind {
            TokenKind::Punct('{') => {
                let statements = self.block()?;
                Ok(Statement::Block {
                    statements,
                    span: self.span_from(start),
                })
            }
            TokenKind::Ident if self.peek_ahead(1).kind == TokenKind::Punct(':') => {
                self.next();
                self.next();
                Ok(Statement::Label {
                    name: self.text_of(start).to_string(),
                    span: self.span_from(start),
                })
            }
            TokenKind::Ident | TokenKind::Punct('@') => {
                self.instruction().map(Statement::Instruction)
            }
            TokenKind::Dot => self.body_directive(start),
            _ => self.fail("a statement"),
        }
    }

    fn body_directive(&mut self, start: Token) -> Parsed<Statement> {
        match &self.text_of(start)[1..] {
            "reg" => {
                self.next();
                let vector = match self.dot() {
                    Some(v @ ("v2" | "v4")) => {
                        self.next();
                        u32::from(v.as_bytes()[1] - b'0')
                    }
                    _ => 1,
                };
                let Some(ty) = self.dot().and_then(Type::from_name) else {
                    return self.fail("a type");
                };
                self.next();
                let mut names = Vec::new();
                loop {
                    let name = self.ident("the name of a register")?;
                    let count = if self.eat('<') {
                        let n = self.u32("a count of registers")?;
                        self.expect('>')?;
                        Some(n)
                    } else {
                        None
                    };
                    names.push((name, count));
                    if !self.eat(',') {
                        break;
                    }
                }
                self.expect(';')?;
                Ok(Statement::Reg {
                    ty,
                    vector,
                    names,
                    span: self.span_from(start),
                })
            }
            "loc" | "loc_intermediate" => {
                self.next();
                let file = self.uint("a file number")?;
                let line = self.uint("a line")?;
                let column = self.uint("a column")?;
                let rest_start = self.tokens[self.at - 1].span.end as usize;
                while self.eat(',') {
                    self.ident("`function_name` or `inlined_at`")?;
                    loop {
                        match self.peek().kind {
                            TokenKind::Int(_) => drop(self.next()),
                            TokenKind::Ident
                                if self.peek_ahead(1).kind != TokenKind::Punct(':') =>
                            {
                                // The label of `function_name`, but not the instruction that follows.
                                if !self.text_of(self.tokens[self.at - 1]).eq("function_name") {
                                    break;
                                }
                                self.next();
                                self.offset()?;
                            }
                            _ => break,
                        }
                    }
                }
                let rest_end = self.tokens[self.at - 1].span.end as usize;
                let rest = self.text[rest_start..rest_end.max(rest_start)].to_string();
                let directive = self.text_of(start).to_string();
                Ok(Statement::Loc(Loc {
                    directive,
                    file,
                    line,
                    column,
                    rest,
                    span: self.span_from(start),
                }))
            }
            "pragma" => {
                self.next();
                let texts = self.strings()?;
                self.expect(';')?;
                Ok(Statement::Pragma {
                    texts,
                    span: self.span_from(start),
                })
            }
            "branchtargets" | "calltargets" => {
                self.next();
                let mut names = vec![self.ident("a target")?];
                while self.eat(',') {
                    names.push(self.ident("a target")?);
                }
                self.expect(';')?;
                let directive = self.text_of(start).to_string();
                Ok(Statement::Targets {
                    directive,
                    names,
                    span: self.span_from(start),
                })
            }
            "callprototype" => {
                self.next();
                let returns = if self.is_punct('(') {
                    self.params()?
                } else {
                    Vec::new()
                };
                self.ident("`_`")?;
                let params = if self.is_punct('(') {
                    self.params()?
                } else {
                    Vec::new()
                };
                let mut directives = Vec::new();
                while self.dot().is_some() {
                    directives.push(self.directive()?);
                }
                self.expect(';')?;
                Ok(Statement::Prototype {
                    returns,
                    params,
                    directives,
                    span: self.span_from(start),
                })
            }
            _ => {
                let linkage = self.linkage();
                let v = self.variable(start, linkage, true)?;
                self.expect(';')?;
                Ok(Statement::Variable(v))
            }
        }
    }

    fn instruction(&mut self) -> Parsed<Instruction> {
        let start = self.peek();
        let guard = if self.eat('@') {
            let negated = self.eat('!');
            Some(Guard {
                negated,
                register: self.ident("a predicate")?,
            })
        } else {
            None
        };
        let name = self.ident("an instruction")?;
        let mut modifiers = Vec::new();
        while let Some(m) = self.dot() {
            modifiers.push(m.to_string());
            self.next();
        }
        let mut operands = Vec::new();
        if !self.is_punct(';') {
            loop {
                operands.push(self.operand()?);
                if !self.eat(',') {
                    break;
                }
            }
        }
        self.expect(';')?;
        Ok(Instruction {
            guard,
            name,
            modifiers,
            operands,
            span: self.span_from(start),
        })
    }

    fn operand(&mut self) -> Parsed<Operand> {
        let first = self.nested(Self::simple_operand)?;
        if self.eat('|') {
            let second = self.nested(Self::simple_operand)?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    fn operands_until(&mut self, close: char) -> Parsed<Vec<Operand>> {
        let mut all = Vec::new();
        if self.eat(close) {
            return Ok(all);
        }
        loop {
            all.push(self.operand()?);
            if self.eat(close) {
                return Ok(all);
            }
            self.expect(',')?;
        }
    }

    fn simple_operand(&mut self) -> Parsed<Operand> {
        match self.peek().kind {
            TokenKind::Punct('{') => {
                self.next();
                self.operands_until('}').map(Operand::Vector)
            }
            TokenKind::Punct('(') => {
                self.next();
                self.operands_until(')').map(Operand::List)
            }
            TokenKind::Punct('[') => {
                self.next();
                let parts = self.operands_until(']')?;
                match <[Operand; 1]>::try_from(parts) {
                    Ok([Operand::Name(base)]) => Ok(Operand::Address {
                        base: Some(base),
                        offset: 0,
                    }),
                    Ok([Operand::Offset(base, offset)]) => Ok(Operand::Address {
                        base: Some(base),
                        offset,
                    }),
                    Ok([Operand::Int(n)])
                        if i64::try_from(n).is_ok() || u64::try_from(n).is_ok() =>
                    {
                        Ok(Operand::Address {
                            base: None,
                            offset: n as i64,
                        })
                    }
                    Ok([other]) => Ok(Operand::Tuple(vec![other])),
                    Err(parts) => Ok(Operand::Tuple(parts)),
                }
            }
            TokenKind::Punct('!') => {
                self.next();
                let inner = self.nested(Self::simple_operand)?;
                Ok(Operand::Not(Box::new(inner)))
            }
            TokenKind::F32(b) => {
                self.next();
                Ok(Operand::F32(b))
            }
            TokenKind::F64(b) => {
                self.next();
                Ok(Operand::F64(b))
            }
            TokenKind::Punct('-')
                if matches!(
                    self.peek_ahead(1).kind,
                    TokenKind::F32(_) | TokenKind::F64(_)
                ) =>
            {
                self.next();
                match self.next().kind {
                    TokenKind::F32(b) => Ok(Operand::F32(b ^ 1 << 31)),
                    TokenKind::F64(b) => Ok(Operand::F64(b ^ 1 << 63)),
                    _ => self.fail("a number"),
                }
            }
            TokenKind::Int(_) | TokenKind::Punct('-' | '+') => {
                self.int("an operand").map(Operand::Int)
            }
            TokenKind::Ident => {
                let mut name = self.ident("an operand")?;
                while let Some(d) = self.dot() {
                    if self.peek().spaced {
                        break;
                    }
                    name.push('.');
                    name.push_str(d);
                    self.next();
                }
                let offset = self.offset()?;
                Ok(if offset == 0 {
                    Operand::Name(name)
                } else {
                    Operand::Offset(name, offset)
                })
            }
            _ => self.fail("an operand"),
        }
    }
}
