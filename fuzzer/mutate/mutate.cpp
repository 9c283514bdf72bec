#include "fuzzer/mutate/mutate.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace weavefuzz {
namespace {

// Of 32 calls 28 mutate the schedule and 8 the payload, 4 of them both. A payload has far more
// schedules than can be tried, each worth a run, and a harness may ignore its payload altogether;
// the mutants of a payload that do matter are kept and get schedules of their own.
constexpr std::uint64_t kCalls = 32;
constexpr std::uint64_t kPayloadOnly = 4;
constexpr std::uint64_t kBoth = 4;

constexpr int kTries = 16;
constexpr std::uint64_t kShortSeeds = 0x80;  // those of one byte

// An input in the making: its payload is at the front of `data`.
struct Draft {
  std::uint8_t* data;
  std::size_t payload_size;
  Schedule schedule;

  std::size_t size() const { return encoded_size({data, payload_size}, schedule); }
};

template <class Row>
const Row& any_row(std::span<const Row> rows, Rng& rng) {
  std::uint64_t total = 0;
  for (const Row& row : rows) total += row.weight;
  std::uint64_t at = rng.below(total);
  for (const Row& row : rows) {
    if (at < row.weight) return row;
    at -= row.weight;
  }
  return rows.back();
}

// --- Simpler inputs ---

bool drop_one_switch(Draft& draft, Rng& rng) {
  auto& switches = draft.schedule.switches;
  if (switches.empty()) return false;
  switches.erase(switches.begin() + static_cast<std::ptrdiff_t>(rng.below(switches.size())));
  return true;
}

bool drop_half_of_switches(Draft& draft, Rng& rng) {
  auto& switches = draft.schedule.switches;
  if (switches.empty()) return false;
  std::erase_if(switches, [&](const Switch&) { return rng.below(2) == 0; });
  return true;
}

bool drop_payload_bytes(Draft& draft, Rng& rng) {
  if (draft.payload_size == 0) return false;
  // A few bytes as often as many.
  const std::size_t most = std::max<std::size_t>(1, draft.payload_size >> rng.below(16));
  const std::size_t count = 1 + rng.below(most);
  const std::size_t begin = rng.below(draft.payload_size - count + 1);
  std::uint8_t* const hole = draft.data + begin;
  std::memmove(hole, hole + count, draft.payload_size - begin - count);
  draft.payload_size -= count;
  return true;
}

bool shorten_seed(Draft& draft, Rng& rng) {
  std::uint64_t& seed = draft.schedule.seed;
  if (seed == 0) return false;
  // Seeds are not related to each other: another short one is as good as a piece of this one.
  do seed >>= 7;
  while (seed >= kShortSeeds && rng.below(2) == 0);
  seed = rng.below(seed + 1);
  return true;
}

bool make_predictable(Draft& draft, Rng&) {
  if (draft.schedule.policy == PolicyId::kFollow && draft.schedule.seed == 0) return false;
  draft.schedule.policy = PolicyId::kFollow;
  draft.schedule.seed = 0;
  return true;
}

struct Simplification {
  const char* name;
  std::uint32_t weight;
  bool (*apply)(Draft& draft, Rng& rng);
};

constexpr std::array kSimplifications{
    Simplification{"drop a switch", 8, drop_one_switch},
    Simplification{"drop half of the switches", 2, drop_half_of_switches},
    Simplification{"drop payload bytes", 8, drop_payload_bytes},
    Simplification{"shorten the seed", 4, shorten_seed},
    Simplification{"make predictable", 2, make_predictable},
};

void simplify(Draft& draft, std::size_t max_size, Rng& rng) {
  bool simpler = false;
  for (int tries = 0; tries < kTries && (!simpler || draft.size() > max_size); ++tries)
    simpler |= any_row<Simplification>(kSimplifications, rng).apply(draft, rng);
}

// The end of the last well-formed schedule in `bytes`, or of `bytes` if there is none.
std::size_t end_of_last_schedule(ByteView bytes, Schedule& schedule) {
  for (std::size_t end = bytes.size(); end > 0; --end)
    if (decode(bytes.first(end), schedule).size() < end) return end;
  return bytes.size();
}

// --- Other inputs ---

void mutate_schedule(Schedule& schedule, Rng& rng, const MutationContext& context) {
  if (schedule.empty()) {
    begin_schedule(schedule, rng, context);
    return;
  }
  for (int tries = 0; tries < kTries; ++tries)
    if (any_row(schedule_mutations(), rng).apply(schedule, rng, context)) break;
  normalise(schedule);
}

void mutate_payload(Draft& draft, std::size_t max_size, const MutationContext& context) {
  if (context.mutate_payload == nullptr) return;
  const std::size_t schedule_size = draft.size() - draft.payload_size;
  const std::size_t room = schedule_size < max_size ? max_size - schedule_size : max_size;
  const std::size_t size = std::min(draft.payload_size, room);
  draft.payload_size = std::min(context.mutate_payload(draft.data, size, room), room);
}

// In the order that the header promises.
void fit(Draft& draft, std::size_t max_size, Rng& rng) {
  while (draft.size() > max_size && drop_one_switch(draft, rng)) {
  }
  if (draft.size() > max_size) draft.schedule.seed %= kShortSeeds;
  if (draft.size() - draft.payload_size > max_size) draft.schedule = {};
  const std::size_t reserved = draft.schedule.empty() ? 0 : draft.size() - draft.payload_size;
  draft.payload_size = std::min(draft.payload_size, max_size - reserved);
  // An empty schedule is written after some payloads and not after others.
  while (draft.size() > max_size) --draft.payload_size;
}

}  // namespace

