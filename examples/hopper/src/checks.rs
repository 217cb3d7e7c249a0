//! What each kernel must give.

use crate::Failure;
use crate::device::kernels::LoadedModule;
use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig1D, TensorElement, TensorMap};
use std::sync::Arc;

type Check = fn(&Arc<CudaContext>, &LoadedModule) -> Result<(), Failure>;

/// Every check, by name.
pub const ALL: &[(&str, Check)] = &[
    ("redux, elect", warps),
    ("cluster, mapa, distributed shared memory", clusters),
    ("mbarrier: arrivals from the cluster", remote_arrivals),
    ("mbarrier, cp.async that completes it", barriers),
    ("TMA 1-D", |c, m| tile(c, m, &[64])),
    ("TMA 2-D", |c, m| tile(c, m, &[16, 4])),
    ("TMA 3-D", |c, m| tile(c, m, &[8, 4, 2])),
    ("TMA 4-D", |c, m| tile(c, m, &[4, 4, 2, 2])),
    ("TMA 5-D", |c, m| tile(c, m, &[4, 2, 2, 2, 2])),
    ("TMA multicast", multicast),
    ("wgmma m64n64k16 bf16", |c, m| wgmma(c, m, true)),
    ("wgmma m64n64k16 f16", |c, m| wgmma(c, m, false)),
    ("ldmatrix, mma.sync, stmatrix x2", warp_product),
    ("stmatrix x4, transposed", stmatrix),
    ("cooperative grid sync", grids),
];

fn same<T: PartialEq + std::fmt::Debug>(
    found: &[T],
    expected: impl Fn(usize) -> T,
) -> Result<(), Failure> {
    let wrong: Vec<usize> = (0..found.len())
        .filter(|i| found[*i] != expected(*i))
        .collect();
    let Some(first) = wrong.first() else {
        return Ok(());
    };
    Err(Failure::Different(format!(
        "{} of {} elements; element {first} is {:?}, not {:?}",
        wrong.len(),
        found.len(),
        found[*first],
        expected(*first)
    )))
}

fn warps(ctx: &Arc<CudaContext>, module: &LoadedModule) -> Result<(), Failure> {
    let stream = ctx.default_stream();
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 128)?;
    // SAFETY: one warp, four rows of 32.
    unsafe { module.warps(&stream, LaunchConfig1D::new(1, 32), &mut out)? };
    let out = out.to_host_vec(&stream)?;
    let lanes = || 0..32u32;
    same(&out[..96], |i| match i / 32 {
        0 => lanes().sum(),
        1 => lanes().fold(0, |x, l| x ^ (l * 5)),
        _ => lanes().map(|l| l ^ 9).max().unwrap_or(0),
    })?;
    // Which lane is elected is the hardware's choice.
    match out[96..].iter().sum::<u32>() {
        1 => Ok(()),
        n => Err(Failure::Different(format!("{n} lanes elected"))),
    }
}

fn clusters(ctx: &Arc<CudaContext>, module: &LoadedModule) -> Result<(), Failure> {
    let stream = ctx.default_stream();
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 4 * 128)?;
    // SAFETY: two clusters of two blocks of 32 threads, four results each.
    unsafe { module.clusters(&stream, LaunchConfig1D::new(4, 32), &mut out)? };
    same(&out.to_host_vec(&stream)?, |i| {
        let (thread, block) = ((i / 4 % 32) as u32, (i / 128) as u32);
        let other = block / 2 * 1000 + (1 - block % 2) * 100;
        match i % 4 {
            0 => other + 31 - thread,
            1 => other + thread,
            2 => block % 2 * 10 + 2,
            _ => 2,
        }
    })
}

fn remote_arrivals(ctx: &Arc<CudaContext>, module: &LoadedModule) -> Result<(), Failure> {
    let stream = ctx.default_stream();
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 64)?;
    // SAFETY: one cluster of two blocks of 32 threads.
    unsafe { module.remote_arrivals(&stream, LaunchConfig1D::new(2, 32), &mut out)? };
    same(&out.to_host_vec(&stream)?, |i| {
        7 + (1 - i as u32 / 32) * 100 + i as u32 % 32
    })
}

