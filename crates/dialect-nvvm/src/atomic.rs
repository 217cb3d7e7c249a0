//! The atomic families: names, prototypes and LLVM IR.
//!
//! LLVM's NVPTX selects `atom` without semantics or scope for an `atomicrmw` that the hardware has (it then means relaxed, device),
//! whatever the instruction said. So a read-modify-write that the hardware has is inline PTX with its semantics and scope, after
//! `fence.sc` for sequential consistency. The others (minimum and maximum of floats, narrow integers, …) are compare-exchange loops
//! of LLVM's, which do keep both; so do loads, stores and compare-exchanges.

use crate::table::{MinimumSm, Ty};
use pliron::{builtin::attributes::StringAttr, dict_key};
use std::fmt::Write;

dict_key!(
    /// Key of the attribute of an atomic operation: the name of its device function without `__nvvm_`.
    ATTR_KEY_NVVM_ATOMIC,
    "nvvm_atomic"
);

/// Type of that attribute.
pub type AtomicAttr = StringAttr;

/// What an atomic operation does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicKind {
    Load,
    Store,
    Rmw(Rmw),
    Cmpxchg,
}

/// How a read-modify-write modifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rmw {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
    Min,
    Max,
    Xchg,
    /// `old >= value ? 0 : old + 1`
    Inc,
    /// `old == 0 || old > value ? value : old - 1`
    Dec,
}

/// Type of the memory that is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
}

/// Which threads the access is atomic for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Block,
    Device,
    System,
}

/// Memory ordering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// One atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atomic {
    pub kind: AtomicKind,
    pub element: Element,
    pub scope: Scope,
    pub ordering: Ordering,
}

const RMWS: [(Rmw, &str); 11] = [
    (Rmw::Add, "add"),
    (Rmw::Sub, "sub"),
    (Rmw::And, "and"),
    (Rmw::Or, "or"),
    (Rmw::Xor, "xor"),
    (Rmw::Nand, "nand"),
    (Rmw::Min, "min"),
    (Rmw::Max, "max"),
    (Rmw::Xchg, "xchg"),
    (Rmw::Inc, "inc"),
    (Rmw::Dec, "dec"),
];
const ELEMENTS: [(Element, &str); 11] = [
    (Element::U8, "u8"),
    (Element::I8, "i8"),
    (Element::U16, "u16"),
    (Element::I16, "i16"),
    (Element::U32, "u32"),
    (Element::I32, "i32"),
    (Element::U64, "u64"),
    (Element::I64, "i64"),
    (Element::F16, "f16"),
    (Element::F32, "f32"),
    (Element::F64, "f64"),
];
const SCOPES: [(Scope, &str); 3] = [
    (Scope::Block, "block"),
    (Scope::Device, "device"),
    (Scope::System, "system"),
];
const ORDERINGS: [(Ordering, &str); 5] = [
    (Ordering::Relaxed, "relaxed"),
    (Ordering::Acquire, "acquire"),
    (Ordering::Release, "release"),
    (Ordering::AcqRel, "acqrel"),
    (Ordering::SeqCst, "seqcst"),
];

fn value<T: Copy>(pairs: &[(T, &str)], name: &str) -> Option<T> {
    pairs.iter().find(|(_, n)| *n == name).map(|(v, _)| *v)
}

