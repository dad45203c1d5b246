// measured.c: times that were measured on a real GPU, beside those of its description. A table of them stands in the
// place of a figure's file; reproduce/measured/ has one for each card. It begins with comments, of which some are keys
// of [figure], and then has a line of names and a line for each measured time, with tabs between the columns:
//
//     # title: Kernels on an RTX 3080
//     # gpu: rtx3080
//     # y: 1e6 * seconds * part / launches
//     class	program	us
//     atomics	measured/bins way=1 n=16384	10.168
//
// A row is a run of its own; its point has the class as its series, and the program as its x. What matters is the
// quotient of the two times, so that is what is averaged here, and never the difference.
#include "reproduce/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "class\tprogram\tus\n";

// The first line that is no comment.
static const char *first_line(const char *text)
{
    while (*text == '#') {
        const char *end = strchr(text, '\n');
        text = end ? end + 1 : text + strlen(text);
    }
    return text;
}

bool measured_is(const char *text) { return *text == '#' && !strncmp(first_line(text), "class\t", 6); }

// The text behind "# KEY:" in the comments, within *n bytes; null: there is none.
static const char *comment(const char *text, const char *key, size_t *n)
{
    const size_t length = strlen(key);
    for (const char *end; *text == '#'; text = *end ? end + 1 : end) {
        end = text + strcspn(text, "\n");
        const char *s = text + 1 + strspn(text + 1, " ");
        if (strncmp(s, key, length) || s[length] != ':') continue;
        s += length + 1, s += strspn(s, " ");
        *n = (size_t)(end - s);
        return s;
    }
    return NULL;
}

// Reads "class\tprogram\tus" of a line; false: it isn't so.
static bool read_row(const char *line, size_t n, Arena *arena, MeasuredRow *row)
{
    const char *end = line + n, *program = memchr(line, '\t', n);
    const char *us = program ? memchr(program + 1, '\t', (size_t)(end - program - 1)) : NULL;
    if (!us || program == line) return false;
    row->class = arena_printf(arena, "%.*s", (int)(program - line), line);
    row->program = arena_printf(arena, "%.*s", (int)(us - program - 1), program + 1);
    const char *number = arena_printf(arena, "%.*s", (int)(end - us - 1), us + 1);
    char *rest;
    row->us = strtod(number, &rest);
    return rest != number && !*rest && row->us > 0 && isfinite(row->us);
}

static bool read_rows(Reproduction *r, const char *name, const char *text, size_t length, Diag *diag)
{
    const Source source = {.name = name, .text = text, .length = length};
    const char *at = first_line(text);
    if (strncmp(at, head, strlen(head)))
        return diag_at(diag, &source, (size_t)(at - text), "between them are tabs",
                       "a table of measured times has the columns class, program, us");
    Map seen = {0};
    bool ok = true;
    for (at += strlen(head); *at && ok; at += *at == '\n') {
        size_t n = strcspn(at, "\n");
        MeasuredRow row;
        int64_t before;
        if (n && !read_row(at, n, &r->arena, &row))
            ok = diag_at(diag, &source, (size_t)(at - text), "between them are tabs",
                         "a class, a program with its parameters, and microseconds above 0 are expected");
        else if (n && map_get(&seen, row.program, strlen(row.program), &before))
            ok = diag_at(diag, &source, (size_t)(at - text), NULL, "this program has a time already");
        if (ok && n) {
            map_put(&seen, row.program, strlen(row.program), 0);
            vec_push(&r->rows, row);
        }
        at += n;
    }
    map_free(&seen);
    return ok && (r->rows.n > 0 || diag_error(diag, "%s: there are no times", name));
}

