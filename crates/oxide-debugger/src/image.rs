//! What a module's ELF image tells: functions, PTX, Rust lines, homes of registers.

use artifact::SideTable;
use object::elf::FileHeader64;
use object::read::elf::ElfFile;
use object::{Endianness, Object, ObjectSection, ObjectSymbol};
use std::collections::BTreeMap;

/// A position in the Rust source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// As rustc prints it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, 0 when it is not known.
    pub column: u32,
    /// The function that the line belongs to, inlined or not.
    pub function: String,
}

/// A function of the image.
#[derive(Clone, Debug)]
pub struct Function {
    /// Symbol.
    pub name: String,
    /// First address, and the one behind the last.
    pub range: std::ops::Range<u64>,
}

/// A register's home: predicate or not, first number, 32-bit words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    /// In the predicates, else in the general registers.
    pub predicate: bool,
    /// First number.
    pub number: u32,
    /// Words.
    pub words: u32,
}

/// A module.
#[derive(Debug, Default)]
pub struct Image {
    /// The driver's name for it.
    pub handle: u64,
    /// By address.
    pub functions: Vec<Function>,
    /// Kernels and where all their code is.
    pub kernels: Vec<Function>,
    /// Lines of the PTX.
    pub ptx: Vec<String>,
    /// Address of each instruction, and its PTX line.
    pub lines: BTreeMap<u64, u32>,
    side: SideTable,
    /// Registers by function and name.
    pub registers: BTreeMap<String, BTreeMap<String, Home>>,
}

/// Reads little-endian numbers and texts; never panics.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }
    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }
    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
    fn text(&mut self) -> Option<String> {
        let end = self.0.iter().position(|b| *b == 0)?;
        let text = String::from_utf8_lossy(&self.0[..end]).into_owned();
        self.0 = &self.0[end + 1..];
        Some(text)
    }
}

impl Image {
    /// Reads an image. What it lacks is left empty; the error is that it is no ELF file or that a part is damaged.
    pub fn read(handle: u64, bytes: &[u8]) -> Result<Image, String> {
        let elf = ElfFile::<FileHeader64<Endianness>>::parse(bytes)
            .map_err(|e| format!("the module's image cannot be read: {e}"))?;
        let section = |name: &str| {
            elf.section_by_name(name)
                .and_then(|s| s.data().ok())
                .unwrap_or(&[])
        };
        let mut image = Image {
            handle,
            ..Image::default()
        };
        for s in elf.sections() {
            let Some(name) = s.name().ok().and_then(|n| n.strip_prefix(".text.")) else {
                continue;
            };
            image.kernels.push(Function {
                name: name.into(),
                range: s.address()..s.address().saturating_add(s.size()),
            });
        }
        for s in elf.symbols() {
            if let Ok(name) = s.name()
                && s.size() > 0
            {
                let end = s.address().saturating_add(s.size());
                image.functions.push(Function {
                    name: name.into(),
                    range: s.address()..end,
                });
            }
        }
        image.functions.sort_by_key(|f| f.range.start);
        image.ptx = section(".nv_debug_ptx_txt")
            .split(|b| *b == 0)
            .map(|l| String::from_utf8_lossy(l).into_owned())
            .collect();
        let mut r = Reader(section(".oxide.lines"));
        while !r.0.is_empty() {
            let part = (|| {
                let (base, n) = (r.u64()?, r.u32()?);
                for i in 0..u64::from(n) {
                    image.lines.insert(base.checked_add(16 * i)?, r.u32()?);
                }
                Some(())
            })();
            part.ok_or("the line table of the module's image is damaged")?;
        }
        let side = section(".oxide.side");
        if !side.is_empty() {
            image.side = SideTable::from_bytes(side)
                .map_err(|e| format!("the side table of the module cannot be read: {e}"))?;
        }
        let mut r = Reader(section(".nv_debug_info_reg_sass"));
        while !r.0.is_empty() {
            let part = (|| {
                let (function, n) = (r.text()?, r.u32()?);
                let all = image.registers.entry(function).or_default();
                for _ in 0..n {
                    let (word, name, value, _from, _to) =
                        (r.u32()?, r.text()?, r.u32()?, r.u32()?, r.u32()?);
                    let (class, number) = (value >> 24, value & 0xff_ffff);
                    let home = all.entry(name).or_insert(Home {
                        predicate: class == 2,
                        number: number.checked_sub(word)?,
                        words: 0,
                    });
                    home.words = home.words.max(word + 1);
                }
                Some(())
            })();
            part.ok_or("the register map of the module's image is damaged")?;
        }
        Ok(image)
    }

    /// Whether an address is in its code.
    pub fn holds(&self, pc: u64) -> bool {
        self.kernels.iter().any(|k| k.range.contains(&pc))
    }

    /// Whether it has Rust lines.
    pub fn has_lines(&self) -> bool {
        !self.side.lines.is_empty()
    }

    /// The function of an address.
    pub fn function(&self, pc: u64) -> Option<&Function> {
        self.functions.iter().find(|f| f.range.contains(&pc))
    }

    /// The kernel whose code an address is in.
    pub fn kernel(&self, pc: u64) -> Option<&Function> {
        self.kernels.iter().find(|f| f.range.contains(&pc))
    }

    /// The Rust positions of an instruction, innermost first.
    pub fn places(&self, pc: u64) -> Vec<Place> {
        let Some(line) = self.lines.get(&pc) else {
            return Vec::new();
        };
        let frames = self.side.frames(*line).filter(|f| f.line != 0);
        frames
            .map(|f| Place {
                file: f.file.into(),
                line: f.line,
                column: f.column,
                function: f.function.into(),
            })
            .collect()
    }

    /// All source files of the side table.
    pub fn files(&self) -> &[String] {
        &self.side.files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_image_is_an_error() {
        for bytes in [&b""[..], b"\x7fELF", &[0; 64]] {
            let e = Image::read(1, bytes).unwrap_err();
            assert!(e.starts_with("the module's image cannot be read: "), "{e}");
        }
    }
}
