//! Statics that kernels write to: each must be one thing, whichever routes its kernels take.

use std::collections::BTreeMap;

/// The paths of the statics in global memory that LLVM IR of rustc defines and that can be written to.
pub(crate) fn of_rustc(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| {
            let (symbol, rest) = line.strip_prefix('@')?.split_once(" = ")?;
            let symbol = symbol.trim_matches('"');
            // Constant memory is the host's to write.
            let kind = if rest.contains("addrspace(4)") && !rest.contains("global ") {
                "constant "
            } else {
                "global "
            };
            let (words, _) = rest.split_once(kind)?;
            let other = [
                "external",
                "addrspace(3)",
                "constant",
                "available_externally",
            ];
            let is_static =
                symbol.starts_with("_R") && !words.split_whitespace().any(|w| other.contains(&w));
            is_static.then(|| artifact::pretty(symbol))
        })
        .collect()
}

/// The first static that more than one of the groups defines, and which groups.
pub(crate) fn doubled(groups: &[Vec<String>]) -> Option<(String, Vec<usize>)> {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, group) in groups.iter().enumerate() {
        for name in group {
            let at = by_name.entry(name).or_default();
            if !at.contains(&i) {
                at.push(i);
            }
        }
    }
    by_name
        .into_iter()
        .find(|(_, at)| at.len() > 1)
        .map(|(name, at)| (name.to_string(), at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_that_are_written_to() {
        let text = "\
@_RNvNtCsabc_3app7kernels5COUNT = internal addrspace(1) global [4 x i8] zeroinitializer, align 4
@_RNvNtCsabc_3app7kernels5TABLE = internal constant [4 x i8] zeroinitializer
@_RNvNtCsabc_3app7kernels4TILE = internal addrspace(3) global [4 x i8] undef
@_RNvNtCsabc_3app7kernels5OTHER = external addrspace(1) global [4 x i8]
@_RNvNtCsabc_3app7kernels6FACTOR = addrspace(4) constant [4 x i8] zeroinitializer
@alloc_1 = private global [4 x i8] zeroinitializer
";
        assert_eq!(
            of_rustc(text),
            ["app::kernels::COUNT", "app::kernels::FACTOR"]
        );
    }

    #[test]
    fn one_in_two_groups() {
        let group = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
        let groups = [group(&["a", "b"]), group(&["c"]), group(&["b", "d"])];
        assert_eq!(doubled(&groups), Some(("b".to_string(), vec![0, 2])));
        assert_eq!(doubled(&groups[..2]), None);
        assert_eq!(doubled(&[group(&["a", "a"])]), None);
    }
}
