// EXPECT: pass
// PRIMITIVES: select, pselect
#include <sys/select.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  int first[2];
  int second[2];
  assert(pipe(first) == 0 && pipe(second) == 0);
  const int count = std::max(first[0], second[0]) + 1;
  std::thread reader([&] {
    int got[2] = {};
    while (got[0] + got[1] < 4) {
      fd_set set;
      FD_ZERO(&set);
      FD_SET(first[0], &set);
      FD_SET(second[0], &set);
      const int ready = got[0] == 0 ? select(count, &set, nullptr, nullptr, nullptr)
                                    : pselect(count, &set, nullptr, nullptr, nullptr, nullptr);
      assert(ready == FD_ISSET(first[0], &set) + FD_ISSET(second[0], &set) && ready > 0);
      char c;
      if (FD_ISSET(first[0], &set)) assert(read(first[0], &c, 1) == 1 && c == 'a' && ++got[0] <= 2);
      if (FD_ISSET(second[0], &set)) assert(read(second[0], &c, 1) == 1 && c == 'b' && ++got[1] <= 2);
    }
  });
  std::thread writer([&] {
    for (int i = 0; i < 2; ++i) assert(write(first[1], "a", 1) == 1);
  });
  for (int i = 0; i < 2; ++i) assert(write(second[1], "b", 1) == 1);
  reader.join();
  writer.join();

  fd_set in;
  fd_set out;
  FD_ZERO(&in);
  FD_ZERO(&out);
  FD_SET(first[0], &in);
  timeval time{3600, 0};
  assert(select(count, &in, nullptr, nullptr, &time) == 0 && !FD_ISSET(first[0], &in));
  assert(time.tv_sec == 0 && time.tv_usec == 0);
  FD_SET(first[0], &in);
  FD_SET(first[1], &out);
  time = {5, 0};
  assert(select(first[1] + 1, &in, &out, nullptr, &time) == 1 && FD_ISSET(first[1], &out));
  time = {0, 500};
  assert(select(0, nullptr, nullptr, nullptr, &time) == 0);
  const timespec bad{0, -1};
  assert(pselect(0, nullptr, nullptr, nullptr, &bad, nullptr) == -1 && errno == EINVAL);
  for (const int end : {first[0], first[1], second[0], second[1]}) close(end);
  return 0;
}
