//! The syntax tree.

use std::fmt;

/// A byte range of the text and the line (1-based) on which it starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// Byte behind the last.
    pub end: u32,
    /// Line of the first byte, from 1.
    pub line: u32,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.span.line, self.message)
    }
}

impl std::error::Error for Error {}

/// A PTX text.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// What stands at module scope, in order.
    pub items: Vec<Item>,
}

impl Module {
    /// `.version`, if there is one.
    pub fn version(&self) -> Option<(u32, u32)> {
        self.items.iter().find_map(|i| match i {
            Item::Version { major, minor, .. } => Some((*major, *minor)),
            _ => None,
        })
    }

    /// The names behind `.target`.
    pub fn targets(&self) -> &[String] {
        self.items
            .iter()
            .find_map(|i| match i {
                Item::Target { names, .. } => Some(&names[..]),
                _ => None,
            })
            .unwrap_or(&[])
    }

    /// Functions and kernels, declarations too.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|i| match i {
            Item::Function(f) => Some(f),
            _ => None,
        })
    }

    /// Variables at module scope.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.items.iter().filter_map(|i| match i {
            Item::Variable(v) => Some(v),
            _ => None,
        })
    }
}

/// Something at module scope.
#[derive(Clone, Debug)]
pub enum Item {
    /// `.version 8.7`
    Version {
        /// Number before the dot.
        major: u32,
        /// Number behind the dot.
        minor: u32,
        /// Where.
        span: Span,
    },
    /// `.target sm_90, debug`
    Target {
        /// Architecture and options.
        names: Vec<String>,
        /// Where.
        span: Span,
    },
    /// `.address_size 64`
    AddressSize {
        /// 32 or 64.
        bits: u32,
        /// Where.
        span: Span,
    },
    /// A variable.
    Variable(Variable),
    /// A kernel or function, with or without a body.
    Function(Function),
    /// `.file 1 "name"`, with time stamp and size if they are there.
    File {
        /// The number that `.loc` uses.
        index: u64,
        /// The name, without quotes.
        name: String,
        /// Time stamp and size.
        stamp: Option<(u64, u64)>,
        /// Where.
        span: Span,
    },
    /// `.section name { … }` and other blocks of debug data, kept as text.
    Section {
        /// The directive and its name, `.section .debug_info`.
        head: String,
        /// What stands between the braces.
        body: String,
        /// Where.
        span: Span,
    },
    /// `.pragma "text";`
    Pragma {
        /// Strings without quotes.
        texts: Vec<String>,
        /// Where.
        span: Span,
    },
    /// `.alias name, target;`
    Alias {
        /// The new name.
        name: String,
        /// The function that it means.
        target: String,
        /// Where.
        span: Span,
    },
}

/// Who sees a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linkage {
    /// This module.
    #[default]
    Internal,
    /// `.visible`
    Visible,
    /// `.extern`
    Extern,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
}

/// State spaces that a variable can be declared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Space {
    Const,
    Global,
    Local,
    Param,
    Shared,
    Tex,
}

impl Space {
    /// The directive, with its dot.
    pub fn name(self) -> &'static str {
        match self {
            Space::Const => ".const",
            Space::Global => ".global",
            Space::Local => ".local",
            Space::Param => ".param",
            Space::Shared => ".shared",
            Space::Tex => ".tex",
        }
    }
}

macro_rules! types {
    ($($variant:ident $text:literal $bits:literal,)*) => {
        /// Fundamental types, and the packed and opaque ones that declarations and instructions name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Type { $($variant,)* }

        impl Type {
            /// Reads the name, without its dot.
            pub fn from_name(s: &str) -> Option<Type> {
                match s { $($text => Some(Type::$variant),)* _ => None }
            }
            /// The name, without its dot.
            pub fn name(self) -> &'static str {
                match self { $(Type::$variant => $text,)* }
            }
            /// Size in bits; 1 for predicates, 64 for opaque handles.
            pub fn bits(self) -> u32 {
                match self { $(Type::$variant => $bits,)* }
            }
        }
    };
}

types! {
    Pred "pred" 1,
    B8 "b8" 8, B16 "b16" 16, B32 "b32" 32, B64 "b64" 64, B128 "b128" 128,
    U8 "u8" 8, U16 "u16" 16, U32 "u32" 32, U64 "u64" 64,
    S8 "s8" 8, S16 "s16" 16, S32 "s32" 32, S64 "s64" 64,
    F16 "f16" 16, F16x2 "f16x2" 32, Bf16 "bf16" 16, Bf16x2 "bf16x2" 32, Tf32 "tf32" 32,
    F32 "f32" 32, F32x2 "f32x2" 64, F64 "f64" 64,
    U16x2 "u16x2" 32, S16x2 "s16x2" 32,
    E4m3 "e4m3" 8, E5m2 "e5m2" 8, E4m3x2 "e4m3x2" 16, E5m2x2 "e5m2x2" 16,
    Texref "texref" 64, Samplerref "samplerref" 64, Surfref "surfref" 64,
}

impl Type {
    /// Size in bytes (1 for predicates).
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }
}

/// A variable in memory, or a parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Who sees it.
    pub linkage: Linkage,
    /// Where it lives.
    pub space: Space,
    /// `.align n`
    pub align: Option<u32>,
    /// `.attribute(.managed)` and the like, as text without the outer directive.
    pub attributes: Vec<String>,
    /// 1, or 2 and 4 for `.v2`, `.v4`.
    pub vector: u32,
    /// Element type.
    pub ty: Type,
    /// For a kernel's parameter: `.ptr` with its space and alignment.
    pub ptr: Option<Ptr>,
    /// The name; `_` in prototypes.
    pub name: String,
    /// Dimensions; `None` is `[]`.
    pub dims: Vec<Option<u64>>,
    /// Initialiser.
    pub init: Option<Init>,
    /// Where.
    pub span: Span,
}

