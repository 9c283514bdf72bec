// An array that costs nothing until it is touched: all its bytes are zero at first, whatever the initial values of T
// are. With those, a large array would be a large part of the program's file. REQUIRES: elements are assigned before
// anything but "zero" is read from them.
#pragma once
#include <cstddef>
#include <type_traits>

namespace weavefuzz::runtime {

template <class T, std::size_t N>
class Zeroed {
 public:
  T& operator[](std::size_t index) { return begin()[index]; }
  const T& operator[](std::size_t index) const { return begin()[index]; }
  T* begin() { return reinterpret_cast<T*>(bytes_); }
  const T* begin() const { return reinterpret_cast<const T*>(bytes_); }
  T* end() { return begin() + N; }
  const T* end() const { return begin() + N; }
  T* data() { return begin(); }
  const T* data() const { return begin(); }

 private:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  alignas(T) std::byte bytes_[N * sizeof(T)]{};
};

}  // namespace weavefuzz::runtime
