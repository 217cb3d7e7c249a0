//! Special registers.

use super::Warp;
use crate::block::BlockState;
use crate::inst::*;
use crate::lanes::Rows;
use crate::launch::Env;

impl Warp {
    pub(super) fn special(
        &self,
        env: &Env<'_>,
        block: &BlockState,
        rows: &Rows,
        inst: &Inst,
        s: Special,
        steps: u64,
    ) {
        let launch = env.launch;
        let one = |v: u64| [v; 32];
        let each = |f: &dyn Fn(u32) -> u32| std::array::from_fn(|l| u64::from(f(l as u32)));
        let clock = self.steps.max(steps);
        let values: [u64; 32] = match s {
            Special::Tid(k) => each(&|l| self.tid[k as usize][l as usize]),
            Special::Ntid(k) => one(launch.block[k as usize].into()),
            Special::Ctaid(k) => one(block.ctaid[k as usize].into()),
            Special::Nctaid(k) => one(launch.grid[k as usize].into()),
            Special::LaneId => each(&|l| l),
            Special::WarpId => one(self.index.into()),
            Special::NWarpId => one(u64::from(launch.block.iter().product::<u32>().div_ceil(32))),
            Special::SmId => one(block.index % u64::from(launch.config.sms)),
            Special::NSmId => one(launch.config.sms.into()),
            Special::GridId => one(launch.id),
            Special::Clock | Special::Clock64 => one(clock),
            Special::ClockHi => one(clock >> 32),
            Special::GlobalTimer | Special::GlobalTimerLo => one(env.nanoseconds(clock)),
            Special::GlobalTimerHi => one(env.nanoseconds(clock) >> 32),
            Special::LaneMask(kind) => each(&|l| {
                let eq = 1u32 << l;
                match kind {
                    MaskKind::Eq => eq,
                    MaskKind::Lt => eq - 1,
                    MaskKind::Le => eq | (eq - 1),
                    MaskKind::Gt => !(eq | (eq - 1)),
                    MaskKind::Ge => !(eq - 1),
                }
            }),
            Special::TotalSmem => one(block.shared_size.into()),
            Special::DynamicSmem => one(launch.dynamic_shared.into()),
            Special::ClusterId(k) => {
                let k = k as usize;
                one(u64::from(block.ctaid[k] / launch.cluster[k]))
            }
            Special::NClusterId(k) => {
                let k = k as usize;
                one(u64::from(launch.grid[k] / launch.cluster[k]))
            }
            Special::ClusterCtaid(k) => one(block.cluster_ctaid[k as usize].into()),
            Special::ClusterNctaid(k) => one(launch.cluster[k as usize].into()),
            Special::ClusterRank => one(block.cluster_rank.into()),
            Special::ClusterSize => one(u64::from(launch.cluster.iter().product::<u32>())),
            Special::ExplicitCluster => one(launch.explicit_cluster.into()),
            Special::WorkspaceHigh => one(launch.workspace() >> 32),
            Special::WorkspaceLow => one(launch.workspace() & 0xffff_ffff),
            Special::Constant(c) => one(c.into()),
        };
        for (l, v) in values.into_iter().enumerate() {
            if rows.mask >> l & 1 != 0 {
                // SAFETY: `x` is the width of the destination row.
                unsafe { rows.put_lane(inst.d, inst.x as Width, l, v) };
            }
        }
    }
}
