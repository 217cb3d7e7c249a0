//! What an instruction does to memory, by its name alone: how wide, where; and whether threads wait for each other there.

/// A memory that instructions name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Constant,
    Param,
}

impl Space {
    pub fn name(self) -> &'static str {
        match self {
            Space::Generic => "generic",
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Constant => "constant",
            Space::Param => "param",
        }
    }
}

/// What is done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    Load,
    Store,
    Atomic,
    /// From global to shared memory, asynchronously.
    Copy,
}

impl AccessKind {
    pub fn name(self) -> &'static str {
        match self {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic",
            AccessKind::Copy => "copy",
        }
    }
}

/// One access of each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    pub kind: AccessKind,
    pub space: Space,
    /// Bytes of each thread; `None` where the name does not say (bulk and matrix operations).
    pub bytes: Option<u32>,
}

impl std::fmt::Display for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind.name(), self.space.name())?;
        match self.bytes {
            Some(bytes) => write!(f, " {bytes} B"),
            None => Ok(()),
        }
    }
}

/// SASS operations that access memory, by the first word of their name (the instruction sets of CUDA Binary Utilities, Turing
/// to Blackwell); whether the other words give a width.
pub const ACCESSES: &[(&str, AccessKind, Space, bool)] = &[
    ("LD", AccessKind::Load, Space::Generic, true),
    ("LDG", AccessKind::Load, Space::Global, true),
    ("LDS", AccessKind::Load, Space::Shared, true),
    ("LDL", AccessKind::Load, Space::Local, true),
    ("LDC", AccessKind::Load, Space::Constant, true),
    ("LDCU", AccessKind::Load, Space::Constant, true),
    ("ULDC", AccessKind::Load, Space::Constant, true),
    ("LDSM", AccessKind::Load, Space::Shared, false),
    ("ST", AccessKind::Store, Space::Generic, true),
    ("STG", AccessKind::Store, Space::Global, true),
    ("STS", AccessKind::Store, Space::Shared, true),
    ("STL", AccessKind::Store, Space::Local, true),
    ("STSM", AccessKind::Store, Space::Shared, false),
    ("ATOM", AccessKind::Atomic, Space::Generic, true),
    ("ATOMG", AccessKind::Atomic, Space::Global, true),
    ("ATOMS", AccessKind::Atomic, Space::Shared, true),
    ("RED", AccessKind::Atomic, Space::Generic, true),
    ("REDG", AccessKind::Atomic, Space::Global, true),
    ("REDS", AccessKind::Atomic, Space::Shared, true),
    ("LDGSTS", AccessKind::Copy, Space::Global, true),
    ("UBLKCP", AccessKind::Copy, Space::Global, false),
    ("UTMALDG", AccessKind::Copy, Space::Global, false),
    ("UTMASTG", AccessKind::Copy, Space::Global, false),
];

/// The access of a SASS operation such as `LDG.E.64`.
pub fn sass_access(opcode: &str) -> Option<Access> {
    let mut words = opcode.split('.');
    let first = words.next()?;
    let (_, kind, space, sized) = *ACCESSES.iter().find(|(name, ..)| *name == first)?;
    let width = || {
        words.find_map(|w| match w {
            "U8" | "S8" => Some(1),
            "U16" | "S16" | "F16" | "BF16" => Some(2),
            "64" | "F64" => Some(8),
            "128" => Some(16),
            "256" => Some(32),
            _ => None,
        })
    };
    Some(Access {
        kind,
        space,
        bytes: sized.then(width).map(|w| w.unwrap_or(4)),
    })
}

/// Whether threads wait here for others, or for their memory operations.
pub fn is_barrier(opcode: &str) -> bool {
    let first = opcode.split('.').next().unwrap_or_default();
    matches!(
        first,
        "BAR"
            | "WARPSYNC"
            | "MEMBAR"
            | "DEPBAR"
            | "LDGDEPBAR"
            | "SYNCS"
            | "UCGABAR_ARV"
            | "UCGABAR_WAIT"
            | "NANOSLEEP"
    )
}

/// The operation of a PTX line with its modifiers, without predicate and operands; `None` for what is no instruction.
fn ptx_operation(line: &str) -> Option<&str> {
    let mut line = line.trim_start().trim_start_matches('{').trim_start();
    if line.starts_with('@') {
        line = line.split_once(char::is_whitespace)?.1.trim_start();
    }
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | ':')));
    let word = &line[..end.unwrap_or(line.len())];
    let starts = word.starts_with(|c: char| c.is_ascii_lowercase());
    (starts && !word.ends_with(':')).then_some(word)
}

