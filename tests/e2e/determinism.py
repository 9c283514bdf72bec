#!/usr/bin/env python3
"""The same input is the same run: in new processes with ASLR on, on one CPU, on a busy machine, on both
backends, wherever the stack lies, and over and over in one process.

Every puzzle with a bug, in every build it shows in, gives one artifact; all its replays must have the same
trace hash and the same verdict. --quick takes one build of each puzzle, another one for each.
"""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tool

BUSY_REPLAYS = 3


@contextlib.contextmanager
def busy_machine():
    """Two processes that compute for as long as the context lasts, or until this script is gone."""
    spin = "import os\nwhile os.getppid() == int(os.sys.argv[1]):\n  sum(range(100000))"
    load = [subprocess.Popen([sys.executable, "-c", spin, str(os.getpid())]) for _ in range(2)]
    try:
        yield
    finally:
        for process in load:
            process.kill()
            process.wait()


def one_cpu():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


# A thousand livelocks of a million steps each would take minutes, and show nothing more.
STEPS = "-max_steps=20000"


def replay(harness, artifact, *flags, **how):
    return tool.run([harness, STEPS, *flags, artifact], cwd=artifact.parent, **how)


def must_be_same(first, harness, artifact, *flags, **how):
    # The interleaving takes time to print, and is of interest only where two runs differ.
    again = replay(harness, artifact, "-print_trace=0", *flags, **how)
    if (again.kind, again.trace_hash, again.code) == (first.kind, first.trace_hash, first.code):
        return
    shown = replay(harness, artifact, *flags, **how)
    tool.check_same(first, shown)
    raise tool.Failure("one replay differed, and the next did not:\n" + again.describe())


def after_other_runs(harness, artifact, first, runs):
    """The artifact as the last of many runs of one process: what came before must not matter."""
    sequential = artifact.parent / "sequential"
    sequential.write_bytes(b"x")
    if replay(harness, sequential, "-print_trace=0").code != 0:
        return "no run without a finding to precede it"  # TSan needs no particular schedule for some
    late = replay(harness, artifact, "-print_trace=0", f"-runs={runs}", sequential, timeout=300)
    hashes = re.findall(r"^TRACE_HASH: (\w+)", late.text, re.MULTILINE)
    tool.check(len(hashes) == runs + 1 and len(set(hashes[:-1])) == 1, "the runs before differ", late)
    tool.check((late.code, late.kind, hashes[-1]) == (first.code, first.kind, first.trace_hash),
               f"as run {runs + 1} of a process it is {late.kind} {hashes[-1]}, as the first {first.kind} {first.trace_hash}", late)
    return f"also as run {runs + 1}"


def test(puzzle, build, toolchain, arguments):
    harness = toolchain.build(puzzle.path, build)
    with tempfile.TemporaryDirectory() as folder:
        found, artifact = tool.find(harness, folder, 1, puzzle.kinds[build], STEPS)
        first = replay(harness, artifact)
        tool.check_finding(first)
        tool.check_same(found, first)
        replays = [((), {}) for _ in range(arguments.processes)]
        replays += [((), {"before": one_cpu})]
        replays += [((f"-threads={backend}",), {}) for backend in ("carrier", "os")]
        replays += [((), {"environment": {"PADDING": "x" * size}}) for size in (1, 1000, 100_001)]
        for flags, how in replays:
            must_be_same(first, harness, artifact, *flags, **how)
        with busy_machine():
            for _ in range(BUSY_REPLAYS):
                must_be_same(first, harness, artifact)
        repeated = replay(harness, artifact, f"-repeat={arguments.repeat}", "-print_trace=0", timeout=300)
        tool.check(repeated.code == tool.FINDING, "repeated, it is no finding", repeated)
        tool.check(f"REPEAT: {arguments.repeat} runs, 1 distinct traces" in repeated.text, "repetitions differ", repeated)
        tool.check(f"{first.trace_hash} {first.kind}: {arguments.repeat} times" in repeated.text,
                   f"repetitions are not {first.trace_hash}", repeated)
        late = after_other_runs(harness, artifact, first, arguments.repeat)
    return f"{first.trace_hash}, {len(replays) + BUSY_REPLAYS + arguments.repeat + 2} times, {late}"


# Which of these shared an entry in libstdc++'s table of waiters depended on their addresses.
WAITS_ON_THE_HEAP = """
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>

struct Placed {
  explicit Placed(int room) : before(new char[16 * room + 1]), atomic(new std::atomic<uint64_t>(0)) {}
  std::atomic<uint64_t>* operator->() const { return atomic.get(); }
  std::unique_ptr<char[]> before;
  std::unique_ptr<std::atomic<uint64_t>> atomic;
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  const char* shift = std::getenv("SHIFT");
  const int by = shift == nullptr ? 0 : std::atoi(shift);
  const Placed first(by % 7), second(by % 3), third(by % 5);
  std::thread left([&] { first->wait(0); second->store(1); second->notify_one(); });
  std::thread right([&] { third->wait(0); });
  first->store(1);
  first->notify_one();
  second->wait(0);
  third->store(1);
  third->notify_all();
  left.join();
  right.join();
  return 0;
}
"""


def wherever_the_heap_puts_it(toolchain, build):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "waits_on_the_heap.cpp"
        source.write_text(WAITS_ON_THE_HEAP)
        harness = toolchain.build(source, build)
        corpus = pathlib.Path(folder) / "corpus"
        corpus.mkdir()
        tool.fuzz(harness, folder, 1000, 1, "-policy=random", corpus)
        inputs = sorted(corpus.iterdir())[:4]
        tool.check(inputs, "no inputs to compare")
        for entry in inputs:
            first, *others = (replay(harness, entry, "-print_trace=0", environment={"SHIFT": str(shift)}) for shift in range(7))
            tool.check(first.code == 0 and first.trace_hash, "no trace", first)
            for other in others:
                tool.check(other.trace_hash == first.trace_hash, f"not {first.trace_hash}", other)
    return f"{len(inputs)} inputs, 7 places each"


def main():
    parser = tool.arguments(__doc__)
    parser.add_argument("--build", choices=tool.BUILDS, help="only this build")
    parser.add_argument("--processes", type=int, help="new processes for each artifact (50)", default=50)
    parser.add_argument("--repeat", type=int, help="runs in one process (1000)", default=1000)
    arguments = parser.parse_args()

    toolchain = tool.Toolchain(arguments.bin, arguments.cache)
    tests = []
    for puzzle in tool.read_puzzles(arguments.filter):
        builds = [build for build in puzzle.kinds if arguments.build in (None, build)]
        if arguments.quick and builds:
            builds = [builds[len(tests) % len(builds)]]
        tests += [(f"{puzzle.name} {build}", lambda p=puzzle, b=build: test(p, b, toolchain, arguments))
                  for build in builds]
    if arguments.filter in "waits_on_the_heap":
        tests += [(f"waits_on_the_heap {build}", lambda b=build: wherever_the_heap_puts_it(toolchain, b))
                  for build in tool.BUILDS if arguments.build in (None, build)]
    return tool.run_tests(tests, arguments.jobs)


if __name__ == "__main__":
    tool.main(main)
