"""What the end-to-end tests share: builds harnesses with the real wrapper, runs them, reads what they say."""

import argparse
import atexit
import concurrent.futures
import contextlib
import dataclasses
import hashlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUZZLES = ROOT / "tests" / "puzzles"
PRIMITIVES = ROOT / "tests" / "primitives"
BUILDS = {"plain": "fuzzer", "tsan": "fuzzer,thread", "asan": "fuzzer,address"}
KINDS = ("data race", "lock order", "deadlock", "lost wakeup", "livelock", "thread leak", "assertion",
         "exception", "signal", "memory error", "undefined behaviour", "sanitizer report")
FINDING = 77
# Options of the caller's must not change what is tested.
CLEAN_ENVIRONMENT = {name: value for name, value in os.environ.items()
                     if not name.endswith("SAN_OPTIONS") and name != "WEAVEFUZZ_OPTIONS"}


class Failure(Exception):
    """A check that did not hold; its text is for the person who reads the log."""


def check(condition, what, run=None):
    if not condition:
        raise Failure(what if run is None else f"{what}\n{run.describe()}")


# --- Running ---

@dataclasses.dataclass
class Run:
    """A process that has ended, and its standard output and error."""
    command: list
    code: int
    text: str
    timed_out: bool = False

    def describe(self):
        lines = self.text.splitlines()
        shown = lines if len(lines) <= 80 else lines[:40] + ["[...]"] + lines[-40:]
        ended = "killed: it took too long" if self.timed_out else f"exit code {self.code}"
        return "\n".join(["  $ " + " ".join(map(str, self.command)), *("  | " + line for line in shown), "  " + ended])

    def find(self, pattern):
        """The first group of the first match, or None."""
        match = re.search(pattern, self.text, re.MULTILINE)
        return match and match.group(1)

    @property
    def kind(self):
        said = self.find(r"^SUMMARY: Weavefuzz: (.*)") or ""
        return next((kind for kind in KINDS if said.startswith(kind)), None)

    @property
    def trace_hash(self):
        return self.find(r"^TRACE_HASH: ([0-9a-f]{16}) events: \d+ switches: \d+ preemptions: \d+$")

    @property
    def schedules(self):
        number = self.find(r"^stat::schedules_to_first_finding: *(\d+)")
        return number and int(number)

    @property
    def table(self):
        """The lines of the interleaving, its heading first."""
        lines = self.text.splitlines()
        start = next((i for i, line in enumerate(lines) if re.match(r" +main\b.*\bthread \d", line)), None)
        if start is None:
            return []
        end = next((i for i in range(start, len(lines)) if not lines[i].strip()), len(lines))
        return lines[start:end]


_alive = set()
_alive_lock = threading.Lock()


def _kill_group(process):
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


@atexit.register
def _kill_all():
    with _alive_lock:
        for process in _alive:
            _kill_group(process)


