//! Which inputs a type gets: the edges, where things break, and seeded random values, half of them small.

use crate::rng::Rng;

/// The values of a type that a function is tried on.
pub trait Domain {
    /// Values where things break, without duplicates.
    fn edges() -> Vec<Vec<u32>>;
    /// Any value.
    fn random(rng: &mut Rng) -> Vec<u32>;
}

/// The low `bits` of `value` as words.
fn integer_words(value: u128, bits: u32) -> Vec<u32> {
    let value = if bits == 128 {
        value
    } else {
        value & ((1 << bits) - 1)
    };
    (0..bits.div_ceil(32))
        .map(|i| (value >> (32 * i)) as u32)
        .collect()
}

/// Edges of an integer of `bits` bits; signed and unsigned ones share their bit patterns.
fn integer_edges(bits: u32) -> Vec<Vec<u32>> {
    let top = 1u128 << (bits - 1);
    let ones = top | (top - 1);
    let mut values = vec![
        0,
        1,
        2,
        3,
        5,
        7,
        10,
        ones,
        ones - 1,
        ones - 6,
        top,
        top - 1,
        top - 2,
        top + 1,
        ones / 3,
        ones / 3 * 2,
    ];
    for shift in [3, 4, 7, 8, 15, 16, 23, 31, 32, 33, 52, 63, 64, 65, 96, 127] {
        if shift < bits {
            values.extend([1 << shift, (1 << shift) - 1, ones - (1 << shift) + 1]);
        }
    }
    values.sort_unstable();
    values.dedup();
    values
        .into_iter()
        .map(|value| integer_words(value, bits))
        .collect()
}

fn random_integer(rng: &mut Rng, bits: u32) -> Vec<u32> {
    let any = (rng.bits() as u128) << 64 | rng.bits() as u128;
    let value = match rng.below(4) {
        0 => any & 0xff,
        1 => (any & 0xff).wrapping_neg(),
        // A random number of low bits, so that the magnitudes are spread.
        2 => any >> rng.below(128),
        _ => any,
    };
    integer_words(value, bits)
}

macro_rules! integer {
    ($($ty:ty, $bits:literal);*) => {$(
        impl Domain for $ty {
            fn edges() -> Vec<Vec<u32>> {
                integer_edges($bits)
            }
            fn random(rng: &mut Rng) -> Vec<u32> {
                random_integer(rng, $bits)
            }
        }
    )*};
}
integer!(u8, 8; i8, 8; u16, 16; i16, 16; u32, 32; i32, 32; u64, 64; i64, 64; usize, 64; isize, 64; u128, 128; i128, 128);

impl Domain for bool {
    fn edges() -> Vec<Vec<u32>> {
        vec![vec![0], vec![1]]
    }
    fn random(rng: &mut Rng) -> Vec<u32> {
        vec![rng.below(2) as u32]
    }
}

impl Domain for char {
    fn edges() -> Vec<Vec<u32>> {
        [
            '\0', '\t', ' ', '0', '9', 'A', 'Z', 'a', 'z', '\u{7f}', '\u{80}', 'é', 'ß', '\u{7ff}',
            '\u{800}', '漢', '\u{d7ff}',
        ]
        .into_iter()
        .chain(['\u{e000}', '\u{ffff}', '\u{10000}', '🦀', char::MAX])
        .map(|c| vec![c as u32])
        .collect()
    }
    fn random(rng: &mut Rng) -> Vec<u32> {
        let bound = if rng.below(2) == 0 { 0x80 } else { 0x11_0000 };
        vec![char::from_u32(rng.below(bound) as u32).unwrap_or(char::REPLACEMENT_CHARACTER) as u32]
    }
}

/// Bounds of integer types, halves, and numbers around them, which both float types share.
const ROUND: [f64; 27] = [
    0.25,
    0.5,
    0.75,
    1.0,
    1.5,
    2.0,
    2.5,
    3.5,
    10.0,
    127.0,
    127.5,
    128.0,
    255.0,
    255.5,
    256.0,
    32_767.5,
    65_535.9,
    65_536.0,
    8_388_609.0,
    16_777_217.0,
    2_147_483_648.0,
    4_294_967_296.0,
    9_223_372_036_854_775_808.0,
    18_446_744_073_709_551_616.0,
    1.701_411_834_604_692_3e38,
    3.402_823_669_209_385e38,
    0.1,
];

impl Domain for f32 {
    fn edges() -> Vec<Vec<u32>> {
        let mut bits: Vec<u32> = ROUND
            .iter()
            .map(|value| (*value as f32).to_bits())
            .collect();
        // Zero, the subnormals' ends, the smallest normal, 1 ± one step, below 2^31 and 2^32, the largest.
        bits.extend([
            0,
            1,
            0x007f_ffff,
            0x0080_0000,
            0x3f7f_ffff,
            0x3f80_0001,
            0x4eff_ffff,
            0x4f7f_ffff,
            0x7f7f_ffff,
        ]);
        // Infinity, quiet NaNs with and without payload, signalling NaNs.
        bits.extend([
            0x7f80_0000,
            0x7fc0_0000,
            0x7fc1_2345,
            0x7fff_ffff,
            0x7f80_0001,
            0x7fa5_5555,
        ]);
        with_signs(bits, 1 << 31)
            .into_iter()
            .map(|bits| vec![bits])
            .collect()
    }
    fn random(rng: &mut Rng) -> Vec<u32> {
        let bits = match rng.below(3) {
            0 => rng.bits() as u32,
            1 => ((rng.below(2001) as f32 - 1000.0) / 8.0).to_bits(),
            _ => ((rng.bits() as i64 as f64 / i64::MAX as f64) as f32 * 4.0).to_bits(),
        };
        vec![bits]
    }
}

