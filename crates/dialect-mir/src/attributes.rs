//! Attributes of this dialect, and the keys under which operations hold them.
//!
//! A key means the same on every operation that has it.

use pliron::{
    attribute::Attribute,
    builtin::attributes::IntegerAttr,
    context::{Context, Ptr},
    derive::{format, pliron_attr},
    dict_key,
    identifier::Identifier,
    operation::Operation,
};

dict_key!(/// `BoolAttr`: are the integer operands signed?
    SIGNED, "mir_signed");
dict_key!(/// `BoolAttr` true: the operation does not wrap (in the sense of `mir_signed`); if it would, behaviour is undefined.
    NOWRAP, "mir_nowrap");
dict_key!(/// `IntegerAttr`: the value of `mir.constant`, the bits of `mir.float_constant`.
    VALUE, "mir_value");
dict_key!(/// `TypeAttr`: the type that lies in memory (alloca, assign), or the enum (discriminants).
    ELEM_TYPE, "mir_elem_type");
dict_key!(/// `U64Attr`: alignment in bytes.
    ALIGN, "mir_align");
dict_key!(/// `U64Attr`: size in bytes.
    SIZE, "mir_size");
dict_key!(/// `U64Attr`: byte offset from the base address.
    OFFSET, "mir_offset");
dict_key!(/// `U64Attr`: distance of elements in bytes.
    STRIDE, "mir_stride");
dict_key!(/// `U64Attr`: index of a field.
    INDEX, "mir_index");
dict_key!(/// `U64Attr`: index of an enum's variant.
    VARIANT, "mir_variant");
dict_key!(/// `BoolAttr` true: a volatile access.
    VOLATILE, "mir_volatile");
dict_key!(/// `BoolAttr`: the value that `mir.assert`'s condition must have.
    EXPECTED, "mir_expected");
dict_key!(/// `PanicSiteAttr`.
    PANIC, "mir_panic");
dict_key!(/// `CasesAttr`: the case values of `mir.switch`.
    CASES, "mir_cases");
dict_key!(/// `TypeAttr`: a `builtin.function` type with at most one result.
    FUNC_TYPE, "mir_func_type");
dict_key!(/// `UnitAttr`: this function is a kernel.
    KERNEL, "mir_kernel");
dict_key!(/// `ParamsAttr`: what is known of each parameter.
    PARAMS, "mir_params");
dict_key!(/// `StringAttr`: the symbol that is called, or whose address is taken.
    SYMBOL, "mir_symbol");
dict_key!(/// `StringAttr`: the Rust name (of a function, variable).
    RUST_NAME, "mir_rust_name");
dict_key!(/// `CastKindAttr`.
    CAST_KIND, "mir_cast_kind");
dict_key!(/// `IntrinsicAttr`.
    INTRINSIC, "mir_intrinsic");
dict_key!(/// `AtomicAttr`.
    ATOMIC, "mir_atomic");
dict_key!(/// `GlobalAttr`.
    GLOBAL, "mir_global");
dict_key!(/// `LaunchBoundsAttr`.
    LAUNCH_BOUNDS, "mir_launch_bounds");
dict_key!(/// `InlineAttr`.
    INLINE, "mir_inline");
dict_key!(/// `PtxAsmAttr`.
    PTX_ASM, "mir_ptx_asm");

/// An unsigned number (a size, an index, an offset).
#[pliron_attr(name = "mir.u64", format = "$0", verifier = "succ")]
#[derive(PartialEq, Eq, Clone, Copy, Debug, Hash)]
pub struct U64Attr(pub u64);

/// Where and with which words a panic is reported. `template` is in the form that the host formats (ARCHITECTURE.md,
/// Panics): `{0}` unsigned, `{0:i}` signed, `{0:f}` f64 bits, `{0:c}` char. The arguments are `i64` operands.
#[pliron_attr(
    name = "mir.panic_site",
    format = "`<` $template `, ` $file `, ` $line `, ` $column `>`",
    verifier = "succ"
)]
#[derive(PartialEq, Eq, Clone, Debug, Hash)]
pub struct PanicSiteAttr {
    pub template: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// Case values of a switch, one for each successor after the default.
#[pliron_attr(
    name = "mir.cases",
    format = "`[` vec($0, CharSpace(`,`)) `]`",
    verifier = "succ"
)]
#[derive(PartialEq, Eq, Clone, Debug, Hash)]
pub struct CasesAttr(pub Vec<IntegerAttr>);