bool measured_read(Reproduction *r, const char *name, const char *text, size_t length, Text *ini, Diag *diag)
{
    static const char *const keys[] = {"title", "from", "y", "note"};
    size_t n;
    const char *gpu = comment(text, "gpu", &n);
    if (!read_rows(r, name, text, length, diag)) return false;
    if (!gpu) return diag_error(diag, "%s: a comment '# gpu: NAME' is missing: of which card the times are", name);
    r->gpu = arena_printf(&r->arena, "%.*s", (int)n, gpu);
    text_put(ini, "[figure]\nx = program\nseries = class\nunit = µs\n");
    for (size_t k = 0; k < COUNT(keys); k++) {
        const char *value = comment(text, keys[k], &n);
        if (value) text_printf(ini, "%s = %.*s\n", keys[k], (int)n, value);
    }
    for (size_t k = 0; k < r->rows.n; k++)
        text_printf(ini, "[matrix %zu]\nprogram = %s\ngpu = %s\n", k + 1, r->rows.v[k].program, r->gpu);
    return true;
}

void measured_theirs(Reproduction *r)
{
    for (size_t k = 0; k < r->rows.n; k++) {
        Point *p = point_at(r, r->rows.v[k].program, r->rows.v[k].class);
        if (p) p->theirs = r->rows.v[k].us;
    }
}

// --- how far ours are from theirs ---------------------------------------------------------------------------------
typedef struct Pair {
    double ours, theirs;
} Pair;
typedef VEC(Pair) Pairs;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double factor_of(const Pair *p) { return fmax(p->ours / p->theirs, p->theirs / p->ours); }

static double median_factor(const Pairs *all)
{
    double *factors = mem_alloc(sizeof *factors * (all->n + 1));
    for (size_t k = 0; k < all->n; k++) factors[k] = factor_of(&all->v[k]);
    qsort(factors, all->n, sizeof *factors, by_size);
    double m = all->n % 2 ? factors[all->n / 2] : (factors[all->n / 2 - 1] + factors[all->n / 2]) / 2;
    mem_free(factors);
    return m;
}

// The rank of v among so many values: how many are smaller, and half of the equal ones.
static double rank_of(double v, const Pairs *all, bool ours)
{
    double rank = 0;
    for (size_t k = 0; k < all->n; k++) {
        const double other = ours ? all->v[k].ours : all->v[k].theirs;
        rank += other < v ? 1 : other == v ? 0.5 : 0;
    }
    return rank;
}

// Spearman's rank correlation.
static double rank_correlation(const Pairs *all)
{
    double mean = (double)all->n / 2, both = 0, a = 0, b = 0;
    for (size_t k = 0; k < all->n; k++) {
        double x = rank_of(all->v[k].ours, all, true) - mean, y = rank_of(all->v[k].theirs, all, false) - mean;
        both += x * y, a += x * x, b += y * y;
    }
    return a > 0 && b > 0 ? both / sqrt(a * b) : NAN;
}

// Counts the pairs of points whose measured times differ by more than 10 %, and those whose simulated times differ
// likewise.
static void count_order(const Pairs *all, MeasuredError *e)
{
    for (size_t k = 0; k < all->n; k++)
        for (size_t j = 0; j < all->n; j++)
            if (all->v[j].theirs > 1.1 * all->v[k].theirs) e->pairs++, e->in_order += all->v[j].ours > all->v[k].ours;
}

MeasuredError measured_error(const Reproduction *r, const char *class)
{
    MeasuredError e = {0};
    Pairs all = {0};
    for (size_t k = 0; k < r->points.n; k++) {
        const Point *p = &r->points.v[k];
        if (isnan(p->ours) || isnan(p->theirs) || (class && strcmp(class, p->series))) continue;
        const Pair pair = {p->ours, p->theirs};
        vec_push(&all, pair);
        e.mean += fabs(p->ours / p->theirs - 1), e.near += factor_of(&pair) <= 1.5;
        if (!e.farthest || factor_of(&pair) > factor_of(&(Pair){e.farthest->ours, e.farthest->theirs})) e.farthest = p;
    }
    e.n = all.n;
    if (e.n) {
        e.mean /= (double)e.n, e.median = median_factor(&all), e.rank = rank_correlation(&all);
        count_order(&all, &e);
    }
    vec_free(&all);
    return e;
}

