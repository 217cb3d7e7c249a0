//! Panics with formatted messages: the `fmt::Arguments` that a function builds for `panic_fmt` and `assert_failed`, read at
//! compile time and turned into a template of `__oxide_panic` and its arguments.
//!
//! rustc 1.95 builds them so: an array of `{ pointer to the value, pointer to its fmt function }`, and a template of bytes:
//! 1..=0x7f is the length of a literal that follows, 0x80 one with its length in two bytes, 0xC0 | flags a hole (flag 1: four bytes of
//! options follow, 2: two bytes of width, 4: two of precision, 8: two with the index of the argument), 0 the end
//! (`core::fmt::Arguments`). An odd pointer in place of the array is twice the length of a plain text, plus one.
//!
//! Integers, floats and characters are passed on; what is of another type or formatted in another way shows as `{…}`.

use std::collections::HashMap;
use std::fmt::Write;

use crate::constant;
use crate::text::{IrFile, Token, parenthesised, split_commas, tokens};

/// How many arguments the record of `__oxide_panic` holds.
const MAX_ARGUMENTS: usize = 6;

/// A function's body with its panics rewritten, and the constants that it now needs.
pub struct Rewritten {
    pub lines: Vec<String>,
    pub constants: Vec<String>,
}

#[derive(Debug, PartialEq)]
enum Piece {
    Text(Vec<u8>),
    Hole { argument: usize, plain: bool },
}

/// The pieces of a template; `None` for bytes that are not as the module's text says.
fn decode(template: &[u8]) -> Option<Vec<Piece>> {
    let mut out = Vec::new();
    let mut at = 0;
    let mut next = 0;
    let int = |at: usize| {
        Some(usize::from(u16::from_le_bytes(
            template.get(at..at + 2)?.try_into().ok()?,
        )))
    };
    loop {
        let byte = *template.get(at)?;
        at += 1;
        match byte {
            0 => return Some(out),
            1..=0x80 => {
                let mut len = usize::from(byte);
                if byte == 0x80 {
                    len = int(at)?;
                    at += 2;
                }
                out.push(Piece::Text(template.get(at..at + len)?.to_vec()));
                at += len;
            }
            _ if byte & 0xc0 == 0xc0 => {
                let mut argument = next;
                for (flag, len) in [(1u8, 4), (2, 2), (4, 2), (8, 2)] {
                    if byte & flag != 0 {
                        if flag == 8 {
                            argument = int(at)?;
                        }
                        at += len;
                    }
                }
                next = argument + 1;
                out.push(Piece::Hole {
                    argument,
                    plain: byte & 0x37 == 0,
                });
            }
            _ => return None,
        }
    }
}

/// A value that a panic shows.
struct Shown {
    /// LLVM type in memory, how it becomes an `i64`, and the letter of its hole.
    ty: &'static str,
    widen: &'static str,
    letter: &'static str,
    /// References around it.
    references: usize,
}

/// What a Rust type is to a template; `None` for what it cannot show.
fn shown(ty: &str) -> Option<Shown> {
    let inner = ty.trim_start_matches('&');
    let (llvm, widen, letter) = match inner {
        "u8" => ("i8", "zext", ""),
        "u16" => ("i16", "zext", ""),
        "u32" => ("i32", "zext", ""),
        "u64" | "usize" => ("i64", "", ""),
        "i8" => ("i8", "sext", ":i"),
        "i16" => ("i16", "sext", ":i"),
        "i32" => ("i32", "sext", ":i"),
        "i64" | "isize" => ("i64", "", ":i"),
        "char" => ("i32", "zext", ":c"),
        "f32" => ("float", "float", ":f"),
        "f64" => ("double", "double", ":f"),
        _ => return None,
    };
    Some(Shown {
        ty: llvm,
        widen,
        letter,
        references: ty.len() - inner.len(),
    })
}

