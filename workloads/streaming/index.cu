// index: the reverse index of a series of HTML files: for every link a record of its URL and of the file that it is in
// (S-L1, Table 1: Inverted Index). The files lie one behind the other. A link belongs to the thread in whose chunk its
// tag begins, and each thread has a place for the most links that its chunk can have, so that none waits for another.
#include "kernel.h"

#define TAG 9  // characters of the tag up to the URL

__constant__ char tag[TAG + 1] = "<a href=\"";

typedef struct Link {
    unsigned url, length, file;  // url: where it is in the files
} Link;

// starts[f] is where file f begins, starts[files] where the last one ends.
__device__ __forceinline__ unsigned file_at(const unsigned *starts, unsigned files, unsigned i) {
    unsigned low = 0, high = files;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        if (starts[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

extern "C" __global__ void index_links(unsigned size, unsigned chunk, const unsigned char *pages, unsigned files,
                                       const unsigned *starts, unsigned room, Link *links, unsigned *found) {
    const Chunk mine = my_chunk(size, chunk);
    Link *const to = links + (size_t)my_thread() * room;
    unsigned n = 0, url = 0, file = file_at(starts, files, mine.begin);
    unsigned matched = 0;  // characters of the tag; all of them: inside the URL
    for (unsigned i = mine.begin; i < mine.end || matched > 0; i++) {
        const unsigned c = pages[i];
        if (matched == TAG) {
            if (c != '"') continue;
            while (starts[file + 1] <= url) file++;
            to[n++] = {url, i - url, file};
            matched = 0;
        } else if (c == tag[matched]) {
            matched++;
            url = i + 1;
        } else {
            matched = c == '<' && i < mine.end;
        }
    }
    found[my_thread()] = n;
}
