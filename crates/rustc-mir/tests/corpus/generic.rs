#![crate_type = "lib"]
pub trait Tr { const X: u32; fn go(&self) -> u32; }
macro_rules! mk { ($($t:ty)*) => { $(impl Tr for $t { const X: u32 = 9; fn go(&self) -> u32 { (|z: u32| z + 1)(*self as u32) } })* } }
mk!(u16 i64);
pub struct G<T, const N: usize> { v: [T; N], n: usize }
impl<T: Copy + Tr, const N: usize> G<T, N> { pub const K: usize = N * 2; pub fn sum(&self) -> u32 { self.v[self.n].go() + T::X + Self::K as u32 } }
pub fn use_g(g: &G<u16, 4>) -> u32 { g.sum() }
pub fn clo(k: u32, v: &mut [u32]) { let mut s = 0; v.iter_mut().for_each(|x| { s += 1; *x += k * s; }); }
