//! Which packages and targets a command means, as words for cargo.

use crate::cli::{Color, KernelOptions, Selection, YesNo};
use crate::toolchain;
use anyhow::{Context, bail};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Deserialize, Debug)]
struct Metadata {
    packages: Vec<Package>,
    target_directory: PathBuf,
    workspace_root: PathBuf,
}

#[derive(Deserialize, Debug)]
struct Package {
    name: String,
    targets: Vec<Target>,
}

#[derive(Deserialize, Debug)]
struct Target {
    name: String,
    kind: Vec<String>,
}

impl Target {
    fn is(&self, kind: &str) -> bool {
        self.kind.iter().any(|k| k == kind)
    }
}

/// A workspace and the part of it that was asked for.
#[derive(Debug)]
pub struct Project {
    pub target_dir: PathBuf,
    pub selection: Selection,
    pub overflow_checks: Option<YesNo>,
}

/// What cargo is to do with the selection; `check` has other words for a few options than `run`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verb {
    Build,
    Run,
    Test,
}

impl Project {
    /// Finds the workspace of the current folder (or `--manifest-path`) and resolves a target's name in it.
    pub fn open(
        name: Option<&str>,
        mut selection: Selection,
        options: &KernelOptions,
    ) -> anyhow::Result<Self> {
        let metadata = metadata(&selection)?;
        if let Some(name) = name {
            resolve(name, &metadata, &mut selection)?;
        }
        let target_dir = match &selection.target_dir {
            Some(dir) => std::path::absolute(dir)?,
            None => metadata.target_directory,
        };
        Ok(Self {
            target_dir,
            selection,
            overflow_checks: options.overflow_checks,
        })
    }

    pub fn device_dir(&self) -> PathBuf {
        self.target_dir.join("oxide").join("device")
    }

    /// Cargo's name for the folder of the profile.
    pub fn profile_dir(&self) -> &str {
        match (self.selection.release, self.selection.profile.as_deref()) {
            (true, _) => "release",
            (_, None | Some("dev" | "test")) => "debug",
            (_, Some("bench")) => "release",
            (_, Some(other)) => other,
        }
    }

    pub fn artifacts_dir(&self) -> PathBuf {
        self.target_dir
            .join("oxide")
            .join("artifacts")
            .join(self.profile_dir())
    }

    /// Adds the words that say what to build. The device pass has a target folder of its own, which is given apart.
    pub fn cargo_args(&self, command: &mut Command, verb: Verb, device: bool) {
        let s = &self.selection;
        let mut words = |flag: &str, values: &[String]| {
            for value in values {
                command.args([flag, value]);
            }
        };
        words("--package", &s.package);
        words("--bin", &s.bin);
        words("--example", &s.example);
        words("--features", &s.features);
        for (set, flag) in [
            (s.workspace, "--workspace"),
            (s.lib, "--lib"),
            (s.all_features, "--all-features"),
            (s.no_default_features, "--no-default-features"),
            (s.release, "--release"),
            (s.locked, "--locked"),
            (s.offline, "--offline"),
            (s.frozen, "--frozen"),
            (s.quiet, "--quiet"),
        ] {
            if set {
                command.arg(flag);
            }
        }
        let targets_named = s.lib || !s.bin.is_empty() || !s.example.is_empty();
        if verb == Verb::Test && device && !targets_named {
            // What `cargo test` builds.
            command.args(["--tests", "--bins", "--examples"]);
        }
        for (flag, value) in [("--profile", &s.profile), ("--jobs", &s.jobs)] {
            if let Some(value) = value {
                command.args([flag, value]);
            }
        }
        if let Some(path) = &s.manifest_path {
            command.arg("--manifest-path").arg(path);
        }
        if let Some(color) = s.color {
            command.args(["--color", color_word(color)]);
        }
        // Once is ours; twice is cargo's own verbosity as well.
        for _ in 1..s.verbose {
            command.arg("--verbose");
        }
        if let Some(checks) = self.overflow_checks
            && device
        {
            let profile = match (s.release, s.profile.as_deref()) {
                (true, _) => "release",
                (_, Some(p)) => p,
                _ => "dev",
            };
            command.arg("--config").arg(format!(
                "profile.{profile}.overflow-checks={}",
                checks == YesNo::Yes
            ));
        }
        if !device && let Some(dir) = &s.target_dir {
            command.arg("--target-dir").arg(dir);
        }
    }
}

pub fn color_word(color: Color) -> &'static str {
    match color {
        Color::Auto => "auto",
        Color::Always => "always",
        Color::Never => "never",
    }
}

fn metadata(selection: &Selection) -> anyhow::Result<Metadata> {
    let mut command = Command::new(toolchain::cargo());
    command.args(["metadata", "--no-deps", "--format-version", "1", "--quiet"]);
    if let Some(path) = &selection.manifest_path {
        command.arg("--manifest-path").arg(path);
    }
    if let Some(color) = selection.color {
        command.args(["--color", color_word(color)]);
    }
    let out = command
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    if !out.status.success() {
        // Cargo has said why.
        bail!(crate::Said);
    }
    serde_json::from_slice(&out.stdout).context("cannot read what `cargo metadata` printed")
}

/// A name is a workspace member, else a binary, else an example.
fn resolve(name: &str, metadata: &Metadata, selection: &mut Selection) -> anyhow::Result<()> {
    let packages = &metadata.packages;
    if packages.iter().any(|p| p.name == name) {
        selection.package.push(name.to_string());
        return Ok(());
    }
    let holders = |kind: &'static str| {
        packages
            .iter()
            .filter(move |p| p.targets.iter().any(|t| t.is(kind) && t.name == name))
    };
    for kind in ["bin", "example"] {
        let mut found = holders(kind);
        let Some(first) = found.next() else { continue };
        if let Some(second) = found.next()
            && selection.package.is_empty()
        {
            bail!(
                "`{name}` is a {kind} of both `{}` and `{}`\n  help: say which with --package",
                first.name,
                second.name
            );
        }
        if selection.package.is_empty() {
            selection.package.push(first.name.clone());
        }
        match kind {
            "bin" => selection.bin.push(name.to_string()),
            _ => selection.example.push(name.to_string()),
        }
        return Ok(());
    }
    let mut names: Vec<&str> = packages
        .iter()
        .flat_map(|p| {
            p.targets
                .iter()
                .filter(|t| t.is("bin") || t.is("example"))
                .map(|t| t.name.as_str())
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    let near = names
        .iter()
        .copied()
        .map(|n| (distance(name, n), n))
        .min()
        .filter(|(d, n)| *d <= 1 + n.len() / 4);
    let help = match near {
        Some((_, near)) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "there is no binary and no example here".to_string(),
        None => format!("there are: {}", names.join(", ")),
    };
    bail!(
        "no package, binary or example is called `{name}` in {}\n  help: {help}",
        metadata.workspace_root.display()
    )
}

/// Edits from one word to another.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, cb) in b.iter().enumerate() {
            let changed = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The target folder alone, for `clean` and `doctor`.
pub fn target_dir(manifest_path: Option<&Path>) -> anyhow::Result<PathBuf> {
    let selection = Selection {
        manifest_path: manifest_path.map(Path::to_path_buf),
        ..Selection::default()
    };
    Ok(metadata(&selection)?.target_directory)
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn near_words() {
        assert_eq!(distance("vecad", "vecadd"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("saxpy", "saxpy"), 0);
    }
}
