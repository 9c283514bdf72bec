// The one object of a policy class.
#pragma once
#include <cstddef>
#include <new>

namespace weavefuzz {

// Made at the first call and never destroyed: a run may still be on when the process exits, and
// this code is linked into other people's programs, where it should neither have constructors nor
// pass through the guards of function-local statics, which the runtime intercepts. REQUIRES: not
// called by two threads at a time.
template <class T, class... Arguments>
T& single(Arguments... arguments) {
  alignas(T) static std::byte memory[sizeof(T)];
  static T* object = nullptr;
  if (object == nullptr) object = new (memory) T(arguments...);
  return *object;
}

}  // namespace weavefuzz
