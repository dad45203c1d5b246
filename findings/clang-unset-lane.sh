#!/bin/bash
# clang-unset-lane.sh: clang lets all lanes of a warp do what one was to do, if its result is shuffled to the others.
#
# Debian 12's clang 14.0.6, 2026-11-29; 16.0.6 and 19.1.7 do the same. CUDA programs add for a whole warp so, and CUDA's
# guide to cooperative groups does: `int r; if (lane == 0) r = atomicAdd(n, k); r = shfl(r, 0);`. Only lane 0 has set r,
# and the shuffle gives its value to all. clang takes an argument that is given by value for one that is set (noundef),
# concludes that every lane has taken the branch, and leaves it out: each lane adds. There is no warning. nvcc 13 keeps
# the branch, and so does clang with -disable-noundef-analysis (14), -no-enable-noundef-analysis (15 and later), or where
# r is set before.
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
__attribute__((device)) int first(int v) { return __nvvm_shfl_sync_idx_i32(-1, v, 0, 31); }
extern "C" __attribute__((global)) void take(int *count, int *out)
{
    const unsigned t = __nvvm_read_ptx_sreg_tid_x(), lane = t % 32;
    int r VALUE;
    if (lane == 0) r = __nvvm_atom_add_gen_i(count, 32);
    out[t] = first(r) + lane;
}
END
# Is there a branch around the addition?
who() {
    clang -O2 -Xclang -target-feature -Xclang +ptx60 "$@" kernel.cu -o kernel.ptx || exit 77
    grep -q 'bra' kernel.ptx && echo 'lane 0' || echo 'every lane'
}
expect() {
    local got
    got=$(who "${@:2}")
    echo "${*:2}: $got adds"
    [[ $got == "$1" ]] || { echo "expected: $1" >&2; bad=1; }
}
expect 'every lane' -DVALUE=
expect 'lane 0' '-DVALUE= = 0'
expect 'lane 0' -DVALUE= -Xclang -disable-noundef-analysis
exit $bad
