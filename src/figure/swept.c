// swept.c: finds out which settings differ between runs. Where a run doesn't name a setting, its value is "": it is as
// the description or the program has it, and shown as "default". Values that are the same number are equal: 16KiB and
// 16384; and where some runs name a description's own value, "" is that one. One value of each setting is the base that
// others are compared with. That is the one which the user asked for, or else the description's own, or else the one
// that was given first.
#include "figure/page.h"

#include "gpu/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number_of(const char *text)
{
    uint64_t n;
    double d;
    return parse_size(text, &n) ? (double)n : parse_double(text, &d) ? d : NAN;
}

static const char *value_of(const StoredRun *r, const char *name)
{
    for (size_t k = 0; k < r->settings.n; k++)
        if (!strcmp(r->settings.v[k].name, name)) return r->settings.v[k].value;
    return "";
}

static bool same(const char *a, const char *b)
{
    double x = number_of(a), y = number_of(b);
    return isnan(x) || isnan(y) ? !strcmp(a, b) : x == y;
}

// Whether value a comes before b: "", then numbers by size, then texts. Texts keep the order in which they came.
static bool before(const char *a, const char *b)
{
    double x = number_of(a), y = number_of(b);
    if (!*a || !*b) return !*a && *b;
    if (isnan(x) != isnan(y)) return isnan(y);
    return x < y;
}

// Whether baseline, "l1.size=16KiB,block={32,8}", has this value for name.
static bool chosen(const char *baseline, const char *name, const char *value)
{
    size_t n = strlen(name);
    bool found = false;
    ListValue v;
    while (!found && list_next(&baseline, &v)) {
        const char *one = v.at + n + 1;
        if (v.n <= n || strncmp(v.at, name, n) || v.at[n] != '=' || !list_next(&one, &v)) continue;
        Text wanted = {0};
        text_add(&wanted, v.at, v.n);
        found = same(wanted.v, strcmp(value, "") ? value : "default");
        text_free(&wanted);
    }
    return found;
}

static void add_value(Swept *s, const char *value)
{
    size_t at = 0;
    for (size_t k = 0; k < s->values.n; k++)
        if (same(s->values.v[k], value)) return;
    while (at < s->values.n && !before(value, s->values.v[at])) at++;
    vec_push(&s->values, value);
    memmove(s->values.v + at + 1, s->values.v + at, (s->values.n - 1 - at) * sizeof *s->values.v);
    s->values.v[at] = value;
}

static uint32_t place_of(const Swept *s, const char *value)
{
    uint32_t k = 0;
    while (!same(s->values.v[k], value)) k++;
    return k;
}

uint32_t group_at(const RunGroup *g, size_t run, size_t swept) { return g->at.v[run * g->swept.n + swept]; }

size_t group_bases(const RunGroup *g, size_t run)
{
    size_t n = 0;
    for (size_t s = 0; s < g->swept.n; s++) n += group_at(g, run, s) == g->swept.v[s].base;
    return n;
}

// --- bases -----------------------------------------------------------------------------------------------------------
// Whether the value is the description's own: then key=value leaves the description as it is.
static bool is_own(const char *gpu, const char *key, const char *value)
{
    Text plain = {0}, set = {0}, setting = {0};
    Diag diag = {0};  // the description's file may be gone
    text_printf(&setting, "%s=%s", key, value);
    bool own = gpu_canonical(NULL, gpu, NULL, &plain, &diag) &&
               gpu_canonical(NULL, gpu, (const char *const[]){setting.v, NULL}, &set, &diag) && !strcmp(plain.v, set.v);
    text_free(&plain), text_free(&set), text_free(&setting);
    diag_free(&diag);
    return own;
}

// Where some runs name a key's own value and others leave it as described, they have the same: the unnamed value is
// dropped, and the own one is returned. Else "".
static const char *take_own(Swept *s, const char *gpu)
{
    if (s->values.n < 2 || *s->values.v[0] || !strchr(s->name, '.')) return "";
    for (uint32_t k = 1; k < s->values.n; k++)
        if (is_own(gpu, s->name, s->values.v[k])) {
            memmove(s->values.v, s->values.v + 1, --s->values.n * sizeof *s->values.v);
            return s->values.v[k - 1];
        }
    return "";
}

static const char *or_own(const char *value, const char *own) { return *value ? value : own; }

static uint32_t base_of(const Swept *s, const char *first, const char *gpu, const char *baseline)
{
    for (uint32_t k = 0; k < s->values.n; k++)
        if (chosen(baseline, s->name, s->values.v[k])) return k;
    if (!*s->values.v[0]) return 0;  // as described
    for (uint32_t k = 0; strchr(s->name, '.') && k < s->values.n; k++)
        if (is_own(gpu, s->name, s->values.v[k])) return k;
    return place_of(s, first);
}

