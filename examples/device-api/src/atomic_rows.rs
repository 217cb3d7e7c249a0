//! Atomics of every type, scope and operation, those of `core`, and fences.

use crate::{Checked, same};
use cuda_core::{CudaContext, CudaStream, DeviceBuffer, DeviceCopy, LaunchConfig1D};
use cuda_device::atomic::{AtomicOrdering::*, *};
use cuda_device::{DisjointSlice, cuda_module, device, fence, kernel, thread};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

/// Threads of the one block in which all three scopes mean the same.
const THREADS: u32 = 96;
/// Cells that an integer type's operations use, for each scope.
const INTS: usize = 10;
/// The same for floats.
const FLOATS: usize = 6;

#[cuda_module]
pub mod kernels {
    use super::*;

    /// One cell for each operation, and what `swap` found.
    macro_rules! ints {
        ($name:ident, $atomic:ident, $ty:ty) => {
            #[device]
            fn $name(cells: &[$atomic], i: u32) -> $ty {
                let v = i as $ty;
                cells[0].fetch_add(v, Relaxed);
                cells[1].fetch_sub(v, Acquire);
                cells[2].fetch_and(!(1 << (i % <$ty>::BITS)), Release);
                cells[3].fetch_or(1 << (i % 31), AcqRel);
                cells[4].fetch_xor(v * 5, SeqCst);
                cells[5].fetch_min(v.wrapping_sub(40), Relaxed);
                cells[6].fetch_max(v.wrapping_sub(40), Relaxed);
                if i == 0 {
                    cells[8].store(77, Release);
                }
                let mut old = cells[9].load(Acquire);
                while let Err(now) = cells[9].compare_exchange(old, old + 2, AcqRel, Acquire) {
                    old = now;
                }
                cells[7].swap(v + 1, AcqRel)
            }
        };
    }
    ints!(device_u32, DeviceAtomicU32, u32);
    ints!(block_u32, BlockAtomicU32, u32);
    ints!(system_u32, SystemAtomicU32, u32);
    ints!(device_i32, DeviceAtomicI32, i32);
    ints!(block_i32, BlockAtomicI32, i32);
    ints!(system_i32, SystemAtomicI32, i32);
    ints!(device_u64, DeviceAtomicU64, u64);
    ints!(block_u64, BlockAtomicU64, u64);
    ints!(system_u64, SystemAtomicU64, u64);
    ints!(device_i64, DeviceAtomicI64, i64);
    ints!(block_i64, BlockAtomicI64, i64);
    ints!(system_i64, SystemAtomicI64, i64);

    /// Floats whose sums are exact in any order.
    macro_rules! floats {
        ($name:ident, $atomic:ident, |$x:ident: $ty:ty| $make:expr) => {
            #[device]
            fn $name(cells: &[$atomic], i: u32) -> $ty {
                let make = |$x: f32| -> $ty { $make };
                cells[0].fetch_add(make(0.5), Relaxed);
                cells[1].fetch_sub(make(0.25), AcqRel);
                cells[2].fetch_min(make(3.0 - i as f32), Relaxed);
                cells[3].fetch_max(make(i as f32 * 0.5), SeqCst);
                if i == 0 {
                    cells[4].store(make(-1.5), Release);
                }
                cells[5].swap(make(i as f32 + 1.0), AcqRel)
            }
        };
    }
    floats!(device_f32, DeviceAtomicF32, |x: f32| x);
    floats!(block_f32, BlockAtomicF32, |x: f32| x);
    floats!(system_f32, SystemAtomicF32, |x: f32| x);
    floats!(device_f64, DeviceAtomicF64, |x: f64| x as f64);
    floats!(block_f64, BlockAtomicF64, |x: f64| x as f64);
    floats!(system_f64, SystemAtomicF64, |x: f64| x as f64);
    floats!(device_f16, DeviceAtomicF16, |x: F16| F16::from_f32(x));
    floats!(block_f16, BlockAtomicF16, |x: F16| F16::from_f32(x));
    floats!(system_f16, SystemAtomicF16, |x: F16| F16::from_f32(x));

    #[device]
    fn put<T>(out: &mut DisjointSlice<T>, values: [T; 3]) {
        let i = thread::index_1d().get();
        let [a, b, c] = values;
        // SAFETY: three elements for each thread.
        unsafe {
            *out.get_unchecked_mut(3 * i) = a;
            *out.get_unchecked_mut(3 * i + 1) = b;
            *out.get_unchecked_mut(3 * i + 2) = c;
        }
    }

