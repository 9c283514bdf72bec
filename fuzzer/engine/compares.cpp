// Between instrumented code and libFuzzer's table of compared values, from which it takes bytes for new inputs. An
// address in there would make a campaign depend on where the kernel put things; as part of an input it is of no use.
#include <cstdint>

extern "C" {

void __real___sanitizer_cov_trace_cmp8(std::uint64_t first, std::uint64_t second);
void __real___sanitizer_cov_trace_const_cmp8(std::uint64_t constant, std::uint64_t value);

namespace {

// Programs that can be moved, their heap, libraries and stacks lie in the upper part of the 47 or 48 bits.
bool may_be_address(std::uint64_t value) { return (value >> 46) != 0 && (value >> 48) == 0; }

}  // namespace

// Tail calls: libFuzzer looks at who called.
void __wrap___sanitizer_cov_trace_cmp8(std::uint64_t first, std::uint64_t second) {
  if (may_be_address(first) || may_be_address(second)) return;
  [[clang::musttail]] return __real___sanitizer_cov_trace_cmp8(first, second);
}

void __wrap___sanitizer_cov_trace_const_cmp8(std::uint64_t constant, std::uint64_t value) {
  if (may_be_address(value)) return;
  [[clang::musttail]] return __real___sanitizer_cov_trace_const_cmp8(constant, value);
}
}