/// The type that a fmt function formats, for `Display` and `Debug` (whose plain forms are the same for numbers).
fn formatted(symbol: &str) -> Option<(String, bool)> {
    let path = artifact::pretty(symbol);
    let (ty, rest) = path.strip_prefix('<')?.rsplit_once(" as core::fmt::")?;
    let trait_name = rest.strip_suffix(">::fmt")?;
    Some((ty.to_owned(), matches!(trait_name, "Display" | "Debug")))
}

/// Whether a symbol is the `fmt` of a formatting trait.
pub fn is_fmt(symbol: &str) -> bool {
    symbol.contains("3fmt") && formatted(symbol).is_some()
}

/// The memory that a function fills before a panic, followed in the order of the text.
#[derive(Default)]
struct Memory {
    /// `%p` → (base, offset).
    places: HashMap<String, (String, u64)>,
    /// (base, offset) → pointer that was stored there.
    pointers: HashMap<(String, u64), String>,
    /// `%p` → the pointer that it was loaded as.
    loaded: HashMap<String, String>,
}

impl Memory {
    fn place(&self, name: &str) -> (String, u64) {
        self.places
            .get(name)
            .cloned()
            .unwrap_or_else(|| (name.to_owned(), 0))
    }

    /// What is behind a name that was loaded from memory.
    fn resolve<'n>(&'n self, name: &'n str) -> &'n str {
        self.loaded.get(name).map_or(name, String::as_str)
    }

    fn follow(&mut self, file: &IrFile<'_>, line: &str) {
        if let Some(rest) = line.strip_prefix("store ptr ") {
            let parts = split_commas(rest);
            if let [value, to, ..] = parts[..]
                && let Some(to) = to.strip_prefix("ptr ")
            {
                let place = self.place(to);
                self.pointers.insert(place, value.to_owned());
            }
        } else if line.starts_with("call void @llvm.memcpy.") {
            let parts = arguments(line);
            if let [to, from, len, ..] = &parts[..]
                && let (Some(to), Some(from), Some(len)) = (
                    value(to),
                    value(from),
                    value(len).and_then(|l| l.parse::<u64>().ok()),
                )
            {
                let (to, from) = (self.place(to), self.place(from));
                let moved: Vec<_> = self
                    .pointers
                    .iter()
                    .filter(|((base, at), _)| {
                        *base == from.0 && (from.1..from.1 + len).contains(at)
                    })
                    .map(|((_, at), pointer)| ((to.0.clone(), to.1 + at - from.1), pointer.clone()))
                    .collect();
                self.pointers.extend(moved);
            }
        } else if let Some((name, from)) = line.split_once(" = load ptr, ptr ") {
            let place = self.place(from.split(',').next().unwrap_or(from));
            if let Some(pointer) = self
                .pointers
                .get(&place)
                .cloned()
                .or_else(|| constant_pointer(file, &place))
            {
                self.loaded.insert(name.to_owned(), pointer);
            }
        } else if let Some((name, gep)) = line.split_once(" = getelementptr ") {
            let parts = split_commas(gep);
            let size = parts.first().and_then(|first| {
                let ty = first
                    .trim_start_matches("inbounds ")
                    .trim_start_matches("nuw ")
                    .trim_start_matches("nusw ");
                match ty {
                    "i8" => Some(1),
                    "ptr" | "i64" => Some(8),
                    "{ ptr, ptr }" => Some(16),
                    _ => ty.contains("core::fmt::rt::Argument").then_some(16),
                }
            });
            if let (Some(size), [_, base, index, ..]) = (size, &parts[..])
                && let Some(base) = base.strip_prefix("ptr ")
                && let Some(index) = index
                    .strip_prefix("i64 ")
                    .and_then(|i| i.parse::<u64>().ok())
            {
                let (root, offset) = self.place(base);
                self.places
                    .insert(name.to_owned(), (root, offset + index * size));
            }
        }
    }
}

/// The pointer that a constant holds, `None` of an option among them.
fn constant_pointer(file: &IrFile<'_>, (base, offset): &(String, u64)) -> Option<String> {
    let bytes = constant::read(file, base.strip_prefix('@')?).ok()?;
    let offset = usize::try_from(*offset).ok()?;
    match bytes.pointer(offset) {
        Some(symbol) => Some(format!("@{symbol}")),
        None => (bytes.u64(offset)? == 0).then(|| "null".to_owned()),
    }
}