fn barriers(ctx: &Arc<CudaContext>, module: &LoadedModule) -> Result<(), Failure> {
    let stream = ctx.default_stream();
    let x: Vec<u32> = (0..448).map(|i| i * i + 3).collect();
    let xs = DeviceBuffer::from_host(&stream, &x)?;
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 64)?;
    // SAFETY: 64 threads, seven words each.
    unsafe { module.barriers(&stream, LaunchConfig1D::new(1, 64), &xs, &mut out)? };
    same(&out.to_host_vec(&stream)?, |i| {
        (0..7).fold(63 - i as u32, |sum, k| {
            sum.wrapping_add(x[(i + 64 * k + 1) % 448].wrapping_mul(k as u32 + 1))
        })
    })
}

/// An array of two tiles along each dimension; the last tile is doubled and 1 added on the way to the other array.
fn tile(ctx: &Arc<CudaContext>, module: &LoadedModule, tile: &[u32]) -> Result<(), Failure> {
    let stream = ctx.default_stream();
    let dims: Vec<u64> = tile.iter().map(|n| 2 * u64::from(*n)).collect();
    let count: u64 = dims.iter().product();
    let x: Vec<u32> = (0..count as u32).map(|i| i * 3 + 1).collect();
    let xs = DeviceBuffer::from_host(&stream, &x)?;
    let ys = DeviceBuffer::<u32>::zeroed(&stream, x.len())?;
    let map = |buffer| -> Result<DeviceBuffer<u64>, Failure> {
        let map = TensorMap::tiled(ctx, buffer, TensorElement::U32, &dims, tile)?;
        Ok(DeviceBuffer::from_host(&stream, map.words())?)
    };
    let (from, to) = (map(&xs)?, map(&ys)?);
    let cfg = LaunchConfig1D::new(1, 64);
    // SAFETY: 64 threads; maps of as many dimensions as the kernel has, with tiles of 64 words.
    unsafe {
        match tile.len() {
            1 => module.tile_1d(&stream, cfg, &from, &to)?,
            2 => module.tile_2d(&stream, cfg, &from, &to)?,
            3 => module.tile_3d(&stream, cfg, &from, &to)?,
            4 => module.tile_4d(&stream, cfg, &from, &to)?,
            _ => module.tile_5d(&stream, cfg, &from, &to)?,
        }
    }
    same(&ys.to_host_vec(&stream)?, |i| {
        let mut rest = i as u64;
        let inside = dims.iter().zip(tile).all(|(n, t)| {
            let at = rest % n;
            rest /= n;
            at >= u64::from(*t)
        });
        if inside { x[i] * 2 + 1 } else { 0 }
    })
}

fn multicast(ctx: &Arc<CudaContext>, module: &LoadedModule) -> Result<(), Failure> {
    let stream = ctx.default_stream();
    let x: Vec<u32> = (0..256).map(|i| i * 5 + 2).collect();
    let xs = DeviceBuffer::from_host(&stream, &x)?;
    let map = TensorMap::tiled(ctx, &xs, TensorElement::U32, &[32, 8], &[16, 4])?;
    let map = DeviceBuffer::from_host(&stream, map.words())?;
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 128)?;
    // SAFETY: one cluster of two blocks of 64 threads.
    unsafe { module.multicast(&stream, LaunchConfig1D::new(2, 64), &map, &mut out)? };
    same(&out.to_host_vec(&stream)?, |i| {
        let (row, column) = (i % 64 / 16, i % 16);
        x[(row + 4) * 32 + column + 16]
    })
}

/// Small whole numbers, which both formats have and whose sums are exact.
fn number(i: usize, scale: usize) -> f32 {
    ((i * scale) % 17) as f32 - 8.0
}

/// The bits of a small whole number, as `bf16` or `f16`.
fn narrow(v: f32, bf16: bool) -> u16 {
    let bits = v.to_bits();
    if bf16 {
        return (bits >> 16) as u16;
    }
    if v == 0.0 {
        return 0;
    }
    let (sign, exponent) = (bits >> 31, (bits >> 23 & 0xff) + 15 - 127);
    (sign << 15 | exponent << 10 | (bits >> 13 & 0x3ff)) as u16
}