def run(command, timeout=60, cwd=None, environment=None, before=None, stdin=subprocess.DEVNULL):
    """Runs `command` in a process group of its own, of which nothing is left afterwards."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([str(word) for word in command], stdin=stdin, stdout=output,
                                   stderr=subprocess.STDOUT, cwd=cwd, start_new_session=True, preexec_fn=before,
                                   env=CLEAN_ENVIRONMENT | (environment or {}))
        with _alive_lock:
            _alive.add(process)
        timed_out = False
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            _kill_group(process)
            process.wait()
            with _alive_lock:
                _alive.discard(process)
        output.seek(0)
        return Run(command, process.returncode, output.read().decode(errors="replace"), timed_out)


# --- Building ---

def _digest(*parts):
    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(part if isinstance(part, bytes) else str(part).encode()).digest())
    return total.hexdigest()[:32]


class Toolchain:
    """The wrapper under test. Objects and executables are kept in `cache`, named by what went into them."""

    def __init__(self, binaries, cache):
        self.binaries = pathlib.Path(binaries).resolve()
        self.cache = pathlib.Path(cache).resolve()
        self.cache.mkdir(parents=True, exist_ok=True)
        library = self.binaries.parent / "lib" / "weavefuzz"
        self._compiles = _digest(*(self.compiler(language).read_bytes() for language in ("c", "c++")),
                                 (library / "weavefuzz_pass.so").read_bytes())
        self._links = _digest(*(path.read_bytes() for path in sorted(library.iterdir()) if path.suffix != ".so"))
        self._locks = {}
        self._locks_lock = threading.Lock()

    def compiler(self, language="c++"):
        return self.binaries / ("weavefuzz-clang++" if language == "c++" else "weavefuzz-clang")

    def build(self, sources, build="plain", flags=("-O1",), libraries=()):
        """The path of a harness made from `sources`, linked with `libraries`."""
        sources = [sources] if isinstance(sources, (str, pathlib.Path)) else list(sources)
        sanitize = f"-fsanitize={BUILDS.get(build, build)}"
        objects = [self._object(pathlib.Path(source), [sanitize, "-g", *flags]) for source in sources]
        name = f"{pathlib.Path(sources[0]).stem}.{build}".replace(",", "-")
        return self._made(f"{name}.{_digest(self._links, sanitize, *libraries, *(path.name for path in objects))}",
                          lambda out: [self.compiler(), sanitize, "-g", *flags, *objects, "-o", out, *libraries])

    def _object(self, source, flags):
        is_c = source.suffix == ".c"
        flags = ["-std=c11" if is_c else "-std=c++20", "-Wall", "-Wextra", "-Werror", *flags]
        headers = sorted(source.parent.glob("*.h"))
        key = _digest(self._compiles, source.read_bytes(), *(header.read_bytes() for header in headers), *flags)
        return self._made(f"{source.stem}.{key}.o",
                          lambda out: [self.compiler("c" if is_c else "c++"), *flags, "-c", source, "-o", out])

    def _made(self, name, command):
        path = self.cache / name
        with self._locks_lock:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            if not path.exists():
                with tempfile.TemporaryDirectory(dir=self.cache) as scratch:
                    made = pathlib.Path(scratch) / name
                    done = run(command(made), timeout=300)
                    check(done.code == 0, f"{name} cannot be built", done)
                    made.rename(path)
        return path


# --- Findings ---

def artifacts(folder):
    return sorted(path for path in pathlib.Path(folder).iterdir()
                  if re.match(r"(crash|timeout|oom|leak)-", path.name))


def the_artifact(folder, run_that_wrote_it, prefix="crash-"):
    """The one file that a finding left in `folder`, named by its content."""
    found = artifacts(folder)
    check(len(found) == 1, f"one artifact expected, found {[path.name for path in found]}", run_that_wrote_it)
    expected = prefix + hashlib.sha1(found[0].read_bytes()).hexdigest()
    check(found[0].name == expected, f"artifact {found[0].name} should be named {expected}", run_that_wrote_it)
    check(f"Test unit written to {found[0]}" in run_that_wrote_it.text, "no line 'Test unit written to'",
          run_that_wrote_it)
    return found[0]


def fuzz(harness, folder, runs, seed, *flags, timeout=120):
    return run([harness, f"-runs={runs}", f"-seed={seed}", "-print_final_stats=1", f"-artifact_prefix={folder}/",
                *flags], timeout=timeout, cwd=folder)


def check_finding(found, kinds=None):
    """What every finding must look like, while fuzzing and when it is replayed."""
    check(not found.timed_out, "took too long", found)
    check(found.code == FINDING, f"exit code {found.code}, not {FINDING}", found)
    check(found.kind is not None, "no line 'SUMMARY: Weavefuzz: <kind>'", found)
    check(kinds is None or found.kind in kinds, f"found a {found.kind}, not one of {sorted(kinds or [])}", found)
    check(found.find(r"^DEDUP_TOKEN: (\S.*)$"), "no DEDUP_TOKEN", found)
    check(found.trace_hash, "no TRACE_HASH", found)
    check("NOTE: does not repeat" not in found.text, "the finding does not repeat", found)
    check("could not be run again" not in found.text, "the finding was not confirmed", found)
    check(found.table, "no table of the interleaving", found)


def check_same(first, second):
    """Two runs of one input that must be the same run."""
    if first.kind == second.kind and first.trace_hash == second.trace_hash and first.code == second.code:
        return
    difference = next(((a, b) for a, b in zip(first.table, second.table) if a != b), None)
    what = [f"not the same run: {first.kind} {first.trace_hash} (exit code {first.code}) and "
            f"{second.kind} {second.trace_hash} (exit code {second.code})"]
    if difference:
        what += ["first difference:", "  " + difference[0], "  " + difference[1]]
    raise Failure("\n".join(what) + "\n" + second.describe())


def find(harness, folder, seed, kinds=None, *flags, runs=20000):
    """Fuzzes until a finding. Returns the run and its artifact."""
    found = fuzz(harness, folder, runs, seed, *flags)
    check_finding(found, kinds)
    check(found.schedules is not None and 0 < found.schedules <= runs, "no stat::schedules_to_first_finding", found)
    return found, the_artifact(folder, found)


# --- Puzzles ---

@dataclasses.dataclass
class Puzzle:
    path: pathlib.Path
    kinds: dict  # build -> kinds that may be found there

    @property
    def name(self):
        return self.path.stem

    @property
    def is_twin(self):
        return not self.kinds


def read_puzzle(path):
    first = path.read_text().splitlines()[0]
    match = re.fullmatch(r"// EXPECT: (.+)", first)
    check(match, f"{path.name}: the first line is not an EXPECT line")
    words = match.group(1).split()
    if words == ["pass"]:
        return Puzzle(path, {})
    builds = words[-1].removeprefix("builds=").split(",")
    check(words[-1].startswith("builds=") and set(builds) <= set(BUILDS), f"{path.name}: bad builds: {first}")
    kinds = {}
    for word in words[:-1]:
        names, _, some = word.rpartition("=")
        for build in [names] if names else builds:
            kinds[build] = {kind.replace("-", " ") for kind in some.split("|")}
    check(set(kinds) == set(builds) and all(some <= set(KINDS) for some in kinds.values()),
          f"{path.name}: bad kinds: {first}")
    return Puzzle(path, kinds)


def read_puzzles(text=""):
    return [read_puzzle(path) for path in sorted(PUZZLES.glob("*.cpp")) if text in path.stem]


# --- Command line ---

def arguments(description, **kwargs):
    """A parser with what all scripts understand."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     **kwargs)
    parser.add_argument("--bin", default=ROOT / "build" / "bin", type=pathlib.Path, help="where weavefuzz-clang++ is")
    parser.add_argument("--cache", default=ROOT / "build" / "e2e", type=pathlib.Path, help="where built harnesses are kept")
    parser.add_argument("--filter", default="", help="only tests whose name contains this")
    parser.add_argument("--quick", action="store_true", help="fewer runs: what continuous integration runs")
    parser.add_argument("--jobs", default=os.cpu_count(), type=int)
    return parser


def run_tests(tests, jobs):
    """`tests` are (name, function); a function returns what to say, or raises Failure. Returns an exit code."""
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [(name, pool.submit(function)) for name, function in tests]
        try:
            for name, future in futures:
                try:
                    said = future.result()
                    print(f"{name:<44} {said or 'ok'}", flush=True)
                except Failure as failure:
                    failed += 1
                    print(f"{name:<44} FAILED: {failure}\n", flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            _kill_all()
            raise
    print(f"{len(futures) - failed} passed, {failed} failed")
    return 1 if failed or not futures else 0


def main(entry):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(entry())
