#![crate_type = "lib"]
pub fn into(x: impl ::core::convert::Into<::std::option::Option<u32>>) -> u32 { x.into().unwrap_or(1) }
pub fn takes(f: impl Fn(&u8) -> bool) -> bool { f(&1) }
pub fn drops(v: Option<Box<u32>>) -> u32 { match v { Some(b) => *b, None => 0 } }
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)] pub struct D { a: f32, b: u8 }
pub mod r#mod { pub fn r#fn(r#type: u32) -> u32 { r#type + 1 } }
pub fn raw() -> u32 { r#mod::r#fn(3) }
pub fn nz(a: std::num::NonZeroU32) -> u32 { a.get().leading_zeros() }
