// text.c: text that grows.
//
// Invariant: v is null, or holds n bytes and a terminating zero (n < cap). Numbers are written as in the C locale
// whatever locale the host process has chosen, since reports and JSON mustn't change with it.
#include "base/unit.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static void text_room(Text *text, size_t more)
{
    if (more > SIZE_MAX / 4 || text->n > SIZE_MAX / 4) abort();
    size_t need = text->n + more + 1;
    if (need <= text->cap) return;
    text->cap = MAX(need, MAX(text->cap * 2, 64));
    text->v = mem_resize(text->v, text->cap);
}

void text_add(Text *text, const char *s, size_t length)
{
    text_room(text, length);
    if (length) memcpy(text->v + text->n, s, length);
    text->n += length;
    text->v[text->n] = 0;
}

void text_put(Text *text, const char *s) { text_add(text, s, strlen(s)); }

void text_printf(Text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_vprintf(text, format, args);
    va_end(args);
}

void text_vprintf(Text *text, const char *format, va_list args)
{
    // The C locale is a static object in glibc and musl: nothing is allocated here.
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = c ? uselocale(c) : (locale_t)0;
    text_room(text, 120);
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(text->v + text->n, text->cap - text->n, format, args);
    if (length > 0 && (size_t)length >= text->cap - text->n) {
        text_room(text, (size_t)length);
        vsnprintf(text->v + text->n, text->cap - text->n, format, again);
    }
    va_end(again);
    if (length > 0) text->n += (size_t)length;
    text->v[text->n] = 0;
    if (c) {
        uselocale(before);
        freelocale(c);
    }
}

void text_number(Text *text, double value)
{
    size_t start = text->n;
    for (int digits = 15; digits <= 17; digits++) {
        text->n = start;
        text_printf(text, "%.*g", digits, value);
        double back;
        if (parse_double(text->v + start, &back) && back == value) break;
    }
}

void text_free(Text *text)
{
    mem_free(text->v);
    *text = (Text){0};
}

size_t utf8_sequence(const char *text, size_t left)
{
    const unsigned char *s = (const unsigned char *)text;
    unsigned char c = s[0], low = 0x80, high = 0xbf;
    size_t n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    if (n < 2 || n > left) return n > left ? 0 : n;
    if (c == 0xe0) low = 0xa0;
    if (c == 0xed) high = 0x9f;
    if (c == 0xf0) low = 0x90;
    if (c == 0xf4) high = 0x8f;
    if (s[1] < low || s[1] > high) return 0;
    for (size_t i = 2; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    return n;
}

size_t text_sequence(const char *s, size_t left)
{
    unsigned char c = (unsigned char)s[0];
    bool control = c < 0x20 || c == 0x7f || (c == 0xc2 && left > 1 && (unsigned char)s[1] < 0xa0);
    return control ? 0 : utf8_sequence(s, left);
}

char *arena_printf(Arena *arena, const char *format, ...)
{
    Text text = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    char *copy = arena_text(arena, text.v, text.n);
    text_free(&text);
    return copy;
}
