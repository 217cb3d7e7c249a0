//! The tree: what one body of a `.mir` file says, nothing resolved.
//!
//! Names follow `rustc_middle::mir`. Whatever rustc can print after its optimisations is here; what it prints only
//! before (false edges, fake reads, …) is read too, so that a dump of any phase is a tree.

use crate::span::Span;
pub use crate::ty::{Mutability, Path, Ty};

/// `_3`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local(pub u32);

/// `bb3`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// `scope 3`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub u32);

/// `alloc3`. Numbered for the whole crate, so for all of one `.mir` file; not the same in two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AllocId(pub u64);

/// One item with a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub kind: BodyKind,
    /// The item's path as its header prints it: no generic parameters, impls as `<impl at …>`. For a promoted, the path of
    /// the item that it belongs to.
    pub path: Path,
    /// The arguments are the locals `_1 ..= _arg_count`.
    pub arg_count: u32,
    /// Indexed by [`Local`]; `_0` is the return place.
    pub locals: Vec<LocalDecl>,
    /// Indexed by [`ScopeId`]; scope 0 is the item itself.
    pub scopes: Vec<Scope>,
    /// In printed order.
    pub debug: Vec<VarDebugInfo>,
    /// Indexed by [`BlockId`]; `bb0` is the entry. May be empty only for [`BodyKind::Value`].
    pub blocks: Vec<BasicBlock>,
    /// `const X: usize = const 3_usize;`: an item whose value is printed instead of blocks.
    pub value: Option<Const>,
    /// `yields T` of a coroutine.
    pub yield_ty: Option<Ty>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyKind {
    Fn,
    /// `const`, associated constants, anonymous constants (`X::{constant#0}`).
    Const,
    Static(Mutability),
    /// `const f::promoted[0]: &T`
    Promoted(u32),
}

#[derive(Clone, Debug, PartialEq)]
pub struct LocalDecl {
    pub ty: Ty,
    /// `let mut`. Arguments are not marked in the text; they are `Not`.
    pub mutability: Mutability,
    /// For arguments: scope 0, no span (the header has none; their `debug` line has).
    pub source: SourceInfo,
}

/// `// scope 3 at file:line:col: line:col`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceInfo {
    pub scope: ScopeId,
    /// `None`: printed `no-location`, or the file was printed without spans.
    pub span: Option<Span>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// `None` for scope 0.
    pub parent: Option<ScopeId>,
    /// Where this scope is the body of a call that was inlined.
    pub inlined: Option<Inlined>,
}

/// `(inlined #[track_caller] path::<T>) { // at file:1:2: 3:4`
#[derive(Clone, Debug, PartialEq)]
pub struct Inlined {
    pub callee: Callee,
    pub track_caller: bool,
    /// The call's position, in the parent scope.
    pub call_span: Option<Span>,
}

/// An instance as rustc prints it in scope headers.
#[derive(Clone, Debug, PartialEq)]
pub struct Callee {
    pub path: Path,
    /// ` - shim(…)`, ` - virtual#0`, …: what follows the path of an instance that is not a plain item.
    pub suffix: Option<String>,
}

