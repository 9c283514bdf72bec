// The module record names a function that gives each thread_local variable its initial value again.
// RUN: %clangxx %load -O0 -S -emit-llvm -o - %s | %FileCheck %s
// RUN: %clangxx %load -O2 -S -emit-llvm -o - %s | %FileCheck --check-prefix=O2 %s

struct Object {
  Object();
  ~Object();
  int field;
};
thread_local int zero;
thread_local int seven = 7;
inline thread_local int shared_between_files = 8;
thread_local Object object;
extern thread_local int elsewhere;
thread_local int __sancov_lowest_stack_;

// CHECK-DAG: @__weavefuzz_initial.seven = private unnamed_addr constant i32 7
// CHECK-DAG: @__weavefuzz_initial.shared_between_files = private unnamed_addr constant i32 8
// CHECK-DAG: @__weavefuzz_module = private global %weavefuzz.module { {{.*}}, ptr @__weavefuzz_reset_thread_locals }
// CHECK-LABEL: define internal void @__weavefuzz_reset_thread_locals() #[[#RESET:]]
// CHECK-NOT: @elsewhere
// CHECK-NOT: @__sancov
// CHECK-NOT: call void @__weavefuzz_access
// CHECK-DAG: [[ZERO:%.*]] = call {{.*}}ptr @llvm.threadlocal.address.p0(ptr {{.*}}@zero)
// CHECK-DAG: call void @llvm.memset.p0.i64(ptr {{.*}}[[ZERO]], i8 0, i64 4, i1 false)
// CHECK-DAG: [[SEVEN:%.*]] = call {{.*}}ptr @llvm.threadlocal.address.p0(ptr {{.*}}@seven)
// CHECK-DAG: call void @llvm.memcpy.p0.p0.i64(ptr {{.*}}[[SEVEN]], ptr {{.*}}@__weavefuzz_initial.seven, i64 4, i1 false)
// CHECK-DAG: @llvm.threadlocal.address.p0(ptr {{.*}}@shared_between_files)
// CHECK-DAG: @llvm.threadlocal.address.p0(ptr {{.*}}@object)
// CHECK-DAG: @llvm.threadlocal.address.p0(ptr {{.*}}@__tls_guard)
// CHECK: attributes #[[#RESET]] = { {{.*}}disable_sanitizer_instrumentation{{.*}}noinline
// O2: define internal void @__weavefuzz_reset_thread_locals()
// O2: store i32 7, ptr
int use() { return zero + seven + shared_between_files + object.field + elsewhere; }
