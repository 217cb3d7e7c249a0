//! Floating-point arithmetic that Rust does not have: directed rounding, small formats, flushing, PTX's minimum and
//! maximum.
//!
//! Results of the small formats and of directed `f32` operations are computed in `f64` rounded to odd, which a second
//! rounding to fewer bits cannot falsify.

use rustc_apfloat::ieee::Double;
use rustc_apfloat::{Float, Round, StatusAnd};

/// PTX's rounding modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// To nearest, ties to even.
    Rn,
    /// To nearest, ties away from zero.
    Rna,
    /// Towards zero.
    Rz,
    /// Towards minus infinity.
    Rm,
    /// Towards plus infinity.
    Rp,
}

/// A binary format of at most 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub exponent: u32,
    pub mantissa: u32,
}

pub(crate) const F16: Format = Format {
    exponent: 5,
    mantissa: 10,
};
pub(crate) const BF16: Format = Format {
    exponent: 8,
    mantissa: 7,
};
pub(crate) const F32: Format = Format {
    exponent: 8,
    mantissa: 23,
};

impl Format {
    fn sign_bit(self) -> u64 {
        1 << (self.exponent + self.mantissa)
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.mantissa
    }

    /// PTX's canonical NaN: all bits but the sign.
    pub fn nan(self) -> u64 {
        self.sign_bit() - 1
    }

    /// The exact value of bits of this format.
    pub fn to_f64(self, bits: u64) -> f64 {
        if self == F32 {
            return f64::from(f32::from_bits(bits as u32));
        }
        let sign = if bits & self.sign_bit() != 0 {
            -1.0
        } else {
            1.0
        };
        let bias = (1i32 << (self.exponent - 1)) - 1;
        let exponent = (bits >> self.mantissa & ((1 << self.exponent) - 1)) as i32;
        let fraction = (bits & ((1 << self.mantissa) - 1)) as f64;
        if exponent == (1 << self.exponent) - 1 {
            return if fraction == 0.0 {
                sign * f64::INFINITY
            } else {
                f64::NAN
            };
        }
        let scale = |e: i32| f64::from_bits(((e + 1023) as u64) << 52);
        let unit = scale(-(self.mantissa as i32));
        if exponent == 0 {
            sign * fraction * unit * scale(1 - bias)
        } else {
            sign * (1.0 + fraction * unit) * scale(exponent - bias)
        }
    }

    /// Rounds a value to bits of this format.
    pub fn round(self, value: f64, mode: Rounding) -> u64 {
        if value.is_nan() {
            return self.nan();
        }
        let bits = value.to_bits();
        let negative = bits >> 63 != 0;
        let sign = if negative { self.sign_bit() } else { 0 };
        let magnitude = bits & !(1 << 63);
        if magnitude == 0 {
            return sign;
        }
        if value.is_infinite() {
            return sign | self.infinity();
        }
        let bias = (1i32 << (self.exponent - 1)) - 1;
        let raw = (magnitude >> 52) as i32;
        // An f64 subnormal is far below the least subnormal of all formats here: any tiny number does for it.
        let (exponent, significand) = if raw == 0 {
            (-1022, 1u64)
        } else {
            (raw - 1023, magnitude & ((1 << 52) - 1) | 1 << 52)
        };
        // The exponent of the result's last place.
        let lowest = 1 - bias;
        let drop = (52 - self.mantissa as i32) + (lowest - exponent).max(0);
        let (kept, rest, half) = if drop > 62 {
            (0, 1u64, 2u64)
        } else {
            (
                significand >> drop,
                significand & ((1 << drop) - 1),
                1u64 << (drop - 1),
            )
        };
        let up = match mode {
            Rounding::Rn => rest > half || rest == half && kept & 1 != 0,
            Rounding::Rna => rest >= half,
            Rounding::Rz => false,
            Rounding::Rm => negative && rest != 0,
            Rounding::Rp => !negative && rest != 0,
        };
        let kept = kept + u64::from(up);
        let result = if exponent < lowest {
            kept
        } else {
            // Carries of the significand run into the exponent as they should.
            (((exponent + bias) as u64) << self.mantissa) + (kept - (1 << self.mantissa))
        };
        if result >= self.infinity() {
            let finite = match mode {
                Rounding::Rn | Rounding::Rna => false,
                Rounding::Rz => true,
                Rounding::Rm => !negative,
                Rounding::Rp => negative,
            };
            return sign
                | if finite {
                    self.infinity() - 1
                } else {
                    self.infinity()
                };
        }
        sign | result
    }
}

/// The sum rounded to nearest, and what the rounding lost.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// `value` is rounded to nearest and `rest` was lost by it: rounds to odd instead.
fn to_odd(value: f64, rest: f64) -> f64 {
    if rest == 0.0 || !value.is_finite() || rest.is_nan() || value.to_bits() & 1 != 0 {
        return value;
    }
    if rest > 0.0 {
        value.next_up()
    } else {
        value.next_down()
    }
}

