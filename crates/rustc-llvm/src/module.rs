//! A module for the device out of rustc's IR of a crate: what kernels reach, and nothing else.

use crate::forbidden::{self, Chain};
use crate::kernels::{self, Root};
use crate::panics;
use crate::text::{IrFile, Kind, Token, parameters, tokens};
use crate::{Error, builtins, debug, format, math};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Write;

#[derive(Clone, Debug, Default)]
/// The module and the functions in it, by their Rust paths.
pub struct Cut {
    pub text: String,
    pub functions: Vec<String>,
    /// Symbols that another module has to define.
    pub externals: Vec<String>,
    /// Functions of C's mathematics that `math::modules` has to define.
    pub math: Vec<String>,
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

/// What is wanted of a file.
pub struct Request<'r> {
    /// Kernels, of this file.
    pub kernels: &'r [Root],
    /// Functions and variables of this file that another module uses.
    pub symbols: &'r [&'r str],
    /// The definition (with declarations of what it calls) of a device intrinsic `__nvvm_…`.
    pub intrinsic: &'r dyn Fn(&str) -> Option<String>,
    /// Whether another module will define a symbol that this file only declares.
    pub elsewhere: &'r dyn Fn(&str) -> bool,
}

/// Who needed a symbol first: its item, and the location of the line.
type Users<'a> = HashMap<&'a str, Option<(&'a str, Option<u32>)>>;

/// Cuts the module down to what the kernels and symbols reach.
pub fn cut(file: &IrFile<'_>, request: &Request<'_>) -> Result<Cut, Error> {
    let entries: HashMap<&str, &Root> = request
        .kernels
        .iter()
        .map(|r| (r.symbol.as_str(), r))
        .collect();
    // Breadth first, in the order of the lines: who is found to need a symbol is the nearest to the kernel.
    let mut todo: VecDeque<&str> = VecDeque::new();
    // Every one is collected: what a reader of the source meets first is said.
    let mut errors: Vec<Error> = Vec::new();
    let mut user: Users<'_> = HashMap::new();
    for name in request
        .kernels
        .iter()
        .map(|r| r.symbol.as_str())
        .chain(request.symbols.iter().copied())
    {
        let (name, _) = file
            .symbols
            .get_key_value(name)
            .ok_or_else(|| Error::new(format!("rustc's LLVM IR does not hold `{name}`")))?;
        if user.insert(name, None).is_none() {
            todo.push_back(name);
        }
    }
    let exported: HashSet<&str> = request.symbols.iter().copied().collect();
    let mut made: Vec<String> = Vec::new();
    let mut runtime = false;
    let mut shared: Spaces<'_> = Spaces::new();
    let mut bodies: HashMap<&str, Vec<String>> = HashMap::new();
    let mut externals: Vec<String> = Vec::new();
    let mut math: Vec<String> = Vec::new();
    let mut attributes: BTreeSet<u32> = BTreeSet::new();
    let mut metadata: BTreeSet<u32> = BTreeSet::new();
    while let Some(name) = todo.pop_front() {
        let item = &file.symbols[name];
        let header = item.text.lines().next().unwrap_or(item.text);
        if let Some(c) = math::function_of(name) {
            // Declared under C's name; uses are renamed below.
            if let Some(text) = builtins::definition(&c) {
                made.push(text);
                continue;
            }
            made.push(
                without_attributes(item.text).replace(&format!("@{name}("), &format!("@{c}(")),
            );
            if (request.elsewhere)(&c) {
                externals.push(c);
            } else {
                math.push(c);
            }
            continue;
        }
        if name.starts_with("llvm.") {
            made.push(without_attributes(item.text));
            continue;
        }
        if name.starts_with("__nvvm_") {
            made.push(
                intrinsic(name, header, request.intrinsic)
                    .map_err(|e| chain(file, &user, name).to(e))?,
            );
            continue;
        }
        if item.kind == Kind::Declare
            && let Some(text) = builtins::definition(name)
        {
            made.push(text);
            continue;
        }
        let path = artifact::pretty(name);
        let params = parameters(name, header).unwrap_or_default();
        if let Some(text) = math::instruction(name, &path, &params) {
            made.push(text);
            continue;
        }
        if item.kind == Kind::Declare
            && let Some((ty, count)) = math::type_of(name)
            && !(request.elsewhere)(name)
        {
            let result = header.split(" @").next().unwrap_or("");
            let plain = params.len() == count
                && params.iter().all(|p| p.split(' ').next() == Some(ty))
                && result.split(' ').next_back() == Some(ty);
            if !plain {
                let error = Error::new(format!("`{name}` is declared with another type than C's"))
                    .note(without_attributes(item.text));
                errors.push(chain(file, &user, name).to(error));
                continue;
            }
            made.push(without_group(item.text));
            math.push(name.to_owned());
            continue;
        }
        if item.kind != Kind::Variable
            && let Some(text) = panics::definition(name, &path, &params)
        {
            made.push(text);
            runtime = true;
            continue;
        }
        if item.kind == Kind::Declare && path.starts_with("core::") && is_noreturn(file, header) {
            made.push(panics::other(name, &path, &params));
            runtime = true;
            continue;
        }
        if item.kind == Kind::Declare
            || header.contains(" external global ")
            || header.contains(" external constant ")
        {
            if let Some(text) = format::never_called(item.text, &path) {
                made.push(text);
                continue;
            }
            // Formatting goes through function pointers that panics have lost, see `format`.
            if !path.contains("core::fmt::") && (request.elsewhere)(name) {
                made.push(without_group(item.text));
                externals.push(name.to_owned());
                continue;
            }
            errors.push(forbidden::no_body(&path, chain(file, &user, name)));
            continue;
        }
        if let Err(e) = forbidden::check(file, item, &path, &|| chain(file, &user, name)) {
            errors.push(e);
            continue;
        }
        if item.kind == Kind::Variable
            && let Some(space) = space_of(file, item.text)
        {
            shared.insert(name, (space, path.clone()));
        }
        let lines: Vec<String> = if item.kind == Kind::Variable {
            vec![without_debug(item.text)]
        } else {
            let (header, body) = item.text.split_once('\n').unwrap_or((item.text, ""));
            let body = format::rewrite(file, name, body);
            runtime |= !body.constants.is_empty();
            made.extend(body.constants);
            let kept = body
                .lines
                .iter()
                .filter(|l| !is_dropped(l))
                .map(|l| convergent_call(unwinder_less(l)));
            std::iter::once(
                header
                    .replace(" personality ptr @rust_eh_personality", "")
                    .replace(" comdat {", " {"),
            )
            .chain(kept)
            .collect()
        };
        for line in &lines {
            let location = line
                .find("!dbg !")
                .and_then(|_| debug::number(line, "!dbg !"));
            for (_, token) in tokens(line) {
                match token {
                    Token::Symbol(other) => {
                        if other.starts_with("__oxide_") && !file.symbols.contains_key(other) {
                            continue;
                        }
                        let Some((other, _)) = file.symbols.get_key_value(other) else {
                            let error =
                                Error::new(format!("rustc's LLVM IR does not hold `{other}`"));
                            return Err(chain(file, &user, name).to(error));
                        };
                        if other != &name && entries.contains_key(other) {
                            let error = Error::new(format!(
                                "the kernel `{}` is called like a function",
                                entries[other].display()
                            ))
                            .help("move the common part into a function that both call");
                            return Err(chain(file, &user, name).to(error));
                        }
                        if !user.contains_key(other) {
                            user.insert(other, Some((name, location)));
                            todo.push_back(other);
                        }
                    }
                    Token::Attributes(number) if number != CONVERGENT => {
                        attributes.insert(number);
                    }
                    Token::Attributes(_) => {}
                    Token::Metadata(number) => {
                        metadata.insert(number);
                    }
                }
            }
        }
        bodies.insert(name, lines);
    }
    if let Some(error) = forbidden::first(errors) {
        return Err(error);
    }
    let mut out = String::new();
    for ty in file.types.iter().filter(|t| t.starts_with('%')) {
        let _ = writeln!(out, "{ty}");
    }
    if runtime {
        let _ = writeln!(out, "{}", panics::RUNTIME);
    }
    let fused = fused(file, request, &bodies);
    let mut functions = Vec::new();
    for name in file.order.iter().filter(|n| bodies.contains_key(**n)) {
        let (item, lines) = (&file.symbols[name], &bodies[name]);
        if item.kind == Kind::Variable
            && let Some((space, path)) = shared.get(name)
        {
            out.push_str(&match space {
                Space::Shared => shared_variable(item.text)?,
                Space::Constant => constant_variable(item.text, path)?,
            });
            continue;
        }
        let mut header = lines[0].clone();
        if item.kind != Kind::Variable {
            functions.push(artifact::pretty(name));
        }
        let mut odd = Vec::new();
        if let Some(root) = entries.get(name) {
            odd = root.odd_parameters(&header);
            header = root
                .header(&header)
                .ok_or_else(|| Error::new(format!("a kernel with a form of its own: {header}")))?;
        } else if exported.contains(name) {
            // Seen from the other modules until all are one.
            for word in ["internal ", "private ", "hidden ", "dso_local "] {
                header = header.replacen(word, "", 1);
            }
        }
        out.push_str(&rewrite(&header, &shared));
        out.push('\n');
        for (at, line) in lines[1..].iter().enumerate() {
            let line = rewrite(line, &shared);
            let line = if odd.is_empty() {
                line
            } else {
                kernels::with_numbers(&line, &odd)
            };
            // Behind the label of the first block.
            if at == 1 {
                out.push_str(&kernels::read_numbers(&odd));
            }
            out.push_str(&if fused.contains(name) {
                contracted(&line)
            } else {
                line
            });
            out.push('\n');
        }
    }
    let mut lines = HashSet::new();
    for text in &made {
        // Expansions share declarations.
        for line in text.lines() {
            let repeated = line.starts_with("declare ") || line.starts_with('@');
            let name = repeated
                .then(|| crate::text::symbols(line).next())
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
    let _ = writeln!(out, "attributes #{CONVERGENT} = {{ convergent }}");
    write_metadata(file, metadata, &mut out);
    Ok(Cut {
        text: out,
        functions,
        externals,
        math,
    })
}

/// The functions that only kernels with `#[kernel(fmad)]` reach: their products and sums may fuse.
fn fused<'a>(
    file: &IrFile<'a>,
    request: &Request<'_>,
    bodies: &HashMap<&'a str, Vec<String>>,
) -> HashSet<&'a str> {
    if !request.kernels.iter().any(|root| root.fmad) {
        return HashSet::new();
    }
    let exact = request
        .kernels
        .iter()
        .filter(|root| !root.fmad)
        .map(|root| root.symbol.as_str());
    let mut todo: Vec<&str> = exact.chain(request.symbols.iter().copied()).collect();
    let mut reached: HashSet<&str> = HashSet::new();
    while let Some(name) = todo.pop() {
        if reached.insert(name) {
            todo.extend(
                bodies
                    .get(name)
                    .into_iter()
                    .flatten()
                    .flat_map(|line| crate::text::symbols(line)),
            );
        }
    }
    file.order
        .iter()
        .copied()
        .filter(|name| bodies.contains_key(name) && !reached.contains(name))
        .collect()
}

/// An instruction of floating point with the flag that lets it fuse.
fn contracted(line: &str) -> String {
    for operation in ["fadd", "fsub", "fmul", "fneg"] {
        let word = format!(" = {operation} ");
        if let Some(at) = line.find(&word) {
            let end = at + word.len();
            return format!("{}contract {}", &line[..end], &line[end..]);
        }
    }
    line.to_string()
}

/// Whether a declaration's attribute group says that it does not return.
fn is_noreturn(file: &IrFile<'_>, header: &str) -> bool {
    tokens(header).any(|(_, token)| match token {
        Token::Attributes(n) => file
            .attributes
            .get(&n)
            .is_some_and(|group| group.split(' ').any(|w| w == "noreturn")),
        _ => false,
    })
}

/// The attribute group of calls that rustc gave none.
const CONVERGENT: u32 = 4_000_000;

/// A call through a pointer is convergent by its own group alone.
fn convergent_call(line: &str) -> String {
    let plain = || line.to_string();
    let Some(call) = line.find("call ").filter(|at| {
        line[..*at].trim_end().is_empty() || line[..*at].trim_end().ends_with(['=', 'l'])
    }) else {
        return plain();
    };
    let rest = &line[call..];
    if rest.contains('@') && !rest.contains(" %") || rest.contains(" asm ") {
        return plain();
    }
    // The callee is the `%name(` or `@name(` that the arguments follow.
    let Some(open) = rest.find('(').filter(|open| {
        rest[..*open]
            .rsplit(' ')
            .next()
            .is_some_and(|w| w.starts_with('%'))
    }) else {
        return plain();
    };
    let Some(inside) = crate::text::parenthesised(rest, open) else {
        return plain();
    };
    let end = call + open + inside.len() + 2;
    if line[end..].trim_start().starts_with('#') {
        return plain();
    }
    format!("{} #{CONVERGENT}{}", &line[..end], &line[end..])
}

/// Debug records, comments, and the assembly of `black_box` and of fences of the compiler, which is empty.
fn is_dropped(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("#dbg_")
        || line.starts_with(';')
        || line.starts_with("call void asm sideeffect \"\",")
}

/// A variable without its debug metadata and section.
fn without_debug(text: &str) -> String {
    let mut out = text.to_string();
    for key in [", !dbg !", ", section \""] {
        if let Some(at) = out.find(key) {
            let rest = &out[at + key.len()..];
            let len = if key.ends_with('"') {
                rest.find('"').map_or(rest.len(), |e| e + 1)
            } else {
                rest.bytes().take_while(u8::is_ascii_digit).count()
            };
            out.replace_range(at..at + key.len() + len, "");
        }
    }
    out
}

/// A declaration without its attribute group, and convergent.
fn without_group(text: &str) -> String {
    let text = without_attributes(text);
    if text.starts_with("declare ") {
        format!("{text} #{CONVERGENT}")
    } else {
        without_debug(&text)
    }
}

/// Who needs a symbol, up to the kernel.
fn chain(file: &IrFile<'_>, user: &Users<'_>, name: &str) -> Chain {
    let mut out = Chain::default();
    let mut at = user.get(name).copied().flatten();
    while let Some((next, location)) = at {
        out.functions.push(artifact::pretty(next));
        if let Some(location) = location {
            out.frames.extend(debug::frames(file, location));
        }
        at = user.get(next).copied().flatten();
    }
    out
}

/// Clean-up blocks of crates that were compiled to unwind are still printed; nothing comes to them, since calls in the kernel
/// crate's code do not unwind, and a `resume` would ask for the host's unwinder.
fn unwinder_less(line: &str) -> &str {
    if line.starts_with("  resume ") {
        "  unreachable"
    } else {
        line
    }
}

/// `declare void @llvm.x(ptr) #3` without what follows the parameters.
fn without_attributes(text: &str) -> String {
    match text.rfind(')') {
        Some(end) => text[..=end].to_string(),
        None => text.to_string(),
    }
}

/// The definition of a device intrinsic, if its prototype is what the crate declared.
fn intrinsic(
    name: &str,
    declared: &str,
    definition: &dyn Fn(&str) -> Option<String>,
) -> Result<String, Error> {
    let text = definition(name).ok_or_else(|| {
        Error::new(format!("no operation of the device is called `{name}`"))
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
        return Err(Error::new(format!(
            "`{name}` is declared with another type than the operation has"
        ))
        .note(declared.to_string())
        .note(defined.to_string()));
    }
    Ok(text)
}

/// Variables outside global memory, by symbol: where, and the Rust path.
type Spaces<'a> = HashMap<&'a str, (Space, String)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Shared,
    Constant,
}

/// Whether a variable is of type `SharedArray` or `ConstantMemory`, by its debug metadata.
fn space_of(file: &IrFile<'_>, text: &str) -> Option<Space> {
    use debug::number;
    let find = || {
        let expression = file.metadata.get(&number(text, "!dbg !")?)?;
        let variable = file.metadata.get(&number(expression, "var: !")?)?;
        let ty = file.metadata.get(&number(variable, "type: !")?)?;
        let is = |name: &str| ty.contains(&format!("name: \"{name}<"));
        if is("SharedArray") {
            Some(Space::Shared)
        } else if is("ConstantMemory") {
            Some(Space::Constant)
        } else {
            None
        }
    };
    find()
}

/// The PTX name of a variable in constant memory, by which the host finds it: its path, with `_` for what is no letter or digit.
fn constant_name(path: &str) -> String {
    let mut out = String::new();
    for c in path.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if !out.ends_with('_') {
            out.push('_');
        }
    }
    out.trim_end_matches('_').to_string()
}

