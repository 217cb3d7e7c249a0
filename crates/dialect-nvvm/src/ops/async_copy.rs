//! Copies from global to shared memory that a thread does not wait for: destination, source.
//!
//! PTX wants the number of a wait as a constant: numbers up to 7 are cases of a switch that folds, and a greater one waits for all.

use crate::{ops::nvvm_ops, table::MinimumSm::Sm};

nvvm_ops! { AsyncCopy:
    CpAsyncCa4Op "nvvm.cp_async_ca_4" (Ptr, Ptr) [ours, Sm(80), Memory, plain] "%d = addrspacecast ptr {0} to ptr addrspace(3)
%s = addrspacecast ptr {1} to ptr addrspace(1)
call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %d, ptr addrspace(1) %s)
ret void" => "cp.async.ca.shared.global";
    CpAsyncCa8Op "nvvm.cp_async_ca_8" (Ptr, Ptr) [ours, Sm(80), Memory, plain] "%d = addrspacecast ptr {0} to ptr addrspace(3)
%s = addrspacecast ptr {1} to ptr addrspace(1)
call void @llvm.nvvm.cp.async.ca.shared.global.8(ptr addrspace(3) %d, ptr addrspace(1) %s)
ret void" => "cp.async.ca.shared.global";
    CpAsyncCa16Op "nvvm.cp_async_ca_16" (Ptr, Ptr) [ours, Sm(80), Memory, plain] "%d = addrspacecast ptr {0} to ptr addrspace(3)
%s = addrspacecast ptr {1} to ptr addrspace(1)
call void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3) %d, ptr addrspace(1) %s)
ret void" => "cp.async.ca.shared.global";
    CpAsyncCg16Op "nvvm.cp_async_cg_16" (Ptr, Ptr) [ours, Sm(80), Memory, plain] "%d = addrspacecast ptr {0} to ptr addrspace(3)
%s = addrspacecast ptr {1} to ptr addrspace(1)
call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %d, ptr addrspace(1) %s)
ret void" => "cp.async.cg.shared.global";
    CpAsyncCommitGroupOp "nvvm.cp_async_commit_group" () [ours, Sm(80), Memory, plain] "@llvm.nvvm.cp.async.commit.group" => "cp.async.commit_group";
    CpAsyncWaitGroupOp "nvvm.cp_async_wait_group" (I32) [ours, Sm(80), Memory, plain] "switch i32 {0}, label %all [i32 1, label %w1 i32 2, label %w2 i32 3, label %w3 i32 4, label %w4 i32 5, label %w5 i32 6, label %w6 i32 7, label %w7]
all:
call void @llvm.nvvm.cp.async.wait.group(i32 0)
ret void
w1:
call void @llvm.nvvm.cp.async.wait.group(i32 1)
ret void
w2:
call void @llvm.nvvm.cp.async.wait.group(i32 2)
ret void
w3:
call void @llvm.nvvm.cp.async.wait.group(i32 3)
ret void
w4:
call void @llvm.nvvm.cp.async.wait.group(i32 4)
ret void
w5:
call void @llvm.nvvm.cp.async.wait.group(i32 5)
ret void
w6:
call void @llvm.nvvm.cp.async.wait.group(i32 6)
ret void
w7:
call void @llvm.nvvm.cp.async.wait.group(i32 7)
ret void" => "cp.async.wait_group";
    CpAsyncWaitAllOp "nvvm.cp_async_wait_all" () [ours, Sm(80), Memory, plain] "@llvm.nvvm.cp.async.wait.all" => "cp.async.wait_all";
    CpAsyncMbarrierArriveOp "nvvm.cp_async_mbarrier_arrive" (Ptr) [ours, Sm(80), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared(ptr addrspace(3) %s)
ret void" => "cp.async.mbarrier.arrive.noinc.shared";
}
