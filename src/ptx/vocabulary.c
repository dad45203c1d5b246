// vocabulary.c: the words of the language, by what they mean. Every module is read with them, and most modules are
// short: so a table is filled with a few instructions a word, and keeps the words where they are. Open addressing;
// invariant: at most half of the places are taken.
#include "ptx/parse.h"

#include <string.h>

static uint32_t hash_of(const char *text, size_t n)
{
    uint32_t h = 2166136261u;  // FNV-1a
    for (size_t k = 0; k < n; k++) h = (h ^ (uint8_t)text[k]) * 16777619u;
    return h ^ h >> 15;
}

static Word *place_of(const Words *w, const char *text, size_t n)
{
    uint32_t at = hash_of(text, n) & w->mask;
    while (w->place[at].text && (w->place[at].length != n || memcmp(w->place[at].text, text, n) != 0))
        at = (at + 1) & w->mask;
    return &w->place[at];
}

void words_open(Words *w, size_t most)
{
    size_t places = 16;
    while (places < 2 * most) places *= 2;
    w->place = mem_alloc(sizeof *w->place * places);
    w->mask = (uint32_t)places - 1;
}

void words_put(Words *w, const char *text, uint32_t value)
{
    size_t n = strlen(text);
    *place_of(w, text, n) = (Word){text, (uint32_t)n, value};
}

bool words_get(const Words *w, const char *text, size_t n, int64_t *value)
{
    const Word *word = place_of(w, text, n);
    if (!word->text) return false;
    *value = word->value;
    return true;
}

void words_free(Words *w) { mem_free(w->place); }
