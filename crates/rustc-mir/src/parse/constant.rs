//! Constants as operands.

use super::cursor::{Cursor, NoteValue, Res, is_ident, is_ident_start};
use super::ty::primitive;
use crate::ast::*;
use crate::ty::*;

impl<'a> Cursor<'a> {
    /// What stands after `const `.
    pub fn constant(&mut self) -> Res<Const> {
        let start = self.pos;
        let mut kind = self.const_kind()?;
        let text = &self.src[start..self.pos];
        let is_path = matches!(kind, ConstKind::Path(..) | ConstKind::Promoted(..));
        let note = match self.find_note(text) {
            Some(i) => Some(i),
            // A constant that is not evaluated is named in its comment by its definition, not as printed: by order.
            None if is_path => self
                .notes
                .iter()
                .position(|n| !n.used && !matches!(n.value, NoteValue::Value(_))),
            None => None,
        };
        let (mut ty, mut span) = (None, None);
        if let Some(note) = note.and_then(|i| self.notes.get_mut(i)) {
            note.used = true;
            ty = Some(note.ty.clone());
            span = note.span.clone();
            if let ConstKind::Path(_, what) = &mut kind {
                *what = match note.value {
                    NoteValue::Value(_) => PathConst::Value,
                    NoteValue::Unevaluated => PathConst::Unevaluated,
                    NoteValue::Param => PathConst::Param,
                };
            }
        }
        Ok(Const { kind, ty, span })
    }

    /// A function item: a path without `const`, whose comment must say that it is one.
    pub fn fn_const(&mut self, path: Path, start: usize) -> Const {
        let text = &self.src[start..self.pos];
        let note = self.find_note(text).and_then(|i| self.notes.get_mut(i));
        let (mut ty, mut span) = (None, None);
        if let Some(note) = note {
            note.used = true;
            ty = Some(note.ty.clone());
            span = note.span.clone();
        }
        Const {
            kind: ConstKind::Fn(path),
            ty,
            span,
        }
    }

    pub fn find_note(&self, text: &str) -> Option<usize> {
        self.notes
            .iter()
            .position(|n| !n.used && matches!(&n.value, NoteValue::Value(v) if *v == text))
    }

    fn const_kind(&mut self) -> Res<ConstKind> {
        self.nested(|c| c.const_kind_inner())
    }

    fn const_kind_inner(&mut self) -> Res<ConstKind> {
        match self.peek() {
            Some(b'"') => Ok(ConstKind::Str(self.string()?)),
            Some(b'b') if self.peek_at(1) == Some(b'"') => {
                self.pos += 1;
                Ok(ConstKind::ByteStr(self.byte_string()?))
            }
            Some(b'*') if self.at("*b\"") => {
                self.pos += 2;
                Ok(ConstKind::ByteArray(self.byte_string()?))
            }
            Some(b'\'') => Ok(ConstKind::Char(self.char_literal()?)),
            Some(b'0'..=b'9' | b'-' | b'+') => {
                let n = self.number()?;
                // The value of a pattern type: `2_usize is 1..`. The pattern says nothing that the value does not.
                if self.eat(" is ") {
                    self.pos = self.find_pattern_end();
                }
                Ok(n)
            }
            Some(b'(') => {
                self.pos += 1;
                Ok(ConstKind::Tuple(self.const_list(")")?))
            }
            Some(b'[') => {
                self.pos += 1;
                Ok(ConstKind::Array(self.const_list("]")?))
            }
            Some(b'{') => self.braced_const(),
            Some(b'<') if self.eat("<uninit>") => Ok(ConstKind::Uninit),
            Some(b'<') if self.at("<static(DefId(") => {
                let start = self.pos;
                self.pos += 1;
                self.balanced()?;
                self.expect(">")?;
                Ok(ConstKind::Source(self.src[start..self.pos].to_string()))
            }
            _ => self.word_const(),
        }
    }