impl Variable {
    /// Size in bytes; `[]` counts as 0. `None` when it does not fit 64 bits.
    pub fn size(&self) -> Option<u64> {
        let mut n = u64::from(self.ty.bytes()) * u64::from(self.vector);
        for d in &self.dims {
            n = n.checked_mul(d.unwrap_or(0))?;
        }
        Some(n)
    }

    /// Alignment in bytes: the written one, else that of an element.
    pub fn alignment(&self) -> u32 {
        self.align.unwrap_or(self.ty.bytes() * self.vector).max(1)
    }
}

/// What a kernel's pointer parameter says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ptr {
    /// The space that it points into, generic when there is none.
    pub space: Option<Space>,
    /// Alignment of what it points to.
    pub align: Option<u32>,
}

/// An initialiser.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// An integer.
    Int(i128),
    /// Bits of an f32.
    F32(u32),
    /// Bits of an f64.
    F64(u64),
    /// An address.
    Symbol {
        /// Of what.
        name: String,
        /// Plus how much.
        offset: i64,
        /// `generic(name)`.
        generic: bool,
        /// `0xFF00(name)`: only these bits of the address, shifted down.
        mask: Option<u64>,
    },
    /// `{ … }`
    List(Vec<Init>),
}

/// `.entry` or `.func`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// A kernel.
    Entry,
    /// A function.
    Func,
}

/// A kernel or function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Who sees it.
    pub linkage: Linkage,
    /// Kernel or function.
    pub kind: FunctionKind,
    /// Its name.
    pub name: String,
    /// Return parameters.
    pub returns: Vec<Variable>,
    /// Parameters.
    pub params: Vec<Variable>,
    /// `.maxntid 256, 1, 1`, `.noreturn`, … in order.
    pub directives: Vec<Directive>,
    /// `None` for a declaration.
    pub body: Option<Vec<Statement>>,
    /// Where its head is.
    pub span: Span,
}

/// A performance-tuning directive or attribute of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// With its dot.
    pub name: String,
    /// Its numbers.
    pub values: Vec<u64>,
    /// Its strings and names.
    pub texts: Vec<String>,
}

/// Something in a function's body.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `.reg .b32 %r<5>, a;`
    Reg {
        /// Type.
        ty: Type,
        /// 1, 2 or 4.
        vector: u32,
        /// Names, with the count of `%r<5>`.
        names: Vec<(String, Option<u32>)>,
        /// Where.
        span: Span,
    },
    /// `.local`, `.shared`, `.param` and so on.
    Variable(Variable),
    /// `name:`
    Label {
        /// The name.
        name: String,
        /// Where.
        span: Span,
    },
    /// An instruction.
    Instruction(Instruction),
    /// `{ … }`, a scope of its own.
    Block {
        /// What is in it.
        statements: Vec<Statement>,
        /// Where.
        span: Span,
    },
    /// `.loc file line column`
    Loc(Loc),
    /// `.pragma "text";`
    Pragma {
        /// Strings without quotes.
        texts: Vec<String>,
        /// Where.
        span: Span,
    },
    /// `label: .branchtargets a, b;` and `.calltargets`.
    Targets {
        /// `.branchtargets` or `.calltargets`.
        directive: String,
        /// Labels or functions.
        names: Vec<String>,
        /// Where.
        span: Span,
    },
    /// `label: .callprototype (ret) _ (params);`
    Prototype {
        /// Return parameters.
        returns: Vec<Variable>,
        /// Parameters.
        params: Vec<Variable>,
        /// `.noreturn` and the like.
        directives: Vec<Directive>,
        /// Where.
        span: Span,
    },
}

/// A source position of debug information.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loc {
    /// `.loc` or `.loc_intermediate`.
    pub directive: String,
    /// Index of a `.file`.
    pub file: u64,
    /// Line.
    pub line: u64,
    /// Column.
    pub column: u64,
    /// `, function_name label, inlined_at file line column`, as it stands.
    pub rest: String,
    /// Where.
    pub span: Span,
}

/// `@p` or `@!p`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Whether the predicate is negated.
    pub negated: bool,
    /// The predicate register.
    pub register: String,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The predicate that guards it.
    pub guard: Option<Guard>,
    /// `ld`
    pub name: String,
    /// `global`, `v4`, `f32`: without dots.
    pub modifiers: Vec<String>,
    /// Operands in order.
    pub operands: Vec<Operand>,
    /// Where.
    pub span: Span,
}

impl Instruction {
    /// The name with its modifiers: `ld.global.v4.f32`.
    pub fn opcode(&self) -> String {
        let mut s = self.name.clone();
        for m in &self.modifiers {
            s.push('.');
            s.push_str(m);
        }
        s
    }
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, special register (`%tid.x`), label, variable, function or `_`.
    Name(String),
    /// `name+4`
    Offset(String, i64),
    /// An integer.
    Int(i128),
    /// Bits of an f32.
    F32(u32),
    /// Bits of an f64.
    F64(u64),
    /// `!p`, `-r`: an operand with a sign before it.
    Not(Box<Operand>),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `[a+4]`
    Address {
        /// Register, variable or nothing for an absolute address.
        base: Option<String>,
        /// Plus bytes.
        offset: i64,
    },
    /// `[a, {b, c}]` and other addresses of several parts.
    Tuple(Vec<Operand>),
    /// `a|b`: two results of one instruction.
    Pair(Box<Operand>, Box<Operand>),
    /// `(a, b)`: arguments of a call.
    List(Vec<Operand>),
}
