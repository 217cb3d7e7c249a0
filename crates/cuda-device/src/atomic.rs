//! Atomic access with a scope: which threads see it as one step.
//!
//! `DeviceAtomic*` for the threads of the device, `BlockAtomic*` for those of the block, `SystemAtomic*` for all threads
//! of the system, hosts included (as `core::sync::atomic` on the device).

/// Memory ordering, as in `core::sync::atomic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOrdering {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// 16-bit float as its bits: what the F16 atomics hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct F16(pub u16);

impl F16 {
    /// Exact.
    pub const fn to_f32(self) -> f32 {
        let sign = ((self.0 & 0x8000) as u32) << 16;
        let exponent = ((self.0 >> 10) & 0x1f) as u32;
        let mantissa = (self.0 & 0x3ff) as u32;
        let bits = match (exponent, mantissa) {
            (0, 0) => 0,
            (0, m) => {
                // Subnormal: mantissa × 2⁻²⁴, normalised.
                let shift = m.leading_zeros() - 21;
                ((113 - shift) << 23) | (((m << shift) & 0x3ff) << 13)
            }
            (0x1f, m) => 0x7f80_0000 | m << 13,
            (e, m) => ((e + 112) << 23) | m << 13,
        };
        f32::from_bits(sign | bits)
    }

    /// Rounds to nearest, ties to even.
    pub const fn from_f32(value: f32) -> Self {
        let bits = value.to_bits();
        let sign = (bits >> 16 & 0x8000) as u16;
        let magnitude = bits & 0x7fff_ffff;
        if magnitude > 0x7f80_0000 {
            return F16(sign | 0x7e00);
        }
        // At 65520 and above the nearest is infinity.
        if magnitude >= 0x477f_f000 {
            return F16(sign | 0x7c00);
        }
        if magnitude < 0x3880_0000 {
            // Subnormal or zero: multiples of 2⁻²⁴; below half of one it is zero.
            if magnitude < 0x3300_0000 {
                return F16(sign);
            }
            let exponent = magnitude >> 23;
            let mantissa = magnitude & 0x7f_ffff | 0x80_0000;
            let shift = 126 - exponent;
            let (whole, rest, half) = (
                mantissa >> shift,
                mantissa & ((1 << shift) - 1),
                1 << (shift - 1),
            );
            let up = (rest > half || rest == half && whole & 1 == 1) as u32;
            return F16(sign | (whole + up) as u16);
        }
        let rebased = magnitude - (112 << 23);
        let (whole, rest) = (rebased >> 13, rebased & 0x1fff);
        let up = (rest > 0x1000 || rest == 0x1000 && whole & 1 == 1) as u32;
        F16(sign | (whole + up) as u16)
    }
}

/// The one ordering of a compare-exchange that is at least as strong as both. A failed exchange is a load.
#[inline(always)]
fn exchange_order(success: AtomicOrdering, failure: AtomicOrdering) -> AtomicOrdering {
    use AtomicOrdering::*;
    match (success, failure) {
        (_, Release | AcqRel) => {
            panic!("a failed exchange is relaxed, acquire or sequentially consistent")
        }
        (SeqCst, _) | (_, SeqCst) => SeqCst,
        (Release, Acquire) => AcqRel,
        (Relaxed, Acquire) => Acquire,
        (success, _) => success,
    }
}

cuda_macros::__atomics!(types);

#[cfg(test)]
mod tests {
    use super::F16;

    /// Every 16-bit float is its own nearest, and between two neighbours the nearer is taken, ties to even.
    #[test]
    fn f16_rounds_to_nearest_even() {
        for bits in 0..=u16::MAX {
            let (value, exponent, mantissa) = (F16(bits).to_f32(), bits >> 10 & 31, bits & 0x3ff);
            let expected = match exponent {
                0 => mantissa as f32 * 2f32.powi(-24),
                31 if mantissa == 0 => f32::INFINITY,
                31 => f32::NAN,
                e => (1.0 + mantissa as f32 / 1024.0) * 2f32.powi(e as i32 - 15),
            };
            if expected.is_nan() {
                assert!(value.is_nan() && F16::from_f32(value).to_f32().is_nan());
                continue;
            }
            assert_eq!(value.abs(), expected, "{bits:#x}");
            assert_eq!(F16::from_f32(value).0, bits);
            if bits & 0x7fff < 0x7bff {
                let next = F16(bits + 1).to_f32();
                let middle = (value + next) / 2.0;
                let even = if bits & 1 == 0 { bits } else { bits + 1 };
                assert_eq!(F16::from_f32(middle).0, even, "{bits:#x}");
                let nearer = f32::from_bits(middle.to_bits() - 1);
                assert_eq!(F16::from_f32(nearer).0, bits, "{bits:#x}");
            }
        }
        assert_eq!(F16::from_f32(65519.99).0, 0x7bff);
        assert_eq!(F16::from_f32(65520.0).0, 0x7c00);
        assert_eq!(F16::from_f32(1e-9).0, 0);
    }
}
