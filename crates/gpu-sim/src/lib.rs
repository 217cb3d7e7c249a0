//! Executes PTX on the CPU: warps, blocks, memory, checks
