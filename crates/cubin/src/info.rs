//! What a cubin says of its kernels and of the tool that made it: `.nv.info`, `.note.nv.tkinfo`.

use crate::bytes::Cursor;
use crate::elf::{Cubin, Function};
use crate::error::{Result, damaged};

/// Attributes whose meaning is used or shown; the names are those that nvdisasm prints.
const NAMES: &[(u8, &str)] = &[
    (REGCOUNT, "REGCOUNT"),
    (FRAME_SIZE, "FRAME_SIZE"),
    (MIN_STACK_SIZE, "MIN_STACK_SIZE"),
    (PARAM_CBANK, "PARAM_CBANK"),
    (0x0f, "EXTERNS"),
    (0x17, "KPARAM_INFO"),
    (0x19, "CBANK_PARAM_SIZE"),
    (0x1b, "MAXREG_COUNT"),
    (0x1c, "EXIT_INSTR_OFFSETS"),
    (0x37, "CUDA_API_VERSION"),
    (0x50, "SPARSE_MMA_MASK"),
    (LANGUAGE, "LANGUAGE"),
    (0x6d, "PREEXIT_USED"),
];
const PARAM_CBANK: u8 = 0x0a;
const FRAME_SIZE: u8 = 0x11;
const MIN_STACK_SIZE: u8 = 0x12;
const REGCOUNT: u8 = 0x2f;
const LANGUAGE: u8 = 0x66;

/// The name of an attribute of `.nv.info`, where it is known.
pub fn attribute_name(id: u8) -> Option<&'static str> {
    NAMES.iter().find(|(n, _)| *n == id).map(|(_, name)| *name)
}

/// One attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    pub id: u8,
    /// Its bytes: none, one, two, or as many as it says.
    pub value: &'a [u8],
}

/// The attributes of a `.nv.info` section, read one after the other.
#[derive(Clone)]
pub struct Attributes<'a> {
    cursor: Cursor<'a>,
    failed: bool,
}

impl<'a> Attributes<'a> {
    pub fn new(section: &'a [u8]) -> Self {
        Self {
            cursor: Cursor::new(section),
            failed: false,
        }
    }

    fn read(&mut self) -> Option<Attribute<'a>> {
        let format = self.cursor.u8()?;
        let id = self.cursor.u8()?;
        let value = match format {
            1 => self.cursor.take(2).map(|_| &[][..])?,
            2 => self.cursor.take(2)?.get(..1)?,
            3 => self.cursor.take(2)?,
            4 => {
                let len = self.cursor.u16()?;
                self.cursor.take(usize::from(len))?
            }
            _ => return None,
        };
        Some(Attribute { id, value })
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Result<Attribute<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.cursor.at >= self.cursor.data.len() {
            return None;
        }
        let at = self.cursor.at;
        let read = self.read();
        self.failed = read.is_none();
        Some(read.ok_or_else(|| {
            damaged(
                "section `.nv.info`",
                format!("no attribute can be read at byte {at}"),
            )
        }))
    }
}

impl Attribute<'_> {
    fn pair(&self) -> Option<(u32, u32)> {
        let mut c = Cursor::new(self.value);
        Some((c.u32()?, c.u32()?))
    }
}

/// What a kernel takes, by what the cubin itself says. Spills it does not tell; [`crate::Usage`] does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Registers of each thread.
    pub registers: Option<u32>,
    /// Bytes of stack of each thread.
    pub stack: Option<u32>,
    /// Bytes of static shared memory of each block.
    pub shared: u64,
    /// Bytes of the constant bank of parameters.
    pub constant: u64,
    /// Bytes of parameters.
    pub parameters: Option<u16>,
}

impl<'a> Cubin<'a> {
    /// The attributes of the whole file, or of one function.
    pub fn attributes(&self, function: Option<&str>) -> Result<Attributes<'a>> {
        let section = match function {
            None => self.section(".nv.info")?,
            Some(name) => self.section(&format!(".nv.info.{name}"))?,
        };
        Ok(Attributes::new(section.unwrap_or_default()))
    }

    /// What a kernel takes.
    pub fn resources(&self, kernel: &Function<'_>) -> Result<Resources> {
        // From sm_90 on the first KiB of the section is the system's own (measured; ptxas -v leaves it out).
        let system = if self.sm() >= 90 { 1024 } else { 0 };
        let mut out = Resources {
            shared: self
                .section_size(&format!(".nv.shared.{}", kernel.name))
                .map_or(0, |size| size.saturating_sub(system)),
            constant: self
                .section_size(&format!(".nv.constant0.{}", kernel.name))
                .unwrap_or(0),
            ..Resources::default()
        };
        for attribute in self.attributes(None)? {
            let attribute = attribute?;
            let Some((symbol, value)) = attribute.pair() else {
                continue;
            };
            if symbol != kernel.symbol {
                continue;
            }
            match attribute.id {
                REGCOUNT => out.registers = Some(value),
                // The deepest stack where it is known, else the function's own frame.
                MIN_STACK_SIZE => out.stack = Some(value),
                FRAME_SIZE => out.stack = out.stack.or(Some(value)),
                _ => {}
            }
        }
        for attribute in self.attributes(Some(kernel.name))? {
            let attribute = attribute?;
            if attribute.id == PARAM_CBANK
                && let Some((_, place)) = attribute.pair()
            {
                // The bank's offset, and the number of bytes.
                out.parameters = Some((place >> 16) as u16);
            }
        }
        Ok(out)
    }

    /// The tool that wrote the cubin, if it says so (CUDA 13 and later).
    pub fn tool(&self) -> Result<Option<ToolInfo>> {
        ToolInfo::of(self)
    }
}

/// `.note.nv.tkinfo`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolInfo {
    /// `ptxas`, or what a distributor calls it.
    pub name: String,
    /// `Cuda compilation tools, release 13.5, V13.5.37`.
    pub version: String,
    pub build: String,
    /// The command line, in part: some flags are not recorded.
    pub options: String,
}

impl ToolInfo {
    pub(crate) fn of(cubin: &Cubin<'_>) -> Result<Option<Self>> {
        let Some(note) = cubin.section(".note.nv.tkinfo")? else {
            return Ok(None);
        };
        Self::read(note)
            .ok_or_else(|| damaged("section `.note.nv.tkinfo`", "it is cut off"))
            .map(Some)
    }

    /// An ELF note whose description is a version, four or five offsets, and strings.
    fn read(note: &[u8]) -> Option<Self> {
        let mut c = Cursor::new(note);
        let name_len = c.u32()? as usize;
        let (_, _) = (c.u32()?, c.u32()?);
        c.take(name_len.checked_next_multiple_of(4)?)?;
        c.u32()?;
        let offsets = [c.u32()?, c.u32()?, c.u32()?, c.u32()?, c.u32()?];
        let strings = note.get(c.at..)?;
        let string = |at: u32| {
            let text = Cursor::new(strings.get(at as usize..)?).c_str()?;
            Some(String::from_utf8_lossy(text).trim().to_string())
        };
        Some(Self {
            name: string(offsets[1])?,
            version: string(offsets[2])?,
            build: string(offsets[3])?,
            options: string(offsets[4])?,
        })
    }

    /// `13.5.37` of the version's text.
    pub fn number(&self) -> Option<&str> {
        self.version.rsplit_once(" V").map(|(_, n)| n)
    }

    /// The architecture that ptxas was given: `sm_90a`.
    pub fn arch(&self) -> Option<&str> {
        let mut words = self.options.split_whitespace();
        words.find(|w| *w == "-arch")?;
        words.next()
    }
}
