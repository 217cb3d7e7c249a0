//! Panic entry points of `core` become calls of `__oxide_panic` (ARCHITECTURE.md, *Panics*).

use std::fmt::Write;

use crate::format::llvm_string;

/// What an entry point says.
enum Message {
    /// A template, and the parameters that fill it.
    Template(String, Vec<usize>),
    /// The first two parameters are a `&str`.
    Text,
    /// The first two are a `fmt::Arguments`: text if its low bit says that nothing is to be formatted.
    Arguments,
}

/// A parameter of a declaration: LLVM type and attributes.
fn ty(parameter: &str) -> &str {
    parameter.split_whitespace().next().unwrap_or("")
}

/// `core::panicking::panic_const::panic_const_<what>`, as rustc words them.
fn constant(what: &str) -> Option<&'static str> {
    Some(match what {
        "add_overflow" => "attempt to add with overflow",
        "sub_overflow" => "attempt to subtract with overflow",
        "mul_overflow" => "attempt to multiply with overflow",
        "div_overflow" => "attempt to divide with overflow",
        "rem_overflow" => "attempt to calculate the remainder with overflow",
        "neg_overflow" => "attempt to negate with overflow",
        "shl_overflow" => "attempt to shift left with overflow",
        "shr_overflow" => "attempt to shift right with overflow",
        "div_by_zero" => "attempt to divide by zero",
        "rem_by_zero" => "attempt to calculate the remainder with a divisor of zero",
        _ => return None,
    })
}

fn message(path: &str, parameters: &[&str]) -> Option<Message> {
    let path = path.split("::<").next().unwrap_or(path);
    let integers = || {
        (0..parameters.len())
            .filter(|i| matches!(ty(parameters[*i]), "i64" | "i32" | "i8"))
            .collect::<Vec<_>>()
    };
    let fixed = |text: &str| Some(Message::Template(text.to_string(), Vec::new()));
    match path {
        "core::panicking::panic_bounds_check" => Some(Message::Template(
            "index out of bounds: the len is {0} but the index is {1}".to_string(),
            vec![1, 0],
        )),
        "core::panicking::panic"
        | "core::option::expect_failed"
        | "core::panicking::panic_nounwind"
        | "core::panicking::panic_str_2015" => Some(Message::Text),
        "core::result::unwrap_failed" => Some(Message::Text),
        "core::panicking::panic_fmt" => Some(Message::Arguments),
        "core::option::unwrap_failed" => fixed("called `Option::unwrap()` on a `None` value"),
        "core::panicking::unreachable_display" => fixed("internal error: entered unreachable code"),
        "core::panicking::assert_failed" | "core::panicking::assert_failed_inner" => {
            fixed("assertion failed: `left` and `right` are not as they should be")
        }
        _ => {
            if let Some(what) = path.strip_prefix("core::panicking::panic_const::panic_const_") {
                return constant(what).and_then(fixed);
            }
            let index = path.starts_with("core::slice::index::slice_")
                || path.starts_with("core::str::slice_error_fail");
            let name = path.rsplit("::").next().unwrap_or(path);
            if index && parameters.len() > 1 {
                let arguments = integers();
                let holes: Vec<String> = (0..arguments.len()).map(|i| format!("{{{i}}}")).collect();
                return Some(Message::Template(
                    format!("slice index out of range: {name}({})", holes.join(", ")),
                    arguments,
                ));
            }
            path.starts_with("core::panicking::")
                .then(|| Message::Template(format!("panic: {name}"), Vec::new()))
        }
    }
}

/// The definition of a panic entry point, from its path and the parameters of its declaration.
pub fn definition(symbol: &str, path: &str, parameters: &[&str]) -> Option<String> {
    Some(body(symbol, message(path, parameters)?, parameters))
}

/// The definition of a function of `core` that does not return and has no words of its own here: it says its name.
pub fn other(symbol: &str, path: &str, parameters: &[&str]) -> String {
    body(
        symbol,
        Message::Template(
            format!("panic in {}", path.replace('{', "{{").replace('}', "}}")),
            Vec::new(),
        ),
        parameters,
    )
}

