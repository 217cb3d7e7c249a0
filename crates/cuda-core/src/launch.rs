//! The shape of a launch.

/// Blocks in the grid, threads in a block, bytes of dynamic shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    pub grid_dim: (u32, u32, u32),
    pub block_dim: (u32, u32, u32),
    pub shared_mem_bytes: u32,
}

/// Threads in a block when only the number of elements is given.
const BLOCK: u32 = 256;

impl LaunchConfig {
    /// At least one thread for each of `n` elements, in one dimension.
    #[inline(never)]
    pub fn for_num_elems(n: u32) -> Self {
        LaunchConfig1D::for_num_elems(n).into()
    }
}

/// A launch in one dimension: what `thread::index_1d` is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig1D {
    pub grid_dim: u32,
    pub block_dim: u32,
    pub shared_mem_bytes: u32,
}

impl LaunchConfig1D {
    /// `grid_dim` blocks of `block_dim` threads.
    #[inline(never)]
    pub fn new(grid_dim: u32, block_dim: u32) -> Self {
        LaunchConfig1D {
            grid_dim,
            block_dim,
            shared_mem_bytes: 0,
        }
    }

    /// At least one thread for each of `n` elements.
    #[inline(never)]
    pub fn for_num_elems(n: u32) -> Self {
        Self::new(n.div_ceil(BLOCK).max(1), BLOCK)
    }
}

/// A launch in two dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig2D {
    pub grid_dim: (u32, u32),
    pub block_dim: (u32, u32),
    pub shared_mem_bytes: u32,
}

impl LaunchConfig2D {
    /// Blocks and threads along x and y.
    #[inline(never)]
    pub fn new(grid_dim: (u32, u32), block_dim: (u32, u32)) -> Self {
        LaunchConfig2D {
            grid_dim,
            block_dim,
            shared_mem_bytes: 0,
        }
    }

    /// At least one thread for each element of `columns` × `rows`, in blocks of 16 × 16.
    #[inline(never)]
    pub fn for_elems(columns: u32, rows: u32) -> Self {
        Self::new(
            (columns.div_ceil(16).max(1), rows.div_ceil(16).max(1)),
            (16, 16),
        )
    }
}

/// A launch in three dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig3D {
    pub grid_dim: (u32, u32, u32),
    pub block_dim: (u32, u32, u32),
    pub shared_mem_bytes: u32,
}

impl LaunchConfig3D {
    /// Blocks and threads along x, y and z.
    #[inline(never)]
    pub fn new(grid_dim: (u32, u32, u32), block_dim: (u32, u32, u32)) -> Self {
        LaunchConfig3D {
            grid_dim,
            block_dim,
            shared_mem_bytes: 0,
        }
    }
}

impl From<LaunchConfig1D> for LaunchConfig {
    #[inline(never)]
    fn from(c: LaunchConfig1D) -> Self {
        let LaunchConfig1D {
            grid_dim,
            block_dim,
            shared_mem_bytes,
        } = c;
        LaunchConfig {
            grid_dim: (grid_dim, 1, 1),
            block_dim: (block_dim, 1, 1),
            shared_mem_bytes,
        }
    }
}

impl From<LaunchConfig2D> for LaunchConfig {
    #[inline(never)]
    fn from(c: LaunchConfig2D) -> Self {
        let ((gx, gy), (bx, by)) = (c.grid_dim, c.block_dim);
        LaunchConfig {
            grid_dim: (gx, gy, 1),
            block_dim: (bx, by, 1),
            shared_mem_bytes: c.shared_mem_bytes,
        }
    }
}

impl From<LaunchConfig3D> for LaunchConfig {
    #[inline(never)]
    fn from(c: LaunchConfig3D) -> Self {
        let LaunchConfig3D {
            grid_dim,
            block_dim,
            shared_mem_bytes,
        } = c;
        LaunchConfig {
            grid_dim,
            block_dim,
            shared_mem_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_every_element() {
        for n in [0, 1, 255, 256, 257, 1000, u32::MAX] {
            let c = LaunchConfig::for_num_elems(n);
            let threads = u64::from(c.grid_dim.0) * u64::from(c.block_dim.0);
            assert!(
                threads >= u64::from(n) && threads < u64::from(n) + 257,
                "{n}: {c:?}"
            );
            assert!(c.grid_dim.0 > 0);
        }
        let c: LaunchConfig = LaunchConfig2D::for_elems(17, 16).into();
        assert_eq!((c.grid_dim, c.block_dim), ((2, 1, 1), (16, 16, 1)));
    }
}
