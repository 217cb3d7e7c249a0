//! What kernels call
