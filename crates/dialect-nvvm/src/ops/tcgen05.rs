//! Tensor cores of the fifth generation, and their memory.
//!
//! An address of tensor memory is the 32-bit number that `tcgen05_alloc` writes to shared memory. Loads and stores move 32 or 4 registers of each
//! thread, by the address of an array of that many `u32`; what was loaded is there after `tcgen05_wait_ld`. Matrices are descriptors of tiles in
//! shared memory. `_cg2` is the pair of blocks.

use crate::{ops::nvvm_ops, table::MinimumSm::SmA};

nvvm_ops! { Tcgen05:
    Tcgen05AllocOp "nvvm.tcgen05_alloc" (Ptr, I32) [document, SmA(100), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.tcgen05.alloc.shared.cg1(ptr addrspace(3) %s, i32 {1})
ret void" => "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32";
    Tcgen05DeallocOp "nvvm.tcgen05_dealloc" (I32, I32) [document, SmA(100), Memory, convergent] "%t = inttoptr i32 {0} to ptr addrspace(6)
call void @llvm.nvvm.tcgen05.dealloc.cg1(ptr addrspace(6) %t, i32 {1})
ret void" => "tcgen05.dealloc.cta_group::1.sync.aligned.b32";
    Tcgen05RelinquishAllocPermitOp "nvvm.tcgen05_relinquish_alloc_permit" () [document, SmA(100), Memory, convergent] "@llvm.nvvm.tcgen05.relinq.alloc.permit.cg1" => "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned";
    Tcgen05CommitOp "nvvm.tcgen05_commit" (Ptr) [document, SmA(100), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.tcgen05.commit.shared.cg1(ptr addrspace(3) %s)
ret void" => "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64";
    Tcgen05CommitMulticastOp "nvvm.tcgen05_commit_multicast" (Ptr, I16) [document, SmA(100), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.tcgen05.commit.mc.shared.cg1(ptr addrspace(3) %s, i16 {1})
ret void" => "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64";
    Tcgen05MmaF16Op "nvvm.tcgen05_mma_f16" (I32, I64, I64, I32, I1) [document, SmA(100), Memory, plain] "%t = inttoptr i32 {0} to ptr addrspace(6)
call void @llvm.nvvm.tcgen05.mma.shared(ptr addrspace(6) %t, i64 {1}, i64 {2}, i32 {3}, i1 {4}, i32 0, i32 1, i32 0)
ret void" => "tcgen05.mma.cta_group::1.kind::f16";
    Tcgen05Cp128x256bOp "nvvm.tcgen05_cp_128x256b" (I32, I64) [document, SmA(100), Memory, convergent] "%t = inttoptr i32 {0} to ptr addrspace(6)
call void @llvm.nvvm.tcgen05.cp.128x256b.cg1(ptr addrspace(6) %t, i64 {1})
ret void" => "tcgen05.cp.cta_group::1.128x256b";
    Tcgen05AllocCg2Op "nvvm.tcgen05_alloc_cg2" (Ptr, I32) [document, SmA(100), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.tcgen05.alloc.shared.cg2(ptr addrspace(3) %s, i32 {1})
ret void" => "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32";
    Tcgen05DeallocCg2Op "nvvm.tcgen05_dealloc_cg2" (I32, I32) [document, SmA(100), Memory, convergent] "%t = inttoptr i32 {0} to ptr addrspace(6)
call void @llvm.nvvm.tcgen05.dealloc.cg2(ptr addrspace(6) %t, i32 {1})
ret void" => "tcgen05.dealloc.cta_group::2.sync.aligned.b32";
    Tcgen05RelinquishAllocPermitCg2Op "nvvm.tcgen05_relinquish_alloc_permit_cg2" () [document, SmA(100), Memory, convergent] "@llvm.nvvm.tcgen05.relinq.alloc.permit.cg2" => "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned";
    Tcgen05CommitCg2Op "nvvm.tcgen05_commit_cg2" (Ptr) [document, SmA(100), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.tcgen05.commit.shared.cg2(ptr addrspace(3) %s)
ret void" => "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64";
    Tcgen05CommitMulticastCg2Op "nvvm.tcgen05_commit_multicast_cg2" (Ptr, I16) [document, SmA(100), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.tcgen05.commit.mc.shared.cg2(ptr addrspace(3) %s, i16 {1})
ret void" => "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64";
    Tcgen05MmaF16Cg2Op "nvvm.tcgen05_mma_f16_cg2" (I32, I64, I64, I32, I1) [document, SmA(100), Memory, plain] "%t = inttoptr i32 {0} to ptr addrspace(6)
call void @llvm.nvvm.tcgen05.mma.shared(ptr addrspace(6) %t, i64 {1}, i64 {2}, i32 {3}, i1 {4}, i32 0, i32 2, i32 0)
ret void" => "tcgen05.mma.cta_group::2.kind::f16";
    Tcgen05Cp128x256bCg2Op "nvvm.tcgen05_cp_128x256b_cg2" (I32, I64) [document, SmA(100), Memory, convergent] "%t = inttoptr i32 {0} to ptr addrspace(6)
call void @llvm.nvvm.tcgen05.cp.128x256b.cg2(ptr addrspace(6) %t, i64 {1})
ret void" => "tcgen05.cp.cta_group::2.128x256b";
    Tcgen05MmaWsF16Op "nvvm.tcgen05_mma_ws_f16" (I32, I64, I64, I32, I1) [document, SmA(100), Memory, plain] "%t = inttoptr i32 {0} to ptr addrspace(6)
call void @llvm.nvvm.tcgen05.mma.ws.shared(ptr addrspace(6) %t, i64 {1}, i64 {2}, i32 {3}, i1 {4}, i32 0, i32 0, i32 0)
ret void" => "tcgen05.mma.ws.cta_group::1.kind::f16";
    Tcgen05FenceBeforeThreadSyncOp "nvvm.tcgen05_fence_before_thread_sync" () [document, SmA(100), Memory, plain] "@llvm.nvvm.tcgen05.fence.before.thread.sync" => "tcgen05.fence::before_thread_sync";
    Tcgen05FenceAfterThreadSyncOp "nvvm.tcgen05_fence_after_thread_sync" () [document, SmA(100), Memory, plain] "@llvm.nvvm.tcgen05.fence.after.thread.sync" => "tcgen05.fence::after_thread_sync";
    Tcgen05Ld16x256bX8Op "nvvm.tcgen05_ld_16x256b_x8" (I32, Ptr) [document, SmA(100), Memory, convergent] "%t = inttoptr i32 {0} to ptr addrspace(6)
%r = call <32 x i32> @llvm.nvvm.tcgen05.ld.16x256b.x8(ptr addrspace(6) %t, i1 false)
store <32 x i32> %r, ptr {1}, align 4
ret void" => "tcgen05.ld.sync.aligned.16x256b.x8.b32";
    Tcgen05Ld16x256bX1Op "nvvm.tcgen05_ld_16x256b_x1" (I32, Ptr) [document, SmA(100), Memory, convergent] "%t = inttoptr i32 {0} to ptr addrspace(6)
%r = call <4 x i32> @llvm.nvvm.tcgen05.ld.16x256b.x1(ptr addrspace(6) %t, i1 false)
store <4 x i32> %r, ptr {1}, align 4
ret void" => "tcgen05.ld.sync.aligned.16x256b.x1.b32";
    Tcgen05Ld32x32bX32Op "nvvm.tcgen05_ld_32x32b_x32" (I32, Ptr) [document, SmA(100), Memory, convergent] "%t = inttoptr i32 {0} to ptr addrspace(6)
%r = call <32 x i32> @llvm.nvvm.tcgen05.ld.32x32b.x32(ptr addrspace(6) %t, i1 false)
store <32 x i32> %r, ptr {1}, align 4
ret void" => "tcgen05.ld.sync.aligned.32x32b.x32.b32";
    Tcgen05St32x32bX32Op "nvvm.tcgen05_st_32x32b_x32" (I32, Ptr) [document, SmA(100), Memory, convergent] "%t = inttoptr i32 {0} to ptr addrspace(6)
%v = load <32 x i32>, ptr {1}, align 4
call void @llvm.nvvm.tcgen05.st.32x32b.x32(ptr addrspace(6) %t, <32 x i32> %v, i1 false)
ret void" => "tcgen05.st.sync.aligned.32x32b.x32.b32";
    Tcgen05WaitLdOp "nvvm.tcgen05_wait_ld" () [document, SmA(100), Memory, convergent] "@llvm.nvvm.tcgen05.wait.ld" => "tcgen05.wait::ld.sync.aligned";
    Tcgen05WaitStOp "nvvm.tcgen05_wait_st" () [document, SmA(100), Memory, convergent] "@llvm.nvvm.tcgen05.wait.st" => "tcgen05.wait::st.sync.aligned";
    Tcgen05ShiftDownOp "nvvm.tcgen05_shift_down" (I32) [document, SmA(100), Memory, convergent] "%t = inttoptr i32 {0} to ptr addrspace(6)
call void @llvm.nvvm.tcgen05.shift.down.cg1(ptr addrspace(6) %t)
ret void" => "tcgen05.shift.cta_group::1.down";
}
