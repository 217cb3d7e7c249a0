//! Aggregates (8), enums (3), and our additions `mir.construct_slice`, `mir.set_discriminant`.

use pliron::{
    builtin::{attr_interfaces::TypedAttrInterface, attributes::TypeAttr},
    common_traits::Verify,
    context::Context,
    op::Op,
    result::Result,
    r#type::{TypeHandle, Typed},
    value::Value,
};

use super::{Check, mir_op, pure};
use crate::{
    attributes::{self, ELEM_TYPE, INDEX, OFFSET, STRIDE, U64Attr, VARIANT},
    errors::MirVerifyErr,
    types::{
        ArrayType, DisjointSliceType, EnumType, PtrType, SliceType, StructType, TupleType, as_type,
        int_type, int_width, pointee_matches, shallow,
    },
};

/// The types of the fields that `mir.extract_field` can take from a value of type `ty`.
pub fn field_types(ctx: &Context, ty: TypeHandle) -> Option<Vec<TypeHandle>> {
    let i64_ty = || int_type(ctx, 64).into();
    if let Some(t) = as_type::<TupleType>(ctx, ty) {
        Some(t.elems)
    } else if let Some(s) = as_type::<StructType>(ctx, ty) {
        Some(s.fields)
    } else if let Some(s) = as_type::<SliceType>(ctx, ty) {
        Some(vec![
            PtrType::get(ctx, s.elem, s.mutable, s.addrspace).into(),
            i64_ty(),
        ])
    } else {
        let s = as_type::<DisjointSliceType>(ctx, ty)?;
        Some(vec![PtrType::get(ctx, s.elem, true, 0).into(), i64_ty()])
    }
}

fn index_of(ctx: &Context, op: &dyn Op) -> u64 {
    attributes::get::<U64Attr>(ctx, op.get_operation(), &INDEX).map_or(0, |i| i.0)
}

fn check_field(c: &Check, fields: &[TypeHandle], found: TypeHandle) -> Result<()> {
    let index: U64Attr = c.attr(&INDEX, "mir_index")?;
    match fields.get(index.0 as usize) {
        None => c.fail(MirVerifyErr::FieldOutOfBounds {
            index: index.0,
            count: fields.len(),
        }),
        Some(f) => c.ensure(
            *f == found,
            MirVerifyErr::FieldTypeMismatch(index.0 as usize),
        ),
    }
}

mir_op!(
    /// Field `mir_index` of a tuple, struct, slice or disjoint slice *value*.
    ///
    /// One operand, one result of the field's type.
    ExtractFieldOp = "mir.extract_field"
);
pure!(ExtractFieldOp);

impl ExtractFieldOp {
    /// Panics if the value's type has no such field.
    pub fn new(ctx: &mut Context, value: Value, index: u64) -> Self {
        let fields = field_types(ctx, value.get_type(ctx)).expect("a value with fields");
        let op = Self::build(ctx, vec![fields[index as usize]], vec![value]);
        attributes::set(ctx, op.get_operation(), &INDEX, U64Attr(index));
        op
    }

    /// Which field.
    pub fn index(&self, ctx: &Context) -> u64 {
        index_of(ctx, self)
    }
}

impl Verify for ExtractFieldOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(1, 1)?;
        match field_types(ctx, c.operand(0)) {
            Some(fields) => check_field(&c, &fields, c.result(0)),
            None => c.fail(MirVerifyErr::OperandType(0, "a tuple, struct or slice")),
        }
    }
}

mir_op!(
    /// The tuple, struct or slice value with field `mir_index` replaced.
    ///
    /// | operand | |
    /// |---|---|
    /// | `aggregate` | tuple, struct or slice |
    /// | `value` | the field's type |
    ///
    /// One result of the aggregate's type.
    InsertFieldOp = "mir.insert_field"
);
pure!(InsertFieldOp);

