#!/usr/bin/env python3
"""What cannot be done is said clearly: one message, the right exit code, the place in the source. And what
ends a run (a signal, an exception, a time-out, ...) is one finding of the right kind.
"""

import hashlib
import pathlib
import re
import shutil
import tempfile

import tool

TESTS = {}


def test(function):
    TESTS[function.__name__] = function
    return function


# --- Harnesses ---

INCLUDES = """
#include <fenv.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
"""

THREAD = "  std::thread thread([&] {{ {} }});\n  thread.join();"


class Bench:
    """Builds harnesses from text, and runs them in a folder of their own."""

    def __init__(self, toolchain, folder):
        self.toolchain = toolchain
        self.folder = pathlib.Path(folder)
        self.made = 0

    def source(self, body, before=""):
        self.made += 1
        path = self.folder / f"harness{self.made}.cpp"
        path.write_text(f"{INCLUDES}\n{before}\nextern \"C\" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {{\n"
                        f"  (void)data, (void)size;\n{body}\n  return 0;\n}}\n")
        return path

    def harness(self, body, before="", build="plain"):
        return self.toolchain.build(self.source(body, before), build)

    def racy(self, build="plain"):
        """Fails when the second thread is preempted between its read and its write."""
        return self.harness("  std::atomic<int> n{0};\n  const auto add = [&] { n = n + 1; };\n"
                            "  std::thread first(add);\n  std::thread second(add);\n  first.join();\n  second.join();\n"
                            "  assert(n == 2);", build=build)

    def run(self, harness, *arguments, **how):
        return tool.run([harness, *arguments], cwd=self.folder, **how)

    def fuzz(self, harness, *flags, runs=20000, timeout=120):
        """In a new folder. Returns the run and the folder."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        return tool.fuzz(harness, folder, runs, 1, *flags, timeout=timeout), folder

    def artifact(self, harness):
        found, folder = self.fuzz(harness)
        tool.check_finding(found)
        return found, tool.the_artifact(folder, found)


def says(run, code, *parts):
    tool.check(not run.timed_out, "took too long", run)
    tool.check(run.code == code, f"exit code {run.code}, not {code}", run)
    for part in parts:
        tool.check(re.search(part, run.text), f"does not say: {part}", run)


def shared_library(bench, name, text, build):
    """Instrumented, with the sanitizer of `build`; without coverage, since libFuzzer keeps pointers into its counters."""
    source, library = bench.folder / f"{name}.cpp", bench.folder / f"{name}.{build}.so"
    source.write_text(text)
    sanitizers = [f"-fsanitize={name}" for name in tool.BUILDS[build].split(",") if name != "fuzzer"]
    says(tool.run([bench.toolchain.compiler(), "-std=c++20", "-g", "-O1", *sanitizers, "-shared", "-fPIC", source, "-o",
                   library]), 0)
    return library


# --- Calls that are refused ---

def refused(bench, call, body, before="", build="plain"):
    source = bench.source("  " + body, before)
    lines = source.read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "HERE" in text)
    harness = bench.toolchain.build(source, build)
    done, folder = bench.fuzz(harness, runs=1000)  # some calls need to wait to be refused
    says(done, 1, rf"(?m)^weavefuzz: {call}: .*not supported", rf"called at {source.name}:{line} ", r"\n  try: ")
    tool.check(not tool.artifacts(folder), "a refusal is not a finding, but left an artifact", done)


@test
def refuses_futexes_with_priority_inheritance(bench):
    refused(bench, "futex", "unsigned word = 0;\n syscall(SYS_futex, &word, 6 /* lock */, 0, nullptr);  // HERE")


@test
def refuses_raw_calls(bench):
    for call, number in ("futex_waitv", 449), ("clone3", 435):
        refused(bench, call, f"syscall({number}, nullptr, 0);  // HERE")


OUTSIDER = ("std::mutex m;\nstd::condition_variable c;\nstd::atomic<int> a{0};\n"
            "extern \"C\" int LLVMFuzzerInitialize(int*, char***) {\n std::thread([] { for (;;) {\n"
            " std::this_thread::sleep_for(std::chrono::milliseconds(1));\n ++a;\n a.notify_all();\n c.notify_all();\n"
            " } }).detach();\n return 0;\n}")


@test
def refuses_to_wait_for_a_thread_outside_the_run(bench):
    for wait in "std::unique_lock l(m);\n c.wait(l);  // HERE", "std::binary_semaphore s(0);\n s.acquire();  // HERE":
        for build in tool.BUILDS:
            refused(bench, "threads outside the run", wait, OUTSIDER, build)


@test
def warns_of_threads_outside_the_runs(bench):
    harness = bench.harness(THREAD.format(""), OUTSIDER)
    says(bench.fuzz(harness, runs=10)[0], 0, r"WARNING: Weavefuzz: threads .*not under control: 1\b.*\n  try: ")


@test
def finds_a_deadlock_after_a_thread_outside_has_ended(bench):
    found, _ = bench.fuzz(bench.harness(
        THREAD.format("std::latch(1).wait();"), "extern \"C\" int LLVMFuzzerInitialize(int*, char***) {\n"
        " std::thread([] {}).join();\n return 0;\n}"))
    tool.check_finding(found, {"deadlock"})


@test
def finds_a_circle_beside_a_thread_outside(bench):
    found, _ = bench.fuzz(bench.harness(THREAD.format("std::mutex x;\n x.lock();\n x.lock();"), OUTSIDER))
    tool.check_finding(found, {"deadlock"})


@test
def refuses_fork(bench):
    refused(bench, "fork", "if (fork() == 0) _exit(0);  // HERE")


@test
def refuses_cancellation_under_tsan(bench):
    refused(bench, "pthread_cancel", "std::thread t([] {});\n pthread_cancel(t.native_handle());  // HERE\n t.join();",
            build="tsan")


@test
def refuses_vfork(bench):
    refused(bench, "vfork", "if (vfork() == 0) _exit(0);  // HERE")


@test
def refuses_alarm(bench):
    for build in tool.BUILDS:
        refused(bench, "alarm", "alarm(1);  // HERE", build=build)


@test
def refuses_a_thread_of_a_constructor(bench):
    library = shared_library(bench, "starts", "#include <thread>\n"
                             "static int started = (std::thread([] {}).join(), 1);  // HERE\n", "plain")
    done, _ = bench.fuzz(bench.harness(f'  assert(dlopen("{library}", RTLD_NOW));', "#include <dlfcn.h>"), runs=100)
    says(done, 1, r"(?m)^weavefuzz: pthread_create: in a constructor .* not supported", r"called at starts.cpp:2 ")


@test
def refuses_a_priority_ceiling(bench):
    refused(bench, "pthread_mutex_lock", "pthread_mutexattr_t a;\n pthread_mutexattr_init(&a);\n"
            " pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT);\n pthread_mutex_t m;\n pthread_mutex_init(&m, &a);\n"
            " pthread_mutex_lock(&m);  // HERE\n")


@test
def refuses_a_robust_c11_mutex_by_its_line(bench):
    refused(bench, "pthread_mutex_lock", "pthread_mutexattr_t a;\n pthread_mutexattr_init(&a);\n"
            " pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);\n mtx_t m;\n"
            " pthread_mutex_init(reinterpret_cast<pthread_mutex_t*>(&m), &a);\n mtx_lock(&m);  // HERE\n")


@test
def refuses_to_wait_for_the_world_outside(bench):
    refused(bench, "read", "int i = inotify_init();\n char c[999];\n (void)!read(i, c, 999);  // HERE")
    refused(bench, "poll", "pollfd p{inotify_init(), POLLIN, 0};\n std::thread t([&] {\n poll(&p, 1, -1);  // HERE\n });\n t.join();")
    refused(bench, "epoll_wait", "int e = epoll_create1(0);\n int i = inotify_init();\n epoll_event v{EPOLLIN, {}};\n"
            " epoll_ctl(e, EPOLL_CTL_ADD, i, &v);\n epoll_wait(e, &v, 1, -1);  // HERE")
    refused(bench, "connect", "int s = socket(AF_INET, SOCK_STREAM, 0);\n sockaddr_in a{};\n a.sin_family = AF_INET;\n"
            " a.sin_addr.s_addr = htonl(0xC0000201);\n a.sin_port = 80;\n connect(s, (sockaddr*)&a, sizeof a);  // HERE")


@test
def refuses_datagrams_of_the_network(bench):
    refused(bench, "recv", "int s = socket(AF_INET, SOCK_DGRAM, 0);\n char c;\n recv(s, &c, 1, 0);  // HERE")


@test
def refuses_streams_on_pipes(bench):
    refused(bench, "fdopen", "int p[2];\n (void)!pipe(p);\n FILE* f = fdopen(p[0], \"r\");  // HERE\n (void)f;")


@test
def refuses_bytes_that_go_past_the_model(bench):
    refused(bench, "splice", "int p[2];\n (void)!pipe(p);\n (void)!splice(p[0], nullptr, p[1], nullptr, 1, 0);  // HERE")
    refused(bench, "fcntl", "struct flock l{};\n l.l_type = F_RDLCK;\n fcntl(0, F_OFD_SETLKW, &l);  // HERE")


@test
def finds_a_reader_that_nobody_writes_to(bench):
    ends(bench, {"deadlock"}, "  int p[2];\n (void)!pipe(p);\n char c;\n" + THREAD.format("(void)!read(p[0], &c, 1);"),
         says_also=[r"deadlock: nobody is left to do what a thread waits for", r"thread 1 waits to receive from pipe \(\d+, \d+\)"])


@test
def finds_a_broken_pipe(bench):
    body = "  int p[2];\n (void)!pipe(p);\n close(p[0]);\n" + THREAD.format('(void)!write(p[1], "x", 1);')
    ends(bench, {"signal"}, body, says_also=[r"SIGPIPE"])
    found, _ = bench.fuzz(bench.harness(body), "-threads=os", runs=100)
    tool.check_finding(found, {"signal"})


@test
def refuses_timers_of_real_time(bench):
    refused(bench, "alarm", "alarm(1);  // HERE")
    refused(bench, "timer_create", "timer_t t;\n timer_create(CLOCK_MONOTONIC, nullptr, &t);  // HERE")
    refused(bench, "clock_nanosleep", "const timespec t{1, 0};\n std::thread other([&] {\n"
            " clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, 0, &t, nullptr);  // HERE\n });\n other.join();")


@test
def says_that_who_waits_for_the_end_of_time_waits_for_ever(bench):
    found, _ = bench.fuzz(bench.harness(THREAD.format("std::this_thread::sleep_for(std::chrono::seconds::max());")))
    tool.check_finding(found, {"deadlock"})
    says(found, tool.FINDING, r"thread 1 sleeps")


@test
def refuses_a_robust_mutex(bench):
    refused(bench, "pthread_mutex_lock", "pthread_mutexattr_t a;\n pthread_mutexattr_init(&a);\n"
            " pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);\n pthread_mutex_t m;\n pthread_mutex_init(&m, &a);\n"
            " pthread_mutex_lock(&m);  // HERE\n")


# --- Machines and backends ---

@test
def falls_back_without_carrier(bench):
    harness = bench.racy()
    found, artifact = bench.artifact(harness)
    fallback, folder = bench.fuzz(harness, "-pretend_no_carrier=1")
    says(fallback, tool.FINDING, r"INFO: Weavefuzz: threads=carrier is not possible here: .*\n  using threads=os")
    tool.check_finding(fallback)
    replayed = bench.run(harness, "-pretend_no_carrier=1", artifact)
    tool.check_same(found, replayed)


# --- Artifacts and inputs ---

@test
def finds_a_leaked_thread(bench):
    found, folder = bench.fuzz(bench.harness(
        "  static std::mutex m;\n  static std::condition_variable c;\n"
        "  std::thread([] { std::unique_lock l(m); c.wait(l, [] { return false; }); }).detach();"))
    tool.check_finding(found, {"thread leak"})
    tool.the_artifact(folder, found)


@test
def refuses_a_truncated_artifact(bench):
    harness = bench.racy()
    _, artifact = bench.artifact(harness)
    whole = artifact.read_bytes()
    for cut in (1, 4, 7, len(whole) - 1):
        artifact.write_bytes(whole[:-cut])
        says(bench.run(harness, artifact), 1, r"damaged", re.escape(artifact.name), r"\n  try: ")


@test
def refuses_a_broken_trailer(bench):
    harness = bench.racy()
    _, artifact = bench.artifact(harness)
    broken = bench.folder / "my-input"
    whole = artifact.read_bytes()
    for bytes_ in (b"weav", whole[:-5] + bytes([99]) + whole[-4:], whole[:-7] + b"\xff\xff" + whole[-5:]):
        broken.write_bytes(bytes_)
        says(bench.run(harness, broken), 1, r"(?m)^weavefuzz: .*my-input")


@test
def refuses_a_missing_file(bench):
    says(bench.run(bench.racy(), "no-such-crash"), 1, r"no-such-crash")


@test
def refuses_a_missing_corpus_directory(bench):
    says(bench.run(bench.racy(), "-runs=10", "no/such/corpus/"), 1, r"no/such/corpus")


@test
def takes_an_existing_corpus(bench):
    harness = bench.harness(
        '  int file = open("seen", O_WRONLY | O_CREAT | O_APPEND, 0600);\n'
        '  char line[64] = {};\n'
        '  std::snprintf(line, sizeof line, "%zu %02x %02x\\n", size, size ? data[0] : 0, size ? data[size - 1] : 0);\n'
        '  (void)!write(file, line, std::strlen(line));\n  close(file);')
    corpus = bench.folder / "corpus"
    corpus.mkdir()
    for name, content in {"a": b"hello", "b": b"\x00\xff", "c": bytes(range(200))}.items():
        (corpus / name).write_bytes(content)
    done = bench.run(harness, "-runs=0", corpus)
    says(done, 0)
    seen = set((bench.folder / "seen").read_text().splitlines())
    tool.check({"5 68 6f", "2 00 ff", "200 00 c7"} <= seen, f"the harness saw {sorted(seen)}", done)


@test
def replays_in_a_harness_that_ignores_the_schedule(bench):
    _, artifact = bench.artifact(bench.racy())
    done = bench.run(bench.harness("  std::thread([] {}).join();"), artifact)
    says(done, 0, r"TRACE_HASH: [0-9a-f]{16} events: ")


# --- Flags ---

@test
def suggests_a_flag(bench):
    says(bench.run(bench.racy(), "-polcy=random"), 1, r"weavefuzz: -polcy=random: unknown flag\n  try: -policy")


@test
def suggests_a_flag_of_libfuzzer(bench):
    says(bench.run(bench.racy(), "-max_total_tme=1"), 1, r"-max_total_tme=1: unknown flag\n  try: -max_total_time")


@test
def refuses_bad_values(bench):
    harness = bench.racy()
    says(bench.run(harness, "-policy=fastest"), 1, r"-policy=fastest: .*takes .*random.*\n  try: ")
    says(bench.run(harness, "-max_steps=0"), 1, r"-max_steps=0: .*a number from 1\b.*\n  try: ")
    says(bench.run(harness, "-threads"), 1, r"-threads: needs a value\n  try: -threads=carrier")
    says(bench.run(harness, "-print_trace=yes"), 1, r"-print_trace=yes: .*0 or 1")


@test
def refuses_a_bad_environment(bench):
    harness = bench.racy()
    says(bench.run(harness, "-runs=1", environment={"WEAVEFUZZ_OPTIONS": "polcy=random"}), 1,
         r"WEAVEFUZZ_OPTIONS: polcy=random: unknown name\n  try: policy")
    says(bench.run(harness, "-runs=1", environment={"WEAVEFUZZ_OPTIONS": "threads=many"}), 1,
         r"WEAVEFUZZ_OPTIONS: threads=many: .*carrier or os")


@test
def helps(bench):
    harness = bench.racy()
    says(bench.run(harness, "-weavefuzz_help=1"), 0, r"-policy", r"-max_steps", r"Examples:")
    says(bench.run(harness, "-help=1"), 0, r"-max_total_time")


# --- libFuzzer's modes ---

@test
def merges(bench):
    harness = bench.harness("  std::thread([&] { if (size > 2 && data[0] == 'a') std::fputs(\"\", stderr); }).join();")
    old, new = bench.folder / "old", bench.folder / "new"
    old.mkdir(), new.mkdir()
    for content in (b"abc", b"xyz", b"abcd", b"q"):
        (old / hashlib.sha1(content).hexdigest()).write_bytes(content)
    says(bench.run(harness, "-merge=1", "-policy=random", new, old), 0, r"MERGE-OUTER: \d+ new files")
    tool.check(any(new.iterdir()), "the merged corpus is empty")


@test
def minimizes(bench):
    harness = bench.harness("  assert(size < 4);")
    found, folder = bench.fuzz(harness, runs=100000)
    artifact = tool.the_artifact(folder, found)
    grown = bench.folder / "big"
    grown.write_bytes(b"x" * 64)
    done = bench.run(harness, "-minimize_crash=1", "-runs=2000", "-exact_artifact_path=small", "-policy=random", grown)
    tool.check(not done.timed_out and done.code in (0, tool.FINDING), f"exit code {done.code}", done)
    small = bench.folder / "small"
    tool.check(small.exists() and small.stat().st_size < 64, "nothing was minimized", done)
    says(bench.run(harness, small), tool.FINDING, r"SUMMARY: Weavefuzz: assertion")


@test
def runs_jobs(bench):
    harness = bench.racy()
    folder = bench.folder / "jobs"
    folder.mkdir()
    done = tool.run([harness, "-jobs=2", "-workers=2", "-runs=2000", "-policy=random", "-seed=1"], cwd=folder)
    tool.check(not done.timed_out and done.code == 1, f"exit code {done.code}", done)  # libFuzzer's, if a job failed
    logs = sorted(folder.glob("fuzz-*.log"))
    tool.check(len(logs) == 2, "two jobs should leave two logs", done)
    for log in logs:
        text = log.read_text(errors="replace")
        tool.check("policy: random" in text, f"{log.name}: the policy was not handed on", done)
        tool.check("SUMMARY: Weavefuzz: assertion" in text, f"{log.name}: no finding", done)


@test
def runs_forks(bench):
    harness = bench.racy()
    folder = bench.folder / "forks"
    folder.mkdir()
    done = tool.run([harness, "-fork=1", "-runs=5000", "-policy=random", "-seed=1", "-max_total_time=60"], cwd=folder)
    tool.check(not done.timed_out and done.code == tool.FINDING, f"exit code {done.code}", done)
    found = tool.artifacts(folder)
    tool.check(len(found) == 1, f"one artifact expected, found {found}", done)
    says(bench.run(harness, found[0]), tool.FINDING, "SUMMARY: Weavefuzz: assertion")


# --- What ends a run ---

def ends(bench, kinds, body, build="plain", before="", says_also=()):
    found, folder = bench.fuzz(bench.harness(body, before, build), runs=100)
    tool.check_finding(found, kinds)
    for part in says_also:
        tool.check(re.search(part, found.text), f"does not say: {part}", found)
    artifact = tool.the_artifact(folder, found)
    tool.check_same(found, bench.run(found.command[0], artifact))


ENDINGS = {
    "assertion": ({"assertion"}, "assert(size == 1u << 30);", r"SUMMARY: Weavefuzz: assertion harness1.cpp:\d+"),
    "abort": ({"assertion"}, "std::abort();", r"abort"),
    "uncaught_exception": ({"exception"}, 'throw std::runtime_error("too bad");', r"std::runtime_error: too bad"),
    "exception_of_another_type": ({"exception"}, "throw 5;", r"uncaught int"),
    "segmentation_fault": ({"signal", "memory error"}, "volatile int* p = nullptr;\n *p = 1;", r"SEGV|null"),
    "arithmetic_exception": ({"signal", "memory error"}, "volatile int z = 0;\n z = 100 / z;", r"FPE"),
    "stack_overflow": ({"signal", "memory error"}, "volatile int x = descend(1);\n (void)x;", r"SEGV|stack-overflow"),
    "exit": ({"assertion"}, "exit(3);", r"the program called exit\(3\)[\s\S]*SUMMARY: Weavefuzz: assertion harness1.cpp:\d+"),
    "_exit": ({"assertion"}, "_exit(3);", r"the program called _exit\(3\)[\s\S]*SUMMARY: Weavefuzz: assertion harness1.cpp:\d+"),
    "a_signal": ({"signal"}, "raise(SIGTERM);", r"SIGTERM, for which the program has no handler[\s\S]*SUMMARY: .*harness1.cpp:\d+"),
    "trap": ({"signal"}, "__builtin_trap();", r"ILL|TRAP"),
}
DESCEND = ("__attribute__((noinline)) int descend(int n) { volatile char frame[1000];\n frame[n % 7] = 1;\n"
           " return n == 0 ? 0 : descend(n + 1) + frame[3]; }")


def register_endings():
    for name, (kinds, body, said) in ENDINGS.items():
        for build in tool.BUILDS:
            for where, text in (("thread", THREAD.format(body)), ("main", "  std::thread([] {}).join();\n  " + body)):
                TESTS[f"ends_with_{name}_in_{where}_{build}"] = (
                    lambda bench, k=kinds, t=text, b=build, s=said: ends(bench, k, t, b, DESCEND, [s]))


register_endings()


@test
def ends_with_undefined_behaviour(bench):
    ends(bench, {"undefined behaviour"}, THREAD.format("volatile int x = 0x7fffffff;\n x = x + 1;"),
         "fuzzer,undefined", says_also=[r"signed integer overflow"])


@test
def ends_with_a_heap_overflow(bench):
    ends(bench, {"memory error"}, THREAD.format("volatile char* p = new char[3];\n p[3] = 1;\n delete[] p;"), "asan",
         says_also=[r"heap-buffer-overflow"])


@test
def ends_with_a_read_past_the_payload(bench):
    ends(bench, {"memory error"}, THREAD.format("volatile uint8_t x = data[size];\n (void)x;"), "asan",
         says_also=[r"heap-buffer-overflow"])


@test
def ends_with_a_timeout(bench):
    for where in ("thread", "main"):
        loop = "for (volatile int i = 0;; i = i ^ 1) {}"
        source = bench.source(THREAD.format("loop_for_ever();") if where == "thread" else
                              "  std::thread([] {}).join();\n  loop_for_ever();", "void loop_for_ever();")
        endless = bench.folder / f"endless_{where}.cpp"
        endless.write_text(f"void loop_for_ever() {{ {loop} }}\n")
        bench.made += 1
        objects = []
        for path, flags in ((source, []), (endless, ["-fno-weavefuzz"])):
            made = path.with_suffix(".o")
            done = tool.run([bench.toolchain.compiler(), "-std=c++20", "-g", "-O1", "-fsanitize=fuzzer", *flags, "-c",
                             path, "-o", made])
            says(done, 0)
            objects.append(made)
        harness = bench.folder / f"timeout_{where}"
        says(tool.run([bench.toolchain.compiler(), "-fsanitize=fuzzer", *objects, "-o", harness]), 0)
        found, folder = bench.fuzz(harness, "-timeout=2", runs=100)
        says(found, 70, r"ALARM|timeout")
        tool.the_artifact(folder, found, "timeout-")


# --- Libraries ---

PLUGIN = """
int shared, other;
thread_local int mine = 5;
__attribute__((constructor)) static void open() { for (int i = 0; i < 10; ++i) shared = shared + 1; }
__attribute__((destructor)) static void close() { for (int i = 0; i < 10; ++i) other = other + 1; }
extern "C" int bump() { int* volatile p = &mine; shared = shared + 1; return ++*p; }
"""


@test
def opens_and_closes_libraries_in_threads(bench):
    for build in tool.BUILDS:
        first = shared_library(bench, "first", PLUGIN, build)
        second = shared_library(bench, "second", PLUGIN, build)
        harness = bench.harness(
            "  const auto use = [](const char* name) {\n    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);\n"
            "    assert(library != nullptr);\n    const auto bump = reinterpret_cast<int (*)()>(dlsym(library, \"bump\"));\n"
            "    assert(bump() == 6);\n    dlclose(library);\n  };\n"
            f'  std::thread a(use, "{first}");\n  std::thread b(use, "{second}");\n  a.join();\n  b.join();\n'
            "  std::thread([] {}).join();", "#include <dlfcn.h>", build)
        for backend in ("carrier", "os"):
            done, folder = bench.fuzz(harness, f"-threads={backend}", runs=300)
            says(done, 0)


@test
def remembers_sites_of_closed_libraries(bench):
    library = shared_library(bench, "first", PLUGIN, "plain")
    harness = bench.harness(
        f'  void* library = dlopen("{library}", RTLD_NOW);\n'
        '  const auto bump = reinterpret_cast<int (*)()>(dlsym(library, "bump"));\n'
        "  std::thread a([&] { bump(); });\n  std::thread b([&] { bump(); });\n  a.join();\n  b.join();\n"
        "  dlclose(library);\n  assert(size < 3);", "#include <dlfcn.h>")
    found, artifact = bench.artifact(harness)
    tool.check(re.search(r"write shared +first.cpp:6", found.text), "the library's lines are gone", found)
    tool.check_same(found, bench.run(harness, artifact))


@test
def takes_many_libraries(bench):
    library = shared_library(bench, "first", PLUGIN, "plain")
    copies = []
    for i in range(300):
        copies.append(bench.folder / f"copy{i}.so")
        shutil.copy(library, copies[-1])
    done, _ = bench.fuzz(bench.harness(
        "  static int opened = 0;\n"
        f'  for (; opened < 300; ++opened) assert(dlopen(("{bench.folder}/copy" + std::to_string(opened) + ".so").c_str(), '
        "RTLD_NOW | RTLD_LOCAL));\n  std::thread([] {}).join();", "#include <dlfcn.h>\n#include <string>"), runs=10)
    says(done, 0)


# --- Functions of the program that are called like ours ---

@test
def leaves_the_program_its_own_functions(bench):
    source = bench.folder / "own.c"
    source.write_text("#include <stdio.h>\nint pause(void) { return 1; }\nint wait(int x) { return x + 1; }\n"
                      "unsigned sleep(unsigned n) { return n + 2; }\nlong read(int a) { return a; }\n"
                      'int main(void) { printf("%d %d %u %ld\\n", pause(), wait(1), sleep(1), read(4)); return 0; }\n')
    for flags in ([], ["-fsanitize=thread"], ["-fsanitize=address"], ["-fsanitize=undefined"]):
        program = bench.folder / "own"
        says(tool.run([bench.toolchain.compiler("c"), *flags, "-g", source, "-o", program]), 0)
        says(bench.run(program), 0, "1 2 3 4")


@test
def refuses_in_every_build_what_sanitizers_define(bench):
    for build in ("plain", "tsan", "asan", "fuzzer,undefined"):
        refused(bench, "wait", "int status;\n wait(&status);  // HERE", build=build)


@test
def takes_default_options_of_the_program(bench):
    source = bench.folder / "options.cpp"
    source.write_text('#include <cstdio>\n#include <cstdlib>\n#include <thread>\nstatic int n;\n' + "".join(
        f'extern "C" const char* __{name}_default_options() {{ return "exitcode=42:halt_on_error=1"; }}\n'
        for name in ("tsan", "asan", "ubsan", "lsan")) +
        "int main(int count, char**) {\n  std::thread a([] { ++n; }), b([] { ++n; });\n  a.join();\n  b.join();\n"
        "  volatile int x = 0x7fffffff;\n  x = x + count;\n  volatile char* p = new char[3];\n  if (std::getenv(\"BAD\")) p[2 + count] = 1;\n"
        "  delete[] p;\n  p = new char[100];\n  p = nullptr;\n}\n")
    for sanitizer in ("thread", "address", "undefined", "leak"):
        program = bench.folder / sanitizer
        says(tool.run([bench.toolchain.compiler(), f"-fsanitize={sanitizer}", "-g", source, "-o", program]), 0)
        says(bench.run(program, environment={"BAD": "1"} if sanitizer == "address" else {}), 42)


# --- A seed is a campaign ---

@test
def repeats_a_campaign(bench):
    body = ("  struct Node { int value; Node* next; };\n  static std::mutex mutex;\n  static std::atomic<int> sink;\n"
            "  Node* head = nullptr;\n  if (size > 64) return 0;\n"
            "  const auto work = [&](size_t begin, size_t end) {\n    for (size_t i = begin; i < end; ++i) {\n"
            "      const std::lock_guard lock(mutex);\n      Node* node = new Node{data[i], head};\n"
            "      for (Node* n = head; n != nullptr; n = n->next) if (n->value == node->value && n->next != node) ++sink;\n"
            "      head = node;\n      if (data[i] == 'F' && i + 1 < size && data[i + 1] == 'U') ++sink;\n"
            "      uint64_t word = 0;\n      std::memcpy(&word, data + i, size - i < 8 ? size - i : 8);\n"
            "      if (word == 0x1122334455667788 || word == reinterpret_cast<uint64_t>(node)) ++sink;\n    }\n  };\n"
            "  std::thread a(work, 0, size / 2), b(work, size / 2, size);\n  a.join();\n  b.join();\n"
            "  while (head != nullptr) { Node* next = head->next; delete head; head = next; }")
    for build in tool.BUILDS:
        harness = bench.harness(body, build=build)
        corpora = []
        for i in range(3):
            corpus = pathlib.Path(tempfile.mkdtemp(dir=bench.folder))
            done = bench.run(harness, "-seed=5", "-runs=4000", corpus, environment={"PADDING": "x" * 1000 * i})
            says(done, 0)
            corpora.append({path.name for path in corpus.iterdir()})
        tool.check(corpora[0] == corpora[1] == corpora[2] and len(corpora[0]) > 5,
                   f"{build}: three campaigns with one seed differ: {[len(c) for c in corpora]} inputs", done)


# --- Locks, pauses, crossing over ---

@test
def reports_no_lock_order_of_two_runs(bench):
    done, folder = bench.fuzz(bench.harness(
        "  static std::mutex a, b;\n  std::thread([&] {\n    std::mutex& first = size & 1 ? a : b;\n"
        "    std::mutex& second = size & 1 ? b : a;\n    const std::lock_guard one(first);\n"
        "    const std::lock_guard two(second);\n  }).join();", build="tsan"), runs=2000)
    says(done, 0)


@test
def ends_pauses_with_their_thread(bench):
    for build in tool.BUILDS:
        done, _ = bench.fuzz(bench.harness(
            "  std::atomic<int> n{0};\n  std::thread a([&] { weavefuzz_pause(); weavefuzz_pause(); ++n; });\n"
            "  std::thread b([&] { weavefuzz_pause(); ++n; pthread_exit(nullptr); });\n"
            "  std::thread c([&] { weavefuzz_resume(); { weavefuzz::Pause one; weavefuzz::Pause two; } assert(weavefuzz_controlled()); });\n"
            "  a.join();\n  b.join();\n  c.join();\n  assert(n == 2);\n  weavefuzz_pause();",
            "#include <weavefuzz/weavefuzz.h>", build), runs=500)
        says(done, 0)


@test
def refuses_to_join_in_a_pause(bench):
    done, _ = bench.fuzz(bench.harness("  std::thread a([] {});\n  weavefuzz_pause();\n  a.join();",
                                       "#include <weavefuzz/weavefuzz.h>"), runs=100)
    says(done, 1, r"(?m)^weavefuzz: pthread_join: of a thread of the run, between weavefuzz_pause", r"called at harness1.cpp")


@test
def crosses_payloads_only(bench):
    done, _ = bench.fuzz(bench.harness(
        "  std::thread a([&] { if (size > 3) std::fputs(\"\", stderr); }), b([] {});\n  a.join();\n  b.join();",
        'extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned) {\n'
        "  const size_t made = size + 1 < most ? size + 1 : most;\n  std::memset(data, 'A', made);\n  return made;\n}\n"
        'extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t n, const uint8_t* b, size_t m, uint8_t* out,\n'
        "                                            size_t most, unsigned) {\n"
        "  for (size_t i = 0; n > 1 && i < n; ++i) if (a[i] != 'A') std::_Exit(9);\n"
        "  for (size_t i = 0; m > 1 && i < m; ++i) if (b[i] != 'A') std::_Exit(9);\n"
        '  static int calls = 0;\n  if (++calls == 10) std::fputs("crossed ten times\\n", stderr);\n'
        "  const size_t made = n + m < most ? n + m : most;\n  std::memset(out, 'A', made);\n  return made;\n}"), runs=5000)
    says(done, 0, "crossed ten times")


# --- Outside of the run ---

@test
def waits_for_child_processes(bench):
    done, _ = bench.fuzz(bench.harness(
        "  std::thread a([] {\n    assert(WEXITSTATUS(std::system(\"exit 3\")) == 3);\n"
        "    std::FILE* file = popen(\"echo hello\", \"r\");\n    char text[16];\n"
        "    assert(std::fgets(text, sizeof text, file) && std::strcmp(text, \"hello\\n\") == 0 && pclose(file) == 0);\n"
        "    char name[] = \"true\";\n    char* words[] = {name, nullptr};\n    pid_t process;\n"
        "    assert(posix_spawnp(&process, name, nullptr, nullptr, words, nullptr) == 0);\n  }), b([] {});\n"
        "  a.join();\n  b.join();", "#include <spawn.h>"), runs=20)
    says(done, 0)


@test
def shows_uncontrolled_threads_what_is_being_initialised(bench):
    for build in tool.BUILDS:
        done, _ = bench.fuzz(bench.harness(
            "  static bool done = false;\n  if (done) return 0;\n  done = true;\n"
            "  std::thread([] { assert(get() == 1); }).join();\n  weavefuzz_pause();\n  other->join();\n"
            "  delete other;\n  weavefuzz_resume();\n  assert(made == 1);",
            "#include <weavefuzz/weavefuzz.h>\nstatic std::atomic<int> made;\nstatic std::thread* other;\nstatic int get();\n"
            "static int make() {\n  ++made;\n  if (made > 1) return 2;\n  weavefuzz::Pause pause;\n"
            "  std::atomic<bool> started{false};\n  other = new std::thread([&] { started = true; assert(get() == 1); });\n"
            "  while (!started) sched_yield();\n  usleep(20000);\n  return 1;\n}\n"
            "static int get() { static const int value = make(); return value; }", build), runs=3)
        says(done, 0)


@test
def does_not_say_where_it_was_built(bench):
    found, _ = bench.fuzz(bench.harness("  int n = 0;\n  std::thread a([&] { ++n; }), b([&] { ++n; });\n  a.join();\n  b.join();",
                                        build="tsan"))
    tool.check_finding(found, {"data race"})
    tool.check("instrumentation/runtime/identities.cpp" in found.text, "no frame of the runtime", found)
    tool.check(f"{tool.ROOT}/instrumentation" not in found.text, "a path of this machine", found)


# --- The wrapper ---

def wrapper_says(bench, flags, *parts):
    source = bench.source("")
    out = bench.folder / "out"
    done = tool.run([bench.toolchain.compiler(), *flags, source, "-o", out])
    says(done, 1, *parts)
    tool.check(not out.exists(), "an output was written all the same", done)


@test
def wrapper_refuses(bench):
    for flags, said in ((["-static"], "-static: "), (["-flto"], "-flto: "), (["-flto=thin"], "-flto=thin: "),
                        (["-fsanitize=memory"], "-fsanitize=memory is not supported"),
                        (["-fsanitize=fuzzer,memory"], "-fsanitize=memory is not supported"),
                        (["-stdlib=libc++"], "-stdlib=libc\\+\\+: "),
                        (["-fweavefuzz-nonsense"], "-fweavefuzz-nonsense: unknown flag"),
                        (["-fweavefuzz-ignore-list=nowhere.txt"], "nowhere.txt: cannot be read")):
        wrapper_says(bench, flags, r"weavefuzz-clang\+\+: " + said + r".*\n  try: ")


@test
def wrapper_passes_questions_on(bench):
    says(tool.run([bench.toolchain.compiler(), "--version"]), 0, "clang version")
    says(tool.run([bench.toolchain.compiler("c"), "-print-resource-dir"]), 0, "clang")


def main():
    arguments = tool.arguments(__doc__).parse_args()
    toolchain = tool.Toolchain(arguments.bin, arguments.cache)

    def run(function):
        folder = tempfile.mkdtemp()
        try:
            return function(Bench(toolchain, folder))
        finally:
            shutil.rmtree(folder)

    return tool.run_tests([(name, lambda f=function: run(f)) for name, function in TESTS.items()
                           if arguments.filter in name], arguments.jobs)


if __name__ == "__main__":
    tool.main(main)
