//! Types and paths as rustc prints them.
//!
//! What is printed is kept, except lifetimes: `'_`, `'a`, `for<'a>` and lifetime bounds are read and dropped, so that two
//! printings of one type that differ in lifetimes alone are equal. Printed names are *not* identities (see
//! [`Path`]); nothing here resolves them.

use std::fmt;

use crate::span::Span;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ty {
    Bool,
    Char,
    Str,
    /// `!`
    Never,
    Int(IntTy),
    Uint(UintTy),
    Float(FloatTy),
    /// A named type: struct, enum, union, foreign type, or a type parameter. The text does not tell these apart: see
    /// [`Ty::as_maybe_param`].
    Path(Path),
    /// `<T as Trait>::Assoc`, an associated type that rustc did not normalise (the body is generic), or that has a
    /// [`Root::Qualified`] for another reason.
    Projection(Path),
    /// `&T`, `&mut T`
    Ref(Mutability, Box<Ty>),
    /// `*const T`, `*mut T`
    RawPtr(Mutability, Box<Ty>),
    /// `[T]`
    Slice(Box<Ty>),
    /// `[T; N]`
    Array(Box<Ty>, Box<ConstArg>),
    /// `()`, `(A,)`, `(A, B)`
    Tuple(Vec<Ty>),
    /// `unsafe extern "C" fn(A, ...) -> R`: a function pointer.
    FnPtr(Box<FnSig>),
    /// `fn(A) -> R {path::<X>}`: the zero-sized type of one function (or tuple-like constructor).
    FnDef(Box<FnSig>, Box<Path>),
    /// `{closure@a.rs:1:2: 3:4}`, coroutines alike.
    Closure(Box<ClosureTy>),
    /// `dyn A + B`
    Dyn(Vec<Bound>),
    /// `impl A + B`: an opaque type, or the anonymous parameter of an `impl Trait` argument.
    Impl(Vec<Bound>),
    /// `(u32) is 1..`, a pattern type: the base type and the pattern's text.
    Pattern(Box<Ty>, String),
    /// `unsafe<'a> T`
    UnsafeBinder(Box<Ty>),
    /// `_`
    Infer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntTy {
    I8,
    I16,
    I32,
    I64,
    I128,
    Isize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UintTy {
    U8,
    U16,
    U32,
    U64,
    U128,
    Usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatTy {
    F16,
    F32,
    F64,
    F128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mutability {
    Not,
    Mut,
}

/// The signature in a function pointer's or function item's type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FnSig {
    pub inputs: Vec<Ty>,
    /// Ends in `...`.
    pub c_variadic: bool,
    /// `()` where no `->` is printed.
    pub output: Ty,
    pub is_unsafe: bool,
    /// `None` is the Rust ABI, `Some("C")`, `Some("rust-intrinsic")`…
    pub abi: Option<String>,
}

/// `{closure@…}` and its relatives.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClosureTy {
    /// What stands before the `@`: `closure`, `coroutine`, `async closure`, `async block`, `async fn body`, …
    pub kind: String,
    pub at: ClosureAt,
}

/// Where a closure's type says it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ClosureAt {
    /// `{closure@a.rs:1:2: 3:4}`. Neither the generic arguments of the parent nor which of a macro's closures is told.
    Span(Span),
    /// `{closure@std::iter::Iterator::for_each::call<(), {closure@a.rs:1:2: 3:4}>::{closure#0}}`
    Path(Path),
    /// `{async fn body of f()}`: what follows ` of `, as printed.
    Of(String),
}

/// One bound of `dyn` or `impl`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bound {
    /// `""`, `"?"`, `"~const "`, `"async "`…
    pub modifier: String,
    pub path: Path,
}

/// A path as printed. Two different items can print the same path, and one item can print several (a definition prints
/// its crate-relative path, a call the visible one): the path is a name to look for, not an identity.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    pub root: Root,
    pub segments: Vec<Segment>,
}

