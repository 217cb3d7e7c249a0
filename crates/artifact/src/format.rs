//! Writing and reading the file. The reader trusts nothing: lengths are compared with what is left before anything is
//! allocated, and indices are checked, so that no later code can run past a table.

use crate::{Arg, Artifact, Kernel, Param, Route, SideTable, Source, Stage};

const MAGIC: &[u8; 6] = b"OXART\0";
const VERSION: u16 = 1;

/// Why bytes are not an artifact (or not a side table).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The first bytes are others.
    #[error("not {what}: it does not begin with its mark")]
    Magic { what: &'static str },
    /// Made by another version of cuda-oxide.
    #[error(
        "{what} has format version {found}, this program reads {expected}: rebuild with `cargo oxide build`"
    )]
    Version {
        what: &'static str,
        found: u16,
        expected: u16,
    },
    /// The bytes end too early.
    #[error("truncated at byte {at}, while reading {field}")]
    Truncated { at: usize, field: &'static str },
    /// The checksum over the contents differs.
    #[error("damaged: checksum {found:#018x}, contents give {computed:#018x}")]
    Checksum { found: u64, computed: u64 },
    /// A string is not UTF-8.
    #[error("{field} at byte {at} is not UTF-8")]
    Utf8 { at: usize, field: &'static str },
    /// A number is outside what the field allows.
    #[error("{field} has the impossible value {value} at byte {at}")]
    Value {
        at: usize,
        field: &'static str,
        value: u64,
    },
    /// A compressed text does not decompress to its stated length.
    #[error("a compressed text at byte {at} is damaged")]
    Compression { at: usize },
    /// Two kernels with one key.
    #[error("two kernels have the key `{key}`")]
    DuplicateKey { key: String },
    /// Bytes are left over.
    #[error("{left} bytes follow the end")]
    Trailing { left: usize },
}

/// The longest stage text that is decompressed: far more than any real one, so that a hostile file cannot ask for all memory.
const MAX_TEXT: u32 = 1 << 30;

impl Artifact {
    /// The file's bytes, a function of the value alone.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::default();
        for s in [
            &self.crate_name,
            &self.arch,
            &self.ptx,
            &self.llvm_ir,
            &self.toolchain,
            &self.options,
        ] {
            w.str(s);
        }
        w.bytes(&self.side.to_bytes());
        w.u32(self.kernels.len() as u32);
        for k in &self.kernels {
            w.kernel(k);
        }
        w.u32(self.stages.len() as u32);
        for s in &self.stages {
            w.opt(s.kernel.as_ref(), |w, k| w.str(k));
            w.str(&s.stage);
            w.u32(s.text.len() as u32);
            w.bytes(&miniz_oxide::deflate::compress_to_vec_zlib(
                s.text.as_bytes(),
                6,
            ));
        }
        let mut out = Vec::with_capacity(w.0.len() + 16);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&crate::fnv1a_bytes(&w.0).to_le_bytes());
        out.extend_from_slice(&w.0);
        out
    }

    /// Reads a file; never panics.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        const WHAT: &str = "an artifact";
        let mut r = Reader::new(bytes);
        r.header(WHAT, MAGIC, VERSION)?;
        let found = r.u64("checksum")?;
        let computed = crate::fnv1a_bytes(&bytes[r.at..]);
        if found != computed {
            return Err(FormatError::Checksum { found, computed });
        }
        let mut a = Artifact {
            crate_name: r.str("crate_name")?,
            arch: r.str("arch")?,
            ptx: r.str("ptx")?,
            llvm_ir: r.str("llvm_ir")?,
            toolchain: r.str("toolchain")?,
            options: r.str("options")?,
            ..Artifact::default()
        };
        a.side = SideTable::from_bytes(r.bytes("side table")?)?;
        let n = r.count("kernels", 30)?;
        let mut keys = std::collections::HashSet::new();
        for _ in 0..n {
            let k = r.kernel()?;
            if !keys.insert(k.key.clone()) {
                return Err(FormatError::DuplicateKey { key: k.key });
            }
            a.kernels.push(k);
        }
        let n = r.count("stages", 13)?;
        for _ in 0..n {
            a.stages.push(r.stage()?);
        }
        r.end()?;
        Ok(a)
    }
}

