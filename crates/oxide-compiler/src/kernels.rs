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

/// The end, as line and column, of the shortest range in the MIR's comments that begins at a place.
pub(crate) fn shortest_range(mir: &str, file: &str, line: u32, col: u32) -> Option<(u32, u32)> {
    let key = format!("{file}:{line}:{col}: ");
    // `src/a.rs` is also how the name of another crate's file ends.
    let whole = mir
        .match_indices(&key)
        .filter(|(at, _)| mir[..*at].ends_with(' '));
    let ends = whole.filter_map(|(at, _)| {
        let rest = &mir[at + key.len()..];
        let number = |text: &str| -> Option<u32> {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            text[..digits].parse().ok()
        };
        let (end_line, after) = (number(rest)?, rest.split_once(':')?.1);
        Some((end_line, number(after)?))
    });
    ends.filter(|end| *end > (line, col)).min()
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
    fn ranges() {
        let mir = "_1 = f(); // scope 0 at src/a.rs:3:9: 3:20\n_2 = _1; // scope 0 at src/a.rs:3:9: 3:12\n_3 = (); // at src/a.rs:3:9: 3:9";
        assert_eq!(shortest_range(mir, "src/a.rs", 3, 9), Some((3, 12)));
        assert_eq!(shortest_range(mir, "src/a.rs", 3, 1), None);
        assert_eq!(shortest_range(mir, "a.rs", 3, 9), None);
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
