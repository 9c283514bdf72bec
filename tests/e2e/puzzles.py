#!/usr/bin/env python3
"""Every puzzle's bug is found, for every seed, in every build it shows in, and replays; every twin is silent.

One line per puzzle and build: schedules to the first finding (least, median, most over the seeds), seconds.
"""

import statistics
import tempfile
import time

import tool


class Result:
    def __init__(self, puzzle, build):
        self.puzzle = puzzle
        self.build = build
        self.schedules = []
        self.kinds = set()
        self.seconds = 0.0


def find_and_replay(result, harness, seed):
    with tempfile.TemporaryDirectory() as folder:
        found, artifact = tool.find(harness, folder, seed, result.puzzle.kinds[result.build])
        replayed = tool.run([harness, artifact], cwd=folder)
        tool.check_finding(replayed)
        tool.check_same(found, replayed)
        result.schedules.append(found.schedules)
        result.kinds.add(found.kind)


def test(result, toolchain, arguments):
    harness = toolchain.build(result.puzzle.path, result.build)
    began = time.monotonic()
    if result.puzzle.is_twin:
        with tempfile.TemporaryDirectory() as folder:
            silent = tool.fuzz(harness, folder, arguments.twin_runs, 1, timeout=arguments.timeout)
            tool.check(not silent.timed_out, "took too long", silent)
            tool.check(silent.code == 0 and not tool.artifacts(folder), "a correct program was reported", silent)
        said = f"silent for {arguments.twin_runs}"
    else:
        for seed in range(1, arguments.seeds + 1):
            find_and_replay(result, harness, seed)
        numbers = result.schedules
        said = f"{min(numbers)} / {statistics.median_low(numbers)} / {max(numbers)}  {', '.join(sorted(result.kinds))}"
    result.seconds = time.monotonic() - began
    return f"{said}  {result.seconds:.1f} s"


def print_table(results):
    """Markdown: median schedules to the first finding, and the most of all seeds, by puzzle and build."""
    print("\n| Puzzle | " + " | ".join(tool.BUILDS) + " |\n|---|" + "---|" * len(tool.BUILDS))
    by_name = {}
    for result in results:
        if result.schedules:
            by_name.setdefault(result.puzzle.name, {})[result.build] = result
    for name, builds in by_name.items():
        cells = [f"{statistics.median_low(builds[b].schedules)} ({max(builds[b].schedules)})" if b in builds else "-"
                 for b in tool.BUILDS]
        print(f"| {name} | " + " | ".join(cells) + " |")


def main():
    parser = tool.arguments(__doc__)
    parser.add_argument("--build", choices=tool.BUILDS, help="only this build")
    parser.add_argument("--seeds", type=int, help="how many seeds (10; --quick: 3)")
    parser.add_argument("--twin-runs", type=int, help="schedules of a twin (200000; --quick: 20000)")
    parser.add_argument("--timeout", type=int, default=300, help="seconds that one process may take")
    parser.add_argument("--table", action="store_true", help="print a table in Markdown at the end")
    arguments = parser.parse_args()
    arguments.seeds = arguments.seeds or (3 if arguments.quick else 10)
    arguments.twin_runs = arguments.twin_runs or (20_000 if arguments.quick else 200_000)

    toolchain = tool.Toolchain(arguments.bin, arguments.cache)
    results = [Result(puzzle, build) for puzzle in tool.read_puzzles(arguments.filter)
               for build in (tool.BUILDS if puzzle.is_twin else puzzle.kinds) if arguments.build in (None, build)]
    code = tool.run_tests([(f"{result.puzzle.name} {result.build}", lambda r=result: test(r, toolchain, arguments))
                           for result in results], arguments.jobs)
    if arguments.table:
        print_table(results)
    return code


if __name__ == "__main__":
    tool.main(main)
