//! `DisjointSlice`, `SharedArray`, dynamic shared memory, and launches in three dimensions.

// A plain `&LINES` of a mutable static is an error of rustc's; `&*&raw const LINES` says the same on purpose.
#![allow(clippy::deref_addrof)]

use crate::{Checked, same};
use cuda_core::{CudaContext, CudaStream, DeviceBuffer, LaunchConfig1D, LaunchConfig3D};
use cuda_device::{DisjointSlice, DynamicSharedArray, SharedArray, cuda_module, kernel, thread};
use std::sync::Arc;

#[cuda_module]
pub mod kernels {
    use super::*;

    /// Each thread writes by a slice over its half of the array; one thread tells of slices.
    #[kernel]
    pub fn slices(
        mut all: DisjointSlice<u32>,
        mut none: DisjointSlice<u32>,
        mut facts: DisjointSlice<u64>,
    ) {
        let i = thread::index_1d();
        let n = i.get();
        if n == 0 {
            let mut local = [1u32, 2, 3, 4];
            let mut slice: DisjointSlice<u32> = DisjointSlice::from_mut_slice(&mut local);
            // SAFETY: in bounds, and this thread's own.
            unsafe { *slice.get_unchecked_mut(2) += 10 };
            let length = slice.len();
            let sum: u32 = local.iter().sum();
            let address = all.as_mut_ptr() as u64;
            // SAFETY: one thread writes, within the ten elements.
            unsafe {
                *facts.get_unchecked_mut(0) = all.is_empty() as u64;
                *facts.get_unchecked_mut(1) = none.is_empty() as u64;
                *facts.get_unchecked_mut(2) = length as u64;
                *facts.get_unchecked_mut(3) = sum as u64;
                *facts.get_unchecked_mut(4) = address;
                *facts.get_unchecked_mut(5) = none.get_mut(thread::index_1d()).is_none() as u64;
            }
        }
        // SAFETY: the last 32 elements; the indices are the threads' own.
        let mut tail: DisjointSlice<u32> =
            unsafe { DisjointSlice::from_raw_parts(all.as_mut_ptr().add(32), all.len() - 32) };
        if let Some(o) = tail.get_mut(i) {
            *o = n as u32 + 1;
        }
    }

    /// 32 threads. Arrays of several alignments, filled by one thread and read by another.
    #[kernel]
    pub fn shared(mut out: DisjointSlice<u32>, mut facts: DisjointSlice<u64>) {
        static mut BYTES: SharedArray<u8, 5> = SharedArray::UNINIT;
        static mut LINES: SharedArray<u32, 40, 128> = SharedArray::UNINIT;
        static mut PAGES: SharedArray<u16, 3, 1024> = SharedArray::UNINIT;
        static mut NOTHING: SharedArray<u32, 0> = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        // SAFETY: each thread writes its own element; the barrier is between writes and reads.
        unsafe {
            let lines = &mut *&raw mut LINES;
            *lines.as_mut_ptr().add(t) = t as u32 * 3;
            if t < 5 {
                *SharedArray::raw(&raw mut BYTES).add(t) = t as u8;
            }
            if t < 3 {
                PAGES[t] = 500 + t as u16;
            }
            thread::sync_threads();
            let other = *(*(&raw const LINES)).as_ptr().add(31 - t);
            let byte = BYTES[(t + 1) % 5] as u32;
            let page = PAGES[t % 3] as u32;
            if let Some(o) = out.get_mut(thread::index_1d()) {
                *o = other * 10_000 + byte * 1000 + page;
            }
            if t == 0 {
                let (bytes, lines) = (&*&raw const BYTES, &*&raw const LINES);
                let (pages, nothing) = (&*&raw const PAGES, &*&raw const NOTHING);
                *facts.get_unchecked_mut(0) = (bytes.len() + 10 * lines.len()) as u64;
                *facts.get_unchecked_mut(1) =
                    nothing.is_empty() as u64 * 2 + lines.is_empty() as u64;
                *facts.get_unchecked_mut(2) = lines.as_ptr() as u64 % 128;
                *facts.get_unchecked_mut(3) = pages.as_ptr() as u64 % 1024;
                *facts.get_unchecked_mut(4) = DynamicSharedArray::<u8>::num_bytes() as u64;
                let raw = DynamicSharedArray::<u64>::get_raw();
                *(raw.add(8) as *mut u64) = 0x0102_0304_0506_0708;
                *facts.get_unchecked_mut(5) = *DynamicSharedArray::<u8>::offset(9) as u64;
                *facts.get_unchecked_mut(6) = raw as u64 % 128;
            }
        }
    }

