//! The table, with fewer inputs, as a user runs it.

use std::path::Path;
use std::process::Command;

#[test]
fn within_the_limits_and_equal_to_libm() {
    for route in [&[][..], &["--route", "llvm"]] {
        let output = Command::new(env!("CARGO"))
            .args(["oxide", "run", "math-ulp"])
            .args(route)
            .args(["--", "3000"])
            .env("CUDA_OXIDE_DEVICE", "sim")
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
            .output()
            .expect("cargo can be run");
        let out = String::from_utf8_lossy(&output.stdout);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && out.contains("SUCCESS"),
            "{out}\n{err}"
        );
        // A method that is not measured is not there: every row has both types.
        assert_eq!(
            out.lines().filter(|l| l.starts_with("| `")).count(),
            23,
            "{out}"
        );
    }
}
