//! NVIDIA's GPU intrinsics as pliron operations, from one table
