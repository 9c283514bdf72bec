#!/bin/sh
# prelink.sh OUT.o OBJECT... : joins objects into one whose only global symbols are its C functions.
#
# The runtime must not share inline functions of the standard library, or memcpy, with the instrumented
# program that it is linked into: it would then run instrumented code itself. So everything with a C++
# name becomes local, and so do the runtime's own copies of the memory functions. Only functions of the
# standard library that are not inline stay: the runtime stands in for them. Beside OUT.o, OUT.list names
# what is left, as a dynamic list for the linker: shared libraries must find it.
set -eu
out=$1
shift
${LD:-ld} -r --force-group-allocation -o "$out.tmp" "$@"
nm --defined-only --extern-only --format=posix "$out.tmp" |
  sed -n -E -e 's/^(_ZNSt[^ ]*) T .*/\1/p;t' -e '/^(_Z[^ ]*|mem(cpy|move|set|cmp)|bcmp|strlen|DW\.ref\.[^ ]*) /d' \
    -e 's/ .*//p' > "$out.keep"
objcopy --keep-global-symbols="$out.keep" "$out.tmp" "$out"
{ echo '{'; sed 's/$/;/' "$out.keep"; echo '};'; } > "$out.list"
rm -f "$out.tmp" "$out.keep"
