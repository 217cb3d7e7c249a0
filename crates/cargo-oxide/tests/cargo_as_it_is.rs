//! Cargo as users have it: features, build scripts, proc-macros, flags and wrappers of their own, workspaces, renamed and re-exported
//! dependencies. Each crate tells by its kernel's own text what reached it.

mod common;

use common::User;

fn kernel(name: &str, body: &str) -> String {
    format!(
        "pub mod kernels {{\n    use cuda_device::{{DisjointSlice, kernel, thread}};\n    #[kernel]\n    pub fn {name}(mut out: DisjointSlice<u32>) {{\n        \
         if let Some(v) = out.get_mut(thread::index_1d()) {{ *v = {body}; }}\n    }}\n}}\n"
    )
}

fn manifest(name: &str, rest: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}\n[dependencies]\ncuda-device = {{ path = \"{{crates}}/cuda-device\" }}\n"
    )
}

#[test]
fn features_build_scripts_proc_macros_flags_and_wrappers() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::new("everything");
    user.file(
        "Cargo.toml",
        &(manifest(
            "t-everything",
            "[features]\ndefault = [\"seven\"]\nseven = []\nnine = []\n",
        ) + "t-macros = { path = \"macros\" }\n[workspace]\n"),
    );
    user.file("macros/Cargo.toml", "[package]\nname = \"t-macros\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[lib]\nproc-macro = true\n");
    user.file("macros/src/lib.rs", "#[proc_macro]\npub fn fifty(_: proc_macro::TokenStream) -> proc_macro::TokenStream { \"50_000\".parse().unwrap() }\n");
    // A build script that looks at the compiler as autocfg does, and must not be told that unstable features work.
    user.file(
        "build.rs",
        r##"use std::process::Command;
fn main() {
    assert!(std::env::var_os("RUSTC_BOOTSTRAP").is_none());
    let out = std::env::var("OUT_DIR").unwrap();
    std::fs::write(format!("{out}/probe.rs"), "#![feature(never_type)] fn main() {}").unwrap();
    let wrapper = std::env::var_os("RUSTC_WRAPPER").unwrap();
    let probe = Command::new(wrapper)
        .arg(std::env::var_os("RUSTC").unwrap())
        .args(["--crate-name", "probe", "--emit=metadata", "--crate-type=lib", "--target"])
        .arg(std::env::var("TARGET").unwrap())
        .args(["--out-dir", &out])
        .arg(format!("{out}/probe.rs"))
        .output()
        .unwrap();
    assert!(!probe.status.success(), "stable rustc took an unstable feature");
    std::fs::write(format!("{out}/made.rs"), "const MADE: u32 = 600_000;").unwrap();
    println!("cargo::rustc-check-cfg=cfg(from_script)\ncargo::rustc-cfg=from_script\ncargo::rustc-env=FROM_SCRIPT=1234567");
}
"##,
    );
    user.file(
        "src/main.rs",
        &(r#"include!(concat!(env!("OUT_DIR"), "/made.rs"));
const FEATURE: u32 = if cfg!(feature = "nine") { 9 } else if cfg!(feature = "seven") { 7 } else { 1 };
const SCRIPT: u32 = if cfg!(from_script) { 4_000 } else { 0 };
const FLAG: u32 = if cfg!(from_flags) { 300 } else { 0 };
const ENV: u32 = env!("FROM_SCRIPT").len() as u32 * 10_000_000;
const SUM: u32 = MADE + FEATURE + SCRIPT + FLAG + t_macros::fifty!() + ENV;
fn main() {}
"#
        .to_string()
            + &kernel("all", "super::SUM")),
    );
    user.file(
        "wrap.sh",
        "#!/bin/sh\necho \"$@\" >> \"$(dirname \"$0\")/wrapped\"\nexec \"$@\"\n",
    );
    let wrapper = user.dir.join("wrap.sh");
    std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755)).unwrap();
    user.file(".cargo/config.toml", "[build]\nrustflags = [\"--cfg\", \"from_flags\", \"--check-cfg\", \"cfg(from_flags)\"]\nrustc-wrapper = \"wrap.sh\"\n");
    // `rustc-wrapper` without a slash is looked for on PATH by cargo, so the folder is put there.
    let path = format!("{}:{}", user.dir.display(), std::env::var("PATH").unwrap());
    let env = [("PATH", path.as_str())];
    let mir = ["inspect", "--stage", "mir"];
    let plain = user.oxide_in("", &mir, &env).success();
    assert!(plain.stdout.contains("70654307_u32"), "{}", plain.stdout);
    let nine = user
        .oxide_in("", &[&mir[..], &["--features", "nine"]].concat(), &env)
        .success();
    assert!(nine.stdout.contains("70654309_u32"), "{}", nine.stdout);
    let none = user
        .oxide_in("", &[&mir[..], &["--no-default-features"]].concat(), &env)
        .success();
    assert!(none.stdout.contains("70654301_u32"), "{}", none.stdout);
    let wrapped = std::fs::read_to_string(user.dir.join("wrapped")).unwrap();
    assert!(
        wrapped.contains("--crate-name t_everything") && wrapped.contains("cuda_oxide_device"),
        "{wrapped}"
    );
    // The same wrapper by environment.
    std::fs::remove_file(user.dir.join("wrapped")).unwrap();
    user.file(".cargo/config.toml", "");
    let by_env = user
        .oxide_in("", &mir, &[("RUSTC_WRAPPER", wrapper.to_str().unwrap())])
        .success();
    assert!(by_env.stdout.contains("70654007_u32"), "{}", by_env.stdout);
    assert!(
        std::fs::read_to_string(user.dir.join("wrapped"))
            .unwrap()
            .contains("--crate-name t_everything")
    );
}

