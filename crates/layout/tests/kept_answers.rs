//! rustc's answers in a file: an unchanged type is not asked for again, and a changed one always is.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use layout::{LayoutDb, Probe};
use rustc_mir::ty::Ty;

/// A rustc that writes down each of its runs.
fn counting(dir: &Path) -> PathBuf {
    let wrapper = dir.join("counting-rustc");
    let script = format!(
        "#!/bin/sh\necho run >> {}\nexec rustc \"$@\"\n",
        dir.join("runs.txt").display()
    );
    std::fs::write(&wrapper, script).expect("the wrapper is written");
    std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755))
        .expect("it can be run");
    wrapper
}

fn library(dir: &Path, source: &str) {
    let file = dir.join("lib_.rs");
    std::fs::write(&file, source).expect("the source is written");
    let status = Command::new("rustc")
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "lib",
            "--emit=metadata",
        ])
        .arg("--out-dir")
        .arg(dir)
        .arg(&file)
        .status();
    assert!(status.expect("rustc runs").success());
}

#[test]
fn answers_last_until_something_changes() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kept");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a folder for the test");
    let rustc = counting(&dir);
    let kept = dir.join("kept.layouts");
    let sizes = |version: &str| -> (Vec<Result<u64, String>>, usize) {
        let _ = std::fs::remove_file(dir.join("runs.txt"));
        let mut db = LayoutDb::new("user");
        db.set_probe(Probe {
            rustc: rustc.clone(),
            externs: vec![("lib_".to_string(), dir.join("liblib_.rmeta"))],
            search: vec![dir.clone()],
            scratch: dir.clone(),
            kept: Some(kept.clone()),
            version: version.to_string(),
            ..Probe::default()
        });
        let types = [
            "(u8, u32)",
            "lib_::S",
            "lib_::Hidden",
            "std::option::Option<lib_::S>",
        ];
        let types: Vec<Ty> = types
            .iter()
            .map(|t| Ty::parse(t).expect("a type"))
            .collect();
        db.prefetch(&types).expect("rustc answers");
        let sizes = types
            .iter()
            .map(|t| db.layout(t).map(|l| l.size).map_err(|e| e.what));
        let sizes = sizes.collect();
        let runs = std::fs::read_to_string(dir.join("runs.txt")).unwrap_or_default();
        (sizes, runs.lines().count())
    };
    library(
        &dir,
        "pub struct S { pub a: u64, pub b: u8 } struct Hidden;",
    );
    let (first, runs) = sizes("1");
    assert_eq!(
        (&first[0], &first[1], &first[3]),
        (&Ok(8), &Ok(16), &Ok(24))
    );
    assert!(
        first[2].as_ref().is_err_and(|e| e.contains("private")),
        "{first:?}"
    );
    assert!(runs > 0);
    assert_eq!(sizes("1"), (first.clone(), 0));
    // Another compiler.
    let (again, runs) = sizes("2");
    assert!(again == first && runs > 0);
    // The same name, another layout.
    library(
        &dir,
        "pub struct S { pub a: [u64; 3], pub b: bool } pub struct Hidden;",
    );
    let (other, runs) = sizes("2");
    assert_eq!(other, [Ok(8), Ok(32), Ok(0), Ok(32)]);
    assert!(runs > 0);
    assert_eq!(sizes("2"), (other.clone(), 0));
    // A damaged file is asked for anew.
    let text = std::fs::read_to_string(&kept).expect("it is there");
    std::fs::write(&kept, text.replace("32 bytes", "48 bytes")).expect("it is written");
    let (mended, runs) = sizes("2");
    assert_eq!(mended, other);
    assert!(runs > 0);
}
