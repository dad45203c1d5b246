"""Kernels that Numba compiles by way of libnvvm, on onchip, beside numpy's results."""

import math
import sys

import numpy as np
import onchip
from numba import complex64, cuda, float32, float64, int32, int64


def arguments(a):
    """What Numba passes of an array: two owners, counts, the data, the shape and the strides."""
    return [0, 0, a.size, a.itemsize, a, *a.shape, *a.strides]


def run(device, function, types, grid, block, *args, **options):
    ptx, _ = cuda.compile_ptx(function, types, cc=(7, 5), **options)
    module = device.load(ptx.encode() if isinstance(ptx, str) else ptx)
    (kernel,) = module._kernels()
    kernel(grid, block, *[x for a in args for x in (arguments(a) if isinstance(a, np.ndarray) else [a])])
    return ptx


def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


def mathematics(x, y):
    i = cuda.grid(1)
    y[i] = math.sin(x[i]) * math.exp(-x[i]) + math.sqrt(x[i]) / (1 + math.log(x[i] + 1)) + x[i] ** 1.5


def reduction(x, total):
    shared = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    shared[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    n = 32
    while n:
        if t < n:
            shared[t] += shared[t + n]
        cuda.syncthreads()
        n //= 2
    if t == 0:
        cuda.atomic.add(total, 0, shared[0])


def warps(x, y):
    i = cuda.grid(1)
    lane = cuda.shfl_xor_sync(-1, x[i], 5) + cuda.shfl_down_sync(-1, x[i], 1) * 1000
    votes = cuda.ballot_sync(-1, x[i] % 3 == 0)
    y[i, 0], y[i, 1] = lane, cuda.popc(votes)
    y[i, 2] = cuda.match_any_sync(-1, x[i] % 2)


def matmul(a, b, c):
    i, j = cuda.grid(2)
    s = float64(0)
    for k in range(a.shape[1]):
        s += a[i, k] * b[k, j]
    c[i, j] = s


def complexes(z, n):
    i = cuda.grid(1)
    w, k = z[i] * 0, 0
    while abs(w) < 2 and k < 50:
        w, k = w * w + z[i], k + 1
    n[i] = k


def atomics(counts, largest, x):
    i = cuda.grid(1)
    cuda.atomic.add(counts, int(x[i]) % 7, 1)
    cuda.atomic.max(largest, 0, x[i])
    cuda.atomic.compare_and_swap(counts[7:], 0, 5)


def check(device, **options):
    r = np.random.default_rng(1)
    x, y = r.random(256, np.float32), r.random(256, np.float32)
    want = y + np.float32(2) * x
    run(device, saxpy, (float32, float32[::1], float32[::1]), 2, 128, np.float32(2), x, y, **options)
    np.testing.assert_allclose(y, want, 1e-6)

    v, w = r.random(64) * 10, np.zeros(64)
    run(device, mathematics, (float64[::1], float64[::1]), 1, 64, v, w, **options)
    np.testing.assert_allclose(w, np.sin(v) * np.exp(-v) + np.sqrt(v) / (1 + np.log(v + 1)) + v**1.5, 1e-12)

    total = np.zeros(1, np.float32)
    run(device, reduction, (float32[::1], float32[::1]), 4, 64, x, total, **options)
    np.testing.assert_allclose(total[0], x.sum(), 1e-5)

    n = r.integers(0, 100, 64).astype(np.int32)
    out = np.zeros((64, 3), np.int32)
    run(device, warps, (int32[::1], int32[:, ::1]), 2, 32, n, out, **options)
    for i, row in enumerate(out):
        warp, lane = n[i & ~31:][:32], i & 31
        assert row[0] == warp[lane ^ 5] + warp[min(lane + 1, 31)] * 1000
        assert row[1] == (warp % 3 == 0).sum()
        assert np.uint32(row[2]) == sum(1 << k for k in range(32) if warp[k] % 2 == warp[lane] % 2)

    a, b, c = r.random((16, 24)), r.random((24, 8)), np.zeros((16, 8))
    run(device, matmul, (float64[:, ::1],) * 3, (2, 1), (8, 8), a, b, c, **options)
    np.testing.assert_allclose(c, a @ b, 1e-12)

    z = (r.random(32) * 4 - 2 + 2j * r.random(32)).astype(np.complex64)
    n = np.zeros(32, np.int32)
    run(device, complexes, (complex64[::1], int32[::1]), 1, 32, z, n, **options)
    for zi, k in zip(z, n):
        w, count = np.complex64(0), 0
        while abs(w) < 2 and count < 50:
            w, count = w * w + zi, count + 1
        assert abs(count - k) <= 1, (zi, k, count)

    f, counts, largest = np.floor(r.random(128) * 1000), np.zeros(8, np.int64), np.zeros(1)
    run(device, atomics, (int64[::1], float64[::1], float64[::1]), 2, 64, counts, largest, f, **options)
    assert list(counts[:7]) == list(np.bincount(f.astype(int) % 7, minlength=7))
    assert largest[0] == f.max() and counts[7] == 5


def main():
    with onchip.Device("rtx2060", functional=True) as device:
        check(device)
        check(device, opt=False)
        check(device, lineinfo=True)
        x = np.full(32, 3, np.float32)
        y = np.zeros(32, np.float32)
        ptx = run(device, saxpy, (float32, float32[::1], float32[::1]), 1, 32, np.float32(2), x, y, fastmath=True)
        assert "fma.rn.ftz.f32" in ptx and (y == 6).all()


if __name__ == "__main__":
    sys.exit(main())
