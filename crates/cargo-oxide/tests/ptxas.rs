//! NVIDIA's assembler takes the PTX of every example, for an architecture of each generation, and makes the same code of it with line
//! tables, which lead back to the Rust lines. Second tier: the feature `ptxas`, and
//! the tool must be there (`cargo oxide toolchain install`).

mod common;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const ARCHS: &[&str] = &["sm_80", "sm_90a", "sm_100a"];

/// Examples whose operations not every architecture has.
const ONLY: &[(&str, &[&str])] = &[
    ("device-api", &["sm_90a", "sm_100a"]),
    ("hopper", &["sm_90a"]),
];

/// The examples of the repository: every folder with a program.
fn examples() -> Vec<String> {
    let root = common::crates().parent().unwrap().join("examples");
    let all = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path());
    let name = |p: &Path| p.file_name().unwrap().to_str().unwrap().to_string();
    let mut names: Vec<String> = all
        .filter(|p| p.join("src/main.rs").is_file())
        .map(|p| name(&p))
        .collect();
    names.sort();
    names
}

fn oxide(words: &[&str]) -> Vec<u8> {
    let root = common::crates().parent().unwrap().to_path_buf();
    let out = common::command()
        .args(words)
        // The tool is found as a user's is, by the variables that say where it is.
        .envs(std::env::vars_os().filter(|(k, _)| k == "CUDA_OXIDE_PTXAS"))
        .current_dir(root)
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{words:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    out.stdout
}

/// The cubin that ptxas makes, or what it says.
fn assemble(ptxas: &str, arch: &str, ptx: &[u8]) -> Result<Vec<u8>, String> {
    let cubin = common::target_dir().join(format!("ptxas-{}.cubin", std::process::id()));
    let mut child = Command::new(ptxas)
        .args([&format!("-arch={arch}"), "-o", cubin.to_str().unwrap(), "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(ptx).unwrap();
    let out = child.wait_with_output().unwrap();
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).into_owned());
    }
    let bytes = std::fs::read(&cubin).unwrap();
    std::fs::remove_file(cubin).unwrap();
    Ok(bytes)
}

/// The modules of a text: one for each crate that has kernels.
fn modules(ptx: &[u8]) -> Vec<String> {
    let mut modules: Vec<String> = Vec::new();
    for line in std::str::from_utf8(ptx).unwrap().lines() {
        if line.starts_with(".version") || modules.is_empty() {
            modules.push(String::new());
        }
        let module = modules.last_mut().unwrap();
        module.push_str(line);
        module.push('\n');
    }
    // What is before the first `.version` is a comment.
    modules.retain(|module| module.starts_with(".version"));
    modules
}

/// What is wrong with a module's code, with line tables and without.
fn compare(ptxas: &str, arch: &str, plain: &str, lines: &str) -> Vec<String> {
    let (plain, lines) = match (
        assemble(ptxas, arch, plain.as_bytes()),
        assemble(ptxas, arch, lines.as_bytes()),
    ) {
        (Ok(plain), Ok(lines)) => (plain, lines),
        (Err(e), _) | (_, Err(e)) => return vec![e],
    };
    let plain = cubin::Cubin::parse(&plain).unwrap();
    let lines = cubin::Cubin::parse(&lines).unwrap();
    let mut wrong: Vec<String> = lines_that_are_none(&lines).collect();
    if code(&plain) != code(&lines) {
        wrong.push("the code differs with line tables".to_string());
    }
    wrong
}

/// Code of each function, by name.
fn code(cubin: &cubin::Cubin<'_>) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = cubin
        .functions()
        .map(|f| (f.name.to_string(), cubin.code(&f).unwrap().to_vec()))
        .collect();
    all.sort();
    all
}

#[test]
fn every_example_assembles_to_the_same_code_with_line_tables() {
    let path = String::from_utf8(oxide(&["toolchain", "path", "ptxas"])).unwrap();
    let examples = examples();
    assert!(examples.len() >= 14, "{examples:?}");
    let mut wrong = Vec::new();
    for example in &examples {
        let only = ONLY.iter().find(|(name, _)| name == example);
        for arch in ARCHS
            .iter()
            .filter(|a| only.is_none_or(|(_, o)| o.contains(a)))
        {
            let stage = [
                "inspect", example, "--stage", "ptx", "--arch", arch, "--quiet",
            ];
            let plain = oxide(&stage);
            assert!(
                String::from_utf8_lossy(&plain).contains(".entry "),
                "{example} has no kernel"
            );
            let lines = oxide(&[&stage[..], &["-g"]].concat());
            let (plain, lines) = (modules(&plain), modules(&lines));
            assert_eq!(plain.len(), lines.len(), "{example}");
            for (plain, lines) in plain.iter().zip(&lines) {
                let said = compare(path.trim(), arch, plain, lines);
                wrong.extend(said.into_iter().map(|w| format!("{example} {arch}: {w}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rows of `.debug_line` whose line is not one of a source file, or is an empty one.
fn lines_that_are_none(cubin: &cubin::Cubin<'_>) -> impl Iterator<Item = String> {
    let table = cubin.lines(cubin::LineKind::Source).unwrap();
    let rows: std::collections::BTreeSet<_> =
        table.rows().map(|(_, _, l)| (l.file, l.line)).collect();
    assert!(!rows.is_empty());
    rows.into_iter()
        // The standard library's sources need not be there.
        .filter(|(file, _)| !file.starts_with("/rustc/"))
        .filter(|(file, line)| {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            let line = text.lines().nth(*line as usize - 1);
            line.is_none_or(|l| l.trim().is_empty() || l.trim().starts_with("//"))
        })
        .map(|(file, line)| format!("{file}:{line} is no line of code"))
}

/// Every instruction of vecadd is one of its own lines, whatever was inlined from `core` and `cuda-device`.
#[test]
fn lines_of_vecadd() {
    let path = String::from_utf8(oxide(&["toolchain", "path", "ptxas"])).unwrap();
    let ptx = oxide(&["inspect", "vecadd", "--stage", "ptx", "-g", "--quiet"]);
    let bytes = assemble(path.trim(), "sm_80", &ptx).unwrap();
    let cubin = cubin::Cubin::parse(&bytes).unwrap();
    let table = cubin.lines(cubin::LineKind::Source).unwrap();
    let source = common::crates()
        .parent()
        .unwrap()
        .join("examples/vecadd/src/main.rs");
    let text = std::fs::read_to_string(&source).unwrap();
    let mut found: Vec<&str> = table
        .rows()
        .filter(|(_, _, l)| Path::new(&l.file) == source)
        .map(|(_, _, l)| text.lines().nth(l.line as usize - 1).unwrap().trim())
        .collect();
    found.sort_unstable();
    found.dedup();
    expect_test::expect![[r#"
        [
            "*sum = a[n] + b[n];",
            "if let Some(sum) = c.get_mut(i) {",
            "let i = thread::index_1d();",
            "}",
        ]
    "#]]
    .assert_debug_eq(&found);
}
