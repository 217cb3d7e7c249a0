//! Types of `dialect-mir` as values in LLVM.
//!
//! Only scalars and wide pointers go to and from memory; aggregates in memory are bytes at offsets. An aggregate *value* is a struct
//! of its fields in declaration order, whatever its layout in memory.

use crate::{LowerError, Result};
use dialect_llvm::llvm::types::{
    ArrayType as LlvmArray, PointerType, StructLayout, StructType as LlvmStruct,
};
use dialect_mir::types::{
    ArrayType, DisjointSliceType, EnumType, PtrType, SliceType, StructType, TupleType, as_type,
    float_width, int_width,
};
use pliron::{
    builtin::types::{IntegerType, Signedness},
    context::Context,
    printable::Printable,
    r#type::{TypeHandle, TypedHandle},
};

/// The integer of `bits` bits.
pub(crate) fn int(ctx: &Context, bits: u32) -> TypedHandle<IntegerType> {
    IntegerType::get(ctx, bits, Signedness::Signless)
}

/// A pointer.
pub(crate) fn ptr(ctx: &Context, space: u32) -> TypeHandle {
    PointerType::get(ctx, space).into()
}

/// `[bytes x i8]`.
pub(crate) fn bytes(ctx: &Context, bytes: u64) -> TypeHandle {
    let byte = int(ctx, 8).into();
    LlvmArray::get(ctx, byte, bytes).into()
}

/// An unnamed struct.
pub(crate) fn structure(ctx: &Context, fields: Vec<TypeHandle>) -> TypeHandle {
    LlvmStruct::get_unnamed(ctx, (fields, StructLayout::Unpacked)).into()
}

/// The type of a value.
pub(crate) fn lower(ctx: &Context, ty: TypeHandle) -> Result<TypeHandle> {
    if int_width(ctx, ty).is_some() || float_width(ctx, ty).is_some() {
        return Ok(ty);
    }
    if let Some(pointer) = as_type::<PtrType>(ctx, ty) {
        return Ok(ptr(ctx, pointer.addrspace));
    }
    if let Some(slice) = as_type::<SliceType>(ctx, ty) {
        let words = vec![ptr(ctx, slice.addrspace), int(ctx, 64).into()];
        return Ok(structure(ctx, words));
    }
    if as_type::<DisjointSliceType>(ctx, ty).is_some() {
        return Ok(structure(ctx, vec![ptr(ctx, 0), int(ctx, 64).into()]));
    }
    if let Some(array) = as_type::<ArrayType>(ctx, ty) {
        let element = lower(ctx, array.elem)?;
        return Ok(LlvmArray::get(ctx, element, array.len).into());
    }
    let fields = if let Some(tuple) = as_type::<TupleType>(ctx, ty) {
        tuple.elems
    } else if let Some(structure) = as_type::<StructType>(ctx, ty) {
        if structure.layout.opaque {
            return Err(LowerError::Type(
                ty.disp(ctx).to_string(),
                "a value has a type with fields",
            ));
        }
        structure.fields
    } else if let Some(enumeration) = as_type::<EnumType>(ctx, ty) {
        // Every variant's fields side by side: which variant it is, the readers know.
        enumeration
            .variants
            .into_iter()
            .flat_map(|variant| variant.fields)
            .collect()
    } else {
        return Err(LowerError::Type(
            ty.disp(ctx).to_string(),
            "it is not a type of dialect-mir",
        ));
    };
    let fields = fields
        .into_iter()
        .map(|field| lower(ctx, field))
        .collect::<Result<Vec<_>>>()?;
    Ok(structure(ctx, fields))
}

/// Is it a pair that a function takes as two parameters?
pub(crate) fn is_pair(ctx: &Context, ty: TypeHandle) -> bool {
    ty.deref(ctx).is::<SliceType>() || ty.deref(ctx).is::<DisjointSliceType>()
}
