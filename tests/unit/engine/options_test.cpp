#include "fuzzer/engine/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace weavefuzz {
namespace {

// An argv of its own for each call.
class Arguments {
 public:
  Arguments(std::initializer_list<const char*> arguments) : texts_{"./harness"} {
    texts_.insert(texts_.end(), arguments.begin(), arguments.end());
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
    argc_ = static_cast<int>(texts_.size());
  }

  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  Result<Options> take(const char* environment = nullptr) { return take_flags(argc_, pointers_.data(), environment); }

  // What is left for libFuzzer, without the name of the program.
  std::vector<std::string> left() const {
    EXPECT_EQ(pointers_[static_cast<std::size_t>(argc_)], nullptr);
    EXPECT_STREQ(pointers_[0], "./harness");
    return {pointers_.begin() + 1, pointers_.begin() + argc_};
  }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
  int argc_ = 0;
};

using Left = std::vector<std::string>;

std::string error_for(Arguments&& arguments, const char* environment = nullptr) {
  const Result<Options> result = arguments.take(environment);
  return result ? "none" : to_string(result.error());
}

TEST(Options, AreTheDefaultsWithoutFlags) {
  Arguments arguments{};
  const Result<Options> result = arguments.take();
  ASSERT_TRUE(result);
  EXPECT_EQ(result.value(), Options{});
  EXPECT_EQ(arguments.left(), Left{});
}

TEST(Options, TakeOurFlagsAndLeaveTheRest) {
  Arguments arguments{"-policy=random",      "-runs=10", "corpus/", "-threads=os",  "-max_steps=7",
                      "-spurious_wakeups=0", "-",        "--other", "-report_fd=5", "crash-1"};
  const Result<Options> result = arguments.take();
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(result.value().policy, "random");
  EXPECT_EQ(result.value().threads, "os");
  EXPECT_EQ(result.value().max_steps, 7U);
  EXPECT_FALSE(result.value().spurious_wakeups);
  EXPECT_EQ(result.value().report_fd, 5U);
  EXPECT_EQ(arguments.left(), (Left{"-runs=10", "corpus/", "-", "--other", "crash-1"}));
}

TEST(Options, LeaveEveryFlagOfLibFuzzer) {
  Arguments arguments{
      "-merge_control_file=x", "-minimize_crash_internal_step=1", "-handle_trap=0", "-seed=1", "-help=1", "-help"};
  ASSERT_TRUE(arguments.take());
  EXPECT_EQ(arguments.left().size(), 6U);
}

TEST(Options, ExamineNothingAfterIgnoreRemainingArgs) {
  Arguments arguments{"-policy=random", "-ignore_remaining_args=1", "-policy=follow", "-nonsense=1"};
  const Result<Options> result = arguments.take();
  ASSERT_TRUE(result);
  EXPECT_EQ(result.value().policy, "random");
  EXPECT_EQ(arguments.left(), (Left{"-ignore_remaining_args=1", "-policy=follow", "-nonsense=1"}));
  EXPECT_NE(error_for(Arguments{"-ignore_remaining_args=0", "-nonsense=1"}), "none");
}

TEST(Options, TakeTheLastOfSeveralAndArgumentsOverTheEnvironment) {
  Arguments arguments{"-max_steps=1", "-max_steps=2"};
  const Result<Options> result = arguments.take("max_steps=3:max_threads=4::print_trace=0:");
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(result.value().max_steps, 2U);
  EXPECT_EQ(result.value().max_threads, 4U);
  EXPECT_FALSE(result.value().print_trace);
}

TEST(Options, SuggestTheNearestNameOfBothTables) {
  EXPECT_EQ(error_for(Arguments{"-polcy=pct"}), "-polcy=pct: unknown flag\n  try: -policy");
  EXPECT_EQ(error_for(Arguments{"-max_stpes=1"}), "-max_stpes=1: unknown flag\n  try: -max_steps");
  EXPECT_EQ(error_for(Arguments{"-max_total_tim=1"}), "-max_total_tim=1: unknown flag\n  try: -max_total_time");
  EXPECT_EQ(error_for(Arguments{"-polcy"}), "-polcy: unknown flag\n  try: -policy");
  EXPECT_EQ(error_for(Arguments{"-zzzzzzzzzzz=1"}),
            "-zzzzzzzzzzz=1: unknown flag\n  try: -weavefuzz_help=1 or -help=1 for a list");
  EXPECT_EQ(error_for(Arguments{"-report_f=1"}).find("report_fd"), std::string::npos);
}

TEST(Options, SuggestOnlyOurNamesForTheEnvironment) {
  EXPECT_EQ(error_for(Arguments{}, "max_steps=1:polcy=mix"),
            "WEAVEFUZZ_OPTIONS: polcy=mix: unknown name\n  try: policy");
  EXPECT_EQ(error_for(Arguments{}, "max_len=1"),
            "WEAVEFUZZ_OPTIONS: max_len=1: unknown name\n  try: -weavefuzz_help=1 for a list");
}

TEST(Options, SayWhatAFlagTakes) {
  EXPECT_EQ(error_for(Arguments{"-policy=pct"}),
            "-policy=pct: -policy takes mix, follow or random\n  try: -policy=mix, the default");
  EXPECT_EQ(error_for(Arguments{"-threads=2"}),
            "-threads=2: -threads takes carrier or os\n  try: -threads=carrier, the default");
  EXPECT_EQ(error_for(Arguments{"-print_trace=yes"}),
            "-print_trace=yes: -print_trace takes 0 or 1\n  try: -print_trace=1, the default");
  const std::string number = ": -max_steps takes a number from 1 to 4294967295\n  try: -max_steps=1000000, the default";
  for (const char* value : {"", "0", "-1", "+1", "1x", " 1", "4294967296", "1e3"}) {
    const std::string flag = std::string("-max_steps=") + value;
    EXPECT_EQ(error_for(Arguments{flag.c_str()}), flag + number);
  }
  EXPECT_EQ(error_for(Arguments{"-weavefuzz_help"}), "-weavefuzz_help: needs a value\n  try: -weavefuzz_help=0");
  EXPECT_EQ(error_for(Arguments{}, "threads=x"),
            "WEAVEFUZZ_OPTIONS: threads=x: threads takes carrier or os\n"
            "  try: threads=carrier, the default");
}

TEST(Options, LeaveArgumentsAloneOnAnError) {
  Arguments arguments{"-policy=random", "corpus/", "-nonsense=1"};
  EXPECT_FALSE(arguments.take());
  EXPECT_EQ(arguments.left(), (Left{"-policy=random", "corpus/", "-nonsense=1"}));
}

TEST(Options, ReachAChildThroughTheEnvironment) {
  EXPECT_EQ(to_environment({}), "");
  Options options;
  options.policy = "random";
  options.max_steps = 5;
  options.print_trace = false;
  const std::string environment = to_environment(options);
  EXPECT_EQ(environment, "policy=random:max_steps=5:print_trace=0");
  EXPECT_EQ(Arguments{}.take(environment.c_str()).value(), options);
}

TEST(Options, HelpListsEveryFlagThatIsNotHiddenWithItsDefault) {
  const std::string help = help_text();
  for (const Flag& flag : all_flags())
    EXPECT_EQ(help.find("  -" + std::string(flag.name) + " ") != std::string::npos, !flag.hidden) << flag.name;
  EXPECT_NE(help.find("100000"), std::string::npos);
  EXPECT_NE(help.find("Examples:\n"), std::string::npos);
  std::size_t line = 0;
  for (std::size_t end = 0; (end = help.find('\n', line)) != std::string::npos; line = end + 1)
    EXPECT_LE(end - line, 100U) << help.substr(line, end - line);
}

}  // namespace
}  // namespace weavefuzz
