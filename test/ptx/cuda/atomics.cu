// Atomics of all types and scopes, and the acquire and release accesses of cuda::atomic.
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void integers(int *a, unsigned *u, unsigned long long *v, long long *l) {
    __shared__ unsigned s[32];
    int i = threadIdx.x;
    s[i] = 0;
    a[0] = atomicAdd(a, i) + atomicSub(a + 1, i) + atomicMin(a + 2, i) + atomicMax(a + 3, i) + atomicExch(a + 4, i) +
        atomicCAS(a + 5, i, 7);
    u[0] = atomicInc(u, 9) + atomicDec(u + 1, 9) + atomicAnd(u + 2, i) + atomicOr(u + 3, i) + atomicXor(u + 4, i) +
        atomicMin(u + 5, i);
    v[0] = atomicAdd(v, i) + atomicMax(v + 1, i) + atomicCAS(v + 2, 1, 2) + atomicExch(v + 3, 5) + atomicOr(v + 4, i);
    l[0] = atomicMin(l, i) + atomicMax(l + 1, i);
    atomicAdd(&s[i & 3], 1u), atomicAdd(a + 6, 1), atomicOr(u + 7, 1u), atomicInc(&s[5], 3);
    atomicAdd_block(a + 8, 1), atomicAdd_system(a + 9, 1), a[10] = atomicCAS_block(a + 11, 1, 2) +
        atomicExch_system(a + 12, 3);
    __syncthreads();
    u[9] = s[i];
    unsigned short h = (unsigned short)i;
    u[10] = atomicCAS((unsigned short *)(u + 20), h, (unsigned short)(h + 1));
}

extern "C" __global__ void floats(float *f, double *d, __half *h, __half2 *h2, __nv_bfloat16 *b) {
    f[0] = atomicAdd(f, 1.0f) + atomicExch(f + 1, 2.0f);
    d[0] = atomicAdd(d, 1.0);
    atomicAdd(f + 2, 3.0f), atomicAdd(d + 2, 3.0);
    h[0] = atomicAdd(h + 1, h[2]);
    h2[0] = atomicAdd(h2 + 1, h2[2]);
#if __CUDA_ARCH__ >= 900
    b[0] = atomicAdd(b + 1, b[2]);
#endif
}

extern "C" __global__ void ordered(int *a, unsigned long long *v, float *f) {
    cuda::atomic_ref<int, cuda::thread_scope_device> x(a[0]);
    cuda::atomic_ref<int, cuda::thread_scope_block> y(a[1]);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> z(v[0]);
    a[2] = x.load(cuda::memory_order_acquire) + x.load(cuda::memory_order_relaxed) + x.load();
    x.store(1, cuda::memory_order_release), y.store(2, cuda::memory_order_relaxed), z.store(3);
    a[3] = x.fetch_add(1, cuda::memory_order_acq_rel) + y.fetch_or(4, cuda::memory_order_acquire) +
        (int)z.exchange(5, cuda::memory_order_release);
    int want = 3;
    while (!x.compare_exchange_weak(want, want + 1, cuda::memory_order_acq_rel)) {}
    cuda::atomic_ref<float, cuda::thread_scope_device> w(f[0]);
    f[1] = w.fetch_add(2.0f, cuda::memory_order_relaxed);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);
}

extern "C" __global__ void spin(int *lock, int *a) {
    while (atomicCAS(lock, 0, 1) != 0) __nanosleep(20);
    __threadfence();
    a[0]++;
    __threadfence();
    atomicExch(lock, 0);
}
