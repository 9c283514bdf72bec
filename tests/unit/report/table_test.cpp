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
  EXPECT_EQ(render_table(rows, 100),
            "       main                      thread 1\n"
            "    1  spawn thread 1  a.cpp:9\n"
            "    2>                           read hits   a.cpp:6\n"
            "    3                            write hits  a.cpp:6\n"
            "    4> join thread 1\n");
}

TEST(Table, LeavesTheFirstRowsOutWhenThereAreTooManyAndSaysSo) {
  std::vector<TableRow> rows;
  for (std::size_t i = 1; i <= 5; ++i) rows.push_back({i, ThreadId{0}, "read x", ""});
  EXPECT_EQ(render_table(rows, 2),
            "       main\n"
            "  ... 3 earlier events not shown\n"
            "    4  read x\n"
            "    5  read x\n");
}

TEST(Table, OfNothingIsAnEmptyHeader) { EXPECT_EQ(render_table({}, 10), "\n"); }

}  // namespace
}  // namespace weavefuzz
