//! The CUDA driver API over gpu-sim, as a shared library with libcuda's symbols