bool measured_within(const Source *csv, const char *gpu, const char *class, size_t *times, double *within)
{
    PointLine line = {0};
    VEC(double) errors = {0};
    Text figure = {0};
    bool card = false;
    text_printf(&figure, "\"measured/%s\",", gpu);
    for (const char *s = csv->text, *next; *s; s = *next ? next + 1 : next) {
        next = s + strcspn(s, "\n");
        if (strncmp(s, figure.v, figure.n) || !point_line(s, next, &line)) continue;
        card = true;
        double theirs = strtod(line.theirs, NULL);
        if (!strcmp(line.series.v, class) && theirs > 0) vec_push(&errors, fabs(line.ours / theirs - 1));
    }
    *times = errors.n, *within = 0;
    if (errors.n) {
        qsort(errors.v, errors.n, sizeof *errors.v, by_size);
        *within = errors.v[(errors.n * 9 + 9) / 10 - 1];
    }
    point_line_free(&line);
    text_free(&figure);
    vec_free(&errors);
    return card;
}

static void put_line(const Reproduction *r, const char *class, bool markdown, Text *out)
{
    MeasuredError e = measured_error(r, class);
    if (!e.n) return;
    if (markdown) text_printf(out, "| %s ", r->gpu);
    text_printf(out,
                markdown ? "| %s | %zu | %.1f %% | %.2f | %zu | %.2f | %zu of %zu | %s, %.2f |\n"
                         : "%-12s %6zu %9.1f %%  %12.2f  %11zu  %11.2f  %5zu of %-5zu  %s, %.2f\n",
                class ? class : "all", e.n, 100 * e.mean, e.median, e.near, e.rank, e.in_order, e.pairs, e.farthest->x,
                e.farthest->ours / e.farthest->theirs);
}

void measured_summary(const Reproduction *r, bool markdown, bool head, Text *out)
{
    if (head)
        text_put(out, markdown
                          ? "| card | class | times | mean error | median factor | within 1.5 | rank correlation | "
                            "pairs in order | farthest, simulated / measured "
                            "|\n|---|---|--:|--:|--:|--:|--:|--:|---|\n"
                          : "class         times  mean error  median factor  within 1.5  correlation  in order        "
                            "farthest, simulated / measured\n");
    for (size_t k = 0; k < r->points.n; k++)
        if (!k || strcmp(r->points.v[k].series, r->points.v[k - 1].series))
            put_line(r, r->points.v[k].series, markdown, out);
    put_line(r, NULL, markdown, out);
}

// --- the picture -----------------------------------------------------------------------------------------------------
void measured_figure_open(Figure *f)
{
    figure_open(f, FIGURE_MATCH, "measured", "Simulated over measured times of kernels");
    figure_axes(f, "measured time, µs", "simulated / measured", "class");
    figure_series(f, "measured, µs");
}

// The series of a card's class. A class has the colour that it has for the first card.
static size_t picture_series(Figure *f, const char *gpu, const char *class, uint32_t mark)
{
    Text name = {0};
    uint32_t colours = 0, colour = UINT32_MAX;
    text_printf(&name, "%s, ", class);
    const size_t n = name.n;
    for (size_t s = 1; s < f->series.n; s++) {
        colours = MAX(colours, f->series.v[s].colour + 1);
        if (!strncmp(f->series.v[s].name, name.v, n)) colour = f->series.v[s].colour;
    }
    text_put(&name, gpu);
    size_t s = 1;
    while (s < f->series.n && strcmp(f->series.v[s].name, name.v)) s++;
    if (s == f->series.n) figure_series(f, name.v), f->series.v[s].colour = colour == UINT32_MAX ? colours : colour;
    f->series.v[s].mark = mark;
    text_free(&name);
    return s;
}

void measured_figure(const Reproduction *r, Figure *f)
{
    const uint32_t mark = f->series.n > 1 ? f->series.v[f->series.n - 1].mark + 1 : 0;
    for (size_t k = 0; k < r->points.n; k++) {
        const Point *p = &r->points.v[k];
        Text name = {0};
        text_printf(&name, "%s: %s", r->gpu, p->x);
        figure_text(f, 0, name.v, p->theirs);
        figure_text(f, picture_series(f, r->gpu, p->series, mark), name.v, p->ours);
        text_free(&name);
    }
}