/// What is known of a parameter, for LLVM's parameter attributes. Zero `align`/`dereferenceable`/`byval`/`sret`: not said.
#[derive(PartialEq, Eq, Clone, Debug, Hash, Default)]
#[format(
    "`{` $name `,` $noalias `,` $readonly `,` $nonnull `,` $align `,` $dereferenceable `,` $byval `,` $sret `}`"
)]
pub struct Param {
    /// The Rust argument's name, or empty.
    pub name: String,
    pub noalias: bool,
    pub readonly: bool,
    pub nonnull: bool,
    /// Alignment in bytes of what the pointer (of a slice: of the elements) points to.
    pub align: u64,
    /// Bytes that may be read through the pointer.
    pub dereferenceable: u64,
    /// The pointer is the address of a by-value aggregate of this size.
    pub byval: u64,
    /// The pointer is where the result of this size goes.
    pub sret: u64,
}

/// One [`Param`] for each parameter of a `mir.func`.
#[pliron_attr(
    name = "mir.params",
    format = "`[` vec($0, CharSpace(`,`)) `]`",
    verifier = "succ"
)]
#[derive(PartialEq, Eq, Clone, Debug, Hash)]
pub struct ParamsAttr(pub Vec<Param>);

/// What `mir.cast` does. Names say source and destination; widths are the types'.
#[pliron_attr(name = "mir.cast_kind", format, verifier = "succ")]
#[derive(PartialEq, Eq, Clone, Copy, Debug, Hash)]
pub enum CastKindAttr {
    /// Integer to a narrower integer: the low bits.
    Trunc,
    /// Unsigned (or `bool`, `char`) integer to a wider one.
    ZExt,
    /// Signed integer to a wider one.
    SExt,
    /// Unsigned integer to float, round to nearest even.
    UIntToFloat,
    /// Signed integer to float, round to nearest even.
    SIntToFloat,
    /// Float to unsigned integer as Rust's `as`: towards zero, saturating, NaN is 0.
    FloatToUInt,
    /// Float to signed integer as Rust's `as`: towards zero, saturating, NaN is 0.
    FloatToSInt,
    /// Between float widths, round to nearest even.
    FloatToFloat,
    /// Thin pointer to thin pointer of the same address space: the address stays.
    PtrToPtr,
    /// Pointer to an integer of 64 bits.
    PtrToInt,
    /// Integer of 64 bits to pointer.
    IntToPtr,
    /// Between address spaces (to or from generic).
    AddrSpace,
    /// The same bits as another scalar of the same size (float, integer; pointer and integer of 64 bits too).
    Bitcast,
    /// Wide pointer to a wide pointer with other element type, same words.
    SliceToSlice,
}

/// What `mir.intrinsic` computes. `iN`: any integer; `fN`: f16, f32, f64. Result type is the operands' unless said.
#[pliron_attr(name = "mir.intrinsic_kind", format, verifier = "succ")]
#[derive(PartialEq, Eq, Clone, Copy, Debug, Hash)]
pub enum IntrinsicAttr {
    /// `(iN)`: number of one bits.
    Ctpop,
    /// `(iN)`: leading zeros; N for 0.
    Ctlz,
    /// `(iN)`: trailing zeros; N for 0.
    Cttz,
    /// `(iN)`: bytes reversed.
    Bswap,
    /// `(iN)`: bits reversed.
    Bitreverse,
    /// `(iN, iN)`: rotate left by the second, modulo N.
    RotateLeft,
    /// `(iN, iN)`: rotate right by the second, modulo N.
    RotateRight,
    /// `(iN, iN)` with `mir_signed`.
    SaturatingAdd,
    /// `(iN, iN)` with `mir_signed`.
    SaturatingSub,
    /// `(iN, iN)` with `mir_signed`.
    IntMin,
    /// `(iN, iN)` with `mir_signed`.
    IntMax,
    /// `(iN, iN)` with `mir_signed`: -1, 0 or 1 as `i8` (MIR's `Cmp`).
    ThreeWay,
    /// `(fN)`, exact.
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// Half away from zero.
    Round,
    /// Half to even.
    RoundTiesEven,
    Fabs,
    /// `(fN, fN)`: magnitude of the first, sign of the second.
    Copysign,
    /// `(fN, fN)` as `f32::min`: the other one if one is NaN.
    MinNum,
    /// `(fN, fN)` as `f32::max`: the other one if one is NaN.
    MaxNum,
    /// `(fN, fN)` as `f32::minimum`: NaN if one is NaN, -0 below +0.
    Minimum,
    /// `(fN, fN)` as `f32::maximum`.
    Maximum,
    /// `(fN, fN, fN)`: one rounding.
    Fma,
}

