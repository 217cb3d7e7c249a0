//! The text of an LLVM module as rustc prints it, cut into its top-level items and indexed by symbol. Nothing is parsed further than
//! names: the text goes on to LLVM, which checks it.

use std::collections::HashMap;

/// A module's items, as ranges of its text.
pub struct IrFile<'a> {
    /// Definitions and declarations of functions and variables, aliases: name (without `@` and quotes) → item.
    pub symbols: HashMap<&'a str, Item<'a>>,
    /// Names in the order of the text.
    pub order: Vec<&'a str>,
    /// `!12` → its line.
    pub metadata: HashMap<u32, &'a str>,
    /// `!llvm.dbg.cu` and the others.
    pub named_metadata: Vec<&'a str>,
    /// `#3` → what is between the braces.
    pub attributes: HashMap<u32, &'a str>,
    /// `%T = type …` and `$c = comdat …` lines.
    pub types: Vec<&'a str>,
}

#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    pub kind: Kind,
    /// The whole item; of a definition, header, body and closing brace.
    pub text: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Define,
    Declare,
    Variable,
}

impl<'a> IrFile<'a> {
    /// Cuts the text. A line that is no item of LLVM's grammar is an error that quotes it.
    pub fn parse(text: &'a str) -> Result<Self, String> {
        let mut file = IrFile {
            symbols: HashMap::new(),
            order: Vec::new(),
            metadata: HashMap::new(),
            named_metadata: Vec::new(),
            attributes: HashMap::new(),
            types: Vec::new(),
        };
        let mut at = 0;
        while at < text.len() {
            let end = text[at..].find('\n').map_or(text.len(), |e| at + e);
            let line = &text[at..end];
            let mut next = end + 1;
            match line.as_bytes().first() {
                None | Some(b';') => {}
                Some(b'@') => file.add(line, Kind::Variable, line)?,
                Some(b'!') => file.metadata_line(line)?,
                Some(b'%' | b'$') => file.types.push(line),
                _ if line.starts_with("define ") => {
                    let close = text[at..]
                        .find("\n}\n")
                        .map(|e| at + e + 2)
                        .or_else(|| text.ends_with("\n}").then_some(text.len()));
                    let close = close.ok_or_else(|| format!("a function without end: {line}"))?;
                    file.add(&text[at..close], Kind::Define, line)?;
                    next = close + 1;
                }
                _ if line.starts_with("declare ") => file.add(line, Kind::Declare, line)?,
                _ if line.starts_with("attributes #") => {
                    let (number, body) = line["attributes #".len()..]
                        .split_once(" = {")
                        .ok_or_else(|| line.to_string())?;
                    let number = number.parse().map_err(|_| line.to_string())?;
                    file.attributes
                        .insert(number, body.trim_end_matches('}').trim());
                }
                _ if ["source_filename", "target ", "module asm"]
                    .iter()
                    .any(|w| line.starts_with(w)) => {}
                _ => return Err(format!("a line that is no item of LLVM IR: {line}")),
            }
            at = next;
        }
        Ok(file)
    }

    fn add(&mut self, text: &'a str, kind: Kind, header: &'a str) -> Result<(), String> {
        let name = symbols(header)
            .next()
            .ok_or_else(|| format!("an item without name: {header}"))?;
        self.order.push(name);
        self.symbols.insert(name, Item { kind, text });
        Ok(())
    }

    fn metadata_line(&mut self, line: &'a str) -> Result<(), String> {
        let (name, _) = line[1..]
            .split_once(" = ")
            .ok_or_else(|| line.to_string())?;
        match name.parse() {
            Ok(number) => {
                self.metadata.insert(number, line);
            }
            Err(_) => self.named_metadata.push(line),
        }
        Ok(())
    }
}

/// A place in a text that names something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// `@name` or `@"name"`.
    Symbol(&'a str),
    /// `!12`
    Metadata(u32),
    /// `#3`
    Attributes(u32),
}