#[derive(Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn u8(&mut self, v: u8) {
        self.0.push(v);
    }
    pub(crate) fn u16(&mut self, v: u16) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    pub(crate) fn u32(&mut self, v: u32) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    pub(crate) fn u64(&mut self, v: u64) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    pub(crate) fn bytes(&mut self, v: &[u8]) {
        self.u32(v.len() as u32);
        self.0.extend_from_slice(v);
    }
    pub(crate) fn str(&mut self, v: &str) {
        self.bytes(v.as_bytes());
    }
    fn opt<T>(&mut self, v: Option<T>, f: impl FnOnce(&mut Self, T)) {
        self.u8(v.is_some() as u8);
        if let Some(v) = v {
            f(self, v);
        }
    }

    fn kernel(&mut self, k: &Kernel) {
        self.str(&k.key);
        self.str(&k.ptx_name);
        self.str(&k.symbol);
        self.u8(match k.route {
            Route::Mir => 0,
            Route::Llvm => 1,
        });
        self.opt(k.launch_bounds, |w, (max, min)| {
            w.u32(max);
            w.u32(min);
        });
        self.opt(k.source.as_ref(), |w, s| {
            w.str(&s.file);
            w.u32(s.line);
            w.u32(s.column);
        });
        self.u32(k.args.len() as u32);
        for a in &k.args {
            self.str(&a.name);
            self.str(&a.type_name);
            self.u64(a.size);
            self.u64(a.align);
            self.opt(a.layout_hash, |w, h| w.u64(h));
        }
        self.u32(k.params.len() as u32);
        for p in &k.params {
            self.u32(p.arg);
            self.u64(p.offset);
            self.u64(p.size);
        }
    }
}

pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0 }
    }

    pub(crate) fn header(
        &mut self,
        what: &'static str,
        magic: &[u8],
        version: u16,
    ) -> Result<(), FormatError> {
        if !self.bytes.starts_with(magic) {
            return Err(FormatError::Magic { what });
        }
        self.at = magic.len();
        let found = self.u16("version")?;
        if found != version {
            return Err(FormatError::Version {
                what,
                found,
                expected: version,
            });
        }
        Ok(())
    }

    fn take(&mut self, n: usize, field: &'static str) -> Result<&'a [u8], FormatError> {
        let left = self.bytes.get(self.at..).unwrap_or_default();
        let taken = left
            .get(..n)
            .ok_or(FormatError::Truncated { at: self.at, field })?;
        self.at += n;
        Ok(taken)
    }
    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], FormatError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N, field)?);
        Ok(out)
    }
    pub(crate) fn u8(&mut self, field: &'static str) -> Result<u8, FormatError> {
        Ok(self.array::<1>(field)?[0])
    }
    pub(crate) fn u16(&mut self, field: &'static str) -> Result<u16, FormatError> {
        Ok(u16::from_le_bytes(self.array(field)?))
    }
    pub(crate) fn u32(&mut self, field: &'static str) -> Result<u32, FormatError> {
        Ok(u32::from_le_bytes(self.array(field)?))
    }
    pub(crate) fn u64(&mut self, field: &'static str) -> Result<u64, FormatError> {
        Ok(u64::from_le_bytes(self.array(field)?))
    }
    pub(crate) fn bytes(&mut self, field: &'static str) -> Result<&'a [u8], FormatError> {
        let n = self.u32(field)? as usize;
        self.take(n, field)
    }
    pub(crate) fn str(&mut self, field: &'static str) -> Result<String, FormatError> {
        let at = self.at;
        let bytes = self.bytes(field)?;
        let s = std::str::from_utf8(bytes).map_err(|_| FormatError::Utf8 { at, field })?;
        Ok(s.to_owned())
    }

    /// A count of items that take at least `least` bytes each: more than fit in what is left is an error at once.
    pub(crate) fn count(
        &mut self,
        field: &'static str,
        least: usize,
    ) -> Result<usize, FormatError> {
        let n = self.u32(field)? as usize;
        let left = self.bytes.len().saturating_sub(self.at);
        if n.saturating_mul(least) > left {
            return Err(FormatError::Truncated { at: self.at, field });
        }
        Ok(n)
    }

    fn opt<T>(
        &mut self,
        field: &'static str,
        f: impl FnOnce(&mut Self) -> Result<T, FormatError>,
    ) -> Result<Option<T>, FormatError> {
        match self.u8(field)? {
            0 => Ok(None),
            1 => f(self).map(Some),
            v => Err(FormatError::Value {
                at: self.at - 1,
                field,
                value: v.into(),
            }),
        }
    }

    pub(crate) fn end(&self) -> Result<(), FormatError> {
        match self.bytes.len().saturating_sub(self.at) {
            0 => Ok(()),
            left => Err(FormatError::Trailing { left }),
        }
    }

    fn kernel(&mut self) -> Result<Kernel, FormatError> {
        let (key, ptx_name, symbol) =
            (self.str("key")?, self.str("ptx_name")?, self.str("symbol")?);
        let route = match self.u8("route")? {
            0 => Route::Mir,
            1 => Route::Llvm,
            v => {
                return Err(FormatError::Value {
                    at: self.at - 1,
                    field: "route",
                    value: v.into(),
                });
            }
        };
        let launch_bounds = self.opt("launch bounds", |r| {
            Ok((r.u32("max_threads")?, r.u32("min_blocks")?))
        })?;
        let source = self.opt("source", |r| {
            Ok(Source {
                file: r.str("source file")?,
                line: r.u32("source line")?,
                column: r.u32("source column")?,
            })
        })?;
        let mut args = Vec::new();
        for _ in 0..self.count("args", 25)? {
            let (name, type_name) = (self.str("argument name")?, self.str("argument type")?);
            let size = self.u64("argument size")?;
            let align = self.u64("argument align")?;
            if !align.is_power_of_two() || size > u64::from(u32::MAX) {
                let (field, value) = if align.is_power_of_two() {
                    ("argument size", size)
                } else {
                    ("argument align", align)
                };
                return Err(FormatError::Value {
                    at: self.at - 8,
                    field,
                    value,
                });
            }
            let layout_hash = self.opt("layout hash", |r| r.u64("layout hash"))?;
            args.push(Arg {
                name,
                type_name,
                size,
                align,
                layout_hash,
            });
        }
        let mut params = Vec::new();
        for _ in 0..self.count("params", 20)? {
            let at = self.at;
            let p = Param {
                arg: self.u32("parameter")?,
                offset: self.u64("parameter")?,
                size: self.u64("parameter")?,
            };
            let arg: Option<&Arg> = args.get(p.arg as usize);
            let arg = arg.ok_or(FormatError::Value {
                at,
                field: "argument of a parameter",
                value: p.arg.into(),
            })?;
            let end = p.offset.checked_add(p.size);
            if p.size == 0 || end.is_none_or(|end| end > arg.size) {
                return Err(FormatError::Value {
                    at,
                    field: "size of a parameter",
                    value: p.size,
                });
            }
            params.push(p);
        }
        Ok(Kernel {
            key,
            ptx_name,
            symbol,
            route,
            launch_bounds,
            source,
            args,
            params,
        })
    }

    fn stage(&mut self) -> Result<Stage, FormatError> {
        let kernel = self.opt("kernel of a stage", |r| r.str("kernel of a stage"))?;
        let stage = self.str("stage")?;
        let length = self.u32("stage length")?;
        let at = self.at;
        let packed = self.bytes("stage text")?;
        // Deflate cannot do better than about 1032 to 1, so a length beyond that is a lie and allocates nothing.
        let possible = (packed.len() as u64).saturating_mul(1040);
        if length > MAX_TEXT || u64::from(length) > possible {
            return Err(FormatError::Compression { at });
        }
        let text = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(packed, length as usize)
            .map_err(|_| FormatError::Compression { at })?;
        if text.len() != length as usize {
            return Err(FormatError::Compression { at });
        }
        let text = String::from_utf8(text).map_err(|_| FormatError::Utf8 {
            at,
            field: "stage text",
        })?;
        Ok(Stage {
            kernel,
            stage,
            text,
        })
    }
}
