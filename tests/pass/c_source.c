// C works as C++ does: kinds, names and lines.
// RUN: %clang %load -O0 -g -S -emit-llvm -o - %s | %sites | %FileCheck %s
// RUN: %clang %load -O2 -g -S -emit-llvm -o - %s | %sites | %FileCheck %s

#include <stdatomic.h>

struct node {
  struct node* next;
  int value;
};
static atomic_int hits;

// CHECK-DAG: in push: AtomicUpdate 4 push c_source.c:[[#@LINE+4]]:3 [hits]
// CHECK-DAG: in push: Write 4 push c_source.c:[[#@LINE+4]]:15 [node::value]
// CHECK-DAG: in push: Write 8 push c_source.c:[[#@LINE+4]]:14 [node::next]
void push(struct node* node, struct node* next) {
  atomic_fetch_add(&hits, 1);
  node->value = 1;
  node->next = next;
}
int read_hits(void) { return atomic_load(&hits); }
