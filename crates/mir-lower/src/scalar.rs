//! Constants, arithmetic, comparisons, casts, scalar functions.

use crate::{Result, function::Lowering, op_error, types};
use dialect_llvm::llvm::{
    attributes::{
        FCmpPredicateAttr, FastmathFlags, FastmathFlagsAttr, ICmpPredicateAttr,
        IntegerOverflowFlagsAttr,
    },
    op_interfaces::FloatBinArithOpWithFastMathFlags,
    ops::*,
};
use dialect_mir::{
    attributes::{self as mir, CastKindAttr, IntrinsicAttr},
    ops as m,
    types::{float_width, int_width, is_ptr},
};
use pliron::{
    builtin::attr_interfaces::TypedAttrInterface,
    builtin::attributes::{BoolAttr, FPDoubleAttr, FPHalfAttr, FPSingleAttr, IntegerAttr},
    context::Ptr,
    op::Op,
    operation::Operation,
    r#type::{TypeHandle, Typed},
    utils::apfloat::{Double, Float, Half, Single},
    value::Value,
};

pub(crate) const PLAIN: IntegerOverflowFlagsAttr = IntegerOverflowFlagsAttr {
    nsw: false,
    nuw: false,
};

impl Lowering<'_, '_> {
    fn signed(&self, op: Ptr<Operation>) -> bool {
        mir::get::<BoolAttr>(self.ctx(), op, &mir::SIGNED).is_some_and(bool::from)
    }

    fn wrap_flags(&self, op: Ptr<Operation>) -> IntegerOverflowFlagsAttr {
        let nowrap = mir::get::<BoolAttr>(self.ctx(), op, &mir::NOWRAP).is_some_and(bool::from);
        let signed = self.signed(op);
        IntegerOverflowFlagsAttr {
            nsw: nowrap && signed,
            nuw: nowrap && !signed,
        }
    }

    pub fn constant(&mut self, op: Ptr<Operation>) -> Result<()> {
        let Some(value) = mir::get::<IntegerAttr>(self.ctx(), op, &mir::VALUE) else {
            return Err(op_error(self.ctx(), op, "a constant has its value"));
        };
        let constant = ConstantOp::new(self.ctx_mut(), Box::new(value));
        let value = self.emit_value(constant.get_operation());
        self.define(op, value);
        Ok(())
    }

    pub fn float_constant(&mut self, op: Ptr<Operation>) -> Result<()> {
        let bits = Operation::get_op::<m::FloatConstantOp>(op, self.ctx())
            .and_then(|constant| constant.bits(self.ctx()));
        let ty = op.deref(self.ctx()).get_type(0);
        let width = float_width(self.ctx(), ty);
        let (Some(bits), Some(width)) = (bits, width) else {
            return Err(op_error(self.ctx(), op, "a float constant has its bits"));
        };
        let bits = u128::from(bits);
        let attr: Box<dyn TypedAttrInterface> = match width {
            16 => Box::new(FPHalfAttr(Half::from_bits(bits))),
            32 => Box::new(FPSingleAttr(Single::from_bits(bits))),
            _ => Box::new(FPDoubleAttr(Double::from_bits(bits))),
        };
        let constant = ConstantOp::new(self.ctx_mut(), attr);
        let value = self.emit_value(constant.get_operation());
        self.define(op, value);
        Ok(())
    }

    fn float<O: FloatBinArithOpWithFastMathFlags>(&mut self, lhs: Value, rhs: Value) -> Value {
        let flags = if self.module.options.fmad {
            FastmathFlags::CONTRACT
        } else {
            FastmathFlags::empty()
        };
        let op = O::new_with_fast_math_flags(self.ctx_mut(), lhs, rhs, flags.into());
        self.emit_value(op.get_operation())
    }

