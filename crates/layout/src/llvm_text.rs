//! rustc's textual LLVM IR, read as far as linking to it needs: the type of each function, and of a function the calls with
//! their source positions.
//!
//! ```text
//! let m = LlvmModule::index(text);                     // one pass over the text
//! m.functions()                                        // symbols, defined and declared
//! m.function("_RNv…")?                                 // FnType { ret, params, variadic }
//! m.calls("_RNv…")?                                    // [CallSite { callee, ty, frames (innermost first), .. }]
//! m.subprogram("_RNv…")                                // name, file and line of a definition
//! ```
//! Intrinsics' calls (`@llvm.…`) are listed like any other.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::metadata::Metadata;

/// A module's text with an index.
pub struct LlvmModule {
    meta: Metadata,
    functions: HashMap<String, Entry>,
}

struct Entry {
    /// The `define` or `declare` line.
    line: Range<usize>,
    /// From the line behind it to the closing brace; `None`: declared.
    body: Option<Range<usize>>,
}

/// A type of LLVM.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LlvmTy {
    Void,
    Int(u32),
    Half,
    Bfloat,
    Float,
    Double,
    Fp128,
    Ptr,
    Struct(Vec<LlvmTy>),
    Array(u64, Box<LlvmTy>),
    Vector(u64, Box<LlvmTy>),
}

/// A function's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FnType {
    pub ret: LlvmTy,
    pub params: Vec<Param>,
    pub variadic: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    pub ty: LlvmTy,
    /// The result goes where this points; the type that is there.
    pub sret: Option<LlvmTy>,
    /// The callee gets a copy of what this points to.
    pub byval: Option<LlvmTy>,
    /// `align` and `dereferenceable` of a pointer.
    pub align: Option<u64>,
    pub dereferenceable: Option<u64>,
}

/// A `call` or `invoke`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    pub callee: Callee,
    /// As the call has it: result and arguments.
    pub ty: FnType,
    /// `; call core::ptr::swap::<u32>`: the callee as rustc prints it above the call.
    pub comment: Option<String>,
    /// Where the call is in the source, innermost first: its own position, then those of the calls that were inlined
    /// around it. Empty: no `!dbg`.
    pub frames: Vec<Frame>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    Symbol(String),
    /// Through a pointer.
    Indirect,
    Asm,
}

/// A position in a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The file as MIR spans name it: `src/k.rs`, `/rustc/<hash>/library/core/src/option.rs`.
    pub file: String,
    pub line: u32,
    pub col: u32,
    /// The symbol of the function, where it has one.
    pub linkage_name: Option<String>,
}

/// What metadata says of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subprogram {
    pub name: String,
    pub linkage_name: Option<String>,
    pub file: String,
    pub line: u32,
    /// The namespaces around it, the crate first.
    pub scope: Vec<String>,
}

/// Text that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlvmTextError {
    /// From 1.
    pub line: usize,
    pub what: String,
}

impl fmt::Display for LlvmTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LLVM IR, line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for LlvmTextError {}

impl LlvmModule {
    /// Finds functions and metadata.
    pub fn index(text: impl Into<Arc<str>>) -> LlvmModule {
        let text = text.into();
        let mut functions = HashMap::new();
        let mut pos = 0;
        while pos < text.len() {
            let rest = &text[pos..];
            let len = rest.find('\n').unwrap_or(rest.len());
            let line = &rest[..len];
            let mut next = pos + len + 1;
            if line.starts_with("define ") || line.starts_with("declare ") {
                let mut body = None;
                if line.starts_with("define ") {
                    let end = rest.find("\n}").map_or(text.len(), |n| pos + n + 1);
                    body = Some(next.min(end)..end);
                    next = (end + 1).min(text.len());
                }
                if let Some((_, after)) = line.split_once('@')
                    && let Some((symbol, _)) = symbol(after)
                {
                    functions.insert(
                        symbol,
                        Entry {
                            line: pos..pos + len,
                            body,
                        },
                    );
                }
            } else if line.starts_with('!') {
                break;
            }
            pos = next;
        }
        LlvmModule {
            meta: Metadata::index(text, |_, _| ()),
            functions,
        }
    }

    pub fn text(&self) -> &Arc<str> {
        &self.meta.text
    }

    /// Symbols, and whether each is defined here.
    pub fn functions(&self) -> impl Iterator<Item = (&str, bool)> {
        self.functions
            .iter()
            .map(|(n, e)| (n.as_str(), e.body.is_some()))
    }

