// changes.c: what differs between two versions. Kernels are matched by their names; those that are left by their plain
// names, if each version has one of it left; those that are left then by their places, if both versions have as many.
// Every kernel is in one pair.
#include "compare/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- pairs of kernels ------------------------------------------------------------------------------------------------
typedef struct Left {  // kernels that have no partner yet
    const Version *of;
    bool *done;
} Left;

static size_t count_left(const Left *l, bool timed, const char *plain)
{
    size_t n = 0;
    for (size_t k = 0; k < l->of->kernels.n; k++)
        n += !l->done[k] && l->of->kernels.v[k].timed == timed && (!plain || !strcmp(l->of->kernels.v[k].plain, plain));
    return n;
}

static bool fits(const Left l[2], const VersionKernel *a, const VersionKernel *b, Match how)
{
    if (a->timed != b->timed) return false;
    if (how == MATCH_NAME) return !strcmp(a->name, b->name);
    if (how == MATCH_PLAIN)
        return !strcmp(a->plain, b->plain) && count_left(&l[0], a->timed, a->plain) == 1 &&
               count_left(&l[1], a->timed, a->plain) == 1;
    return true;
}

static void match(Left l[2], Match how, Changes *out)
{
    for (size_t a = 0; a < l[0].of->kernels.n; a++)
        for (size_t b = 0; b < l[1].of->kernels.n && !l[0].done[a]; b++) {
            const VersionKernel *x = &l[0].of->kernels.v[a], *y = &l[1].of->kernels.v[b];
            if (l[1].done[b] || !fits(l, x, y, how)) continue;
            l[0].done[a] = l[1].done[b] = true;
            vec_push(&out->pairs, ((KernelPair){.of = {x, y}, .match = how}));
        }
}

static void match_places(Left l[2], Changes *out)
{
    if (count_left(&l[0], true, NULL) == count_left(&l[1], true, NULL) &&
        count_left(&l[0], false, NULL) == count_left(&l[1], false, NULL))
        match(l, MATCH_PLACE, out);
}

static void match_kernels(Changes *out)
{
    Left l[2];
    for (int s = 0; s < 2; s++) l[s] = (Left){out->of[s], mem_alloc(out->of[s]->kernels.n + 1)};
    match(l, MATCH_NAME, out), match(l, MATCH_PLAIN, out), match_places(l, out);
    for (int s = 0; s < 2; s++) {
        for (size_t k = 0; k < l[s].of->kernels.n; k++) {
            KernelPair p = {.differs = true};
            p.of[s] = &l[s].of->kernels.v[k];
            if (!l[s].done[k]) vec_push(&out->pairs, p);
        }
        mem_free(l[s].done);
    }
}

// --- what limits -----------------------------------------------------------------------------------------------------
// The causes in a text of limits_say: what stands before the colon of each part. Numbers move; a cause is a cause.
static void causes(const char *limited, Text *out)
{
    for (const char *p = limited; p && *p;) {
        size_t n = strcspn(p, ";"), colon = strcspn(p, ":");
        if (colon < n) text_printf(out, "%s%.*s", out->n ? "; " : "", (int)colon, p);
        p += n + (p[n] == ';');
        p += strspn(p, " ");
    }
    if (!out->n) text_put(out, limited);
}

static bool limits_differ(const VersionKernel *a, const VersionKernel *b)
{
    Text x = {0}, y = {0};
    if (!a->limited || !b->limited) return false;
    causes(a->limited, &x), causes(b->limited, &y);
    bool differ = strcmp(x.v, y.v) != 0;
    text_free(&x), text_free(&y);
    return differ;
}

// --- arrays and lines ------------------------------------------------------------------------------------------------
static double moved(uint64_t a, uint64_t b) { return a > b ? (double)(a - b) : (double)(b - a); }

static double array_size(const ArrayPair *p)
{
    static const VersionArray none;
    const VersionArray *a = p->of[0] ? p->of[0] : &none, *b = p->of[1] ? p->of[1] : &none;
    return 32 * moved(a->sectors, b->sectors) + moved(a->dram_bytes, b->dram_bytes) +
           32 * moved(version_misses(a), version_misses(b));
}

static int by_array(const void *x, const void *y)
{
    const ArrayPair *p = x, *q = y;
    double a = array_size(p), b = array_size(q);
    if (a != b) return a > b ? -1 : 1;
    return strcmp((p->of[0] ? p->of[0] : p->of[1])->name, (q->of[0] ? q->of[0] : q->of[1])->name);
}