impl Domain for f64 {
    fn edges() -> Vec<Vec<u32>> {
        let mut bits: Vec<u64> = ROUND.iter().map(|value| value.to_bits()).collect();
        bits.extend([
            0,
            1,
            0x000f_ffff_ffff_ffff,
            0x0010_0000_0000_0000,
            0x3fef_ffff_ffff_ffff,
            0x3ff0_0000_0000_0001,
        ]);
        // Below 2^63 and 2^64, the largest; halfway between two f32, f32's overflow limit, f32's subnormals.
        bits.extend([
            0x43df_ffff_ffff_ffff,
            0x43ef_ffff_ffff_ffff,
            0x7fef_ffff_ffff_ffff,
        ]);
        bits.extend([
            0x3ff0_0000_1000_0000,
            0x47ef_ffff_f000_0000,
            0x36a0_0000_0000_0000,
            0x3690_0000_0000_0000,
        ]);
        bits.extend([
            0x7ff0_0000_0000_0000,
            0x7ff8_0000_0000_0000,
            0x7ff8_1234_5678_9abc,
            0x7ff0_0000_0000_0001,
        ]);
        with_signs(bits, 1 << 63)
            .into_iter()
            .map(|bits| vec![bits as u32, (bits >> 32) as u32])
            .collect()
    }
    fn random(rng: &mut Rng) -> Vec<u32> {
        let bits = match rng.below(3) {
            0 => rng.bits(),
            1 => ((rng.below(2001) as f64 - 1000.0) / 8.0).to_bits(),
            _ => (rng.bits() as i64 as f64 / i64::MAX as f64 * 4.0).to_bits(),
        };
        vec![bits as u32, (bits >> 32) as u32]
    }
}

/// Each pattern with and without `sign`, sorted, without duplicates.
fn with_signs<T: Copy + Ord + std::ops::BitOr<Output = T>>(mut bits: Vec<T>, sign: T) -> Vec<T> {
    bits.extend(bits.clone().into_iter().map(|bits| bits | sign));
    bits.sort_unstable();
    bits.dedup();
    bits
}

impl<T: Domain, const N: usize> Domain for [T; N] {
    /// One edge everywhere, and the list of edges laid over the array at every place.
    fn edges() -> Vec<Vec<u32>> {
        let edges = T::edges();
        let same = edges.iter().map(|edge| edge.repeat(N));
        let shifted = (0..edges.len()).map(|from| {
            (0..N)
                .flat_map(|i| edges[(from + i) % edges.len()].clone())
                .collect()
        });
        let mut arrays: Vec<_> = same.chain(shifted).collect();
        arrays.sort_unstable();
        arrays.dedup();
        arrays
    }
    fn random(rng: &mut Rng) -> Vec<u32> {
        let edges = T::edges();
        let few = rng.below(2) == 0;
        // From three edges only, so that there are equal elements, or from anything.
        let pick = [0; 3].map(|_: u32| edges[rng.below(edges.len() as u64) as usize].clone());
        (0..N)
            .flat_map(|_| {
                if few {
                    pick[rng.below(3) as usize].clone()
                } else {
                    T::random(rng)
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Input;

    fn edges<T: Domain + Input>() -> Vec<T> {
        let edges = T::edges();
        assert!(edges.iter().all(|edge| edge.len() == T::WORDS));
        // SAFETY: as many words as the type takes, by the line above.
        edges
            .iter()
            .map(|edge| unsafe { T::read(edge.as_ptr()) })
            .collect()
    }

    #[test]
    fn the_limits_are_among_the_edges() {
        macro_rules! check {
            ($($ty:ty),*) => {$(
                for limit in [0, 1, <$ty>::MIN, <$ty>::MAX, <$ty>::MAX - 1, <$ty>::MIN + 1] {
                    assert!(edges::<$ty>().contains(&limit), "{} of {}", limit, stringify!($ty));
                }
            )*};
        }
        check!(
            u8, i8, u16, i16, u32, i32, u64, i64, usize, isize, u128, i128
        );
        assert!(edges::<f32>().iter().any(|x| x.is_nan()) && edges::<f32>().contains(&f32::MIN));
        assert!(
            edges::<f64>().iter().any(|x| x.is_subnormal())
                && edges::<f64>().contains(&f64::NEG_INFINITY)
        );
        assert!(edges::<char>().contains(&char::MAX));
        assert!(edges::<[bool; 3]>().contains(&[true, false, true]));
    }

    #[test]
    fn random_values_have_their_width() {
        let mut rng = Rng::new(1, "here");
        for _ in 0..100 {
            assert_eq!(<[u16; 3]>::random(&mut rng).len(), 3);
            assert_eq!(i128::random(&mut rng).len(), 4);
            assert!(u8::random(&mut rng)[0] < 256);
        }
    }
}
