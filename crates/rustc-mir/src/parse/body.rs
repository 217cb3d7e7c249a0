//! One body: header, scopes with their variables, blocks.

use std::collections::BTreeMap;

use super::cursor::{ConstNote, Cursor, NoteValue, Res};
use super::statement::Line;
use crate::ast::*;
use crate::span::Span;
use crate::ty::Ty;

/// What is collected before it is known to be complete.
#[derive(Default)]
struct Parts {
    locals: BTreeMap<u32, LocalDecl>,
    scopes: BTreeMap<u32, Scope>,
    debug: Vec<VarDebugInfo>,
    blocks: Vec<BasicBlock>,
}

impl Parts {
    /// The type of a place where it is told: of a local, or of the last field of its projection.
    fn type_of(&self, p: &Place) -> Option<Ty> {
        match p.projection.last() {
            None => self.locals.get(&p.local.0).map(|l| l.ty.clone()),
            Some(Projection::Field(_, t)) => Some(t.clone()),
            Some(_) => None,
        }
    }
}

impl<'a> Cursor<'a> {
    /// From the first word of the header to the closing brace or semicolon. `rust_span` is kept at the last position in
    /// the Rust source that was read, for errors.
    pub fn body(&mut self, rust_span: &mut Option<Span>) -> Res<Body> {
        let mut parts = Parts::default();
        parts.scopes.insert(
            0,
            Scope {
                parent: None,
                inlined: None,
            },
        );
        let (mut kind, path, arg_count) = self.header(&mut parts)?;
        let mut yield_ty = None;
        let (mut value, ret);
        if let BodyKind::Fn = kind {
            self.expect(" -> ")?;
            ret = self.ty()?;
            value = None;
        } else {
            if self.eat("::promoted[") {
                kind = BodyKind::Promoted(self.u32()?);
                self.expect("]")?;
            }
            self.expect(": ")?;
            ret = self.ty()?;
            self.expect(" =")?;
            value = None;
            if self.at(" const ") {
                self.pos += " const ".len();
                value = Some(self.constant()?);
                self.expect(";")?;
            }
        }
        if value.is_none() {
            if self.eat("\nyields ") {
                yield_ty = Some(self.ty()?);
                self.expect("\n")?;
            }
            self.expect(" {\n")?;
            self.scope_contents(&mut parts, rust_span)?;
            while self.at("    bb") {
                self.basic_block(&mut parts, rust_span)?;
                self.blank_lines();
            }
            self.expect("}")?;
        } else {
            let source = SourceInfo {
                scope: ScopeId(0),
                span: None,
            };
            let decl = LocalDecl {
                ty: ret.clone(),
                mutability: Mutability::Mut,
                source,
            };
            parts.locals.insert(0, decl);
            if let Some(v) = &mut value
                && v.ty.is_none()
            {
                v.ty = Some(ret.clone());
            }
        }
        self.finish(parts, kind, path, arg_count, value, yield_ty)
    }

    fn header(&mut self, parts: &mut Parts) -> Res<(BodyKind, Path, u32)> {
        let kind = if self.eat("fn ") {
            BodyKind::Fn
        } else if self.eat("static mut ") {
            BodyKind::Static(Mutability::Mut)
        } else if self.eat("static ") {
            BodyKind::Static(Mutability::Not)
        } else {
            self.eat("const ");
            BodyKind::Const
        };
        let path = self.path(true)?;
        let mut n = 0;
        if let BodyKind::Fn = kind {
            self.expect("(")?;
            if !self.eat(")") {
                loop {
                    let at = self.pos;
                    n += 1;
                    if self.local()?.0 != n {
                        return Err(self.fail_at(at, format!("expected the argument `_{n}`")));
                    }
                    self.expect(": ")?;
                    let source = SourceInfo {
                        scope: ScopeId(0),
                        span: None,
                    };
                    let ty = self.ty()?;
                    parts.locals.insert(
                        n,
                        LocalDecl {
                            ty,
                            mutability: Mutability::Not,
                            source,
                        },
                    );
                    if self.eat(")") {
                        break;
                    }
                    self.expect(", ")?;
                }
            }
        }
        Ok((kind, path, n))
    }

    fn blank_lines(&mut self) {
        while self.at("\n") || self.at("\r\n") {
            self.line_rest();
            self.eat("\n");
        }
    }

