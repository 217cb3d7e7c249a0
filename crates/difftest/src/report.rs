//! What a run found, for people and as JSON.

use crate::Case;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a run found.
#[derive(Debug)]
pub struct Report {
    /// The seed of the random inputs.
    pub seed: u64,
    /// One for each case that was run.
    pub outcomes: Vec<Outcome>,
}

/// What one case did.
#[derive(Debug)]
pub struct Outcome {
    /// The case's tag.
    pub tag: &'static str,
    /// The case's name.
    pub name: &'static str,
    /// How many inputs it was tried on.
    pub inputs: usize,
    /// Whether both sides agree.
    pub verdict: Verdict,
}

/// Whether both sides of a case agree.
#[derive(Debug)]
pub enum Verdict {
    /// Every output is the same.
    Agrees,
    /// Only the CPU's side was asked for.
    CpuOnly,
    /// These are not.
    Differs(Vec<Difference>),
    /// The kernel gave no outputs.
    Failed(String),
}

/// One input whose outputs differ.
#[derive(Debug)]
pub struct Difference {
    /// Its place among the case's inputs.
    pub index: usize,
    /// Its words.
    pub input: Vec<u32>,
    /// What the CPU made of it.
    pub cpu: Vec<u32>,
    /// What the kernel made of it.
    pub kernel: Vec<u32>,
}

