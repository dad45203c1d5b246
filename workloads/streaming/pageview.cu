// pageview: how often each URL of a web server's log was asked for. A line is in the Common Log Format,
//     192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] "GET /index.html HTTP/1.0" 200 2326
// The counts are in one hash table that all threads share, so they are added to with atomics (S-L1, Table 1; atomics
// keep its software cache from the table, §3.4). Keys are the URLs' hashes.
#include "feed.h"

#define URL 6  // the blanks before it

__device__ __forceinline__ void count(unsigned long long *keys, unsigned *hits, unsigned mask, unsigned long long key) {
    unsigned s = (unsigned)key & mask;
    for (;; s = (s + 1) & mask) {
        unsigned long long found = keys[s];  // 0 may be out of date
        if (found == 0) found = atomicCAS(keys + s, 0ull, key);
        if (found == 0 || found == key) break;
    }
    atomicAdd(hits + s, 1u);
}

extern "C" __global__ void pageview(unsigned size, unsigned chunk, const unsigned char *log, unsigned mask,
                                    unsigned long long *keys, unsigned *hits) {
    const Chunk mine = my_chunk(size, chunk);
    unsigned long long hash = HASH_START;
    unsigned blanks = 0;
    unsigned i = first_line(log, mine);
    if (i == mine.end) return;
    for (;; i++) {
        const unsigned c = log[i];
        if (c == '\n') {
            count(keys, hits, mask, hash);
            if (i + 1 >= mine.end) break;
            hash = HASH_START;
            blanks = 0;
        } else if (c == ' ') {
            blanks++;
        } else if (blanks == URL) {
            hash = hash_add(hash, c);
        }
    }
}

// BigKernel's: of each line the URL and the blank behind it.
extern "C" __global__ void pageview_gather(unsigned n, unsigned each, const unsigned *index, unsigned *lists) {
    list_lines(n, each, index, lists);
}

extern "C" __global__ void pageview_compute(const unsigned char *assembled, unsigned unit, unsigned mask,
                                            unsigned long long *keys, unsigned *hits) {
    Feed feed(assembled, unit);
    unsigned long long hash = HASH_START;
    while (feed.left > 0) {
        const unsigned c = feed.next();
        if (c == ' ') {
            count(keys, hits, mask, hash);
            hash = HASH_START;
        } else {
            hash = hash_add(hash, c);
        }
    }
}
