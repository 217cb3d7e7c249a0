//! Constants in LLVM's text.

use crate::{ExportError, Exporter, Result, push};
use dialect_llvm::{
    attributes::SymbolOffsetAttr,
    llvm::attributes::{
        AggregateAttr, BytesAttr, PoisonAttr, SplatAttr, SymbolAddrAttr, UndefAttr, ZeroAttr,
    },
    llvm::types::{ArrayType, StructLayout, StructType, VectorType},
};
use pliron::{
    attribute::{Attribute, attr_cast},
    builtin::{
        attr_interfaces::{FloatAttr, TypedAttrInterface},
        attributes::{FPBFloatAttr, FPDoubleAttr, FPHalfAttr, FPSingleAttr, IntegerAttr},
    },
    utils::apfloat::Float,
};

impl Exporter<'_> {
    /// The constant's text, without its type.
    pub(crate) fn constant(&self, value: &dyn Attribute) -> Result<String> {
        let ctx = self.ctx;
        let unknown = || ExportError::Constant(value.disp(ctx).to_string());
        if let Some(int) = value.downcast_ref::<IntegerAttr>() {
            let bits = int.value();
            if int.get_type().deref(ctx).width() == 1 {
                let set = bits
                    .zext(std::num::NonZero::new(8).expect("not zero"))
                    .to_u8()
                    != 0;
                return Ok(if set { "true" } else { "false" }.to_string());
            }
            return Ok(bits.to_string_decimal(true));
        }
        // LLVM reads a `float` as the double of the same value, in hexadecimal; so every bit survives.
        if let Some(single) = value.downcast_ref::<FPSingleAttr>() {
            let bits = single.0.to_bits() as u32;
            return Ok(single_literal(bits));
        }
        if let Some(double) = value.downcast_ref::<FPDoubleAttr>() {
            return Ok(format!("0x{:016X}", double.0.to_bits() as u64));
        }
        if let Some(half) = value.downcast_ref::<FPHalfAttr>() {
            return Ok(format!("0xH{:04X}", half.0.to_bits() as u16));
        }
        if let Some(bfloat) = value.downcast_ref::<FPBFloatAttr>() {
            return Ok(format!("0xR{:04X}", bfloat.0.to_bits() as u16));
        }
        if attr_cast::<dyn FloatAttr>(value).is_some() {
            return Err(unknown());
        }
        if let Some(symbol) = value.downcast_ref::<SymbolAddrAttr>() {
            return Ok(self.symbol(symbol.symbol().as_ref()));
        }
        if let Some(offset) = value.downcast_ref::<SymbolOffsetAttr>() {
            let symbol = self.symbol(offset.symbol.as_ref());
            let address = match offset.address_space {
                0 => symbol,
                space => format!("addrspacecast (ptr addrspace({space}) {symbol} to ptr)"),
            };
            return Ok(match offset.addend {
                0 => address,
                addend => format!("getelementptr (i8, ptr {address}, i64 {})", addend as i64),
            });
        }
        if let Some(bytes) = value.downcast_ref::<BytesAttr>() {
            let mut text = String::from("c\"");
            for byte in bytes.as_ref() {
                match byte {
                    b' '..=b'~' if *byte != b'"' && *byte != b'\\' => text.push(*byte as char),
                    _ => push(&mut text, format_args!("\\{byte:02X}")),
                }
            }
            text.push('"');
            return Ok(text);
        }
        if value.is::<ZeroAttr>() {
            return Ok("zeroinitializer".to_string());
        }
        if value.is::<UndefAttr>() {
            return Ok("undef".to_string());
        }
        if value.is::<PoisonAttr>() {
            return Ok("poison".to_string());
        }
        if let Some(splat) = value.downcast_ref::<SplatAttr>() {
            return Ok(format!("splat ({})", self.typed_constant(splat.element())?));
        }
        if let Some(aggregate) = value.downcast_ref::<AggregateAttr>() {
            let elements = aggregate
                .elements()
                .iter()
                .map(|element| self.typed_constant(&**element))
                .collect::<Result<Vec<_>>>()?
                .join(", ");
            let ty = aggregate.ty().deref(ctx);
            return Ok(if ty.is::<ArrayType>() {
                format!("[{elements}]")
            } else if ty.is::<VectorType>() {
                format!("<{elements}>")
            } else {
                match ty.downcast_ref::<StructType>().map(StructType::layout) {
                    Some(StructLayout::Packed) => format!("<{{ {elements} }}>"),
                    Some(StructLayout::Unpacked) => format!("{{ {elements} }}"),
                    None => return Err(unknown()),
                }
            });
        }
        Err(unknown())
    }

    /// Type and constant.
    fn typed_constant(&self, value: &dyn TypedAttrInterface) -> Result<String> {
        let ty = self.ty(value.get_type(self.ctx))?;
        let attribute: &dyn Attribute = value;
        Ok(format!("{ty} {}", self.constant(attribute)?))
    }
}

/// A `float` in LLVM's text.
fn single_literal(bits: u32) -> String {
    let sign = u64::from(bits >> 31) << 63;
    let exponent = (bits >> 23) & 0xff;
    let fraction = u64::from(bits & 0x7f_ffff);
    let wide = if exponent == 0xff {
        // Infinities and NaNs by bits: a conversion would make a signalling NaN quiet.
        sign | 0x7ff << 52 | fraction << 29
    } else {
        f64::from(f32::from_bits(bits)).to_bits()
    };
    format!("0x{wide:016X}")
}

#[cfg(test)]
mod tests {
    use super::single_literal;

    #[test]
    fn floats_keep_every_bit() {
        assert_eq!(single_literal(1.0f32.to_bits()), "0x3FF0000000000000");
        assert_eq!(single_literal((-0.0f32).to_bits()), "0x8000000000000000");
        assert_eq!(single_literal(1), "0x36A0000000000000");
        assert_eq!(
            single_literal(f32::INFINITY.to_bits()),
            "0x7FF0000000000000"
        );
        assert_eq!(single_literal(0x7fa0_0001), "0x7FF4000020000000");
    }
}