/// The access of a PTX line such as `ld.global.v2.f32 {%f1, %f2}, [%rd1];`.
pub fn ptx_access(line: &str) -> Option<Access> {
    let mut words = ptx_operation(line)?.split('.');
    let kind = match words.next()? {
        "ld" | "ldu" | "ldmatrix" => AccessKind::Load,
        "st" | "stmatrix" => AccessKind::Store,
        "atom" | "red" => AccessKind::Atomic,
        "cp" => AccessKind::Copy,
        _ => return None,
    };
    let mut space = None;
    let mut vector = 1;
    let mut element = None;
    for word in words {
        match word {
            "global" => space = space.or(Some(Space::Global)),
            "local" => space = space.or(Some(Space::Local)),
            "const" => space = space.or(Some(Space::Constant)),
            _ if word == "shared" || word.starts_with("shared::") => {
                space = space.or(Some(Space::Shared))
            }
            _ if word == "param" || word.starts_with("param::") => {
                space = space.or(Some(Space::Param))
            }
            "v2" => vector = 2,
            "v4" => vector = 4,
            "v8" => vector = 8,
            _ => {
                let digits = word.trim_start_matches(|c: char| c.is_ascii_lowercase());
                let letters = &word[..word.len() - digits.len()];
                if matches!(letters, "u" | "s" | "b" | "f" | "bf")
                    && let Some(digits) = digits.get(..digits.find('x').unwrap_or(digits.len()))
                    && let Ok(bits) = digits.parse::<u32>()
                    && (8..=128).contains(&bits)
                {
                    element = Some(bits / 8 * if word.contains("x2") { 2 } else { 1 });
                }
            }
        }
    }
    let matrix = line.contains("matrix");
    Some(Access {
        kind,
        space: space.unwrap_or(Space::Generic),
        bytes: element
            .filter(|_| !matrix && kind != AccessKind::Copy)
            .map(|e| e * vector),
    })
}

/// Whether a PTX line is a barrier or a fence.
pub fn ptx_is_barrier(line: &str) -> bool {
    let first = ptx_operation(line).and_then(|o| o.split('.').next());
    matches!(
        first,
        Some("bar" | "barrier" | "membar" | "fence" | "mbarrier")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_operation_once() {
        let mut names: Vec<&str> = ACCESSES.iter().map(|(name, ..)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!((names.len(), ACCESSES.len()), (23, 23));
    }

    #[test]
    fn sass() {
        let say = |o| sass_access(o).map(|a| a.to_string()).unwrap_or_default();
        assert_eq!(say("LDG.E.64"), "load global 8 B");
        assert_eq!(say("LDG.E.128.CONSTANT"), "load global 16 B");
        assert_eq!(say("STS.U8"), "store shared 1 B");
        assert_eq!(say("STG.E"), "store global 4 B");
        assert_eq!(say("RED.E.ADD.STRONG.GPU"), "atomic generic 4 B");
        assert_eq!(say("LDSM.16.M88.4"), "load shared");
        assert_eq!(say("LEA"), "");
        assert!(is_barrier("BAR.SYNC.DEFER_BLOCKING") && !is_barrier("BRA"));
    }

    #[test]
    fn ptx() {
        let say = |o| ptx_access(o).map(|a| a.to_string()).unwrap_or_default();
        assert_eq!(
            say("\t@%p1 ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];"),
            "load global 16 B"
        );
        assert_eq!(say("st.shared::cta.u8 [%r1], %rs1;"), "store shared 1 B");
        assert_eq!(say("ld.param.u64 %rd1, [p];"), "load param 8 B");
        assert_eq!(
            say("atom.add.relaxed.gpu.f16x2 %r1, [%rd1], %r2;"),
            "atomic generic 4 B"
        );
        assert_eq!(say("ld.volatile.u32 %r1, [%rd2];"), "load generic 4 B");
        assert_eq!(say("add.s32 %r1, %r2, %r3;"), "");
        assert_eq!(say("ld:"), "");
        assert!(ptx_is_barrier("bar.sync 0;") && !ptx_is_barrier("$L__BB0_1:"));
    }
}
