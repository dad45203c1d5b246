#!/bin/bash
# clang-shared-alignas.sh: clang refuses `__shared__ alignas(16) char tile[64]`, a form that CUDA programs use.
#
# Debian 12's clang 14.0.6, 2026-11-29; 16.0.6 and 19.1.7 do the same. __shared__ is an attribute in GNU's form, and
# behind it clang takes no alignas: "an attribute list cannot appear here". In front of it, it does. nvcc 13 takes both.
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
compiles() {
    printf '%s\n' '#define __shared__ __attribute__((shared))' \
        "extern \"C\" __attribute__((global)) void k(int *p) { $1; tile[*p] = 1; *p = tile[0]; }" >kernel.cu
    clang kernel.cu -o kernel.ptx 2>said && echo yes || grep -o 'an attribute list cannot appear here' said
}
expect() {
    local got
    got=$(compiles "$1")
    echo "$1: $got"
    [[ $got == "$2" ]] || { echo "expected: $2" >&2; bad=1; }
}
expect '__shared__ alignas(16) char tile[64]' 'an attribute list cannot appear here'
expect 'alignas(16) __shared__ char tile[64]' yes
exit $bad
