//! What a kernel takes of a multiprocessor.

use cubin::{Cubin, Usage, occupancy, sm_limits};
use serde::Serialize;

/// What one kernel takes: ptxas's figures where it was run, else the cubin's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelUsage {
    /// Of each thread.
    pub registers: u32,
    /// Bytes of each thread.
    pub stack: u32,
    /// Bytes of each thread; `None` where only ptxas could tell.
    pub spill_stores: Option<u32>,
    pub spill_loads: Option<u32>,
    /// Bytes of each block, without what a launch adds.
    pub shared: u32,
    /// Bytes of constant memory, parameters included.
    pub constant: u32,
    pub occupancy: Option<OccupancyRow>,
}

/// How full a multiprocessor gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OccupancyRow {
    pub block: u32,
    /// Blocks on a multiprocessor at once.
    pub blocks: u32,
    pub warps: u32,
    pub max_warps: u32,
    /// What keeps a further block away.
    pub limited_by: Vec<&'static str>,
}

impl OccupancyRow {
    pub fn percent(&self) -> u32 {
        (100 * self.warps).checked_div(self.max_warps).unwrap_or(0)
    }
}

impl KernelUsage {
    /// The figures of a kernel of a cubin.
    pub(crate) fn of(
        cubin: &Cubin<'_>,
        symbol: &str,
        ptxas: &[Usage],
        arch: &str,
        block: u32,
    ) -> cubin::Result<Option<Self>> {
        let Some(kernel) = cubin.kernels().find(|k| k.name == symbol) else {
            return Ok(None);
        };
        let own = cubin.resources(&kernel)?;
        let said = ptxas.iter().find(|u| u.function == symbol && u.entry);
        let shared = said.map_or(u32::try_from(own.shared).unwrap_or(u32::MAX), |u| u.shared);
        let registers = said.map_or(own.registers.unwrap_or(0), |u| u.registers);
        // An architecture without published figures has no occupancy; the rest is told.
        let occupancy = sm_limits(arch).ok().map(|sm| {
            let o = occupancy(&sm, block, registers, shared);
            OccupancyRow {
                block,
                blocks: o.blocks,
                warps: o.warps,
                max_warps: o.max_warps,
                limited_by: o.limits.iter().map(|l| l.name()).collect(),
            }
        });
        Ok(Some(Self {
            registers,
            stack: said.map_or(own.stack.unwrap_or(0), |u| u.stack),
            spill_stores: said.map(|u| u.spill_stores),
            spill_loads: said.map(|u| u.spill_loads),
            shared,
            constant: u32::try_from(own.constant).unwrap_or(u32::MAX),
            occupancy,
        }))
    }
}