static void find_arrays(KernelPair *p)
{
    const VersionKernel *a = p->of[0], *b = p->of[1];
    bool *done = mem_alloc(b->arrays.n + 1);
    for (size_t k = 0; k < a->arrays.n; k++) {
        ArrayPair pair = {{&a->arrays.v[k], NULL}};
        for (size_t n = 0; n < b->arrays.n && !pair.of[1]; n++)
            if (!strcmp(b->arrays.v[n].name, a->arrays.v[k].name)) done[n] = true, pair.of[1] = &b->arrays.v[n];
        if (array_size(&pair) > 0) vec_push(&p->arrays, pair);
    }
    for (size_t n = 0; n < b->arrays.n; n++) {
        ArrayPair pair = {{NULL, &b->arrays.v[n]}};
        if (!done[n] && array_size(&pair) > 0) vec_push(&p->arrays, pair);
    }
    mem_free(done);
    if (p->arrays.n) qsort(p->arrays.v, p->arrays.n, sizeof *p->arrays.v, by_array);
}

static double line_size(const LinePair *p)
{
    return moved(p->of[0] ? p->of[0]->issued : 0, p->of[1] ? p->of[1]->issued : 0);
}

static int by_line(const void *x, const void *y)
{
    const LinePair *p = x, *q = y;
    const VersionLine *l = p->of[0] ? p->of[0] : p->of[1], *m = q->of[0] ? q->of[0] : q->of[1];
    double a = line_size(p), b = line_size(q);
    if (a != b) return a > b ? -1 : 1;
    return l->line != m->line ? (l->line < m->line ? -1 : 1) : strcmp(l->file, m->file);
}

// A line moves when lines are put in front of it, and its text changes when it is edited. So lines are the same in this
// order: of one place and text, of one text, of one place. Files are of one name, wherever they lie; and a file
// that alone is left of each version is one, too, whatever it is called.
typedef enum SameLine { SAME_BOTH, SAME_TEXT, SAME_PLACE, SAME_WAYS } SameLine;

static bool has_file(const VersionKernel *k, const char *file)
{
    for (size_t n = 0; n < k->lines.n; n++)
        if (!strcmp(base_name(k->lines.v[n].file), base_name(file))) return true;
    return false;
}

// The one file of a that b has none of the same name of; null: there is none, or several are.
static const char *lone_file(const VersionKernel *a, const VersionKernel *b)
{
    const char *lone = NULL, *last = NULL;
    for (size_t n = 0; n < a->lines.n; n++) {
        const char *file = a->lines.v[n].file;
        if ((last && !strcmp(last, file)) || (lone && !strcmp(lone, file)) || has_file(b, last = file)) continue;
        if (lone) return NULL;
        lone = file;
    }
    return lone;
}

static bool same_line(const VersionLine *a, const VersionLine *b, const char *const lone[2], SameLine how)
{
    const bool file = !strcmp(base_name(a->file), base_name(b->file)) ||
                      (lone[0] && lone[1] && !strcmp(a->file, lone[0]) && !strcmp(b->file, lone[1]));
    const bool place = a->line == b->line && file;
    const bool texts = a->text && b->text, text = texts && !strcmp(a->text, b->text);
    return how == SAME_BOTH ? place && (text || !texts) : how == SAME_TEXT ? text : place;
}

static void match_lines(const VersionKernel *a, const VersionKernel *b, size_t *partner, bool *done)
{
    const char *const lone[2] = {lone_file(a, b), lone_file(b, a)};
    for (SameLine how = SAME_BOTH; how < SAME_WAYS; how++)
        for (size_t k = 0; k < a->lines.n; k++)
            for (size_t n = 0; n < b->lines.n && partner[k] == SIZE_MAX; n++)
                if (!done[n] && same_line(&a->lines.v[k], &b->lines.v[n], lone, how)) done[n] = true, partner[k] = n;
}

static void find_lines(KernelPair *p)
{
    const VersionKernel *a = p->of[0], *b = p->of[1];
    if (!a->lines.n || !b->lines.n) return;
    bool *done = mem_alloc(b->lines.n + 1);
    size_t *partner = mem_alloc((a->lines.n + 1) * sizeof *partner);
    for (size_t k = 0; k < a->lines.n; k++) partner[k] = SIZE_MAX;
    match_lines(a, b, partner, done);
    for (size_t k = 0; k < a->lines.n; k++) {
        LinePair pair = {{&a->lines.v[k], partner[k] == SIZE_MAX ? NULL : &b->lines.v[partner[k]]}};
        if (line_size(&pair) > 0) vec_push(&p->lines, pair);
    }
    for (size_t n = 0; n < b->lines.n; n++) {
        LinePair pair = {{NULL, &b->lines.v[n]}};
        if (!done[n] && line_size(&pair) > 0) vec_push(&p->lines, pair);
    }
    mem_free(done), mem_free(partner);
    if (p->lines.n) qsort(p->lines.v, p->lines.n, sizeof *p->lines.v, by_line);
}

