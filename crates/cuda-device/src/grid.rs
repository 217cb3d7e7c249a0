//! The whole grid.

use crate::intrinsics::*;

/// Waits until every thread of the grid has come here, and orders their accesses to memory.
///
/// Needs a cooperative launch (`#[cooperative_launch]`, `CudaFunction::launch_cooperative`); in any other it traps.
#[inline(always)]
pub fn sync() {
    // SAFETY: a barrier; without a cooperative launch it traps.
    unsafe { __nvvm_grid_sync() }
}
