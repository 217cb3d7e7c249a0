//! 128-bit operations for which LLVM would call a library that NVPTX does not have.

use crate::{function::Lowering, scalar::PLAIN, types};
use dialect_llvm::llvm::{
    attributes::{FCmpPredicateAttr, FastmathFlags, FastmathFlagsAttr, ICmpPredicateAttr},
    op_interfaces::{FastMathFlags, FloatBinArithOpWithFastMathFlags},
    ops::*,
};
use dialect_mir::types::float_width;
use pliron::{
    builtin::{attributes::FPDoubleAttr, types::FP64Type},
    op::Op,
    r#type::{TypeHandle, Typed},
    utils::apfloat::{Double, Float},
    value::Value,
};

impl Lowering<'_, '_> {
    /// The product of 128-bit integers with its flag: NVPTX has no library function for it. Signed operands are multiplied by
    /// magnitude; the product of magnitudes fits if it is at most 2^127 (negative) or below it (positive).
    pub fn wide_multiplication(
        &mut self,
        lhs: Value,
        rhs: Value,
        signed: bool,
        result: TypeHandle,
    ) -> Value {
        let wide: TypeHandle = types::int(self.ctx(), 128).into();
        let half: TypeHandle = types::int(self.ctx(), 64).into();
        let zero = self.int(128, 0);
        let by = self.int(128, 64);
        let (a, b) = if signed {
            (self.magnitude(lhs), self.magnitude(rhs))
        } else {
            (lhs, rhs)
        };
        let mut low = |value| {
            let narrow = self.cast::<TruncOp>(value, half);
            self.cast_nneg::<ZExtOp>(narrow, wide)
        };
        let (al, bl) = (low(a), low(b));
        let ah = self.binary::<LShrOp>(a, by);
        let bh = self.binary::<LShrOp>(b, by);
        // (ah·2^64 + al)(bh·2^64 + bl): ah·bh must be 0, and the cross terms must fit above the low product.
        let a_high = self.icmp(ICmpPredicateAttr::NE, ah, zero);
        let b_high = self.icmp(ICmpPredicateAttr::NE, bh, zero);
        let both = self.binary::<AndOp>(a_high, b_high);
        let first = self.wrapping::<MulOp>(ah, bl, PLAIN);
        let second = self.wrapping::<MulOp>(al, bh, PLAIN);
        // If not both are there, one of the two is 0: the sum does not wrap.
        let cross = self.wrapping::<AddOp>(first, second, PLAIN);
        let cross_high = self.binary::<LShrOp>(cross, by);
        let cross_over = self.icmp(ICmpPredicateAttr::NE, cross_high, zero);
        let product = self.wrapping::<MulOp>(al, bl, PLAIN);
        let shifted = self.wrapping::<ShlOp>(cross, by, PLAIN);
        let magnitude = self.wrapping::<AddOp>(product, shifted, PLAIN);
        let carry = self.icmp(ICmpPredicateAttr::ULT, magnitude, product);
        let over = self.binary::<OrOp>(both, cross_over);
        let mut over = self.binary::<OrOp>(over, carry);
        let value = self.wrapping::<MulOp>(lhs, rhs, PLAIN);
        if signed {
            let signs = self.binary::<XorOp>(lhs, rhs);
            let negative = self.icmp(ICmpPredicateAttr::SLT, signs, zero);
            let largest = self.int(128, i128::MAX as u128);
            let smallest = self.int(128, 1 << 127);
            let limit = self.select(negative, smallest, largest);
            let beyond = self.icmp(ICmpPredicateAttr::UGT, magnitude, limit);
            over = self.binary::<OrOp>(over, beyond);
        }
        self.construct(result, &[value, over])
    }

    fn magnitude(&mut self, value: Value) -> Value {
        let zero = self.int(128, 0);
        let negated = self.wrapping::<SubOp>(zero, value, PLAIN);
        let negative = self.icmp(ICmpPredicateAttr::SLT, value, zero);
        self.select(negative, negated, value)
    }

