//! The whole grid.

use crate::intrinsics::*;

/// Waits until every thread of the grid has come here. Needs a cooperative launch.
#[inline(always)]
pub fn sync() {
    // SAFETY: a barrier; without a cooperative launch the device reports an error.
    unsafe { __nvvm_grid_sync() }
}
