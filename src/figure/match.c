// match.c: a picture of times beside measured ones. The first series of the figure has the measured times; each other
// one has simulated times, where it has the point. The measured time runs across, the quotient of the two upwards,
// both as logarithms: marks at one height are off by one factor, and half a time is as far from the line at 1 as twice.
// A series' colour says its class, its mark whose times they are.
#include "figure/page.h"

#include <math.h>

enum { LEFT = 52, RIGHT = 410, WIDE = RIGHT - LEFT, HIGH = 240, KEY = 15, MARKS = 4 };
static const struct {
    double at;
    const char *name;
} factors[] = {{1, "1"}, {1.5, "1.5"},  {1 / 1.5, "1/1.5"}, {2, "2"},      {0.5, "1/2"},
               {4, "4"}, {0.25, "1/4"}, {8, "8"},           {0.125, "1/8"}};
enum { LINES = 3 };  // so many of the factors have a line of their own; the others are ticks

typedef struct Field {
    double low, high, reach,
        top;  // decades across; upwards the logarithm of the largest factor; where the field begins
} Field;

static double value(const Figure *f, size_t series, size_t point) { return f->series.v[series].values.v[point].y; }
static double across(const Field *p, double v) { return LEFT + WIDE * (log10(v) - p->low) / (p->high - p->low); }
static double upward(const Field *p, double by) { return p->top + HIGH * (1 - log10(by) / p->reach) / 2; }
static bool drawn(double measured, double ours)
{
    return measured > 0 && ours > 0 && isfinite(measured) && isfinite(ours);
}

// The x axis spans a quarter of a decade more than the marks need, and at least one decade; the y axis at least a
// factor of 2.
static void find_range(const Figure *f, Field *p)
{
    p->low = INFINITY, p->high = -INFINITY, p->reach = log10(2.2);
    for (size_t s = 1; s < f->series.n; s++)
        for (size_t k = 0; k < f->points.n; k++) {
            const double x = value(f, 0, k), y = value(f, s, k);
            if (!drawn(x, y)) continue;
            p->low = MIN(p->low, log10(x)), p->high = MAX(p->high, log10(x));
            p->reach = MAX(p->reach, fabs(log10(y / x)) + 0.05);
        }
    if (!(p->low <= p->high)) p->low = 0, p->high = 1;
    p->low -= 0.25, p->high = MAX(p->high + 0.25, p->low + 1);
}

static void put_axes(const Figure *f, const Field *p, Text *out)
{
    const double bottom = p->top + HIGH;
    char text[32];
    const int step = (int)ceil((p->high - p->low) / 8);
    for (double d = ceil(p->low); d <= p->high; d += step) {
        const double x = across(p, pow(10, d));
        svg_line(out, x, p->top, x, bottom, "var(--rule)", " stroke-dasharray=\"1 3\"");
        snprintf(text, sizeof text, "%.9g", pow(10, d));
        svg_text(out, MIN(x, RIGHT - 10), bottom + 14, 10, SVG_MIDDLE, text);
    }
    for (size_t k = 0; k < COUNT(factors); k++) {
        if (fabs(log10(factors[k].at)) > p->reach) continue;
        const double y = upward(p, factors[k].at);
        svg_line(out, LEFT, y, RIGHT, y, k < LINES ? "var(--ink)" : "var(--rule)",
                 !k          ? ""
                 : k < LINES ? " stroke-dasharray=\"6 4\""
                             : " stroke-dasharray=\"1 3\"");
        svg_text(out, LEFT - 5, y + 3.5, 10, SVG_END, factors[k].name);
    }
    svg_line(out, LEFT, p->top, LEFT, bottom, "var(--ink)", "");
    svg_line(out, LEFT, bottom, RIGHT, bottom, "var(--ink)", "");
    svg_text(out, LEFT + WIDE / 2.0, bottom + 30, 11, SVG_MIDDLE, f->x);
    text_printf(out, "<g transform=\"translate(12 %.1f) rotate(-90)\">", p->top + HIGH / 2.0);
    svg_text(out, 0, 0, 11, SVG_MIDDLE, f->y);
    text_put(out, "</g>\n");
}

// A circle, a square, a triangle or a rhombus.
static void put_mark(Text *out, double x, double y, uint32_t mark, uint32_t colour, const char *says)
{
    char fill[32];
    text_printf(out, "<g fill=\"%s\" fill-opacity=\"0.75\" stroke=\"var(--paper)\" stroke-width=\"0.5\">",
                svg_colour(colour, fill));
    switch (mark % MARKS) {
    case 0: text_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\">", x, y); break;
    case 1: text_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\">", x - 3.5, y - 3.5); break;
    case 2: text_printf(out, "<path d=\"M%.1f %.1fl4.5 8h-9z\">", x, y - 4.5); break;
    default: text_printf(out, "<path d=\"M%.1f %.1fl4.5 4.5l-4.5 4.5l-4.5 -4.5z\">", x, y - 4.5);
    }
    html_put(out, says ? "<title>%s</title></%r></g>\n" : "%s</%r></g>\n", says ? says : "",
             mark % MARKS == 0   ? "circle"
             : mark % MARKS == 1 ? "rect"
                                 : "path");
}

static void put_marks(const Figure *f, const Field *p, Text *out)
{
    for (size_t s = 1; s < f->series.n; s++)
        for (size_t k = 0; k < f->points.n; k++) {
            const FigureSeries *one = &f->series.v[s];
            const double x = value(f, 0, k), y = value(f, s, k);
            Text says = {0};
            if (!drawn(x, y)) continue;
            text_printf(&says, "%s: %.4g / %.4g = %.2f", f->points.v[k].name, y, x, y / x);
            put_mark(out, across(p, x), upward(p, y / x), one->mark, one->colour, says.v);
            text_free(&says);
        }
}

// Two columns: marks in turn stand in the one and in the other.
static double put_key(const Figure *f, double y, Text *out)
{
    double next[2] = {y, y};
    for (size_t s = 1; s < f->series.n; s++) {
        const FigureSeries *one = &f->series.v[s];
        const uint32_t column = one->mark % 2;
        const double x = LEFT + column * (WIDE / 2.0);
        put_mark(out, x + 5, next[column] - 4, one->mark, one->colour, NULL);
        svg_text(out, x + 16, next[column], 10.5, SVG_START, one->name);
        next[column] += KEY;
    }
    return MAX(next[0], next[1]);
}

double draw_match(const Figure *f, Text *out)
{
    Field p = {.top = svg_title(out, f->title) + 4};
    find_range(f, &p);
    put_axes(f, &p, out);
    put_marks(f, &p, out);
    return put_key(f, p.top + HIGH + 50, out);
}
