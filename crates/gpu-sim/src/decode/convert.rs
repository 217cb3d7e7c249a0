//! `cvt` between every pair of types.

use super::alu::extend;
use super::{Decoded, Decoder, Mods, width_of};
use crate::float::*;
use crate::inst::*;
use crate::lanes::op1;
use ptx::{Instruction, Type};
use std::sync::Arc;

/// A rounding modifier; the integer forms (`rni`) mean the same directions.
pub(super) fn rounding(s: &str) -> Option<Rounding> {
    Some(match s {
        "rn" | "rni" => Rounding::Rn,
        "rna" => Rounding::Rna,
        "rz" | "rzi" => Rounding::Rz,
        "rm" | "rmi" => Rounding::Rm,
        "rp" | "rpi" => Rounding::Rp,
        _ => return None,
    })
}

fn float_format(ty: Type) -> Option<Format> {
    Some(match ty {
        Type::F16 => F16,
        Type::Bf16 => BF16,
        Type::F32 => F32,
        _ => return None,
    })
}

fn is_float(ty: Type) -> bool {
    ty == Type::F64 || float_format(ty).is_some()
}

fn is_integer(ty: Type) -> bool {
    use Type::*;
    matches!(
        ty,
        U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 | B8 | B16 | B32 | B64
    )
}

fn is_signed(ty: Type) -> bool {
    matches!(ty, Type::S8 | Type::S16 | Type::S32 | Type::S64)
}