impl InsertFieldOp {
    /// `aggregate` with `value` in field `index`.
    pub fn new(ctx: &mut Context, aggregate: Value, value: Value, index: u64) -> Self {
        let ty = aggregate.get_type(ctx);
        let op = Self::build(ctx, vec![ty], vec![aggregate, value]);
        attributes::set(ctx, op.get_operation(), &INDEX, U64Attr(index));
        op
    }

    /// Which field.
    pub fn index(&self, ctx: &Context) -> u64 {
        index_of(ctx, self)
    }
}

impl Verify for InsertFieldOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(2, 1)?;
        c.ensure(c.result(0) == c.operand(0), MirVerifyErr::ResultTypeDiffers)?;
        match field_types(ctx, c.operand(0)) {
            Some(fields) => check_field(&c, &fields, c.operand(1)),
            None => c.fail(MirVerifyErr::OperandType(0, "a tuple, struct or slice")),
        }
    }
}

fn check_construct(c: &Check, fields: Option<Vec<TypeHandle>>, what: &'static str) -> Result<()> {
    let Some(fields) = fields else {
        return c.fail(MirVerifyErr::ResultType(0, what));
    };
    c.shape(fields.len(), 1)?;
    for (i, f) in fields.iter().enumerate() {
        c.ensure(c.operand(i) == *f, MirVerifyErr::FieldTypeMismatch(i))?;
    }
    Ok(())
}

macro_rules! construct {
    ($(#[$meta:meta])* $name:ident = $id:literal, $fields:expr, $what:literal) => {
        mir_op!(
            $(#[$meta])*
            $name = $id
        );
        pure!($name);

        impl $name {
            /// A value of type `ty` from its fields.
            pub fn new(ctx: &mut Context, ty: TypeHandle, fields: Vec<Value>) -> Self {
                Self::build(ctx, vec![ty], fields)
            }
        }

        impl Verify for $name {
            fn verify(&self, ctx: &Context) -> Result<()> {
                let c = Check { ctx, op: self.get_operation() };
                let n = self.get_operation().deref(ctx).get_num_results();
                c.ensure(n == 1, MirVerifyErr::ResultCount { expected: 1, found: n })?;
                let fields: fn(&Context, TypeHandle) -> Option<Vec<TypeHandle>> = $fields;
                check_construct(&c, fields(ctx, c.result(0)), $what)
            }
        }
    };
}

construct!(
    /// A struct value. Operands: the fields in declaration order. One result: `mir.struct`.
    ConstructStructOp = "mir.construct_struct",
    |ctx, ty| as_type::<StructType>(ctx, ty).map(|s| s.fields),
    "a struct"
);
construct!(
    /// A tuple value. Operands: the elements. One result: `mir.tuple`.
    ConstructTupleOp = "mir.construct_tuple",
    |ctx, ty| as_type::<TupleType>(ctx, ty).map(|t| t.elems),
    "a tuple"
);
construct!(
    /// An array value. Operands: the elements. One result: `mir.array`.
    ConstructArrayOp = "mir.construct_array",
    |ctx, ty| as_type::<ArrayType>(ctx, ty).map(|a| vec![a.elem; a.len as usize]),
    "an array"
);
construct!(
    /// *Ours.* A wide pointer. Operands: the pointer and the `i64` length. One result: `mir.slice`.
    ConstructSliceOp = "mir.construct_slice",
    |ctx, ty| as_type::<SliceType>(ctx, ty).and_then(|_| field_types(ctx, ty)),
    "a slice"
);

mir_op!(
    /// An element of an array *value*.
    ///
    /// | operand | |
    /// |---|---|
    /// | `array` | `mir.array` |
    /// | `index` | i64, below the length |
    ///
    /// One result: the element.
    ExtractArrayElementOp = "mir.extract_array_element"
);
pure!(ExtractArrayElementOp);

impl ExtractArrayElementOp {
    /// Panics if `array` is no array.
    pub fn new(ctx: &mut Context, array: Value, index: Value) -> Self {
        let ty = as_type::<ArrayType>(ctx, array.get_type(ctx))
            .expect("an array")
            .elem;
        Self::build(ctx, vec![ty], vec![array, index])
    }
}

impl Verify for ExtractArrayElementOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(2, 1)?;
        let Some(array) = as_type::<ArrayType>(ctx, c.operand(0)) else {
            return c.fail(MirVerifyErr::OperandType(0, "an array"));
        };
        c.ensure(
            int_width(ctx, c.operand(1)) == Some(64),
            MirVerifyErr::OperandType(1, "i64"),
        )?;
        c.ensure(c.result(0) == array.elem, MirVerifyErr::ResultTypeDiffers)
    }
}

