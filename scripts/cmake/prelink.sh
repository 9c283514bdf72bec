#!/bin/sh
# prelink.sh OUT.o OBJECT... : joins objects into one whose only global symbols are its C functions.
#
# The runtime must not share inline functions of the standard library, or memcpy, with the instrumented
# program that it is linked into: it would then run instrumented code itself. So everything with a C++
# name becomes local, and so do the runtime's own copies of the memory functions. Only functions of the
# standard library that are not inline stay: the runtime stands in for them.
#
# A program may have a function of its own that is called like one in libc: read, wait, sleep. It wins, as it would
# without us: ours are weak. Not so where the runtime could do nothing without: then the linker says that there are two.
#
# Beside OUT.o, OUT.o.list names what is left, as a dynamic list for the linker: shared libraries must find it. And
# OUT.o.first, as a response file for the linker, puts OUT.o in its place: see weavefuzz-clang.
set -eu
out=$1
shift
${LD:-ld} -r --force-group-allocation -o "$out.tmp" "$@"
nm --defined-only --extern-only --format=posix "$out.tmp" |
  sed -n -E -e 's/^(_ZNSt[^ ]*) T .*/\1/p;t' -e '/^(_Z[^ ]*|mem(cpy|move|set|cmp)|bcmp|strlen|DW\.ref\.[^ ]*) /d' \
    -e 's/ .*//p' > "$out.keep"
grep -v -E '^(_.*|weavefuzz_.*|(pthread|thrd|mtx|cnd|sem)_.*|syscall)$' "$out.keep" > "$out.weak"
objcopy --keep-global-symbols="$out.keep" --weaken-symbols="$out.weak" "$out.tmp" "$out"
{ echo '{'; sed 's/$/;/' "$out.keep"; echo '};'; } > "$out.list"
echo "__weavefuzz_register -l:${out##*/}" > "$out.first"
rm -f "$out.tmp" "$out.keep" "$out.weak"
