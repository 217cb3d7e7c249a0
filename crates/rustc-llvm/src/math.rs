//! Mathematical functions that are no instruction of a GPU. rustc asks for them as intrinsics of LLVM (`llvm.sin.f32`) or
//! by the names of C (`tanf`, which `std` calls); both become calls under the name of C, which the crate `libm` defines: its
//! own functions, from its LLVM IR, with what a GPU has an instruction for replaced by that.

use std::fmt::Write;

use crate::module::{Cut, Request, cut};
use crate::text::{IrFile, Kind};
use crate::{Error, builtins};

/// Names for `f64` (for `f32` with an `f` behind), each with its number of arguments. `lgamma` and what gives two results
/// are absent: stable Rust has no method that calls them.
pub const FUNCTIONS: &[(&str, usize)] = &[
    ("sin", 1),
    ("cos", 1),
    ("tan", 1),
    ("asin", 1),
    ("acos", 1),
    ("atan", 1),
    ("atan2", 2),
    ("sinh", 1),
    ("cosh", 1),
    ("tanh", 1),
    ("asinh", 1),
    ("acosh", 1),
    ("atanh", 1),
    ("exp", 1),
    ("exp2", 1),
    ("exp10", 1),
    ("expm1", 1),
    ("log", 1),
    ("log2", 1),
    ("log10", 1),
    ("log1p", 1),
    ("pow", 2),
    ("cbrt", 1),
    ("hypot", 2),
    ("fdim", 2),
    ("tgamma", 1),
    ("erf", 1),
    ("erfc", 1),
];

/// LLVM's type of the function's arguments and result, and how many arguments there are, if it is one of the table.
pub fn type_of(c: &str) -> Option<(&'static str, usize)> {
    let row = |name: &str| FUNCTIONS.iter().find(|row| row.0 == name);
    if let Some(row) = row(c) {
        return Some(("double", row.1));
    }
    Some(("float", row(c.strip_suffix('f')?)?.1))
}

/// `llvm.sin.f32` → `sinf`; `llvm.powi.f32.i32` → `__powisf2` of compiler-rt.
pub fn function_of(intrinsic: &str) -> Option<String> {
    let name = intrinsic.strip_prefix("llvm.")?;
    match name {
        "powi.f32.i32" => return Some("__powisf2".to_owned()),
        "powi.f64.i32" => return Some("__powidf2".to_owned()),
        _ => {}
    }
    let (name, ty) = name.rsplit_once('.')?;
    let c = match ty {
        "f32" => format!("{name}f"),
        "f64" => name.to_owned(),
        _ => return None,
    };
    type_of(&c).map(|_| c)
}

/// `libm`'s LLVM IR with its functions under the names of C.
pub fn with_c_names(libm: &str) -> String {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for line in libm.lines().filter(|l| l.starts_with("define ")) {
        let Some((_, rest)) = line.split_once(" @") else {
            continue;
        };
        let symbol = rest.split('(').next().unwrap_or(rest);
        let path = artifact::pretty(symbol);
        let name = path.rsplit("::").next().unwrap_or("");
        let c = FUNCTIONS
            .iter()
            .map(|row| row.0)
            .find(|c| name == *c || name.strip_suffix('f') == Some(c));
        if c.is_some() && path.starts_with("libm::math::") && !path.contains("::generic::") {
            names.push((symbol, &symbol[symbol.len() - name.len()..]));
        }
    }
    let names: std::collections::HashMap<&str, &str> = names.into_iter().collect();
    let mut out = String::with_capacity(libm.len());
    let mut rest = libm;
    while let Some(at) = rest.find("@_R") {
        let after = &rest[at + 1..];
        let end = after
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '$'))
            .unwrap_or(after.len());
        out.push_str(&rest[..at + 1]);
        out.push_str(names.get(&after[..end]).unwrap_or(&&after[..end]));
        rest = &after[end..];
    }
    out.push_str(rest);
    out
}