    #[kernel]
    pub fn of_u32(
        d: &[DeviceAtomicU32],
        b: &[BlockAtomicU32],
        s: &[SystemAtomicU32],
        mut old: DisjointSlice<u32>,
    ) {
        let i = thread::threadIdx_x();
        let found = [device_u32(d, i), block_u32(b, i), system_u32(s, i)];
        put(&mut old, found);
    }

    #[kernel]
    pub fn of_i32(
        d: &[DeviceAtomicI32],
        b: &[BlockAtomicI32],
        s: &[SystemAtomicI32],
        mut old: DisjointSlice<i32>,
    ) {
        let i = thread::threadIdx_x();
        let found = [device_i32(d, i), block_i32(b, i), system_i32(s, i)];
        put(&mut old, found);
    }

    #[kernel]
    pub fn of_u64(
        d: &[DeviceAtomicU64],
        b: &[BlockAtomicU64],
        s: &[SystemAtomicU64],
        mut old: DisjointSlice<u64>,
    ) {
        let i = thread::threadIdx_x();
        let found = [device_u64(d, i), block_u64(b, i), system_u64(s, i)];
        put(&mut old, found);
    }

    #[kernel]
    pub fn of_i64(
        d: &[DeviceAtomicI64],
        b: &[BlockAtomicI64],
        s: &[SystemAtomicI64],
        mut old: DisjointSlice<i64>,
    ) {
        let i = thread::threadIdx_x();
        let found = [device_i64(d, i), block_i64(b, i), system_i64(s, i)];
        put(&mut old, found);
    }

    #[kernel]
    pub fn of_f32(
        d: &[DeviceAtomicF32],
        b: &[BlockAtomicF32],
        s: &[SystemAtomicF32],
        mut old: DisjointSlice<f32>,
    ) {
        let i = thread::threadIdx_x();
        let found = [device_f32(d, i), block_f32(b, i), system_f32(s, i)];
        put(&mut old, found);
    }

    #[kernel]
    pub fn of_f64(
        d: &[DeviceAtomicF64],
        b: &[BlockAtomicF64],
        s: &[SystemAtomicF64],
        mut old: DisjointSlice<f64>,
    ) {
        let i = thread::threadIdx_x();
        let found = [device_f64(d, i), block_f64(b, i), system_f64(s, i)];
        put(&mut old, found);
    }

    #[kernel]
    pub fn of_f16(
        d: &[DeviceAtomicF16],
        b: &[BlockAtomicF16],
        s: &[SystemAtomicF16],
        mut old: DisjointSlice<u16>,
    ) {
        let i = thread::threadIdx_x();
        let found = [device_f16(d, i).0, block_f16(b, i).0, system_f16(s, i).0];
        put(&mut old, found);
    }

    /// The two that wrap at a limit.
    #[kernel]
    pub fn wrapping(narrow: &[DeviceAtomicU32], wide: &[DeviceAtomicU64]) {
        narrow[0].fetch_inc(9, Relaxed);
        narrow[1].fetch_dec(9, Relaxed);
        wide[0].fetch_inc(9, Relaxed);
        wide[1].fetch_dec(9, Relaxed);
    }

    /// `core`'s own, from several blocks.
    #[kernel]
    pub fn of_core(narrow: &[AtomicU32], wide: &[AtomicU64], signed: &[AtomicI64]) {
        let i = thread::index_1d().get() as u32;
        narrow[0].fetch_add(i, Ordering::Relaxed);
        narrow[1].fetch_sub(i, Ordering::AcqRel);
        narrow[2].fetch_or(1 << (i % 32), Ordering::Release);
        narrow[3].fetch_nand(u32::MAX, Ordering::SeqCst);
        let mut old = narrow[4].load(Ordering::Acquire);
        while let Err(now) =
            narrow[4].compare_exchange_weak(old, old + 3, Ordering::AcqRel, Ordering::Relaxed)
        {
            old = now;
        }
        let _ = narrow[5].fetch_update(Ordering::SeqCst, Ordering::Relaxed, |v| {
            if v < 100 { Some(v + 1) } else { None }
        });
        wide[0].fetch_max((i as u64) << 33, Ordering::Relaxed);
        wide[1].fetch_xor((i as u64) << 33, Ordering::Relaxed);
        wide[2].fetch_add(
            wide[3].swap(i as u64 + 1, Ordering::AcqRel),
            Ordering::Relaxed,
        );
        signed[0].fetch_min(-(i as i64), Ordering::Relaxed);
        if i == 0 {
            signed[1].store(-9, Ordering::Release);
        }
    }

