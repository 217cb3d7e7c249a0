//! Under which name the user's crate knows a package: its manifest says, also when the dependency is renamed.

use proc_macro2::TokenStream;
use quote::quote;
use std::path::Path;

/// The path of `cuda_device` in the user's crate.
pub fn device() -> TokenStream {
    known("cuda-device").unwrap_or_else(|| quote!(::cuda_device))
}

/// The path of `cuda_core` in the user's crate; through `cuda_host` where only that is a dependency.
pub fn core() -> TokenStream {
    if let Some(core) = known("cuda-core") {
        return core;
    }
    match known("cuda-host") {
        Some(host) => quote!(#host::cuda_core),
        None => quote!(::cuda_core),
    }
}

/// A crate with `DeviceCopy`: `cuda_device`, or `cuda_core` in a crate with host code alone.
pub fn trait_crate() -> TokenStream {
    known("cuda-device").unwrap_or_else(core)
}

fn known(package: &str) -> Option<TokenStream> {
    let dir = std::env::var_os("CARGO_MANIFEST_DIR")?;
    let dir = Path::new(&dir);
    if std::env::var("CARGO_PKG_NAME").is_ok_and(|name| name == package)
        && std::env::var("CARGO_CRATE_NAME").is_ok_and(|name| name == package.replace('-', "_"))
    {
        return Some(quote!(crate));
    }
    let manifest = std::fs::read_to_string(dir.join("Cargo.toml")).ok()?;
    let own = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    let name = dependency(&manifest, package, |key| workspace_package(dir, key));
    // A test or an example of the package itself sees the library under its own name.
    let name = name.or_else(|| (own == package).then(|| package.to_owned()))?;
    let ident = quote::format_ident!("{}", name.replace('-', "_"));
    Some(quote!(::#ident))
}

/// The key under which a manifest has `package` among its dependencies.
fn dependency(
    manifest: &str,
    package: &str,
    inherited: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let mut found = None;
    each_dependency(manifest, "dependencies", |key, value| {
        let renamed = string_of(value, "package");
        let renamed = renamed.or_else(|| {
            if mentions(value, "workspace") {
                inherited(key)
            } else {
                None
            }
        });
        if renamed.as_deref().unwrap_or(key) == package && found.is_none() {
            found = Some(key.to_owned());
        }
    });
    found
}

/// `package = "…"` of a key of `[workspace.dependencies]` in the manifest above.
fn workspace_package(dir: &Path, key: &str) -> Option<String> {
    for dir in dir.ancestors() {
        let Ok(manifest) = std::fs::read_to_string(dir.join("Cargo.toml")) else {
            continue;
        };
        if !manifest.contains("[workspace") {
            continue;
        }
        let mut package = None;
        each_dependency(&manifest, "workspace.dependencies", |k, value| {
            if k == key {
                package = string_of(value, "package");
            }
        });
        return package;
    }
    None
}

/// Calls `f` with key and value of each dependency: `key = …`, `key.field = …` and `[dependencies.key]` tables. Enough of
/// TOML for that; what it does not understand it passes over, and the default name is used.
fn each_dependency(manifest: &str, kind: &str, mut f: impl FnMut(&str, &str)) {
    let mut section = String::new();
    for line in manifest.lines() {
        let line = line.split(" #").next().unwrap_or(line).trim();
        if let Some(name) = line.strip_prefix('[') {
            section = name
                .trim_start_matches('[')
                .trim_end_matches(']')
                .trim()
                .to_owned();
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let (key, value) = (key.trim().trim_matches('"'), value.trim());
        if is_table(&section, kind) {
            match key.split_once('.') {
                Some((key, field)) => f(key, &format!("{{ {field} = {value} }}")),
                None => f(key, value),
            }
        } else if let Some((table, name)) = section.rsplit_once('.')
            && is_table(table, kind)
        {
            f(name.trim_matches('"'), &format!("{{ {key} = {value} }}"));
        }
    }
}

fn is_table(section: &str, kind: &str) -> bool {
    if kind == "workspace.dependencies" {
        return section == kind;
    }
    let last = section.rsplit('.').next().unwrap_or(section);
    !section.starts_with("workspace") && matches!(last, "dependencies" | "dev-dependencies")
}

fn mentions(value: &str, field: &str) -> bool {
    value.contains(field)
}

/// `field = "…"` in an inline table.
fn string_of(value: &str, field: &str) -> Option<String> {
    let rest = &value[value.find(field)? + field.len()..];
    let rest = rest
        .trim_start()
        .strip_prefix('=')?
        .trim_start()
        .strip_prefix('"')?;
    Some(rest[..rest.find('"')?].to_owned())
}

#[cfg(test)]
mod tests {
    use super::dependency;

    fn name(manifest: &str) -> Option<String> {
        dependency(manifest, "cuda-core", |key| {
            (key == "inherited").then(|| "cuda-core".to_owned())
        })
    }

    #[test]
    fn finds_names() {
        assert_eq!(
            name("[dependencies]\ncuda-core = \"0.1\"\n").as_deref(),
            Some("cuda-core")
        );
        assert_eq!(
            name("[dependencies]\ncuda-core.workspace = true\n").as_deref(),
            Some("cuda-core")
        );
        assert_eq!(
            name("[dev-dependencies]\nhost = { package = \"cuda-core\", path = \"x\" }\n")
                .as_deref(),
            Some("host")
        );
        assert_eq!(
            name("[dependencies.host]\npackage = \"cuda-core\"\n").as_deref(),
            Some("host")
        );
        assert_eq!(
            name("[target.'cfg(unix)'.dependencies]\nhost = { package = \"cuda-core\" } # why\n")
                .as_deref(),
            Some("host")
        );
        assert_eq!(
            name("[dependencies]\ninherited = { workspace = true }\n").as_deref(),
            Some("inherited")
        );
        assert_eq!(
            name("[dependencies]\ncuda-corex = \"1\"\n[features]\ncuda-core = []\n"),
            None
        );
    }
}
