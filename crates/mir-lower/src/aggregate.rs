//! Aggregate values and enums.

use crate::{Result, function::Lowering, op_error, types};
use dialect_llvm::llvm::{
    attributes::{GepNoWrapFlags, ICmpPredicateAttr, IntegerOverflowFlagsAttr},
    ops::*,
};
use dialect_mir::{
    attributes::{self as mir, U64Attr},
    ops as m,
    types::{ArrayType, EnumType, TagEncoding, as_type},
};
use pliron::{
    context::Ptr,
    operation::Operation,
    r#type::{TypeHandle, Typed},
    value::Value,
};

const PLAIN: IntegerOverflowFlagsAttr = IntegerOverflowFlagsAttr {
    nsw: false,
    nuw: false,
};

impl Lowering<'_, '_> {
    fn number(
        &self,
        op: Ptr<Operation>,
        key: &pliron::identifier::Identifier,
        rule: &str,
    ) -> Result<u64> {
        mir::get::<U64Attr>(self.ctx(), op, key)
            .map(|attr| attr.0)
            .ok_or_else(|| op_error(self.ctx(), op, rule))
    }

    pub fn extract_field(&mut self, op: Ptr<Operation>) -> Result<()> {
        let value = self.operand(op, 0)?;
        let index = self.number(op, &mir::INDEX, "the field has an index")?;
        let value = self.extract(value, index as u32);
        self.define(op, value);
        Ok(())
    }

    pub fn insert_field(&mut self, op: Ptr<Operation>) -> Result<()> {
        let (aggregate, value) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let index = self.number(op, &mir::INDEX, "the field has an index")?;
        let value = self.insert(aggregate, value, index as u32);
        self.define(op, value);
        Ok(())
    }

    /// `mir.construct_struct`, `…_tuple`, `…_array`, `…_slice`.
    pub fn mir_construct(&mut self, op: Ptr<Operation>) -> Result<()> {
        let fields = self.operands(op)?;
        let ty = self.result_type(op)?;
        let value = self.construct(ty, &fields);
        self.define(op, value);
        Ok(())
    }

    pub fn undefined(&mut self, op: Ptr<Operation>) -> Result<()> {
        let ty = self.result_type(op)?;
        let value = self.undef(ty);
        self.define(op, value);
        Ok(())
    }

    /// LLVM takes no index that varies into a value, so the array goes through memory.
    pub fn extract_array_element(&mut self, op: Ptr<Operation>) -> Result<()> {
        let (array, index) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let mir = self.mir_type(op, 0)?;
        let align = as_type::<ArrayType>(self.ctx(), mir).map_or(1, |array| array.align);
        let ty = array.get_type(self.ctx());
        let element = self.result_type(op)?;
        let room = self.alloca(ty, align.max(16));
        self.store(array, room, align, false);
        let address = self.element(room, index, element, GepNoWrapFlags::INBOUNDS);
        let value = self.load(address, element, 1, false);
        self.define(op, value);
        Ok(())
    }

    /// Where a variant's first field stands in an enum value.
    fn variant_start(enumeration: &EnumType, variant: u64) -> u32 {
        enumeration
            .variants
            .iter()
            .take(variant as usize)
            .map(|variant| variant.fields.len() as u32)
            .sum()
    }

    pub fn construct_enum(&mut self, op: Ptr<Operation>) -> Result<()> {
        let fields = self.operands(op)?;
        let variant = self.number(op, &mir::VARIANT, "an enum value has a variant")?;
        let result = op.deref(self.ctx()).get_type(0);
        let Some(enumeration) = as_type::<EnumType>(self.ctx(), result) else {
            return Err(op_error(self.ctx(), op, "the result is an enum"));
        };
        let start = Self::variant_start(&enumeration, variant);
        let ty = self.result_type(op)?;
        let mut value = self.undef(ty);
        for (index, field) in fields.into_iter().enumerate() {
            value = self.insert(value, field, start + index as u32);
        }
        self.define(op, value);
        Ok(())
    }

    pub fn enum_payload(&mut self, op: Ptr<Operation>) -> Result<()> {
        let value = self.operand(op, 0)?;
        let variant = self.number(op, &mir::VARIANT, "a payload has a variant")?;
        let index = self.number(op, &mir::INDEX, "the field has an index")?;
        let mir = self.mir_type(op, 0)?;
        let Some(enumeration) = as_type::<EnumType>(self.ctx(), mir) else {
            return Err(op_error(self.ctx(), op, "the operand is an enum"));
        };
        let start = Self::variant_start(&enumeration, variant);
        let value = self.extract(value, start + index as u32);
        self.define(op, value);
        Ok(())
    }

    /// Alignment of something `offset` bytes into the enum.
    fn tag_align(enumeration: &EnumType, offset: u64) -> u64 {
        let align = enumeration.layout.align.max(1);
        if offset == 0 {
            align
        } else {
            align.min(1 << offset.trailing_zeros())
        }
    }

