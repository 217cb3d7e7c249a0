#![crate_type="lib"]
#![allow(dead_code)]
pub struct R { pub a: u8, pub b: u64, pub c: u16, pub d: (u8, u32) }
pub enum E { A, B(u32), C { a: u64, b: u8 } }
#[repr(u8)] pub enum C8 { X = 1, Y = 200 }
pub enum Neg { X = -5, Y = 7 }
pub enum Single { Only(u32) }
pub enum One { U }
pub enum Never {}
pub enum Unh { A(u32), B(Never) }
pub enum Multi { A(bool, u32), B(u32), C(u16), D }
#[repr(i128)] pub enum Big { A = -1, B = 1 }
#[repr(C)] pub struct Rc { a: u8, b: u32 }
#[repr(C, packed)] pub struct Pk { a: u8, b: u32 }
#[repr(align(32))] pub struct Al { a: u8 }
pub union Un { a: u32, b: f32, c: [u8; 7] }
pub struct Gn<T, const N: usize> { a: [T; N], b: u8 }
pub fn f(r: &R, e: &E, o: Option<u32>, k: u32) -> u32 { let t = o.map(|x| (x, true)); let z = Some((k, false)); let q = if k > 3 { z } else { t }; match q { Some((a, b)) => a + b as u32 + r.a as u32, None => match e { E::A => 1, E::B(x) => *x, E::C { b, .. } => *b as u32 } } }
pub fn g(a: C8, b: Neg, c: Single, d: One, m: Multi, u: Unh, bg: Big) -> u32 { let x = match m { Multi::A(_, y) => y, Multi::B(y) => y, Multi::C(y) => y as u32, Multi::D => 0 }; let s = match c { Single::Only(x) => x }; x + s + a as u32 + b as u32 + d as u32 + match u { Unh::A(x) => x } + (bg as i128) as u32 }
pub fn h(o: Option<Option<bool>>, c: Option<char>, r: Result<(), E>, d: std::cmp::Ordering, p: Pk, l: Al, u: Un, n: Option<std::num::NonZeroU32>) -> u32 { let gg = Gn::<u16, 3> { a: [1,2,3], b: 4 }; o.is_some() as u32 + c.map_or(0, |x| x as u32) + r.is_ok() as u32 + d as u32 + p.a as u32 + l.a as u32 + unsafe { u.a } + n.map_or(1, |x| x.get()) + gg.a[1] as u32 + gg.b as u32 }
pub fn cl(k: u32, v: &mut [f32], s: f64) -> impl Fn(u32) -> u32 { let w = k as u64; let y = move |x: u32| x + k + w as u32 + s as u32; v[0] = y(3) as f32; y }
