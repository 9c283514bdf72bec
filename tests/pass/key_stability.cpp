// Keys do not change when lines move, when other code is added, or with the folder of the file.
// RUN: mkdir -p %t.a %t.b && cp %s %t.a/x.cpp && (printf '\n\nint another;\nvoid more() { another = 1; }\n'; cat %s) > %t.b/x.cpp
// RUN: %clangxx %load -O0 -g -S -emit-llvm -o - %t.a/x.cpp | %sites | sed 's/x.cpp:[0-9]*//' > %t.1
// RUN: (cd %t.b && %clangxx %load -O0 -g -S -emit-llvm -o - x.cpp) | %sites | grep -v more | sed 's/x.cpp:[0-9]*//' > %t.2
// RUN: test -s %t.1 && diff %t.1 %t.2
// RUN: %clangxx %load -O0 -S -emit-llvm -o - %s | %sites | sed 's/.*key=//' | sort | uniq -d | %FileCheck --allow-empty --check-prefix=NONE %s

int shared;
static void in_this_file() {
  ++shared;
  ++shared;
  shared = 3;
}
void outside() {
  in_this_file();
  ++shared;
}
// No key occurs twice.
// NONE-NOT: {{.}}