/// The arguments of a call, as written.
fn arguments(line: &str) -> Vec<&str> {
    let callee = tokens(line).find(|(_, t)| matches!(t, Token::Symbol(_)));
    callee
        .and_then(|(range, _)| parenthesised(line, range.end))
        .map(split_commas)
        .unwrap_or_default()
}

/// The value of an argument: its last word, or the constant expression at its end.
fn value(argument: &str) -> Option<&str> {
    if argument.ends_with(')') {
        return argument.find("inttoptr (").map(|at| &argument[at..]);
    }
    argument.rsplit(' ').next()
}

/// The number in `inttoptr (i64 13 to ptr)`.
fn address(value: &str) -> Option<u64> {
    value
        .strip_prefix("inttoptr (i64 ")?
        .split(' ')
        .next()?
        .parse()
        .ok()
}

/// Text as a template: braces are doubled.
fn escape(text: &[u8]) -> Vec<u8> {
    text.iter()
        .flat_map(|b| {
            if matches!(b, b'{' | b'}') {
                vec![*b, *b]
            } else {
                vec![*b]
            }
        })
        .collect()
}

/// Bytes as LLVM writes a string.
pub fn llvm_string(bytes: &[u8]) -> String {
    let plain = |b: u8| (b.is_ascii_graphic() || b == b' ') && b != b'"' && b != b'\\';
    bytes
        .iter()
        .map(|b| {
            if plain(*b) {
                (*b as char).to_string()
            } else {
                format!("\\{b:02X}")
            }
        })
        .collect()
}

/// One message: a template and the pointers to what it shows.
#[derive(Default)]
struct Message {
    template: Vec<u8>,
    shown: Vec<(Shown, String)>,
}

impl Message {
    fn text(&mut self, text: &[u8]) {
        self.template.extend(escape(text));
    }

    fn show(&mut self, what: Option<(Shown, String)>) {
        match what {
            Some((shown, pointer)) if self.shown.len() < MAX_ARGUMENTS => {
                let _ = write!(
                    Utf8(&mut self.template),
                    "{{{}{}}}",
                    self.shown.len(),
                    shown.letter
                );
                self.shown.push((shown, pointer));
            }
            _ => self.template.extend("{{…}}".bytes()),
        }
    }

    /// The pieces of a `fmt::Arguments`; `None` when it is not one that can be read.
    fn arguments(
        &mut self,
        file: &IrFile<'_>,
        memory: &Memory,
        template: &str,
        args: &str,
    ) -> Option<()> {
        let bytes = constant::read(file, template.strip_prefix('@')?)
            .ok()?
            .bytes;
        if let Some(odd) = address(args).filter(|a| a & 1 == 1) {
            self.text(bytes.get(..usize::try_from(odd >> 1).ok()?)?);
            return Some(());
        }
        let (base, start) = memory.place(args);
        for piece in decode(&bytes)? {
            match piece {
                Piece::Text(text) => self.text(&text),
                Piece::Hole { argument, plain } => {
                    let at = start + 16 * argument as u64;
                    let pointer = memory.pointers.get(&(base.clone(), at));
                    let function = memory.pointers.get(&(base.clone(), at + 8));
                    let what = pointer.zip(function).and_then(|(pointer, function)| {
                        let (ty, by_value) = formatted(function.strip_prefix('@')?)?;
                        let shown = shown(&ty).filter(|_| by_value && plain)?;
                        Some((shown, pointer.clone()))
                    });
                    self.show(what);
                }
            }
        }
        Some(())
    }

