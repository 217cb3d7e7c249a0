//! A slice of which every thread may write its own element, and no other.

use crate::thread::{Index1D, IndexSpace, ThreadIndex};
use core::marker::PhantomData;

/// A mutable slice that all threads of a launch share: [`get_mut`](Self::get_mut) takes a [`ThreadIndex`], which only
/// this thread has, so that safe code never makes two references to one element.
///
/// A kernel argument of this type is `&mut DeviceBuffer<T>` at the launch. In memory it is pointer, length and, for
/// [`Runtime2DIndex`](crate::thread::Runtime2DIndex), the width of a row.
#[repr(C)]
pub struct DisjointSlice<'a, T, Space: IndexSpace = Index1D> {
    ptr: *mut T,
    len: usize,
    width: Space::Width,
    _slice: PhantomData<(&'a mut [T], Space)>,
}

impl<'a, T, Space: IndexSpace> DisjointSlice<'a, T, Space> {
    /// This thread's element; `None` past the end.
    #[inline(always)]
    pub fn get_mut(&mut self, index: ThreadIndex<'_, Space>) -> Option<&mut T> {
        let i = Space::resolve(&index, self.width)?;
        if i < self.len {
            // SAFETY: in bounds; the index is this thread's alone, so no other reference to the element exists.
            Some(unsafe { &mut *self.ptr.add(i) })
        } else {
            None
        }
    }

    /// Any element.
    ///
    /// # Safety
    /// `index` is less than [`len`](Self::len), and no other thread accesses the element at the same time.
    #[inline(always)]
    pub unsafe fn get_unchecked_mut(&mut self, index: usize) -> &mut T {
        // SAFETY: the caller's contract.
        unsafe { &mut *self.ptr.add(index) }
    }

    /// Number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first element.
    #[inline(always)]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.ptr
    }

    /// Elements in a row: the whole slice in one dimension.
    #[inline(always)]
    pub fn row_width(&self) -> usize {
        Space::row_width(self.width, self.len)
    }

    /// A slice over `len` elements at `ptr`, in spaces that carry no width; with one row in the space that does.
    ///
    /// # Safety
    /// `ptr` points to `len` elements for as long as `'a`, and nothing else than threads with their own indices
    /// accesses them.
    #[inline(always)]
    pub unsafe fn from_raw_parts(ptr: *mut T, len: usize) -> Self {
        DisjointSlice {
            ptr,
            len,
            width: Space::from_mut_slice_width(len),
            _slice: PhantomData,
        }
    }

    /// A slice over what this thread alone borrows.
    #[inline(always)]
    pub fn from_mut_slice(slice: &'a mut [T]) -> Self {
        // SAFETY: the borrow is exclusive for `'a`.
        unsafe { Self::from_raw_parts(slice.as_mut_ptr(), slice.len()) }
    }
}

// SAFETY: it stands for `&mut [T]`.
unsafe impl<T: Send, Space: IndexSpace> Send for DisjointSlice<'_, T, Space> {}
