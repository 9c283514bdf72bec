#!/usr/bin/env python3
"""Waiting without blocking costs few events, however it is done and under every policy; what can never end is said
to be a livelock, soon and with what each thread looks at; what ends by itself is not.
"""

import pathlib
import tempfile

import tool

WORK = 1000   # events of the thread that is waited for
MOST = 2500   # events of the whole run
SOON = 25_000
SEEDS = range(1, 11)

INCLUDES = """
#include <sched.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

std::atomic<int> flag;
std::atomic_flag held;
std::mutex mutex;
volatile int plain;
int guarded;
std::atomic<int> work;

#if defined(__x86_64__)
#define PAUSE asm volatile("pause")
#else
#define PAUSE asm volatile("yield")
#endif

__attribute__((noinline)) void look(int* seen) { *seen = flag; }  // LOOK
"""

# Name: what comes before the threads, how one waits, what the other does when it has worked.
WAYS = {
    "atomic": ("", "while (flag == 0) {}", "flag = 1;"),
    "plain": ("", "while (plain == 0) {}", "plain = 1;"),
    "pause": ("", "while (flag == 0) PAUSE;", "flag = 1;"),
    "yield": ("", "while (flag == 0) sched_yield();", "flag = 1;"),
    "exchange": ("held.test_and_set();", "while (held.test_and_set()) {}", "held.clear();"),
    "compare_exchange": ("flag = 1;", "for (int free = 0; !flag.compare_exchange_weak(free, 1); free = 0) {}",
                         "flag = 0;"),
    "try_lock": ("mutex.lock();", "while (!mutex.try_lock()) {} mutex.unlock();", "guarded = 1;"),
    "lock_and_look": ("", "for (bool seen = false; !seen;) { std::lock_guard lock(mutex); seen = guarded == 1; }",
                      "{ std::lock_guard lock(mutex); guarded = 1; }"),
    "back_off": ("", "for (int n = 1; flag == 0; n = n < 64 ? 2 * n : n) for (int i = 0; i < n; ++i) PAUSE;",
                 "flag = 1;"),
    "deadline": ("const auto end = std::chrono::steady_clock::now() + std::chrono::hours(1);",
                 "while (std::chrono::steady_clock::now() < end) {}", ""),
}

# Name: what one thread does, and what the report must say of it.
ENDLESS = {
    "atomic": ("while (flag == 0) {}  // HERE", r"atomic read flag"),
    "yield": ("while (flag == 0) sched_yield();  // HERE", r"yield"),
    "exchange": ("held.test_and_set(); while (held.test_and_set()) {}  // HERE", r"atomic update held\S*  \S+  \(in vain\)"),
    "lock_and_look": ("for (bool seen = false; !seen;) { std::lock_guard lock(mutex); seen = guarded; }  // HERE",
                      r"read guarded"),
    "local": ("for (int seen = 0; seen == 0;) look(&seen);", r"write \*seen  \S+  \(in vain\)"),
}

# Ends, though nobody does anything for it.
BOUNDED = "for (int i = 0; i < 100000 && flag == 0; ++i) {}"


def source(folder, name, before, first, second):
    path = pathlib.Path(folder) / f"{name}.cpp"
    path.write_text(f"""{INCLUDES}
extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {{
  flag = 0;
  plain = 0;
  guarded = 0;
  held.clear();
  {before}
  std::thread first([&] {{
    {first}
  }});
  std::thread second([&] {{ {second} }});
  {"second.join(); mutex.unlock(); first.join();" if "mutex.lock();" in before else "first.join(); second.join();"}
  return 0;
}}
""")
    return path


def inputs(folder):
    """One that runs each thread until it blocks, and one for each seed that switches at random."""
    for seed in [None, *SEEDS]:
        path = pathlib.Path(folder) / f"input{seed}"
        path.write_bytes(b"x" if seed is None else b"x" + bytes([1, seed, 0, 3, 0, 1]) + b"weav")
        yield path


def events_of(run):
    return int(run.find(r"^TRACE_HASH: \w+ events: (\d+)"))


def costs_little(toolchain, name, way):
    before, waits, release = way
    work = f"for (int i = 0; i < {WORK}; ++i) work.fetch_add(1); {release}"
    with tempfile.TemporaryDirectory() as folder:
        harness = toolchain.build(source(folder, name, before, waits, work))
        most = 0
        for path in inputs(folder):
            run = tool.run([harness, "-print_trace=0", path], cwd=folder)
            tool.check(run.code == 0 and run.trace_hash, "a correct program was reported", run)
            tool.check(events_of(run) <= MOST, f"took {events_of(run)} events", run)
            tool.check_same(run, tool.run([harness, "-print_trace=0", "-threads=os", path], cwd=folder))
            most = max(most, events_of(run))
    return f"at most {most} events"


def never_ends(toolchain, name, build, loop, says):
    with tempfile.TemporaryDirectory() as folder:
        path = source(folder, f"endless_{name}", "", loop, "")
        mark = "HERE" if "HERE" in loop else "LOOK"
        line = next(number for number, text in enumerate(path.read_text().splitlines(), 1) if mark in text)
        harness = toolchain.build(path, build)
        for each in inputs(folder):
            run = tool.run([harness, "-trace_events=20", each], cwd=folder)
            tool.check_finding(run, {"livelock"})
            tool.check(events_of(run) <= SOON, f"took {events_of(run)} events", run)
            tool.check(run.find(r"^  (thread 1 spins: .*)$") and run.find(r"^    (goes round:)$"), "says not who", run)
            tool.check(run.find(rf"^      (\S.* {path.name}:{line}\b.*)$"), "says not where", run)
            tool.check(run.find(rf"^      ({says}.*)$"), "says not what", run)
    return "livelock"


def ends_by_itself(toolchain):
    with tempfile.TemporaryDirectory() as folder:
        harness = toolchain.build(source(folder, "bounded", "", BOUNDED, BOUNDED))
        for path in inputs(folder):
            run = tool.run([harness, "-print_trace=0", path], cwd=folder)
            tool.check(run.code == 0, "a correct program was reported", run)
    return None


def main():
    arguments = tool.arguments(__doc__).parse_args()
    toolchain = tool.Toolchain(arguments.bin, arguments.cache)
    tests = [(f"waits {name}", lambda n=name, w=way: costs_little(toolchain, n, w)) for name, way in WAYS.items()]
    tests += [(f"endless {name} {build}", lambda n=name, b=build, e=each: never_ends(toolchain, n, b, *e))
              for name, each in ENDLESS.items() for build in (["plain"] if arguments.quick else tool.BUILDS)]
    tests += [("ends by itself", lambda: ends_by_itself(toolchain))]
    return tool.run_tests([test for test in tests if arguments.filter in test[0]], arguments.jobs)


if __name__ == "__main__":
    tool.main(main)
