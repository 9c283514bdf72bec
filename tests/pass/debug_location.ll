; A hook has the location of its access, or line 0 of the function if the access has none.
; RUN: %opt -passes=weavefuzz -S %s | %FileCheck %s

@shared = global i32 0
; CHECK-LABEL: define void @f()
; CHECK-NEXT: call void @__weavefuzz_access({{.*}}), !dbg [[HERE:![0-9]+]]
; CHECK-NEXT: store i32 1, ptr @shared, align 4, !dbg [[HERE]]
; CHECK-NEXT: call void @__weavefuzz_access({{.*}}), !dbg [[NOWHERE:![0-9]+]]
; CHECK-NEXT: store i32 2, ptr @shared
; CHECK-DAG: [[HERE]] = !DILocation(line: 7, column: 3, scope: [[F:![0-9]+]])
; CHECK-DAG: [[NOWHERE]] = !DILocation(line: 0, scope: [[F]])
define void @f() !dbg !4 {
  store i32 1, ptr @shared, align 4, !dbg !6
  store i32 2, ptr @shared, align 4
  ret void, !dbg !6
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "f", file: !1, line: 5, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 7, column: 3, scope: !4)
