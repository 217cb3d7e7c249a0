//! Places and operands.

use super::cursor::{Cursor, Res, is_ident};
use crate::ast::*;
use crate::ty::Ty;

impl<'a> Cursor<'a> {
    pub fn at_local(&self) -> bool {
        self.peek() == Some(b'_') && self.peek_at(1).is_some_and(|b| b.is_ascii_digit())
    }

    pub fn local(&mut self) -> Res<Local> {
        if !self.at_local() {
            return Err(self.fail("expected a local, `_1`"));
        }
        self.pos += 1;
        Ok(Local(self.u32()?))
    }

    pub fn block(&mut self) -> Res<BlockId> {
        self.expect("bb")?;
        Ok(BlockId(self.u32()?))
    }

    /// Places are printed inside out: every projection but indexing puts a parenthesis before the whole.
    pub fn place(&mut self) -> Res<Place> {
        self.nested(|c| c.place_inner())
    }

    fn place_inner(&mut self) -> Res<Place> {
        let mut place = if self.eat("unwrap_binder!(") {
            let mut p = self.place()?;
            self.expect("; ")?;
            let t = self.ty()?;
            self.expect(")")?;
            p.projection.push(Projection::UnwrapUnsafeBinder(t));
            p
        } else if self.eat("(*") {
            let mut p = self.place()?;
            self.expect(")")?;
            p.projection.push(Projection::Deref);
            p
        } else if self.eat("(") {
            let mut p = self.place()?;
            let elem = self.named_projection()?;
            self.expect(")")?;
            p.projection.push(elem);
            p
        } else {
            Place {
                local: self.local()?,
                projection: Vec::new(),
            }
        };
        while self.peek() == Some(b'[') {
            let elem = self.index()?;
            place.projection.push(elem);
        }
        Ok(place)
    }

    /// `.0: T`, ` as Some`, ` as variant#1`, ` as subtype T`
    pub fn named_projection(&mut self) -> Res<Projection> {
        if self.eat(".") {
            let n = self.u32()?;
            self.expect(": ")?;
            return Ok(Projection::Field(n, self.ty()?));
        }
        if self.eat(" as subtype ") {
            return Ok(Projection::Subtype(self.ty()?));
        }
        if self.eat(" as variant#") {
            return Ok(Projection::Downcast(Variant::Index(self.u32()?)));
        }
        if self.eat(" as ") {
            let t = self.ty()?;
            return Ok(match t {
                Ty::Path(p) if p.as_single_ident().is_some() => Projection::Downcast(
                    Variant::Name(p.as_single_ident().unwrap_or("").to_string()),
                ),
                t => match single_word(&t) {
                    Some(w) => Projection::Downcast(Variant::Name(w)),
                    None => Projection::OpaqueCast(t),
                },
            });
        }
        Err(self.fail("expected a field or variant"))
    }

    /// `[_1]`, `[0 of 1]`, `[-1 of 2]`, `[1..3]`, `[1:]`, `[:-1]`, `[1:-2]`
    fn index(&mut self) -> Res<Projection> {
        self.expect("[")?;
        let elem = if self.at_local() {
            Projection::Index(self.local()?)
        } else if self.eat(":-") {
            Projection::Subslice {
                from: 0,
                to: self.u64()?,
                from_end: true,
            }
        } else if self.eat("-") {
            let offset = self.u64()?;
            self.expect(" of ")?;
            Projection::ConstantIndex {
                offset,
                min_length: self.u64()?,
                from_end: true,
            }
        } else {
            let from = self.u64()?;
            if self.eat(" of ") {
                Projection::ConstantIndex {
                    offset: from,
                    min_length: self.u64()?,
                    from_end: false,
                }
            } else if self.eat("..") {
                Projection::Subslice {
                    from,
                    to: self.u64()?,
                    from_end: false,
                }
            } else if self.eat(":-") {
                Projection::Subslice {
                    from,
                    to: self.u64()?,
                    from_end: true,
                }
            } else if self.eat(":") {
                Projection::Subslice {
                    from,
                    to: 0,
                    from_end: true,
                }
            } else {
                return Err(self.fail("expected an index"));
            }
        };
        self.expect("]")?;
        Ok(elem)
    }

    /// `copy p`, `move p`, `const c`, `RuntimeChecks(..)`, or a function item's path.
    pub fn operand(&mut self) -> Res<Operand> {
        if let Some(op) = self.marked_operand()? {
            return Ok(op);
        }
        let start = self.pos;
        let path = self.path(true)?;
        Ok(Operand::Const(self.fn_const(path, start)))
    }

    /// An operand that begins with a word that says so.
    pub fn marked_operand(&mut self) -> Res<Option<Operand>> {
        if self.at("copy _") || self.at("copy (") || self.at("copy unwrap_binder!(") {
            self.pos += 5;
            return Ok(Some(Operand::Copy(self.place()?)));
        }
        if self.at("move _") || self.at("move (") || self.at("move unwrap_binder!(") {
            self.pos += 5;
            return Ok(Some(Operand::Move(self.place()?)));
        }
        if self.eat("const ") {
            return Ok(Some(Operand::Const(self.constant()?)));
        }
        for (text, what) in [
            ("RuntimeChecks(UbChecks)", RuntimeChecks::UbChecks),
            (
                "RuntimeChecks(ContractChecks)",
                RuntimeChecks::ContractChecks,
            ),
            (
                "RuntimeChecks(OverflowChecks)",
                RuntimeChecks::OverflowChecks,
            ),
        ] {
            if self.eat(text) {
                return Ok(Some(Operand::RuntimeChecks(what)));
            }
        }
        Ok(None)
    }

    /// Operands up to and with `close`.
    pub fn operands(&mut self, close: &'static str) -> Res<Vec<Operand>> {
        let mut out = Vec::new();
        if self.eat(close) {
            return Ok(out);
        }
        loop {
            out.push(self.operand()?);
            if self.eat(close) {
                return Ok(out);
            }
            self.expect(",")?;
            // A tuple of one: `(copy _1,)`.
            if self.eat(close) {
                return Ok(out);
            }
            self.expect(" ")?;
        }
    }
}

/// A variant can be named like a primitive type.
fn single_word(t: &Ty) -> Option<String> {
    let s = match t {
        Ty::Bool | Ty::Char | Ty::Str | Ty::Int(_) | Ty::Uint(_) | Ty::Float(_) => t.to_string(),
        _ => return None,
    };
    s.bytes().all(is_ident).then_some(s)
}
