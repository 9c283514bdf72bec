// Where libstdc++ counts who waits on a std::atomic. Its own table has sixteen entries, chosen by a hash of the
// atomic's address: which atomics share one, and so whom a notification wakes, would depend on where the heap put them.
// In a run each has an entry of its own instead, in order of first use. The pass takes the library's function out of
// the program, so that it calls the one here.
#include <atomic>

#include "instrumentation/runtime/interpose.h"

namespace weavefuzz::runtime {

namespace {

using Entry = std::__detail::__waiter_pool_base;

constexpr std::size_t kEntries = 1024;

Entry entries[kEntries];
std::uintptr_t addresses[kEntries];  // that they are for; 0: memory that was freed
std::size_t used = 0;
Entry shared[16];  // for threads that are not under control

// The library's own table. It is there if objects that were not compiled with the pass use it: then all must.
extern "C" __attribute__((weak)) Entry library_entries[16] asm("_ZZNSt8__detail18__waiter_pool_base6_S_forEPKvE3__w");

std::size_t hash(std::uintptr_t address) { return (address >> 2) % 16; }

}  // namespace

void begin_waiter_pool() {
  for (std::size_t i = 0; i < used; ++i) entries[i] = {};
  used = 0;
}

void forget_waiters(std::uintptr_t begin, std::size_t size) {
  for (std::size_t i = 0; i < used; ++i)
    if (addresses[i] - begin < size) addresses[i] = 0;
}

// std::__detail::__waiter_pool_base::_S_for
Entry& entry_for(const void* memory) noexcept asm("_ZNSt8__detail18__waiter_pool_base6_S_forEPKv");
Entry& entry_for(const void* memory) noexcept {
  const std::uintptr_t address = address_of(memory);
  if (&library_entries[0] != nullptr) return library_entries[hash(address)];
  // A thread outside the run and one in it must agree.
  if (self == nullptr || scheduler.has_outsiders()) return shared[hash(address)];
  for (std::size_t i = used; i-- > 0;)
    if (addresses[i] == address) return entries[i];
  if (used == kEntries) return shared[0];
  addresses[used] = address;
  return entries[used++];
}

}  // namespace weavefuzz::runtime
