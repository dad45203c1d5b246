// sweep.c: the cells of a matrix that the store lacks, each in a process of its own, as many at a time as processors and
// memory allow. First every cell is identified, so that a mistake anywhere is told before anything runs; then the ones to
// run are ordered, longest first (those of unknown length before all), and started as others end.
#include "lab/lab.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct Task {
    const Cell *cell;
    Identity id;
    double seconds, bytes;             // expected; seconds negative: unknown
    size_t place;                      // in the matrix
} Task;

typedef struct Slot {
    Job job;
    Task *task;
    double began;
} Slot;

typedef struct Run {
    Store *store;
    const SweepOptions *options;
    Sweep *sweep;
    Diag *diag;
    VEC(Task) tasks;
    size_t next;                       // task to start
    Slot *slots;
    uint32_t jobs;
    double began, shown, memory;
    double spent, expected;            // of runs that ended: their time, and what it was thought to be
    double known_spent;
} Run;

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double available_memory(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    char line[256];
    double kib = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lf", &kib) == 1) break;
    if (f) fclose(f);
    return kib * 1024;
}

// --- what is to run ---------------------------------------------------------------------------------------------------------
static int longest_first(const void *a, const void *b)
{
    const Task *x = a, *y = b;
    if ((x->seconds < 0) != (y->seconds < 0)) return x->seconds < 0 ? -1 : 1;
    if (x->seconds != y->seconds && x->seconds >= 0) return x->seconds > y->seconds ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

// A mistake in a cell, with the cell that has it.
static bool blame(const Cell *c, const Diag *why, Diag *diag)
{
    Text t = {0};
    text_put(&t, c->program);
    for (const char *const *p = c->params; p && *p; p++) text_printf(&t, " %s", *p);
    text_printf(&t, " on %s", c->gpu);
    for (const char *const *p = c->sets; p && *p; p++) text_printf(&t, " %s", *p);
    const char *text = why->text.v;
    if (!strncmp(text, "error: ", 7)) text += 7;
    diag_error(diag, "%s: %s", t.v, text);
    text_free(&t);
    return false;
}

static bool plan(Run *r, const Matrix *m)
{
    const SweepOptions *o = r->options;
    Identities *ids = identities_open();
    Map seen = {0};
    bool ok = true;
    for (size_t k = 0; k < m->cells.n && ok; k++) {
        if (o->shards && k % o->shards != o->shard) continue;
        Task t = {.cell = &m->cells.v[k], .place = k};
        int64_t before;
        r->sweep->cells++;
        Diag why = {0};
        ok = identify(ids, t.cell, &t.id, &why) || blame(t.cell, &why, r->diag);
        diag_free(&why);
        if (!ok || map_get(&seen, t.id.key, KEY_DIGITS, &before)) {
            identity_free(&t.id);
            continue;
        }
        map_put(&seen, t.id.key, KEY_DIGITS, (int64_t)k);
        r->sweep->distinct++;
        Stored s = store_find(r->store, t.id.key);
        if (s == STORED_DONE || (s == STORED_FAILED && !o->retry)) {
            r->sweep->stored++;
            identity_free(&t.id);
            continue;
        }
        if (!store_estimate(r->store, &t.id, &t.seconds, &t.bytes)) t.seconds = -1;
        vec_push(&r->tasks, t);
    }
    map_free(&seen);
    identities_close(ids);
    if (r->tasks.n) qsort(r->tasks.v, r->tasks.n, sizeof *r->tasks.v, longest_first);
    r->sweep->to_run = r->tasks.n;
    return ok;
}

// --- running ------------------------------------------------------------------------------------------------------------------
// What is left: runs of known length by that, scaled as the ended ones were; the others by the mean of those that ended.
static double time_left(const Run *r)
{
    uint64_t ended = r->sweep->done + r->sweep->failed;
    if (!ended) return -1;
    double mean = r->spent / (double)ended, scale = r->expected > 0 ? r->known_spent / r->expected : 1, left = 0;
    for (size_t k = r->next; k < r->tasks.n; k++) left += r->tasks.v[k].seconds < 0 ? mean : r->tasks.v[k].seconds * scale;
    for (uint32_t j = 0; j < r->jobs; j++) {
        if (!r->slots[j].task) continue;
        double all = r->slots[j].task->seconds < 0 ? mean : r->slots[j].task->seconds * scale, gone = now_seconds() - r->slots[j].began;
        left += MAX(all - gone, 0);
    }
    return left / r->jobs;
}

static void show(Run *r, bool always)
{
    double now = now_seconds();
    if (!r->options->progress || (!always && now - r->shown < 0.2)) return;
    r->shown = now;
    r->sweep->seconds = now - r->began;
    r->sweep->left = time_left(r);
    r->options->progress(r->options->user, r->sweep);
}

static bool start_some(Run *r)
{
    double taken = 0, mean = 64e6;  // of a run whose need isn't known
    for (uint32_t j = 0; j < r->jobs; j++)
        if (r->slots[j].task) taken += MAX(r->slots[j].task->bytes, mean);
    for (uint32_t j = 0; j < r->jobs && r->next < r->tasks.n; j++) {
        Slot *s = &r->slots[j];
        if (s->task) continue;
        Task *t = &r->tasks.v[r->next];
        double need = MAX(t->bytes, mean);
        if (r->sweep->running && taken + need > r->memory) return true;  // one always runs
        if (!job_start(&s->job, t->cell, &t->id, r->diag)) return false;
        s->task = t;
        s->began = now_seconds();
        taken += need;
        r->next++;
        r->sweep->running++;
    }
    return true;
}

static bool keep(Run *r, Slot *s)
{
    Task *t = s->task;
    double took = now_seconds() - s->began;
    r->spent += took;
    if (t->seconds >= 0) r->expected += t->seconds, r->known_spent += took;
    r->sweep->running--;
    s->task = NULL;
    bool ok = store_absorb(r->store, s->job.result.v, s->job.result.n, NULL, r->diag);
    text_free(&s->job.result);
    if (ok && store_find(r->store, t->id.key) == STORED_DONE) r->sweep->done++;
    else r->sweep->failed++;
    show(r, true);
    return ok;
}

static bool stopped(const Run *r) { return r->options->stop && *r->options->stop; }

static bool wait_for_some(Run *r)
{
    Job *jobs[MAX_JOBS];
    size_t n = 0;
    for (uint32_t j = 0; j < r->jobs; j++)
        if (r->slots[j].task) jobs[n++] = &r->slots[j].job;
    if (!jobs_wait(jobs, n, 200, r->diag)) return false;
    for (uint32_t j = 0; j < r->jobs; j++)
        if (r->slots[j].task && r->slots[j].job.over && !keep(r, &r->slots[j])) return false;
    show(r, false);
    return true;
}

bool sweep_run(const Matrix *m, Store *store, const SweepOptions *o, Sweep *sweep, Diag *diag)
{
    *sweep = (Sweep){.left = -1};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    Run r = {.store = store, .options = o, .sweep = sweep, .diag = diag, .began = now_seconds()};
    r.jobs = o->jobs ? MIN(o->jobs, (uint32_t)MAX_JOBS) : (uint32_t)MAX(processors, 1);
    r.memory = o->memory ? (double)o->memory : available_memory() * 7 / 8;
    r.slots = mem_alloc(sizeof *r.slots * r.jobs);
    bool ok = plan(&r, m);
    while (ok && !stopped(&r) && (r.next < r.tasks.n || sweep->running)) ok = start_some(&r) && wait_for_some(&r);
    for (uint32_t j = 0; j < r.jobs; j++) job_kill(&r.slots[j].job);
    sweep->running = 0;
    sweep->seconds = now_seconds() - r.began;
    for (size_t k = 0; k < r.tasks.n; k++) identity_free(&r.tasks.v[k].id);
    vec_free(&r.tasks);
    mem_free(r.slots);
    return ok;
}

void sweep_free(Sweep *sweep) { text_free(&sweep->last_error); }