fn body(symbol: &str, message: Message, parameters: &[&str]) -> String {
    let mut out = String::new();
    let typed: Vec<String> = parameters
        .iter()
        .enumerate()
        .map(|(i, p)| format!("{} %p{i}", ty(p)))
        .collect();
    // `&'static Location<'static>` is the last parameter of what is `#[track_caller]`; its size tells it from other references.
    let location = parameters
        .len()
        .checked_sub(1)
        .filter(|i| ty(parameters[*i]) == "ptr" && parameters[*i].contains("dereferenceable(24)"));
    let (text, arguments) = match &message {
        Message::Template(text, arguments) => (text.as_str(), arguments.clone()),
        Message::Text | Message::Arguments => ("{…}", Vec::new()),
    };
    let escaped = llvm_string(text.as_bytes());
    let constant = format!("__oxide_text.{symbol}");
    // The symbol may hold `$` and dots; both are plain in LLVM's names.
    let _ = writeln!(
        out,
        "@{constant} = private unnamed_addr constant [{} x i8] c\"{escaped}\"",
        text.len()
    );
    let _ = writeln!(
        out,
        "define internal void @{symbol}({}) noinline cold noreturn nounwind {{",
        typed.join(", ")
    );
    match location {
        Some(at) => {
            // `core::panic::Location`: file name (pointer and length), line, column.
            for (name, ty, offset) in [("file", "ptr", 0), ("file_len", "i64", 8), ("line", "i32", 16), ("col", "i32", 20)] {
                let _ = writeln!(out, "  %{name}.at = getelementptr i8, ptr %p{at}, i64 {offset}\n  %{name} = load {ty}, ptr %{name}.at, align 4");
            }
        }
        None => out.push_str("  %file = select i1 true, ptr null, ptr null\n  %file_len = add i64 0, 0\n  %line = add i32 0, 0\n  %col = add i32 0, 0\n"),
    }
    let _ = writeln!(
        out,
        "  %args = alloca [{} x i64], align 8",
        arguments.len().max(1)
    );
    for (slot, parameter) in arguments.iter().enumerate() {
        let from = ty(parameters[*parameter]);
        let value = if from == "i64" {
            format!("%p{parameter}")
        } else {
            format!("%wide{slot}")
        };
        if from != "i64" {
            let _ = writeln!(out, "  {value} = zext {from} %p{parameter} to i64");
        }
        let _ = writeln!(
            out,
            "  %slot{slot} = getelementptr i64, ptr %args, i64 {slot}\n  store i64 {value}, ptr %slot{slot}, align 8"
        );
    }
    let (msg, len) = match message {
        Message::Template(..) => (format!("@{constant}"), text.len().to_string()),
        Message::Text => ("%p0".to_string(), "%p1".to_string()),
        Message::Arguments => {
            let _ = writeln!(
                out,
                "  %bits = ptrtoint ptr %p1 to i64\n  %low = and i64 %bits, 1\n  %plain = icmp ne i64 %low, 0\n  %plain_len = lshr i64 %bits, 1\n  \
                 %msg = select i1 %plain, ptr %p0, ptr @{constant}\n  %len = select i1 %plain, i64 %plain_len, i64 {}",
                text.len()
            );
            ("%msg".to_string(), "%len".to_string())
        }
    };
    let _ = writeln!(
        out,
        "  call void @__oxide_panic(ptr {msg}, i64 {len}, ptr %file, i64 %file_len, i32 %line, i32 %col, ptr %args, i64 {})\n  unreachable\n}}",
        arguments.len()
    );
    out
}

/// What the definitions call.
pub const RUNTIME: &str = "declare void @__oxide_panic(ptr, i64, ptr, i64, i32, i32, ptr, i64)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_check_says_length_and_index() {
        let location = "ptr noalias noundef readonly align 8 dereferenceable(24)";
        let text = definition(
            "f",
            "core::panicking::panic_bounds_check",
            &["i64 noundef", "i64 noundef", location],
        )
        .unwrap();
        assert!(
            text.contains("store i64 %p1, ptr %slot0")
                && text.contains("store i64 %p0, ptr %slot1")
                && text.contains("ptr %p2, i64 20")
        );
        assert!(
            definition(
                "f",
                "core::panicking::panic_const::panic_const_add_overflow",
                &[location]
            )
            .unwrap()
            .contains("attempt to add")
        );
        assert!(definition("f", "core::option::Option::<u32>::unwrap", &["i64"]).is_none());
        assert!(
            definition(
                "f",
                "core::panicking::panic_const::panic_const_unheard_of",
                &[location]
            )
            .is_none()
        );
    }
}
