//! The dialect document's vecadd, in its shape.

mod common;

use common::{Build, ptx};
use dialect_mir::{attributes::Param, ops::*};
use expect_test::expect;
use pliron::op::Op;

fn vecadd(b: &mut Build) {
    let f32 = b.f32();
    let slice = b.slice(f32);
    let disjoint = dialect_mir::types::DisjointSliceType::get(&b.ctx, f32).into();
    b.at(5, 1);
    let args = b.kernel(
        "vecadd",
        vec![
            (slice, Param::default()),
            (slice, Param::default()),
            (disjoint, Param::default()),
        ],
    );
    b.at(6, 13);
    let i32 = b.int(32);
    let sreg = |b: &mut Build, name: &str| {
        let op = CallOp::new(
            &mut b.ctx,
            &format!("__nvvm_read_ptx_sreg_{name}"),
            vec![],
            Some(i32),
        );
        b.val(op.get_operation())
    };
    let tid = sreg(b, "tid_x");
    let ntid = sreg(b, "ntid_x");
    let ctaid = sreg(b, "ctaid_x");
    let op = MulOp::new(&mut b.ctx, ctaid, ntid, false);
    let base = b.val(op.get_operation());
    let op = AddOp::new(&mut b.ctx, base, tid, false);
    let index = b.val(op.get_operation());
    let i64 = b.int(64);
    let op = CastOp::new(
        &mut b.ctx,
        index,
        i64,
        dialect_mir::attributes::CastKindAttr::ZExt,
    );
    let index = b.val(op.get_operation());
    let op = ExtractFieldOp::new(&mut b.ctx, args[2], 1);
    let len = b.val(op.get_operation());
    let op = LtOp::new(&mut b.ctx, index, len, false);
    let inside = b.val(op.get_operation());
    let work = b.new_block(vec![]);
    let done = b.new_block(vec![]);
    let op = CondBrOp::new(&mut b.ctx, inside, (work, vec![]), (done, vec![]));
    b.add(op.get_operation());
    b.block = Some(work);
    b.at(7, 9);
    let element = |b: &mut Build, slice| {
        let op = ExtractFieldOp::new(&mut b.ctx, slice, 0);
        let pointer = b.val(op.get_operation());
        let op = ArrayElementAddrOp::new(&mut b.ctx, pointer, index, f32, 4);
        b.val(op.get_operation())
    };
    let (pa, pb, pc) = (
        element(b, args[0]),
        element(b, args[1]),
        element(b, args[2]),
    );
    let op = LoadOp::new(&mut b.ctx, pa, f32, 4);
    let va = b.val(op.get_operation());
    let op = LoadOp::new(&mut b.ctx, pb, f32, 4);
    let vb = b.val(op.get_operation());
    let op = AddOp::new(&mut b.ctx, va, vb, false);
    let sum = b.val(op.get_operation());
    let op = StoreOp::new(&mut b.ctx, sum, pc, 4);
    b.add(op.get_operation());
    let op = GotoOp::new(&mut b.ctx, done, vec![]);
    b.add(op.get_operation());
    b.block = Some(done);
    b.ret();
}

#[test]
fn has_the_documents_shape() {
    let mut b = Build::new();
    vecadd(&mut b);
    let ll = b.export();
    expect![[r#"
        target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
        target triple = "nvptx64-nvidia-cuda"

        declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
        declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
        declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

        define ptx_kernel void @vecadd(ptr addrspace(1) %v0, i64 %v1, ptr addrspace(1) %v2, i64 %v3, ptr addrspace(1) %v4, i64 %v5) {
        entry:
          %v6 = addrspacecast ptr addrspace(1) %v0 to ptr
          %v7 = addrspacecast ptr addrspace(1) %v2 to ptr
          %v8 = addrspacecast ptr addrspace(1) %v4 to ptr
          %v9 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
          %v10 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
          %v11 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
          %v12 = mul i32 %v11, %v10
          %v13 = add i32 %v12, %v9
          %v14 = zext i32 %v13 to i64
          %v15 = icmp ult i64 %v14, %v5
          br i1 %v15, label %bb1, label %bb2

        bb1:
          %v16 = getelementptr inbounds nuw float, ptr %v6, i64 %v14
          %v17 = getelementptr inbounds nuw float, ptr %v7, i64 %v14
          %v18 = getelementptr inbounds nuw float, ptr %v8, i64 %v14
          %v19 = load float, ptr %v16, align 4
          %v20 = load float, ptr %v17, align 4
          %v21 = fadd float %v19, %v20
          store float %v21, ptr %v18, align 4
          br label %bb2

        bb2:
          ret void
        }

        !nvvm.annotations = !{!0}
        !0 = !{ptr @vecadd, !"kernel", i32 1}
    "#]].assert_eq(&ll);
    let ptx = ptx(&ll);
    for instruction in ["%tid.x", "ld.global", "add.rn.f32", "st.global"] {
        assert!(ptx.contains(instruction), "{instruction} in {ptx}");
    }
}

#[test]
fn has_locations() {
    let mut b = Build::new();
    vecadd(&mut b);
    let ll = b.export_with(&Default::default(), &Default::default());
    let debug = &ll[ll.find("\n!").expect("metadata")..];
    expect![[r#"

        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!2, !3}
        !nvvm.annotations = !{!10}
        !0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !5, producer: "cuda-oxide", isOptimized: true, emissionKind: DebugDirectivesOnly)
        !1 = !DISubroutineType(types: !{})
        !2 = !{i32 2, !"Debug Info Version", i32 3}
        !3 = !{i32 2, !"Dwarf Version", i32 2}
        !4 = !DIFile(filename: "<unknown>", directory: "")
        !5 = !DIFile(filename: "kernel.rs", directory: "/src")
        !6 = distinct !DISubprogram(name: "vecadd", scope: !5, file: !5, line: 5, type: !1, scopeLine: 5, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
        !7 = !DILocation(line: 5, column: 1, scope: !6)
        !8 = !DILocation(line: 6, column: 13, scope: !6)
        !9 = !DILocation(line: 7, column: 9, scope: !6)
        !10 = !{ptr @vecadd, !"kernel", i32 1}
    "#]].assert_eq(debug);
    ptx(&ll);
}

/// Identical input gives identical bytes, in another context too.
#[test]
fn is_deterministic() {
    let text = || {
        let mut b = Build::new();
        vecadd(&mut b);
        b.export_with(&Default::default(), &Default::default())
    };
    assert_eq!(text(), text());
}
