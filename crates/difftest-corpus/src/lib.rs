//! Functions that must give the same bytes on the CPU and as kernels, a module for each tag.
//!
//! They are written to be mean: users of Rust GPU compilers report silent miscompiles before anything else. Each is
//! well-defined Rust without allocation, and no input makes it panic.

// The corpus says things the long way round on purpose: what clippy would have it simplified to is another test.
#![allow(clippy::all)]

use difftest::Case;

macro_rules! modules {
    ($($(#[$doc:meta])* $module:ident)*) => {
        $($(#[$doc])* pub mod $module;)*

        /// Every function of every module.
        pub fn cases() -> Vec<&'static Case> {
            let modules: &[&'static [Case]] = &[$($module::CASES),*];
            modules.iter().copied().flatten().collect()
        }
    };
}

modules! {
    checked closures drops dynamic generics ints iterators macros_made matches math memory nan niche option_ref recursion reorder
    saturation shifts slices sorting tables text
}
