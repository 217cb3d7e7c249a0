//! The command line of one rustc call as cargo makes it, and what the wrapper reads from it.

use std::path::{Path, PathBuf};

/// What matters here of a rustc command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RustcArgs {
    pub crate_name: Option<String>,
    pub crate_types: Vec<String>,
    pub out_dir: Option<PathBuf>,
    pub target: Option<String>,
    pub extra_filename: String,
    /// Paths of `--extern name=path`, in order.
    pub externs: Vec<PathBuf>,
    pub test: bool,
    /// The profile's, by rustc's own rule: what is not said follows from `opt-level`.
    pub debug_assertions: bool,
    pub overflow_checks: bool,
}

/// `-C` options that the device pass decides by itself, whatever the profile or RUSTFLAGS say.
const DECIDED: &[&str] = &[
    "opt-level",
    "incremental",
    "lto",
    "linker-plugin-lto",
    "debug-assertions",
    "overflow-checks",
    "symbol-mangling-version",
    "instrument-coverage",
    "profile-generate",
    "profile-use",
    "codegen-units",
    "embed-bitcode",
    "debuginfo",
    "split-debuginfo",
    "strip",
];

/// One argument of rustc that has a value, in whichever of the forms it was written.
enum Item<'a> {
    Codegen(&'a str, Option<&'a str>),
    Long(&'a str, &'a str),
    Opt,
    Other(&'a str),
}

/// Splits a command line into items with the number of words that each takes.
fn items(args: &[String]) -> impl Iterator<Item = (std::ops::Range<usize>, Item<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let first = args.get(at)?;
        let start = at;
        at += 1;
        let value_of = |at: &mut usize| -> Option<&String> {
            let v = args.get(*at);
            *at += usize::from(v.is_some());
            v
        };
        let item = if first == "-C" || first == "--codegen" {
            match value_of(&mut at) {
                Some(v) => key_value(v),
                None => Item::Other(first),
            }
        } else if let Some(rest) = first
            .strip_prefix("--codegen=")
            .or_else(|| first.strip_prefix("-C"))
        {
            key_value(rest)
        } else if first == "-O" {
            Item::Opt
        } else if let Some(rest) = first.strip_prefix("--") {
            match rest.split_once('=') {
                Some((k, v)) => Item::Long(k, v),
                None if matches!(
                    rest,
                    "crate-name"
                        | "crate-type"
                        | "out-dir"
                        | "target"
                        | "extern"
                        | "remap-path-prefix"
                ) =>
                {
                    match value_of(&mut at) {
                        Some(v) => Item::Long(rest, v),
                        None => Item::Other(first),
                    }
                }
                None => Item::Other(first),
            }
        } else {
            Item::Other(first)
        };
        Some((start..at, item))
    })
}

fn key_value(text: &str) -> Item<'_> {
    match text.split_once('=') {
        Some((k, v)) => Item::Codegen(k, Some(v)),
        None => Item::Codegen(text, None),
    }
}

fn switch(value: Option<&str>) -> Option<bool> {
    match value {
        None | Some("y" | "yes" | "on" | "true") => Some(true),
        Some("n" | "no" | "off" | "false") => Some(false),
        Some(_) => None,
    }
}

impl RustcArgs {
    pub fn parse(args: &[String]) -> Self {
        let mut out = RustcArgs::default();
        let mut optimised = false;
        let (mut debug_assertions, mut overflow_checks) = (None, None);
        for (_, item) in items(args) {
            match item {
                Item::Long("crate-name", v) => out.crate_name = Some(v.to_string()),
                Item::Long("crate-type", v) => {
                    out.crate_types.extend(v.split(',').map(str::to_string))
                }
                Item::Long("out-dir", v) => out.out_dir = Some(PathBuf::from(v)),
                Item::Long("target", v) => out.target = Some(v.to_string()),
                Item::Long("extern", v) => {
                    if let Some((_, path)) = v.split_once('=') {
                        out.externs.push(PathBuf::from(path));
                    }
                }
                Item::Codegen("extra-filename", Some(v)) => out.extra_filename = v.to_string(),
                Item::Codegen("opt-level", v) => optimised = v.is_some_and(|v| v != "0"),
                Item::Opt => optimised = true,
                Item::Codegen("debug-assertions", v) => debug_assertions = switch(v),
                Item::Codegen("overflow-checks", v) => overflow_checks = switch(v),
                Item::Other("--test") => out.test = true,
                _ => {}
            }
        }
        out.debug_assertions = debug_assertions.unwrap_or(!optimised);
        out.overflow_checks = overflow_checks.unwrap_or(out.debug_assertions);
        out
    }

