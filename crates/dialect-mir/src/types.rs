//! The seven types, each with rustc's own layout.
//!
//! Behind a pointer a struct or enum is *opaque*: only its name. So types are plain values even where Rust's are
//! recursive, and [`pointee_matches`] is the rule by which a full type fits an opaque pointee.

use pliron::{
    builtin::types::{FP16Type, FP32Type, FP64Type, IntegerType, Signedness},
    common_traits::Verify,
    context::Context,
    derive::{format, pliron_type},
    result::Result,
    r#type::{Type, TypeHandle, TypedHandle},
    verify_err_noloc,
};

use crate::errors::MirVerifyErr;

/// Size, alignment and field offsets in bytes, as rustc laid the type out. `opaque`: only the name is known here.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
#[format("`{` $size `,` $align `,[` vec($offsets, Char(`,`)) `],` $opaque `}`")]
pub struct Layout {
    pub size: u64,
    pub align: u64,
    /// One for each field, in declaration order.
    pub offsets: Vec<u64>,
    pub opaque: bool,
}

impl Layout {
    /// A layout that is known.
    pub fn new(size: u64, align: u64, offsets: Vec<u64>) -> Self {
        Layout {
            size,
            align,
            offsets,
            opaque: false,
        }
    }

    /// The layout of a type that is only named.
    pub fn opaque() -> Self {
        Layout {
            size: 0,
            align: 1,
            offsets: vec![],
            opaque: true,
        }
    }

    fn check(&self, fields: usize) -> Result<()> {
        if self.opaque {
            if fields != 0 || !self.offsets.is_empty() {
                return verify_err_noloc!(MirVerifyErr::Layout("an opaque type has no fields"));
            }
            return Ok(());
        }
        if self.offsets.len() != fields {
            return verify_err_noloc!(MirVerifyErr::Layout("one offset for each field"));
        }
        if !self.align.is_power_of_two() {
            return verify_err_noloc!(MirVerifyErr::Layout("the alignment is a power of two"));
        }
        if self.offsets.iter().any(|o| *o > self.size) {
            return verify_err_noloc!(MirVerifyErr::Layout("a field begins inside the type"));
        }
        Ok(())
    }
}

/// A Rust tuple. The empty tuple is the unit type.
#[pliron_type(
    name = "mir.tuple",
    generate_get = true,
    format = "`<[` vec($elems, CharSpace(`,`)) `] ` $layout `>`"
)]
#[derive(Hash, PartialEq, Eq, Debug, Clone)]
pub struct TupleType {
    pub elems: Vec<TypeHandle>,
    pub layout: Layout,
}

impl Verify for TupleType {
    fn verify(&self, _ctx: &Context) -> Result<()> {
        self.layout.check(self.elems.len())
    }
}

impl TupleType {
    /// The result of a checked operation on `int`: `(int, bool)` with the layout that rustc gives that pair.
    pub fn checked(ctx: &Context, int: TypedHandle<IntegerType>) -> TypedHandle<Self> {
        let bytes = u64::from(int.deref(ctx).width()).div_ceil(8);
        let bool_ty = bool_type(ctx);
        TupleType::get(
            ctx,
            vec![int.into(), bool_ty.into()],
            Layout::new(2 * bytes, bytes, vec![0, bytes]),
        )
    }
}

/// A thin pointer or reference. `mutable` is Rust's; `addrspace` is NVPTX's: 0 generic, 1 global, 3 shared,
/// 4 constant, 5 local.
#[pliron_type(
    name = "mir.ptr",
    generate_get = true,
    format = "`<` $pointee `, ` $mutable `, ` $addrspace `>`",
    verifier = "succ"
)]
#[derive(Hash, PartialEq, Eq, Debug, Clone)]
pub struct PtrType {
    pub pointee: TypeHandle,
    pub mutable: bool,
    pub addrspace: u32,
}

/// `[elem; len]`, elements `stride` bytes apart.
#[pliron_type(
    name = "mir.array",
    generate_get = true,
    format = "`<` $elem `, ` $len `, ` $stride `, ` $align `>`",
    verifier = "succ"
)]
#[derive(Hash, PartialEq, Eq, Debug, Clone)]
pub struct ArrayType {
    pub elem: TypeHandle,
    pub len: u64,
    pub stride: u64,
    pub align: u64,
}

/// A struct, union (all offsets 0) or closure, by its Rust name, fields in declaration order.
#[pliron_type(
    name = "mir.struct",
    generate_get = true,
    format = "`<` $name `, [` vec($fields, CharSpace(`,`)) `] ` $layout `>`"
)]
#[derive(Hash, PartialEq, Eq, Debug, Clone)]
pub struct StructType {
    pub name: String,
    pub fields: Vec<TypeHandle>,
    pub layout: Layout,
}

