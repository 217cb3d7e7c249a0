//! A module as an ELF image: addresses, symbols, PTX, lines and registers, in the form of a loaded cubin.

use crate::{registers, sections};
use gpu_sim::Kernel;
use object::elf;
use object::write::elf::{FileHeader, SectionHeader, Sym, Writer};

/// `EM_CUDA`.
const MACHINE: elf::Machine = elf::Machine(190);
/// `ELFOSABI_CUDA` of current toolkits.
const OS_ABI: elf::OsAbi = elf::OsAbi(0x41);
/// Mark of a kernel in `st_other`.
const KERNEL: elf::SymbolOther = elf::SymbolOther(0x10);

/// A kernel of a module and where its code is.
pub(crate) struct Text {
    pub kernel: Kernel,
    pub base: u64,
}

impl Text {
    pub fn end(&self) -> u64 {
        self.base + 16 * self.kernel.instruction_count() as u64
    }
}

/// Writes the image. Instructions have no bytes, so the texts have none.
pub(crate) fn build(
    texts: &[Text],
    ptx: &str,
    side: &[u8],
) -> Result<Vec<u8>, object::write::Error> {
    let mut lines = Vec::new();
    let mut map = Vec::new();
    for t in texts {
        let numbers = t.kernel.lines();
        lines.extend(t.base.to_le_bytes());
        lines.extend((numbers.len() as u32).to_le_bytes());
        lines.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
        // A device function is there once for each kernel that reaches it, with the same registers.
        map.extend(t.kernel.functions().iter().flat_map(registers::section));
    }
    let ptx: Vec<u8> = ptx
        .bytes()
        .map(|b| if b == b'\n' { 0 } else { b })
        .collect();
    let data: [(&str, &[u8]); 4] = [
        (sections::PTX, &ptx),
        (sections::REGISTERS, &map),
        (sections::LINES, &lines),
        (sections::SIDE, side),
    ];
    let text_names: Vec<String> = texts
        .iter()
        .map(|t| format!(".text.{}", t.kernel.name()))
        .collect();
    let functions: Vec<Vec<gpu_sim::CodeFunction>> =
        texts.iter().map(|t| t.kernel.functions()).collect();

    let mut out = Vec::new();
    let mut w = Writer::new(object::Endianness::Little, true, &mut out);
    w.reserve_file_header();
    w.reserve_null_section_index();
    let text_ids: Vec<_> = text_names
        .iter()
        .map(|n| (w.add_section_name(n.as_bytes()), w.reserve_section_index()))
        .collect();
    let data_ids: Vec<_> = data
        .iter()
        .map(|(n, _)| (w.add_section_name(n.as_bytes()), w.reserve_section_index()))
        .collect();
    w.reserve_symtab_section_index();
    w.reserve_strtab_section_index();
    w.reserve_shstrtab_section_index();
    w.reserve_null_symbol_index();
    let mut symbols = Vec::new();
    for (t, functions) in functions.iter().enumerate() {
        for f in functions {
            let name = w.add_string(f.name.as_bytes());
            w.reserve_symbol_index(Some(text_ids[t].1));
            symbols.push((name, t, f.code.clone(), f.name == texts[t].kernel.name()));
        }
    }
    let offsets: Vec<u64> = data
        .iter()
        .map(|(_, bytes)| w.reserve(bytes.len() as u64, 8))
        .collect();
    w.reserve_symtab();
    w.reserve_strtab()?;
    w.reserve_shstrtab()?;
    w.reserve_section_headers();

    w.write_file_header(&FileHeader {
        os_abi: OS_ABI,
        abi_version: 8,
        e_type: elf::ET_EXEC,
        e_machine: MACHINE,
        e_entry: 0,
        e_flags: elf::FileFlags(90),
    })?;
    for ((_, bytes), offset) in data.iter().zip(&offsets) {
        w.pad_until(*offset);
        w.write(bytes);
    }
    w.write_null_symbol();
    for (name, t, code, kernel) in &symbols {
        let st_name = w.string_offset(Some(*name));
        w.write_symbol(&Sym {
            st_name,
            section: Some(text_ids[*t].1.0),
            st_info: elf::SymbolInfo::new(elf::STB_GLOBAL, elf::STT_FUNC),
            st_other: if *kernel { KERNEL } else { elf::SymbolOther(0) },
            st_shndx: elf::SymbolSection(0),
            st_value: texts[*t].base + 16 * u64::from(code.start),
            st_size: 16 * u64::from(code.end - code.start),
        });
    }
    w.write_strtab();
    w.write_shstrtab();
    w.write_null_section_header();
    for (t, (name, _)) in texts.iter().zip(&text_ids) {
        let sh_name = w.section_name_offset(Some(*name));
        w.write_section_header(&SectionHeader {
            sh_type: elf::SHT_NOBITS,
            sh_flags: elf::SHF_ALLOC | elf::SHF_EXECINSTR,
            sh_addr: t.base,
            sh_size: t.end() - t.base,
            sh_addralign: 128,
            ..section(sh_name)
        });
    }
    for (((_, bytes), offset), (name, _)) in data.iter().zip(&offsets).zip(&data_ids) {
        let sh_name = w.section_name_offset(Some(*name));
        w.write_section_header(&SectionHeader {
            sh_offset: *offset,
            sh_size: bytes.len() as u64,
            sh_addralign: 8,
            ..section(sh_name)
        });
    }
    w.write_symtab_section_header(1);
    w.write_strtab_section_header();
    w.write_shstrtab_section_header();
    Ok(out)
}

fn section(sh_name: u32) -> SectionHeader {
    SectionHeader {
        sh_name,
        sh_type: elf::SHT_PROGBITS,
        sh_flags: elf::SectionFlags(0),
        sh_addr: 0,
        sh_offset: 0,
        sh_size: 0,
        sh_link: 0,
        sh_info: 0,
        sh_addralign: 1,
        sh_entsize: 0,
    }
}
