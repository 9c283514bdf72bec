#include "instrumentation/runtime/sites.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "instrumentation/runtime/recorder.h"
#include "instrumentation/runtime/runtime.h"

namespace weavefuzz::runtime {

namespace {

// A copy of a library's sites and their texts, for events that outlive it. One for each content: a library that is
// opened and closed again and again has one.
struct Copy {
  Copy* next;
  std::uint64_t hash;
  std::size_t count;
  weavefuzz_site sites[];
};
Copy* copies = nullptr;

struct Range {
  const weavefuzz_site* sites_begin;
  const weavefuzz_site* sites_end;
  const weavefuzz_module* modules_begin;
  const weavefuzz_module* modules_end;
  const Copy* copy = nullptr;  // of a library that may be closed

  std::size_t count() const { return static_cast<std::size_t>(sites_end - sites_begin); }
  bool contains(const weavefuzz_site* site) const { return site >= sites_begin && site < sites_end; }
};

// The executable and its shared libraries, in the order in which the loader ran their constructors: the first
// `linked_count` belong to the program as it was linked, the others were opened later. Pages that are never touched
// cost nothing.
constexpr std::size_t kMaxRanges = std::size_t{1} << 16;
Range ranges[kMaxRanges];
std::size_t range_count = 0;
std::size_t linked_count = 0;
bool program_is_complete = false;

// The only modules that matter when a thread starts.
constexpr std::size_t kMaxResets = std::size_t{1} << 16;
void (*resets[kMaxResets])();
std::size_t reset_count = 0;

// In which order libraries are opened may differ from process to process. So their sites are numbered by key.
constexpr std::uint32_t kByKey = 0x8000'0000U;

// Libraries may be opened and closed by threads that are not under control.
class Lock {
 public:
  Lock() {
    while (__atomic_exchange_n(&taken, true, __ATOMIC_ACQUIRE)) {
    }
  }
  ~Lock() { __atomic_store_n(&taken, false, __ATOMIC_RELEASE); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  static inline bool taken = false;
};

[[noreturn]] void stop(const char* message, std::size_t length) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message, length);
  _exit(1);
}
#define WEAVEFUZZ_STOP(message) stop(message, sizeof(message) - 1)

// What is loaded at `address`; nullptr if nothing is.
const void* library_at(const void* address) {
  dl_find_object found{};
  return _dl_find_object(const_cast<void*>(address), &found) == 0 ? found.dlfo_link_map : nullptr;
}

const char* text_at(const weavefuzz_site& site, std::int32_t offset) {
  return offset == 0 ? nullptr : reinterpret_cast<const char*>(&site) + offset;
}

// Everything of a site that is not a text is part of its key, or says where it is.
std::uint64_t hash_of(const Range& range) {
  std::uint64_t hash = 0;
  const auto add = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x9E37'79B9'7F4A'7C15U; };
  for (const weavefuzz_site* site = range.sites_begin; site != range.sites_end; ++site) {
    add(std::uint64_t{site->key} << 32 | site->line);
    add(std::uint64_t{site->size} << 32 | std::uint64_t{site->column} << 16 | std::uint64_t{site->kind} << 8 |
        site->flags);
  }
  return hash;
}

constexpr std::int32_t weavefuzz_site::* kTexts[] = {&weavefuzz_site::function, &weavefuzz_site::file,
                                                     &weavefuzz_site::variable};

// nullptr if there is no memory: the sites are then forgotten with the library.
const Copy* copy_of(const Range& range) {
  const std::uint64_t hash = hash_of(range);
  for (const Copy* copy = copies; copy != nullptr; copy = copy->next)
    if (copy->hash == hash && copy->count == range.count()) return copy;
  std::size_t size = sizeof(Copy) + range.count() * sizeof(weavefuzz_site);
  for (const weavefuzz_site* site = range.sites_begin; site != range.sites_end; ++site)
    for (const auto text : kTexts)
      if (const char* from = text_at(*site, site->*text)) size += std::strlen(from) + 1;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* copy = static_cast<Copy*>(memory);
  copy->next = copies;
  copy->hash = hash;
  copy->count = range.count();
  char* end = reinterpret_cast<char*>(copy->sites + copy->count);
  for (std::size_t i = 0; i < copy->count; ++i) {
    copy->sites[i] = range.sites_begin[i];
    for (const auto text : kTexts) {
      const char* from = text_at(range.sites_begin[i], range.sites_begin[i].*text);
      if (from == nullptr) continue;
      copy->sites[i].*text = static_cast<std::int32_t>(end - reinterpret_cast<char*>(&copy->sites[i]));
      while ((*end++ = *from++) != '\0') {
      }
    }
  }
  copies = copy;
  return copy;
}

void collect_resets() {
  reset_count = 0;
  for (std::size_t i = 0; i < range_count; ++i)
    for (const weavefuzz_module* module = ranges[i].modules_begin; module != ranges[i].modules_end; ++module) {
      if (module->reset_thread_locals == nullptr) continue;
      if (reset_count == kMaxResets) WEAVEFUZZ_STOP("weavefuzz: too many source files with thread_local variables\n");
      resets[reset_count++] = module->reset_thread_locals;
    }
}

void add(Range range) {
  const Lock lock;
  for (std::size_t i = 0; i < range_count; ++i)
    if (ranges[i].modules_begin == range.modules_begin) return;
  for (const weavefuzz_module* module = range.modules_begin; module != range.modules_end; ++module)
    if (module->abi_version != WEAVEFUZZ_ABI_VERSION)
      WEAVEFUZZ_STOP(
          "weavefuzz: an object file was compiled by another version of weavefuzz-clang\n"
          "  try: compile everything again with this one\n");
  if (range_count == kMaxRanges) WEAVEFUZZ_STOP("weavefuzz: too many instrumented shared libraries (65536)\n");
  if (program_is_complete) range.copy = copy_of(range);
  ranges[range_count++] = range;
  if (!program_is_complete) linked_count = range_count;
  // The loader begins with the libraries that the executable needs and ends with the executable itself.
  if (library_at(range.modules_begin) == library_at(&ranges)) program_is_complete = true;
  collect_resets();
}

}  // namespace

