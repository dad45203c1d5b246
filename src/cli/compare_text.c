// compare_text.c: what has changed between two versions, in words. A share is of the old value, and its sign that of a
// stopwatch. What is equal is told in one row.
#include "cli/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 16, MOST_LINES = 10, MOST_COUNTERS = 4 };

// "+5.1 %"; "no change" of equal values.
static void put_share(Text *out, const double value[2])
{
    double share = 100 * change_share(value);
    if (share == 0)
        text_put(out, "no change");
    else if (isinf(share))
        text_put(out, "from nothing");
    else if (fabs(share) < 0.1)
        text_printf(out, "%+.2g %%", share);
    else
        text_printf(out, "%+.*f %%", fabs(share) < 1000 ? 1 : 0, share);
}

static void put_time(Text *out, const double value[2])
{
    if (isnan(value[0]) || isnan(value[1])) {
        text_put(out, "its time isn't known");
        return;
    }
    Unit u = time_unit(fmax(value[0], value[1]));
    text_printf(out, "%.4g → %.4g %s, ", u.per * value[0], u.per * value[1], u.name);
    put_share(out, value);
    if (value[0] != value[1]) text_put(out, value[1] > value[0] ? ", slower" : ", faster");
}

static void put_counts(Text *out, const char *name, double a, double b, void (*format)(char out[32], double v))
{
    char x[32], y[32];
    if (a == b) return;
    format(x, a), format(y, b);
    text_printf(out, "%s%s %s → %s (", out->n ? ", " : "", name, x, y);
    put_share(out, (double[]){a, b});
    text_put(out, ")");
}

// --- a kernel --------------------------------------------------------------------------------------------------------
static void put_limits(const KernelPair *p)
{
    const VersionKernel *a = p->of[0], *b = p->of[1];
    if (!a->limited || !b->limited) return;
    if (!p->limits) {
        put_row(stdout, "  limited by", INDENT, BREAK_WORDS, b->limited);
        return;
    }
    put_row(stdout, "  was limited by", INDENT + 4, BREAK_WORDS, a->limited);
    put_row(stdout, "  is limited by", INDENT + 4, BREAK_WORDS, b->limited);
}

static void put_arrays(const KernelPair *p)
{
    static const VersionArray none;
    for (size_t k = 0; k < p->arrays.n; k++) {
        const VersionArray *a = p->arrays.v[k].of[0], *b = p->arrays.v[k].of[1];
        Text t = {0}, name = {0};
        text_printf(&name, "  %s", (a ? a : b)->name);
        if (!a || !b) text_printf(&t, "only in the %s version: ", a ? "old" : "new");
        Text what = {0};
        if (!a) a = &none;
        if (!b) b = &none;
        put_counts(&what, "DRAM", (double)a->dram_bytes, (double)b->dram_bytes, format_bytes);
        put_counts(&what, "L1 misses", (double)version_misses(a), (double)version_misses(b), format_count);
        put_counts(&what, "sectors asked for", (double)a->sectors, (double)b->sectors, format_count);
        text_put(&t, what.v ? what.v : "");
        put_row(stdout, name.v, INDENT, BREAK_ITEMS, t.v);
        text_free(&t), text_free(&name), text_free(&what);
    }
}

static void put_lines(const KernelPair *p)
{
    for (size_t k = 0; k < p->lines.n && k < MOST_LINES; k++) {
        const VersionLine *a = p->lines.v[k].of[0], *b = p->lines.v[k].of[1], *any = b ? b : a;
        Text t = {0}, name = {0};
        text_printf(&name, "  %s:%llu", base_name(any->file), (unsigned long long)any->line);
        put_counts(&t, "instructions", a ? (double)a->issued : 0, b ? (double)b->issued : 0, format_count);
        if (a && b && a->line != b->line) text_printf(&t, ", line %llu before", (unsigned long long)a->line);
        put_row(stdout, name.v, INDENT, BREAK_ITEMS, t.v);
        text_free(&t), text_free(&name);
    }
    if (p->lines.n > MOST_LINES) printf("  and %zu lines more\n", p->lines.n - MOST_LINES);
}

typedef struct Moved {
    Counter of;
    double share;
} Moved;

static int by_share(const void *x, const void *y)
{
    const Moved *a = x, *b = y;
    double p = fabs(a->share), q = fabs(b->share);
    return p != q ? (p > q ? -1 : 1) : (a->of > b->of) - (a->of < b->of);
}

// Those that changed by the largest share. Small counts change by large shares, so that one counts that is a thousandth
// of the cycles and more.
static void put_counters(const KernelPair *p)
{
    const uint64_t *a = p->of[0]->count, *b = p->of[1]->count;
    Moved all[C_COUNT];
    size_t n = 0;
    for (int c = 0; c < C_COUNT; c++)
        if (pair_differs(p, c) && c != C_CYCLES && a[c] && MAX(a[c], b[c]) >= a[C_CYCLES] / 1000)
            all[n++] = (Moved){(Counter)c, change_share((double[]){(double)a[c], (double)b[c]})};
    if (!n) return;
    qsort(all, n, sizeof *all, by_share);
    Text t = {0};
    for (size_t k = 0; k < n && k < MOST_COUNTERS; k++)
        put_counts(&t, counter_info[all[k].of].name, (double)a[all[k].of], (double)b[all[k].of], format_count);
    put_row(stdout, "  counters", INDENT, BREAK_ITEMS, t.v);
    text_free(&t);
}

