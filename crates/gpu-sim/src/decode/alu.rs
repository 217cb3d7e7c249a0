//! Arithmetic, logic, comparison and data movement.

use super::convert::rounding;
use super::{Decoded, Decoder, Mods, width_of};
use crate::float::*;
use crate::inst::*;
use crate::lanes::{LaneFn, compare, op1, op2, op3, predicates, select};
use ptx::{Instruction, Operand, Type};
use std::marker::PhantomData;
use std::sync::Arc;

/// Runs `$body` with `$T` as the Rust integer of a type, sign included.
macro_rules! by_int {
    ($self:ident, $ty:expr, $T:ident, $body:expr) => {
        match $ty {
            Type::U8 | Type::B8 => {
                type $T = u8;
                $body
            }
            Type::S8 => {
                type $T = i8;
                $body
            }
            Type::U16 | Type::B16 => {
                type $T = u16;
                $body
            }
            Type::S16 => {
                type $T = i16;
                $body
            }
            Type::U32 | Type::B32 => {
                type $T = u32;
                $body
            }
            Type::S32 => {
                type $T = i32;
                $body
            }
            Type::U64 | Type::B64 => {
                type $T = u64;
                $body
            }
            Type::S64 => {
                type $T = i64;
                $body
            }
            _ => return $self.unknown(format!("type .{}", $ty.name())),
        }
    };
}

/// The same for the unsigned integer of a type's size.
macro_rules! by_bits {
    ($self:ident, $ty:expr, $T:ident, $body:expr) => {
        match width_of($ty) {
            1 => {
                type $T = u8;
                $body
            }
            2 => {
                type $T = u16;
                $body
            }
            4 => {
                type $T = u32;
                $body
            }
            8 => {
                type $T = u64;
                $body
            }
            _ => return $self.unknown(format!("type .{}", $ty.name())),
        }
    };
}

fn signed(ty: Type) -> bool {
    matches!(ty, Type::S8 | Type::S16 | Type::S32 | Type::S64)
}

/// Sign- or zero-extends the bits of an integer type.
pub(super) fn extend(bits: u64, ty: Type) -> i128 {
    match ty {
        Type::S8 => i128::from(bits as i8),
        Type::S16 => i128::from(bits as i16),
        Type::S32 => i128::from(bits as i32),
        Type::S64 => i128::from(bits as i64),
        Type::U8 | Type::B8 => i128::from(bits as u8),
        Type::U16 | Type::B16 => i128::from(bits as u16),
        Type::U32 | Type::B32 => i128::from(bits as u32),
        _ => i128::from(bits),
    }
}

