//! `mov`: copies, vectors packed into registers and taken out of them.

use super::{Decoded, Decoder, Mods, width_of};
use crate::inst::*;
use crate::lanes::{op1, predicates};
use ptx::{Instruction, Operand, Type};

impl Decoder<'_> {
    pub(super) fn copy(&mut self, d: u32, a: u32, width: Width) -> Decoded<()> {
        let f = match width {
            0 => predicates(|a, _, _| a),
            1 => op1(|a: u8| a),
            2 => op1(|a: u16| a),
            4 => op1(|a: u32| a),
            8 => op1(|a: u64| a),
            _ => op1(|a: u128| a),
        };
        let inst = self.inst(Op::Lanes(f));
        self.push(Inst { d, a, ..inst });
        Ok(())
    }

    pub(super) fn mov(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let ty = self.need(m.last_type(), "type")?;
        self.finish_mods(&m)?;
        let [d, a] = self.operands::<2>(i)?;
        match (d, a) {
            // Packs: the first element is the lowest.
            (_, Operand::Vector(parts)) => {
                let width = width_of(ty);
                let d = self.dst_of(d, width)?;
                let each = self.part_type(ty, parts.len())?;
                let mut rows = Vec::new();
                for p in parts {
                    rows.push(self.src_of(p, each)?);
                }
                // A temporary: an element may be the destination's own register.
                let t = self.row(width);
                for (k, row) in rows.into_iter().enumerate() {
                    self.pack(t, row, width, width_of(each), k, true);
                }
                self.copy(d, t, width)
            }
            (Operand::Vector(parts), _) => {
                let width = width_of(ty);
                let a = self.src_of(a, ty)?;
                let each = self.part_type(ty, parts.len())?;
                let t = self.row(width);
                self.copy(t, a, width)?;
                for (k, p) in parts.iter().enumerate() {
                    if matches!(p, Operand::Name(n) if n == "_") {
                        continue;
                    }
                    let d = self.dst_of(p, width_of(each))?;
                    self.pack(d, t, width, width_of(each), k, false);
                }
                Ok(())
            }
            (d, Operand::Name(n)) if self.is_special(n) => {
                let s = self.need(super::special(n), "such special register")?;
                let (d, width) = self.dst(d)?;
                if let Special::Constant(c) = s {
                    let a = self.constant(c.into(), width);
                    return self.copy(d, a, width);
                }
                let inst = self.inst(Op::Special(s));
                self.push(Inst {
                    d,
                    x: width.into(),
                    ..inst
                });
                Ok(())
            }
            _ => {
                let width = width_of(ty);
                let d = self.dst_of(d, width)?;
                let a = self.src_of(a, ty)?;
                self.copy(d, a, width)
            }
        }
    }

    pub(super) fn is_special(&mut self, name: &str) -> bool {
        name.starts_with('%') && self.lookup(name).is_none() && super::special(name).is_some()
    }

    pub(super) fn part_type(&mut self, whole: Type, parts: usize) -> Decoded<Type> {
        match (whole.bits(), parts) {
            (128, 2) => Ok(Type::B64),
            (64, 2) => Ok(Type::B32),
            (32, 2) => Ok(Type::B16),
            (128, 4) => Ok(Type::B32),
            (64, 4) => Ok(Type::B16),
            (16, 2) => Ok(Type::B8),
            (32, 4) => Ok(Type::B8),
            _ => self.unknown(format!("{parts} parts of .{}", whole.name())),
        }
    }

    /// Copies a part into the `k`th place of a whole, or out of it.
    pub(super) fn pack(&mut self, d: u32, a: u32, whole: Width, part: Width, k: usize, into: bool) {
        let mut op = self.inst(Op::Pack { whole, part, into });
        (op.d, op.a, op.x) = (d, a, k as u32);
        self.push(op);
    }
}