/// Modules that define these functions of C: `libm`'s (its IR with the names of C), and those of compiler-rt.
pub fn modules(
    libm: &IrFile<'_>,
    names: &[&str],
    intrinsic: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Cut>, Error> {
    let (built, wanted): (Vec<&str>, Vec<&str>) = names
        .iter()
        .partition(|name| builtins::definition(name).is_some());
    let mut out = Vec::new();
    for name in built {
        let text = builtins::definition(name).unwrap_or_default();
        out.push(Cut {
            text: text.replacen("define internal ", "define ", 1),
            functions: vec![name.to_owned()],
            ..Cut::default()
        });
    }
    if let Some(missing) = wanted
        .iter()
        .find(|n| libm.symbols.get(**n).is_none_or(|i| i.kind != Kind::Define))
    {
        return Err(Error::new(format!(
            "the crate `libm` has no `{missing}` for the device"
        )));
    }
    if !wanted.is_empty() {
        let request = Request {
            kernels: &[],
            symbols: &wanted,
            intrinsic,
            elsewhere: &|_| false,
        };
        out.push(cut(libm, &request)?);
    }
    Ok(out)
}

/// `libm`'s functions that PTX has an exact instruction for: the name there, LLVM's intrinsic, the number of arguments.
const INSTRUCTIONS: &[(&str, &str, usize)] = &[
    ("sqrt", "sqrt", 1),
    ("fabs", "fabs", 1),
    ("floor", "floor", 1),
    ("ceil", "ceil", 1),
    ("trunc", "trunc", 1),
    ("rint", "roundeven", 1),
    ("roundeven", "roundeven", 1),
    ("copysign", "copysign", 2),
    ("fma", "fma", 3),
];

/// The definition of such a function, whoever calls it.
pub fn instruction(symbol: &str, path: &str, parameters: &[&str]) -> Option<String> {
    let inside = path.strip_prefix("libm::math::")?;
    let inside = inside.split("::<").next().unwrap_or(inside);
    let name = inside.rsplit("::").next()?;
    let ty = parameters.first()?.split(' ').next()?;
    let (base, suffix) = match ty {
        "double" => (name, "f64"),
        "float" if inside.starts_with("generic::") => (name, "f32"),
        "float" => (name.strip_suffix('f')?, "f32"),
        _ => return None,
    };
    let (_, intrinsic, count) = INSTRUCTIONS.iter().find(|row| row.0 == base)?;
    if parameters.len() != *count || parameters.iter().any(|p| !p.starts_with(ty)) {
        return None;
    }
    let list =
        |what: &dyn Fn(usize) -> String| (0..*count).map(what).collect::<Vec<_>>().join(", ");
    let mut out = String::new();
    let types = list(&|_| ty.to_owned());
    let _ = writeln!(out, "declare {ty} @llvm.{intrinsic}.{suffix}({types})");
    let named = list(&|n| format!("{ty} %a{n}"));
    let _ = writeln!(
        out,
        "define internal {ty} @{symbol}({named}) alwaysinline nounwind {{"
    );
    let _ = writeln!(
        out,
        "start:\n  %r = call {ty} @llvm.{intrinsic}.{suffix}({named})"
    );
    let _ = writeln!(out, "  ret {ty} %r\n}}");
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(function_of("llvm.sin.f32").as_deref(), Some("sinf"));
        assert_eq!(function_of("llvm.atan2.f64").as_deref(), Some("atan2"));
        assert_eq!(
            function_of("llvm.powi.f32.i32").as_deref(),
            Some("__powisf2")
        );
        // These are instructions.
        for kept in [
            "llvm.sqrt.f32",
            "llvm.fma.f64",
            "llvm.floor.f32",
            "llvm.sin.v2f32",
        ] {
            assert_eq!(function_of(kept), None);
        }
        assert_eq!(type_of("erf"), Some(("double", 1)));
        assert_eq!(type_of("erff"), Some(("float", 1)));
        assert_eq!(type_of("powf"), Some(("float", 2)));
        assert_eq!(type_of("sinff"), None);
    }

    #[test]
    fn functions_of_libm() {
        let text = "define float @_RNvNtNtCsjpenbtf8ubD_4libm4math4sinf4sinf(float noundef %x) {\nstart:\n\
            \x20 %y = call float @_RNvNtNtCsjpenbtf8ubD_4libm4math4sqrt5sqrtf(float %x)\n  ret float %y\n}\n\
            define float @_RNvNtNtCsjpenbtf8ubD_4libm4math4sqrt5sqrtf(float noundef %x) {\nstart:\n  ret float 0.0\n}\n";
        let text = with_c_names(text);
        assert!(
            text.starts_with("define float @sinf(float noundef %x)"),
            "{text}"
        );
        let file = IrFile::parse(&text).unwrap();
        let made = modules(&file, &["sinf", "__powisf2"], &|_| None).unwrap();
        let all = made.iter().map(|c| c.text.as_str()).collect::<String>();
        assert!(all.contains("@llvm.sqrt.f32(float %a0)"), "{all}");
        assert!(!all.contains("ret float 0.0"), "{all}");
        assert!(all.contains("define float @__powisf2(float"), "{all}");
        assert!(modules(&file, &["cosf"], &|_| None).is_err());
    }
}
