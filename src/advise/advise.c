// advise.c: runs the changes one by one, then joins the best ones as long as that gains something, and last moves the
// assumed keys of the description to see whether the advice holds.
//
// Joining is greedy: each other change that gained something is added to the fastest trial, one at a time; the fastest
// of these is the next one. A run with a wrong result, or with another number of instructions than its kernels need, is
// no candidate; the workload's own check says so.
#include "advise/unit.h"

#include "gpu/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MOVED = 12 };  // assumed keys

typedef struct Adviser {
    Advice *a;
    Matrix *m;
    Store *store;
    const AdviseOptions *o;
    Planner *planner;
    double until;  // by seconds_now; 0: no limit
    Diag *diag;
} Adviser;

// --- what came out ---------------------------------------------------------------------------------------------------
double trial_cycles(const Trial *t) { return t->run && !t->run->error && !t->differs ? (double)t->run->cycles : 0; }

double trial_times(const Advice *a, const Trial *t)
{
    double cycles = trial_cycles(t);
    return cycles > 0 ? trial_cycles(&a->trials.v[0]) / cycles : 0;
}

double ideal_times(const Advice *a, const Ideal *i)
{
    return i->set ? trial_times(a, &a->trials.v[i->trial]) : i->times;
}

// Does a run of another shape leave something else in memory?
static bool differs(const Advice *a, const Trial *t)
{
    bool reshaped = false;
    const char *result = a->trials.v[0].run ? a->trials.v[0].run->result : NULL;
    for (size_t k = 0; k < t->n; k++) reshaped |= a->changes.v[t->change[k]].reshaped;
    return reshaped && t->run && !(result && t->run->result && !strcmp(result, t->run->result));
}

// Reads the runs of all trials that the store has.
static bool read_all(Adviser *x)
{
    Advice *a = x->a;
    TextList keys = {0};
    runs_free(&a->runs);
    a->runs = (Runs){0};
    for (size_t k = 0; k < a->trials.n; k++) vec_push(&keys, a->trials.v[k].key);
    bool ok = runs_read(&a->runs, x->store, &(RunsWanted){.keys = &keys}, x->diag);
    vec_free(&keys);
    for (size_t k = 0; k < a->trials.n; k++) {
        a->trials.v[k].run = NULL;
        for (size_t n = 0; n < a->runs.v.n; n++)
            if (!strcmp(a->runs.v.v[n].key, a->trials.v[k].key)) a->trials.v[k].run = &a->runs.v.v[n];
        a->trials.v[k].differs = differs(a, &a->trials.v[k]);
    }
    return ok;
}

// Plans every trial, of which a CUDA program's key may only be known once it has run.
static bool find_keys(Adviser *x)
{
    bool ok = true;
    for (size_t k = 0; k < x->a->trials.n && ok; k++) {
        Plan plan;
        Trial *t = &x->a->trials.v[k];
        ok = matrix_plan(x->m, x->planner, &t->cell, &plan, x->diag);
        if (ok) memcpy(t->key, plan.id.key, sizeof t->key);
        plan_free(&plan);
    }
    return ok;
}

// Makes the runs of the trials from number `from` on.
static bool run_from(Adviser *x, size_t from)
{
    double left = x->until > 0 ? x->until - seconds_now() : 0;
    bool late = x->until > 0 && left <= 0;
    x->m->cells.n = 0;
    for (size_t k = from; k < x->a->trials.n; k++) vec_push(&x->m->cells, x->a->trials.v[k].cell);
    if (x->m->cells.n && !late && !x->o->sweep(x->o->user, x->m, left, x->diag)) return false;
    return find_keys(x) && read_all(x);
}

// --- trials ----------------------------------------------------------------------------------------------------------
// Changes whose key takes a list of names can be joined with others of their kind.
static bool is_list(const char *set) { return !strncmp(set, "l1.past=", 8) || !strncmp(set, "readonly.take=", 14); }

// So can settings of the software L1, of which each has another name.
static bool is_setting(const Remedy *c) { return c->sl1 && strcmp(c->sl1, "yes") != 0; }

static bool can_join(const Remedy *a, const Remedy *b)
{
    if (strcmp(a->kind, b->kind)) return true;
    if (!is_setting(a) || !is_setting(b)) return b->sets[0] && is_list(b->sets[0]);
    const size_t n = strcspn(a->sl1, "=");
    return n != strcspn(b->sl1, "=") || strncmp(a->sl1, b->sl1, n) != 0;
}

static bool fits(const Adviser *x, const Trial *t, size_t change)
{
    const Remedy *c = &x->a->changes.v[change];
    if (t->n == MOST_JOINED) return false;
    for (size_t k = 0; k < t->n; k++) {
        const Remedy *o = &x->a->changes.v[t->change[k]];
        if (t->change[k] == change) return false;
        if (!can_join(o, c)) return false;
    }
    return true;
}

static void add_set(Adviser *x, const char **sets, size_t *n, const char *set)
{
    size_t key = strcspn(set, "=") + 1;
    for (size_t k = 0; k < *n; k++) {
        if (strncmp(sets[k], set, key)) continue;
        sets[k] = is_list(set) ? arena_printf(&x->a->arena, "%s,%s", sets[k], set + key) : set;
        return;
    }
    sets[(*n)++] = set;
}

