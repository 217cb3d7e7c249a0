//! Comparisons with NaN, casts at the edges, signs of zero, rounding.

use core::cmp::Ordering;
use core::num::FpCategory;

fn order(ordering: Option<Ordering>) -> i32 {
    match ordering {
        Some(Ordering::Less) => -1,
        Some(Ordering::Equal) => 0,
        Some(Ordering::Greater) => 1,
        None => 2,
    }
}

#[derive(PartialEq, PartialOrd, Clone, Copy)]
struct Point {
    x: f32,
    y: f64,
}

difftest::diff! {
    tag nan;

    fn f32_six_comparisons(x: f32, y: f32) -> [bool; 6] {
        [x < y, x <= y, x > y, x >= y, x == y, x != y]
    }

    fn f64_six_comparisons(x: f64, y: f64) -> [bool; 6] {
        [x < y, x <= y, x > y, x >= y, x == y, x != y]
    }

    // `!(x < y)` is not `x >= y` when one of them is no number.
    fn negated_comparisons(x: f32, y: f32) -> [bool; 6] {
        #[allow(clippy::neg_cmp_op_on_partial_ord, clippy::nonminimal_bool)]
        [!(x < y), !(x <= y), !(x > y), !(x >= y), !(x == y), !(x != y)]
    }

    fn branch_on_not_less(x: f64, y: f64) -> u32 {
        let mut path = 0;
        if x < y { path |= 1 } else { path |= 2 }
        #[allow(clippy::neg_cmp_op_on_partial_ord)]
        if !(x > y) { path |= 4 } else { path |= 8 }
        if x == y || x != x { path |= 16 }
        while path < 64 && x >= y {
            path += 32;
        }
        path
    }

    fn partial_order(x: f32, y: f32, z: f64) -> [i32; 3] {
        [order(x.partial_cmp(&y)), order((y as f64).partial_cmp(&z)), order(z.partial_cmp(&(x as f64)))]
    }

    fn derived_order_of_floats(a: f32, b: f64, c: f32) -> (i32, bool, bool) {
        let p = Point { x: a, y: b };
        let q = Point { x: c, y: a as f64 };
        (order(p.partial_cmp(&q)), p == q, p >= q)
    }

    fn total_order(x: f32, y: f32) -> i32 {
        x.total_cmp(&y) as i32
    }

    fn total_order_f64(x: f64, y: f64) -> i32 {
        x.total_cmp(&y) as i32
    }

    // Which zero a minimum of zeros is stays open in Rust; adding zero makes it positive.
    fn min_max_skip_nan(x: f32, y: f32) -> [f32; 2] {
        [x.min(y) + 0.0, x.max(y) + 0.0]
    }

    fn min_max_skip_nan_f64(x: f64, y: f64) -> [f64; 2] {
        [x.min(y) + 0.0, x.max(y) + 0.0]
    }

    fn clamp_keeps_nan(x: f32, y: f32) -> (f32, f32) {
        let low = if y.is_nan() { -1.0 } else { y };
        (x.clamp(-1.0, 1.0), x.clamp(low, f32::INFINITY))
    }

    fn classify(x: f32, y: f64) -> [u32; 2] {
        fn number(category: FpCategory) -> u32 {
            match category {
                FpCategory::Nan => 0,
                FpCategory::Infinite => 1,
                FpCategory::Zero => 2,
                FpCategory::Subnormal => 3,
                FpCategory::Normal => 4,
            }
        }
        [number(x.classify()), number(y.classify())]
    }

    fn predicates(x: f32) -> [bool; 7] {
        [
            x.is_nan(),
            x.is_infinite(),
            x.is_finite(),
            x.is_normal(),
            x.is_subnormal(),
            x.is_sign_negative(),
            x.is_sign_positive(),
        ]
    }

    fn signs_to_the_bit(x: f32, y: f32) -> [u32; 4] {
        [(-x).to_bits(), x.abs().to_bits(), x.copysign(y).to_bits(), f32::from_bits(x.to_bits()).to_bits()]
    }

    fn signs_to_the_bit_f64(x: f64, y: f64) -> [u64; 4] {
        [(-x).to_bits(), x.abs().to_bits(), x.copysign(y).to_bits(), f64::from_bits(x.to_bits()).to_bits()]
    }

    fn signum(x: f32, y: f64) -> (f32, f64) {
        (x.signum(), y.signum())
    }

    // A cast saturates, and NaN becomes 0.
    fn f32_to_small(x: f32) -> (u8, i8, u16, i16, bool) {
        (x as u8, x as i8, x as u16, x as i16, x as i32 == x as i32)
    }

    fn f32_to_32_and_64(x: f32) -> (u32, i32, u64, i64, usize, isize) {
        (x as u32, x as i32, x as u64, x as i64, x as usize, x as isize)
    }

    fn f64_to_small(x: f64) -> (u8, i8, u16, i16) {
        (x as u8, x as i8, x as u16, x as i16)
    }

    fn f64_to_32_and_64(x: f64) -> (u32, i32, u64, i64) {
        (x as u32, x as i32, x as u64, x as i64)
    }

    fn float_to_128(x: f32, y: f64) -> (u128, i128, u128, i128) {
        (x as u128, x as i128, y as u128, y as i128)
    }

    fn integers_to_f32(a: u64, b: i64, c: u32, d: i8) -> [f32; 4] {
        [a as f32, b as f32, c as f32, d as f32]
    }

    fn integers_to_f64(a: u64, b: i64, c: i32, d: u16) -> [f64; 4] {
        [a as f64, b as f64, c as f64, d as f64]
    }

    fn wide_integers_to_floats(a: u128, b: i128) -> (f32, f32, f64, f64) {
        (a as f32, b as f32, a as f64, b as f64)
    }

    fn narrow_and_widen(x: f64, y: f32) -> (f32, f64, f64) {
        (x as f32, y as f64, (x as f32) as f64 - x)
    }

    fn arithmetic_f32(x: f32, y: f32) -> [f32; 5] {
        [x + y, x - y, x * y, x / y, x * y + x]
    }

    fn arithmetic_f64(x: f64, y: f64) -> [f64; 5] {
        [x + y, x - y, x * y, x / y, x * y - y]
    }

    fn remainder(x: f32, y: f32) -> f32 {
        x % y
    }

    fn remainder_f64(x: f64, y: f64) -> f64 {
        x % y
    }

    fn square_root(x: f32, y: f64) -> (f32, f64) {
        (x.sqrt(), y.sqrt())
    }

    fn fused(x: f32, y: f32, z: f32) -> (f32, f32) {
        (x.mul_add(y, z), x * y + z)
    }

    fn fused_f64(x: f64, y: f64, z: f64) -> (f64, f64) {
        (x.mul_add(y, z), x * y + z)
    }

    fn rounding(x: f32) -> [f32; 6] {
        [x.floor(), x.ceil(), x.trunc(), x.round(), x.round_ties_even(), x.fract()]
    }

    fn rounding_f64(x: f64) -> [f64; 6] {
        [x.floor(), x.ceil(), x.trunc(), x.round(), x.round_ties_even(), x.fract()]
    }

    fn nan_in_a_sum_of_an_array(values: [f32; 5]) -> (f32, f32, u32) {
        let mut sum = 0.0;
        let mut largest = f32::NEG_INFINITY;
        let mut numbers = 0;
        for value in values {
            sum += value;
            if value > largest {
                largest = value;
            }
            numbers += u32::from(value == value);
        }
        (sum, largest, numbers)
    }

    fn euclid(x: f32, y: i32) -> (i32, i32) {
        let y = if y == 0 { 3 } else { y };
        let x = (x as i32).max(i32::MIN + 1);
        (x.div_euclid(y), x.rem_euclid(y))
    }
}
