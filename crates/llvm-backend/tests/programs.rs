//! `CUDA_OXIDE_LLC`: one that is missing, of another version, or without NVPTX is said. The variable holds for a process, so that each
//! case is one of its own: this test runs itself.

use llvm_backend::{Llvm, Options};
use std::path::{Path, PathBuf};
use std::process::Command;

const CASE: &str = "OXIDE_TEST_CASE";

fn script(folder: &Path, name: &str, says: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\nprintf '{says}'\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// What `Llvm::load` says with the variable set.
fn load_with(llc: &Path) -> String {
    let me = std::env::current_exe().unwrap();
    let out = Command::new(me)
        .args(["--exact", "in_a_process_of_its_own", "--nocapture"])
        .env(CASE, "1")
        .env("CUDA_OXIDE_LLC", llc)
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8(out.stdout).unwrap()
}

/// Does nothing unless the test below started it.
#[test]
fn in_a_process_of_its_own() {
    if std::env::var_os(CASE).is_none() {
        return;
    }
    match Llvm::load()
        .and_then(|llvm| llvm.compile(&[("k.ll", include_str!("inlined.ll"))], &Options::default()))
    {
        Ok(emitted) => println!(
            "{}\nframes of {} lines",
            emitted.ptx,
            emitted.side.lines.len()
        ),
        Err(e) => println!("{e}"),
    }
}

#[test]
fn what_is_wrong_with_the_programs_is_said() {
    let folder = std::env::temp_dir().join(format!("oxide-llc-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let says = |name: &str, text: &str, expected: &[&str]| {
        let said = load_with(&script(&folder, name, text));
        for words in expected {
            assert!(said.contains(words), "{name}: `{words}` is not in {said}");
        }
    };
    says(
        "llc-14",
        "Debian LLVM version 14.0.6\\n",
        &["llc-14 is LLVM 14.0.6, and LLVM 22 is needed", "llvm-22"],
    );
    says(
        "llc-a",
        "LLVM version 22.1.0\\n    x86-64\\n",
        &["without the NVPTX target"],
    );
    says(
        "llc-b",
        "LLVM version 22.1.0\\n    nvptx64 - NVIDIA\\n",
        &["opt-b", "No such file"],
    );
    script(&folder, "opt-c", "LLVM version 22.0.0\\n");
    says(
        "llc-c",
        "LLVM version 22.1.0\\n    nvptx64 - NVIDIA\\n",
        &["opt-c", "another version"],
    );
    says(
        "clang",
        "LLVM version 22.1.0\\n",
        &["does not begin with `llc`"],
    );
    let none = load_with(&folder.join("llc-none"));
    assert!(
        none.contains("llc-none") && none.contains("unset it to take the libLLVM"),
        "{none}"
    );
    std::fs::remove_dir_all(folder).unwrap();
}