fn wgmma(ctx: &Arc<CudaContext>, module: &LoadedModule, bf16: bool) -> Result<(), Failure> {
    let stream = ctx.default_stream();
    let (a, b) = (|i| number(i, 5), |i| number(i, 7));
    let wide = |f: &dyn Fn(usize) -> f32| (0..2048).map(|i| narrow(f(i), bf16)).collect::<Vec<_>>();
    let xs = DeviceBuffer::from_host(&stream, &wide(&a))?;
    let ys = DeviceBuffer::from_host(&stream, &wide(&b))?;
    let mut out = DeviceBuffer::<f32>::zeroed(&stream, 64 * 64)?;
    let cfg = LaunchConfig1D::new(1, 128);
    // SAFETY: one warpgroup; 64 rows of 32 each.
    unsafe {
        if bf16 {
            module.wgmma_bf16(&stream, cfg, &xs, &ys, &mut out)?;
        } else {
            module.wgmma_f16(&stream, cfg, &xs, &ys, &mut out)?;
        }
    }
    same(&out.to_host_vec(&stream)?, |i| {
        let (row, column) = (i / 64, i % 64);
        (0..32).map(|k| a(row * 32 + k) * b(column * 32 + k)).sum()
    })
}

fn warp_product(ctx: &Arc<CudaContext>, module: &LoadedModule) -> Result<(), Failure> {
    let stream = ctx.default_stream();
    let (a, b) = (|i| number(i, 3), |i| number(i, 11));
    let xs: Vec<u16> = (0..256).map(|i| narrow(a(i), true)).collect();
    let ys: Vec<u16> = (0..128).map(|i| narrow(b(i), true)).collect();
    let xs = DeviceBuffer::from_host(&stream, &xs)?;
    let ys = DeviceBuffer::from_host(&stream, &ys)?;
    let mut out = DeviceBuffer::<f32>::zeroed(&stream, 128)?;
    let mut short = DeviceBuffer::<u16>::zeroed(&stream, 128)?;
    let cfg = LaunchConfig1D::new(1, 32);
    // SAFETY: one warp; 16 × 16, 16 × 8, and 16 × 8 twice.
    unsafe { module.warp_product(&stream, cfg, &xs, &ys, &mut out, &mut short)? };
    let product = |i: usize| -> f32 {
        let (row, column) = (i / 8, i % 8);
        (0..16).map(|k| a(row * 16 + k) * b(k * 8 + column)).sum()
    };
    same(&out.to_host_vec(&stream)?, product)?;
    // Rounded to nearest even.
    same(&short.to_host_vec(&stream)?, |i| {
        let bits = product(i).to_bits();
        ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
    })
}

fn stmatrix(ctx: &Arc<CudaContext>, module: &LoadedModule) -> Result<(), Failure> {
    let stream = ctx.default_stream();
    let mut out = DeviceBuffer::<u16>::zeroed(&stream, 640)?;
    // SAFETY: one warp.
    unsafe { module.stmatrix(&stream, LaunchConfig1D::new(1, 32), &mut out)? };
    same(&out.to_host_vec(&stream)?, |i| {
        let (matrix, row, column) = (i % 256 / 64, i % 64 / 8, i % 8);
        let at = if i < 256 {
            matrix * 64 + row * 8 + column
        } else {
            matrix * 64 + column * 8 + row
        };
        at as u16
    })
}

fn grids(ctx: &Arc<CudaContext>, module: &LoadedModule) -> Result<(), Failure> {
    let stream = ctx.default_stream();
    let blocks = 32usize;
    let n = blocks * 64;
    let x: Vec<u32> = (0..n as u32).collect();
    let mut words = DeviceBuffer::from_host(&stream, &x)?;
    let cfg = LaunchConfig1D::new(blocks as u32, 64);
    // SAFETY: one thread for each word.
    unsafe { module.grids(&stream, cfg, &mut words)? };
    same(&words.to_host_vec(&stream)?, |i| x[(i + 3 * 64) % n] + 3)
}