    /// Variables, locals and inner scopes, up to a block or the body's closing brace. Inlining nests scopes deeply, so the
    /// open ones are a list, not a recursion.
    fn scope_contents(&mut self, parts: &mut Parts, rust_span: &mut Option<Span>) -> Res<()> {
        let mut open: Vec<ScopeId> = Vec::new();
        loop {
            self.blank_lines();
            let line = self.pos;
            self.spaces();
            let this = open.last().copied().unwrap_or(ScopeId(0));
            if self.at("}") && !open.is_empty() {
                self.expect("}\n")?;
                open.pop();
                continue;
            }
            if self.at("}") || self.at("bb") {
                if !open.is_empty() {
                    return Err(self.fail("a block inside a scope"));
                }
                self.pos = line;
                return Ok(());
            }
            if self.eat("debug ") {
                let info = self.debug_info(rust_span)?;
                parts.debug.push(info);
            } else if self.eat("let ") {
                let mutability = if self.eat("mut ") {
                    Mutability::Mut
                } else {
                    Mutability::Not
                };
                let at = self.pos;
                let local = self.local()?;
                self.expect(": ")?;
                let ty = self.ty()?;
                if self.eat(" as ") {
                    // The type as the user wrote it: before borrow checking only, and of no consequence.
                    let rest = self.rest();
                    let n = rest.find(';').ok_or_else(|| self.fail("expected `;`"))?;
                    self.pos += n;
                }
                self.expect(";")?;
                let source = self.trailing_source(rust_span, this)?;
                let decl = LocalDecl {
                    ty,
                    mutability,
                    source,
                };
                if parts.locals.insert(local.0, decl).is_some() {
                    return Err(self.fail_at(at, format!("_{} is declared twice", local.0)));
                }
            } else if self.eat("scope ") {
                let at = self.pos;
                let id = self.u32()?;
                let mut inlined = None;
                if self.eat(" (inlined ") {
                    let track_caller = self.eat("#[track_caller] ");
                    let callee = self.callee(") {")?;
                    self.expect(")")?;
                    inlined = Some(Inlined {
                        callee,
                        track_caller,
                        call_span: None,
                    });
                }
                self.expect(" {")?;
                self.spaces();
                if self.eat("// at ") {
                    let at = self.pos;
                    let text = self.line_rest();
                    let span = self.span_of(text, at)?;
                    if let Some(i) = &mut inlined {
                        i.call_span = span;
                    }
                }
                self.expect("\n")?;
                if parts
                    .scopes
                    .insert(
                        id,
                        Scope {
                            parent: Some(this),
                            inlined,
                        },
                    )
                    .is_some()
                {
                    return Err(self.fail_at(at, format!("scope {id} appears twice")));
                }
                open.push(ScopeId(id));
            } else {
                return Err(self.fail("expected a variable, a local, a scope or a block"));
            }
        }
    }

    /// A path and what follows it up to `end`.
    pub fn callee(&mut self, end: &'static str) -> Res<Callee> {
        let path = self.path(true)?;
        let mut suffix = None;
        if self.eat(" - ") {
            let rest = self.rest();
            // A shim's type can hold the same text (`fn() {path}`); the end is at the line's end or its comment.
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            let ends = |n: usize| {
                let after = &line[n + end.len()..];
                after.is_empty() || after.trim_start().starts_with("// at ")
            };
            let n = line.match_indices(end).map(|(n, _)| n).find(|n| ends(*n));
            let n = n.ok_or_else(|| self.fail("an instance that does not end"))?;
            suffix = Some(rest[..n].to_string());
            self.pos += n;
        }
        Ok(Callee { path, suffix })
    }

    fn debug_info(&mut self, rust_span: &mut Option<Span>) -> Res<VarDebugInfo> {
        let (name, fragment) = if self.at("(") {
            let (n, f) = self.fragment()?;
            (n, Some(f))
        } else {
            (self.ident()?.to_string(), None)
        };
        self.expect(" => ")?;
        let value = match self.marked_operand()? {
            Some(Operand::Const(c)) => VarDebugValue::Const(c),
            Some(_) => return Err(self.fail("expected a place or a constant")),
            None if self.at_local() || self.at("(") => VarDebugValue::Place(self.place()?),
            None => {
                let start = self.pos;
                let p = self.path(true)?;
                VarDebugValue::Const(self.fn_const(p, start))
            }
        };
        self.expect(";")?;
        let source = self.trailing_source(rust_span, ScopeId(0))?;
        Ok(VarDebugInfo {
            name,
            fragment,
            value,
            source,
        })
    }

