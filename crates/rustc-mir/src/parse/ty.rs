//! Types, paths, and the constants inside types.

use super::cursor::{Cursor, Res, is_ident, is_ident_start, split_span};
use crate::ty::*;

impl<'a> Cursor<'a> {
    pub fn ty(&mut self) -> Res<Ty> {
        self.nested(|c| c.ty_inner())
    }

    fn ty_inner(&mut self) -> Res<Ty> {
        let start = self.pos;
        match self.peek() {
            Some(b'!') => {
                self.pos += 1;
                Ok(Ty::Never)
            }
            Some(b'&') => {
                self.pos += 1;
                if self.skip_lifetime() {
                    self.eat(" ");
                }
                let m = if self.eat("mut ") {
                    Mutability::Mut
                } else {
                    Mutability::Not
                };
                Ok(Ty::Ref(m, Box::new(self.ty()?)))
            }
            Some(b'*') => {
                let m = if self.eat("*const ") {
                    Mutability::Not
                } else if self.eat("*mut ") {
                    Mutability::Mut
                } else {
                    return Err(self.fail("expected `*const` or `*mut`"));
                };
                Ok(Ty::RawPtr(m, Box::new(self.ty()?)))
            }
            Some(b'[') => {
                self.pos += 1;
                let t = self.ty()?;
                if self.eat("; ") {
                    let n = self.array_len()?;
                    self.expect("]")?;
                    Ok(Ty::Array(Box::new(t), Box::new(n)))
                } else {
                    self.expect("]")?;
                    Ok(Ty::Slice(Box::new(t)))
                }
            }
            Some(b'(') => self.paren_ty(),
            // A safe function with `#[target_feature]`; what it may be called from is rustc's affair.
            Some(b'#') if self.eat("#[target_features] ") => self.fn_ty(),
            Some(b':') if self.at("::") => Ok(Ty::Path(self.path(false)?)),
            Some(b'{') => self.closure_ty(),
            Some(b'<') => {
                let p = self.path(false)?;
                Ok(Ty::Projection(p))
            }
            Some(b'_') if !self.peek_at(1).is_some_and(is_ident) => {
                self.pos += 1;
                Ok(Ty::Infer)
            }
            Some(b) if is_ident_start(b) => {
                if self.at("for<") {
                    self.skip_binder()?;
                    return self.ty();
                }
                if self.at("fn(") || self.at("unsafe ") || self.at("extern ") {
                    return self.fn_ty();
                }
                if self.eat("unsafe<") {
                    self.balanced()?;
                    self.expect("> ")?;
                    return Ok(Ty::UnsafeBinder(Box::new(self.ty()?)));
                }
                if self.eat("dyn ") {
                    return Ok(Ty::Dyn(self.bounds()?));
                }
                if self.eat("impl ") {
                    return Ok(Ty::Impl(self.bounds()?));
                }
                let p = self.path(false)?;
                Ok(match p.as_single_ident().and_then(primitive) {
                    Some(t) => t,
                    None => Ty::Path(p),
                })
            }
            _ => Err(self.fail_at(start, "expected a type")),
        }
    }

    /// A tuple, or a type in parentheses, which a pattern may follow.
    fn paren_ty(&mut self) -> Res<Ty> {
        self.expect("(")?;
        if self.eat(")") {
            return Ok(Ty::unit());
        }
        let mut items = vec![self.ty()?];
        if self.eat(")") {
            let t = items.remove(0);
            if self.eat(" is ") {
                let start = self.pos;
                let end = self.find_pattern_end();
                self.pos = end;
                return Ok(Ty::Pattern(Box::new(t), self.src[start..end].to_string()));
            }
            return Ok(t);
        }
        loop {
            if self.eat(",)") {
                return Ok(Ty::Tuple(items));
            }
            if self.eat(")") {
                return Ok(Ty::Tuple(items));
            }
            self.expect(", ")?;
            items.push(self.ty()?);
        }
    }

