//! `atomicrmw` of LLVM IR that others wrote, as calls of device functions.
//!
//! NVPTX selects `atom` without semantics and scope for it (see [`crate::atomic`]), so IR that does not come from `dialect-nvvm` has to
//! be rewritten before LLVM sees it.

use std::{borrow::Cow, collections::BTreeSet};

use crate::atomic::{Atomic, AtomicKind, Element, Ordering, Rmw, Scope};

/// What a line becomes, and the device function that it then calls (its definition: [`crate::llvm_definition`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// One or more lines.
    pub text: String,
    pub function: String,
}

/// Rewrites a whole module, and defines the device functions that it then calls.
pub fn rewrite(module: &str) -> Cow<'_, str> {
    if !module.contains("atomicrmw ") {
        return Cow::Borrowed(module);
    }
    let mut functions = BTreeSet::new();
    let mut text = String::with_capacity(module.len());
    for line in module.lines() {
        match replace(line) {
            Some(replaced) => {
                text.push_str(&replaced.text);
                functions.insert(replaced.function);
            }
            None => text.push_str(line),
        }
        text.push('\n');
    }
    let known: BTreeSet<&str> = module
        .lines()
        .filter(|line| line.starts_with("define ") || line.starts_with("declare "))
        .filter_map(|line| line.split_once('@')?.1.split_once('('))
        .map(|(name, _)| name)
        .collect();
    for function in functions {
        if !known.contains(function.as_str()) {
            text.push_str(&crate::llvm_definition(&function).unwrap_or_default());
        }
    }
    Cow::Owned(text)
}

