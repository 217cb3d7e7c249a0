//! Fat binaries: several images, each for an architecture, compressed or not.

use crate::bytes::Cursor;
use crate::error::{Error, Result, damaged};
use std::borrow::Cow;
use std::fmt;

pub(crate) const MAGIC: u32 = 0xba55_ed50;
/// Payload compressed by zstd.
const ZSTD: u64 = 0x8000;
/// Payload compressed by the older scheme of NVIDIA's own.
const OLD_COMPRESSION: u64 = 0x2000;
const ZSTD_MAGIC: u32 = 0xfd2f_b528;
/// What decoding may take without regard to the file's size, and how often its size beyond that.
const UNPACKED_FREE: usize = 1 << 20;
const UNPACKED_RATIO: usize = 256;
/// The window that a decoder has to support by RFC 8878.
const MAX_WINDOW: u64 = 8 << 20;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    Ptx,
    Cubin,
    /// Tile IR bytecode.
    TileIr,
    Other(u16),
}

impl fmt::Display for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EntryKind::Ptx => f.write_str("PTX"),
            EntryKind::Cubin => f.write_str("cubin"),
            EntryKind::TileIr => f.write_str("Tile IR bytecode"),
            EntryKind::Other(kind) => write!(f, "entry of kind {kind}"),
        }
    }
}

/// One image in a fat binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub kind: EntryKind,
    /// 90 of `sm_90`.
    pub sm: u32,
    /// Of PTX the ISA's, of bytecode the format's version: major, minor.
    pub version: (u16, u16),
    flags: u64,
    payload: &'a [u8],
    /// Bytes of the payload that are compressed data, and what they unpack to.
    compressed: usize,
    unpacked: u64,
    /// Options for the compiler of the image.
    pub options: &'a [u8],
}

/// A fat binary; several may lie one behind the other.
#[derive(Clone, Debug)]
pub struct Fatbin<'a> {
    data: &'a [u8],
}

impl<'a> Fatbin<'a> {
    /// Checks the first header.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        let fatbin = Self { data };
        // Entries are read again on demand; here they are checked.
        for entry in fatbin.entries() {
            entry?;
        }
        Ok(fatbin)
    }

    /// The entries in order; an error ends them.
    pub fn entries(&self) -> impl Iterator<Item = Result<Entry<'a>>> + use<'a> {
        let mut c = Cursor::new(self.data);
        let mut end = 0;
        let mut failed = false;
        std::iter::from_fn(move || {
            if failed {
                return None;
            }
            let result = next_entry(&mut c, &mut end);
            failed = matches!(result, Err(_) | Ok(None));
            result.transpose()
        })
    }

    /// The first entry of this kind for this architecture.
    pub fn find(&self, kind: EntryKind, sm: Option<u32>) -> Result<Entry<'a>> {
        let mut holds = String::new();
        for entry in self.entries() {
            let entry = entry?;
            if entry.kind == kind && sm.is_none_or(|sm| sm == entry.sm) {
                return Ok(entry);
            }
            let comma = if holds.is_empty() { "" } else { ", " };
            if holds.len() < 400 {
                holds += &format!("{comma}{} for sm_{}", entry.kind, entry.sm);
            }
        }
        Err(Error::NotInFatbin {
            wanted: match sm {
                Some(sm) => format!("{kind} for sm_{sm}"),
                None => kind.to_string(),
            },
            holds: if holds.is_empty() {
                "nothing".to_string()
            } else {
                holds
            },
        })
    }
}

fn next_entry<'a>(c: &mut Cursor<'a>, end: &mut usize) -> Result<Option<Entry<'a>>> {
    let cut = |at: usize, what: &str| {
        damaged("the fat binary", format!("{what} at byte {at} is cut off"))
    };
    while c.at >= *end {
        // Padding may follow a container.
        let rest = c.data.get(c.at..).unwrap_or_default();
        if rest.iter().all(|b| *b == 0) {
            return Ok(None);
        }
        let at = c.at;
        let mut head = || Some((c.u32()?, c.u16()?, c.u16()?, c.u64()?));
        let (magic, _version, header, size) = head().ok_or_else(|| cut(at, "the header"))?;
        if magic != MAGIC {
            let what =
                format!("at byte {at} there is {magic:#010x} and not the mark {MAGIC:#010x}");
            return Err(damaged("the fat binary", what));
        }
        let start = at.checked_add(usize::from(header).max(16));
        let stop = start.and_then(|s| s.checked_add(usize::try_from(size).ok()?));
        let (Some(start), Some(stop)) = (start, stop) else {
            return Err(cut(at, "the container"));
        };
        if stop > c.data.len() {
            return Err(cut(at, "the container"));
        }
        (c.at, *end) = (start, stop);
    }
    let at = c.at;
    let entry = entry(c).ok_or_else(|| cut(at, "the entry"))?;
    if c.at > *end || c.at <= at {
        return Err(cut(at, "the entry"));
    }
    Ok(Some(entry))
}

