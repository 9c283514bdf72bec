#!/usr/bin/env python3
"""Reads LLVM assembly on stdin and prints its site table, one site a line:

    in SYMBOL: KIND SIZE FUNCTION FILE:LINE:COLUMN [VARIABLE] FLAGS key=KEY
"""

import re
import sys

KINDS = "Read Write AtomicRead AtomicWrite AtomicUpdate CompareExchange Fence RangeRead " \
        "RangeWrite Assembly".split()

STRING = re.compile(r'^@("?[\w.]*__weavefuzz_string[\w.]*"?) = .*? c"(.*)\\00"', re.M)
TABLE = re.compile(r'^@"?__weavefuzz_sites\.([^" ]*)"? = (.*)$', re.M)
DISTANCE = r"i32 (?:0|trunc \(i64 sub \(i64 ptrtoint \(ptr @([^ ]+) to i64\), .*?\) to i32\))"
SITE = re.compile(r"%weavefuzz\.site \{ " + ", ".join([DISTANCE] * 3) +
                  r", i32 (-?\d+), i32 (\d+), i16 (-?\d+), i8 (\d+), i8 (\d+), i32 (\d+), i32 0 \}")


def main():
    text = sys.stdin.read()
    strings = {name: value for name, value in STRING.findall(text)}
    for symbol, table in TABLE.findall(text):
        declared = int(re.search(r"\[(\d+) x %weavefuzz\.site\]", table).group(1))
        sites = SITE.findall(table)
        assert len(sites) == declared, table
        for function, file, variable, key, line, column, kind, flags, size in sites:
            kind = KINDS[int(kind)] if int(kind) < len(KINDS) else "Enter"
            file = strings.get(file, "?").rsplit("/", 1)[-1]
            flags = "system-header" if int(flags) else "-"
            print(f"in {symbol}: {kind} {size} {strings.get(function, '?')} {file}:{line}:{column} "
                  f"[{strings.get(variable, '')}] {flags} key={int(key) & 0xFFFFFFFF:08x}")


if __name__ == "__main__":
    main()
