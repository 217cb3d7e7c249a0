//! By rustup's `llvm-tools` the PTX and the side table are those of the library. Second tier (feature `llvm-tools`): after
//! `rustup component add llvm-tools`, or with `CUDA_OXIDE_TEST_LLC` set to an `llc` of LLVM 22.

use llvm_backend::{Emitted, Llvm, Options};
use std::path::PathBuf;
use std::process::Command;

const CASE: &str = "OXIDE_TEST_CASE";

fn llc() -> PathBuf {
    if let Some(path) = std::env::var_os("CUDA_OXIDE_TEST_LLC") {
        return path.into();
    }
    let print = |what: &str| {
        let out = Command::new("rustc")
            .args(["--print", what])
            .output()
            .unwrap();
        String::from_utf8(out.stdout).unwrap().trim().to_string()
    };
    let lib = PathBuf::from(print("sysroot")).join("lib/rustlib");
    lib.join(print("host-tuple")).join("bin/llc")
}

const PANICS: &str = "declare void @__oxide_panic(ptr, i64, ptr, i64, i32, i32, ptr, i64)\n\
    define ptx_kernel void @p(ptr %y, float %a, float %b) {\n  %r = frem float %a, %b\n  store float %r, ptr %y\n  \
    call void @__oxide_panic(ptr null, i64 0, ptr null, i64 0, i32 1, i32 1, ptr null, i64 0)\n  unreachable\n}\n";

fn all() -> String {
    let mut out = String::new();
    let modules = [
        ("inlined.ll", include_str!("inlined.ll")),
        ("panics.ll", PANICS),
    ];
    for (arch, fmad, debug) in [
        ("sm_80", false, llvm_backend::DebugKind::Off),
        ("sm_90a", true, llvm_backend::DebugKind::LineTables),
    ] {
        let options = Options {
            arch: arch.parse().unwrap(),
            fmad,
            debug,
            ..Options::default()
        };
        let Emitted { ptx, side, .. } = Llvm::load().unwrap().compile(&modules, &options).unwrap();
        out += &ptx;
        for line in 1..=ptx.lines().count() as u32 {
            for f in side.frames(line) {
                out += &format!(
                    "{line}: {} {}:{}:{}\n",
                    f.function, f.file, f.line, f.column
                );
            }
        }
    }
    out
}

/// Says what it compiled if the test below started it, with or without the variable.
#[test]
fn in_a_process_of_its_own() {
    if let Some(file) = std::env::var_os(CASE) {
        std::fs::write(file, all()).unwrap();
    }
}

#[test]
fn programs_and_library_agree() {
    let file = std::env::temp_dir().join(format!("oxide-llvm-tools-{}", std::process::id()));
    let made = |llc: Option<PathBuf>| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "in_a_process_of_its_own"])
            .env(CASE, &file)
            .env_remove("CUDA_OXIDE_LLC");
        if let Some(llc) = llc {
            // No library is looked for then.
            command
                .env("CUDA_OXIDE_LLC", llc)
                .env("CUDA_OXIDE_LLVM", "/nowhere");
        }
        let out = command.output().unwrap();
        assert!(
            out.status.success(),
            "{}{}",
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr)
        );
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        text
    };
    let (library, programs) = (made(None), made(Some(llc())));
    assert!(
        library.contains(".entry p(") && library.contains("app::helper::inner"),
        "{library}"
    );
    for (l, p) in library.lines().zip(programs.lines()) {
        assert_eq!(l, p);
    }
    assert_eq!(library, programs);
}