/// `@T = internal global <{ … }> <{ … }>, align 4, …` in constant memory, which the host may write before a launch.
fn constant_variable(text: &str, path: &str) -> Result<String, Error> {
    let wrong = || Error::new(format!("constant memory that is not as expected: {text}"));
    let (_, rest) = text
        .split_once(" global ")
        .or_else(|| text.split_once(" constant "))
        .ok_or_else(wrong)?;
    let value = crate::text::split_commas(rest);
    let align = value
        .iter()
        .position(|v| v.starts_with("align "))
        .ok_or_else(wrong)?;
    Ok(format!(
        "@{} = addrspace(4) externally_initialized constant {}, {}\n",
        constant_name(path),
        value[..align].join(", "),
        value[align]
    ))
}

/// `@T = internal global <{ [4096 x i8] }> undef, align 4, …` in the block's shared memory.
fn shared_variable(text: &str) -> Result<String, Error> {
    let wrong = || {
        Error::new(format!("shared memory that is not as expected: {text}"))
            .help("a `SharedArray` begins as `SharedArray::UNINIT`")
    };
    let (head, rest) = text.split_once(" global ").ok_or_else(wrong)?;
    let name = head.split(' ').next().ok_or_else(wrong)?;
    let value = crate::text::split_commas(rest);
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
fn rewrite(text: &str, shared: &Spaces<'_>) -> String {
    if shared.is_empty() && !text.contains("@llvm.") {
        return text.to_string();
    }
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for (range, token) in tokens(text) {
        if let Token::Symbol(name) = token
            && let Some((space, path)) = shared.get(name)
        {
            let before = &text[end..range.start];
            let _ = match space {
                Space::Shared => write!(
                    out,
                    "{before}addrspacecast (ptr addrspace(3) {} to ptr)",
                    &text[range.clone()]
                ),
                Space::Constant => write!(
                    out,
                    "{before}addrspacecast (ptr addrspace(4) @{} to ptr)",
                    constant_name(path)
                ),
            };
            end = range.end;
        } else if let Token::Symbol(name) = token
            && let Some(c) = math::function_of(name)
        {
            let _ = write!(out, "{}@{c}", &text[end..range.start]);
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
    let plain_type = file.metadata.keys().max().map_or(0, |m| m + 1);
    let flag = plain_type + 1;
    reached.extend(units.iter().flat_map(|l| numbers(l)));
    let mut todo: Vec<u32> = reached.iter().copied().collect();
    let mut lines: HashMap<u32, String> = HashMap::new();
    while let Some(number) = todo.pop() {
        let Some(line) = file.metadata.get(&number) else {
            continue;
        };
        let line = debug::slim(line, plain_type);
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
    let _ = writeln!(
        out,
        "!{plain_type} = !DISubroutineType(types: !{{}})\n!{flag} = !{{i32 2, !\"Debug Info Version\", i32 3}}\n!llvm.module.flags = !{{!{flag}}}"
    );
    for unit in units {
        let _ = writeln!(out, "{unit}");
    }
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
    fn constant_variables() {
        let text = "@T = internal global <{ [4 x i8] }> <{ [4 x i8] c\"\\01\\00\\00\\00\" }>, align 4, !dbg !1";
        assert_eq!(
            constant_variable(text, "k::{impl#0}::T").unwrap(),
            "@k_impl_0_T = addrspace(4) externally_initialized constant <{ [4 x i8] }> <{ [4 x i8] c\"\\01\\00\\00\\00\" }>, align 4\n"
        );
        let constant = (Space::Constant, "k::T".to_string());
        let uses = rewrite(
            "load i32, ptr @T, align 4",
            &Spaces::from([("T", constant)]),
        );
        assert_eq!(
            uses,
            "load i32, ptr addrspacecast (ptr addrspace(4) @k_T to ptr), align 4"
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
        let shared = (Space::Shared, "k::T".to_string());
        let uses = rewrite("load i32, ptr @T, align 4", &Spaces::from([("T", shared)]));
        assert_eq!(
            uses,
            "load i32, ptr addrspacecast (ptr addrspace(3) @T to ptr), align 4"
        );
    }
}
