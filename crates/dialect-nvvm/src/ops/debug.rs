//! Clocks, traps, profiler triggers, formatted output.
//!
//! `pmevent` takes its number as an immediate: there is a branch for each, of which a constant operand leaves one.

use crate::{ops::nvvm_ops, table::MinimumSm::Sm};

nvvm_ops! { Debug:
    ReadPtxSregClockOp "nvvm.read_ptx_sreg_clock" () -> I32 [document, Sm(0), Volatile, plain] "@llvm.nvvm.read.ptx.sreg.clock" => "%clock";
    ReadPtxSregClock64Op "nvvm.read_ptx_sreg_clock64" () -> I64 [document, Sm(0), Volatile, plain] "@llvm.nvvm.read.ptx.sreg.clock64" => "%clock64";
    ReadPtxSregGlobaltimerOp "nvvm.read_ptx_sreg_globaltimer" () -> I64 [document, Sm(0), Volatile, plain] "@llvm.nvvm.read.ptx.sreg.globaltimer" => "%globaltimer";
    TrapOp "nvvm.trap" () [document, Sm(0), Memory, plain] "@llvm.trap" => "trap";
    BrkptOp "nvvm.brkpt" () [document, Sm(0), Memory, plain] "@llvm.debugtrap" => "brkpt";
    VprintfOp "nvvm.vprintf" (Ptr, Ptr) -> I32 [document, Sm(0), Memory, plain] "@vprintf" => "vprintf";
    ReadPtxSregGlobaltimerLoOp "nvvm.read_ptx_sreg_globaltimer_lo" () -> I32 [ours, Sm(0), Volatile, plain] "@llvm.nvvm.read.ptx.sreg.globaltimer.lo" => "%globaltimer_lo";
    ExitOp "nvvm.exit" () [ours, Sm(0), Memory, convergent] "@llvm.nvvm.exit" => "exit";
    PmeventOp "nvvm.pmevent" (I32) [ours, Sm(0), Memory, plain] "switch i32 {0}, label %none [
  i32 0, label %e0
  i32 1, label %e1
  i32 2, label %e2
  i32 3, label %e3
  i32 4, label %e4
  i32 5, label %e5
  i32 6, label %e6
  i32 7, label %e7
  i32 8, label %e8
  i32 9, label %e9
  i32 10, label %e10
  i32 11, label %e11
  i32 12, label %e12
  i32 13, label %e13
  i32 14, label %e14
  i32 15, label %e15
]
e0:
call void asm sideeffect \"pmevent 0;\", \"\"()
ret void
e1:
call void asm sideeffect \"pmevent 1;\", \"\"()
ret void
e2:
call void asm sideeffect \"pmevent 2;\", \"\"()
ret void
e3:
call void asm sideeffect \"pmevent 3;\", \"\"()
ret void
e4:
call void asm sideeffect \"pmevent 4;\", \"\"()
ret void
e5:
call void asm sideeffect \"pmevent 5;\", \"\"()
ret void
e6:
call void asm sideeffect \"pmevent 6;\", \"\"()
ret void
e7:
call void asm sideeffect \"pmevent 7;\", \"\"()
ret void
e8:
call void asm sideeffect \"pmevent 8;\", \"\"()
ret void
e9:
call void asm sideeffect \"pmevent 9;\", \"\"()
ret void
e10:
call void asm sideeffect \"pmevent 10;\", \"\"()
ret void
e11:
call void asm sideeffect \"pmevent 11;\", \"\"()
ret void
e12:
call void asm sideeffect \"pmevent 12;\", \"\"()
ret void
e13:
call void asm sideeffect \"pmevent 13;\", \"\"()
ret void
e14:
call void asm sideeffect \"pmevent 14;\", \"\"()
ret void
e15:
call void asm sideeffect \"pmevent 15;\", \"\"()
ret void
none:
ret void" => "pmevent";
}
