//! Runs the PTX files of `tests/filetests`, in the manner of cranelift's.
//!
//! A file is PTX with comments that say what to do:
//! ```text
//! // run: kernel<<<grid, block[, dynamic shared bytes]>>>(arguments) == [expected]
//! // error: a piece of the report that the run line above must give
//! // error: another piece
//! // load-error: a piece of the error that loading, or decoding the first kernel named by `kernel:`, must give
//! // print: text that the run line above prints
//! // config: steps=1000 depth=8 cluster=2x1x1 cooperative=1 races=1 for the run lines below
//! ```
//! Sizes are `4` or `2x2x1`. Arguments are `u32 5` (any number type), `in u32[1, 2, 3]`, `out u32*4` (zeroed; the last
//! one is compared with what is expected), `freed u32*4`, `null`, `past u32*4` (the address behind an allocation).
//! Every line runs with parallel blocks and with three seeds.

use gpu_sim::{Config, Device, LaunchParams, Module, Output};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Capture(Mutex<Vec<u8>>);

impl Output for Capture {
    fn print(&self, text: &[u8]) {
        self.0.lock().unwrap().extend(text);
    }
}

struct Run {
    line: usize,
    kernel: String,
    shape: Vec<[u32; 3]>,
    shared: u32,
    args: Vec<String>,
    expected: Option<String>,
    errors: Vec<String>,
    print: Option<String>,
    steps: Option<u64>,
    depth: Option<u32>,
    cluster: [u32; 3],
    cooperative: bool,
    races: bool,
}

fn size(s: &str) -> [u32; 3] {
    let mut d = [1; 3];
    for (k, n) in s.trim().split('x').enumerate() {
        d[k] = n.parse().unwrap();
    }
    d
}

/// Cuts at commas outside of brackets.
fn arguments(s: &str) -> Vec<String> {
    let (mut all, mut depth, mut one) = (Vec::new(), 0, String::new());
    for c in s.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                all.push(one.trim().to_string());
                one.clear();
                continue;
            }
            _ => {}
        }
        one.push(c);
    }
    if !one.trim().is_empty() {
        all.push(one.trim().to_string());
    }
    all
}

fn bytes(ty: &str, value: &str) -> Vec<u8> {
    let v = value.trim();
    let int = || -> i128 {
        let (neg, digits) = v.strip_prefix('-').map_or((false, v), |d| (true, d));
        let n = match digits.strip_prefix("0x") {
            Some(h) => u128::from_str_radix(h, 16).unwrap_or_else(|_| panic!("number {v}")) as i128,
            None => digits.parse().unwrap_or_else(|_| panic!("number {v}")),
        };
        if neg { -n } else { n }
    };
    match ty {
        "u8" | "s8" | "b8" => (int() as u8).to_le_bytes().to_vec(),
        "u16" | "s16" | "b16" => (int() as u16).to_le_bytes().to_vec(),
        "u32" | "s32" | "b32" => (int() as u32).to_le_bytes().to_vec(),
        "u64" | "s64" | "b64" => (int() as u64).to_le_bytes().to_vec(),
        "f32" if v.starts_with("0x") => (int() as u32).to_le_bytes().to_vec(),
        "f64" if v.starts_with("0x") => (int() as u64).to_le_bytes().to_vec(),
        "f32" => v.parse::<f32>().unwrap().to_le_bytes().to_vec(),
        "f64" => v.parse::<f64>().unwrap().to_le_bytes().to_vec(),
        _ => panic!("type {ty}"),
    }
}

/// `1, 2, 3`, `7*32` and `0..32` for lists.
fn list(ty: &str, s: &str) -> Vec<u8> {
    let mut all = Vec::new();
    for part in s.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        if let Some((a, b)) = part.split_once("..") {
            for n in a.parse::<i64>().unwrap()..b.parse::<i64>().unwrap() {
                all.extend(bytes(ty, &n.to_string()));
            }
        } else if let Some((v, n)) = part.split_once('*') {
            for _ in 0..n.trim().parse::<usize>().unwrap() {
                all.extend(bytes(ty, v));
            }
        } else {
            all.extend(bytes(ty, part));
        }
    }
    all
}

