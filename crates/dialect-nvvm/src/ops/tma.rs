//! The tensor memory accelerator: bulk copies of tiles between global and shared memory.
//!
//! Destination, barrier, tensor map, coordinates; source, tensor map, coordinates. A wait takes how many groups may still be under way;
//! PTX wants a constant, so the numbers up to 7 are cases of a switch that folds, and a greater one waits for all.

use crate::{ops::nvvm_ops, table::MinimumSm::Sm};

nvvm_ops! { Tma:
    CpAsyncBulkTensorG2sTile1dOp "nvvm.cp_async_bulk_tensor_g2s_tile_1d" (Ptr, Ptr, Ptr, I32) [document, Sm(90), Memory, convergent] "%d = addrspacecast ptr {0} to ptr addrspace(7)
%m = addrspacecast ptr {1} to ptr addrspace(3)
call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.1d(ptr addrspace(7) %d, ptr addrspace(3) %m, ptr {2}, i32 {3}, i16 0, i64 0, i1 false, i1 false, i32 0)
ret void" => "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
    CpAsyncBulkTensorG2sTile2dOp "nvvm.cp_async_bulk_tensor_g2s_tile_2d" (Ptr, Ptr, Ptr, I32, I32) [document, Sm(90), Memory, convergent] "%d = addrspacecast ptr {0} to ptr addrspace(7)
%m = addrspacecast ptr {1} to ptr addrspace(3)
call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %d, ptr addrspace(3) %m, ptr {2}, i32 {3}, i32 {4}, i16 0, i64 0, i1 false, i1 false, i32 0)
ret void" => "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
    CpAsyncBulkTensorG2sTile3dOp "nvvm.cp_async_bulk_tensor_g2s_tile_3d" (Ptr, Ptr, Ptr, I32, I32, I32) [document, Sm(90), Memory, convergent] "%d = addrspacecast ptr {0} to ptr addrspace(7)
%m = addrspacecast ptr {1} to ptr addrspace(3)
call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.3d(ptr addrspace(7) %d, ptr addrspace(3) %m, ptr {2}, i32 {3}, i32 {4}, i32 {5}, i16 0, i64 0, i1 false, i1 false, i32 0)
ret void" => "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
    CpAsyncBulkTensorG2sTile4dOp "nvvm.cp_async_bulk_tensor_g2s_tile_4d" (Ptr, Ptr, Ptr, I32, I32, I32, I32) [document, Sm(90), Memory, convergent] "%d = addrspacecast ptr {0} to ptr addrspace(7)
%m = addrspacecast ptr {1} to ptr addrspace(3)
call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.4d(ptr addrspace(7) %d, ptr addrspace(3) %m, ptr {2}, i32 {3}, i32 {4}, i32 {5}, i32 {6}, i16 0, i64 0, i1 false, i1 false, i32 0)
ret void" => "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
    CpAsyncBulkTensorG2sTile5dOp "nvvm.cp_async_bulk_tensor_g2s_tile_5d" (Ptr, Ptr, Ptr, I32, I32, I32, I32, I32) [document, Sm(90), Memory, convergent] "%d = addrspacecast ptr {0} to ptr addrspace(7)
