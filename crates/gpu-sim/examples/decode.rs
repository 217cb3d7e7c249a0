//! Decodes every kernel of PTX files and says what is not known: `cargo run -p gpu-sim --example decode -- FILE…`

use gpu_sim::{Config, Device, Module};

fn main() {
    for path in std::env::args().skip(1) {
        let device = Device::new(Config::default());
        let text = match std::fs::read_to_string(&path) {
            Ok(t) => t,
            Err(e) => {
                println!("{path}: {e}");
                continue;
            }
        };
        match Module::load(&device.memory, &text) {
            Err(e) => println!("{path}: {e}"),
            Ok(m) => {
                for name in m.kernels() {
                    match m.kernel(&name) {
                        Ok(k) => println!("{path}: {name}: {} instructions", k.instruction_count()),
                        Err(e) => println!("{path}: {name}: {e}"),
                    }
                }
            }
        }
    }
}
