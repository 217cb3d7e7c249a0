//! How values travel: as little-endian `u32` words, read and written by the same code on the CPU and in the kernel.
//!
//! Everything here is small, `#[inline(always)]` and free of panics, so that a difference in a case is the case's own.

/// A type that a function of a corpus may take.
pub trait Input: Copy {
    /// Words of one value.
    const WORDS: usize;
    /// What an array is filled with before it is read.
    const ZERO: Self;

    /// Reads a value.
    ///
    /// # Safety
    /// `words` is valid for reads of `WORDS` words.
    unsafe fn read(words: *const u32) -> Self;
}

/// A type that a function of a corpus may return.
pub trait Output {
    /// Words of one value.
    const WORDS: usize;

    /// Writes the value.
    ///
    /// # Safety
    /// `words` is valid for writes of `WORDS` words.
    unsafe fn write(self, words: *mut u32);
}

/// Reads the next argument and moves `words` past it.
///
/// # Safety
/// `words` is valid for reads of `T::WORDS` words.
#[inline(always)]
pub unsafe fn take<T: Input>(words: &mut *const u32) -> T {
    // SAFETY: the caller's promise, which covers one value and the address just past it.
    unsafe {
        let value = T::read(*words);
        *words = words.add(T::WORDS);
        value
    }
}

macro_rules! narrow {
    ($($ty:ty),*) => {$(
        impl Input for $ty {
            const WORDS: usize = 1;
            const ZERO: Self = 0;
            #[inline(always)]
            unsafe fn read(words: *const u32) -> Self {
                // SAFETY: one word, as the caller promises.
                unsafe { *words as $ty }
            }
        }
        impl Output for $ty {
            const WORDS: usize = 1;
            #[inline(always)]
            unsafe fn write(self, words: *mut u32) {
                // SAFETY: one word, as the caller promises.
                unsafe { *words = self as u32 }
            }
        }
    )*};
}
narrow!(u8, i8, u16, i16, u32, i32);

macro_rules! wide {
    ($($ty:ty, $words:literal);*) => {$(
        impl Input for $ty {
            const WORDS: usize = $words;
            const ZERO: Self = 0;
            #[inline(always)]
            unsafe fn read(words: *const u32) -> Self {
                let mut value: $ty = 0;
                let mut i = 0;
                while i < $words {
                    // SAFETY: i is below the number of words that the caller promises.
                    value |= (unsafe { *words.add(i) } as $ty) << (32 * i);
                    i += 1;
                }
                value
            }
        }
        impl Output for $ty {
            const WORDS: usize = $words;
            #[inline(always)]
            unsafe fn write(self, words: *mut u32) {
                let mut i = 0;
                while i < $words {
                    // SAFETY: i is below the number of words that the caller promises.
                    unsafe { *words.add(i) = (self >> (32 * i)) as u32 };
                    i += 1;
                }
            }
        }
    )*};
}
wide!(u64, 2; i64, 2; usize, 2; isize, 2; u128, 4; i128, 4);

impl Input for bool {
    const WORDS: usize = 1;
    const ZERO: Self = false;
    #[inline(always)]
    unsafe fn read(words: *const u32) -> Self {
        // SAFETY: one word, as the caller promises.
        unsafe { *words & 1 == 1 }
    }
}

impl Output for bool {
    const WORDS: usize = 1;
    #[inline(always)]
    unsafe fn write(self, words: *mut u32) {
        // SAFETY: one word, as the caller promises.
        unsafe { *words = self as u32 }
    }
}

impl Input for char {
    const WORDS: usize = 1;
    const ZERO: Self = '\0';
    /// Words that are no scalar value read as U+FFFD.
    #[inline(always)]
    unsafe fn read(words: *const u32) -> Self {
        // SAFETY: one word, as the caller promises.
        let word = unsafe { *words };
        match char::from_u32(word) {
            Some(c) => c,
            None => char::REPLACEMENT_CHARACTER,
        }
    }
}

impl Output for char {
    const WORDS: usize = 1;
    #[inline(always)]
    unsafe fn write(self, words: *mut u32) {
        // SAFETY: one word, as the caller promises.
        unsafe { *words = self as u32 }
    }
}

