//! What `gpu_printf!` expands to: the C format is composed while compiling, from the literal pieces and the types of the
//! arguments; the arguments go into a buffer as C's varargs lie: each promoted, each at its own alignment.

use crate::intrinsics::*;

/// How C prints a type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Class {
    I32,
    U32,
    I64,
    U64,
    F64,
    Char,
    Str,
    Ptr,
}

/// A type that `gpu_printf!` prints.
pub trait PrintfArg: Copy {
    /// What C's varargs make of it.
    type Promoted: Copy;
    const CLASS: Class;
    fn promote(self) -> Self::Promoted;
}

macro_rules! printf_args {
    ($($t:ty => $p:ty, $class:ident;)*) => {$(
        impl PrintfArg for $t {
            type Promoted = $p;
            const CLASS: Class = Class::$class;
            #[inline(always)]
            fn promote(self) -> $p {
                self as $p
            }
        }
    )*};
}
printf_args! {
    i8 => i32, I32; i16 => i32, I32; i32 => i32, I32;
    u8 => u32, U32; u16 => u32, U32; u32 => u32, U32;
    i64 => i64, I64; u64 => u64, U64; isize => i64, I64; usize => u64, U64;
    f32 => f64, F64; f64 => f64, F64;
    char => u32, Char;
}
impl PrintfArg for bool {
    type Promoted = *const u8;
    const CLASS: Class = Class::Str;
    #[inline(always)]
    fn promote(self) -> *const u8 {
        if self {
            c"true".as_ptr() as *const u8
        } else {
            c"false".as_ptr() as *const u8
        }
    }
}
impl PrintfArg for &core::ffi::CStr {
    type Promoted = *const u8;
    const CLASS: Class = Class::Str;
    #[inline(always)]
    fn promote(self) -> *const u8 {
        self.as_ptr() as *const u8
    }
}
impl<T> PrintfArg for *const T {
    type Promoted = *const T;
    const CLASS: Class = Class::Ptr;
    #[inline(always)]
    fn promote(self) -> *const T {
        self
    }
}
impl<T> PrintfArg for *mut T {
    type Promoted = *mut T;
    const CLASS: Class = Class::Ptr;
    #[inline(always)]
    fn promote(self) -> *mut T {
        self
    }
}

/// One conversion: the literal text before it, flags with width and precision as C writes them, and Rust's format
/// type (0 for `{}`), or for a C conversion its letter with `c_style`.
pub struct Piece {
    pub text: &'static str,
    pub flags: &'static str,
    pub kind: u8,
}

/// A call of `gpu_printf!`: its pieces and the text after the last one.
pub trait Format {
    const PIECES: &'static [Piece];
    const TAIL: &'static str;
}

/// The classes of a tuple of arguments.
pub trait Args {
    const CLASSES: &'static [Class];
}

/// The C format of the call `F` with arguments `A`; `N` bytes are enough for it.
pub struct Composed<F, A, const N: usize>(core::marker::PhantomData<(F, A)>);

impl<F: Format, A: Args, const N: usize> Composed<F, A, N> {
    const BYTES: [u8; N] = compose(F::PIECES, F::TAIL, A::CLASSES);
    /// NUL-terminated.
    pub const FORMAT: &'static [u8; N] = &Self::BYTES;
}

const fn compose<const N: usize>(pieces: &[Piece], tail: &str, classes: &[Class]) -> [u8; N] {
    let (mut out, mut at, mut i) = ([0; N], 0, 0);
    while i < pieces.len() {
        let piece = &pieces[i];
        at = append(&mut out, at, piece.text);
        at = append(&mut out, at, "%");
        at = append(&mut out, at, piece.flags);
        at = append(&mut out, at, conversion(classes[i], piece.kind));
        i += 1;
    }
    at = append(&mut out, at, tail);
    assert!(at < N);
    out
}

const fn append<const N: usize>(out: &mut [u8; N], mut at: usize, text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        out[at] = bytes[i];
        at += 1;
        i += 1;
    }
    at
}

