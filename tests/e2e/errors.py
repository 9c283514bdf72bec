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
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
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
def refuses_sem_wait(bench):
    refused(bench, "sem_wait", "sem_t s;\n sem_init(&s, 0, 1);\n sem_wait(&s);  // HERE\n sem_destroy(&s);")


@test
def refuses_rwlock(bench):
    refused(bench, "pthread_rwlock_rdlock", "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\n"
            " std::thread t([&] {\n pthread_rwlock_rdlock(&l);  // HERE\n });\n t.join();")


@test
def refuses_shared_mutex_under_tsan(bench):
    refused(bench, "pthread_rwlock_rdlock", "std::shared_mutex m;\n m.lock_shared();  // HERE\n m.unlock_shared();", build="tsan")


@test
def refuses_future(bench):
    refused(bench, "futex", "std::promise<int> p;\n std::future<int> f = p.get_future();\n"
            " std::thread t([&] {\n f.get();  // HERE\n });\n"
            " std::this_thread::sleep_for(std::chrono::hours(1));\n p.set_value(1);\n t.join();")


@test
def refuses_latch(bench):
    refused(bench, "futex", "std::latch l(1);\n std::thread t([&] {\n l.wait();  // HERE\n });\n"
            " std::this_thread::sleep_for(std::chrono::hours(1));\n l.count_down();\n t.join();")


@test
def refuses_fork(bench):
    refused(bench, "fork", "if (fork() == 0) _exit(0);  // HERE")


@test
def refuses_c11_threads(bench):
    refused(bench, "thrd_create", "thrd_t t;\n thrd_create(&t, [](void*) { return 0; }, nullptr);  // HERE\n thrd_join(t, nullptr);")


@test
def refuses_a_read_that_waits(bench):
    refused(bench, "read", "int p[2];\n (void)!pipe(p);\n char c;\n (void)!read(p[0], &c, 1);  // HERE")


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
    "trap": ({"signal"}, "__builtin_trap();", r"ILL|TRAP"),
}
DESCEND = ("__attribute__((noinline)) int descend(int n) { volatile char frame[1000];\n frame[n % 7] = 1;\n"
           " return n == 0 ? 0 : descend(n + 1) + frame[3]; }")


def register_endings():
    for name, (kinds, body, said) in ENDINGS.items():
        for build in tool.BUILDS:
            for where, text in (("thread", THREAD.format(body)), ("main", "  std::thread([] {}).join();\n  " + body)):
                # How deep the harness's own stack is differs from process to process: the kernel made it.
                if (name, where) == ("stack_overflow", "main"):
                    continue
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
