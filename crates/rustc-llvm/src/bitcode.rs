//! The bitcode that the toolchain's own libraries carry beside their machine code: bodies of `core`'s non-generic functions.
//!
//! An `.rlib` is an `ar` archive of ELF objects; each object has its LLVM bitcode in a section `.llvmbc`.

use std::path::{Path, PathBuf};

/// Why there is no bitcode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BitcodeError {
    /// No such file, or it cannot be read.
    Unreadable(PathBuf, String),
    /// The file is not of the form that rustc writes.
    Malformed(&'static str),
}

impl std::fmt::Display for BitcodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(path, why) => {
                write!(
                    f,
                    "cannot read the standard library's {}: {why}\n  help: `rustup target add` the host's target",
                    path.display()
                )
            }
            Self::Malformed(why) => {
                write!(f, "a library of the toolchain is not as expected: {why}")
            }
        }
    }
}

impl std::error::Error for BitcodeError {}

/// The bitcode modules of `core`, in the sysroot's library folder for `target`.
pub fn core_bitcode(sysroot: &Path, target: &str) -> Result<Vec<Vec<u8>>, BitcodeError> {
    let folder = sysroot.join("lib/rustlib").join(target).join("lib");
    let unreadable = |why: String| BitcodeError::Unreadable(folder.clone(), why);
    let rlib = std::fs::read_dir(&folder)
        .map_err(|e| unreadable(e.to_string()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libcore-") && name.ends_with(".rlib")
        })
        .ok_or_else(|| unreadable("no libcore".to_owned()))?;
    embedded_bitcode(
        &std::fs::read(&rlib).map_err(|e| BitcodeError::Unreadable(rlib.clone(), e.to_string()))?,
    )
}

/// The bitcode modules in an `.rlib`. Never panics.
pub fn embedded_bitcode(rlib: &[u8]) -> Result<Vec<Vec<u8>>, BitcodeError> {
    let mut rest = rlib
        .strip_prefix(b"!<arch>\n")
        .ok_or(BitcodeError::Malformed("not an archive"))?;
    let mut out = Vec::new();
    while rest.len() >= 60 {
        let (header, body) = rest.split_at(60);
        let size = std::str::from_utf8(&header[48..58])
            .ok()
            .and_then(|s| s.trim().parse::<usize>().ok());
        let size = size.ok_or(BitcodeError::Malformed("a member without size"))?;
        let member = body
            .get(..size)
            .ok_or(BitcodeError::Malformed("a member that is cut off"))?;
        if member.starts_with(b"\x7fELF\x02\x01") {
            out.extend(section(member, ".llvmbc")?.map(<[u8]>::to_vec));
        }
        rest = body.get(size + size % 2..).unwrap_or(&[]);
    }
    Ok(out)
}

/// A section of a 64-bit little-endian ELF file.
fn section<'a>(elf: &'a [u8], wanted: &str) -> Result<Option<&'a [u8]>, BitcodeError> {
    let short = || BitcodeError::Malformed("an object that is cut off");
    let int = |at: usize, len: usize| -> Result<usize, BitcodeError> {
        let bytes = at
            .checked_add(len)
            .and_then(|end| elf.get(at..end))
            .ok_or_else(short)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0u64, |value, byte| value << 8 | u64::from(*byte)) as usize)
    };
    let (table, entry, count, names) = (int(0x28, 8)?, int(0x3a, 2)?, int(0x3c, 2)?, int(0x3e, 2)?);
    let header = |index: usize| {
        index
            .checked_mul(entry)
            .and_then(|o| table.checked_add(o))
            .ok_or_else(short)
    };
    let range = |index: usize| -> Result<&'a [u8], BitcodeError> {
        let at = header(index)?;
        let start = int(at.checked_add(0x18).ok_or_else(short)?, 8)?;
        let len = int(at.checked_add(0x20).ok_or_else(short)?, 8)?;
        start
            .checked_add(len)
            .and_then(|end| elf.get(start..end))
            .ok_or_else(short)
    };
    let names = range(names)?;
    for index in 0..count {
        let name = names.get(int(header(index)?, 4)?..).ok_or_else(short)?;
        if name.starts_with(wanted.as_bytes()) && name.get(wanted.len()) == Some(&0) {
            return range(index).map(Some);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_archive() {
        assert_eq!(
            embedded_bitcode(b"hello"),
            Err(BitcodeError::Malformed("not an archive"))
        );
        assert_eq!(embedded_bitcode(b"!<arch>\n"), Ok(vec![]));
        let mut cut =
            b"!<arch>\nname            0           0     0     644     9999      `\n".to_vec();
        assert!(embedded_bitcode(&cut).is_err());
        cut.truncate(40);
        assert_eq!(embedded_bitcode(&cut), Ok(vec![]));
        let mut elf = vec![0u8; 64];
        elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
        elf[0x28..0x30].fill(0xff);
        elf[0x3a..0x40].fill(0xff);
        assert!(section(&elf, ".llvmbc").is_err());
    }
}
