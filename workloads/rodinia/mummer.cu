// mummer: where and how far each suffix of each query matches a reference, all of DNA. Schatz et al.: MUMmerGPU;
// Rodinia's definition. A thread has a query. It walks down the reference's suffix tree as far as the letters agree.
// For the next suffix it goes on where the suffix link of the last node leads, so that it doesn't read letters again.
// A node's 16 bytes are read at once through __ldg, where Rodinia has a texture: cards without it read from the L1.
#include "cuda.h"

// What stands in a node's 16 bytes, 24 bits each. Nodes have numbers from 1, the root's, on; 0: there is none.
// As a node: its parent, its suffix link, the first and last letter of the edge to it in the reference, its depth.
// As children: the nodes behind A, C, G, T and the reference's end.
static __device__ __forceinline__ unsigned first_of(uint4 v) { return v.x & 0xffffff; }
static __device__ __forceinline__ unsigned second_of(uint4 v) { return v.x >> 24 | (v.y & 0xffff) << 8; }
static __device__ __forceinline__ unsigned third_of(uint4 v) { return v.y >> 16 | (v.z & 0xff) << 16; }
static __device__ __forceinline__ unsigned fourth_of(uint4 v) { return v.z >> 8; }

static __device__ __forceinline__ unsigned child_of(uint4 v, char letter) {
    switch (letter) {
    case 'A': return first_of(v);
    case 'C': return second_of(v);
    case 'G': return third_of(v);
    case 'T': return fourth_of(v);
    default: return 0;
    }
}

// A query begins with a letter that isn't read and ends with 0. starts: where it begins in queries. A match is the node
// that it leads to, and how many letters of the edge to that node it has (0: it ends at the node). Only matches of at
// least `least` letters are written.
extern "C" __global__ void mummer(int count, int least, const char *reference, const uint4 *nodes,
                                  const uint4 *children, const char *queries, const int *starts, const int *lengths,
                                  int2 *matches) {
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= count) return;
    const int start = starts[q], last = lengths[q] - least;
    const char *query = queries + start;
    int2 *match = matches + start - q * (least + 1);
    unsigned node = 0;
    // next: the letter of the query, from the suffix on, that is compared next. given: how many letters below the node
    // are known to match.
    int next = 0, given = 0;
    for (int suffix = 0; suffix <= last; suffix++, match++) {
        if (node == 0 || next < 1) {
            node = 1;
            next = 1;
            given = 0;
        }
        unsigned above = node;
        int at = 0, begin = 0;
        char letter = query[suffix + next];
        while (letter) {
            above = node;
            node = child_of(__ldg(children + node), letter);
            if (!node) break;
            const uint4 edge = __ldg(nodes + node);
            begin = third_of(edge);
            const int end = fourth_of(edge) + 1;
            if (given) {
                at = min(begin + given, end);
                next += min(end - begin, given);
                given = max(given - (end - begin), 0);
            } else {  // the letter that chose the edge
                at = begin + 1;
                next++;
            }
            letter = query[suffix + next];
            while (at < end && letter && reference[at] == letter) {
                at++;
                letter = query[suffix + ++next];
            }
            if (at < end) break;
        }
        given = node ? at - begin : 0;
        if (next > least) *match = make_int2(node ? node : above, given);
        next -= node ? given + 1 : 1;
        node = second_of(__ldg(nodes + above));
    }
}
