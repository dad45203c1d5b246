// shorten.c: texts made narrower for a column or a label, so that two that differ still differ. What is left out is
// the middle, since names of C++ and paths differ at both ends; an ellipsis stands there. All texts of a column are cut
// at the same place. If that makes two of them the same wherever it is, these are shown from where they differ; and if
// that doesn't help either, they are numbered.
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#define ELLIPSIS "…"

static bool continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

size_t text_width(const char *text, size_t bytes)
{
    size_t n = 0;
    for (size_t k = 0; k < bytes; k++) n += !continues(text[k]);
    return n;
}

// The byte at which the letter with this number begins, or the text ends.
static size_t letter_at(const char *text, size_t letter)
{
    size_t k = 0;
    for (; text[k]; k++)
        if (!continues(text[k]) && !letter--) break;
    return k;
}

// A text whose letters from `front` on are left out, but for the last `back` ones.
static char *without_middle(const char *text, size_t front, size_t back)
{
    const size_t bytes = strlen(text), letters = text_width(text, bytes);
    if (letters <= front + back + 1) return mem_text(text);
    Text t = {0};
    text_add(&t, text, letter_at(text, front));
    text_put(&t, ELLIPSIS);
    text_put(&t, text + letter_at(text, letters - back));
    return t.v;
}

typedef struct Shown {
    const char *name;
    char **out;  // where what is shown stands
} Shown;

static int by_shown(const void *a, const void *b)
{
    const Shown *x = a, *y = b;
    const int order = strcmp(*x->out, *y->out);
    return order ? order : strcmp(x->name, y->name);
}

// Sorts them by what is shown, and says whether two of different names are shown alike.
static bool alike(Shown *s, size_t n)
{
    qsort(s, n, sizeof *s, by_shown);
    for (size_t k = 1; k < n; k++)
        if (!strcmp(*s[k - 1].out, *s[k].out) && strcmp(s[k - 1].name, s[k].name)) return true;
    return false;
}

static size_t common(const char *a, const char *b)
{
    size_t k = 0;
    while (a[k] && a[k] == b[k]) k++;
    while (k && continues(a[k])) k--;
    return k;
}

static void replace(char **out, Text *by)
{
    mem_free(*out);
    *out = mem_text(by->v);
    by->n = 0;
}

// Each group of those that are shown alike: from where they differ, behind a few letters of their beginning.
static void from_difference(Shown *s, size_t n, size_t width)
{
    Text t = {0};
    for (size_t k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && !strcmp(*s[k].out, *s[end].out);) end++;
        const size_t same = common(s[k].name, s[end - 1].name), front = width / 4;  // they are sorted
        if (end == k + 1 || !strcmp(s[k].name, s[end - 1].name) || same <= letter_at(s[k].name, front)) continue;
        for (size_t j = k; j < end; j++) {
            const char *rest = s[j].name + same;
            const size_t room = width - front - 1, letters = text_width(rest, strlen(rest));
            text_add(&t, s[j].name, letter_at(s[j].name, front));
            text_put(&t, ELLIPSIS);
            text_add(&t, rest, letter_at(rest, letters > room ? room - 1 : room));
            if (letters > room) text_put(&t, ELLIPSIS);
            replace(s[j].out, &t);
        }
    }
    text_free(&t);
}

// The last letters become a number, a larger one for each further name that was shown alike, until no other has it.
static void number(Shown *s, size_t n, size_t width)
{
    Text t = {0};
    char mark[32];
    for (unsigned long long count = 1; alike(s, n);) {
        size_t k = 1;
        while (strcmp(*s[k - 1].out, *s[k].out) || !strcmp(s[k - 1].name, s[k].name)) k++;
        snprintf(mark, sizeof mark, ELLIPSIS "%llu", ++count);
        const size_t letters = text_width(mark, strlen(mark)), left = width > letters ? width - letters : 0;
        const char *name = s[k].name;
        for (size_t j = 0; j < n; j++) {  // also where the name stands again
            if (strcmp(s[j].name, name)) continue;
            text_add(&t, name, letter_at(name, left));
            text_put(&t, mark);
            replace(s[j].out, &t);
        }
    }
    text_free(&t);
}

void names_shorten(const char *const *names, size_t n, size_t width, char **out)
{
    Shown *s = mem_alloc((n + 1) * sizeof *s);
    const size_t room = width ? width - 1 : 0, half = room / 2;
    bool same = true;
    for (size_t k = 0; k < n; k++) s[k] = (Shown){names[k], &out[k]}, out[k] = NULL;
    // The middle first, then places farther and farther from it, and the middle again.
    for (size_t tried = 0; tried <= room + 1 && same; tried++) {
        const size_t off = (tried + 1) / 2, back = tried > room ? half : tried % 2 ? half + off : half - MIN(off, half);
        for (size_t k = 0; k < n; k++) {
            mem_free(*s[k].out);
            *s[k].out = without_middle(s[k].name, room - MIN(back, room), MIN(back, room));
        }
        same = alike(s, n);
    }
    if (same) from_difference(s, n, MAX(width, 2));
    if (same) number(s, n, width);
    mem_free(s);
}

char *name_shorten(const char *name, size_t width)
{
    char *out;
    names_shorten(&name, 1, width, &out);
    return out;
}
