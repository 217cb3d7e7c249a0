//! The printers: the mangled form without back references, and the form for people.

use super::ast::*;
use std::fmt::Write;

/// The symbol written anew, crates with their disambiguators or without.
pub(super) fn mangled(path: &Path, crate_disambiguators: bool) -> String {
    let mut m = Mangler {
        out: "_R".to_owned(),
        crate_disambiguators,
    };
    m.path(path);
    m.out
}

struct Mangler {
    out: String,
    crate_disambiguators: bool,
}

impl Mangler {
    fn tag(&mut self, tag: u8) {
        self.out.push(tag as char);
    }
    fn base62(&mut self, value: u64) {
        if let Some(mut rest) = value.checked_sub(1) {
            const DIGITS: &[u8; 62] =
                b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
            let mut digits = Vec::new();
            loop {
                digits.push(DIGITS[(rest % 62) as usize]);
                rest /= 62;
                if rest == 0 {
                    break;
                }
            }
            self.out.extend(digits.iter().rev().map(|&d| d as char));
        }
        self.out.push('_');
    }
    fn optional_base62(&mut self, tag: u8, value: u64) {
        if let Some(rest) = value.checked_sub(1) {
            self.tag(tag);
            self.base62(rest);
        }
    }
    fn ident(&mut self, ident: &Ident) {
        if ident.punycode {
            self.tag(b'u');
        }
        let _ = write!(self.out, "{}", ident.bytes.len());
        if ident
            .bytes
            .starts_with(|c: char| c == '_' || c.is_ascii_digit())
        {
            self.out.push('_');
        }
        self.out.push_str(&ident.bytes);
    }
    fn list<T>(&mut self, items: &[T], mut f: impl FnMut(&mut Self, &T)) {
        for item in items {
            f(self, item);
        }
        self.tag(b'E');
    }

    fn path(&mut self, path: &Path) {
        match path {
            Path::Crate { dis, name } => {
                self.tag(b'C');
                if self.crate_disambiguators {
                    self.optional_base62(b's', *dis);
                }
                self.ident(name);
            }
            Path::Inherent { impl_path, ty } => {
                self.tag(b'M');
                self.impl_path(impl_path);
                self.ty(ty);
            }
            Path::TraitImpl { impl_path, ty, tr } => {
                self.tag(b'X');
                self.impl_path(impl_path);
                self.ty(ty);
                self.path(tr);
            }
            Path::TraitDef { ty, tr } => {
                self.tag(b'Y');
                self.ty(ty);
                self.path(tr);
            }
            Path::Nested {
                ns,
                parent,
                dis,
                name,
            } => {
                self.tag(b'N');
                self.tag(*ns);
                self.path(parent);
                self.optional_base62(b's', *dis);
                self.ident(name);
            }
            Path::Generic { path, args } => {
                self.tag(b'I');
                self.path(path);
                self.list(args, |m, arg| match arg {
                    Arg::Lifetime(l) => {
                        m.tag(b'L');
                        m.base62(*l);
                    }
                    Arg::Type(ty) => m.ty(ty),
                    Arg::Const(c) => {
                        m.tag(b'K');
                        m.constant(c);
                    }
                });
            }
        }
    }