/// The names in a text, with the bytes that each takes. Strings (`c"…"`, `"…"`) and comments are passed over.
pub fn tokens(text: &str) -> impl Iterator<Item = (std::ops::Range<usize>, Token<'_>)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            match bytes[at] {
                b'"' => at = string_end(bytes, at),
                b';' => at = text[at..].find('\n').map_or(bytes.len(), |e| at + e),
                b'@' => {
                    if bytes.get(at + 1) == Some(&b'"') {
                        at = string_end(bytes, at + 1);
                        return Some((start..at, Token::Symbol(&text[start + 2..at - 1])));
                    }
                    at += 1;
                    while at < bytes.len() && is_name(bytes[at]) {
                        at += 1;
                    }
                    if at > start + 1 {
                        return Some((start..at, Token::Symbol(&text[start + 1..at])));
                    }
                }
                sign @ (b'!' | b'#') => {
                    at += 1;
                    while at < bytes.len() && bytes[at].is_ascii_digit() {
                        at += 1;
                    }
                    if let Ok(number) = text[start + 1..at].parse() {
                        let token = if sign == b'!' {
                            Token::Metadata(number)
                        } else {
                            Token::Attributes(number)
                        };
                        return Some((start..at, token));
                    }
                }
                _ => at += 1,
            }
        }
        None
    })
}

/// The symbols among the tokens.
pub fn symbols(text: &str) -> impl Iterator<Item = &str> {
    tokens(text).filter_map(|(_, token)| match token {
        Token::Symbol(name) => Some(name),
        _ => None,
    })
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'-')
}

/// After the quote that closes the string which starts at `at`; LLVM escapes quotes as `\22`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    bytes[at + 1..]
        .iter()
        .position(|b| *b == b'"')
        .map_or(bytes.len(), |e| at + e + 2)
}

/// What stands between a parenthesis at `open` and the one that closes it.
pub fn parenthesised(text: &str, open: usize) -> Option<&str> {
    let mut depth = 0usize;
    let bytes = text.as_bytes();
    let mut at = open;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'(' | b'<' | b'{' | b'[' => depth += 1,
            b')' | b'>' | b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(&text[open + 1..at]);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Splits at commas that no bracket and no string holds.
pub fn split_commas(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let (mut out, mut depth, mut start, mut at) = (Vec::new(), 0i32, 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'(' | b'<' | b'{' | b'[' => depth += 1,
            b')' | b'>' | b'}' | b']' => depth -= 1,
            b',' if depth == 0 => {
                out.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        out.push(last);
    }
    out
}

/// The header line of a definition or declaration: return type and attributes, and the parameters.
pub fn parameters<'a>(name: &str, header: &'a str) -> Option<Vec<&'a str>> {
    let (range, _) = tokens(header).find(|(_, t)| *t == Token::Symbol(name))?;
    let open = range.end;
    (header.as_bytes().get(open) == Some(&b'('))
        .then(|| parenthesised(header, open).map(split_commas))?
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "source_filename = \"x\"\n\n@a = private constant [3 x i8] c\"@b!\", align 1\n@\"q x\" = global ptr @a, !dbg !3\n\
        ; comment @z\ndefine internal void @f(ptr %x, i64 range(i64 0, 5) %n) #0 !dbg !1 {\nstart:\n  call void @g(ptr @a) #1\n  ret void\n}\n\
        declare void @g(ptr)\nattributes #0 = { nounwind }\n!named = !{!1}\n!1 = !{!3}\n";

    #[test]
    fn items() {
        let file = IrFile::parse(TEXT).unwrap();
        assert_eq!(file.order, ["a", "q x", "f", "g"]);
        assert_eq!(file.symbols["f"].kind, Kind::Define);
        assert!(file.symbols["f"].text.ends_with("ret void\n}"));
        assert_eq!(file.attributes[&0], "nounwind");
        assert_eq!(file.metadata[&1], "!1 = !{!3}");
        assert_eq!(file.named_metadata, ["!named = !{!1}"]);
        assert!(IrFile::parse("what is this\n").is_err());
    }

    #[test]
    fn names_in_strings_are_no_names() {
        let file = IrFile::parse(TEXT).unwrap();
        assert_eq!(symbols(file.symbols["a"].text).collect::<Vec<_>>(), ["a"]);
        assert_eq!(
            symbols(file.symbols["q x"].text).collect::<Vec<_>>(),
            ["q x", "a"]
        );
        assert_eq!(
            symbols(file.symbols["f"].text).collect::<Vec<_>>(),
            ["f", "g", "a"]
        );
    }

    #[test]
    fn parameters_of_a_header() {
        let file = IrFile::parse(TEXT).unwrap();
        let header = file.symbols["f"].text.lines().next().unwrap();
        assert_eq!(
            parameters("f", header).unwrap(),
            ["ptr %x", "i64 range(i64 0, 5) %n"]
        );
    }
}
