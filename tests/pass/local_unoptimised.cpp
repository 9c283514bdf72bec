// Variables that stay in their function have no hooks at -O0 either.
// RUN: %clangxx %load -O0 -g -mllvm -weavefuzz-stats -S -emit-llvm -o - %s 2>&1 | %FileCheck %s

// CHECK: accesses, 0 instrumented, skipped {{[1-9][0-9]*}} local, 1 constant, 0 compiler, 0 ignored
struct Pair {
  int a, b;
};
int sum(int n) {
  Pair pair{1, 2};
  int array[3] = {n, n, n};
  int total = 0;
  for (int i = 0; i < n; ++i) total += pair.a + pair.b + array[i % 3];
  return total;
}
