#!/bin/bash
# What workloads compute with (workloads/cuda_math.h) is as exact as it says: 4,096 arguments of each function, beside
# Python's doubles.
set -euo pipefail
clang=$(command -v clang || true)
[[ $clang ]] || { echo "no clang" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/math.cu" <<'CU'
#include "cuda.h"
extern "C" __global__ void k(const float *x, const float *y, float *powers, float *exponentials, float *tangents) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    powers[at] = powf(x[at], y[at]);
    exponentials[at] = expf(y[at]);
    tangents[at] = tanhf(y[at]);
}
CU
"$clang" -x cuda --cuda-device-only -nocudainc -nocudalib -Wno-unknown-cuda-version --cuda-gpu-arch=sm_35 -O3 \
    -std=c++17 -I "${ONCHIP_SOURCE:?}/workloads" -S "$work/math.cu" -o "$work/math.ptx"
cat >"$work/math.py" <<'PY'
import array, math, random, sys
folder, n = sys.argv[2], 4096
path = lambda name: f"{folder}/{name}"
def read(name):
    a = array.array("f")
    a.frombytes(open(path(name), "rb").read())
    return a
if sys.argv[1] == "make":
    r = random.Random(1)
    x = [r.random() if k % 2 else math.exp(r.uniform(-60, 60)) for k in range(n)]
    y = [r.uniform(0, 90) if k % 3 else r.uniform(0, 2) for k in range(n)]
    x[:6], y[:6] = [0, 1, 2, 0.5, 1e-30, 1e30], [50, 50, 100, 100, 9, 9]
    array.array("f", x).tofile(open(path("x"), "wb"))
    array.array("f", y).tofile(open(path("y"), "wb"))
    sys.exit()
def power(x, y):
    try: return x ** y
    except OverflowError: return math.inf
x, y, bad = read("x"), read("y"), 0
def check(name, got, want, relative, absolute):
    global bad
    for k in range(n):
        if want[k] > 3.4e38: ok = got[k] == math.inf
        elif want[k] < 1.2e-38: ok = abs(got[k]) <= 1.2e-38
        else: ok = abs(got[k] - want[k]) <= relative * want[k] + absolute
        bad += not ok
        if not ok and bad < 10: print(name, x[k], y[k], got[k], want[k], file=sys.stderr)
check("powf", read("powers"), [power(a, b) for a, b in zip(x, y)], 2 ** -21, 0)
check("expf", read("exponentials"), [math.exp(b) for b in y], 2 ** -21, 0)
check("tanhf", read("tangents"), [math.tanh(b) for b in y], 0, 2 ** -21)
sys.exit(bad > 0)
PY
python3 "$work/math.py" make "$work"
"${ONCHIP:?}" run "$work/math.ptx" --grid 16 --block 256 --functional --arg buf:@"$work/x" --arg buf:@"$work/y" \
    --arg buf:16384 --arg buf:16384 --arg buf:16384 --dump 2:@"$work/powers" --dump 3:@"$work/exponentials" \
    --dump 4:@"$work/tangents" >"$work/out"
python3 "$work/math.py" check "$work"