    fn impl_path(&mut self, impl_path: &ImplPath) {
        self.optional_base62(b's', impl_path.dis);
        self.path(&impl_path.path);
    }

    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Basic(b) => self.tag(*b),
            Type::Path(path) => self.path(path),
            Type::Array(ty, len) => {
                self.tag(b'A');
                self.ty(ty);
                self.constant(len);
            }
            Type::Slice(ty) => {
                self.tag(b'S');
                self.ty(ty);
            }
            Type::Tuple(items) => {
                self.tag(b'T');
                self.list(items, Self::ty);
            }
            Type::Ref { tag, lifetime, ty } => {
                self.tag(*tag);
                if let Some(l) = lifetime {
                    self.tag(b'L');
                    self.base62(*l);
                }
                self.ty(ty);
            }
            Type::Ptr { tag, ty } => {
                self.tag(*tag);
                self.ty(ty);
            }
            Type::Fn(sig) => {
                self.tag(b'F');
                self.optional_base62(b'G', sig.binder);
                if sig.unsafety {
                    self.tag(b'U');
                }
                match &sig.abi {
                    None => {}
                    Some(Abi::C) => self.out.push_str("KC"),
                    Some(Abi::Named(name)) => {
                        self.tag(b'K');
                        self.ident(name);
                    }
                }
                self.list(&sig.inputs, Self::ty);
                self.ty(&sig.output);
            }
            Type::Dyn {
                binder,
                traits,
                lifetime,
            } => {
                self.tag(b'D');
                self.optional_base62(b'G', *binder);
                self.list(traits, |m, t| {
                    m.path(&t.path);
                    for (name, term) in &t.bindings {
                        m.tag(b'p');
                        m.ident(name);
                        match term {
                            Term::Type(ty) => m.ty(ty),
                            Term::Const(c) => {
                                m.tag(b'K');
                                m.constant(c);
                            }
                        }
                    }
                });
                self.tag(b'L');
                self.base62(*lifetime);
            }
            Type::Pattern(ty, pattern) => {
                self.tag(b'W');
                self.ty(ty);
                self.pattern(pattern);
            }
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Range(start, end) => {
                self.tag(b'R');
                self.constant(start);
                self.constant(end);
            }
            Pattern::Or(patterns) => {
                self.tag(b'O');
                self.list(patterns, Self::pattern);
            }
            Pattern::NotNull => self.tag(b'N'),
        }
    }

    fn constant(&mut self, c: &Const) {
        match c {
            Const::Placeholder => self.tag(b'p'),
            Const::Value { ty, negative, hex } => {
                self.tag(*ty);
                if *negative {
                    self.tag(b'n');
                }
                self.out.push_str(hex);
                self.out.push('_');
            }
            Const::Str(hex) => {
                self.tag(b'e');
                self.out.push_str(hex);
                self.out.push('_');
            }
            Const::Ref { tag, value } => {
                self.tag(*tag);
                self.constant(value);
            }
            Const::Array(items) => {
                self.tag(b'A');
                self.list(items, Self::constant);
            }
            Const::Tuple(items) => {
                self.tag(b'T');
                self.list(items, Self::constant);
            }
            Const::Adt { path, fields } => {
                self.tag(b'V');
                self.path(path);
                match fields {
                    Fields::Unit => self.tag(b'U'),
                    Fields::Tuple(items) => {
                        self.tag(b'T');
                        self.list(items, Self::constant);
                    }
                    Fields::Named(items) => {
                        self.tag(b'S');
                        self.list(items, |m, (dis, name, c)| {
                            m.optional_base62(b's', *dis);
                            m.ident(name);
                            m.constant(c);
                        });
                    }
                }
            }
        }
    }
}

/// The symbol for people, in `rustc-demangle`'s words without the hashes.
pub(super) fn pretty(path: &Path) -> String {
    let mut p = Pretty {
        out: String::new(),
        bound: 0,
    };
    p.path(path, true);
    p.out
}

struct Pretty {
    out: String,
    /// Lifetimes bound so far, for the names `'a`, `'b`, …
    bound: u64,
}

