//! The command line of a corpus.

use crate::{Case, Gpu, run};
use std::process::ExitCode;

const HELP: &str = "\
Runs each function of the corpus on the CPU and as a kernel and compares the outputs.

    --only NAME     the functions of this name (may be given more than once)
    --filter TEXT   the functions whose `tag::name` holds TEXT
    --tag TAG       the functions of this tag (may be given more than once)
    --seed N        seed of the random inputs (default 1)
    --random N      random inputs for each function (default 200)
    --edges N       at most so many combinations of edge values (default 1000)
    --show N        differences shown for each function (default 3)
    --json FILE     also write the whole report there
    --cpu-only      run the CPU's side alone
    --list          list the functions
";

/// What to run and how.
#[derive(Debug)]
pub struct Options {
    /// Names; empty means all.
    pub only: Vec<String>,
    /// Tags; empty means all.
    pub tags: Vec<String>,
    /// A part of `tag::name`.
    pub filter: Option<String>,
    /// Seed of the random inputs.
    pub seed: u64,
    /// Random inputs for each function.
    pub random: usize,
    /// At most so many combinations of edge values.
    pub edges: usize,
    /// Differences shown for each function.
    pub show: usize,
    /// Where the JSON goes.
    pub json: Option<String>,
    /// No kernels.
    pub cpu_only: bool,
    /// Names only.
    pub list: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            only: Vec::new(),
            tags: Vec::new(),
            filter: None,
            seed: 1,
            random: 200,
            edges: 1000,
            show: 3,
            json: None,
            cpu_only: false,
            list: false,
        }
    }
}

impl Options {
    /// Reads a command line without the program's name. `None` stands for a request for help.
    pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Option<Self>, String> {
        fn number<T: std::str::FromStr>(flag: &str, text: String) -> Result<T, String> {
            text.parse()
                .map_err(|_| format!("`{flag}` takes a number, not `{text}`"))
        }
        let mut options = Options::default();
        let mut args = args.into_iter();
        while let Some(flag) = args.next() {
            let mut value = || args.next().ok_or(format!("`{flag}` takes a value"));
            match flag.as_str() {
                "--only" => options.only.push(value()?),
                "--tag" => options.tags.push(value()?),
                "--filter" => options.filter = Some(value()?),
                "--seed" => options.seed = number(&flag, value()?)?,
                "--random" => options.random = number(&flag, value()?)?,
                "--edges" => options.edges = number(&flag, value()?)?,
                "--show" => options.show = number(&flag, value()?)?,
                "--json" => options.json = Some(value()?),
                "--cpu-only" => options.cpu_only = true,
                "--list" => options.list = true,
                "--help" | "-h" => return Ok(None),
                _ => return Err(format!("unknown argument `{flag}`")),
            }
        }
        Ok(Some(options))
    }

    /// Whether `case` is to be run.
    pub fn selects(&self, case: &Case) -> bool {
        (self.only.is_empty() || self.only.iter().any(|name| name == case.name))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| tag == case.tag))
            && self
                .filter
                .as_ref()
                .is_none_or(|filter| format!("{}::{}", case.tag, case.name).contains(filter))
    }
}

/// The `main` of a corpus: 0 when all agree, 1 when not, 2 for a wrong command line.
pub fn command(cases: &[&Case]) -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("error: {error}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    if let Some(name) = options
        .only
        .iter()
        .find(|name| !cases.iter().any(|case| case.name == name.as_str()))
    {
        eprintln!("error: no function is called `{name}`; `--list` lists them");
        return ExitCode::from(2);
    }
    if !cases.iter().any(|case| options.selects(case)) {
        eprintln!("error: no function is selected; `--list` lists them");
        return ExitCode::from(2);
    }
    if options.list {
        for case in cases.iter().filter(|case| options.selects(case)) {
            println!("{}::{}", case.tag, case.name);
        }
        return ExitCode::SUCCESS;
    }
    let mut gpu = None::<Gpu>;
    let report = run(
        cases.iter().copied(),
        &options,
        &mut gpu,
        |case, outcome| {
            print!("{}", outcome.describe(case, options.seed, options.show));
        },
    );
    print!("{}", report.tally());
    if let Some(path) = &options.json
        && let Err(error) = std::fs::write(path, report.json())
    {
        eprintln!("error: {path}: {error}");
        return ExitCode::from(2);
    }
    match (report.passed(), options.cpu_only) {
        (true, false) => println!("SUCCESS"),
        (true, true) => println!("the CPU's side ran; no kernel did"),
        (false, _) => println!("FAILURE"),
    }
    if report.passed() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Option<Options>, String> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn a_command_line_is_read() {
        let options = parse("--only a --only b --tag nan --seed 9 --random 5 --json x")
            .unwrap()
            .unwrap();
        assert_eq!(
            (options.only, options.tags),
            (vec!["a".to_owned(), "b".to_owned()], vec!["nan".to_owned()])
        );
        assert_eq!(
            (options.seed, options.random, options.json.as_deref()),
            (9, 5, Some("x"))
        );
        assert!(parse("--help").unwrap().is_none());
    }

    #[test]
    fn a_wrong_command_line_is_an_error() {
        assert_eq!(
            parse("--seed x").unwrap_err(),
            "`--seed` takes a number, not `x`"
        );
        assert_eq!(parse("--only").unwrap_err(), "`--only` takes a value");
        assert_eq!(parse("nan").unwrap_err(), "unknown argument `nan`");
    }
}
