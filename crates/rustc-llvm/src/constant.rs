//! Constants of a module as bytes and pointers: how kernel descriptions are read.

use crate::text::{IrFile, split_commas};

/// The memory of a constant.
#[derive(Debug, Default, Clone)]
pub struct Bytes<'a> {
    pub bytes: Vec<u8>,
    /// Offset → symbol (its 8 bytes are 0).
    pub pointers: Vec<(usize, &'a str)>,
}

/// The memory of the variable `name`.
pub fn read<'a>(file: &IrFile<'a>, name: &str) -> Result<Bytes<'a>, String> {
    let text = file
        .symbols
        .get(name)
        .ok_or_else(|| format!("`{name}` is not defined here"))?
        .text;
    let wrong = || format!("a constant that cannot be read: {text}");
    let at = [" constant ", " global "]
        .iter()
        .filter_map(|w| text.find(w).map(|at| at + w.len()))
        .min()
        .ok_or_else(wrong)?;
    let initialiser = split_commas(&text[at..])
        .into_iter()
        .next()
        .ok_or_else(wrong)?;
    let mut out = Bytes::default();
    value(initialiser, &mut out).ok_or_else(wrong)?;
    Ok(out)
}

/// Appends a typed value: `<{ ptr, [2 x i8] }> <{ ptr @x, [2 x i8] c"\01a" }>`, `ptr @x`, `[2 x i8] c"ab"`, `[4 x i8] zeroinitializer`, `i32 7`.
fn value<'a>(text: &'a str, out: &mut Bytes<'a>) -> Option<()> {
    let text = text.trim();
    if let Some(symbol) = text.strip_prefix("ptr @") {
        out.pointers
            .push((out.bytes.len(), symbol.trim_matches('"')));
        out.bytes.extend([0; 8]);
        return Some(());
    }
    // The address of what has no bytes: an empty string.
    if let Some(address) = text
        .strip_prefix("ptr inttoptr (i64 ")
        .and_then(|t| t.strip_suffix(" to ptr)"))
    {
        out.bytes.extend(address.parse::<u64>().ok()?.to_le_bytes());
        return Some(());
    }
    if text == "ptr null" {
        out.bytes.extend([0; 8]);
        return Some(());
    }
    if text.starts_with("<{") {
        let body = text
            .rsplit_once("}> <{")
            .map(|(_, b)| b.trim_end_matches("}>"));
        // rustc's packed structs are flat: type, then values.
        for part in split_commas(body?) {
            value(part, out)?;
        }
        return Some(());
    }
    if let Some(rest) = text.strip_prefix('[') {
        let (count, rest) = rest.split_once(" x i8] ")?;
        let count: usize = count.parse().ok()?;
        if matches!(rest, "zeroinitializer" | "undef" | "poison") {
            out.bytes.extend(std::iter::repeat_n(0, count));
            return Some(());
        }
        let start = out.bytes.len();
        string(rest.strip_prefix("c\"")?.strip_suffix('"')?, &mut out.bytes)?;
        return (out.bytes.len() - start == count).then_some(());
    }
    let (ty, number) = text.strip_prefix('i')?.split_once(' ')?;
    let (bits, number): (usize, i128) = (ty.parse().ok()?, number.parse().ok()?);
    out.bytes
        .extend(number.to_le_bytes().get(..bits.div_ceil(8))?);
    Some(())
}

/// LLVM's string: `\22` is a byte by its two hexadecimal digits, `\\` a backslash (`printEscapedString` of LLVM's StringExtras).
fn string(text: &str, out: &mut Vec<u8>) -> Option<()> {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'\\' {
            let first = bytes.next()?;
            if first == b'\\' {
                out.push(first);
                continue;
            }
            let digits = [first, bytes.next()?];
            out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            out.push(byte);
        }
    }
    Some(())
}

impl<'a> Bytes<'a> {
    pub fn u32(&self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(
            self.bytes.get(at..at + 4)?.try_into().ok()?,
        ))
    }

    pub fn u64(&self, at: usize) -> Option<u64> {
        Some(u64::from_le_bytes(
            self.bytes.get(at..at + 8)?.try_into().ok()?,
        ))
    }

    pub fn pointer(&self, at: usize) -> Option<&'a str> {
        self.pointers
            .iter()
            .find(|(o, _)| *o == at)
            .map(|(_, s)| *s)
    }

    /// A `&str` at this offset.
    pub fn str(&self, file: &IrFile<'a>, at: usize) -> Option<String> {
        let len = usize::try_from(self.u64(at + 8)?).ok()?;
        if len == 0 {
            return Some(String::new());
        }
        let target = read(file, self.pointer(at)?).ok()?;
        String::from_utf8(target.bytes.get(..len)?.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_pointers() {
        let text = "@s = private constant [3 x i8] c\"a\\22\\\\\", align 1\n\
            @d = internal constant <{ ptr, [8 x i8], ptr, [4 x i8] }> <{ ptr @f, [8 x i8] zeroinitializer, ptr @s, [4 x i8] c\"\\03\\00\\00\\00\" }>, align 8\n";
        let file = IrFile::parse(text).unwrap();
        let d = read(&file, "d").unwrap();
        assert_eq!(d.pointers, [(0, "f"), (16, "s")]);
        assert_eq!(d.u32(24), Some(3));
        assert_eq!(d.u64(24), None);
        assert_eq!(read(&file, "s").unwrap().bytes, b"a\"\\");
    }
}
