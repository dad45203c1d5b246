// grep: the lines of a text in which a pattern matches. The matcher is Kernighan and Pike's ("The Practice of
// Programming", §9.2), which knows ^ . * $ and is recursive: match_here asks match_star, which asks match_here for what
// is behind each run that it tries. Recursion is what bounds the program (S-L1, §4.2), so the two aren't inlined. A
// newline ends a line as a zero does there.
#include "kernel.h"

#define PATTERN 64  // characters of a pattern, the zero behind it included

__shared__ unsigned char pattern[PATTERN];

__device__ bool match_star(unsigned c, unsigned p, const unsigned char *text);

// Does pattern[p …] match at the beginning of text?
__device__ __noinline__ bool match_here(unsigned p, const unsigned char *text) {
    if (pattern[p] == 0) return true;
    if (pattern[p + 1] == '*') return match_star(pattern[p], p + 2, text);
    if (pattern[p] == '$' && pattern[p + 1] == 0) return *text == '\n';
    if (*text != '\n' && (pattern[p] == '.' || pattern[p] == *text)) return match_here(p + 1, text + 1);
    return false;
}

// Does c*, followed by pattern[p …]?
__device__ __noinline__ bool match_star(unsigned c, unsigned p, const unsigned char *text) {
    do {
        if (match_here(p, text)) return true;
    } while (*text != '\n' && (*text++ == c || c == '.'));
    return false;
}

__device__ __forceinline__ bool match(const unsigned char *line) {
    if (pattern[0] == '^') return match_here(1, line);
    do {
        if (match_here(0, line)) return true;
    } while (*line++ != '\n');
    return false;
}

// lines: how many lines of the thread's match; first: where the first of them begins, else size. Matches are rare, so
// the host, which prints them, has few chunks to look through once more.
extern "C" __global__ void grep(unsigned size, unsigned chunk, const unsigned char *text, const unsigned char *regexp,
                                unsigned *lines, unsigned *first) {
    for (unsigned i = threadIdx.x; i < PATTERN; i += blockDim.x) pattern[i] = regexp[i];
    __syncthreads();
    const Chunk mine = my_chunk(size, chunk);
    unsigned count = 0, found = size;
    for (unsigned line = first_line(text, mine); line < mine.end; line++) {
        if (match(text + line) && count++ == 0) found = line;
        while (text[line] != '\n') line++;
    }
    lines[my_thread()] = count;
    first[my_thread()] = found;
}
