//! The installed command, in a crate outside the repository. Second tier (feature `installed`): `cargo install` compiles all of it.

mod common;

use common::User;
use std::path::Path;
use std::process::{Command, Output};

fn run(mut command: Command) -> Output {
    let out = command.output().unwrap();
    assert!(
        out.status.success(),
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    );
    out
}

#[test]
fn a_new_crate_runs_by_the_installed_command() {
    let user = User::new("installed");
    let (root, cache) = (user.dir.join("root"), user.dir.join("cache"));
    let cargo = std::env::var_os("CARGO").unwrap();
    // In the profile and folder of these tests, so that little is compiled anew: what is tested is where things are looked for.
    let built = Path::new(env!("CARGO_BIN_EXE_cargo-oxide"));
    let target = built.ancestors().nth(2).unwrap();
    let mut install = Command::new(&cargo);
    install
        .args(["install", "--locked", "--debug", "--path"])
        .arg(common::crates().join("cargo-oxide"))
        .arg("--root")
        .arg(&root)
        .env("CARGO_TARGET_DIR", target);
    run(install);
    let path = format!(
        "{}:{}",
        root.join("bin").display(),
        std::env::var("PATH").unwrap()
    );
    // As a user types it: cargo finds `cargo-oxide` on PATH and gives it `oxide` first.
    let oxide = |folder: &Path, words: &[&str]| {
        let mut command = Command::new(&cargo);
        command.arg("oxide").args(words).current_dir(folder);
        let ours =
            std::env::vars_os().filter(|(k, _)| k.to_string_lossy().starts_with("CUDA_OXIDE_"));
        for (key, _) in ours {
            command.env_remove(key);
        }
        command
            .env("PATH", &path)
            .env("CUDA_OXIDE_CACHE", &cache)
            .env("CUDA_OXIDE_DEVICE", "sim")
            .env_remove("CARGO_TARGET_DIR")
            .env("CARGO_TERM_COLOR", "never");
        command
    };
    run(oxide(&user.dir, &["new", "mine"]));
    let mine = user.dir.join("mine");
    let first = run(oxide(&mine, &["run"]));
    assert_eq!(
        String::from_utf8_lossy(&first.stdout),
        "SUCCESS: 1000 elements\n"
    );
    let said = String::from_utf8_lossy(&first.stderr);
    assert!(said.contains("Compiling the simulator (once)"), "{said}");
    let built = std::fs::read_dir(cache.join("sim")).unwrap().count();
    assert_eq!(built, 1);
    // The second run has the library, and another crate too.
    run(oxide(&user.dir, &["new", "other"]));
    for folder in ["mine", "other"] {
        let again = run(oxide(&user.dir.join(folder), &["run"]));
        assert_eq!(
            String::from_utf8_lossy(&again.stdout),
            "SUCCESS: 1000 elements\n"
        );
        let said = String::from_utf8_lossy(&again.stderr);
        assert!(!said.contains("the simulator (once)"), "{said}");
    }
    let test = run(oxide(&mine, &["test"]));
    assert!(String::from_utf8_lossy(&test.stdout).contains("1 passed"));
    let doctor = run(oxide(&mine, &["doctor"]));
    let doctor = String::from_utf8_lossy(&doctor.stdout);
    assert!(
        doctor.contains(&cache.display().to_string()) && !doctor.contains("ERROR"),
        "{doctor}"
    );
}