/// `a + b` for a second rounding.
pub(crate) fn add_odd(a: f64, b: f64) -> f64 {
    let (s, e) = two_sum(a, b);
    to_odd(s, e)
}

/// `a * b + c` for a second rounding; `a * b` is exact in `f64`.
pub(crate) fn fma_odd(a: f64, b: f64, c: f64) -> f64 {
    add_odd(a * b, c)
}

/// `a / b` for a second rounding.
pub(crate) fn div_odd(a: f64, b: f64) -> f64 {
    let q = a / b;
    if !q.is_finite() || b.is_infinite() || q == 0.0 {
        return q;
    }
    let r = (-q).mul_add(b, a);
    to_odd(q, if b > 0.0 { r } else { -r })
}

/// The square root for a second rounding.
pub(crate) fn sqrt_odd(a: f64) -> f64 {
    let q = a.sqrt();
    if !q.is_finite() || q == 0.0 {
        return q;
    }
    to_odd(q, (-q).mul_add(q, a))
}

/// `value` is rounded to nearest and `rest` has the sign of what was lost: rounds as `mode` says.
fn direct(value: f64, rest: f64, mode: Rounding) -> f64 {
    if value.is_infinite() {
        // An overflow of finite operands; the callers have let real infinities go by.
        return match (mode, value > 0.0) {
            (Rounding::Rz, true) | (Rounding::Rm, true) => f64::MAX,
            (Rounding::Rz, false) | (Rounding::Rp, false) => f64::MIN,
            _ => value,
        };
    }
    if rest == 0.0 || rest.is_nan() {
        return value;
    }
    match mode {
        Rounding::Rn | Rounding::Rna => value,
        Rounding::Rz if value > 0.0 && rest < 0.0 => value.next_down(),
        Rounding::Rz if value < 0.0 && rest > 0.0 => value.next_up(),
        Rounding::Rz => value,
        Rounding::Rm => {
            if rest < 0.0 {
                value.next_down()
            } else {
                value
            }
        }
        Rounding::Rp => {
            if rest > 0.0 {
                value.next_up()
            } else {
                value
            }
        }
    }
}

fn all_finite(v: &[f64]) -> bool {
    v.iter().all(|x| x.is_finite())
}

/// `a + b` in `f64`.
pub(crate) fn add64(a: f64, b: f64, mode: Rounding) -> f64 {
    if mode == Rounding::Rn || !all_finite(&[a, b]) {
        return a + b;
    }
    let (s, e) = two_sum(a, b);
    if s == 0.0 && mode == Rounding::Rm && a.is_sign_negative() != b.is_sign_negative() {
        return -0.0;
    }
    direct(s, e, mode)
}

/// Rounds as `mode` says by exact arithmetic in software.
fn exactly(
    mode: Rounding,
    operands: [f64; 3],
    f: impl Fn([Double; 3], Round) -> StatusAnd<Double>,
) -> f64 {
    let round = match mode {
        Rounding::Rn => Round::NearestTiesToEven,
        Rounding::Rna => Round::NearestTiesToAway,
        Rounding::Rz => Round::TowardZero,
        Rounding::Rm => Round::TowardNegative,
        Rounding::Rp => Round::TowardPositive,
    };
    let operands = operands.map(|v| Double::from_bits(v.to_bits().into()));
    f64::from_bits(f(operands, round).value.to_bits() as u64)
}

/// `a * b` in `f64`.
pub(crate) fn mul64(a: f64, b: f64, mode: Rounding) -> f64 {
    if mode == Rounding::Rn || !all_finite(&[a, b]) {
        return a * b;
    }
    exactly(mode, [a, b, 0.0], |[a, b, _], r| a.mul_r(b, r))
}

/// `a * b + c` in `f64`.
pub(crate) fn fma64(a: f64, b: f64, c: f64, mode: Rounding) -> f64 {
    if mode == Rounding::Rn || !all_finite(&[a, b, c]) {
        return a.mul_add(b, c);
    }
    exactly(mode, [a, b, c], |[a, b, c], r| a.mul_add_r(b, c, r))
}

/// `a / b` in `f64`.
pub(crate) fn div64(a: f64, b: f64, mode: Rounding) -> f64 {
    if mode == Rounding::Rn || !all_finite(&[a, b]) || b == 0.0 {
        return a / b;
    }
    exactly(mode, [a, b, 0.0], |[a, b, _], r| a.div_r(b, r))
}

/// The square root in `f64`.
pub(crate) fn sqrt64(a: f64, mode: Rounding) -> f64 {
    let q = a.sqrt();
    if mode == Rounding::Rn || !q.is_finite() || q == 0.0 {
        return q;
    }
    // Scaled by a power of 4, so that what the rounding lost does not underflow.
    let (up, down) = (f64::from_bits(1623 << 52), f64::from_bits(723 << 52));
    if a < f64::from_bits(400 << 52) {
        return sqrt64(a * up, mode) * down;
    }
    direct(q, (-q).mul_add(q, a), mode)
}

