//! Saturating arithmetic of every width.

use core::num::Saturating;

difftest::diff! {
    tag saturation;

    fn saturating_8(a: u8, b: u8) -> (u8, u8, u8, i8, i8, i8) {
        let (c, d) = (a as i8, b as i8);
        (a.saturating_add(b), a.saturating_sub(b), a.saturating_mul(b), c.saturating_add(d), c.saturating_sub(d), c.saturating_mul(d))
    }

    fn saturating_16(a: u16, b: u16) -> (u16, u16, u16, i16, i16, i16) {
        let (c, d) = (a as i16, b as i16);
        (a.saturating_add(b), a.saturating_sub(b), a.saturating_mul(b), c.saturating_add(d), c.saturating_sub(d), c.saturating_mul(d))
    }

    fn saturating_32(a: u32, b: u32) -> (u32, u32, u32, i32, i32, i32) {
        let (c, d) = (a as i32, b as i32);
        (a.saturating_add(b), a.saturating_sub(b), a.saturating_mul(b), c.saturating_add(d), c.saturating_sub(d), c.saturating_mul(d))
    }

    fn saturating_64(a: u64, b: u64) -> (u64, u64, u64, i64, i64, i64) {
        let (c, d) = (a as i64, b as i64);
        (a.saturating_add(b), a.saturating_sub(b), a.saturating_mul(b), c.saturating_add(d), c.saturating_sub(d), c.saturating_mul(d))
    }

    fn saturating_128(a: u128, b: u128) -> (u128, u128, i128, i128) {
        let (c, d) = (a as i128, b as i128);
        (a.saturating_add(b), a.saturating_sub(b), c.saturating_add(d), c.saturating_sub(d))
    }

    fn saturating_128_product(a: u128, b: u128) -> (u128, i128) {
        (a.saturating_mul(b), (a as i128).saturating_mul(b as i128))
    }

    fn saturating_mixed_signs(a: u32, b: i32, c: i64, d: u64) -> (u32, i64, i64) {
        (a.saturating_add_signed(b), c.saturating_add_unsigned(d), c.saturating_sub_unsigned(d))
    }

    fn saturating_negation(a: i8, b: i32, c: i128) -> (i8, i8, i32, i32, i128) {
        (a.saturating_neg(), a.saturating_abs(), b.saturating_neg(), b.saturating_abs(), c.saturating_neg())
    }

    fn saturating_powers(a: i32, b: u8, n: u8) -> (i32, u8) {
        (a.saturating_pow((n & 15) as u32), b.saturating_pow((n & 7) as u32))
    }

    fn saturating_division(a: i32, b: i32) -> (i32, i64) {
        let b = if b == 0 { -1 } else { b };
        (a.saturating_div(b), (a as i64).saturating_div(b as i64))
    }

    fn the_saturating_wrapper(a: i16, b: i16, c: u8) -> (i16, u8) {
        let mut x = Saturating(a);
        x += Saturating(b);
        x = x * Saturating(2) - Saturating(b);
        (x.0, (Saturating(c) + Saturating(200) - Saturating(100)).0)
    }

    fn a_running_saturated_sum(v: [i8; 8]) -> (i8, u8) {
        (v.iter().fold(0i8, |a, x| a.saturating_add(*x)), v.iter().fold(0u8, |a, x| a.saturating_add(*x as u8)))
    }
}