impl Pretty {
    fn s(&mut self, s: &str) {
        self.out.push_str(s);
    }
    fn ident(&mut self, ident: &Ident) {
        match ident.punycode.then(|| punycode(&ident.bytes)).flatten() {
            Some(decoded) => self.s(&decoded),
            None => self.s(&ident.bytes),
        }
    }
    fn comma<T>(&mut self, items: &[T], mut f: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.s(", ");
            }
            f(self, item);
        }
    }
    fn lifetime(&mut self, index: u64) {
        match index.checked_sub(1) {
            None => self.s("'_"),
            Some(_) => match self.bound.checked_sub(index) {
                Some(depth @ 0..26) => {
                    self.out.push('\'');
                    self.out.push((b'a' + depth as u8) as char);
                }
                Some(depth) => {
                    let _ = write!(self.out, "'_{depth}");
                }
                None => self.s("'_"),
            },
        }
    }
    fn bound(&mut self, binder: u64, f: impl FnOnce(&mut Self)) {
        let before = self.bound;
        if binder > 0 {
            self.s("for<");
            for i in 0..binder.min(64) {
                if i > 0 {
                    self.s(", ");
                }
                self.bound = self.bound.saturating_add(1);
                self.lifetime(1);
            }
            self.s("> ");
        }
        f(self);
        self.bound = before;
    }

    fn path(&mut self, path: &Path, value: bool) {
        match path {
            Path::Crate { name, .. } => self.ident(name),
            Path::Inherent { ty, .. } => {
                self.s("<");
                self.ty(ty);
                self.s(">");
            }
            Path::TraitImpl { ty, tr, .. } | Path::TraitDef { ty, tr } => {
                self.s("<");
                self.ty(ty);
                self.s(" as ");
                self.path(tr, false);
                self.s(">");
            }
            Path::Nested {
                ns,
                parent,
                dis,
                name,
            } => {
                self.path(parent, value);
                self.s("::");
                if ns.is_ascii_uppercase() {
                    let kind = match ns {
                        b'C' => "closure".to_owned(),
                        b'S' => "shim".to_owned(),
                        other => (*other as char).to_string(),
                    };
                    self.s("{");
                    self.s(&kind);
                    if !name.bytes.is_empty() {
                        self.s(":");
                        self.ident(name);
                    }
                    let _ = write!(self.out, "#{dis}}}");
                } else {
                    self.ident(name);
                }
            }
            Path::Generic { path, args } => {
                self.path(path, value);
                self.s(if value { "::<" } else { "<" });
                self.comma(args, |p, arg| match arg {
                    Arg::Lifetime(l) => p.lifetime(*l),
                    Arg::Type(ty) => p.ty(ty),
                    Arg::Const(c) => p.constant(c),
                });
                self.s(">");
            }
        }
    }

    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Basic(b) => self.s(basic(*b)),
            Type::Path(path) => self.path(path, false),
            Type::Array(ty, len) => {
                self.s("[");
                self.ty(ty);
                self.s("; ");
                self.constant(len);
                self.s("]");
            }
            Type::Slice(ty) => {
                self.s("[");
                self.ty(ty);
                self.s("]");
            }
            Type::Tuple(items) => {
                self.s("(");
                self.comma(items, Self::ty);
                self.s(if items.len() == 1 { ",)" } else { ")" });
            }
            Type::Ref { tag, lifetime, ty } => {
                self.s("&");
                if let Some(l) = lifetime.filter(|l| *l != 0) {
                    self.lifetime(l);
                    self.s(" ");
                }
                self.s(if *tag == b'Q' { "mut " } else { "" });
                self.ty(ty);
            }
            Type::Ptr { tag, ty } => {
                self.s(if *tag == b'O' { "*mut " } else { "*const " });
                self.ty(ty);
            }
            Type::Fn(sig) => self.bound(sig.binder, |p| {
                p.s(if sig.unsafety { "unsafe " } else { "" });
                match &sig.abi {
                    None => {}
                    Some(Abi::C) => p.s("extern \"C\" "),
                    Some(Abi::Named(name)) => {
                        let _ = write!(p.out, "extern \"{}\" ", name.bytes.replace('_', "-"));
                    }
                }
                p.s("fn(");
                p.comma(&sig.inputs, Self::ty);
                p.s(")");
                if !matches!(sig.output, Type::Basic(b'u')) {
                    p.s(" -> ");
                    p.ty(&sig.output);
                }
            }),
            Type::Dyn {
                binder,
                traits,
                lifetime,
            } => {
                self.s("dyn ");
                self.bound(*binder, |p| {
                    for (i, t) in traits.iter().enumerate() {
                        if i > 0 {
                            p.s(" + ");
                        }
                        p.path(&t.path, false);
                        if !t.bindings.is_empty() {
                            // Inside the trait's own brackets when it has some.
                            let open =
                                p.out.ends_with('>') && matches!(t.path, Path::Generic { .. });
                            if open {
                                p.out.pop();
                                p.s(", ");
                            } else {
                                p.s("<");
                            }
                            p.comma(&t.bindings, |p, (name, term)| {
                                p.ident(name);
                                p.s(" = ");
                                match term {
                                    Term::Type(ty) => p.ty(ty),
                                    Term::Const(c) => p.constant(c),
                                }
                            });
                            p.s(">");
                        }
                    }
                });
                if *lifetime != 0 {
                    self.s(" + ");
                    self.lifetime(*lifetime);
                }
            }
            Type::Pattern(ty, pattern) => {
                self.ty(ty);
                self.s(" is ");
                self.pattern(pattern);
            }
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Range(start, end) => {
                self.constant(start);
                self.s("..=");
                self.constant(end);
            }
            Pattern::Or(patterns) => {
                for (i, pattern) in patterns.iter().enumerate() {
                    if i > 0 {
                        self.s(" | ");
                    }
                    self.pattern(pattern);
                }
            }
            Pattern::NotNull => self.s("!null"),
        }
    }

    fn constant(&mut self, c: &Const) {
        match c {
            Const::Placeholder => self.s("_"),
            Const::Value { ty: b'b', hex, .. } => self.s(if hex.bytes().all(|b| b == b'0') {
                "false"
            } else {
                "true"
            }),
            Const::Value { ty: b'c', hex, .. } => {
                let c = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
                let _ = match c {
                    Some(c) => write!(self.out, "{c:?}"),
                    None => write!(self.out, "char 0x{hex}"),
                };
            }
            Const::Value { negative, hex, .. } => {
                self.s(if *negative { "-" } else { "" });
                let digits = if hex.is_empty() { "0" } else { hex };
                let _ = match u128::from_str_radix(digits, 16) {
                    Ok(v) => write!(self.out, "{v}"),
                    Err(_) => write!(self.out, "0x{digits}"),
                };
            }
            Const::Str(hex) => {
                let nibble = |b: u8| (b as char).to_digit(16).unwrap_or(0) as u8;
                let bytes: Vec<u8> = hex
                    .as_bytes()
                    .chunks(2)
                    .map(|c| c.iter().fold(0, |v, b| v << 4 | nibble(*b)))
                    .collect();
                let _ = write!(self.out, "{:?}", String::from_utf8_lossy(&bytes));
            }
            Const::Ref { tag, value } => {
                self.s(if *tag == b'Q' { "&mut " } else { "&" });
                self.constant(value);
            }
            Const::Array(items) => {
                self.s("[");
                self.comma(items, Self::constant);
                self.s("]");
            }
            Const::Tuple(items) => {
                self.s("(");
                self.comma(items, Self::constant);
                self.s(if items.len() == 1 { ",)" } else { ")" });
            }
            Const::Adt { path, fields } => {
                self.path(path, true);
                match fields {
                    Fields::Unit => {}
                    Fields::Tuple(items) => {
                        self.s("(");
                        self.comma(items, Self::constant);
                        self.s(")");
                    }
                    Fields::Named(items) => {
                        self.s(" { ");
                        self.comma(items, |p, (_, name, c)| {
                            p.ident(name);
                            p.s(": ");
                            p.constant(c);
                        });
                        self.s(" }");
                    }
                }
            }
        }
    }
}

