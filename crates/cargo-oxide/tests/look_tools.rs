//! `inspect` with ptxas and nvdisasm, which must be there.

use std::process::Command;

fn inspect(words: &[&str]) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let target = std::env::temp_dir()
        .join("cargo-oxide-tests")
        .join("look-tools");
    let out = Command::new(env!("CARGO_BIN_EXE_cargo-oxide"))
        .current_dir(root)
        .args([
            "inspect",
            "vecadd",
            "--arch",
            "sm_90",
            "--quiet",
            "--target-dir",
        ])
        .arg(target)
        .args(words)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{words:?}: {stderr}");
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn what_a_line_became() {
    let sass = inspect(&["--stage", "sass"]);
    assert!(
        sass.contains("/*0000*/") && sass.contains("// load global 4 B"),
        "{sass}"
    );
    let annotated = inspect(&["--annotate"]);
    let source = include_str!("../../../examples/vecadd/src/main.rs");
    // Some line of the program stands there as it is, with what it became under it.
    let shown = |l: &&str| annotated.contains(&format!("| {l}")) && l.trim().len() > 10;
    assert!(source.lines().filter(shown).count() >= 2, "{annotated}");
    assert!(
        annotated.contains("inlined from ") && annotated.contains("LDG.E"),
        "{annotated}"
    );
    let usage = inspect(&["--usage"]);
    assert!(
        usage.contains("vecadd::kernels::vecadd") && usage.contains("warps)"),
        "{usage}"
    );
    let page = inspect(&["--html"]);
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("LDG.E"));
}
