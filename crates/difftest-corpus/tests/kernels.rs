//! The whole corpus as kernels, as a user runs it: `cargo oxide run difftest-corpus`, on the simulator.

use std::path::Path;
use std::process::Command;

/// What differs today, and nothing else may: PTX leaves open which NaN `neg.f32` and `abs.f32` give (a GPU gives
/// 0x7fffffff), and Rust does not. A function that comes to agree must leave this list.
const KNOWN: &[&str] = &["nan::signs_to_the_bit"];

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
    let differing: Vec<_> = out
        .lines()
        .filter_map(|line| line.strip_prefix("DIFFERS ")?.split_whitespace().next())
        .map(|name| name.trim_end_matches(':'))
        .collect();
    assert_eq!(differing, KNOWN, "{out}\n{err}");
    assert_eq!(output.status.success(), KNOWN.is_empty(), "{out}\n{err}");
    let cases = difftest_corpus::cases().len().to_string();
    let total: Vec<_> = out
        .lines()
        .find(|line| line.starts_with("total"))
        .expect("a tally")
        .split_whitespace()
        .collect();
    // Functions, inputs, agree, differ, failed.
    let agree = (difftest_corpus::cases().len() - KNOWN.len()).to_string();
    assert_eq!(
        (total[1], total[3], total[5]),
        (&cases[..], &agree[..], "0"),
        "{out}"
    );
}
