// An error says what, where, and what to try; a Result is a value or an error.
#pragma once
#include <string>
#include <utility>
#include <variant>

namespace weavefuzz {

struct Error {
  std::string what;
  std::string where;  // file, flag, call ...; may be empty
  std::string hint;   // may be empty
};

// "where: what" and, on a second line, "  try: hint".
inline std::string to_string(const Error& error) {
  std::string text = error.where.empty() ? error.what : error.where + ": " + error.what;
  if (!error.hint.empty()) text += "\n  try: " + error.hint;
  return text;
}

template <class T>
class Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return state_.index() == 0; }
  const T& value() const { return std::get<0>(state_); }
  T& value() { return std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace weavefuzz
