#!/bin/bash
# clang-rdc-static.sh: with -fgpu-rdc clang 14 gives a static variable of the device two names, and its code means both.
#
# Debian 12's clang 14.0.6, 2026-11-29; 16.0.6 and 19.1.7 do the same. A static __device__ variable that the host uses,
# too, is made visible under a name with a hash of the file, counter__static__HASH. If a function of the device uses it
# before the function of the host does, the device's function goes on to use the plain name: of that there is only an
# external declaration, which nothing defines. The link of device code fails, or finds another file's variable. With
# the host's function in front there is one name.
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
cat >counter.cu <<'END'
#define __device__ __attribute__((device))
static __device__ int counter;
extern "C" int copy(void *, const void *, unsigned long);
#ifdef HOST_FIRST
int on_host() { int n; copy(&n, &counter, 4); return n; }
#endif
__device__ int on_device() { return ++counter; }
#ifndef HOST_FIRST
int on_host() { int n; copy(&n, &counter, 4); return n; }
#endif
END
# What is said of the variable: "defined" under the longer name, "external" under the plain one.
names() {
    clang -fgpu-rdc -cuid=abc -O1 -emit-llvm "$@" counter.cu -o counter.ll || exit 77
    sed -n 's/^@_ZL7counter = external.*/external/p; s/^@_ZL7counter__static__.* global i32 0.*/defined/p' counter.ll |
        sort | paste -sd ' '
}
expect() {
    local got
    got=$(names "${@:2}")
    echo "${2:-the device first}: $got"
    [[ $got == "$1" ]] || { echo "expected: $1" >&2; bad=1; }
}
expect 'defined external'
expect 'defined' -DHOST_FIRST
exit $bad
