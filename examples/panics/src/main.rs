//! A kernel that panics on purpose: the launch's error says what, where, and in which thread. This program succeeds when
//! it does.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

/// Block and thread that reach past the table.
const BLOCK: u32 = 2;
const THREAD: u32 = 5;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn look_up(table: &[u32], indices: &[u32], mut out: DisjointSlice<u32>) {
        let i = thread::index_1d();
        let n = i.get();
        if let Some(place) = out.get_mut(i) {
            // A bounds check that fails: `table` has fewer elements than one index says.
            let index = indices[n] as usize;
            *place = table[index];
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = LaunchConfig {
        grid_dim: (4, 1, 1),
        block_dim: (32, 1, 1),
        shared_mem_bytes: 0,
    };
    let n = 4 * 32;
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let table = DeviceBuffer::from_host(&stream, &[7u32; 100])?;
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, n)?;

    let mut indices: Vec<u32> = (0..n as u32).map(|i| i % 100).collect();
    indices[(BLOCK * 32 + THREAD) as usize] = 1234;
    let indices = DeviceBuffer::from_host(&stream, &indices)?;
    // SAFETY: one dimension; what is wrong with the indices is checked in the kernel.
    let result = unsafe { module.look_up(&stream, config, &table, &indices, &mut out) };
    // A launch returns before its kernel ends: the panic shows where the program waits for it.
    let Err(error) = result.and_then(|()| stream.synchronize()) else {
        return Err("the kernel did not panic".into());
    };

    let report = error.to_string();
    let line = 1 + include_str!("main.rs")
        .lines()
        .position(|line| line.contains("table[index]"))
        .unwrap_or(0);
    println!("{report}\n");
    let parts = [
        "index out of bounds: the len is 100 but the index is 1234".to_owned(),
        format!("main.rs:{}", line),
        format!("block ({BLOCK}, 0, 0)"),
        format!("thread ({THREAD}, 0, 0)"),
    ];
    for part in parts {
        if !report.contains(&part) {
            return Err(format!("the report does not say `{part}`").into());
        }
    }
    println!("SUCCESS");
    Ok(())
}