/// Least and greatest value of an integer type.
fn range(ty: Type) -> (i128, i128) {
    let bits = ty.bits();
    if is_signed(ty) {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

/// An integer rounded to odd in `f64`.
fn int_to_f64_odd(v: i128) -> f64 {
    let near = v as f64;
    let lost = v - near as i128;
    if lost == 0 || near.to_bits() & 1 != 0 {
        near
    } else if lost > 0 {
        near.next_up()
    } else {
        near.next_down()
    }
}

fn int_to_f64(v: i128, mode: Rounding) -> f64 {
    let near = v as f64;
    let lost = v - near as i128;
    match mode {
        Rounding::Rm if lost < 0 => near.next_down(),
        Rounding::Rp if lost > 0 => near.next_up(),
        Rounding::Rz if v > 0 && lost < 0 => near.next_down(),
        Rounding::Rz if v < 0 && lost > 0 => near.next_up(),
        _ => near,
    }
}

impl Decoder<'_> {
    pub(super) fn convert_instruction(&mut self, i: &Instruction) -> Decoded<()> {
        let mut m = Mods::new(i);
        let from = self.need(m.last_type(), "source type")?;
        let to = self.need(m.last_type(), "destination type")?;
        let integral_mode = m
            .left
            .iter()
            .any(|s| matches!(*s, "rni" | "rzi" | "rmi" | "rpi"));
        let mode = m.find(rounding);
        let (ftz, sat, relu) = (m.take("ftz"), m.take("sat"), m.take("relu"));
        let satfinite = m.take("satfinite");
        self.finish_mods(&m)?;
        if satfinite {
            return self.unknown("modifier `.satfinite`");
        }
        if matches!(to, Type::F16x2 | Type::Bf16x2) && from == Type::F32 {
            // The first source is the upper half.
            let format = if to == Type::F16x2 { F16 } else { BF16 };
            let mode = self.need(mode, "rounding modifier")?;
            return self.scalar(i, Type::B32, [Type::F32; 2], move |a, b, _| {
                let one = |v: u64| {
                    let v = f64::from(f32::from_bits(v as u32));
                    let v = if relu && v <= 0.0 { 0.0 } else { v };
                    format.round(v, mode)
                };
                one(a) << 16 | one(b)
            });
        }
        if to == Type::Tf32 && from == Type::F32 {
            let mode = self.need(mode, "rounding modifier")?;
            let tf32 = Format {
                exponent: 8,
                mantissa: 10,
            };
            return self.scalar(i, Type::B32, [Type::B32], move |a, _, _| {
                let v = f64::from(f32::from_bits(a as u32));
                let v = if relu && v <= 0.0 { 0.0 } else { v };
                if v.is_nan() {
                    a & 0xffff_e000 | 1 << 22
                } else {
                    tf32.round(v, mode) << 13
                }
            });
        }
        if !(is_integer(from) || is_float(from)) || !(is_integer(to) || is_float(to)) {
            return self.unknown("pair of types");
        }
        let [d, a] = self.operands::<2>(i)?;
        let ((a, aw), (d, dw)) = (self.src(a, from)?, self.dst(d)?);
        if aw < width_of(from) || dw < width_of(to) || aw == 0 || dw == 0 || aw > 8 || dw > 8 {
            return self.unknown("register narrower than its type");
        }
        let exact = width_of(from) == aw && width_of(to) == dw;
        // The frequent ones, on all lanes at once.
        if !sat && !ftz && !relu && exact {
            use Type::*;
            let f = match (to, from, mode) {
                (U64 | S64 | B64, U32 | B32, None) => Some(op1(|a: u32| u64::from(a))),
                (U64 | S64 | B64, S32, None) => Some(op1(|a: i32| i64::from(a))),
                (U32 | S32 | B32, U64 | S64 | B64, None) => Some(op1(|a: u64| a as u32)),
                (U32 | S32 | B32, U16 | B16, None) => Some(op1(|a: u16| u32::from(a))),
                (U32 | S32 | B32, S16, None) => Some(op1(|a: i16| i32::from(a))),
                (U64 | S64 | B64, U16 | B16, None) => Some(op1(|a: u16| u64::from(a))),
                (U64 | S64 | B64, S16, None) => Some(op1(|a: i16| i64::from(a))),
                (U16 | S16 | B16, U32 | S32 | B32, None) => Some(op1(|a: u32| a as u16)),
                (U16 | S16 | B16, U64 | S64 | B64, None) => Some(op1(|a: u64| a as u16)),
                (F32, S32, Some(Rounding::Rn)) => Some(op1(|a: i32| a as f32)),
                (F32, U32, Some(Rounding::Rn)) => Some(op1(|a: u32| a as f32)),
                (F64, S32, Some(Rounding::Rn)) => Some(op1(|a: i32| f64::from(a))),
                (F64, U32, Some(Rounding::Rn)) => Some(op1(|a: u32| f64::from(a))),
                (F32, S64, Some(Rounding::Rn)) => Some(op1(|a: i64| a as f32)),
                (F32, U64, Some(Rounding::Rn)) => Some(op1(|a: u64| a as f32)),
                (F64, S64, Some(Rounding::Rn)) => Some(op1(|a: i64| a as f64)),
                (F64, U64, Some(Rounding::Rn)) => Some(op1(|a: u64| a as f64)),
                (S32, F32, Some(Rounding::Rz)) => Some(op1(|a: f32| a as i32)),
                (U32, F32, Some(Rounding::Rz)) => Some(op1(|a: f32| a as u32)),
                (F64, F32, None) => Some(op1(|a: f32| f64::from(a))),
                (F32, F64, Some(Rounding::Rn)) => Some(op1(|a: u64| narrow(a))),
                _ => None,
            };
            if let Some(f) = f {
                let inst = Inst {
                    d,
                    a,
                    ..self.inst(Op::Lanes(f))
                };
                self.push(inst);
                return Ok(());
            }
        }
        let f: ScalarFn = match (is_float(from), is_float(to)) {
            (false, false) => {
                if mode.is_some() || ftz || relu {
                    return self.unknown("rounding between integers");
                }
                let (least, greatest) = range(to);
                Arc::new(move |a, _, _| {
                    let v = extend(a, from);
                    let v = if sat { v.clamp(least, greatest) } else { v };
                    // A wider register is filled by the sign of the destination type.
                    extend(v as u64, to) as u64
                })
            }
            (false, true) => {
                let mode = self.need(mode, "rounding modifier")?;
                if integral_mode {
                    return self.unknown("integer rounding to a float");
                }
                match float_format(to) {
                    Some(format) => Arc::new(move |a, _, _| {
                        let v = int_to_f64_odd(extend(a, from));
                        format.round(if sat { saturate(v) } else { v }, mode)
                    }),
                    None => Arc::new(move |a, _, _| {
                        let v = int_to_f64(extend(a, from), mode);
                        (if sat { saturate(v) } else { v }).to_bits()
                    }),
                }
            }
            (true, false) => {
                let mode = self.need(mode, "rounding modifier")?;
                let (least, greatest) = range(to);
                let format = float_format(from);
                let wide = from == Type::F64 || to.bits() == 64;
                Arc::new(move |a, _, _| {
                    let v = read(a, format, ftz);
                    if v.is_nan() {
                        return if wide {
                            extend(1 << (to.bits() - 1), to) as u64
                        } else {
                            0
                        };
                    }
                    let v = integral(v, mode);
                    // 2^127 and more saturate in Rust's cast.
                    extend((v as i128).clamp(least, greatest) as u64, to) as u64
                })
            }
            (true, true) => {
                let source = float_format(from);
                let narrowing = to.bits() < from.bits() || (to.bits() == from.bits() && to != from);
                if narrowing && (mode.is_none() || integral_mode) {
                    return self.unknown("rounding modifier missing, or an integer one");
                }
                if to.bits() > from.bits() && mode.is_some() {
                    return self.unknown("rounding to a wider format");
                }
                let round = if to == from { mode } else { None };
                let mode = mode.unwrap_or(Rounding::Rn);
                let target = float_format(to);
                let same = to == from;
                Arc::new(move |a, _, _| {
                    let mut v = read(a, source, ftz);
                    if same && v.is_nan() && !sat && !relu {
                        return if target == Some(F32) { 0x7fff_ffff } else { a };
                    }
                    // The upper bits of a NaN's payload survive from `f64`: seen on an H200.
                    if source.is_none() && v.is_nan() && !sat && !relu && target == Some(F32) {
                        return narrow(a).into();
                    }
                    if let Some(mode) = round {
                        let sign = v;
                        v = integral(v, mode).copysign(sign);
                    }
                    if sat {
                        v = saturate(v);
                    }
                    if relu && v <= 0.0 {
                        v = 0.0;
                    }
                    match target {
                        Some(F32) if ftz => flush(f32::from_bits(F32.round(v, mode) as u32))
                            .to_bits()
                            .into(),
                        Some(format) => format.round(v, mode),
                        None => v.to_bits(),
                    }
                })
            }
        };
        let inst = self.inst(Op::Scalar(Arc::new(Scalar {
            f,
            widths: [aw, 0, 0, dw],
        })));
        self.push(Inst { d, a, ..inst });
        Ok(())
    }
}

/// The value of float bits; `.ftz` flushes `f32` subnormals.
fn read(bits: u64, format: Option<Format>, ftz: bool) -> f64 {
    match format {
        Some(F32) if ftz => f64::from(flush(f32::from_bits(bits as u32))),
        Some(f) => f.to_f64(bits),
        None => f64::from_bits(bits),
    }
}

/// `f64` to the nearest `f32`; a NaN keeps its sign and the upper bits of its payload.
#[inline(always)]
fn narrow(a: u64) -> u32 {
    if a & !(1 << 63) > 0x7ff << 52 {
        (a >> 32) as u32 & 1 << 31 | 0x7fc0_0000 | (a >> 29) as u32 & 0x003f_ffff
    } else {
        (f64::from_bits(a) as f32).to_bits()
    }
}