void end_of_linked_program() {
  const Lock lock;
  program_is_complete = true;
}

void forget_closed_libraries() {
  const Lock lock;
  const std::size_t before = range_count;
  for (std::size_t i = linked_count; i < range_count;) {
    const Range& range = ranges[i];
    if (library_at(range.modules_begin) != nullptr) {
      ++i;
      continue;
    }
    recorder.replace_sites(range.sites_begin, range.sites_end, range.copy == nullptr ? nullptr : range.copy->sites);
    std::copy(ranges + i + 1, ranges + range_count, ranges + i);
    --range_count;
  }
  if (range_count != before) collect_resets();
}

void reset_instrumented_thread_locals() {
  for (std::size_t i = 0; i < reset_count; ++i) resets[i]();
}

Instrumentation instrumentation() {
  Instrumentation sum;
  for (std::size_t i = 0; i < range_count; ++i) {
    sum.sites += ranges[i].count();
    for (const weavefuzz_module* module = ranges[i].modules_begin; module != ranges[i].modules_end; ++module) {
      sum.instrumented += module->instrumented;
      for (std::size_t reason = 0; reason < WEAVEFUZZ_SKIP_REASONS; ++reason)
        sum.skipped[reason] += module->skipped[reason];
    }
  }
  return sum;
}

std::uint32_t site_number(const weavefuzz_site* site) {
  std::uint32_t base = 0;
  for (std::size_t i = 0; i < linked_count; ++i) {
    if (ranges[i].contains(site)) return base + static_cast<std::uint32_t>(site - ranges[i].sites_begin);
    base += static_cast<std::uint32_t>(ranges[i].count());
  }
  return kByKey | site->key;
}

const weavefuzz_site* site_at(std::uint32_t number) {
  if ((number & kByKey) != 0) {
    for (const Copy* copy = copies; copy != nullptr; copy = copy->next)
      for (std::size_t i = 0; i < copy->count; ++i)
        if ((kByKey | copy->sites[i].key) == number) return &copy->sites[i];
    return nullptr;
  }
  for (std::size_t i = 0; i < linked_count; ++i) {
    if (number < ranges[i].count()) return ranges[i].sites_begin + number;
    number -= static_cast<std::uint32_t>(ranges[i].count());
  }
  return nullptr;
}

extern "C" void __weavefuzz_register(const weavefuzz_site* sites_begin, const weavefuzz_site* sites_end,
                                     const weavefuzz_module* modules_begin, const weavefuzz_module* modules_end) {
  add({sites_begin, sites_end, modules_begin, modules_end});
}

}  // namespace weavefuzz::runtime
