//! Control of cluster launches: a running cluster takes over the work of one that has not begun.
//!
//! The response is 16 bytes in shared memory, which the barrier says are there; the queries read it.

use crate::{
    ops::nvvm_ops,
    table::MinimumSm::{Sm, SmA},
};

nvvm_ops! { Clc:
    ClcTryCancelAsyncOp "nvvm.clc_try_cancel_async" (Ptr, Ptr) [document, Sm(100), Memory, plain] "%s = addrspacecast ptr {0} to ptr addrspace(3)
%m = addrspacecast ptr {1} to ptr addrspace(3)
call void @llvm.nvvm.clusterlaunchcontrol.try_cancel.async.shared(ptr addrspace(3) %s, ptr addrspace(3) %m)
ret void" => "clusterlaunchcontrol.try_cancel.async";
    ClcTryCancelAsyncMulticastOp "nvvm.clc_try_cancel_async_multicast" (Ptr, Ptr) [document, SmA(100), Memory, plain] "%s = addrspacecast ptr {0} to ptr addrspace(3)
%m = addrspacecast ptr {1} to ptr addrspace(3)
call void @llvm.nvvm.clusterlaunchcontrol.try_cancel.async.multicast.shared(ptr addrspace(3) %s, ptr addrspace(3) %m)
ret void" => "multicast::cluster::all";
    ClcQueryCancelIsCanceledOp "nvvm.clc_query_cancel_is_canceled" (Ptr) -> I1 [document, Sm(100), Memory, plain] "%v = load i128, ptr {0}, align 16
%r = call i1 @llvm.nvvm.clusterlaunchcontrol.query_cancel.is_canceled(i128 %v)
ret i1 %r" => "clusterlaunchcontrol.query_cancel.is_canceled";
    ClcQueryCancelFirstCtaidXOp "nvvm.clc_query_cancel_first_ctaid_x" (Ptr) -> I32 [document, Sm(100), Memory, plain] "%v = load i128, ptr {0}, align 16
%r = call i32 @llvm.nvvm.clusterlaunchcontrol.query_cancel.get_first_ctaid.x(i128 %v)
ret i32 %r" => "get_first_ctaid::x";
    ClcQueryCancelFirstCtaidYOp "nvvm.clc_query_cancel_first_ctaid_y" (Ptr) -> I32 [document, Sm(100), Memory, plain] "%v = load i128, ptr {0}, align 16
%r = call i32 @llvm.nvvm.clusterlaunchcontrol.query_cancel.get_first_ctaid.y(i128 %v)
ret i32 %r" => "get_first_ctaid::y";
    ClcQueryCancelFirstCtaidZOp "nvvm.clc_query_cancel_first_ctaid_z" (Ptr) -> I32 [document, Sm(100), Memory, plain] "%v = load i128, ptr {0}, align 16
%r = call i32 @llvm.nvvm.clusterlaunchcontrol.query_cancel.get_first_ctaid.z(i128 %v)
ret i32 %r" => "get_first_ctaid::z";
}
