// feed.h: what the streaming programs' kernels share when they are run by BigKernel (Mokhtari and Stumm, IPDPS 2014;
// src/work/scenario.c). A gather kernel has the shares of the chunk's threads, and lists for each what its thread will
// read; a compute kernel gets that, assembled by the CPU, as a feed of bytes, one after the other.
#ifndef WORKLOADS_STREAMING_FEED_H
#define WORKLOADS_STREAMING_FEED_H

#include "kernel.h"

// A thread's list, interleaved with those of the others: where it begins in the chunk, then pairs of bytes to skip and
// bytes to take, and a 0.
struct List {
    unsigned *next, threads;

    __device__ __forceinline__ List(unsigned *lists, unsigned begin)
    {
        threads = gridDim.x * blockDim.x;
        next = lists + my_thread();
        put(begin);
    }
    __device__ __forceinline__ void put(unsigned word)
    {
        *next = word;
        next += threads;
    }
    __device__ __forceinline__ void run(unsigned skip, unsigned count) { put(skip << 16 | count); }
};

// All of each thread's bytes, of n.
__device__ __forceinline__ void list_bytes(unsigned n, unsigned each, unsigned *lists)
{
    const Chunk mine = my_chunk(n, each);
    List list(lists, mine.begin);
    for (unsigned i = mine.begin; i < mine.end;) {
        const unsigned count = mine.end - i < 0xFFFF ? mine.end - i : 0xFFFF;
        list.run(0, count);
        i += count;
    }
    list.put(0);
}

// Of each of a thread's lines what the index says. The index has each thread's first byte, and then each of the n
// lines: its bytes (low 12 bits), where what is needed begins (8 bits), and how much that is.
__device__ __forceinline__ void list_lines(unsigned n, unsigned each, const unsigned *index, unsigned *lists)
{
    const Chunk mine = my_chunk(n, each);
    List list(lists, index[my_thread()]);
    const unsigned *lines = index + list.threads;
    unsigned rest = 0;  // of the line before
    for (unsigned i = mine.begin; i < mine.end; i++) {
        const unsigned line = lines[i], bytes = line & 0xFFF, from = line >> 12 & 0xFF, count = line >> 20;
        list.run(rest + from, count);
        rest = bytes - from - count;
    }
    list.put(0);
}

// A thread's bytes in what was assembled. Those of a warp's lanes take turns, unit by unit.
struct Feed {
    const unsigned char *data;
    unsigned at, left, unit;

    __device__ __forceinline__ Feed(const unsigned char *assembled, unsigned of_unit)
    {
        const unsigned *lengths = (const unsigned *)assembled, threads = gridDim.x * blockDim.x, t = my_thread();
        data = assembled;
        unit = of_unit;
        left = lengths[t];
        at = lengths[threads + t / 32] + t % 32 * unit;
    }
    __device__ __forceinline__ unsigned next()
    {
        const unsigned c = data[at++];
        left--;
        if ((at & (unit - 1)) == 0) at += 31 * unit;
        return c;
    }
};

#endif