    /// `mir.add` … `mir.bitxor`.
    pub fn arithmetic(&mut self, op: Ptr<Operation>, name: &str) -> Result<()> {
        let lhs = self.operand(op, 0)?;
        let rhs = self.operand(op, 1)?;
        let ty = self.mir_type(op, 0)?;
        let float = float_width(self.ctx(), ty).is_some();
        let signed = self.signed(op);
        let flags = self.wrap_flags(op);
        let value = match (name, float) {
            ("add", true) => self.float::<FAddOp>(lhs, rhs),
            ("sub", true) => self.float::<FSubOp>(lhs, rhs),
            ("mul", true) => self.float::<FMulOp>(lhs, rhs),
            ("div", true) => self.float::<FDivOp>(lhs, rhs),
            ("rem", true) => self.float::<FRemOp>(lhs, rhs),
            ("add", false) => self.wrapping::<AddOp>(lhs, rhs, flags),
            ("sub", false) => self.wrapping::<SubOp>(lhs, rhs, flags),
            ("mul", false) => self.wrapping::<MulOp>(lhs, rhs, flags),
            ("div", false) if signed => self.binary::<SDivOp>(lhs, rhs),
            ("div", false) => self.binary::<UDivOp>(lhs, rhs),
            ("rem", false) if signed => self.binary::<SRemOp>(lhs, rhs),
            ("rem", false) => self.binary::<URemOp>(lhs, rhs),
            ("shl" | "shr", false) => {
                // LLVM's result is poison for an amount that is not below the width; Rust's amount is masked.
                let Some(width) = int_width(self.ctx(), ty) else {
                    return Err(op_error(self.ctx(), op, "a shift is of integers"));
                };
                let mask = self.int(width, u128::from(width - 1));
                let amount = self.binary::<AndOp>(rhs, mask);
                match (name, signed) {
                    ("shl", _) => self.wrapping::<ShlOp>(lhs, amount, PLAIN),
                    (_, true) => self.binary::<AShrOp>(lhs, amount),
                    (_, false) => self.binary::<LShrOp>(lhs, amount),
                }
            }
            ("bitand", false) => self.binary::<AndOp>(lhs, rhs),
            ("bitor", false) => self.binary::<OrOp>(lhs, rhs),
            ("bitxor", false) => self.binary::<XorOp>(lhs, rhs),
            _ => return Err(op_error(self.ctx(), op, "the operands are numbers")),
        };
        self.define(op, value);
        Ok(())
    }

    /// `mir.checked_add`, `mir.checked_sub`, `mir.checked_mul`: always the real flag.
    pub fn checked(&mut self, op: Ptr<Operation>, name: &str) -> Result<()> {
        let operands = self.operands(op)?;
        let ty = self.mir_type(op, 0)?;
        let Some(width) = int_width(self.ctx(), ty) else {
            return Err(op_error(self.ctx(), op, "the operands are integers"));
        };
        let signed = self.signed(op);
        let result = self.result_type(op)?;
        if name == "mul" && width == 128 {
            let value = self.wide_multiplication(operands[0], operands[1], signed, result);
            self.define(op, value);
            return Ok(());
        }
        let sign = if signed { 's' } else { 'u' };
        let name = format!("llvm.{sign}{name}.with.overflow.i{width}");
        let value = self.intrinsic(&name, operands, result);
        self.define(op, value);
        Ok(())
    }

    pub fn neg(&mut self, op: Ptr<Operation>) -> Result<()> {
        let value = self.operand(op, 0)?;
        let ty = self.mir_type(op, 0)?;
        let value = match int_width(self.ctx(), ty) {
            Some(width) => {
                let zero = self.int(width, 0);
                self.wrapping::<SubOp>(zero, value, PLAIN)
            }
            None => {
                let neg = FNegOp::new_with_fast_math_flags(
                    self.ctx_mut(),
                    value,
                    FastmathFlagsAttr::default(),
                );
                self.emit_value(neg.get_operation())
            }
        };
        self.define(op, value);
        Ok(())
    }

    pub fn not(&mut self, op: Ptr<Operation>) -> Result<()> {
        let value = self.operand(op, 0)?;
        let ty = self.mir_type(op, 0)?;
        let Some(width) = int_width(self.ctx(), ty) else {
            return Err(op_error(self.ctx(), op, "the operand is an integer"));
        };
        let ones = self.int(width, u128::MAX);
        let value = self.binary::<XorOp>(value, ones);
        self.define(op, value);
        Ok(())
    }

