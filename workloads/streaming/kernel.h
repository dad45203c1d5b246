// kernel.h: what the streaming programs' kernels share. Their input is one array, of bytes or of records, cut into
// chunks: each thread walks the one that is its own, from its begin to its end (S-L1, §3.2). Text is read a character
// at a time, and a line that crosses chunks belongs to the thread in whose chunk it begins; every text ends with a
// newline, so that whoever began a line finds its end.
#ifndef WORKLOADS_STREAMING_KERNEL_H
#define WORKLOADS_STREAMING_KERNEL_H

#include "cuda.h"

typedef struct Chunk {
    unsigned begin, end;
} Chunk;

__device__ __forceinline__ unsigned my_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// The thread's chunk of n elements. With more threads than elements the last ones' are empty.
__device__ __forceinline__ Chunk my_chunk(unsigned n, unsigned chunk)
{
    const size_t begin = (size_t)my_thread() * chunk, end = begin + chunk;
    return {(unsigned)(begin < n ? begin : n), (unsigned)(end < n ? end : n)};
}

// Where the first line that begins in a chunk does; the chunk's end if none does.
__device__ __forceinline__ unsigned first_line(const unsigned char *text, Chunk mine)
{
    unsigned i = mine.begin;
    if (i > 0)
        while (i < mine.end && text[i - 1] != '\n') i++;
    return i;
}

// FNV-1a, a character at a time, with 64 bits: strings that differ are taken to have different hashes. stream.h has the
// same for the host.
#define HASH_START 0xCBF29CE484222325ull
__device__ __forceinline__ unsigned long long hash_add(unsigned long long hash, unsigned c)
{
    return (hash ^ c) * 0x100000001B3ull;
}

#endif
