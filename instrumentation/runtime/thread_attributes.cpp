// What a program asks or tells the system about a thread: its number, its name, where and how urgently it is to run.
// On the carrier the system would take one thread for another, and what it is told would outlive the run. So all of it
// is answered from here, the same on both backends. Nothing of it has an effect on the schedule.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/system.h"

WEAVEFUZZ_DECLARE_REAL(pthread_setname_np)
WEAVEFUZZ_DECLARE_REAL(pthread_getname_np)
WEAVEFUZZ_DECLARE_REAL(prctl)
WEAVEFUZZ_DECLARE_REAL(pthread_setaffinity_np)
WEAVEFUZZ_DECLARE_REAL(pthread_getaffinity_np)
WEAVEFUZZ_DECLARE_REAL(sched_setaffinity)
WEAVEFUZZ_DECLARE_REAL(sched_getaffinity)
WEAVEFUZZ_DECLARE_REAL(sched_getcpu)
WEAVEFUZZ_DECLARE_REAL(getcpu)
WEAVEFUZZ_DECLARE_REAL(pthread_setschedparam)
WEAVEFUZZ_DECLARE_REAL(pthread_getschedparam)
WEAVEFUZZ_DECLARE_REAL(pthread_setschedprio)
WEAVEFUZZ_DECLARE_REAL(sched_setscheduler)
WEAVEFUZZ_DECLARE_REAL(sched_getscheduler)
WEAVEFUZZ_DECLARE_REAL(sched_setparam)
WEAVEFUZZ_DECLARE_REAL(sched_getparam)

namespace weavefuzz::runtime {

namespace {

constexpr std::size_t kNameSize = 16;  // the kernel's, with its end

struct Attributes {
  std::uint32_t run;  // the run that they were last used in
  char name[kNameSize];
  bool has_affinity;
  cpu_set_t affinity;
  int policy;
  int priority;
};
Attributes table[kMaxThreads];

void set_name(Attributes& attributes, const char* name) {
  std::size_t length = 0;
  while (length + 1 < kNameSize && name[length] != '\0') ++length;
  std::memcpy(attributes.name, name, length);
  attributes.name[length] = '\0';
}

Attributes& attributes_of(const Thread& thread) {
  Attributes& attributes = table[thread.id.value];
  if (attributes.run != scheduler.run_number()) {
    attributes = {};
    attributes.run = scheduler.run_number();
    set_name(attributes, program_invocation_short_name);  // a thread gets its creator's
  }
  return attributes;
}

// The thread of this run with that handle, or number; nullptr if there is none.
Attributes* find(pthread_t handle) {
  const Thread* thread = scheduler.find(handle);
  return thread == nullptr ? nullptr : &attributes_of(*thread);
}

Attributes* find(pid_t number) {
  const Thread* thread = number == 0 ? self : scheduler.find_by_number(number);
  return thread == nullptr ? nullptr : &attributes_of(*thread);
}

// POSIX functions of threads return an error, those of the system leave it in errno.
int in_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int allowed_cpus(std::size_t size, cpu_set_t* set) {
  const long written = system_call(SYS_sched_getaffinity, 0, static_cast<long>(size), reinterpret_cast<long>(set));
  if (written < 0) return static_cast<int>(-written);
  std::memset(reinterpret_cast<char*>(set) + written, 0, size - static_cast<std::size_t>(written));
  return 0;
}

int set_affinity(Attributes& attributes, std::size_t size, const cpu_set_t* set) {
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  std::memcpy(&wanted, set, std::min(size, sizeof wanted));
  cpu_set_t allowed;
  if (allowed_cpus(sizeof allowed, &allowed) == 0) CPU_AND(&wanted, &wanted, &allowed);
  if (CPU_COUNT(&wanted) == 0) return EINVAL;
  attributes.affinity = wanted;
  attributes.has_affinity = true;
  return 0;
}

int get_affinity(const Attributes& attributes, std::size_t size, cpu_set_t* set) {
  const int error = allowed_cpus(size, set);  // also says whether there is room
  if (error != 0 || !attributes.has_affinity) return error;
  std::memset(set, 0, size);
  std::memcpy(set, &attributes.affinity, std::min(size, sizeof attributes.affinity));
  return 0;
}

int set_priority(Attributes& attributes, int policy, int priority) {
  policy &= ~SCHED_RESET_ON_FORK;
  const int least = sched_get_priority_min(policy);
  if (least < 0 || priority < least || priority > sched_get_priority_max(policy)) return EINVAL;
  attributes.policy = policy;
  attributes.priority = priority;
  return 0;
}

// All threads share one CPU, as far as they can tell.
unsigned current_cpu() {
  const Attributes& attributes = attributes_of(*self);
  unsigned cpu = 0;
  while (attributes.has_affinity && !CPU_ISSET(cpu, &attributes.affinity)) ++cpu;
  return cpu;
}

}  // namespace

extern "C" pid_t gettid() noexcept { return self == nullptr ? kernel_thread_id() : self->identity->number(); }

extern "C" int pthread_setname_np(pthread_t handle, const char* name) noexcept {
  Attributes* found = self == nullptr ? nullptr : find(handle);
  if (found == nullptr) return WEAVEFUZZ_REAL(pthread_setname_np)(handle, name);
  if (std::strlen(name) >= kNameSize) return ERANGE;
  set_name(*found, name);
  return 0;
}

extern "C" int pthread_getname_np(pthread_t handle, char* name, std::size_t size) noexcept {
  const Attributes* found = self == nullptr ? nullptr : find(handle);
  if (found == nullptr) return WEAVEFUZZ_REAL(pthread_getname_np)(handle, name, size);
  if (size < kNameSize) return ERANGE;
  std::memcpy(name, found->name, kNameSize);
  return 0;
}

extern "C" int prctl(int option, ...) noexcept {
  va_list list;
  va_start(list, option);
  unsigned long arguments[4];
  for (unsigned long& argument : arguments) argument = va_arg(list, unsigned long);
  va_end(list);
  if (self != nullptr && option == PR_SET_NAME) {
    set_name(attributes_of(*self), reinterpret_cast<const char*>(arguments[0]));
    return 0;
  }
  if (self != nullptr && option == PR_GET_NAME) {
    std::memcpy(reinterpret_cast<char*>(arguments[0]), attributes_of(*self).name, kNameSize);
    return 0;
  }
  return WEAVEFUZZ_REAL(prctl)(option, arguments[0], arguments[1], arguments[2], arguments[3]);
}

extern "C" int pthread_setaffinity_np(pthread_t handle, std::size_t size, const cpu_set_t* set) noexcept {
  Attributes* found = self == nullptr ? nullptr : find(handle);
  return found == nullptr ? WEAVEFUZZ_REAL(pthread_setaffinity_np)(handle, size, set) : set_affinity(*found, size, set);
}

extern "C" int pthread_getaffinity_np(pthread_t handle, std::size_t size, cpu_set_t* set) noexcept {
  const Attributes* found = self == nullptr ? nullptr : find(handle);
  return found == nullptr ? WEAVEFUZZ_REAL(pthread_getaffinity_np)(handle, size, set) : get_affinity(*found, size, set);
}

extern "C" int sched_setaffinity(pid_t number, std::size_t size, const cpu_set_t* set) noexcept {
  Attributes* found = self == nullptr ? nullptr : find(number);
  return found == nullptr ? WEAVEFUZZ_REAL(sched_setaffinity)(number, size, set)
                          : in_errno(set_affinity(*found, size, set));
}

extern "C" int sched_getaffinity(pid_t number, std::size_t size, cpu_set_t* set) noexcept {
  const Attributes* found = self == nullptr ? nullptr : find(number);
  return found == nullptr ? WEAVEFUZZ_REAL(sched_getaffinity)(number, size, set)
                          : in_errno(get_affinity(*found, size, set));
}

extern "C" int sched_getcpu() noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(sched_getcpu);
  return static_cast<int>(current_cpu());
}

