// bulk.cu: mbarriers with arrivals, drops and bytes; copies in bulk to and from shared memory, with sums; arrivals of
// asynchronous copies. What is expected follows from the PTX ISA's words (§9.7.13.15, §9.7.9.25.4).
#include "check.cuh"
#include <cstdint>

static __device__ uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

static __device__ void init(uint64_t *b, uint32_t n)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(b)), "r"(n) : "memory");
}

static __device__ uint64_t arrive(uint64_t *b)
{
    uint64_t s;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(s) : "r"(at(b)) : "memory");
    return s;
}

static __device__ uint64_t arrive_expect(uint64_t *b, uint32_t bytes)
{
    uint64_t s;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;"
                 : "=l"(s)
                 : "r"(at(b)), "r"(bytes)
                 : "memory");
    return s;
}

static __device__ uint32_t pending(uint64_t state)
{
    uint32_t n;
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(state));
    return n;
}

static __device__ bool test(uint64_t *b, uint64_t state)
{
    uint32_t done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at(b)), "l"(state)
                 : "memory");
    return done;
}

static __device__ bool test_parity(uint64_t *b, uint32_t parity)
{
    uint32_t done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at(b)), "r"(parity)
                 : "memory");
    return done;
}

static __device__ void wait(uint64_t *b, uint32_t parity)
{
    asm volatile(
        "{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(at(b)),
        "r"(parity)
        : "memory");
}

static __device__ void copy_in(void *to, const void *from, uint32_t bytes, uint64_t *b)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)),
        "l"(from), "r"(bytes), "r"(at(b))
        : "memory");
}

static __device__ void copy_out(void *to, const void *from, uint32_t bytes)
{
    asm volatile("fence.proxy.async.shared::cta; cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(at(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;");
}

// One thread, so that each step has one outcome.
__global__ void count(uint32_t *out)
{
    __shared__ uint64_t b;
    init(&b, 3);
    const uint64_t s0 = arrive(&b), s1 = arrive(&b);
    out[0] = pending(s0), out[1] = pending(s1);                                       // before each arrival: 3, 2
    out[2] = test(&b, s1), out[3] = test_parity(&b, 0), out[4] = test_parity(&b, 1);  // 0, 0, 1
    const uint64_t s2 = arrive(&b);
    out[5] = test(&b, s2), out[6] = test_parity(&b, 0), out[7] = test_parity(&b, 1);  // 1, 1, 0
    uint64_t s;
    asm volatile("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];" : "=l"(s) : "r"(at(&b)) : "memory");
    out[8] = pending(s);  // 3
    arrive(&b);
    const uint64_t s3 = arrive(&b);
    out[9] = pending(s3), out[10] = test(&b, s3);  // 1, 1: two are left for the next phase
    const uint64_t s4 = arrive(&b);
    out[11] = pending(s4);  // 2
    const uint64_t s5 = arrive_expect(&b, 48);
    out[12] = pending(s5);   // 1
    out[13] = test(&b, s5);  // 0: 48 bytes are to come
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(at(&b)) : "memory");
    out[14] = test(&b, s5);  // 0
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 32;" ::"r"(at(&b)) : "memory");
    out[15] = test(&b, s5);  // 1
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(at(&b)) : "memory");
    asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], 1;" : "=l"(s) : "r"(at(&b)) : "memory");
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 1;" ::"r"(at(&b)) : "memory");
    out[16] = test_parity(&b, 1);  // 0: the fourth phase waits for 16 bytes
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(at(&b)) : "memory");
    out[17] = test_parity(&b, 1);  // 1
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at(&b)) : "memory");
}

// A ring of stages: one warp brings them in, the others double them and send them out.
enum { STAGES = 3, STAGE = 1024, WARPS = 4 };
__global__ void ring(const uint32_t *in, uint32_t *out, uint32_t *sum, int stages)
{
    __shared__ alignas(128) uint32_t stage[STAGES][STAGE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (!threadIdx.x)
        for (int k = 0; k < STAGES; k++) init(&full[k], 1), init(&empty[k], WARPS * 32);
    __syncthreads();
    in += (size_t)blockIdx.x * stages * STAGE, out += (size_t)blockIdx.x * stages * STAGE;
    if (warp == WARPS) {
        for (int k = 0; k < stages && !lane; k++) {
            const int s = k % STAGES;
            if (k >= STAGES) wait(&empty[s], k / STAGES - 1 & 1);
            arrive_expect(&full[s], sizeof stage[s]);
            copy_in(stage[s], in + (size_t)k * STAGE, sizeof stage[s] / 2, &full[s]);
            copy_in(stage[s] + STAGE / 2, in + (size_t)k * STAGE + STAGE / 2, sizeof stage[s] / 2, &full[s]);
        }
        return;
    }
    for (int k = 0; k < stages; k++) {
        const int s = k % STAGES;
        wait(&full[s], k / STAGES & 1);
        for (int n = threadIdx.x; n < STAGE; n += WARPS * 32) stage[s][n] *= 2;
        asm volatile("bar.sync 1, 128;" ::: "memory");
        if (!threadIdx.x) {
            copy_out(out + (size_t)k * STAGE, stage[s], sizeof stage[s]);
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(sum),
                         "r"(at(stage[s])), "r"((uint32_t)sizeof stage[s])
                         : "memory");
            asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        asm volatile("bar.sync 1, 128;" ::: "memory");
        arrive(&empty[s]);
    }
    if (!threadIdx.x) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// Each thread's copies arrive for it.
__global__ void copies(const uint4 *in, uint4 *out)
{
    __shared__ uint4 there[256];
    __shared__ uint64_t b;
    if (!threadIdx.x) init(&b, 2 * 128);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += 128)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(&there[k])), "l"(in + k) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(at(&b)) : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(at(&b)) : "memory");
    arrive(&b);
    wait(&b, 0);
    for (int k = threadIdx.x; k < 256; k += 128) out[k] = there[255 - k];
}

int main()
{
    uint32_t *n = shared_array<uint32_t>(32);
    count<<<1, 1>>>(n);
    MUST(cudaDeviceSynchronize());
    const uint32_t want[] = {3, 2, 0, 0, 1, 1, 1, 0, 3, 1, 1, 2, 1, 0, 0, 1, 0, 1};
    for (int k = 0; k < 18; k++) CHECK(n[k] == want[k]);
    const int blocks = 7, stages = 10, all = blocks * stages * STAGE;
    uint32_t *in = shared_array<uint32_t>(all), *out = shared_array<uint32_t>(all),
             *sum = shared_array<uint32_t>(STAGE);
    for (int k = 0; k < all; k++) in[k] = k * 2654435761u;
    ring<<<blocks, WARPS * 32 + 32>>>(in, out, sum, stages);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < all; k++) CHECK(out[k] == 2 * in[k]);
    for (int k = 0; k < STAGE; k++) {
        uint32_t s = 0;
        for (int b = 0; b < blocks * stages; b++) s += 2 * in[b * STAGE + k];
        CHECK(sum[k] == s);
    }
    uint4 *to = (uint4 *)shared_array<uint32_t>(1024);
    copies<<<1, 128>>>((const uint4 *)in, to);
    MUST(cudaDeviceSynchronize());
    for (int k = 0; k < 256; k++) CHECK(to[k].x == in[4 * (255 - k)] && to[k].w == in[4 * (255 - k) + 3]);
    return verdict();
}