mir_op!(
    /// The address of a field: `mir_offset` bytes (rustc's layout) from the base address. `mir_index` and, inside an
    /// enum, `mir_variant` say which field, for readers.
    ///
    /// One operand: the aggregate's address. One result: a pointer to the field, same address space.
    FieldAddrOp = "mir.field_addr"
);
pure!(FieldAddrOp);

impl FieldAddrOp {
    /// `base + offset`, as a pointer to `field` (kept shallow). Panics if `base` is no pointer.
    pub fn new(
        ctx: &mut Context,
        base: Value,
        field: TypeHandle,
        index: u64,
        offset: u64,
        variant: Option<u64>,
    ) -> Self {
        let ptr = as_type::<PtrType>(ctx, base.get_type(ctx)).expect("a pointer");
        let field = shallow(ctx, field);
        let ty = PtrType::get(ctx, field, ptr.mutable, ptr.addrspace);
        let op = Self::build(ctx, vec![ty.into()], vec![base]);
        attributes::set(ctx, op.get_operation(), &INDEX, U64Attr(index));
        attributes::set(ctx, op.get_operation(), &OFFSET, U64Attr(offset));
        if let Some(v) = variant {
            attributes::set(ctx, op.get_operation(), &VARIANT, U64Attr(v));
        }
        op
    }

    /// Bytes from the base.
    pub fn offset(&self, ctx: &Context) -> u64 {
        attributes::get::<U64Attr>(ctx, self.get_operation(), &OFFSET).map_or(0, |o| o.0)
    }
}

impl Verify for FieldAddrOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(1, 1)?;
        let base = c.ptr(0)?;
        let offset: U64Attr = c.attr(&OFFSET, "mir_offset")?;
        let index: U64Attr = c.attr(&INDEX, "mir_index")?;
        let Some(to) = as_type::<PtrType>(ctx, c.result(0)) else {
            return c.fail(MirVerifyErr::ResultType(0, "a pointer"));
        };
        c.ensure(
            to.addrspace == base.addrspace,
            MirVerifyErr::ResultType(0, "in the base's address space"),
        )?;
        // A base whose fields are known must have this one, there.
        let known = if let Some(t) = as_type::<TupleType>(ctx, base.pointee) {
            Some((t.elems, t.layout))
        } else {
            as_type::<StructType>(ctx, base.pointee).map(|s| (s.fields, s.layout))
        };
        if let Some((fields, layout)) = known.filter(|(_, l)| !l.opaque) {
            let i = index.0 as usize;
            c.ensure(
                i < fields.len(),
                MirVerifyErr::FieldOutOfBounds {
                    index: index.0,
                    count: fields.len(),
                },
            )?;
            c.ensure(
                layout.offsets[i] == offset.0 && pointee_matches(ctx, to.pointee, fields[i]),
                MirVerifyErr::FieldTypeMismatch(i),
            )?;
        }
        Ok(())
    }
}

mir_op!(
    /// The address of an element: `index * mir_stride` bytes from the base.
    ///
    /// | operand | |
    /// |---|---|
    /// | `base` | address of an array or of a slice's first element |
    /// | `index` | i64, unsigned, in bounds |
    ///
    /// One result: a pointer to the element, same address space.
    ArrayElementAddrOp = "mir.array_element_addr"
);
pure!(ArrayElementAddrOp);