std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t max_size, std::uint32_t seed,
                   const MutationContext& context) {
  if (max_size == 0) return 0;
  Rng rng(seed);
  Draft draft{.data = data, .payload_size = 0, .schedule = {}};
  const bool too_long = size > max_size;
  if (too_long) size = end_of_last_schedule({data, size}, draft.schedule);
  draft.payload_size = decode({data, size}, draft.schedule).size();

  if (too_long) {
    simplify(draft, max_size, rng);
  } else {
    const std::uint64_t call = rng.below(kCalls);
    if (call >= kPayloadOnly) mutate_schedule(draft.schedule, rng, context);
    if (call < kPayloadOnly + kBoth) mutate_payload(draft, max_size, context);
  }
  fit(draft, max_size, rng);

  // libFuzzer takes nothing for a failure and puts a blank in its place after a hundred more tries.
  if (draft.size() == 0) {
    begin_schedule(draft.schedule, rng, context);
    fit(draft, max_size, rng);
  }
  if (draft.size() == 0) data[draft.payload_size++] = ' ';
  return append_schedule(data, draft.payload_size, draft.schedule);
}

std::size_t cross_over(ByteView first, ByteView second, std::uint8_t* out, std::size_t max_size, std::uint32_t seed,
                       CrossPayloads cross_payloads) {
  Rng rng(seed);
  Draft draft{.data = out, .payload_size = 0, .schedule = {}};
  Schedule other;
  const ByteView first_payload = decode(first, draft.schedule);
  const ByteView second_payload = decode(second, other);
  if (rng.below(2) == 0) draft.schedule = other;
  const std::size_t schedule_size = draft.size();
  const std::size_t room = schedule_size < max_size ? max_size - schedule_size : max_size;
  draft.payload_size = std::min(cross_payloads(first_payload.data(), first_payload.size(), second_payload.data(),
                                               second_payload.size(), out, room, seed),
                                room);
  if (draft.payload_size == 0) return 0;
  fit(draft, max_size, rng);
  return append_schedule(out, draft.payload_size, draft.schedule);
}

}  // namespace weavefuzz
