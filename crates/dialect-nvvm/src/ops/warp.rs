//! Lanes, shuffles, votes, matches, reductions of a warp.

use crate::{ops::nvvm_ops, table::MinimumSm::Sm};

nvvm_ops! { Warp:
    ReadPtxSregLaneidOp "nvvm.read_ptx_sreg_laneid" () -> I32 [document, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.laneid" => "%laneid";
    ShflSyncBflyI32Op "nvvm.shfl_sync_bfly_i32" (I32, I32, I32, I32) -> I32 [document, Sm(70), Memory, convergent] "@llvm.nvvm.shfl.sync.bfly.i32" => "shfl.sync.bfly.b32";
    ShflSyncBflyF32Op "nvvm.shfl_sync_bfly_f32" (I32, F32, I32, I32) -> F32 [document, Sm(70), Memory, convergent] "@llvm.nvvm.shfl.sync.bfly.f32" => "shfl.sync.bfly.b32";
    ShflSyncUpI32Op "nvvm.shfl_sync_up_i32" (I32, I32, I32, I32) -> I32 [document, Sm(70), Memory, convergent] "@llvm.nvvm.shfl.sync.up.i32" => "shfl.sync.up.b32";
    ShflSyncUpF32Op "nvvm.shfl_sync_up_f32" (I32, F32, I32, I32) -> F32 [document, Sm(70), Memory, convergent] "@llvm.nvvm.shfl.sync.up.f32" => "shfl.sync.up.b32";
    ShflSyncDownI32Op "nvvm.shfl_sync_down_i32" (I32, I32, I32, I32) -> I32 [document, Sm(70), Memory, convergent] "@llvm.nvvm.shfl.sync.down.i32" => "shfl.sync.down.b32";
    ShflSyncDownF32Op "nvvm.shfl_sync_down_f32" (I32, F32, I32, I32) -> F32 [document, Sm(70), Memory, convergent] "@llvm.nvvm.shfl.sync.down.f32" => "shfl.sync.down.b32";
    ShflSyncIdxI32Op "nvvm.shfl_sync_idx_i32" (I32, I32, I32, I32) -> I32 [document, Sm(70), Memory, convergent] "@llvm.nvvm.shfl.sync.idx.i32" => "shfl.sync.idx.b32";
    ShflSyncIdxF32Op "nvvm.shfl_sync_idx_f32" (I32, F32, I32, I32) -> F32 [document, Sm(70), Memory, convergent] "@llvm.nvvm.shfl.sync.idx.f32" => "shfl.sync.idx.b32";
    VoteAllSyncOp "nvvm.vote_all_sync" (I32, I1) -> I1 [document, Sm(70), Memory, convergent] "@llvm.nvvm.vote.all.sync" => "vote.sync.all.pred";
    VoteAnySyncOp "nvvm.vote_any_sync" (I32, I1) -> I1 [document, Sm(70), Memory, convergent] "@llvm.nvvm.vote.any.sync" => "vote.sync.any.pred";
    VoteUniSyncOp "nvvm.vote_uni_sync" (I32, I1) -> I1 [document, Sm(70), Memory, convergent] "@llvm.nvvm.vote.uni.sync" => "vote.sync.uni.pred";
    VoteBallotSyncOp "nvvm.vote_ballot_sync" (I32, I1) -> I32 [document, Sm(70), Memory, convergent] "@llvm.nvvm.vote.ballot.sync" => "vote.sync.ballot.b32";
    MatchAnySyncI32Op "nvvm.match_any_sync_i32" (I32, I32) -> I32 [document, Sm(70), Memory, convergent] "@llvm.nvvm.match.any.sync.i32" => "match.any.sync.b32";
    MatchAnySyncI64Op "nvvm.match_any_sync_i64" (I32, I64) -> I32 [document, Sm(70), Memory, convergent] "@llvm.nvvm.match.any.sync.i64" => "match.any.sync.b64";
    MatchAllSyncI32Op "nvvm.match_all_sync_i32" (I32, I32) -> I32 [document, Sm(70), Memory, convergent] "%p = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 {0}, i32 {1})
%r = extractvalue {i32, i1} %p, 0
ret i32 %r" => "match.all.sync.b32";
    MatchAllSyncI64Op "nvvm.match_all_sync_i64" (I32, I64) -> I32 [document, Sm(70), Memory, convergent] "%p = call {i32, i1} @llvm.nvvm.match.all.sync.i64p(i32 {0}, i64 {1})
%r = extractvalue {i32, i1} %p, 0
ret i32 %r" => "match.all.sync.b64";
    ActivemaskOp "nvvm.activemask" () -> I32 [document, Sm(0), Memory, convergent] "@llvm.nvvm.activemask" => "activemask.b32";
    BarWarpSyncOp "nvvm.bar_warp_sync" (I32) [ours, Sm(70), Memory, convergent] "@llvm.nvvm.bar.warp.sync" => "bar.warp.sync";
    ReduxSyncAddOp "nvvm.redux_sync_add" (I32, I32) -> I32 [ours, Sm(80), Memory, convergent] "@llvm.nvvm.redux.sync.add" => "redux.sync.add.s32";
    ReduxSyncUminOp "nvvm.redux_sync_umin" (I32, I32) -> I32 [ours, Sm(80), Memory, convergent] "@llvm.nvvm.redux.sync.umin" => "redux.sync.min.u32";
    ReduxSyncUmaxOp "nvvm.redux_sync_umax" (I32, I32) -> I32 [ours, Sm(80), Memory, convergent] "@llvm.nvvm.redux.sync.umax" => "redux.sync.max.u32";
    ReduxSyncMinOp "nvvm.redux_sync_min" (I32, I32) -> I32 [ours, Sm(80), Memory, convergent] "@llvm.nvvm.redux.sync.min" => "redux.sync.min.s32";
    ReduxSyncMaxOp "nvvm.redux_sync_max" (I32, I32) -> I32 [ours, Sm(80), Memory, convergent] "@llvm.nvvm.redux.sync.max" => "redux.sync.max.s32";
    ReduxSyncAndOp "nvvm.redux_sync_and" (I32, I32) -> I32 [ours, Sm(80), Memory, convergent] "@llvm.nvvm.redux.sync.and" => "redux.sync.and.b32";
    ReduxSyncOrOp "nvvm.redux_sync_or" (I32, I32) -> I32 [ours, Sm(80), Memory, convergent] "@llvm.nvvm.redux.sync.or" => "redux.sync.or.b32";
    ReduxSyncXorOp "nvvm.redux_sync_xor" (I32, I32) -> I32 [ours, Sm(80), Memory, convergent] "@llvm.nvvm.redux.sync.xor" => "redux.sync.xor.b32";
    ElectSyncOp "nvvm.elect_sync" (I32) -> I1 [ours, Sm(90), Memory, convergent] "%p = call {i32, i1} @llvm.nvvm.elect.sync(i32 {0})
%r = extractvalue {i32, i1} %p, 1
ret i1 %r" => "elect.sync";
    ReadPtxSregLanemaskEqOp "nvvm.read_ptx_sreg_lanemask_eq" () -> I32 [ours, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.lanemask.eq" => "%lanemask_eq";
    ReadPtxSregLanemaskLeOp "nvvm.read_ptx_sreg_lanemask_le" () -> I32 [ours, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.lanemask.le" => "%lanemask_le";
    ReadPtxSregLanemaskLtOp "nvvm.read_ptx_sreg_lanemask_lt" () -> I32 [ours, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.lanemask.lt" => "%lanemask_lt";
    ReadPtxSregLanemaskGeOp "nvvm.read_ptx_sreg_lanemask_ge" () -> I32 [ours, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.lanemask.ge" => "%lanemask_ge";
    ReadPtxSregLanemaskGtOp "nvvm.read_ptx_sreg_lanemask_gt" () -> I32 [ours, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.lanemask.gt" => "%lanemask_gt";
    ReadPtxSregWarpidOp "nvvm.read_ptx_sreg_warpid" () -> I32 [ours, Sm(0), Volatile, plain] "@llvm.nvvm.read.ptx.sreg.warpid" => "%warpid";
    ReadPtxSregNwarpidOp "nvvm.read_ptx_sreg_nwarpid" () -> I32 [ours, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.nwarpid" => "%nwarpid";
    ReadPtxSregSmidOp "nvvm.read_ptx_sreg_smid" () -> I32 [ours, Sm(0), Volatile, plain] "@llvm.nvvm.read.ptx.sreg.smid" => "%smid";
    ReadPtxSregNsmidOp "nvvm.read_ptx_sreg_nsmid" () -> I32 [ours, Sm(0), Pure, plain] "@llvm.nvvm.read.ptx.sreg.nsmid" => "%nsmid";
}
