//! No text makes the reader panic: real files with pieces removed, doubled, swapped and overwritten, and plain noise.

use proptest::prelude::*;
use rustc_mir::MirFile;
use rustc_mir::ty::{Path, Ty};

const FILES: [&str; 3] = [
    include_str!("corpus/constants.mir"),
    include_str!("corpus/control.mir"),
    include_str!("corpus/names.mir"),
];

fn read_all(text: String) {
    if let Ok(f) = MirFile::parse("mutated", text) {
        for item in f.items() {
            let _ = f.body(item.id);
        }
        for id in f.alloc_ids() {
            let _ = f.alloc(id);
        }
    }
}

fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(0)
}

#[derive(Clone, Debug)]
enum Edit {
    Remove(usize, usize),
    Insert(usize, &'static str),
    Double(usize, usize),
    Noise(usize, char),
}

fn edit() -> impl Strategy<Value = Edit> {
    let piece = prop::sample::select(vec![
        "(",
        ")",
        "<",
        ">",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "'",
        "::",
        "<impl ",
        "const ",
        "copy ",
        " as ",
        "_99999999999",
        "340282366920938463463374607431768211456",
        "-1_u8",
        "bb77",
        "alloc",
        "╾",
        "│",
        "é",
        "\n",
        "// ",
        "{closure@",
        "::<",
        "b\"\\x",
        "\\u{110000}",
        "is ",
        "for<",
        "promoted[",
        "0x",
        "fn(",
        "..",
        ";",
    ]);
    prop_oneof![
        (0..60_000usize, 1..40usize).prop_map(|(a, n)| Edit::Remove(a, n)),
        (0..60_000usize, piece).prop_map(|(a, p)| Edit::Insert(a, p)),
        (0..60_000usize, 1..200usize).prop_map(|(a, n)| Edit::Double(a, n)),
        (0..60_000usize, any::<char>()).prop_map(|(a, c)| Edit::Noise(a, c)),
    ]
}

fn apply(text: &mut String, edit: &Edit) {
    let at = |a: usize, text: &str| boundary(text, a % (text.len() + 1));
    match *edit {
        Edit::Remove(a, n) => {
            let (a, b) = (at(a, text), boundary(text, at(a, text) + n));
            text.replace_range(a..b.max(a), "");
        }
        Edit::Insert(a, s) => {
            let a = at(a, text);
            text.insert_str(a, s);
        }
        Edit::Double(a, n) => {
            let (a, b) = (at(a, text), boundary(text, at(a, text) + n));
            let piece = text[a..b.max(a)].to_string();
            text.insert_str(a, &piece);
        }
        Edit::Noise(a, c) => {
            let a = at(a, text);
            text.insert(a, c);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, ..ProptestConfig::default() })]

    #[test]
    fn mutated_files(which in 0..FILES.len(), edits in prop::collection::vec(edit(), 1..12)) {
        let mut text = FILES[which].to_string();
        for e in &edits {
            apply(&mut text, e);
        }
        read_all(text);
    }

    #[test]
    fn noise(text in "\\PC{0,200}") {
        let _ = Ty::parse(&text);
        let _ = Path::parse(&text);
        read_all(format!("fn f() -> () {{\n    let mut _0: {text};\n\n    bb0: {{\n        {text};\n    }}\n}}\n"));
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for open in [
        "(",
        "[",
        "&",
        "*const ",
        "a::b<",
        "<",
        "{closure@",
        "fn(",
        "dyn F<",
        "Fn(",
        "for<> ",
    ] {
        assert!(Ty::parse(&open.repeat(100_000)).is_err(), "{open}");
    }
    assert!(Ty::parse(&format!("a<{}", "b = ".repeat(100_000))).is_err());
    let place = format!(
        "fn f() -> () {{\n    let mut _0: ();\n\n    bb0: {{\n        {}_1 = ();\n",
        "(*".repeat(100_000)
    );
    read_all(format!("{place}    }}\n}}\n"));
    let scopes: String = (1..5000).map(|i| format!("scope {i} {{\n")).collect();
    read_all(format!("fn f() -> () {{\n{scopes}\n}}\n"));
    let consts = "const ".to_string() + &"(".repeat(100_000);
    read_all(format!(
        "fn f() -> () {{\n    let mut _0: ();\n\n    bb0: {{\n        _0 = {consts};\n    }}\n}}\n"
    ));
}
