//! The record that a panicking kernel fills: which message, where, which thread.
//!
//! The layout and the template language are the contract "Panics" of `ARCHITECTURE.md`; the device's half is
//! `__oxide_panic`.

/// Bytes of the record.
pub(crate) const SIZE: usize = 1632;
const ARGS: usize = 8;
const LINE: usize = 56;
const COLUMN: usize = 60;
const BLOCK: usize = 64;
const THREAD: usize = 76;
const MSG_LEN: usize = 88;
const FILE_LEN: usize = 92;
const MSG: usize = 96;
const MSG_CAPACITY: usize = 1024;
const FILE: usize = MSG + MSG_CAPACITY;
const FILE_CAPACITY: usize = 512;
/// `state` when the record is complete.
pub(crate) const COMPLETE: u32 = 2;

/// What the record says, if it is complete.
pub(crate) fn describe(record: &[u8; SIZE]) -> Option<String> {
    if u32_at(record, 0) != COMPLETE {
        return None;
    }
    let nargs = (u32_at(record, 4) as usize).min(6);
    let args: Vec<u64> = (0..nargs).map(|i| u64_at(record, ARGS + 8 * i)).collect();
    let text = |at: usize, len: usize, capacity: usize| {
        let len = (u32_at(record, len) as usize).min(capacity);
        String::from_utf8_lossy(&record[at..at + len]).into_owned()
    };
    let message = format_template(&text(MSG, MSG_LEN, MSG_CAPACITY), &args);
    let file = text(FILE, FILE_LEN, FILE_CAPACITY);
    let triple = |at: usize| {
        format!(
            "({}, {}, {})",
            u32_at(record, at),
            u32_at(record, at + 4),
            u32_at(record, at + 8)
        )
    };
    let place = match (file.as_str(), u32_at(record, LINE), u32_at(record, COLUMN)) {
        ("", _, _) => String::new(),
        (file, line, column) => format!(" at {file}:{line}:{column}"),
    };
    Some(format!(
        "kernel panicked{place}, block {}, thread {}:\n{message}",
        triple(BLOCK),
        triple(THREAD)
    ))
}

fn u32_at(record: &[u8; SIZE], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&record[at..at + 4]);
    u32::from_le_bytes(bytes)
}

fn u64_at(record: &[u8; SIZE], at: usize) -> u64 {
    u64::from(u32_at(record, at)) | u64::from(u32_at(record, at + 4)) << 32
}

/// Puts the arguments into the message: `{0}` unsigned, `{0:i}` signed, `{0:f}` a float's bits, `{0:c}` a character.
/// What is not a placeholder of the language stays as it is.
pub(crate) fn format_template(template: &str, args: &[u64]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("{{") {
            out.push('{');
            rest = after;
        } else if let Some(after) = rest.strip_prefix("}}") {
            out.push('}');
            rest = after;
        } else if let Some((text, after)) = placeholder(rest, args) {
            out.push_str(&text);
            rest = after;
        } else {
            out.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

fn placeholder<'a>(rest: &'a str, args: &[u64]) -> Option<(String, &'a str)> {
    let inside = rest.strip_prefix('{')?;
    let end = inside.find('}')?;
    let (index, kind) = inside[..end]
        .split_once(':')
        .unwrap_or((&inside[..end], ""));
    let value = *args.get(index.parse::<usize>().ok()?)?;
    let text = match kind {
        "" => value.to_string(),
        "i" => (value as i64).to_string(),
        "f" => format!("{:?}", f64::from_bits(value)),
        "c" => {
            char::from_u32(value as u32).map_or_else(|| format!("\\u{{{value:x}}}"), String::from)
        }
        _ => return None,
    };
    Some((text, &inside[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates() {
        let f = |t: &str, a: &[u64]| format_template(t, a);
        assert_eq!(
            f(
                "index out of bounds: the len is {0} but the index is {1}",
                &[3, 5]
            ),
            "index out of bounds: the len is 3 but the index is 5"
        );
        assert_eq!(f("{0:i} {0}", &[u64::MAX]), "-1 18446744073709551615");
        assert_eq!(f("{0:f}", &[1.5f64.to_bits()]), "1.5");
        assert_eq!(f("{0:c}", &[0x1f980]), "🦀");
        assert_eq!(f("{0:c}", &[0xd800]), "\\u{d800}");
        assert_eq!(f("{{0}} {…} {9} {", &[1]), "{0} {…} {9} {");
        assert_eq!(f("}} }", &[]), "} }");
    }

    #[test]
    fn records() {
        let mut record = [0u8; SIZE];
        assert_eq!(describe(&record), None);
        let mut put = |at: usize, v: u32| record[at..at + 4].copy_from_slice(&v.to_le_bytes());
        put(0, COMPLETE);
        put(4, 2);
        put(ARGS, 3);
        put(ARGS + 8, 5);
        put(LINE, 12);
        put(COLUMN, 9);
        put(BLOCK, 1);
        put(THREAD + 4, 7);
        put(MSG_LEN, 9);
        put(FILE_LEN, 11);
        record[MSG..MSG + 9].copy_from_slice(b"{0} < {1}");
        record[FILE..FILE + 11].copy_from_slice(b"src/main.rs");
        assert_eq!(
            describe(&record).unwrap(),
            "kernel panicked at src/main.rs:12:9, block (1, 0, 0), thread (0, 7, 0):\n3 < 5"
        );
        // Lengths beyond the fields are cut, not followed.
        record[MSG_LEN..MSG_LEN + 8].fill(0xff);
        assert!(describe(&record).is_some());
    }
}
