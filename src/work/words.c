// words.c: a line of text as words between blanks, and as a list of values between commas. A text in quotes belongs
// together, whatever is in it: "my file.ptx". Two quotes in it are one. A quote without a partner is a plain character.
#include "work/programs.h"

#include <string.h>

static const char blanks[] = " \t\r\n\v\f";

// --- words -----------------------------------------------------------------------------------------------------------

// How many bytes from p on belong together: those of a text in quotes, or one.
static size_t step(const char *p)
{
    const char *q = p + 1;
    if (*p != '"') return 1;
    while (*q && (*q != '"' || q[1] == '"')) q += *q == '"' ? 2 : 1;
    return *q ? (size_t)(q + 1 - p) : 1;
}

size_t word_length(const char *p)
{
    const char *q = p;
    while (*q && !strchr(blanks, *q)) q += step(q);
    return (size_t)(q - p);
}

void word_plain(Text *out, const char *p, size_t n)
{
    text_put(out, "");
    for (const char *end = p + n; p < end;) {
        size_t length = step(p);
        if (length > 1 && p + length <= end) {
            for (size_t k = 1; k + 1 < length; k++) text_add(out, &p[k], 1), k += p[k] == '"';
        } else {
            text_add(out, p, length = 1);
        }
        p += length;
    }
}

bool word_next(const char **line, Text *plain)
{
    const char *p = *line + strspn(*line, blanks);
    size_t n = word_length(p);
    plain->n = 0;
    word_plain(plain, p, n);
    *line = p + n;
    return n > 0;
}

void word_quoted(Text *out, const char *text)
{
    if (*text && !text[strcspn(text, "\"{}\t\r\n\v\f ")]) {
        text_put(out, text);
        return;
    }
    text_put(out, "\"");
    for (; *text; text++) text_add(out, "\"\"", *text == '"' ? 2 : 0), text_add(out, text, *text != '"');
    text_put(out, "\"");
}

// --- lists -----------------------------------------------------------------------------------------------------------
// Finds the end of the value at p, which is a comma outside of quotes and braces, or the end of the text. Returns what
// is wrong with its braces and puts the place at *end; null: nothing.
static const char *value_end(const char *p, const char **end)
{
    const char *open = p;
    size_t depth = 0;
    for (; *p && (*p != ',' || depth); p += step(p)) {
        if (*p == '{' && !depth++) open = p;
        if (*p == '}' && !depth--) return *end = p, "'}' without '{'";
    }
    *end = depth ? open : p;
    return depth ? "'{' without '}'" : NULL;
}

// The end of the text in braces that begins at p: a text with equally many of both.
static const char *brace_end(const char *p)
{
    size_t depth = 0;
    do {
        depth += (size_t)(*p == '{') - (size_t)(*p == '}');
        p += step(p);
    } while (depth);
    return p;
}

bool list_next(const char **list, ListValue *v)
{
    const char *p = *list, *end;
    if (!p) return false;
    p += strspn(p, blanks);
    *v = (ListValue){.wrong = value_end(p, &end)};
    *list = !v->wrong && *end ? end + 1 : NULL;
    v->at = v->wrong ? end : p;
    if (v->wrong) return true;
    while (end > p && strchr(blanks, end[-1])) end--;
    v->n = (size_t)(end - p);
    if (*p == '{' && brace_end(p) == end) v->at++, v->n -= 2;
    return true;
}