    /// The lines that call `__oxide_panic`; `end` is `, !dbg !12` or nothing.
    fn lines(
        &self,
        serial: usize,
        constant: &str,
        location: &str,
        end: &str,
        out: &mut Vec<String>,
    ) {
        let v = format!("%oxide.{serial}");
        for (slot, (shown, pointer)) in self.shown.iter().enumerate() {
            let s = format!("{v}.{slot}");
            let mut from = pointer.clone();
            for level in 0..shown.references {
                out.push(format!("  {s}.r{level} = load ptr, ptr {from}{end}"));
                from = format!("{s}.r{level}");
            }
            out.push(format!(
                "  {s}.v = load {}, ptr {from}, align 1{end}",
                shown.ty
            ));
            let wide = match shown.widen {
                "" => format!("{s}.v"),
                "float" | "double" => {
                    let double = if shown.widen == "float" {
                        out.push(format!("  {s}.d = fpext float {s}.v to double{end}"));
                        format!("{s}.d")
                    } else {
                        format!("{s}.v")
                    };
                    out.push(format!("  {s}.w = bitcast double {double} to i64{end}"));
                    format!("{s}.w")
                }
                cast => {
                    out.push(format!("  {s}.w = {cast} {} {s}.v to i64{end}", shown.ty));
                    format!("{s}.w")
                }
            };
            out.push(format!(
                "  {s}.p = getelementptr i8, ptr %oxide.args, i64 {}{end}",
                slot * 8
            ));
            out.push(format!("  store i64 {wide}, ptr {s}.p, align 8{end}"));
        }
        for (name, ty, offset) in [
            ("file", "ptr", 0),
            ("len", "i64", 8),
            ("line", "i32", 16),
            ("col", "i32", 20),
        ] {
            out.push(format!(
                "  {v}.{name}.p = getelementptr i8, ptr {location}, i64 {offset}{end}"
            ));
            out.push(format!(
                "  {v}.{name} = load {ty}, ptr {v}.{name}.p, align 4{end}"
            ));
        }
        out.push(format!(
            "  call void @__oxide_panic(ptr @{constant}, i64 {}, ptr {v}.file, i64 {v}.len, i32 {v}.line, i32 {v}.col, ptr %oxide.args, i64 {}){end}",
            self.template.len(),
            self.shown.len()
        ));
    }
}

/// `fmt::Write` for bytes.
struct Utf8<'a>(&'a mut Vec<u8>);

impl Write for Utf8<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend(text.bytes());
        Ok(())
    }
}

/// Rewrites a function's panics. `name` makes the constants' names unique.
pub fn rewrite(file: &IrFile<'_>, name: &str, body: &str) -> Rewritten {
    let mut out = Rewritten {
        lines: Vec::new(),
        constants: Vec::new(),
    };
    let mut memory = Memory::default();
    for line in body.lines() {
        let trimmed = line.trim();
        memory.follow(file, trimmed);
        if trimmed.starts_with("call void @")
            && let Some(message) = message(file, &memory, trimmed)
        {
            let serial = out.constants.len();
            let constant = format!("__oxide_message.{serial}.{name}");
            let end = trimmed
                .find(", !dbg !")
                .map_or("", |at| dbg(&trimmed[at..]));
            message
                .0
                .lines(serial, &constant, &message.1, end, &mut out.lines);
            out.constants.push(format!(
                "@{constant} = private unnamed_addr constant [{} x i8] c\"{}\"",
                message.0.template.len(),
                llvm_string(&message.0.template)
            ));
            continue;
        }
        if trimmed.starts_with("store ptr @")
            && let Some((range, Token::Symbol(symbol))) = tokens(line).next()
            && is_fmt(symbol)
        {
            // Nothing can call it: `core::fmt::write`, which would, has no body on the device.
            out.lines.push(format!(
                "{}null{}",
                &line[..range.start],
                &line[range.end..]
            ));
            continue;
        }
        out.lines.push(line.to_owned());
    }
    if !out.constants.is_empty() {
        let at = out
            .lines
            .iter()
            .position(|l| l.trim_end().ends_with(':') || l.contains(": "))
            .map_or(0, |at| at + 1);
        out.lines.insert(
            at,
            format!(
                "  %oxide.args = alloca [{} x i8], align 8",
                8 * MAX_ARGUMENTS
            ),
        );
    }
    out
}

