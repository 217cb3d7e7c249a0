//! Constant memory: 64 KiB that every thread reads through a cache of its own, fast where all lanes read one address.
//!
//! ```ignore
//! #[constant]
//! static WEIGHTS: ConstantMemory<[f32; 4]> = ConstantMemory::new([1.0, 2.0, 2.0, 1.0]);
//! ```
//! The host may replace the value before a launch: `module.get_global(name)` with the variable's path, `_` for what is no letter or digit
//! (`crate_kernels_WEIGHTS`).

use core::cell::UnsafeCell;
use core::ops::Deref;

/// A static of this type lies in constant memory.
#[repr(transparent)]
pub struct ConstantMemory<T> {
    // A cell, because the host's writes must be seen: the compiler does not take the initialiser for the value.
    value: UnsafeCell<T>,
}

// SAFETY: nobody writes while a kernel runs.
unsafe impl<T: Sync> Sync for ConstantMemory<T> {}

impl<T> ConstantMemory<T> {
    /// With this value until the host writes another.
    pub const fn new(value: T) -> Self {
        ConstantMemory {
            value: UnsafeCell::new(value),
        }
    }

    /// The value.
    #[inline(always)]
    pub fn get(&self) -> &T {
        // SAFETY: nobody writes while a kernel runs.
        unsafe { &*self.value.get() }
    }

    /// Its address.
    #[inline(always)]
    pub fn as_ptr(&self) -> *const T {
        self.value.get()
    }
}

impl<T> Deref for ConstantMemory<T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        self.get()
    }
}