/// Memory order of Rust and C++.
#[derive(PartialEq, Eq, Clone, Copy, Debug, Hash)]
#[format]
pub enum Ordering {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// What a read-modify-write does with the old and the given value. Integers unless the name begins with F.
#[derive(PartialEq, Eq, Clone, Copy, Debug, Hash)]
#[format]
pub enum RmwKind {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    SMax,
    SMin,
    UMax,
    UMin,
}

/// Order (and, for a compare-exchange, order on failure) of an atomic access. Scope is the system's, as Rust's is.
#[pliron_attr(
    name = "mir.atomic",
    format = "`<` $success `, ` $failure `, ` $kind `>`",
    verifier = "succ"
)]
#[derive(PartialEq, Eq, Clone, Copy, Debug, Hash)]
pub struct AtomicAttr {
    pub success: Ordering,
    /// For compare-exchange; else the same as `success`.
    pub failure: Ordering,
    /// For read-modify-write; else `Xchg`.
    pub kind: RmwKind,
}

/// An address inside a global's bytes.
#[derive(PartialEq, Eq, Clone, Debug, Hash)]
#[format("`{` $offset `,` $symbol `,` $addend `}`")]
pub struct Relocation {
    /// Where the 8 bytes of the address lie (the bytes there are zero).
    pub offset: u64,
    /// A `mir.global` or `mir.func` of the module.
    pub symbol: String,
    pub addend: u64,
}

/// The contents of a `mir.global`: bytes as hexadecimal text (empty: not initialised), relocations, alignment.
#[pliron_attr(
    name = "mir.global_data",
    format = "`<` $size `, ` $align `, ` $addrspace `, ` $mutable `, ` $hex `, [` vec($relocations, CharSpace(`,`)) `]>`",
    verifier = "succ"
)]
#[derive(PartialEq, Eq, Clone, Debug, Hash)]
pub struct GlobalAttr {
    pub size: u64,
    pub align: u64,
    /// 1 global, 3 shared, 4 constant.
    pub addrspace: u32,
    pub mutable: bool,
    /// `2 * size` hexadecimal digits, or empty: zero for address space 1 and 4, undefined for 3.
    pub hex: String,
    pub relocations: Vec<Relocation>,
}

impl GlobalAttr {
    /// The initial bytes, if there are any.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        if self.hex.is_empty() {
            return None;
        }
        (0..self.hex.len() / 2)
            .map(|i| u8::from_str_radix(self.hex.get(2 * i..2 * i + 2)?, 16).ok())
            .collect()
    }

    /// `bytes` in the form of `hex`.
    pub fn to_hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }
}

/// `#[launch_bounds]` and `#[cluster_launch]`; 0: not said.
#[pliron_attr(
    name = "mir.launch_bounds",
    format = "`<` $max_threads `, ` $min_blocks `, ` $cluster_x `, ` $cluster_y `, ` $cluster_z `>`",
    verifier = "succ"
)]
#[derive(PartialEq, Eq, Clone, Copy, Debug, Hash, Default)]
pub struct LaunchBoundsAttr {
    pub max_threads: u32,
    pub min_blocks: u32,
    pub cluster_x: u32,
    pub cluster_y: u32,
    pub cluster_z: u32,
}

/// What the source says about inlining.
#[pliron_attr(name = "mir.inline", format, verifier = "succ")]
#[derive(PartialEq, Eq, Clone, Copy, Debug, Hash)]
pub enum InlineAttr {
    Always,
    Hint,
    Never,
}

/// Inline PTX: template and constraints in LLVM's syntax.
#[pliron_attr(
    name = "mir.ptx_asm_text",
    format = "`<` $template `, ` $constraints `, ` $side_effects `, ` $convergent `>`",
    verifier = "succ"
)]
#[derive(PartialEq, Eq, Clone, Debug, Hash)]
pub struct PtxAsmAttr {
    pub template: String,
    pub constraints: String,
    pub side_effects: bool,
    pub convergent: bool,
}

/// A copy of attribute `key` of `op`, if it is there and is a `T`.
pub fn get<T: Attribute + Clone>(ctx: &Context, op: Ptr<Operation>, key: &Identifier) -> Option<T> {
    op.deref(ctx).attributes.get::<T>(key).cloned()
}

/// Set attribute `key` of `op`.
pub fn set<T: Attribute>(ctx: &Context, op: Ptr<Operation>, key: &Identifier, value: T) {
    op.deref_mut(ctx).attributes.set(key.clone(), value);
}
