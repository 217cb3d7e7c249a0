//! From an operation to the LLVM IR that it stands for.
//!
//! A row's body is one of
//! - `@name`: a call with the row's prototype;
//! - `@name(args)`: a call with those arguments, for the row's result;
//! - instructions, one a line, that end in `ret`; with labels they are a function of their own, because an operation in
//!   the middle of a block cannot branch.
//!
//! `{0}`, `{1}`, … are the operands; other `%names` are local. Nothing between quotes (inline PTX) is touched.

use crate::{
    atomic::Atomic,
    lookup::{Resolved, lookup},
    table::{Spec, Ty},
};
use std::fmt::Write;

/// Name and declaration of the block's dynamic shared memory. It is aligned for every use, bulk copies included.
pub const DYNAMIC_SHARED: (&str, &str) = (
    "__oxide_dynamic_shared",
    "@__oxide_dynamic_shared = external addrspace(3) global [0 x i8], align 128",
);

/// The LLVM IR of one operation, ready to be put into a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// Instructions, without indentation.
    pub lines: Vec<String>,
    /// The value that the operation gives.
    pub result: Option<String>,
    /// Declarations and external globals that the instructions need, each a whole line.
    pub declarations: Vec<String>,
    /// A definition that the instructions call, for an operation that has control flow.
    pub helper: Option<String>,
}

/// The instructions for an operation with these operands; `fresh` makes a new value name (`%v7`) each time.
pub fn expand(
    resolved: &Resolved,
    operands: &[String],
    fresh: &mut dyn FnMut() -> String,
) -> Expansion {
    let body = body(resolved);
    let mut expansion = Expansion::default();
    if has_labels(&body) {
        let name = resolved.extern_name();
        let typed: Vec<_> = resolved
            .operands()
            .iter()
            .zip(operands)
            .map(|(ty, value)| format!("{} {value}", ty.llvm()))
            .collect();
        let call = format!(
            "call {} @{name}({})",
            resolved.result().map_or("void", Ty::llvm),
            typed.join(", ")
        );
        let result = resolved.result().map(|_| fresh());
        expansion.lines.push(match &result {
            Some(result) => format!("{result} = {call}"),
            None => call,
        });
        expansion.result = result;
        expansion.declarations = declarations(&body);
        expansion.helper = Some(definition(resolved, &body));
        return expansion;
    }
    expansion.declarations = declarations(&body);
    let mut names: Vec<(String, String)> = Vec::new();
    for line in body.lines() {
        let mut local = |name: &str| match names.iter().find(|(old, _)| old == name) {
            Some((_, new)) => new.clone(),
            None => {
                let new = fresh();
                names.push((name.to_string(), new.clone()));
                new
            }
        };
        let line = substitute(line, operands, &mut local);
        if let Some(value) = line.strip_prefix("ret ") {
            expansion.result = value.split_once(' ').map(|(_, value)| value.to_string());
        } else {
            let convergent = resolved.convergent() && line.contains("call ");
            expansion
                .lines
                .push(if convergent { line + " #0" } else { line });
        }
    }
    expansion
}

/// The definition of a device function `__nvvm_<op>`, for a module in which it is only declared: always inlined, and
/// dropped where it is not used. `None` if no operation has that name.
pub fn llvm_definition(extern_name: &str) -> Option<String> {
    if let Some(text) = crate::asm::definition(extern_name) {
        return Some(text);
    }
    let resolved = lookup(extern_name)?;
    let body = body(&resolved);
    let mut text = String::new();
    for declaration in declarations(&body) {
        writeln!(text, "{declaration}").expect("a string takes everything");
    }
    text.push_str(&definition(&resolved, &body));
    Some(text)
}

/// The names of the functions that a body calls.
pub(crate) fn called_functions(body: &str) -> Vec<&str> {
    body.split('@')
        .skip(1)
        .map(|rest| {
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_'))
                .unwrap_or(rest.len());
            &rest[..end]
        })
        .filter(|name| *name != DYNAMIC_SHARED.0)
        .collect()
}

/// The body in its third form.
fn body(resolved: &Resolved) -> String {
    match resolved {
        Resolved::Op(spec) => spec_body(spec),
        Resolved::Atomic(atomic) => atomic_body(atomic),
    }
}