/// What a path starts from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Root {
    /// Nothing printed: the first segment is a crate's name (`std`), or a name in the crate that is compiled.
    Plain,
    /// `<T as Trait>::…`, or `<T>::…` without a trait (inherent items of types that are not paths).
    Qualified {
        self_ty: Box<Ty>,
        trait_: Option<Box<Path>>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Segment {
    pub name: SegmentName,
    /// Generic arguments, lifetimes dropped; empty when none are printed.
    pub args: Vec<GenericArg>,
    /// How many lifetimes were dropped.
    pub lifetimes: Lifetimes,
    /// `Fn(A, B) -> R`: printed in parentheses. The inputs are then in `args[..n]` as one tuple type and the output as
    /// an `Output` binding.
    pub parenthesized: bool,
}

/// A number of lifetimes, which does not take part in comparisons: rustc prints `Iter<'_, u8>` here and `Iter<u8>` there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lifetimes(pub u8);

impl PartialEq for Lifetimes {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Lifetimes {}

impl std::hash::Hash for Lifetimes {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

impl PartialOrd for Lifetimes {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Lifetimes {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SegmentName {
    /// `foo`, `r#type`
    Ident(String),
    /// `{closure#0}`, `{constant#1}`, `{impl#3}`, `{opaque#0}`
    Numbered(String, u32),
    /// `<impl at a.rs:5:1: 5:15>`: in definitions.
    ImplAt(Span),
    /// `<impl [u32]>`, `<impl Trait for T>`: in uses.
    Impl {
        self_ty: Box<Ty>,
        trait_: Option<Box<Path>>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GenericArg {
    /// A type, or a constant parameter's bare name (`N`): the text does not tell these apart.
    Type(Ty),
    Const(ConstArg),
    /// `Item = T` of a trait object.
    Binding(Path, Box<GenericArg>),
}

/// A constant in a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConstArg {
    /// `4`, `4_usize`. Array lengths and arguments of any unsigned type.
    Uint(u128),
    /// `-4`: a printed minus sign; the value is negative.
    NegInt(i128),
    Bool(bool),
    Char(char),
    Str(String),
    /// A bare path: a constant parameter `N`, `Self::N`, `<T as Tr>::N`, `core::{constant#3}`.
    Path(Path),
    /// `_`
    Infer,
    /// Anything else, as printed (rustc prints source text of constants that it did not evaluate: `N * 2`, `{ N + 1 }`).
    Source(String),
}

impl Ty {
    pub fn unit() -> Ty {
        Ty::Tuple(Vec::new())
    }

    /// A name that may be a type parameter: one segment, no arguments. Whether it is one cannot be told from the text
    /// alone (a struct of the crate's root prints alike); the owner of layouts knows the names of types.
    pub fn as_maybe_param(&self) -> Option<&str> {
        match self {
            Ty::Path(p) => p.as_single_ident(),
            _ => None,
        }
    }

    /// Calls `f` on this type and on every type inside it (function signatures, paths' arguments, bounds), outermost first.
    pub fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Ty)) {
        f(self);
        match self {
            Ty::Bool
            | Ty::Char
            | Ty::Str
            | Ty::Never
            | Ty::Int(_)
            | Ty::Uint(_)
            | Ty::Float(_)
            | Ty::Infer => {}
            Ty::Path(p) | Ty::Projection(p) => p.walk(f),
            Ty::Ref(_, t)
            | Ty::RawPtr(_, t)
            | Ty::Slice(t)
            | Ty::Pattern(t, _)
            | Ty::UnsafeBinder(t) => t.walk(f),
            Ty::Array(t, n) => {
                t.walk(f);
                n.walk(f);
            }
            Ty::Tuple(ts) => ts.iter().for_each(|t| t.walk(f)),
            Ty::FnPtr(sig) => sig.walk(f),
            Ty::FnDef(sig, p) => {
                sig.walk(f);
                p.walk(f);
            }
            Ty::Closure(c) => {
                if let ClosureAt::Path(p) = &c.at {
                    p.walk(f)
                }
            }
            Ty::Dyn(bs) | Ty::Impl(bs) => bs.iter().for_each(|b| b.path.walk(f)),
        }
    }
}

impl FnSig {
    fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Ty)) {
        self.inputs.iter().for_each(|t| t.walk(f));
        self.output.walk(f);
    }
}

impl ConstArg {
    fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Ty)) {
        if let ConstArg::Path(p) = self {
            p.walk(f)
        }
    }

    /// The value of an array length, where it is printed as a number.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            ConstArg::Uint(n) => u64::try_from(*n).ok(),
            _ => None,
        }
    }
}

impl GenericArg {
    fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Ty)) {
        match self {
            GenericArg::Type(t) => t.walk(f),
            GenericArg::Const(c) => c.walk(f),
            GenericArg::Binding(p, a) => {
                p.walk(f);
                a.walk(f);
            }
        }
    }
}

