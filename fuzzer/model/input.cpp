#include "fuzzer/model/input.h"

#include <array>
#include <cstring>
#include <limits>
#include <string>

namespace weavefuzz {
namespace {

constexpr std::array<std::uint8_t, 4> kMagic{'w', 'e', 'a', 'v'};
constexpr std::size_t kTailSize = 2 + 1 + kMagic.size();  // length, version, magic
constexpr std::size_t kLeastSwitchSize = 1 + 4 + 1 + 1;
constexpr std::size_t kMostSwitchSize = 5 + 4 + 5 + 5;
constexpr std::size_t kMostHeadSize = 1 + 10 + 2;  // policy, seed, count
constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMost64 = std::numeric_limits<std::uint64_t>::max();
static_assert(kMostHeadSize + kMaxSwitches * kMostSwitchSize <= 0xFFFF);

bool ends_in_magic(ByteView bytes) {
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.last(kMagic.size()).data(), kMagic.data(), kMagic.size()) == 0;
}

bool is_written(ByteView payload, const Schedule& schedule) { return !schedule.empty() || ends_in_magic(payload); }

constexpr std::size_t varint_size(std::uint64_t value) {
  std::size_t size = 1;
  while ((value >>= 7) != 0) ++size;
  return size;
}

// From `policy` up to `length`.
std::size_t body_size(const Schedule& schedule) {
  std::size_t size = 1 + varint_size(schedule.seed) + varint_size(schedule.switches.size());
  for (const Switch& forced : schedule.switches)
    size += varint_size(forced.thread.value) + 4 + varint_size(forced.occurrence) + varint_size(forced.to.value);
  return size;
}

class Writer {
 public:
  explicit Writer(std::uint8_t* at) : at_(at) {}

  void fixed(std::uint64_t value, std::size_t bytes) {
    for (; bytes > 0; --bytes, value >>= 8) *at_++ = static_cast<std::uint8_t>(value);
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at_++ = static_cast<std::uint8_t>(value | 0x80);
    *at_++ = static_cast<std::uint8_t>(value);
  }
  const std::uint8_t* at() const { return at_; }

 private:
  std::uint8_t* at_;
};

// Once it has met something that the Writer does not write, it yields zeros and is not ok().
class Reader {
 public:
  explicit Reader(ByteView bytes) : bytes_(bytes) {}

  std::uint64_t fixed(std::size_t bytes) {
    if (bytes > left()) return fail();
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{bytes_[at_ + i]} << (8 * i);
    at_ += bytes;
    return value;
  }

  std::uint64_t varint(std::uint64_t most) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at_ < bytes_.size() && shift < 64; shift += 7) {
      const std::uint64_t byte = bytes_[at_++];
      const std::uint64_t digit = byte & 0x7F;
      if (digit << shift >> shift != digit) break;  // beyond 64 bits
      value |= digit << shift;
      if (byte < 0x80) return value > most || (byte == 0 && shift > 0) ? fail() : value;
    }
    return fail();
  }
  std::uint32_t varint32() { return static_cast<std::uint32_t>(varint(kMost32)); }

  std::size_t left() const { return bytes_.size() - at_; }
  bool ok() const { return ok_; }

 private:
  std::uint64_t fail() {
    ok_ = false;
    at_ = bytes_.size();
    return 0;
  }

  ByteView bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

// Why bytes that end like a schedule are not one.
enum class Problem {
  kNone,
  kCutOff,
  kVersion,
  kLength,
  kPolicy,
  kNumber,
  kCount,
  kOrder,
  kGarbage,
  kNeedless,
};

struct Parsed {
  Problem problem = Problem::kNone;
  std::uint64_t found = 0;  // the number the problem is about, if it is about one
  std::size_t payload_size = 0;
};

// REQUIRES: ends_in_magic(bytes), an empty schedule. Fills it in part where there is a problem.
Parsed parse(ByteView bytes, Schedule& schedule) {
  if (bytes.size() < kTailSize) return {.problem = Problem::kCutOff};
  Reader tail(bytes.last(kTailSize));
  const std::size_t length = tail.fixed(2);
  const std::uint64_t version = tail.fixed(1);
  if (version != kInputVersion) return {.problem = Problem::kVersion, .found = version};
  const std::size_t before_tail = bytes.size() - kTailSize;
  if (length > before_tail) return {.problem = Problem::kLength, .found = length};
  const std::size_t payload_size = before_tail - length;

  Reader body(bytes.subspan(payload_size, length));
  const auto policy = static_cast<PolicyId>(body.fixed(1));
  if (!body.ok()) return {.problem = Problem::kNumber};
  if (policy_name(policy) == nullptr) return {.problem = Problem::kPolicy, .found = static_cast<std::uint64_t>(policy)};
  schedule.policy = policy;
  schedule.seed = body.varint(kMost64);
  const std::uint64_t count = body.varint(kMost64);
  if (!body.ok()) return {.problem = Problem::kNumber};
  if (count > kMaxSwitches) return {.problem = Problem::kCount, .found = count};
  // Before any memory is taken for them.
  if (count * kLeastSwitchSize > body.left()) return {.problem = Problem::kNumber};

  schedule.switches.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    Switch forced;
    forced.thread = ThreadId{body.varint32()};
    forced.site = SiteKey{static_cast<std::uint32_t>(body.fixed(4))};
    forced.occurrence = body.varint32();
    forced.to = ThreadId{body.varint32()};
    if (!body.ok()) return {.problem = Problem::kNumber};
    schedule.switches.push_back(forced);
  }
  if (body.left() > 0) return {.problem = Problem::kGarbage, .found = body.left()};
  if (!is_normalised(schedule)) return {.problem = Problem::kOrder};
  if (!is_written(bytes.first(payload_size), schedule)) return {.problem = Problem::kNeedless};
  return {.payload_size = payload_size};
}

