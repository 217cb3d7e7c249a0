//! Clusters of blocks and their distributed shared memory.

use crate::{ops::nvvm_ops, table::MinimumSm::Sm};

nvvm_ops! { Cluster:
    ReadPtxSregClusterCtaidXOp "nvvm.read_ptx_sreg_cluster_ctaid_x" () -> I32 [document, Sm(90), Pure, plain] "@llvm.nvvm.read.ptx.sreg.cluster.ctaid.x" => "%cluster_ctaid.x";
    ReadPtxSregClusterCtaidYOp "nvvm.read_ptx_sreg_cluster_ctaid_y" () -> I32 [document, Sm(90), Pure, plain] "@llvm.nvvm.read.ptx.sreg.cluster.ctaid.y" => "%cluster_ctaid.y";
    ReadPtxSregClusterCtaidZOp "nvvm.read_ptx_sreg_cluster_ctaid_z" () -> I32 [document, Sm(90), Pure, plain] "@llvm.nvvm.read.ptx.sreg.cluster.ctaid.z" => "%cluster_ctaid.z";
    ReadPtxSregClusterNctaidXOp "nvvm.read_ptx_sreg_cluster_nctaid_x" () -> I32 [document, Sm(90), Pure, plain] "@llvm.nvvm.read.ptx.sreg.cluster.nctaid.x" => "%cluster_nctaid.x";
    ReadPtxSregClusterNctaidYOp "nvvm.read_ptx_sreg_cluster_nctaid_y" () -> I32 [document, Sm(90), Pure, plain] "@llvm.nvvm.read.ptx.sreg.cluster.nctaid.y" => "%cluster_nctaid.y";
    ReadPtxSregClusterNctaidZOp "nvvm.read_ptx_sreg_cluster_nctaid_z" () -> I32 [document, Sm(90), Pure, plain] "@llvm.nvvm.read.ptx.sreg.cluster.nctaid.z" => "%cluster_nctaid.z";
    ReadPtxSregClusterCtarankOp "nvvm.read_ptx_sreg_cluster_ctarank" () -> I32 [document, Sm(90), Pure, plain] "@llvm.nvvm.read.ptx.sreg.cluster.ctarank" => "%cluster_ctarank";
    ReadPtxSregClusterNctarankOp "nvvm.read_ptx_sreg_cluster_nctarank" () -> I32 [document, Sm(90), Pure, plain] "@llvm.nvvm.read.ptx.sreg.cluster.nctarank" => "%cluster_nctarank";
    ClusterSyncOp "nvvm.cluster_sync" () [document, Sm(90), Memory, convergent] "call void @llvm.nvvm.barrier.cluster.arrive.aligned()
call void @llvm.nvvm.barrier.cluster.wait.aligned()
ret void" => "barrier.cluster.arrive.aligned";
    MapaSharedClusterOp "nvvm.mapa_shared_cluster" (Ptr, I32) -> Ptr [document, Sm(90), Pure, plain] "%s = addrspacecast ptr {0} to ptr addrspace(3)
%m = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %s, i32 {1})
%r = addrspacecast ptr addrspace(7) %m to ptr
ret ptr %r" => "mapa.shared::cluster.u64";
    DsmemReadU32Op "nvvm.dsmem_read_u32" (Ptr, I32) -> I32 [document, Sm(90), Memory, plain] "%s = addrspacecast ptr {0} to ptr addrspace(3)
%m = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %s, i32 {1})
%r = load volatile i32, ptr addrspace(7) %m, align 4
ret i32 %r" => "ld.volatile.shared::cluster";
    ReadPtxSregClusteridXOp "nvvm.read_ptx_sreg_clusterid_x" () -> I32 [ours, Sm(90), Pure, plain] "@llvm.nvvm.read.ptx.sreg.clusterid.x" => "%clusterid.x";
    ReadPtxSregClusteridYOp "nvvm.read_ptx_sreg_clusterid_y" () -> I32 [ours, Sm(90), Pure, plain] "@llvm.nvvm.read.ptx.sreg.clusterid.y" => "%clusterid.y";
    ReadPtxSregClusteridZOp "nvvm.read_ptx_sreg_clusterid_z" () -> I32 [ours, Sm(90), Pure, plain] "@llvm.nvvm.read.ptx.sreg.clusterid.z" => "%clusterid.z";
    ReadPtxSregNclusteridXOp "nvvm.read_ptx_sreg_nclusterid_x" () -> I32 [ours, Sm(90), Pure, plain] "@llvm.nvvm.read.ptx.sreg.nclusterid.x" => "%nclusterid.x";
    ReadPtxSregNclusteridYOp "nvvm.read_ptx_sreg_nclusterid_y" () -> I32 [ours, Sm(90), Pure, plain] "@llvm.nvvm.read.ptx.sreg.nclusterid.y" => "%nclusterid.y";
    ReadPtxSregNclusteridZOp "nvvm.read_ptx_sreg_nclusterid_z" () -> I32 [ours, Sm(90), Pure, plain] "@llvm.nvvm.read.ptx.sreg.nclusterid.z" => "%nclusterid.z";
    ClusterArriveOp "nvvm.cluster_arrive" () [ours, Sm(90), Memory, convergent] "@llvm.nvvm.barrier.cluster.arrive.aligned" => "barrier.cluster.arrive.aligned";
    ClusterArriveRelaxedOp "nvvm.cluster_arrive_relaxed" () [ours, Sm(90), Memory, convergent] "@llvm.nvvm.barrier.cluster.arrive.relaxed.aligned" => "barrier.cluster.arrive.relaxed.aligned";
    ClusterWaitOp "nvvm.cluster_wait" () [ours, Sm(90), Memory, convergent] "@llvm.nvvm.barrier.cluster.wait.aligned" => "barrier.cluster.wait.aligned";
}
