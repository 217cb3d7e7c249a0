//! Several files together: what one only declares, another defines.

use std::collections::{BTreeMap, BTreeSet};

use crate::kernels::Root;
use crate::module::{Request, cut};
use crate::text::{IrFile, Kind, parameters, parenthesised};
use crate::{Cut, Error};

/// The LLVM type of a function: what must be equal on both sides of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub result: String,
    /// Types, with what changes how a value is passed (`byval`, `sret`, `zeroext`, `signext`).
    pub parameters: Vec<String>,
}

impl Signature {
    /// Of a definition or declaration in this file.
    pub fn of(file: &IrFile<'_>, symbol: &str) -> Option<Self> {
        let item = file
            .symbols
            .get(symbol)
            .filter(|item| item.kind != Kind::Variable)?;
        let header = item.text.lines().next()?;
        let passed = |p: &&str| {
            let ty = crate::kernels::type_of(p);
            let attributes = &p[ty.len()..];
            let memory = ["byval(", "sret("].iter().filter_map(|k| {
                let open = attributes.find(k)? + k.len() - 1;
                Some(
                    &attributes
                        [open + 1 - k.len()..open + 2 + parenthesised(attributes, open)?.len()],
                )
            });
            let how = attributes
                .split_whitespace()
                .filter(|w| matches!(*w, "zeroext" | "signext"))
                .chain(memory);
            std::iter::once(ty).chain(how).collect::<Vec<_>>().join(" ")
        };
        let before = &header[..header.find(&format!(" @{symbol}("))?];
        Some(Self {
            result: result_type(before).to_owned(),
            parameters: parameters(symbol, header)?.iter().map(passed).collect(),
        })
    }
}

/// The type at the end of what stands before a function's name.
fn result_type(before: &str) -> &str {
    let close = before.as_bytes().last().copied();
    let open = match close {
        Some(b'}') => '{',
        Some(b']') => '[',
        Some(b'>') => '<',
        _ => return before.rsplit(' ').next().unwrap_or(before),
    };
    before.find(open).map_or(before, |at| &before[at..])
}

/// Modules (texts) that together hold the kernels, the symbols, and everything that they reach: from `file`, and what it
/// only declares from the first of `libraries` that defines it.
pub fn compile(
    file: &IrFile<'_>,
    kernels: &[Root],
    symbols: &[&str],
    libraries: &[&IrFile<'_>],
    intrinsic: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Cut>, Error> {
    let defines = |library: &IrFile<'_>, name: &str| {
        library.symbols.get(name).is_some_and(|item| {
            item.kind == Kind::Define
                || item.kind == Kind::Variable && !item.text.contains(" external ")
        })
    };
    let all: Vec<&IrFile<'_>> = std::iter::once(file)
        .chain(libraries.iter().copied())
        .collect();
    let mut wanted: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    wanted.insert(0, symbols.iter().map(|s| s.to_string()).collect());
    let mut cuts: BTreeMap<usize, Cut> = BTreeMap::new();
    let mut todo = vec![0];
    while let Some(index) = todo.pop() {
        let here = all[index];
        let names = wanted.get(&index).cloned().unwrap_or_default();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let elsewhere = |name: &str| {
            all.iter()
                .enumerate()
                .any(|(other, library)| other != index && defines(library, name))
        };
        let kernels = if index == 0 { kernels } else { &[] };
        let request = Request {
            kernels,
            symbols: &names,
            intrinsic,
            elsewhere: &elsewhere,
        };
        let made = cut(here, &request)?;
        for name in &made.externals {
            let Some(other) =
                (0..all.len()).find(|other| *other != index && defines(all[*other], name))
            else {
                continue;
            };
            // Intrinsics of mathematics are declared under LLVM's name.
            let declared = Signature::of(here, name).or_else(|| {
                let intrinsic = here
                    .order
                    .iter()
                    .find(|s| crate::math::function_of(s).as_deref() == Some(name))?;
                Signature::of(here, intrinsic)
            });
            let defined = Signature::of(all[other], name);
            if declared != defined {
                return Err(Error::new(format!("`{}` is called with another type than it has", artifact::pretty(name)))
                    .note(format!("called: {declared:?}"))
                    .note(format!("defined: {defined:?}"))
                    .help("all crates must be compiled by one toolchain with one set of flags: `cargo oxide clean`"));
            }
            if wanted.entry(other).or_default().insert(name.clone()) && !todo.contains(&other) {
                todo.push(other);
            }
        }
        cuts.insert(index, made);
    }
    Ok(cuts.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures() {
        let text = "declare noundef zeroext i1 @f(ptr noalias noundef align 8 dereferenceable(24), i8 noundef zeroext) #1\n\
            define internal { i64, ptr } @g(ptr sret([24 x i8]) align 8 %a, [2 x i64] %b) {\n  ret { i64, ptr } poison\n}\n\
            @v = constant i8 0\n";
        let file = IrFile::parse(text).unwrap();
        let f = Signature::of(&file, "f").unwrap();
        assert_eq!(
            (f.result.as_str(), f.parameters),
            ("i1", vec!["ptr".to_owned(), "i8 zeroext".to_owned()])
        );
        let g = Signature::of(&file, "g").unwrap();
        assert_eq!(g.result, "{ i64, ptr }");
        assert_eq!(g.parameters, ["ptr sret([24 x i8])", "[2 x i64]"]);
        assert_eq!(Signature::of(&file, "v"), None);
    }

    #[test]
    fn two_files_and_a_wrong_type() {
        let a = IrFile::parse("define void @a() {\nstart:\n  call void @b(i32 1)\n  ret void\n}\ndeclare void @b(i32)\n").unwrap();
        let b = IrFile::parse("define void @b(i32 %x) {\nstart:\n  ret void\n}\n").unwrap();
        let wrong = IrFile::parse("define void @b(i64 %x) {\nstart:\n  ret void\n}\n").unwrap();
        let cuts = compile(&a, &[], &["a"], &[&b], &|_| None).unwrap();
        assert_eq!(cuts.len(), 2);
        assert!(
            cuts[0].text.contains("declare void @b(i32)")
                && cuts[1].text.contains("define void @b(i32 %x)")
        );
        let error = compile(&a, &[], &["a"], &[&wrong], &|_| None).unwrap_err();
        assert!(error.title.contains("another type"), "{error}");
        let error = compile(&a, &[], &["a"], &[], &|_| None).unwrap_err();
        assert!(error.title.contains("no body for `b`"), "{error}");
    }
}
