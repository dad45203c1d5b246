#!/bin/bash
# clang-device-malloc.sh: clang takes malloc on a GPU for one that never fails, where nobody uses the memory.
#
# Debian 12's clang 14.0.6, 2026-11-29. The heap of a GPU has 8 MB unless the host asks for more, and CUDA's guide has
# programs compare malloc's result with null. A kernel that asks for 2^40 bytes, and only compares, is compiled to "it
# isn't null" without a call: LLVM removes an allocation whose memory isn't used. A test of whether the heap is full
# finds it never full. 16.0.6 and 19.1.7 do the same. With -fno-builtin-malloc the call is there.
#
# Exit status: 0 where that is so, 1 where it has changed, 77 where the packages can't be had.
set -uo pipefail
version=1:14.0.6-12
packages=(clang-14 libclang-cpp14 libllvm14 libclang-common-14-dev)
others=(libz3-4 libedit2 libbsd0 libmd0 libxml2 libicu72)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 77
apt-get -qq download "${packages[@]/%/=$version}" "${others[@]}" || { echo "the packages can't be had" >&2; exit 77; }
for p in ./*.deb; do dpkg -x "$p" root || exit 77; done
lib=$PWD/root/usr/lib
clang() {
    LD_LIBRARY_PATH=$lib/x86_64-linux-gnu:$lib/llvm-14/lib "$lib/llvm-14/bin/clang" -x cuda --cuda-device-only \
        --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -Wno-unknown-cuda-version -S "$@"
}
"$lib/llvm-14/bin/clang" --version 2>/dev/null | head -n 1
bad=0
cat >kernel.cu <<'END'
extern "C" __attribute__((device)) void *malloc(unsigned long);
extern "C" __attribute__((global)) void full(int *is) { *is = malloc(1ul << 40) == nullptr; }
END
calls() {
    clang -O1 "$@" kernel.cu -o kernel.ptx || exit 77
    grep -c '^[[:space:]]*malloc,' kernel.ptx
}
expect() {
    local got
    got=$(calls "${@:2}")
    echo "calls of malloc${2:+ with $2}: $got"
    [[ $got == "$1" ]] || { echo "expected: $1" >&2; bad=1; }
}
expect 0
expect 1 -fno-builtin-malloc
exit $bad
