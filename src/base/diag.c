// diag.c: diagnostics that point at the place.
//
// A Diag holds at most one error: the first, since what follows it is usually its consequence. The text has no newline
// at its end. Columns count bytes from 1, as compilers do; the caret is placed by characters, and tabs are kept above
// and below, so that it stands under what it means on any terminal.
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN 110  // bytes of a long line that are shown around the caret

bool diag_error(Diag *diag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_verror(diag, format, args);
    va_end(args);
    return false;
}

bool diag_verror(Diag *diag, const char *format, va_list args)
{
    if (diag->failed) return false;
    diag->failed = true;
    text_vprintf(&diag->text, format, args);
    return false;
}

bool diag_at(Diag *diag, const Source *source, size_t offset, const char *hint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_vat(diag, source, offset, hint, format, args);
    va_end(args);
    return false;
}

static bool continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

bool diag_vat(Diag *diag, const Source *source, size_t offset, const char *hint, const char *format, va_list args)
{
    if (diag->failed) return false;
    diag->failed = true;
    Text *out = &diag->text;
    const char *text = source->text;
    offset = MIN(offset, source->length);
    SourcePlace place = source_place(source, offset);
    text_printf(out, "%s:%d:%d: error: ", place.name, place.line, place.column);
    text_vprintf(out, format, args);

    size_t from = offset - (size_t)(place.column - 1), to = offset;
    while (to < source->length && text[to] != '\n' && text[to] != '\r') to++;
    bool cut_left = false, cut_right = false;
    if (to - from > SHOWN) {
        if (offset - from > SHOWN / 2) {
            from = MIN(offset - SHOWN / 2, to - SHOWN);
            while (from < offset && continues(text[from])) from++;
            cut_left = true;
        }
        if (to - from > SHOWN) {
            to = from + SHOWN;
            while (to > offset && continues(text[to])) to--;
            cut_right = true;
        }
    }
    text_printf(out, "\n%5d | %s", place.line, cut_left ? "…" : "");
    Text caret = {0};
    text_printf(&caret, "\n      | %s", cut_left ? " " : "");
    for (size_t i = from; i < to;) {
        size_t n = text[i] == '\t' ? 1 : text_sequence(text + i, to - i);
        if (n)
            text_add(out, text + i, n);
        else
            text_put(out, "?");
        n = n ? n : 1;
        if (i + n <= offset) text_put(&caret, text[i] == '\t' ? "\t" : " ");
        i += n;
    }
    if (cut_right) text_put(out, "…");
    text_put(out, caret.v);
    text_put(out, "^");
    text_free(&caret);
    if (hint) text_printf(out, "\nhint: %s", hint);
    return false;
}

void diag_free(Diag *diag)
{
    text_free(&diag->text);
    *diag = (Diag){0};
}

SourcePlace source_place(const Source *source, size_t offset)
{
    offset = MIN(offset, source->length);
    size_t least = 0, most = source->mark_count;  // the marks up to the byte
    while (least < most) {
        size_t middle = (least + most) / 2;
        if (source->marks[middle].at <= offset)
            least = middle + 1;
        else
            most = middle;
    }
    const LineMark *mark = least ? &source->marks[least - 1] : NULL;
    size_t start = mark ? mark->at : 0;
    SourcePlace place = {mark ? mark->name : source->name, mark ? (int)mark->line : 1, 0};
    while (offset > start) {
        const char *end = memchr(source->text + start, '\n', offset - start);
        if (!end) break;
        start = (size_t)(end - source->text) + 1;
        place.line += place.line < INT32_MAX;
    }
    place.column = (int)(offset - start) + 1;
    return place;
}

// Levenshtein's distance, with a swap of neighbours as one edit.
#define LONGEST 64

static size_t edit_distance(const char *a, size_t m, const char *b, size_t n)
{
    size_t rows[3][LONGEST + 1];
    size_t *older = rows[0], *old = rows[1], *row = rows[2];
    for (size_t j = 0; j <= n; j++) old[j] = j;
    for (size_t i = 1; i <= m; i++) {
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = old[j - 1] + (a[i - 1] != b[j - 1]);
            best = MIN(best, old[j] + 1);
            best = MIN(best, row[j - 1] + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) best = MIN(best, older[j - 2] + 1);
            row[j] = best;
        }
        size_t *spare = older;
        older = old;
        old = row;
        row = spare;
    }
    return old[n];
}

const char *nearest_name(const char *word, const char *const *candidates, size_t n)
{
    const char *nearest = NULL;
    size_t length = strlen(word), limit = 4;
    if (length > LONGEST) return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t other = strlen(candidates[i]);
        if (other > LONGEST || (other > length ? other - length : length - other) >= limit) continue;
        size_t distance = edit_distance(word, length, candidates[i], other);
        // A name of which more than half is different is no help however short it is.
        if (distance < limit && distance * 2 <= MAX(length, other)) {
            nearest = candidates[i];
            limit = distance;
        }
    }
    return nearest;
}

const char *did_you_mean(const char *word, const char *const *candidates, size_t n, char out[100])
{
    const char *near = nearest_name(word, candidates, n);
    out[0] = 0;
    if (near) snprintf(out, 100, "; did you mean '%s'?", near);  // a near name isn't longer than LONGEST
    return out;
}
