//! Files that rustc printed. Everything in them is read, and what is read says what the text says.

use std::path::PathBuf;

use rustc_mir::ast::*;
use rustc_mir::ty::{IntTy, Ty, UintTy};
use rustc_mir::{ItemKind, MirFile};

const FILES: [&str; 5] = ["constants", "control", "generic", "memory", "names"];

fn file(name: &str) -> MirFile {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/corpus/{name}.mir"));
    let text = std::fs::read_to_string(path).expect("the corpus is there");
    MirFile::parse(name, text).expect("it is indexed")
}

fn body(file: &MirFile, name: &str) -> Body {
    let item = file
        .find(name)
        .next()
        .unwrap_or_else(|| panic!("no {name}"));
    file.body(item.id).unwrap_or_else(|e| panic!("{e}"))
}

fn assigned(body: &Body) -> impl Iterator<Item = &Rvalue> {
    body.blocks
        .iter()
        .flat_map(|b| &b.statements)
        .filter_map(|s| match &s.kind {
            StatementKind::Assign(_, r) => Some(r),
            _ => None,
        })
}

fn consts(rvalue: &Rvalue) -> Vec<&ConstKind> {
    let ops = match rvalue {
        Rvalue::Aggregate(Aggregate::Array(o) | Aggregate::Tuple(o)) => o,
        _ => return Vec::new(),
    };
    ops.iter()
        .filter_map(|o| match o {
            Operand::Const(c) => Some(&c.kind),
            _ => None,
        })
        .collect()
}

/// Lifetimes, which the tree does not keep, taken out of a printed type.
fn without_lifetimes(text: &str) -> String {
    let mut out = text.to_string();
    while let Some(n) = out.find("for<") {
        let end = out[n..].find("> ").expect("a binder ends") + n + 2;
        out.replace_range(n..end, "");
    }
    for name in ('a'..='z').chain(['_']) {
        for (from, to) in [("<'X, ", "<"), ("<'X>", ""), ("&'X ", "&")] {
            out = out.replace(&from.replace('X', &name.to_string()), to);
        }
    }
    out
}

#[test]
fn every_item_and_allocation_is_read() {
    let mut items = 0;
    for name in FILES {
        let f = file(name);
        for item in f.items() {
            f.body(item.id).unwrap_or_else(|e| panic!("{e}"));
            items += 1;
        }
        for id in f.alloc_ids() {
            f.alloc(id)
                .unwrap_or_else(|e| panic!("{e}"))
                .expect("it is indexed");
        }
    }
    assert!(items > 60, "{items} items");
}

/// Counted independently of the reader: lines of blocks that end a statement, and lines that begin with `let`.
#[test]
fn nothing_is_dropped() {
    for name in FILES {
        let f = file(name);
        for item in f.items() {
            let text = &f.text()[item.range.clone()];
            let b = f.body(item.id).expect("it is read");
            let mut lines = 0;
            let mut spans = 0;
            for l in text
                .lines()
                .filter(|l| l.starts_with("        ") && !l.trim_start().starts_with("// "))
            {
                let l = l.trim_start();
                if l.starts_with("let ")
                    || l.starts_with("debug ")
                    || l.starts_with("scope ")
                    || l.starts_with('}')
                {
                    continue;
                }
                lines += 1;
                spans += usize::from(l.contains(" at ") && !l.contains("no-location"));
            }
            let debug_lines = text
                .lines()
                .filter(|l| l.trim_start().starts_with("// DBG: "))
                .count();
            let sources: Vec<&SourceInfo> = b
                .blocks
                .iter()
                .flat_map(|b| {
                    b.statements
                        .iter()
                        .map(|s| &s.source)
                        .chain([&b.terminator.source])
                })
                .collect();
            assert_eq!(sources.len(), lines + debug_lines, "{}", item.name);
            assert_eq!(
                sources.iter().filter(|s| s.span.is_some()).count(),
                spans,
                "{}",
                item.name
            );
            let lets = text
                .lines()
                .filter(|l| l.trim_start().starts_with("let "))
                .count();
            let declared = b.locals.len() - b.arg_count as usize - usize::from(b.value.is_some());
            assert_eq!(declared, lets, "{}", item.name);
            let scopes = text
                .lines()
                .filter(|l| l.trim_start().starts_with("scope "))
                .count();
            assert_eq!(b.scopes.len(), scopes + 1, "{}", item.name);
            let debug = text
                .lines()
                .filter(|l| l.trim_start().starts_with("debug "))
                .count();
            assert_eq!(b.debug.len(), debug, "{}", item.name);
        }
    }
}

