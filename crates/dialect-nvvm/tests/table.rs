//! The table against itself, against the document, and against the toolchain's LLVM.

use dialect_nvvm::{
    Module, Resolved, Ty, atomic::Atomic, llvm_definition, lookup, ops, table::specs,
};
use expect_test::expect_file;
use pliron::{
    builtin::types::{IntegerType, Signedness},
    context::Context,
    op::Op,
    operation::{Operation, verify_operation},
};
use pliron_llvm::ops::UndefOp;
use std::collections::HashSet;

/// The document's 123 operations, module by module.
#[test]
fn modules_have_the_documents_counts() {
    for (module, count) in Module::DOCUMENT {
        let found = specs()
            .filter(|spec| spec.module == module && spec.document)
            .count();
        assert_eq!(found, count, "{}", module.name());
    }
    assert_eq!(specs().filter(|spec| spec.document).count(), 123);
}

#[test]
fn names_are_unique_and_found() {
    let mut names = HashSet::new();
    for spec in specs() {
        assert!(names.insert(spec.name), "{} twice", spec.name);
        let found = lookup(&spec.extern_name());
        if spec.module == Module::Atomic {
            assert!(found.is_none(), "a family has no function of its own");
        } else {
            let found = found.unwrap_or_else(|| panic!("{} is not found", spec.name));
            assert_eq!(found.spec().name, spec.name);
        }
    }
    for atomic in Atomic::all() {
        let name = format!("__nvvm_{}", atomic.op());
        let found = lookup(&name).unwrap_or_else(|| panic!("{name} is not found"));
        assert_eq!(found.extern_name(), name);
    }
    for absent in [
        "__nvvm_atomic_load_u32_device_release",
        "__nvvm_atomic_rmw_and_f32_block_relaxed",
        "__nvvm_atomic_load",
        "__nvvm_",
        "read_ptx_sreg_tid_x",
    ] {
        assert!(lookup(absent).is_none(), "{absent}");
    }
}

#[test]
fn the_document_is_true() {
    expect_file!["../../../docs/nvvm-table.md"].assert_eq(&dialect_nvvm::doc::markdown());
}

/// A kernel that calls the device function, with nothing known at compile time.
fn kernel(resolved: &Resolved) -> String {
    let name = resolved.extern_name();
    let definition = llvm_definition(&name).expect("a definition");
    let operands = resolved.operands();
    let parameters: String = operands
        .iter()
        .enumerate()
        .map(|(index, ty)| format!(", {} %k{index}", ty.llvm()))
        .collect();
    let arguments: Vec<_> = operands
        .iter()
        .enumerate()
        .map(|(index, ty)| format!("{} %k{index}", ty.llvm()))
        .collect();
    let call = format!("@{name}({})", arguments.join(", "));
    let body = match resolved.result() {
        Some(ty) => format!(
            "  %r = call {0} {call}\n  store {0} %r, ptr %out\n",
            ty.llvm()
        ),
        None => format!("  call void {call}\n"),
    };
    format!(
        "{definition}\ndefine ptx_kernel void @k(ptr %out{parameters}) {{\n{body}  ret void\n}}\n"
    )
}

