//! Debug locations in the text: which Rust lines a `!dbg !12` stands for.

use crate::Frame;
use crate::text::IrFile;

/// The number after `key` in a metadata line: `number(line, "scope: !")`.
pub fn number(text: &str, key: &str) -> Option<u32> {
    let rest = &text[text.find(key)? + key.len()..];
    rest[..rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len())]
        .parse()
        .ok()
}

/// The string after `key`: `string(line, "name: ")`.
fn string<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let rest = text[text.find(key)? + key.len()..].strip_prefix('"')?;
    rest.split('"').next()
}

/// The frames of a location, innermost first.
pub fn frames(file: &IrFile<'_>, location: u32) -> Vec<Frame> {
    let mut out = Vec::new();
    let mut at = Some(location);
    while let Some(line) = at
        .and_then(|n| file.metadata.get(&n))
        .filter(|l| l.contains("!DILocation("))
    {
        let scope = number(line, "scope: !");
        let (function, path) = scope.map(|s| function(file, s)).unwrap_or_default();
        out.push(Frame {
            function,
            file: path,
            line: number(line, "line: ").unwrap_or(0),
            column: number(line, "column: ").unwrap_or(0),
        });
        at = number(line, "inlinedAt: !");
        if out.len() > 1000 {
            break;
        }
    }
    out
}

/// The function that a scope is in, and its file.
fn function(file: &IrFile<'_>, mut scope: u32) -> (String, String) {
    let mut path = None;
    let mut parts: Vec<&str> = Vec::new();
    for _ in 0..1000 {
        let Some(line) = file.metadata.get(&scope) else {
            break;
        };
        if path.is_none() {
            path = number(line, "file: !")
                .and_then(|n| file.metadata.get(&n))
                .map(|l| {
                    let (name, folder) = (
                        string(l, "filename: ").unwrap_or(""),
                        string(l, "directory: ").unwrap_or(""),
                    );
                    let name = name.split("/@/").next().unwrap_or(name);
                    if name.starts_with('/') || folder.is_empty() {
                        name.to_owned()
                    } else {
                        format!("{folder}/{name}")
                    }
                });
        }
        if !line.contains("!DILexicalBlock") {
            parts.extend(string(line, "name: "));
        }
        match number(line, "scope: !") {
            Some(next) => scope = next,
            None => break,
        }
    }
    parts.reverse();
    (parts.join("::"), path.unwrap_or_default())
}

/// Metadata that only variables and types need: it is most of the text, and the side table needs none of it.
const DROPPED: &[&str] = &[
    ", globals: !",
    ", enums: !",
    ", retainedTypes: !",
    ", imports: !",
    ", retainedNodes: !",
    ", templateParams: !",
    ", declaration: !",
    ", elements: !",
    ", baseType: !",
    ", vtableHolder: !",
    ", discriminator: !",
];

/// A metadata line without lists of variables, types and generics. The type of a function (which it must have) becomes `plain_type`.
pub fn slim(line: &str, plain_type: u32) -> String {
    let mut out = line.to_string();
    if !["!DICompileUnit(", "!DISubprogram(", "!DICompositeType("]
        .iter()
        .any(|k| line.contains(k))
    {
        return out;
    }
    for key in DROPPED {
        if let Some(at) = out.find(key) {
            let end = out[at + key.len()..]
                .find(|c: char| !c.is_ascii_digit())
                .map_or(out.len(), |e| at + key.len() + e);
            out.replace_range(at..end, "");
        }
    }
    if let Some(at) = out
        .find(", type: !")
        .filter(|_| line.contains("!DISubprogram("))
    {
        let start = at + ", type: !".len();
        let end = out[start..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(out.len(), |e| start + e);
        out.replace_range(start..end, &plain_type.to_string());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains() {
        let text = "!1 = !DILocation(line: 7, column: 3, scope: !2, inlinedAt: !5)\n\
            !2 = distinct !DILexicalBlock(scope: !3, file: !4, line: 6)\n\
            !3 = distinct !DISubprogram(name: \"inner\", scope: !8, file: !4)\n\
            !4 = !DIFile(filename: \"src/a.rs\", directory: \"/w\")\n\
            !5 = !DILocation(line: 9, column: 1, scope: !6)\n\
            !6 = distinct !DISubprogram(name: \"outer\", scope: !8, file: !7)\n\
            !7 = !DIFile(filename: \"/abs/b.rs\", directory: \"/w\")\n\
            !8 = !DINamespace(name: \"app\", scope: null)\n";
        let file = IrFile::parse(text).unwrap();
        let frames: Vec<String> = frames(&file, 1)
            .iter()
            .map(|f| format!("{} {}:{}:{}", f.function, f.file, f.line, f.column))
            .collect();
        assert_eq!(
            frames,
            ["app::inner /w/src/a.rs:7:3", "app::outer /abs/b.rs:9:1"]
        );
    }

    #[test]
    fn slim_metadata() {
        let line = "!1 = distinct !DISubprogram(name: \"f\", scope: !2, type: !3, unit: !4, templateParams: !5, retainedNodes: !6)";
        assert_eq!(
            slim(line, 99),
            "!1 = distinct !DISubprogram(name: \"f\", scope: !2, type: !99, unit: !4)"
        );
        let unit = "!1 = distinct !DICompileUnit(file: !2, enums: !30, globals: !4, splitDebugInlining: false)";
        assert_eq!(
            slim(unit, 99),
            "!1 = distinct !DICompileUnit(file: !2, splitDebugInlining: false)"
        );
        let local = "!1 = !DILocalVariable(name: \"x\", type: !3)";
        assert_eq!(slim(local, 99), local);
    }
}
