//! Inline chains become subprograms and `inlinedAt`.

mod common;

use common::{Build, ptx};
use dialect_mir::{attributes::Param, ops::*};
use expect_test::expect;
use pliron::{
    combine::stream::position::SourcePosition,
    location::{Location, Source},
    op::Op,
};

fn frame(b: &Build, name: &str, file: &str, line: i32) -> Location {
    Location::Named {
        name: name.to_string(),
        child_loc: Box::new(Location::SrcPos {
            src: Source::new_from_file(&b.ctx, file),
            pos: SourcePosition { line, column: 5 },
        }),
    }
}

fn inlined(callee: Location, caller: Location) -> Location {
    Location::CallSite {
        callee: Box::new(callee),
        caller: Box::new(caller),
    }
}

#[test]
fn inline_chains() {
    let mut b = Build::new();
    let i32 = b.int(32);
    let pointer = b.ptr(i32, 0);
    b.location = frame(&b, "k::kernel", "/src/k.rs", 1);
    let args = b.kernel("kernel", vec![(pointer, Param::default())]);
    b.location = frame(&b, "k::kernel", "/src/k.rs", 2);
    let op = LoadOp::new(&mut b.ctx, args[0], i32, 4);
    let value = b.val(op.get_operation());
    // kernel calls middle, which calls leaf, all inlined.
    b.location = inlined(
        inlined(
            frame(&b, "core::leaf", "/rustc/library/core.rs", 10),
            frame(&b, "k::middle", "/src/k.rs", 20),
        ),
        frame(&b, "k::kernel", "/src/k.rs", 3),
    );
    let op = AddOp::new(&mut b.ctx, value, value, false);
    let sum = b.val(op.get_operation());
    // A body of a macro in another file, not inlined.
    b.location = frame(&b, "k::kernel", "/src/macros.rs", 4);
    let op = StoreOp::new(&mut b.ctx, sum, args[0], 4);
    b.add(op.get_operation());
    b.location = Location::Unknown;
    b.ret();
    let ll = b.export_with(&Default::default(), &Default::default());
    let from = ll.find("define").expect("a definition");
    expect![[r#"
        define ptx_kernel void @kernel(ptr %v0) !dbg !6 {
        entry:
          %v1 = load i32, ptr %v0, align 4, !dbg !7
          %v2 = add i32 %v1, %v1, !dbg !13
          store i32 %v2, ptr %v0, align 4, !dbg !16
          ret void
        }

        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!2, !3}
        !nvvm.annotations = !{!17}
        !0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !5, producer: "cuda-oxide", isOptimized: true, emissionKind: DebugDirectivesOnly)
        !1 = !DISubroutineType(types: !{})
        !2 = !{i32 2, !"Debug Info Version", i32 3}
        !3 = !{i32 2, !"Dwarf Version", i32 2}
        !4 = !DIFile(filename: "<unknown>", directory: "")
        !5 = !DIFile(filename: "k.rs", directory: "/src")
        !6 = distinct !DISubprogram(name: "kernel", scope: !5, file: !5, line: 1, type: !1, scopeLine: 1, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
        !7 = !DILocation(line: 2, column: 5, scope: !6)
        !8 = !DILocation(line: 3, column: 5, scope: !6)
        !9 = distinct !DISubprogram(name: "k::middle", scope: !5, file: !5, line: 20, type: !1, scopeLine: 20, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
        !10 = !DILocation(line: 20, column: 5, scope: !9, inlinedAt: !8)
        !11 = !DIFile(filename: "core.rs", directory: "/rustc/library")
        !12 = distinct !DISubprogram(name: "core::leaf", scope: !11, file: !11, line: 10, type: !1, scopeLine: 10, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
        !13 = !DILocation(line: 10, column: 5, scope: !12, inlinedAt: !10)
        !14 = !DIFile(filename: "macros.rs", directory: "/src")
        !15 = !DILexicalBlockFile(scope: !6, file: !14, discriminator: 0)
        !16 = !DILocation(line: 4, column: 5, scope: !15)
        !17 = !{ptr @kernel, !"kernel", i32 1}
    "#]].assert_eq(&ll[from..]);
    ptx(&ll);
}
