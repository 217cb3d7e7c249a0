//! Lane instructions a second on a tiled matrix product: `cargo bench -p gpu-sim`.

use gpu_sim::{Config, Device, LaunchParams, Module};
use std::time::Instant;

/// 32 × 32 tiles in shared memory, as a compiler writes it for `r += s[y][q] * t[q][x]`, not unrolled.
const PTX: &str = include_str!("matmul.ptx");

fn main() {
    let n = 256u32;
    for threads in [1, 0] {
        let device = Device::new(Config {
            threads,
            ..Config::default()
        });
        let module = Module::load(&device.memory, PTX).expect("the kernel loads");
        for name in ["matmul", "matmul_fma"] {
            let kernel = module.kernel(name).expect("the kernel decodes");
            let bytes = u64::from(n * n * 4);
            let [a, b, c] = std::array::from_fn(|_| device.memory.alloc(bytes).expect("memory"));
            let input: Vec<f32> = (0..n * n).map(|i| (i % 13) as f32).collect();
            let raw: Vec<u8> = input.iter().flat_map(|v| v.to_le_bytes()).collect();
            device.memory.write_bytes(a, &raw).expect("in bounds");
            device.memory.write_bytes(b, &raw).expect("in bounds");
            let mut params = Vec::new();
            params.extend([a, b, c].iter().flat_map(|p| p.to_le_bytes()));
            params.extend(n.to_le_bytes());
            let launch = LaunchParams {
                grid: [n / 32, n / 32, 1],
                block: [32, 32, 1],
                dynamic_shared: 0,
                params,
                ..LaunchParams::default()
            };
            let mut best = f64::INFINITY;
            let mut lanes = 0;
            for _ in 0..5 {
                let start = Instant::now();
                lanes = device
                    .launch(&kernel, &launch)
                    .expect("the kernel runs")
                    .lane_instructions;
                best = best.min(start.elapsed().as_secs_f64());
            }
            let mut out = vec![0; bytes as usize];
            device.memory.read(c, &mut out).expect("in bounds");
            let at = |y: u32, x: u32| {
                let k = ((y * n + x) * 4) as usize;
                f32::from_le_bytes([out[k], out[k + 1], out[k + 2], out[k + 3]])
            };
            for (y, x) in [(0, 0), (5, 77), (255, 255)] {
                let want: f32 = (0..n)
                    .map(|k| input[(y * n + k) as usize] * input[(k * n + x) as usize])
                    .sum();
                assert_eq!(at(y, x), want, "element {y}, {x}");
            }
            let cores = if threads == 1 {
                1
            } else {
                std::thread::available_parallelism().map_or(1, |n| n.get())
            };
            println!(
                "{name} {n}x{n} on {cores} core(s): {lanes} lane instructions in {:.1} ms, {:.0} million a second a core",
                best * 1e3,
                lanes as f64 / best / 1e6 / cores as f64
            );
        }
    }
}
