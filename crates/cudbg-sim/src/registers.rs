//! Numbers for registers: PTX names map to 32-bit registers and predicates, as in a cubin's map.

use cudbg::CUDBGRegClass;
use gpu_sim::CodeFunction;

/// A PTX register's home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Home {
    pub name: String,
    /// Whether it is a predicate, else a general register.
    pub predicate: bool,
    /// Its first number.
    pub number: u32,
    /// 32-bit words.
    pub words: u32,
}

/// The homes of a function's registers, in the order of their names.
pub(crate) fn homes(f: &CodeFunction) -> Vec<Home> {
    let (mut general, mut predicates) = (0, 0);
    let homes = f.registers.iter().map(|(name, width)| {
        let (next, words) = match width {
            0 => (&mut predicates, 1),
            w => (&mut general, u32::from(*w).div_ceil(4)),
        };
        let number = *next;
        *next += words;
        Home {
            name: name.clone(),
            predicate: *width == 0,
            number,
            words,
        }
    });
    homes.collect()
}

/// The function's part of the map's section. Registers live everywhere in it.
pub(crate) fn section(f: &CodeFunction) -> Vec<u8> {
    let homes = homes(f);
    let entries: u32 = homes.iter().map(|h| h.words).sum();
    let mut out = f.name.as_bytes().to_vec();
    out.push(0);
    out.extend(entries.to_le_bytes());
    for h in &homes {
        let class = if h.predicate {
            CUDBGRegClass::REG_CLASS_REG_PRED
        } else {
            CUDBGRegClass::REG_CLASS_REG_FULL
        };
        for word in 0..h.words {
            out.extend(word.to_le_bytes());
            out.extend(h.name.as_bytes());
            out.push(0);
            out.extend((class.0 << 24 | (h.number + word)).to_le_bytes());
            out.extend(0u32.to_le_bytes());
            out.extend((16 * (f.code.end - f.code.start)).to_le_bytes());
        }
    }
    out
}