fn words(words: &[u32]) -> String {
    words
        .iter()
        .map(|word| format!("{word:08x}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The words of an input by argument: `x: f32 = 7fc00000, y: [u8; 2] = 00000001 00000002`.
fn input(case: &Case, mut rest: &[u32]) -> String {
    let mut text = Vec::new();
    for arg in case.args {
        let (own, others) = rest.split_at(arg.words.min(rest.len()));
        rest = others;
        text.push(format!("{}: {} = {}", arg.name, arg.ty, words(own)));
    }
    text.join(", ")
}

impl Outcome {
    /// Nothing for agreement, else what is wrong, how many inputs are, the first `most` of them, and how to see it again.
    pub fn describe(&self, case: &Case, seed: u64, most: usize) -> String {
        let mut text = String::new();
        match &self.verdict {
            Verdict::Agrees | Verdict::CpuOnly => return text,
            Verdict::Failed(error) => {
                let _ = writeln!(
                    text,
                    "FAILED {}::{}: {}",
                    self.tag,
                    self.name,
                    error.trim_end().replace('\n', "\n    ")
                );
            }
            Verdict::Differs(differences) => {
                let _ = writeln!(
                    text,
                    "DIFFERS {}::{}: {} of {} inputs",
                    self.tag,
                    self.name,
                    differences.len(),
                    self.inputs
                );
                for difference in differences.iter().take(most) {
                    let _ = writeln!(
                        text,
                        "    input {}: {}",
                        difference.index,
                        input(case, &difference.input)
                    );
                    let _ = writeln!(text, "        cpu    {}", words(&difference.cpu));
                    let _ = writeln!(text, "        kernel {}", words(&difference.kernel));
                }
            }
        }
        let _ = writeln!(text, "    again: --only {} --seed {seed}", self.name);
        text
    }
}

/// How many cases of a tag went which way.
#[derive(Default)]
struct Tally {
    functions: usize,
    inputs: usize,
    agree: usize,
    differ: usize,
    failed: usize,
}

impl Report {
    /// Whether something was run and all of it agrees.
    pub fn passed(&self) -> bool {
        !self.outcomes.is_empty()
            && self
                .outcomes
                .iter()
                .all(|outcome| matches!(outcome.verdict, Verdict::Agrees | Verdict::CpuOnly))
    }

    fn tallies(&self) -> BTreeMap<&'static str, Tally> {
        let mut tallies = BTreeMap::<_, Tally>::new();
        for outcome in &self.outcomes {
            for tag in [outcome.tag, "total"] {
                let tally = tallies.entry(tag).or_default();
                tally.functions += 1;
                tally.inputs += outcome.inputs;
                match outcome.verdict {
                    Verdict::Agrees => tally.agree += 1,
                    Verdict::CpuOnly => {}
                    Verdict::Differs(_) => tally.differ += 1,
                    Verdict::Failed(_) => tally.failed += 1,
                }
            }
        }
        tallies
    }

    /// One line for each tag, and one for all.
    pub fn tally(&self) -> String {
        let mut tallies = self.tallies();
        let total = tallies.remove("total");
        let mut text = format!(
            "{:<12} {:>9} {:>9} {:>7} {:>7} {:>7}\n",
            "tag", "functions", "inputs", "agree", "differ", "failed"
        );
        for (tag, tally) in tallies
            .into_iter()
            .chain(total.map(|total| ("total", total)))
        {
            let Tally {
                functions,
                inputs,
                agree,
                differ,
                failed,
            } = tally;
            let _ = writeln!(
                text,
                "{tag:<12} {functions:>9} {inputs:>9} {agree:>7} {differ:>7} {failed:>7}"
            );
        }
        text
    }

    /// The whole report: every case, and each difference of it.
    pub fn json(&self) -> String {
        let cases: Vec<_> = self
            .outcomes
            .iter()
            .map(|outcome| {
                let (verdict, detail) = match &outcome.verdict {
                    Verdict::Agrees => ("agrees", String::new()),
                    Verdict::CpuOnly => ("cpu-only", String::new()),
                    Verdict::Failed(error) => ("failed", format!(r#","error":{}"#, string(error))),
                    Verdict::Differs(differences) => {
                        let differences: Vec<_> = differences
                            .iter()
                            .map(|Difference { index, input, cpu, kernel }| {
                                format!(r#"{{"index":{index},"input":{input:?},"cpu":{cpu:?},"kernel":{kernel:?}}}"#)
                            })
                            .collect();
                        ("differs", format!(r#","differences":[{}]"#, differences.join(",")))
                    }
                };
                let Outcome { tag, name, inputs, .. } = outcome;
                format!(r#"{{"tag":"{tag}","name":"{name}","inputs":{inputs},"verdict":"{verdict}"{detail}}}"#)
            })
            .collect();
        format!(
            "{{\"seed\":{},\"passed\":{},\"cases\":[\n{}\n]}}\n",
            self.seed,
            self.passed(),
            cases.join(",\n")
        )
    }
}

/// `text` as a JSON string.
fn string(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let difference = Difference {
            index: 3,
            input: vec![1, 2],
            cpu: vec![3],
            kernel: vec![4],
        };
        let outcome = |name, verdict| Outcome {
            tag: "nan",
            name,
            inputs: 10,
            verdict,
        };
        Report {
            seed: 7,
            outcomes: vec![
                outcome("good", Verdict::Agrees),
                outcome("bad", Verdict::Differs(vec![difference])),
                outcome("ugly", Verdict::Failed("line \"1\"\nline 2".to_owned())),
            ],
        }
    }

    #[test]
    fn a_tally_counts_every_verdict() {
        let tally = report().tally();
        let last: Vec<_> = tally.lines().last().unwrap().split_whitespace().collect();
        assert_eq!(last, ["total", "3", "30", "1", "1", "1"]);
    }

    #[test]
    fn json_holds_inputs_and_both_outputs() {
        let json = report().json();
        assert!(
            json.contains(r#""differences":[{"index":3,"input":[1, 2],"cpu":[3],"kernel":[4]}]"#),
            "{json}"
        );
        assert!(json.contains(r#""error":"line \"1\"\nline 2""#), "{json}");
        assert!(json.contains(r#""passed":false"#), "{json}");
    }

    #[test]
    fn nothing_run_is_no_pass() {
        assert!(
            !Report {
                seed: 1,
                outcomes: Vec::new()
            }
            .passed()
        );
    }
}
