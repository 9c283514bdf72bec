#include "instrumentation/runtime/numbering.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "fuzzer/model/rng.h"

namespace weavefuzz::runtime {
namespace {

TEST(Numbering, NumbersAddressesInOrderOfFirstTouch) {
  const auto numbering = std::make_unique<Numbering>();
  numbering->begin();
  EXPECT_EQ(numbering->number(0x5000).value, 1U);
  EXPECT_EQ(numbering->number(0x1000).value, 2U);
  EXPECT_EQ(numbering->number(0x5000).value, 1U);
  EXPECT_EQ(numbering->number(0), VariableId{});
}

TEST(Numbering, StartsAgainWithEachRun) {
  const auto numbering = std::make_unique<Numbering>();
  numbering->begin();
  numbering->number(0x5000);
  numbering->begin();
  EXPECT_EQ(numbering->number(0x1000).value, 1U);
}

TEST(Numbering, GivesFreedMemoryANewNumber) {
  const auto numbering = std::make_unique<Numbering>();
  numbering->begin();
  numbering->number(0x5008);
  numbering->number(0x5020);
  numbering->forget(0x5000, 0x20);
  EXPECT_EQ(numbering->number(0x5008).value, 3U);
  EXPECT_EQ(numbering->number(0x5020).value, 2U);
}

TEST(Numbering, ForgetsInBlocksOfEverySize) {
  const auto numbering = std::make_unique<Numbering>();
  numbering->begin();
  for (std::uintptr_t i = 0; i < 64; ++i) numbering->number(0x5000 + i);  // every byte has one
  numbering->forget(0x5003, 1);
  numbering->forget(0x500f, 2);
  numbering->forget(0x5020, 0);
  EXPECT_EQ(numbering->number(0x5002).value, 3U);
  EXPECT_EQ(numbering->number(0x5003).value, 65U);
  EXPECT_EQ(numbering->number(0x500f).value, 66U);
  EXPECT_EQ(numbering->number(0x5010).value, 67U);
  EXPECT_EQ(numbering->number(0x5020).value, 33U);
  numbering->forget(0x4000, 0x10000);
  EXPECT_EQ(numbering->number(0x5000).value, 68U);
}

TEST(Numbering, HoldsTheSameNumberOfAddressesWhereverTheyLie) {
  const auto numbering = std::make_unique<Numbering>();
  for (const std::uintptr_t stride : {1U, 8U, 4096U, 65536U}) {
    numbering->begin();
    for (std::uint32_t i = 0; i < Numbering::kMost; ++i)
      ASSERT_EQ(numbering->number(0x10'0000 + i * stride).value, i + 1);
    EXPECT_EQ(numbering->number(0x10), VariableId{});
  }
}

TEST(Numbering, AgreesWithAMapOnRandomUse) {
  const auto numbering = std::make_unique<Numbering>();
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    std::map<std::uintptr_t, std::uint32_t> expected;
    std::uint32_t next = 0;
    numbering->begin();
    for (int step = 0; step < 400; ++step) {
      const std::uintptr_t address = 0x10000 + rng.below(256) * 8;
      if (rng.below(10) == 0) {
        const std::uintptr_t size = 8 * rng.below(16);
        numbering->forget(address, size);
        expected.erase(expected.lower_bound(address), expected.lower_bound(address + size));
      } else {
        const auto [entry, is_new] = expected.try_emplace(address, next + 1);
        if (is_new) ++next;
        ASSERT_EQ(numbering->number(address).value, entry->second);
      }
    }
  }
}

}  // namespace
}  // namespace weavefuzz::runtime
