// sweep.c: runs the cells of a matrix that the store lacks, in three steps.
//
// First every cell is read, so that a mistake anywhere is told before anything runs. Then the cells to run, here called
// tasks, are put in order: those of unknown length first, then longest first. Then tasks are handed out to seats. A
// seat has one run at a time, in a process of its own, here or on another rank. There are as many seats as jobs, and a
// seat stays empty where its run would take too much memory.
//
// A task waits, is in one seat, or is kept in the store. When a rank is lost its seats go and their tasks wait again;
// a result that it still sends finds no seat and is dropped.
#include "sweep/wire.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Task {
    Plan plan;
    double seconds, bytes;  // that its run is expected to take; seconds negative: unknown
    size_t place;           // of its cell in the matrix
} Task;

typedef struct Seat {
    int rank;    // 0: this process
    Job job;     // with another rank it has only the result, as far as it came
    Task *task;  // null: the seat is free
    double began;
} Seat;

typedef struct Peer {      // a rank, this one too
    double memory, taken;  // bytes that its runs may take together, and that the running ones are expected to take
    uint32_t running;
    double heard;  // the time of its last note
    bool lost;
} Peer;

typedef struct Run {
    Store *store;
    const SweepOptions *options;
    Sweep *sweep;
    Diag *diag;
    Planner *planner;
    VEC(Task) tasks;
    size_t next;        // the task to hand out next
    VEC(Task *) again;  // tasks of lost ranks, which are handed out before that
    VEC(Seat) seats;
    Peer *peers;
    Awake clock;  // for the times heard and said
    double said;  // when this rank last told the others that it is there
    double began, shown;
    double spent;                  // seconds of all runs that ended
    double expected, known_spent;  // of those whose time was known before: that time, and what they took
} Run;

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

Room sweep_room(const SweepOptions *o)
{
    long processors = o->ranks ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    double memory = o->memory ? (double)o->memory : available_memory() * 7 / 8;
    return (Room){o->jobs ? MIN(o->jobs, (uint32_t)MAX_JOBS) : (uint32_t)MAX(processors, 1),
                  o->ranks ? memory / o->ranks->neighbours : memory};
}

