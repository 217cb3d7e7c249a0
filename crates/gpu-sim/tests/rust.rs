//! Rust code compiled to PTX gives the bytes that it gives on the host.

#![allow(clippy::all)]

use gpu_sim::{Config, Device, LaunchParams, Module};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

#[allow(dead_code, unsafe_op_in_unsafe_fn)]
#[allow(invalid_nan_comparisons)]
mod source {
    include!("rust/kern.rs");
}

fn check(ptx: &str) {
    for x in [5u32, 200, 901] {
        let f = 1.5f32;
        let mut want = [0u64; 100];
        let (a, b, c) = (AtomicU32::new(1), AtomicU64::new(8), AtomicU8::new(250));
        // SAFETY: the function writes at most 100 words.
        unsafe { source::kern(want.as_mut_ptr(), x, f, &a, &b, &c) };
        let device = Device::new(Config::default());
        let module = Module::load(&device.memory, ptx).unwrap();
        let kernel = module.kernel("kern").unwrap();
        let allocate = |bytes: &[u8]| {
            let p = device.memory.alloc(bytes.len() as u64).unwrap();
            device.memory.write_bytes(p, bytes).unwrap();
            p.to_le_bytes().to_vec()
        };
        let out = device.memory.alloc(800).unwrap();
        let values = [
            out.to_le_bytes().to_vec(),
            x.to_le_bytes().to_vec(),
            f.to_le_bytes().to_vec(),
            allocate(&1u32.to_le_bytes()),
            allocate(&8u64.to_le_bytes()),
            allocate(&[250, 0, 0, 0]),
        ];
        let mut params = vec![0; kernel.param_size() as usize];
        for (p, v) in kernel.params().iter().zip(values) {
            params[p.offset as usize..][..v.len()].copy_from_slice(&v);
        }
        let launch = LaunchParams {
            grid: [1; 3],
            block: [1; 3],
            dynamic_shared: 0,
            params,
            ..LaunchParams::default()
        };
        device
            .launch(&kernel, &launch)
            .unwrap_or_else(|e| panic!("{e}"));
        let mut got = vec![0; 800];
        device.memory.read(out, &mut got).unwrap();
        let got: Vec<u64> = got
            .chunks(8)
            .map(|c| u64::from_le_bytes(c.try_into().unwrap()))
            .collect();
        assert!(want[99] > 60);
        assert_eq!(got, want, "x = {x}");
    }
}

#[test]
fn optimised() {
    check(include_str!("rust/kern.ptx"));
}

#[test]
fn not_optimised() {
    check(include_str!("rust/kern_o0.ptx"));
}