/// `debug x => _3;`
#[derive(Clone, Debug, PartialEq)]
pub struct VarDebugInfo {
    pub name: String,
    /// `((x: T).0: U) => _3`: this entry says where a part of the variable is. The type of the whole variable and the
    /// part (projections are fields only).
    pub fragment: Option<Fragment>,
    pub value: VarDebugValue,
    pub source: SourceInfo,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Fragment {
    pub ty: Ty,
    pub projection: Vec<Projection>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum VarDebugValue {
    Place(Place),
    Const(Const),
}

#[derive(Clone, Debug, PartialEq)]
pub struct BasicBlock {
    pub is_cleanup: bool,
    pub statements: Vec<Statement>,
    pub terminator: Terminator,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub kind: StatementKind,
    pub source: SourceInfo,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `place = rvalue`
    Assign(Place, Rvalue),
    /// `discriminant(place) = 1`: the number is the variant's *index*, not its discriminant.
    SetDiscriminant(Place, u32),
    StorageLive(Local),
    StorageDead(Local),
    /// `assume(op)`
    Assume(Operand),
    /// `copy_nonoverlapping(dst = .., src = .., count = ..)`: `count` elements of the pointee.
    CopyNonOverlapping {
        dst: Operand,
        src: Operand,
        count: Operand,
    },
    /// `BackwardIncompatibleDropHint(_1)`: no effect when run.
    BackwardIncompatibleDropHint(Place),
    Nop,
    /// `// DBG: _8 = &place;`: nothing to run. From here on the debugger's local `_8`, whose assignment was optimised out, is
    /// the address of that place, or (`None`) has no value. Its [`SourceInfo`] is scope 0 without span.
    DebugAssign(Local, Option<Place>),
    ConstEvalCounter,
    Deinit(Place),
    /// `Retag([fn entry] _1)`
    Retag(String, Place),
    /// `PlaceMention(_1)`: no effect.
    PlaceMention(Place),
    /// `FakeRead(cause, _1)`, before borrow checking only.
    FakeRead(String, Place),
    /// `AscribeUserType(_1, variance, ty)`: the rest as text.
    AscribeUserType(Place, String),
    /// `Coverage::…`: the rest as text.
    Coverage(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Terminator {
    pub kind: TerminatorKind,
    pub source: SourceInfo,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TerminatorKind {
    Goto(BlockId),
    /// `switchInt(op) -> [0: bb1, 255: bb2, otherwise: bb3]`: values are the bits of the operand's type, zero-extended.
    SwitchInt {
        discr: Operand,
        targets: Vec<(u128, BlockId)>,
        otherwise: BlockId,
    },
    Return,
    Unreachable,
    /// `resume`
    UnwindResume,
    /// `terminate(abi)`, `terminate(cleanup)`
    UnwindTerminate(String),
    Drop {
        place: Place,
        target: BlockId,
        unwind: UnwindAction,
    },
    Call(Call),
    /// `tailcall f(args)`
    TailCall {
        func: Operand,
        args: Vec<Operand>,
    },
    Assert {
        cond: Operand,
        expected: bool,
        msg: AssertMessage,
        target: BlockId,
        unwind: UnwindAction,
    },
    InlineAsm(InlineAsm),
    /// `coroutine_drop`
    CoroutineDrop,
    /// `_1 = yield(op) -> [resume: bb1, drop: bb2]`
    Yield {
        value: Operand,
        resume_arg: Place,
        resume: BlockId,
        drop: Option<BlockId>,
    },
    /// `falseEdge -> [real: bb1, imaginary: bb2]`
    FalseEdge {
        real: BlockId,
        imaginary: BlockId,
    },
    /// `falseUnwind -> [real: bb1, unwind: bb2]`
    FalseUnwind {
        real: BlockId,
        unwind: UnwindAction,
    },
}

/// `dest = func(args) -> [return: bb1, unwind continue]`
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// A constant of kind [`ConstKind::Fn`] for a direct call, or a place that holds a function pointer.
    pub func: Operand,
    pub args: Vec<Operand>,
    pub destination: Place,
    /// `None`: does not return.
    pub target: Option<BlockId>,
    pub unwind: UnwindAction,
}

/// What an unwinding panic does here. With `panic=abort` it does not happen; std bodies still print it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnwindAction {
    Continue,
    Unreachable,
    /// `unwind terminate(cleanup)`
    Terminate(String),
    Cleanup(BlockId),
}

/// Why an `assert` fails: one for each message that rustc has.
#[derive(Clone, Debug, PartialEq)]
pub enum AssertMessage {
    BoundsCheck {
        len: Operand,
        index: Operand,
    },
    /// `Add`, `Sub`, `Mul`, `Div`, `Rem`, `Shl`, `Shr`: for shifts the only operand that is printed is the shift
    /// amount, in `right`.
    Overflow {
        op: BinOp,
        left: Option<Operand>,
        right: Operand,
    },
    /// "attempt to negate `{}`, which would overflow"
    OverflowNeg(Operand),
    DivisionByZero(Operand),
    RemainderByZero(Operand),
    MisalignedPointerDereference {
        required: Operand,
        found: Operand,
    },
    NullPointerDereference,
    InvalidEnumConstruction(Operand),
    /// "coroutine resumed after completion" and its relatives: the message.
    Resumed(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct InlineAsm {
    /// The template as printed (Rust-escaped text undone).
    pub template: String,
    pub operands: Vec<AsmOperand>,
    /// `PURE | NOMEM`, as printed.
    pub options: String,
    /// `return: bb1` first where it returns; then labels.
    pub targets: Vec<BlockId>,
    pub unwind: UnwindAction,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AsmOperand {
    In {
        reg: String,
        value: Operand,
    },
    Out {
        reg: String,
        late: bool,
        place: Option<Place>,
    },
    InOut {
        reg: String,
        late: bool,
        in_value: Operand,
        out_place: Option<Place>,
    },
    Const(Const),
    SymFn(Const),
    SymStatic(String),
    Label(u32),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Rvalue {
    Use(Operand),
    /// `[op; N]`
    Repeat(Operand, crate::ty::ConstArg),
    /// `&p`, `&mut p`, `&fake p`
    Ref(BorrowKind, Place),
    /// `&raw const p`, `&raw mut p`, `&raw const (fake) p`
    RawPtr(RawPtrKind, Place),
    /// `Len(p)`
    Len(Place),
    /// `op as T (Kind)`
    Cast(CastKind, Operand, Ty),
    BinaryOp(BinOp, Operand, Operand),
    UnaryOp(UnOp, Operand),
    /// `discriminant(p)`
    Discriminant(Place),
    NullaryOp(NullOp),
    /// `deref_copy p`
    CopyForDeref(Place),
    /// `&/*tls*/ path`
    ThreadLocalRef(Mutability, Path),
    /// `ShallowInitBox(op, T)`
    ShallowInitBox(Operand, Ty),
    /// `wrap_binder!(op; T)`
    WrapUnsafeBinder(Operand, Ty),
    Aggregate(Aggregate),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BorrowKind {
    Shared,
    Mut,
    /// `&fake `, `&fake shallow `
    Fake {
        shallow: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RawPtrKind {
    Const,
    Mut,
    /// `&raw const (fake) p`: made for the metadata alone.
    FakeForPtrMetadata,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastKind {
    PointerExposeProvenance,
    PointerWithExposedProvenance,
    IntToInt,
    FloatToInt,
    FloatToFloat,
    IntToFloat,
    PtrToPtr,
    FnPtrToPtr,
    Transmute,
    Subtype,
    /// `PointerCoercion(kind, source)`
    PointerCoercion(PointerCoercion, CoercionSource),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointerCoercion {
    /// `ReifyFnPointer`, in newer compilers with the target's safety: `ReifyFnPointer(Safe)`
    ReifyFnPointer,
    UnsafeFnPointer,
    /// `ClosureFnPointer(Safe)`
    ClosureFnPointer {
        is_unsafe: bool,
    },
    MutToConstPointer,
    ArrayToPointer,
    Unsize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CoercionSource {
    AsCast,
    Implicit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    Add,
    AddUnchecked,
    /// Result `(T, bool)`; the flag is to be computed whatever the overflow checks.
    AddWithOverflow,
    Sub,
    SubUnchecked,
    SubWithOverflow,
    Mul,
    MulUnchecked,
    MulWithOverflow,
    Div,
    Rem,
    BitXor,
    BitAnd,
    BitOr,
    /// The amount is taken modulo the bit width.
    Shl,
    ShlUnchecked,
    Shr,
    ShrUnchecked,
    Eq,
    Lt,
    Le,
    Ne,
    Ge,
    Gt,
    /// Three-way, result `Ordering`.
    Cmp,
    /// Pointer by a number of elements.
    Offset,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnOp {
    Not,
    Neg,
    PtrMetadata,
}

#[derive(Clone, Debug, PartialEq)]
pub enum NullOp {
    SizeOf(Ty),
    AlignOf(Ty),
    /// `OffsetOf(T, [(0, 1)])`: pairs of variant index and field index.
    OffsetOf(Ty, Vec<(u32, u32)>),
    UbChecks,
    ContractChecks,
    OverflowChecks,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Aggregate {
    /// `[a, b]`
    Array(Vec<Operand>),
    /// `()`, `(a, b)`
    Tuple(Vec<Operand>),
    /// `path(a, b)` or, without fields, `path`: a tuple-like struct or variant. (A unit value is more often a constant.)
    AdtTuple { path: Path, fields: Vec<Operand> },
    /// `path { x: a, y: b }`: a struct, variant or (one field) union, by the fields' names, in declaration order.
    AdtStruct {
        path: Path,
        fields: Vec<(String, Operand)>,
    },
    /// `{closure@…} { x: a, 1: b }`: captures in order; the names are those of the captured variables or numbers.
    Closure {
        ty: Ty,
        fields: Vec<(String, Operand)>,
        identity: Option<ClosureIdentity>,
    },
    /// `*const [T] from (a, b)`
    RawPtr {
        pointee: Ty,
        mutability: Mutability,
        data: Operand,
        metadata: Operand,
    },
}

/// What the comment below a closure's construction says: the one place in the text where two closures of one macro differ.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClosureIdentity {
    /// `a[385e]::flt::{closure#1}`: crate, disambiguator, definition path.
    pub def_path: String,
    /// rustc's debug form of the closure's generic arguments (the parent's first), lines joined with spaces.
    pub args: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    Copy(Place),
    Move(Place),
    Const(Const),
    /// `RuntimeChecks(UbChecks)` and relatives where they are operands.
    RuntimeChecks(RuntimeChecks),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuntimeChecks {
    UbChecks,
    ContractChecks,
    OverflowChecks,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub local: Local,
    pub projection: Vec<Projection>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Projection {
    /// `(*p)`
    Deref,
    /// `(p.0: T)`
    Field(u32, Ty),
    /// `p[_1]`
    Index(Local),
    /// `p[0 of 1]`, `p[-1 of 2]` (from the end; `offset` is 1 then)
    ConstantIndex {
        offset: u64,
        min_length: u64,
        from_end: bool,
    },
    /// `p[1..3]` (`to` from the start), `p[1:]`, `p[:-1]`, `p[1:-2]` (`to` from the end)
    Subslice { from: u64, to: u64, from_end: bool },
    /// `(p as Some)`
    Downcast(Variant),
    /// `(p as T)` before reveal-all: not told apart from a downcast by the text unless T is more than one name.
    OpaqueCast(Ty),
    /// `(p as subtype T)`
    Subtype(Ty),
    /// `unwrap_binder!(p; T)`
    UnwrapUnsafeBinder(Ty),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// `as Some`
    Name(String),
    /// `as variant#1`
    Index(u32),
}

/// A constant operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Const {
    pub kind: ConstKind,
    /// The type, where the comment below the statement tells it (every constant that is not a number, bool, char, float
    /// or tuple or array of these). For a function item this is its whole signature: `Ty::FnDef`.
    pub ty: Option<Ty>,
    /// From the same comment; often `None` (`no-location`) after optimisations.
    pub span: Option<Span>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ConstKind {
    Bool(bool),
    Char(char),
    /// `-1_i32`, `i32::MIN`: sign-extended.
    Int(i128, crate::ty::IntTy),
    /// `4_usize`, `u8::MAX`
    Uint(u128, crate::ty::UintTy),
    /// `1.5f32`, `-0f64`, `NaN_f32`, `-NaN_f64`, `+Inf_f32`
    Float(FloatConst),
    /// `"text"`
    Str(String),
    /// `b"bytes"`: a `&[u8; N]` or `&[u8]`; the comment's type says which.
    ByteStr(Vec<u8>),
    /// `*b"bytes"`: a `[u8; N]` value.
    ByteArray(Vec<u8>),
    /// `()`, `(a, b)`
    Tuple(Vec<ConstKind>),
    /// `[a, b]`
    Array(Vec<ConstKind>),
    /// `path(a, b)`
    AdtTuple(Path, Vec<ConstKind>),
    /// `path { x: a }`
    AdtStruct(Path, Vec<(String, ConstKind)>),
    /// A function item (no `const` is printed before it). Zero-sized.
    Fn(Path),
    /// A bare path after `const`: a unit struct or variant, a constant that is not evaluated (`LUT`, `<T as Tr>::X`), or a
    /// constant parameter. [`PathConst`] is what the comment says of it.
    Path(Path, PathConst),
    /// `f::<T>::promoted[0]`
    Promoted(Path, u32),
    /// `{alloc9: &[f32; 4]}`, `{alloc9+0x10: *const u8}`, `{alloc9<imm>: &T}`
    Pointer {
        alloc: AllocId,
        offset: u64,
        ty: Ty,
    },
    /// `{0x10 as *const u8}`: a pointer from a number.
    IntPointer {
        address: u128,
        ty: Ty,
    },
    /// `{transmute(0x01): T}`
    Transmute {
        bits: u128,
        ty: Ty,
    },
    /// `ZeroSized: T`
    ZeroSized(Ty),
    /// `<uninit>`
    Uninit,
    /// `Indirect { alloc_id: alloc3, offset: Size(0 bytes) }: T`
    Indirect {
        alloc: AllocId,
        offset: u64,
        ty: Ty,
    },
    /// `{unreachable(): T}`: a value of an uninhabited type.
    Unreachable(Ty),
    /// `Slice { alloc_id: alloc3, meta: 4 }: T`
    Slice {
        alloc: AllocId,
        len: u64,
        ty: Ty,
    },
    /// What rustc prints in braces or as `<static(DefId(…))>` (a static of another crate), as printed.
    Source(String),
}

/// What is known of a constant that is printed as a bare path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathConst {
    /// A value: a unit struct or variant.
    Value,
    /// To be evaluated: a named constant.
    Unevaluated,
    /// A constant parameter.
    Param,
    /// The comment is not there (constants of scalar types have none): a named constant or a parameter.
    Unknown,
}

/// A floating-point constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatConst {
    pub ty: crate::ty::FloatTy,
    /// The bits in the low end. rustc prints the shortest decimal that reads back as the same value, so these are exact,
    /// except a NaN's payload, which is not printed: `NaN` is the quiet NaN without payload, of the printed sign.
    pub bits: u128,
}

/// Memory: `alloc9 (size: 16, align: 4) { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Alloc {
    pub id: AllocId,
    pub kind: AllocKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AllocKind {
    Memory(Memory),
    /// `alloc3 (static: TBL, size: 32, align: 8) { … }`
    Static {
        path: Path,
        memory: Memory,
    },
    /// `alloc3 (static: TBL)`: its memory is not printed here; the static has a body in its own crate's file.
    StaticRef(Path),
    /// `alloc3 (extern static: X)`
    ExternStatic(Path),
    /// `alloc3 (fn: path::<T>)`
    Fn(Callee),
    /// `alloc3 (vtable: impl Trait for T)`; `None` is `<auto trait>`.
    VTable {
        trait_: Option<Path>,
        ty: Ty,
    },
    /// `alloc3 (deallocated)`, `(static: X, error during initializer evaluation)`, type ids: as printed.
    Other(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    pub size: u64,
    pub align: u64,
    /// One for each byte; zero where not initialised, and under a relocation the little-endian offset into its target.
    pub bytes: Vec<u8>,
    /// Ranges `[start, end)` of bytes that are not initialised, in order.
    pub uninit: Vec<(u64, u64)>,
    /// By offset, ascending; each covers eight bytes.
    pub relocations: Vec<Relocation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Relocation {
    /// Where in this memory.
    pub offset: u64,
    pub target: AllocId,
    /// The offset in the target; also in [`Memory::bytes`].
    pub addend: u64,
}
