//! Rust to dialect-mir, feature by feature. Each test runs rustc; the module must verify before and after mem2reg.

mod common;
use common::run;

#[test]
fn vecadd() {
    let d = run(r#"
kernel!(vecadd, __oxide_kernel__vecadd, (a: &[f32], b: &[f32], mut c: DisjointSlice<f32>), {
    let n = tid();
    if let Some(v) = c.get_mut(n) { *v = a[n] + b[n]; }
});"#);
    let text = d.ok();
    assert!(text.contains("mir.add"), "{text}");
    assert!(
        text.contains("index out of bounds: the len is {0} but the index is {1}"),
        "{text}"
    );
    let k = &d.result.as_ref().unwrap().kernels[0];
    assert_eq!(
        (
            k.key.as_str(),
            k.symbol.as_str(),
            k.max_threads,
            k.min_blocks
        ),
        ("t::vecadd", "vecadd", 256, 2)
    );
    let params: Vec<_> = k.params.iter().map(|p| (p.arg, p.offset, p.size)).collect();
    assert_eq!(
        params,
        [
            (0, 0, 8),
            (0, 8, 8),
            (1, 0, 8),
            (1, 8, 8),
            (2, 0, 8),
            (2, 8, 8)
        ]
    );
}

/// Each body is the inside of a kernel over these arguments; it must import and verify.
fn body(items: &str, body: &str) -> String {
    let d = run(&format!(
        "{items}\nkernel!(k, __oxide_kernel__k, (a: &[u32], b: &[i32], f: &[f32], g: &[f64], o: &mut [u32]), {{ let t = tid(); {body} }});"
    ));
    d.ok().to_string()
}

#[test]
fn integers_of_every_width() {
    let t = body(
        "",
        r#"
        let x = a[0]; let y = b[0];
        let w = (x as u128) * (a[1] as u128) + 7; let v = (y as i128) >> (x & 31);
        o[0] = (w >> 64) as u32 ^ v as u32; o[1] = (x as u8 as i8 as i64 as u64 % 7) as u32;
        o[2] = x.wrapping_add(3) << (y & 63); o[3] = (y >> 3) as u32; o[4] = (x / 3) + (y / 3) as u32; o[5] = (y as i16 % 5) as u32;
        o[6] = x.rotate_left(5) ^ x.swap_bytes() ^ x.reverse_bits(); o[7] = x.leading_zeros() + x.trailing_zeros() + x.count_ones();
        o[8] = x.saturating_add(x) ^ y.saturating_sub(1) as u32; o[9] = x.min(7).max(2); o[10] = (x as u64).count_ones();
    "#,
    );
    for op in [
        "Ctpop",
        "Ctlz",
        "Cttz",
        "Bswap",
        "Bitreverse",
        "RotateLeft",
        "SaturatingAdd",
        "SaturatingSub",
    ] {
        assert!(t.contains(op), "{op}\n{t}");
    }
}

#[test]
fn checked_arithmetic_keeps_its_flag() {
    let t = body(
        "",
        r#"
        o[0] = a[0].checked_add(a[1]).unwrap_or(9); let (v, f) = b[0].overflowing_mul(b[1]); o[1] = v as u32 + f as u32;
        o[2] = a[0].checked_sub(1).map_or(0, |x| x + 1); o[3] = b[0].checked_neg().unwrap_or(5) as u32; o[4] = b[0].checked_div(b[1]).unwrap_or(3) as u32;
        o[5] = b[0].wrapping_abs() as u32 ; o[6] = a[0].checked_shl(a[1]).unwrap_or(1); o[7] = a[0].pow(3); o[8] = b[0].abs_diff(b[1]); 
    "#,
    );
    assert!(t.contains("mir.checked_add") || t.contains("mir.lt"), "{t}");
    assert!(t.contains("mir.checked_mul"), "{t}");
}

#[test]
fn floats_and_casts() {
    let t = body(
        "",
        r#"
        let x = f[0]; let y = g[0];
        o[0] = (x as i32) as u32; o[1] = x as u8 as u32; o[2] = (y as u64) as u32; o[3] = (x < f[1]) as u32 + (x != x) as u32; o[4] = (y as f32).to_bits();
        o[5] = (b[0] as f32).to_bits(); o[6] = (a[0] as f64).to_bits() as u32; o[7] = x.sqrt().to_bits(); o[8] = x.mul_add(x, 1.0).to_bits(); o[9] = x.floor().to_bits();
        o[10] = x.abs().to_bits(); o[11] = x.min(f[1]).to_bits(); o[12] = x.sin().to_bits(); o[13] = f32::from_bits(a[0]).to_bits(); o[14] = (x % 3.0).to_bits(); o[15] = x.is_nan() as u32; o[16] = x.total_cmp(&f[1]) as i32 as u32;
        o[17] = x.round().to_bits() ^ x.trunc().to_bits() ^ x.ceil().to_bits() ^ x.signum().to_bits() ^ x.clamp(0.0, 1.0).to_bits() ^ x.powi(3).to_bits() ^ x.powf(2.5).to_bits() ^ x.exp().to_bits() ^ x.ln().to_bits();
    "#,
    );
    for op in [
        "FloatToSInt",
        "FloatToUInt",
        "SIntToFloat",
        "Sqrt",
        "Fma",
        "Floor",
        "__oxide_math_sinf",
    ] {
        assert!(t.contains(op), "{op}\n{t}");
    }
}

#[test]
fn enums_niches_and_matches() {
    body(
        r#"
        #[derive(Clone, Copy, PartialEq)] pub enum Shape { Circle(f32), Rect { w: f32, h: f32 }, Unit }
        pub enum Neg { A = -5, B = 3, C = 200 }
        #[inline(never)] pub fn area(s: Shape) -> f32 { match s { Shape::Circle(r) => r * r, Shape::Rect { w, h } => w * h, Shape::Unit => 1.0 } }
        #[inline(never)] pub fn pick(x: u32) -> Option<core::num::NonZeroU32> { core::num::NonZeroU32::new(x) }
        #[inline(never)] pub fn neg(x: u32) -> Neg { if x == 0 { Neg::A } else if x == 1 { Neg::B } else { Neg::C } }
        #[inline(never)] pub fn refs<'a>(x: &'a [u32], i: usize) -> Option<&'a u32> { x.get(i) }
        #[inline(never)] pub fn nested(x: u32) -> Option<Option<bool>> { if x == 0 { None } else if x == 1 { Some(None) } else { Some(Some(x == 3)) } }
        #[inline(never)] pub fn ch(x: u32) -> Option<char> { char::from_u32(x) }
    "#,
        r#"
        let s = [Shape::Circle(f[0]), Shape::Rect { w: f[1], h: f[2] }, Shape::Unit];
        let mut sum = 0.0; for &x in s.iter() { sum += area(x); } for x in [1u32, 2, 3] { o[20] += x; }
        o[0] = sum.to_bits(); o[1] = pick(a[0]).map_or(0, |v| v.get()); o[2] = neg(a[1]) as i32 as u32; o[3] = refs(a, t).copied().unwrap_or(4);
        o[4] = match nested(a[2]) { None => 1, Some(None) => 2, Some(Some(b)) => 3 + b as u32 }; o[5] = ch(a[3]).map_or(0, |c| c as u32);
        o[6] = (a[0].cmp(&a[1]) as i8) as u32; let r: Result<u32, i8> = if a[0] > 3 { Ok(a[1]) } else { Err(-1) }; o[7] = match r { Ok(v) => v, Err(e) => e as u32 };
        o[8] = match a[5] { 0 => 1, 1..=9 => 2, 10 | 20 => 3, x if x % 2 == 0 => 4, _ => 5 };
        o[9] = (s[0] == s[1]) as u32;
    "#,
    );
}

#[test]
fn slices_and_arrays() {
    body(
        "",
        r#"
        if let [first, .., last] = a { o[0] = *first + *last; }
        if let [x, rest @ ..] = a { o[1] = *x + rest.len() as u32; }
        let (l, r) = a.split_at(2); o[2] = l[0] + r[0]; o[3] = a[1..3].iter().sum::<u32>(); o[4] = a[t..].len() as u32;
        let m = [[1u32, 2, 3], [4, 5, 6]]; o[5] = m[t % 2][t % 3]; let mut z = [0u32; 100]; z[t % 100] = 7; o[6] = z[(t + 1) % 100];
        let [p, q, w] = [a[0], a[1], a[2]]; o[7] = p + q + w; for c in a.chunks(2) { o[8] += c[0]; } for w in a.windows(3) { o[9] += w[2]; }
        let (x, y) = o.split_at_mut(4); x[0] = y[0]; x.swap(0, 1); o[10] = a.iter().zip(b).map(|(x, y)| x.wrapping_add(*y as u32)).fold(0, |s, v| s ^ v);
        o[11] = a.iter().rev().skip(1).position(|v| *v == 3).unwrap_or(99) as u32; o[12] = a.iter().any(|x| *x == 5) as u32; o[13] = "hello".len() as u32 + "hello".as_bytes()[t % 5] as u32;
        o[..2].copy_from_slice(&a[..2]); o[2..4].fill(9); o[14] = a.first().copied().unwrap(); o[15] = *a.iter().max().unwrap();
    "#,
    );
}

#[test]
fn structs_closures_generics_and_traits() {
    body(
        r#"
        #[derive(Clone, Copy, Debug, PartialEq, Default)] pub struct P { a: u8, b: u64, c: u16 }
        pub trait Op { const K: u32; fn go(&self, x: u32) -> u32; fn twice(&self, x: u32) -> u32 { self.go(self.go(x)) } }
        pub struct Add(u32); impl Op for Add { const K: u32 = 3; fn go(&self, x: u32) -> u32 { x + self.0 + Self::K } }
        pub struct Mul<const N: u32>; impl<const N: u32> Op for Mul<N> { const K: u32 = N; fn go(&self, x: u32) -> u32 { x * N } }
        pub fn apply<T: Op>(t: &T, x: u32) -> u32 { t.twice(x) }
        impl core::ops::Add for P { type Output = P; fn add(self, o: P) -> P { P { a: self.a ^ o.a, b: self.b + o.b, c: self.c } } }
        #[repr(C)] pub union U { x: u32, y: f32 } #[repr(C, packed)] pub struct Pk { a: u8, b: u32 }
        #[inline(never)] pub fn fib(n: u32) -> u32 { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }
        #[inline(never)] pub fn mk(x: u32) -> P { P { a: x as u8, b: x as u64, c: 3 } }
        impl P { #[inline(never)] pub fn get(&self) -> u64 { self.b + self.a as u64 } }
    "#,
        r#"
        let p = mk(a[0]) + mk(a[1]); o[0] = p.get() as u32; let k = a[2]; let c = move |x: u32| x * k + p.c as u32; o[1] = c(3); o[2] = apply(&Add(2), 5) + apply(&Mul::<4>, 3);
        let u = U { y: f[0] }; o[3] = unsafe { u.x }; let pk = Pk { a: 1, b: a[3] }; o[4] = pk.b + pk.a as u32; o[5] = fib(a[4]); o[6] = (p == P::default()) as u32;
        let mut x = a[0]; let mut y = a[1]; core::mem::swap(&mut x, &mut y); o[7] = x; let old = core::mem::replace(&mut x, 9); o[8] = old + core::mem::take(&mut y); o[9] = core::mem::size_of::<P>() as u32;
        let arr = [1u32, 2, 3]; let cl = |i: usize| arr[i % 3]; o[10] = (0..5).map(cl).sum(); let f: fn(u32) -> u32 = fib; o[11] = f(3); let t3 = (a[0], b[0] as i64, true); o[12] = t3.0 + t3.1 as u32 + t3.2 as u32; 
        let raw = a.as_ptr(); unsafe { o[13] = *raw.add(1); o[14] = core::ptr::read_volatile(raw); core::ptr::write_volatile(o.as_mut_ptr(), 4); } let mut mu = core::mem::MaybeUninit::<u32>::uninit(); mu.write(4); o[15] = unsafe { mu.assume_init() };
    "#,
    );
}

#[test]
fn constants_and_statics() {
    let t = body(
        r#"
        const LUT: [u8; 8] = { let mut t = [0; 8]; let mut i = 0; while i < 8 { t[i] = (i * i) as u8; i += 1; } t };
        static TABLE: [u32; 4] = [10, 20, 30, 40]; static mut COUNT: u32 = 5; static NAMES: [&str; 2] = ["ab", "cde"]; static NEST: &[&[u32]] = &[&[1, 2], &[3]];
        const PTS: [(u32, f32); 2] = [(1, 2.0), (3, 4.0)];
        static mut TILE: SharedArray<f32, 64> = SharedArray::UNINIT;
        use core::sync::atomic::*; static AT: AtomicU32 = AtomicU32::new(3);
    "#,
        r#"
        o[0] = LUT[t % 8] as u32; o[1] = TABLE[t % 4]; unsafe { COUNT += 1; o[2] = COUNT; } o[3] = NAMES[t % 2].len() as u32; o[4] = NEST[t % 2][0]; o[5] = PTS[t % 2].0;
        unsafe { let p = SharedArray::raw(&raw mut TILE); *p.add(t) = f[t]; __nvvm_barrier0(); o[6] = (*p.add(0)).to_bits(); }
        AT.fetch_add(2, Ordering::Relaxed); o[7] = AT.load(Ordering::SeqCst); let _ = AT.compare_exchange(1, 2, Ordering::AcqRel, Ordering::Acquire); fence(Ordering::Release); let r: &'static [u32; 3] = &[7, 8, 9]; o[8] = r[t % 3];
    "#,
    );
    assert!(t.contains("mir.shared_alloc"), "{t}");
    assert!(
        t.contains("mir.atomic_rmw") && t.contains("mir.atomic_cmpxchg"),
        "{t}"
    );
    assert!(t.contains("00010409101924"), "{t}");
}

#[test]
fn panics_and_asserts() {
    let t = body(
        "",
        r#"
        assert!(a[0] != 3, "a plain message"); let v: Option<u32> = a.get(t).copied(); o[0] = v.unwrap(); o[1] = v.expect("it is there"); o[2] = a[0] / a[1]; 
        if a[2] == 7 { panic!("seven {}", a[2]); } if a[2] == 8 { unreachable!(); } o[3] = a[1..a[5] as usize].len() as u32; let r: Result<u32, u32> = Err(3); assert_eq!(a[3], 4); if a[9] == 1 { todo!() }
    "#,
    );
    assert!(t.contains("a plain message"), "{t}");
    assert!(
        t.contains("called `Option::unwrap()` on a `None` value"),
        "{t}"
    );
    assert!(t.contains("it is there"), "{t}");
}

#[test]
fn drop_glue() {
    body(
        r#"
        pub struct D<'a>(&'a mut u32, u32); impl Drop for D<'_> { fn drop(&mut self) { *self.0 = self.0.wrapping_mul(10) + self.1; } }
    "#,
        r#"
        let mut x = 0; { let _p = D(&mut x, 1); if a[0] == 3 { return; } } { let d = D(&mut x, 2); drop(d); } o[0] = x;
    "#,
    );
}

#[test]
fn what_a_gpu_cannot_do_is_an_error_at_the_users_line() {
    let d = run(r#"
kernel!(k, __oxide_kernel__k, (a: &[u32], o: &mut [u32]), {
    let v: Vec<u32> = a.iter().map(|x| x + 1).collect();
    o[0] = v[0];
});"#);
    let e = d.err();
    assert!(e.contains("error"), "{e}");
    assert!(e.contains("t.rs"), "{e}");
}

/// The hash that the host computes for each type, by the host's own offsets.
#[test]
fn layout_hashes_are_the_hosts() {
    use std::mem::{align_of, offset_of, size_of};
    #[allow(dead_code)]
    struct Mixed {
        a: u8,
        b: u64,
        c: u16,
    }
    let d = run(r#"
const fn layout_hash(size: u64, align: u64, offsets: &[u64]) -> u64 { size + align + offsets.len() as u64 }
trait DeviceCopy { const LAYOUT: u64; }
mod inner {
    use super::*;
    struct Mixed { a: u8, b: u64, c: u16 }
    impl DeviceCopy for Mixed {
        const LAYOUT: u64 = layout_hash(core::mem::size_of::<Self>() as u64, core::mem::align_of::<Self>() as u64,
            &[core::mem::offset_of!(Self, a) as u64, core::mem::offset_of!(Self, b) as u64, core::mem::offset_of!(Self, c) as u64]);
    }
    enum Choice { A(u32), B }
    impl DeviceCopy for Choice {
        const LAYOUT: u64 = layout_hash(core::mem::size_of::<Self>() as u64, core::mem::align_of::<Self>() as u64, &[]);
    }
    struct ByHand(u32);
    impl DeviceCopy for ByHand { const LAYOUT: u64 = 7; }
    kernel!(k, __oxide_kernel__k, (m: Mixed, s: &[Mixed], e: Choice, h: ByHand, x: f32, p: *const u8, t: (u8, u32), a: [u16; 3],
        n: Option<u32>, mut out: DisjointSlice<Mixed>), { if let Some(o) = out.get_mut(tid()) { o.a = m.a + x as u8 } });
}"#);
    d.ok();
    let fields = [
        offset_of!(Mixed, a),
        offset_of!(Mixed, b),
        offset_of!(Mixed, c),
    ]
    .map(|o| o as u64);
    let of = |size: usize, align: usize, offsets: &[u64]| {
        Some(artifact::layout_hash(size as u64, align as u64, offsets))
    };
    let mixed = of(size_of::<Mixed>(), align_of::<Mixed>(), &fields);
    assert_ne!(fields, [0, 8, 16], "rustc reorders these");
    let got: Vec<_> = d.result.as_ref().unwrap().kernels[0]
        .args
        .iter()
        .map(|a| a.layout_hash)
        .collect();
    let expected = [
        mixed,
        mixed,
        of(8, 4, &[]),
        None,
        of(4, 4, &[]),
        of(8, 8, &[]),
        of(8, 4, &[]),
        of(6, 2, &[]),
        of(8, 4, &[]),
        mixed,
    ];
    assert_eq!(got, expected);
}
