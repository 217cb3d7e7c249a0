//! Distances in units in the last place.

/// The worst of many distances, and where it was.
#[derive(Default)]
pub struct Error {
    pub worst: f64,
    pub at: String,
}

impl Error {
    pub fn add(&mut self, distance: f64, at: impl FnOnce() -> String) {
        if distance > self.worst {
            self.worst = distance;
            self.at = at();
        }
    }
}

/// How far an `f32` is from the exact result, in ulps of it; infinite where no count of ulps would say what is wrong.
pub fn of_f32(got: f32, want: f64) -> f64 {
    if got.is_nan() || want.is_nan() {
        return if got.is_nan() && want.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if got == 0.0 && want as f32 == 0.0 && got.is_sign_negative() != want.is_sign_negative() {
        return f64::INFINITY;
    }
    // Infinity is what comes after the largest number.
    let end = 2f64.powi(128);
    let (got, want) = (f64::from(got).clamp(-end, end), want.clamp(-end, end));
    let exponent = ((want.abs().to_bits() >> 52) as i32 - 1023).clamp(-126, 127);
    (got - want).abs() / 2f64.powi(exponent - 23)
}

/// How many `f64`s an `f64` is from another; infinite as above.
pub fn of_f64(got: f64, want: f64) -> f64 {
    if got.is_nan() || want.is_nan() {
        return if got.is_nan() && want.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if got == 0.0 && want == 0.0 && got.is_sign_negative() != want.is_sign_negative() {
        return f64::INFINITY;
    }
    let key = |x: f64| {
        let magnitude = (x.to_bits() & (u64::MAX >> 1)) as i64;
        i128::from(if x.is_sign_negative() {
            -magnitude
        } else {
            magnitude
        })
    };
    (key(got) - key(want)).unsigned_abs() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(of_f32(1.0, 1.0), 0.0);
        assert_eq!(of_f32(f32::from_bits(0x3f80_0001), 1.0), 1.0);
        assert_eq!(of_f32(f32::INFINITY, f64::from(f32::MAX)), 1.0);
        assert_eq!(of_f32(f32::from_bits(1), 0.0), 1.0);
        assert_eq!(of_f32(-0.0, 0.0), f64::INFINITY);
        assert_eq!(of_f32(f32::NAN, 0.0), f64::INFINITY);
        assert_eq!(of_f64(1.0, 1.0f64.next_up().next_up()), 2.0);
        assert_eq!(of_f64(f64::INFINITY, f64::MAX), 1.0);
        assert_eq!(of_f64(-0.0, 0.0), f64::INFINITY);
        assert_eq!(of_f64(f64::from_bits(1), -f64::from_bits(1)), 2.0);
    }
}
