//! What a layout is.

use rustc_mir::ty::Ty;

/// The layout of one type, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub size: u64,
    pub align: u64,
    pub abi: Abi,
    /// No value of the type exists (`!`, an enum without variants, a struct that holds one).
    pub uninhabited: bool,
    /// For structs, tuples, closures, arrays excepted: the fields by the index that MIR prints (`.0`, `.1`), so in
    /// declaration order, whatever their order in memory. For an enum: empty, see [`Variant::fields`]. For a union: all
    /// at offset 0.
    pub fields: Vec<FieldLayout>,
    pub variants: Variants,
}

/// How rustc holds a value of the type when it is not in memory. This is what the Rust ABI starts from: a scalar and each
/// half of a pair is passed as such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Abi {
    /// Size 0.
    Zst,
    Scalar(Scalar),
    /// Two scalars, the second at `second_offset`.
    ScalarPair {
        first: Scalar,
        second: Scalar,
        second_offset: u64,
    },
    Memory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// Size in bytes.
    Int {
        size: u64,
        signed: bool,
    },
    Float {
        size: u64,
    },
    Pointer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldLayout {
    pub offset: u64,
    /// The field's name in the source, where the source of the layout tells it (`x`, `__0`).
    pub name: Option<String>,
    /// The size, where the source of the layout tells it.
    pub size: Option<u64>,
    /// The type, where the layout's source tells it in a form that can be read.
    pub ty: Option<Ty>,
}

/// Which variants there are and how a value says which one it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variants {
    /// Not an enum, or an enum whose only possible variant has this index: nothing is stored.
    Single { index: u32 },
    /// The tag is the discriminant, stored as an integer.
    Tagged { tag: Tag, variants: Vec<Variant> },
    /// The tag is a field of the `untagged_variant` that has unused values. A value `v` of that field in
    /// `niche_start .. niche_start + (niche_variants.1 - niche_variants.0 + 1)` (wrapping, in the tag's size) means the
    /// variant `v - niche_start + niche_variants.0`; any other value means `untagged_variant`.
    Niche {
        tag: Tag,
        untagged_variant: u32,
        /// Inclusive range of variant indices.
        niche_variants: (u32, u32),
        niche_start: u128,
        variants: Vec<Variant>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag {
    pub offset: u64,
    /// In bytes.
    pub size: u64,
    /// The tag is a pointer (a niche in a reference); its null value is the number 0.
    pub is_pointer: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    pub name: String,
    /// The discriminant as Rust's `as` gives it, in the low bits of the discriminant type (`isize` unless there is a
    /// `repr`): negative ones are sign-extended to 128 bits.
    pub discriminant: i128,
    /// Offsets are from the start of the enum.
    pub fields: Vec<FieldLayout>,
    pub uninhabited: bool,
}

impl Layout {
    /// The variants, if this is an enum with a choice.
    pub fn variants(&self) -> &[Variant] {
        match &self.variants {
            Variants::Single { .. } => &[],
            Variants::Tagged { variants, .. } | Variants::Niche { variants, .. } => variants,
        }
    }

    /// The fields of a variant by index; for a type without a choice, of the type.
    pub fn variant_fields(&self, index: u32) -> Option<&[FieldLayout]> {
        match &self.variants {
            Variants::Single { index: i } => (*i == index).then_some(&self.fields[..]),
            _ => self.variants().get(index as usize).map(|v| &v.fields[..]),
        }
    }
}
