//! dialect-mir to dialect-llvm and dialect-nvvm