    /// `mir.eq` … `mir.ge`.
    pub fn compare(&mut self, op: Ptr<Operation>, name: &str) -> Result<()> {
        let lhs = self.operand(op, 0)?;
        let rhs = self.operand(op, 1)?;
        let ty = self.mir_type(op, 0)?;
        let value = if float_width(self.ctx(), ty).is_some() {
            let predicate = match name {
                "eq" => FCmpPredicateAttr::OEQ,
                "ne" => FCmpPredicateAttr::UNE,
                "lt" => FCmpPredicateAttr::OLT,
                "le" => FCmpPredicateAttr::OLE,
                "gt" => FCmpPredicateAttr::OGT,
                _ => FCmpPredicateAttr::OGE,
            };
            use dialect_llvm::llvm::op_interfaces::FastMathFlags;
            let compare = FCmpOp::new(self.ctx_mut(), predicate, lhs, rhs);
            compare.set_fast_math_flags(self.ctx(), FastmathFlagsAttr::default());
            self.emit_value(compare.get_operation())
        } else {
            let signed = self.signed(op) && !is_ptr(self.ctx(), ty);
            let predicate = match (name, signed) {
                ("eq", _) => ICmpPredicateAttr::EQ,
                ("ne", _) => ICmpPredicateAttr::NE,
                ("lt", true) => ICmpPredicateAttr::SLT,
                ("lt", false) => ICmpPredicateAttr::ULT,
                ("le", true) => ICmpPredicateAttr::SLE,
                ("le", false) => ICmpPredicateAttr::ULE,
                ("gt", true) => ICmpPredicateAttr::SGT,
                ("gt", false) => ICmpPredicateAttr::UGT,
                (_, true) => ICmpPredicateAttr::SGE,
                (_, false) => ICmpPredicateAttr::UGE,
            };
            self.icmp(predicate, lhs, rhs)
        };
        self.define(op, value);
        Ok(())
    }

    pub fn mir_cast(&mut self, op: Ptr<Operation>) -> Result<()> {
        let value = self.operand(op, 0)?;
        let from = self.mir_type(op, 0)?;
        let to = self.result_type(op)?;
        let kind =
            Operation::get_op::<m::CastOp>(op, self.ctx()).and_then(|cast| cast.kind(self.ctx()));
        let Some(kind) = kind else {
            return Err(op_error(self.ctx(), op, "a cast says its kind"));
        };
        let source = value.get_type(self.ctx());
        let value = match kind {
            CastKindAttr::Trunc => self.cast::<TruncOp>(value, to),
            CastKindAttr::ZExt => self.cast_nneg::<ZExtOp>(value, to),
            CastKindAttr::SExt => self.cast::<SExtOp>(value, to),
            CastKindAttr::UIntToFloat | CastKindAttr::SIntToFloat
                if int_width(self.ctx(), from) == Some(128) =>
            {
                self.wide_to_float(value, to, kind == CastKindAttr::SIntToFloat)
            }
            CastKindAttr::FloatToUInt | CastKindAttr::FloatToSInt
                if int_width(self.ctx(), to) == Some(128) =>
            {
                self.float_to_wide(value, kind == CastKindAttr::FloatToSInt)
            }
            CastKindAttr::UIntToFloat => self.cast_nneg::<UIToFPOp>(value, to),
            CastKindAttr::SIntToFloat => self.cast::<SIToFPOp>(value, to),
            CastKindAttr::FloatToUInt | CastKindAttr::FloatToSInt => {
                let sign = if kind == CastKindAttr::FloatToSInt {
                    's'
                } else {
                    'u'
                };
                let (Some(float), Some(int)) =
                    (float_width(self.ctx(), from), int_width(self.ctx(), to))
                else {
                    return Err(op_error(
                        self.ctx(),
                        op,
                        "the cast is of a float to an integer",
                    ));
                };
                let name = format!("llvm.fpto{sign}i.sat.i{int}.f{float}");
                self.intrinsic(&name, vec![value], to)
            }
            CastKindAttr::FloatToFloat => {
                let (from, to_width) = (float_width(self.ctx(), from), float_width(self.ctx(), to));
                if from == to_width {
                    value
                } else if from < to_width {
                    self.float_cast::<FPExtOp>(value, to)
                } else {
                    self.float_cast::<FPTruncOp>(value, to)
                }
            }
            CastKindAttr::PtrToInt => self.cast::<PtrToIntOp>(value, to),
            CastKindAttr::IntToPtr => self.cast::<IntToPtrOp>(value, to),
            CastKindAttr::AddrSpace => self.cast::<AddrSpaceCastOp>(value, to),
            CastKindAttr::PtrToPtr | CastKindAttr::SliceToSlice => {
                if source != to {
                    return Err(op_error(
                        self.ctx(),
                        op,
                        "both pointers are in one address space",
                    ));
                }
                value
            }
            CastKindAttr::Bitcast => self.bits(value, to),
        };
        self.define(op, value);
        Ok(())
    }