/// Rewrites one line of LLVM IR. `None`: the line is no `atomicrmw`, or one that LLVM lowers rightly (a compare-exchange loop keeps
/// semantics and scope).
pub fn replace(line: &str) -> Option<Replaced> {
    let indent = &line[..line.len() - line.trim_start().len()];
    let rest = line.trim_start();
    let (result, rest) = match rest.split_once(" = ") {
        Some((name, rest)) if name.starts_with('%') => (Some(name), rest),
        _ => (None, rest),
    };
    let rest = rest.strip_prefix("atomicrmw ")?;
    let rest = rest.strip_prefix("volatile ").unwrap_or(rest);
    let (op, rest) = rest.split_once(' ')?;
    let rest = rest.strip_prefix("ptr ")?;
    let (pointer, rest) = rest.split_once(", ")?;
    let (ty, rest) = rest.split_once(' ')?;
    let (value, rest) = rest.split_once(' ')?;
    let (scope, rest) = match rest.strip_prefix("syncscope(\"") {
        None => (Scope::System, rest),
        Some(rest) => {
            let (scope, rest) = rest.split_once("\") ")?;
            let scope = match scope {
                "block" => Scope::Block,
                "device" => Scope::Device,
                _ => return None,
            };
            (scope, rest)
        }
    };
    let (ordering, rest) = rest.split_once(',').unwrap_or((rest, ""));
    let ordering = match ordering {
        "monotonic" => Ordering::Relaxed,
        "acquire" => Ordering::Acquire,
        "release" => Ordering::Release,
        "acq_rel" => Ordering::AcqRel,
        "seq_cst" => Ordering::SeqCst,
        _ => return None,
    };
    let debug = rest.find("!dbg").map_or("", |at| &rest[at..]);
    let (rmw, signed) = match op {
        "add" | "fadd" => (Rmw::Add, false),
        "sub" | "fsub" => (Rmw::Sub, false),
        "and" => (Rmw::And, false),
        "or" => (Rmw::Or, false),
        "xor" => (Rmw::Xor, false),
        "umin" => (Rmw::Min, false),
        "umax" => (Rmw::Max, false),
        "min" => (Rmw::Min, true),
        "max" => (Rmw::Max, true),
        "xchg" => (Rmw::Xchg, false),
        "uinc_wrap" => (Rmw::Inc, false),
        "udec_wrap" => (Rmw::Dec, false),
        _ => return None,
    };
    let element = match (ty, signed) {
        ("i32", false) => Element::U32,
        ("i32", true) => Element::I32,
        ("i64" | "ptr", false) => Element::U64,
        ("i64", true) => Element::I64,
        ("half", _) => Element::F16,
        ("float", _) => Element::F32,
        ("double", _) => Element::F64,
        _ => return None,
    };
    let atomic = Atomic {
        kind: AtomicKind::Rmw(rmw),
        element,
        scope,
        ordering,
    };
    if !atomic.exists() || !atomic.is_native() {
        return None;
    }
    let function = format!("__nvvm_{}", atomic.op());
    let debug = if debug.is_empty() {
        String::new()
    } else {
        format!(", {debug}")
    };
    let assign = |name: Option<&str>| name.map_or(String::new(), |name| format!("{name} = "));
    if ty != "ptr" {
        let text = format!(
            "{indent}{}call {ty} @{function}(ptr {pointer}, {ty} {value}){debug}",
            assign(result)
        );
        return Some(Replaced { text, function });
    }
    // Names of our own, which a numbered name must not be part of.
    let stem = result
        .unwrap_or("%unused")
        .trim_start_matches('%')
        .trim_matches('"');
    let (word, old) = (format!("%\"{stem}.word\""), format!("%\"{stem}.old\""));
    let mut text = format!(
        "{indent}{word} = ptrtoint ptr {value} to i64{debug}\n\
         {indent}{old} = call i64 @{function}(ptr {pointer}, i64 {word}){debug}"
    );
    if let Some(result) = result {
        text += &format!("\n{indent}{result} = inttoptr i64 {old} to ptr{debug}");
    }
    Some(Replaced { text, function })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        let replaced = replace(line).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(replaced.text, expected);
        assert!(crate::llvm_definition(&replaced.function).is_some());
    }

    #[test]
    fn native_operations_are_replaced() {
        check(
            "  %5 = atomicrmw add ptr %p, i32 %v seq_cst, align 4, !dbg !7",
            "  %5 = call i32 @__nvvm_atomic_rmw_add_u32_system_seqcst(ptr %p, i32 %v), !dbg !7",
        );
        check(
            "  %a = atomicrmw max ptr %p, i64 1 syncscope(\"device\") monotonic, align 8",
            "  %a = call i64 @__nvvm_atomic_rmw_max_i64_device_relaxed(ptr %p, i64 1)",
        );
        check(
            "  %1 = atomicrmw xchg ptr %p, ptr %q acq_rel, align 8",
            "  %\"1.word\" = ptrtoint ptr %q to i64\n  \
             %\"1.old\" = call i64 @__nvvm_atomic_rmw_xchg_u64_system_acqrel(ptr %p, i64 %\"1.word\")\n  \
             %1 = inttoptr i64 %\"1.old\" to ptr",
        );
    }

    #[test]
    fn a_module_gets_its_definitions() {
        let module = "define i32 @f(ptr %p) {\n  \
                      %a = atomicrmw add ptr %p, i32 1 acquire, align 4\n  \
                      %b = atomicrmw add ptr %p, i32 2 acquire, align 4\n  ret i32 %b\n}\n";
        let text = rewrite(module);
        assert!(!text.contains("atomicrmw"), "{text}");
        let definition =
            "define linkonce_odr hidden i32 @__nvvm_atomic_rmw_add_u32_system_acquire(";
        assert_eq!(text.matches(definition).count(), 1, "{text}");
        assert_eq!(rewrite(&text), text);
        assert_eq!(
            rewrite("define void @f() {\n  ret void\n}\n"),
            "define void @f() {\n  ret void\n}\n"
        );
        let llvm = llvm_backend::Llvm::load().unwrap_or_else(|err| panic!("{err}"));
        let kernel = "define ptx_kernel void @k(ptr %p) {\n  %r = call i32 @f(ptr %p)\n  \
                      store i32 %r, ptr %p\n  ret void\n}\n";
        let whole = format!("{text}{kernel}");
        let emitted = llvm.compile(&[("k.ll", whole)], &llvm_backend::Options::default());
        let ptx = emitted.unwrap_or_else(|err| panic!("{err}")).ptx;
        assert_eq!(ptx.matches("atom.acquire.sys.add.u32").count(), 2, "{ptx}");
    }

    #[test]
    fn the_rest_stays() {
        for line in [
            "  %5 = atomicrmw nand ptr %p, i32 %v seq_cst, align 4",
            "  %5 = atomicrmw add ptr %p, i8 %v seq_cst, align 1",
            "  %5 = atomicrmw fmin ptr %p, float %v seq_cst, align 4",
            "  %5 = load atomic i32, ptr %p acquire, align 4",
            "  ret void",
        ] {
            assert_eq!(replace(line), None, "{line}");
        }
    }
}
