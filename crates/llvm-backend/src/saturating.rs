//! Saturating conversions of floats to 128-bit integers (Rust's `as`), which LLVM does not write out for NVPTX: calls of
//! the intrinsics become calls of functions.

/// Intrinsic, our function, source type, whether the result is signed.
const TABLE: [(&str, &str, &str, bool); 4] = [
    (
        "llvm.fptosi.sat.i128.f32",
        "__oxide_fptosi_sat_i128_f32",
        "float",
        true,
    ),
    (
        "llvm.fptosi.sat.i128.f64",
        "__oxide_fptosi_sat_i128_f64",
        "double",
        true,
    ),
    (
        "llvm.fptoui.sat.i128.f32",
        "__oxide_fptoui_sat_i128_f32",
        "float",
        false,
    ),
    (
        "llvm.fptoui.sat.i128.f64",
        "__oxide_fptoui_sat_i128_f64",
        "double",
        false,
    ),
];

/// The names of the functions.
pub(crate) fn functions() -> [&'static str; 4] {
    TABLE.map(|row| row.1)
}

/// The module's text with the intrinsics renamed; `None` when there are none (or it is bitcode).
pub(crate) fn renamed(module: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(module)
        .ok()
        .filter(|text| text.contains(".sat.i128.f"))?;
    Some(TABLE.iter().fold(text.to_owned(), |text, row| {
        text.replace(&format!("@{}(", row.0), &format!("@{}(", row.1))
    }))
}

/// All four.
pub(crate) fn definitions() -> String {
    TABLE
        .map(|(_, name, ty, signed)| definition(name, ty, signed))
        .concat()
}

fn definition(name: &str, ty: &str, signed: bool) -> String {
    // 2¹²⁷ and 2¹²⁸ as `double`, whose bits LLVM's text takes for `float` too (both are exact in it; 2¹²⁸ is its infinity).
    let (low, high, least, most, convert) = if signed {
        (
            "0xC7E0000000000000",
            "0x47E0000000000000",
            i128::MIN.to_string(),
            i128::MAX.to_string(),
            "fptosi",
        )
    } else {
        let high = if ty == "float" {
            "0x7FF0000000000000"
        } else {
            "0x47F0000000000000"
        };
        (
            "0x0000000000000000",
            high,
            "0".to_owned(),
            u128::MAX.to_string(),
            "fptoui",
        )
    };
    format!(
        "define i128 @{name}({ty} %x) nounwind {{
start:
  %number = fcmp ord {ty} %x, %x
  br i1 %number, label %compare, label %nan
nan:
  ret i128 0
compare:
  %below = fcmp ole {ty} %x, {low}
  br i1 %below, label %least, label %not.below
least:
  ret i128 {least}
not.below:
  %above = fcmp oge {ty} %x, {high}
  br i1 %above, label %most, label %between
most:
  ret i128 {most}
between:
  %result = {convert} {ty} %x to i128
  ret i128 %result
}}
"
    )
}
