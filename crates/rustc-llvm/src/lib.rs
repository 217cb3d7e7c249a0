//! rustc's own LLVM IR, retargeted and cut to what kernels reach