    fn tag_address(
        &mut self,
        op: Ptr<Operation>,
        enumeration: &EnumType,
        offset: u64,
    ) -> Result<(Value, u64)> {
        let base = self.operand(op, 0)?;
        let align = Self::tag_align(enumeration, offset);
        Ok((self.offset(base, offset), align))
    }

    /// `value` of `from` bits as an integer of `to` bits.
    fn resize(&mut self, value: Value, from: u32, to: u32, signed: bool) -> Value {
        let ty: TypeHandle = types::int(self.ctx(), to).into();
        if from == to {
            value
        } else if from > to {
            self.cast::<TruncOp>(value, ty)
        } else if signed {
            self.cast::<SExtOp>(value, ty)
        } else {
            self.cast_nneg::<ZExtOp>(value, ty)
        }
    }

    pub fn get_discriminant(&mut self, op: Ptr<Operation>) -> Result<()> {
        let enumeration = Operation::get_op::<m::GetDiscriminantOp>(op, self.ctx())
            .and_then(|get| get.enum_type(self.ctx()));
        let Some(enumeration) = enumeration else {
            return Err(op_error(self.ctx(), op, "the enum is known whole"));
        };
        let width = enumeration.discr_bits as u32;
        let discr = |variant: u64| {
            enumeration
                .variants
                .get(variant as usize)
                .map_or(0, |variant| u128::from(variant.discr))
        };
        let value = match enumeration.tag {
            TagEncoding::Single { variant } => self.int(width, discr(variant)),
            TagEncoding::Direct { offset, bits } => {
                let bits = bits as u32;
                let (address, align) = self.tag_address(op, &enumeration, offset)?;
                let ty = types::int(self.ctx(), bits).into();
                let tag = self.load(address, ty, align, false);
                self.resize(tag, bits, width, enumeration.discr_signed)
            }
            TagEncoding::Niche {
                offset,
                bits,
                untagged,
                first,
                last,
                niche_start,
            } => {
                let bits = bits as u32;
                let (address, align) = self.tag_address(op, &enumeration, offset)?;
                let ty = types::int(self.ctx(), bits).into();
                let tag = self.load(address, ty, align, false);
                let start = self.int(bits, u128::from(niche_start));
                let otherwise = self.int(width, discr(untagged));
                if first == last {
                    let hit = self.icmp(ICmpPredicateAttr::EQ, tag, start);
                    let value = self.int(width, discr(first));
                    self.select(hit, value, otherwise)
                } else {
                    let relative = self.wrapping::<SubOp>(tag, start, PLAIN);
                    let span = self.int(bits, u128::from(last - first));
                    let hit = self.icmp(ICmpPredicateAttr::ULE, relative, span);
                    let plain = (first..=last).all(|variant| discr(variant) == u128::from(variant));
                    let value = if plain {
                        let relative = self.resize(relative, bits, width, false);
                        let base = self.int(width, u128::from(first));
                        self.wrapping::<AddOp>(relative, base, PLAIN)
                    } else {
                        let mut value = self.int(width, discr(first));
                        for variant in first + 1..=last {
                            let index = self.int(bits, u128::from(variant - first));
                            let this = self.icmp(ICmpPredicateAttr::EQ, relative, index);
                            let discr = self.int(width, discr(variant));
                            value = self.select(this, discr, value);
                        }
                        value
                    };
                    self.select(hit, value, otherwise)
                }
            }
        };
        self.define(op, value);
        Ok(())
    }

    pub fn set_discriminant(&mut self, op: Ptr<Operation>) -> Result<()> {
        let set = Operation::get_op::<m::SetDiscriminantOp>(op, self.ctx());
        let known = set.and_then(|set| Some((set.enum_type(self.ctx())?, set.variant(self.ctx()))));
        let Some((enumeration, variant)) = known else {
            return Err(op_error(self.ctx(), op, "the enum is known whole"));
        };
        let (offset, bits, value) = match enumeration.tag {
            TagEncoding::Single { .. } => return Ok(()),
            TagEncoding::Direct { offset, bits } => {
                let discr = enumeration
                    .variants
                    .get(variant as usize)
                    .map_or(0, |variant| variant.discr);
                (offset, bits, u128::from(discr))
            }
            TagEncoding::Niche { untagged, .. } if variant == untagged => return Ok(()),
            TagEncoding::Niche {
                offset,
                bits,
                first,
                niche_start,
                ..
            } => {
                let value = u128::from(niche_start)
                    .wrapping_add(u128::from(variant))
                    .wrapping_sub(u128::from(first));
                (offset, bits, value)
            }
        };
        let (address, align) = self.tag_address(op, &enumeration, offset)?;
        let value = self.int(bits as u32, value);
        self.store(value, address, align, false);
        Ok(())
    }
}
