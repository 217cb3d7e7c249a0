//! The ELF side of a cubin: sections, symbols, functions.

use crate::error::{Error, Result, damaged};
use object::Endianness;
use object::elf::{EM_CUDA, FileHeader64};
use object::read::elf::{ElfFile64, FileHeader, Rela as _, SectionHeader as _, Sym as _};

/// `st_other` of a symbol that a launch can name.
const STO_CUDA_ENTRY: u8 = 0x10;
const CODE: &str = ".text.";

/// A cubin.
pub struct Cubin<'a> {
    pub(crate) data: &'a [u8],
    elf: ElfFile64<'a>,
}

impl std::fmt::Debug for Cubin<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cubin(sm_{}, {} bytes)", self.sm(), self.data.len())
    }
}

/// A function, or a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function<'a> {
    /// Its symbol, as in the PTX.
    pub name: &'a str,
    /// A kernel: a launch can name it.
    pub entry: bool,
    /// Index of its symbol.
    pub symbol: u32,
    /// Index of its code section.
    pub section: u32,
    /// First byte in the section.
    pub start: u64,
    /// Number of bytes.
    pub size: u64,
}

/// One relocation of a section: the symbol at which `offset` points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    pub offset: u64,
    pub symbol: u32,
    /// `None`: what stands at `offset`.
    pub addend: Option<i64>,
}

