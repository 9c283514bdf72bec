#include "fuzzer/report/table.h"

#include <gtest/gtest.h>

namespace weavefuzz {
namespace {

TEST(Table, HasOneColumnPerThreadAndMarksSwitches) {
  const std::vector<TableRow> rows{
      {1, ThreadId{0}, "spawn thread 1", "a.cpp:9"},
      {2, ThreadId{1}, "read hits", "a.cpp:6"},
      {3, ThreadId{1}, "write hits", "a.cpp:6"},
      {4, ThreadId{0}, "join thread 1", ""},
  };
  EXPECT_EQ(render_table(rows, 0),
            "       main                      thread 1\n"
            "    1  spawn thread 1  a.cpp:9\n"
            "    2>                           read hits   a.cpp:6\n"
            "    3                            write hits  a.cpp:6\n"
            "    4> join thread 1\n");
}

TEST(Table, SaysHowManyRowsCameBefore) {
  EXPECT_EQ(render_table({{4, ThreadId{0}, "read x", ""}, {5, ThreadId{0}, "read x", ""}}, 3),
            "       main\n"
            "  ... 3 earlier events not shown\n"
            "    4  read x\n"
            "    5  read x\n");
}

TEST(Table, OfNothingIsAnEmptyHeader) { EXPECT_EQ(render_table({}, 0), "\n"); }

}  // namespace
}  // namespace weavefuzz
