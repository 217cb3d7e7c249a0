//! Indices, barriers of a block, fences.

use crate::{ops::nvvm_ops, table::MinimumSm::Sm};

nvvm_ops! { Thread:
    ReadPtxSregTidXOp "nvvm.read_ptx_sreg_tid_x" () -> I32 [document, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.tid.x" => "%tid.x";
    ReadPtxSregTidYOp "nvvm.read_ptx_sreg_tid_y" () -> I32 [document, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.tid.y" => "%tid.y";
    ReadPtxSregTidZOp "nvvm.read_ptx_sreg_tid_z" () -> I32 [document, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.tid.z" => "%tid.z";
    ReadPtxSregNtidXOp "nvvm.read_ptx_sreg_ntid_x" () -> I32 [document, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.ntid.x" => "%ntid.x";
    ReadPtxSregNtidYOp "nvvm.read_ptx_sreg_ntid_y" () -> I32 [document, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.ntid.y" => "%ntid.y";
    ReadPtxSregNtidZOp "nvvm.read_ptx_sreg_ntid_z" () -> I32 [document, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.ntid.z" => "%ntid.z";
    ReadPtxSregCtaidXOp "nvvm.read_ptx_sreg_ctaid_x" () -> I32 [document, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.ctaid.x" => "%ctaid.x";
    ReadPtxSregCtaidYOp "nvvm.read_ptx_sreg_ctaid_y" () -> I32 [document, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.ctaid.y" => "%ctaid.y";
    ReadPtxSregCtaidZOp "nvvm.read_ptx_sreg_ctaid_z" () -> I32 [document, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.ctaid.z" => "%ctaid.z";
    ReadPtxSregNctaidXOp "nvvm.read_ptx_sreg_nctaid_x" () -> I32 [document, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.nctaid.x" => "%nctaid.x";
    ReadPtxSregNctaidYOp "nvvm.read_ptx_sreg_nctaid_y" () -> I32 [document, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.nctaid.y" => "%nctaid.y";
    ReadPtxSregNctaidZOp "nvvm.read_ptx_sreg_nctaid_z" () -> I32 [document, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.nctaid.z" => "%nctaid.z";
    Barrier0Op "nvvm.barrier0" () [document, Sm(0), Memory, convergent] "@llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)" => "bar.sync";
    BarrierSyncOp "nvvm.barrier_sync" (I32) [document, Sm(0), Memory, convergent] "@llvm.nvvm.barrier.cta.sync.aligned.all(i32 {0})" => "bar.sync";
    BarrierSyncCountOp "nvvm.barrier_sync_count" (I32, I32) [document, Sm(0), Memory, convergent] "@llvm.nvvm.barrier.cta.sync.aligned.count(i32 {0}, i32 {1})" => "bar.sync";
    MembarCtaOp "nvvm.membar_cta" () [document, Sm(0), Memory, plain] "@llvm.nvvm.membar.cta" => "membar.cta";
    MembarGlOp "nvvm.membar_gl" () [document, Sm(0), Memory, plain] "@llvm.nvvm.membar.gl" => "membar.gl";
    MembarSysOp "nvvm.membar_sys" () [document, Sm(0), Memory, plain] "@llvm.nvvm.membar.sys" => "membar.sys";
    BarrierArriveCountOp "nvvm.barrier_arrive_count" (I32, I32) [ours, Sm(0), Memory, convergent] "@llvm.nvvm.barrier.cta.arrive.aligned.count(i32 {0}, i32 {1})" => "bar.arrive";
    Barrier0AndOp "nvvm.barrier0_and" (I1) -> I1 [ours, Sm(0), Memory, convergent] "@llvm.nvvm.barrier.cta.red.and.aligned.all(i32 0, i1 {0})" => "bar.red.and.pred";
    Barrier0OrOp "nvvm.barrier0_or" (I1) -> I1 [ours, Sm(0), Memory, convergent] "@llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 {0})" => "bar.red.or.pred";
    Barrier0PopcOp "nvvm.barrier0_popc" (I1) -> I32 [ours, Sm(0), Memory, convergent] "@llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 {0})" => "bar.red.popc.u32";
    DynamicSharedOp "nvvm.dynamic_shared" () -> Ptr [ours, Sm(0), Pure, plain] "%r = addrspacecast ptr addrspace(3) @__oxide_dynamic_shared to ptr
ret ptr %r" => "__oxide_dynamic_shared";
    ReadPtxSregDynamicSmemSizeOp "nvvm.read_ptx_sreg_dynamic_smem_size" () -> I32 [ours, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.dynamic_smem_size" => "%dynamic_smem_size";
    ReadPtxSregTotalSmemSizeOp "nvvm.read_ptx_sreg_total_smem_size" () -> I32 [ours, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.total_smem_size" => "%total_smem_size";
}
