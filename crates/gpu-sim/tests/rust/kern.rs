// Compiled for the GPU by rustc and its LLVM into kern.ptx (O2, sm_90) and kern_o0.ptx (O0, sm_70), with bodies that trap for
// the panic functions of core, which are in another crate; and for the host by the test, which compares.
use core::sync::atomic::*;
pub enum Shape {
    Circle(f32),
    Rect { w: f32, h: f32 },
    Tri(f64, u8, i16),
}
#[inline(never)]
fn area(s: &Shape) -> f32 {
    match s {
        Shape::Circle(r) => 3.14 * r * r,
        Shape::Rect { w, h } => w * h,
        Shape::Tri(a, b, c) => (*a as f32) * (*b as f32) + (*c as f32),
    }
}
#[inline(never)]
fn fill(t: &mut [u64; 16], n: usize) -> [u8; 24] {
    let mut o = [0u8; 24];
    for i in 0..n {
        t[i % 16] = t[i % 16].wrapping_mul(31) + i as u64;
        o[i % 24] = t[i % 16] as u8;
    }
    o
}
static TAB: [fn(i32) -> i32; 3] = [f0, f1, f2];
fn f0(x: i32) -> i32 {
    x.wrapping_add(1)
}
fn f1(x: i32) -> i32 {
    x.wrapping_mul(3)
}
fn f2(x: i32) -> i32 {
    if x > 0 {
        f2(x - 1).wrapping_add(TAB[(x % 2) as usize](x))
    } else {
        0
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kern(
    o: *mut u64,
    x: u32,
    f: f32,
    a: &AtomicU32,
    b: &AtomicU64,
    c: &AtomicU8,
) {
    let mut k = 0;
    let mut put = |v: u64| {
        *o.add(k) = v;
        k += 1;
    };
    put(area(&Shape::Circle(f)).to_bits() as u64);
    put(area(&Shape::Rect { w: f, h: 3.0 }).to_bits() as u64);
    put(area(&Shape::Tri(f as f64, x as u8, -7)).to_bits() as u64);
    let mut t = [1u64; 16];
    let q = fill(&mut t, 100 + x as usize);
    for v in q {
        put(v as u64);
    }
    for v in t {
        put(v);
    }
    for i in 0..5 {
        put(TAB[i % 3](i as i32 + x as i32) as u64);
    }
    put(x.rotate_left(7) as u64);
    put(x.leading_zeros() as u64);
    put(x.reverse_bits() as u64);
    put(x.swap_bytes() as u64);
    put((f * 1e10) as i32 as u64);
    put((f * -1e10) as i32 as u64);
    put((-f) as u8 as u64);
    put((f * 1e3) as u64);
    put((f as f64 / 3.0).to_bits());
    put((x as i8).saturating_add(100) as u64);
    let w = (x as u128).wrapping_mul(0x1234567890abcdef1234567890abcdefu128);
    put(w as u64);
    put((w >> 64) as u64);
    put((w >> (x & 127)) as u64);
    put(((w as i128) >> 77) as u64);
    put(a.fetch_add(x, Ordering::SeqCst) as u64);
    put(b.swap(3, Ordering::AcqRel));
    put(c.fetch_add(7, Ordering::Relaxed) as u64);
    put(a
        .compare_exchange(x, 2, Ordering::Acquire, Ordering::Relaxed)
        .unwrap_or(9) as u64);
    put(a.fetch_max(77, Ordering::Relaxed) as u64);
    put(x.checked_add(0xffff_fff0).unwrap_or(5) as u64);
    put((x as i64).checked_div(0).unwrap_or(-3) as u64);
    put((x as i64 - 100).rem_euclid(7) as u64);
    put((x as i16).overflowing_mul(300).0 as u64);
    let s = ["hello", "wide", "x"];
    put(s[(x % 3) as usize].as_bytes()[0] as u64);
    put(f.max(f32::NAN).to_bits() as u64);
    put(f.min(-0.0).to_bits() as u64);
    put((f == f) as u64);
    put((f64::NAN < 1.0) as u64);
    put(char::from_u32(x).map_or(0, |c| c.len_utf8()) as u64);
    put([3u32, 1, 2].iter().copied().max().unwrap() as u64);
    *o.add(99) = k as u64;
}
