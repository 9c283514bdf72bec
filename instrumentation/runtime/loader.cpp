// dlopen and dlclose. The loader holds a lock of its own while it runs constructors and destructors of a library, and
// whatever else asks it something waits for that: no thread may be switched away from in there.
#include "instrumentation/runtime/loader.h"

#include <dlfcn.h>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/sanitizers.h"
#include "instrumentation/runtime/sites.h"

WEAVEFUZZ_DECLARE_REAL(dlopen)
WEAVEFUZZ_DECLARE_REAL(dlclose)

namespace weavefuzz::runtime {

namespace {

// Of the calling thread: who it is, while it is in the loader.
__thread Thread* in_loader __attribute__((tls_model("local-exec"))) = nullptr;

// TSan knows nothing of the loader's lock, nor that memory of a closed library may be that of the next one.
char happens_before = 0;

class Loading {
 public:
  Loading() : thread_(self), outer_(in_loader) {
    tsan_acquire(&happens_before);
    if (thread_ != nullptr) in_loader = thread_;
    self = nullptr;
  }
  ~Loading() {
    self = thread_;
    in_loader = outer_;
    tsan_release(&happens_before);
  }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

 private:
  Thread* thread_;
  Thread* outer_;
};

}  // namespace

void refuse_in_loader(const char* call, const void* caller) {
  if (in_loader == nullptr) return;
  self = in_loader;
  scheduler.refuse(call, "in a constructor or destructor of a library that is being loaded is not supported", caller);
}

extern "C" void* dlopen(const char* name, int flags) noexcept {
  if (self == nullptr) {  // the loader looks at who called
    const auto real = WEAVEFUZZ_REAL(dlopen);
    [[clang::musttail]] return real(name, flags);
  }
  const Loading loading;
  return WEAVEFUZZ_REAL(dlopen)(name, flags);
}

extern "C" int dlclose(void* library) noexcept {
  int result = 0;
  {
    const Loading loading;
    result = WEAVEFUZZ_REAL(dlclose)(library);
  }
  forget_closed_libraries();
  return result;
}

}  // namespace weavefuzz::runtime
