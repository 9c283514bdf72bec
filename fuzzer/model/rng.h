// splitmix64. Our own, because a seed in a corpus must mean the same run on every machine and with
// every standard library.
#pragma once
#include <cstdint>

namespace weavefuzz {

class Rng {
 public:
  constexpr explicit Rng(std::uint64_t seed = 0) : state_(seed) {}

  constexpr std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E37'79B9'7F4A'7C15U);
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9U;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBU;
    return z ^ (z >> 31);
  }

  // Uniform below `bound`, by multiplication; the bias is below bound / 2^64.
  constexpr std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace weavefuzz