static size_t count(const char *const *list)
{
    size_t n = 0;
    while (list && list[n]) n++;
    return n;
}

// Adds a trial: the run as it is with these changes, and with one more setting, which may be null.
static size_t add_trial(Adviser *x, const size_t *change, size_t n, const char *more)
{
    Advice *a = x->a;
    const Cell *base = a->trials.n ? &a->trials.v[0].cell : &x->m->cells.v[0];
    Trial t = {.n = n, .cell = *base};
    size_t sets = 0, params = count(base->params);
    bool settings = false;  // of the software L1
    const char **set = arena_alloc(&a->arena, sizeof *set * (count(base->sets) + (n + 1) * MOST_SETS + 2));
    const char **param = arena_alloc(&a->arena, sizeof *param * (params + n * MOST_PARAMS + 1));
    for (size_t k = 0; base->sets && base->sets[k]; k++) set[sets++] = base->sets[k];
    if (params) memcpy(param, base->params, sizeof *param * params);
    for (size_t k = 0; k < n; k++) {
        const Remedy *c = &a->changes.v[t.change[k] = change[k]];
        for (size_t s = 0; s < MOST_SETS && c->sets[s]; s++) add_set(x, set, &sets, c->sets[s]);
        for (size_t p = 0; p < MOST_PARAMS && c->params[p]; p++) {
            size_t at = 0;
            while (at < params && strncmp(param[at], c->params[p], strcspn(c->params[p], "=") + 1)) at++;
            param[at] = c->params[p], params += at == params;
        }
        const bool both = c->sl1 && settings;  // + stands between them
        if (c->sl1) t.cell.how.sl1 = both ? arena_printf(&a->arena, "%s+%s", t.cell.how.sl1, c->sl1) : c->sl1;
        settings |= is_setting(c);
    }
    if (more) add_set(x, set, &sets, more);
    set[sets] = param[params] = NULL;
    t.cell.sets = set, t.cell.params = param;
    t.cell.labels = NULL;
    vec_push(&a->trials, t);
    return a->trials.n - 1;
}

// A description that can't be, as with more shared memory than there is, is no trial.
static bool can_run(Adviser *x, const Trial *t)
{
    Plan plan;
    Diag why = {0};
    bool ok = matrix_plan(x->m, x->planner, &t->cell, &plan, &why);
    plan_free(&plan);
    diag_free(&why);
    return ok;
}

static size_t fastest(const Advice *a, size_t from, size_t to)
{
    size_t best = 0;
    for (size_t k = from; k < to; k++)
        if (trial_times(a, &a->trials.v[k]) > MAX(trial_times(a, &a->trials.v[best]), 1)) best = k;
    return trial_times(a, &a->trials.v[best]) >= ADVISE_GAIN ? best : 0;
}

static bool join(Adviser *x)
{
    Advice *a = x->a;
    size_t best = fastest(a, 1, a->singles);
    while (best) {
        size_t from = a->trials.n, change[MOST_JOINED];
        for (size_t k = 0; k < a->changes.n; k++) {
            const Trial *t = &a->trials.v[best];  // trials may move
            if (trial_times(a, &a->trials.v[1 + k]) < ADVISE_GAIN || !fits(x, t, k)) continue;
            memcpy(change, t->change, sizeof change);
            change[t->n] = k;
            add_trial(x, change, t->n + 1, NULL);
            if (!can_run(x, &a->trials.v[a->trials.n - 1])) a->trials.n--;
        }
        if (from == a->trials.n) break;
        if (!run_from(x, from)) return false;
        size_t next = fastest(a, from, a->trials.n);
        if (!next || trial_times(a, &a->trials.v[next]) < ADVISE_GAIN * trial_times(a, &a->trials.v[best])) break;
        best = next;
    }
    a->best = best;
    return true;
}

// --- is it robust? ---------------------------------------------------------------------------------------------------
// The parts whose assumed values may turn advice about memory.
static bool is_moved(const char *section)
{
    static const char *const sections[] = {"l1", "readonly", "lsu", "link", "l2", "dram", "shared"};
    for (size_t k = 0; k < COUNT(sections); k++)
        if (!strcmp(section, sections[k])) return true;
    return false;
}

// Adds trials with half and twice the value of a key, with the best changes and without.
static void move_key(Adviser *x, const char *section, const char *key, const char *value)
{
    Advice *a = x->a;
    uint64_t whole;
    for (int twice = 0; twice < 2; twice++) {
        char text[40];
        double v;
        if (parse_size(value, &whole))
            snprintf(text, sizeof text, "%llu", (unsigned long long)(twice ? 2 * whole : whole / 2));
        else if (parse_double(value, &v))
            snprintf(text, sizeof text, "%.9g", twice ? 2 * v : v / 2);
        else
            return;
        if (!strcmp(text, "0")) continue;
        Moved m = {.key = arena_printf(&a->arena, "%s.%s", section, key), .value = arena_copy(&a->arena, value)};
        m.set = arena_printf(&a->arena, "%s=%s", m.key, text);
        size_t n = a->trials.n, change[MOST_JOINED];
        memcpy(change, a->trials.v[a->best].change, sizeof change);
        m.plain = add_trial(x, NULL, 0, m.set);
        m.changed = add_trial(x, change, a->trials.v[a->best].n, m.set);
        if (can_run(x, &a->trials.v[m.plain]) && can_run(x, &a->trials.v[m.changed]))
            vec_push(&a->moved, m);
        else
            a->trials.n = n;
    }
}

