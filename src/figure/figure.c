// figure.c: a figure as numbers. It has points, and each series has a value at each point. Points are names, in the
// order in which they came, or numbers, sorted. All that is drawn is in the CSV (plot.c).
#include "figure/unit.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const FigureValue nothing = {NAN, NAN, NAN};

// Copies a text so that gnuplot can read it and SVG can show it: without control characters, bytes that aren't UTF-8,
// and double quotes, which a CSV would have to double and gnuplot wouldn't understand.
static const char *clean(Figure *f, const char *text)
{
    Text t = {0};
    text_put(&t, "");
    for (size_t left = strlen(text); left;) {
        size_t n = text_sequence(text, left);
        if (*text == '"')
            text_put(&t, "”");
        else if (n)
            text_add(&t, text, n);
        else
            text_put(&t, isspace((unsigned char)*text) ? " " : "?");
        n = n ? n : 1;
        text += n, left -= n;
    }
    const char *out = arena_text(&f->arena, t.v, t.n);
    text_free(&t);
    return out;
}

enum { LONGEST_FILE = 96 };  // bytes of a file's name, without its ending; figures may have longer names than files can

// Makes a file's name, "L1 hit rate, atax" → "l1-hit-rate-atax", without letters that a shell or gnuplot treats
// specially.
static const char *file_name(Figure *f, const char *name)
{
    Text t = {0};
    text_put(&t, "");
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        char lower = (char)tolower(c);
        if (c < 0x80 && isalnum(c))
            text_add(&t, &lower, 1);
        else if (t.n && t.v[t.n - 1] != '-')
            text_put(&t, "-");
    }
    t.n = MIN(t.n, LONGEST_FILE);
    while (t.n && t.v[t.n - 1] == '-') t.n--;
    const char *out = t.n ? arena_text(&f->arena, t.v, t.n) : "figure";
    text_free(&t);
    return out;
}

void figure_open(Figure *f, FigureKind kind, const char *name, const char *title)
{
    *f = (Figure){.kind = kind, .x = "", .y = "", .of = "", .band = "", .note = "", .baseline = NAN, .top = NAN};
    f->name = file_name(f, name);
    f->title = clean(f, title);
}

void figure_axes(Figure *f, const char *x, const char *y, const char *of)
{
    f->x = clean(f, x), f->y = clean(f, y), f->of = clean(f, of);
}

void figure_note(Figure *f, const char *note) { f->note = clean(f, note); }

void figure_free(Figure *f)
{
    for (size_t s = 0; s < f->series.n; s++) vec_free(&f->series.v[s].values);
    vec_free(&f->series), vec_free(&f->points);
    arena_free(&f->arena);
}

size_t figure_series(Figure *f, const char *name)
{
    FigureSeries s = {.name = clean(f, name), .colour = (uint32_t)f->series.n};
    for (size_t k = 0; k < f->points.n; k++) vec_push(&s.values, nothing);
    vec_push(&f->series, s);
    return f->series.n - 1;
}

// Makes room for a point before place at.
static size_t insert(Figure *f, size_t at, const char *name, double x)
{
    FigurePoint p = {name, x};
    vec_push(&f->points, p);
    memmove(f->points.v + at + 1, f->points.v + at, (f->points.n - 1 - at) * sizeof p);
    f->points.v[at] = p;
    for (size_t k = 0; k < f->series.n; k++) {
        FigureSeries *s = &f->series.v[k];
        vec_push(&s->values, nothing);
        memmove(s->values.v + at + 1, s->values.v + at, (s->values.n - 1 - at) * sizeof nothing);
        s->values.v[at] = nothing;
    }
    return at;
}

FigureValue *figure_text(Figure *f, size_t series, const char *name, double y)
{
    const char *text = clean(f, name);
    size_t at = 0;
    while (at < f->points.n && strcmp(f->points.v[at].name, text)) at++;
    if (at == f->points.n) insert(f, at, text, NAN);
    FigureValue *v = &f->series.v[series].values.v[at];
    v->y = y;
    return v;
}

FigureValue *figure_number(Figure *f, size_t series, double x, const char *name, double y)
{
    size_t at = f->points.n;
    while (at && f->points.v[at - 1].x >= x) at--;
    if (at == f->points.n || f->points.v[at].x != x) insert(f, at, name ? clean(f, name) : NULL, x);
    FigureValue *v = &f->series.v[series].values.v[at];
    v->y = y;
    return v;
}

size_t figure_means(Figure *f)
{
    size_t points = f->points.n, whole = 0;
    double *sum = mem_alloc(sizeof *sum * (f->series.n + 1));
    for (size_t k = 0; k < points; k++) {
        bool all = true;
        for (size_t s = 0; s < f->series.n; s++) all = all && f->series.v[s].values.v[k].y > 0;
        whole += all;
        for (size_t s = 0; s < f->series.n && all; s++) sum[s] += log(f->series.v[s].values.v[k].y);
    }
    for (size_t s = 0; s < f->series.n && whole; s++) figure_text(f, s, "geometric mean", exp(sum[s] / (double)whole));
    mem_free(sum);
    return whole;
}

bool figure_ranged(const FigureSeries *s)
{
    for (size_t k = 0; k < s->values.n; k++)
        if (!isnan(s->values.v[k].low) || !isnan(s->values.v[k].high)) return true;
    return false;
}

// --- CSV (RFC 4180) --------------------------------------------------------------------------------------------------
static void put_field(Text *out, const char *text, const char *behind)
{
    bool quote = strpbrk(text, ",\"\r\n") || *behind;
    if (quote) text_put(out, "\"");
    for (; *text; text++) {
        if (*text == '"') text_put(out, "\"");
        text_add(out, text, 1);
    }
    text_put(out, behind);
    if (quote) text_put(out, "\"");
}

static void put_value(Text *out, double value)
{
    text_put(out, ",");
    if (isfinite(value)) text_number(out, value);
}

void figure_csv(const Figure *f, Text *out)
{
    put_field(out, f->x, "");
    for (size_t s = 0; s < f->series.n; s++) {
        const char *name = f->series.v[s].name;
        text_put(out, ",");
        put_field(out, name, "");
        if (!figure_ranged(&f->series.v[s])) continue;
        text_put(out, ",");
        put_field(out, name, ", low");
        text_put(out, ",");
        put_field(out, name, ", high");
    }
    text_put(out, "\r\n");
    for (size_t k = 0; k < f->points.n; k++) {
        const FigurePoint *p = &f->points.v[k];
        if (isnan(p->x))
            put_field(out, p->name, "");
        else
            text_number(out, p->x);
        for (size_t s = 0; s < f->series.n; s++) {
            const FigureValue *v = &f->series.v[s].values.v[k];
            put_value(out, v->y);
            if (!figure_ranged(&f->series.v[s])) continue;
            put_value(out, v->low);
            put_value(out, v->high);
        }
        text_put(out, "\r\n");
    }
}