    /// The type of a function. `None`: it is not in this module.
    ///
    /// # Errors
    /// A type that is not known.
    pub fn function(&self, symbol_: &str) -> Result<Option<FnType>, LlvmTextError> {
        let Some(e) = self.functions.get(symbol_) else {
            return Ok(None);
        };
        let line = &self.meta.text[e.line.clone()];
        let text = line
            .strip_prefix("define ")
            .or_else(|| line.strip_prefix("declare "))
            .unwrap_or(line);
        let mut p = Parser {
            text,
            pos: 0,
            depth: 0,
        };
        p.prototype()
            .map(|(_, ty)| Some(ty))
            .map_err(|what| self.error(e.line.start, what))
    }

    /// The calls in a function's body, in the order of the text. `None`: it has no body here.
    ///
    /// # Errors
    /// A call that is not understood.
    pub fn calls(&self, symbol_: &str) -> Result<Option<Vec<CallSite>>, LlvmTextError> {
        let Some(body) = self.functions.get(symbol_).and_then(|e| e.body.clone()) else {
            return Ok(None);
        };
        let mut out = Vec::new();
        let mut comment = None;
        let mut pos = body.start;
        for line in self.meta.text[body].split_inclusive('\n') {
            let start = pos;
            pos += line.len();
            let text = line.trim();
            if let Some(c) = text
                .strip_prefix("; call ")
                .or_else(|| text.strip_prefix("; invoke "))
            {
                comment = Some(c.to_string());
                continue;
            }
            let Some(call) = call_text(text) else {
                continue;
            };
            let mut p = Parser {
                text: call,
                pos: 0,
                depth: 0,
            };
            let (callee, ty) = p.prototype().map_err(|what| self.error(start, what))?;
            let frames = match self.position(line) {
                Some(id) => self
                    .frames(id)
                    .ok_or_else(|| self.error(start, "a position that is not known".into()))?,
                None => Vec::new(),
            };
            out.push(CallSite {
                callee,
                ty,
                comment: comment.take(),
                frames,
            });
        }
        Ok(Some(out))
    }

    /// Name and place of a function that is defined here.
    pub fn subprogram(&self, symbol_: &str) -> Option<Subprogram> {
        let e = self.functions.get(symbol_)?;
        let id = self.position(&self.meta.text[e.line.clone()])?;
        let n = self.meta.node(id)?;
        let mut scope = Vec::new();
        let mut next = n.reference("scope");
        while let Some(id) = next
            && scope.len() < 64
            && let Some(s) = self.meta.node(id)
        {
            scope.extend(s.get("name").map(str::to_string));
            next = s.reference("scope");
        }
        scope.reverse();
        Some(Subprogram {
            name: n.get("name")?.to_string(),
            linkage_name: n.get("linkageName").map(str::to_string),
            file: self.file(n.reference("file")?)?,
            line: n.get("line")?.parse().ok()?,
            scope,
        })
    }

    /// The N of `!dbg !N`.
    fn position(&self, line: &str) -> Option<u32> {
        let (_, id) = line.rsplit_once("!dbg !")?;
        let end = id.find(|c: char| !c.is_ascii_digit()).unwrap_or(id.len());
        id[..end].parse().ok()
    }

    fn frames(&self, id: u32) -> Option<Vec<Frame>> {
        let mut out = Vec::new();
        let mut next = Some(id);
        while let Some(id) = next {
            let n = self.meta.node(id)?;
            if n.kind != "DILocation" || out.len() > 10_000 {
                return None;
            }
            let number = |key| n.get(key).map_or(Some(0), |v| v.parse().ok());
            let mut scope = self.meta.node(n.reference("scope")?)?;
            // The file may be that of a block inside the function.
            let file = self.file(scope.reference("file")?)?;
            let mut steps = 0;
            while scope.kind != "DISubprogram" {
                scope = self.meta.node(scope.reference("scope")?)?;
                steps += 1;
                if steps > 10_000 {
                    return None;
                }
            }
            out.push(Frame {
                file,
                line: number("line")?,
                col: number("column")?,
                linkage_name: scope.get("linkageName").map(str::to_string),
            });
            next = n.reference("inlinedAt");
        }
        Some(out)
    }

    fn file(&self, id: u32) -> Option<String> {
        let n = self.meta.node(id)?;
        let name = n.get("filename")?;
        Some(match n.get("directory") {
            Some(d) if d.starts_with("/rustc/") => format!("{d}/{name}"),
            _ => name.to_string(),
        })
    }

    fn error(&self, pos: usize, what: String) -> LlvmTextError {
        let before = &self.meta.text[..pos];
        LlvmTextError {
            line: before.bytes().filter(|b| *b == b'\n').count() + 1,
            what,
        }
    }
}

/// The text behind `call ` or `invoke ` of an instruction.
fn call_text(line: &str) -> Option<&str> {
    let line = match line.split_once(" = ") {
        Some((name, rest)) if name.starts_with('%') => rest,
        _ => line,
    };
    let line = ["tail ", "musttail ", "notail "]
        .iter()
        .find_map(|t| line.strip_prefix(t))
        .unwrap_or(line);
    line.strip_prefix("call ")
        .or_else(|| line.strip_prefix("invoke "))
}

