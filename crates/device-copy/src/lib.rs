//! Types that may be copied byte for byte to the device, and the hash of their layout.
//!
//! The hash joins the host pass and the device pass: both compute it for each kernel argument, the artifact carries the
//! device's, and loading a module compares the two. It is a `const fn`, so that the host's value is a constant.
#![no_std]

/// FNV-1a, 64 bits, over the little-endian bytes of each word.
pub const fn fnv1a(words: &[u64]) -> u64 {
    let mut hash = FNV_OFFSET;
    let mut i = 0;
    while i < words.len() {
        hash = fnv1a_word(hash, words[i]);
        i += 1;
    }
    hash
}

/// FNV-1a's start value.
pub const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

const fn fnv1a_word(mut hash: u64, word: u64) -> u64 {
    let bytes = word.to_le_bytes();
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(FNV_PRIME);
        i += 1;
    }
    hash
}

/// FNV-1a, 64 bits, over bytes.
pub const fn fnv1a_bytes(bytes: &[u8]) -> u64 {
    let mut hash = FNV_OFFSET;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(FNV_PRIME);
        i += 1;
    }
    hash
}

/// The layout hash of a type: its size, its alignment, and the offsets of its fields in declaration order.
///
/// Scalars, pointers and closures have no offsets; arrays hash as their size and alignment alone. For a slice
/// argument the hash is that of its element.
pub const fn layout_hash(size: u64, align: u64, offsets: &[u64]) -> u64 {
    let mut hash = fnv1a(&[size, align]);
    let mut i = 0;
    while i < offsets.len() {
        hash = fnv1a_word(hash, offsets[i]);
        i += 1;
    }
    hash
}

/// The layout hash of a type of which only size and alignment are known (closures, scalars, arrays).
pub const fn opaque_layout<T>() -> u64 {
    layout_hash(size_of::<T>() as u64, align_of::<T>() as u64, &[])
}

/// A type whose values may be copied byte for byte between host and device.
///
/// `#[derive(DeviceCopy)]` implements it for a struct or enum whose fields have it.
///
/// # Safety
/// Values must stay valid when their bytes are copied to another address space: no references or pointers into host
/// memory that the device would follow, no drop glue. All bytes zero is a value (a buffer may begin so). `LAYOUT` must be what [`layout_hash`] gives for the type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel or kept in a buffer: it is not `DeviceCopy`",
    label = "not `DeviceCopy`",
    note = "for a struct or enum of your own: `#[derive(Clone, Copy, DeviceCopy)]`"
)]
pub unsafe trait DeviceCopy: Copy {
    /// [`layout_hash`] of the type.
    const LAYOUT: u64;
}

macro_rules! scalars {
    ($($t:ty),* $(,)?) => {$(
        // SAFETY: a scalar is its bytes.
        unsafe impl DeviceCopy for $t {
            const LAYOUT: u64 = opaque_layout::<$t>();
        }
    )*};
}
scalars!(
    u8,
    i8,
    u16,
    i16,
    u32,
    i32,
    u64,
    i64,
    u128,
    i128,
    usize,
    isize,
    f32,
    f64,
    bool,
    char,
    (),
);

// SAFETY: an address; whether it is a device address is the launch's `unsafe` contract.
unsafe impl<T> DeviceCopy for *const T {
    const LAYOUT: u64 = opaque_layout::<*const T>();
}
// SAFETY: as above.
unsafe impl<T> DeviceCopy for *mut T {
    const LAYOUT: u64 = opaque_layout::<*mut T>();
}
// SAFETY: an array is its elements.
unsafe impl<T: DeviceCopy, const N: usize> DeviceCopy for [T; N] {
    const LAYOUT: u64 = opaque_layout::<[T; N]>();
}
// SAFETY: an option of plain bytes is plain bytes; both passes use one rustc, so the niche is the same.
unsafe impl<T: DeviceCopy> DeviceCopy for Option<T> {
    const LAYOUT: u64 = opaque_layout::<Option<T>>();
}
macro_rules! non_zero {
    ($($t:ident)*) => {$(
        // SAFETY: an integer of which zero is `None`. The number alone has no zero, so it is not `DeviceCopy`.
        unsafe impl DeviceCopy for Option<core::num::$t> {
            const LAYOUT: u64 = opaque_layout::<Option<core::num::$t>>();
        }
    )*};
}
non_zero!(NonZeroU8 NonZeroU16 NonZeroU32 NonZeroU64 NonZeroI8 NonZeroI16 NonZeroI32 NonZeroI64);

// SAFETY: no bytes.
unsafe impl<T: ?Sized> DeviceCopy for core::marker::PhantomData<T> {
    const LAYOUT: u64 = opaque_layout::<core::marker::PhantomData<T>>();
}

macro_rules! tuples {
    ($(($($t:ident),+))*) => {$(
        // SAFETY: a tuple is its fields; both passes use one rustc, so the order is the same (and is hashed as
        // size and alignment alone, as the compiler does for what has no derive).
        unsafe impl<$($t: DeviceCopy),+> DeviceCopy for ($($t,)+) {
            const LAYOUT: u64 = opaque_layout::<($($t,)+)>();
        }
    )*};
}
tuples!((A)(A, B)(A, B, C)(A, B, C, D)(A, B, C, D, E)(
    A, B, C, D, E, F
));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv_is_the_published_function() {
        // Vectors of the FNV reference.
        assert_eq!(fnv1a_bytes(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a_bytes(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a_bytes(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(
            fnv1a(&[0x0807_0605_0403_0201]),
            fnv1a_bytes(&[1, 2, 3, 4, 5, 6, 7, 8])
        );
    }

    #[test]
    fn layouts_differ_where_layouts_differ() {
        assert_eq!(<f32 as DeviceCopy>::LAYOUT, <u32 as DeviceCopy>::LAYOUT);
        assert_ne!(<f32 as DeviceCopy>::LAYOUT, <f64 as DeviceCopy>::LAYOUT);
        assert_ne!(layout_hash(8, 4, &[0, 4]), layout_hash(8, 4, &[4, 0]));
        assert_eq!(layout_hash(8, 4, &[0, 4]), fnv1a(&[8, 4, 0, 4]));
    }
}
