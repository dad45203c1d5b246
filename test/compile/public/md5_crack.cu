// MD5 by brute force: each thread hashes words over an alphabet, the first match is reported by an atomic exchange.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F(x, y, z) ((x & y) | (~x & z))
#define G(x, y, z) ((x & z) | (y & ~z))
#define H(x, y, z) (x ^ y ^ z)
#define I(x, y, z) (y ^ (x | ~z))
#define ROTATE_LEFT(x, n) ((x << n) | (x >> (32 - n)))
#define LENGTH 3
#define CHARSET "abcdefghijklmnopqrstuvwxyz0123456789"
#define BASE (sizeof(CHARSET) - 1)
#define ERROR_CHECK(X)                      \
    {                                       \
        gpuAssert((X), __FILE__, __LINE__); \
    }
inline void gpuAssert(cudaError_t code, char const *file, int line, bool abort = true)
{
    if (code != cudaSuccess) {
        printf("GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        if (abort) exit(code);
    }
}

__constant__ uint32_t K[64];
__constant__ unsigned char S[64];
__device__ char g_deviceCracked[LENGTH + 1];
__device__ unsigned int g_found;
static uint32_t hostK[64];
static unsigned char hostS[64];

#ifdef __CUDA_ARCH__
#define TABLE(name) name[i]
#else
#define TABLE(name) host##name[i]
#endif
__host__ __device__ void md5Hash(const unsigned char *data, uint32_t length, uint32_t *hash)
{
    uint32_t w[16] = {0}, a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    for (uint32_t i = 0; i < length; i++) w[i / 4] |= (uint32_t)data[i] << (i % 4 * 8);
    w[length / 4] |= 0x80u << (length % 4 * 8);
    w[14] = length * 8;
    hash[0] = a, hash[1] = b, hash[2] = c, hash[3] = d;
#pragma unroll
    for (int i = 0; i < 64; i++) {
        uint32_t f;
        int g;
        if (i < 16)
            f = F(b, c, d), g = i;
        else if (i < 32)
            f = G(b, c, d), g = (5 * i + 1) & 15;
        else if (i < 48)
            f = H(b, c, d), g = (3 * i + 5) & 15;
        else
            f = I(b, c, d), g = 7 * i & 15;
        f += a + TABLE(K) + w[g];
        a = d, d = c, c = b, b += ROTATE_LEFT(f, TABLE(S));
    }
    hash[0] += a, hash[1] += b, hash[2] += c, hash[3] += d;
}
__host__ __device__ static void word(unsigned int number, char *out)
{
    const char *charset = CHARSET;
    for (int k = 0; k < LENGTH; k++) out[k] = charset[number % BASE], number /= BASE;
}

__global__ void md5Crack(unsigned int from, unsigned int to, uint4 target)
{
    char candidate[LENGTH + 1] = {0};
    for (unsigned int n = from + blockIdx.x * blockDim.x + threadIdx.x; n < to && !g_found;
         n += gridDim.x * blockDim.x) {
        uint32_t h[4];
        word(n, candidate);
        md5Hash((unsigned char *)candidate, LENGTH, h);
        if (h[0] == target.x && h[1] == target.y && h[2] == target.z && h[3] == target.w && !atomicExch(&g_found, 1u))
            memcpy(g_deviceCracked, candidate, LENGTH);
    }
}
__global__ void hashAll(const char *texts, uint4 *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int length = 0;
    while (texts[i * 64 + length]) length++;
    md5Hash((const unsigned char *)texts + i * 64, length, (uint32_t *)&out[i]);
}

int main(int argc, char *argv[])
{
    const unsigned char shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    for (int i = 0; i < 64; i++) {
        hostK[i] = (uint32_t)(fabs(sin(i + 1.0)) * 4294967296.0);
        hostS[i] = shifts[i / 16][i % 4];
    }
    ERROR_CHECK(cudaMemcpyToSymbol(K, hostK, sizeof K));
    ERROR_CHECK(cudaMemcpyToSymbol(S, hostS, sizeof S));
    const char *secret = argc == 2 ? argv[1] : "gpu";
    uint4 target;
    md5Hash((const unsigned char *)secret, strlen(secret), (uint32_t *)&target);
    unsigned int zero = 0, found, total = BASE * BASE * BASE;
    ERROR_CHECK(cudaMemcpyToSymbol(g_found, &zero, sizeof zero));
    char cracked[LENGTH + 1];
    for (unsigned int from = 0; from < total; from += total / 4 + 1) {
        md5Crack<<<8, 128>>>(from, from + total / 4 + 1 < total ? from + total / 4 + 1 : total, target);
        ERROR_CHECK(cudaGetLastError());
        ERROR_CHECK(cudaMemcpyFromSymbol(&found, g_found, sizeof(found), 0, cudaMemcpyDeviceToHost));
        if (found) break;
    }
    ERROR_CHECK(cudaMemcpyFromSymbol(cracked, g_deviceCracked, sizeof cracked));
    printf("cracked: %s\n", cracked);

    const int n = 40;
    char texts[n * 64] = "message digest", *d_texts;
    uint4 out[n], *d_out, want;
    for (int i = 1; i < n; i++) memset(texts + i * 64, 'A' + i % 26, i);
    ERROR_CHECK(cudaMalloc((void **)&d_texts, sizeof texts));
    ERROR_CHECK(cudaMalloc((void **)&d_out, sizeof out));
    ERROR_CHECK(cudaMemcpy(d_texts, texts, sizeof texts, cudaMemcpyHostToDevice));
    hashAll<<<(n + 31) / 32, 32>>>(d_texts, d_out, n);
    ERROR_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    const unsigned char known[16] = {0xf9, 0x6b, 0x69, 0x7d, 0x7c, 0xb7, 0x93, 0x8d,
                                     0x52, 0x5a, 0x2f, 0x31, 0xaa, 0xf1, 0x61, 0xd0};  // of RFC 1321
    int wrong = strcmp(cracked, secret) != 0 || memcmp(&out[0], known, 16) != 0;
    for (int i = 0; i < n; i++) {
        md5Hash((const unsigned char *)texts + i * 64, strlen(texts + i * 64), (uint32_t *)&want);
        wrong += memcmp(&want, &out[i], 16) != 0;
    }
    printf("%d wrong\n%s\n", wrong, wrong ? "FAILED" : "PASSED");
    return wrong;
}
