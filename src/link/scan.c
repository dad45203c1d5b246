// scan.c: tokens of PTX (PTX ISA §4.1–4.5), as far as linking has to tell them apart. They aren't kept: whoever scans
// looks at the character where the next one begins. Invariant: p never passes end, where a null byte stands.
#include "link/unit.h"

#include <string.h>

bool scan_fail(const Scan *s, const char *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_vat(s->diag, &s->o->source, (size_t)(at - s->begin), NULL, format, args);
    va_end(args);
    return false;
}

// Not <ctype.h>: the host's locale mustn't matter.
const uint8_t scan_class[256] = {
    [' '] = C_SPACE,          ['\t' ... '\r'] = C_SPACE, ['0' ... '9'] = C_DIGIT, ['A' ... 'Z'] = C_LETTER,
    ['a' ... 'z'] = C_LETTER, ['_'] = C_OTHER,           ['$'] = C_OTHER,         ['%'] = C_BEGIN,
};

// A line that begins with # says where the next one came from. What is moved to another place can't keep it.
static void drop_line(Scan *s)
{
    const char *from = s->p;
    while (s->p < s->end && *s->p != '\n') s->p++;
    scan_mark(s, from, (uint32_t)(s->p - from), MARK_LINE, 0);
}

bool scan_space(Scan *s)
{
    for (;;) {
        while (scan_class[(uint8_t)*s->p] & C_SPACE) s->p++;
        if (*s->p == '#' && (s->p == s->begin || s->p[-1] == '\n')) {
            drop_line(s);
        } else if (s->p[0] == '/' && s->p[1] == '/') {
            const char *line = memchr(s->p, '\n', (size_t)(s->end - s->p));
            s->p = line ? line : s->end;
        } else if (s->p[0] == '/' && s->p[1] == '*') {
            const char *close = memmem(s->p + 2, (size_t)(s->end - s->p - 2), "*/", 2);
            if (!close) return scan_fail(s, s->p, "comment without end");
            s->p = close + 2;
        } else {
            return true;
        }
    }
}

bool scan_name(Scan *s, Slice *name, uint32_t *hash)
{
    const char *from = s->p;
    uint32_t h = hash_begin();
    if (!scan_starts(*from)) return scan_fail(s, from, "a name is expected here");
    do h = hash_more(h, *s->p++);
    while (scan_within(*s->p));
    *name = (Slice){(uint32_t)(from - s->begin), (uint32_t)(s->p - from)};
    *hash = h;
    return true;
}

bool scan_string(Scan *s)
{
    const char *from = s->p++;
    while (*s->p && *s->p != '"' && *s->p != '\n') s->p += s->p[0] == '\\' && s->p[1] && s->p[1] != '\n' ? 2 : 1;
    if (*s->p != '"') return scan_fail(s, from, "string without end");
    s->p++;
    return true;
}

// A directive: '.' and what belongs to it, as .shared::cta. A number: digits and letters, and what stands behind its
// decimal point; of 1e+5 the rest is other tokens, which doesn't matter here.
void scan_word(Scan *s)
{
    for (s->p++; scan_within(*s->p) || (*s->p == ':' && s->p[1] == ':') || (*s->p == ':' && s->p[-1] == ':'); s->p++) {
    }
}

bool scan_skip(Scan *s)
{
    if (*s->p == '"') return scan_string(s);
    if (scan_starts(*s->p) || scan_class[(uint8_t)*s->p] & C_DIGIT || *s->p == '.')
        scan_word(s);
    else if (s->p < s->end)
        s->p++;
    return true;
}

bool scan_take(Scan *s, const char *directive)
{
    if (!scan_is(s, directive)) return false;
    s->p += strlen(directive);
    return scan_space(s);
}

bool scan_punct(Scan *s, char c)
{
    if (*s->p != c || s->p == s->end) return false;
    s->p++;
    return scan_space(s);
}

static uint32_t digit_of(char c)
{
    if (scan_class[(uint8_t)c] & C_DIGIT) return (uint32_t)(c - '0');
    if (!(scan_class[(uint8_t)c] & C_LETTER)) return 99;
    return (uint32_t)((c | 32) - 'a') + 10;
}

bool scan_number(Scan *s, uint64_t *value, Slice *at)
{
    const char *from = s->p;
    uint32_t base = 10;
    if (!(scan_class[(uint8_t)*from] & C_DIGIT)) return scan_fail(s, from, "a number is expected here");
    if (*s->p == '0') base = (s->p[1] | 32) == 'x' ? 16 : (s->p[1] | 32) == 'b' ? 2 : 8;
    s->p += base == 16 || base == 2 ? 2 : 0;
    for (*value = 0; digit_of(*s->p) < base; s->p++) *value = most_plus(most_times(*value, base), digit_of(*s->p));
    if ((*s->p | 32) == 'u') s->p++;
    if (scan_within(*s->p)) return scan_fail(s, from, "malformed number");
    if (at) *at = (Slice){(uint32_t)(from - s->begin), (uint32_t)(s->p - from)};
    return scan_space(s);
}

bool scan_until(Scan *s, char last)
{
    const char *from = s->p;
    while (scan_space(s) && *s->p != last) {
        if (s->p == s->end) return scan_fail(s, from, "'%c' expected, but the text ends", last);
        if (!scan_skip(s)) return false;
    }
    return scan_punct(s, last);
}

Slice scan_slice(const Scan *s, const char *from, const char *to)
{
    while (to > from && scan_class[(uint8_t)to[-1]] & C_SPACE) to--;
    return (Slice){(uint32_t)(from - s->begin), (uint32_t)(to - from)};
}

void scan_mark(Scan *s, const char *at, uint32_t n, MarkKind kind, uint32_t what)
{
    vec_push(&s->o->marks, ((Mark){{(uint32_t)(at - s->begin), n}, (uint8_t)kind, what}));
}
