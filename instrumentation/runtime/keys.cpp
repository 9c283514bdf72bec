#include "instrumentation/runtime/keys.h"

#include <pthread.h>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/libraries.h"
#include "instrumentation/runtime/sites.h"

extern "C" {
// glibc's own names for what is interposed here: they need no look-up, which matters because sanitizers
// make keys before the process can do one.
int __pthread_key_create(pthread_key_t* key, void (*destructor)(void*));
int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* library);
int pthread_key_delete(pthread_key_t key) noexcept;
}
WEAVEFUZZ_DECLARE_REAL(__cxa_thread_atexit_impl)
WEAVEFUZZ_DECLARE_REAL(pthread_key_delete)

namespace weavefuzz::runtime {

struct ThreadLocalDestructor {
  void (*function)(void*);
  void* object;
  ThreadLocalDestructor* next;
};

namespace {

constexpr int kDestructorRounds = 4;  // PTHREAD_DESTRUCTOR_ITERATIONS
constexpr std::size_t kMaxDestructors = 1 << 16;

struct Key {
  bool exists;
  void (*destructor)(void*);
};
Key keys[kMaxKeys];
unsigned keys_end = 0;  // one above the highest key ever made

ThreadLocalDestructor destructors[kMaxDestructors];
std::size_t destructor_count = 0;

}  // namespace

std::bitset<kMaxKeys> keys_in_use() {
  std::bitset<kMaxKeys> used;
  for (unsigned key = 0; key < keys_end; ++key) used[key] = keys[key].exists && pthread_getspecific(key) != nullptr;
  return used;
}

void begin_thread_locals() { destructor_count = 0; }

void reset_thread_locals() { reset_instrumented_thread_locals(); }

void destroy_thread_locals(Thread& thread) {
  while (thread.destructors != nullptr) {
    const ThreadLocalDestructor* newest = thread.destructors;
    thread.destructors = newest->next;
    newest->function(newest->object);
  }
  bool again = true;
  for (int round = 0; again && round < kDestructorRounds; ++round) {
    again = false;
    for (unsigned key = 0; key < keys_end; ++key) {
      if (!keys[key].exists || thread.identity->own_keys[key]) continue;
      void* value = pthread_getspecific(key);
      if (value == nullptr) continue;
      pthread_setspecific(key, nullptr);
      if (keys[key].destructor == nullptr) continue;
      keys[key].destructor(value);
      again = true;
    }
  }
}

extern "C" int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  const int result = __pthread_key_create(key, destructor);
  if (result == 0 && *key < kMaxKeys) {
    // An allocator keeps its caches by key. They belong to the identity, not to the program's thread.
    keys[*key] = {!is_in_allocator(WEAVEFUZZ_CALLER()), destructor};
    if (*key >= keys_end) keys_end = *key + 1;
  }
  return result;
}

extern "C" int pthread_key_delete(pthread_key_t key) noexcept {
  if (key < kMaxKeys) keys[key] = {};
  return WEAVEFUZZ_REAL(pthread_key_delete)(key);
}

extern "C" int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* library) {
  // The harness's own thread goes on after the run, and so do its thread_local variables.
  if (self == nullptr || self->id == ThreadId{})
    return WEAVEFUZZ_REAL(__cxa_thread_atexit_impl)(destructor, object, library);
  if (destructor_count == kMaxDestructors)
    scheduler.refuse("thread_local",
                     "one run made more thread_local objects with destructors than the runtime can hold");
  ThreadLocalDestructor& added = destructors[destructor_count++];
  added = {destructor, object, self->destructors};
  self->destructors = &added;
  return 0;
}

extern "C" int __cxa_thread_atexit(void (*destructor)(void*), void* object, void* library) noexcept {
  return __cxa_thread_atexit_impl(destructor, object, library);
}

}  // namespace weavefuzz::runtime
