#!/bin/bash
# clang-shared-broadcast.sh: clang 14 loads a scalar of shared memory before the barrier behind which it stands.
#
# Debian 12's clang 14.0.6, 2026-11-28. In a kernel one thread writes a scalar in shared memory, all meet at
# __syncthreads(), and all read it: a broadcast, as reductions and searches end with. With -O2 the PTX has the
# load before the barrier, in a branch of its own: the writer keeps its value in a register, and the others read what was
# there before. With `volatile` the load stays behind the barrier. NVIDIA's guide says of __syncthreads() that all accesses of
# shared memory before it are visible to all threads of the block behind it.
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
cat >kernel.cu <<'END'
extern "C" __attribute__((global)) void kernel(int *out, int n)
{
    __attribute__((shared)) static QUALIFIER int word;
    unsigned t = __nvvm_read_ptx_sreg_tid_x();
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (t == (unsigned)i) word = i * 3;
        __syncthreads();
        sum += word;
        __syncthreads();
    }
    out[t] = sum;
}
END
# Where the load stands: is there a barrier before it in its block of instructions?
order() {
    clang -O2 "-DQUALIFIER=$1" kernel.cu -o kernel.ptx || exit 77
    awk '/^[$A-Za-z_0-9]+:/ { seen = 0 } /bar\.sync/ { seen = 1 }
        /ld\.(volatile\.)?shared/ { print seen ? "behind the barrier" : "before the barrier" }' kernel.ptx
}
bad=0
expect() {
    local got
    got=$(order "$1" | paste -sd, -)
    echo "${1:-plain}: the load stands $got"
    [[ $got == "$2" ]] || { echo "expected: $2" >&2; bad=1; }
}
"$lib/llvm-14/bin/clang" --version 2>/dev/null | head -n 1
expect '' 'before the barrier'
expect volatile 'behind the barrier'
exit $bad
