// sto: StoreGPU's hashes of a sliding window: the MD5 of every window of a text, each window `offset` further on, a
// thread a window. A storage system finds by them which parts of a file it has already. ISPASS 2009's definition
// (Al-Kiswany and others): MD5 takes 16 words at a time, which a thread copies to a workspace of its own in shared
// memory. Workspaces of a warp are interleaved, so that a lane keeps to a bank. Only the first word of a hash is kept.
#include "cuda.h"

#define BLOCK 128
#define LANES 32
#define UNIT 16                 // words that MD5 takes at a time
#define SHARED (4 * 1024 - 32)  // words: StoreGPU takes what fits 16 KiB beside the arguments, and uses half of it

// RFC 1321's constants: 2^32 |sin(i + 1)|.
static __constant__ const uint sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
static __constant__ const int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static __device__ __forceinline__ uint mix(int round, uint b, uint c, uint d) {
    if (round == 0) return d ^ (b & (c ^ d));
    if (round == 1) return c ^ (d & (b ^ c));
    if (round == 2) return b ^ c ^ d;
    return c ^ (b | ~d);
}

static __device__ __forceinline__ int word_of(int round, int k) {
    return (round == 0 ? k : round == 1 ? 5 * k + 1 : round == 2 ? 3 * k + 5 : 7 * k) % UNIT;
}

// Takes the next 16 words into the hash.
static __device__ __forceinline__ void take(const uint *unit, uint4 &hash) {
    uint a = hash.x, b = hash.y, c = hash.z, d = hash.w;
#pragma unroll
    for (int i = 0; i < 64; i++) {
        const int round = i / 16, turn = turns[round][i % 4];
        const uint sum = a + mix(round, b, c, d) + unit[LANES * word_of(round, i % 16)] + sines[i];
        a = d;
        d = c;
        c = b;
        b += sum << turn | sum >> (32 - turn);
    }
    hash = {hash.x + a, hash.y + b, hash.z + c, hash.w + d};
}

// n windows of `words` words, each `offset` words further on.
extern "C" __global__ void sto_md5(uint n, int words, uint offset, const uint *text, uint *hashes) {
    __shared__ uint shared[SHARED];
    const uint t = threadIdx.x, i = BLOCK * blockIdx.x + t;
    if (i >= n) return;
    uint *unit = shared + (LANES * UNIT * (t / LANES) + t % LANES);
    const uint *window = text + (size_t)i * offset;
    uint4 hash = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    hashes += i;

    // Behind the window come a one bit, zeros, and the window's length in bits, which is the last two words.
    bool last = false;
    for (int left = words; !last; left -= UNIT, window += UNIT) {
        const int copied = max(0, min(left, UNIT));
#pragma unroll 1  // addresses of several words at a time would take registers
        for (int w = 0; w < copied; w++) unit[LANES * w] = window[w];
#pragma unroll 1
        for (int w = copied; w < UNIT; w++) unit[LANES * w] = w == left ? 0x80 : 0;
        last = left < UNIT - 2;
        if (last) unit[LANES * (UNIT - 2)] = 32 * words;
        take(unit, hash);
    }
    *hashes = hash.x;
}