/// The NaN of an operand, if it is one, before a result: the last operand's wins, as on an H200.
#[inline(always)]
pub(crate) fn prefer_nan(operand: f64, result: f64) -> f64 {
    let bits = operand.to_bits();
    f64::from_bits(if bits & !(1 << 63) > 0x7ff << 52 {
        bits | 1 << 51
    } else {
        result.to_bits()
    })
}

/// PTX's canonical NaN for any NaN.
#[inline(always)]
pub(crate) fn canonical(v: f32) -> f32 {
    // On the bits: of floats, the compiler may take one NaN to be as good as another.
    let bits = v.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 {
        0x7fff_ffff
    } else {
        bits
    })
}

/// A subnormal becomes a zero of its sign.
#[inline(always)]
pub(crate) fn flush(v: f32) -> f32 {
    if v.to_bits() & 0x7f80_0000 == 0 {
        f32::from_bits(v.to_bits() & 0x8000_0000)
    } else {
        v
    }
}

/// Clamps to 0 … 1, NaN to 0.
#[inline(always)]
pub(crate) fn saturate(v: f64) -> f64 {
    if v > 0.0 { v.min(1.0) } else { 0.0 }
}

macro_rules! extrema {
    ($min:ident, $max:ident, $f:ty) => {
        /// The lesser; a NaN loses against a number; -0 is less than +0.
        #[inline(always)]
        pub(crate) fn $min(a: $f, b: $f) -> $f {
            if a.is_nan() {
                b
            } else if b.is_nan() {
                a
            } else if a == b {
                if a.is_sign_negative() { a } else { b }
            } else if a < b {
                a
            } else {
                b
            }
        }
        /// The greater; a NaN loses against a number.
        #[inline(always)]
        pub(crate) fn $max(a: $f, b: $f) -> $f {
            if a.is_nan() {
                b
            } else if b.is_nan() {
                a
            } else if a == b {
                if a.is_sign_negative() { b } else { a }
            } else if a > b {
                a
            } else {
                b
            }
        }
    };
}
extrema!(min32, max32, f32);
extrema!(min64, max64, f64);

/// Rounds to an integer value.
pub(crate) fn integral(v: f64, mode: Rounding) -> f64 {
    match mode {
        Rounding::Rn => v.round_ties_even(),
        Rounding::Rna => v.round(),
        Rounding::Rz => v.trunc(),
        Rounding::Rm => v.floor(),
        Rounding::Rp => v.ceil(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f32_round_trip_and_nearest() {
        for bits in [
            0u32,
            1,
            0x7f_ffff,
            0x80_0000,
            0x3f80_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0xff80_0000,
            0x8000_0001,
        ] {
            let v = f32::from_bits(bits);
            assert_eq!(F32.round(f64::from(v), Rounding::Rn), u64::from(bits));
        }
        for v in [
            1.0 + 2f64.powi(-24),
            1.0 + 3.0 * 2f64.powi(-24),
            1e-46,
            7e-46,
            3.5e38,
            -0.1,
            1.17e-38,
        ] {
            assert_eq!(
                F32.round(v, Rounding::Rn),
                u64::from((v as f32).to_bits()),
                "{v}"
            );
        }
    }

    #[test]
    fn small_formats() {
        assert_eq!(F16.round(65504.0, Rounding::Rn), 0x7bff);
        assert_eq!(F16.round(65520.0, Rounding::Rn), 0x7c00);
        assert_eq!(F16.round(65520.0, Rounding::Rz), 0x7bff);
        assert_eq!(F16.round(2f64.powi(-24), Rounding::Rn), 1);
        assert_eq!(F16.round(2f64.powi(-25), Rounding::Rn), 0);
        assert_eq!(F16.round(2f64.powi(-25), Rounding::Rp), 1);
        assert_eq!(F16.to_f64(0x3555), 0.333251953125);
        assert_eq!(F16.to_f64(1), 2f64.powi(-24));
        assert_eq!(
            BF16.round(f64::from(f32::from_bits(0x3f80_8000)), Rounding::Rn),
            0x3f80
        );
        assert_eq!(
            BF16.round(f64::from(f32::from_bits(0x3f81_8000)), Rounding::Rn),
            0x3f82
        );
        for bits in 0..0x7c00u64 {
            assert_eq!(F16.round(F16.to_f64(bits), Rounding::Rm), bits);
        }
    }

    #[test]
    fn directed() {
        assert_eq!(add64(1.0, 1e-30, Rounding::Rp), 1f64.next_up());
        assert_eq!(add64(1.0, -1e-30, Rounding::Rz), 1f64.next_down());
        assert_eq!(add64(1.0, 1e-30, Rounding::Rm), 1.0);
        assert!(add64(1.0, -1.0, Rounding::Rm).is_sign_negative());
        assert_eq!(mul64(f64::MAX, 2.0, Rounding::Rz), f64::MAX);
        assert!(div64(1.0, 3.0, Rounding::Rp) > div64(1.0, 3.0, Rounding::Rm));
        assert_eq!(
            F32.round(add_odd(1.0, 2f64.powi(-60)), Rounding::Rp),
            0x3f80_0001
        );
    }
}
