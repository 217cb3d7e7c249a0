//! Where a breakpoint's words lead in an image.

use crate::image::Image;
use crate::source::{same_file, same_function};
use std::collections::BTreeMap;

/// What the user wants to stop at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spec {
    Line { file: String, line: u32 },
    Function(String),
    Address(u64),
}

/// A breakpoint of the user.
#[derive(Clone, Debug)]
pub(crate) struct Breakpoint {
    pub number: u32,
    pub spec: Spec,
    pub text: String,
    pub temporary: bool,
    pub enabled: bool,
    /// Block and thread at which alone it stops.
    pub block: Option<[u32; 3]>,
    pub thread: Option<[u32; 3]>,
    pub hits: u64,
    /// Where it is, by address.
    pub addresses: Vec<u64>,
}

impl Spec {
    /// Reads `file:line`, `*address` or a function's name. A line alone is in the given file.
    pub fn parse(text: &str, file: Option<&str>) -> Result<Spec, String> {
        if let Some(address) = text.strip_prefix('*') {
            let digits = address.trim().trim_start_matches("0x");
            return u64::from_str_radix(digits, 16)
                .map(Spec::Address)
                .map_err(|_| format!("`{address}` is no address; it looks like *0x1000000010"));
        }
        if let Ok(line) = text.parse() {
            let file = file.ok_or("there is no current file yet; say FILE:LINE")?;
            return Ok(Spec::Line {
                file: file.into(),
                line,
            });
        }
        match text.rsplit_once(':') {
            Some((file, line)) if !file.ends_with(':') => {
                let line = line
                    .parse()
                    .map_err(|_| format!("`{line}` is no line number"))?;
                Ok(Spec::Line {
                    file: file.into(),
                    line,
                })
            }
            _ => Ok(Spec::Function(text.into())),
        }
    }

    /// The addresses in an image, and the line that was taken when the one that is meant has no code; or why there are none.
    pub fn resolve(&self, image: &Image) -> Result<(Vec<u64>, Option<u32>), String> {
        match self {
            Spec::Address(a) if image.lines.contains_key(a) => Ok((vec![*a], None)),
            Spec::Address(a) => Err(format!("no instruction is at {a:#x}")),
            Spec::Function(name) => {
                let all = function(image, name);
                if all.is_empty() {
                    Err(format!("no function is called `{name}`"))
                } else {
                    Ok((all, None))
                }
            }
            Spec::Line { file, line } => {
                if !image.has_lines() {
                    return Err(
                        "the module has no Rust lines (it was not built by cargo oxide)".into(),
                    );
                }
                if !image.files().iter().any(|f| same_file(file, f)) {
                    return Err(format!("no code is from a file `{file}`"));
                }
                // By line, and within it by instance: the function it was inlined into, and where.
                let mut found: BTreeMap<u32, BTreeMap<(String, String), u64>> = BTreeMap::new();
                for pc in image.lines.keys() {
                    let places = image.places(*pc);
                    for (level, p) in places.iter().enumerate() {
                        if p.line >= *line && same_file(file, &p.file) {
                            let kernel =
                                image.kernel(*pc).map_or(String::new(), |k| k.name.clone());
                            let outer = format!("{:?}", &places[level + 1..]);
                            found
                                .entry(p.line)
                                .or_default()
                                .entry((kernel, outer))
                                .or_insert(*pc);
                        }
                    }
                }
                let (at, instances) = found.into_iter().next().ok_or(format!(
                    "no code is from line {line} of `{file}` or behind it"
                ))?;
                let mut all: Vec<u64> = instances.into_values().collect();
                all.sort_unstable();
                all.dedup();
                Ok((all, (at != *line).then_some(at)))
            }
        }
    }
}

/// The first instructions of a function: of its own code, and of each place into which it was inlined.
fn function(image: &Image, name: &str) -> Vec<u64> {
    let mut all: Vec<u64> = image
        .kernels
        .iter()
        .filter(|k| k.name == name)
        .map(|k| k.range.start)
        .collect();
    let mut seen: BTreeMap<(String, String), u64> = BTreeMap::new();
    for pc in image.lines.keys() {
        let places = image.places(*pc);
        for (level, p) in places.iter().enumerate() {
            if same_function(name, &p.function) {
                let kernel = image.function(*pc).map_or(0, |k| k.range.start);
                let outer = format!("{:?}", &places[level + 1..]);
                seen.entry((kernel.to_string(), outer)).or_insert(*pc);
            }
        }
    }
    // A kernel's own frame begins where its code does.
    let entry = |pc: u64| {
        image
            .kernels
            .iter()
            .find(|k| k.range.contains(&pc))
            .map(|k| k.range.start)
    };
    for pc in seen.into_values() {
        let whole = image
            .places(pc)
            .last()
            .is_some_and(|p| same_function(name, &p.function));
        let start = image.function(pc).map(|f| f.range.start);
        match (whole, start, entry(pc)) {
            (true, Some(start), Some(entry)) if start == entry => all.push(entry),
            _ => all.push(pc),
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let line = |file: &str, line| {
            Ok(Spec::Line {
                file: file.into(),
                line,
            })
        };
        assert_eq!(Spec::parse("src/main.rs:17", None), line("src/main.rs", 17));
        assert_eq!(Spec::parse("9", Some("a.rs")), line("a.rs", 9));
        assert_eq!(
            Spec::parse("kernels::vecadd", None),
            Ok(Spec::Function("kernels::vecadd".into()))
        );
        assert_eq!(Spec::parse("*0x10", None), Ok(Spec::Address(16)));
        assert!(
            Spec::parse("9", None).is_err()
                && Spec::parse("a.rs:x", None).is_err()
                && Spec::parse("*q", None).is_err()
        );
    }
}
