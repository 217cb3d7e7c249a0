//! The whole corpus as kernels, as a user runs it: `cargo oxide run difftest-corpus`, on the simulator.

use std::path::Path;
use std::process::Command;

#[test]
fn kernels_agree_with_the_cpu() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // The LLVM route: by MIR, the corpus asks rustc for each layout alone, which takes minutes.
    let output = Command::new(env!("CARGO"))
        .args(["oxide", "run", "difftest-corpus", "--route", "llvm"])
        .env("CUDA_OXIDE_DEVICE", "sim")
        .current_dir(root)
        .output()
        .expect("cargo can be run");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}\n{err}");
    let cases = difftest_corpus::cases().len().to_string();
    let total: Vec<_> = out
        .lines()
        .find(|line| line.starts_with("total"))
        .expect("a tally")
        .split_whitespace()
        .collect();
    // Functions, inputs, agree, differ, failed.
    assert_eq!(
        (total[1], total[3], total[5]),
        (&cases[..], &cases[..], "0"),
        "{out}"
    );
}