fn basic(b: u8) -> &'static str {
    match b {
        b'a' => "i8",
        b'b' => "bool",
        b'c' => "char",
        b'd' => "f64",
        b'e' => "str",
        b'f' => "f32",
        b'h' => "u8",
        b'i' => "isize",
        b'j' => "usize",
        b'l' => "i32",
        b'm' => "u32",
        b'n' => "i128",
        b'o' => "u128",
        b's' => "i16",
        b't' => "u16",
        b'u' => "()",
        b'v' => "...",
        b'x' => "i64",
        b'y' => "u64",
        b'z' => "!",
        _ => "_",
    }
}

/// RFC 3492 with `_` for `-`; `None` when the text is not valid.
fn punycode(text: &str) -> Option<String> {
    let (basic, extended) = text.rsplit_once('_').unwrap_or(("", text));
    let mut out: Vec<char> = basic.chars().collect();
    let (mut n, mut i, mut bias) = (128u32, 0u32, 72u32);
    let mut digits = extended.bytes();
    let mut first = true;
    while digits.len() > 0 {
        let before = i;
        let (mut weight, mut k) = (1u32, 36u32);
        loop {
            let digit = match digits.next()? {
                d @ b'a'..=b'z' => d - b'a',
                d @ b'0'..=b'9' => d - b'0' + 26,
                _ => return None,
            };
            i = i.checked_add(u32::from(digit).checked_mul(weight)?)?;
            let threshold = k.saturating_sub(bias).clamp(1, 26);
            if u32::from(digit) < threshold {
                break;
            }
            weight = weight.checked_mul(36 - threshold)?;
            k += 36;
        }
        let len = u32::try_from(out.len()).ok()?.checked_add(1)?;
        bias = adapt(i - before, len, first);
        first = false;
        n = n.checked_add(i / len)?;
        i %= len;
        out.insert(i as usize, char::from_u32(n)?);
        i += 1;
    }
    Some(out.into_iter().collect())
}

fn adapt(delta: u32, len: u32, first: bool) -> u32 {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta += delta / len;
    let mut k = 0;
    while delta > 455 {
        delta /= 35;
        k += 36;
    }
    k + 36 * delta / (delta + 38)
}
