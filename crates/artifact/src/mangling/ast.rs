//! What a symbol says, with back references expanded.

pub(super) enum Path {
    /// `C`
    Crate { dis: u64, name: Ident },
    /// `M`: `<T>`
    Inherent { impl_path: ImplPath, ty: Type },
    /// `X`: `<T as Trait>` in an impl
    TraitImpl {
        impl_path: ImplPath,
        ty: Type,
        tr: Box<Path>,
    },
    /// `Y`: `<T as Trait>` in the trait's definition
    TraitDef { ty: Type, tr: Box<Path> },
    /// `N`
    Nested {
        ns: u8,
        parent: Box<Path>,
        dis: u64,
        name: Ident,
    },
    /// `I`
    Generic { path: Box<Path>, args: Vec<Arg> },
}

pub(super) struct ImplPath {
    pub dis: u64,
    pub path: Box<Path>,
}

#[derive(PartialEq, Eq)]
pub(super) struct Ident {
    pub punycode: bool,
    /// As in the symbol.
    pub bytes: String,
}

pub(super) enum Arg {
    Lifetime(u64),
    Type(Type),
    Const(Const),
}

pub(super) enum Type {
    Basic(u8),
    Path(Box<Path>),
    Array(Box<Type>, Const),
    Slice(Box<Type>),
    Tuple(Vec<Type>),
    /// `tag` is `R` or `Q`.
    Ref {
        tag: u8,
        lifetime: Option<u64>,
        ty: Box<Type>,
    },
    /// `tag` is `P` or `O`.
    Ptr {
        tag: u8,
        ty: Box<Type>,
    },
    Fn(Box<FnSig>),
    Dyn {
        binder: u64,
        traits: Vec<DynTrait>,
        lifetime: u64,
    },
    Pattern(Box<Type>, Pattern),
}

pub(super) struct FnSig {
    /// Number of bound lifetimes.
    pub binder: u64,
    pub unsafety: bool,
    pub abi: Option<Abi>,
    pub inputs: Vec<Type>,
    pub output: Type,
}

pub(super) enum Abi {
    C,
    Named(Ident),
}

pub(super) struct DynTrait {
    pub path: Path,
    pub bindings: Vec<(Ident, Term)>,
}

pub(super) enum Term {
    Type(Type),
    Const(Const),
}

pub(super) enum Pattern {
    Range(Const, Const),
    Or(Vec<Pattern>),
    NotNull,
}

pub(super) enum Const {
    /// `p`
    Placeholder,
    /// Integers, `bool`, `char`: the basic type, the sign, hexadecimal digits.
    Value {
        ty: u8,
        negative: bool,
        hex: String,
    },
    /// `e`: the bytes of a `str`, in hexadecimal.
    Str(String),
    /// `R` or `Q`.
    Ref {
        tag: u8,
        value: Box<Const>,
    },
    Array(Vec<Const>),
    Tuple(Vec<Const>),
    Adt {
        path: Box<Path>,
        fields: Fields,
    },
}

pub(super) enum Fields {
    Unit,
    Tuple(Vec<Const>),
    Named(Vec<(u64, Ident, Const)>),
}
