//! Which kernels a crate has, read off the marks that `#[kernel]` leaves.

/// The sibling static of a kernel that is not generic.
pub(crate) const MARK: &str = "__oxide_kernel__";

/// Whether a kernel's key is meant by a name: the whole path, or its last segments.
pub fn is_named(key: &str, name: &str) -> bool {
    let (key, name) = if name.contains('<') {
        (key, name)
    } else {
        (key.split("::<").next().unwrap_or(key), name)
    };
    key == name
        || key
            .strip_suffix(name)
            .is_some_and(|rest| rest.ends_with("::"))
}

/// The keys of the kernels that are not generic: `crate::path::name` for each `static path::__oxide_kernel__name`.
pub(crate) fn marked(crate_name: &str, mir: &str) -> Vec<String> {
    let mut out = Vec::new();
    for line in mir.lines() {
        let Some(rest) = line.strip_prefix("static ") else {
            continue;
        };
        let path = rest.split(": ").next().unwrap_or(rest);
        if let Some((module, name)) = path.rsplit_once(MARK)
            && !name.is_empty()
            && (module.is_empty() || module.ends_with("::"))
        {
            out.push(format!("{crate_name}::{module}{name}"));
        }
    }
    out
}

/// The text of a function as rustc printed it: from its header to the brace that closes it in the first column.
pub(crate) fn function_text<'a>(crate_name: &str, key: &str, mir: &'a str) -> Option<&'a str> {
    let path = key.strip_prefix(crate_name)?.strip_prefix("::")?;
    let header = format!("fn {path}(");
    let start = if mir.starts_with(&header) {
        0
    } else {
        mir.find(&format!("\n{header}"))? + 1
    };
    let rest = &mir[start..];
    let end = rest.find("\n}\n").map_or(rest.len(), |e| e + 3);
    Some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert!(is_named("app::kernels::add", "add"));
        assert!(is_named("app::kernels::add", "kernels::add"));
        assert!(is_named("app::kernels::add", "app::kernels::add"));
        assert!(!is_named("app::kernels::vecadd", "add"));
        assert!(is_named(
            "app::kernels::map::<f32, app::main::{closure#0}>",
            "map"
        ));
    }

    #[test]
    fn marks() {
        let mir = "fn kernels::add() -> () {\n}\nstatic kernels::__oxide_kernel__add: cuda_device::KernelDesc = {\n}\nstatic X: u32 = {\n";
        assert_eq!(marked("app", mir), ["app::kernels::add"]);
        assert_eq!(
            function_text("app", "app::kernels::add", mir),
            Some("fn kernels::add() -> () {\n}\n")
        );
        assert_eq!(function_text("app", "app::add", mir), None);
    }
}