    /// Block 0 hands values to block 1, with each of the three fences in turn.
    #[kernel]
    pub fn messages(
        mut data: DisjointSlice<u32>,
        flags: &[DeviceAtomicU32],
        mut out: DisjointSlice<u32>,
    ) {
        if thread::threadIdx_x() != 0 {
            return;
        }
        for (k, flag) in flags.iter().enumerate().take(3) {
            if thread::blockIdx_x() == 0 {
                // SAFETY: block 1 reads after the flag.
                unsafe { *data.get_unchecked_mut(k) = 100 + k as u32 };
                order(k);
                flag.store(1, Relaxed);
            } else {
                while flag.load(Relaxed) == 0 {}
                order(k);
                // SAFETY: block 0 wrote before the flag; one thread here.
                unsafe {
                    *out.get_unchecked_mut(k) = core::ptr::read_volatile(data.as_mut_ptr().add(k))
                };
            }
        }
    }

    #[device]
    fn order(k: usize) {
        match k {
            0 => fence::threadfence(),
            1 => fence::threadfence_system(),
            _ => core::sync::atomic::fence(Ordering::SeqCst),
        }
    }
}

/// What an integer type's cells hold in the end, from zeroes (all ones in cell 2); cell 7 is not known.
fn ints<T: Copy>(of: impl Fn(i128) -> T, bits: u32, signed: bool) -> Vec<T> {
    let threads = || 0..i128::from(THREADS);
    let sum: i128 = threads().sum();
    let and = threads().fold(u64::MAX, |a, i| a & !(1 << (i as u32 % bits)));
    let xor = threads().fold(0, |a, i| a ^ (i * 5));
    // 0 - 40 wraps for unsigned types, which are compared as such.
    let (least, greatest) = if signed {
        (-40, i128::from(THREADS) - 41)
    } else {
        (0, -1)
    };
    let cells = [
        sum,
        -sum,
        and as i128,
        0x7fff_ffff,
        xor,
        least,
        greatest,
        0,
        77,
        2 * i128::from(THREADS),
    ];
    cells.map(of).to_vec()
}

/// Each value that was swapped in comes out once, by a later swap or at the end.
fn swapped<T: Copy + Into<f64>>(found: impl Iterator<Item = T>, last: T) -> Checked {
    let mut all: Vec<f64> = found.chain([last]).map(Into::into).collect();
    all.sort_by(f64::total_cmp);
    if all.iter().copied().eq((0..=THREADS).map(f64::from)) {
        Ok(())
    } else {
        Err(format!("swap lost or doubled a value: {all:?}").into())
    }
}

/// Three buffers of cells, for the three scopes.
fn cells<T: DeviceCopy + Default>(
    stream: &CudaStream,
    n: usize,
    ones: T,
) -> Result<[DeviceBuffer<T>; 3], cuda_core::DriverError> {
    let mut initial = vec![T::default(); n];
    initial[2] = ones;
    let make = || DeviceBuffer::from_host(stream, &initial);
    Ok([make()?, make()?, make()?])
}

macro_rules! check_ints {
    ($module:expr, $stream:expr, $kernel:ident, $ty:ident, $to_f64:expr) => {{
        let scopes = cells::<$ty>($stream, INTS, !0)?;
        let mut old = DeviceBuffer::<$ty>::zeroed($stream, 3 * THREADS as usize)?;
        let [d, b, s] = &scopes;
        // SAFETY: one block, and three elements of `old` for each thread.
        unsafe { $module.$kernel($stream, LaunchConfig1D::new(1, THREADS), d, b, s, &mut old)? };
        let old = old.to_host_vec($stream)?;
        for (k, cells) in scopes.iter().enumerate() {
            let mut got = cells.to_host_vec($stream)?;
            swapped(old.iter().skip(k).step_by(3).map($to_f64), $to_f64(&got[7]))?;
            got[7] = 0;
            let expected = ints(|v| v as $ty, $ty::BITS, $ty::MIN != 0);
            same(
                concat!("atomics of ", stringify!($ty)),
                &got,
                expected.into_iter(),
            )?;
        }
    }};
}