impl ArrayElementAddrOp {
    /// `base + index * stride`, as a pointer to `elem` (kept shallow). Panics if `base` is no pointer.
    pub fn new(
        ctx: &mut Context,
        base: Value,
        index: Value,
        elem: TypeHandle,
        stride: u64,
    ) -> Self {
        let ptr = as_type::<PtrType>(ctx, base.get_type(ctx)).expect("a pointer");
        let elem = shallow(ctx, elem);
        let ty = PtrType::get(ctx, elem, ptr.mutable, ptr.addrspace);
        let op = Self::build(ctx, vec![ty.into()], vec![base, index]);
        attributes::set(ctx, op.get_operation(), &STRIDE, U64Attr(stride));
        op
    }

    /// Distance of elements in bytes.
    pub fn stride(&self, ctx: &Context) -> u64 {
        attributes::get::<U64Attr>(ctx, self.get_operation(), &STRIDE).map_or(0, |s| s.0)
    }
}

impl Verify for ArrayElementAddrOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(2, 1)?;
        let base = c.ptr(0)?;
        c.ensure(
            int_width(ctx, c.operand(1)) == Some(64),
            MirVerifyErr::OperandType(1, "i64"),
        )?;
        let stride: U64Attr = c.attr(&STRIDE, "mir_stride")?;
        let to = as_type::<PtrType>(ctx, c.result(0));
        c.ensure(
            to.as_ref().is_some_and(|t| t.addrspace == base.addrspace),
            MirVerifyErr::ResultType(0, "a pointer in the base's address space"),
        )?;
        if let (Some(a), Some(to)) = (as_type::<ArrayType>(ctx, base.pointee), to) {
            let fits = a.stride == stride.0 && pointee_matches(ctx, to.pointee, a.elem);
            c.ensure(fits, MirVerifyErr::PointeeMismatch)?;
        }
        Ok(())
    }
}

fn enum_of(c: &Check) -> Result<EnumType> {
    let ty: TypeAttr = c.attr(&ELEM_TYPE, "mir_elem_type")?;
    match as_type::<EnumType>(c.ctx, TypedAttrInterface::get_type(&ty, c.ctx)) {
        Some(e) if !e.layout.opaque => Ok(e),
        _ => c.fail(MirVerifyErr::MissingAttribute("mir_elem_type")),
    }
}

fn variant_of(c: &Check, e: &EnumType) -> Result<usize> {
    let v: U64Attr = c.attr(&VARIANT, "mir_variant")?;
    let count = e.variants.len();
    c.ensure(
        (v.0 as usize) < count,
        MirVerifyErr::VariantOutOfBounds { index: v.0, count },
    )?;
    Ok(v.0 as usize)
}

mir_op!(
    /// The discriminant *value* (`Variant::discr`) of the enum at an address, read by its tag encoding.
    ///
    /// One operand: the enum's address. One result: an integer of the enum's `discr_bits`. Attribute `mir_elem_type`: the
    /// `mir.enum`, whole.
    GetDiscriminantOp = "mir.get_discriminant"
);

impl GetDiscriminantOp {
    /// Of the enum of type `ty` at `address`. Panics if `ty` is no enum.
    pub fn new(ctx: &mut Context, address: Value, ty: TypeHandle) -> Self {
        let e = as_type::<EnumType>(ctx, ty).expect("an enum");
        let int = int_type(ctx, e.discr_bits as u32);
        let op = Self::build(ctx, vec![int.into()], vec![address]);
        attributes::set(ctx, op.get_operation(), &ELEM_TYPE, TypeAttr::new(ty));
        op
    }

    /// The enum.
    pub fn enum_type(&self, ctx: &Context) -> Option<EnumType> {
        as_type(ctx, super::memory::elem_type(ctx, self.get_operation())?)
    }
}

impl Verify for GetDiscriminantOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(1, 1)?;
        c.ptr(0)?;
        let e = enum_of(&c)?;
        c.ensure(
            int_width(ctx, c.result(0)).map(u64::from) == Some(e.discr_bits),
            MirVerifyErr::ResultType(0, "the discriminant's type"),
        )
    }
}

