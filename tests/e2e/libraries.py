#!/usr/bin/env python3
"""Programs that use libraries as Debian has them are silent, and repeat, in all builds and on both backends.

The first lines of each program in tests/libraries say what it needs and how it is linked. One whose library is
not installed is left out; install the package that the message names to have it tested.
"""

import pathlib
import re
import shlex
import subprocess
import tempfile

import tool

LIBRARIES = tool.ROOT / "tests" / "libraries"


def field(path, name, default=""):
    match = re.search(rf"(?m)^// {name}: (.+)$", path.read_text())
    return match.group(1) if match else default


def flags_of(path):
    """What to link with; None if the library is not installed."""
    header = field(path, "LIBRARY").split()[1]
    found = subprocess.run(["cpp", "-x", "c++", "-std=c++20", "-M", "-"], input=f"#include <{header}>\n", text=True,
                           capture_output=True)
    if found.returncode != 0:
        return None
    link = shlex.split(field(path, "LINK"))
    if link[:1] == ["pkg-config"]:
        asked = subprocess.run(["pkg-config", "--libs", *link[1:]], text=True, capture_output=True)
        if asked.returncode != 0:
            return None
        return shlex.split(asked.stdout)
    return link


def test(toolchain, path, build, link, runs):
    harness = toolchain.build(path, build, libraries=link)
    with tempfile.TemporaryDirectory() as folder:
        for backend, count in ("carrier", runs), ("os", max(1, runs // 20)):
            done = tool.fuzz(harness, folder, count, 1, f"-threads={backend}", timeout=300)
            tool.check(done.code == 0 and not tool.artifacts(folder), f"reported on threads={backend}", done)
        corpus = tempfile.mkdtemp(dir=folder)
        tool.fuzz(harness, folder, runs // 4, 2, corpus)
        for number, entry in enumerate(sorted(pathlib.Path(corpus).iterdir())[:5]):
            flags = ["-print_trace=0", "-repeat=10"]
            hashes = set()
            for backend in "carrier", "os":
                again = tool.run([harness, *flags, f"-threads={backend}", entry], cwd=folder)
                tool.check("1 distinct traces" in again.text, f"input {number} does not repeat", again)
                hashes.add(again.find(r"^  ([0-9a-f]{16}) pass"))
            tool.check(len(hashes) == 1, f"input {number} differs between backends: {hashes}")
    return f"silent for {runs}"


def main():
    parser = tool.arguments(__doc__)
    arguments = parser.parse_args()
    toolchain = tool.Toolchain(arguments.bin, arguments.cache)
    runs = 400 if arguments.quick else 4000
    tests = []
    for path in sorted(LIBRARIES.glob("*.cpp")):
        if arguments.filter not in path.stem:
            continue
        link = flags_of(path)
        builds = field(path, "BUILDS", ",".join(tool.BUILDS)).split(",")
        for build in builds:
            if link is None:
                package = field(path, "LIBRARY").split()[0]
                tests.append((f"{path.stem} {build}", lambda p=package: f"left out: {p} is not installed"))
            else:
                tests.append((f"{path.stem} {build}",
                              lambda p=path, b=build, l=link: test(toolchain, p, b, l, runs)))
    return tool.run_tests(tests, arguments.jobs)


if __name__ == "__main__":
    tool.main(main)
