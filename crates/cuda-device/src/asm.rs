//! What `ptx_asm!` puts into registers.

/// A type whose values fit a register `R` as they are.
pub trait Operand<R>: Sized {
    /// Its bits.
    fn into_reg(self) -> R;
    /// The value of these bits.
    fn from_reg(reg: R) -> Self;
}

macro_rules! operands {
    ($($reg:ty: $($ty:ty)*;)*) => {$($(
        impl Operand<$reg> for $ty {
            #[inline(always)]
            fn into_reg(self) -> $reg {
                self as $reg
            }
            #[inline(always)]
            fn from_reg(reg: $reg) -> Self {
                reg as $ty
            }
        }
    )*)*};
}
operands! {
    u16: u16 i16;
    u32: u32 i32;
    u64: u64 i64 usize isize;
    f32: f32;
    f64: f64;
}

macro_rules! pointers {
    ($($ty:ty),*) => {$(
        impl<T> Operand<u64> for $ty {
            #[inline(always)]
            fn into_reg(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn from_reg(reg: u64) -> Self {
                reg as usize as $ty
            }
        }
    )*};
}
pointers!(*const T, *mut T);

/// What `ptx_asm!` does on the host.
///
/// # Safety
/// None needed; inline PTX is.
#[doc(hidden)]
#[cold]
pub unsafe fn only_on_the_device() -> ! {
    panic!("`ptx_asm!` works only on the device: launch a kernel that calls it (`cargo oxide run`)")
}
