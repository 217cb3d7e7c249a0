//! Where functions are in the text of a PTX module, as LLVM, NVVM and nvcc lay it out.

use std::ops::Range;

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxFunction {
    pub name: String,
    pub entry: bool,
    /// 1-based, from the line of `.entry` or `.func` to the closing brace.
    pub lines: Range<u32>,
}

/// The functions of a module in order. A body ends at a brace in the first column, or where all that were opened are closed.
pub fn ptx_functions<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<PtxFunction> {
    let mut out = Vec::new();
    let mut current: Option<(PtxFunction, u32, bool)> = None;
    for (at, line) in (1u32..).zip(lines) {
        let code = line.split("//").next().unwrap_or_default();
        if current.is_none()
            && let Some((entry, name)) = header(code)
        {
            let function = PtxFunction {
                name,
                entry,
                lines: at..at + 1,
            };
            current = Some((function, 0, false));
        }
        let Some((mut function, mut depth, mut body)) = current.take() else {
            continue;
        };
        for c in code.chars() {
            match c {
                '{' => {
                    depth += 1;
                    body = true;
                }
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        function.lines.end = at + 1;
        if body && depth == 0 {
            out.push(function);
        } else if body || !code.trim_end().ends_with(';') {
            current = Some((function, depth, body));
        }
    }
    out
}

/// Whether a line begins a function, and which.
fn header(line: &str) -> Option<(bool, String)> {
    let line = line.trim_start();
    if !line.starts_with('.') {
        return None;
    }
    let (entry, rest) = match (line.find(".entry"), line.find(".func")) {
        (Some(at), _) => (true, &line[at + 6..]),
        (None, Some(at)) => (false, &line[at + 5..]),
        _ => return None,
    };
    // `.func (.param .b32 result) name(…`
    let mut rest = rest.trim_start();
    if let Some(after) = rest.strip_prefix('(') {
        rest = after.split_once(')')?.1.trim_start();
    } else if let Some(after) = rest.strip_prefix(".noreturn") {
        rest = after.trim_start();
    }
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%')));
    let name = &rest[..end.unwrap_or(rest.len())];
    (!name.is_empty()).then(|| (entry, name.to_string()))
}

/// `sm_90a` of a module's `.target`.
pub fn ptx_target(ptx: &str) -> Option<&str> {
    let line = ptx
        .lines()
        .find_map(|l| l.trim_start().strip_prefix(".target"))?;
    line.split([',', ' ', '\t']).find(|w| w.starts_with("sm_"))
}

/// The module with one kernel alone: everything but the other kernels.
pub fn ptx_of_kernel(ptx: &str, symbol: &str) -> String {
    let others: Vec<Range<u32>> = ptx_functions(ptx.lines())
        .into_iter()
        .filter(|f| f.entry && f.name != symbol)
        .map(|f| f.lines)
        .collect();
    let globl = |line: &str| {
        let name = line.trim_start().strip_prefix("// .globl")?;
        Some(name.split_whitespace().next()?.to_string())
    };
    let mut out = String::new();
    for (at, line) in (1u32..).zip(ptx.lines()) {
        let other = others.iter().any(|r| {
            r.contains(&at) || r.start == at + 1 && globl(line).is_some_and(|n| n != symbol)
        });
        if !other {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
.version 8.0
.target sm_90a, debug
.extern .func (.param .b32 r) vprintf
(
\t.param .b64 a
)
;
.func (.param .b32 r) helper(
\t.param .b32 x
)
{
\tret;
}
\t// .globl\ta
.visible .entry a(
\t.param .u64 p
)
{
\t{ // callseq
\t}
\tret;
}
\t// .globl\tb
.visible .entry b() { ret; }
";

    #[test]
    fn functions_with_bodies() {
        let found: Vec<_> = ptx_functions(TEXT.lines())
            .into_iter()
            .map(|f| (f.name, f.entry, f.lines))
            .collect();
        assert_eq!(
            found,
            [
                ("helper".to_string(), false, 8..14),
                ("a".to_string(), true, 15..23),
                ("b".to_string(), true, 24..25)
            ]
        );
        assert_eq!(ptx_target(TEXT), Some("sm_90a"));
        let b = ptx_of_kernel(TEXT, "b");
        assert!(
            b.contains("helper(") && b.contains(".entry b()") && !b.contains(".entry a"),
            "{b}"
        );
        assert!(b.contains(".globl\tb") && !b.contains(".globl\ta"));
    }
}
