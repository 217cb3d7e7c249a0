//! Real PTX is read without an error, printing is a fixed point, and damaged PTX never panics.

use proptest::prelude::*;
use ptx::{Item, Statement, parse};

const FIXTURES: &[(&str, &str)] = &[
    ("llvm22_o2", include_str!("fixtures/llvm22_o2.ptx")),
    ("llvm22_o0", include_str!("fixtures/llvm22_o0.ptx")),
    ("odd", include_str!("fixtures/odd.ptx")),
];

#[test]
fn fixtures_are_read_and_printed() {
    for (name, text) in FIXTURES {
        let (module, errors) = parse(text);
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let printed = module.to_string();
        let (again, errors) = parse(&printed);
        assert!(errors.is_empty(), "{name}, printed: {errors:?}");
        assert_eq!(again.to_string(), printed, "{name}");
        assert_eq!(again.items.len(), module.items.len(), "{name}");
        let instructions = |m: &ptx::Module| {
            fn count(s: &[Statement]) -> usize {
                s.iter()
                    .map(|s| match s {
                        Statement::Instruction(_) => 1,
                        Statement::Block { statements, .. } => count(statements),
                        _ => 0,
                    })
                    .sum()
            }
            m.functions()
                .filter_map(|f| f.body.as_deref())
                .map(count)
                .sum::<usize>()
        };
        assert_eq!(instructions(&again), instructions(&module), "{name}");
        assert!(instructions(&module) > 0, "{name}");
    }
}

#[test]
fn spans_are_the_text() {
    let text =
        ".version 8.0\n.target sm_90\n.entry k()\n{\n\tadd.s32 %r1,\n\t\t%r2, 1;\n\tret;\n}\n";
    let (module, errors) = parse(text);
    assert!(errors.is_empty());
    let body = module.functions().next().unwrap().body.as_ref().unwrap();
    let Statement::Instruction(i) = &body[0] else {
        panic!()
    };
    assert_eq!(
        &text[i.span.start as usize..i.span.end as usize],
        "add.s32 %r1,\n\t\t%r2, 1;"
    );
    assert_eq!(i.span.line, 5);
}

#[test]
fn a_bad_statement_costs_only_itself() {
    let text = ".version 8.0\n.target sm_90\n.entry k()\n{\n\tadd.s32 %r1 %r2;\n\tret;\n}\n.global .frob x;\n.entry l() { ret; }\n";
    let (module, errors) = parse(text);
    let lines: Vec<u32> = errors.iter().map(|e| e.span.line).collect();
    assert_eq!(lines, [5, 8]);
    assert_eq!(errors[0].message, "expected `;`, found `%r2`");
    let names: Vec<_> = module.functions().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["k", "l"]);
    assert_eq!(
        module
            .functions()
            .next()
            .unwrap()
            .body
            .as_ref()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn deep_nesting_is_an_error() {
    for (open, close) in [("{", "}"), ("[", "]"), ("(", ")"), ("!", "")] {
        let text = format!(
            ".version 8.0\n.entry k() {{ mov.b32 a, {}1{}; }}\n.global .u32 x = {}1{};",
            open.repeat(100_000),
            close.repeat(100_000),
            open.repeat(100_000),
            close.repeat(100_000)
        );
        assert!(!parse(&text).1.is_empty());
    }
    let text = format!(".entry k() {}", "{".repeat(100_000));
    assert!(!parse(&text).1.is_empty());
}

#[test]
fn sections_are_kept() {
    let (module, _) = parse(FIXTURES[2].1);
    let bodies: Vec<_> = module
        .items
        .iter()
        .filter_map(|i| match i {
            Item::Section { head, body, .. } => Some((head.as_str(), body.contains("not PTX"))),
            _ => None,
        })
        .collect();
    assert_eq!(bodies, [(".section .debug_info", true)]);
}

/// A real text with pieces cut out, doubled, or overwritten.
fn damaged() -> impl Strategy<Value = String> {
    let edit = (
        any::<prop::sample::Index>(),
        0usize..40,
        any::<prop::sample::Index>(),
        0u8..4,
        any::<u8>(),
    );
    (0..FIXTURES.len(), prop::collection::vec(edit, 1..12)).prop_map(|(k, edits)| {
        let mut b = FIXTURES[k].1.as_bytes().to_vec();
        for (at, len, from, what, byte) in edits {
            if b.is_empty() {
                break;
            }
            let at = at.index(b.len());
            let end = (at + len).min(b.len());
            match what {
                0 => drop(b.drain(at..end)),
                1 => {
                    let from = from.index(b.len());
                    let piece = b[from..(from + len).min(b.len())].to_vec();
                    b.splice(at..at, piece);
                }
                2 => b[at] = byte,
                _ => b.truncate(end),
            }
        }
        String::from_utf8_lossy(&b).into_owned()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_texts_never_panic(text in damaged()) {
        let (module, errors) = parse(&text);
        for e in &errors {
            prop_assert!(e.span.start <= e.span.end && e.span.end as usize <= text.len());
        }
        // What was read prints to something that reads the same.
        let printed = module.to_string();
        let (again, _) = parse(&printed);
        prop_assert_eq!(again.to_string(), printed);
    }

    #[test]
    fn any_text_never_panics(text in any::<String>()) {
        let _ = parse(&text);
    }
}
