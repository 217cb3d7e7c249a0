//! Types of other crates with private types in them, whose last arguments MIR leaves out as they are the defaults.

use std::path::{Path, PathBuf};
use std::process::Command;

use layout::{LayoutDb, Probe};
use rustc_mir::ty::Ty;

/// `Two` and `Three` have different layouts, so that a wrong default is a wrong size.
const LIBRARY: &str = "
    pub trait Space { type Extra; }
    pub struct One; pub struct Two;
    impl Space for One { type Extra = u8; }
    impl Space for Two { type Extra = [u64; 4]; }
    pub mod inner {
        pub struct Slice<'a, T, S: crate::Space = crate::One> { pub at: &'a [T], pub extra: S::Extra, pub t: u32 }
        pub struct Twice<T, U = T> { pub t: T, pub u: U, pub n: u64 }
    }
    pub use inner::*;
";

/// `narrow` has the default, `wide` another argument; both are called `Slice<Body>` but for that.
const CRATE: &str = "
    struct Body { x: f64, y: u8 }
    #[unsafe(no_mangle)] pub fn k() -> u64 {
        let body = [Body { x: 1.0, y: 2 }];
        let wide: lib_::Slice<Body, lib_::Two> = lib_::Slice { at: &body, extra: [1; 4], t: 3 };
        let narrow: lib_::Slice<Body> = lib_::Slice { at: &body, extra: 1, t: 3 };
        let other = lib_::Twice::<Body, u8> { t: Body { x: 2.0, y: 1 }, u: 4, n: 5 };
        let twice = lib_::Twice::<Body> { t: Body { x: 2.0, y: 1 }, u: Body { x: 0.5, y: 6 }, n: 5 };
        wide.extra[0] + u64::from(narrow.extra) + narrow.at[0].x as u64 + u64::from(narrow.at[0].y) + other.n + twice.n
            + u64::from(twice.u.y) + u64::from(other.u) + u64::from(wide.t + narrow.t)
    }
";

fn rustc(dir: &Path, name: &str, source: &str, emit: &str) {
    let file = dir.join(format!("{name}.rs"));
    std::fs::write(&file, source).expect("the source is written");
    let out = Command::new("rustc")
        .env("RUSTC_BOOTSTRAP", "1")
        .args(["--edition", "2024", "--crate-type", "lib", "-Awarnings"])
        .args(["-C", "debuginfo=2", "-C", "no-prepopulate-passes"])
        .arg(format!("--emit={emit}"))
        .arg("-L")
        .arg(dir)
        .arg("--out-dir")
        .arg(dir)
        .arg(&file)
        .output()
        .expect("rustc runs");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{said}");
}

fn database(dir: &Path, with_probe: bool) -> LayoutDb {
    let mut db = LayoutDb::new("user");
    if with_probe {
        db.set_probe(Probe {
            rustc: PathBuf::from("rustc"),
            externs: vec![("lib_".to_string(), dir.join("liblib_.rmeta"))],
            search: vec![dir.to_path_buf()],
            scratch: dir.to_path_buf(),
            ..Probe::default()
        });
    }
    db.add_llvm_ir(std::fs::read_to_string(dir.join("user.ll")).expect("LLVM IR"));
    db
}

#[test]
fn rustc_says_which_arguments_are_left_out() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("left_out");
    std::fs::create_dir_all(&dir).expect("a folder for the test");
    rustc(&dir, "lib_", LIBRARY, "metadata");
    // The crate with the same source as a program would be: nothing but its LLVM IR can be used.
    rustc(
        &dir,
        "user",
        &format!("extern crate lib_;{CRATE}"),
        "llvm-ir",
    );
    let db = database(&dir, true);
    let size = |text: &str| {
        let ty = Ty::parse(text).expect("a type");
        db.layout(&ty).map(|l| l.size)
    };
    assert_eq!(size("Body"), Ok(16));
    assert_eq!(size("lib_::Slice<'_, Body>"), Ok(24));
    assert_eq!(size("lib_::Slice<'_, Body, lib_::Two>"), Ok(56));
    assert_eq!(size("lib_::Twice<Body>"), Ok(40));
    assert_eq!(size("lib_::Twice<Body, u8>"), Ok(32));
    // Without rustc nothing tells the two apart, and that is an error.
    let alone = database(&dir, false);
    let ty = Ty::parse("lib_::Slice<'_, Body>").expect("a type");
    assert!(alone.layout(&ty).is_err());
}