    /// A 128-bit integer as a float, rounded to nearest even.
    ///
    /// The 64 bits below the leading one are kept, the rest is or-ed into the lowest (rounding to odd), so that the conversion of the
    /// 64 bits rounds once and rightly; the power of two then scales exactly.
    pub fn wide_to_float(&mut self, value: Value, to: TypeHandle, signed: bool) -> Value {
        let word: TypeHandle = types::int(self.ctx(), 64).into();
        let wide: TypeHandle = types::int(self.ctx(), 128).into();
        let zero = self.int(128, 0);
        let magnitude = if signed { self.magnitude(value) } else { value };
        let width = float_width(self.ctx(), to).unwrap_or(64);
        let result = if width == 16 {
            // Everything from 65520 on is infinite: the conversion of a smaller stand-in says so.
            let limit = self.int(128, 1 << 20);
            let small = self.intrinsic("llvm.umin.i128", vec![magnitude, limit], wide);
            let small = self.cast::<TruncOp>(small, word);
            self.cast_nneg::<UIToFPOp>(small, to)
        } else {
            let no = self.int(1, 0);
            let leading = self.intrinsic("llvm.ctlz.i128", vec![magnitude, no], wide);
            let mask = self.int(128, 127);
            let leading = self.binary::<AndOp>(leading, mask);
            let shifted = self.wrapping::<ShlOp>(magnitude, leading, PLAIN);
            let by = self.int(128, 64);
            let high = self.binary::<LShrOp>(shifted, by);
            let high = self.cast::<TruncOp>(high, word);
            let low = self.cast::<TruncOp>(shifted, word);
            let zero64 = self.int(64, 0);
            let rest = self.icmp(ICmpPredicateAttr::NE, low, zero64);
            let rest = self.cast_nneg::<ZExtOp>(rest, word);
            let bits = self.binary::<OrOp>(high, rest);
            let float = self.cast_nneg::<UIToFPOp>(bits, to);
            let (bias, fraction) = if width == 32 { (127, 23) } else { (1023, 52) };
            let int: TypeHandle = types::int(self.ctx(), width).into();
            let leading = self.cast::<TruncOp>(leading, int);
            let top = self.int(width, bias + 64);
            let exponent = self.wrapping::<SubOp>(top, leading, PLAIN);
            let fraction = self.int(width, fraction);
            let scale = self.wrapping::<ShlOp>(exponent, fraction, PLAIN);
            let scale = self.cast::<BitcastOp>(scale, to);
            let op = FMulOp::new_with_fast_math_flags(
                self.ctx_mut(),
                float,
                scale,
                FastmathFlags::empty().into(),
            );
            self.emit_value(op.get_operation())
        };
        if !signed {
            return result;
        }
        let negative = self.icmp(ICmpPredicateAttr::SLT, value, zero);
        let negated =
            FNegOp::new_with_fast_math_flags(self.ctx_mut(), result, FastmathFlagsAttr::default());
        let negated = self.emit_value(negated.get_operation());
        self.select(negative, negated, result)
    }

    /// A float as a 128-bit integer: towards zero, saturating, 0 for NaN.
    pub fn float_to_wide(&mut self, value: Value, signed: bool) -> Value {
        let double: TypeHandle = FP64Type::get(self.ctx()).into();
        let word: TypeHandle = types::int(self.ctx(), 64).into();
        let wide: TypeHandle = types::int(self.ctx(), 128).into();
        let value = if value.get_type(self.ctx()) == double {
            value
        } else {
            self.float_cast::<FPExtOp>(value, double)
        };
        let bits = self.cast::<BitcastOp>(value, word);
        let fraction_bits = self.int(64, 52);
        let exponent = self.binary::<LShrOp>(bits, fraction_bits);
        let mask = self.int(64, 0x7ff);
        let exponent = self.binary::<AndOp>(exponent, mask);
        let mask = self.int(64, (1 << 52) - 1);
        let fraction = self.binary::<AndOp>(bits, mask);
        let one = self.int(64, 1 << 52);
        let fraction = self.binary::<OrOp>(fraction, one);
        let fraction = self.cast_nneg::<ZExtOp>(fraction, wide);
        // The value is fraction · 2^(exponent - 1075).
        let unit = self.int(64, 1075);
        let up = self.wrapping::<SubOp>(exponent, unit, PLAIN);
        let down = self.wrapping::<SubOp>(unit, exponent, PLAIN);
        let amount = self.int(64, 127);
        let mut shift = |distance| {
            let distance = self.binary::<AndOp>(distance, amount);
            self.cast_nneg::<ZExtOp>(distance, wide)
        };
        let (left, right) = (shift(up), shift(down));
        let left = self.wrapping::<ShlOp>(fraction, left, PLAIN);
        let right = self.binary::<LShrOp>(fraction, right);
        let grows = self.icmp(ICmpPredicateAttr::UGT, exponent, unit);
        let magnitude = self.select(grows, left, right);
        let zero = self.int(128, 0);
        let first = self.int(64, 1023);
        let below_one = self.icmp(ICmpPredicateAttr::ULT, exponent, first);
        let magnitude = self.select(below_one, zero, magnitude);
        let end = self.int(64, if signed { 1023 + 127 } else { 1023 + 128 });
        let over = self.icmp(ICmpPredicateAttr::UGE, exponent, end);
        let zero64 = self.int(64, 0);
        let negative = self.icmp(ICmpPredicateAttr::SLT, bits, zero64);
        let largest = self.int(128, if signed { i128::MAX as u128 } else { u128::MAX });
        let result = self.select(over, largest, magnitude);
        let below = if signed {
            let negated = self.wrapping::<SubOp>(zero, magnitude, PLAIN);
            let smallest = self.int(128, 1 << 127);
            self.select(over, smallest, negated)
        } else {
            zero
        };
        let result = self.select(negative, below, result);
        let nothing = Double::from_bits(0);
        let nothing = ConstantOp::new(self.ctx_mut(), Box::new(FPDoubleAttr(nothing)));
        let nothing = self.emit_value(nothing.get_operation());
        let nan = FCmpOp::new(self.ctx_mut(), FCmpPredicateAttr::UNO, value, nothing);
        nan.set_fast_math_flags(self.ctx(), FastmathFlagsAttr::default());
        let nan = self.emit_value(nan.get_operation());
        self.select(nan, zero, result)
    }
}
