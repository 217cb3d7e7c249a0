//! `cargo oxide new`: a crate with a kernel, a check of its result, and a test.

use crate::{cli::NewArgs, files, simulator, toolchain};
use anyhow::{Context, bail};
use std::path::Path;

const MAIN: &str = include_str!("../template/main.rs.txt");
const README: &str = include_str!("../template/README.md.txt");
const MANIFEST: &str = include_str!("../template/Cargo.toml.txt");

/// Names that cargo or rustc would refuse, or that would shadow what the crate needs.
const RESERVED: &[&str] = &[
    "test",
    "core",
    "std",
    "alloc",
    "proc_macro",
    "proc-macro",
    "cuda-core",
    "cuda_core",
    "cuda-device",
    "cuda_device",
    "self",
    "crate",
    "super",
];
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

fn check_name(name: &str) -> anyhow::Result<()> {
    let help = "a package name is letters, digits, `-` and `_`, and does not start with a digit; --name gives one that is not the folder's";
    let first = name.chars().next();
    let bad = name
        .chars()
        .find(|c| !(c.is_ascii_alphanumeric() || *c == '-' || *c == '_'));
    let why = match (first, bad) {
        (None, _) => "is empty".to_string(),
        (_, Some(c)) => format!("has the character `{c}` in it"),
        (Some(c), _) if c.is_ascii_digit() => "starts with a digit".to_string(),
        (Some('-'), _) => "starts with `-`".to_string(),
        _ if RESERVED.contains(&name) => {
            "is taken by a crate that every kernel crate uses".to_string()
        }
        _ if KEYWORDS.contains(&name) => "is a keyword of Rust".to_string(),
        _ => return Ok(()),
    };
    bail!("the name `{name}` cannot be a package's: it {why}\n  help: {help}")
}

/// Makes the crate, whole or not at all.
pub fn run(args: &NewArgs) -> anyhow::Result<()> {
    let path = &args.path;
    let folder = path
        .file_name()
        .and_then(|n| n.to_str())
        .context("the folder has no name")?;
    let name = args.name.as_deref().unwrap_or(folder);
    check_name(name)?;
    if path.exists() {
        bail!(
            "`{}` is there already\n  help: give another name, or remove it",
            path.display()
        );
    }
    let crates = simulator::crates_dir();
    for needed in ["cuda-core", "cuda-device"] {
        if !crates.join(needed).join("Cargo.toml").is_file() {
            bail!(
                "the repository that this cargo-oxide was built from is gone: {} is not there\n  help: install it again from a clone",
                crates.join(needed).display()
            );
        }
    }
    let parent = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    let temporary = parent.join(format!(".{folder}.{}", std::process::id()));
    let result = fill(&temporary, name, &crates).and_then(|()| {
        std::fs::rename(&temporary, path).with_context(|| format!("cannot make {}", path.display()))
    });
    if result.is_err() {
        let _ = std::fs::remove_dir_all(&temporary);
    }
    result?;
    crate::progress("Created", &format!("`{name}` package"));
    crate::progress("Next", &format!("cd {} && cargo oxide run", path.display()));
    Ok(())
}

fn fill(dir: &Path, name: &str, crates: &Path) -> anyhow::Result<()> {
    let crate_name = name.replace('-', "_");
    let set = |text: &str| {
        text.replace("{{name}}", name)
            .replace("{{crate}}", &crate_name)
            .replace(
                "{{crates}}",
                &crates
                    .display()
                    .to_string()
                    .replace('\\', "\\\\")
                    .replace('"', "\\\""),
            )
            .replace("{{channel}}", toolchain::SUPPORTED)
    };
    let write = |file: &str, text: &str| files::write_atomic(&dir.join(file), set(text).as_bytes());
    write("Cargo.toml", MANIFEST)?;
    write("README.md", README)?;
    write("src/main.rs", MAIN)?;
    write(".gitignore", "/target\n")?;
    write(
        "rust-toolchain.toml",
        "# Kernels are compiled by this very toolchain: rustc prints the MIR and carries the LLVM.\n[toolchain]\nchannel = \"{{channel}}\"\n",
    )
}

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn names() {
        for good in ["mine", "my-kernels", "a_1"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "1st", "a b", "core", "fn", "cuda-core", "-x", "ä"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
