//! What is printed, where, and with which exit code, for everything that needs no kernel.

mod common;

use common::{User, command};
use expect_test::expect;

#[test]
fn help() {
    let out = command().arg("--help").output().unwrap();
    assert!(out.status.success());
    expect![[r#"
        Compiles the kernels of a crate, and the crate with them inside

        Usage: cargo oxide <COMMAND>

        Commands:
          new        Make a crate with a kernel that runs at once
          build      Compile the kernels and the crate
          run        Build and run a program, on the GPU if there is one, else on the simulator
          debug      Build a program and run it on the simulator, under the debugger
          test       Build and run tests that launch kernels
          inspect    Print one stage of the kernels, alone on standard output
          pipeline   Print every stage of one kernel, one after the other
          doctor     Say what was found on this machine, and what mends what was not
          toolchain  NVIDIA's ptxas and nvdisasm, for looking closer: never needed to build or run
          clean      Remove what cargo oxide has built for the device (the rest is cargo's: `cargo clean`)

        Options:
          -h, --help     Print help
          -V, --version  Print version

        Examples:
          cargo oxide new mine && cd mine && cargo oxide run
          cargo oxide run vecadd                       a workspace member, a binary or an example, by name
          cargo oxide run --release --example demo -- --size 1000
          cargo oxide inspect vecadd --stage ptx --arch sm_90
          cargo oxide pipeline vecadd
          cargo oxide doctor

        Exit codes:
          run and test give the program's own; 101: something did not build; 2: a wrong command line;
          1: doctor found something that keeps kernels from building or running.
    "#]].assert_eq(&String::from_utf8(out.stdout).unwrap());
}

#[test]
fn every_command_has_help_with_an_example() {
    for name in [
        "new",
        "build",
        "run",
        "test",
        "inspect",
        "pipeline",
        "toolchain",
    ] {
        // As the alias calls it, and as cargo calls an installed one.
        for words in [vec![name, "--help"], vec!["oxide", name, "--help"]] {
            let out = command().args(words).output().unwrap();
            let text = String::from_utf8(out.stdout).unwrap();
            assert!(
                out.status.success() && text.contains("cargo oxide") && text.contains("Example"),
                "{name}: {text}"
            );
        }
    }
}

#[test]
fn a_wrong_command_line_is_2() {
    let user = User::new("usage");
    user.oxide(&["frobnicate"])
        .fails(2, &["unrecognized subcommand 'frobnicate'"]);
    user.oxide(&["inspect", "--stage", "gpu"]).fails(
        2,
        &["invalid value 'gpu'", "mir", "dialect-llvm", "ptx", "sass"],
    );
    user.oxide(&["build", "--arch", "gfx90"])
        .fails(2, &["an architecture looks like sm_80 or sm_90a"]);
}

#[test]
fn nothing_to_build_is_101() {
    let user = User::new("empty");
    user.oxide(&["build"])
        .fails(101, &["could not find `Cargo.toml`"]);
    user.file(
        "Cargo.toml",
        "[package]\nname = \"plain\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n",
    );
    user.file("src/main.rs", "fn main() {}\n");
    user.oxide(&["build"]).fails(
        101,
        &[
            "nothing here depends on `cuda-device`",
            "help: `cargo oxide new NAME`",
        ],
    );
    user.oxide(&["run", "plian"]).fails(
        101,
        &[
            "no package, binary or example is called `plian`",
            "did you mean `plain`?",
        ],
    );
    user.file("src/main.rs", "fn main() { let x: u32 = \"\"; }\n");
    let failed = user
        .oxide(&["build"])
        .fails(101, &["mismatched types", "could not compile `plain`"]);
    assert_eq!(
        failed.stderr.matches("mismatched types").count(),
        1,
        "{}",
        failed.stderr
    );
    assert_eq!(failed.stdout, "");
}

#[test]
fn new_refuses_what_cannot_be_a_crate() {
    let user = User::new("new");
    user.oxide(&["new", "1st"])
        .fails(101, &["starts with a digit", "help: "]);
    user.oxide(&["new", "fn"])
        .fails(101, &["is a keyword of Rust"]);
    user.oxide(&["new", "cuda-core"])
        .fails(101, &["every kernel crate uses"]);
    user.file("there/x", "");
    user.oxide(&["new", "there"])
        .fails(101, &["`there` is there already"]);
    assert_eq!(
        std::fs::read_dir(&user.dir).unwrap().count(),
        1,
        "nothing half made is left"
    );
    let made = user
        .oxide(&["new", "under/2nd", "--name", "second"])
        .success();
    assert_eq!(
        made.stderr,
        "     Created `second` package\n        Next cd under/2nd && cargo oxide run\n"
    );
    for file in [
        "Cargo.toml",
        "README.md",
        "rust-toolchain.toml",
        ".gitignore",
        "src/main.rs",
    ] {
        let text = std::fs::read_to_string(user.dir.join("under/2nd").join(file)).unwrap();
        assert!(!text.contains("{{"), "{file}: {text}");
    }
}

/// A rustc that says it is another one.
fn fake_rustc(user: &User) -> String {
    use std::os::unix::fs::PermissionsExt;
    user.file("bin/rustc", "#!/bin/sh\ncase \"$*\" in\n*-vV*) printf 'rustc 1.80.0 (aaaaaaaaa 2024-07-01)\\nbinary: rustc\\nhost: x86_64-unknown-linux-gnu\\nrelease: 1.80.0\\nLLVM version: 18.1.7\\n';;\n*sysroot*) echo /nowhere;;\n*) exit 1;;\nesac\n");
    let path = user.dir.join("bin/rustc");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[test]
fn an_unsupported_rustc_is_said_by_every_command() {
    let user = User::new("rustc");
    let rustc = fake_rustc(&user);
    user.oxide(&["new", "mine"]).success();
    for words in [
        &["build"][..],
        &["run"],
        &["test"],
        &["inspect"],
        &["pipeline"],
    ] {
        user.oxide_in("mine", words, &[("RUSTC", &rustc)]).fails(
            101,
            &[
                "rustc 1.80.0",
                "kernels need rustc 1.95.0 exactly",
                "rustup toolchain install 1.95.0",
                "channel = \"1.95.0\"",
            ],
        );
    }
    // The same rustc by cargo's own settings.
    user.file(
        "mine/.cargo/config.toml",
        "[build]\nrustc = \"../bin/rustc\"\n",
    );
    user.oxide_in("mine", &["build"], &[])
        .fails(101, &["rustc 1.80.0"]);
    let doctor = user.oxide_in("mine", &["doctor", "--json"], &[]);
    assert_eq!(doctor.code, 1, "{}", doctor.stderr);
    let findings: serde_json::Value = serde_json::from_str(&doctor.stdout).unwrap();
    let of = |what: &str| {
        findings
            .as_array()
            .unwrap()
            .iter()
            .find(|f| f["what"] == what)
            .unwrap()
            .clone()
    };
    assert_eq!(of("rustc")["state"], "error");
    assert!(
        of("rustc")["help"]
            .as_str()
            .unwrap()
            .contains("rustup toolchain install 1.95.0")
    );
    assert_eq!(of("libLLVM")["state"], "error");
}

#[test]
fn no_linker_and_no_llvm_are_said() {
    let user = User::new("machine");
    user.oxide(&["new", "mine"]).success();
    // A PATH with cargo and rustc on it and nothing else.
    let cargo = std::env::var("CARGO").unwrap();
    let bin = std::path::Path::new(&cargo)
        .parent()
        .unwrap()
        .display()
        .to_string();
    let env = [("PATH", bin.as_str()), ("CARGO", cargo.as_str())];
    user.oxide_in("mine", &["run"], &env)
        .fails(101, &["there is no linker", "apt install gcc"]);
    let doctor = user.oxide_in("mine", &["doctor"], &env);
    assert_eq!(doctor.code, 1);
    assert!(
        doctor.stdout.contains("linker         ERROR"),
        "{}",
        doctor.stdout
    );
    user.oxide_in(
        "mine",
        &["run"],
        &[("CUDA_OXIDE_LLVM", "/nowhere/libLLVM.so")],
    )
    .fails(
        101,
        &["CUDA_OXIDE_LLVM is `/nowhere/libLLVM.so`, which is no file"],
    );
    // LLVM's programs instead of the library: of another version they are refused, before anything is compiled.
    user.file("llc-14", "#!/bin/sh\necho LLVM version 14.0.6\n");
    let llc = user.dir.join("llc-14");
    std::fs::set_permissions(&llc, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let env = [("CUDA_OXIDE_LLC", llc.to_str().unwrap())];
    for words in [&["run"][..], &["inspect"]] {
        user.oxide_in("mine", words, &env).fails(
            101,
            &[
                "llc-14 is LLVM 14.0.6, and LLVM 22 is needed",
                "help: ",
                "CUDA_OXIDE_LLC",
            ],
        );
    }
    let doctor = user.oxide_in("mine", &["doctor"], &env);
    assert_eq!(doctor.code, 1);
    assert!(
        doctor.stdout.contains("libLLVM        ERROR"),
        "{}",
        doctor.stdout
    );
    user.oxide_in("mine", &["run"], &[("CUDA_OXIDE_LLC", "/nowhere/llc")])
        .fails(101, &["CUDA_OXIDE_LLC is `/nowhere/llc`, which is no file"]);
    user.file("not-llvm.so", "text");
    let path = user.dir.join("not-llvm.so").display().to_string();
    let doctor = user.oxide_in("mine", &["doctor"], &[("CUDA_OXIDE_LLVM", &path)]);
    assert_eq!(doctor.code, 1);
    assert!(
        doctor.stdout.contains("cannot use") && doctor.stdout.contains("unset CUDA_OXIDE_LLVM"),
        "{}",
        doctor.stdout
    );
}
