// markdown.c: a figure as a table in markdown, for pages that show it (tools/docs.sh): our values, with the paper's in
// parentheses, and below them the error over all cells. A second table has a row for each figure: its errors alone.
//
// Rows are the places on the x axis, and columns the series; where there are more series than places, it is the other
// way round. Where all values of the figure are whole numbers, they are printed as such, else with three digits.
#include "reproduce/reproduce.h"

#include <math.h>
#include <string.h>

typedef VEC(const char *) Names;

static void add_name(Names *names, const char *name)
{
    for (size_t k = 0; k < names->n; k++)
        if (!strcmp(names->v[k], name)) return;
    vec_push(names, name);
}

// Whether a comma-separated list has the name; a list that is null has every name.
static bool listed(const char *list, const char *name)
{
    for (size_t n; list && *list; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        if (strlen(name) == n && !memcmp(list, name, n)) return true;
    }
    return !list;
}

// Whether the point is of the baseline's series, which is 1 everywhere.
static bool is_base(const Reproduction *r, const Point *p)
{
    size_t n = r->series && r->baseline ? strlen(r->series) : 0;
    return n && !strncmp(r->baseline, r->series, n) && r->baseline[n] == '=' && !strcmp(r->baseline + n + 1, p->series);
}

static bool is_whole(double v) { return isnan(v) || v == floor(v); }

static void put_value(Text *out, double v, bool whole)
{
    double size = fabs(v);
    if (isnan(v))
        text_put(out, "–");
    else if (size > 0 && size < 0.01)
        text_printf(out, "%.2g", v);
    else
        text_printf(out, "%.*f", whole || size >= 100 ? 0 : size >= 10 ? 1 : 2, v);
}

// A text in a cell: a bar within it would end the cell.
static void put_text(Text *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '|') text_put(out, "\\");
        text_add(out, s, 1);
    }
}

static void put_head(Text *out, const char *corner, const Names *columns)
{
    text_put(out, "| "), put_text(out, corner), text_put(out, " |");
    for (size_t k = 0; k < columns->n; k++) text_put(out, " "), put_text(out, columns->v[k]), text_put(out, " |");
    text_put(out, "\n|---|");
    for (size_t k = 0; k < columns->n; k++) text_put(out, "--:|");
    text_put(out, "\n");
}

static const Point *find(const Reproduction *r, const char *x, const char *series)
{
    for (size_t k = 0; k < r->points.n; k++)
        if (!strcmp(r->points.v[k].x, x) && !strcmp(r->points.v[k].series, series)) return &r->points.v[k];
    return NULL;
}

static void put_cells(const Reproduction *r, const Names *rows, const Names *columns, bool swapped, Text *out)
{
    bool whole = true;
    for (size_t k = 0; k < r->points.n; k++) whole &= is_whole(r->points.v[k].ours) && is_whole(r->points.v[k].theirs);
    for (size_t k = 0; k < rows->n; k++) {
        text_put(out, "| "), put_text(out, rows->v[k]), text_put(out, " |");
        for (size_t j = 0; j < columns->n; j++) {
            const char *x = swapped ? columns->v[j] : rows->v[k], *series = swapped ? rows->v[k] : columns->v[j];
            const Point *p = find(r, x, series);
            text_put(out, " ");
            if (p) put_value(out, p->ours, whole);
            if (p && !isnan(p->theirs)) text_put(out, " ("), put_value(out, p->theirs, whole), text_put(out, ")");
            text_put(out, p ? " |" : "|");
        }
        text_put(out, "\n");
    }
}

typedef struct Count {  // of the paper's values
    size_t compared, within;
} Count;

static Count count(const Reproduction *r)
{
    Count c = {0};
    for (size_t k = 0; k < r->points.n; k++) {
        const Point *p = &r->points.v[k];
        c.compared += !isnan(p->theirs), c.within += reproduce_within(r, p);
    }
    return c;
}

static void put_errors(const Reproduction *r, Text *out)
{
    CellError e = reproduce_error(r);
    Count c = count(r);
    if (r->gpu) {
        text_put(out, "\n"), measured_summary(r, true, true, out);
        return;
    }
    if (e.cells > 1 && e.rms > 0) {
        text_printf(out, "\nError over %zu cells: %.3f (root mean square), %+.3f on average; most %+.2f at ", e.cells,
                    e.rms, e.mean, e.largest->ours - e.largest->theirs);
        text_printf(out, "%s%s%s.", e.largest->series, *e.largest->series ? ", " : "", e.largest->x);
        if (r->baseline) text_printf(out, " A model in which nothing changes, 1 in every cell, has %.3f.", e.unmoved);
        text_put(out, "\n");
    }
    if (c.compared) text_printf(out, "\n%zu of %zu values are within their tolerance.\n", c.within, c.compared);
}

void reproduce_table(const Reproduction *r, const char *only, Text *out)
{
    Names xs = {0}, series = {0};
    bool any = false;
    for (size_t k = 0; k < r->points.n; k++) {
        if (!listed(only, r->points.v[k].x) || is_base(r, &r->points.v[k])) continue;
        add_name(&xs, r->points.v[k].x), add_name(&series, r->points.v[k].series);
        any |= !isnan(r->points.v[k].theirs);
    }
    bool swapped = series.n > xs.n, plain = series.n == 1 && !*series.v[0];
    text_printf(out, "%s (%s%s%s%s%s)%s\n\n", r->title, r->from ? r->from : "", r->from && r->unit ? "; " : "",
                r->unit ? r->unit : "", r->baseline ? ", over " : "", r->baseline ? r->baseline : "",
                any ? "; in parentheses the paper's values:" : ":");
    if (plain) series.v[0] = "ours";
    put_head(out, swapped ? r->series : r->x, swapped ? &xs : &series);
    if (plain) series.v[0] = "";
    put_cells(r, swapped ? &series : &xs, swapped ? &xs : &series, swapped, out);
    put_errors(r, out);
    vec_free(&xs), vec_free(&series);
}

void reproduce_error_row(const Reproduction *r, const char *name, bool first, Text *out)
{
    CellError e = reproduce_error(r);
    Count c = count(r);
    if (r->gpu) {
        measured_summary(r, true, first, out);
        return;
    }
    if (first) {
        static const char *heads[] = {"within tolerance", "cells",    "error",
                                      "on average",       "farthest", "1 in every cell"};
        Names columns = {0};
        for (size_t k = 0; k < COUNT(heads); k++) vec_push(&columns, heads[k]);
        put_head(out, "figure", &columns);
        vec_free(&columns);
    }
    text_printf(out, "| `%s`: ", name), put_text(out, r->title);
    text_printf(out, " | %zu of %zu | %zu |", c.within, c.compared, e.cells);
    if (!e.cells || !(e.rms > 0)) {
        text_put(out, e.cells ? " 0 | 0 | | |\n" : " | | | |\n");
        return;
    }
    text_printf(out, " %.3f | %+.3f | %+.2f at ", e.rms, e.mean, e.largest->ours - e.largest->theirs);
    put_text(out, e.largest->series), put_text(out, *e.largest->series ? ", " : ""), put_text(out, e.largest->x);
    text_put(out, " |");
    if (r->baseline) text_printf(out, " %.3f", e.unmoved);
    text_put(out, " |\n");
}
