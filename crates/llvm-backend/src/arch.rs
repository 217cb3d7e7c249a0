//! GPU architectures, and the oldest PTX version that knows each.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// Name and PTX version × 10 (PTX ISA, "PTX Module Directives: .target", notes on introduction). LLVM writes these by
/// itself when no version is asked for, which keeps the text readable for drivers as old as possible.
const TABLE: &[(&str, u32)] = &[
    ("sm_70", 60),
    ("sm_72", 61),
    ("sm_75", 63),
    ("sm_80", 70),
    ("sm_86", 71),
    ("sm_87", 74),
    ("sm_88", 90),
    ("sm_89", 78),
    ("sm_90", 78),
    ("sm_90a", 80),
    ("sm_100", 86),
    ("sm_100a", 86),
    ("sm_100f", 88),
    ("sm_103", 88),
    ("sm_103a", 88),
    ("sm_103f", 88),
    ("sm_110", 90),
    ("sm_110a", 90),
    ("sm_110f", 90),
    ("sm_120", 87),
    ("sm_120a", 87),
    ("sm_120f", 88),
    ("sm_121", 88),
    ("sm_121a", 88),
    ("sm_121f", 88),
];

/// A GPU architecture that both this project and LLVM 22 know, e.g. `sm_80`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Arch(&'static (&'static str, u32));

impl Arch {
    /// The name as `.target` has it.
    pub fn name(&self) -> &'static str {
        self.0.0
    }

    /// The number without suffix: 80 of `sm_80`, 90 of `sm_90a`.
    pub fn sm(&self) -> u32 {
        self.name()[3..]
            .trim_end_matches(char::is_alphabetic)
            .parse()
            .expect("the table holds numbers")
    }

    /// The oldest PTX version × 10 that has this architecture.
    pub fn min_ptx(&self) -> u32 {
        self.0.1
    }

    /// Every architecture, oldest first.
    pub fn all() -> impl Iterator<Item = Arch> {
        TABLE.iter().map(Arch)
    }
}

impl Default for Arch {
    /// `sm_80`: a driver compiles it for every newer GPU too.
    fn default() -> Self {
        "sm_80".parse().expect("in the table")
    }
}

impl FromStr for Arch {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        TABLE
            .iter()
            .find(|row| row.0 == name)
            .map(Arch)
            .ok_or_else(|| Error::UnknownArch(name.to_owned()))
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