    /// `(((x: T).0: U).1: V)`
    fn fragment(&mut self) -> Res<(String, Fragment)> {
        self.nested(|c| {
            c.expect("(")?;
            let (name, fragment) = if c.at("(") {
                let (name, mut f) = c.fragment()?;
                let p = c.named_projection()?;
                f.projection.push(p);
                (name, f)
            } else {
                let name = c.ident()?.to_string();
                c.expect(": ")?;
                (
                    name,
                    Fragment {
                        ty: c.ty()?,
                        projection: Vec::new(),
                    },
                )
            };
            c.expect(")")?;
            Ok((name, fragment))
        })
    }

    /// `// scope 3 at …`, `// in scope 3 at …`, `// return place in scope 0 at …` to the end of the line, or nothing.
    fn trailing_source(
        &mut self,
        rust_span: &mut Option<Span>,
        default: ScopeId,
    ) -> Res<SourceInfo> {
        self.spaces();
        let mut source = SourceInfo {
            scope: default,
            span: None,
        };
        if self.eat("// ") {
            self.eat("return place ");
            self.eat("in ");
            self.expect("scope ")?;
            source.scope = ScopeId(self.u32()?);
            self.expect(" at ")?;
            let at = self.pos;
            let text = self.line_rest();
            source.span = self.span_of(text, at)?;
            if source.span.is_some() {
                rust_span.clone_from(&source.span);
            }
        }
        if !self.eat("\n") {
            return Err(self.fail("expected the end of the line"));
        }
        Ok(source)
    }

    fn basic_block(&mut self, parts: &mut Parts, rust_span: &mut Option<Span>) -> Res<()> {
        self.spaces();
        let at = self.pos;
        let id = self.block()?;
        if id.0 as usize != parts.blocks.len() {
            return Err(self.fail_at(at, format!("expected the block bb{}", parts.blocks.len())));
        }
        let is_cleanup = self.eat(" (cleanup)");
        self.expect(": {\n")?;
        let mut statements = Vec::new();
        loop {
            self.spaces();
            if self.eat("// DBG: ") {
                let kind = self.debug_assign()?;
                let source = SourceInfo {
                    scope: ScopeId(0),
                    span: None,
                };
                statements.push(Statement { kind, source });
                continue;
            }
            if self.at("//") {
                return Err(self.fail("a comment that belongs to nothing"));
            }
            self.read_notes()?;
            let start = self.pos;
            let line = self.line(&|p| parts.type_of(p)).map_err(|mut e| {
                // The line's own position is more use than the one before it.
                if let Some(s) = self.line_span(start) {
                    *rust_span = Some(s);
                }
                if e.pos < start {
                    e.pos = start;
                }
                e
            })?;
            self.expect(";")?;
            let source = self.trailing_source(rust_span, ScopeId(0))?;
            self.skip_comments();
            match line {
                Line::Statement(kind) => statements.push(Statement { kind, source }),
                Line::Terminator(kind) => {
                    let terminator = Terminator { kind, source };
                    parts.blocks.push(BasicBlock {
                        is_cleanup,
                        statements,
                        terminator,
                    });
                    self.spaces();
                    return self.expect("}\n");
                }
            }
        }
    }

    /// `_8 = &place;`, `_8 = &?;`
    fn debug_assign(&mut self) -> Res<StatementKind> {
        let local = self.local()?;
        self.expect(" = &")?;
        let place = if self.eat("?") {
            None
        } else {
            Some(self.place()?)
        };
        self.expect(";")?;
        self.expect("\n")?;
        Ok(StatementKind::DebugAssign(local, place))
    }

    /// The span at the end of the line that begins at `start`.
    fn line_span(&mut self, start: usize) -> Option<Span> {
        let rest = self.src.get(start..)?;
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let (_, comment) = line.rsplit_once("// scope ")?;
        let (_, text) = comment.split_once(" at ")?;
        self.span_of(text, start).ok()?
    }

    fn skip_comments(&mut self) {
        loop {
            let start = self.pos;
            self.spaces();
            if !self.at("//") || self.at("// DBG: ") {
                self.pos = start;
                return;
            }
            self.line_rest();
            self.eat("\n");
        }
    }

