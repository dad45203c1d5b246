// wordcount: lines, words and characters of a text, as Unix wc. The streaming application behind Figure 1 of Mokhtari
// and Stumm, "S-L1": the text is cut into chunks, one thread reads one chunk byte by byte and counts in registers, so
// that a 128-byte line is used 128 times in a row if the cache still has it, and a warp touches 32 lines at once.
// A word that crosses chunks is counted in both; edges lets the host mend that without a second read.
#include "feed.h"

// Flags are 0 or 1 and never branched on: a warp's lanes stay together and read in step.
struct Counts {
    unsigned lines, words, characters, inside;  // inside: of a word

    __device__ __forceinline__ void add(unsigned c) {
        const unsigned word = (c != ' ') & (c - '\t' > '\r' - '\t');  // what is below a tab wraps far above
        lines += c == '\n';
        words += word & ~inside;
        characters += (c & 0xC0) != 0x80;  // UTF-8: all but continuation bytes
        inside = word;
    }
};

// edges: bit 0, the chunk begins inside a word; bit 1, it ends inside one. Read takes a byte of the text.
template <typename Read>
__device__ __forceinline__ void count(unsigned threads, unsigned bytes, const unsigned char *text, unsigned *lines,
                                      unsigned *words, unsigned *characters, unsigned *edges, Read read) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= threads) return;
    const unsigned char *chunk = text + (size_t)t * bytes;
    Counts counts = {0, 0, 0, 0};
    counts.add(read(chunk));
    const unsigned begins = counts.inside;
    for (unsigned i = 1; i < bytes; i++) counts.add(read(chunk + i));
    lines[t] = counts.lines;
    words[t] = counts.words;
    characters[t] = counts.characters;
    edges[t] = begins | counts.inside << 1;
}

extern "C" __global__ void wordcount(unsigned threads, unsigned bytes, const unsigned char *text, unsigned *lines,
                                     unsigned *words, unsigned *characters, unsigned *edges) {
    count(threads, bytes, text, lines, words, characters, edges, [](const unsigned char *p) { return *p; });
}

// The same through the texture cache, as a footnote of §3.1 has it.
extern "C" __global__ void wordcount_texture(unsigned threads, unsigned bytes, const unsigned char *text,
                                             unsigned *lines, unsigned *words, unsigned *characters, unsigned *edges) {
    count(threads, bytes, text, lines, words, characters, edges, [](const unsigned char *p) { return __ldg(p); });
}

// BigKernel's, with the same results.
extern "C" __global__ void wordcount_gather(unsigned n, unsigned each, const unsigned *, unsigned *lists) {
    list_bytes(n, each, lists);
}

extern "C" __global__ void wordcount_compute(const unsigned char *assembled, unsigned unit, unsigned *lines,
                                             unsigned *words, unsigned *characters, unsigned *edges) {
    const unsigned t = my_thread();
    Feed feed(assembled, unit);
    Counts counts = {0, 0, 0, 0};
    if (feed.left > 0) counts.add(feed.next());
    const unsigned begins = counts.inside;
    while (feed.left > 0) counts.add(feed.next());
    lines[t] = counts.lines;
    words[t] = counts.words;
    characters[t] = counts.characters;
    edges[t] = begins | counts.inside << 1;
}
