; Two levels of inlining, and a function that stays.
define ptx_kernel void @k(ptr %p, i32 %n) !dbg !10 {
entry:
  %i = load i32, ptr %p, align 4, !dbg !20
  %a = call i32 @outer(i32 %i), !dbg !21
  %b = call i32 @stays(i32 %a, i32 %n), !dbg !22
  store i32 %b, ptr %p, align 4, !dbg !23
  ret void, !dbg !24
}
define i32 @outer(i32 %x) alwaysinline !dbg !11 {
  %y = call i32 @inner(i32 %x), !dbg !25
  %z = mul i32 %y, %x, !dbg !26
  ret i32 %z, !dbg !26
}
define i32 @inner(i32 %x) alwaysinline !dbg !12 {
  %y = xor i32 %x, 1193046, !dbg !27
  ret i32 %y, !dbg !27
}
define i32 @stays(i32 %x, i32 %n) noinline !dbg !13 {
  %c = icmp ugt i32 %n, 7, !dbg !28
  br i1 %c, label %more, label %done, !dbg !28
more:
  %q = udiv i32 %x, %n, !dbg !29
  ret i32 %q, !dbg !29
done:
  ret i32 %x, !dbg !30
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, producer: "test", isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "kernel.rs", directory: "/src")
!2 = !{i32 2, !"Dwarf Version", i32 2}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DIFile(filename: "/lib/helper.rs", directory: "/src")
!5 = !DISubroutineType(types: !{})
!6 = !DINamespace(name: "app", scope: null)
!7 = !DINamespace(name: "helper", scope: !6)
!10 = distinct !DISubprogram(name: "k", scope: !6, file: !1, line: 1, type: !5, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !0)
!11 = distinct !DISubprogram(name: "outer", scope: !7, file: !4, line: 11, type: !5, scopeLine: 11, spFlags: DISPFlagDefinition, unit: !0)
!12 = distinct !DISubprogram(name: "inner", scope: !7, file: !4, line: 21, type: !5, scopeLine: 21, spFlags: DISPFlagDefinition, unit: !0)
!13 = distinct !DISubprogram(name: "stays", scope: !7, file: !4, line: 31, type: !5, scopeLine: 31, spFlags: DISPFlagDefinition, unit: !0)
!14 = distinct !DILexicalBlock(scope: !11, file: !4, line: 12)
!20 = !DILocation(line: 2, column: 13, scope: !10)
!21 = !DILocation(line: 3, column: 5, scope: !10)
!22 = !DILocation(line: 4, column: 9, scope: !10)
!23 = !DILocation(line: 5, column: 1, scope: !10)
!24 = !DILocation(line: 6, column: 1, scope: !10)
!25 = !DILocation(line: 12, column: 17, scope: !14)
!26 = !DILocation(line: 13, column: 19, scope: !11)
!27 = !DILocation(line: 22, column: 23, scope: !12)
!28 = !DILocation(line: 32, column: 8, scope: !13)
!29 = !DILocation(line: 33, column: 10, scope: !13)
!30 = !DILocation(line: 34, column: 12, scope: !13)