size_t changes_lacking(const Changes *c, size_t most, Text *names)
{
    size_t n = 0;
    for (int k = 0; k < C_COUNT; k++) {
        bool lacks = false;
        for (size_t p = 0; p < c->pairs.n && !lacks; p++)
            lacks = c->pairs.v[p].of[0] && c->pairs.v[p].of[1] && !pair_has(&c->pairs.v[p], k);
        if (lacks && n < most && names) text_printf(names, "%s%s", n ? ", " : "", counter_info[k].name);
        n += lacks;
    }
    return n;
}

// --- values ----------------------------------------------------------------------------------------------------------
void change_values(const Changes *c, const KernelPair *pair, const char *metric, double value[2])
{
    const bool time = !strcmp(metric, "time");
    for (int s = 0; s < 2; s++) {
        const VersionKernel *k = pair ? pair->of[s] : &c->of[s]->whole;
        Metric m = {.value = NAN};
        if (k && time)
            m.value = k->seconds;
        else if (k && version_tells(c->of[s], k, metric))
            metric_find(metric, k->count, c->of[s]->gpu, &m);
        value[s] = isfinite(m.value) ? m.value : NAN;
    }
    // Sums of seconds are rounded; cycles of one length aren't.
    const VersionKernel *k[2] = {pair ? pair->of[0] : &c->of[0]->whole, pair ? pair->of[1] : &c->of[1]->whole};
    if (time && !c->clocks && k[0] && k[1] && k[0]->count[C_CYCLES] && k[1]->count[C_CYCLES])
        value[1] = value[0] * ((double)k[1]->count[C_CYCLES] / (double)k[0]->count[C_CYCLES]);
}

double change_share(const double value[2])
{
    if (value[0] == value[1]) return 0;
    return value[0] > 0 ? (value[1] - value[0]) / value[0] : value[1] > value[0] ? INFINITY : NAN;
}

static double time_size(const KernelPair *p)
{
    return fabs((p->of[0] ? p->of[0]->seconds : 0) - (p->of[1] ? p->of[1]->seconds : 0));
}

static int by_time(const void *x, const void *y)
{
    const KernelPair *p = x, *q = y;
    double a = time_size(p), b = time_size(q);
    if (p->differs != q->differs) return p->differs ? -1 : 1;
    if (a != b) return a > b ? -1 : 1;
    return strcmp((p->of[0] ? p->of[0] : p->of[1])->name, (q->of[0] ? q->of[0] : q->of[1])->name);
}

static bool clocks_apart(const Version *a, const Version *b)
{
    return clocks_differ((double[]){(double)a->whole.count[C_CYCLES], (double)b->whole.count[C_CYCLES]},
                         (double[]){a->whole.seconds, b->whole.seconds});
}

// Whether times differ of which no cycles tell. Seconds are rounded.
static bool seconds_differ(const KernelPair *p)
{
    const double a = p->of[0]->seconds, b = p->of[1]->seconds;
    return !pair_has(p, C_CYCLES) && fabs(a - b) > 1e-9 * fmax(a, b);
}

void changes_find(const Version *before, const Version *now, Changes *out)
{
    *out = (Changes){.of = {before, now}, .clocks = clocks_apart(before, now), .models = before->model != now->model};
    match_kernels(out);
    for (size_t k = 0; k < out->pairs.n; k++) {
        KernelPair *p = &out->pairs.v[k];
        if (!p->of[0] || !p->of[1]) continue;
        p->limits = limits_differ(p->of[0], p->of[1]);
        find_arrays(p), find_lines(p);
        p->differs = p->limits || p->arrays.n || p->lines.n || p->of[0]->launches != p->of[1]->launches ||
                     (p->of[0]->timed && (out->clocks || seconds_differ(p)));
        for (int n = 0; n < C_COUNT && !p->differs; n++) p->differs = pair_differs(p, n);
    }
    if (out->pairs.n) qsort(out->pairs.v, out->pairs.n, sizeof *out->pairs.v, by_time);
}

void changes_free(Changes *c)
{
    for (size_t k = 0; k < c->pairs.n; k++) vec_free(&c->pairs.v[k].arrays), vec_free(&c->pairs.v[k].lines);
    vec_free(&c->pairs);
}
