//! Barriers in shared memory, for asynchronous copies.

use crate::{ops::nvvm_ops, table::MinimumSm::Sm};

nvvm_ops! { Mbarrier:
    MbarrierInitOp "nvvm.mbarrier_init" (Ptr, I32) [document, Sm(80), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %s, i32 {1})
ret void" => "mbarrier.init.shared";
    MbarrierArriveOp "nvvm.mbarrier_arrive" (Ptr) -> I64 [document, Sm(80), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
%r = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) %s)
ret i64 %r" => "mbarrier.arrive.shared";
    MbarrierArriveExpectTxOp "nvvm.mbarrier_arrive_expect_tx" (Ptr, I32) -> I64 [document, Sm(90), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
%r = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3) %s, i32 {1})
ret i64 %r" => "mbarrier.arrive.expect_tx";
    MbarrierArriveClusterOp "nvvm.mbarrier_arrive_cluster" (Ptr, I32) [document, Sm(90), Memory, plain] "%s = addrspacecast ptr {0} to ptr addrspace(3)
%m = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %s, i32 {1})
call void @llvm.nvvm.mbarrier.arrive.scope.cluster.space.cluster(ptr addrspace(7) %m, i32 1)
ret void" => "mbarrier.arrive.release.cluster.shared::cluster.b64";
    MbarrierTestWaitOp "nvvm.mbarrier_test_wait" (Ptr, I64) -> I1 [document, Sm(80), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
%r = call i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3) %s, i64 {1})
ret i1 %r" => "mbarrier.test_wait.shared";
    MbarrierTryWaitOp "nvvm.mbarrier_try_wait" (Ptr, I64) -> I1 [document, Sm(90), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
%r = call i1 @llvm.nvvm.mbarrier.try.wait.scope.cta.space.cta(ptr addrspace(3) %s, i64 {1})
ret i1 %r" => "mbarrier.try_wait";
    MbarrierTryWaitParityOp "nvvm.mbarrier_try_wait_parity" (Ptr, I32) -> I1 [document, Sm(90), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
%r = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) %s, i32 {1})
ret i1 %r" => "mbarrier.try_wait.parity";
    MbarrierInvalOp "nvvm.mbarrier_inval" (Ptr) [document, Sm(80), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3) %s)
ret void" => "mbarrier.inval.shared";
    FenceProxyAsyncSharedCtaOp "nvvm.fence_proxy_async_shared_cta" () [document, Sm(90), Memory, plain] "@llvm.nvvm.fence.proxy.async.shared_cta" => "fence.proxy.async.shared::cta";
    NanosleepOp "nvvm.nanosleep" (I32) [document, Sm(70), Memory, convergent] "@llvm.nvvm.nanosleep" => "nanosleep.u32";
    FenceMbarrierInitClusterOp "nvvm.fence_mbarrier_init_cluster" () [ours, Sm(90), Memory, plain] "@llvm.nvvm.fence.mbarrier_init.release.cluster" => "fence.mbarrier_init.release.cluster";
    MbarrierExpectTxOp "nvvm.mbarrier_expect_tx" (Ptr, I32) [ours, Sm(90), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.mbarrier.expect.tx.scope.cta.space.cta(ptr addrspace(3) %s, i32 {1})
ret void" => "mbarrier.expect_tx";
}
