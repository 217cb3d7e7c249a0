//! Sums and products with a carry.

use super::{Decoded, Decoder, Mods, width_of};
use crate::inst::*;
use crate::lanes::{op1, op2};
use ptx::{Instruction, Type};
use std::sync::Arc;

impl Decoder<'_> {
    /// The condition code of the function: a predicate row.
    pub(super) fn carry_row(&mut self) -> u32 {
        match self.carry {
            Some(row) => row,
            None => {
                let row = self.row(0);
                self.carry = Some(row);
                row
            }
        }
    }

    pub(super) fn carry(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let ty = self.need(m.last_type(), "type")?;
        let cc = m.take("cc");
        if i.name == "madc" {
            let hi = m.take("hi");
            if !hi && !m.take("lo") {
                return self.unknown("neither .hi nor .lo");
            }
            self.finish_mods(&m)?;
            return self.mad_carry(i, ty, hi, true, cc);
        }
        self.finish_mods(&m)?;
        self.add_carry(i, ty, i.name == "subc", true, cc)
    }

    /// `a ± b` with a carry in, a carry out, or both.
    pub(super) fn add_carry(
        &mut self,
        i: &Instruction,
        ty: Type,
        sub: bool,
        carry_in: bool,
        carry_out: bool,
    ) -> Decoded<()> {
        let [d, a, b] = self.operands::<3>(i)?;
        let w = width_of(ty);
        if !(w == 4 || w == 8) {
            return self.unknown(format!("type .{}", ty.name()));
        }
        let (a, b, d) = (self.src_of(a, ty)?, self.src_of(b, ty)?, self.dst_of(d, w)?);
        self.sum(d, a, b, w, sub, carry_in, carry_out);
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn sum(
        &mut self,
        d: u32,
        a: u32,
        b: u32,
        w: Width,
        sub: bool,
        carry_in: bool,
        carry_out: bool,
    ) {
        let cc = self.carry_row();
        let bits = 8 * u32::from(w);
        // The carry of a subtraction is its borrow.
        let full = move |a: u64, b: u64, c: u64| {
            let c = if carry_in { u128::from(c & 1) } else { 0 };
            let (a, b) = (u128::from(a), u128::from(b));
            if sub {
                a.wrapping_sub(b).wrapping_sub(c)
            } else {
                a + b + c
            }
        };
        // The result goes to a row of its own: it may be a source of the carry.
        let value = self.row(w);
        let f: ScalarFn = Arc::new(move |a, b, c| full(a, b, c) as u64);
        let inst = self.inst(Op::Scalar(Arc::new(Scalar {
            f,
            widths: [w, w, 0, w],
        })));
        self.push(Inst {
            d: value,
            a,
            b,
            c: cc,
            ..inst
        });
        if carry_out {
            let f: ScalarFn = Arc::new(move |a, b, c| (full(a, b, c) >> bits & 1) as u64);
            let inst = self.inst(Op::Scalar(Arc::new(Scalar {
                f,
                widths: [w, w, 0, 0],
            })));
            self.push(Inst {
                d: cc,
                a,
                b,
                c: cc,
                ..inst
            });
        }
        let copy = if w == 4 {
            op1(|a: u32| a)
        } else {
            op1(|a: u64| a)
        };
        let inst = self.inst(Op::Lanes(copy));
        self.push(Inst {
            d,
            a: value,
            ..inst
        });
    }

    pub(super) fn mad_carry(
        &mut self,
        i: &Instruction,
        ty: Type,
        hi: bool,
        carry_in: bool,
        carry_out: bool,
    ) -> Decoded<()> {
        let [d, a, b, c] = self.operands::<4>(i)?;
        let w = width_of(ty);
        let f = match (ty, hi) {
            (Type::U32 | Type::S32, false) => op2(|a: u32, b: u32| a.wrapping_mul(b)),
            (Type::U64 | Type::S64, false) => op2(|a: u64, b: u64| a.wrapping_mul(b)),
            (Type::U32, true) => op2(|a: u32, b: u32| (u64::from(a) * u64::from(b) >> 32) as u32),
            (Type::S32, true) => op2(|a: i32, b: i32| (i64::from(a) * i64::from(b) >> 32) as i32),
            (Type::U64, true) => op2(|a: u64, b: u64| (u128::from(a) * u128::from(b) >> 64) as u64),
            (Type::S64, true) => op2(|a: i64, b: i64| (i128::from(a) * i128::from(b) >> 64) as i64),
            _ => return self.unknown(format!("type .{}", ty.name())),
        };
        let (a, b, c) = (
            self.src_of(a, ty)?,
            self.src_of(b, ty)?,
            self.src_of(c, ty)?,
        );
        let d = self.dst_of(d, w)?;
        let product = self.row(w);
        let inst = self.inst(Op::Lanes(f));
        self.push(Inst {
            d: product,
            a,
            b,
            ..inst
        });
        self.sum(d, product, c, w, false, carry_in, carry_out);
        Ok(())
    }
}
