#include "fuzzer/report/table.h"

#include <algorithm>
#include <map>

namespace weavefuzz {

namespace {

constexpr std::size_t kNumberWidth = 5;
constexpr std::size_t kGap = 3;

struct Column {
  std::string title;
  std::size_t what_width = 0;
  std::size_t width = 0;
};

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

std::string title_of(ThreadId thread) {
  return thread == ThreadId{} ? "main" : "thread " + std::to_string(thread.value);
}

void append_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

}  // namespace

std::string render_table(const std::vector<TableRow>& rows, std::size_t earlier) {
  std::map<ThreadId, Column> columns;
  for (const TableRow& row : rows) {
    Column& column = columns[row.thread];
    column.what_width = std::max(column.what_width, row.what.size());
  }
  for (auto& [thread, column] : columns) column.title = title_of(thread);
  for (const TableRow& row : rows) {
    Column& column = columns[row.thread];
    const std::size_t place = row.place.empty() ? 0 : 2 + row.place.size();
    column.width = std::max({column.width, column.title.size(), column.what_width + place});
  }

  std::string out;
  std::string header(kNumberWidth + 2, ' ');
  for (const auto& [thread, column] : columns) header += padded(column.title, column.width + kGap);
  append_line(out, header);
  if (earlier > 0) append_line(out, "  ... " + std::to_string(earlier) + " earlier events not shown");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TableRow& row = rows[i];
    const std::string number = std::to_string(row.number);
    const bool switched = i > 0 && rows[i - 1].thread != row.thread;
    std::string line = std::string(kNumberWidth > number.size() ? kNumberWidth - number.size() : 0, ' ') + number +
                       (switched ? "> " : "  ");
    for (const auto& [thread, column] : columns) {
      if (thread < row.thread) line += std::string(column.width + kGap, ' ');
      if (thread == row.thread)
        line += row.place.empty() ? row.what : padded(row.what, column.what_width) + "  " + row.place;
    }
    append_line(out, line);
  }
  return out;
}

}  // namespace weavefuzz
