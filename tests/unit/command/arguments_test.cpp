#include "fuzzer/command/arguments.h"

#include <gtest/gtest.h>

#include <array>

namespace weavefuzz::command {
namespace {

struct Settings {
  bool loud = false;
  std::uint32_t count = 3;
  std::string colour = "red";
  friend bool operator==(const Settings&, const Settings&) = default;
};

constexpr std::array<std::string_view, 3> kColours{"red", "green", "blue"};
constexpr std::array kFlags{
    FlagRow<Settings>{"loud", &Settings::loud, "", "Say more."},
    FlagRow<Settings>{"count", &Settings::count, "N", "How often.", {}, 1},
    FlagRow<Settings>{"colour", &Settings::colour, "NAME", "Which.", kColours},
};

using Texts = std::vector<std::string_view>;

std::string error_for(const Texts& arguments) {
  Settings settings;
  Texts positional;
  const auto error = parse<Settings>(kFlags, arguments, settings, positional);
  return error ? to_string(*error) : "none";
}

TEST(CommandArguments, AreTheDefaultsWithoutFlags) {
  Settings settings;
  Texts positional;
  EXPECT_FALSE(parse<Settings>(kFlags, Texts{}, settings, positional));
  EXPECT_EQ(settings, Settings{});
}

TEST(CommandArguments, MixFlagsAndNames) {
  Settings settings;
  Texts positional;
  const Texts arguments{"one", "--loud", "--count=7", "-", "--colour=blue", "two"};
  EXPECT_FALSE(parse<Settings>(kFlags, arguments, settings, positional));
  EXPECT_EQ(settings, (Settings{true, 7, "blue"}));
  EXPECT_EQ(positional, (Texts{"one", "-", "two"}));
}

TEST(CommandArguments, SuggestTheNearestFlag) {
  EXPECT_EQ(error_for({"--cuont=1"}), "--cuont=1: unknown flag\n  try: --count");
  EXPECT_EQ(error_for({"-count=1"}), "-count=1: unknown flag\n  try: --count");
  EXPECT_EQ(error_for({"--zzzzzzzz"}), "--zzzzzzzz: unknown flag\n  try: --help for a list");
}

TEST(CommandArguments, SayWhatAFlagTakes) {
  for (const std::string_view wrong : {"--count", "--count=", "--count=0", "--count=-1", "--count=1x"})
    EXPECT_NE(error_for({wrong}).find("--count takes a number from 1 to 4294967295"), std::string::npos) << wrong;
  EXPECT_NE(error_for({"--colour=pink"}).find("--colour takes red, green or blue"), std::string::npos);
  EXPECT_NE(error_for({"--colour"}).find("--colour takes red, green or blue"), std::string::npos);
  EXPECT_NE(error_for({"--loud=1"}).find("--loud takes no value"), std::string::npos);
}

TEST(CommandArguments, HelpHasALineForEachFlag) {
  EXPECT_EQ(help_of<Settings>(kFlags),
            "  --loud            Say more.\n"
            "  --count=N         How often.\n"
            "  --colour=NAME     Which.\n");
}

TEST(Nearest, IsTheOneWithTheFewestChanges) {
  const Texts names{"replay", "bench", "run"};
  EXPECT_EQ(nearest("repaly", names), "replay");
  EXPECT_EQ(nearest("benhc", names), "bench");
  EXPECT_EQ(nearest("explode", names), "");
}

}  // namespace
}  // namespace weavefuzz::command
