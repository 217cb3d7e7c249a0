//! Cargo's own settings, as far as this command stands in for cargo: the files are looked at first, and cargo itself is asked only
//! where one of them speaks of the thing.

use crate::toolchain;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The text of every `.cargo/config.toml` that holds in a folder.
#[derive(Debug, Default)]
pub struct CargoConfig {
    cwd: PathBuf,
    texts: Vec<String>,
}

impl CargoConfig {
    pub fn of(cwd: &Path) -> Self {
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home =
            home.or_else(|| std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".cargo")));
        let folders = cwd.ancestors().map(|d| d.join(".cargo")).chain(home);
        let mut texts = Vec::new();
        for folder in folders {
            for name in ["config.toml", "config"] {
                if let Ok(text) = std::fs::read_to_string(folder.join(name)) {
                    texts.push(text);
                }
            }
        }
        Self {
            cwd: cwd.to_path_buf(),
            texts,
        }
    }

    /// Whether any file speaks of `word`, or may by including another.
    pub fn mentions(&self, word: &str) -> bool {
        self.texts
            .iter()
            .any(|t| t.contains(word) || t.contains("include"))
    }

    /// The value of a key such as `build.rustc-wrapper`, by cargo's rules: environment (`CARGO_BUILD_RUSTC_WRAPPER`), then the files.
    pub fn string(&self, key: &str) -> anyhow::Result<Option<String>> {
        let variable = format!("CARGO_{}", key.to_uppercase().replace(['.', '-'], "_"));
        if let Ok(value) = std::env::var(variable) {
            return Ok(Some(value).filter(|v| !v.is_empty()));
        }
        let last = key.rsplit('.').next().unwrap_or(key);
        if !self.mentions(last) {
            return Ok(None);
        }
        // `cargo config get` is not stable yet; it is asked for one string and nothing else.
        let out = Command::new(toolchain::cargo())
            .args([
                "-Zunstable-options",
                "config",
                "get",
                "--format",
                "json-value",
                key,
            ])
            .current_dir(&self.cwd)
            .env("RUSTC_BOOTSTRAP", "1")
            .output()
            .context("cannot run cargo")?;
        if !out.status.success() {
            return Ok(None);
        }
        let value: serde_json::Value = serde_json::from_slice(&out.stdout)
            .with_context(|| format!("cargo config get {key}"))?;
        Ok(value
            .as_str()
            .filter(|v| !v.is_empty())
            .map(|v| self.resolve(key, v)))
    }

    /// Paths of programs in a configuration file are relative to the folder that holds `.cargo`, if they have a slash.
    fn resolve(&self, key: &str, value: &str) -> String {
        let program = matches!(key, "build.rustc" | "build.rustc-wrapper");
        if !(program && value.contains('/') && Path::new(value).is_relative()) {
            return value.to_string();
        }
        let found = self
            .cwd
            .ancestors()
            .filter(|d| d.join(".cargo").is_dir())
            .map(|d| d.join(value))
            .find(|p| p.exists());
        found.map_or_else(|| value.to_string(), |p| p.display().to_string())
    }

    /// The user's own rustc wrapper, which ours must run in its turn.
    pub fn rustc_wrapper(&self) -> anyhow::Result<Option<String>> {
        match std::env::var("RUSTC_WRAPPER") {
            Ok(value) => Ok(Some(value).filter(|v| !v.is_empty())),
            Err(_) => self.string("build.rustc-wrapper"),
        }
    }
}