macro_rules! float {
    ($($ty:ty, $bits:ty);*) => {$(
        impl Input for $ty {
            const WORDS: usize = <$bits as Input>::WORDS;
            const ZERO: Self = 0.0;
            #[inline(always)]
            unsafe fn read(words: *const u32) -> Self {
                // SAFETY: as many words as the integer of this size, which the caller promises.
                <$ty>::from_bits(unsafe { <$bits>::read(words) })
            }
        }
        /// Rust leaves the sign and the payload of a NaN that arithmetic makes open, so every NaN is written as the one quiet
        /// NaN. A function whose bits Rust does define (copies, `neg`, `abs`, `copysign`) returns `to_bits()`.
        impl Output for $ty {
            const WORDS: usize = <$bits as Output>::WORDS;
            #[inline(always)]
            unsafe fn write(self, words: *mut u32) {
                let bits = self.to_bits();
                // The test is on the bits: a comparison of floats is what may be broken.
                let quiet = <$ty>::INFINITY.to_bits() | (<$ty>::INFINITY.to_bits() >> 1);
                let magnitude = bits & (<$bits>::MAX >> 1);
                let bits = if magnitude > <$ty>::INFINITY.to_bits() { quiet } else { bits };
                // SAFETY: as many words as the integer of this size, which the caller promises.
                unsafe { bits.write(words) }
            }
        }
    )*};
}
float!(f32, u32; f64, u64);

impl<T: Input, const N: usize> Input for [T; N] {
    const WORDS: usize = N * T::WORDS;
    const ZERO: Self = [T::ZERO; N];
    #[inline(always)]
    unsafe fn read(words: *const u32) -> Self {
        let mut values = [T::ZERO; N];
        let mut i = 0;
        while i < N {
            // SAFETY: the i-th of N values, all of which the caller promises.
            values[i] = unsafe { T::read(words.add(i * T::WORDS)) };
            i += 1;
        }
        values
    }
}

impl<T: Output + Copy, const N: usize> Output for [T; N] {
    const WORDS: usize = N * T::WORDS;
    #[inline(always)]
    unsafe fn write(self, words: *mut u32) {
        let mut i = 0;
        while i < N {
            // SAFETY: the i-th of N values, all of which the caller promises.
            unsafe { self[i].write(words.add(i * T::WORDS)) };
            i += 1;
        }
    }
}

/// Two words more than the value: whether there is one, and the value or zeros.
impl<T: Output> Output for Option<T> {
    const WORDS: usize = 1 + T::WORDS;
    #[inline(always)]
    unsafe fn write(self, words: *mut u32) {
        // SAFETY: one word and a value, as the caller promises.
        unsafe {
            match self {
                Some(value) => {
                    *words = 1;
                    value.write(words.add(1));
                }
                None => {
                    let mut i = 0;
                    while i < Self::WORDS {
                        *words.add(i) = 0;
                        i += 1;
                    }
                }
            }
        }
    }
}

macro_rules! tuple {
    ($($ty:ident $index:tt),*) => {
        impl<$($ty: Output),*> Output for ($($ty,)*) {
            const WORDS: usize = 0 $(+ $ty::WORDS)*;
            #[inline(always)]
            unsafe fn write(self, words: *mut u32) {
                let mut words = words;
                // SAFETY: the fields lie one after the other in the words that the caller promises.
                unsafe {$(
                    self.$index.write(words);
                    words = words.add($ty::WORDS);
                )*}
                let _ = words;
            }
        }
    };
}
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);

#[cfg(test)]
mod tests {
    use super::*;

    fn words<T: Output>(value: T) -> Vec<u32> {
        let mut words = vec![0xdead_beef; T::WORDS];
        // SAFETY: as many words as the value takes.
        unsafe { value.write(words.as_mut_ptr()) };
        words
    }

    fn round_trip<T: Input + Output + PartialEq + std::fmt::Debug>(value: T) {
        // SAFETY: the words that the value was written to.
        assert_eq!(unsafe { T::read(words(value).as_ptr()) }, value);
    }

    #[test]
    fn values_survive_the_trip() {
        round_trip(-3i8);
        round_trip(i64::MIN + 5);
        round_trip(-1i128 << 77);
        round_trip(['a', '漢', '🦀']);
        round_trip([[1.5f64, -0.0], [f64::MAX, f64::MIN_POSITIVE]]);
        round_trip([true, false]);
    }

    #[test]
    fn a_nan_is_canonical_and_nothing_else_is_touched() {
        for bits in [0x7f80_0001u32, 0xffc1_2345, 0x7fff_ffff] {
            assert_eq!(words(f32::from_bits(bits)), [0x7fc0_0000]);
        }
        assert_eq!(words(f32::NEG_INFINITY), [0xff80_0000]);
        assert_eq!(words(-0.0f32), [0x8000_0000]);
        assert_eq!(words(f64::NAN), [0, 0x7ff8_0000]);
    }

    #[test]
    fn absent_values_are_zeros() {
        assert_eq!(words(None::<u64>), [0, 0, 0]);
        assert_eq!(words((Some(7u64), true, -1i16)), [1, 7, 0, 1, 0xffff_ffff]);
    }
}
