// dna: the assembly of a DNA sequence from overlapping fragments, as Meraculous extends contigs: the k-mers with which
// fragments begin are in a hash table, and a fragment is continued by the one whose first k-mer is found soonest in it
// (Chapman et al., "Meraculous", PLoS ONE 2011; S-L1, Table 1). Bases are letters; a k-mer is packed, two bits a base.
#include "kernel.h"

#define K 31  // odd, so that no k-mer is its own reverse complement
#define NONE 0xFFFFFFFFu
#define FREE 0xFFFFFFFFFFFFFFFFull  // more than 2K bits

typedef struct Slot {
    unsigned long long kmer;
    unsigned fragment, unused;
} Slot;

typedef struct Link {
    unsigned next, shift;  // the fragment that continues one, from its base number shift on
} Link;

// The fragment that begins with the k-mer.
__device__ __forceinline__ unsigned find(const Slot *table, unsigned mask, unsigned long long kmer) {
    for (unsigned s = (unsigned)(kmer * 0x9E3779B97F4A7C15ull >> 32) & mask;; s = (s + 1) & mask) {
        const unsigned long long found = table[s].kmer;
        if (found == kmer) return table[s].fragment;
        if (found == FREE) return NONE;
    }
}

extern "C" __global__ void dna(unsigned fragments, unsigned chunk, unsigned length, const unsigned char *bases,
                               unsigned mask, const Slot *table, Link *links) {
    const Chunk mine = my_chunk(fragments, chunk);
    for (unsigned f = mine.begin; f < mine.end; f++) {
        const unsigned char *fragment = bases + (size_t)f * length;
        unsigned long long kmer = 0;
        Link link = {NONE, 0};
        for (unsigned i = 0; i < length && link.next == NONE; i++) {
            kmer = (kmer << 2 | (fragment[i] >> 1 & 3)) & ((1ull << 2 * K) - 1);  // A C T G: 0 1 2 3
            if (i < K) continue;                                                  // its own first one is no overlap
            link.next = find(table, mask, kmer);
            link.shift = i + 1 - K;
        }
        if (link.next == NONE) link.shift = length;
        links[f] = link;
    }
}
