//! Lowering and export of 1, 10, 100 and 1000 copies of a kernel: time for each copy must not grow.

#[path = "../tests/common/mod.rs"]
mod common;

use common::Build;
use dialect_mir::{
    attributes::{CastKindAttr, PanicSiteAttr, Param},
    ops::*,
};
use pliron::op::Op;
use std::time::Instant;

/// A kernel with a bounds check, a loop-free body and a panic.
fn kernel(b: &mut Build, name: &str) {
    let (f32, i32, i64) = (b.f32(), b.int(32), b.int(64));
    let slice = b.slice(f32);
    b.at(3, 1);
    let args = b.kernel(name, vec![(slice, Param::default()); 2]);
    b.at(4, 5);
    let op = CallOp::new(&mut b.ctx, "__nvvm_read_ptx_sreg_tid_x", vec![], Some(i32));
    let tid = b.val(op.get_operation());
    let op = CastOp::new(&mut b.ctx, tid, i64, CastKindAttr::ZExt);
    let index = b.val(op.get_operation());
    let op = ExtractFieldOp::new(&mut b.ctx, args[0], 1);
    let len = b.val(op.get_operation());
    let op = LtOp::new(&mut b.ctx, index, len, false);
    let inside = b.val(op.get_operation());
    let next = b.new_block(vec![]);
    let site = PanicSiteAttr {
        template: "index out of bounds: the len is {0} but the index is {1}".to_string(),
        file: "k.rs".to_string(),
        line: 4,
        column: 5,
    };
    let op = AssertOp::new(&mut b.ctx, inside, true, site, vec![len, index], next);
    b.add(op.get_operation());
    b.block = Some(next);
    let mut addresses = Vec::new();
    for slice in &args {
        let op = ExtractFieldOp::new(&mut b.ctx, *slice, 0);
        let base = b.val(op.get_operation());
        let op = ArrayElementAddrOp::new(&mut b.ctx, base, index, f32, 4);
        addresses.push(b.val(op.get_operation()));
    }
    let op = LoadOp::new(&mut b.ctx, addresses[0], f32, 4);
    let mut value = b.val(op.get_operation());
    for line in 5..45 {
        b.at(line, 9);
        let op = MulOp::new(&mut b.ctx, value, value, false);
        value = b.val(op.get_operation());
    }
    let op = StoreOp::new(&mut b.ctx, value, addresses[1], 4);
    b.add(op.get_operation());
    b.ret();
}

fn main() {
    println!("copies  build ms  lower ms  export ms  lower+export µs a copy");
    for copies in [1usize, 10, 100, 1000] {
        let start = Instant::now();
        let mut b = Build::new();
        for index in 0..copies {
            kernel(&mut b, &format!("kernel_{index}"));
        }
        let built = start.elapsed();
        let start = Instant::now();
        let lowered = mir_lower::lower(&mut b.ctx, b.module).unwrap_or_else(|err| panic!("{err}"));
        let lower = start.elapsed();
        let start = Instant::now();
        let text = llvm_export::export(&b.ctx, lowered, &Default::default())
            .unwrap_or_else(|err| panic!("{err}"));
        let export = start.elapsed();
        assert_eq!(text.matches("define ptx_kernel").count(), copies);
        println!(
            "{copies:6}  {:8.2}  {:8.2}  {:9.2}  {:22.1}",
            built.as_secs_f64() * 1e3,
            lower.as_secs_f64() * 1e3,
            export.as_secs_f64() * 1e3,
            (lower + export).as_secs_f64() * 1e6 / copies as f64
        );
    }
}