fn name<T: PartialEq>(pairs: &[(T, &'static str)], value: T) -> &'static str {
    pairs
        .iter()
        .find(|(v, _)| *v == value)
        .map_or("", |(_, n)| n)
}

impl Element {
    /// The type of operands and result.
    pub fn ty(self) -> Ty {
        match self {
            Element::U8 | Element::I8 => Ty::I8,
            Element::U16 | Element::I16 => Ty::I16,
            Element::U32 | Element::I32 => Ty::I32,
            Element::U64 | Element::I64 => Ty::I64,
            Element::F16 => Ty::F16,
            Element::F32 => Ty::F32,
            Element::F64 => Ty::F64,
        }
    }

    /// Size in bytes, and alignment.
    pub fn size(self) -> u32 {
        match self {
            Element::U8 | Element::I8 => 1,
            Element::U16 | Element::I16 | Element::F16 => 2,
            Element::U32 | Element::I32 | Element::F32 => 4,
            Element::U64 | Element::I64 | Element::F64 => 8,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Element::F16 | Element::F32 | Element::F64)
    }

    fn is_signed(self) -> bool {
        matches!(
            self,
            Element::I8 | Element::I16 | Element::I32 | Element::I64
        )
    }
}

impl Scope {
    /// The scope in PTX.
    pub fn ptx(self) -> &'static str {
        match self {
            Scope::Block => "cta",
            Scope::Device => "gpu",
            Scope::System => "sys",
        }
    }

    /// The scope in LLVM IR, with a space after it; the system's has no name.
    fn llvm(self) -> &'static str {
        match self {
            Scope::Block => "syncscope(\"block\") ",
            Scope::Device => "syncscope(\"device\") ",
            Scope::System => "",
        }
    }
}

impl Ordering {
    /// The ordering in LLVM IR.
    pub fn llvm(self) -> &'static str {
        match self {
            Ordering::Relaxed => "monotonic",
            Ordering::Acquire => "acquire",
            Ordering::Release => "release",
            Ordering::AcqRel => "acq_rel",
            Ordering::SeqCst => "seq_cst",
        }
    }

    /// The ordering of a failed compare-exchange: what of this one a load can have.
    pub fn failure(self) -> Ordering {
        match self {
            Ordering::Release => Ordering::Relaxed,
            Ordering::AcqRel => Ordering::Acquire,
            other => other,
        }
    }
}

impl Atomic {
    /// Reads `atomic_load_u32_device_acquire`; `None` if no operation has that name.
    pub fn parse(op: &str) -> Option<Atomic> {
        let mut parts = op.strip_prefix("atomic_")?.split('_');
        let kind = match parts.next()? {
            "load" => AtomicKind::Load,
            "store" => AtomicKind::Store,
            "cmpxchg" => AtomicKind::Cmpxchg,
            "rmw" => AtomicKind::Rmw(value(&RMWS, parts.next()?)?),
            _ => return None,
        };
        let atomic = Atomic {
            kind,
            element: value(&ELEMENTS, parts.next()?)?,
            scope: value(&SCOPES, parts.next()?)?,
            ordering: value(&ORDERINGS, parts.next()?)?,
        };
        (parts.next().is_none() && atomic.exists()).then_some(atomic)
    }

    /// Every operation there is.
    pub fn all() -> impl Iterator<Item = Atomic> {
        let kinds = [AtomicKind::Load, AtomicKind::Store, AtomicKind::Cmpxchg]
            .into_iter()
            .chain(RMWS.map(|(rmw, _)| AtomicKind::Rmw(rmw)));
        kinds.flat_map(|kind| {
            ELEMENTS.into_iter().flat_map(move |(element, _)| {
                SCOPES.into_iter().flat_map(move |(scope, _)| {
                    ORDERINGS.into_iter().filter_map(move |(ordering, _)| {
                        let atomic = Atomic {
                            kind,
                            element,
                            scope,
                            ordering,
                        };
                        atomic.exists().then_some(atomic)
                    })
                })
            })
        })
    }

    /// Whether the combination makes sense.
    pub fn exists(&self) -> bool {
        match self.kind {
            AtomicKind::Load => !matches!(self.ordering, Ordering::Release | Ordering::AcqRel),
            AtomicKind::Store => !matches!(self.ordering, Ordering::Acquire | Ordering::AcqRel),
            AtomicKind::Cmpxchg => true,
            AtomicKind::Rmw(Rmw::And | Rmw::Or | Rmw::Xor | Rmw::Nand) => !self.element.is_float(),
            AtomicKind::Rmw(Rmw::Inc | Rmw::Dec) => {
                matches!(self.element, Element::U32 | Element::U64)
            }
            AtomicKind::Rmw(_) => true,
        }
    }

