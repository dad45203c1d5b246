// Integer intrinsics: counting and reversing bits, the high half of products, sums of differences, bytes of two words,
// funnel shifts, dot products, SIMD in a word; each against a loop over bits or bytes.
#include "check.cuh"

#include <cstdint>

struct Out {
    int clz, clzll, ffs, ffsll, popc, popcll, mulhi, sad, hadd, rhadd, dp4a, mul24;
    unsigned brev, umulhi, perm, left, right, leftc, usad, add4, max2, diff4, eq4;
    uint64_t brevll, umul64;
    int64_t mul64;
};

__global__ void work(Out *o, unsigned a, unsigned b, uint64_t c)
{
    int s = a, t = b;
    o->clz = __clz(s), o->clzll = __clzll(c), o->ffs = __ffs(s), o->ffsll = __ffsll(c), o->popc = __popc(a);
    o->popcll = __popcll(c), o->mulhi = __mulhi(s, t), o->sad = __sad(s >> 2, t >> 2, 9), o->hadd = __hadd(s, t);
    o->rhadd = __rhadd(s, t), o->dp4a = __dp4a(s, t, 5), o->mul24 = __mul24(s, t), o->brev = __brev(a);
    o->umulhi = __umulhi(a, b), o->perm = __byte_perm(a, b, 0x4162), o->left = __funnelshift_l(a, b, 37);
    o->right = __funnelshift_r(a, b, 5), o->leftc = __funnelshift_lc(a, b, 40), o->usad = __usad(a, b, 1);
    o->add4 = __vadd4(a, b), o->max2 = __vmaxs2(a, b), o->diff4 = __vabsdiffu4(a, b), o->eq4 = __vcmpeq4(a, b);
    o->brevll = __brevll(c), o->umul64 = __umul64hi(c, c ^ a), o->mul64 = __mul64hi(c, (int64_t)t * s);
}

static int64_t sign24(unsigned x) { return (int32_t)(x << 8) >> 8; }

static void test(Out *o, unsigned a, unsigned b, uint64_t c)
{
    work<<<1, 1>>>(o, a, b, c);
    MUST(cudaDeviceSynchronize());
    int64_t s = (int)a, t = (int)b;
    int clz = 0, clzll = 0, ffs = 0, ffsll = 0, popc = 0, popcll = 0, dot = 5;
    unsigned brev = 0, add = 0, max = 0, diff = 0, eq = 0;
    uint64_t brevll = 0, pair = (uint64_t)b << 32 | a;
    while (clz < 32 && !(a >> (31 - clz))) clz++;
    while (clzll < 64 && !(c >> (63 - clzll))) clzll++;
    for (int k = 31; k >= 0; k--) popc += a >> k & 1, ffs = a >> k & 1 ? k + 1 : ffs, brev |= (a >> k & 1) << (31 - k);
    for (int k = 63; k >= 0; k--)
        popcll += c >> k & 1, ffsll = c >> k & 1 ? k + 1 : ffsll, brevll |= (c >> k & 1) << (63 - k);
    for (int k = 0; k < 32; k += 8) {
        unsigned x = a >> k & 255, y = b >> k & 255;
        dot += (int8_t)x * (int8_t)y, add |= (x + y & 255) << k, diff |= (x > y ? x - y : y - x) << k;
        eq |= (x == y ? 255u : 0) << k;
    }
    for (int k = 0; k < 32; k += 16) {
        int16_t x = a >> k, y = b >> k;
        max |= (unsigned)(uint16_t)(x > y ? x : y) << k;
    }
    CHECK(o->clz == clz && o->clzll == clzll && o->ffs == ffs && o->ffsll == ffsll && o->popc == popc);
    CHECK(o->popcll == popcll && o->brev == brev && o->brevll == brevll);
    CHECK(o->mulhi == (int)(s * t >> 32) && o->umulhi == (unsigned)((uint64_t)a * b >> 32));
    CHECK(o->sad == llabs((s >> 2) - (t >> 2)) + 9 && o->usad == (a > b ? a - b : b - a) + 1);
    CHECK(o->hadd == (int)(s + t >> 1) && o->rhadd == (int)(s + t + 1 >> 1) && o->dp4a == dot);
    CHECK(o->mul24 == (int)(sign24(a) * sign24(b)));
    CHECK(o->perm ==
          ((pair >> 16 & 255) | (pair >> 48 & 255) << 8 | (pair >> 8 & 255) << 16 | (pair >> 32 & 255) << 24));
    CHECK(o->left == (unsigned)(pair << 5 >> 32) && o->right == (unsigned)(pair >> 5) && o->leftc == a);
    CHECK(o->add4 == add && o->max2 == max && o->diff4 == diff && o->eq4 == eq);
    CHECK(o->umul64 == (uint64_t)((unsigned __int128)c * (c ^ a) >> 64));
    CHECK(o->mul64 == (int64_t)((__int128)(int64_t)c * (t * s) >> 64));
}

int main()
{
    Out *o = shared_array<Out>(1);
    unsigned x = 1;
    for (int k = 0; k < 40; k++) {
        unsigned a = x = x * 1664525 + 1013904223, b = x = x * 1664525 + 1013904223;
        test(o, k % 5 ? a >> k % 31 : a, k % 7 ? b : a ^ 0xff00, (uint64_t)a << 20 >> k % 40 ^ b);
    }
    test(o, 0, 0, 0), test(o, ~0u, ~0u, ~0ull), test(o, 0x80000000, 1, 1ull << 63), test(o, 0x80000000, 0x80000000, 1);
    return verdict();
}
