#include "instrumentation/runtime/recorder.h"

#include <gtest/gtest.h>

namespace weavefuzz::runtime {
namespace {

RawEvent event(EventKind kind) { return {nullptr, 8, 4, 1, kind, 0}; }

TEST(Recorder, AsksAtOnceWhenARunBegins) {
  Recorder recorder;
  recorder.initialise(100, false);
  EXPECT_EQ(recorder.quick(), nullptr);
  EXPECT_TRUE(recorder.due());
}

TEST(Recorder, IsQuickForAsManyEventsAsWereGranted) {
  Recorder recorder;
  recorder.initialise(100, false);
  recorder.ask_after(3);
  for (int i = 0; i < 3; ++i) ASSERT_NE(recorder.quick(), nullptr);
  EXPECT_EQ(recorder.quick(), nullptr);
  EXPECT_EQ(recorder.steps(), 3U);
}

TEST(Recorder, NeverGrantsBeyondTheStepLimit) {
  Recorder recorder;
  recorder.initialise(10, false);
  recorder.limit_steps();
  recorder.ask_after(1000);
  std::uint32_t granted = 0;
  while (recorder.quick() != nullptr) ++granted;
  EXPECT_EQ(granted, 10U);
  EXPECT_TRUE(recorder.full());
}

TEST(Recorder, CountsNotesNeitherAsStepsNorAgainstTheGrant) {
  Recorder recorder;
  recorder.initialise(100, false);
  recorder.ask_after(2);
  ASSERT_NE(recorder.quick(), nullptr);
  for (int i = 0; i < 5; ++i) recorder.note(event(EventKind::kFree));
  ASSERT_NE(recorder.quick(), nullptr);
  EXPECT_EQ(recorder.quick(), nullptr);
  EXPECT_EQ(recorder.steps(), 2U);
  EXPECT_EQ(recorder.events().size(), 7U);
}

TEST(Recorder, DropsAndCountsNotesWhenThereIsNoRoom) {
  Recorder recorder;
  recorder.initialise(10, false);
  for (int i = 0; i < 5000; ++i) recorder.note(event(EventKind::kFree));
  EXPECT_GT(recorder.dropped_notes(), 0U);
  EXPECT_EQ(recorder.events().size() + recorder.dropped_notes(), 5000U);
}

TEST(Recorder, KeepsRoomForAllStepsWhateverIsNoted) {
  Recorder recorder;
  recorder.initialise(10, false);
  recorder.limit_steps();
  recorder.ask_after(1000);
  std::uint32_t granted = 0;
  while (recorder.quick() != nullptr) {
    ++granted;
    for (int i = 0; i < 1000; ++i) recorder.note(event(EventKind::kFree));
  }
  EXPECT_EQ(granted, 10U);
}

TEST(Recorder, HasNoLimitForAThreadAlone) {
  Recorder recorder;
  recorder.initialise(10, false);
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    recorder.ask_after(5);
    if (recorder.quick() == nullptr) {
      ASSERT_TRUE(recorder.full());
      recorder.forget();
      --i;
    }
  }
  EXPECT_EQ(recorder.steps(), 100'000U);
  EXPECT_GT(recorder.forgotten(), 0U);
}

TEST(Recorder, CountsTheLimitFromWhenASecondThreadComes) {
  Recorder recorder;
  recorder.initialise(10, false);
  recorder.ask_after(500);
  for (int i = 0; i < 500; ++i) ASSERT_NE(recorder.quick(), nullptr);
  recorder.limit_steps();
  recorder.ask_after(1000);
  std::uint32_t granted = 0;
  while (recorder.quick() != nullptr) ++granted;
  EXPECT_EQ(granted, 10U);
  EXPECT_EQ(recorder.steps(), 510U);
}

TEST(Recorder, TakesTheSlowWayForEveryEventWhenItKeepsStacks) {
  Recorder recorder;
  recorder.initialise(100, true);
  recorder.ask_after(10);
  EXPECT_EQ(recorder.quick(), nullptr);
  EXPECT_FALSE(recorder.due());
  recorder.append() = event(EventKind::kRead);
  ASSERT_NE(recorder.stack_slot(), nullptr);
  (*recorder.stack_slot())[0] = &recorder;
  EXPECT_EQ((*recorder.stack_of(0))[0], &recorder);
}

TEST(Recorder, ForgetsTheLastRunWhenTheNextBegins) {
  Recorder recorder;
  recorder.initialise(100, false);
  recorder.append() = event(EventKind::kRead);
  recorder.note(event(EventKind::kFree));
  recorder.begin();
  EXPECT_TRUE(recorder.events().empty());
  EXPECT_EQ(recorder.steps(), 0U);
}

TEST(Recorder, KeepsEventsOfSitesThatAreGone) {
  Recorder recorder;
  recorder.initialise(100, false);
  const weavefuzz_site sites[3] = {};
  const weavefuzz_site copies[3] = {};
  const weavefuzz_site elsewhere{};
  for (const weavefuzz_site* site : {&sites[2], &elsewhere, &sites[0]}) recorder.append() = {.site = site};
  recorder.append() = {};
  recorder.replace_sites(sites, sites + 3, copies);
  EXPECT_EQ(recorder.events()[0].site, &copies[2]);
  EXPECT_EQ(recorder.events()[1].site, &elsewhere);
  EXPECT_EQ(recorder.events()[2].site, &copies[0]);
  EXPECT_EQ(recorder.events()[3].site, nullptr);
  recorder.replace_sites(copies, copies + 3, nullptr);
  EXPECT_EQ(recorder.events()[0].site, nullptr);
}

}  // namespace
}  // namespace weavefuzz::runtime
