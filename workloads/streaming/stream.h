// stream.h: what the streaming programs' hosts share: the shape of the launch, which is free, so that the best can be
// searched for (S-L1, §4.1), and the making of text, from words as frequent as Zipf's law has them.
#ifndef WORKLOADS_STREAMING_STREAM_H
#define WORKLOADS_STREAMING_STREAM_H

#include "../host.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// --- The launch -----------------------------------------------------------------------------------------------------

#define SHAPE_PARAMS                                                                    \
    {"blocks", "blocks, 1 to 65535", 2, 60, 1, 65535},                                  \
    {                                                                                   \
        "threads", "threads of a block, a multiple of 32 up to 1024", 64, 128, 32, 1024 \
    }

typedef struct Shape {
    oc_dim3 grid, block;
    int64_t threads;  // of all blocks
} Shape;

static inline Shape work_shape(Work *work)
{
    const int64_t blocks = work_param(work, "blocks"), threads = work_param(work, "threads");
    if (threads % 32 != 0) work_refuse(work, "threads", "a multiple of 32");
    return (Shape){dim1((uint32_t)blocks), dim1((uint32_t)threads), blocks * threads};
}

// How many of n elements each thread gets; the last one with any may get fewer.
static inline int64_t chunk_of(Shape shape, int64_t n) { return (n + shape.threads - 1) / shape.threads; }

static inline void check_bytes(Work *work, const char *what, const void *got, const void *want, size_t size)
{
    const size_t words = (size + 3) / 4;
    uint32_t *g = work_host(work, words * 4), *w = work_host(work, words * 4);
    if (!work_ok(work)) return;
    memcpy(g, got, size);
    memcpy(w, want, size);
    work_check_u32(work, what, g, w, words);
}

// --- Hashes, as kernel.h makes them ---------------------------------------------------------------------------------

#define HASH_START 0xCBF29CE484222325
static inline uint64_t hash_add(uint64_t hash, uint32_t c) { return (hash ^ c) * 0x100000001B3; }

static inline uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < length; i++) hash = hash_add(hash, (uint8_t)text[i]);
    return hash;
}

// The least power of two of at least n.
static inline uint32_t power_of_two(int64_t n)
{
    uint32_t p = 1;
    while (p < n) p *= 2;
    return p;
}

// --- Words ----------------------------------------------------------------------------------------------------------

enum { WORD_MAX = 12 };  // a word has fewer than WORD_MAX characters

// Ranks 0 to 2^bits - 2, each about as frequent as 1 / (rank + 1): every power of two has the same share.
static inline uint32_t zipf(Work *work, uint32_t bits)
{
    const uint32_t first = 1u << work_random(work) % bits;
    return first - 1 + (work_random(work) & (first - 1));
}

// The word of a rank, which no other rank has: syllables, and one of six endings. The frequent ones are short, as in
// languages. Returns its length.
static inline uint32_t spell(char *to, uint32_t rank)
{
    static const char consonants[] = "tnsrhldcmfpgwb", vowels[] = "eaoiu";
    static const char *const endings[] = {"", "n", "s", "r", "th", "ing"};
    const char *ending = endings[rank % 6];
    uint32_t n = 0, rest = rank / 6;
    do {
        to[n++] = consonants[rest % 14];
        to[n++] = vowels[rest / 14 % 5];
        rest /= 14 * 5;
    } while (rest-- > 0);
    while (*ending) to[n++] = *ending++;
    to[n] = 0;
    return n;
}

static inline uint32_t random_word(Work *work, char *to) { return spell(to, zipf(work, 12)); }

// Fills text with sentences of 3 to 20 words in lines of 20 to 100 characters, some of which end before.
static inline void write_prose(Work *work, char *text, size_t size)
{
    uint32_t left = 0, room = 0;  // words of the sentence, characters of the line
    for (size_t at = 0; text && at < size;) {
        char word[WORD_MAX + 2];
        const uint32_t r = work_random(work);
        uint32_t n = random_word(work, word);
        if (left == 0) {
            left = 3 + r % 18;
            word[0] = (char)(word[0] - 'a' + 'A');
        }
        if (room == 0) room = 20 + (r >> 8) % 80;
        left--;
        if (left == 0 || r >> 29 == 0) word[n++] = left ? ',' : '.';
        room = (left == 0 && r >> 29 == 1) || room <= n ? 0 : room - n;
        word[n++] = room ? ' ' : '\n';
        for (uint32_t i = 0; i < n && at < size; i++) text[at++] = word[i];
    }
    if (text) text[size - 1] = '\n';
}

// --- Records --------------------------------------------------------------------------------------------------------

// Text that grows by whole lines, up to size bytes.
typedef struct Lines {
    char *text;
    size_t size, used;
    uint32_t count;
} Lines;

static inline Lines lines_in(Work *work, int64_t size)
{
    return (Lines){.text = work_host(work, (size_t)size + 1), .size = (size_t)size};
}

// Adds one, newline included, or returns false because there is no room left.
__attribute__((format(printf, 2, 3))) static inline bool add_line(Lines *lines, const char *format, ...)
{
    if (!lines->text) return false;
    va_list args;
    va_start(args, format);
    const size_t room = lines->size - lines->used;
    const int n = vsnprintf(lines->text + lines->used, room + 1, format, args);
    va_end(args);
    if (n < 0 || (size_t)n > room) {
        lines->text[lines->used] = 0;
        return false;
    }
    lines->used += (size_t)n;
    lines->count++;
    return true;
}

// What the CPU assembles of a line (S-L1, §4.3).
typedef struct Needed {
    const char *begin, *end;
} Needed;

static inline StreamInput stream_lines(Work *work, const Lines *lines, Needed (*needed)(const char *line), void *own)
{
    uint32_t *index = work_host(work, lines->count * sizeof *index);
    const char *line = lines->text;
    for (uint32_t n = 0; index && n < lines->count; n++) {
        const Needed part = needed(line);
        const char *next = strchr(line, '\n') + 1;
        index[n] = STREAM_LINE(next - line, part.begin - line, part.end - part.begin);
        line = next;
    }
    return (StreamInput){.bytes = (const uint8_t *)lines->text,
                         .size = lines->used,
                         .lines = index,
                         .line_count = lines->count,
                         .own = own};
}

#endif
