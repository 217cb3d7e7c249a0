//! LLVM's mathematical intrinsics that NVPTX has no instruction for become calls of C's functions of that name, so
//! that a library can define them, and so that a missing one is named.

/// Intrinsic (without `llvm.` and type) → C's name for `f64`.
const TABLE: &[(&str, &str)] = &[
    ("sin", "sin"),
    ("cos", "cos"),
    ("tan", "tan"),
    ("asin", "asin"),
    ("acos", "acos"),
    ("atan", "atan"),
    ("atan2", "atan2"),
    ("sinh", "sinh"),
    ("cosh", "cosh"),
    ("tanh", "tanh"),
    ("exp", "exp"),
    ("exp2", "exp2"),
    ("exp10", "exp10"),
    ("log", "log"),
    ("log2", "log2"),
    ("log10", "log10"),
    ("pow", "pow"),
];

/// `llvm.sin.f32` → `sinf`; `llvm.powi.f32.i32` → `__powisf2` of compiler-rt.
pub fn function_of(intrinsic: &str) -> Option<String> {
    let name = intrinsic.strip_prefix("llvm.")?;
    match name {
        "powi.f32.i32" => return Some("__powisf2".to_owned()),
        "powi.f64.i32" => return Some("__powidf2".to_owned()),
        _ => {}
    }
    let (name, ty) = name.rsplit_once('.')?;
    let c = TABLE.iter().find(|row| row.0 == name)?.1;
    match ty {
        "f32" => Some(format!("{c}f")),
        "f64" => Some(c.to_owned()),
        _ => None,
    }
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
    }
}
