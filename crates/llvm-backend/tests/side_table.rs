//! The side table leads each PTX line to the Rust line and inline chain that it came from, and costs the text nothing.

use llvm_backend::{Emitted, Llvm, OptLevel, Options};

const INLINED: &str = include_str!("inlined.ll");

fn compile(options: &Options) -> Emitted {
    Llvm::load()
        .unwrap()
        .compile(&[("inlined.ll", INLINED)], options)
        .unwrap()
}

/// The frames of the first PTX line with `snippet`, as `function file:line:column`.
#[track_caller]
fn frames(emitted: &Emitted, snippet: &str) -> Vec<String> {
    let line = 1 + emitted
        .ptx
        .lines()
        .position(|line| line.contains(snippet))
        .unwrap_or_else(|| panic!("no `{snippet}` in\n{}", emitted.ptx)) as u32;
    assert!(
        emitted.side.lines.contains_key(&line),
        "line {line} has no frames in\n{}",
        emitted.ptx
    );
    emitted
        .side
        .frames(line)
        .map(|f| format!("{} {}:{}:{}", f.function, f.file, f.line, f.column))
        .collect()
}

#[test]
fn chains_of_inlined_calls() {
    for opt in [OptLevel::O1, OptLevel::O2, OptLevel::O3] {
        let emitted = compile(&Options {
            opt,
            ..Options::default()
        });
        assert_eq!(
            frames(&emitted, "ld.global"),
            ["app::k /src/kernel.rs:2:13"]
        );
        assert_eq!(
            frames(&emitted, "xor.b32"),
            [
                "app::helper::inner /lib/helper.rs:22:23",
                "app::helper::outer /lib/helper.rs:12:17",
                "app::k /src/kernel.rs:3:5"
            ]
        );
        assert_eq!(
            frames(&emitted, "mul.lo"),
            [
                "app::helper::outer /lib/helper.rs:13:19",
                "app::k /src/kernel.rs:3:5"
            ]
        );
        assert_eq!(
            frames(&emitted, "div.u32"),
            ["app::helper::stays /lib/helper.rs:33:10"]
        );
        assert_eq!(frames(&emitted, "call.uni"), ["app::k /src/kernel.rs:4:9"]);
        assert_eq!(frames(&emitted, "st.global"), ["app::k /src/kernel.rs:5:1"]);
    }
}

#[test]
fn the_text_is_that_of_a_module_without_debug_metadata() {
    for opt in [OptLevel::O0, OptLevel::O1, OptLevel::O2, OptLevel::O3] {
        let options = Options {
            opt,
            ..Options::default()
        };
        let stripped = Llvm::load()
            .unwrap()
            .compile_stripped(&[("inlined.ll", INLINED)], &options)
            .unwrap();
        assert_eq!(compile(&options).ptx, stripped);
    }
}

#[test]
fn every_instruction_has_a_line() {
    let emitted = compile(&Options::default());
    for (index, line) in emitted.ptx.lines().enumerate() {
        if line.starts_with('\t') && line.ends_with(';') && !line.trim_start().starts_with('.') {
            assert!(
                emitted.side.lines.contains_key(&(index as u32 + 1)),
                "line {} `{line}` has none in\n{}",
                index + 1,
                emitted.ptx
            );
        }
    }
}