    /// Items up to and with `close`.
    fn const_list(&mut self, close: &'static str) -> Res<Vec<ConstKind>> {
        let mut out = Vec::new();
        if self.eat(close) {
            return Ok(out);
        }
        loop {
            out.push(self.const_kind()?);
            if self.eat(close) {
                return Ok(out);
            }
            self.expect(",")?;
            // A tuple of one: `(1_u8,)`.
            if self.eat(close) {
                return Ok(out);
            }
            self.expect(" ")?;
        }
    }

    fn word_const(&mut self) -> Res<ConstKind> {
        if self.at_word("true") || self.at_word("false") {
            let v = self.ident()? == "true";
            return Ok(ConstKind::Bool(v));
        }
        if self.at("NaN_f") || self.at("Inf_f") {
            return self.number();
        }
        if self.eat("ZeroSized: ") {
            return Ok(ConstKind::ZeroSized(self.ty()?));
        }
        if self.eat("Indirect { alloc_id: alloc") {
            let alloc = AllocId(self.u64()?);
            self.eat("<imm>");
            self.expect(", offset: Size(")?;
            let offset = self.u64()?;
            self.expect(" bytes) }: ")?;
            return Ok(ConstKind::Indirect {
                alloc,
                offset,
                ty: self.ty()?,
            });
        }
        if self.eat("Slice { alloc_id: alloc") {
            let alloc = AllocId(self.u64()?);
            self.eat("<imm>");
            self.expect(", meta: ")?;
            let len = self.u64()?;
            self.expect(" }: ")?;
            return Ok(ConstKind::Slice {
                alloc,
                len,
                ty: self.ty()?,
            });
        }
        if self.at("Scalar(0x") {
            self.pos += "Scalar(".len();
            let bits = self.hex()?;
            self.expect("): ")?;
            return Ok(ConstKind::Transmute {
                bits,
                ty: self.ty()?,
            });
        }
        self.path_const()
    }

    fn path_const(&mut self) -> Res<ConstKind> {
        let path = self.path(true)?;
        if self.eat("::promoted[") {
            let n = self.u32()?;
            self.expect("]")?;
            return Ok(ConstKind::Promoted(path, n));
        }
        // `i32::MIN`, `usize::MAX`: how rustc prints the extreme values of integer types.
        if let Root::Plain = path.root
            && let [SegmentName::Ident(t), SegmentName::Ident(which)] = path
                .segments
                .iter()
                .map(|s| s.name.clone())
                .collect::<Vec<_>>()
                .as_slice()
            && let Some(t) = primitive(t)
        {
            match (t, which.as_str()) {
                (Ty::Int(t), "MIN") => return Ok(ConstKind::Int(int_min(t), t)),
                (Ty::Int(t), "MAX") => return Ok(ConstKind::Int(!int_min(t), t)),
                (Ty::Uint(t), "MAX") => {
                    return Ok(ConstKind::Uint(u128::MAX >> (128 - 8 * t.size()), t));
                }
                // A module can have the name of a primitive type.
                _ => {}
            }
        }
        // Behind a constant that is a function pointer, a call's operands follow.
        let is_call = ["(move ", "(copy ", "(const ", "() -> "]
            .iter()
            .any(|t| self.at(t));
        if !is_call && self.eat("(") {
            return Ok(ConstKind::AdtTuple(path, self.const_list(")")?));
        }
        // rustc 1.95 writes the braces twice.
        let double = self.at(" {{ ") || self.at(" {{  }}");
        if double || self.at(" { ") && self.at_const_field() {
            self.pos += if double { 4 } else { 3 };
            let (end, end_empty) = if double { (" }}", " }}") } else { (" }", "}") };
            let mut fields = Vec::new();
            loop {
                if self.eat(if fields.is_empty() { end_empty } else { end }) {
                    return Ok(ConstKind::AdtStruct(path, fields));
                }
                if !fields.is_empty() {
                    self.expect(", ")?;
                }
                let name = self.field_name()?;
                self.expect(": ")?;
                fields.push((name, self.const_kind()?));
            }
        }
        Ok(ConstKind::Path(path, PathConst::Unknown))
    }

