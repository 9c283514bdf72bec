#!/usr/bin/env python3
"""Correct programs over every modelled primitive are silent under every schedule, in all builds, on both
backends and at all levels of optimisation; and TSan sees no order where there is none: the programs whose
first line expects a finding give one.

--document writes what was seen into the table of docs/primitives.md.
"""

import pathlib
import re
import tempfile

import tool

LEVELS = ("-O0", "-O2", "-O3")  # -O1 is what everything else uses


def silent(toolchain, sources, build, flags, runs, *options):
    harness = toolchain.build(sources, build, flags)
    with tempfile.TemporaryDirectory() as folder:
        done = tool.fuzz(harness, folder, runs, 1, *options, timeout=300)
        tool.check(not done.timed_out, "took too long", done)
        tool.check(done.code == 0 and not tool.artifacts(folder), "a correct program was reported", done)
    return f"silent for {runs}"


def racy(toolchain, sources, build, kinds):
    harness = toolchain.build(sources, build)
    with tempfile.TemporaryDirectory() as folder:
        found, artifact = tool.find(harness, folder, 1, kinds)
        replayed = tool.run([harness, artifact], cwd=folder)
        tool.check_finding(replayed)
        tool.check_same(found, replayed)
    return f"{found.kind} after {found.schedules}"


def primitives_of(path):
    names = re.findall(r"(?m)^// PRIMITIVES: (.+)$", path.read_text())
    tool.check(names, f"{path.name}: no PRIMITIVES line")
    return ", ".join(names)


class Seen:
    """What the tests of each program showed, for the table."""

    def __init__(self):
        self.rows = {}

    def note(self, path, column, test):
        row = self.rows.setdefault(path.name, {"names": primitives_of(path)})

        def noted():
            row[column] = "FAILED"
            row[column] = test()
            return row[column]
        return noted

    def write(self, document, command):
        columns = ("plain", "tsan", "asan", "plain os", "tsan os", "asan os")
        lines = [f"`{command}`:", "", "| Primitives | Test | " + " | ".join(columns) + " |", "|---|---|" + "---|" * len(columns)]
        for name, row in sorted(self.rows.items(), key=lambda item: item[1]["names"].lower()):
            shown = (row.get(column, "") for column in columns)
            lines.append(f"| {row['names']} | `{name}` | " + " | ".join(shown) + " |")
        begin, end = "<!-- table: begin -->\n", "<!-- table: end -->"
        before, rest = document.read_text().split(begin)
        document.write_text(before + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1])


def sources_of(path):
    part = path.with_suffix(".part" + path.suffix)
    return [path, part] if part.exists() else [path]


def main():
    parser = tool.arguments(__doc__)
    parser.add_argument("--runs", type=int, help="schedules (20000; --quick: 2000)")
    parser.add_argument("--os-runs", type=int, help="schedules on the other backend (500; --quick: 100)")
    parser.add_argument("--document", type=pathlib.Path, help="the page whose table to write")
    arguments = parser.parse_args()
    runs = arguments.runs or (2000 if arguments.quick else 20_000)
    os_runs = arguments.os_runs or (100 if arguments.quick else 500)

    toolchain = tool.Toolchain(arguments.bin, arguments.cache)
    tests = []
    seen = Seen()
    correct = 0
    for path in sorted(tool.PRIMITIVES.glob("*.c*")):
        if path.stem.endswith(".part") or arguments.filter not in path.stem:
            continue
        program = tool.read_puzzle(path)
        sources = sources_of(path)
        for build, kinds in program.kinds.items():
            tests.append((f"{path.stem} {build}",
                          seen.note(path, build, lambda s=sources, b=build, k=kinds: racy(toolchain, s, b, k))))
        if not program.is_twin:
            continue
        # With --quick, a third of the programs also in the build that shows least that the others do not.
        correct += 1
        builds = [build for build in tool.BUILDS if build != "asan" or not arguments.quick or correct % 3 == 0]
        for build in builds:
            tests.append((f"{path.stem} {build}",
                          seen.note(path, build, lambda s=sources, b=build: silent(toolchain, s, b, ("-O1",), runs))))
            tests.append((f"{path.stem} {build} os", seen.note(path, f"{build} os", lambda s=sources, b=build: silent(
                toolchain, s, b, ("-O1",), os_runs, "-threads=os"))))
        for level in () if arguments.quick else LEVELS:
            tests.append((f"{path.stem} tsan {level}",
                          lambda s=sources, f=level: silent(toolchain, s, "tsan", (f,), runs)))
    code = tool.run_tests(tests, arguments.jobs)
    if arguments.document:
        seen.write(arguments.document, f"tests/e2e/primitives.py --runs={runs} --os-runs={os_runs}")
    return code


if __name__ == "__main__":
    tool.main(main)
