// SHA-256 of many short messages, one a thread; the constants lie in constant memory, the schedule in registers.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

typedef unsigned char BYTE;
typedef uint32_t WORD;
#define ROTRIGHT(a, b) (((a) >> (b)) | ((a) << (32 - (b))))
#define CH(x, y, z) (((x) & (y)) ^ (~(x) & (z)))
#define MAJ(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))
#define EP0(x) (ROTRIGHT(x, 2) ^ ROTRIGHT(x, 13) ^ ROTRIGHT(x, 22))
#define EP1(x) (ROTRIGHT(x, 6) ^ ROTRIGHT(x, 11) ^ ROTRIGHT(x, 25))
#define SIG0(x) (ROTRIGHT(x, 7) ^ ROTRIGHT(x, 18) ^ ((x) >> 3))
#define SIG1(x) (ROTRIGHT(x, 17) ^ ROTRIGHT(x, 19) ^ ((x) >> 10))

__constant__ WORD dev_k[64];
static const WORD host_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

typedef struct JOB {
    BYTE *data;
    unsigned long long size;
    BYTE digest[32];
    char fname[128];
} JOB;

__host__ __device__ static void sha256_block(const WORD *k, WORD state[8], const BYTE block[64])
{
    WORD m[64], s[8];
#pragma unroll
    for (int i = 0; i < 16; ++i)
        m[i] = (block[4 * i] << 24) | (block[4 * i + 1] << 16) | (block[4 * i + 2] << 8) | block[4 * i + 3];
    for (int i = 16; i < 64; ++i) m[i] = SIG1(m[i - 2]) + m[i - 7] + SIG0(m[i - 15]) + m[i - 16];
    memcpy(s, state, sizeof(s));
    for (int i = 0; i < 64; ++i) {
        WORD t1 = s[7] + EP1(s[4]) + CH(s[4], s[5], s[6]) + k[i] + m[i], t2 = EP0(s[0]) + MAJ(s[0], s[1], s[2]);
        for (int j = 7; j > 0; --j) s[j] = s[j - 1];
        s[4] += t1, s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; ++i) state[i] += s[i];
}

__host__ __device__ void sha256(const WORD *k, const BYTE *data, size_t len, BYTE hash[32])
{
    WORD state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    BYTE block[64];
    for (size_t at = 0; at <= len + 8; at += 64) {
        memset(block, 0, 64);
        for (size_t i = 0; i < 64 && at + i <= len; ++i) block[i] = at + i < len ? data[at + i] : 0x80;
        if (at + 64 >= len + 9)
            for (int i = 0; i < 8; ++i) block[63 - i] = (BYTE)((unsigned long long)len * 8 >> 8 * i);
        sha256_block(k, state, block);
    }
    for (int i = 0; i < 32; ++i) hash[i] = (state[i / 4] >> (24 - 8 * (i % 4))) & 0xff;
}

__global__ void sha256_cuda(JOB **jobs, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sha256(dev_k, jobs[i]->data, jobs[i]->size, jobs[i]->digest);
}

static std::string hex(const BYTE *d)
{
    std::ostringstream os;
    for (int i = 0; i < 32; ++i) os << std::hex << std::setw(2) << std::setfill('0') << (int)d[i];
    return os.str();
}

int main()
{
    const int n = 96;
    JOB **jobs;
    cudaMallocManaged(&jobs, n * sizeof(JOB *));
    cudaMemcpyToSymbol(dev_k, host_k, sizeof(host_k), 0, cudaMemcpyHostToDevice);
    std::vector<std::string> texts = {"abc", ""};
    while (texts.size() < n) texts.push_back(std::string(texts.size(), 'a' + texts.size() % 26));
    for (int i = 0; i < n; ++i) {
        cudaMallocManaged(&jobs[i], sizeof(JOB));
        cudaMallocManaged(&(jobs[i]->data), texts[i].size() + 1);
        strcpy((char *)jobs[i]->data, texts[i].c_str());
        jobs[i]->size = texts[i].size();
        snprintf(jobs[i]->fname, sizeof jobs[i]->fname, "message %d", i);
    }
    sha256_cuda<<<(n + 63) / 64, 64>>>(jobs, n);
    cudaError_t err = cudaDeviceSynchronize();
    bool ok = err == cudaSuccess;
    ok &= hex(jobs[0]->digest) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    ok &= hex(jobs[1]->digest) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    for (int i = 0; i < n; ++i) {
        BYTE want[32];
        sha256(host_k, jobs[i]->data, jobs[i]->size, want);
        ok &= memcmp(want, jobs[i]->digest, 32) == 0;
    }
    std::cout << hex(jobs[0]->digest) << "  " << jobs[0]->fname << std::endl;
    std::cout << (ok ? "PASSED" : "FAILED") << '\n';
    return !ok;
}