static void put_kernel(const Changes *c, const KernelPair *p)
{
    const VersionKernel *a = p->of[0], *b = p->of[1], *any = b ? b : a;
    Text t = {0};
    char *name = name_shorten(any->shown, 2 * report_width(stdout));
    printf("\n");
    text_printf(&t, "%s: ", name);
    mem_free(name);
    if (!a || !b) {
        Unit u = time_unit(any->seconds);
        text_printf(&t, "only in the %s version", b ? "new" : "old");
        if (any->timed) text_printf(&t, ", %.4g %s", u.per * any->seconds, u.name);
    } else if (any->timed) {
        double time[2];
        change_values(c, p, "time", time);
        put_time(&t, time);
    } else {
        text_put(&t, "executed without time");
    }
    if (any->partial) text_put(&t, "; cut short");
    if (a && b && p->match != MATCH_NAME)
        text_printf(&t, "; was %s, matched by its %s", a->shown, p->match == MATCH_PLAIN ? "base name" : "place");
    put_wrapped(stdout, 0, 2, BREAK_WORDS, t.v);
    text_free(&t);
    if (!a || !b) return;
    if (any->timed && pair_has(p, C_CYCLES)) {
        put_counts(&t, "", (double)a->count[C_CYCLES], (double)b->count[C_CYCLES], format_count);
        put_row(stdout, "  cycles", INDENT, BREAK_WORDS, t.v ? t.v + 1 : "no change");
    }
    text_free(&t);
    if (a->launches != b->launches)
        printf("  launches      %llu → %llu\n", (unsigned long long)a->launches, (unsigned long long)b->launches);
    put_limits(p), put_arrays(p), put_lines(p), put_counters(p);
}

// --- the whole -------------------------------------------------------------------------------------------------------
static void put_same(const Changes *c)
{
    Text t = {0};
    for (size_t k = 0; k < c->pairs.n; k++) {
        if (c->pairs.v[k].differs) continue;
        char *name = name_shorten(c->pairs.v[k].of[1]->shown, 60);
        text_printf(&t, "%s%s", t.n ? ", " : "", name);
        mem_free(name);
    }
    if (t.n) printf("\n"), put_row(stdout, "no change", INDENT, BREAK_ITEMS, t.v);
    text_free(&t);
}

void compare_failures(const GateFailures *failures, const char *run)
{
    for (size_t k = 0; k < failures->n; k++) {
        const GateFailure *f = &failures->v[k];
        Text t = {0};
        if (run) text_printf(&t, "%s: ", run);
        text_printf(&t, "%s: %s ", f->pair ? f->pair->of[1]->shown : "all kernels", f->limit->metric);
        put_share(&t, f->value);
        text_printf(&t, ", and %s%g %% is allowed", f->limit->percent > 0 ? "+" : "", f->limit->percent);
        put_row(stdout, "failed", INDENT, BREAK_WORDS, t.v);
        text_free(&t);
    }
}

void compare_passed(void) { printf("passed: nothing is above what --fail-above allows\n"); }

// A model is a version of the simulator's rules.
static void put_models(const Changes *c)
{
    Text t = {0};
    if (!c->models) return;
    for (int s = 0; s < 2; s++) {
        const char *side = s ? "; the new one by " : "the old version was simulated by ";
        if (c->of[s]->model)
            text_printf(&t, "%smodel %lld", side, (long long)c->of[s]->model);
        else
            text_printf(&t, "%sa model that isn't known", side);
    }
    text_put(&t, ". What differs may be the simulator's doing: run the old version again");
    put_row(stdout, "note", 5, BREAK_WORDS, t.v);
    text_free(&t);
}

static void put_lacking(const Changes *c)
{
    enum { MOST_NAMES = 4 };
    Text t = {0}, names = {0};
    const size_t n = changes_lacking(c, MOST_NAMES, &names);
    if (n) {
        text_printf(&t, "%zu counter%s that a version's file lacks %s compared: %s%s", n, n == 1 ? "" : "s",
                    n == 1 ? "isn't" : "aren't", names.v, n > MOST_NAMES ? ", …" : "");
        put_row(stdout, "note", 5, BREAK_WORDS, t.v);
    }
    text_free(&t), text_free(&names);
}

void compare_words(const Changes *c)
{
    double time[2];
    Text t = {0};
    put_models(c), put_lacking(c);
    printf("Percents are of the old value. The sign is a stopwatch's: + is slower.\n\n");
    change_values(c, NULL, "time", time);
    if (c->of[0]->whole.launches || c->of[1]->whole.launches) {
        put_time(&t, time);
        put_row(stdout, "all kernels", INDENT, BREAK_WORDS, t.v);
    } else {
        printf("no kernel was timed\n");
    }
    text_free(&t);
    for (size_t k = 0; k < c->pairs.n; k++)
        if (c->pairs.v[k].differs) put_kernel(c, &c->pairs.v[k]);
    put_same(c);
}

void compare_text(const Changes *c, const Gate *g, const GateFailures *failures)
{
    static const char *const sides[] = {"old", "new"};
    for (int s = 0; s < 2; s++) {
        const Version *v = c->of[s];
        bool said = !strncmp(v->about, v->input, strlen(v->input));
        Text t = {0};
        text_printf(&t, "%s%s%s", said ? "" : v->input, said ? "" : ": ", v->about);
        put_row(stdout, sides[s], 5, BREAK_WORDS, t.v);
        text_free(&t);
    }
    compare_words(c);
    if (!g->limits.n) return;
    printf("\n");
    failures->n ? compare_failures(failures, NULL) : compare_passed();
}