    /// A pattern ends at the first bracket that closes something outside it, or comma or semicolon beside it.
    pub fn find_pattern_end(&self) -> usize {
        let b = self.src.as_bytes();
        let mut depth = 0u32;
        let mut i = self.pos;
        while i < b.len() {
            match b[i] {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' | b'>' if depth == 0 => break,
                b')' | b']' | b'}' => depth -= 1,
                b',' | b';' | b'\n' if depth == 0 => break,
                _ => {}
            }
            i += 1;
        }
        i
    }

    fn closure_ty(&mut self) -> Res<Ty> {
        let start = self.pos;
        self.expect("{")?;
        let close = self
            .find_close()
            .ok_or_else(|| self.fail("a bracket is never closed"))?;
        let inside = &self.src[self.pos..close];
        let is_kind = |k: &str| {
            !k.is_empty()
                && k.bytes()
                    .all(|b| b.is_ascii_lowercase() || b == b' ' || b == b'_')
        };
        let (kind, at) = match inside.split_once('@') {
            Some((kind, at)) if is_kind(kind) => {
                self.pos += kind.len() + 1;
                // Coroutines' aggregates print their hygiene mark, ` (#0)`.
                let text = match at.rsplit_once(" (#") {
                    Some((t, _)) if at.ends_with(')') => t,
                    _ => at,
                };
                match split_span(text) {
                    Some((file, lo, hi)) => {
                        let file = self.file(file);
                        self.pos = close;
                        (kind, ClosureAt::Span(crate::span::Span { file, lo, hi }))
                    }
                    None => (kind, ClosureAt::Path(self.path(false)?)),
                }
            }
            _ => match inside.split_once(" of ") {
                Some((kind, of)) if is_kind(kind) => {
                    self.pos = close;
                    (kind, ClosureAt::Of(of.to_string()))
                }
                _ => return Err(self.fail_at(start, "expected a type")),
            },
        };
        self.expect("}")?;
        Ok(Ty::Closure(Box::new(ClosureTy {
            kind: kind.to_string(),
            at,
        })))
    }

    /// A function pointer's type, or with `{path}` behind it a function item's.
    fn fn_ty(&mut self) -> Res<Ty> {
        let is_unsafe = self.eat("unsafe ");
        let abi = if self.eat("extern ") {
            let a = self.string()?;
            self.expect(" ")?;
            Some(a)
        } else {
            None
        };
        self.expect("fn(")?;
        let (inputs, c_variadic) = self.fn_inputs()?;
        let output = if self.eat(" -> ") {
            self.ty()?
        } else {
            Ty::unit()
        };
        let sig = Box::new(FnSig {
            inputs,
            c_variadic,
            output,
            is_unsafe,
            abi,
        });
        // The brace that opens a body is followed by a line's end.
        if self.at(" {") && !matches!(self.peek_at(2), Some(b'\n' | b'\r' | b' ') | None) {
            self.pos += 2;
            let p = self.path(true)?;
            self.expect("}")?;
            return Ok(Ty::FnDef(sig, Box::new(p)));
        }
        Ok(Ty::FnPtr(sig))
    }

    fn fn_inputs(&mut self) -> Res<(Vec<Ty>, bool)> {
        let mut inputs = Vec::new();
        if self.eat(")") {
            return Ok((inputs, false));
        }
        loop {
            if self.eat("...)") {
                return Ok((inputs, true));
            }
            inputs.push(self.ty()?);
            if self.eat(")") {
                return Ok((inputs, false));
            }
            self.expect(", ")?;
        }
    }

    /// `A + B + 'a`: lifetimes dropped.
    fn bounds(&mut self) -> Res<Vec<Bound>> {
        let mut out = Vec::new();
        loop {
            if self.peek() == Some(b'\'') {
                self.skip_lifetime();
            } else {
                let paren = self.eat("(");
                let start = self.pos;
                for m in ["?", "~const ", "[const] ", "const ", "async "] {
                    if self.eat(m) {
                        break;
                    }
                }
                let modifier = self.src[start..self.pos].to_string();
                if self.at("for<") {
                    self.skip_binder()?;
                }
                let path = self.path(false)?;
                if paren {
                    self.expect(")")?;
                }
                out.push(Bound { modifier, path });
            }
            if !self.eat(" + ") {
                return Ok(out);
            }
        }
    }

