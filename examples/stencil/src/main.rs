//! Heat that spreads over a plate: a five-point stencil over a two-dimensional grid, step after step between two buffers.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

/// The next value of a point inside the plate.
fn next(here: f32, left: f32, right: f32, up: f32, down: f32) -> f32 {
    0.2 * (here + left + right + up + down)
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn step(now: &[f32], mut then: DisjointSlice<f32>, width: u32, height: u32) {
        let (width, height) = (width as usize, height as usize);
        let (x, y) = (thread::index_2d_col(), thread::index_2d_row());
        // The edge keeps its temperature.
        if x > 0 && y > 0 && x < width - 1 && y < height - 1 {
            let i = y * width + x;
            // SAFETY: x and y are this thread's alone, and inside.
            unsafe {
                *then.get_unchecked_mut(i) = next(
                    now[i],
                    now[i - 1],
                    now[i + 1],
                    now[i - width],
                    now[i + width],
                )
            };
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let width: usize = std::env::args().nth(1).map_or(Ok(200), |n| n.parse())?;
    let (height, steps) = (width / 2 + 1, 20);
    if width < 3 {
        return Err("the plate must have an inside".into());
    }
    // Hot on the left, cold elsewhere.
    let plate: Vec<f32> = (0..width * height)
        .map(|i| if i % width == 0 { 100.0 } else { 0.0 })
        .collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let mut now = DeviceBuffer::from_host(&stream, &plate)?;
    let mut then = DeviceBuffer::from_host(&stream, &plate)?;
    let config = LaunchConfig {
        grid_dim: (width.div_ceil(32) as u32, height.div_ceil(8) as u32, 1),
        block_dim: (32, 8, 1),
        shared_mem_bytes: 0,
    };
    for _ in 0..steps {
        // SAFETY: a thread for each point, and both buffers have all points.
        unsafe {
            module.step(
                &stream,
                config,
                &now,
                &mut then,
                width as u32,
                height as u32,
            )?
        };
        std::mem::swap(&mut now, &mut then);
    }
    let got = now.to_host_vec(&stream)?;

    let (mut now, mut then) = (plate.clone(), plate);
    for _ in 0..steps {
        for y in 1..height - 1 {
            for x in 1..width - 1 {
                let i = y * width + x;
                then[i] = next(
                    now[i],
                    now[i - 1],
                    now[i + 1],
                    now[i - width],
                    now[i + width],
                );
            }
        }
        std::mem::swap(&mut now, &mut then);
    }
    if let Some(i) = (0..now.len()).find(|i| got[*i] != now[*i]) {
        return Err(format!(
            "({}, {}): {} instead of {}",
            i % width,
            i / width,
            got[i],
            now[i]
        )
        .into());
    }
    println!(
        "{width} x {height} points, {steps} steps, {:.3} degrees beside the hot edge",
        got[width * (height / 2) + 1]
    );
    println!("SUCCESS");
    Ok(())
}
