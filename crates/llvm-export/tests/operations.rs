//! The dialect document's 62 operations: parsed from pliron's text, exported, taken by LLVM.

use expect_test::expect;
use pliron::{
    builtin::ops::ModuleOp,
    context::Context,
    op::Op,
    operation::{Operation, verify_operation},
    parsable::parse_from_str,
    printable::Printable,
};

const MODULE: &str = include_str!("operations.pliron");

fn parse(ctx: &mut Context, text: &str) -> ModuleOp {
    let op = parse_from_str(Operation::top_level_parser(), ctx, text)
        .unwrap_or_else(|err| panic!("{}", err.disp(ctx)));
    verify_operation(op, ctx).unwrap_or_else(|err| panic!("{}", err.disp(ctx)));
    Operation::get_op::<ModuleOp>(op, ctx).expect("a module")
}

#[test]
fn a_module_in_text() {
    let ctx = &mut Context::new();
    let module = parse(ctx, MODULE);
    let options = llvm_export::ExportOptions {
        locations: false,
        ..Default::default()
    };
    // The other two are made by the lowering's tests: pliron's text of them says less than their attributes.
    for (_, id) in dialect_llvm::table::OPERATIONS {
        let name = id().to_string();
        let elsewhere = matches!(name.as_str(), "llvm.switch" | "llvm.inline_asm_multi");
        assert!(MODULE.contains(&name) || elsewhere, "{name}");
    }
    let ll = llvm_export::export(ctx, module, &options).unwrap_or_else(|err| panic!("{err}"));
    expect![[r#"
        target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
        target triple = "nvptx64-nvidia-cuda"

        @word = addrspace(1) global i32 7

        declare i32 @llvm.umax.i32(i32, i32)

        define void @callee(i32 %v0) {
        entry:
          ret void
        }

        define i32 @f(i32 %v0, float %v1, ptr %v2, i1 %v3) {
        entry:
          %v4 = add nsw i32 %v0, %v0
          %v5 = sub nuw i32 %v4, %v0
          %v6 = mul i32 %v5, %v0
          %v7 = shl i32 %v6, %v0
          %v8 = udiv i32 %v7, %v0
          %v9 = sdiv i32 %v8, %v0
          %v10 = urem i32 %v9, %v0
          %v11 = srem i32 %v10, %v0
          %v12 = lshr i32 %v11, %v0
          %v13 = ashr i32 %v12, %v0
          %v14 = and i32 %v13, %v0
          %v15 = or i32 %v14, %v0
          %v16 = xor i32 %v15, %v0
          %v17 = fadd float %v1, %v1
          %v18 = fsub contract float %v17, %v1
          %v19 = fmul nnan ninf float %v18, %v1
          %v20 = fdiv float %v19, %v1
          %v21 = fneg float %v20
          %v22 = zext i32 %v16 to i64
          %v23 = sext i32 %v16 to i64
          %v24 = trunc i64 %v23 to i8
          %v25 = fpext float %v21 to double
          %v26 = fptrunc double %v25 to float
          %v27 = sitofp i32 %v16 to float
          %v28 = uitofp i32 %v16 to float
          %v29 = fptosi float %v27 to i32
          %v30 = fptoui float %v28 to i32
          %v31 = ptrtoint ptr %v2 to i64
          %v32 = inttoptr i64 %v31 to ptr
          %v33 = addrspacecast ptr %v32 to ptr addrspace(1)
          %v34 = bitcast float %v27 to i32
          %v35 = alloca i32, align 4
          store i32 %v34, ptr %v35, align 4
          %v36 = load i32, ptr %v35, align 4
          %v37 = icmp slt i32 %v36, 0
          %v38 = select i1 %v37, i32 %v36, i32 undef
          ret i32 %v38
        }

        define void @g(i32 %v0, float %v1, ptr %v2, <4 x float> %v3) {
        entry:
          %v4 = extractelement <4 x float> %v3, i32 %v0
          %v5 = frem float %v4, %v1
          %v6 = fcmp olt float %v5, %v1
          br i1 %v6, label %bb1, label %bb2

        bb1:
          %v7 = getelementptr inbounds float, ptr %v2, i32 %v0
          %v8 = load atomic i32, ptr %v7 acquire, align 4
          store atomic i32 %v8, ptr %v7 release, align 4
          %v9 = atomicrmw umin ptr %v7, i32 %v8 seq_cst
          %v10 = cmpxchg ptr %v7, i32 %v9, i32 %v0 acq_rel monotonic
          fence seq_cst
          %v11 = extractvalue { i32, i1 } %v10, 0
          %v12 = insertvalue { i32, i1 } %v10, i32 %v11, 0
          call void @callee(i32 %v11)
          %v13 = call i32 @llvm.umax.i32(i32 %v11, i32 %v0)
          %v14 = call i32 asm "mov.u32 $0, %laneid;", "=r"()
          br label %bb2

        bb2:
          ret void
        }

        define void @h() {
        entry:
          unreachable
        }
    "#]]
    .assert_eq(&ll);
    let kernel = "
@keep = addrspace(1) externally_initialized global [3 x ptr] zeroinitializer
define ptx_kernel void @kernel() {
  store [3 x ptr] [ptr @f, ptr @g, ptr @h], ptr addrspace(1) @keep
  ret void
}
";
    let llvm = llvm_backend::Llvm::load().unwrap_or_else(|err| panic!("{err}"));
    let emitted = llvm.compile(&[("operations.ll", ll + kernel)], &Default::default());
    let ptx = emitted.unwrap_or_else(|err| panic!("{err}")).ptx;
    assert!(ptx.contains("atom.") && ptx.contains(".func"), "{ptx}");
}

/// What is printed parses again, and gives the same LLVM IR.
#[test]
fn print_and_parse() {
    let ctx = &mut Context::new();
    let module = parse(ctx, MODULE);
    let printed = module.get_operation().disp(ctx).to_string();
    let again = &mut Context::new();
    let reparsed = parse(again, &printed);
    let options = llvm_export::ExportOptions {
        locations: false,
        ..Default::default()
    };
    let first = llvm_export::export(ctx, module, &options).unwrap_or_else(|err| panic!("{err}"));
    let second =
        llvm_export::export(again, reparsed, &options).unwrap_or_else(|err| panic!("{err}"));
    assert_eq!(first, second);
}
