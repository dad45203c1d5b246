// Open addressing with linear probing by compare-and-swap: insert, look up, and list all entries.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct KeyValue {
    uint32_t key;
    uint32_t value;
};
const uint32_t kHashTableCapacity = 4096;
const uint32_t kNumKeyValues = kHashTableCapacity / 2;
const uint32_t kEmpty = 0xffffffff;
static_assert((kHashTableCapacity & (kHashTableCapacity - 1)) == 0, "a power of two");

// 32 bit Murmur3 hash
__host__ __device__ uint32_t hash(uint32_t k)
{
    k ^= k >> 16;
    k *= 0x85ebca6b;
    k ^= k >> 13;
    k *= 0xc2b2ae35;
    k ^= k >> 16;
    return k & (kHashTableCapacity - 1);
}

KeyValue *create_hashtable()
{
    KeyValue *hashtable;
    cudaMalloc(&hashtable, sizeof(KeyValue) * kHashTableCapacity);
    static_assert(kEmpty == 0xffffffff, "memset expected kEmpty=0xffffffff");
    cudaMemset(hashtable, 0xff, sizeof(KeyValue) * kHashTableCapacity);
    return hashtable;
}
__global__ void gpu_hashtable_insert(KeyValue *hashtable, const KeyValue *kvs, unsigned int numkvs)
{
    unsigned int threadid = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadid < numkvs) {
        uint32_t key = kvs[threadid].key, value = kvs[threadid].value, slot = hash(key);
        while (true) {
            uint32_t prev = atomicCAS(&hashtable[slot].key, kEmpty, key);
            if (prev == kEmpty || prev == key) {
                atomicAdd(&hashtable[slot].value, value + (prev == kEmpty));
                return;
            }
            slot = (slot + 1) & (kHashTableCapacity - 1);
        }
    }
}
__global__ void gpu_hashtable_lookup(const KeyValue *hashtable, KeyValue *kvs, unsigned int numkvs)
{
    unsigned int threadid = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadid >= numkvs) return;
    uint32_t key = kvs[threadid].key, slot = hash(key);
    for (;; slot = (slot + 1) & (kHashTableCapacity - 1)) {
        if (hashtable[slot].key == key) {
            kvs[threadid].value = hashtable[slot].value;
            return;
        }
        if (hashtable[slot].key == kEmpty) {
            kvs[threadid].value = kEmpty;
            return;
        }
    }
}
// The whole pair at once: lists the entries with values over a threshold, after packing them in one word of 64 bits.
__global__ void gpu_iterate(const KeyValue *table, unsigned long long *out, unsigned long long *best, uint32_t *count)
{
    for (uint32_t t = blockIdx.x * blockDim.x + threadIdx.x; t < kHashTableCapacity; t += gridDim.x * blockDim.x) {
        const KeyValue kv = table[t];
        if (kv.key == kEmpty) continue;
        const unsigned long long packed = (unsigned long long)kv.value << 32 | kv.key;
        atomicMax(best, packed);
        out[atomicAdd(count, 1)] = packed;
    }
}

int main()
{
    std::mt19937 rnd(1234);
    std::uniform_int_distribution<uint32_t> dis(0, 900);
    std::vector<KeyValue> kvs(kNumKeyValues), queries(1200);
    for (auto &kv : kvs) kv = KeyValue{dis(rnd) * 7919u, dis(rnd)};
    for (uint32_t i = 0; i < queries.size(); i++) queries[i].key = i * 7919;
    int mingridsize, threadblocksize;
    cudaOccupancyMaxPotentialBlockSize(&mingridsize, &threadblocksize, gpu_hashtable_insert, 0, 0);
    printf("blocks of %d threads\n", threadblocksize);
    KeyValue *table = create_hashtable(), *device_kvs, *device_queries;
    unsigned long long *list, *best, top;
    uint32_t *count, entries;
    cudaMalloc(&device_kvs, sizeof(KeyValue) * kvs.size());
    cudaMalloc(&device_queries, sizeof(KeyValue) * queries.size());
    cudaMalloc(&list, sizeof *list * kHashTableCapacity);
    cudaMalloc(&best, sizeof *best), cudaMalloc(&count, sizeof *count);
    cudaMemset(best, 0, sizeof *best), cudaMemset(count, 0, sizeof *count);
    cudaMemcpy(device_kvs, kvs.data(), sizeof(KeyValue) * kvs.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(device_queries, queries.data(), sizeof(KeyValue) * queries.size(), cudaMemcpyHostToDevice);
    const auto timer = std::chrono::steady_clock::now();
    gpu_hashtable_insert<<<(kNumKeyValues + threadblocksize - 1) / threadblocksize, threadblocksize>>>(
        table, device_kvs, kNumKeyValues);
    gpu_hashtable_lookup<<<(unsigned)(queries.size() + 127) / 128, 128>>>(table, device_queries, queries.size());
    gpu_iterate<<<4, 128>>>(table, list, best, count);
    cudaMemcpy(queries.data(), device_queries, sizeof(KeyValue) * queries.size(), cudaMemcpyDeviceToHost);
    cudaMemcpy(&top, best, sizeof top, cudaMemcpyDeviceToHost);
    cudaMemcpy(&entries, count, sizeof entries, cudaMemcpyDeviceToHost);
    std::vector<unsigned long long> all(entries), want;
    cudaMemcpy(all.data(), list, entries * sizeof *list, cudaMemcpyDeviceToHost);
    printf("%.3f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - timer).count());

    std::unordered_map<uint32_t, uint32_t> sums;
    for (const auto &kv : kvs) sums[kv.key] += kv.value;
    uint32_t wrong = 0;
    for (const auto &q : queries) {
        const auto it = sums.find(q.key);
        wrong += q.value != (it == sums.end() ? kEmpty : it->second);
    }
    for (const auto &[key, value] : sums) want.push_back((unsigned long long)value << 32 | key);
    std::sort(all.begin(), all.end()), std::sort(want.begin(), want.end());
    wrong += all != want || top != want.back();
    printf("%u entries, %u wrong\n%s\n", entries, wrong, wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
