//! Shifts and rotations of every width, with amounts past the width.

difftest::diff! {
    tag shifts;

    fn wrapping_shifts_8(a: u8, b: i8, n: u32) -> (u8, u8, i8, i8) {
        (a.wrapping_shl(n), a.wrapping_shr(n), b.wrapping_shl(n), b.wrapping_shr(n))
    }

    fn wrapping_shifts_16(a: u16, b: i16, n: u32) -> (u16, u16, i16, i16) {
        (a.wrapping_shl(n), a.wrapping_shr(n), b.wrapping_shl(n), b.wrapping_shr(n))
    }

    fn wrapping_shifts_32(a: u32, b: i32, n: u32) -> (u32, u32, i32, i32) {
        (a.wrapping_shl(n), a.wrapping_shr(n), b.wrapping_shl(n), b.wrapping_shr(n))
    }

    fn wrapping_shifts_64(a: u64, b: i64, n: u32) -> (u64, u64, i64, i64) {
        (a.wrapping_shl(n), a.wrapping_shr(n), b.wrapping_shl(n), b.wrapping_shr(n))
    }

    fn wrapping_shifts_128(a: u128, b: i128, n: u32) -> (u128, u128, i128, i128) {
        (a.wrapping_shl(n), a.wrapping_shr(n), b.wrapping_shl(n), b.wrapping_shr(n))
    }

    fn checked_shifts(a: u32, b: i64, n: u32) -> (Option<u32>, Option<u32>, Option<i64>, Option<i64>) {
        (a.checked_shl(n), a.checked_shr(n), b.checked_shl(n), b.checked_shr(n))
    }

    fn checked_shifts_128(a: u128, n: u32) -> (Option<u128>, Option<u128>) {
        (a.checked_shl(n), a.checked_shr(n))
    }

    fn overflowing_shifts(a: u8, b: i16, n: u32) -> ((u8, bool), (i16, bool)) {
        (a.overflowing_shl(n), b.overflowing_shr(n))
    }

    fn unbounded_shifts(a: u32, b: i32, n: u32) -> (u32, u32, i32) {
        (a.unbounded_shl(n), a.unbounded_shr(n), b.unbounded_shr(n))
    }

    fn rotations_8_and_16(a: u8, b: u16, n: u32) -> (u8, u8, u16, u16) {
        (a.rotate_left(n), a.rotate_right(n), b.rotate_left(n), b.rotate_right(n))
    }

    fn rotations_32_and_64(a: u32, b: i64, n: u32) -> (u32, u32, i64, i64) {
        (a.rotate_left(n), a.rotate_right(n), b.rotate_left(n), b.rotate_right(n))
    }

    fn rotations_128(a: u128, n: u32) -> (u128, u128) {
        (a.rotate_left(n), a.rotate_right(n))
    }

    // The amount's type need not be the shifted type.
    fn amounts_of_other_types(a: u64, n: u8) -> [u64; 6] {
        let n = n & 31;
        [a << n, a >> n as i64, a << n as i8, a >> n as u128, a << n as i128, (a as i64 >> n as u16) as u64]
    }

    fn wide_by_narrow_and_narrow_by_wide(a: u128, b: u8, n: u64) -> (u128, i128, u8, i8) {
        (a << (n & 127), a as i128 >> (n & 127), b << (n & 7), b as i8 >> (n & 7) as u128)
    }

    fn bit_fields(a: u64, from: u8, width: u8) -> (u64, u64) {
        let from = (from & 31) as u32;
        let width = (width & 31) as u32;
        let mask = (1u64 << width) - 1;
        (a >> from & mask, (a & !(mask << from)) | (!a & mask) << from)
    }

    fn shift_and_assign(a: u32, b: i8, n: u8) -> (u32, i8, u32) {
        let (mut x, mut y, mut z) = (a, b, a);
        for i in 0..n & 7 {
            x <<= 1;
            x |= (i & 1) as u32;
            y >>= 1;
            z ^= z >> 3 << (i & 3);
        }
        (x, y, z)
    }

    fn xorshift(a: u64) -> u64 {
        let mut x = a | 1;
        for _ in 0..5 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
        }
        x
    }

    fn crc(v: [u8; 8]) -> u32 {
        let mut crc = !0u32;
        for byte in v {
            crc ^= byte as u32;
            for _ in 0..8 {
                let low = crc & 1;
                crc = crc >> 1 ^ (0xedb8_8320 & low.wrapping_neg());
            }
        }
        !crc
    }
}
