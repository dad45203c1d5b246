#!/bin/bash
# libcuxx-clang.sh: Debian's libcu++ 1.8.1 has assembly and a destructor that clang, as a compiler of CUDA, refuses.
#
# Debian 12's libcu++-dev 1.8.1-2 and clang 14.0.6, 2026-11-29.
#   - cuda/std/chrono reads a register as %globaltimer and cuda/std/barrier as %laneid: with one %, which clang takes for
#     an operand ("invalid % escape in inline assembly string"). nvcc takes it. So a semaphore's acquire() doesn't
#     compile, which polls with a clock.
#   - cuda::barrier of a block has a destructor with a body from sm_80 on. clang refuses it in shared memory, where
#     CUDA's guide has it: "initialization is not supported for __shared__ variables".
# The script reads the headers for the first and has clang compile what the second comes down to, with a body and without.
#
# Exit status: 0 where that is so, 1 where it has changed, 77 where the packages can't be had.
set -uo pipefail
version=1:14.0.6-12
packages=(clang-14 libclang-cpp14 libllvm14 libclang-common-14-dev)
others=(libz3-4 libedit2 libbsd0 libmd0 libxml2 libicu72)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 77
apt-get -qq download libcu++-dev=1.8.1-2 "${packages[@]/%/=$version}" "${others[@]}" || { echo "the packages can't be had" >&2; exit 77; }
for p in ./*.deb; do dpkg -x "$p" root || exit 77; done
lib=$PWD/root/usr/lib
clang() {
    LD_LIBRARY_PATH=$lib/x86_64-linux-gnu:$lib/llvm-14/lib "$lib/llvm-14/bin/clang" -x cuda --cuda-device-only \
        --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -Wno-unknown-cuda-version -S "$@"
}
"$lib/llvm-14/bin/clang" --version 2>/dev/null | head -n 1
bad=0
say() {  # WHAT FOUND EXPECTED
    echo "$1: $2"
    [[ $2 == "$3" ]] || { echo "expected: $3" >&2; bad=1; }
}
folder=root/usr/include/cuda/std
registers() { grep -oE '[^%]%(globaltimer|laneid)' "$folder/$1" | tail -c +2 | sort -u | paste -sd ' '; }
say 'registers with one % in chrono' "$(registers chrono | tr -d '" ')" '%globaltimer'
say 'registers with one % in barrier' "$(registers barrier | tr -d '" ')" '%laneid'
cat >register.cu <<'END'
extern "C" __attribute__((global)) void k(unsigned *p) { asm volatile("mov.u32 %0, " SIGNS "laneid;" : "=r"(*p)); }
END
error() { clang "$@" -o out.ptx 2>&1 | grep -oE 'invalid % escape in inline assembly string|initialization is not supported.*' | head -n 1; }
say 'clang on one %' "$(error -DSIGNS='"%"' register.cu)" 'invalid % escape in inline assembly string'
say 'clang on two' "$(error -DSIGNS='"%%"' register.cu)" ''
cat >barrier.cu <<'END'
struct Barrier {
    unsigned long long word;
    Barrier() = default;
    __attribute__((device)) ~Barrier() { BODY }
};
extern "C" __attribute__((global)) void k(unsigned long long *p)
{
    __attribute__((shared)) Barrier b;
    *p = b.word;
}
END
say 'clang on a destructor with a body' "$(error '-DBODY=if (word) asm volatile("");' barrier.cu)" \
    'initialization is not supported for __shared__ variables.'
say 'clang on one without' "$(error -DBODY= barrier.cu)" ''
exit $bad
