// Switches at random, with a probability that differs from seed to seed.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "fuzzer/model/rng.h"
#include "fuzzer/policy/policy.h"
#include "fuzzer/policy/single.h"

namespace weavefuzz {
namespace {

// A run switches with probability 1/2, 1/4, ... or 1/64 at each event. One probability for all runs
// would hide bugs: a high one never lets a thread get far while the others stand still, a low one
// never gets two switches close together.
constexpr std::uint64_t kProbabilities = 6;

// Of the questions at which there is somebody to wake in this way.
constexpr std::uint64_t kQuestionsPerTimeout = 16;
constexpr std::uint64_t kQuestionsPerSpurious = 64;

// How to find the first throw that shows nothing but zeros in a word full of throws of some number of coins.
struct Throws {
  unsigned count = 0;             // in a word
  std::uint64_t first_coins = 0;  // the lowest bit of each
  // Or-ing a word with itself, shifted by each of these in turn, gathers a throw's coins in its first one.
  std::array<unsigned, 3> shifts{};
};
constexpr auto kThrows = [] {
  std::array<Throws, kProbabilities + 1> table{};
  for (unsigned coins = 1; coins <= kProbabilities; ++coins) {
    Throws& throws = table[coins];
    throws.count = 64 / coins;
    for (unsigned i = 0; i < throws.count; ++i) throws.first_coins |= std::uint64_t{1} << (i * coins);
    for (unsigned gathered = 1, i = 0; gathered < coins; gathered += throws.shifts[i++])
      throws.shifts[i] = std::min(gathered, coins - gathered);
  }
  return table;
}();

class RandomPolicy final : public Policy {
 public:
  void start(const Schedule& schedule) override {
    rng_ = Rng(schedule.seed);
    coins_ = 1 + static_cast<unsigned>(rng_.below(kProbabilities));
    chosen_.reset();
  }

  Choice pick(const Question& question) override {
    if (question.kind == QuestionKind::kWakeup) return {below(question.candidates.size()), 0};
    const std::size_t index = next(question);
    chosen_ = question.candidates[index].thread;
    return {index, gap()};
  }

 private:
  std::size_t next(const Question& question) {
    if (question.ready < question.candidates.size())
      if (const std::size_t woken = wake(question); woken != kNobody) return woken;
    if (question.current == kNobody) return below(question.ready);
    // Somebody else put it in this place, and it has had no turn of its own yet.
    if (question.candidates[question.current].thread != chosen_) return question.current;
    if (question.ready == 1) return question.current;
    const std::size_t other = below(question.ready - 1);
    return other < question.current ? other : other + 1;
  }

  // Sometimes, and when nothing else can run: a waiting thread whose time-out fires, or who wakes for no reason.
  std::size_t wake(const Question& question) {
    const auto waiting = question.candidates.subspan(question.ready);
    const auto timeouts =
        static_cast<std::size_t>(std::ranges::count(waiting, Readiness::kTimeout, &Candidate::readiness));
    const std::size_t spurious = waiting.size() - timeouts;
    if (timeouts > 0 && (question.ready == 0 || below(kQuestionsPerTimeout) == 0))
      return nth(question, Readiness::kTimeout, below(timeouts));
    if (question.ready == 0) return 0;
    if (spurious > 0 && below(kQuestionsPerSpurious) == 0) return nth(question, Readiness::kSpurious, below(spurious));
    return kNobody;
  }

  static std::size_t nth(const Question& question, Readiness readiness, std::size_t n) {
    std::size_t i = question.ready;
    while (question.candidates[i].readiness != readiness || n-- > 0) ++i;
    return i;
  }

  // How many events pass before the next switch: how often not all of `coins_` coins show zero.
  // Drawn at once, so that nobody has to ask at each event, and from whole bits, so that it is the
  // same number on every machine.
  std::uint32_t gap() {
    const Throws& throws = kThrows[coins_];
    for (std::uint32_t events = 0;; events += throws.count) {
      std::uint64_t shown = rng_.next();
      for (const unsigned shift : throws.shifts) shown |= shown >> shift;
      const std::uint64_t nothing = ~shown & throws.first_coins;
      if (nothing != 0) return events + static_cast<unsigned>(std::countr_zero(nothing)) / coins_;
    }
  }

  std::size_t below(std::uint64_t bound) { return static_cast<std::size_t>(rng_.below(bound)); }

  Rng rng_;
  unsigned coins_ = 1;
  std::optional<ThreadId> chosen_;
};

}  // namespace

Policy& random_policy() { return single<RandomPolicy>(); }

}  // namespace weavefuzz
