#include "instrumentation/runtime/spinning.h"

#include <algorithm>

namespace weavefuzz::runtime {

namespace {

enum class Effect : std::uint8_t {
  kNone,       // looks at something, or at nothing
  kPerhaps,    // changes memory, unless it leaves the value as it was
  kTakesLock,  // a lock that is given back in the same round is no change
  kGivesLock,
  kUnseen,  // cannot be known
  kChange,
};

Effect effect_of(const RawEvent& event) {
  if (event.futile) return Effect::kNone;
  const bool has_value = event.address != 0 && event.size > 0 && event.size <= Circle::kLargestValue;
  switch (event.kind) {
    case EventKind::kYield:
    case EventKind::kReadClock:
    case EventKind::kFence: return Effect::kNone;
    case EventKind::kRead:
    case EventKind::kAtomicRead:
    case EventKind::kRangeRead: return event.address != 0 ? Effect::kNone : Effect::kChange;
    case EventKind::kWrite:
    case EventKind::kAtomicWrite:
    case EventKind::kAtomicUpdate:
    case EventKind::kCompareExchange: return has_value ? Effect::kPerhaps : Effect::kChange;
    case EventKind::kLock:
    case EventKind::kTryLock:
    case EventKind::kTimedLock: return Effect::kTakesLock;
    case EventKind::kUnlock: return Effect::kGivesLock;
    case EventKind::kAssembly: return Effect::kUnseen;
    default: return Effect::kChange;
  }
}

bool overlap(std::uintptr_t a, std::uint32_t a_size, std::uintptr_t b, std::uint32_t b_size) {
  return a - b < std::max(b_size, 1U) || b - a < std::max(a_size, 1U);
}

// Is there anything to wait for at such a place? Of a lock that the thread gets, there is not.
bool is_watched(EventKind kind, std::uintptr_t address) {
  return address != 0 && kind != EventKind::kLock && kind != EventKind::kTimedLock && kind != EventKind::kUnlock;
}

}  // namespace

bool Circle::contains(const weavefuzz_site* site, std::uintptr_t address, EventKind kind) const {
  for (std::uint32_t i = 0; i < count_; ++i)
    if (places_[i].address == address && places_[i].site == site && places_[i].kind == kind) return true;
  return false;
}

// Written to the thread's own stack?
bool Circle::is_note(const RawEvent& event) const {
  return traits(event.kind).event_class == EventClass::kMemory && event.address >= stack_.begin &&
         event.address < stack_.end && event.size <= stack_.end - event.address;
}

bool Circle::add(const RawEvent& event) {
  if (contains(event.site, event.address, event.kind)) return true;
  if (count_ == kMostPlaces) return false;
  places_[count_++] = {event.site, event.address, event.size, event.kind};
  waits_ = waits_ || event.kind == EventKind::kReadClock || event.kind == EventKind::kYield;
  reads_clock_ = reads_clock_ || event.kind == EventKind::kReadClock;
  opaque_ = opaque_ || effect_of(event) == Effect::kUnseen;
  return true;
}

bool Circle::suspect(std::span<const RawEvent> events, std::uint16_t thread, StackRange stack) {
  leave();
  stack_ = stack;
  bool notes = false;
  std::uint32_t seen = 0;
  std::uint32_t given = 0;  // locks, later than the event that is looked at
  const std::size_t oldest = events.size() > kLookBack ? events.size() - kLookBack : 0;
  for (std::size_t i = events.size(); i-- > oldest && seen < kSuspicious;) {
    const RawEvent& event = events[i];
    if (event.thread != thread || traits(event.kind).event_class == EventClass::kNote) continue;
    const Effect effect = effect_of(event);
    if ((effect == Effect::kChange && !is_note(event)) || !add(event)) break;
    notes = notes || effect == Effect::kChange;
    ++seen;
    if (effect == Effect::kGivesLock) ++given;
    if (effect == Effect::kTakesLock) given > 0 ? --given : ++held_;
  }
  if (seen < kSuspicious || (notes && !waits_)) leave();
  return suspected();
}

void Circle::follow(const RawEvent& event) {
  const Effect effect = effect_of(event);
  const bool changes = (effect == Effect::kPerhaps || effect == Effect::kChange) && !(waits_ && is_note(event));
  const bool gives_another = effect == Effect::kGivesLock && held_ == 0;
  if (changes || gives_another || !contains(event.site, event.address, event.kind)) return leave();
  if (effect == Effect::kTakesLock) ++held_;
  if (effect == Effect::kGivesLock) --held_;
  ++followed_;
}

bool Circle::is_disturbed_by(const RawEvent& event) const {
  // Nobody waits for a lock to be taken.
  if (event.futile || !traits(event.kind).writes || effect_of(event) == Effect::kTakesLock) return false;
  if (event.address == 0) return true;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Place& place = places_[i];
    if (is_watched(place.kind, place.address) && overlap(place.address, place.size, event.address, event.size))
      return true;
  }
  return false;
}

}  // namespace weavefuzz::runtime