    /// The name: that of the device function without `__nvvm_`.
    pub fn op(&self) -> String {
        let mut op = String::from("atomic_");
        match self.kind {
            AtomicKind::Load => op.push_str("load"),
            AtomicKind::Store => op.push_str("store"),
            AtomicKind::Cmpxchg => op.push_str("cmpxchg"),
            AtomicKind::Rmw(rmw) => {
                op.push_str("rmw_");
                op.push_str(name(&RMWS, rmw));
            }
        }
        write!(
            op,
            "_{}_{}_{}",
            name(&ELEMENTS, self.element),
            name(&SCOPES, self.scope),
            name(&ORDERINGS, self.ordering)
        )
        .expect("a string takes everything");
        op
    }

    /// Pointer; then the value, or the expected and the new one.
    pub fn operands(&self) -> &'static [Ty] {
        macro_rules! prototype {
            ($($ty:ident),*) => {
                match (self.kind, self.element.ty()) {
                    (AtomicKind::Load, _) => &[Ty::Ptr],
                    $((AtomicKind::Cmpxchg, Ty::$ty) => &[Ty::Ptr, Ty::$ty, Ty::$ty],)*
                    $((_, Ty::$ty) => &[Ty::Ptr, Ty::$ty],)*
                    (_, Ty::I1 | Ty::Ptr) => unreachable!("no element has this type"),
                }
            };
        }
        prototype!(I8, I16, I32, I64, F16, F32, F64)
    }

    /// The value that was in memory, but for a store.
    pub fn result(&self) -> Option<Ty> {
        (self.kind != AtomicKind::Store).then(|| self.element.ty())
    }

    /// Scopes and semantics came with `sm_70`.
    pub fn minimum_sm(&self) -> MinimumSm {
        MinimumSm::Sm(70)
    }

    /// Whether the hardware has the read-modify-write; LLVM drops scope and semantics of those.
    pub fn is_native(&self) -> bool {
        self.native().is_some()
    }

    /// The hardware's operation and type for a read-modify-write, `add.u32`; `None` where it has none.
    fn native(&self) -> Option<String> {
        let AtomicKind::Rmw(rmw) = self.kind else {
            return None;
        };
        let bits = self.element.size() * 8;
        if bits < 32 {
            return (rmw == Rmw::Add || rmw == Rmw::Sub)
                .then_some(self.element)
                .filter(|element| *element == Element::F16)
                .map(|_| "add.noftz.f16".to_string());
        }
        let float = self.element.is_float();
        Some(match rmw {
            Rmw::Add | Rmw::Sub if float => format!("add.f{bits}"),
            Rmw::Add | Rmw::Sub => format!("add.u{bits}"),
            Rmw::And | Rmw::Or | Rmw::Xor => format!("{}.b{bits}", name(&RMWS, rmw)),
            Rmw::Xchg => format!("exch.b{bits}"),
            Rmw::Min | Rmw::Max if !float => {
                let sign = if self.element.is_signed() { 's' } else { 'u' };
                format!("{}.{sign}{bits}", name(&RMWS, rmw))
            }
            Rmw::Inc | Rmw::Dec if bits == 32 => format!("{}.u32", name(&RMWS, rmw)),
            _ => return None,
        })
    }

    /// LLVM IR, in the form that [`crate::expand`] reads.
    pub(crate) fn body(&self) -> String {
        let ty = self.element.ty().llvm();
        let int = format!("i{}", self.element.size() * 8);
        let align = self.element.size();
        let scope = self.scope.llvm();
        let ordering = self.ordering.llvm();
        match self.kind {
            AtomicKind::Load => format!(
                "%r = load atomic {ty}, ptr {{0}} {scope}{ordering}, align {align}\nret {ty} %r"
            ),
            AtomicKind::Store => format!(
                "store atomic {ty} {{1}}, ptr {{0}} {scope}{ordering}, align {align}\nret void"
            ),
            AtomicKind::Cmpxchg => {
                let failure = self.ordering.failure().llvm();
                let (mut text, old, new) = if self.element.is_float() {
                    let cast = format!(
                        "%e = bitcast {ty} {{1}} to {int}\n%n = bitcast {ty} {{2}} to {int}\n"
                    );
                    (cast, "%e", "%n")
                } else {
                    (String::new(), "{1}", "{2}")
                };
                text += &format!(
                    "%x = cmpxchg ptr {{0}}, {int} {old}, {int} {new} {scope}{ordering} {failure}, align {align}\n\
                     %o = extractvalue {{ {int}, i1 }} %x, 0\n"
                );
                text += &if self.element.is_float() {
                    format!("%r = bitcast {int} %o to {ty}\nret {ty} %r")
                } else {
                    format!("ret {ty} %o")
                };
                text
            }
            AtomicKind::Rmw(rmw) => match self.native() {
                Some(native) => self.inline_ptx(rmw, &native),
                None => {
                    let op = self.llvm_rmw(rmw);
                    format!(
                        "%r = atomicrmw {op} ptr {{0}}, {ty} {{1}} {scope}{ordering}, align {align}\nret {ty} %r"
                    )
                }
            },
        }
    }

    fn llvm_rmw(&self, rmw: Rmw) -> &'static str {
        let float = self.element.is_float();
        let signed = self.element.is_signed();
        match rmw {
            Rmw::Add if float => "fadd",
            Rmw::Sub if float => "fsub",
            Rmw::Min if float => "fmin",
            Rmw::Max if float => "fmax",
            Rmw::Min if !signed => "umin",
            Rmw::Max if !signed => "umax",
            Rmw::Inc => "uinc_wrap",
            Rmw::Dec => "udec_wrap",
            other => name(&RMWS, other),
        }
    }

    fn inline_ptx(&self, rmw: Rmw, native: &str) -> String {
        let ty = self.element.ty().llvm();
        let scope = self.scope.ptx();
        let mut text = String::new();
        let semantics = match self.ordering {
            Ordering::Relaxed => "relaxed",
            Ordering::Acquire => "acquire",
            Ordering::Release => "release",
            Ordering::AcqRel => "acq_rel",
            Ordering::SeqCst => {
                text += &format!("fence {}seq_cst\n", self.scope.llvm());
                "acquire"
            }
        };
        let mut value = "{1}";
        if rmw == Rmw::Sub {
            // Exact for floats too: `a - b` is `a + -b`.
            text += &if self.element.is_float() {
                format!("%n = fneg {ty} {{1}}\n")
            } else {
                format!("%n = sub {ty} 0, {{1}}\n")
            };
            value = "%n";
        }
        // Bits travel in integer registers where the instruction does not compute with them.
        let bits = self.element == Element::F16 || (rmw == Rmw::Xchg && self.element.is_float());
        let width = self.element.size() * 8;
        let operand = if bits {
            format!("i{width}")
        } else {
            ty.to_string()
        };
        if bits {
            text += &format!("%b = bitcast {ty} {value} to {operand}\n");
            value = "%b";
        }
        let register = match operand.as_str() {
            "i16" => 'h',
            "i32" => 'r',
            "i64" => 'l',
            "float" => 'f',
            _ => 'd',
        };
        text += &format!(
            "%o = call {operand} asm sideeffect \"atom.{semantics}.{scope}.{native} $0, [$1], $2;\", \
             \"={register},l,{register},~{{memory}}\"(ptr {{0}}, {operand} {value})\n"
        );
        text += &if bits {
            format!("%r = bitcast {operand} %o to {ty}\nret {ty} %r")
        } else {
            format!("ret {ty} %o")
        };
        text
    }
}