    /// `for<'a, 'b> `
    fn skip_binder(&mut self) -> Res<()> {
        self.expect("for<")?;
        self.balanced()?;
        self.expect("> ")
    }

    /// `'a`, `'_`, `'{erased}`
    pub fn skip_lifetime(&mut self) -> bool {
        if self.peek() != Some(b'\'') {
            return false;
        }
        self.pos += 1;
        if self.peek() == Some(b'{') {
            while self.peek().is_some_and(|b| b != b'}' && b != b'\n') {
                self.pos += 1;
            }
            self.eat("}");
        }
        while self
            .peek()
            .is_some_and(|b| is_ident(b) || b == b'?' || b == b'^')
        {
            self.pos += 1;
        }
        true
    }

    /// A path. `value`: generic arguments are written `::<T>` and a `(` ends the path; otherwise (in types) `<T>`, and
    /// `Fn(A) -> R` is one path.
    pub fn path(&mut self, value: bool) -> Res<Path> {
        self.nested(|c| c.path_inner(value))
    }

    fn path_inner(&mut self, value: bool) -> Res<Path> {
        let mut root = Root::Plain;
        let mut segments: Vec<Segment> = Vec::new();
        // The name of an `impl Trait` parameter is its source text, where paths can be written so.
        if !value {
            self.eat("::");
        }
        if self.peek() == Some(b'<') && !self.at_root_impl() {
            self.pos += 1;
            let self_ty = Box::new(self.ty()?);
            let trait_ = if self.eat(" as ") {
                Some(Box::new(self.path(false)?))
            } else {
                None
            };
            self.expect(">")?;
            root = Root::Qualified { self_ty, trait_ };
            if !self.eat("::") {
                return Err(self.fail("expected `::`"));
            }
        }
        loop {
            let name = self.segment_name()?;
            let mut seg = Segment {
                name,
                args: Vec::new(),
                lifetimes: Lifetimes(0),
                parenthesized: false,
            };
            if self.at("::<") && !self.at_impl_segment(&seg) {
                self.pos += 3;
                self.generic_args(&mut seg)?;
            } else if !value && self.peek() == Some(b'<') {
                self.pos += 1;
                self.generic_args(&mut seg)?;
            } else if !value
                && self.peek() == Some(b'(')
                && matches!(&seg.name, SegmentName::Ident(n) if is_fn_trait(n))
            {
                self.pos += 1;
                let (inputs, _) = self.fn_inputs()?;
                seg.parenthesized = true;
                seg.args.push(GenericArg::Type(Ty::Tuple(inputs)));
                if self.eat(" -> ") {
                    let out = GenericArg::Type(self.ty()?);
                    seg.args
                        .push(GenericArg::Binding(Path::ident("Output"), Box::new(out)));
                }
            }
            segments.push(seg);
            if self.at("::") && !self.at("::promoted[") {
                self.pos += 2;
            } else {
                return Ok(Path { root, segments });
            }
        }
    }

    fn segment_name(&mut self) -> Res<SegmentName> {
        let start = self.pos;
        match self.peek() {
            Some(b'{') => {
                self.pos += 1;
                let name_start = self.pos;
                while self
                    .peek()
                    .is_some_and(|b| is_ident(b) || b == b' ' || b == b':')
                {
                    self.pos += 1;
                }
                let name = self.src[name_start..self.pos].to_string();
                if name.is_empty() || !self.eat("#") {
                    return Err(self.fail_at(start, "expected a path"));
                }
                let n = self.u32()?;
                self.expect("}")?;
                Ok(SegmentName::Numbered(name, n))
            }
            Some(b'<') if self.at("<impl at ") => {
                self.pos += "<impl at ".len();
                let text_start = self.pos;
                let rest = self.rest();
                let n = rest
                    .find('>')
                    .ok_or_else(|| self.fail_at(start, "expected a path"))?;
                let span = self.span_of(&rest[..n], text_start)?;
                let span = span.ok_or_else(|| self.fail_at(start, "an impl without a position"))?;
                self.pos += n + 1;
                Ok(SegmentName::ImplAt(span))
            }
            Some(b'<') if self.at("<impl ") => {
                self.pos += "<impl ".len();
                let first = self.ty()?;
                let (self_ty, trait_) = if self.eat(" for ") {
                    let Ty::Path(p) = first else {
                        return Err(self.fail_at(start, "expected a trait before `for`"));
                    };
                    (self.ty()?, Some(Box::new(p)))
                } else {
                    (first, None)
                };
                self.expect(">")?;
                Ok(SegmentName::Impl {
                    self_ty: Box::new(self_ty),
                    trait_,
                })
            }
            // A field without a name, on the way to a constant in its type: `E::V::0::{constant#0}`.
            Some(b'0'..=b'9')
                if self.pos > 1 && self.src.as_bytes()[..self.pos].ends_with(b"::") =>
            {
                Ok(SegmentName::Ident(self.digits()?.to_string()))
            }
            _ => Ok(SegmentName::Ident(self.ident()?.to_string())),
        }
    }