#[test]
fn types_print_as_they_were() {
    let mut checked = 0;
    for name in FILES {
        let f = file(name);
        for line in f.text().lines() {
            let Some(rest) = line.trim_start().strip_prefix("let ") else {
                continue;
            };
            let (_, text) = rest.split_once(": ").expect("a type");
            let text = text
                .split(';')
                .next()
                .filter(|_| !text.starts_with('[') && !text.contains("; "));
            let text = text.map_or_else(|| text_of_type(rest), str::to_string);
            let ty = Ty::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(ty.to_string(), without_lifetimes(&text));
            checked += 1;
        }
    }
    assert!(checked > 200, "{checked} types");
}

/// Between the first `: ` and the `; //` of a declaration.
fn text_of_type(rest: &str) -> String {
    let (_, t) = rest.split_once(": ").expect("a type");
    let end = t
        .find("; ")
        .into_iter()
        .chain(t.rfind("; //"))
        .max()
        .expect("a comment");
    let end = t[..end + 1].rfind(';').expect("an end");
    let t = t.split(" // ").next().expect("a part").trim_end();
    t.strip_suffix(';')
        .unwrap_or(&t[..end.min(t.len())])
        .to_string()
}

#[test]
fn numbers_are_exact() {
    let f = file("constants");
    let b = body(&f, "floats");
    let values: Vec<u128> = assigned(&b)
        .flat_map(consts)
        .map(|c| match c {
            ConstKind::Float(x) => x.bits,
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        -0.0,
        f32::from_bits(1),
        f32::MAX,
    ];
    assert_eq!(values, expected.map(|x| x.to_bits() as u128));
    let b = body(&f, "ints");
    let values: Vec<&ConstKind> = assigned(&b).flat_map(consts).collect();
    let values: Vec<ConstKind> = match &values[..] {
        // One constant for the whole tuple, or a constant for each element.
        [] => assigned(&b)
            .find_map(|r| match r {
                Rvalue::Use(Operand::Const(Const {
                    kind: ConstKind::Tuple(items),
                    ..
                })) => Some(items.clone()),
                _ => None,
            })
            .expect("a tuple"),
        v => v.iter().map(|c| (*c).clone()).collect(),
    };
    assert_eq!(
        values,
        [
            ConstKind::Int(i8::MIN.into(), IntTy::I8),
            ConstKind::Uint(u8::MAX.into(), UintTy::U8),
            ConstKind::Int(-3, IntTy::I32),
            ConstKind::Uint(u64::MAX.into(), UintTy::U64),
            ConstKind::Int(i128::MIN, IntTy::I128),
            ConstKind::Uint(1 << 100, UintTy::U128),
        ]
    );
}

#[test]
fn text_and_memory() {
    let f = file("constants");
    let b = body(&f, "strs");
    let strs: Vec<&ConstKind> = assigned(&b).flat_map(consts).collect();
    assert_eq!(
        strs,
        [
            &ConstKind::Str("a\"b\\\n\0".into()),
            &ConstKind::Str("é".into())
        ]
    );
    let b = body(&f, "chars");
    let chars: Vec<&ConstKind> = assigned(&b).flat_map(consts).collect();
    let expected = ['a', '\'', '\n', '\u{1F600}'].map(ConstKind::Char);
    assert_eq!(chars, expected.iter().collect::<Vec<_>>());

    // The table of pointers: two relocations into INNER, at its second and third element.
    let ptrs = f
        .alloc_ids()
        .filter_map(|id| f.alloc(id).expect("it is read"))
        .find_map(|a| match a.kind {
            AllocKind::Static { path, memory } if path.to_string() == "PTRS" => Some(memory),
            _ => None,
        })
        .expect("PTRS");
    let addends: Vec<_> = ptrs
        .relocations
        .iter()
        .map(|r| (r.offset, r.addend))
        .collect();
    assert_eq!(addends, [(0, 4), (8, 8)]);
    let inner = f
        .alloc(ptrs.relocations[0].target)
        .expect("it is read")
        .expect("it is there");
    let AllocKind::Static { memory, .. } = inner.kind else {
        panic!("{inner:?}")
    };
    assert_eq!(memory.bytes, [7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0]);
}

#[test]
fn constants_know_their_types() {
    let f = file("constants");
    // An array of numbers has no comment, so what `LUT` is stays open.
    let b = body(&f, "lut");
    let lut = assigned(&b).next();
    assert!(matches!(
        lut,
        Some(Rvalue::Use(Operand::Const(Const {
            kind: ConstKind::Path(_, PathConst::Unknown),
            ..
        })))
    ));
    let b = body(&f, "pp");
    let lut = assigned(&b)
        .find_map(|r| match r {
            Rvalue::Use(Operand::Const(c)) => Some(c),
            _ => None,
        })
        .expect("PP");
    assert!(
        matches!(&lut.kind, ConstKind::Path(p, PathConst::Unevaluated) if p.to_string() == "PP")
    );
    assert_eq!(lut.ty, Some(Ty::parse("P").expect("a type")));
    let b = body(&f, "fnp");
    let Some(Rvalue::Cast(
        CastKind::PointerCoercion(PointerCoercion::ReifyFnPointer, _),
        Operand::Const(c),
        _,
    )) = assigned(&b).next()
    else {
        panic!("{b:?}")
    };
    assert!(matches!(&c.kind, ConstKind::Fn(p) if p.to_string() == "lut"));
    assert!(matches!(&c.ty, Some(Ty::FnDef(sig, _)) if sig.inputs.len() == 1));
}

#[test]
fn a_struct_named_like_an_operation_is_a_struct() {
    let f = file("control");
    let b = body(&f, "adds");
    let mut adds = 0;
    let mut structs = 0;
    for r in assigned(&b) {
        adds += usize::from(matches!(r, Rvalue::BinaryOp(BinOp::Add, ..)));
        structs += usize::from(
            matches!(r, Rvalue::Aggregate(Aggregate::AdtTuple { path, fields }) if path.to_string() == "Add" && fields.len() == 2),
        );
    }
    assert_eq!((adds, structs), (1, 1));
}

#[test]
fn inline_chains_lead_to_the_user() {
    let f = file("control");
    let b = body(&f, "over");
    let add = b
        .blocks
        .iter()
        .flat_map(|b| &b.statements)
        .find(|s| {
            matches!(
                &s.kind,
                StatementKind::Assign(_, Rvalue::BinaryOp(BinOp::AddWithOverflow, ..))
            )
        })
        .expect("checked_add is inlined");
    let chain = b.inline_chain(&add.source);
    assert_eq!(chain.len(), 2);
    let callee = chain[0].function.expect("inlined").path.to_string();
    assert_eq!(callee, "core::num::<impl u32>::checked_add");
    assert!(
        chain[0]
            .span
            .is_some_and(|s| s.file.contains("/library/core/src/num/"))
    );
    assert!(chain[1].function.is_none());
    assert_eq!(&*chain[1].span.expect("the user's line").file, "control.rs");
}

#[test]
fn names_of_a_macro_are_not_unique_and_closures_are_told_apart() {
    let f = file("generic");
    let gos: Vec<_> = f
        .items()
        .iter()
        .filter(|i| i.kind == ItemKind::Fn && i.name.ends_with(">::go"))
        .collect();
    assert_eq!(gos.len(), 2);
    assert_eq!(gos[0].name, gos[1].name);
    assert!(
        f.promoted(&gos[0].name, 0).is_none(),
        "which one is not told by the name"
    );
    let identity = |go: &rustc_mir::ItemHeader| {
        let p = f.promoteds_of(go.id).next().expect("its promoted").id;
        let b = f.body(p).expect("it is read");
        let id = assigned(&b).find_map(|r| match r {
            Rvalue::Aggregate(Aggregate::Closure { identity, .. }) => identity.clone(),
            _ => None,
        });
        id.expect("a closure").def_path
    };
    assert_ne!(identity(gos[0]), identity(gos[1]));
}

#[test]
fn generic_bodies_are_recognised() {
    let f = file("generic");
    let generic = f
        .items()
        .iter()
        .find(|i| i.name.ends_with("::sum"))
        .expect("sum");
    assert!(
        f.body(generic.id)
            .expect("it is read")
            .is_certainly_generic()
    );
    assert!(!body(&f, "use_g").is_certainly_generic());
}

#[test]
fn an_unknown_construct_is_quoted_with_its_rust_line() {
    let f = file("control");
    let text = f.text().replace("_0 = Cmp(", "_0 = Blend<(");
    let f = MirFile::parse("control.mir", text).expect("the index does not look inside");
    let item = f.find("ord").next().expect("ord").id;
    let e = f.body(item).expect_err("it is not known");
    assert!(e.what.contains("found `<(copy _1, copy _2)"), "{e}");
    assert!(e.rust_span.is_some(), "{e}");
    assert!(e.line > 100, "{e}");
}
