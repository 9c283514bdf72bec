// EXPECT: thread-leak builds=plain,tsan,asan
// The harness returns without joining a thread that waits on a condition variable. To shut down, it
// asks whether the worker has started, and if not, leaves it alone.
// Shows when the worker has not announced itself by the time that the other thread is joined: it
// then waits for a stop that never comes.
// Least preemptions: 0 (the second thread goes first and is joined).
// The worker outlives the call, so what it uses is global.
// Twin: thread_leak_fixed.cpp.

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t stop_requested = PTHREAD_COND_INITIALIZER;
bool started;
bool stopping;
int requests;

void* work(void*) {
  pthread_mutex_lock(&mutex);
  started = true;
  while (!stopping) pthread_cond_wait(&stop_requested, &mutex);
  pthread_mutex_unlock(&mutex);
  return nullptr;
}

void* submit(void*) {
  pthread_mutex_lock(&mutex);
  ++requests;
  pthread_mutex_unlock(&mutex);
  return nullptr;
}

// Returns whether there is a worker to join.
bool stop_worker() {
  pthread_mutex_lock(&mutex);
  const bool has_worker = started;
  if (has_worker) {
    stopping = true;
    pthread_cond_broadcast(&stop_requested);
  }
  pthread_mutex_unlock(&mutex);
  return has_worker;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  pthread_mutex_lock(&mutex);
  started = false;
  stopping = false;
  requests = 0;
  pthread_mutex_unlock(&mutex);

  pthread_t worker;
  pthread_t client;
  pthread_create(&worker, nullptr, work, nullptr);
  pthread_create(&client, nullptr, submit, nullptr);
  pthread_join(client, nullptr);
  if (stop_worker()) pthread_join(worker, nullptr);
  return 0;
}
