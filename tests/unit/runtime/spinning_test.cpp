#include "instrumentation/runtime/spinning.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

#include "fuzzer/model/rng.h"

namespace weavefuzz::runtime {
namespace {

constexpr std::uint16_t kMe = 1;
constexpr std::uint16_t kOther = 2;

RawEvent event(EventKind kind, std::uintptr_t address = 0, std::uint16_t thread = kMe, bool futile = false) {
  return {nullptr, address, address == 0 ? 0U : 4U, thread, kind, futile};
}

std::vector<RawEvent> repeat(const std::vector<RawEvent>& round, std::size_t count) {
  std::vector<RawEvent> events;
  while (events.size() < count) events.insert(events.end(), round.begin(), round.end());
  return events;
}

bool is_suspected(const std::vector<RawEvent>& events) {
  Circle circle;
  return circle.suspect(events, kMe);
}

// A circle that has been suspected and followed for `rounds`.
Circle circle_of(const std::vector<RawEvent>& round, std::size_t rounds) {
  Circle circle;
  EXPECT_TRUE(circle.suspect(repeat(round, Circle::kSuspicious), kMe));
  for (std::size_t i = 0; i < rounds; ++i)
    for (const RawEvent& each : round) circle.follow(each);
  return circle;
}

TEST(Circle, IsSuspectedWhenAThreadKeepsReadingTheSame) {
  const std::vector<RawEvent> round{event(EventKind::kRead, 8), event(EventKind::kAtomicRead, 16),
                                    event(EventKind::kYield)};
  EXPECT_TRUE(is_suspected(repeat(round, Circle::kSuspicious)));
  EXPECT_FALSE(is_suspected(repeat({event(EventKind::kRead, 8)}, Circle::kSuspicious - 1)));
}

TEST(Circle, IsSuspectedAmongEventsOfOthers) {
  const std::vector<RawEvent> round{event(EventKind::kRead, 8), event(EventKind::kAtomicUpdate, 8, kOther),
                                    event(EventKind::kSignal, 64, kOther)};
  EXPECT_TRUE(is_suspected(repeat(round, 3 * Circle::kSuspicious)));
  // Too far apart.
  std::vector<RawEvent> rare{event(EventKind::kRead, 8)};
  rare.resize(64, event(EventKind::kWrite, 64, kOther));
  EXPECT_FALSE(is_suspected(repeat(rare, 100 * Circle::kSuspicious)));
}

TEST(Circle, IsNotSuspectedWhereTheThreadGetsSomewhere) {
  std::vector<RawEvent> events;
  for (std::uintptr_t i = 1; i <= 500; ++i) events.push_back(event(EventKind::kRead, 8 * i));
  EXPECT_FALSE(is_suspected(events));
  for (const EventKind kind : {EventKind::kSpawn, EventKind::kSignal, EventKind::kSleep, EventKind::kRangeWrite})
    EXPECT_FALSE(is_suspected(repeat({event(EventKind::kRead, 8), event(kind, 16)}, 500))) << traits(kind).text;
  RawEvent large = event(EventKind::kWrite, 8);
  large.size = Circle::kLargestValue + 1;
  EXPECT_FALSE(is_suspected(repeat({large}, 500)));
}

TEST(Circle, ClosesWhenTriesFailAndUpdatesChangeNothing) {
  const std::vector<RawEvent> in_vain{event(EventKind::kCompareExchange, 8, kMe, true),
                                      event(EventKind::kTryLock, 64, kMe, true)};
  EXPECT_TRUE(circle_of(in_vain, Circle::kConvincing).closed());
  for (const EventKind kind : {EventKind::kCompareExchange, EventKind::kAtomicUpdate, EventKind::kWrite}) {
    const Circle circle = circle_of({event(kind, 8)}, 1);
    EXPECT_FALSE(circle.suspected()) << traits(kind).text;
  }
}

TEST(Circle, IsLeftAtSomethingNew) {
  Circle circle = circle_of({event(EventKind::kRead, 8)}, Circle::kConvincing);
  ASSERT_TRUE(circle.closed());
  circle.follow(event(EventKind::kRead, 16));
  EXPECT_FALSE(circle.suspected());
  EXPECT_FALSE(circle.closed());
}

TEST(Circle, ClosesOnlyWhereNoLockOfItsOwnIsHeld) {
  const RawEvent lock = event(EventKind::kLock, 64);
  const RawEvent read = event(EventKind::kRead, 8);
  const RawEvent unlock = event(EventKind::kUnlock, 64);
  Circle circle = circle_of({lock, read, unlock}, Circle::kConvincing);
  EXPECT_TRUE(circle.closed());
  circle.follow(lock);
  EXPECT_FALSE(circle.closed());
  circle.follow(read);
  circle.follow(unlock);
  EXPECT_TRUE(circle.closed());
  // Suspected inside: the lock is given back before anything closes.
  circle = circle_of({unlock, lock, read}, Circle::kConvincing);
  EXPECT_TRUE(circle.suspected());
  EXPECT_FALSE(circle.closed());
  circle.follow(unlock);
  EXPECT_TRUE(circle.closed());
  // A lock from before the circle: others may have waited for it.
  circle.follow(unlock);
  EXPECT_FALSE(circle.suspected());
}

TEST(Circle, IsDisturbedByWhateverChangesWhatItLooksAt) {
  const Circle circle = circle_of({event(EventKind::kRead, 8), event(EventKind::kTryLock, 64, kMe, true)}, 1);
  EXPECT_TRUE(circle.is_disturbed_by(event(EventKind::kWrite, 8, kOther)));
  EXPECT_TRUE(circle.is_disturbed_by(event(EventKind::kAtomicUpdate, 5, kOther)));
  EXPECT_TRUE(circle.is_disturbed_by(event(EventKind::kWrite, 11, kOther)));
  EXPECT_TRUE(circle.is_disturbed_by(event(EventKind::kUnlock, 64, kOther)));
  EXPECT_TRUE(circle.is_disturbed_by(event(EventKind::kAssembly, 0, kOther)));
  EXPECT_TRUE(circle.is_disturbed_by({nullptr, 0, 1024, kOther, EventKind::kFree, false}));

  EXPECT_FALSE(circle.is_disturbed_by(event(EventKind::kWrite, 4, kOther)));
  EXPECT_FALSE(circle.is_disturbed_by(event(EventKind::kWrite, 12, kOther)));
  EXPECT_FALSE(circle.is_disturbed_by(event(EventKind::kRead, 8, kOther)));
  EXPECT_FALSE(circle.is_disturbed_by(event(EventKind::kLock, 64, kOther)));
  EXPECT_FALSE(circle.is_disturbed_by(event(EventKind::kCompareExchange, 8, kOther, true)));
}

TEST(Circle, DoesNotWaitForLocksThatItGets) {
  const Circle circle =
      circle_of({event(EventKind::kLock, 64), event(EventKind::kRead, 8), event(EventKind::kUnlock, 64)}, 1);
  EXPECT_FALSE(circle.is_disturbed_by(event(EventKind::kUnlock, 64, kOther)));
  EXPECT_TRUE(circle.is_disturbed_by(event(EventKind::kWrite, 8, kOther)));
}

TEST(Circle, KnowsWhatItCannotSee) {
  EXPECT_TRUE(circle_of({event(EventKind::kAssembly)}, 1).opaque());
  EXPECT_TRUE(circle_of({event(EventKind::kReadClock)}, 1).reads_clock());
  const Circle circle = circle_of({event(EventKind::kRead, 8)}, 1);
  EXPECT_FALSE(circle.opaque());
  EXPECT_FALSE(circle.reads_clock());
}

TEST(Circle, MayNoteTheTimeOnItsOwnStack) {
  const StackRange stack{1024, 2048};
  const std::vector<RawEvent> round{event(EventKind::kReadClock), event(EventKind::kWrite, 1024),
                                    event(EventKind::kRangeWrite, 2044)};
  const std::vector<RawEvent> events = repeat(round, Circle::kSuspicious);
  Circle circle;
  ASSERT_TRUE(circle.suspect(events, kMe, stack));
  for (const RawEvent& each : events) circle.follow(each);
  EXPECT_TRUE(circle.closed());
  circle.follow(event(EventKind::kWrite, 2048));
  EXPECT_FALSE(circle.suspected());
  // On the stack of another, in part elsewhere, or without a sign that it waits.
  EXPECT_FALSE(circle.suspect(events, kMe, {2048, 4096}));
  EXPECT_FALSE(circle.suspect(events, kMe, {1024, 2047}));
  EXPECT_FALSE(circle.suspect(repeat({round[2]}, Circle::kSuspicious), kMe, stack));
  ASSERT_TRUE(circle.suspect(repeat({round[1]}, Circle::kSuspicious), kMe, stack));
  circle.follow(round[1]);
  EXPECT_FALSE(circle.suspected());
}

TEST(Circle, MustConvinceAgainWhenItWasDisturbed) {
  Circle circle = circle_of({event(EventKind::kRead, 8)}, Circle::kConvincing);
  circle.doubt();
  EXPECT_TRUE(circle.suspected());
  for (std::uint32_t i = 1; i < Circle::kConvincing; ++i) circle.follow(event(EventKind::kRead, 8));
  EXPECT_FALSE(circle.closed());
  circle.follow(event(EventKind::kRead, 8));
  EXPECT_TRUE(circle.closed());
}

// The same, said in another way: by what must hold for the last events of the thread, one by one.
bool looks_like_a_circle(const std::vector<RawEvent>& events) {
  std::vector<RawEvent> mine;
  for (std::size_t i = events.size() > Circle::kLookBack ? events.size() - Circle::kLookBack : 0; i < events.size();
       ++i)
    if (events[i].thread == kMe) mine.push_back(events[i]);
  if (mine.size() < Circle::kSuspicious) return false;
  mine.erase(mine.begin(), mine.end() - Circle::kSuspicious);
  std::set<std::tuple<std::uintptr_t, EventKind>> places;
  for (const RawEvent& each : mine) {
    if (each.kind == EventKind::kSignal) return false;
    places.insert({each.address, each.kind});
  }
  return places.size() <= Circle::kMostPlaces;
}

TEST(Circle, AgreesWithItsDefinitionOnRandomTraces) {
  constexpr EventKind kKinds[] = {EventKind::kRead, EventKind::kAtomicRead, EventKind::kCompareExchange,
                                  EventKind::kWrite};
  Rng rng(1);
  int suspected = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::uint64_t addresses = 1 + rng.below(30);
    const std::uint64_t length = rng.below(1500);
    const std::uint64_t changes = 1 + rng.below(400);
    std::vector<RawEvent> events;
    for (std::uint64_t i = 0; i < length; ++i) {
      const std::uint16_t thread = rng.below(2) == 0 ? kMe : kOther;
      const EventKind kind = rng.below(changes) == 0 ? EventKind::kSignal : kKinds[rng.below(std::size(kKinds))];
      events.push_back(event(kind, 8 * (1 + rng.below(addresses)), thread));
    }
    const bool expected = looks_like_a_circle(events);
    ASSERT_EQ(is_suspected(events), expected) << "trial " << trial;
    suspected += expected ? 1 : 0;
  }
  EXPECT_GT(suspected, 100);
  EXPECT_LT(suspected, 1900);
}

}  // namespace
}  // namespace weavefuzz::runtime
