//! Shared memory.

use crate::intrinsics::*;
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::{Index, IndexMut};

/// An array in the shared memory of a block:
/// `static mut TILE: SharedArray<f32, 256> = SharedArray::UNINIT;`
///
/// The storage is real, so that its size and alignment are the type's: the compiler puts a static of this type into
/// shared memory, one for each block, with undefined contents. `ALIGN` 0 is the alignment of `T`.
///
/// A static in a generic function is one for all instances of the function, as in all of Rust.
#[repr(C)]
pub struct SharedArray<T, const N: usize, const ALIGN: usize = 0>
where
    Align<ALIGN>: SharedAlign,
{
    _align: [<Align<ALIGN> as SharedAlign>::Marker; 0],
    data: UnsafeCell<MaybeUninit<[T; N]>>,
}

/// An alignment as a type.
pub struct Align<const ALIGN: usize>;

/// The alignments that [`SharedArray`] knows: 0 and the powers of two up to 1024.
pub trait SharedAlign {
    #[doc(hidden)]
    type Marker;
}

macro_rules! aligns {
    ($($n:literal $name:ident,)*) => {$(
        #[doc(hidden)]
        #[repr(align($n))]
        pub struct $name;
        impl SharedAlign for Align<$n> {
            type Marker = $name;
        }
    )*};
}
aligns! { 1 A1, 2 A2, 4 A4, 8 A8, 16 A16, 32 A32, 64 A64, 128 A128, 256 A256, 512 A512, 1024 A1024, }
impl SharedAlign for Align<0> {
    type Marker = ();
}

impl<T, const N: usize, const ALIGN: usize> SharedArray<T, N, ALIGN>
where
    Align<ALIGN>: SharedAlign,
{
    /// Contents undefined, as shared memory begins.
    #[allow(clippy::declare_interior_mutable_const)] // It initialises statics; nobody borrows the constant.
    pub const UNINIT: Self = SharedArray {
        _align: [],
        data: UnsafeCell::new(MaybeUninit::uninit()),
    };

    /// Number of elements.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        N
    }

    /// Whether there are no elements.
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        N == 0
    }

    /// The first element.
    #[inline(always)]
    pub const fn as_ptr(&self) -> *const T {
        self.data.get() as *const T
    }

    /// The first element.
    #[inline(always)]
    pub const fn as_mut_ptr(&mut self) -> *mut T {
        self.data.get() as *mut T
    }

    /// The first element, without a reference to the static: `SharedArray::raw(&raw mut TILE)`.
    #[inline(always)]
    pub const fn raw(this: *mut Self) -> *mut T {
        // The marker has no size, so the data is at the beginning.
        this as *mut T
    }
}

/// `TILE[i]`: checked against `N`. Reaching it through `static mut` is `unsafe`: that no other thread writes the element
/// at the same time is the caller's contract, by barriers.
impl<T, const N: usize, const ALIGN: usize> Index<usize> for SharedArray<T, N, ALIGN>
where
    Align<ALIGN>: SharedAlign,
{
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        // SAFETY: shared memory holds some bytes; that they are a `T` is the contract of the `static mut`.
        let data: &[T; N] = unsafe { &*(self.data.get() as *const [T; N]) };
        &data[index]
    }
}

impl<T, const N: usize, const ALIGN: usize> IndexMut<usize> for SharedArray<T, N, ALIGN>
where
    Align<ALIGN>: SharedAlign,
{
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut T {
        // SAFETY: as above.
        let data: &mut [T; N] = unsafe { &mut *(self.data.get() as *mut [T; N]) };
        &mut data[index]
    }
}

/// The shared memory whose size the launch gives (`shared_mem_bytes`). All types see the same bytes.
pub struct DynamicSharedArray<T, const ALIGN: usize = 16>(PhantomData<T>);

impl<T, const ALIGN: usize> DynamicSharedArray<T, ALIGN> {
    /// Its alignment is 128 bytes; a bigger one cannot be promised.
    const ALIGNED: () = assert!(
        ALIGN <= 128 && (ALIGN == 0 || ALIGN.is_power_of_two()) && align_of::<T>() <= 128,
        "dynamic shared memory is aligned to 128 bytes"
    );

    /// The first element.
    #[inline(always)]
    pub fn get() -> *mut T {
        const { Self::ALIGNED };
        Self::get_raw() as *mut T
    }

    /// The first byte.
    #[inline(always)]
    pub fn get_raw() -> *mut u8 {
        // SAFETY: an address.
        unsafe { __nvvm_dynamic_shared() }
    }

    /// The element at a byte offset: for several arrays one after another.
    #[inline(always)]
    pub fn offset(bytes: usize) -> *mut T {
        const { Self::ALIGNED };
        Self::get_raw().wrapping_add(bytes) as *mut T
    }

    /// How many bytes the launch gave.
    #[inline(always)]
    pub fn num_bytes() -> usize {
        // SAFETY: reads a special register.
        unsafe { __nvvm_read_ptx_sreg_dynamic_smem_size() as usize }
    }
}