    /// Reads the comments that stand below the line at the cursor, which stays where it is.
    fn read_notes(&mut self) -> Res<()> {
        self.notes.clear();
        self.closure_note = None;
        let start = self.pos;
        self.line_rest();
        self.eat("\n");
        let mut span = None;
        while let Some(text) = self.comment_line() {
            if let Some(t) = text.strip_prefix("+ span: ") {
                span = self.span_of(t, self.pos)?;
            } else if text.starts_with("+ const_: Const { ty: ") {
                let after = self.pos;
                self.pos = after - 1 - text.len() + "+ const_: Const { ty: ".len();
                let note = self.const_note(span.take(), after)?;
                self.notes.push(note);
                self.pos = after;
            } else if let Some(t) = text.strip_prefix("+ def_id: DefId(") {
                let def_path = t
                    .strip_suffix(')')
                    .and_then(|t| t.split_once(" ~ "))
                    .map(|(_, p)| p);
                let mut args = String::new();
                if let Some(first) = self.comment_line()
                    && let Some(first) = first.strip_prefix("+ args: ")
                {
                    args.push_str(first);
                    while first.ends_with('[')
                        && let Some(next) = self.comment_line()
                    {
                        let next = next.strip_prefix("+").unwrap_or(next).trim();
                        args.push(' ');
                        args.push_str(next);
                        if next == "]" && self.comment_indent_closes() {
                            break;
                        }
                    }
                }
                if let Some(p) = def_path {
                    self.closure_note = Some(ClosureIdentity {
                        def_path: p.to_string(),
                        args,
                    });
                }
            }
        }
        self.pos = start;
        Ok(())
    }

    /// After a `]` of the list of a closure's arguments: it is the outermost if it stood directly behind `// + `.
    fn comment_indent_closes(&self) -> bool {
        let before = &self.src[..self.pos.saturating_sub(1).min(self.src.len())];
        before.ends_with("// + ]")
    }

    /// The text of a comment line, without the `// `; the cursor is then behind its line end.
    fn comment_line(&mut self) -> Option<&'a str> {
        let start = self.pos;
        self.spaces();
        if !self.eat("// ") || self.at("scope ") || self.at("DBG: ") {
            self.pos = start;
            return None;
        }
        let text = self.line_rest();
        if !self.eat("\n") {
            self.pos = start;
            return None;
        }
        Some(text)
    }

    /// After `+ const_: Const { ty: `; the line ends at `after`, its line end included.
    fn const_note(&mut self, span: Option<Span>, after: usize) -> Res<ConstNote<'a>> {
        let ty = self.ty()?;
        self.expect(", val: ")?;
        let text = self
            .src
            .get(self.pos..after - 1)
            .and_then(|t| t.strip_suffix(" }"));
        let text = text.ok_or_else(|| self.fail("a comment on a constant that cannot be read"))?;
        let value = if let Some(v) = text
            .strip_prefix("Value(")
            .and_then(|v| v.strip_suffix(')'))
        {
            NoteValue::Value(v)
        } else if text.starts_with("Unevaluated(") || text.starts_with("ty::Unevaluated(") {
            NoteValue::Unevaluated
        } else if text.starts_with("ty::Param(") {
            NoteValue::Param
        } else if text.starts_with("ty::Valtree(") {
            NoteValue::Value("")
        } else {
            return Err(self.fail("a comment on a constant that is not known"));
        };
        Ok(ConstNote {
            ty,
            span,
            value,
            used: false,
        })
    }

    fn finish(
        &mut self,
        parts: Parts,
        kind: BodyKind,
        path: Path,
        arg_count: u32,
        value: Option<Const>,
        yield_ty: Option<Ty>,
    ) -> Res<Body> {
        fn dense<T>(map: BTreeMap<u32, T>) -> Option<Vec<T>> {
            let n = map.len();
            let out: Vec<T> = map
                .into_iter()
                .enumerate()
                .take_while(|(i, (k, _))| *i == *k as usize)
                .map(|(_, (_, v))| v)
                .collect();
            (out.len() == n).then_some(out)
        }
        let locals = dense(parts.locals).ok_or_else(|| self.fail("a local is not declared"))?;
        let scopes = dense(parts.scopes).ok_or_else(|| self.fail("a scope is missing"))?;
        let body = Body {
            kind,
            path,
            arg_count,
            locals,
            scopes,
            debug: parts.debug,
            blocks: parts.blocks,
            value,
            yield_ty,
        };
        super::check::references(&body).map_err(|what| self.fail(what))?;
        Ok(body)
    }
}
