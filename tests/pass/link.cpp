// The records of two linked objects form one table without gaps, whatever else goes into the link.
// RUN: %clangxx -DRUNTIME -I%S/../.. -O1 -c -o %t.runtime.o %s
// RUN: for flags in -O0 -O2 "-O2 -ffunction-sections -Wl,--gc-sections" "-O0 -fno-pie -no-pie" \
// RUN:     "-O1 -fsanitize=address,fuzzer-no-link" "-O1 -fsanitize=undefined" "-O2 -fsanitize=thread"; do \
// RUN:   %clangxx %load -Wno-unused-command-line-argument -g $flags -c -o %t.1.o %s && \
// RUN:   %clangxx %load -Wno-unused-command-line-argument -g -DSECOND $flags -c -o %t.2.o %s && \
// RUN:   %clangxx -g $flags -o %t.exe %t.1.o %t.2.o %t.runtime.o && %t.exe | %FileCheck %s || exit 1; \
// RUN:   if command -v ld.lld > /dev/null; then \
// RUN:     %clangxx -g $flags -fuse-ld=lld -o %t.exe %t.1.o %t.2.o %t.runtime.o && %t.exe | %FileCheck %s || exit 1; \
// RUN:   fi; done

#ifdef RUNTIME
#include <cstdio>
#include <cstring>

#include "instrumentation/abi/hooks.h"

namespace {
const weavefuzz_site* first;
const weavefuzz_site* last;
}  // namespace

extern "C" void __weavefuzz_register(const weavefuzz_site* begin, const weavefuzz_site* end,
                                     const weavefuzz_module* modules, const weavefuzz_module* stop) {
  first = begin;
  last = end;
  // CHECK: 0 bytes too many, 0 bytes too many, 2 modules
  std::printf("%zu bytes too many, ", (reinterpret_cast<const char*>(end) -
                                       reinterpret_cast<const char*>(begin)) % sizeof *begin);
  std::printf("%zu bytes too many, %d modules\n",
              (reinterpret_cast<const char*>(stop) - reinterpret_cast<const char*>(modules)) %
                  sizeof *modules, static_cast<int>(stop - modules));
  for (const weavefuzz_site* site = begin; site < end; ++site)
    if (site->key == 0 || site->kind >= WEAVEFUZZ_EVENT_KINDS || site->reserved != 0)
      std::puts("broken record");
}
extern "C" void __weavefuzz_access(const weavefuzz_site* site, const volatile void*, uint32_t kind,
                                   uint64_t) {
  if (site < first || site >= last || site->kind != kind) std::puts("not a site");
  const char* base = reinterpret_cast<const char*>(site);
  if (site->variable != 0 && std::strncmp(base + site->variable, "shared", 6) == 0)
    std::printf("%s %s\n", base + site->function, base + site->variable);
}
// CHECK-NOT: broken record
// CHECK-NOT: not a site
// CHECK: from_first shared_one
// CHECK: from_second shared_two
// CHECK: in_both<int> shared_three
// CHECK: in_both<int> shared_three
// CHECK-NOT: not a site
#else
extern int shared_one, shared_two;
int from_second();
inline int shared_three;
template <class T>
__attribute__((noinline)) T in_both() {
  return shared_three;
}
#ifdef SECOND
int shared_two;
void never_called() { shared_one = 2; }
int from_second() { return shared_two + in_both<int>(); }
#else
int shared_one;
int from_first() { return shared_one; }
int main() { return from_first() + from_second() + in_both<int>(); }
#endif
#endif
