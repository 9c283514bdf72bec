// What a pointer points to is named after the pointer; a reference has the name of what it refers to.
// RUN: %clangxx %load -O0 -g -S -emit-llvm -o - %s | %sites | %FileCheck %s
// RUN: %clangxx %load -O2 -g -S -emit-llvm -o - %s | %sites | %FileCheck %s

int* global;
struct Holder {
  int* target;
};

// CHECK-DAG: in _Z3all{{.*}}: Write 4 all {{.*}} [*pointer]
// CHECK-DAG: in _Z3all{{.*}}: Write 4 all {{.*}} [reference]
// CHECK-DAG: in _Z3all{{.*}}: Read 8 all {{.*}} [global]
// CHECK-DAG: in _Z3all{{.*}}: Write 4 all {{.*}} [*global]
// CHECK-DAG: in _Z3all{{.*}}: Write 4 all {{.*}} [*Holder::target]
// CHECK-DAG: in _Z3all{{.*}}: Write 4 all {{.*}} [array[]]
void all(int* pointer, int& reference, Holder* holder, int* array, int i) {
  *pointer = 1;
  reference = 2;
  *global = 3;
  *holder->target = 4;
  array[i] = 5;
}
