#!/usr/bin/env python3
"""Runs the pass's FileCheck tests for one toolchain.

Each test file says how to run itself in `RUN:` lines, as in LLVM's own tests; a line that ends in
a backslash goes on in the next one. Substitutions: %s the test file, %S its folder, %t a scratch
path, %opt, %clang, %clangxx, %FileCheck, %plugin, %load (the flags that make clang load the plugin)
and %sites (prints a module's site table, see sites.py). LLVM's tools are on the PATH.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SUFFIXES = {".ll", ".c", ".cpp"}


def commands_of(test):
    text = "\n".join(re.findall(r"RUN:(.*)", test.read_text()))
    return [line.strip() for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def substitutions(test, arguments, scratch):
    binaries = arguments.llvm_bin.resolve()
    plugin = arguments.plugin.resolve()
    return {
        "%FileCheck": f"{binaries}/FileCheck",
        "%clangxx": f"{binaries}/clang++",
        "%clang": f"{binaries}/clang",
        "%opt": f"{binaries}/opt -load-pass-plugin={plugin}",
        "%plugin": str(plugin),
        "%load": f"-Xclang -load -Xclang {plugin} -fpass-plugin={plugin}",
        "%sites": f"{sys.executable} {HERE}/sites.py",
        "%S": str(HERE),
        "%s": str(test),
        "%t": f"{scratch}/{test.name}.tmp",
    }


def run(test, arguments, scratch):
    """Returns None if the test passes, else what to print."""
    table = substitutions(test, arguments, scratch)
    commands = commands_of(test)
    if not commands:
        return "no RUN: line"
    environment = dict(os.environ, PATH=f"{arguments.llvm_bin.resolve()}:{os.environ['PATH']}")
    for command in commands:
        pattern = "|".join(map(re.escape, sorted(table, key=len, reverse=True)))
        command = re.sub(pattern + r"(?![A-Za-z])", lambda m: table[m.group()], command)
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=scratch,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", env=environment)
        if done.returncode:
            return f"{command}\n(exit {done.returncode})\n{done.stdout}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llvm-bin", type=pathlib.Path, required=True)
    parser.add_argument("--plugin", type=pathlib.Path, required=True)
    parser.add_argument("--filter", default="", help="only tests whose file name contains this")
    arguments = parser.parse_args()

    tests = sorted(path for path in HERE.iterdir()
                   if path.suffix in SUFFIXES and arguments.filter in path.name)
    failed = 0
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for test, problem in zip(tests, pool.map(lambda t: run(t, arguments, scratch), tests)):
            if problem is not None:
                failed += 1
                print(f"FAILED {test.name}\n{problem}\n")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