    /// At `<impl …` that begins a path: `<impl at a.rs:1:2: 3:4>` and `<impl Tr for T>` are segments, `<impl Fn(u8) as Tr>` is a
    /// qualified path that starts from an anonymous parameter.
    fn at_root_impl(&self) -> bool {
        if !self.at("<impl ") {
            return false;
        }
        let c = Cursor::new(self.src, self.pos + 1);
        let Some(close) = c.find_close() else {
            return true;
        };
        self.at("<impl at ") || !self.src[c.pos..close].contains(" as ")
    }

    /// At `::<impl …`: is it a path segment (`core::slice::<impl [T]>::len`), not a generic argument
    /// (`map::<impl Fn(u32)>`)? An impl's segment is followed by an item's name, and stands behind a module.
    fn at_impl_segment(&self, before: &Segment) -> bool {
        if !self.at("::<impl ") {
            return false;
        }
        if self.at("::<impl at ") {
            return true;
        }
        let mut c = Cursor::new(self.src, self.pos + "::<".len());
        let Some(close) = c.find_close() else {
            return false;
        };
        let text = &self.src[c.pos..close];
        c.pos = close + 1;
        let item_follows = c.at("::") && c.peek_at(2).is_some_and(is_ident_start);
        let behind_module = matches!(&before.name, SegmentName::Ident(n)
            if n.trim_start_matches("r#").bytes().all(|b| !b.is_ascii_uppercase()));
        item_follows && behind_module || text.contains(" for ") && !text.contains("for<")
    }

    /// Up to and with the closing `>`.
    fn generic_args(&mut self, seg: &mut Segment) -> Res<()> {
        if self.eat(">") {
            return Ok(());
        }
        loop {
            if self.peek() == Some(b'\'') && !self.at_char_literal() {
                self.skip_lifetime();
                seg.lifetimes.0 = seg.lifetimes.0.saturating_add(1);
            } else {
                let arg = self.generic_arg()?;
                seg.args.push(arg);
            }
            if self.eat(">") {
                return Ok(());
            }
            self.expect(", ")?;
        }
    }

    fn at_char_literal(&self) -> bool {
        let mut chars = self.rest().chars();
        chars.next();
        match chars.next() {
            Some('\\') => true,
            Some(_) => chars.next() == Some('\''),
            None => false,
        }
    }

    fn generic_arg(&mut self) -> Res<GenericArg> {
        if let Some(c) = self.literal_const()? {
            return Ok(GenericArg::Const(c));
        }
        let start = self.pos;
        if self.peek() == Some(b'{') && !self.at_closure() {
            return Ok(GenericArg::Const(self.braced_source()?));
        }
        let t = self.ty()?;
        if self.eat(" = ") {
            let p = match t {
                Ty::Path(p) | Ty::Projection(p) => p,
                _ => return Err(self.fail_at(start, "expected the name of an associated item")),
            };
            return Ok(GenericArg::Binding(
                p,
                Box::new(self.nested(|c| c.generic_arg())?),
            ));
        }
        Ok(GenericArg::Type(t))
    }