void make_empty(Schedule& schedule) {
  schedule.policy = PolicyId::kFollow;
  schedule.seed = 0;
  schedule.switches.clear();
}

Error error_of(const Parsed& parsed, std::size_t size) {
  const std::string found = std::to_string(parsed.found);
  const std::string damaged =
      "fetch the file again; if it was edited, take off its last four bytes (\"weav\") to use all "
      "of it as payload";
  const std::string other_release = "replay it with the release of Weavefuzz that wrote it";
  const auto error = [](std::string what, const std::string& hint) {
    return Error{.what = std::move(what), .where = {}, .hint = hint};
  };
  switch (parsed.problem) {
    case Problem::kNone: break;
    case Problem::kCutOff:
      return error("ends like a schedule, but " + std::to_string(size) + " bytes are too few to hold one", damaged);
    case Problem::kVersion:
      return error("schedule format v" + found + ", this build reads v" + std::to_string(kInputVersion), other_release);
    case Problem::kLength:
      return error("its schedule should be " + found + " bytes long, but the file has only " +
                       std::to_string(size - kTailSize) + " before the end mark",
                   damaged);
    case Problem::kPolicy:
      return error("its schedule asks for policy number " + found + ", which this build lacks", other_release);
    case Problem::kNumber:
      return error("its schedule has a number that is cut off, too large or longer than needed", damaged);
    case Problem::kCount:
      return error("its schedule has " + found + " switches, more than the limit of " + std::to_string(kMaxSwitches),
                   damaged);
    case Problem::kOrder:
      return error("the switches of its schedule are out of order, given twice or can never apply", damaged);
    case Problem::kGarbage:
      return error("its schedule has " + found + " bytes too many after the last switch", damaged);
    case Problem::kNeedless:
      return error("it spells out an empty schedule, which is written as nothing at all", "take off its last 10 bytes");
  }
  return {};
}

}  // namespace

std::size_t encoded_size(ByteView payload, const Schedule& schedule) {
  if (!is_written(payload, schedule)) return payload.size();
  return payload.size() + body_size(schedule) + kTailSize;
}

std::size_t append_schedule(std::uint8_t* bytes, std::size_t payload_size, const Schedule& schedule) {
  if (!is_written({bytes, payload_size}, schedule)) return payload_size;
  Writer writer(bytes + payload_size);
  writer.fixed(static_cast<std::uint8_t>(schedule.policy), 1);
  writer.varint(schedule.seed);
  writer.varint(schedule.switches.size());
  for (const Switch& forced : schedule.switches) {
    writer.varint(forced.thread.value);
    writer.fixed(forced.site.value, 4);
    writer.varint(forced.occurrence);
    writer.varint(forced.to.value);
  }
  writer.fixed(static_cast<std::uint64_t>(writer.at() - bytes) - payload_size, 2);
  writer.fixed(kInputVersion, 1);
  for (const std::uint8_t letter : kMagic) writer.fixed(letter, 1);
  return static_cast<std::size_t>(writer.at() - bytes);
}

Bytes encode(ByteView payload, const Schedule& schedule) {
  if (!is_normalised(schedule) || schedule.switches.size() > kMaxSwitches) {
    Schedule proper = schedule;
    normalise(proper);
    if (proper.switches.size() > kMaxSwitches) proper.switches.resize(kMaxSwitches);
    return encode(payload, proper);
  }
  Bytes bytes;
  bytes.reserve(encoded_size(payload, schedule));
  bytes.assign(payload.begin(), payload.end());
  bytes.resize(encoded_size(payload, schedule));
  append_schedule(bytes.data(), payload.size(), schedule);
  return bytes;
}

ByteView decode(ByteView bytes, Schedule& schedule) {
  make_empty(schedule);
  if (!ends_in_magic(bytes)) return bytes;
  const Parsed parsed = parse(bytes, schedule);
  if (parsed.problem == Problem::kNone) return bytes.first(parsed.payload_size);
  make_empty(schedule);
  return bytes;
}

Result<Input> decode_strict(ByteView bytes) {
  Input input;
  std::size_t payload_size = bytes.size();
  if (ends_in_magic(bytes)) {
    const Parsed parsed = parse(bytes, input.schedule);
    if (parsed.problem != Problem::kNone) return error_of(parsed, bytes.size());
    payload_size = parsed.payload_size;
  }
  const ByteView payload = bytes.first(payload_size);
  input.payload.assign(payload.begin(), payload.end());
  return input;
}

}  // namespace weavefuzz
