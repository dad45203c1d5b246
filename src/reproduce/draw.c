// draw.c: makes a figure of a reproduction, with our points and the paper's beside them.
#include "reproduce/reproduce.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// Makes a figure's name, "sl1/fig1.ini" → "sl1-fig1", of letters, digits and hyphens.
static char *file_name(const char *name)
{
    size_t n = strlen(name);
    if (n > 4 && !strcmp(name + n - 4, ".ini")) n -= 4;
    const char *from = name + n;
    for (int slashes = 0; from > name && (from[-1] != '/' || slashes++ < 1);) from--;
    char *out = mem_text(from);
    out[name + n - from] = 0;
    for (char *p = out; *p; p++) *p = (char)(isalnum((unsigned char)*p) ? tolower((unsigned char)*p) : '-');
    return out;
}

static size_t series_named(Figure *f, const char *name)
{
    for (size_t k = 0; k < f->series.n; k++)
        if (!strcmp(f->series.v[k].name, name)) return k;
    return figure_series(f, name);
}

static bool is_number(const char *text, double *x)
{
    uint64_t size;
    if (!parse_size(text, &size)) return parse_double(text, x);
    *x = (double)size;
    return true;
}

// Whether the point is drawn. A curve's points are either all at numbers or all at names, so that a summary, which has
// a name, isn't drawn in a curve over numbers. Nor are [values] beside other points.
static bool drawn(const Reproduction *r, const Point *p)
{
    double x;
    if (p->single) return !r->y && !r->several;
    return r->kind != FIGURE_CURVE || is_number(p->x, &x) == is_number(r->points.v[0].x, &x);
}

static void draw_point(const Reproduction *r, Figure *f, const Point *p, const char *series, double y)
{
    double x;
    size_t s = series_named(f, series);
    if (r->kind == FIGURE_CURVE && is_number(p->x, &x))
        figure_number(f, s, x, NULL, y);
    else
        figure_text(f, s, p->x, y);
}

void reproduce_figure(const Reproduction *r, Figure *f)
{
    char *name = file_name(r->ini.source.name);
    Text y = {0}, series = {0};
    text_printf(&y, "%s%s%s", r->baseline ? "over " : "",
                r->baseline ? r->baseline
                : r->unit   ? r->unit
                : r->y      ? r->y
                            : "",
                "");
    figure_open(f, r->kind, name, r->title);
    figure_axes(f, r->x, y.v, r->series ? r->series : "");
    if (r->note) figure_note(f, r->note);
    if (r->baseline) f->baseline = 1;
    f->linear = r->axis != NULL;
    for (size_t k = 0; k < r->points.n; k++)
        if (drawn(r, &r->points.v[k]))
            draw_point(r, f, &r->points.v[k], r->series ? r->points.v[k].series : "ours", r->points.v[k].ours);
    for (size_t k = 0; k < r->points.n; k++) {
        const Point *p = &r->points.v[k];
        if (isnan(p->theirs) || !drawn(r, p)) continue;
        series.n = 0;
        text_printf(&series, "%s%stheirs", r->series ? p->series : "", r->series ? ", " : "");
        draw_point(r, f, p, series.v, p->theirs);
        size_t ring = series_named(f, series.v), dot = series_named(f, r->series ? p->series : "ours");
        f->series.v[ring].apart = true, f->series.v[ring].beside = (uint32_t)dot + 1;
        if (f->kind == FIGURE_BARS) f->kind = FIGURE_DOTS;
    }
    text_free(&y), text_free(&series);
    mem_free(name);
}