#[test]
fn a_workspace_with_libraries_renamed_and_re_exported() {
    let user = User::new("workspace");
    user.file(
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"base\", \"middle\", \"app\", \"other\"]\n",
    );
    user.file("base/Cargo.toml", &manifest("t-base", ""));
    user.file(
        "base/src/lib.rs",
        &(kernel("base", "super::seed() + 1") + "pub fn seed() -> u32 { 41_000 }\n"),
    );
    // Re-exports everything, cuda-device too, and does not say its name.
    user.file("middle/Cargo.toml", "[package]\nname = \"t-middle\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\ninner = { path = \"../base\", package = \"t-base\" }\n");
    user.file(
        "middle/src/lib.rs",
        "pub use inner as gpu;\npub fn twice(x: u32) -> u32 { x * 2 }\n",
    );
    user.file(
        "app/Cargo.toml",
        &(manifest("t-app", "")
            + "gpu-things = { path = \"../middle\", package = \"t-middle\" }\n"),
    );
    user.file(
        "app/src/main.rs",
        &("fn main() {}\n".to_string()
            + &kernel("app", "gpu_things::twice(gpu_things::gpu::seed())")),
    );
    user.file(
        "other/Cargo.toml",
        "[package]\nname = \"t-other\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    );
    user.file("other/src/main.rs", "fn main() {}\n");
    let app = user
        .oxide(&["inspect", "t-app", "--stage", "mir", "--kernel", "app"])
        .success();
    // Both calls are inlined, across three crates and two other names.
    assert!(
        app.stdout.starts_with("fn kernels::app(") && app.stdout.contains("82000_u32"),
        "{}",
        app.stdout
    );
    let base = user
        .oxide_in("base", &["inspect", "--stage", "mir"], &[])
        .success();
    assert!(
        base.stdout.starts_with("fn kernels::base(") && base.stdout.contains("41001_u32"),
        "{}",
        base.stdout
    );
    let both = user
        .oxide(&["inspect", "-p", "t-app", "--stage", "mir"])
        .success();
    assert!(
        both.stdout.contains("fn kernels::base(") && both.stdout.contains("fn kernels::app("),
        "{}",
        both.stdout
    );
    user.oxide(&["inspect", "t-app", "--kernel", "apple"])
        .fails(
            101,
            &[
                "no kernel is called `apple`",
                "t_base::kernels::base, t_app::kernels::app",
            ],
        );
    user.oxide(&["build", "-p", "t-other"])
        .fails(101, &["nothing here depends on `cuda-device`"]);
    user.oxide(&["pipeline", "t-app"])
        .fails(101, &["there are several kernels", "--kernel"]);
}

#[test]
fn checks_follow_the_profile() {
    let user = User::new("checks");
    user.file("Cargo.toml", &(manifest("t-checks", "") + "[workspace]\n"));
    user.file(
        "src/main.rs",
        &("fn main() {}\n".to_string()
            + &kernel("add", "{ debug_assert!(*v != 7654321); *v + 1 }")),
    );
    let checked = |words: &[&str]| {
        let out = user
            .oxide(&[&["inspect", "--stage", "mir"], words].concat())
            .success();
        (
            out.stdout.contains("attempt to compute `{} + {}`"),
            out.stdout.contains("7654321"),
        )
    };
    assert_eq!(checked(&[]), (true, true));
    assert_eq!(checked(&["--release"]), (false, false));
    assert_eq!(checked(&["--overflow-checks=no"]), (false, true));
    assert_eq!(checked(&["--release", "--overflow-checks"]), (true, false));
}
