//! `setp` and `set`.

use super::{Decoded, Decoder, Mods};
use crate::float::*;
use crate::inst::*;
use crate::lanes::{compare, select};
use ptx::{Instruction, Operand, Type};
use std::marker::PhantomData;

impl Decoder<'_> {
    pub(super) fn compare_instruction(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let set = i.name == "set";
        let ty = self.need(m.last_type(), "type")?;
        let result = if set {
            Some(self.need(m.last_type(), "type of the result")?)
        } else {
            None
        };
        let join = m.find(|s| match s {
            "and" => Some(1),
            "or" => Some(2),
            "xor" => Some(3),
            _ => None,
        });
        let ftz = m.take("ftz");
        let names = [
            "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu",
            "gtu", "geu", "num", "nan",
        ];
        let relation = self.need(
            m.find(|s| names.iter().find(|n| **n == s).copied()),
            "comparison",
        )?;
        self.finish_mods(&m)?;
        macro_rules! numbers {
            ($T:ty) => {
                match relation {
                    "eq" => Some(compare(|a: $T, b: $T| a == b)),
                    "ne" => Some(compare(|a: $T, b: $T| a != b)),
                    "lt" | "lo" => Some(compare(|a: $T, b: $T| a < b)),
                    "le" | "ls" => Some(compare(|a: $T, b: $T| a <= b)),
                    "gt" | "hi" => Some(compare(|a: $T, b: $T| a > b)),
                    "ge" | "hs" => Some(compare(|a: $T, b: $T| a >= b)),
                    _ => None,
                }
            };
        }
        macro_rules! floats {
            ($T:ty, $r:expr) => {{
                // For numbers `ne` is false when an operand is NaN, unlike Rust's.
                match relation {
                    "eq" => Some(compare(|a: $T, b: $T| $r(a) == $r(b))),
                    "ne" => Some(compare(|a: $T, b: $T| $r(a) < $r(b) || $r(a) > $r(b))),
                    "lt" => Some(compare(|a: $T, b: $T| $r(a) < $r(b))),
                    "le" => Some(compare(|a: $T, b: $T| $r(a) <= $r(b))),
                    "gt" => Some(compare(|a: $T, b: $T| $r(a) > $r(b))),
                    "ge" => Some(compare(|a: $T, b: $T| $r(a) >= $r(b))),
                    "equ" => Some(compare(|a: $T, b: $T| !($r(a) < $r(b) || $r(a) > $r(b)))),
                    "neu" => Some(compare(|a: $T, b: $T| $r(a) != $r(b))),
                    "ltu" => Some(compare(|a: $T, b: $T| !($r(a) >= $r(b)))),
                    "leu" => Some(compare(|a: $T, b: $T| !($r(a) > $r(b)))),
                    "gtu" => Some(compare(|a: $T, b: $T| !($r(a) <= $r(b)))),
                    "geu" => Some(compare(|a: $T, b: $T| !($r(a) < $r(b)))),
                    "num" => Some(compare(|a: $T, b: $T| !a.is_nan() && !b.is_nan())),
                    "nan" => Some(compare(|a: $T, b: $T| a.is_nan() || b.is_nan())),
                    _ => None,
                }
            }};
        }
        // Functions, not closures: an operation must not capture.
        fn f16(v: u16) -> f32 {
            F16.to_f64(v.into()) as f32
        }
        fn bf16(v: u16) -> f32 {
            f32::from_bits(u32::from(v) << 16)
        }
        macro_rules! halves {
            ($r:expr) => {{
                match relation {
                    "eq" => Some(compare(|a: u16, b: u16| $r(a) == $r(b))),
                    "ne" => Some(compare(|a: u16, b: u16| $r(a) < $r(b) || $r(a) > $r(b))),
                    "lt" => Some(compare(|a: u16, b: u16| $r(a) < $r(b))),
                    "le" => Some(compare(|a: u16, b: u16| $r(a) <= $r(b))),
                    "gt" => Some(compare(|a: u16, b: u16| $r(a) > $r(b))),
                    "ge" => Some(compare(|a: u16, b: u16| $r(a) >= $r(b))),
                    "equ" => Some(compare(|a: u16, b: u16| !($r(a) < $r(b) || $r(a) > $r(b)))),
                    "neu" => Some(compare(|a: u16, b: u16| $r(a) != $r(b))),
                    "ltu" => Some(compare(|a: u16, b: u16| !($r(a) >= $r(b)))),
                    "leu" => Some(compare(|a: u16, b: u16| !($r(a) > $r(b)))),
                    "gtu" => Some(compare(|a: u16, b: u16| !($r(a) <= $r(b)))),
                    "geu" => Some(compare(|a: u16, b: u16| !($r(a) < $r(b)))),
                    "num" => Some(compare(|a: u16, b: u16| !$r(a).is_nan() && !$r(b).is_nan())),
                    "nan" => Some(compare(|a: u16, b: u16| $r(a).is_nan() || $r(b).is_nan())),
                    _ => None,
                }
            }};
        }
        // `lo` and its like are unsigned whatever the type says.
        let unsigned = matches!(relation, "lo" | "ls" | "hi" | "hs");
        let f = match ty {
            Type::F32 if ftz => floats!(f32, flush),
            Type::F32 => floats!(f32, |x: f32| x),
            _ if ftz && !matches!(ty, Type::F16) => return self.unknown("modifier `.ftz`"),
            Type::F64 => floats!(f64, |x: f64| x),
            Type::F16 => halves!(f16),
            Type::Bf16 => halves!(bf16),
            Type::S16 if !unsigned => numbers!(i16),
            Type::S32 if !unsigned => numbers!(i32),
            Type::S64 if !unsigned => numbers!(i64),
            Type::U16 | Type::B16 | Type::S16 => numbers!(u16),
            Type::U32 | Type::B32 | Type::S32 => numbers!(u32),
            Type::U64 | Type::B64 | Type::S64 => numbers!(u64),
            _ => return self.unknown(format!("type .{}", ty.name())),
        };
        let f = self.need(f, "such comparison for the type")?;
        let wanted = if join.is_some() { 4 } else { 3 };
        if i.operands.len() != wanted {
            return self.unknown(format!(
                "{} operands where {wanted} belong",
                i.operands.len()
            ));
        }
        let (a, b) = (
            self.src_of(&i.operands[1], ty)?,
            self.src_of(&i.operands[2], ty)?,
        );
        let (mut c, mut x) = (NONE, 0);
        if let Some(j) = join {
            let o = &i.operands[3];
            x = j;
            c = match o {
                Operand::Not(inner) => {
                    x |= 4;
                    self.src_of(inner, Type::Pred)?
                }
                _ => self.src_of(o, Type::Pred)?,
            };
        }
        if let Some(result) = result {
            // `set` gives all ones or 1.0 instead of a predicate.
            let yes = match result {
                Type::U32 | Type::S32 => u32::MAX,
                Type::F32 => 1f32.to_bits(),
                _ => return self.unknown(format!("result of type .{}", result.name())),
            };
            let p = self.row(0);
            let inst = self.inst(Op::Lanes(f));
            self.push(Inst {
                d: p,
                a,
                b,
                c,
                x,
                ..inst
            });
            let (yes, no) = (self.constant(yes.into(), 4), self.constant(0, 4));
            let d = self.dst_of(&i.operands[0], 4)?;
            let inst = self.inst(Op::Lanes(select(PhantomData::<u32>)));
            self.push(Inst {
                d,
                a: yes,
                b: no,
                c: p,
                ..inst
            });
            return Ok(());
        }
        let (d, d2) = match &i.operands[0] {
            Operand::Pair(p, q) => (self.dst_of(p, 0)?, self.dst_of(q, 0)?),
            o => (self.dst_of(o, 0)?, NONE),
        };
        let inst = self.inst(Op::Lanes(f));
        self.push(Inst {
            d,
            d2,
            a,
            b,
            c,
            x,
            ..inst
        });
        Ok(())
    }
}
