// Entry points of instrumented code.
#include "instrumentation/abi/hooks.h"

#include "instrumentation/runtime/scheduler.h"

namespace weavefuzz::runtime {

extern "C" void __weavefuzz_access(const weavefuzz_site* site, const volatile void* address, std::uint32_t kind,
                                   std::uint64_t size) {
  Thread* thread = self;
  if (thread == nullptr) return;
  if (RawEvent* event = recorder.quick()) [[likely]] {
    *event = {site,
              reinterpret_cast<std::uintptr_t>(address),
              static_cast<std::uint32_t>(size),
              static_cast<std::uint16_t>(thread->id.value),
              static_cast<EventKind>(kind),
              false};
    return;
  }
  scheduler.reach({static_cast<EventKind>(kind), site, reinterpret_cast<std::uintptr_t>(address),
                   static_cast<std::uint32_t>(size), __builtin_return_address(0)});
}

extern "C" void __weavefuzz_yield(const weavefuzz_site* site) {
  if (self == nullptr) return;
  self->yields = true;
  scheduler.reach({.kind = EventKind::kYield, .site = site, .caller = __builtin_return_address(0)});
}

// Calling contexts are kept for coverage models that ask for them; none does yet.
extern "C" void __weavefuzz_enter(const weavefuzz_site*) {}
extern "C" void __weavefuzz_exit() {}

}  // namespace weavefuzz::runtime
