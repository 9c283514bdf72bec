// EXPECT: pass
// Twin of thread_leak.cpp. The harness stops and joins the worker that it created, started or not.

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
  const bool has_worker = true;
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
