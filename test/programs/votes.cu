// Votes and matches of a warp, masks of those that take part, and reductions of a warp (which need compute capability
// 8.0): by their definition.
#include "check.cuh"

struct Out {
    unsigned ballot, same, branch, mask_all, umin, umax, bits;
    int all, any, every, add, smin;
    unsigned long long long_same;
};

__global__ void vote(Out *out)
{
    unsigned t = threadIdx.x % 32;
    Out *o = &out[threadIdx.x];
    o->ballot = __ballot_sync(~0u, t % 3 == 1);
    o->all = __all_sync(~0u, t < 32) * 2 + __all_sync(~0u, t != 7);
    o->any = __any_sync(~0u, t == 31) * 2 + __any_sync(~0u, t == 32);
    o->same = __match_any_sync(~0u, t % 5);
    o->long_same = __match_any_sync(~0u, (unsigned long long)(t / 8) << 40);
    int pred;
    o->mask_all = __match_all_sync(~0u, 12345, &pred);
    o->every = pred * 2;
    __match_all_sync(~0u, t, &pred);
    o->every += pred;
    if (t % 4 < 2)
        o->branch = __ballot_sync(0x33333333, t > 10);
    else
        o->branch = __activemask() | 0x80000000;
    __syncwarp();
#if __CUDA_ARCH__ >= 800
    o->add = __reduce_add_sync(~0u, (int)t - 20), o->smin = __reduce_min_sync(~0u, (int)t * -2);
    o->umin = __reduce_min_sync(~0u, t + 4), o->umax = __reduce_max_sync(~0u, t ^ 21);
    o->bits = __reduce_or_sync(~0u, 1u << t % 10) ^ __reduce_and_sync(~0u, t | 96) ^ __reduce_xor_sync(~0u, t << 12);
#else
    o->add = 31 * 16 - 640, o->smin = -62, o->umin = 4, o->umax = 31, o->bits = 1023 ^ 96;
#endif
}

int main()
{
    Out *out = shared_array<Out>(96);
    vote<<<1, 96>>>(out);
    MUST(cudaDeviceSynchronize());
    unsigned third = 0, late = 0;
    for (int k = 0; k < 32; k++) third |= (unsigned)(k % 3 == 1) << k, late |= (unsigned)(k % 4 < 2 && k > 10) << k;
    for (int k = 0; k < 96; k++) {
        const Out &o = out[k];
        unsigned t = k % 32, same = 0;
        for (int l = 0; l < 32; l++) same |= (unsigned)(l % 5 == t % 5) << l;
        CHECK(o.ballot == third && o.all == 2 && o.any == 2 && o.same == same);
        CHECK(o.long_same == 0xffull << t / 8 * 8 && o.mask_all == ~0u && o.every == 2);
        CHECK(t % 4 < 2 ? o.branch == late : (o.branch >> t & 1));
        CHECK(o.add == 31 * 16 - 640 && o.smin == -62 && o.umin == 4 && o.umax == 31 && o.bits == (1023 ^ 96));
    }
    return verdict();
}
