//! Integers from 8 to 128 bits: arithmetic, division, comparison, conversion, bits, bytes.

macro_rules! arithmetic {
    ($a:expr, $b:expr, $ty:ty) => {{
        let (a, b): ($ty, $ty) = ($a, $b);
        let safe = if b == 0 { 1 } else { b };
        [
            a.wrapping_add(b),
            a.wrapping_sub(b),
            a.wrapping_mul(b),
            a.wrapping_div(safe),
            a.wrapping_rem(safe),
            a & b,
            a | b,
            a ^ b,
            !a,
            a.min(b),
            a.max(b),
        ]
    }};
}

macro_rules! bits {
    ($a:expr) => {{
        let a = $a;
        [a.count_ones(), a.count_zeros(), a.leading_zeros(), a.trailing_zeros(), a.leading_ones(), a.trailing_ones()]
    }};
}

difftest::diff! {
    tag ints;

    fn arithmetic_u8(a: u8, b: u8) -> [u8; 11] { arithmetic!(a, b, u8) }
    fn arithmetic_i8(a: i8, b: i8) -> [i8; 11] { arithmetic!(a, b, i8) }
    fn arithmetic_u16(a: u16, b: u16) -> [u16; 11] { arithmetic!(a, b, u16) }
    fn arithmetic_i16(a: i16, b: i16) -> [i16; 11] { arithmetic!(a, b, i16) }
    fn arithmetic_u32(a: u32, b: u32) -> [u32; 11] { arithmetic!(a, b, u32) }
    fn arithmetic_i32(a: i32, b: i32) -> [i32; 11] { arithmetic!(a, b, i32) }
    fn arithmetic_u64(a: u64, b: u64) -> [u64; 11] { arithmetic!(a, b, u64) }
    fn arithmetic_i64(a: i64, b: i64) -> [i64; 11] { arithmetic!(a, b, i64) }
    fn arithmetic_u128(a: u128, b: u128) -> [u128; 11] { arithmetic!(a, b, u128) }
    fn arithmetic_i128(a: i128, b: i128) -> [i128; 11] { arithmetic!(a, b, i128) }

    fn count_bits_8_and_16(a: u8, b: i16) -> [[u32; 6]; 2] { [bits!(a), bits!(b)] }
    fn count_bits_32_and_64(a: i32, b: u64) -> [[u32; 6]; 2] { [bits!(a), bits!(b)] }
    fn count_bits_128(a: u128, b: i128) -> [[u32; 6]; 2] { [bits!(a), bits!(b)] }

    fn comparisons_signed_and_unsigned(a: u64, b: u64) -> [bool; 8] {
        [
            a < b,
            (a as i64) < b as i64,
            (a as u32) < b as u32,
            (a as i32) < b as i32,
            (a as u16) <= b as u16,
            (a as i16) <= b as i16,
            (a as u8) > b as u8,
            (a as i8) >= b as i8,
        ]
    }

    fn comparisons_128(a: u128, b: u128) -> ([bool; 4], i32, i32) {
        ([a < b, (a as i128) < b as i128, a == b, a as i128 >= b as i128], a.cmp(&b) as i32, (a as i128).cmp(&(b as i128)) as i32)
    }

    fn truncations_and_extensions(a: u128) -> (u64, i64, u32, i16, i8) {
        ((a as i8) as u64, (a as u16) as i64, (a as i16) as u32, (a as u8) as i16, (a >> 64) as i8)
    }

    fn sign_extension_to_128(a: i8, b: i32, c: i64, d: u64) -> [i128; 4] {
        [a as i128, b as i128, c as i128, d as i128]
    }

    fn bytes_and_bits_reversed(a: u16, b: u32, c: u64) -> (u16, u32, u64, u16, u32, u64) {
        (a.swap_bytes(), b.swap_bytes(), c.swap_bytes(), a.reverse_bits(), b.reverse_bits(), c.reverse_bits())
    }

    fn bytes_and_bits_of_128(a: u128) -> (u128, u128, [u8; 16]) {
        (a.swap_bytes(), a.reverse_bits(), a.to_be_bytes())
    }

    fn bytes_to_numbers(a: [u8; 8]) -> (u64, u64, i32, u16) {
        (u64::from_le_bytes(a), u64::from_be_bytes(a), i32::from_ne_bytes([a[3], a[2], a[1], a[0]]), u16::from_be_bytes([a[6], a[7]]))
    }

    fn multiply_into_twice_the_width(a: u64, b: u64) -> (u128, i128, u64) {
        let wide = a as u128 * b as u128;
        (wide, (a as i64) as i128 * (b as i64) as i128, (wide >> 64) as u64)
    }

    fn division_rounds_to_zero(a: i64, b: i32) -> [i64; 4] {
        let b = if b == 0 || b == -1 { 7 } else { b as i64 };
        [a / b, a % b, a.div_euclid(b), a.rem_euclid(b)]
    }

    fn division_of_128_by_small(a: u128, b: u16) -> (u128, u128, u64) {
        let b = b as u128 + 1;
        (a / b, a % b, ((a / b) as u64) ^ (a % 10) as u64)
    }

    fn division_by_constants(a: u32, b: i32, c: u64, d: i8) -> (u32, u32, i32, i32, u64, i8) {
        (a / 7, a % 10, b / 3, b % -5, c / 1_000_000_007, d / 10)
    }

    fn integer_logarithms_and_roots(a: u32, b: u64) -> [u32; 5] {
        let a = a | 1;
        let b = b | 1;
        [a.ilog2(), a.ilog10(), b.ilog2(), b.ilog(3), a.isqrt()]
    }

    fn powers(a: u32, b: i16, n: u8) -> (u32, i16, u64, u32) {
        let n = (n % 20) as u32;
        (a.wrapping_pow(n), b.wrapping_pow(n), 3u64.pow(n), a.is_power_of_two() as u32)
    }

    fn next_powers_and_multiples(a: u32, b: u16) -> (Option<u32>, u16, u32, u32) {
        let b1 = b as u32 + 1;
        (a.checked_next_power_of_two(), (b >> 2).next_power_of_two(), (a >> 8).next_multiple_of(b1), (a >> 1).div_ceil(b1))
    }

    fn absolute_and_sign(a: i32, b: i8, c: i64) -> (u32, i32, u8, i8, i64, u32) {
        (a.unsigned_abs(), a.signum(), b.unsigned_abs(), b.wrapping_abs(), c.signum(), a.abs_diff(b as i32))
    }

    fn differences_and_middles(a: u64, b: u64, c: i32, d: i32) -> (u64, u32, u64, i32) {
        (a.abs_diff(b), c.abs_diff(d), a.midpoint(b), c.midpoint(d))
    }

    fn characters_and_numbers(c: char, n: u32) -> (u32, Option<char>, Option<u32>, u8) {
        (c as u32, char::from_u32(n), c.to_digit(16), c as u32 as u8)
    }

    fn conversions_that_can_fail(a: i64, b: u32, c: i8) -> (Option<u8>, Option<i16>, Option<i32>, Option<u64>, Option<i8>) {
        (u8::try_from(a).ok(), i16::try_from(b).ok(), i32::try_from(a).ok(), u64::try_from(c).ok(), i8::try_from(b as u16).ok())
    }

    fn bools_are_numbers(a: bool, b: bool, n: u8) -> (u32, u8, bool, bool, bool) {
        (a as u32 * 7 + b as u32, n.wrapping_add(a as u8), a & b | (n > 7), a ^ b, a < b)
    }

    fn a_hash_of_everything(a: u64, b: u128, c: [i16; 3]) -> u64 {
        let mut h = 0xcbf2_9ce4_8422_2325u64;
        let mut eat = |byte: u8| h = (h ^ byte as u64).wrapping_mul(0x100_0000_01b3);
        a.to_le_bytes().into_iter().for_each(&mut eat);
        b.to_be_bytes().into_iter().for_each(&mut eat);
        for x in c {
            eat((x >> 8) as u8);
            eat(x as u8);
        }
        h
    }

    fn greatest_common_divisor(a: u64, b: u64) -> (u64, u32) {
        let (mut a, mut b) = (a, b);
        let mut steps = 0;
        while b != 0 {
            (a, b) = (b, a % b);
            steps += 1;
        }
        (a, steps)
    }

    fn modular_power_in_128(a: u64, n: u16) -> u64 {
        const M: u128 = 0xffff_ffff_ffff_ffc5;
        let mut base = a as u128 % M;
        let mut n = n;
        let mut power = 1u128;
        while n > 0 {
            if n & 1 == 1 {
                power = power * base % M;
            }
            base = base * base % M;
            n >>= 1;
        }
        power as u64
    }
}