impl<'a> Cubin<'a> {
    /// Reads the headers.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        if !data.starts_with(b"\x7fELF") {
            let begins = match data.len() {
                0 => "nothing: it is empty".to_string(),
                n => format!("{:02x?}", &data[..n.min(8)]),
            };
            return Err(Error::NotCubin { begins });
        }
        if data.len() >= 6 && (data[4] != 2 || data[5] != 1) {
            return Err(Error::WrongMachine {
                machine: "a machine of 32 bits or of the other byte order".to_string(),
            });
        }
        let header = FileHeader64::<Endianness>::parse(data).map_err(elf_error)?;
        let endian = header.endian().map_err(elf_error)?;
        let machine = header.e_machine(endian);
        if machine != EM_CUDA {
            return Err(Error::WrongMachine {
                machine: match machine.0 {
                    62 => "x86-64 (a host program or object)".to_string(),
                    183 => "AArch64 (a host program or object)".to_string(),
                    n => format!("machine {n}"),
                },
            });
        }
        let elf = ElfFile64::parse(data).map_err(elf_error)?;
        if elf.elf_section_table().is_empty() {
            return Err(Error::Elf("it has no sections".to_string()));
        }
        Ok(Self { data, elf })
    }

    /// The architecture's number: 90 of `sm_90`. Whether it is `sm_90a` only [`Cubin::tool`] tells.
    pub fn sm(&self) -> u32 {
        let header = self.elf.elf_header();
        let flags = header.e_flags(LE).0;
        // CUDA 13 (ABI version 8) has it in bits 8-15, CUDA 12 (7) in bits 0-7.
        match header.e_ident.abi_version {
            0..=7 => flags & 0xff,
            _ => flags >> 8 & 0xff,
        }
    }

    /// Names and bytes of all sections; those without bytes in the file are empty.
    pub fn sections(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> + '_ {
        (0..self.elf.elf_section_table().len()).filter_map(|i| {
            let name = self.section_name(i as u32)?;
            Some((name, self.section_data(i as u32).unwrap_or_default()))
        })
    }

    /// The bytes of the section of exactly this name. Names that begin with `.nv.merc.` are copies and of no interest here.
    pub fn section(&self, name: &str) -> Result<Option<&'a [u8]>> {
        match self.section_index(name) {
            Some(i) => self.section_data(i).map(Some),
            None => Ok(None),
        }
    }

    pub(crate) fn section_index(&self, name: &str) -> Option<u32> {
        let n = self.elf.elf_section_table().len() as u32;
        (0..n).find(|i| self.section_name(*i) == Some(name))
    }

    pub(crate) fn section_name(&self, index: u32) -> Option<&'a str> {
        let table = self.elf.elf_section_table();
        let header = table.section(object::SectionIndex(index as usize)).ok()?;
        std::str::from_utf8(table.section_name(LE, header).ok()?).ok()
    }

    /// The size that a section has on the device, in the file or not.
    pub(crate) fn section_size(&self, name: &str) -> Option<u64> {
        let index = self.section_index(name)?;
        let table = self.elf.elf_section_table();
        let header = table.section(object::SectionIndex(index as usize)).ok()?;
        Some(header.sh_size(LE))
    }

    pub(crate) fn section_data(&self, index: u32) -> Result<&'a [u8]> {
        let table = self.elf.elf_section_table();
        let header = table
            .section(object::SectionIndex(index as usize))
            .map_err(elf_error)?;
        header.data(LE, self.data).map_err(|e| {
            let name = self.section_name(index).unwrap_or("?");
            damaged(format!("section `{name}`"), e.to_string())
        })
    }

    /// Every function in the order of symbols; kernels are those with [`Function::entry`].
    pub fn functions(&self) -> impl Iterator<Item = Function<'a>> + '_ {
        let symbols = self.elf.elf_symbol_table();
        symbols.enumerate().filter_map(move |(index, symbol)| {
            if symbol.st_type() != object::elf::STT_FUNC {
                return None;
            }
            let section = u32::from(symbol.st_shndx(LE).0);
            if !self.section_name(section)?.starts_with(CODE) {
                return None;
            }
            let name = std::str::from_utf8(symbols.symbol_name(LE, symbol).ok()?).ok()?;
            Some(Function {
                name,
                entry: symbol.st_other().0 & STO_CUDA_ENTRY != 0,
                symbol: index.0 as u32,
                section,
                start: symbol.st_value(LE),
                size: symbol.st_size(LE),
            })
        })
    }

    /// The kernels.
    pub fn kernels(&self) -> impl Iterator<Item = Function<'a>> + '_ {
        self.functions().filter(|f| f.entry)
    }

    /// The code of a function.
    pub fn code(&self, function: &Function<'_>) -> Result<&'a [u8]> {
        let section = self.section_data(function.section)?;
        let end = function.start.checked_add(function.size);
        end.and_then(|end| section.get(function.start as usize..end as usize))
            .ok_or_else(|| {
                damaged(
                    format!("function `{}`", function.name),
                    "it is longer than its section",
                )
            })
    }

    /// Name, section and value of a symbol.
    pub(crate) fn symbol(&self, index: u32) -> Option<(u32, u64)> {
        let symbol = self
            .elf
            .elf_symbol_table()
            .symbol(object::SymbolIndex(index as usize))
            .ok()?;
        Some((u32::from(symbol.st_shndx(LE).0), symbol.st_value(LE)))
    }

    /// The relocations of a section, as they stand in the file.
    pub(crate) fn relocations(&self, of: &str) -> Result<Vec<Relocation>> {
        let mut out = Vec::new();
        let table = self.elf.elf_section_table();
        for (prefix, with_addend) in [(".rela", true), (".rel", false)] {
            let name = format!("{prefix}{of}");
            let Some(index) = self.section_index(&name) else {
                continue;
            };
            let header = table
                .section(object::SectionIndex(index as usize))
                .map_err(elf_error)?;
            let bad = |e: object::Error| damaged(format!("section `{name}`"), e.to_string());
            if with_addend {
                let entries = header.rela(LE, self.data).map_err(bad)?;
                for r in entries.into_iter().flat_map(|(r, _)| r) {
                    out.push(Relocation {
                        offset: r.r_offset(LE),
                        symbol: r.r_sym(LE, false),
                        addend: Some(r.r_addend(LE)),
                    });
                }
            } else {
                let entries = header.rel(LE, self.data).map_err(bad)?;
                for r in entries.into_iter().flat_map(|(r, _)| r) {
                    out.push(Relocation {
                        offset: r.r_offset.get(LE),
                        symbol: (r.r_info.get(LE) >> 32) as u32,
                        addend: None,
                    });
                }
            }
        }
        Ok(out)
    }

    /// Made from Tile IR, by tileiras or nvcc's tile mode.
    pub fn is_tile(&self) -> bool {
        self.section_index(".nv.host").is_some()
    }
}

const LE: Endianness = Endianness::Little;

fn elf_error(e: object::Error) -> Error {
    Error::Elf(e.to_string())
}