    /// After a path and ` { `: does a field follow (a constant), or a body?
    fn at_const_field(&self) -> bool {
        let rest = &self.src.as_bytes()[(self.pos + 3).min(self.src.len())..];
        let n = rest
            .iter()
            .take_while(|b| is_ident(**b) || **b == b'#')
            .count();
        n > 0 && rest[n..].starts_with(b": ")
    }

    /// A field's name or number.
    pub fn field_name(&mut self) -> Res<String> {
        if self.peek().is_some_and(is_ident_start) {
            Ok(self.ident()?.to_string())
        } else {
            Ok(self.digits()?.to_string())
        }
    }

    /// `{alloc9+0x10: T}`, `{0x4 as T}`, `{transmute(0x01): T}`, `{unreachable(): T}`
    fn braced_const(&mut self) -> Res<ConstKind> {
        let start = self.pos;
        self.expect("{")?;
        let kind = if self.at("alloc") && self.peek_at(5).is_some_and(|b| b.is_ascii_digit()) {
            self.pos += 5;
            let alloc = AllocId(self.u64()?);
            let offset = self.pointer_offset()?;
            self.expect(": ")?;
            ConstKind::Pointer {
                alloc,
                offset,
                ty: self.ty()?,
            }
        } else if self.at("0x") {
            let address = self.hex()?;
            self.expect(" as ")?;
            ConstKind::IntPointer {
                address,
                ty: self.ty()?,
            }
        } else if self.eat("transmute(") {
            let bits = self.hex()?;
            self.expect("): ")?;
            ConstKind::Transmute {
                bits,
                ty: self.ty()?,
            }
        } else if self.eat("unreachable(): ") {
            ConstKind::Unreachable(self.ty()?)
        } else {
            self.balanced()?;
            self.expect("}")?;
            return Ok(ConstKind::Source(self.src[start..self.pos].to_string()));
        };
        self.expect("}")?;
        Ok(kind)
    }

    /// `+0x10` and `<imm>`, in rustc's order or the other.
    pub fn pointer_offset(&mut self) -> Res<u64> {
        self.eat("<imm>");
        let mut offset = 0;
        if self.eat("+") {
            let start = self.pos;
            offset = u64::try_from(self.hex()?)
                .map_err(|_| self.fail_at(start, "offset out of range"))?;
        }
        self.eat("<imm>");
        Ok(offset)
    }

    /// `4_usize`, `-1_i32`, `1.5f32`, `NaN_f32`, `+Inf_f64`
    fn number(&mut self) -> Res<ConstKind> {
        let start = self.pos;
        let negative = self.eat("-");
        if !negative {
            self.eat("+");
        }
        for (word, is_nan) in [("NaN_", true), ("Inf_", false)] {
            if self.eat(word) {
                let ty = self.float_ty(start)?;
                let bits = special_float(ty, is_nan, negative);
                return Ok(ConstKind::Float(FloatConst { ty, bits }));
            }
        }
        let num_start = self.pos;
        let b = self.src.as_bytes();
        while let Some(c) = self.peek() {
            let exponent_sign = matches!(c, b'-' | b'+')
                && matches!(b[self.pos - 1], b'e' | b'E')
                && self.pos > num_start;
            if c.is_ascii_digit() || matches!(c, b'.' | b'e' | b'E') || exponent_sign {
                self.pos += 1;
            } else {
                break;
            }
        }
        let digits = &self.src[num_start..self.pos];
        if self.eat("_") {
            let suffix_start = self.pos;
            let suffix = self.ident()?;
            let magnitude: u128 = digits
                .parse()
                .map_err(|_| self.fail_at(start, "number out of range"))?;
            return match primitive(suffix) {
                Some(Ty::Uint(t))
                    if !negative && magnitude <= u128::MAX >> (128 - 8 * t.size()) =>
                {
                    Ok(ConstKind::Uint(magnitude, t))
                }
                Some(Ty::Int(t)) => {
                    let min = int_min(t);
                    let value = if negative {
                        (magnitude <= min.unsigned_abs())
                            .then(|| (magnitude as i128).wrapping_neg())
                    } else {
                        (magnitude <= !min as u128).then_some(magnitude as i128)
                    };
                    let value = value
                        .ok_or_else(|| self.fail_at(start, "number out of its type's range"))?;
                    Ok(ConstKind::Int(value, t))
                }
                Some(Ty::Uint(_)) => Err(self.fail_at(start, "number out of its type's range")),
                _ => Err(self.fail_at(suffix_start, "expected an integer type")),
            };
        }
        let ty = self.float_ty(start)?;
        let bits = parse_float(digits, ty, negative)
            .ok_or_else(|| self.fail_at(start, "a float that cannot be read"))?;
        Ok(ConstKind::Float(FloatConst { ty, bits }))
    }

