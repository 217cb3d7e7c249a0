//! A module for the device out of rustc's IR of a crate: what kernels reach, and nothing else.

use super::kernels::Root;
use super::panics;
use super::text::{IrFile, Item, Kind, Token, parameters, tokens};
use crate::Diagnostic;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write;

/// The module and the functions in it, by their Rust paths.
pub struct Cut {
    pub text: String,
    pub functions: Vec<String>,
}

/// Attributes of functions that speak of the host.
const HOST_ATTRIBUTES: &[&str] = &[
    "uwtable",
    "nonlazybind",
    "noredzone",
    "sspstrong",
    "ssp",
    "sspreq",
    "minsize",
    "optsize",
    "allockind",
    "allocsize",
    "sanitize",
];

/// Cuts the module down to what the kernels reach.
pub fn cut(file: &IrFile<'_>, roots: &[Root]) -> Result<Cut, Diagnostic> {
    let entries: HashMap<&str, &Root> = roots.iter().map(|r| (r.symbol.as_str(), r)).collect();
    let mut todo: Vec<(&str, Option<&str>)> =
        roots.iter().map(|r| (r.symbol.as_str(), None)).collect();
    let mut user: HashMap<&str, Option<&str>> = HashMap::new();
    let mut made: Vec<String> = Vec::new();
    let mut runtime = false;
    let mut shared: HashSet<&str> = HashSet::new();
    let mut kept: Vec<&str> = Vec::new();
    let mut attributes: BTreeSet<u32> = BTreeSet::new();
    let mut metadata: BTreeSet<u32> = BTreeSet::new();
    while let Some((name, by)) = todo.pop() {
        if user.contains_key(name) {
            continue;
        }
        user.insert(name, by);
        let Some(item) = file.symbols.get(name) else {
            return Err(
                Diagnostic::error(format!("rustc's LLVM IR does not define `{name}`"))
                    .note(chain(&user, name)),
            );
        };
        let header = item.text.lines().next().unwrap_or(item.text);
        if name.starts_with("llvm.") {
            made.push(without_attributes(item.text));
            continue;
        }
        if name.starts_with("__nvvm_") {
            made.push(intrinsic(name, header).map_err(|e| e.note(chain(&user, name)))?);
            continue;
        }
        let path = artifact::pretty(name);
        let params = parameters(name, header).unwrap_or_default();
        if item.kind != Kind::Variable
            && let Some(text) = panics::definition(name, &path, &params)
        {
            made.push(text);
            runtime = true;
            continue;
        }
        if item.kind == Kind::Declare
            || header.contains(" external global ")
            || header.contains(" external constant ")
        {
            return Err(no_body(&path, &chain(&user, name)));
        }
        check(item, &path).map_err(|e| e.note(chain(&user, name)))?;
        kept.push(name);
        if item.kind == Kind::Variable && is_shared(file, item.text) {
            shared.insert(name);
        }
        for line in item.text.lines().filter(|l| !is_debug_record(l)) {
            // Dropped with the line's end: a host's unwinder.
            for (_, token) in tokens(line) {
                match token {
                    Token::Symbol("rust_eh_personality") => {}
                    Token::Symbol(other) => todo.push((other, Some(name))),
                    Token::Attributes(number) => {
                        attributes.insert(number);
                    }
                    Token::Metadata(number) => {
                        metadata.insert(number);
                    }
                }
            }
        }
    }
    let order: HashMap<&str, usize> = file
        .order
        .iter()
        .enumerate()
        .map(|(i, n)| (*n, i))
        .collect();
    kept.sort_by_key(|n| order.get(n));
    let mut out = String::new();
    for ty in file.types.iter().filter(|t| t.starts_with('%')) {
        let _ = writeln!(out, "{ty}");
    }
    if runtime {
        let _ = writeln!(out, "{}", panics::RUNTIME);
    }
    let mut functions = Vec::new();
    for name in &kept {
        let item = &file.symbols[name];
        match item.kind {
            Kind::Variable if shared.contains(name) => out.push_str(&shared_variable(item.text)?),
            Kind::Variable => out.push_str(&rewrite(item.text, &shared)),
            _ => {
                functions.push(artifact::pretty(name));
                let (header, body) = item.text.split_once('\n').unwrap_or((item.text, ""));
                let header = header
                    .replace(" personality ptr @rust_eh_personality", "")
                    .replace(" comdat {", " {");
                let header = match entries.get(name) {
                    Some(root) => root.header(&header).ok_or_else(|| {
                        Diagnostic::error(format!("a kernel with a form of its own: {header}"))
                    })?,
                    None => header,
                };
                let _ = writeln!(out, "{header}");
                for line in body
                    .lines()
                    .filter(|l| !is_debug_record(l) && !l.starts_with(';'))
                {
                    out.push_str(&rewrite(line, &shared));
                    out.push('\n');
                }
            }
        }
        out.push('\n');
    }
    let mut lines = HashSet::new();
    for text in &made {
        // Expansions share declarations.
        for line in text.lines() {
            let repeated = line.starts_with("declare ") || line.starts_with('@');
            let name = repeated
                .then(|| super::text::symbols(line).next())
                .flatten()
                .map(str::to_string);
            if name.is_none_or(|n| lines.insert(n)) {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    for number in &attributes {
        let _ = writeln!(
            out,
            "attributes #{number} = {{ {} }}",
            device_attributes(file.attributes.get(number).copied().unwrap_or(""))
        );
    }
    write_metadata(file, metadata, &mut out);
    Ok(Cut {
        text: out,
        functions,
    })
}

/// Who needs a symbol, up to the kernel.
fn chain(user: &HashMap<&str, Option<&str>>, name: &str) -> String {
    let mut names = Vec::new();
    let mut at = user.get(name).copied().flatten();
    while let Some(next) = at {
        names.push(format!("`{}`", artifact::pretty(next)));
        at = user.get(next).copied().flatten();
    }
    if names.is_empty() {
        "it is a kernel itself".to_string()
    } else {
        format!("needed by {}", names.join(", called by "))
    }
}

/// What a kernel cannot do, in words for what users mostly try.
fn no_body(path: &str, chain: &str) -> Diagnostic {
    let (title, help) = if path.contains("__rust_alloc")
        || path.contains("alloc::alloc")
        || path.contains("handle_alloc_error")
        || path.contains("__rust_no_alloc")
    {
        (
            "kernels cannot allocate memory".to_string(),
            "use arrays, `SharedArray`, or buffers that the host allocates",
        )
    } else if path.contains("_print") && path.contains("std::io") {
        (
            "kernels cannot print to standard output".to_string(),
            "use `gpu_printf!`",
        )
    } else if path.starts_with("std::") {
        (
            format!("kernels cannot call `{path}`: it needs an operating system"),
            "do this on the host and pass the result to the kernel",
        )
    } else {
        (
            format!("there is no body for `{path}` on the device"),
            "a function of C or of another language cannot be called from a kernel",
        )
    };
    let mut error = Diagnostic::error(title).note(chain.to_string()).help(help);
    if !error.title.contains(path) {
        error = error.note(format!("the function is `{path}`"));
    }
    error
}

fn is_debug_record(line: &str) -> bool {
    line.trim_start().starts_with("#dbg_")
}

/// `declare void @llvm.x(ptr) #3` without what follows the parameters.
fn without_attributes(text: &str) -> String {
    match text.rfind(')') {
        Some(end) => text[..=end].to_string(),
        None => text.to_string(),
    }
}

/// The definition of a device intrinsic, if its prototype is what the crate declared.
fn intrinsic(name: &str, declared: &str) -> Result<String, Diagnostic> {
    let text = dialect_nvvm::llvm_definition(name).ok_or_else(|| {
        Diagnostic::error(format!("no operation of the device is called `{name}`"))
            .help("cuda-device and cargo-oxide must be of one version")
    })?;
    let types = |header: &str| -> Option<(Vec<String>, String)> {
        let params = parameters(name, header)?
            .iter()
            .map(|p| p.split_whitespace().next().unwrap_or("").to_string())
            .collect();
        let result = header
            .split(" @")
            .next()?
            .split_whitespace()
            .last()?
            .to_string();
        Some((params, result))
    };
    let defined = text
        .lines()
        .find(|l| l.starts_with("define "))
        .unwrap_or("");
    if types(defined) != types(declared) {
        return Err(Diagnostic::error(format!(
            "`{name}` is declared with another type than the operation has"
        ))
        .note(declared.to_string())
        .note(defined.to_string()));
    }
    Ok(text)
}

/// What LLVM would take and a GPU cannot do.
fn check(item: &Item<'_>, path: &str) -> Result<(), Diagnostic> {
    if item.text.contains(" thread_local") && item.kind == Kind::Variable {
        return Err(Diagnostic::error(format!(
            "kernels cannot use the thread-local `{path}`"
        )));
    }
    for line in item.text.lines() {
        if let Some(at) = line.find(" asm ") {
            let empty = line[at..].contains(" \"\",");
            // Code of `ptx_asm!` is marked by its comment; what is left is the host's.
            if !empty && !line[at..].contains("// ptx") {
                return Err(
                    Diagnostic::error(format!("`{path}` has assembly of the host in it"))
                        .note(line.trim().to_string()),
                );
            }
        }
        if line.contains("@llvm.x86.") {
            return Err(
                Diagnostic::error(format!("`{path}` uses an instruction of the host"))
                    .note(line.trim().to_string()),
            );
        }
    }
    Ok(())
}

/// Whether a variable is of type `SharedArray`, by its debug metadata.
fn is_shared(file: &IrFile<'_>, text: &str) -> bool {
    let number = |text: &str, key: &str| -> Option<u32> {
        let rest = &text[text.find(key)? + key.len()..];
        rest[..rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len())]
            .parse()
            .ok()
    };
    let find = || {
        let expression = file.metadata.get(&number(text, "!dbg !")?)?;
        let variable = file.metadata.get(&number(expression, "var: !")?)?;
        let ty = file.metadata.get(&number(variable, "type: !")?)?;
        Some(ty.contains("name: \"SharedArray<"))
    };
    find().unwrap_or(false)
}

/// `@T = internal global <{ [4096 x i8] }> undef, align 4, …` in the block's shared memory.
fn shared_variable(text: &str) -> Result<String, Diagnostic> {
    let wrong = || {
        Diagnostic::error(format!("shared memory that is not as expected: {text}"))
            .help("a `SharedArray` begins as `SharedArray::UNINIT`")
    };
    let (head, rest) = text.split_once(" global ").ok_or_else(wrong)?;
    let name = head.split(' ').next().ok_or_else(wrong)?;
    let value = super::text::split_commas(rest);
    let first = value.first().ok_or_else(wrong)?;
    let (ty, initialiser) = first.rsplit_once(' ').ok_or_else(wrong)?;
    if !matches!(initialiser, "undef" | "poison") {
        return Err(wrong());
    }
    let align = value
        .iter()
        .find(|v| v.starts_with("align "))
        .ok_or_else(wrong)?;
    Ok(format!(
        "{name} = internal addrspace(3) global {ty} poison, {align}\n"
    ))
}

/// Uses of shared variables go through a cast to the generic address space.
fn rewrite(text: &str, shared: &HashSet<&str>) -> String {
    if shared.is_empty() {
        return text.to_string();
    }
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for (range, token) in tokens(text) {
        if let Token::Symbol(name) = token
            && shared.contains(name)
        {
            let _ = write!(
                out,
                "{}addrspacecast (ptr addrspace(3) {} to ptr)",
                &text[end..range.start],
                &text[range.clone()]
            );
            end = range.end;
        }
    }
    out.push_str(&text[end..]);
    out
}

/// A group without what speaks of the host; everything is convergent until LLVM has shown that it need not be.
fn device_attributes(group: &str) -> String {
    let mut out = vec!["convergent".to_string()];
    let mut depth = 0usize;
    let mut word = String::new();
    for c in group.chars().chain([' ']) {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => {
                let name = word.split('(').next().unwrap_or("");
                let host = HOST_ATTRIBUTES
                    .iter()
                    .any(|h| name == *h || (*h == "sanitize" && name.starts_with("sanitize")));
                if !word.is_empty() && !word.starts_with('"') && !host {
                    out.push(std::mem::take(&mut word));
                }
                word.clear();
                continue;
            }
            _ => {}
        }
        word.push(c);
    }
    out.join(" ")
}

/// The metadata that is reached, and compile units without their lists of globals.
fn write_metadata(file: &IrFile<'_>, mut reached: BTreeSet<u32>, out: &mut String) {
    let units: Vec<&str> = file
        .named_metadata
        .iter()
        .copied()
        .filter(|l| l.starts_with("!llvm.dbg.cu "))
        .collect();
    let numbers = |line: &str| -> Vec<u32> {
        tokens(line)
            .filter_map(|(_, t)| match t {
                Token::Metadata(n) => Some(n),
                _ => None,
            })
            .collect()
    };
    reached.extend(units.iter().flat_map(|l| numbers(l)));
    let mut todo: Vec<u32> = reached.iter().copied().collect();
    let mut lines: HashMap<u32, String> = HashMap::new();
    while let Some(number) = todo.pop() {
        let Some(line) = file.metadata.get(&number) else {
            continue;
        };
        let line = if line.contains("!DICompileUnit(") {
            without_lists(line)
        } else {
            (*line).to_string()
        };
        for other in numbers(&line) {
            if reached.insert(other) {
                todo.push(other);
            }
        }
        lines.insert(number, line);
    }
    for number in &reached {
        if let Some(line) = lines.get(number) {
            let _ = writeln!(out, "{line}");
        }
    }
    let flag = file.metadata.keys().max().map_or(0, |m| m + 1);
    let _ = writeln!(
        out,
        "!{flag} = !{{i32 2, !\"Debug Info Version\", i32 3}}\n!llvm.module.flags = !{{!{flag}}}"
    );
    for unit in units {
        let _ = writeln!(out, "{unit}");
    }
}

/// `globals: !5, enums: !6` and the like keep whole type trees of the host alive.
fn without_lists(line: &str) -> String {
    let mut line = line.to_string();
    for key in [
        ", globals: !",
        ", enums: !",
        ", retainedTypes: !",
        ", imports: !",
    ] {
        if let Some(at) = line.find(key) {
            let end = line[at + key.len()..]
                .find(|c: char| !c.is_ascii_digit())
                .map_or(line.len(), |e| at + key.len() + e);
            line.replace_range(at..end, "");
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_attributes_go() {
        let group = "inlinehint nounwind nonlazybind uwtable allocsize(0, 1) memory(argmem: read) \"probe-stack\"=\"inline-asm\" \"target-cpu\"=\"x86-64\"";
        assert_eq!(
            device_attributes(group),
            "convergent inlinehint nounwind memory(argmem: read)"
        );
    }

    #[test]
    fn shared_variables() {
        let text = "@T = internal global <{ [64 x i8] }> undef, align 16, !dbg !3";
        assert_eq!(
            shared_variable(text).unwrap(),
            "@T = internal addrspace(3) global <{ [64 x i8] }> poison, align 16\n"
        );
        assert!(shared_variable("@T = internal global [4 x i8] zeroinitializer, align 4").is_err());
        let uses = rewrite("load i32, ptr @T, align 4", &HashSet::from(["T"]));
        assert_eq!(
            uses,
            "load i32, ptr addrspacecast (ptr addrspace(3) @T to ptr), align 4"
        );
    }

    #[test]
    fn compile_units_lose_their_lists() {
        let unit = "!1 = distinct !DICompileUnit(file: !2, enums: !30, globals: !4, splitDebugInlining: false)";
        assert_eq!(
            without_lists(unit),
            "!1 = distinct !DICompileUnit(file: !2, splitDebugInlining: false)"
        );
    }
}
