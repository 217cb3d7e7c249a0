#![crate_type = "lib"]
pub struct P { pub x: f32, pub y: f32, pub t: (u8, u64) }
pub enum E { A, B(u32), C { a: u64, b: u8 } }
static INNER: [u32; 3] = [7, 8, 9];
pub static PTRS: [&u32; 2] = [&INNER[1], &INNER[2]];
pub static TBL: [&str; 2] = ["ab", "cde"];
pub static mut CNT: u32 = 0;
pub const LUT: [u8; 4] = [1, 2, 3, 4];
pub const PP: P = P { x: 1.0, y: -2.5, t: (1, 2) };
pub const ES: [E; 3] = [E::A, E::B(4), E::C { a: 5, b: 6 }];
pub fn floats() -> [f32; 6] { [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1e-45, 3.4028235e38] }
pub fn ints() -> (i8, u8, i32, u64, i128, u128) { (i8::MIN, u8::MAX, -3, u64::MAX, i128::MIN, 1 << 100) }
pub fn chars() -> [char; 4] { ['a', '\'', '\n', '\u{1F600}'] }
pub fn strs() -> [&'static str; 2] { ["a\"b\\\n\0", "é"] }
pub fn bytes() -> &'static [u8] { b"ab\n\"\xff" }
pub fn st(i: usize) -> &'static str { TBL[i] }
pub fn lut(i: usize) -> u8 { LUT[i & 3] }
pub fn ptrs(i: usize) -> u32 { unsafe { CNT += 1; } *PTRS[i] }
pub fn pp() -> P { PP }
pub fn none() -> Option<(u32, bool)> { None }
pub fn fnp() -> fn(usize) -> u8 { lut }