impl Path {
    /// A path of one name without arguments.
    pub fn ident(name: impl Into<String>) -> Path {
        Path {
            root: Root::Plain,
            segments: vec![Segment {
                name: SegmentName::Ident(name.into()),
                args: Vec::new(),
                lifetimes: Lifetimes(0),
                parenthesized: false,
            }],
        }
    }

    pub fn as_single_ident(&self) -> Option<&str> {
        match (&self.root, &self.segments[..]) {
            (
                Root::Plain,
                [
                    Segment {
                        name: SegmentName::Ident(n),
                        args,
                        parenthesized: false,
                        ..
                    },
                ],
            ) if args.is_empty() => Some(n),
            _ => None,
        }
    }

    /// The last segment's plain name, if it has one.
    pub fn last_ident(&self) -> Option<&str> {
        match &self.segments.last()?.name {
            SegmentName::Ident(n) => Some(n),
            _ => None,
        }
    }

    /// The last segment's generic arguments.
    pub fn last_args(&self) -> &[GenericArg] {
        self.segments.last().map_or(&[], |s| &s.args)
    }

    /// The names alone, `a::b::c`, of a path that starts plainly and has only plain names; generic arguments are left
    /// out: for comparing with a known item (`std::intrinsics::copy`).
    pub fn plain_name(&self) -> Option<String> {
        if self.root != Root::Plain {
            return None;
        }
        let mut out = String::new();
        for s in &self.segments {
            let SegmentName::Ident(n) = &s.name else {
                return None;
            };
            if !out.is_empty() {
                out.push_str("::");
            }
            out.push_str(n);
        }
        Some(out)
    }

    /// Calls `f` on every type inside the path.
    pub fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Ty)) {
        if let Root::Qualified { self_ty, trait_ } = &self.root {
            self_ty.walk(f);
            if let Some(t) = trait_ {
                t.walk(f)
            }
        }
        for s in &self.segments {
            if let SegmentName::Impl { self_ty, trait_ } = &s.name {
                self_ty.walk(f);
                if let Some(t) = trait_ {
                    t.walk(f)
                }
            }
            s.args.iter().for_each(|a| a.walk(f));
        }
    }
}

impl IntTy {
    pub fn name(self) -> &'static str {
        match self {
            IntTy::I8 => "i8",
            IntTy::I16 => "i16",
            IntTy::I32 => "i32",
            IntTy::I64 => "i64",
            IntTy::I128 => "i128",
            IntTy::Isize => "isize",
        }
    }

    /// Bytes, for a target with 64-bit pointers.
    pub fn size(self) -> u64 {
        match self {
            IntTy::I8 => 1,
            IntTy::I16 => 2,
            IntTy::I32 => 4,
            IntTy::I64 | IntTy::Isize => 8,
            IntTy::I128 => 16,
        }
    }
}

impl UintTy {
    pub fn name(self) -> &'static str {
        match self {
            UintTy::U8 => "u8",
            UintTy::U16 => "u16",
            UintTy::U32 => "u32",
            UintTy::U64 => "u64",
            UintTy::U128 => "u128",
            UintTy::Usize => "usize",
        }
    }

    /// Bytes, for a target with 64-bit pointers.
    pub fn size(self) -> u64 {
        match self {
            UintTy::U8 => 1,
            UintTy::U16 => 2,
            UintTy::U32 => 4,
            UintTy::U64 | UintTy::Usize => 8,
            UintTy::U128 => 16,
        }
    }
}

impl FloatTy {
    pub fn name(self) -> &'static str {
        match self {
            FloatTy::F16 => "f16",
            FloatTy::F32 => "f32",
            FloatTy::F64 => "f64",
            FloatTy::F128 => "f128",
        }
    }

    /// Bytes.
    pub fn size(self) -> u64 {
        match self {
            FloatTy::F16 => 2,
            FloatTy::F32 => 4,
            FloatTy::F64 => 8,
            FloatTy::F128 => 16,
        }
    }
}

impl fmt::Display for Ty {
    /// Prints as rustc does in type position, lifetimes left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::print::ty(f, self)
    }
}

impl fmt::Display for Path {
    /// Prints as rustc does in value position: `a::b::<T>::c`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::print::path(f, self, crate::print::Position::Value)
    }
}

impl fmt::Display for GenericArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::print::generic_arg(f, self)
    }
}

impl fmt::Display for ConstArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::print::const_arg(f, self)
    }
}
