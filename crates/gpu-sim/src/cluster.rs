//! A cluster: blocks that see each other's shared memory and have a barrier of their own.
//!
//! Its blocks take their turns on one thread of the host. An address of shared memory has the rank of its block plus one
//! in bits 24 to 31; 0 there means the block itself, so that addresses of a block alone are what they always were.

use crate::block::{Block, Turn};
use crate::error::LaunchError;
use crate::launch::{Env, Launch};
use crate::warp::State;

/// Most blocks in a cluster, with the sizes that are not portable.
pub(crate) const MAX_BLOCKS: u32 = 16;
const RANK_SHIFT: u32 = 24;

/// `address` in the block of `rank`.
pub(crate) fn remote(address: u64, rank: u64) -> u64 {
    address & !(0xff << RANK_SHIFT) | (rank.min(0xfe) + 1) << RANK_SHIFT
}

/// The rank in an address, if it has one.
pub(crate) fn rank_of(address: u64) -> Option<u64> {
    (address >> RANK_SHIFT & 0xff).checked_sub(1)
}

/// What is left of an address without its rank.
pub(crate) fn offset_of(address: u64) -> u64 {
    address & ((1 << RANK_SHIFT) - 1)
}

/// Indices of the blocks of a cluster in the grid, by rank.
pub(crate) fn members(launch: &Launch, cluster: u64) -> Vec<u64> {
    let size = launch.cluster.map(u64::from);
    let grid = launch.grid.map(u64::from);
    let clusters = [grid[0] / size[0], grid[1] / size[1]];
    let at = [
        cluster % clusters[0],
        cluster / clusters[0] % clusters[1],
        cluster / (clusters[0] * clusters[1]),
    ];
    let ranks = 0..size.iter().product::<u64>();
    ranks
        .map(|r| {
            let within = [r % size[0], r / size[0] % size[1], r / (size[0] * size[1])];
            let [x, y, z]: [u64; 3] = std::array::from_fn(|k| at[k] * size[k] + within[k]);
            (z * grid[1] + y) * grid[0] + x
        })
        .collect()
}

/// Completes the barrier of the cluster if all threads that live have arrived. Answers whether some go on.
pub(crate) fn release(
    blocks: &mut [Block],
    members: impl Fn(usize) -> usize,
    count: usize,
) -> bool {
    let all_there = (0..count).all(|r| {
        let b = &blocks[members(r)];
        let arrived = &b.state.cluster_arrived;
        b.warps.iter().zip(arrived).all(|(w, a)| w.live & !a == 0)
    });
    if !all_there {
        return false;
    }
    let mut released = false;
    for r in 0..count {
        let b = &mut blocks[members(r)];
        b.state.cluster_arrived.fill(0);
        for s in b.warps.iter_mut().flat_map(|w| &mut w.splits) {
            if s.state == State::Cluster {
                s.state = State::Ready;
                released = true;
            }
        }
    }
    released
}

/// The blocks of a cluster, by rank.
pub(crate) struct Cluster {
    blocks: Vec<Block>,
    done: Vec<bool>,
}

impl Cluster {
    pub fn new(env: &Env<'_>, index: u64) -> Cluster {
        let blocks: Vec<_> = members(env.launch, index)
            .into_iter()
            .map(|i| Block::new(env, i))
            .collect();
        let done = vec![false; blocks.len()];
        Cluster { blocks, done }
    }

    /// Gives each block a turn of at most `quantum` instructions.
    pub fn run(
        &mut self,
        env: &mut Env<'_>,
        quantum: u64,
        slice: u64,
    ) -> Result<Turn, LaunchError> {
        env.peers.clear();
        let shared = |b: &mut Block| b.state.shared.as_mut_ptr() as *mut u8;
        env.peers.extend(self.blocks.iter_mut().map(shared));
        let count = self.blocks.len();
        // Blocks of a cluster wait for each other more than blocks of a grid.
        let quantum = if count > 1 { quantum / 16 + 1 } else { quantum };
        let mut stuck = None;
        let mut moved = false;
        for r in 0..count {
            if self.done[r] {
                continue;
            }
            match self.blocks[r].run(env, quantum, slice)? {
                Turn::Running => moved = true,
                Turn::Done => {
                    self.done[r] = true;
                    moved = true;
                }
                Turn::Waiting => stuck = Some(r),
            }
        }
        if self.done.iter().all(|d| *d) {
            return Ok(Turn::Done);
        }
        let released = release(&mut self.blocks, |r| r, count);
        moved |= released;
        if released && let Some(races) = &mut env.races {
            let of = |b: &Block| {
                let index = b.state.index;
                (0..b.warps.len() as u32).map(move |w| (index, w))
            };
            let all: Vec<_> = self.blocks.iter().flat_map(of).collect();
            races.meet(&all);
        }
        match stuck {
            Some(r) if !moved => Err(self.blocks[r].deadlock(env)),
            _ => Ok(Turn::Running),
        }
    }
}
