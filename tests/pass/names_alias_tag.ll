; Without debug information a field is named after the class in its alias tag, or in its address.
; RUN: %opt -passes=weavefuzz -S %s | %sites | %FileCheck %s

%"class.bank::Account.3" = type { i32, i32 }

; CHECK: in by_tag: Read 4 by_tag {{.*}} [Account]
define i32 @by_tag(ptr %p) {
  %field = getelementptr i8, ptr %p, i64 4
  %v = load i32, ptr %field, !tbaa !0
  ret i32 %v
}
; CHECK: in by_type: Read 4 by_type {{.*}} [bank::Account]
define i32 @by_type(ptr %p) {
  %field = getelementptr %"class.bank::Account.3", ptr %p, i32 0, i32 1
  %v = load i32, ptr %field
  ret i32 %v
}
; CHECK: in unknown: Read 4 unknown {{.*}} []
define i32 @unknown(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}
!0 = !{!1, !2, i64 4}
!1 = !{!"_ZTS7Account", !2, i64 0, !2, i64 4}
!2 = !{!"int", !3, i64 0}
!3 = !{!"omnipotent char", !4, i64 0}
!4 = !{!"Simple C++ TBAA"}
