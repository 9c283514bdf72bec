// The name that a person probably meant.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>

namespace weavefuzz::command {

// How many letters to add, drop or replace to turn one into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Empty if none is near.
std::string_view nearest(std::string_view wrong, std::span<const std::string_view> names);

}  // namespace weavefuzz::command