impl Decoder<'_> {
    /// Adds an operation over lanes with sources of one type.
    fn lanes<const N: usize>(
        &mut self,
        f: LaneFn,
        i: &Instruction,
        d: Type,
        sources: [Type; N],
    ) -> Decoded<()> {
        if i.operands.len() != N + 1 {
            return self.unknown(format!(
                "{} operands where {} belong",
                i.operands.len(),
                N + 1
            ));
        }
        let mut rows = [NONE; 3];
        for (k, ty) in sources.into_iter().enumerate() {
            rows[k] = self.src_of(&i.operands[k + 1], ty)?;
        }
        let d = self.dst_of(&i.operands[0], width_of(d))?;
        let inst = Inst {
            d,
            a: rows[0],
            b: rows[1],
            c: rows[2],
            ..self.inst(Op::Lanes(f))
        };
        self.push(inst);
        Ok(())
    }

    /// Adds an operation on the bits of one lane.
    pub(super) fn scalar<const N: usize>(
        &mut self,
        i: &Instruction,
        d: Type,
        sources: [Type; N],
        f: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static,
    ) -> Decoded<()> {
        if i.operands.len() != N + 1 {
            return self.unknown(format!(
                "{} operands where {} belong",
                i.operands.len(),
                N + 1
            ));
        }
        let mut rows = [NONE; 3];
        let mut widths = [0; 4];
        for (k, ty) in sources.into_iter().enumerate() {
            rows[k] = self.src_of(&i.operands[k + 1], ty)?;
            widths[k] = width_of(ty);
        }
        widths[3] = width_of(d);
        let d = self.dst_of(&i.operands[0], width_of(d))?;
        let op = Op::Scalar(Arc::new(Scalar {
            f: Arc::new(f),
            widths,
        }));
        let inst = Inst {
            d,
            a: rows[0],
            b: rows[1],
            c: rows[2],
            ..self.inst(op)
        };
        self.push(inst);
        Ok(())
    }

    pub(super) fn alu_instruction(&mut self, i: &Instruction) -> Decoded<()> {
        let mut m = Mods::new(i);
        match i.name.as_str() {
            "mov" => return self.mov(i, m),
            "setp" | "set" => return self.compare_instruction(i, m),
            "addc" | "subc" | "madc" => return self.carry(i, m),
            "lop3" => return self.lop3(i, m),
            "prmt" => return self.prmt(i, m),
            "testp" => return self.testp(i, m),
            "bfind" => return self.bfind(i, m),
            "shf" => return self.shf(i, m),
            "dp4a" | "dp2a" => return self.dot(i, m),
            _ => {}
        }
        let Some(ty) = m.last_type() else {
            return self.unknown("instruction");
        };
        if matches!(ty, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2) {
            return self.half_instruction(i, ty, m);
        }
        match (i.name.as_str(), ty) {
            ("add" | "sub" | "mul" | "div" | "fma" | "mad", Type::F32 | Type::F64) => {
                self.float_arithmetic(i, ty, m)
            }
            (
                "abs" | "neg" | "min" | "max" | "sqrt" | "rsqrt" | "rcp" | "ex2" | "lg2" | "sin"
                | "cos" | "tanh" | "copysign",
                Type::F32 | Type::F64,
            ) => self.float_function(i, ty, m),
            ("and" | "or" | "xor" | "not" | "cnot", Type::Pred) => {
                self.finish_mods(&m)?;
                match i.name.as_str() {
                    "and" => self.lanes(predicates(|a, b, _| a & b), i, ty, [ty; 2]),
                    "or" => self.lanes(predicates(|a, b, _| a | b), i, ty, [ty; 2]),
                    "xor" => self.lanes(predicates(|a, b, _| a ^ b), i, ty, [ty; 2]),
                    "not" => self.lanes(predicates(|a, _, _| !a), i, ty, [ty; 1]),
                    _ => self.unknown("type .pred"),
                }
            }
            _ => self.integer(i, ty, m),
        }
    }

    fn integer(&mut self, i: &Instruction, ty: Type, mut m: Mods<'_>) -> Decoded<()> {
        let name = i.name.as_str();
        if matches!(ty, Type::U16x2 | Type::S16x2) {
            return self.packed_integer(i, ty, m);
        }
        if name == "add" || name == "sub" {
            let (cc, sat) = (m.take("cc"), m.take("sat"));
            self.finish_mods(&m)?;
            if cc {
                return self.add_carry(i, ty, name == "sub", false, true);
            }
            let f = match (name, sat) {
                ("add", false) => by_int!(self, ty, T, op2(|a: T, b: T| a.wrapping_add(b))),
                ("sub", false) => by_int!(self, ty, T, op2(|a: T, b: T| a.wrapping_sub(b))),
                ("add", true) if ty == Type::S32 => op2(|a: i32, b: i32| a.saturating_add(b)),
                ("sub", true) if ty == Type::S32 => op2(|a: i32, b: i32| a.saturating_sub(b)),
                _ => return self.unknown("modifier `.sat`"),
            };
            return self.lanes(f, i, ty, [ty; 2]);
        }
        if name == "mul" || name == "mad" {
            return self.multiply(i, ty, m);
        }
        if name == "mul24" || name == "mad24" {
            let hi = m.take("hi");
            if !hi && !m.take("lo") {
                return self.unknown("neither .hi nor .lo");
            }
            let sat = m.take("sat");
            self.finish_mods(&m)?;
            let sign = match ty {
                Type::S32 => true,
                Type::U32 => false,
                _ => return self.unknown(format!("type .{}", ty.name())),
            };
            let f = move |a: u64, b: u64, c: u64| {
                let cut = |v: u64| {
                    if sign {
                        i64::from((v as i32) << 8 >> 8)
                    } else {
                        (v & 0xff_ffff) as i64
                    }
                };
                let p = cut(a).wrapping_mul(cut(b));
                let p = if hi { p >> 16 } else { p };
                if sat {
                    (i64::from(p as i32) + i64::from(c as i32))
                        .clamp(i32::MIN.into(), i32::MAX.into()) as u64
                } else {
                    (p as u32).wrapping_add(c as u32).into()
                }
            };
            return if name == "mul24" {
                self.scalar(i, ty, [ty; 2], f)
            } else {
                self.scalar(i, ty, [ty; 3], f)
            };
        }
        if name == "min" || name == "max" {
            let relu = m.take("relu");
            self.finish_mods(&m)?;
            let f = match (name, relu) {
                ("min", false) => by_int!(self, ty, T, op2(|a: T, b: T| a.min(b))),
                ("max", false) => by_int!(self, ty, T, op2(|a: T, b: T| a.max(b))),
                ("min", true) if ty == Type::S32 => op2(|a: i32, b: i32| a.min(b).max(0)),
                ("max", true) if ty == Type::S32 => op2(|a: i32, b: i32| a.max(b).max(0)),
                _ => return self.unknown("modifier `.relu`"),
            };
            return self.lanes(f, i, ty, [ty; 2]);
        }
        if name == "bfe"
            || name == "bfi"
            || name == "selp"
            || name == "slct"
            || name == "fns"
            || name == "szext"
            || name == "bmsk"
        {
            return self.fields(i, ty, m);
        }
        match name {
            "div" | "rem" => {
                self.finish_mods(&m)?;
                // Division by zero gives all ones, its remainder too: seen on an H200.
                let f = if name == "div" {
                    by_int!(
                        self,
                        ty,
                        T,
                        op2(|a: T, b: T| a.checked_div(b).unwrap_or(if b == 0 { !0 } else { a }))
                    )
                } else {
                    by_int!(
                        self,
                        ty,
                        T,
                        op2(|a: T, b: T| a.checked_rem(b).unwrap_or(if b == 0 { !0 } else { 0 }))
                    )
                };
                self.lanes(f, i, ty, [ty; 2])
            }
            "abs" => {
                self.finish_mods(&m)?;
                let f = match ty {
                    Type::S16 => op1(|a: i16| a.wrapping_abs()),
                    Type::S32 => op1(|a: i32| a.wrapping_abs()),
                    Type::S64 => op1(|a: i64| a.wrapping_abs()),
                    _ => return self.unknown(format!("type .{}", ty.name())),
                };
                self.lanes(f, i, ty, [ty])
            }
            "neg" => {
                self.finish_mods(&m)?;
                let f = by_int!(self, ty, T, op1(|a: T| a.wrapping_neg()));
                self.lanes(f, i, ty, [ty])
            }
            "and" => {
                self.finish_mods(&m)?;
                let f = by_bits!(self, ty, T, op2(|a: T, b: T| a & b));
                self.lanes(f, i, ty, [ty; 2])
            }
            "or" => {
                self.finish_mods(&m)?;
                let f = by_bits!(self, ty, T, op2(|a: T, b: T| a | b));
                self.lanes(f, i, ty, [ty; 2])
            }
            "xor" => {
                self.finish_mods(&m)?;
                let f = by_bits!(self, ty, T, op2(|a: T, b: T| a ^ b));
                self.lanes(f, i, ty, [ty; 2])
            }
            "not" => {
                self.finish_mods(&m)?;
                let f = by_bits!(self, ty, T, op1(|a: T| !a));
                self.lanes(f, i, ty, [ty])
            }
            "cnot" => {
                self.finish_mods(&m)?;
                let f = by_bits!(self, ty, T, op1(|a: T| T::from(a == 0)));
                self.lanes(f, i, ty, [ty])
            }
            // Amounts above the width count as the width.
            "shl" => {
                self.finish_mods(&m)?;
                let f = by_bits!(
                    self,
                    ty,
                    T,
                    op2(|a: T, b: u32| if b < T::BITS {
                        a << (b & (T::BITS - 1))
                    } else {
                        0
                    })
                );
                self.lanes(f, i, ty, [ty, Type::U32])
            }
            "shr" => {
                self.finish_mods(&m)?;
                let f = if signed(ty) {
                    by_int!(self, ty, T, op2(|a: T, b: u32| a >> b.min(T::BITS - 1)))
                } else {
                    by_bits!(
                        self,
                        ty,
                        T,
                        op2(|a: T, b: u32| if b < T::BITS {
                            a >> (b & (T::BITS - 1))
                        } else {
                            0
                        })
                    )
                };
                self.lanes(f, i, ty, [ty, Type::U32])
            }
            "popc" => {
                self.finish_mods(&m)?;
                let f = by_bits!(self, ty, T, op1(|a: T| a.count_ones()));
                self.lanes(f, i, Type::U32, [ty])
            }
            "clz" => {
                self.finish_mods(&m)?;
                let f = by_bits!(self, ty, T, op1(|a: T| a.leading_zeros()));
                self.lanes(f, i, Type::U32, [ty])
            }
            "brev" => {
                self.finish_mods(&m)?;
                let f = by_bits!(self, ty, T, op1(|a: T| a.reverse_bits()));
                self.lanes(f, i, ty, [ty])
            }
            "sad" => {
                self.finish_mods(&m)?;
                let f = by_int!(
                    self,
                    ty,
                    T,
                    op3(|a: T, b: T, c: T| c.wrapping_add(a.abs_diff(b) as T))
                );
                self.lanes(f, i, ty, [ty; 3])
            }
            _ => self.unknown("instruction"),
        }
    }

    fn multiply(&mut self, i: &Instruction, ty: Type, mut m: Mods<'_>) -> Decoded<()> {
        let mad = i.name == "mad";
        let mode = self.need(
            m.find(|s| matches!(s, "lo" | "hi" | "wide").then(|| s.to_string())),
            ".lo, .hi or .wide",
        )?;
        let (cc, sat) = (m.take("cc"), m.take("sat"));
        self.finish_mods(&m)?;
        if cc {
            return self.mad_carry(i, ty, mode == "hi", false, true);
        }
        if sat {
            if !(mad && mode == "hi" && ty == Type::S32) {
                return self.unknown("modifier `.sat`");
            }
            let f = op3(|a: i32, b: i32, c: i32| {
                ((i64::from(a) * i64::from(b) >> 32) + i64::from(c))
                    .clamp(i32::MIN.into(), i32::MAX.into()) as i32
            });
            return self.lanes(f, i, ty, [ty; 3]);
        }
        match mode.as_str() {
            "lo" if mad => {
                let f = by_int!(
                    self,
                    ty,
                    T,
                    op3(|a: T, b: T, c: T| a.wrapping_mul(b).wrapping_add(c))
                );
                self.lanes(f, i, ty, [ty; 3])
            }
            "lo" => {
                let f = by_int!(self, ty, T, op2(|a: T, b: T| a.wrapping_mul(b)));
                self.lanes(f, i, ty, [ty; 2])
            }
            "hi" => {
                macro_rules! hi {
                    ($T:ty, $W:ty) => {
                        if mad {
                            op3(|a: $T, b: $T, c: $T| {
                                (((<$W>::from(a) * <$W>::from(b)) >> <$T>::BITS) as $T)
                                    .wrapping_add(c)
                            })
                        } else {
                            op2(|a: $T, b: $T| {
                                ((<$W>::from(a) * <$W>::from(b)) >> <$T>::BITS) as $T
                            })
                        }
                    };
                }
                let f = match ty {
                    Type::U16 => hi!(u16, u32),
                    Type::S16 => hi!(i16, i32),
                    Type::U32 => hi!(u32, u64),
                    Type::S32 => hi!(i32, i64),
                    Type::U64 => hi!(u64, u128),
                    Type::S64 => hi!(i64, i128),
                    _ => return self.unknown(format!("type .{}", ty.name())),
                };
                if mad {
                    self.lanes(f, i, ty, [ty; 3])
                } else {
                    self.lanes(f, i, ty, [ty; 2])
                }
            }
            _ => {
                macro_rules! wide {
                    ($T:ty, $W:ty) => {
                        if mad {
                            op3(|a: $T, b: $T, c: $W| {
                                (<$W>::from(a) * <$W>::from(b)).wrapping_add(c)
                            })
                        } else {
                            op2(|a: $T, b: $T| <$W>::from(a) * <$W>::from(b))
                        }
                    };
                }
                let (f, d) = match ty {
                    Type::U16 => (wide!(u16, u32), Type::U32),
                    Type::S16 => (wide!(i16, i32), Type::S32),
                    Type::U32 => (wide!(u32, u64), Type::U64),
                    Type::S32 => (wide!(i32, i64), Type::S64),
                    _ => return self.unknown(format!("type .{}", ty.name())),
                };
                if mad {
                    self.lanes(f, i, d, [ty, ty, d])
                } else {
                    self.lanes(f, i, d, [ty; 2])
                }
            }
        }
    }

    fn packed_integer(&mut self, i: &Instruction, ty: Type, mut m: Mods<'_>) -> Decoded<()> {
        let sign = ty == Type::S16x2;
        let relu = sign && m.take("relu");
        self.finish_mods(&m)?;
        let f: fn(i32, i32) -> i32 = match i.name.as_str() {
            "add" => |a, b| a.wrapping_add(b),
            "min" => |a, b| a.min(b),
            "max" => |a, b| a.max(b),
            _ => return self.unknown("instruction"),
        };
        self.scalar(i, Type::B32, [Type::B32; 2], move |a, b, _| {
            let half = |v: u64| {
                if sign {
                    i32::from(v as i16)
                } else {
                    i32::from(v as u16)
                }
            };
            let one = |a, b| {
                let r = f(half(a), half(b));
                u64::from((if relu { r.max(0) } else { r }) as u16)
            };
            one(a, b) | one(a >> 16, b >> 16) << 16
        })
    }

    fn fields(&mut self, i: &Instruction, ty: Type, mut m: Mods<'_>) -> Decoded<()> {
        match i.name.as_str() {
            "selp" => {
                self.finish_mods(&m)?;
                let f = by_bits!(self, ty, T, select(PhantomData::<T>));
                self.lanes(f, i, ty, [ty, ty, Type::Pred])
            }
            "slct" => {
                // `slct.dtype.ctype`: the type of the result stands before that of the condition.
                let d = self.need(m.last_type(), "type")?;
                let ftz = m.take("ftz");
                self.finish_mods(&m)?;
                match ty {
                    Type::S32 => self.scalar(
                        i,
                        d,
                        [d, d, ty],
                        |a, b, c| if c as i32 >= 0 { a } else { b },
                    ),
                    Type::F32 => self.scalar(i, d, [d, d, ty], move |a, b, c| {
                        let c = f32::from_bits(c as u32);
                        if (if ftz { flush(c) } else { c }) >= 0.0 {
                            a
                        } else {
                            b
                        }
                    }),
                    _ => self.unknown(format!("type .{}", ty.name())),
                }
            }
            "bfe" => {
                self.finish_mods(&m)?;
                let (bits, sign) = (u64::from(ty.bits()), signed(ty));
                if !matches!(ty, Type::U32 | Type::S32 | Type::U64 | Type::S64) {
                    return self.unknown(format!("type .{}", ty.name()));
                }
                self.scalar(i, ty, [ty, Type::U32, Type::U32], move |a, pos, len| {
                    // Only the 32-bit form looks at the low bytes alone: seen on an H200.
                    let (pos, len) = if bits == 32 {
                        (pos & 0xff, len & 0xff)
                    } else {
                        (pos, len)
                    };
                    let value = extend(a, ty);
                    let top = (pos + len).saturating_sub(1).min(bits - 1);
                    let fill = sign && len != 0 && value >> top & 1 != 0;
                    let unsigned = (a & if bits == 32 { 0xffff_ffff } else { u64::MAX }) as u128;
                    let field = if len == 0 {
                        0
                    } else {
                        unsigned >> pos.min(127)
                    };
                    let got = len.min(bits.saturating_sub(pos));
                    let mask = if got >= 64 { u64::MAX } else { (1 << got) - 1 };
                    let field = field as u64 & mask;
                    if fill { field | !mask } else { field }
                })
            }
            "bfi" => {
                self.finish_mods(&m)?;
                if !matches!(ty, Type::B32 | Type::B64) {
                    return self.unknown(format!("type .{}", ty.name()));
                }
                let [d, a, b, pos, len] = self.operands::<5>(i)?;
                let bits = u64::from(ty.bits());
                // Position and length travel in one source.
                let (pos, len) = (self.src_of(pos, Type::U32)?, self.src_of(len, Type::U32)?);
                let joined = self.row(8);
                let join = op2(|p: u32, l: u32| u64::from(p) << 32 | u64::from(l));
                let (guard, guard_negated) = (NONE, false);
                self.push(Inst {
                    op: Op::Lanes(join),
                    guard,
                    guard_negated,
                    d: joined,
                    d2: NONE,
                    a: pos,
                    b: len,
                    c: NONE,
                    x: 0,
                });
                let w = width_of(ty);
                let (a, b, d) = (self.src_of(a, ty)?, self.src_of(b, ty)?, self.dst_of(d, w)?);
                let f: ScalarFn = Arc::new(move |a, b, c| {
                    let (pos, len) = (c >> 32, c & 0xffff_ffff);
                    // Only the 32-bit form looks at the low bytes alone.
                    let (pos, len) = if bits == 32 {
                        (pos & 0xff, len & 0xff)
                    } else {
                        (pos, len)
                    };
                    if pos >= bits || len == 0 {
                        return b;
                    }
                    let mask = if len >= 64 { u64::MAX } else { (1 << len) - 1 } << pos;
                    b & !mask | a << pos & mask
                });
                let op = Op::Scalar(Arc::new(Scalar {
                    f,
                    widths: [w, w, 8, w],
                }));
                let inst = Inst {
                    d,
                    a,
                    b,
                    c: joined,
                    ..self.inst(op)
                };
                self.push(inst);
                Ok(())
            }
            "fns" => {
                self.finish_mods(&m)?;
                self.scalar(i, Type::B32, [Type::B32; 3], |mask, base, offset| {
                    let (mask, base, offset) = (mask as u32, base as u32, offset as i32);
                    let at = |p: i64| (0..32).contains(&p) && mask >> p & 1 != 0;
                    if offset == 0 {
                        return if at(base.into()) {
                            base.into()
                        } else {
                            u32::MAX.into()
                        };
                    }
                    let (mut p, step) = (i64::from(base), i64::from(offset.signum()));
                    let mut left = offset.unsigned_abs();
                    while (0..32).contains(&p) {
                        if at(p) {
                            left -= 1;
                            if left == 0 {
                                return p as u64;
                            }
                        }
                        p += step;
                    }
                    u32::MAX.into()
                })
            }
            "bmsk" => {
                let clamp = m.take("clamp");
                if !clamp && !m.take("wrap") {
                    return self.unknown("neither .clamp nor .wrap");
                }
                self.finish_mods(&m)?;
                self.scalar(i, Type::B32, [Type::B32; 2], move |a, b, _| {
                    let (a, b) = if clamp {
                        (a.min(32), b.min(32))
                    } else {
                        (a & 31, b & 31)
                    };
                    ((1u64 << b) - 1) << a & 0xffff_ffff
                })
            }
            _ => {
                let clamp = m.take("clamp");
                if !clamp && !m.take("wrap") {
                    return self.unknown("neither .clamp nor .wrap");
                }
                self.finish_mods(&m)?;
                let sign = ty == Type::S32;
                self.scalar(i, Type::B32, [Type::B32; 2], move |a, n, _| {
                    let n = if clamp { n.min(32) } else { n & 31 };
                    if n == 0 {
                        return 0;
                    }
                    let s = 32 - n;
                    if sign {
                        ((a as u32) << s).cast_signed().wrapping_shr(s as u32) as u32 as u64
                    } else {
                        u64::from((a as u32) << s >> s)
                    }
                })
            }
        }
    }

    // Carries.

    /// The condition code of the function: a predicate row.
    fn carry_row(&mut self) -> u32 {
        match self.carry {
            Some(row) => row,
            None => {
                let row = self.row(0);
                self.carry = Some(row);
                row
            }
        }
    }

    fn carry(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let ty = self.need(m.last_type(), "type")?;
        let cc = m.take("cc");
        if i.name == "madc" {
            let hi = m.take("hi");
            if !hi && !m.take("lo") {
                return self.unknown("neither .hi nor .lo");
            }
            self.finish_mods(&m)?;
            return self.mad_carry(i, ty, hi, true, cc);
        }
        self.finish_mods(&m)?;
        self.add_carry(i, ty, i.name == "subc", true, cc)
    }

    /// `a ± b` with a carry in, a carry out, or both.
    fn add_carry(
        &mut self,
        i: &Instruction,
        ty: Type,
        sub: bool,
        carry_in: bool,
        carry_out: bool,
    ) -> Decoded<()> {
        let [d, a, b] = self.operands::<3>(i)?;
        let w = width_of(ty);
        if !(w == 4 || w == 8) {
            return self.unknown(format!("type .{}", ty.name()));
        }
        let (a, b, d) = (self.src_of(a, ty)?, self.src_of(b, ty)?, self.dst_of(d, w)?);
        self.sum(d, a, b, w, sub, carry_in, carry_out);
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn sum(
        &mut self,
        d: u32,
        a: u32,
        b: u32,
        w: Width,
        sub: bool,
        carry_in: bool,
        carry_out: bool,
    ) {
        let cc = self.carry_row();
        let bits = 8 * u32::from(w);
        // The carry of a subtraction is its borrow.
        let full = move |a: u64, b: u64, c: u64| {
            let c = if carry_in { u128::from(c & 1) } else { 0 };
            let (a, b) = (u128::from(a), u128::from(b));
            if sub {
                a.wrapping_sub(b).wrapping_sub(c)
            } else {
                a + b + c
            }
        };
        // The result goes to a row of its own: it may be a source of the carry.
        let value = self.row(w);
        let f: ScalarFn = Arc::new(move |a, b, c| full(a, b, c) as u64);
        let inst = self.inst(Op::Scalar(Arc::new(Scalar {
            f,
            widths: [w, w, 0, w],
        })));
        self.push(Inst {
            d: value,
            a,
            b,
            c: cc,
            ..inst
        });
        if carry_out {
            let f: ScalarFn = Arc::new(move |a, b, c| (full(a, b, c) >> bits & 1) as u64);
            let inst = self.inst(Op::Scalar(Arc::new(Scalar {
                f,
                widths: [w, w, 0, 0],
            })));
            self.push(Inst {
                d: cc,
                a,
                b,
                c: cc,
                ..inst
            });
        }
        let copy = if w == 4 {
            op1(|a: u32| a)
        } else {
            op1(|a: u64| a)
        };
        let inst = self.inst(Op::Lanes(copy));
        self.push(Inst {
            d,
            a: value,
            ..inst
        });
    }

    fn mad_carry(
        &mut self,
        i: &Instruction,
        ty: Type,
        hi: bool,
        carry_in: bool,
        carry_out: bool,
    ) -> Decoded<()> {
        let [d, a, b, c] = self.operands::<4>(i)?;
        let w = width_of(ty);
        let f = match (ty, hi) {
            (Type::U32 | Type::S32, false) => op2(|a: u32, b: u32| a.wrapping_mul(b)),
            (Type::U64 | Type::S64, false) => op2(|a: u64, b: u64| a.wrapping_mul(b)),
            (Type::U32, true) => op2(|a: u32, b: u32| (u64::from(a) * u64::from(b) >> 32) as u32),
            (Type::S32, true) => op2(|a: i32, b: i32| (i64::from(a) * i64::from(b) >> 32) as i32),
            (Type::U64, true) => op2(|a: u64, b: u64| (u128::from(a) * u128::from(b) >> 64) as u64),
            (Type::S64, true) => op2(|a: i64, b: i64| (i128::from(a) * i128::from(b) >> 64) as i64),
            _ => return self.unknown(format!("type .{}", ty.name())),
        };
        let (a, b, c) = (
            self.src_of(a, ty)?,
            self.src_of(b, ty)?,
            self.src_of(c, ty)?,
        );
        let d = self.dst_of(d, w)?;
        let product = self.row(w);
        let inst = self.inst(Op::Lanes(f));
        self.push(Inst {
            d: product,
            a,
            b,
            ..inst
        });
        self.sum(d, product, c, w, false, carry_in, carry_out);
        Ok(())
    }

    // Floats.

    fn float_arithmetic(&mut self, i: &Instruction, ty: Type, mut m: Mods<'_>) -> Decoded<()> {
        let approx = m.take("approx") || m.take("full");
        let mode = m.find(rounding).unwrap_or(Rounding::Rn);
        let (ftz, sat) = (m.take("ftz"), m.take("sat"));
        self.finish_mods(&m)?;
        if approx && (i.name != "div" || ty != Type::F32) {
            return self.unknown("modifier `.approx` or `.full`");
        }
        let three = matches!(i.name.as_str(), "fma" | "mad");
        if mode == Rounding::Rn && !ftz && !sat {
            let f = match (i.name.as_str(), ty) {
                ("add", Type::F32) => op2(|a: f32, b: f32| canonical(a + b)),
                ("sub", Type::F32) => op2(|a: f32, b: f32| canonical(a - b)),
                ("mul", Type::F32) => op2(|a: f32, b: f32| canonical(a * b)),
                ("div", Type::F32) => op2(|a: f32, b: f32| canonical(a / b)),
                (_, Type::F32) => op3(|a: f32, b: f32, c: f32| canonical(a.mul_add(b, c))),
                ("add", _) => op2(|a: f64, b: f64| prefer_nan(b, a + b)),
                ("sub", _) => op2(|a: f64, b: f64| prefer_nan(b, a - b)),
                ("mul", _) => op2(|a: f64, b: f64| prefer_nan(b, a * b)),
                ("div", _) => op2(|a: f64, b: f64| a / b),
                _ => op3(|a: f64, b: f64, c: f64| prefer_nan(b, prefer_nan(c, a.mul_add(b, c)))),
            };
            return if three {
                self.lanes(f, i, ty, [ty; 3])
            } else {
                self.lanes(f, i, ty, [ty; 2])
            };
        }
        let name = i.name.clone();
        if ty == Type::F64 {
            if ftz || sat {
                return self.unknown("modifier `.ftz` or `.sat` for .f64");
            }
            let f = move |a: u64, b: u64, c: u64| {
                let (a, b, c) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
                let r = match name.as_str() {
                    "add" => add64(a, b, mode),
                    "sub" => add64(a, -b, mode),
                    "mul" => mul64(a, b, mode),
                    "div" => div64(a, b, mode),
                    _ => fma64(a, b, c, mode),
                };
                // `c` is zero where there are two operands; a division keeps the dividend's NaN.
                let r = if name == "div" {
                    r
                } else {
                    prefer_nan(b, prefer_nan(c, r))
                };
                r.to_bits()
            };
            return if three {
                self.scalar(i, ty, [ty; 3], f)
            } else {
                self.scalar(i, ty, [ty; 2], f)
            };
        }
        let f = move |a: u64, b: u64, c: u64| {
            let read = |v: u64| {
                let v = f32::from_bits(v as u32);
                f64::from(if ftz { flush(v) } else { v })
            };
            let (a, b, c) = (read(a), read(b), read(c));
            let r = match name.as_str() {
                "add" => add_odd(a, b),
                "sub" => add_odd(a, -b),
                "mul" => a * b,
                "div" => div_odd(a, b),
                _ => fma_odd(a, b, c),
            };
            // An exact zero from operands of different signs is negative only when rounding down.
            let zero = r == 0.0
                && mode == Rounding::Rm
                && matches!(name.as_str(), "add" | "sub" | "fma" | "mad");
            let (x, y) = match name.as_str() {
                "add" => (a, b),
                "sub" => (a, -b),
                _ => (a * b, c),
            };
            let r = if zero && x.is_sign_negative() != y.is_sign_negative() {
                -0.0
            } else {
                r
            };
            let r = if sat { saturate(r) } else { r };
            let bits = F32.round(r, mode) as u32;
            u64::from(if ftz {
                flush(f32::from_bits(bits)).to_bits()
            } else {
                bits
            })
        };
        if three {
            self.scalar(i, ty, [ty; 3], f)
        } else {
            self.scalar(i, ty, [ty; 2], f)
        }
    }

    fn float_function(&mut self, i: &Instruction, ty: Type, mut m: Mods<'_>) -> Decoded<()> {
        let name = i.name.clone();
        let approx = m.take("approx");
        let mode = m.find(rounding);
        let ftz = m.take("ftz");
        let (nan, xorsign) = (m.take("NaN"), m.take("xorsign"));
        // `min.xorsign.abs`
        let abs = m.take("abs");
        self.finish_mods(&m)?;
        if xorsign != abs || (nan || xorsign) && !matches!(name.as_str(), "min" | "max") {
            return self.unknown("combination of modifiers");
        }
        let exact = matches!(name.as_str(), "abs" | "neg" | "min" | "max" | "copysign");
        if exact && (approx || mode.is_some()) || !exact && !approx && mode.is_none() {
            return self.unknown("rounding modifier missing, or not allowed");
        }
        if ty == Type::F64 && ftz && exact {
            return self.unknown("modifier `.ftz` for .f64");
        }
        if !ftz && !nan && !xorsign && i.operands.len() <= 3 {
            let f = match (name.as_str(), ty) {
                ("neg", Type::F32) => Some(op1(|a: u32| {
                    if a & !(1 << 31) > 0x7f80_0000 {
                        0x7fff_ffff
                    } else {
                        a ^ 1 << 31
                    }
                })),
                ("abs", Type::F32) => Some(op1(|a: u32| {
                    if a & !(1 << 31) > 0x7f80_0000 {
                        0x7fff_ffff
                    } else {
                        a & !(1 << 31)
                    }
                })),
                ("neg", _) => Some(op1(|a: u64| {
                    if a & !(1 << 63) > 0x7ff << 52 {
                        a
                    } else {
                        a ^ 1 << 63
                    }
                })),
                ("abs", _) => Some(op1(|a: u64| {
                    if a & !(1 << 63) > 0x7ff << 52 {
                        a
                    } else {
                        a & !(1 << 63)
                    }
                })),
                ("sqrt", Type::F32) if approx || mode == Some(Rounding::Rn) => {
                    Some(op1(|a: f32| canonical(a.sqrt())))
                }
                ("sqrt", Type::F64) if mode == Some(Rounding::Rn) => Some(op1(|a: f64| a.sqrt())),
                ("rcp", Type::F32) if approx || mode == Some(Rounding::Rn) => {
                    Some(op1(|a: f32| canonical(1.0 / a)))
                }
                ("rsqrt", Type::F32) => Some(op1(|a: f32| canonical(1.0 / a.sqrt()))),
                ("rcp", Type::F64) if mode == Some(Rounding::Rn) => Some(op1(|a: f64| 1.0 / a)),
                _ => None,
            };
            if let Some(f) = f {
                return self.lanes(f, i, ty, [ty]);
            }
            let f = match (name.as_str(), ty) {
                ("min", Type::F32) => Some(op2(|a: f32, b: f32| canonical(min32(a, b)))),
                ("max", Type::F32) => Some(op2(|a: f32, b: f32| canonical(max32(a, b)))),
                ("min", Type::F64) => Some(op2(min64)),
                ("max", Type::F64) => Some(op2(max64)),
                // The sign of the first operand, the magnitude of the second.
                ("copysign", Type::F32) => Some(op2(|a: u32, b: u32| a & 1 << 31 | b & !(1 << 31))),
                ("copysign", _) => Some(op2(|a: u64, b: u64| a & 1 << 63 | b & !(1 << 63))),
                _ => None,
            };
            if let Some(f) = f
                && (name == "copysign" || i.operands.len() == 3)
            {
                return self.lanes(f, i, ty, [ty; 2]);
            }
        }
        if ty == Type::F64 {
            return match name.as_str() {
                "sqrt" | "rcp" if !approx => {
                    let mode = mode.unwrap_or(Rounding::Rn);
                    let sqrt = name == "sqrt";
                    self.scalar(i, ty, [ty], move |a, _, _| {
                        let a = f64::from_bits(a);
                        if sqrt {
                            sqrt64(a, mode)
                        } else {
                            div64(1.0, a, mode)
                        }
                        .to_bits()
                    })
                }
                // The fast forms give the upper half of a result; the lower half is zero.
                "rcp" | "rsqrt" if approx => {
                    let rcp = name == "rcp";
                    self.scalar(i, ty, [ty], move |a, _, _| {
                        let mut a = f64::from_bits(a);
                        if ftz && a.is_subnormal() {
                            a = 0f64.copysign(a);
                        }
                        let r = if rcp { 1.0 / a } else { 1.0 / a.sqrt() };
                        if r.is_nan() {
                            u64::MAX >> 1
                        } else {
                            r.to_bits() & !0xffff_ffff
                        }
                    })
                }
                _ => self.unknown(format!("type .{}", ty.name())),
            };
        }
        let one = |f: fn(f64) -> f64| f;
        let unary: Option<fn(f64) -> f64> = match (name.as_str(), approx) {
            ("abs", _) => Some(one(f64::abs)),
            ("neg", _) => Some(one(|a| -a)),
            ("sqrt", _) => Some(one(sqrt_odd)),
            ("rcp", _) => Some(one(|a| div_odd(1.0, a))),
            ("rsqrt", true) => Some(one(|a| 1.0 / a.sqrt())),
            ("ex2", true) => Some(one(f64::exp2)),
            ("lg2", true) => Some(one(f64::log2)),
            ("sin", true) => Some(one(f64::sin)),
            ("cos", true) => Some(one(f64::cos)),
            ("tanh", true) => Some(one(f64::tanh)),
            _ => None,
        };
        let mode = mode.unwrap_or(Rounding::Rn);
        let read = move |v: u64| {
            let v = f32::from_bits(v as u32);
            if ftz { flush(v) } else { v }
        };
        let write = move |v: u32| {
            u64::from(if ftz {
                flush(f32::from_bits(v)).to_bits()
            } else {
                v
            })
        };
        if let Some(f) = unary {
            let sign_only = matches!(name.as_str(), "abs" | "neg");
            return self.scalar(i, ty, [ty], move |a, _, _| {
                let a = read(a);
                if sign_only && a.is_nan() {
                    return 0x7fff_ffff;
                }
                write(F32.round(f(a.into()), mode) as u32)
            });
        }
        if matches!(name.as_str(), "min" | "max") {
            let min = name == "min";
            let f = move |a: u64, b: u64, c: Option<u64>| {
                let pick = |a: f32, b: f32| {
                    if nan && (a.is_nan() || b.is_nan()) {
                        return f32::NAN;
                    }
                    let sign = (a.to_bits() ^ b.to_bits()) & 1 << 31;
                    let (a, b) = if xorsign { (a.abs(), b.abs()) } else { (a, b) };
                    let r = if min { min32(a, b) } else { max32(a, b) };
                    if xorsign {
                        f32::from_bits(r.to_bits() & !(1 << 31) | sign)
                    } else {
                        r
                    }
                };
                let mut r = pick(read(a), read(b));
                if let Some(c) = c {
                    r = pick(r, read(c));
                }
                write(canonical(r).to_bits())
            };
            return if i.operands.len() == 4 {
                self.scalar(i, ty, [ty; 3], move |a, b, c| f(a, b, Some(c)))
            } else {
                self.scalar(i, ty, [ty; 2], move |a, b, _| f(a, b, None))
            };
        }
        self.unknown("instruction")
    }

    fn testp(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let ty = self.need(m.last_type(), "type")?;
        let kinds = [
            "finite",
            "infinite",
            "number",
            "notanumber",
            "normal",
            "subnormal",
        ];
        let kind = self.need(m.find(|s| kinds.iter().position(|k| *k == s)), "property")?;
        self.finish_mods(&m)?;
        let test = move |class: std::num::FpCategory| {
            use std::num::FpCategory::*;
            u64::from(match kind {
                0 => !matches!(class, Infinite | Nan),
                1 => class == Infinite,
                2 => class != Nan,
                3 => class == Nan,
                // Zero counts as normal: seen on an H200.
                4 => matches!(class, Normal | Zero),
                _ => class == Subnormal,
            })
        };
        match ty {
            Type::F32 => self.scalar(i, Type::Pred, [ty], move |a, _, _| {
                test(f32::from_bits(a as u32).classify())
            }),
            Type::F64 => self.scalar(i, Type::Pred, [ty], move |a, _, _| {
                test(f64::from_bits(a).classify())
            }),
            _ => self.unknown(format!("type .{}", ty.name())),
        }
    }

    // Comparison.

    fn compare_instruction(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let set = i.name == "set";
        let ty = self.need(m.last_type(), "type")?;
        let result = if set {
            Some(self.need(m.last_type(), "type of the result")?)
        } else {
            None
        };
        let join = m.find(|s| match s {
            "and" => Some(1),
            "or" => Some(2),
            "xor" => Some(3),
            _ => None,
        });
        let ftz = m.take("ftz");
        let names = [
            "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu",
            "gtu", "geu", "num", "nan",
        ];
        let relation = self.need(
            m.find(|s| names.iter().find(|n| **n == s).copied()),
            "comparison",
        )?;
        self.finish_mods(&m)?;
        macro_rules! numbers {
            ($T:ty) => {
                match relation {
                    "eq" => Some(compare(|a: $T, b: $T| a == b)),
                    "ne" => Some(compare(|a: $T, b: $T| a != b)),
                    "lt" | "lo" => Some(compare(|a: $T, b: $T| a < b)),
                    "le" | "ls" => Some(compare(|a: $T, b: $T| a <= b)),
                    "gt" | "hi" => Some(compare(|a: $T, b: $T| a > b)),
                    "ge" | "hs" => Some(compare(|a: $T, b: $T| a >= b)),
                    _ => None,
                }
            };
        }
        macro_rules! floats {
            ($T:ty, $r:expr) => {{
                // For numbers `ne` is false when an operand is NaN, unlike Rust's.
                match relation {
                    "eq" => Some(compare(|a: $T, b: $T| $r(a) == $r(b))),
                    "ne" => Some(compare(|a: $T, b: $T| $r(a) < $r(b) || $r(a) > $r(b))),
                    "lt" => Some(compare(|a: $T, b: $T| $r(a) < $r(b))),
                    "le" => Some(compare(|a: $T, b: $T| $r(a) <= $r(b))),
                    "gt" => Some(compare(|a: $T, b: $T| $r(a) > $r(b))),
                    "ge" => Some(compare(|a: $T, b: $T| $r(a) >= $r(b))),
                    "equ" => Some(compare(|a: $T, b: $T| !($r(a) < $r(b) || $r(a) > $r(b)))),
                    "neu" => Some(compare(|a: $T, b: $T| $r(a) != $r(b))),
                    "ltu" => Some(compare(|a: $T, b: $T| !($r(a) >= $r(b)))),
                    "leu" => Some(compare(|a: $T, b: $T| !($r(a) > $r(b)))),
                    "gtu" => Some(compare(|a: $T, b: $T| !($r(a) <= $r(b)))),
                    "geu" => Some(compare(|a: $T, b: $T| !($r(a) < $r(b)))),
                    "num" => Some(compare(|a: $T, b: $T| !a.is_nan() && !b.is_nan())),
                    "nan" => Some(compare(|a: $T, b: $T| a.is_nan() || b.is_nan())),
                    _ => None,
                }
            }};
        }
        // Functions, not closures: an operation must not capture.
        fn f16(v: u16) -> f32 {
            F16.to_f64(v.into()) as f32
        }
        fn bf16(v: u16) -> f32 {
            f32::from_bits(u32::from(v) << 16)
        }
        macro_rules! halves {
            ($r:expr) => {{
                match relation {
                    "eq" => Some(compare(|a: u16, b: u16| $r(a) == $r(b))),
                    "ne" => Some(compare(|a: u16, b: u16| $r(a) < $r(b) || $r(a) > $r(b))),
                    "lt" => Some(compare(|a: u16, b: u16| $r(a) < $r(b))),
                    "le" => Some(compare(|a: u16, b: u16| $r(a) <= $r(b))),
                    "gt" => Some(compare(|a: u16, b: u16| $r(a) > $r(b))),
                    "ge" => Some(compare(|a: u16, b: u16| $r(a) >= $r(b))),
                    "equ" => Some(compare(|a: u16, b: u16| !($r(a) < $r(b) || $r(a) > $r(b)))),
                    "neu" => Some(compare(|a: u16, b: u16| $r(a) != $r(b))),
                    "ltu" => Some(compare(|a: u16, b: u16| !($r(a) >= $r(b)))),
                    "leu" => Some(compare(|a: u16, b: u16| !($r(a) > $r(b)))),
                    "gtu" => Some(compare(|a: u16, b: u16| !($r(a) <= $r(b)))),
                    "geu" => Some(compare(|a: u16, b: u16| !($r(a) < $r(b)))),
                    "num" => Some(compare(|a: u16, b: u16| !$r(a).is_nan() && !$r(b).is_nan())),
                    "nan" => Some(compare(|a: u16, b: u16| $r(a).is_nan() || $r(b).is_nan())),
                    _ => None,
                }
            }};
        }
        // `lo` and its like are unsigned whatever the type says.
        let unsigned = matches!(relation, "lo" | "ls" | "hi" | "hs");
        let f = match ty {
            Type::F32 if ftz => floats!(f32, flush),
            Type::F32 => floats!(f32, |x: f32| x),
            _ if ftz && !matches!(ty, Type::F16) => return self.unknown("modifier `.ftz`"),
            Type::F64 => floats!(f64, |x: f64| x),
            Type::F16 => halves!(f16),
            Type::Bf16 => halves!(bf16),
            Type::S16 if !unsigned => numbers!(i16),
            Type::S32 if !unsigned => numbers!(i32),
            Type::S64 if !unsigned => numbers!(i64),
            Type::U16 | Type::B16 | Type::S16 => numbers!(u16),
            Type::U32 | Type::B32 | Type::S32 => numbers!(u32),
            Type::U64 | Type::B64 | Type::S64 => numbers!(u64),
            _ => return self.unknown(format!("type .{}", ty.name())),
        };
        let f = self.need(f, "such comparison for the type")?;
        let wanted = if join.is_some() { 4 } else { 3 };
        if i.operands.len() != wanted {
            return self.unknown(format!(
                "{} operands where {wanted} belong",
                i.operands.len()
            ));
        }
        let (a, b) = (
            self.src_of(&i.operands[1], ty)?,
            self.src_of(&i.operands[2], ty)?,
        );
        let (mut c, mut x) = (NONE, 0);
        if let Some(j) = join {
            let o = &i.operands[3];
            x = j;
            c = match o {
                Operand::Not(inner) => {
                    x |= 4;
                    self.src_of(inner, Type::Pred)?
                }
                _ => self.src_of(o, Type::Pred)?,
            };
        }
        if let Some(result) = result {
            // `set` gives all ones or 1.0 instead of a predicate.
            let yes = match result {
                Type::U32 | Type::S32 => u32::MAX,
                Type::F32 => 1f32.to_bits(),
                _ => return self.unknown(format!("result of type .{}", result.name())),
            };
            let p = self.row(0);
            let inst = self.inst(Op::Lanes(f));
            self.push(Inst {
                d: p,
                a,
                b,
                c,
                x,
                ..inst
            });
            let (yes, no) = (self.constant(yes.into(), 4), self.constant(0, 4));
            let d = self.dst_of(&i.operands[0], 4)?;
            let inst = self.inst(Op::Lanes(select(PhantomData::<u32>)));
            self.push(Inst {
                d,
                a: yes,
                b: no,
                c: p,
                ..inst
            });
            return Ok(());
        }
        let (d, d2) = match &i.operands[0] {
            Operand::Pair(p, q) => (self.dst_of(p, 0)?, self.dst_of(q, 0)?),
            o => (self.dst_of(o, 0)?, NONE),
        };
        let inst = self.inst(Op::Lanes(f));
        self.push(Inst {
            d,
            d2,
            a,
            b,
            c,
            x,
            ..inst
        });
        Ok(())
    }

    // Moves.

    fn copy(&mut self, d: u32, a: u32, width: Width) -> Decoded<()> {
        let f = match width {
            0 => predicates(|a, _, _| a),
            1 => op1(|a: u8| a),
            2 => op1(|a: u16| a),
            4 => op1(|a: u32| a),
            8 => op1(|a: u64| a),
            _ => op1(|a: u128| a),
        };
        let inst = self.inst(Op::Lanes(f));
        self.push(Inst { d, a, ..inst });
        Ok(())
    }

    fn mov(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let ty = self.need(m.last_type(), "type")?;
        self.finish_mods(&m)?;
        let [d, a] = self.operands::<2>(i)?;
        match (d, a) {
            // Packs: the first element is the lowest.
            (_, Operand::Vector(parts)) => {
                let width = width_of(ty);
                let d = self.dst_of(d, width)?;
                let each = self.part_type(ty, parts.len())?;
                let mut rows = Vec::new();
                for p in parts {
                    rows.push(self.src_of(p, each)?);
                }
                // A temporary: an element may be the destination's own register.
                let t = self.row(width);
                for (k, row) in rows.into_iter().enumerate() {
                    self.pack(t, row, width, width_of(each), k, true);
                }
                self.copy(d, t, width)
            }
            (Operand::Vector(parts), _) => {
                let width = width_of(ty);
                let a = self.src_of(a, ty)?;
                let each = self.part_type(ty, parts.len())?;
                let t = self.row(width);
                self.copy(t, a, width)?;
                for (k, p) in parts.iter().enumerate() {
                    if matches!(p, Operand::Name(n) if n == "_") {
                        continue;
                    }
                    let d = self.dst_of(p, width_of(each))?;
                    self.pack(d, t, width, width_of(each), k, false);
                }
                Ok(())
            }
            (d, Operand::Name(n)) if self.is_special(n) => {
                let s = self.need(super::special(n), "such special register")?;
                let (d, width) = self.dst(d)?;
                if let Special::Constant(c) = s {
                    let a = self.constant(c.into(), width);
                    return self.copy(d, a, width);
                }
                let inst = self.inst(Op::Special(s));
                self.push(Inst {
                    d,
                    x: width.into(),
                    ..inst
                });
                Ok(())
            }
            _ => {
                let width = width_of(ty);
                let d = self.dst_of(d, width)?;
                let a = self.src_of(a, ty)?;
                self.copy(d, a, width)
            }
        }
    }

    fn is_special(&mut self, name: &str) -> bool {
        name.starts_with('%') && self.lookup(name).is_none() && super::special(name).is_some()
    }

    fn part_type(&mut self, whole: Type, parts: usize) -> Decoded<Type> {
        match (whole.bits(), parts) {
            (128, 2) => Ok(Type::B64),
            (64, 2) => Ok(Type::B32),
            (32, 2) => Ok(Type::B16),
            (128, 4) => Ok(Type::B32),
            (64, 4) => Ok(Type::B16),
            (16, 2) => Ok(Type::B8),
            (32, 4) => Ok(Type::B8),
            _ => self.unknown(format!("{parts} parts of .{}", whole.name())),
        }
    }

    /// Copies a part into the `k`th place of a whole, or out of it.
    fn pack(&mut self, d: u32, a: u32, whole: Width, part: Width, k: usize, into: bool) {
        let mut op = self.inst(Op::Pack { whole, part, into });
        (op.d, op.a, op.x) = (d, a, k as u32);
        self.push(op);
    }

    // Bits.

    fn lop3(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let ty = self.need(m.last_type(), "type")?;
        self.finish_mods(&m)?;
        if ty != Type::B32 {
            return self.unknown(format!("type .{}", ty.name()));
        }
        let [d, a, b, c, Operand::Int(table)] = self.operands::<5>(i)? else {
            return self.unknown("the table is no constant");
        };
        let table = *table as u8;
        let (a, b, c) = (
            self.src_of(a, ty)?,
            self.src_of(b, ty)?,
            self.src_of(c, ty)?,
        );
        let d = self.dst_of(d, 4)?;
        let f: ScalarFn = Arc::new(move |a, b, c| {
            let mut r = 0;
            for k in 0..8u32 {
                if table >> k & 1 != 0 {
                    let on = |v: u64, bit: u32| if k & bit != 0 { v } else { !v };
                    r |= on(a, 4) & on(b, 2) & on(c, 1);
                }
            }
            r
        });
        let inst = self.inst(Op::Scalar(Arc::new(Scalar { f, widths: [4; 4] })));
        self.push(Inst { d, a, b, c, ..inst });
        Ok(())
    }

    fn prmt(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let ty = Type::B32;
        if !m.take("b32") {
            return self.unknown("type");
        }
        let mode = m.find(|s| {
            ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]
                .iter()
                .position(|k| *k == s)
        });
        self.finish_mods(&m)?;
        if ty != Type::B32 {
            return self.unknown(format!("type .{}", ty.name()));
        }
        self.scalar(i, ty, [ty; 3], move |a, b, c| {
            let bytes = a | b << 32;
            let n = (c & 3) as u32;
            let select: [u32; 4] = std::array::from_fn(|k| {
                let k = k as u32;
                match mode {
                    None => (c >> (4 * k) & 15) as u32,
                    Some(0) => n + k,
                    Some(1) => (n + 8 - k) & 7,
                    Some(2) => n,
                    Some(3) => k.max(n),
                    Some(4) => k.min(n),
                    _ => (n & 1) * 2 + (k & 1),
                }
            });
            let mut r = 0;
            for (k, s) in select.into_iter().enumerate() {
                let byte = bytes >> (8 * (s & 7)) & 0xff;
                let byte = if mode.is_none() && s & 8 != 0 {
                    if byte & 0x80 != 0 { 0xff } else { 0 }
                } else {
                    byte
                };
                r |= byte << (8 * k);
            }
            r
        })
    }

    fn bfind(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let ty = self.need(m.last_type(), "type")?;
        let amount = m.take("shiftamt");
        self.finish_mods(&m)?;
        let bits = ty.bits();
        if !matches!(ty, Type::U32 | Type::S32 | Type::U64 | Type::S64) {
            return self.unknown(format!("type .{}", ty.name()));
        }
        self.scalar(i, Type::U32, [ty], move |a, _, _| {
            let v = extend(a, ty);
            let v = (if v < 0 { !v } else { v }) as u64;
            if v == 0 {
                return u32::MAX.into();
            }
            let top = 63 - v.leading_zeros();
            u64::from(if amount { bits - 1 - top } else { top })
        })
    }

    fn shf(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let ty = self.need(m.last_type(), "type")?;
        let left = m.take("l");
        if !left && !m.take("r") {
            return self.unknown("neither .l nor .r");
        }
        let clamp = m.take("clamp");
        if !clamp && !m.take("wrap") {
            return self.unknown("neither .clamp nor .wrap");
        }
        self.finish_mods(&m)?;
        if ty != Type::B32 {
            return self.unknown(format!("type .{}", ty.name()));
        }
        let f = match (left, clamp) {
            (true, false) => op3(|a: u32, b: u32, c: u32| {
                ((u64::from(b) << 32 | u64::from(a)) << (c & 31) >> 32) as u32
            }),
            (false, false) => op3(|a: u32, b: u32, c: u32| {
                ((u64::from(b) << 32 | u64::from(a)) >> (c & 31)) as u32
            }),
            (true, true) => op3(|a: u32, b: u32, c: u32| {
                ((u64::from(b) << 32 | u64::from(a)) << c.min(32) >> 32) as u32
            }),
            (false, true) => op3(|a: u32, b: u32, c: u32| {
                ((u64::from(b) << 32 | u64::from(a)) >> c.min(32)) as u32
            }),
        };
        self.lanes(f, i, ty, [ty, ty, Type::U32])
    }

    fn dot(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let two = i.name == "dp2a";
        let hi = two && m.take("hi");
        if two && !hi && !m.take("lo") {
            return self.unknown("neither .lo nor .hi");
        }
        let b_type = self.need(m.last_type(), "type")?;
        let a_type = self.need(m.last_type(), "type")?;
        self.finish_mods(&m)?;
        let sign = |ty: Type| match ty {
            Type::S32 => Some(true),
            Type::U32 => Some(false),
            _ => None,
        };
        let (sa, sb) = (
            self.need(sign(a_type), "such type")?,
            self.need(sign(b_type), "such type")?,
        );
        let byte = |v: u64, k: u32, s: bool| {
            let v = (v >> (8 * k)) as u8;
            if s {
                i64::from(v.cast_signed())
            } else {
                i64::from(v)
            }
        };
        let half = |v: u64, k: u32, s: bool| {
            let v = (v >> (16 * k)) as u16;
            if s {
                i64::from(v.cast_signed())
            } else {
                i64::from(v)
            }
        };
        self.scalar(i, Type::B32, [Type::B32; 3], move |a, b, c| {
            let sum: i64 = if two {
                (0..2)
                    .map(|k| half(a, k, sa) * byte(b, k + if hi { 2 } else { 0 }, sb))
                    .sum()
            } else {
                (0..4).map(|k| byte(a, k, sa) * byte(b, k, sb)).sum()
            };
            c.wrapping_add(sum as u64)
        })
    }
}
