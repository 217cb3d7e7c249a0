//! Who this thread is: indices, sizes, and the witnesses by which a thread may write its own element.

use crate::DisjointSlice;
use crate::intrinsics::*;
use core::marker::PhantomData;

macro_rules! sregs {
    ($($(#[$doc:meta])* $name:ident = $intrinsic:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[allow(non_snake_case)]
        pub fn $name() -> u32 {
            // SAFETY: reads a special register.
            unsafe { $intrinsic() }
        }
    )*};
}
sregs! {
    /// Index of the thread in its block.
    threadIdx_x = __nvvm_read_ptx_sreg_tid_x;
    /// Index of the thread in its block.
    threadIdx_y = __nvvm_read_ptx_sreg_tid_y;
    /// Index of the thread in its block.
    threadIdx_z = __nvvm_read_ptx_sreg_tid_z;
    /// Index of the block in the grid.
    blockIdx_x = __nvvm_read_ptx_sreg_ctaid_x;
    /// Index of the block in the grid.
    blockIdx_y = __nvvm_read_ptx_sreg_ctaid_y;
    /// Index of the block in the grid.
    blockIdx_z = __nvvm_read_ptx_sreg_ctaid_z;
    /// Threads in a block.
    blockDim_x = __nvvm_read_ptx_sreg_ntid_x;
    /// Threads in a block.
    blockDim_y = __nvvm_read_ptx_sreg_ntid_y;
    /// Threads in a block.
    blockDim_z = __nvvm_read_ptx_sreg_ntid_z;
    /// Blocks in the grid.
    gridDim_x = __nvvm_read_ptx_sreg_nctaid_x;
    /// Blocks in the grid.
    gridDim_y = __nvvm_read_ptx_sreg_nctaid_y;
    /// Blocks in the grid.
    gridDim_z = __nvvm_read_ptx_sreg_nctaid_z;
}

/// Waits until every thread of the block has come here; orders their accesses to shared and global memory.
#[inline(always)]
pub fn sync_threads() {
    // SAFETY: a barrier; one that not all threads reach is an error that device or simulator reports.
    unsafe { __nvvm_barrier0() }
}

/// [`sync_threads`] that also tells how many threads' predicate held.
#[inline(always)]
pub fn sync_threads_count(pred: bool) -> u32 {
    // SAFETY: as `sync_threads`.
    unsafe { __nvvm_barrier0_popc(pred) }
}

/// [`sync_threads`] that also tells whether all threads' predicate held.
#[inline(always)]
pub fn sync_threads_and(pred: bool) -> bool {
    // SAFETY: as `sync_threads`.
    unsafe { __nvvm_barrier0_and(pred) }
}

/// [`sync_threads`] that also tells whether any thread's predicate held.
#[inline(always)]
pub fn sync_threads_or(pred: bool) -> bool {
    // SAFETY: as `sync_threads`.
    unsafe { __nvvm_barrier0_or(pred) }
}

/// How threads are numbered, and so which elements of a [`DisjointSlice`] a [`ThreadIndex`] may reach.
pub trait IndexSpace: sealed::Sealed {
    /// What a slice of this space carries beside pointer and length.
    type Width: Copy;
    /// The element that belongs to the thread, in a slice with this width; `None` when the slice has none for it.
    #[doc(hidden)]
    fn resolve(index: &ThreadIndex<'_, Self>, width: Self::Width) -> Option<usize>
    where
        Self: Sized;
    /// Elements in a row.
    #[doc(hidden)]
    fn row_width(width: Self::Width, len: usize) -> usize;
    #[doc(hidden)]
    fn from_mut_slice_width(len: usize) -> Self::Width;
}

mod sealed {
    pub trait Sealed {}
}

/// One dimension: `blockIdx.x * blockDim.x + threadIdx.x`.
pub enum Index1D {}
/// Two dimensions over rows of `ROW_STRIDE` elements, known when the kernel is compiled.
pub enum Index2D<const ROW_STRIDE: usize> {}
/// Two dimensions over rows whose width the slice carries.
pub enum Runtime2DIndex {}

impl sealed::Sealed for Index1D {}
impl<const S: usize> sealed::Sealed for Index2D<S> {}
impl sealed::Sealed for Runtime2DIndex {}

impl IndexSpace for Index1D {
    type Width = ();
    #[inline(always)]
    fn resolve(index: &ThreadIndex<'_, Self>, _: ()) -> Option<usize> {
        Some(index.index)
    }
    #[inline(always)]
    fn row_width(_: (), len: usize) -> usize {
        len
    }
    #[inline(always)]
    fn from_mut_slice_width(_: usize) {}
}
impl<const S: usize> IndexSpace for Index2D<S> {
    type Width = ();
    #[inline(always)]
    fn resolve(index: &ThreadIndex<'_, Self>, _: ()) -> Option<usize> {
        Some(index.index)
    }
    #[inline(always)]
    fn row_width(_: (), _: usize) -> usize {
        S
    }
    #[inline(always)]
    fn from_mut_slice_width(_: usize) {}
}
impl IndexSpace for Runtime2DIndex {
    type Width = usize;
    /// Row and column against the width of the slice that is addressed, not of the one that the index was made from:
    /// two widths cannot send two threads to one element.
    #[inline(always)]
    fn resolve(index: &ThreadIndex<'_, Self>, width: usize) -> Option<usize> {
        if (index.col as usize) < width {
            Some(
                (index.row as usize)
                    .wrapping_mul(width)
                    .wrapping_add(index.col as usize),
            )
        } else {
            None
        }
    }
    #[inline(always)]
    fn row_width(width: usize, _: usize) -> usize {
        width
    }
    #[inline(always)]
    fn from_mut_slice_width(len: usize) -> usize {
        len
    }
}

/// The witness that an index belongs to this thread alone. It can be neither copied nor sent, so that two threads
/// never hold the same one; [`DisjointSlice::get_mut`] consumes it.
pub struct ThreadIndex<'kernel, Space: IndexSpace = Index1D> {
    index: usize,
    row: u32,
    col: u32,
    _not_send: PhantomData<(*mut (), &'kernel (), Space)>,
}

impl<Space: IndexSpace> ThreadIndex<'_, Space> {
    #[inline(always)]
    fn new(index: usize, row: u32, col: u32) -> Self {
        ThreadIndex {
            index,
            row,
            col,
            _not_send: PhantomData,
        }
    }

    /// The linear index.
    #[inline(always)]
    pub fn get(&self) -> usize {
        self.index
    }

    /// Whether a slice of `len` elements has this one.
    #[inline(always)]
    pub fn in_bounds(&self, len: usize) -> bool {
        self.index < len
    }

    /// Whether the index lies in its space. It does by construction: a thread outside gets none.
    #[inline(always)]
    pub fn is_valid(&self) -> bool {
        true
    }
}

impl<const S: usize> ThreadIndex<'_, Index2D<S>> {
    /// The row: `blockIdx.y * blockDim.y + threadIdx.y`.
    #[inline(always)]
    pub fn row(&self) -> usize {
        self.row as usize
    }
    /// The column: `blockIdx.x * blockDim.x + threadIdx.x`.
    #[inline(always)]
    pub fn col(&self) -> usize {
        self.col as usize
    }
}