/// `, !dbg !12` at the start of a text that goes on.
fn dbg(text: &str) -> &str {
    let start = ", !dbg !".len();
    let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    &text[..start + digits]
}

/// The message of a call of a panic entry point that formats, and the operand with its location.
fn message(file: &IrFile<'_>, memory: &Memory, line: &str) -> Option<(Message, String)> {
    let symbol = tokens(line).find_map(|(_, t)| match t {
        Token::Symbol(name) => Some(name),
        _ => None,
    })?;
    if !symbol.contains("9panicking") {
        return None;
    }
    let path = artifact::pretty(symbol);
    let arguments = arguments(line);
    let values: Vec<&str> = arguments.iter().filter_map(|a| value(a)).collect();
    let mut message = Message::default();
    if path == "core::panicking::panic_fmt" {
        let [template, args, location] = values[..] else {
            return None;
        };
        message.arguments(file, memory, memory.resolve(template), memory.resolve(args))?;
        return Some((message, location.to_owned()));
    }
    let types = path
        .strip_prefix("core::panicking::assert_failed::<")?
        .strip_suffix('>')?;
    let [kind, left, right, template, args, location] = values[..] else {
        return None;
    };
    let (operator, pattern) = match kind {
        "0" => ("==", "right"),
        "1" => ("!=", "right"),
        "2" => ("matches", "right"),
        _ => return None,
    };
    message.text(format!("assertion `left {operator} {pattern}` failed").as_bytes());
    let template = memory.resolve(template);
    if template != "null" {
        message.text(b": ");
        message.arguments(file, memory, template, memory.resolve(args))?;
    }
    let types = split_commas(types);
    let side = |index: usize, pointer: &str| Some((shown(types.get(index)?)?, pointer.to_owned()));
    message.text(b"\n  left: ");
    message.show(side(0, left));
    message.text(b"\n right: ");
    message.show(side(1, right));
    Some((message, location.to_owned()))
}

/// A definition for a declared function of `core::fmt` that takes a `Formatter`. Tables of methods (of `Debug`, for a
/// panic's message) name such functions, and nothing calls them: only `core::fmt::write` makes a `Formatter`, and it has no
/// body on the device. So this one stops the thread.
pub fn never_called(declaration: &str, path: &str) -> Option<String> {
    let of_formatter = path.starts_with("<core::fmt::Formatter")
        || path.starts_with("<core::fmt::builders::")
        || path.starts_with("core::fmt::builders::")
        || path
            .rsplit_once(" as core::fmt::")
            .is_some_and(|(_, rest)| rest.ends_with(">::fmt") && !rest.starts_with("Write"));
    let rest = declaration
        .strip_prefix("declare ")
        .filter(|_| of_formatter)?;
    let end = rest.rfind(')')?;
    Some(format!(
        "declare void @llvm.trap()\ndefine internal {} noreturn nounwind {{\nstart:\n  call void @llvm.trap()\n  unreachable\n}}\n",
        &rest[..=end]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates() {
        let text = |t: &str| Piece::Text(t.as_bytes().to_vec());
        let hole = |argument| Piece::Hole {
            argument,
            plain: true,
        };
        assert_eq!(
            decode(b"\x06seven \xc0\x04 of \xc0\0").unwrap(),
            [text("seven "), hole(0), text(" of "), hole(1)]
        );
        assert_eq!(
            decode(b"\x80\x02\x00ab\xc8\x05\x00\0").unwrap(),
            [text("ab"), hole(5)]
        );
        assert_eq!(
            decode(b"\xc1\x20\0\0\0\0").unwrap(),
            [Piece::Hole {
                argument: 0,
                plain: false
            }]
        );
        for broken in [&b""[..], b"\x05ab\0", b"\xc8\x01", b"\x90\0", b"\xc0"] {
            assert_eq!(decode(broken), None);
        }
    }

    #[test]
    fn escapes() {
        assert_eq!(escape(b"a{b}"), b"a{{b}}");
        assert_eq!(llvm_string(b"a\"\\\n"), "a\\22\\5C\\0A");
    }
}
