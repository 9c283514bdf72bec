// The name that a person probably meant.
#pragma once
#include <span>
#include <string_view>

namespace weavefuzz {

// Empty if none is near.
std::string_view nearest(std::string_view wrong, std::span<const std::string_view> names);

}  // namespace weavefuzz
