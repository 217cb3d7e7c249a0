//! Runs cases on both sides and compares.

use crate::report::{Difference, Outcome, Report, Verdict};
use crate::rng::Rng;
use crate::{Case, Options};

/// Where kernels run.
pub trait Backend {
    /// The outputs of `count` inputs, one after the other, or why there are none.
    fn run(&mut self, case: &Case, inputs: &[u32], count: usize) -> Result<Vec<u32>, String>;
}

/// The inputs of `case`, one after the other, and how many they are.
pub fn inputs(case: &Case, options: &Options) -> (Vec<u32>, usize) {
    let edges: Vec<_> = case.args.iter().map(|arg| (arg.edges)()).collect();
    let all: u64 = edges.iter().map(|edges| edges.len() as u64).product();
    let mut rng = Rng::new(options.seed, case.name);
    let mut words = Vec::new();
    let mut count = 0;
    let mut push_combination = |mut index: u64| {
        for edges in &edges {
            words.extend(&edges[(index % edges.len() as u64) as usize]);
            index /= edges.len() as u64;
        }
        count += 1;
    };
    if all <= options.edges as u64 {
        (0..all).for_each(&mut push_combination);
    } else {
        (0..options.edges).for_each(|_| push_combination(rng.below(all)));
    }
    for _ in 0..options.random {
        for arg in case.args {
            words.extend((arg.random)(&mut rng));
        }
        count += 1;
    }
    (words, count)
}

/// Runs one case on both sides.
pub fn run_case(case: &Case, options: &Options, backend: &mut dyn Backend) -> Outcome {
    let (inputs, count) = inputs(case, options);
    let width = case.output_words;
    let mut expected = vec![0; count * width];
    for (input, output) in inputs
        .chunks(case.input_words())
        .zip(expected.chunks_mut(width))
    {
        (case.cpu)(input, output);
    }
    let verdict = if options.cpu_only {
        Verdict::CpuOnly
    } else {
        match backend.run(case, &inputs, count) {
            Err(error) => Verdict::Failed(error),
            Ok(got) if got.len() != expected.len() => Verdict::Failed(format!(
                "{} words of output instead of {}",
                got.len(),
                expected.len()
            )),
            Ok(got) => {
                let differences: Vec<_> = (0..count)
                    .filter(|i| expected[i * width..][..width] != got[i * width..][..width])
                    .map(|i| Difference {
                        index: i,
                        input: inputs[i * case.input_words()..][..case.input_words()].to_vec(),
                        cpu: expected[i * width..][..width].to_vec(),
                        kernel: got[i * width..][..width].to_vec(),
                    })
                    .collect();
                if differences.is_empty() {
                    Verdict::Agrees
                } else {
                    Verdict::Differs(differences)
                }
            }
        }
    };
    Outcome {
        tag: case.tag,
        name: case.name,
        inputs: count,
        verdict,
    }
}

/// Runs the cases that `options` selects, telling `progress` of each.
pub fn run<'a>(
    cases: impl IntoIterator<Item = &'a Case>,
    options: &Options,
    backend: &mut dyn Backend,
    mut progress: impl FnMut(&Case, &Outcome),
) -> Report {
    let mut outcomes = Vec::new();
    for case in cases {
        if options.selects(case) {
            let outcome = run_case(case, options, backend);
            progress(case, &outcome);
            outcomes.push(outcome);
        }
    }
    Report {
        seed: options.seed,
        outcomes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arg;

    const CASE: Case = Case {
        tag: "test",
        name: "add",
        args: &[Arg::new::<u32>("x", "u32"), Arg::new::<u8>("y", "u8")],
        output_words: 1,
        cpu: |input, output| output[0] = input[0].wrapping_add(input[1]),
        launch: |_, _, _, _| unreachable!("these tests have backends of their own"),
    };

    struct Faulty(fn(usize, u32) -> u32);

    impl Backend for Faulty {
        fn run(&mut self, case: &Case, inputs: &[u32], count: usize) -> Result<Vec<u32>, String> {
            let mut outputs = vec![0; count];
            for (i, (input, output)) in inputs.chunks(2).zip(outputs.chunks_mut(1)).enumerate() {
                (case.cpu)(input, output);
                output[0] = self.0(i, output[0]);
            }
            Ok(outputs)
        }
    }

    #[test]
    fn equal_outputs_agree() {
        let outcome = run_case(&CASE, &Options::default(), &mut Faulty(|_, word| word));
        assert!(matches!(outcome.verdict, Verdict::Agrees));
        assert!(outcome.inputs > 400);
    }

    #[test]
    fn one_bit_in_one_output_is_found_and_shown() {
        let outcome = run_case(
            &CASE,
            &Options::default(),
            &mut Faulty(|i, word| word ^ u32::from(i == 33) << 31),
        );
        let Verdict::Differs(differences) = outcome.verdict else {
            panic!("{:?}", outcome.verdict)
        };
        let [difference] = &differences[..] else {
            panic!("{differences:?}")
        };
        assert_eq!(difference.index, 33);
        assert_eq!(difference.cpu[0] ^ difference.kernel[0], 1 << 31);
        assert_eq!(
            difference.input[0].wrapping_add(difference.input[1]),
            difference.cpu[0]
        );
    }

    #[test]
    fn missing_outputs_and_errors_are_failures() {
        struct Short;
        impl Backend for Short {
            fn run(&mut self, _: &Case, _: &[u32], count: usize) -> Result<Vec<u32>, String> {
                Ok(vec![0; count - 1])
            }
        }
        struct Broken;
        impl Backend for Broken {
            fn run(&mut self, _: &Case, _: &[u32], _: usize) -> Result<Vec<u32>, String> {
                Err("no module".to_owned())
            }
        }
        for backend in [&mut Short as &mut dyn Backend, &mut Broken] {
            let report = run([&CASE], &Options::default(), backend, |_, _| ());
            assert!(matches!(report.outcomes[0].verdict, Verdict::Failed(_)));
            assert!(!report.passed());
        }
    }

    #[test]
    fn inputs_follow_from_seed_and_name() {
        let options = Options::default();
        assert_eq!(inputs(&CASE, &options), inputs(&CASE, &options));
        let other = Options {
            seed: 2,
            ..Options::default()
        };
        assert_ne!(inputs(&CASE, &options), inputs(&CASE, &other));
    }
}
