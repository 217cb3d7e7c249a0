//! Function types and call sites, from a piece of LLVM IR such as rustc prints.

use layout::llvm_text::{Callee, LlvmModule, LlvmTy};

const IR: &str = r#"; ModuleID = 'x'
source_filename = "x"

; x::f
; Function Attrs: noinline
define internal { i64, i1 } @_RNvCs1_1x1f(ptr dead_on_unwind noalias noundef writable sret([24 x i8]) align 8 captures(none) dereferenceable(24) %_0, i24 %x, i32 noundef range(i32 0, 2) %0, ptr %g) unnamed_addr #0 personality ptr @rust_eh_personality !dbg !5 {
start:
; call core::ptr::swap::<u32>
  call void @_RINvNtCs_4core3ptr4swapmE(ptr noundef %x, ptr noundef @alloc_1, i64 1) #15, !dbg !9
  %2 = call i128 @llvm.fshl.i128(i128 %x, i128 %x, i128 -1), !dbg !8
  %3 = tail call noundef i32 %g(i32 noundef 3) #3
  %4 = call i32 (ptr, ...) @printf(ptr noundef %x, i32 noundef 3), !dbg !8
  %5 = call i64 asm sideeffect "mov $1, $0", "=&r,r,~{memory}"(i64 %4), !dbg !8
  ret { i64, i1 } poison
}

declare void @"odd name"(i64 noundef, <4 x float>, ...) unnamed_addr #5

!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}
!5 = distinct !DISubprogram(name: "f<u32>", linkageName: "_RNvCs1_1x1f", scope: !6, file: !7, line: 3, type: !10)
!6 = !DINamespace(name: "x", scope: null)
!7 = !DIFile(filename: "src/x.rs", directory: "/home/me")
!8 = !DILocation(line: 4, column: 5, scope: !5)
!9 = !DILocation(line: 2029, column: 14, scope: !11, inlinedAt: !8)
!11 = distinct !DILexicalBlock(scope: !12, file: !13, line: 1, column: 2)
!12 = distinct !DISubprogram(name: "g", linkageName: "_RNv_g", scope: !6, file: !13, line: 9)
!13 = !DIFile(filename: "library/core/src/ptr/mod.rs", directory: "/rustc/5980")
"#;

#[test]
fn types_and_calls() {
    let m = LlvmModule::index(IR);
    let f = m
        .function("_RNvCs1_1x1f")
        .expect("it is understood")
        .expect("it is there");
    assert_eq!(f.ret, LlvmTy::Struct(vec![LlvmTy::Int(64), LlvmTy::Int(1)]));
    let types: Vec<_> = f.params.iter().map(|p| p.ty.clone()).collect();
    assert_eq!(
        types,
        [LlvmTy::Ptr, LlvmTy::Int(24), LlvmTy::Int(32), LlvmTy::Ptr]
    );
    assert_eq!(
        f.params[0].sret,
        Some(LlvmTy::Array(24, Box::new(LlvmTy::Int(8))))
    );
    assert_eq!(
        (f.params[0].align, f.params[0].dereferenceable),
        (Some(8), Some(24))
    );
    let odd = m
        .function("odd name")
        .expect("it is understood")
        .expect("it is there");
    assert!(odd.variadic);
    assert_eq!(odd.params[1].ty, LlvmTy::Vector(4, Box::new(LlvmTy::Float)));

    let calls = m
        .calls("_RNvCs1_1x1f")
        .expect("they are understood")
        .expect("there is a body");
    let callees: Vec<_> = calls.iter().map(|c| c.callee.clone()).collect();
    let symbol = |s: &str| Callee::Symbol(s.into());
    assert_eq!(
        callees,
        [
            symbol("_RINvNtCs_4core3ptr4swapmE"),
            symbol("llvm.fshl.i128"),
            Callee::Indirect,
            symbol("printf"),
            Callee::Asm
        ]
    );
    assert_eq!(calls[0].comment.as_deref(), Some("core::ptr::swap::<u32>"));
    let frames: Vec<_> = calls[0]
        .frames
        .iter()
        .map(|f| (f.file.as_str(), f.line, f.col))
        .collect();
    assert_eq!(
        frames,
        [
            ("/rustc/5980/library/core/src/ptr/mod.rs", 2029, 14),
            ("src/x.rs", 4, 5)
        ]
    );
    assert_eq!(
        calls[0].frames[1].linkage_name.as_deref(),
        Some("_RNvCs1_1x1f")
    );
    assert_eq!(calls[0].ty.params.len(), 3);
    assert!(calls[3].ty.variadic);
    assert!(calls[2].frames.is_empty());
    let s = m.subprogram("_RNvCs1_1x1f").expect("metadata");
    assert_eq!(
        (s.name.as_str(), s.file.as_str(), s.line),
        ("f<u32>", "src/x.rs", 3)
    );
    assert!(m.calls("odd name").expect("no error").is_none());
}

#[test]
fn what_is_not_known_is_an_error_with_its_line() {
    let m = LlvmModule::index("define x86_mmx @f() {\n  ret void\n}\n");
    let e = m.function("f").expect_err("no such type");
    assert_eq!(e.line, 1);
    assert!(
        e.what.contains("x86_mmx") || e.what.contains("expected a type"),
        "{e}"
    );
}

proptest::proptest! {
    /// No text makes the readers panic.
    #[test]
    fn mutated_text(edits in proptest::collection::vec((0..3000usize, 0..60usize, "[ -~é\n]{0,6}"), 1..8)) {
        let mut text = IR.to_string();
        for (at, n, new) in edits {
            let boundary = |i: usize| (0..=i.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
            let (a, b) = (boundary(at), boundary(at + n));
            text.replace_range(a..b.max(a), &new);
        }
        let m = LlvmModule::index(text.as_str());
        let names: Vec<String> = m.functions().map(|(n, _)| n.to_string()).collect();
        for n in names {
            let _ = m.function(&n);
            let _ = m.calls(&n);
            let _ = m.subprogram(&n);
        }
        let mut db = layout::LayoutDb::new("x");
        db.add_llvm_ir(text);
        for t in ["(u8, u8)", "E", "std::option::Option<u32>"] {
            let _ = db.layout(&rustc_mir::ty::Ty::parse(t).expect("a type"));
        }
    }
}
