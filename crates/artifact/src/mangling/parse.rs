//! Symbol to [`Path`]. How deep a symbol may nest and how much it may grow when its back references are expanded is
//! bounded: a hostile one could refer to what encloses the reference, or grow exponentially.

use super::ManglingError;
use super::ast::*;

type R<T> = Result<T, ManglingError>;

/// Nesting of real symbols stays far below; the parser's stack frames stay small.
const MAX_DEPTH: u32 = 192;
/// Nodes after expansion.
const MAX_NODES: u32 = 1 << 16;

/// The path of a symbol. The instantiating crate and the vendor's suffix are checked and dropped.
pub(super) fn symbol(s: &str) -> R<Path> {
    // Mach-O puts an underscore before every symbol.
    let body = s.strip_prefix("_R").or_else(|| s.strip_prefix("__R"));
    let not_v0 = || ManglingError::NotV0 {
        symbol: s.chars().take(80).collect(),
    };
    let body = body.ok_or_else(not_v0)?;
    if !body.is_ascii() || !body.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Err(not_v0());
    }
    let mut p = Parser {
        bytes: body.as_bytes(),
        at: 0,
        depth: 0,
        nodes: 0,
    };
    let path = p.path()?;
    if p.peek().is_some_and(|b| b.is_ascii_uppercase()) {
        p.path()?;
    }
    match p.peek() {
        None | Some(b'.' | b'$') => Ok(path),
        Some(_) => p.expected("the end or a suffix"),
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: u32,
    nodes: u32,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
    fn next(&mut self, expected: &'static str) -> R<u8> {
        let Some(b) = self.peek() else {
            return self.expected(expected);
        };
        self.at += 1;
        Ok(b)
    }
    fn eat(&mut self, b: u8) -> bool {
        let hit = self.peek() == Some(b);
        self.at += hit as usize;
        hit
    }
    fn expected<T>(&self, expected: &'static str) -> R<T> {
        Err(ManglingError::Syntax {
            at: self.at + 2,
            expected,
        })
    }

    /// One level deeper, one node more.
    fn node<T>(&mut self, f: impl FnOnce(&mut Self) -> R<T>) -> R<T> {
        self.depth += 1;
        self.nodes += 1;
        if self.depth > MAX_DEPTH {
            return Err(ManglingError::TooLarge {
                what: "nested too deeply",
            });
        }
        if self.nodes > MAX_NODES {
            return Err(ManglingError::TooLarge {
                what: "too long when its back references are expanded",
            });
        }
        let out = f(self);
        self.depth -= 1;
        out
    }

    /// `B` was read: parse `f` at the earlier place that it names.
    fn backref<T>(&mut self, f: impl FnOnce(&mut Self) -> R<T>) -> R<T> {
        let here = self.at - 1;
        let target = self.base62()?;
        if target >= here as u64 {
            return self.expected("a back reference to an earlier place");
        }
        let after = std::mem::replace(&mut self.at, target as usize);
        let out = f(self)?;
        self.at = after;
        Ok(out)
    }

    fn list<T>(&mut self, mut f: impl FnMut(&mut Self) -> R<T>) -> R<Vec<T>> {
        let mut out = Vec::new();
        while !self.eat(b'E') {
            out.push(f(self)?);
        }
        Ok(out)
    }

    /// `_` is 0, `0_` is 1, …
    fn base62(&mut self) -> R<u64> {
        if self.eat(b'_') {
            return Ok(0);
        }
        let mut value: u64 = 0;
        loop {
            let digit = match self.next("a base-62 number")? {
                b'_' => break,
                d @ b'0'..=b'9' => d - b'0',
                d @ b'a'..=b'z' => d - b'a' + 10,
                d @ b'A'..=b'Z' => d - b'A' + 36,
                _ => return self.expected("a base-62 number"),
            };
            let next = value
                .checked_mul(62)
                .and_then(|v| v.checked_add(digit.into()));
            let Some(next) = next else {
                return self.expected("a base-62 number of 64 bits");
            };
            value = next;
        }
        match value.checked_add(1) {
            Some(v) => Ok(v),
            None => self.expected("a base-62 number of 64 bits"),
        }
    }

    /// Absent is 0, `s_` is 1, `s0_` is 2, …
    fn optional_base62(&mut self, tag: u8) -> R<u64> {
        if !self.eat(tag) {
            return Ok(0);
        }
        let value = self.base62()?;
        match value.checked_add(1) {
            Some(v) => Ok(v),
            None => self.expected("a base-62 number of 64 bits"),
        }
    }

    fn disambiguator(&mut self) -> R<u64> {
        self.optional_base62(b's')
    }

    fn ident(&mut self) -> R<Ident> {
        let punycode = self.eat(b'u');
        let mut len = match self.next("the length of an identifier")? {
            d @ b'0'..=b'9' => (d - b'0') as usize,
            _ => return self.expected("the length of an identifier"),
        };
        while len != 0 {
            let Some(d @ b'0'..=b'9') = self.peek() else {
                break;
            };
            self.at += 1;
            len = len.saturating_mul(10).saturating_add((d - b'0') as usize);
        }
        self.eat(b'_');
        let left = self.bytes.get(self.at..).unwrap_or_default();
        let Some(bytes) = left.get(..len) else {
            return self.expected("the bytes of an identifier");
        };
        // The symbol is ASCII, checked at the start.
        let bytes = String::from_utf8_lossy(bytes).into_owned();
        self.at += len;
        Ok(Ident { punycode, bytes })
    }

    fn path(&mut self) -> R<Path> {
        self.node(|p| match p.next("a path")? {
            b'C' => Ok(Path::Crate {
                dis: p.disambiguator()?,
                name: p.ident()?,
            }),
            b'M' => Ok(Path::Inherent {
                impl_path: p.impl_path()?,
                ty: p.ty()?,
            }),
            b'X' => Ok(Path::TraitImpl {
                impl_path: p.impl_path()?,
                ty: p.ty()?,
                tr: Box::new(p.path()?),
            }),
            b'Y' => Ok(Path::TraitDef {
                ty: p.ty()?,
                tr: Box::new(p.path()?),
            }),
            b'N' => {
                let ns = p.next("a namespace")?;
                if !ns.is_ascii_alphabetic() {
                    return p.expected("a namespace");
                }
                let parent = Box::new(p.path()?);
                Ok(Path::Nested {
                    ns,
                    parent,
                    dis: p.disambiguator()?,
                    name: p.ident()?,
                })
            }
            b'I' => Ok(Path::Generic {
                path: Box::new(p.path()?),
                args: p.list(Self::generic_arg)?,
            }),
            b'B' => p.backref(Self::path),
            _ => p.expected("a path"),
        })
    }

    fn impl_path(&mut self) -> R<ImplPath> {
        Ok(ImplPath {
            dis: self.disambiguator()?,
            path: Box::new(self.path()?),
        })
    }

    fn generic_arg(&mut self) -> R<Arg> {
        if self.eat(b'L') {
            Ok(Arg::Lifetime(self.base62()?))
        } else if self.eat(b'K') {
            Ok(Arg::Const(self.constant()?))
        } else {
            Ok(Arg::Type(self.ty()?))
        }
    }

    fn ty(&mut self) -> R<Type> {
        self.node(|p| match p.next("a type")? {
            b @ (b'a'..=b'f' | b'h'..=b'j' | b'l'..=b'p' | b's'..=b'v' | b'x'..=b'z') => {
                Ok(Type::Basic(b))
            }
            b'A' => Ok(Type::Array(Box::new(p.ty()?), p.constant()?)),
            b'S' => Ok(Type::Slice(Box::new(p.ty()?))),
            b'T' => Ok(Type::Tuple(p.list(Self::ty)?)),
            tag @ (b'R' | b'Q') => {
                let lifetime = if p.eat(b'L') { Some(p.base62()?) } else { None };
                Ok(Type::Ref {
                    tag,
                    lifetime,
                    ty: Box::new(p.ty()?),
                })
            }
            tag @ (b'P' | b'O') => Ok(Type::Ptr {
                tag,
                ty: Box::new(p.ty()?),
            }),
            b'F' => Ok(Type::Fn(Box::new(p.fn_sig()?))),
            b'D' => {
                let binder = p.optional_base62(b'G')?;
                let traits = p.list(Self::dyn_trait)?;
                if !p.eat(b'L') {
                    return p.expected("the lifetime of a trait object");
                }
                Ok(Type::Dyn {
                    binder,
                    traits,
                    lifetime: p.base62()?,
                })
            }
            b'W' => Ok(Type::Pattern(Box::new(p.ty()?), p.pattern()?)),
            b'B' => p.backref(Self::ty),
            b'C' | b'M' | b'X' | b'Y' | b'N' | b'I' => {
                p.at -= 1;
                Ok(Type::Path(Box::new(p.path()?)))
            }
            _ => {
                p.at -= 1;
                p.expected("a type")
            }
        })
    }

    fn fn_sig(&mut self) -> R<FnSig> {
        let binder = self.optional_base62(b'G')?;
        let unsafety = self.eat(b'U');
        let abi = match self.eat(b'K') {
            false => None,
            true if self.eat(b'C') => Some(Abi::C),
            true => Some(Abi::Named(self.ident()?)),
        };
        Ok(FnSig {
            binder,
            unsafety,
            abi,
            inputs: self.list(Self::ty)?,
            output: self.ty()?,
        })
    }

    fn dyn_trait(&mut self) -> R<DynTrait> {
        let path = self.path()?;
        let mut bindings = Vec::new();
        while self.eat(b'p') {
            let name = self.ident()?;
            let term = if self.eat(b'K') {
                Term::Const(self.constant()?)
            } else {
                Term::Type(self.ty()?)
            };
            bindings.push((name, term));
        }
        Ok(DynTrait { path, bindings })
    }

    fn pattern(&mut self) -> R<Pattern> {
        self.node(|p| match p.next("a pattern")? {
            b'R' => Ok(Pattern::Range(p.constant()?, p.constant()?)),
            b'O' => Ok(Pattern::Or(p.list(Self::pattern)?)),
            b'N' => Ok(Pattern::NotNull),
            _ => p.expected("a pattern"),
        })
    }

    fn constant(&mut self) -> R<Const> {
        self.node(|p| match p.next("a constant")? {
            b'p' => Ok(Const::Placeholder),
            b'e' => Ok(Const::Str(p.hex()?)),
            ty @ (b'a' | b's' | b'l' | b'x' | b'n' | b'i') => {
                let negative = p.eat(b'n');
                Ok(Const::Value {
                    ty,
                    negative,
                    hex: p.hex()?,
                })
            }
            ty @ (b'h' | b't' | b'm' | b'y' | b'o' | b'j' | b'b' | b'c') => Ok(Const::Value {
                ty,
                negative: false,
                hex: p.hex()?,
            }),
            tag @ (b'R' | b'Q') => Ok(Const::Ref {
                tag,
                value: Box::new(p.constant()?),
            }),
            b'A' => Ok(Const::Array(p.list(Self::constant)?)),
            b'T' => Ok(Const::Tuple(p.list(Self::constant)?)),
            b'V' => {
                let path = Box::new(p.path()?);
                let fields = match p.next("the fields of a constant")? {
                    b'U' => Fields::Unit,
                    b'T' => Fields::Tuple(p.list(Self::constant)?),
                    b'S' => Fields::Named(
                        p.list(|p| Ok((p.disambiguator()?, p.ident()?, p.constant()?)))?,
                    ),
                    _ => return p.expected("the fields of a constant"),
                };
                Ok(Const::Adt { path, fields })
            }
            b'B' => p.backref(Self::constant),
            _ => p.expected("a constant"),
        })
    }

    fn hex(&mut self) -> R<String> {
        let start = self.at;
        loop {
            match self.next("hexadecimal digits")? {
                b'_' => break,
                b'0'..=b'9' | b'a'..=b'f' => {}
                _ => return self.expected("hexadecimal digits"),
            }
        }
        let digits = self.bytes.get(start..self.at - 1).unwrap_or_default();
        Ok(String::from_utf8_lossy(digits).into_owned())
    }
}