macro_rules! check_floats {
    ($module:expr, $stream:expr, $kernel:ident, $bits:ident, $ty:ty, $value:expr) => {{
        let scopes = cells::<$bits>($stream, FLOATS, $bits::default())?;
        let mut old = DeviceBuffer::<$bits>::zeroed($stream, 3 * THREADS as usize)?;
        let [d, b, s] = &scopes;
        // SAFETY: one block, and three elements of `old` for each thread.
        unsafe { $module.$kernel($stream, LaunchConfig1D::new(1, THREADS), d, b, s, &mut old)? };
        let old = old.to_host_vec($stream)?;
        let value = $value;
        for (k, cells) in scopes.iter().enumerate() {
            let got: Vec<f64> = cells.to_host_vec($stream)?.into_iter().map(value).collect();
            swapped(old.iter().skip(k).step_by(3).map(|v| value(*v)), got[5])?;
            let n = f64::from(THREADS);
            let expected = [n * 0.5, n * -0.25, 4.0 - n, (n - 1.0) * 0.5, -1.5];
            same(
                concat!("atomics of ", stringify!($ty)),
                &got[..5],
                expected.into_iter(),
            )?;
        }
    }};
}

pub fn run(ctx: &Arc<CudaContext>, stream: &CudaStream) -> Checked {
    let module = kernels::load(ctx)?;
    check_ints!(module, stream, of_u32, u32, |v: &u32| f64::from(*v));
    check_ints!(module, stream, of_i32, i32, |v: &i32| f64::from(*v));
    check_ints!(module, stream, of_u64, u64, |v: &u64| *v as f64);
    check_ints!(module, stream, of_i64, i64, |v: &i64| *v as f64);
    check_floats!(module, stream, of_f32, f32, f32, f64::from);
    check_floats!(module, stream, of_f64, f64, f64, |v: f64| v);
    check_floats!(module, stream, of_f16, u16, F16, |v: u16| f64::from(
        F16(v).to_f32()
    ));

    let narrow = DeviceBuffer::<u32>::zeroed(stream, 2)?;
    let wide = DeviceBuffer::<u64>::zeroed(stream, 2)?;
    // SAFETY: all access is atomic.
    unsafe { module.wrapping(stream, LaunchConfig1D::new(2, 52), &narrow, &wide)? };
    // 104 steps around a circle of ten, forwards and backwards.
    same(
        "wrapping, u32",
        &narrow.to_host_vec(stream)?,
        [4, 6].into_iter(),
    )?;
    same(
        "wrapping, u64",
        &wide.to_host_vec(stream)?,
        [4, 6].into_iter(),
    )?;

    let narrow = DeviceBuffer::<u32>::zeroed(stream, 6)?;
    let wide = DeviceBuffer::<u64>::zeroed(stream, 4)?;
    let signed = DeviceBuffer::<i64>::zeroed(stream, 2)?;
    // SAFETY: all access is atomic.
    unsafe { module.of_core(stream, LaunchConfig1D::new(4, 64), &narrow, &wide, &signed)? };
    let sum = 255u32 * 128;
    let expected = [sum, sum.wrapping_neg(), u32::MAX, 0, 768, 100];
    same(
        "core, u32",
        &narrow.to_host_vec(stream)?,
        expected.into_iter(),
    )?;
    let got = wide.to_host_vec(stream)?;
    let xor = (0..256u64).fold(0, |a, i| a ^ i << 33);
    // What the swaps found and what is left is what they put in.
    let expected = [255 << 33, xor, 256 * 257 / 2 - got[3], got[3]];
    same("core, u64", &got, expected.into_iter())?;
    same(
        "core, i64",
        &signed.to_host_vec(stream)?,
        [-255, -9].into_iter(),
    )?;

    let mut data = DeviceBuffer::<u32>::zeroed(stream, 3)?;
    let flags = DeviceBuffer::<u32>::zeroed(stream, 3)?;
    let mut out = DeviceBuffer::<u32>::zeroed(stream, 3)?;
    // SAFETY: two blocks, which run at the same time on any device.
    unsafe {
        module.messages(
            stream,
            LaunchConfig1D::new(2, 32),
            &mut data,
            &flags,
            &mut out,
        )?
    };
    same("messages", &out.to_host_vec(stream)?, 100..103)
}