static bool any_clock_differs(const RunGroup *g)
{
    const StoredRun *first = NULL;
    for (size_t k = 0; k < g->runs.n; k++) {
        const StoredRun *r = g->runs.v[k];
        if (!(r->seconds > 0)) continue;
        if (!first) first = r;
        if (clocks_differ((double[]){(double)first->count[C_CYCLES], (double)r->count[C_CYCLES]},
                          (double[]){first->seconds, r->seconds}))
            return true;
    }
    return false;
}

// --- settings that go together ---------------------------------------------------------------------------------------
typedef struct Column {
    Swept swept;
    uint32_t *at;  // the place of each run's value
} Column;

// Whether the two settings only change together: each one's value determines the other's.
static bool together(const Column *a, const Column *b, size_t runs)
{
    if (a->swept.values.n != b->swept.values.n) return false;
    for (size_t x = 0; x < runs; x++)
        for (size_t y = 0; y < x; y++)
            if ((a->at[x] == a->at[y]) != (b->at[x] == b->at[y])) return false;
    return true;
}

// A size that was written as a number of bytes is shown in KiB.
static const char *shown(RunGroup *g, const char *name, const char *value)
{
    const size_t n = strlen(name);
    char text[32];
    const bool size = n > 5 && !strcmp(name + n - 5, ".size"), digits = !value[strspn(value, "0123456789")];
    if (!*value) return "default";
    if (!size || !digits || !(number_of(value) >= 1024)) return value;
    snprintf(text, sizeof text, "%.6gKiB", number_of(value) / 1024);
    return arena_text(&g->arena, text, strlen(text));
}

// Joins b into a: "nx" and "ny" become "nx, ny", and their values 64 and 32 become "64, 32".
static void take_in(RunGroup *g, Column *a, Column *b, size_t runs)
{
    for (uint32_t v = 0; v < a->swept.values.n; v++) {
        size_t k = 0;
        while (k < runs && a->at[k] != v) k++;
        const char *one = a->swept.values.v[v], *other = k < runs ? b->swept.values.v[b->at[k]] : "";
        a->swept.values.v[v] =
            arena_printf(&g->arena, "%s, %s", shown(g, a->swept.name, one), shown(g, b->swept.name, other));
    }
    a->swept.name = arena_printf(&g->arena, "%s, %s", a->swept.name, b->swept.name);
    vec_free(&b->swept.values), vec_free(&b->swept.numbers);
    mem_free(b->at);
}

// --- groups ----------------------------------------------------------------------------------------------------------
typedef struct Placed {
    const StoredRun *run;
    const uint32_t *at;
    size_t settings, before;
} Placed;
static int by_order(const void *a, const void *b)
{
    const StoredRun *const *x = a, *const *y = b;
    return (*x)->order < (*y)->order ? -1 : (*x)->order > (*y)->order;
}
static int by_values(const void *a, const void *b)
{
    const Placed *x = a, *y = b;
    for (size_t k = 0; k < x->settings; k++)
        if (x->at[k] != y->at[k]) return x->at[k] < y->at[k] ? -1 : 1;
    return x->before < y->before ? -1 : x->before > y->before;
}

static void sort(RunGroup *g)
{
    size_t n = g->runs.n, width = g->swept.n;
    Placed *p = mem_alloc(sizeof *p * (n + 1));
    uint32_t *at = mem_alloc(sizeof *at * (n * width + 1));
    for (size_t k = 0; k < n; k++) p[k] = (Placed){g->runs.v[k], g->at.v + k * width, width, k};
    qsort(p, n, sizeof *p, by_values);
    for (size_t k = 0; k < n; k++) {
        g->runs.v[k] = p[k].run;
        if (width) memcpy(at + k * width, p[k].at, width * sizeof *at);
    }
    if (width) memcpy(g->at.v, at, n * width * sizeof *at);
    mem_free(p), mem_free(at);
}

// Lists the names of the runs' settings, each once, in the order of the runs.
static void setting_names(const StoredRun *const *runs, size_t count, bool params, TextList *names)
{
    for (size_t k = 0; k < count; k++)
        for (size_t s = 0; !runs[k]->error && s < (params ? runs[k]->settings.n : runs[k]->params_at); s++) {
            size_t n = 0;
            while (n < names->n && strcmp(names->v[n], runs[k]->settings.v[s].name)) n++;
            if (n == names->n) vec_push(names, runs[k]->settings.v[s].name);
        }
}

