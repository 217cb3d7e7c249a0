//! Arithmetic and functions of `f32` and `f64`.

use super::convert::rounding;
use super::{Decoded, Decoder, Mods};
use crate::float::*;
use crate::lanes::{op1, op2, op3};
use ptx::{Instruction, Type};

impl Decoder<'_> {
    pub(super) fn float_arithmetic(
        &mut self,
        i: &Instruction,
        ty: Type,
        mut m: Mods<'_>,
    ) -> Decoded<()> {
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

    pub(super) fn float_function(
        &mut self,
        i: &Instruction,
        ty: Type,
        mut m: Mods<'_>,
    ) -> Decoded<()> {
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

    pub(super) fn testp(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
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
}
