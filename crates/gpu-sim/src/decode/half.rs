//! Arithmetic on `f16`, `bf16` and their pairs.

use super::convert::rounding;
use super::{Decoded, Decoder, Mods};
use crate::float::*;
use ptx::{Instruction, Type};

/// Applies a function to one half, or to both of a pair.
fn each(pair: bool, f: impl Fn(u64, u64, u64) -> u64) -> impl Fn(u64, u64, u64) -> u64 {
    move |a, b, c| {
        let low = f(a & 0xffff, b & 0xffff, c & 0xffff);
        if !pair {
            return low;
        }
        low | f(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff) << 16
    }
}

impl Decoder<'_> {
    pub(super) fn half_instruction(
        &mut self,
        i: &Instruction,
        ty: Type,
        mut m: Mods<'_>,
    ) -> Decoded<()> {
        let pair = matches!(ty, Type::F16x2 | Type::Bf16x2);
        let format = if matches!(ty, Type::F16 | Type::F16x2) {
            F16
        } else {
            BF16
        };
        let bits = if pair { Type::B32 } else { Type::B16 };
        let approx = m.take("approx");
        if let Some(mode) = m.find(rounding)
            && mode != Rounding::Rn
        {
            return self.unknown("rounding modifier");
        }
        let (ftz, sat, relu, nan) = (m.take("ftz"), m.take("sat"), m.take("relu"), m.take("NaN"));
        let (xorsign, abs) = (m.take("xorsign"), m.take("abs"));
        self.finish_mods(&m)?;
        if xorsign || abs {
            return self.unknown("modifier `.xorsign.abs`");
        }
        let sign = 1u64 << 15;
        let tiny = (1u64 << format.mantissa) - 1;
        let flush = move |v: u64| {
            if ftz && v & !sign <= tiny {
                v & sign
            } else {
                v
            }
        };
        let read = move |v: u64| format.to_f64(flush(v));
        let finish = move |v: f64| {
            let v = if sat { saturate(v) } else { v };
            let v = if relu && !v.is_nan() && v <= 0.0 {
                0.0
            } else {
                v
            };
            flush(format.round(v, Rounding::Rn))
        };
        let infinity = format.nan() & !tiny;
        let name = i.name.as_str();
        match name {
            "neg" => {
                return self.scalar(
                    i,
                    bits,
                    [bits],
                    each(pair, move |a, _, _| {
                        if a & !sign > infinity {
                            format.nan()
                        } else {
                            flush(a) ^ sign
                        }
                    }),
                );
            }
            "abs" => {
                return self.scalar(
                    i,
                    bits,
                    [bits],
                    each(pair, move |a, _, _| {
                        if a & !sign > infinity {
                            format.nan()
                        } else {
                            flush(a) & !sign
                        }
                    }),
                );
            }
            _ => {}
        }
        let unary: Option<fn(f64) -> f64> = match (name, approx) {
            ("ex2", true) => Some(f64::exp2),
            ("tanh", true) => Some(f64::tanh),
            _ => None,
        };
        if let Some(f) = unary {
            return self.scalar(
                i,
                bits,
                [bits],
                each(pair, move |a, _, _| finish(f(read(a)))),
            );
        }
        let binary: Option<fn(f64, f64) -> f64> = match name {
            "add" => Some(add_odd),
            "sub" => Some(|a, b| add_odd(a, -b)),
            "mul" => Some(|a, b| a * b),
            "min" => Some(min64),
            "max" => Some(max64),
            _ => None,
        };
        if approx {
            return self.unknown("modifier `.approx`");
        }
        if let Some(f) = binary {
            if nan && !matches!(name, "min" | "max") {
                return self.unknown("modifier `.NaN`");
            }
            return self.scalar(
                i,
                bits,
                [bits; 2],
                each(pair, move |a, b, _| {
                    let (a, b) = (read(a), read(b));
                    if nan && (a.is_nan() || b.is_nan()) {
                        format.nan()
                    } else {
                        finish(f(a, b))
                    }
                }),
            );
        }
        if name == "fma" {
            return self.scalar(
                i,
                bits,
                [bits; 3],
                each(pair, move |a, b, c| {
                    finish(fma_odd(read(a), read(b), read(c)))
                }),
            );
        }
        self.unknown("instruction")
    }
}
