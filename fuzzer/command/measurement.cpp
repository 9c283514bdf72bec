#include "fuzzer/command/measurement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace weavefuzz::command {
namespace {

std::string formatted(const char* format, double number) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, number);
  return buffer;
}

std::string for_machine(double number) { return formatted("%.6g", number); }
std::string for_machine(std::optional<double> number) { return number ? for_machine(*number) : "null"; }

// Two or three digits that count.
std::string for_person(double number) {
  const double size = std::fabs(number);
  if (size >= 100 || number == std::trunc(number)) return formatted("%.0f", number);
  return formatted(size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.1g", number);
}
std::string for_person(std::optional<double> number) { return number ? for_person(*number) : "-"; }

}  // namespace

std::optional<bool> Measurement::within_budget() const {
  if (!budget) return std::nullopt;
  const std::optional<double> number = budget->of == Budget::Of::kValue ? value.median : ratio;
  if (!number) return std::nullopt;
  return budget->bound == Budget::Bound::kAtLeast ? *number >= budget->limit : *number < budget->limit;
}

std::string to_text(const Budget& budget, std::string_view unit) {
  const std::string bound = (budget.bound == Budget::Bound::kAtLeast ? ">= " : "< ") + for_person(budget.limit);
  return budget.of == Budget::Of::kRatio ? "ratio " + bound : bound + " " + std::string(unit);
}

std::string to_table(std::span<const Measurement> measurements) {
  using Line = std::array<std::string, 7>;
  std::vector<Line> lines{{"name", "value", "min..max", "baseline", "ratio", "budget", "within"}};
  for (const Measurement& m : measurements) {
    const std::optional<bool> within = m.within_budget();
    lines.push_back({m.name, for_person(m.value.median) + " " + m.unit,
                     for_person(m.value.min) + ".." + for_person(m.value.max), for_person(m.baseline),
                     for_person(m.ratio), m.budget ? to_text(*m.budget, m.unit) : "-",
                     within ? (*within ? "yes" : "NO") : "-"});
  }
  std::array<std::size_t, std::tuple_size_v<Line>> widths{};
  for (const Line& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool last = i + 1 == line.size();
      text += line[i] + (last ? "\n" : std::string(widths[i] + 2 - line[i].size(), ' '));
    }
  }
  return text;
}

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string to_json(std::span<const Measurement> measurements) {
  std::string text = "[";
  for (const Measurement& m : measurements) {
    const std::optional<bool> within = m.within_budget();
    text += text.size() > 1 ? ",\n " : "\n ";
    text += "{\"name\": " + json_string(m.name);
    text += ", \"value\": " + for_machine(m.value.median);
    text += ", \"baseline\": " + for_machine(m.baseline);
    text += ", \"ratio\": " + for_machine(m.ratio);
    text += ", \"unit\": " + json_string(m.unit);
    text += ", \"min\": " + for_machine(m.value.min);
    text += ", \"max\": " + for_machine(m.value.max);
    text += ", \"budget\": " + (m.budget ? for_machine(m.budget->limit) : "null");
    text += ", \"budget_text\": " + (m.budget ? json_string(to_text(*m.budget, m.unit)) : std::string("null"));
    text += std::string(", \"within_budget\": ") + (within ? (*within ? "true" : "false") : "null");
    text += "}";
  }
  return text + "\n]\n";
}

}  // namespace weavefuzz::command