    pub fn float_cast<O>(&mut self, value: Value, to: TypeHandle) -> Value
    where
        O: dialect_llvm::llvm::op_interfaces::CastOpInterface
            + dialect_llvm::llvm::op_interfaces::FastMathFlags,
    {
        let cast = O::new(self.ctx_mut(), value, to);
        cast.set_fast_math_flags(self.ctx(), FastmathFlagsAttr::default());
        self.emit_value(cast.get_operation())
    }

    /// The same bits as another type of that size; a pointer goes by way of an integer.
    pub fn bits(&mut self, value: Value, to: TypeHandle) -> Value {
        use dialect_llvm::llvm::types::PointerType;
        let from = value.get_type(self.ctx());
        if from == to {
            return value;
        }
        let word: TypeHandle = types::int(self.ctx(), 64).into();
        let pointer = |state: &Self, ty: TypeHandle| ty.deref(state.ctx()).is::<PointerType>();
        match (pointer(self, from), pointer(self, to)) {
            (true, _) => {
                let word = self.cast::<PtrToIntOp>(value, word);
                self.bits(word, to)
            }
            (false, true) => {
                let word = self.bits(value, word);
                self.cast::<IntToPtrOp>(word, to)
            }
            (false, false) => self.cast::<BitcastOp>(value, to),
        }
    }

    pub fn mir_intrinsic(&mut self, op: Ptr<Operation>) -> Result<()> {
        use IntrinsicAttr as I;
        let kind = Operation::get_op::<m::IntrinsicOp>(op, self.ctx())
            .and_then(|intrinsic| intrinsic.kind(self.ctx()));
        let Some(kind) = kind else {
            return Err(op_error(self.ctx(), op, "an intrinsic says its kind"));
        };
        let mut operands = self.operands(op)?;
        let ty = self.mir_type(op, 0)?;
        let result = self.result_type(op)?;
        let sign = if self.signed(op) { 's' } else { 'u' };
        let int = int_width(self.ctx(), ty);
        let suffix = match (int, float_width(self.ctx(), ty)) {
            (Some(width), _) => format!("i{width}"),
            (_, Some(width)) => format!("f{width}"),
            _ => return Err(op_error(self.ctx(), op, "the operands are numbers")),
        };
        let name = match kind {
            I::Bswap if int == Some(8) => {
                // One byte has no order; LLVM has no such intrinsic.
                self.define(op, operands[0]);
                return Ok(());
            }
            I::Ctlz | I::Cttz => {
                // Zero has a result in Rust.
                operands.push(self.int(1, 0));
                if kind == I::Ctlz { "ctlz" } else { "cttz" }.to_string()
            }
            I::RotateLeft | I::RotateRight => {
                operands.insert(0, operands[0]);
                if kind == I::RotateLeft {
                    "fshl"
                } else {
                    "fshr"
                }
                .to_string()
            }
            I::Ctpop => "ctpop".to_string(),
            I::Bswap => "bswap".to_string(),
            I::Bitreverse => "bitreverse".to_string(),
            I::SaturatingAdd => format!("{sign}add.sat"),
            I::SaturatingSub => format!("{sign}sub.sat"),
            I::IntMin => format!("{sign}min"),
            I::IntMax => format!("{sign}max"),
            I::ThreeWay => format!("{sign}cmp.i8"),
            I::Sqrt => "sqrt".to_string(),
            I::Floor => "floor".to_string(),
            I::Ceil => "ceil".to_string(),
            I::Trunc => "trunc".to_string(),
            I::Round => "round".to_string(),
            I::RoundTiesEven => "roundeven".to_string(),
            I::Fabs => "fabs".to_string(),
            I::Copysign => "copysign".to_string(),
            I::MinNum => "minnum".to_string(),
            I::MaxNum => "maxnum".to_string(),
            I::Minimum => "minimum".to_string(),
            I::Maximum => "maximum".to_string(),
            I::Fma => "fma".to_string(),
        };
        let value = self.intrinsic(&format!("llvm.{name}.{suffix}"), operands, result);
        self.define(op, value);
        Ok(())
    }

    pub fn mir_select(&mut self, op: Ptr<Operation>) -> Result<()> {
        let (condition, yes, no) = (
            self.operand(op, 0)?,
            self.operand(op, 1)?,
            self.operand(op, 2)?,
        );
        let value = self.select(condition, yes, no);
        self.define(op, value);
        Ok(())
    }

    pub fn assume(&mut self, op: Ptr<Operation>) -> Result<()> {
        let condition = self.operand(op, 0)?;
        self.intrinsic_void("llvm.assume", vec![condition], &[]);
        Ok(())
    }
}