    /// `libNAME-HASH`, the stem of the files that belong to this call.
    pub fn stem(&self) -> Option<String> {
        Some(format!(
            "lib{}{}",
            self.crate_name.as_ref()?,
            self.extra_filename
        ))
    }

    /// The file beside the crate's metadata with this extension.
    pub fn beside(&self, extension: &str) -> Option<PathBuf> {
        Some(
            self.out_dir
                .as_ref()?
                .join(format!("{}.{extension}", self.stem()?)),
        )
    }
}

/// The command line without the options that the device pass decides by itself, and without what it would write.
pub fn without_decided(args: &[String]) -> Vec<String> {
    let mut out = Vec::with_capacity(args.len());
    for (range, item) in items(args) {
        let drop = match item {
            Item::Codegen(key, _) => DECIDED.contains(&key),
            Item::Opt => true,
            _ => false,
        };
        if !drop {
            out.extend_from_slice(&args[range]);
        }
    }
    out
}

/// The same without `--emit`.
pub fn without_emit(args: &[String]) -> Vec<String> {
    let mut out = Vec::with_capacity(args.len());
    for (range, item) in items(args) {
        if !matches!(item, Item::Long("emit", _)) {
            out.extend_from_slice(&args[range]);
        }
    }
    out
}

/// The pairs of `--remap-path-prefix`, in order; as in rustc, the last `=` parts them.
pub fn remapped(args: &[String]) -> Vec<(String, String)> {
    items(args)
        .filter_map(|(_, item)| match item {
            Item::Long("remap-path-prefix", v) => v.rsplit_once('='),
            _ => None,
        })
        .map(|(from, to)| (from.to_string(), to.to_string()))
        .collect()
}

/// The crate that a library file holds, by its name: `libcuda_device-0123.rmeta` → `cuda_device`.
pub fn crate_of_file(path: &Path) -> Option<&str> {
    let stem = path.file_stem()?.to_str()?.strip_prefix("lib")?;
    Some(stem.rsplit_once('-').map_or(stem, |(name, _)| name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_string).collect()
    }

    #[test]
    fn reads_what_cargo_writes() {
        let args = words(
            "--crate-name app --edition=2024 src/main.rs --crate-type bin --emit=dep-info,metadata -C opt-level=1 \
             -C extra-filename=-12ab --out-dir /t/deps --target x86_64-unknown-linux-gnu --extern dev=/t/deps/libcuda_device-9.rmeta",
        );
        let got = RustcArgs::parse(&args);
        assert_eq!(got.stem().as_deref(), Some("libapp-12ab"));
        assert_eq!(got.crate_types, ["bin"]);
        assert_eq!(got.target.as_deref(), Some("x86_64-unknown-linux-gnu"));
        assert_eq!(crate_of_file(&got.externs[0]), Some("cuda_device"));
        assert!(!got.debug_assertions && !got.overflow_checks);
    }

    #[test]
    fn remapped_prefixes() {
        let args = words("--remap-path-prefix=/a=/b --remap-path-prefix /c=d=/e -O");
        let pair = |from: &str, to: &str| (from.to_string(), to.to_string());
        assert_eq!(remapped(&args), [pair("/a", "/b"), pair("/c=d", "/e")]);
    }

    #[test]
    fn checks_follow_the_profile_and_then_the_flags() {
        let checks = |text: &str| {
            let a = RustcArgs::parse(&words(text));
            (a.debug_assertions, a.overflow_checks)
        };
        assert_eq!(checks(""), (true, true));
        assert_eq!(checks("-C opt-level=3"), (false, false));
        assert_eq!(checks("-Copt-level=3 -C debug-assertions=on"), (true, true));
        assert_eq!(
            checks("-C opt-level=3 -C overflow-checks=on"),
            (false, true)
        );
        assert_eq!(checks("-O"), (false, false));
        assert_eq!(checks("--codegen=overflow-checks=off"), (true, false));
    }

    #[test]
    fn what_the_device_pass_decides_is_left_out() {
        let args = words(
            "-C opt-level=1 -Cpanic=unwind --cfg a -C target-cpu=native --codegen incremental=/x -O --emit=metadata",
        );
        assert_eq!(
            without_decided(&args),
            words("-Cpanic=unwind --cfg a -C target-cpu=native --emit=metadata")
        );
        assert_eq!(without_emit(&words("-v --emit=metadata x")), words("-v x"));
    }
}