fn spec_body(spec: &Spec) -> String {
    let Some(call) = spec.body.strip_prefix('@') else {
        return spec.body.to_string();
    };
    let call = if call.contains('(') {
        call.to_string()
    } else {
        let arguments: Vec<_> = spec
            .operands
            .iter()
            .enumerate()
            .map(|(index, ty)| format!("{} {{{index}}}", ty.llvm()))
            .collect();
        format!("{call}({})", arguments.join(", "))
    };
    match spec.result {
        Some(ty) => format!("%r = call {0} @{call}\nret {0} %r", ty.llvm()),
        None => format!("call void @{call}\nret void"),
    }
}

fn atomic_body(atomic: &Atomic) -> String {
    atomic.body()
}

fn has_labels(body: &str) -> bool {
    body.lines().any(|line| line.ends_with(':'))
}

fn definition(resolved: &Resolved, body: &str) -> String {
    let operands = resolved.operands();
    let names: Vec<_> = (0..operands.len())
        .map(|index| format!("%a{index}"))
        .collect();
    let parameters: Vec<_> = operands
        .iter()
        .zip(&names)
        .map(|(ty, name)| format!("{} {name}", ty.llvm()))
        .collect();
    let convergent = if resolved.convergent() {
        " convergent"
    } else {
        ""
    };
    let mut text = format!(
        "define linkonce_odr hidden {} @{}({}) alwaysinline nounwind{convergent} {{\nentry:\n",
        resolved.result().map_or("void", Ty::llvm),
        resolved.extern_name(),
        parameters.join(", ")
    );
    for line in body.lines() {
        let line = substitute(line, &names, &mut |name| name.to_string());
        let indent = if line.ends_with(':') { "" } else { "  " };
        writeln!(text, "{indent}{line}").expect("a string takes everything");
    }
    text.push_str("}\n");
    text
}

/// Replaces operands and local names outside quotes.
fn substitute(line: &str, operands: &[String], local: &mut dyn FnMut(&str) -> String) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    let mut quoted = false;
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            quoted = !quoted;
        }
        if !quoted && c == '{' {
            let digits = &rest[1..rest.find('}').unwrap_or(1)];
            if let Some(operand) = digits.parse().ok().and_then(|i: usize| operands.get(i)) {
                out.push_str(operand);
                rest = &rest[digits.len() + 2..];
                continue;
            }
        }
        if !quoted && c == '%' {
            let end = rest[1..]
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .map_or(rest.len(), |at| at + 1);
            // A label's name is not a value's.
            if out.ends_with("label ") {
                out.push_str(&rest[..end]);
            } else {
                out.push_str(&local(&rest[..end]));
            }
            rest = &rest[end..];
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// A `declare` for each function that the body calls, and the globals that it names.
fn declarations(body: &str) -> Vec<String> {
    let mut out = Vec::new();
    for line in body.lines() {
        if line.contains(&format!("@{}", DYNAMIC_SHARED.0)) {
            out.push(DYNAMIC_SHARED.1.to_string());
        }
        let Some(declaration) = declaration(line) else {
            continue;
        };
        if !out.contains(&declaration) {
            out.push(declaration);
        }
    }
    out
}

/// `declare T @f(A, B)` from `… call T @f(A %a, B %b)`.
fn declaration(line: &str) -> Option<String> {
    let call = &line[line.find("call ")? + 5..];
    let at = call.find('@')?;
    if call[..at].contains("asm") {
        return None;
    }
    let open = at + call[at..].find('(')?;
    let close = call.rfind(')')?;
    let mut types = Vec::new();
    let mut depth = 0usize;
    let mut start = open + 1;
    let arguments = call[..close].to_string() + ",";
    for (index, c) in arguments.char_indices().skip(open + 1) {
        match c {
            '(' | '{' | '<' | '[' => depth += 1,
            ')' | '}' | '>' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                let argument = arguments[start..index].trim();
                if let Some((ty, _value)) = argument.rsplit_once(' ') {
                    types.push(ty);
                }
                start = index + 1;
            }
            _ => {}
        }
    }
    Some(format!(
        "declare {}{}({})",
        &call[..at],
        &call[at..open],
        types.join(", ")
    ))
}
