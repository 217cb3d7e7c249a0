//! Fields of bits, three-way logic, permutations of bytes, funnel shifts.

use super::alu::{extend, signed};
use super::by_type::by_bits;
use super::{Decoded, Decoder, Mods, width_of};
use crate::float::flush;
use crate::inst::*;
use crate::lanes::{op2, op3, select};
use ptx::{Instruction, Operand, Type};
use std::marker::PhantomData;
use std::sync::Arc;

impl Decoder<'_> {
    pub(super) fn fields(&mut self, i: &Instruction, ty: Type, mut m: Mods<'_>) -> Decoded<()> {
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

    pub(super) fn lop3(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
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

    pub(super) fn prmt(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
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

    pub(super) fn bfind(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
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

    pub(super) fn shf(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
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
}