/// A symbol behind the `@`, quotes undone, and what follows.
fn symbol(text: &str) -> Option<(String, &str)> {
    if let Some(q) = text.strip_prefix('"') {
        let (name, rest) = q.split_once('"')?;
        return Some((name.to_string(), rest));
    }
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-')))
        .unwrap_or(text.len());
    (end > 0).then(|| (text[..end].to_string(), &text[end..]))
}

struct Parser<'a> {
    text: &'a str,
    pos: usize,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.pos..).unwrap_or("")
    }

    fn blank(&mut self) {
        self.pos += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, s: &str) -> bool {
        self.blank();
        let there = self.rest().starts_with(s);
        self.pos += if there { s.len() } else { 0 };
        there
    }

    fn unknown<T>(&self, what: &str) -> Result<T, String> {
        let found: String = self.rest().chars().take(60).collect();
        Err(format!("{what}, found `{found}`"))
    }

    /// Words of the language, and attributes with arguments in parentheses, up to a type.
    fn skip_words(&mut self) -> Result<(), String> {
        loop {
            self.blank();
            if self.at_type() {
                return Ok(());
            }
            if self.attribute()?.is_none() {
                return self.unknown("expected a type");
            }
        }
    }

    fn at_type(&self) -> bool {
        let r = self.rest();
        let word_end = r
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(r.len());
        let word = &r[..word_end];
        r.starts_with(['{', '[', '<'])
            || matches!(
                word,
                "void" | "ptr" | "half" | "bfloat" | "float" | "double" | "fp128"
            )
            || word
                .strip_prefix('i')
                .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    }

    /// One attribute or keyword; its name and the text in its parentheses.
    fn attribute(&mut self) -> Result<Option<(&'a str, Option<&'a str>)>, String> {
        self.blank();
        let r = self.rest();
        let n = r
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))
            .unwrap_or(r.len());
        let name = &r[..n];
        if name.is_empty() {
            return Ok(None);
        }
        self.pos += n;
        let r = self.rest();
        if !r.starts_with('(') {
            return Ok(Some((name, None)));
        }
        let mut depth = 0usize;
        for (i, b) in r.bytes().enumerate() {
            match b {
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        self.pos += i + 1;
                        return Ok(Some((name, Some(&r[1..i]))));
                    }
                }
                _ => {}
            }
        }
        self.unknown("a parenthesis is never closed")
    }

    fn ty(&mut self) -> Result<LlvmTy, String> {
        self.depth += 1;
        if self.depth > 64 {
            return self.unknown("a type nested too deeply");
        }
        let t = self.ty_inner();
        self.depth -= 1;
        t
    }

    fn ty_inner(&mut self) -> Result<LlvmTy, String> {
        self.blank();
        if self.eat("{") {
            let mut items = Vec::new();
            if self.eat("}") {
                return Ok(LlvmTy::Struct(items));
            }
            loop {
                items.push(self.ty()?);
                if self.eat("}") {
                    return Ok(LlvmTy::Struct(items));
                }
                if !self.eat(",") {
                    return self.unknown("expected `,`");
                }
            }
        }
        for (open, close) in [("[", "]"), ("<", ">")] {
            if self.eat(open) {
                let r = self.rest();
                let n = r.find(' ').unwrap_or(0);
                let Ok(count) = r[..n].parse() else {
                    return self.unknown("expected a number");
                };
                self.pos += n;
                if !self.eat("x ") {
                    return self.unknown("expected `x`");
                }
                let t = Box::new(self.ty()?);
                if !self.eat(close) {
                    return self.unknown("expected the end of the type");
                }
                return Ok(if open == "[" {
                    LlvmTy::Array(count, t)
                } else {
                    LlvmTy::Vector(count, t)
                });
            }
        }
        let r = self.rest();
        let n = r
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(r.len());
        let word = &r[..n];
        let t = match word {
            "void" => LlvmTy::Void,
            "ptr" => LlvmTy::Ptr,
            "half" => LlvmTy::Half,
            "bfloat" => LlvmTy::Bfloat,
            "float" => LlvmTy::Float,
            "double" => LlvmTy::Double,
            "fp128" => LlvmTy::Fp128,
            _ => match word.strip_prefix('i').and_then(|b| b.parse().ok()) {
                Some(bits) => LlvmTy::Int(bits),
                None => return self.unknown("expected a type"),
            },
        };
        self.pos += n;
        Ok(t)
    }

    /// `internal noundef i32 @f(i32 noundef %x, …)` or the same of a call: `i32 %f(…)`, `i32 asm "…"(…)`.
    fn prototype(&mut self) -> Result<(Callee, FnType), String> {
        self.skip_words()?;
        let ret = self.ty()?;
        // A call of a variadic function shows the whole type: `i32 (ptr, ...) @printf(…)`.
        self.blank();
        let mut variadic = false;
        if self.rest().starts_with('(') {
            let r = self.rest();
            let Some(end) = r.find(')') else {
                return self.unknown("a parenthesis is never closed");
            };
            variadic = r[..end].ends_with("...");
            self.pos += end + 1;
            self.blank();
        }
        let callee = if self.eat("@") {
            let r = self.rest();
            let Some((name, after)) = symbol(r) else {
                return self.unknown("expected a symbol");
            };
            self.pos += r.len() - after.len();
            Callee::Symbol(name)
        } else if self.eat("%") {
            let r = self.rest();
            let n = if let Some(quoted) = r.strip_prefix('"') {
                quoted.find('"').map_or(0, |n| n + 2)
            } else {
                r.find('(').unwrap_or(0)
            };
            self.pos += n;
            Callee::Indirect
        } else if self.eat("asm ") {
            // Template and constraints are strings without quotes inside.
            while !self.rest().starts_with('(') {
                let r = self.rest();
                let n = match r.strip_prefix('"') {
                    Some(q) => q.find('"').map(|n| n + 2),
                    None => r.chars().next().map(char::len_utf8),
                };
                let Some(n) = n else {
                    return self.unknown("an assembly call that does not end");
                };
                self.pos += n;
            }
            Callee::Asm
        } else {
            return self.unknown("expected a function");
        };
        if !self.eat("(") {
            return self.unknown("expected `(`");
        }
        let mut params = Vec::new();
        if !self.eat(")") {
            loop {
                if self.eat("...") {
                    variadic = true;
                } else if self.eat("metadata ") {
                    // An intrinsic's argument that is no value.
                    self.value()?;
                } else {
                    params.push(self.param()?);
                }
                if self.eat(")") {
                    break;
                }
                if !self.eat(",") {
                    return self.unknown("expected `,`");
                }
            }
        }
        Ok((
            callee,
            FnType {
                ret,
                params,
                variadic,
            },
        ))
    }

    fn param(&mut self) -> Result<Param, String> {
        let ty = self.ty()?;
        let mut p = Param {
            ty,
            sret: None,
            byval: None,
            align: None,
            dereferenceable: None,
        };
        loop {
            self.blank();
            if self.rest().starts_with([',', ')']) {
                return Ok(p);
            }
            // `align 8` has its number beside it; a value may be a word (`true`, `poison`, `null`) or a constant expression.
            let r = self.rest();
            if r.starts_with(|c: char| c.is_ascii_lowercase()) && !self.at_value_word() {
                let inner = |text: Option<&'a str>| {
                    Parser {
                        text: text.unwrap_or(""),
                        pos: 0,
                        depth: 0,
                    }
                    .ty()
                };
                match self.attribute()? {
                    Some(("sret", t)) => p.sret = Some(inner(t)?),
                    Some(("byval", t)) => p.byval = Some(inner(t)?),
                    Some(("dereferenceable", n)) => {
                        p.dereferenceable = n.and_then(|n| n.parse().ok())
                    }
                    Some(("align", _)) => {
                        self.blank();
                        let r = self.rest();
                        let n = r.find(|c: char| !c.is_ascii_digit()).unwrap_or(r.len());
                        p.align = r[..n].parse().ok();
                        self.pos += n;
                    }
                    _ => {}
                }
            } else {
                self.value()?;
            }
        }
    }

    fn at_value_word(&self) -> bool {
        let r = self.rest();
        let n = r
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(r.len());
        matches!(
            &r[..n],
            "true"
                | "false"
                | "null"
                | "undef"
                | "poison"
                | "zeroinitializer"
                | "none"
                | "getelementptr"
                | "inttoptr"
                | "ptrtoint"
                | "bitcast"
                | "addrspacecast"
                | "splat"
                | "blockaddress"
                | "c"
                | "trunc"
                | "sub"
                | "add"
        )
    }

    /// To the comma or parenthesis behind a value.
    fn value(&mut self) -> Result<(), String> {
        let mut depth = 0i32;
        let mut quoted = false;
        for (i, b) in self.rest().bytes().enumerate() {
            match b {
                b'"' => quoted = !quoted,
                _ if quoted => {}
                b'(' | b'[' | b'{' | b'<' => depth += 1,
                b')' | b',' if depth == 0 => {
                    self.pos += i;
                    return Ok(());
                }
                b')' | b']' | b'}' | b'>' => depth -= 1,
                _ => {}
            }
        }
        self.unknown("a value that does not end")
    }
}
