// points.c: the points of a figure from a file, where `onchip reproduce --csv` printed them: nothing is run.
//
// A line is "figure","series","x",ours,theirs,tolerance, and a quote within a text is written twice. Only `ours` is
// taken. The paper's values come from the figure's own file, so that a value that was corrected there is the one that
// is shown.
#include "reproduce/unit.h"

#include <math.h>
#include <string.h>

// Reads a text in quotes and the comma behind it. Returns the place behind them; null: there is none.
static const char *quoted(const char *s, const char *end, Text *out)
{
    out->n = 0;
    text_put(out, "");
    if (s == end || *s++ != '"') return NULL;
    for (; s < end; s++) {
        if (*s != '"')
            text_add(out, s, 1);
        else if (s + 1 < end && s[1] == '"')
            text_add(out, s++, 1);
        else
            return s + 1 < end && s[1] == ',' ? s + 2 : NULL;
    }
    return NULL;
}

bool point_line(const char *s, const char *end, PointLine *out)
{
    Text number = {0};
    if ((s = quoted(s, end, &out->figure)) && (s = quoted(s, end, &out->series))) s = quoted(s, end, &out->x);
    const char *comma = s ? memchr(s, ',', (size_t)(end - s)) : NULL;
    if (!comma) return false;
    out->ours = NAN, out->theirs = comma + 1;
    text_add(&number, s, (size_t)(comma - s));
    bool ok = comma == s || parse_double(number.v, &out->ours);
    text_free(&number);
    return ok;
}

void point_line_free(PointLine *line) { text_free(&line->figure), text_free(&line->series), text_free(&line->x); }

// A name such as "sl1/fig1"; of a file, "./sl1/fig1.ini".
static bool is_named(const Reproduction *r, const char *figure) { return !strcmp(r->ini.source.name, figure); }

static void add_point(Reproduction *r, const PointLine *l)
{
    Point p = {.x = mem_text(l->x.v), .series = mem_text(l->series.v), .ours = l->ours, .theirs = NAN};
    p.summary = summary_named(r, l->x.v);
    for (size_t k = 0; k < r->ini.entries.n; k++) {
        const IniEntry *e = &r->ini.entries.v[k];
        p.single |= !strcmp(e->section, "values") && !strcmp(e->key, p.x);
    }
    vec_push(&r->points, p);
}

bool reproduce_read(Reproduction *r, const Source *csv, Diag *diag)
{
    static const char head[] = "figure,series,x,ours,theirs,tolerance\n";
    const char *end = csv->text + csv->length, *s = csv->text;
    PointLine line = {0};
    bool ok = csv->length >= strlen(head) && !memcmp(s, head, strlen(head));
    if (!ok) diag_at(diag, csv, 0, "onchip reproduce --csv", "a file of points begins with the line %s", head);
    for (s += ok ? strlen(head) : 0; ok && s < end;) {
        const char *next = memchr(s, '\n', (size_t)(end - s));
        const char *stop = next ? next : end;
        ok = point_line(s, stop, &line) || diag_at(diag, csv, (size_t)(s - csv->text), NULL,
                                                   "a line is \"figure\",\"series\",\"x\",ours,theirs,tolerance");
        if (ok && is_named(r, line.figure.v)) add_point(r, &line);
        s = next ? next + 1 : end;
    }
    point_line_free(&line);
    if (ok && !r->points.n) ok = diag_error(diag, "%s has no points of %s", csv->name, r->ini.source.name);
    return ok && points_finish(r, diag);
}