// --- what is to run --------------------------------------------------------------------------------------------------
static int longest_first(const void *a, const void *b)
{
    const Task *x = a, *y = b;
    if ((x->seconds < 0) != (y->seconds < 0)) return x->seconds < 0 ? -1 : 1;
    if (x->seconds != y->seconds && x->seconds >= 0) return x->seconds > y->seconds ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static bool plan(Run *r, const Matrix *m)
{
    const SweepOptions *o = r->options;
    Map seen = {0};
    bool ok = true;
    for (size_t k = 0; k < m->cells.n && ok; k++) {
        if (o->shards && k % o->shards != o->shard) continue;
        Task t = {.place = k};
        int64_t before;
        r->sweep->cells++;
        ok = matrix_plan(m, r->planner, &m->cells.v[k], &t.plan, r->diag);
        r->sweep->refused = !ok;
        if (!ok || map_get(&seen, t.plan.id.key, KEY_DIGITS, &before)) {
            plan_free(&t.plan);
            continue;
        }
        map_put(&seen, t.plan.id.key, KEY_DIGITS, (int64_t)k);
        r->sweep->distinct++;
        Stored s;
        bool known;
        ok = store_find(r->store, t.plan.id.key, &s, r->diag) &&
             store_estimate(r->store, &t.plan.id, &known, &t.seconds, &t.bytes, r->diag);
        bool out = ok && s == STORED_FAILED && search_left_out(t.plan.cell, r->store, t.plan.id.key);
        if (!ok || s == STORED_DONE || out || (s == STORED_FAILED && !o->retry)) {
            r->sweep->stored += ok;
            r->sweep->broken += ok && s == STORED_FAILED && !out;
            plan_free(&t.plan);
            continue;
        }
        if (!known) t.seconds = -1;
        vec_push(&r->tasks, t);
    }
    map_free(&seen);
    if (r->tasks.n) qsort(r->tasks.v, r->tasks.n, sizeof *r->tasks.v, longest_first);
    r->sweep->to_run = r->tasks.n;
    return ok;
}

// --- progress --------------------------------------------------------------------------------------------------------
// Estimates the seconds to the sweep's end. A run of known length counts with that length, times what the ended runs
// took over what they were expected to take. Any other counts with the mean of the ended runs.
static double time_left(const Run *r)
{
    uint64_t ended = r->sweep->done + r->sweep->failed;
    if (!ended) return -1;
    double mean = r->spent / (double)ended, scale = r->expected > 0 ? r->known_spent / r->expected : 1, left = 0;
    for (size_t k = r->next; k < r->tasks.n; k++)
        left += r->tasks.v[k].seconds < 0 ? mean : r->tasks.v[k].seconds * scale;
    for (size_t k = 0; k < r->again.n; k++) left += r->again.v[k]->seconds < 0 ? mean : r->again.v[k]->seconds * scale;
    for (size_t k = 0; k < r->seats.n; k++) {
        const Seat *s = &r->seats.v[k];
        if (!s->task) continue;
        double all = s->task->seconds < 0 ? mean : s->task->seconds * scale, gone = seconds_now() - s->began;
        left += MAX(all - gone, 0);
    }
    return left / (double)r->seats.n;
}

static void show(Run *r, bool always)
{
    double now = seconds_now();
    if (!r->options->progress || (!always && now - r->shown < 0.2)) return;
    r->shown = now;
    r->sweep->seconds = now - r->began;
    r->sweep->left = time_left(r);
    r->options->progress(r->options->user, r->sweep);
}

// --- handing out -----------------------------------------------------------------------------------------------------
static void add_seats(Run *r, int rank, Room room)
{
    r->peers[rank].memory = room.memory;
    for (uint32_t j = 0; j < room.jobs; j++) vec_push(&r->seats, (Seat){.rank = rank});
}

static double need(const Task *t) { return MAX(t->bytes, 64e6); }  // 64 MB where the need isn't known

static Task *next_task(const Run *r)
{
    if (r->again.n) return r->again.v[r->again.n - 1];
    return r->next < r->tasks.n ? &r->tasks.v[r->next] : NULL;
}

static void sit(Run *r, Seat *s, Task *t)
{
    Peer *p = &r->peers[s->rank];
    if (r->again.n)
        r->again.n--;
    else
        r->next++;
    p->taken += need(t);
    p->running++;
    r->sweep->running++;
    s->task = t;
    s->began = seconds_now();
}

static void rise(Run *r, Seat *s)
{
    Peer *p = &r->peers[s->rank];
    p->taken = --p->running ? p->taken - need(s->task) : 0;
    r->sweep->running--;
    s->task = NULL;
    job_kill(&s->job);
}

// Takes a rank for lost: its seats go, and their tasks are handed out again.
static void lose(Run *r, int rank)
{
    r->peers[rank].lost = true;
    for (size_t k = r->seats.n; k-- > 0;) {
        Seat *s = &r->seats.v[k];
        if (s->rank != rank) continue;
        if (s->task) {
            vec_push(&r->again, s->task);
            rise(r, s);
        }
        *s = r->seats.v[--r->seats.n];
    }
}

static bool hand_out(Run *r)
{
    for (size_t k = 0; k < r->seats.n; k++) {
        Seat *s = &r->seats.v[k];
        const Peer *p = &r->peers[s->rank];
        Task *t = next_task(r);
        if (!t) return true;
        if (s->task || (p->running && p->taken + need(t) > p->memory)) continue;  // one run is always allowed
        if (!s->rank && !job_start(&s->job, &t->plan, r->diag)) return false;
        Note note = {.kind = NOTE_RUN, .sweep = r->options->number, .place = t->place};
        const Identity *id = &t->plan.id;
        memcpy(note.key, *id->base ? id->base : id->key, sizeof id->key);
        sit(r, s, t);
        if (s->rank && !note_send(r->options->ranks, s->rank, &note, NULL, 0)) {
            lose(r, s->rank);
            return true;  // lose moved the seats; the caller comes again
        }
    }
    return true;
}

// --- keeping ---------------------------------------------------------------------------------------------------------
static bool keep(Run *r, Seat *s)
{
    Task *t = s->task;
    double took = seconds_now() - s->began;
    r->spent += took;
    if (t->seconds >= 0) r->expected += t->seconds, r->known_spent += took;
    bool ok = store_absorb(r->store, s->job.result.v, s->job.result.n, NULL, r->diag);
    rise(r, s);
    Stored found = STORED_NOT;
    ok = ok && plan_settle(r->planner, &t->plan, r->diag) && store_find(r->store, t->plan.id.key, &found, r->diag);
    if (ok && (found == STORED_DONE || search_left_out(t->plan.cell, r->store, t->plan.id.key)))
        r->sweep->done++;
    else
        r->sweep->failed++;
    show(r, true);
    return ok;
}

static bool wait_here(Run *r)
{
    Job *jobs[MAX_JOBS];
    size_t n = 0;
    for (size_t k = 0; k < r->seats.n; k++)
        if (!r->seats.v[k].rank && r->seats.v[k].task) jobs[n++] = &r->seats.v[k].job;
    if (!jobs_wait(jobs, n, r->options->ranks ? 1 : 200, r->diag)) return false;
    for (size_t k = 0; k < r->seats.n; k++)
        if (r->seats.v[k].job.over && !keep(r, &r->seats.v[k])) return false;
    return true;
}

// --- other ranks -----------------------------------------------------------------------------------------------------
static bool take_result(Run *r, int rank, const Note *note, const Text *bytes)
{
    for (size_t k = 0; k < r->seats.n; k++) {
        Seat *s = &r->seats.v[k];
        if (s->rank != rank || !s->task || s->task->place != note->place) continue;
        text_add(&s->job.result, bytes->v, bytes->n);
        return note->kind == NOTE_PART || keep(r, s);
    }
    return true;
}

static bool hear(Run *r, int rank, const Note *note, const Text *bytes)
{
    switch (note->kind) {
    case NOTE_HELLO:
        if (bytes->n != strlen(ONCHIP_VERSION) || memcmp(bytes->v, ONCHIP_VERSION, bytes->n))
            return diag_error(r->diag, "rank %d is onchip %.*s, rank 0 is %s", rank, (int)bytes->n,
                              bytes->v ? bytes->v : "", ONCHIP_VERSION);
        add_seats(r, rank, (Room){MIN(note->jobs, (uint32_t)MAX_JOBS), note->memory});
        return true;
    case NOTE_PART:
    case NOTE_RESULT: return take_result(r, rank, note, bytes);
    case NOTE_REFUSE:
        return diag_error(r->diag, "rank %d: %.*s", rank, (int)bytes->n, bytes->v ? bytes->v : "no reason");
    case NOTE_LEAVE:
    case NOTE_LOST: lose(r, rank); return true;
    default: return true;
    }
}

// Tells the other ranks every second that this one is there. Ranks that were silent for too long are taken for lost.
static void watch(Run *r)
{
    Ranks *ranks = r->options->ranks;
    double now = awake(&r->clock);
    bool say = now - r->said >= 1;
    if (say) r->said = now;
    for (int k = 1; k < ranks->size; k++) {
        if (r->peers[k].lost) continue;
        bool there = now - r->peers[k].heard <= ranks->silence &&
                     (!say || note_send(ranks, k, &(Note){.kind = NOTE_ALIVE}, NULL, 0));
        if (!there) lose(r, k);
    }
}

static bool listen(Run *r)
{
    Text bytes = {0};
    Note note;
    int from;
    bool ok = true;
    while (ok && note_next(r->options->ranks, &from, &note, &bytes)) {
        if (r->peers[from].lost || (note.kind != NOTE_LOST && note.sweep != r->options->number)) continue;
        r->peers[from].heard = awake(&r->clock);
        ok = hear(r, from, &note, &bytes);
    }
    text_free(&bytes);
    if (ok) watch(r);
    return ok;
}

// Sends a note to all ranks, even the lost ones: one that was only silent then goes on.
static void tell(const Run *r, NoteKind kind)
{
    Ranks *ranks = r->options->ranks;
    for (int k = 1; ranks && k < ranks->size; k++)
        note_send(ranks, k, &(Note){.kind = kind, .sweep = r->options->number}, NULL, 0);
}

// --- the whole -------------------------------------------------------------------------------------------------------
static bool go_on(const Run *r)
{
    return !(r->options->stop && *r->options->stop) && (next_task(r) || r->sweep->running);
}

bool sweep_run(const Matrix *m, Store *store, const SweepOptions *o, Sweep *sweep, Diag *diag)
{
    *sweep = (Sweep){.left = -1};
    Run r = {.store = store,
             .options = o,
             .sweep = sweep,
             .diag = diag,
             .planner = planner_open(store),
             .began = seconds_now()};
    r.peers = mem_alloc(sizeof *r.peers * (size_t)(o->ranks ? o->ranks->size : 1));
    add_seats(&r, 0, sweep_room(o));
    bool ok = plan(&r, m);
    const char *unused = planner_unused(r.planner);
    if (unused) snprintf(sweep->unused, sizeof sweep->unused, "%s", unused);
    bool called = ok && r.tasks.n;
    if (called) tell(&r, NOTE_BEGIN);
    while (ok && go_on(&r)) {
        ok = hand_out(&r) && wait_here(&r) && (!o->ranks || listen(&r));
        show(&r, false);
    }
    if (called) tell(&r, NOTE_END);
    for (size_t k = 0; k < r.seats.n; k++) job_kill(&r.seats.v[k].job);
    sweep->running = 0;
    sweep->seconds = seconds_now() - r.began;
    for (size_t k = 0; k < r.tasks.n; k++) plan_free(&r.tasks.v[k].plan);
    planner_close(r.planner);
    vec_free(&r.tasks), vec_free(&r.again), vec_free(&r.seats);
    mem_free(r.peers);
    return ok;
}
