// An input: the payload that the harness sees, and the schedule its threads run under, in one byte
// string. Payload first, so that a file without a schedule is an input with an empty one.
//
//   payload | policy (1) | seed (varint) | count (varint) | switches |
//           | length (2) | version (1) | "weav"
//   switch: thread (varint) | site (4) | occurrence (varint) | to (varint)
//
// Numbers are little-endian; a varint has 7 bits a byte, low bits first, no needless bytes.
// `length` counts the bytes from `policy` up to itself. Switches are normalised.
//
// An empty schedule is written as nothing at all, with one exception: after a payload that itself
// ends in "weav" it is written out, lest the end of the payload be taken for a schedule. A written
// empty schedule after any other payload is not well-formed, so that an input has one encoding.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fuzzer/model/result.h"
#include "fuzzer/model/schedule.h"

namespace weavefuzz {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

inline constexpr std::uint8_t kInputVersion = 1;
inline constexpr std::size_t kMaxSwitches = 3072;  // keeps `length` within its two bytes

struct Input {
  Bytes payload;
  Schedule schedule;
  friend bool operator==(const Input&, const Input&) = default;
};

// decode_strict(encode(x)) == x for every normalised x with at most kMaxSwitches. Other schedules
// are normalised first and lose the switches beyond that.
Bytes encode(ByteView payload, const Schedule& schedule);
inline Bytes encode(const Input& input) { return encode(input.payload, input.schedule); }

// The same in two steps, for callers with memory of their own. append_schedule() writes what
// follows the first `payload_size` of `bytes` and returns the size of the whole. REQUIRES: a
// normalised schedule of at most kMaxSwitches, room for encoded_size().
std::size_t encoded_size(ByteView payload, const Schedule& schedule);
std::size_t append_schedule(std::uint8_t* bytes, std::size_t payload_size, const Schedule& schedule);

// For engines: any bytes are an input. Reads the schedule into `schedule` (whose memory is reused)
// and returns the payload, which is a prefix of `bytes`. Where the end of `bytes` is not a
// well-formed schedule, all of it is payload.
ByteView decode(ByteView bytes, Schedule& schedule);

// For artifacts: bytes that end like a schedule ("weav") but not in a well-formed, canonical one
// are an error. Whatever it accepts, encode() writes back to the same bytes. The caller fills in
// `where`.
Result<Input> decode_strict(ByteView bytes);

}  // namespace weavefuzz
