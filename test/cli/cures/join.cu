// join: a hash join. build puts keys into a table of slots in global memory; probe looks others up there. A
// hash scatters them over all slots; the cure loads slots past the L1, in sectors.
#ifdef CURE
#define SLOT(p) __ldcg(p)
#else
#define SLOT(p) (*(p))
#endif

static __device__ unsigned place(unsigned key, unsigned mask) { return key * 2654435761u >> 7 & mask; }

extern "C" __global__ void build(unsigned *slots, unsigned mask, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = 2 * i + 1;
    for (unsigned k = place(key, mask); atomicCAS(&slots[k], 0, key); k = k + 1 & mask) {}
}

extern "C" __global__ void probe(const unsigned *slots, unsigned mask, unsigned *found, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = i + 1, at = place(key, mask), slot;
    while ((slot = SLOT(&slots[at])) && slot != key) at = at + 1 & mask;
    found[i] = slot == key;
}