fn entry<'a>(c: &mut Cursor<'a>) -> Option<Entry<'a>> {
    let base = c.at;
    let kind = match c.u16()? {
        1 => EntryKind::Ptx,
        2 => EntryKind::Cubin,
        0x80 => EntryKind::TileIr,
        n => EntryKind::Other(n),
    };
    c.u16()?;
    let header = c.u32()? as usize;
    let payload_len = usize::try_from(c.u64()?).ok()?;
    let compressed = c.u32()? as usize;
    let options_at = c.u32()? as usize;
    let (minor, major) = (c.u16()?, c.u16()?);
    let sm = c.u32()?;
    c.at = base.checked_add(40)?;
    let flags = c.u64()?;
    c.at = base.checked_add(56)?;
    let unpacked = c.u64()?;
    if header < 64 {
        return None;
    }
    let start = base.checked_add(header)?;
    let payload = c.data.get(start..start.checked_add(payload_len)?)?;
    // Where the options are: their own offset and length at byte 64 of the header.
    let options = if options_at == 0 || header < options_at.checked_add(8)? {
        &[][..]
    } else {
        let mut o = Cursor {
            data: c.data,
            at: base.checked_add(options_at)?,
        };
        let (from, len) = (o.u32()? as usize, o.u32()? as usize);
        let from = base.checked_add(from)?;
        let bytes = c.data.get(from..from.checked_add(len)?)?;
        let end = bytes.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1);
        &bytes[..end]
    };
    c.at = start.checked_add(payload_len)?;
    Some(Entry {
        kind,
        sm,
        version: match kind {
            // Both in one word.
            EntryKind::TileIr => (major >> 8, major & 0xff),
            _ => (major, minor),
        },
        flags,
        payload,
        compressed,
        unpacked,
        options,
    })
}

impl<'a> Entry<'a> {
    /// Whether [`Entry::data`] has to unpack it.
    pub fn is_compressed(&self) -> bool {
        self.flags & (ZSTD | OLD_COMPRESSION) != 0
    }

    /// The image: of PTX without the NUL bytes at its end.
    pub fn data(&self) -> Result<Cow<'a, [u8]>> {
        let what = || format!("the {} for sm_{} of the fat binary", self.kind, self.sm);
        let mut data = if !self.is_compressed() {
            Cow::Borrowed(self.payload)
        } else if self.flags & ZSTD == 0 {
            return Err(damaged(
                what(),
                "it is compressed as CUDA 12.3 and before did, which is not supported",
            ));
        } else {
            let packed = self
                .payload
                .get(..self.compressed)
                .ok_or_else(|| damaged(what(), "it is shorter than its header says"))?;
            Cow::Owned(unpack(packed, self.unpacked).map_err(|why| damaged(what(), why))?)
        };
        if self.kind == EntryKind::Ptx {
            let end = data.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1);
            match &mut data {
                Cow::Borrowed(b) => *b = &b[..end],
                Cow::Owned(b) => b.truncate(end),
            }
        }
        Ok(data)
    }
}

fn unpack(packed: &[u8], unpacked: u64) -> std::result::Result<Vec<u8>, String> {
    let limit = UNPACKED_FREE.max(packed.len().saturating_mul(UNPACKED_RATIO));
    let size = usize::try_from(unpacked)
        .ok()
        .filter(|n| *n <= limit)
        .ok_or_else(|| format!("it is to unpack to {unpacked} bytes, more than {limit}"))?;
    let window = window(packed).ok_or("its zstd frame is damaged")?;
    if window > MAX_WINDOW.max(unpacked) {
        return Err(format!("its zstd window has {window} bytes"));
    }
    let mut out = vec![0; size];
    let mut decoder = ruzstd::decoding::FrameDecoder::new();
    let n = decoder
        .decode_all(packed, &mut out)
        .map_err(|e| format!("zstd: {e}"))?;
    if n != size {
        return Err(format!("it unpacks to {n} bytes and not to {size}"));
    }
    Ok(out)
}

/// The window of a zstd frame (RFC 8878, 3.1.1.1), which a decoder allocates at once.
fn window(frame: &[u8]) -> Option<u64> {
    let mut c = Cursor::new(frame);
    if c.u32()? != ZSTD_MAGIC {
        return None;
    }
    let descriptor = c.u8()?;
    if descriptor & 0x20 == 0 {
        let byte = u64::from(c.u8()?);
        let base = 1u64 << (10 + (byte >> 3));
        return Some(base + base / 8 * (byte & 7));
    }
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    c.take(dictionary)?;
    Some(match descriptor >> 6 {
        0 => u64::from(c.u8()?),
        1 => u64::from(c.u16()?) + 256,
        2 => u64::from(c.u32()?),
        _ => c.u64()?,
    })
}