fn parse_run(line: usize, s: &str) -> Run {
    let (head, rest) = s.split_once("<<<").unwrap();
    let (shape, rest) = rest.split_once(">>>").unwrap();
    let (call, expected) = match rest.split_once("==") {
        Some((a, b)) => (
            a.trim(),
            Some(
                b.trim()
                    .trim_start_matches('[')
                    .trim_end_matches(']')
                    .to_string(),
            ),
        ),
        None => (rest.trim(), None),
    };
    let inner = call
        .trim()
        .strip_prefix('(')
        .unwrap()
        .strip_suffix(')')
        .unwrap();
    let mut parts = shape.split(',');
    let shape = vec![size(parts.next().unwrap()), size(parts.next().unwrap())];
    let shared = parts.next().map_or(0, |s| s.trim().parse().unwrap());
    Run {
        line,
        kernel: head.trim().to_string(),
        shape,
        shared,
        args: arguments(inner),
        expected,
        errors: Vec::new(),
        print: None,
        steps: None,
        depth: None,
        cluster: [0; 3],
        cooperative: false,
        races: false,
    }
}

fn execute(text: &str, run: &Run, seed: Option<u64>) -> Result<(), Failed> {
    let at = |m: String| Failed::from(format!("line {}, seed {seed:?}: {m}", run.line));
    let mut config = Config {
        seed,
        steps: Some(run.steps.unwrap_or(20_000_000)),
        sms: 4,
        races: run.races,
        ..Config::default()
    };
    if let Some(d) = run.depth {
        config.call_depth = d;
    }
    let output = Arc::new(Capture::default());
    let mut device = Device::new(config);
    device.output = output.clone();
    let module = Module::load(&device.memory, text).map_err(|e| at(e.to_string()))?;
    let kernel = module.kernel(&run.kernel).map_err(|e| at(e.to_string()))?;
    let mut params = vec![0u8; kernel.param_size() as usize];
    let mut out = None;
    if kernel.params().len() != run.args.len() {
        return Err(at(format!(
            "{} arguments for {} parameters",
            run.args.len(),
            kernel.params().len()
        )));
    }
    for (arg, p) in run.args.iter().zip(kernel.params()) {
        let (word, rest) = arg.split_once(' ').unwrap_or((arg, ""));
        let value = match word {
            "null" => vec![0; 8],
            "in" => {
                let (ty, items) = rest.split_once('[').unwrap();
                let data = list(ty.trim(), items.trim_end_matches(']'));
                let a = device.memory.alloc(data.len() as u64).unwrap();
                device.memory.write_bytes(a, &data).unwrap();
                a.to_le_bytes().to_vec()
            }
            "out" | "freed" | "past" => {
                let (ty, n) = rest.split_once('*').unwrap();
                let len = bytes(ty.trim(), "0").len() * n.trim().parse::<usize>().unwrap();
                let a = device.memory.alloc(len as u64).unwrap();
                match word {
                    "freed" => assert!(device.memory.free(a)),
                    "out" => out = Some((a, len, ty.trim().to_string())),
                    _ => {}
                }
                (if word == "past" { a + len as u64 } else { a })
                    .to_le_bytes()
                    .to_vec()
            }
            ty => bytes(ty, rest),
        };
        params[p.offset as usize..][..p.size as usize].copy_from_slice(&value);
    }
    let launch = LaunchParams {
        grid: run.shape[0],
        block: run.shape[1],
        dynamic_shared: run.shared,
        params,
        cooperative: run.cooperative,
        cluster: run.cluster,
    };
    let result = device.launch(&kernel, &launch);
    if !run.errors.is_empty() {
        let Err(e) = result else {
            return Err(at("no error".into()));
        };
        let report = e.to_string();
        for piece in &run.errors {
            if !report.contains(piece) {
                return Err(at(format!("`{piece}` is not in the report:\n{report}")));
            }
        }
        return Ok(());
    }
    result.map_err(|e| at(e.to_string()))?;
    if let Some(text) = &run.print {
        let printed = String::from_utf8_lossy(&output.0.lock().unwrap()).into_owned();
        if printed != text.replace("\\n", "\n") {
            return Err(at(format!("printed {printed:?}, expected {text:?}")));
        }
    }
    if let Some(expected) = &run.expected {
        let (a, len, ty) = out.expect("an `out` argument");
        let mut got = vec![0; len];
        device.memory.read(a, &mut got).unwrap();
        let want = list(&ty, expected);
        if got != want {
            let width = bytes(&ty, "0").len();
            let show = |b: &[u8]| {
                b.chunks(width)
                    .map(|c| {
                        c.iter()
                            .rev()
                            .map(|x| format!("{x:02x}"))
                            .collect::<String>()
                    })
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            return Err(at(format!(
                "got      {}\nexpected {}",
                show(&got),
                show(&want)
            )));
        }
    }
    Ok(())
}

fn file(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let mut runs: Vec<Run> = Vec::new();
    let (mut load_errors, mut first) = (Vec::new(), None);
    let (mut steps, mut depth) = (None, None);
    let (mut cluster, mut cooperative, mut races) = ([0; 3], false, false);
    for (n, line) in text.lines().enumerate() {
        let Some(c) = line.trim().strip_prefix("// ") else {
            continue;
        };
        if let Some(s) = c.strip_prefix("run: ") {
            let mut run = parse_run(n + 1, s);
            (run.steps, run.depth) = (steps, depth);
            (run.cluster, run.cooperative, run.races) = (cluster, cooperative, races);
            runs.push(run);
        } else if let Some(s) = c.strip_prefix("error: ") {
            runs.last_mut().unwrap().errors.push(s.into());
        } else if let Some(s) = c.strip_prefix("print: ") {
            runs.last_mut().unwrap().print = Some(s.into());
        } else if let Some(s) = c.strip_prefix("load-error: ") {
            load_errors.push(s.to_string());
        } else if let Some(s) = c.strip_prefix("kernel: ") {
            first = Some(s.trim().to_string());
        } else if let Some(s) = c.strip_prefix("config: ") {
            for word in s.split_whitespace() {
                match word.split_once('=') {
                    Some(("steps", v)) => steps = Some(v.parse()?),
                    Some(("depth", v)) => depth = Some(v.parse()?),
                    Some(("cluster", v)) => cluster = size(v),
                    Some(("cooperative", v)) => cooperative = v == "1",
                    Some(("races", v)) => races = v == "1",
                    _ => return Err(format!("config {word}").into()),
                }
            }
        }
    }
    if !load_errors.is_empty() {
        let device = Device::new(Config::default());
        let e = match Module::load(&device.memory, &text) {
            Err(e) => e,
            Ok(m) => match m.kernel(&first.unwrap_or_else(|| m.kernels()[0].clone())) {
                Err(e) => e,
                Ok(_) => return Err("no error at load".into()),
            },
        };
        let report = e.to_string();
        for piece in load_errors {
            if !report.contains(&piece) {
                return Err(format!("`{piece}` is not in: {report}").into());
            }
        }
        return Ok(());
    }
    if runs.is_empty() {
        return Err("the file tests nothing".into());
    }
    for run in &runs {
        let seeds = [None, Some(1), Some(2), Some(77)];
        // Only the seeded mode looks for races.
        for seed in seeds.into_iter().skip(usize::from(run.races)) {
            execute(&text, run, seed)?;
        }
    }
    Ok(())
}

fn main() {
    let args = Arguments::from_args();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut paths: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    let trials = paths
        .into_iter()
        .filter(|p| p.extension().is_some_and(|e| e == "ptx"))
        .map(|p| {
            Trial::test(
                p.file_stem().unwrap().to_string_lossy().into_owned(),
                move || file(&p),
            )
        })
        .collect();
    libtest_mimic::run(&args, trials).exit();
}
