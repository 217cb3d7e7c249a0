//! pliron-llvm and what it lacks for NVPTX
