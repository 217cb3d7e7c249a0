//! Every operation of the table, called by a kernel of dialect-mir with operands that nothing is known of, lowered, exported,
//! compiled at O2 for its least SM: the PTX holds the instruction, and NVIDIA's assembler takes it.
//!
//! The assembler is `CUDA_OXIDE_PTXAS`, else `ptxas` of `PATH`, else `CUDA_HOME/bin/ptxas`. Without one the test fails.

mod common;

use common::Build;
use dialect_mir::{attributes::Param, ops::*};
use dialect_nvvm::{MinimumSm, Module, Resolved, Ty, atomic::Atomic, table::specs};
use pliron::op::Op;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

fn ptxas() -> PathBuf {
    if let Some(path) = std::env::var_os("CUDA_OXIDE_PTXAS") {
        return path.into();
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let home = std::env::var_os("CUDA_HOME").map(|home| Path::new(&home).join("bin"));
    std::env::split_paths(&folders)
        .chain(home)
        .map(|folder| folder.join("ptxas"))
        .find(|path| path.is_file())
        .expect("ptxas: set CUDA_OXIDE_PTXAS or CUDA_HOME, or put it into PATH")
}

/// Runs the assembler; `Err` is what it said.
fn assemble(ptxas: &Path, name: &str, ptx: &str, target: &str) -> Result<(), String> {
    // Tests run side by side, and each call takes its folder away.
    let folder = std::env::temp_dir().join(format!("oxide-ptxas-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for files");
    let (input, output) = (
        folder.join(format!("{name}.ptx")),
        folder.join(format!("{name}.cubin")),
    );
    std::fs::write(&input, ptx).expect("a file");
    let done = Command::new(ptxas)
        .arg(format!("-arch={target}"))
        .arg("-o")
        .args([&output, &input])
        .output()
        .expect("the assembler starts");
    let _ = std::fs::remove_dir_all(&folder);
    if done.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout))
}

fn mir_type(b: &Build, ty: Ty) -> pliron::r#type::TypeHandle {
    match ty {
        Ty::I1 => b.int(1),
        Ty::I8 => b.int(8),
        Ty::I16 => b.int(16),
        Ty::I32 => b.int(32),
        Ty::I64 => b.int(64),
        Ty::F16 => b.f16(),
        Ty::F32 => b.f32(),
        Ty::F64 => b.f64(),
        Ty::Ptr => b.ptr(b.int(8), 0),
    }
}

/// Adds a kernel that loads each operand from memory, calls the operation and stores what it gives.
fn kernel(b: &mut Build, name: &str, resolved: &Resolved) {
    let byte = b.int(8);
    let ptr = b.ptr(byte, 0);
    let operands: Vec<_> = resolved
        .operands()
        .iter()
        .map(|ty| mir_type(b, *ty))
        .collect();
    let result = resolved.result().map(|ty| mir_type(b, ty));
    let out = b.ptr(result.unwrap_or(byte), 0);
    let mut params = vec![(out, Param::default())];
    // A pointer is a parameter; other operands are loaded, so that a parameter's own rules do not matter.
    for ty in resolved.operands() {
        let ty = if *ty == Ty::Ptr {
            ptr
        } else {
            let ty = mir_type(b, *ty);
            b.ptr(ty, 0)
        };
        params.push((ty, Param::default()));
    }
    let args = b.kernel(name, params);
    let mut values = Vec::new();
    for (index, ty) in resolved.operands().iter().enumerate() {
        let arg = args[index + 1];
        values.push(if *ty == Ty::Ptr {
            arg
        } else {
            let op = LoadOp::new(&mut b.ctx, arg, operands[index], 1);
            b.val(op.get_operation())
        });
    }
    let op = CallOp::new(&mut b.ctx, &resolved.extern_name(), values, result);
    if let Some(value) = b.add(op.get_operation()) {
        let op = StoreOp::new(&mut b.ctx, value, args[0], 1);
        b.add(op.get_operation());
    }
    b.ret();
}

fn contains(ptx: &str, instruction: &str) -> bool {
    ptx.match_indices(instruction).any(|(at, _)| {
        let rest = &ptx[at + instruction.len()..];
        !rest.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
    })
}

fn compile(ll: &str, minimum: MinimumSm) -> Result<String, String> {
    let llvm = llvm_backend::Llvm::load().unwrap_or_else(|err| panic!("{err}"));
    let options = llvm_backend::Options {
        arch: minimum.target().parse().expect("an architecture"),
        min_ptx: dialect_nvvm::table::needed_ptx(ll),
        ..Default::default()
    };
    llvm.compile(&[("k.ll", ll)], &options)
        .map(|emitted| emitted.ptx)
        .map_err(|err| err.to_string())
}

#[test]
fn every_operation_is_assembled_at_its_least_sm() {
    let ptxas = ptxas();
    let mut wrong = Vec::new();
    let mut count = 0;
    for spec in specs().filter(|spec| spec.module != Module::Atomic) {
        count += 1;
        let mut b = Build::new();
        kernel(&mut b, "k", &Resolved::Op(spec));
        let ll = b.export();
        let ptx = match compile(&ll, spec.minimum_sm) {
            Ok(ptx) => ptx,
            Err(err) => {
                wrong.push(format!("{}: {err}", spec.name));
                continue;
            }
        };
        if !contains(&ptx, spec.ptx) {
            wrong.push(format!("{}: no {} in\n{ptx}", spec.name, spec.ptx));
        }
        if let Err(words) = assemble(&ptxas, spec.op(), &ptx, &spec.minimum_sm.target()) {
            wrong.push(format!("{}: {words}\n{ptx}", spec.name));
        }
    }
    assert!(count >= 119, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The atomic families, all members, in one module for each least SM.
#[test]
fn every_atomic_is_assembled_at_its_least_sm() {
    let ptxas = ptxas();
    let mut modules: BTreeMap<String, (Build, MinimumSm)> = BTreeMap::new();
    for atomic in Atomic::all() {
        let resolved = Resolved::Atomic(atomic);
        let minimum = resolved.minimum_sm();
        let (b, _) = modules
            .entry(minimum.target())
            .or_insert_with(|| (Build::new(), minimum));
        kernel(b, &format!("k_{}", atomic.op()), &resolved);
    }
    assert!(!modules.is_empty());
    for (target, (mut b, minimum)) in modules {
        let ptx = compile(&b.export(), minimum).unwrap_or_else(|err| panic!("{target}: {err}"));
        assemble(&ptxas, "atomics", &ptx, &target).unwrap_or_else(|err| panic!("{target}: {err}"));
    }
}

/// The test can fail: the assembler refuses an instruction that the target does not have.
#[test]
fn the_assembler_refuses() {
    let mut b = Build::new();
    let spec = dialect_nvvm::lookup("__nvvm_wgmma_fence").expect("it is there");
    kernel(&mut b, "k", &spec);
    let ptx = compile(&b.export(), MinimumSm::SmA(90)).unwrap_or_else(|err| panic!("{err}"));
    let words = assemble(
        &ptxas(),
        "refused",
        &ptx.replace("sm_90a", "sm_90"),
        "sm_90",
    )
    .expect_err("sm_90 has no wgmma");
    assert!(words.contains("wgmma"), "{words}");
}