/// The C conversion of a class printed by Rust's format type.
const fn conversion(class: Class, kind: u8) -> &'static str {
    match (class, kind) {
        (Class::I32, 0) => "d",
        (Class::U32, 0) => "u",
        (Class::I32 | Class::U32, b'x') => "x",
        (Class::I32 | Class::U32, b'X') => "X",
        (Class::I32 | Class::U32, b'o') => "o",
        (Class::I64, 0) => "lld",
        (Class::U64, 0) => "llu",
        (Class::I64 | Class::U64, b'x') => "llx",
        (Class::I64 | Class::U64, b'X') => "llX",
        (Class::I64 | Class::U64, b'o') => "llo",
        (Class::F64, 0) => "f",
        (Class::F64, b'e') => "e",
        (Class::F64, b'E') => "E",
        (Class::F64, b'g') => "g",
        (Class::Char, 0) => "c",
        (Class::Str, 0) => "s",
        (Class::Ptr, 0 | b'p') => "p",
        _ => panic!("gpu_printf!: this format does not fit the argument's type"),
    }
}

macro_rules! tuples {
    ($($call:ident($buffer:ident: $($t:ident $v:ident),*);)*) => {$(
        impl<$($t: PrintfArg),*> Args for ($($t,)*) {
            const CLASSES: &'static [Class] = &[$($t::CLASS),*];
        }
        #[repr(C)]
        struct $buffer<$($t),*>($($t),*);
        /// Composes the format and prints; returns what `vprintf` does: the number of arguments.
        #[inline(always)]
        #[allow(clippy::too_many_arguments)]
        pub fn $call<FMT: Format, const N: usize, $($t: PrintfArg),*>(_: FMT, $($v: $t),*) -> i32 {
            let buffer = $buffer($($v.promote()),*);
            let format = Composed::<FMT, ($($t,)*), N>::FORMAT;
            // SAFETY: the format has one conversion for each argument, of its promoted type.
            unsafe { __nvvm_vprintf(format as *const u8, &raw const buffer as *const u8) }
        }
    )*};
}
tuples! {
    printf1(Buffer1: A a);
    printf2(Buffer2: A a, B b);
    printf3(Buffer3: A a, B b, C c);
    printf4(Buffer4: A a, B b, C c, D d);
    printf5(Buffer5: A a, B b, C c, D d, E e);
    printf6(Buffer6: A a, B b, C c, D d, E e, F f);
    printf7(Buffer7: A a, B b, C c, D d, E e, F f, G g);
    printf8(Buffer8: A a, B b, C c, D d, E e, F f, G g, H h);
    printf9(Buffer9: A a, B b, C c, D d, E e, F f, G g, H h, I i);
    printf10(Buffer10: A a, B b, C c, D d, E e, F f, G g, H h, I i, J j);
    printf11(Buffer11: A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k);
    printf12(Buffer12: A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l);
}

/// Prints a text without arguments.
#[inline(always)]
pub fn printf0(format: &'static core::ffi::CStr) -> i32 {
    // SAFETY: no conversions, so no arguments are read.
    unsafe { __nvvm_vprintf(format.as_ptr() as *const u8, core::ptr::null()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct F;
    impl Format for F {
        const PIECES: &'static [Piece] = &[
            Piece {
                text: "a ",
                flags: "",
                kind: 0,
            },
            Piece {
                text: " ",
                flags: "08",
                kind: b'x',
            },
            Piece {
                text: "%% ",
                flags: ".3",
                kind: 0,
            },
        ];
        const TAIL: &'static str = "\n";
    }

    /// The types choose conversion and length.
    #[test]
    fn formats() {
        let text = |bytes: &'static [u8]| {
            core::ffi::CStr::from_bytes_until_nul(bytes)
                .unwrap()
                .to_str()
                .unwrap()
        };
        assert_eq!(
            text(Composed::<F, (i32, u64, f32), 32>::FORMAT),
            "a %d %08llx%% %.3f\n"
        );
        assert_eq!(
            text(Composed::<F, (char, u8, f64), 32>::FORMAT),
            "a %c %08x%% %.3f\n"
        );
        assert_eq!(
            text(Composed::<F, (*const u8, i16, bool), 32>::FORMAT),
            "a %p %08x%% %.3s\n"
        );
        assert_eq!((-1i8).promote(), -1i32);
        assert_eq!(1.5f32.promote(), 1.5f64);
    }

    /// As C's varargs lie: each at its own alignment.
    #[test]
    fn buffers() {
        assert_eq!(core::mem::offset_of!(Buffer3<u32, f64, u32>, 1), 8);
        assert_eq!(core::mem::offset_of!(Buffer3<u32, u32, f64>, 1), 4);
        assert_eq!(core::mem::offset_of!(Buffer3<u32, u32, f64>, 2), 8);
    }
}
