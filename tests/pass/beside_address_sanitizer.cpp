// AddressSanitizer puts no redzones around our records and strings, and adds no accesses of its own.
// RUN: %clangxx %load -O0 -fsanitize=address -mllvm -weavefuzz-stats -S -emit-llvm -o - %s 2>&1 \
// RUN:   | %FileCheck --check-prefixes=CHECK,STRING %s
// RUN: %clangxx %load -O2 -fsanitize=address -mllvm -weavefuzz-stats -S -emit-llvm -o - %s 2>&1 \
// RUN:   | %FileCheck %s

// CHECK: 1 instrumented
// CHECK-DAG: @__weavefuzz_sites._Z5storev = private constant [1 x %weavefuzz.site] {{.*}}section "weavefuzz_sites", no_sanitize_address, no_sanitize_hwaddress, align 8
// STRING-DAG: @__weavefuzz_string{{.*}} = private unnamed_addr constant [7 x i8] c"shared\00", no_sanitize_address
// CHECK-DAG: @__weavefuzz_module = private global %weavefuzz.module {{.*}}section "weavefuzz_modules", no_sanitize_address, no_sanitize_hwaddress, align 8
int shared;
void store() { shared = 1; }