    /// `{closure@`, `{async block@`, …
    fn at_closure(&self) -> bool {
        let rest = &self.src.as_bytes()[(self.pos + 1).min(self.src.len())..];
        let n = rest
            .iter()
            .take_while(|b| b.is_ascii_lowercase() || **b == b' ')
            .count();
        n > 0 && rest.get(n) == Some(&b'@')
    }

    fn braced_source(&mut self) -> Res<ConstArg> {
        let start = self.pos;
        self.expect("{")?;
        self.balanced()?;
        self.expect("}")?;
        Ok(ConstArg::Source(self.src[start..self.pos].to_string()))
    }

    /// A number, `true`, `'c'` or `"…"`, if one is there.
    fn literal_const(&mut self) -> Res<Option<ConstArg>> {
        Ok(Some(match self.peek() {
            Some(b) if b.is_ascii_digit() => {
                let n = self.u128()?;
                self.int_suffix();
                ConstArg::Uint(n)
            }
            Some(b'-') if self.peek_at(1).is_some_and(|b| b.is_ascii_digit()) => {
                let start = self.pos;
                self.pos += 1;
                self.digits()?;
                let n = self.src[start..self.pos].parse();
                let n = n.map_err(|_| self.fail_at(start, "number out of range"))?;
                self.int_suffix();
                ConstArg::NegInt(n)
            }
            Some(b'\'') if self.at_char_literal() => ConstArg::Char(self.char_literal()?),
            Some(b'"') => ConstArg::Str(self.string()?),
            Some(b't') if self.at_word("true") => {
                self.pos += 4;
                ConstArg::Bool(true)
            }
            Some(b'f') if self.at_word("false") => {
                self.pos += 5;
                ConstArg::Bool(false)
            }
            _ => return Ok(None),
        }))
    }

    fn int_suffix(&mut self) {
        if self.peek() == Some(b'_') {
            let pos = self.pos;
            self.pos += 1;
            if !self
                .ident()
                .is_ok_and(|s| matches!(primitive(s), Some(Ty::Int(_) | Ty::Uint(_))))
            {
                self.pos = pos;
            }
        }
    }

    /// An array's length, up to the `]`. What is neither a number nor a path is source text.
    pub fn array_len(&mut self) -> Res<ConstArg> {
        let simple = self.attempt(|c| {
            let n = match c.literal_const()? {
                Some(n) => n,
                None if c.at("_]") => {
                    c.pos += 1;
                    ConstArg::Infer
                }
                None => ConstArg::Path(c.path(true)?),
            };
            if c.at("]") { Ok(n) } else { Err(c.fail("")) }
        });
        match simple {
            Some(n) => Ok(n),
            None => Ok(ConstArg::Source(self.balanced()?.to_string())),
        }
    }
}

fn is_fn_trait(n: &str) -> bool {
    matches!(
        n,
        "Fn" | "FnMut" | "FnOnce" | "AsyncFn" | "AsyncFnMut" | "AsyncFnOnce"
    )
}

pub(crate) fn primitive(name: &str) -> Option<Ty> {
    Some(match name {
        "bool" => Ty::Bool,
        "char" => Ty::Char,
        "str" => Ty::Str,
        "i8" => Ty::Int(IntTy::I8),
        "i16" => Ty::Int(IntTy::I16),
        "i32" => Ty::Int(IntTy::I32),
        "i64" => Ty::Int(IntTy::I64),
        "i128" => Ty::Int(IntTy::I128),
        "isize" => Ty::Int(IntTy::Isize),
        "u8" => Ty::Uint(UintTy::U8),
        "u16" => Ty::Uint(UintTy::U16),
        "u32" => Ty::Uint(UintTy::U32),
        "u64" => Ty::Uint(UintTy::U64),
        "u128" => Ty::Uint(UintTy::U128),
        "usize" => Ty::Uint(UintTy::Usize),
        "f16" => Ty::Float(FloatTy::F16),
        "f32" => Ty::Float(FloatTy::F32),
        "f64" => Ty::Float(FloatTy::F64),
        "f128" => Ty::Float(FloatTy::F128),
        _ => return None,
    })
}
