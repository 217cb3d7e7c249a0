//! NVIDIA's assembler takes the PTX of every example, for an architecture of each generation. Second tier: the feature `ptxas`, and
//! the tool must be there (`cargo oxide toolchain install`).

mod common;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const ARCHS: &[&str] = &["sm_80", "sm_90a", "sm_100a"];

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

/// The modules in what `inspect` prints: one for each crate with kernels.
fn modules(text: &str) -> Vec<String> {
    let parts = text.split("\n.version ").skip(1);
    let modules: Vec<String> = parts.map(|p| format!(".version {p}")).collect();
    assert!(!modules.is_empty(), "{text}");
    modules
}

#[test]
fn every_example_assembles() {
    let path = String::from_utf8(oxide(&["toolchain", "path", "ptxas"])).unwrap();
    let examples = examples();
    assert!(examples.len() >= 14, "{examples:?}");
    let cubin = common::target_dir().join(format!("ptxas-{}.cubin", std::process::id()));
    let mut wrong = Vec::new();
    for example in &examples {
        for arch in ARCHS {
            let ptx = oxide(&[
                "inspect", example, "--stage", "ptx", "--arch", arch, "--quiet",
            ]);
            assert!(
                String::from_utf8_lossy(&ptx).contains(".entry "),
                "{example} has no kernel"
            );
            for module in modules(&String::from_utf8(ptx).unwrap()) {
                let mut ptxas = Command::new(path.trim())
                    .args([&format!("-arch={arch}"), "-o", cubin.to_str().unwrap(), "-"])
                    .stdin(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap();
                ptxas
                    .stdin
                    .take()
                    .unwrap()
                    .write_all(module.as_bytes())
                    .unwrap();
                let out = ptxas.wait_with_output().unwrap();
                if !out.status.success() {
                    wrong.push(format!(
                        "{example} {arch}: {}",
                        String::from_utf8_lossy(&out.stderr)
                    ));
                }
            }
        }
    }
    let _ = std::fs::remove_file(cubin);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
