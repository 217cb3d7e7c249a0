//! `warp`: each function's results in a row of 32 words, against what the CPU says of the same lanes.

use crate::{Checked, same};
use cuda_core::{CudaContext, CudaStream, DeviceBuffer, LaunchConfig1D};
use cuda_device::{DisjointSlice, cuda_module, device, kernel, thread, warp};
use std::sync::Arc;

#[cuda_module]
pub mod kernels {
    use super::*;

    #[device]
    fn put(out: &mut DisjointSlice<u64>, row: usize, value: u64) {
        let at = row * 32 + warp::lane_id() as usize;
        // SAFETY: each lane has its own column.
        unsafe { *out.get_unchecked_mut(at) = value };
    }

    /// Where a thread is, in several blocks of several warps.
    #[kernel]
    pub fn places(mut out: DisjointSlice<u64>) {
        let i = thread::index_1d();
        let value = (thread::warp_index() as u64) << 32
            | (warp::warp_id() as u64) << 16
            | (i.in_bounds(100) as u64 * 2)
            | i.is_valid() as u64;
        if let Some(o) = out.get_mut(i) {
            *o = value;
        }
    }

    /// One warp.
    #[kernel]
    pub fn shuffles(mut out: DisjointSlice<u64>) {
        let lane = warp::lane_id();
        let wide = super::wide(lane);
        let (single, double) = (super::single(lane), super::double(lane));
        put(&mut out, 0, warp::shuffle_u64(wide, 9));
        put(&mut out, 1, warp::shuffle_xor_u64(wide, 5));
        put(&mut out, 2, warp::shuffle_up_u64(wide, 3));
        put(&mut out, 3, warp::shuffle_down_u64(wide, 6));
        put(&mut out, 4, warp::shuffle_f32(single, 9).to_bits() as u64);
        put(
            &mut out,
            5,
            warp::shuffle_xor_f32(single, 5).to_bits() as u64,
        );
        put(
            &mut out,
            6,
            warp::shuffle_up_f32(single, 3).to_bits() as u64,
        );
        put(
            &mut out,
            7,
            warp::shuffle_down_f32(single, 6).to_bits() as u64,
        );
        put(&mut out, 8, warp::shuffle_f64(double, 9).to_bits());
        put(&mut out, 9, warp::shuffle_xor_f64(double, 5).to_bits());
        put(&mut out, 10, warp::shuffle_up_f64(double, 3).to_bits());
        put(&mut out, 11, warp::shuffle_down_f64(double, 6).to_bits());
        // The masked forms, among half of the lanes.
        if lane >= 16 {
            let high = 0xffff_0000;
            put(&mut out, 12, warp::shuffle_sync(high, lane, 20) as u64);
            put(&mut out, 13, warp::shuffle_up_u64_sync(high, wide, 0));
            put(
                &mut out,
                14,
                warp::shuffle_xor_f64_sync(high, double, 1).to_bits(),
            );
            put(
                &mut out,
                15,
                warp::shuffle_down_f32_sync(high, single, 4).to_bits() as u64,
            );
        }
        put(&mut out, 16, warp::lanemask_le() as u64);
        put(&mut out, 17, warp::lanemask_gt() as u64);
    }

    /// One warp.
    #[kernel]
    pub fn groups(mut out: DisjointSlice<u64>) {
        let lane = warp::lane_id();
        // The upper half of the word tells lanes apart whose lower halves are the same.
        let key = ((lane / 8) as u64) << 40 | 5;
        put(&mut out, 0, warp::match_any_sync_i64(u32::MAX, key) as u64);
        put(&mut out, 1, warp::match_all_sync_i64(u32::MAX, key) as u64);
        put(
            &mut out,
            2,
            warp::match_all_sync_i64(u32::MAX, 1 << 50) as u64,
        );
        let bits = !(1u32 << lane);
        put(&mut out, 3, warp::redux_sync_and(u32::MAX, bits | 3) as u64);
        put(&mut out, 4, warp::redux_sync_or(u32::MAX, lane * 2) as u64);
        put(&mut out, 5, warp::redux_sync_xor(u32::MAX, bits) as u64);
        let sign = lane.wrapping_sub(7);
        put(&mut out, 6, warp::redux_sync_min_u32(u32::MAX, sign) as u64);
        put(&mut out, 7, warp::redux_sync_max_u32(u32::MAX, sign) as u64);
        put(
            &mut out,
            8,
            warp::redux_sync_max_i32(u32::MAX, sign as i32) as u32 as u64,
        );
        // Each half on its own, in one instruction.
        let half = if lane < 16 { 0xffff } else { 0xffff_0000 };
        put(&mut out, 9, warp::redux_sync_add(half, lane) as u64);
        put(&mut out, 10, warp::elect_sync(half) as u64);
        let (single, double) = (super::single(lane), super::double(lane));
        put(&mut out, 11, warp::reduce_min_f32(single).to_bits() as u64);
        put(&mut out, 12, warp::reduce_max_f32(single).to_bits() as u64);
        put(&mut out, 13, warp::reduce_sum_f64(double).to_bits());
        put(&mut out, 14, warp::reduce_min_f64(double).to_bits());
        put(&mut out, 15, warp::all_sync(half, lane < 16) as u64);
        put(&mut out, 16, warp::any_sync(half, lane == 3) as u64);
    }
}

