// text.h: text that workloads make: words as frequent as Zipf's law has them, prose of such words, and lines.
#ifndef WORKLOADS_TEXT_H
#define WORKLOADS_TEXT_H

#include "host.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

enum { WORD_BITS = 12 };  // of the ranks of a language with 4095 words
static inline uint32_t random_word(Work *work, char *to) { return spell(to, zipf(work, WORD_BITS)); }

// Fills text with sentences of 3 to 20 words in lines of 20 to 100 characters, some of which end before.
// The words are of the ranks that zipf gives for so many bits.
static inline void write_prose(Work *work, char *text, size_t size, uint32_t bits)
{
    uint32_t left = 0, room = 0;  // words of the sentence, characters of the line
    for (size_t at = 0; text && at < size;) {
        char word[WORD_MAX + 2];
        const uint32_t r = work_random(work);
        uint32_t n = spell(word, zipf(work, bits));
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

#endif