mir_op!(
    /// *Ours.* Write the tag that makes variant `mir_variant` the active one (nothing, for an untagged variant of a niche
    /// encoding or a single-variant enum). The payload is left as it is.
    ///
    /// One operand: the enum's address. No result. Attribute `mir_elem_type`: the `mir.enum`, whole.
    SetDiscriminantOp = "mir.set_discriminant"
);

impl SetDiscriminantOp {
    /// For the enum of type `ty` at `address`.
    pub fn new(ctx: &mut Context, address: Value, ty: TypeHandle, variant: u64) -> Self {
        let op = Self::build(ctx, vec![], vec![address]);
        attributes::set(ctx, op.get_operation(), &ELEM_TYPE, TypeAttr::new(ty));
        attributes::set(ctx, op.get_operation(), &VARIANT, U64Attr(variant));
        op
    }

    /// The enum.
    pub fn enum_type(&self, ctx: &Context) -> Option<EnumType> {
        as_type(ctx, super::memory::elem_type(ctx, self.get_operation())?)
    }

    /// The variant's index.
    pub fn variant(&self, ctx: &Context) -> u64 {
        attributes::get::<U64Attr>(ctx, self.get_operation(), &VARIANT).map_or(0, |v| v.0)
    }
}

impl Verify for SetDiscriminantOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(1, 0)?;
        c.ptr(0)?;
        let e = enum_of(&c)?;
        variant_of(&c, &e).map(|_| ())
    }
}

mir_op!(
    /// An enum *value* of variant `mir_variant`. Operands: the variant's fields. One result: `mir.enum`.
    ConstructEnumOp = "mir.construct_enum"
);
pure!(ConstructEnumOp);

impl ConstructEnumOp {
    /// Variant `variant` of enum `ty`.
    pub fn new(ctx: &mut Context, ty: TypeHandle, variant: u64, fields: Vec<Value>) -> Self {
        let op = Self::build(ctx, vec![ty], fields);
        attributes::set(ctx, op.get_operation(), &VARIANT, U64Attr(variant));
        op
    }
}

impl Verify for ConstructEnumOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        let n = self.get_operation().deref(ctx).get_num_results();
        c.ensure(
            n == 1,
            MirVerifyErr::ResultCount {
                expected: 1,
                found: n,
            },
        )?;
        let Some(e) = as_type::<EnumType>(ctx, c.result(0)) else {
            return c.fail(MirVerifyErr::ResultType(0, "an enum"));
        };
        let v = variant_of(&c, &e)?;
        check_construct(&c, Some(e.variants[v].fields.clone()), "an enum")
    }
}

mir_op!(
    /// Field `mir_index` of variant `mir_variant` of an enum *value*; the variant is the active one.
    ///
    /// One operand: the enum. One result: the field.
    EnumPayloadOp = "mir.enum_payload"
);
pure!(EnumPayloadOp);

impl EnumPayloadOp {
    /// Panics if there is no such field.
    pub fn new(ctx: &mut Context, value: Value, variant: u64, index: u64) -> Self {
        let e = as_type::<EnumType>(ctx, value.get_type(ctx)).expect("an enum");
        let ty = e.variants[variant as usize].fields[index as usize];
        let op = Self::build(ctx, vec![ty], vec![value]);
        attributes::set(ctx, op.get_operation(), &VARIANT, U64Attr(variant));
        attributes::set(ctx, op.get_operation(), &INDEX, U64Attr(index));
        op
    }
}

impl Verify for EnumPayloadOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(1, 1)?;
        let Some(e) = as_type::<EnumType>(ctx, c.operand(0)) else {
            return c.fail(MirVerifyErr::OperandType(0, "an enum"));
        };
        let v = variant_of(&c, &e)?;
        check_field(&c, &e.variants[v].fields, c.result(0))
    }
}