/// Each operation becomes its instruction at its least SM, and is convergent exactly where LLVM says so.
#[test]
fn every_operation_compiles_to_its_instruction() {
    let llvm = llvm_backend::Llvm::load().unwrap_or_else(|err| panic!("{err}"));
    let mut wrong = Vec::new();
    for spec in specs().filter(|spec| spec.module != Module::Atomic) {
        let resolved = Resolved::Op(spec);
        let ll = kernel(&resolved);
        let options = llvm_backend::Options {
            arch: spec.minimum_sm.target().parse().expect("an architecture"),
            min_ptx: spec.ptx_version(),
            ..Default::default()
        };
        let ptx = match llvm.compile(&[("k.ll", &ll)], &options) {
            Ok(emitted) => emitted.ptx,
            Err(err) => {
                wrong.push(format!("{}: {err}", spec.name));
                continue;
            }
        };
        let found = ptx.match_indices(spec.ptx).any(|(at, _)| {
            let rest = &ptx[at + spec.ptx.len()..];
            !rest.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        });
        if !found {
            wrong.push(format!("{}: no {} in\n{ptx}", spec.name, spec.ptx));
        }
        let ir = llvm
            .optimised_ir(&[("k.ll", &ll)], &options)
            .unwrap_or_else(|err| panic!("{}: {err}", spec.name));
        for unknown in unknown_intrinsics(&ir) {
            wrong.push(format!("{}: LLVM does not know {unknown}", spec.name));
        }
        let intrinsics = spec.intrinsics();
        if let [intrinsic] = intrinsics.as_slice() {
            let convergent = is_convergent(&ir, intrinsic);
            if convergent != Some(spec.convergent) {
                wrong.push(format!(
                    "{}: {intrinsic} is convergent: {convergent:?}",
                    spec.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_module_says_what_ptx_it_needs() {
    let of = |name: &str| {
        let resolved = lookup(name).expect("it is there");
        dialect_nvvm::table::needed_ptx(&kernel(&resolved))
    };
    assert_eq!(of("__nvvm_elect_sync"), Some(80));
    assert_eq!(of("__nvvm_barrier0"), None);
}

/// The declared intrinsics that LLVM does not recognise: it gives each of its own the attributes of its definition.
fn unknown_intrinsics(ir: &str) -> Vec<&str> {
    ir.lines()
        .filter(|line| line.starts_with("declare") && line.contains("@llvm."))
        .filter(|line| !line.contains('#'))
        .collect()
}

/// The check above finds an intrinsic that is not there.
#[test]
fn an_unknown_intrinsic_is_seen() {
    let llvm = llvm_backend::Llvm::load().unwrap_or_else(|err| panic!("{err}"));
    let ll = "declare i32 @llvm.nvvm.read.ptx.sreg.tid.q()\n\
        define ptx_kernel void @k(ptr %out) {\n  %r = call i32 @llvm.nvvm.read.ptx.sreg.tid.q()\n  \
        store i32 %r, ptr %out\n  ret void\n}\n";
    match llvm.optimised_ir(&[("k.ll", ll)], &Default::default()) {
        Ok(ir) => assert_eq!(unknown_intrinsics(&ir).len(), 1, "{ir}"),
        Err(err) => assert!(err.to_string().contains("tid.q"), "{err}"),
    }
}

#[test]
fn a_module_says_what_gpu_it_needs() {
    use dialect_nvvm::{MinimumSm, table::needed_sm};
    let of = |names: &[&str]| {
        let text: String = names
            .iter()
            .map(|name| llvm_definition(name).expect("it is there"))
            .collect();
        needed_sm(&text)
    };
    assert_eq!(of(&["__nvvm_barrier0"]).ok(), Some(MinimumSm::Sm(0)));
    assert_eq!(
        of(&["__nvvm_barrier0", "__nvvm_cluster_sync"]).ok(),
        Some(MinimumSm::Sm(90))
    );
    let wgmma = "__nvvm_wgmma_mma_async_m64n64k16_f32_bf16";
    assert_eq!(
        of(&["__nvvm_mbarrier_arrive", wgmma, "__nvvm_elect_sync"]).ok(),
        Some(MinimumSm::SmA(90))
    );
    let (a, b) = of(&[wgmma, "__nvvm_tcgen05_wait_ld"]).expect_err("no GPU has both");
    assert_ne!(a.module, b.module);
    // Each operation is found in its own definition.
    for spec in specs().filter(|spec| spec.module != Module::Atomic) {
        let text = llvm_definition(&spec.extern_name()).expect("it is there");
        let Ok(needed) = needed_sm(&text) else {
            panic!("{}", spec.name);
        };
        let (least, found) = (spec.minimum_sm.target(), needed.target());
        assert!(
            found == least || spec.intrinsics().is_empty(),
            "{}: {found}",
            spec.name
        );
    }
}

/// What LLVM's own declaration of an intrinsic says.
fn is_convergent(ir: &str, intrinsic: &str) -> Option<bool> {
    let declaration = ir
        .lines()
        .find(|line| line.starts_with("declare") && line.contains(&format!("@{intrinsic}(")))?;
    let group = declaration.rsplit_once('#')?.1.trim();
    let attributes = ir
        .lines()
        .find(|line| line.starts_with(&format!("attributes #{group} =")))?;
    Some(attributes.contains("convergent"))
}

/// Every atomic operation, in a few modules: scope and semantics stand in the PTX.
#[test]
fn atomics_keep_scope_and_ordering() {
    let llvm = llvm_backend::Llvm::load().unwrap_or_else(|err| panic!("{err}"));
    let options = llvm_backend::Options::default();
    let mut text = String::new();
    let mut count = 0;
    for atomic in Atomic::all() {
        let resolved = Resolved::Atomic(atomic);
        text += &kernel(&resolved).replace("@k(", &format!("@k{count}("));
        count += 1;
    }
    let ptx = llvm
        .compile(&[("k.ll", &text)], &options)
        .unwrap_or_else(|err| panic!("{err}"))
        .ptx;
    assert_eq!(ptx.matches(".entry").count(), count);
    for scope in ["cta", "gpu", "sys"] {
        for instruction in [
            format!("ld.relaxed.{scope}."),
            format!("ld.acquire.{scope}."),
            format!("st.relaxed.{scope}."),
            format!("st.release.{scope}."),
            format!("fence.sc.{scope};"),
            format!("atom.relaxed.{scope}.global.add.u32"),
            format!("atom.acquire.{scope}.add.u32"),
            format!("atom.acq_rel.{scope}.max.s64"),
            format!("atom.release.{scope}.add.f64"),
            format!("atom.relaxed.{scope}.exch.b32"),
        ] {
            let alternative = instruction.replace(".global", "");
            assert!(
                ptx.contains(&instruction) || ptx.contains(&alternative),
                "{instruction}"
            );
        }
    }
    // What LLVM would write where it forgets them.
    for forgotten in ["atom.add.", "atom.max.", "atom.exch.", "atom.global.add."] {
        assert!(!ptx.contains(forgotten), "{forgotten}");
    }
}

/// Wrong operands and results are errors that name the operation and what was expected.
#[test]
fn verifiers_refuse() {
    let ctx = &mut Context::new();
    let int = |ctx: &Context, bits| IntegerType::get(ctx, bits, Signedness::Signless).into();
    for spec in specs().filter(|spec| spec.module != Module::Atomic) {
        let i24 = int(ctx, 24);
        let results: Vec<_> = spec.result.map(|ty| ty.get(ctx)).into_iter().collect();
        let mut operands = Vec::new();
        for ty in spec.operands {
            let ty = ty.get(ctx);
            let op = UndefOp::new(ctx, ty).get_operation();
            operands.push(op.deref(ctx).get_result(0));
        }
        let wrong = UndefOp::new(ctx, i24).get_operation();
        let wrong = wrong.deref(ctx).get_result(0);

        let right = ops::build(ctx, spec, operands.clone());
        verify_operation(right, ctx).unwrap_or_else(|err| panic!("{}: {err}", spec.name));

        let mut many = operands.clone();
        many.push(wrong);
        let op = ops::build(ctx, spec, many);
        assert!(
            verify_operation(op, ctx).is_err(),
            "{}: operands",
            spec.name
        );

        if !operands.is_empty() {
            let mut other = operands.clone();
            other[0] = wrong;
            let op = ops::build(ctx, spec, other);
            assert!(verify_operation(op, ctx).is_err(), "{}: types", spec.name);
        }

        let mut more = results.clone();
        more.push(i24);
        let op = Operation::new(ctx, (spec.info)(), more, operands.clone(), vec![], 0);
        assert!(verify_operation(op, ctx).is_err(), "{}: results", spec.name);
        if !results.is_empty() {
            let op = Operation::new(ctx, (spec.info)(), vec![i24], operands, vec![], 0);
            assert!(verify_operation(op, ctx).is_err(), "{}: result", spec.name);
        }
    }
    let spec = lookup("__nvvm_membar_cta").expect("it is there").spec();
    let i24 = int(ctx, 24);
    let wrong = UndefOp::new(ctx, i24).get_operation();
    let wrong = wrong.deref(ctx).get_result(0);
    let op = ops::build(ctx, spec, vec![wrong]);
    let err = verify_operation(op, ctx).expect_err("an operand too many");
    assert!(
        err.to_string()
            .contains("nvvm.membar_cta takes 0 operands, but has 1"),
        "{err}"
    );
}

/// An atomic operation must have an attribute that is one of its own.
#[test]
fn atomic_verifier_refuses() {
    let ctx = &mut Context::new();
    let load = Atomic::parse("atomic_load_u32_device_acquire").expect("it is one");
    let ptr = Ty::Ptr.get(ctx);
    let op = UndefOp::new(ctx, ptr).get_operation();
    let ptr = op.deref(ctx).get_result(0);
    let op = load.build(ctx, vec![ptr]);
    verify_operation(op, ctx).unwrap_or_else(|err| panic!("{err}"));
    let store = Atomic::parse("atomic_store_u32_device_release").expect("it is one");
    let key = dialect_nvvm::atomic::ATTR_KEY_NVVM_ATOMIC.clone();
    op.deref_mut(ctx).attributes.set(
        key.clone(),
        pliron::builtin::attributes::StringAttr::new(store.op()),
    );
    assert!(verify_operation(op, ctx).is_err());
    op.deref_mut(ctx).attributes.0.remove(&key);
    assert!(verify_operation(op, ctx).is_err());
}

/// Each operation has its device function in `cuda-device`, with the row's prototype.
#[test]
fn every_operation_has_its_device_function() {
    let declared = include_str!("../../cuda-device/src/intrinsics.rs");
    let fits = |rust: &str, ty: Ty| match ty {
        Ty::I1 => rust == "bool",
        Ty::I8 => matches!(rust, "u8" | "i8"),
        Ty::I16 | Ty::F16 => matches!(rust, "u16" | "i16"),
        Ty::I32 => matches!(rust, "u32" | "i32"),
        Ty::I64 => matches!(rust, "u64" | "i64"),
        Ty::F32 => rust == "f32",
        Ty::F64 => rust == "f64",
        Ty::Ptr => matches!(rust, "*mut u8" | "*const u8"),
    };
    for spec in specs().filter(|spec| spec.module != Module::Atomic) {
        let name = spec.extern_name();
        let rest = declared
            .split_once(&format!("fn {name}("))
            .unwrap_or_else(|| panic!("{name} is not declared"))
            .1;
        let (arguments, rest) = rest.split_once(')').expect("an end");
        let types: Vec<_> = arguments
            .split(',')
            .filter_map(|argument| Some(argument.split_once(':')?.1.trim()))
            .collect();
        assert_eq!(types.len(), spec.operands.len(), "{name}");
        for (rust, ty) in types.iter().zip(spec.operands) {
            assert!(fits(rust, *ty), "{name}: {rust} for {ty:?}");
        }
        let result = rest.split_once(';').expect("an end").0.trim();
        match (result.strip_prefix("-> "), spec.result) {
            (None, None) => {}
            (Some(rust), Some(ty)) if fits(rust, ty) => {}
            other => panic!("{name}: {other:?}"),
        }
    }
}
