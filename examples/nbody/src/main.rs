//! Gravity between all pairs of bodies: a struct as element type, tiles of it in shared memory.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{
    DeviceCopy, DisjointSlice, SharedArray, cuda_module, kernel, sync_threads, thread,
};

const BLOCK: usize = 128;

/// A position and a mass; or an acceleration, whose last field is 0. Sixteen bytes that are loaded at once.
#[repr(C, align(16))]
#[derive(Clone, Copy, Default, Debug, PartialEq, DeviceCopy)]
pub struct Body {
    x: f32,
    y: f32,
    z: f32,
    mass: f32,
}

/// The pull of `other` on a body at `me`, added to `sum`.
fn pull(me: Body, other: Body, sum: Body) -> Body {
    let (dx, dy, dz) = (other.x - me.x, other.y - me.y, other.z - me.z);
    let distance_squared = dx * dx + dy * dy + dz * dz + 1e-4;
    let inverse = 1.0 / distance_squared.sqrt();
    let force = other.mass * inverse * inverse * inverse;
    Body {
        x: sum.x + dx * force,
        y: sum.y + dy * force,
        z: sum.z + dz * force,
        mass: 0.0,
    }
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn accelerations(bodies: &[Body], mut out: DisjointSlice<Body>) {
        static mut TILE: SharedArray<Body, BLOCK> = SharedArray::UNINIT;

        let i = thread::index_1d();
        let own = thread::threadIdx_x() as usize;
        let me = bodies[i.get()];
        let mut sum = Body {
            x: 0.0,
            y: 0.0,
            z: 0.0,
            mass: 0.0,
        };
        let mut k = 0;
        while k < bodies.len() {
            // SAFETY: each thread writes its own element; the barriers part writes from reads.
            unsafe {
                TILE[own] = bodies[k + own];
                sync_threads();
                for j in 0..BLOCK {
                    sum = pull(me, TILE[j], sum);
                }
                sync_threads();
            }
            k += BLOCK;
        }
        if let Some(place) = out.get_mut(i) {
            *place = sum;
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(512), |n| n.parse())?;
    if n == 0 || !n.is_multiple_of(BLOCK) {
        return Err(format!("the number of bodies must be a multiple of {BLOCK}, not {n}").into());
    }
    let coordinate = |i: usize, k: usize| (i * k % 1009) as f32 / 100.0 - 5.0;
    let bodies: Vec<Body> = (0..n)
        .map(|i| Body {
            x: coordinate(i, 31),
            y: coordinate(i, 57),
            z: coordinate(i, 83),
            mass: 1.0 + (i % 3) as f32,
        })
        .collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let bodies_dev = DeviceBuffer::from_host(&stream, &bodies)?;
    let mut out = DeviceBuffer::<Body>::zeroed(&stream, n)?;
    let config = LaunchConfig {
        grid_dim: ((n / BLOCK) as u32, 1, 1),
        block_dim: (BLOCK as u32, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: whole blocks in one dimension, as many outputs as bodies.
    unsafe { module.accelerations(&stream, config, &bodies_dev, &mut out)? };

    let got = out.to_host_vec(&stream)?;
    for (i, me) in bodies.iter().enumerate() {
        // The same function in the same order: the same bits.
        let want = bodies
            .iter()
            .fold(Body::default(), |sum, other| pull(*me, *other, sum));
        if got[i] != want {
            return Err(format!("body {i}: {:?} instead of {want:?}", got[i]).into());
        }
    }
    println!("{n} bodies, {} pairs", n * n);
    println!("SUCCESS");
    Ok(())
}