%m = addrspacecast ptr {1} to ptr addrspace(3)
call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.5d(ptr addrspace(7) %d, ptr addrspace(3) %m, ptr {2}, i32 {3}, i32 {4}, i32 {5}, i32 {6}, i32 {7}, i16 0, i64 0, i1 false, i1 false, i32 0)
ret void" => "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
    CpAsyncBulkTensorS2gTile1dOp "nvvm.cp_async_bulk_tensor_s2g_tile_1d" (Ptr, Ptr, I32) [document, Sm(90), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.1d(ptr addrspace(3) %s, ptr {1}, i32 {2}, i64 0, i1 false)
ret void" => "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group";
    CpAsyncBulkTensorS2gTile2dOp "nvvm.cp_async_bulk_tensor_s2g_tile_2d" (Ptr, Ptr, I32, I32) [document, Sm(90), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d(ptr addrspace(3) %s, ptr {1}, i32 {2}, i32 {3}, i64 0, i1 false)
ret void" => "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group";
    CpAsyncBulkTensorS2gTile3dOp "nvvm.cp_async_bulk_tensor_s2g_tile_3d" (Ptr, Ptr, I32, I32, I32) [document, Sm(90), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.3d(ptr addrspace(3) %s, ptr {1}, i32 {2}, i32 {3}, i32 {4}, i64 0, i1 false)
ret void" => "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group";
    CpAsyncBulkTensorS2gTile4dOp "nvvm.cp_async_bulk_tensor_s2g_tile_4d" (Ptr, Ptr, I32, I32, I32, I32) [document, Sm(90), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.4d(ptr addrspace(3) %s, ptr {1}, i32 {2}, i32 {3}, i32 {4}, i32 {5}, i64 0, i1 false)
ret void" => "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group";
    CpAsyncBulkTensorS2gTile5dOp "nvvm.cp_async_bulk_tensor_s2g_tile_5d" (Ptr, Ptr, I32, I32, I32, I32, I32) [document, Sm(90), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.5d(ptr addrspace(3) %s, ptr {1}, i32 {2}, i32 {3}, i32 {4}, i32 {5}, i32 {6}, i64 0, i1 false)
ret void" => "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group";
    CpAsyncBulkTensorG2sTile2dMulticastOp "nvvm.cp_async_bulk_tensor_g2s_tile_2d_multicast" (Ptr, Ptr, Ptr, I32, I32, I16) [document, Sm(90), Memory, convergent] "%d = addrspacecast ptr {0} to ptr addrspace(7)
%m = addrspacecast ptr {1} to ptr addrspace(3)
call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %d, ptr addrspace(3) %m, ptr {2}, i32 {3}, i32 {4}, i16 {5}, i64 0, i1 true, i1 false, i32 0)
ret void" => "multicast::cluster";
    CpAsyncBulkCommitGroupOp "nvvm.cp_async_bulk_commit_group" () [document, Sm(90), Memory, plain] "@llvm.nvvm.cp.async.bulk.commit.group" => "cp.async.bulk.commit_group";
    CpAsyncBulkWaitGroupOp "nvvm.cp_async_bulk_wait_group" (I32) [document, Sm(90), Memory, plain] "switch i32 {0}, label %all [i32 1, label %w1 i32 2, label %w2 i32 3, label %w3 i32 4, label %w4 i32 5, label %w5 i32 6, label %w6 i32 7, label %w7]
all:
call void @llvm.nvvm.cp.async.bulk.wait.group(i32 0)
ret void
w1:
call void @llvm.nvvm.cp.async.bulk.wait.group(i32 1)
ret void
w2:
call void @llvm.nvvm.cp.async.bulk.wait.group(i32 2)
ret void
w3:
call void @llvm.nvvm.cp.async.bulk.wait.group(i32 3)
ret void
w4:
call void @llvm.nvvm.cp.async.bulk.wait.group(i32 4)
ret void
w5:
call void @llvm.nvvm.cp.async.bulk.wait.group(i32 5)
ret void
w6:
call void @llvm.nvvm.cp.async.bulk.wait.group(i32 6)
ret void
w7:
call void @llvm.nvvm.cp.async.bulk.wait.group(i32 7)
ret void" => "cp.async.bulk.wait_group";
    CpAsyncBulkWaitGroupReadOp "nvvm.cp_async_bulk_wait_group_read" (I32) [document, Sm(90), Memory, plain] "switch i32 {0}, label %all [i32 1, label %w1 i32 2, label %w2 i32 3, label %w3 i32 4, label %w4 i32 5, label %w5 i32 6, label %w6 i32 7, label %w7]
all:
call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 0)
ret void
w1:
call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 1)
ret void
w2:
call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 2)
ret void
w3:
call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 3)
ret void
w4:
call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 4)
ret void
w5:
call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 5)
ret void
w6:
call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 6)
ret void
w7:
call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 7)
ret void" => "cp.async.bulk.wait_group.read";
    PrefetchTensormapOp "nvvm.prefetch_tensormap" (Ptr) [document, Sm(90), Memory, plain] "@llvm.nvvm.prefetch.tensormap.p0" => "prefetch.tensormap";
}
