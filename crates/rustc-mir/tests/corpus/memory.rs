#![crate_type = "lib"]
#[inline(never)] pub fn rec(n: u128) -> u128 { if n < 2 { 1 } else { n * rec(n - 1) } }
pub fn pan(a: u32) -> u32 { if a > 3 { panic!("too large: {}", a) } a }
pub fn ptr(a: *const u32, b: *mut u32, n: usize) { unsafe { std::ptr::copy_nonoverlapping(a, b, n); std::ptr::copy(a, b, n); } }
pub fn casts(a: f32, b: u64, p: *const u8) -> (i32, f64, u8, usize) { (a as i32, b as f64, b as u8, p as usize) }
pub union U { a: u32, b: f32 }
pub fn un(u: U) -> f32 { unsafe { u.b } }
pub fn mk(u: u32) -> U { U { a: u } }
pub fn asm(x: u64) -> u64 { let y: u64; unsafe { std::arch::asm!("mov {0}, {1}", out(reg) y, in(reg) x, options(nomem, pure)) } y }
