//! One Rust function on the CPU and as a kernel: the bytes must agree.
//!
//! A corpus crate lists functions in [`diff!`]; each becomes an ordinary function, a kernel with one thread for each input,
//! and a [`Case`]. [`command`] is the `main` of such a crate.

mod command;
mod device;
pub mod domain;
mod macros;
mod report;
pub mod rng;
mod runner;
pub mod words;

pub use command::{Options, command};
pub use device::{Gpu, Launch};
pub use report::{Difference, Outcome, Report, Verdict};
pub use runner::{Backend, run, run_case};

/// One function of a corpus.
pub struct Case {
    /// The list item it stands for, such as `nan`.
    pub tag: &'static str,
    /// The function's name, unique in its corpus.
    pub name: &'static str,
    /// Its arguments in order.
    pub args: &'static [Arg],
    /// Words of one result.
    pub output_words: usize,
    /// The function itself, from the words of one input to the words of its result.
    pub cpu: fn(&[u32], &mut [u32]),
    /// The kernel of the same function.
    pub launch: Launch,
}

impl Case {
    /// Words of one input.
    pub fn input_words(&self) -> usize {
        self.args.iter().map(|arg| arg.words).sum()
    }
}

/// One argument of a [`Case`].
pub struct Arg {
    /// Its name in the source.
    pub name: &'static str,
    /// Its type in the source.
    pub ty: &'static str,
    /// How many words it takes.
    pub words: usize,
    /// The values that break things.
    pub edges: fn() -> Vec<Vec<u32>>,
    /// Any value.
    pub random: fn(&mut rng::Rng) -> Vec<u32>,
}

impl Arg {
    /// The argument called `name` of type `T`, whose source text is `ty`.
    pub const fn new<T: words::Input + domain::Domain>(
        name: &'static str,
        ty: &'static str,
    ) -> Self {
        Arg {
            name,
            ty,
            words: T::WORDS,
            edges: T::edges,
            random: T::random,
        }
    }
}