impl Verify for StructType {
    fn verify(&self, _ctx: &Context) -> Result<()> {
        self.layout.check(self.fields.len())
    }
}

impl StructType {
    /// The type as it stands behind a pointer: a name.
    pub fn opaque(ctx: &Context, name: impl Into<String>) -> TypedHandle<Self> {
        StructType::get(ctx, name.into(), vec![], Layout::opaque())
    }
}

/// A wide pointer to a slice (`&[T]`, `*mut [T]`, `&str` with `i8`): pointer and `i64` length. Two words in memory.
/// Fields for `mir.extract_field`: 0 the pointer (`mir.ptr<elem>`), 1 the length.
#[pliron_type(
    name = "mir.slice",
    generate_get = true,
    format = "`<` $elem `, ` $mutable `, ` $addrspace `>`",
    verifier = "succ"
)]
#[derive(Hash, PartialEq, Eq, Debug, Clone)]
pub struct SliceType {
    pub elem: TypeHandle,
    pub mutable: bool,
    pub addrspace: u32,
}

/// The parameter type of a kernel that takes a `DisjointSlice<T>`: a `(pointer, i64)` pair whose elements no other
/// thread touches. Fields as [`SliceType`]'s; the pointer is mutable.
#[pliron_type(
    name = "mir.disjoint_slice",
    generate_get = true,
    format = "`<` $elem `>`",
    verifier = "succ"
)]
#[derive(Hash, PartialEq, Eq, Debug, Clone)]
pub struct DisjointSliceType {
    pub elem: TypeHandle,
}

/// One variant: name, discriminant value (its bits, truncated to the discriminant type), fields with their offsets
/// from the enum's own address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[format(
    "`{` $name `,` $discr `,[` vec($fields, CharSpace(`,`)) `],[` vec($offsets, Char(`,`)) `]}`"
)]
pub struct Variant {
    pub name: String,
    pub discr: u64,
    pub fields: Vec<TypeHandle>,
    pub offsets: Vec<u64>,
}

/// How the active variant is told from memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[format]
pub enum TagEncoding {
    /// Only variant `variant` can exist; there is no tag.
    Single { variant: u64 },
    /// An integer of `bits` bits at `offset` holds the variant's discriminant value.
    Direct { offset: u64, bits: u64 },
    /// An integer of `bits` bits at `offset` (a pointer counts as one) belongs to variant `untagged`; the values
    /// `niche_start + k` (wrapping in `bits`) for `k` in `0 ..= last - first` mean variant `first + k`.
    Niche {
        offset: u64,
        bits: u64,
        untagged: u64,
        first: u64,
        last: u64,
        niche_start: u64,
    },
}

/// A Rust enum. `discr_bits` and `discr_signed` describe the type of its discriminant (`isize` unless `repr` says other).
#[pliron_type(
    name = "mir.enum",
    generate_get = true,
    format = "`<` $name `, [` vec($variants, CharSpace(`,`)) `] ` $layout ` ` $tag `, ` $discr_bits `, ` $discr_signed `>`"
)]
#[derive(Hash, PartialEq, Eq, Debug, Clone)]
pub struct EnumType {
    pub name: String,
    pub variants: Vec<Variant>,
    /// Size and alignment; no offsets (each variant has its own).
    pub layout: Layout,
    pub tag: TagEncoding,
    pub discr_bits: u64,
    pub discr_signed: bool,
}

impl Verify for EnumType {
    fn verify(&self, _ctx: &Context) -> Result<()> {
        self.layout.check(0)?;
        if self.layout.opaque {
            return Ok(());
        }
        if self
            .variants
            .iter()
            .any(|v| v.fields.len() != v.offsets.len())
        {
            return verify_err_noloc!(MirVerifyErr::Layout("one offset for each field"));
        }
        let n = self.variants.len() as u64;
        let ok = match self.tag {
            TagEncoding::Single { variant } => variant < n || n == 0,
            TagEncoding::Direct { offset, bits } => offset + bits / 8 <= self.layout.size,
            TagEncoding::Niche {
                offset,
                bits,
                untagged,
                first,
                last,
                ..
            } => offset + bits / 8 <= self.layout.size && untagged < n && first <= last && last < n,
        };
        if !ok {
            return verify_err_noloc!(MirVerifyErr::Layout(
                "the tag lies in the enum and names its variants"
            ));
        }
        Ok(())
    }
}

