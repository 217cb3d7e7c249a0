//! Functions that know nothing about GPUs. They are `no_std` and without allocation, which is all that a kernel asks of
//! what it calls.
#![no_std]

/// A polynomial at `x`, by Horner's rule. Not inlined: a call that stays a call.
#[inline(never)]
pub fn polynomial(coefficients: &[f32], x: f32) -> f32 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// What can be blended.
pub trait Blend: Copy {
    /// A value between `self` (at 0) and `other` (at 256).
    fn blend(self, other: Self, at: u16) -> Self;
}

impl Blend for u8 {
    fn blend(self, other: Self, at: u16) -> Self {
        ((self as u32 * (256 - at as u32) + other as u32 * at as u32) / 256) as u8
    }
}

impl Blend for f32 {
    fn blend(self, other: Self, at: u16) -> Self {
        self + (other - self) * (at as f32 / 256.0)
    }
}

/// Arrays blend element by element: so colours of any depth do, and arrays of arrays.
impl<T: Blend, const N: usize> Blend for [T; N] {
    fn blend(self, other: Self, at: u16) -> Self {
        let mut blended = self;
        for (place, other) in blended.iter_mut().zip(other) {
            *place = place.blend(other, at);
        }
        blended
    }
}

/// Generic, and not inlined: each crate that calls it has its own instances.
#[inline(never)]
pub fn mix<T: Blend>(stops: &[T], at: u16) -> Option<T> {
    let (first, rest) = stops.split_first()?;
    let mut mixed = *first;
    for stop in rest {
        mixed = mixed.blend(*stop, at);
    }
    Some(mixed)
}

/// The greatest common divisor: recursion is fine.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
