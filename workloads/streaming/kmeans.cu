// kmeans: one step of Lloyd's algorithm: every particle goes to the cluster with the nearest centre, and the sums of
// which the new centres are made are taken. Centres and sums are a table in shared memory, of the size that the launch
// asks for: with many clusters it takes most of what there is, and a cache in software finds no room (S-L1, §4.2).
#include "kernel.h"

#define DIMENSIONS 8

typedef struct Particle {
    float x[DIMENSIONS];
    unsigned cluster;
} Particle;

typedef struct Centre {
    float x[DIMENSIONS], sum[DIMENSIONS];
    unsigned members;
} Centre;

extern "C" __global__ void kmeans(unsigned n, unsigned chunk, Particle *particles, unsigned k, Centre *centres) {
    extern __shared__ Centre table[];
    for (unsigned c = threadIdx.x; c < k; c += blockDim.x) {
        for (unsigned d = 0; d < DIMENSIONS; d++) {
            table[c].x[d] = centres[c].x[d];
            table[c].sum[d] = 0;
        }
        table[c].members = 0;
    }
    __syncthreads();

    const Chunk mine = my_chunk(n, chunk);
    for (unsigned i = mine.begin; i < mine.end; i++) {
        float least = 3.4e38f;
        unsigned nearest = 0;
        for (unsigned c = 0; c < k; c++) {
            float distance = 0;
            for (unsigned d = 0; d < DIMENSIONS; d++) {
                const float by = particles[i].x[d] - table[c].x[d];
                distance += by * by;
            }
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        particles[i].cluster = nearest;
        for (unsigned d = 0; d < DIMENSIONS; d++) atomicAdd(&table[nearest].sum[d], particles[i].x[d]);
        atomicAdd(&table[nearest].members, 1u);
    }
    __syncthreads();

    for (unsigned c = threadIdx.x; c < k; c += blockDim.x) {
        for (unsigned d = 0; d < DIMENSIONS; d++) atomicAdd(&centres[c].sum[d], table[c].sum[d]);
        atomicAdd(&centres[c].members, table[c].members);
    }
}
