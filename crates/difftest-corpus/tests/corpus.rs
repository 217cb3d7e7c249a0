//! What the corpus itself promises: enough functions, no two of one name, no panic on the CPU.

use difftest::{Gpu, Options, run};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn enough_functions_for_each_item() {
    let mut counts = BTreeMap::<_, usize>::new();
    for case in difftest_corpus::cases() {
        *counts.entry(case.tag).or_default() += 1;
    }
    let items = [
        "nan",
        "reorder",
        "niche",
        "option_ref",
        "slices",
        "ints",
        "shifts",
        "saturation",
        "checked",
        "tables",
        "drops",
        "closures",
        "iterators",
        "recursion",
        "generics",
        "macros",
    ];
    for item in items {
        assert!(
            counts.get(item).is_some_and(|count| *count >= 5),
            "{item}: {:?}",
            counts.get(item)
        );
    }
    assert!(counts.values().sum::<usize>() >= 120);
}

#[test]
fn names_are_unique() {
    let mut names = BTreeSet::new();
    for case in difftest_corpus::cases() {
        assert!(names.insert(case.name), "{} twice", case.name);
    }
}

#[test]
fn nothing_panics_on_the_cpu() {
    let options = Options {
        cpu_only: true,
        ..Options::default()
    };
    let report = run(
        difftest_corpus::cases(),
        &options,
        &mut None::<Gpu>,
        |_, _| (),
    );
    assert!(report.passed());
}