void group_open(RunGroup *g, const StoredRun *const *runs, size_t count, bool params, const char *baseline)
{
    *g = (RunGroup){0};
    VEC(Column) columns = {0};
    VEC(const StoredRun *) given = {0};  // in the order in which they were asked for
    TextList names = {0};
    const char *gpu = "";
    setting_names(runs, count, params, &names);
    for (size_t k = 0; k < count; k++) {
        if (runs[k]->error) continue;
        vec_push(&g->runs, runs[k]);
        vec_push(&given, runs[k]);
    }
    if (given.n) qsort(given.v, given.n, sizeof *given.v, by_order), gpu = value_of(given.v[0], "gpu");
    bool gpus = false;
    for (size_t k = 1; k < given.n; k++) gpus |= strcmp(value_of(given.v[k], "gpu"), gpu) != 0;
    for (size_t n = 0; n < names.n; n++) {
        Column c = {.swept = {.name = names.v[n]}};
        for (size_t k = 0; k < given.n; k++) add_value(&c.swept, value_of(given.v[k], names.v[n]));
        const char *own = gpus ? "" : take_own(&c.swept, gpu);
        if (c.swept.values.n < 2) {
            vec_free(&c.swept.values);
            continue;
        }
        c.swept.base = base_of(&c.swept, or_own(value_of(given.v[0], names.v[n]), own), gpu, baseline);
        if (!strcmp(names.v[n], "gpu")) gpu = c.swept.values.v[c.swept.base];  // the first setting: keys come behind it
        c.at = mem_alloc(sizeof *c.at * (g->runs.n + 1));
        for (size_t k = 0; k < g->runs.n; k++)
            c.at[k] = place_of(&c.swept, or_own(value_of(g->runs.v[k], names.v[n]), own));
        c.swept.numeric = true;
        for (size_t v = 0; v < c.swept.values.n; v++) {
            double x = number_of(c.swept.values.v[v]);
            vec_push(&c.swept.numbers, x);
            if (isnan(x) && *c.swept.values.v[v]) c.swept.numeric = false;
        }
        size_t with = 0;
        while (with < columns.n && !together(&columns.v[with], &c, g->runs.n)) with++;
        if (with < columns.n)
            take_in(g, &columns.v[with], &c, g->runs.n);
        else
            vec_push(&columns, c);
    }
    for (size_t k = 0; k < g->runs.n; k++)
        for (size_t c = 0; c < columns.n; c++) vec_push(&g->at, columns.v[c].at[k]);
    for (size_t c = 0; c < columns.n; c++) {
        vec_push(&g->swept, columns.v[c].swept);
        mem_free(columns.v[c].at);
    }
    vec_free(&columns), vec_free(&names), vec_free(&given);
    if (g->runs.n) sort(g);
    for (size_t k = 1; k < g->runs.n; k++)
        if (group_bases(g, k) > group_bases(g, g->base)) g->base = k;
    g->clocks = any_clock_differs(g);
}

void group_free(RunGroup *g)
{
    for (size_t k = 0; k < g->swept.n; k++) vec_free(&g->swept.v[k].values), vec_free(&g->swept.v[k].numbers);
    vec_free(&g->swept), vec_free(&g->runs), vec_free(&g->at);
    arena_free(&g->arena);
}

const char *group_label(RunGroup *g, size_t run, size_t except)
{
    const char *label = "";
    for (size_t s = 0; s < g->swept.n; s++) {
        if (s == except) continue;
        const char *value = shown(g, g->swept.v[s].name, g->swept.v[s].values.v[group_at(g, run, s)]);
        label = *label ? arena_printf(&g->arena, "%s, %s", label, value) : value;
    }
    return label;
}

const char *group_value(RunGroup *g, size_t swept, uint32_t value)
{
    return shown(g, g->swept.v[swept].name, g->swept.v[swept].values.v[value]);
}

const char *group_names(RunGroup *g, size_t except)
{
    const char *names = "";
    for (size_t s = 0; s < g->swept.n; s++)
        if (s != except)
            names = *names ? arena_printf(&g->arena, "%s, %s", names, g->swept.v[s].name) : g->swept.v[s].name;
    return names;
}

bool group_near(const RunGroup *g, size_t run, size_t base, size_t except, size_t also)
{
    for (size_t s = 0; s < g->swept.n; s++)
        if (s != except && s != also && group_at(g, run, s) != group_at(g, base, s)) return false;
    return true;
}

bool group_varies(const RunGroup *g, const char *name)
{
    size_t n = strlen(name);
    for (size_t s = 0; s < g->swept.n; s++)
        for (const char *p = g->swept.v[s].name; p; p = strchr(p, ' ') ? strchr(p, ' ') + 1 : NULL)
            if (!strncmp(p, name, n) && (!p[n] || p[n] == ',')) return true;
    return false;
}