impl EnumType {
    /// The type as it stands behind a pointer: a name.
    pub fn opaque(ctx: &Context, name: impl Into<String>) -> TypedHandle<Self> {
        EnumType::get(
            ctx,
            name.into(),
            vec![],
            Layout::opaque(),
            TagEncoding::Single { variant: 0 },
            64,
            true,
        )
    }
}

/// `i1`.
pub fn bool_type(ctx: &Context) -> TypedHandle<IntegerType> {
    int_type(ctx, 1)
}

/// The signless integer of `bits` bits.
pub fn int_type(ctx: &Context, bits: u32) -> TypedHandle<IntegerType> {
    IntegerType::get(ctx, bits, Signedness::Signless)
}

/// The unit type.
pub fn unit_type(ctx: &Context) -> TypedHandle<TupleType> {
    TupleType::get(ctx, vec![], Layout::new(0, 1, vec![]))
}

/// `ty` as it stands behind a pointer (structs and enums by name only).
pub fn shallow(ctx: &Context, ty: TypeHandle) -> TypeHandle {
    if let Some(s) = as_type::<StructType>(ctx, ty) {
        StructType::opaque(ctx, s.name).into()
    } else if let Some(e) = as_type::<EnumType>(ctx, ty) {
        EnumType::opaque(ctx, e.name).into()
    } else if let Some(a) = as_type::<ArrayType>(ctx, ty) {
        ArrayType::get(ctx, shallow(ctx, a.elem), a.len, a.stride, a.align).into()
    } else if let Some(t) = as_type::<TupleType>(ctx, ty) {
        let elems = t.elems.iter().map(|e| shallow(ctx, *e)).collect();
        TupleType::get(ctx, elems, t.layout).into()
    } else {
        ty
    }
}

/// May a value of type `value` lie where a pointer says `pointee`?
pub fn pointee_matches(ctx: &Context, pointee: TypeHandle, value: TypeHandle) -> bool {
    pointee == value || shallow(ctx, pointee) == shallow(ctx, value)
}

/// A copy of the type's data if `ty` is a `T`.
pub fn as_type<T: Type + Clone>(ctx: &Context, ty: TypeHandle) -> Option<T> {
    ty.deref(ctx).downcast_ref::<T>().cloned()
}

/// The width if `ty` is an integer.
pub fn int_width(ctx: &Context, ty: TypeHandle) -> Option<u32> {
    ty.deref(ctx)
        .downcast_ref::<IntegerType>()
        .map(IntegerType::width)
}

/// The width if `ty` is a float.
pub fn float_width(ctx: &Context, ty: TypeHandle) -> Option<u32> {
    let t = ty.deref(ctx);
    if t.is::<FP16Type>() {
        Some(16)
    } else if t.is::<FP32Type>() {
        Some(32)
    } else if t.is::<FP64Type>() {
        Some(64)
    } else {
        None
    }
}

/// Is it a thin pointer?
pub fn is_ptr(ctx: &Context, ty: TypeHandle) -> bool {
    ty.deref(ctx).is::<PtrType>()
}

/// Is it a wide pointer to a slice?
pub fn is_slice(ctx: &Context, ty: TypeHandle) -> bool {
    ty.deref(ctx).is::<SliceType>()
}

/// Integers, floats, thin and wide pointers: what `mir.load` and `mir.store` move and `mem2reg` promotes.
pub fn is_scalar_like(ctx: &Context, ty: TypeHandle) -> bool {
    int_width(ctx, ty).is_some()
        || float_width(ctx, ty).is_some()
        || is_ptr(ctx, ty)
        || is_slice(ctx, ty)
}

/// Size and alignment in bytes of a type in memory; `None` for an opaque one or a type of another dialect.
pub fn size_align(ctx: &Context, ty: TypeHandle) -> Option<(u64, u64)> {
    if let Some(w) = int_width(ctx, ty).or_else(|| float_width(ctx, ty)) {
        let bytes = u64::from(w).div_ceil(8).next_power_of_two();
        return Some((bytes, bytes));
    }
    if is_ptr(ctx, ty) {
        return Some((8, 8));
    }
    if is_slice(ctx, ty) || ty.deref(ctx).is::<DisjointSliceType>() {
        return Some((16, 8));
    }
    if let Some(a) = as_type::<ArrayType>(ctx, ty) {
        return Some((a.stride.checked_mul(a.len)?, a.align));
    }
    let layout = if let Some(t) = as_type::<TupleType>(ctx, ty) {
        t.layout
    } else if let Some(s) = as_type::<StructType>(ctx, ty) {
        s.layout
    } else {
        as_type::<EnumType>(ctx, ty)?.layout
    };
    (!layout.opaque).then_some((layout.size, layout.align))
}
