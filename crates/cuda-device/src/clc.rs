//! Control of cluster launches: a running cluster takes over the work of one that has not begun. sm_100 and up.

use crate::barrier::Barrier;
use crate::intrinsics::*;

/// The answer to a request, in shared memory. The barrier says when it is there.
#[repr(C, align(16))]
pub struct Response(pub [u64; 2]);

/// Asks for the cancellation of a cluster that has not begun. 16 bytes of answer complete `bar`. One thread.
///
/// # Safety
/// Both are in shared memory; `bar` is initialised and expects 16 bytes.
#[inline(always)]
pub unsafe fn try_cancel(response: *mut Response, bar: *mut Barrier) {
    // SAFETY: the caller's contract.
    unsafe { __nvvm_clc_try_cancel_async(response as *mut u8, bar as *mut u8) }
}

/// [`try_cancel`] with the answer in every block of the cluster. sm_100a.
///
/// # Safety
/// As there, in every block.
#[inline(always)]
pub unsafe fn try_cancel_multicast(response: *mut Response, bar: *mut Barrier) {
    // SAFETY: the caller's contract.
    unsafe { __nvvm_clc_try_cancel_async_multicast(response as *mut u8, bar as *mut u8) }
}

/// The first block of the cancelled cluster, whose work this one does now; `None` if there was none left.
///
/// # Safety
/// The answer is there.
#[inline(always)]
pub unsafe fn canceled(response: *const Response) -> Option<(u32, u32, u32)> {
    let at = response as *mut u8;
    // SAFETY: the caller's contract.
    unsafe {
        __nvvm_clc_query_cancel_is_canceled(at).then(|| {
            (
                __nvvm_clc_query_cancel_first_ctaid_x(at),
                __nvvm_clc_query_cancel_first_ctaid_y(at),
                __nvvm_clc_query_cancel_first_ctaid_z(at),
            )
        })
    }
}
