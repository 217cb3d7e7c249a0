//! How many blocks fit on a multiprocessor at once, and what limits it: by the figures of the CUDA C++ Programming Guide,
//! "Compute Capabilities", and the allocation units that the occupancy calculator uses.

use crate::error::{Error, Result};

/// What one multiprocessor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmLimits {
    /// 90 of `sm_90`.
    pub sm: u32,
    pub threads: u32,
    pub blocks: u32,
    /// Registers of 32 bits.
    pub registers: u32,
    /// Bytes of shared memory for all blocks.
    pub shared: u32,
    /// Bytes of it that each block takes beside its own.
    pub reserved_shared: u32,
    /// The most shared memory that one block can have.
    pub shared_block: u32,
}

const fn row(sm: u32, threads: u32, blocks: u32, shared_kib: u32, reserved_kib: u32) -> SmLimits {
    SmLimits {
        sm,
        threads,
        blocks,
        registers: 65536,
        shared: shared_kib * 1024,
        reserved_shared: reserved_kib * 1024,
        shared_block: (shared_kib - reserved_kib) * 1024,
    }
}

/// One row for each architecture with published figures.
pub const SM_LIMITS: &[SmLimits] = &[
    row(75, 1024, 16, 64, 0),
    row(80, 2048, 32, 164, 1),
    row(86, 1536, 16, 100, 1),
    row(87, 1536, 16, 164, 1),
    row(89, 1536, 24, 100, 1),
    row(90, 2048, 32, 228, 1),
    row(100, 2048, 32, 228, 1),
    row(103, 2048, 32, 228, 1),
    row(110, 1536, 24, 228, 1),
    row(120, 1536, 24, 100, 1),
    row(121, 1536, 24, 100, 1),
];

/// Registers are given to warps in these units.
const REGISTER_UNIT: u32 = 256;
/// Shared memory is given in these.
const SHARED_UNIT: u32 = 128;
/// A multiprocessor has as many parts, each with its share of the registers.
const PARTITIONS: u32 = 4;
const WARP: u32 = 32;
const MAX_BLOCK: u32 = 1024;

/// What keeps a further block away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Blocks,
    Threads,
    Registers,
    Shared,
}

impl Limit {
    pub fn name(self) -> &'static str {
        match self {
            Limit::Blocks => "blocks",
            Limit::Threads => "threads",
            Limit::Registers => "registers",
            Limit::Shared => "shared memory",
        }
    }
}

/// How many fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Blocks on one multiprocessor at once; 0: it cannot be launched so.
    pub blocks: u32,
    /// Warps of them, of so many that there is room for.
    pub warps: u32,
    pub max_warps: u32,
    /// All that limit equally.
    pub limits: Vec<Limit>,
}

/// The row of an architecture, `sm_90a` or `sm_90`.
pub fn sm_limits(arch: &str) -> Result<SmLimits> {
    let digits = arch.trim_start_matches("sm_").trim_end_matches(['a', 'f']);
    let sm = digits.parse::<u32>().ok();
    SM_LIMITS
        .iter()
        .find(|l| Some(l.sm) == sm)
        .copied()
        .ok_or_else(|| Error::UnknownSm(arch.to_string()))
}

/// Occupancy of a kernel with `registers` per thread and `shared` bytes per block (static and dynamic together).
pub fn occupancy(sm: &SmLimits, block: u32, registers: u32, shared: u32) -> Occupancy {
    let warps = block.div_ceil(WARP).max(1);
    let by_threads = sm.threads / (warps * WARP);
    let per_warp = (registers * WARP).next_multiple_of(REGISTER_UNIT);
    let by_registers = match per_warp {
        0 => u32::MAX,
        // Each warp lives in one partition.
        per_warp => (sm.registers / PARTITIONS / per_warp) * PARTITIONS / warps,
    };
    let shared_all = shared.saturating_add(sm.reserved_shared);
    let shared_all = shared_all
        .checked_next_multiple_of(SHARED_UNIT)
        .unwrap_or(u32::MAX);
    let by_shared = match shared_all {
        0 => u32::MAX,
        _ if shared > sm.shared_block => 0,
        bytes => sm.shared / bytes,
    };
    let all = [
        (Limit::Blocks, sm.blocks),
        (
            Limit::Threads,
            if block > MAX_BLOCK { 0 } else { by_threads },
        ),
        (Limit::Registers, by_registers),
        (Limit::Shared, by_shared),
    ];
    let blocks = all.iter().map(|(_, n)| *n).min().unwrap_or(0);
    Occupancy {
        blocks,
        warps: blocks * warps,
        max_warps: sm.threads / WARP,
        limits: all
            .iter()
            .filter(|(_, n)| *n == blocks)
            .map(|(limit, _)| *limit)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        assert_eq!(SM_LIMITS.len(), 11);
        let sm = sm_limits("sm_90a").unwrap();
        let at = |block, registers, shared| {
            let o = occupancy(&sm, block, registers, shared);
            (o.blocks, o.warps, o.limits)
        };
        // 2048 threads: the register file has 32 for each.
        assert_eq!(
            at(256, 32, 0),
            (8, 64, vec![Limit::Threads, Limit::Registers])
        );
        assert_eq!(at(256, 64, 0), (4, 32, vec![Limit::Registers]));
        assert_eq!(at(256, 255, 0), (1, 8, vec![Limit::Registers]));
        assert_eq!(at(32, 16, 0), (32, 32, vec![Limit::Blocks]));
        assert_eq!(at(128, 16, 100 * 1024), (2, 8, vec![Limit::Shared]));
        assert_eq!(at(1024, 128, 0).0, 0);
        assert_eq!(at(2048, 8, 0).0, 0);
        assert!(sm_limits("sm_107").is_err());
    }
}