    /// Every thread of three dimensions writes where it is.
    #[kernel]
    pub fn three_d(mut out: DisjointSlice<u64>) {
        let x = thread::blockIdx_x() * thread::blockDim_x() + thread::threadIdx_x();
        let y = thread::blockIdx_y() * thread::blockDim_y() + thread::threadIdx_y();
        let z = thread::blockIdx_z() * thread::blockDim_z() + thread::threadIdx_z();
        let (nx, ny) = (
            thread::gridDim_x() * thread::blockDim_x(),
            thread::gridDim_y() * thread::blockDim_y(),
        );
        let at = ((z * ny + y) * nx + x) as usize;
        // SAFETY: one element for each thread of the launch.
        unsafe {
            *out.get_unchecked_mut(at) =
                (x as u64) << 32 | (y as u64) << 16 | z as u64 | (thread::gridDim_z() as u64) << 48
        };
    }
}

pub fn run(ctx: &Arc<CudaContext>, stream: &CudaStream) -> Checked {
    let module = kernels::load(ctx)?;
    let mut all = DeviceBuffer::<u32>::zeroed(stream, 64)?;
    let mut none = DeviceBuffer::<u32>::zeroed(stream, 0)?;
    let mut facts = DeviceBuffer::<u64>::zeroed(stream, 6)?;
    // SAFETY: a launch in one dimension.
    unsafe {
        module.slices(
            stream,
            LaunchConfig1D::new(2, 32),
            &mut all,
            &mut none,
            &mut facts,
        )?
    };
    same(
        "slices",
        &all.to_host_vec(stream)?,
        (0..64).map(|i| if i < 32 { 0 } else { i - 31 }),
    )?;
    let expected = [0, 1, 4, 20, all.cu_deviceptr(), 1];
    same(
        "facts of slices",
        &facts.to_host_vec(stream)?,
        expected.into_iter(),
    )?;

    let mut out = DeviceBuffer::<u32>::zeroed(stream, 32)?;
    let mut facts = DeviceBuffer::<u64>::zeroed(stream, 7)?;
    let cfg = LaunchConfig1D {
        grid_dim: 1,
        block_dim: 32,
        shared_mem_bytes: 160,
    };
    // SAFETY: 32 threads, as the kernel is written for.
    unsafe { module.shared(stream, cfg, &mut out, &mut facts)? };
    same(
        "shared",
        &out.to_host_vec(stream)?,
        (0..32).map(|t| (31 - t) * 30_000 + (t + 1) % 5 * 1000 + 500 + t % 3),
    )?;
    same(
        "facts of shared arrays",
        &facts.to_host_vec(stream)?,
        [405, 2, 0, 0, 160, 7, 0].into_iter(),
    )?;

    let mut out = DeviceBuffer::<u64>::zeroed(stream, 8 * 6 * 12)?;
    let cfg = LaunchConfig3D::new((2, 3, 4), (4, 2, 3));
    // SAFETY: as many threads as elements.
    unsafe { module.three_d(stream, cfg, &mut out)? };
    same(
        "three_d",
        &out.to_host_vec(stream)?,
        (0..576).map(|i| ((i % 8) << 32) | ((i / 8 % 6) << 16) | (i / 48) | (4 << 48)),
    )
}
