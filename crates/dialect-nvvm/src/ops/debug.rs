//! Clocks, traps, formatted output.

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
}
