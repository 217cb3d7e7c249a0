//! What a user waits for, in crates outside the repository and in cargo's dev profile. Prints; asserts no time.
//!
//! - The device pass of a program with serde's derive, regex and clap among its dependencies, against `cargo check` of it, both from
//!   an empty target folder.
//! - Rebuild and rerun of a crate of `cargo oxide new` after a change of one line of its kernel.
//! - The simulator on the tiled matrix product of `examples/matmul`: lane-instructions for each second of processor time, of all
//!   threads together, so that what else the machine does changes little.

#[path = "../tests/common/mod.rs"]
mod common;

use common::User;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

fn timed(command: &mut Command) -> (Duration, String) {
    let start = Instant::now();
    let out = command.output().unwrap();
    let time = start.elapsed();
    let text =
        String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{command:?}\n{text}");
    (time, text)
}

fn oxide(dir: &Path, words: &[&str]) -> Command {
    let mut command = common::command();
    command
        .args(words)
        .current_dir(dir)
        .env("CARGO_TARGET_DIR", dir.join("target"));
    command
}

fn device_pass() {
    let user = User::new("popular");
    user.file("Cargo.toml", common::POPULAR_MANIFEST);
    user.file("src/main.rs", common::POPULAR_MAIN);
    let check = || {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap());
        command
            .args(["check", "--target-dir", "check"])
            .current_dir(&user.dir)
            .env_remove("CARGO_TARGET_DIR");
        timed(&mut command).0
    };
    // The first is for the disk's sake.
    for round in 0..2 {
        let _ = std::fs::remove_dir_all(user.dir.join("check"));
        let _ = std::fs::remove_dir_all(user.dir.join("target"));
        let check = check();
        let (_, said) = timed(&mut oxide(&user.dir, &["inspect", "--stage", "mir", "-v"]));
        let line = said
            .lines()
            .find_map(|l| l.trim().strip_prefix("Device pass "))
            .unwrap();
        let pass: f64 = line.split(' ').next().unwrap().parse().unwrap();
        let check = check.as_secs_f64() * 1e3;
        if round == 1 {
            println!(
                "serde, regex, clap: device pass {pass:.0} ms, cargo check {check:.0} ms, ratio {:.2}",
                pass / check
            );
        }
    }
}

fn rebuild() {
    let user = User::new("rebuild");
    user.oxide(&["new", "mine"]).success();
    let dir = user.dir.join("mine");
    timed(&mut oxide(&dir, &["run"]));
    let file = dir.join("src/main.rs");
    let text = std::fs::read_to_string(&file).unwrap();
    let mut times = Vec::new();
    for round in 0..5 {
        let line = format!("*y += k * x[n] + {round}.0 - {round}.0;");
        std::fs::write(&file, text.replace("*y += k * x[n];", &line)).unwrap();
        let (time, said) = timed(&mut oxide(&dir, &["run"]));
        assert!(
            said.contains("SUCCESS") && said.contains("Compiling kernels"),
            "{said}"
        );
        times.push(time.as_millis());
    }
    times.sort_unstable();
    println!(
        "rebuild and rerun after a changed line: {} ms (median of {times:?})",
        times[times.len() / 2]
    );
}

const MATMUL_MAIN: &str = r#"
/// Processor time of the process in seconds: fields 14 and 15 of its `stat`, in hundredths.
fn processor() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after = text.rsplit(')').next().unwrap();
    let ticks = |n: usize| after.split_whitespace().nth(n).unwrap().parse::<f64>().unwrap();
    (ticks(11) + ticks(12)) / 100.0
}

fn lane_instructions() -> u64 {
    let path = std::env::var_os("CUDA_OXIDE_SIM").unwrap();
    let mut n = 0;
    unsafe {
        let library = libloading::Library::new(path).unwrap();
        let get: libloading::Symbol<unsafe extern "C" fn(*mut u64) -> i32> = library.get(b"oxideStatistics\0").unwrap();
        assert_eq!(get(&mut n), 0);
    }
    n
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = 256;
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let a = DeviceBuffer::from_host(&stream, &vec![1.0f32; n * n])?;
    let b = DeviceBuffer::from_host(&stream, &vec![2.0f32; n * n])?;
    let mut c = DeviceBuffer::<f32>::zeroed(&stream, n * n)?;
    let blocks = (n / TILE) as u32;
    let config = || LaunchConfig { grid_dim: (blocks, blocks, 1), block_dim: (TILE as u32, TILE as u32, 1), shared_mem_bytes: 0 };
    let mut best = 0.0f64;
    let mut total = 0;
    for _ in 0..5 {
        let (before, start) = (lane_instructions(), processor());
        for _ in 0..4 {
            unsafe { module.matmul(&stream, config(), &a, &b, &mut c, n as u32)? };
        }
        stream.synchronize()?;
        total = lane_instructions() - before;
        best = best.max(total as f64 / (processor() - start));
    }
    assert!(c.to_host_vec(&stream)?.iter().all(|c| *c == 2.0 * n as f32));
    println!("matmul {n}: {total} lane-instructions, {:.0} M/s a core", best / 1e6);
    Ok(())
}
"#;

fn simulator() {
    let user = User::new("matmul");
    user.oxide(&["new", "mine"]).success();
    let dir = user.dir.join("mine");
    let example = common::crates()
        .parent()
        .unwrap()
        .join("examples/matmul/src/main.rs");
    let text = std::fs::read_to_string(example).unwrap();
    let kernels = &text[..text.find("fn main()").unwrap()];
    user.file("mine/src/main.rs", &(kernels.to_string() + MATMUL_MAIN));
    let manifest = std::fs::read_to_string(dir.join("Cargo.toml")).unwrap();
    user.file(
        "mine/Cargo.toml",
        &manifest.replace("[dependencies]", "[dependencies]\nlibloading = \"0.9\""),
    );
    let (_, said) = timed(&mut oxide(&dir, &["run"]));
    println!(
        "simulator, dev profile: {}",
        said.lines().find(|l| l.starts_with("matmul ")).unwrap()
    );
}

fn main() {
    device_pass();
    rebuild();
    simulator();
}
