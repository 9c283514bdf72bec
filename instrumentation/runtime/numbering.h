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
  static constexpr std::uint32_t kMost = 4096;  // addresses a run

  void begin() {
    ++run_;
    count_ = 0;
  }

  // 0 for address 0, and when as many as the table holds have been numbered: how many, not where they lie.
  VariableId number(std::uintptr_t address) {
    if (address == 0) return {};
    Head& head = heads_[hash(address)];
    if (head.run != run_) head = {run_, 0};
    for (std::uint32_t i = head.first; i != 0; i = entries_[i - 1].next)
      if (entries_[i - 1].address == address) return VariableId{i};
    if (count_ == kMost) return {};
    entries_[count_++] = {address, head.first};
    head.first = count_;
    return VariableId{count_};
  }

  // Looks at the granules of a small block, and at all entries for one that has more granules than there are entries.
  void forget(std::uintptr_t begin, std::uintptr_t size) {
    if (size == 0) return;
    const std::uintptr_t granules = (begin + size - 1) / kGranule - begin / kGranule + 1;
    if (granules > count_) {
      for (std::uint32_t i = 0; i < count_; ++i)
        if (entries_[i].address - begin < size) entries_[i].address = 0;
      return;
    }
    for (std::uintptr_t i = 0; i < granules; ++i) {
      Head& head = heads_[hash(begin + i * kGranule)];
      if (head.run != run_) continue;
      for (std::uint32_t* link = &head.first; *link != 0;) {
        Entry& entry = entries_[*link - 1];
        if (entry.address - begin < size) {
          *link = entry.next;
        } else {
          link = &entry.next;
        }
      }
    }
  }

 private:
  static constexpr std::uintptr_t kGranule = 16;  // addresses in one are chained together
  static constexpr std::size_t kHeads = 4096;
  // An entry's number is one more than its index.
  struct Entry {
    std::uintptr_t address = 0;  // 0: forgotten
    std::uint32_t next = 0;      // number of the next in the chain; 0: none
  };
  struct Head {
    std::uint32_t run = 0;
    std::uint32_t first = 0;
  };
  static std::size_t hash(std::uintptr_t address) { return (address / kGranule * 0x9E37'79B9'7F4A'7C15U) >> 52; }

  std::array<Entry, kMost> entries_{};
  std::array<Head, kHeads> heads_{};
  std::uint32_t run_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace weavefuzz::runtime
