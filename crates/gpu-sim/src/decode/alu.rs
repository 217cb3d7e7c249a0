//! Integer arithmetic and logic, and what sends every other instruction without control flow or memory to its file.

use super::by_type::{by_bits, by_int};
use super::{Decoded, Decoder, Mods, width_of};
use crate::inst::*;
use crate::lanes::{LaneFn, op1, op2, op3, predicates};
use ptx::{Instruction, Type};
use std::sync::Arc;

pub(super) fn signed(ty: Type) -> bool {
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
    pub(super) fn lanes<const N: usize>(
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

    // Carries.

    // Floats.

    // Comparison.

    // Moves.

    // Bits.

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