impl ThreadIndex<'_, Runtime2DIndex> {
    /// The row: `blockIdx.y * blockDim.y + threadIdx.y`.
    #[inline(always)]
    pub fn row(&self) -> usize {
        self.row as usize
    }
    /// The column: `blockIdx.x * blockDim.x + threadIdx.x`.
    #[inline(always)]
    pub fn col(&self) -> usize {
        self.col as usize
    }
}

/// This thread's index in a one-dimensional launch: `blockIdx.x * blockDim.x + threadIdx.x`.
///
/// It is this thread's alone when the launch has one dimension, which is part of the launch's `unsafe` contract.
#[inline(always)]
pub fn index_1d<'kernel>() -> ThreadIndex<'kernel, Index1D> {
    ThreadIndex::new(index_2d_col(), 0, 0)
}

/// This thread's index over rows of `ROW_STRIDE` elements; `None` for threads past the end of a row.
#[inline(always)]
pub fn index_2d<'kernel, const ROW_STRIDE: usize>()
-> Option<ThreadIndex<'kernel, Index2D<ROW_STRIDE>>> {
    let (row, col) = (index_2d_row(), index_2d_col());
    if col < ROW_STRIDE {
        let index = row.wrapping_mul(ROW_STRIDE).wrapping_add(col);
        Some(ThreadIndex::new(index, row as u32, col as u32))
    } else {
        None
    }
}

/// This thread's index over the rows of a slice that carries its width; `None` for threads past the end of a row.
#[inline(always)]
pub fn index_2d_runtime<'kernel, T>(
    slice: &DisjointSlice<'_, T, Runtime2DIndex>,
) -> Option<ThreadIndex<'kernel, Runtime2DIndex>> {
    let (row, col, width) = (index_2d_row(), index_2d_col(), slice.row_width());
    if col < width {
        let index = row.wrapping_mul(width).wrapping_add(col);
        Some(ThreadIndex::new(index, row as u32, col as u32))
    } else {
        None
    }
}

/// `blockIdx.y * blockDim.y + threadIdx.y`.
#[inline(always)]
pub fn index_2d_row() -> usize {
    // Neither operation can wrap: 65535 blocks of 1024 threads. Wrapping forms keep overflow checks out.
    (blockIdx_y() as usize)
        .wrapping_mul(blockDim_y() as usize)
        .wrapping_add(threadIdx_y() as usize)
}

/// `blockIdx.x * blockDim.x + threadIdx.x`.
#[inline(always)]
pub fn index_2d_col() -> usize {
    (blockIdx_x() as usize)
        .wrapping_mul(blockDim_x() as usize)
        .wrapping_add(threadIdx_x() as usize)
}

/// The index of this thread's warp in a one-dimensional launch: `index_1d() / 32`. One for 32 threads, so no witness.
#[inline(always)]
pub fn warp_index() -> usize {
    index_2d_col() / 32
}
