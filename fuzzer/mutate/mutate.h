// Makes a new input out of an old one: another schedule, another payload, or both.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "fuzzer/model/input.h"
#include "fuzzer/model/rng.h"
#include "fuzzer/model/schedule.h"

namespace weavefuzz {

// What a mutation may know. Nothing here changes what a given input does.
struct MutationContext {
  std::span<const Anchor> recent;      // places that threads really reached in the last run
  std::uint32_t threads = 0;           // how many threads it had
  std::span<const PolicyId> policies;  // which ones a new schedule may name; none: kRandom only
  // Mutates `size` bytes in place within `max_size` and returns the new size: LLVMFuzzerMutate or a
  // custom mutator of the harness. Null: payloads stay as they are.
  std::size_t (*mutate_payload)(std::uint8_t* data, std::size_t size, std::size_t max_size) = nullptr;
};

// Mutates the input in `data` and returns its new size, from 1 to `max_size` (0 only if that is 0).
// The result is always a well-formed input. REQUIRES: room for max(size, max_size) bytes.
//
// With size > max_size, as in libFuzzer's -minimize_crash, the result is a simpler input: fewer
// switches, a shorter seed, less payload. Bytes after the last well-formed schedule are dropped
// first, because libFuzzer leaves the end of longer inputs behind shorter ones.
//
// Where not everything fits, switches go first, then the length of the seed, then the end of the
// payload. The schedule goes as a whole only if it does not fit even without switches and payload:
// a finding survives a shorter payload more often than another interleaving.
std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t max_size, std::uint32_t seed,
                   const MutationContext& context);

// Crosses two inputs with the harness's own function for payloads, which returns how many bytes it wrote; the schedule
// is that of either. Returns the size of the input in `out`, or 0 if the harness made nothing.
using CrossPayloads = std::size_t (*)(const std::uint8_t* first, std::size_t first_size, const std::uint8_t* second,
                                      std::size_t second_size, std::uint8_t* out, std::size_t max_size, unsigned seed);
std::size_t cross_over(ByteView first, ByteView second, std::uint8_t* out, std::size_t max_size, std::uint32_t seed,
                       CrossPayloads cross_payloads);

// One way to change a schedule. Returns false, and changes nothing, where it does not apply.
struct ScheduleMutation {
  const char* name;
  std::uint32_t weight;  // how often it is tried, relative to the others
  bool (*apply)(Schedule& schedule, Rng& rng, const MutationContext& context);
};
std::span<const ScheduleMutation> schedule_mutations();

// What an empty schedule gets instead: a policy, and what that needs to differ from an empty one.
bool begin_schedule(Schedule& schedule, Rng& rng, const MutationContext& context);

}  // namespace weavefuzz
