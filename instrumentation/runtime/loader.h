// Libraries that the program opens and closes.
#pragma once

namespace weavefuzz::runtime {

// For calls that constructors and destructors of a library must not make: they are not scheduled.
void refuse_in_loader(const char* call, const void* caller);

}  // namespace weavefuzz::runtime
