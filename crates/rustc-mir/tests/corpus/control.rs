#![crate_type = "lib"]
use std::cmp::Ordering;
pub enum E { A, B(u32), C { a: u64, b: u8 } }
pub struct Add(u32, u32);
pub fn adds(a: u32) -> (Add, u32) { (Add(a, 1), a + 1) }
pub fn m(e: &E) -> u64 { match e { E::A => 1, E::B(x) => *x as u64, E::C { a, b } => *a + *b as u64 } }
pub fn mi(a: i32) -> u32 { match a { -1 => 1, i32::MIN => 2, 5..=9 => 3, _ => 0 } }
pub fn over(a: u32, b: u32) -> Option<u32> { a.checked_add(b) }
pub fn ord(a: i32, b: i32) -> Ordering { a.cmp(&b) }
pub fn divi(a: i32, b: i32) -> i32 { a / b }
pub fn sl(v: &[u8]) -> Option<u8> { match v { [] => None, [a] => Some(*a), [a, .., b] => Some(a ^ b) } }
pub fn sub(v: &[u8; 6]) -> &[u8] { let [_, m @ .., _] = v; m }
pub fn dy(d: &dyn Fn(u32) -> u32, f: fn(u32) -> u32, g: unsafe extern "C" fn(*const u8, ...) -> i32) -> u32 { let _ = g; d(3) + f(4) }
