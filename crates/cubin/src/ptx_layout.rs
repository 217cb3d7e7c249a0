//! Where lines of PTX begin, when their leading blanks are lost: one tab within parentheses, braces and blocks, none before
//! labels, directives of the module and what closes them. So LLVM, NVVM and nvcc write it.

/// Follows nesting from line to line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout {
    depth: u32,
    /// Within `/* … */`.
    comment: bool,
}

impl Layout {
    /// Whether this line, which is the next one, is indented.
    pub fn next(&mut self, line: &str) -> bool {
        let before = self.depth;
        let in_comment = self.comment;
        self.scan(line);
        if in_comment || line.is_empty() {
            return false;
        }
        let first = line.trim_start().as_bytes().first().copied();
        let outside = match first {
            Some(b')' | b'}') => before <= 1,
            // A function's body opens at the margin; blocks within are indented.
            _ => before == 0,
        };
        !outside && !is_label(line)
    }

    fn scan(&mut self, line: &str) {
        let bytes = line.as_bytes();
        let mut i = 0;
        let mut string = false;
        while let Some(byte) = bytes.get(i).copied() {
            let next = bytes.get(i + 1).copied();
            i += 1;
            if self.comment {
                if byte == b'*' && next == Some(b'/') {
                    self.comment = false;
                    i += 1;
                }
                continue;
            }
            if string {
                match byte {
                    b'\\' => i += 1,
                    b'"' => string = false,
                    _ => {}
                }
                continue;
            }
            match (byte, next) {
                (b'/', Some(b'/')) => return,
                (b'/', Some(b'*')) => {
                    self.comment = true;
                    i += 1;
                }
                (b'"', _) => string = true,
                (b'{' | b'(', _) => self.depth = self.depth.saturating_add(1),
                (b'}' | b')', _) => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }
}

/// `name:` and nothing but a comment behind it.
fn is_label(line: &str) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let rest = line.trim_start_matches(name);
    rest.len() < line.len()
        && rest
            .strip_prefix(':')
            .is_some_and(|r| r.trim().is_empty() || r.trim_start().starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_llvm_writes_it() {
        let text = "\
.version 8.0
.visible .entry k(
\t.param .u64 p
)
.maxntid 128
{
\t.reg .b32 %r<2>;
$L__BB0_1:
\t{ // callseq 0
\t.param .b32 x;
\tcall.uni (
\tx
\t);
\t} // callseq )
L2: // a label
\tbra L3; // no label: }
}
.visible .entry j()
{
\tret;
}";
        let mut layout = Layout::default();
        for line in text.lines() {
            let stripped = line.trim_start();
            assert_eq!(layout.next(stripped), line.starts_with('\t'), "{line}");
        }
    }
}