extern "C" int getcpu(unsigned* cpu, unsigned* node) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(getcpu, cpu, node);
  if (cpu != nullptr) *cpu = current_cpu();
  if (node != nullptr) *node = 0;
  return 0;
}

extern "C" int pthread_setschedparam(pthread_t handle, int policy, const sched_param* parameters) noexcept {
  Attributes* found = self == nullptr ? nullptr : find(handle);
  return found == nullptr ? WEAVEFUZZ_REAL(pthread_setschedparam)(handle, policy, parameters)
                          : set_priority(*found, policy, parameters->sched_priority);
}

extern "C" int pthread_getschedparam(pthread_t handle, int* policy, sched_param* parameters) noexcept {
  const Attributes* found = self == nullptr ? nullptr : find(handle);
  if (found == nullptr) return WEAVEFUZZ_REAL(pthread_getschedparam)(handle, policy, parameters);
  *policy = found->policy;
  parameters->sched_priority = found->priority;
  return 0;
}

extern "C" int pthread_setschedprio(pthread_t handle, int priority) noexcept {
  Attributes* found = self == nullptr ? nullptr : find(handle);
  return found == nullptr ? WEAVEFUZZ_REAL(pthread_setschedprio)(handle, priority)
                          : set_priority(*found, found->policy, priority);
}

extern "C" int sched_setscheduler(pid_t number, int policy, const sched_param* parameters) noexcept {
  Attributes* found = self == nullptr ? nullptr : find(number);
  return found == nullptr ? WEAVEFUZZ_REAL(sched_setscheduler)(number, policy, parameters)
                          : in_errno(set_priority(*found, policy, parameters->sched_priority));
}

extern "C" int sched_getscheduler(pid_t number) noexcept {
  const Attributes* found = self == nullptr ? nullptr : find(number);
  return found == nullptr ? WEAVEFUZZ_REAL(sched_getscheduler)(number) : found->policy;
}

extern "C" int sched_setparam(pid_t number, const sched_param* parameters) noexcept {
  Attributes* found = self == nullptr ? nullptr : find(number);
  return found == nullptr ? WEAVEFUZZ_REAL(sched_setparam)(number, parameters)
                          : in_errno(set_priority(*found, found->policy, parameters->sched_priority));
}

extern "C" int sched_getparam(pid_t number, sched_param* parameters) noexcept {
  const Attributes* found = self == nullptr ? nullptr : find(number);
  if (found == nullptr) return WEAVEFUZZ_REAL(sched_getparam)(number, parameters);
  parameters->sched_priority = found->priority;
  return 0;
}

}  // namespace weavefuzz::runtime
