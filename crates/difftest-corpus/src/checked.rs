//! `checked_*`, `overflowing_*`, `wrapping_*`, `carrying_*`: the flag must be the real one.

use core::num::Wrapping;

difftest::diff! {
    tag checked;

    fn checked_u8(a: u8, b: u8) -> (Option<u8>, Option<u8>, Option<u8>, Option<u8>, Option<u8>) {
        (a.checked_add(b), a.checked_sub(b), a.checked_mul(b), a.checked_div(b), a.checked_rem(b))
    }

    fn checked_i8(a: i8, b: i8) -> (Option<i8>, Option<i8>, Option<i8>, Option<i8>, Option<i8>, Option<i8>) {
        (a.checked_add(b), a.checked_sub(b), a.checked_mul(b), a.checked_div(b), a.checked_rem(b), a.checked_neg())
    }

    fn checked_u16_and_i16(a: u16, b: u16) -> (Option<u16>, Option<u16>, Option<i16>, Option<i16>, Option<i16>) {
        let (c, d) = (a as i16, b as i16);
        (a.checked_mul(b), a.checked_sub(b), c.checked_add(d), c.checked_mul(d), c.checked_abs())
    }

    fn checked_u32(a: u32, b: u32) -> (Option<u32>, Option<u32>, Option<u32>, Option<u32>) {
        (a.checked_add(b), a.checked_sub(b), a.checked_mul(b), a.checked_rem(b))
    }

    fn checked_i32(a: i32, b: i32) -> (Option<i32>, Option<i32>, Option<i32>, Option<i32>, Option<i32>) {
        (a.checked_add(b), a.checked_sub(b), a.checked_mul(b), a.checked_div(b), a.checked_div_euclid(b))
    }

    fn checked_u64_and_i64(a: u64, b: u64) -> (Option<u64>, Option<u64>, Option<i64>, Option<i64>, Option<i64>) {
        let (c, d) = (a as i64, b as i64);
        (a.checked_add(b), a.checked_mul(b), c.checked_sub(d), c.checked_mul(d), c.checked_rem(d))
    }

    fn checked_128(a: u128, b: u128) -> (Option<u128>, Option<u128>, Option<i128>, Option<i128>) {
        let (c, d) = (a as i128, b as i128);
        (a.checked_add(b), a.checked_sub(b), c.checked_add(d), c.checked_sub(d))
    }

    fn checked_128_product(a: u128, b: u128) -> (Option<u128>, Option<i128>) {
        (a.checked_mul(b), (a as i128).checked_mul(b as i128))
    }

    fn overflowing_8_and_16(a: i8, b: i8, c: u16, d: u16) -> ((i8, bool), (i8, bool), (i8, bool), (u16, bool), (u16, bool)) {
        (a.overflowing_add(b), a.overflowing_sub(b), a.overflowing_mul(b), c.overflowing_add(d), c.overflowing_mul(d))
    }

    fn overflowing_32(a: u32, b: u32) -> ((u32, bool), (u32, bool), (i32, bool), (i32, bool), (i32, bool)) {
        let (c, d) = (a as i32, b as i32);
        (a.overflowing_add(b), a.overflowing_sub(b), c.overflowing_add(d), c.overflowing_mul(d), c.overflowing_neg())
    }

    fn overflowing_64(a: u64, b: u64) -> ((u64, bool), (u64, bool), (i64, bool), (i64, bool), (i64, bool)) {
        let (c, d) = (a as i64, b as i64);
        (a.overflowing_sub(b), a.overflowing_mul(b), c.overflowing_add(d), c.overflowing_sub(d), c.overflowing_mul(d))
    }

    fn overflowing_128(a: u128, b: u128) -> ((u128, bool), (u128, bool), (i128, bool)) {
        (a.overflowing_add(b), a.overflowing_sub(b), (a as i128).overflowing_sub(b as i128))
    }

    fn overflowing_division(a: i32, b: i32) -> ((i32, bool), (i32, bool)) {
        let b = if b == 0 { 1 } else { b };
        (a.overflowing_div(b), a.overflowing_rem(b))
    }

    fn checked_mixed_signs(a: u32, b: i32, c: i16, d: u16) -> (Option<u32>, (u32, bool), Option<i16>, (i16, bool)) {
        (a.checked_add_signed(b), a.overflowing_add_signed(b), c.checked_sub_unsigned(d), c.overflowing_add_unsigned(d))
    }

    fn checked_powers_and_logarithms(a: i32, b: u64, n: u8) -> (Option<i32>, Option<u64>, Option<u32>, Option<u32>) {
        (a.checked_pow((n & 31) as u32), b.checked_pow((n & 7) as u32), b.checked_ilog2(), b.checked_ilog10())
    }

    fn sums_that_stop_at_overflow(v: [u8; 6], w: [i32; 4]) -> (Option<u8>, Option<i32>, u32) {
        let a = v.iter().try_fold(0u8, |a, x| a.checked_add(*x));
        let b = w.iter().try_fold(1i32, |b, x| b.checked_mul(*x));
        let mut until = 0;
        let mut sum = 0u8;
        for x in v {
            match sum.checked_add(x) {
                Some(s) => sum = s,
                None => break,
            }
            until += 1;
        }
        (a, b, until)
    }

    fn add_of_many_words(a: [u32; 4], b: [u32; 4]) -> ([u32; 4], bool) {
        let mut sum = [0; 4];
        let mut carry = false;
        for i in 0..4 {
            let (s, c1) = a[i].overflowing_add(b[i]);
            let (s, c2) = s.overflowing_add(carry as u32);
            sum[i] = s;
            carry = c1 | c2;
        }
        (sum, carry)
    }

    fn multiply_of_many_words(a: [u32; 3], b: [u32; 3]) -> [u32; 6] {
        let mut product = [0u32; 6];
        for i in 0..3 {
            let mut carry = 0u64;
            for j in 0..3 {
                let t = a[i] as u64 * b[j] as u64 + product[i + j] as u64 + carry;
                product[i + j] = t as u32;
                carry = t >> 32;
            }
            product[i + 3] = carry as u32;
        }
        product
    }

    fn the_wrapping_wrapper(a: i32, b: u8) -> (i32, u8) {
        let mut x = Wrapping(a);
        x *= Wrapping(a) + Wrapping(1);
        x -= Wrapping(i32::MAX);
        (x.0, (-Wrapping(b) << 3).0)
    }

    fn the_flag_alone_decides(a: u32, b: u32) -> u32 {
        if a.overflowing_add(b).1 { 1 } else if a.checked_sub(b).is_none() { 2 } else if a.overflowing_mul(b).1 { 3 } else { 4 }
    }

    fn isqrt_and_checked_wide(a: u64, b: i64) -> (u64, Option<i64>, Option<u64>) {
        (a.isqrt(), b.checked_isqrt(), a.checked_next_multiple_of(b as u64))
    }
}