    fn float_ty(&mut self, start: usize) -> Res<FloatTy> {
        match self.ident().ok().and_then(primitive) {
            Some(Ty::Float(t)) => Ok(t),
            _ => Err(self.fail_at(start, "expected a number with its type")),
        }
    }
}

fn int_min(t: IntTy) -> i128 {
    i128::MIN >> (128 - 8 * t.size())
}

fn special_float(ty: FloatTy, is_nan: bool, negative: bool) -> u128 {
    let (inf, quiet, sign) = match ty {
        FloatTy::F16 => (0x7c00, 0x0200, 1 << 15),
        FloatTy::F32 => (0x7f80_0000, 0x0040_0000, 1 << 31),
        FloatTy::F64 => (0x7ff0_0000_0000_0000, 0x0008_0000_0000_0000, 1 << 63),
        FloatTy::F128 => (0x7fff << 112, 1 << 111, 1 << 127),
    };
    inf | if is_nan { quiet } else { 0 } | if negative { sign } else { 0 }
}

/// The bits of a decimal, rounded to nearest even. `f16` goes by `f64`: rustc prints the shortest decimal that names the
/// `f16`, and a value so near an `f16` rounds to it by way of `f64` too. `f128` has no reader here.
fn parse_float(digits: &str, ty: FloatTy, negative: bool) -> Option<u128> {
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (bits, sign) = match ty {
        FloatTy::F32 => (digits.parse::<f32>().ok()?.to_bits() as u128, 1u128 << 31),
        FloatTy::F64 => (digits.parse::<f64>().ok()?.to_bits() as u128, 1u128 << 63),
        FloatTy::F16 => (f64_to_f16(digits.parse::<f64>().ok()?) as u128, 1u128 << 15),
        FloatTy::F128 => return None,
    };
    Some(bits | if negative { sign } else { 0 })
}

/// Rounds to nearest even; `x` is not negative and not NaN.
fn f64_to_f16(x: f64) -> u16 {
    if x >= 65520.0 {
        return 0x7c00;
    }
    // 2^-24 is the least subnormal; scaled so that the integer part is the significand's bits.
    let (mut exponent, mut scaled) = (1i32, x * 16_777_216.0);
    while scaled >= 2048.0 {
        scaled /= 2.0;
        exponent += 1;
    }
    let mut significand = scaled.floor();
    let rest = scaled - significand;
    if rest > 0.5 || rest == 0.5 && significand % 2.0 == 1.0 {
        significand += 1.0;
    }
    let significand = significand as u32;
    if significand < 1024 {
        return significand as u16;
    }
    // An overflow of the significand carries into the exponent, as it should.
    (((exponent as u32) << 10) + significand - 1024) as u16
}
