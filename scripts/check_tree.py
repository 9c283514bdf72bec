#!/usr/bin/env python3
"""Checks what no compiler checks: who includes whom, how long files are, what they must not mention.

    scripts/check_tree.py [ROOT]        prints file:line: message for each offence and exits 1 if there is one
"""
import pathlib
import re
import subprocess
import sys

MAX_LINES = 500
SOURCES = {".h", ".cpp", ".c", ".def"}
TEXTS = SOURCES | {".md", ".txt", ".cmake", ".py", ".sh", ".in", ".json", ".yml", ".ll", ""}

# Layer: what it may include of ours, as folders or single files, beside itself. The longest prefix counts.
ABI, MODEL, POLICY = "instrumentation/abi", "fuzzer/model", "fuzzer/policy"
LAYERS = {
    ABI: [],
    MODEL: [ABI],
    POLICY: [ABI, MODEL],
    "fuzzer/coverage": [ABI, MODEL],
    "fuzzer/mutate": [ABI, MODEL],
    "fuzzer/report": [ABI, MODEL],
    "fuzzer/search": [ABI, MODEL, "fuzzer/mutate", "fuzzer/coverage"],
    "fuzzer/include": [],
    "fuzzer": ["fuzzer", "instrumentation/runtime", ABI],  # engine and command put the parts together
    "instrumentation/pass": [ABI],
    "instrumentation/runtime": [ABI, MODEL, f"{POLICY}/policy.h", "fuzzer/coverage/coverage.h"],
    "harnesses": [],
    "tests/puzzles": [],
    "tests": ["tests", "fuzzer", "instrumentation"],
}
# System headers that a layer must do without: the pure core touches no machine, only the pass knows LLVM.
MACHINE = r"(pthread|thread|mutex|condition_variable|future|fstream|iostream|cstdio|unistd|fcntl|signal|sys/.*|linux/.*)(\.h)?"
LLVM = r"(llvm|clang)/.*"
FORBIDDEN = {layer: re.compile(f"{MACHINE}|{LLVM}") for layer in
             (MODEL, POLICY, "fuzzer/coverage", "fuzzer/mutate", "fuzzer/report", "fuzzer/search")}

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
MACHINE_PATH = re.compile(r"(?<![\w.])/(work|home|root|Users)/\w")
TODO = re.compile(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))")


def within(path, place):
    return path == place or path.startswith(place + "/")


def layer_of(path):
    return max((layer for layer in LAYERS if within(path, layer)), key=len, default=None)


def check_include(path, bracket, target):
    layer = layer_of(path)
    ours = bracket == '"' and target.split("/")[0] in ("fuzzer", "instrumentation", "harnesses", "tests")
    if ours and not any(within(target, place) for place in [layer, *LAYERS[layer]]):
        return f"{layer} may not include {target}"
    if not ours and layer in FORBIDDEN and FORBIDDEN[layer].fullmatch(target):
        return f"{layer} may not include <{target}>"
    if not ours and layer != "instrumentation/pass" and re.fullmatch(LLVM, target):
        return f"only instrumentation/pass may include {target}"
    return None


def check_file(root, path):
    suffix = pathlib.PurePath(path).suffix
    if suffix not in TEXTS or path == "scripts/check_tree.py":
        return
    try:
        lines = (root / path).read_text(encoding="utf-8").splitlines()
    except (UnicodeDecodeError, FileNotFoundError):
        return  # a seed, or deleted
    if suffix in SOURCES and len(lines) > MAX_LINES:
        yield MAX_LINES + 1, f"{len(lines)} lines, more than {MAX_LINES}"
    for number, line in enumerate(lines, 1):
        if suffix in SOURCES and layer_of(path) and (found := INCLUDE.match(line)):
            if message := check_include(path, *found.groups()):
                yield number, message
        if found := MACHINE_PATH.search(line):
            yield number, f"path of one machine: {found.group()}..."
        if found := TODO.search(line):
            yield number, f"{found.group()} without an issue number: write {found.group()}(#12)"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    listing = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"]
    offences = 0
    for path in sorted(set(subprocess.run(listing, check=True, capture_output=True, text=True).stdout.splitlines())):
        for number, message in check_file(root, path):
            print(f"{path}:{number}: {message}")
            offences += 1
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
