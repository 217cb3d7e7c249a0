//! Wrong programs and what is said of them: `ui/NAME.rs`, and beside it `ui/NAME.stderr`. `UPDATE_EXPECT=1` writes the latter.

mod common;

use common::User;
use expect_test::expect_file;
use std::path::{Path, PathBuf};

/// Programs that rustc or a macro refuses: the device pass ends there, so each is built alone.
const REFUSED_BY_RUSTC: &[&str] = &[
    "forgotten_kernel",
    "host_capture",
    "host_reference",
    "not_device_copy",
    "returns",
];

fn ui() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}

/// Every program, by name.
fn programs() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(ui())
        .unwrap()
        .filter_map(|e| {
            let name = e.unwrap().file_name().into_string().unwrap();
            Some(name.strip_suffix(".rs")?.to_string())
        })
        .collect();
    names.sort();
    names
}

/// A package with one binary for each of these programs, at `src/NAME.rs`.
fn package(name: &str, programs: &[&String]) -> User {
    let user = User::new(name);
    let mut manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\nautobins = false\n[dependencies]\n\
         cuda-core = {{ path = \"{{crates}}/cuda-core\" }}\ncuda-device = {{ path = \"{{crates}}/cuda-device\" }}\n[workspace]\n"
    );
    for program in programs {
        manifest += &format!("[[bin]]\nname = \"ui_{program}\"\npath = \"src/{program}.rs\"\n");
        let text = std::fs::read_to_string(ui().join(format!("{program}.rs"))).unwrap();
        user.file(&format!("src/{program}.rs"), &text);
    }
    user.file("Cargo.toml", &manifest);
    user
}

/// What is the same on every machine: without cargo's progress, and without the user's folder.
fn stable(user: &User, stderr: &str) -> String {
    let progress = |l: &&str| {
        let words = [
            "Compiling ",
            "Checking ",
            "Locking ",
            "Adding ",
            "Updating ",
            "Blocking ",
            "Finished ",
            "Downloading ",
            "Downloaded ",
        ];
        !words.iter().any(|w| l.trim_start().starts_with(w))
    };
    let lines: Vec<&str> = stderr.lines().filter(progress).collect();
    let text = lines.join("\n").trim().to_string() + "\n";
    text.replace(&user.dir.display().to_string(), "$DIR")
}

fn nothing_is_left(program: &str) {
    let target = common::target_dir();
    for file in [
        format!("oxide/artifacts/debug/ui_{program}.oxart"),
        format!("oxide/artifacts/debug/ui_{program}.fresh"),
        format!("debug/ui_{program}"),
    ] {
        assert!(!target.join(&file).exists(), "{file} is left");
    }
}

#[test]
fn what_a_gpu_cannot_do() {
    let programs = programs();
    let programs: Vec<&String> = programs
        .iter()
        .filter(|p| !REFUSED_BY_RUSTC.contains(&p.as_str()))
        .collect();
    let user = package("t-ui-kernels", &programs);
    let out = user.oxide(&["build"]).fails(101, &[]);
    let text = stable(&user, &out.stderr);
    // One build says what is wrong with each, in the order in which cargo was done with them.
    let mut rest = text.as_str();
    let mut of = std::collections::BTreeMap::new();
    let mark = "error: could not compile the kernels of `ui_";
    while let Some(at) = rest.find(mark) {
        let after = &rest[at + mark.len()..];
        let end = after.find('`').unwrap();
        of.insert(
            after[..end].to_string(),
            rest[..at + mark.len() + end + 1].trim_start().to_string() + "\n",
        );
        rest = &after[end + 1..];
    }
    let known: Vec<&String> = of.keys().collect();
    assert_eq!(known, programs, "{text}");
    for (program, said) in &of {
        expect_file![ui().join(format!("{program}.stderr"))].assert_eq(said);
        nothing_is_left(program);
        // At the user's line, with what instead.
        assert!(
            said.contains(&format!("--> src/{program}.rs:")) && said.contains("help: "),
            "{said}"
        );
    }
}

#[test]
fn what_rustc_refuses() {
    for program in REFUSED_BY_RUSTC {
        let program = program.to_string();
        let user = package("t-ui-rustc", &[&program]);
        let out = user.oxide(&["build"]).fails(101, &[]);
        expect_file![ui().join(format!("{program}.stderr"))].assert_eq(&stable(&user, &out.stderr));
        nothing_is_left(&program);
    }
}
