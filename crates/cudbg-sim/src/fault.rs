//! What a fault of the simulator is in the API's terms.

use cudbg::CUDBGException_t as E;
use gpu_sim::{Fault, LaunchError, MemorySpace};

/// The exception that a GPU has for it; `UNKNOWN` for what no GPU reports.
pub(crate) fn exception(e: &LaunchError) -> E {
    let LaunchError::Fault(r) = e else {
        return E::CUDBG_EXCEPTION_UNKNOWN;
    };
    match &r.fault {
        Fault::OutOfBounds {
            space: MemorySpace::Global | MemorySpace::Const,
            ..
        } => E::CUDBG_EXCEPTION_LANE_ILLEGAL_ADDRESS,
        Fault::OutOfBounds { .. } => E::CUDBG_EXCEPTION_WARP_OUT_OF_RANGE_ADDRESS,
        Fault::Misaligned { .. } => E::CUDBG_EXCEPTION_WARP_MISALIGNED_ADDRESS,
        Fault::MemberMask { .. } | Fault::BadBranchIndex { .. } => {
            E::CUDBG_EXCEPTION_WARP_ILLEGAL_INSTRUCTION
        }
        Fault::CallDepth { .. } => E::CUDBG_EXCEPTION_WARP_HARDWARE_STACK_OVERFLOW,
        Fault::StackOverflow { .. } => E::CUDBG_EXCEPTION_LANE_USER_STACK_OVERFLOW,
        Fault::BadFunctionPointer { .. } => E::CUDBG_EXCEPTION_WARP_INVALID_PC,
        Fault::Assert { .. } => E::CUDBG_EXCEPTION_WARP_ASSERT,
        // What no GPU reports, whatever else the simulator learns to find.
        _ => E::CUDBG_EXCEPTION_UNKNOWN,
    }
}