/// Values in which every bit counts.
fn wide(lane: u32) -> u64 {
    (lane as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
fn single(lane: u32) -> f32 {
    (lane as f32 - 11.5) * 0.37
}
fn double(lane: u32) -> f64 {
    (lane as f64 - 20.25) * 0.0625
}

/// A butterfly sum, in the order in which the device adds.
fn butterfly(mut values: [f64; 32]) -> u64 {
    for step in [16, 8, 4, 2, 1] {
        values = std::array::from_fn(|l| values[l] + values[l ^ step]);
    }
    values[0].to_bits()
}

type Row<'a> = (usize, &'a dyn Fn(u32) -> u64);

fn rows(what: &str, got: &[u64], expected: &[Row<'_>]) -> Checked {
    for (row, f) in expected {
        let got = &got[row * 32..][..32];
        same(&format!("{what}, row {row}"), got, (0..32).map(f))?;
    }
    Ok(())
}

pub fn run(ctx: &Arc<CudaContext>, stream: &CudaStream) -> Checked {
    let module = kernels::load(ctx)?;
    let mut out = DeviceBuffer::<u64>::zeroed(stream, 3 * 96)?;
    // SAFETY: as many threads as elements.
    unsafe { module.places(stream, LaunchConfig1D::new(3, 96), &mut out)? };
    same(
        "places",
        &out.to_host_vec(stream)?,
        (0..288).map(|i| (i / 32) << 32 | (i % 96 / 32) << 16 | (u64::from(i < 100) * 2) | 1),
    )?;

    let mut out = DeviceBuffer::<u64>::zeroed(stream, 18 * 32)?;
    // SAFETY: one warp, as the kernel is written for.
    unsafe { module.shuffles(stream, LaunchConfig1D::new(1, 32), &mut out)? };
    let up = |l: u32| if l < 3 { l } else { l - 3 };
    let down = |l: u32, d: u32| if l + d > 31 { l } else { l + d };
    let (f, d) = (|l| u64::from(single(l).to_bits()), |l| double(l).to_bits());
    let high = |l: u32, v: u64| if l < 16 { 0 } else { v };
    rows(
        "shuffles",
        &out.to_host_vec(stream)?,
        &[
            (0, &|_| wide(9)),
            (1, &|l| wide(l ^ 5)),
            (2, &|l| wide(up(l))),
            (3, &|l| wide(down(l, 6))),
            (4, &|_| f(9)),
            (5, &|l| f(l ^ 5)),
            (6, &|l| f(up(l))),
            (7, &|l| f(down(l, 6))),
            (8, &|_| d(9)),
            (9, &|l| d(l ^ 5)),
            (10, &|l| d(up(l))),
            (11, &|l| d(down(l, 6))),
            (12, &|l| high(l, 20)),
            (13, &|l| high(l, wide(l))),
            (14, &|l| high(l, d(l ^ 1))),
            (15, &|l| high(l, f(down(l, 4)))),
            (16, &|l| u64::from(u32::MAX >> (31 - l))),
            (17, &|l| u64::from(!(u32::MAX >> (31 - l)))),
        ],
    )?;

    let mut out = DeviceBuffer::<u64>::zeroed(stream, 17 * 32)?;
    // SAFETY: one warp, as the kernel is written for.
    unsafe { module.groups(stream, LaunchConfig1D::new(1, 32), &mut out)? };
    let got = out.to_host_vec(stream)?;
    rows(
        "groups",
        &got,
        &[
            (0, &|l| 0xff << (l / 8 * 8)),
            (1, &|_| 0),
            (2, &|_| u32::MAX.into()),
            (3, &|_| 3),
            (4, &|_| 62),
            (5, &|_| u32::MAX.into()),
            (6, &|_| 0),
            (7, &|_| u32::MAX.into()),
            (8, &|_| 24),
            (9, &|l| if l < 16 { 120 } else { 376 }),
            (11, &|_| f(0)),
            (12, &|_| f(31)),
            (13, &|_| {
                butterfly(std::array::from_fn(|l| double(l as u32)))
            }),
            (14, &|_| d(0)),
            (15, &|l| u64::from(l < 16)),
            (16, &|l| u64::from(l < 16)),
        ],
    )?;
    // Which lane is elected is the device's matter, that it is one of each half is not.
    for half in got[10 * 32..][..32].chunks(16) {
        same("elect_sync", &[half.iter().sum()], [1].into_iter())?;
    }
    Ok(())
}
