// Numbers for addresses, in order of first touch within a run: what is told of a variable to whoever
// must not depend on where it lies. A freed block's numbers are never used again, so that what the
// allocator hands out twice does not matter either.
#pragma once
#include <array>
#include <cstdint>

#include "fuzzer/model/ids.h"

namespace weavefuzz::runtime {

class Numbering {
 public:
  void begin() {
    ++run_;
    count_ = 0;
    used_ = 0;
  }

  // 0 for address 0, and when the table is full.
  VariableId number(std::uintptr_t address) {
    if (address == 0) return {};
    for (std::size_t i = hash(address), probes = 0; probes < kProbes; i = (i + 1) % kSlots, ++probes) {
      Slot& slot = slots_[i];
      if (slot.run != run_) {
        slot = {address, run_, ++count_};
        list_[used_++] = static_cast<std::uint32_t>(i);
        return VariableId{count_};
      }
      if (slot.address == address) return VariableId{slot.number};
    }
    return {};
  }

  void forget(std::uintptr_t begin, std::uintptr_t size) {
    for (std::uint32_t i = 0; i < used_; ++i) {
      Slot& slot = slots_[list_[i]];
      if (slot.address - begin < size) slot.address = 1;  // no variable lies there; keeps the probe chain
    }
  }

 private:
  static constexpr std::size_t kSlots = 4096;
  static constexpr std::size_t kProbes = 64;
  struct Slot {
    std::uintptr_t address = 0;
    std::uint32_t run = 0;
    std::uint32_t number = 0;
  };
  static std::size_t hash(std::uintptr_t address) { return (address * 0x9E37'79B9'7F4A'7C15U) >> 52; }

  std::array<Slot, kSlots> slots_{};
  std::array<std::uint32_t, kSlots> list_{};
  std::uint32_t run_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t used_ = 0;
};

}  // namespace weavefuzz::runtime