// The keys whose comment in the description says that their value is assumed.
static bool move_all(Adviser *x)
{
    Text all = {0};
    const Cell *c = &x->a->trials.v[0].cell;
    size_t from = x->a->trials.n, keys = 0;
    char section[64] = "";
    if (!x->a->best || !x->o->robust) return true;
    if (!gpu_show(c->gpu, c->sets, false, &all, x->diag)) return text_free(&all), false;
    for (char *line = all.v, *next; line && *line && keys < MOST_MOVED; line = next) {
        char key[64], value[64];
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        if (sscanf(line, "[%63[^]]]", section) == 1 || !is_moved(section)) continue;
        const char *from_where = strchr(line, '#');
        if (!from_where || !strstr(from_where, "assumed") || sscanf(line, "%63s = %63[^ #]", key, value) != 2) continue;
        size_t before = x->a->moved.n;
        move_key(x, section, key, value);
        keys += x->a->moved.n > before;
    }
    text_free(&all);
    return run_from(x, from);
}

// --- all of it -------------------------------------------------------------------------------------------------------
static bool first_run(Adviser *x)
{
    Advice *a = x->a;
    Plan plan;
    bool ok = matrix_plan(x->m, x->planner, &x->m->cells.v[0], &plan, x->diag);
    plan_free(&plan);
    if (!ok) return false;
    add_trial(x, NULL, 0, "energy.count=yes");
    a->trials.v[0].cell.how.lines = true;
    if (!run_from(x, 0)) return false;
    const StoredRun *run = a->trials.v[0].run;
    if (!run) return diag_error(x->diag, "the run isn't in %s", store_path(x->store));
    if (run->error) return diag_error(x->diag, "the run as it is fails: %s", run->error);
    if (!run->cycles) return diag_error(x->diag, "no kernel was timed, so that there is nothing to advise on");
    a->energy = run->count[C_ENERGY] > 0;
    return true;
}

// Adds a trial for each change from number k on. One that can't run isn't a change.
static void try_from(Adviser *x, size_t k)
{
    Advice *a = x->a;
    while (k < a->changes.n) {
        add_trial(x, &k, 1, NULL);
        if (can_run(x, &a->trials.v[a->trials.n - 1]))
            k++;
        else
            a->trials.n--, a->changes.n--,
                memmove(&a->changes.v[k], &a->changes.v[k + 1], (a->changes.n - k) * sizeof *a->changes.v);
    }
}

static bool changes_of(Adviser *x)
{
    Advice *a = x->a;
    Plan plan;
    bool ok = matrix_plan(x->m, x->planner, &a->trials.v[0].cell, &plan, x->diag);
    Facts facts = {0};
    if (ok) code_facts(&plan, a->trials.v[0].run, &a->arena, &facts);
    if (ok) remedies_find(&plan, a->trials.v[0].run, &facts, &a->arena, &a->changes);
    if (ok) notes_find(&plan, a->trials.v[0].run, &facts, &a->arena, &a->notes);
    vec_free(&facts);
    const uint32_t sms = ok ? plan.gpu->sms : 0;
    plan_free(&plan);
    if (ok) try_from(x, 0);
    ok = ok && run_from(x, 1);
    size_t late = a->changes.n, from = a->trials.n;
    if (ok) remedies_after(a), try_from(x, late);
    a->singles = a->trials.n;
    if (ok) ideals_find(a->trials.v[0].run, &a->ideals);
    for (size_t k = 0; k < a->ideals.n; k++) a->ideals.v[k].trial = add_trial(x, NULL, 0, a->ideals.v[k].set);
    a->joined = a->trials.n;
    if (ok) ideals_count(a->trials.v[0].run, sms, &a->ideals);
    return ok && run_from(x, from);
}

bool advise(Advice *a, Matrix *m, Store *store, const AdviseOptions *o, Diag *diag)
{
    *a = (Advice){.best = 0};
    Adviser x = {.a = a, .m = m, .store = store, .o = o, .planner = planner_open(store), .diag = diag};
    bool ok = first_run(&x);
    if (o->budget > 0) x.until = seconds_now() + o->budget;
    ok = ok && changes_of(&x) && join(&x) && move_all(&x);
    for (size_t k = 0; k < a->trials.n; k++) a->left += !a->trials.v[k].run;
    planner_close(x.planner);
    return ok;
}

void advice_free(Advice *a)
{
    vec_free(&a->changes), vec_free(&a->trials), vec_free(&a->moved), vec_free(&a->ideals), vec_free(&a->notes);
    runs_free(&a->runs);
    arena_free(&a->arena);
}
