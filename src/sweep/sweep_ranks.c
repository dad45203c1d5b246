// sweep_ranks.c: what ranks other than 0 do in a sweep under mpirun. Rank 0 plans, hands out and keeps (sweep.c). The
// others read the same command line, run the cells that rank 0 names, and send back what the run's process wrote. Rank
// 0 names a cell by its place in the matrix and its key. So a rank with another program, description or version of
// onchip notices, and refuses instead of running something else. Nothing here blocks, and waiting is sleeping: the
// processors are for the runs.
#include "sweep/wire.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { PAUSE_MS = 1, PART = 16 << 20 };  // bytes of a result in one message

// --- notes -----------------------------------------------------------------------------------------------------------
bool note_send(Ranks *r, int to, const Note *note, const void *bytes, size_t n)
{
    Text t = {0};
    text_add(&t, (const char *)note, sizeof *note);
    if (n) text_add(&t, bytes, n);
    bool ok = r->send(r, to, t.v, t.n);
    text_free(&t);
    return ok;
}

bool note_next(Ranks *r, int *from, Note *note, Text *bytes)
{
    size_t n = 0;
    Heard heard = r->poll(r, from, &n);
    bytes->n = 0;
    *note = (Note){.kind = NOTE_LOST};
    if (heard != HEARD_MESSAGE) return heard == HEARD_LOSS;
    char *all = mem_alloc(n + 1);
    r->take(r, all);
    if (n >= sizeof *note) {  // a shorter message isn't of this program: its sender counts as lost
        memcpy(note, all, sizeof *note);
        text_add(bytes, all + sizeof *note, n - sizeof *note);
    }
    mem_free(all);
    return true;
}

double awake(Awake *a)
{
    double now = seconds_now();
    if (a->at > 0) a->seconds += MIN(now - a->at, 1);
    a->at = now;
    return a->seconds;
}

// --- ranks other than 0 ----------------------------------------------------------------------------------------------
typedef struct Place {  // has one run at a time
    Job job;            // its plan null: the place is free
    Plan plan;
    uint64_t at;  // the cell's place in the matrix
} Place;

typedef struct Server {
    Ranks *ranks;
    const Matrix *matrix;
    Planner *planner;
    Place *places;
    Room room;
    Awake clock;
    double said, heard;  // when a note was last sent to rank 0, and came from it
    uint64_t sweep;
    NoteKind end;  // the note that ended the sweep; NOTE_ALIVE: it goes on
} Server;

static void say(Server *s, Note note, const void *bytes, size_t n)
{
    s->said = awake(&s->clock);
    note.sweep = s->sweep;
    if (!note_send(s->ranks, 0, &note, bytes, n)) s->end = NOTE_LOST;
}

// Waits until rank 0 sends everyone home or, where number isn't null, begins another sweep; that one's number goes to
// *number. Gives up when rank 0 was silent for limit seconds. Rank 0 sends notes every second only after NOTE_BEGIN:
// before, it may take long to plan. Returns whether a sweep began.
static bool wait_for_note(Ranks *r, int64_t *number, double limit)
{
    Awake clock = {0};
    double heard = 0;
    Text bytes = {0};
    Note note;
    int from;
    for (bool over = false, begun = false;;) {
        while (!over && !begun && note_next(r, &from, &note, &bytes)) {
            if (from) continue;
            heard = awake(&clock);
            begun = number && note.kind == NOTE_BEGIN;
            over = note.kind == NOTE_HOME || note.kind == NOTE_LOST;
        }
        if (begun) *number = (int64_t)note.sweep;
        if (begun || over || awake(&clock) - heard > limit) return text_free(&bytes), begun;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000}, NULL);
    }
}

static bool start(Server *s, const Note *note, Diag *diag)
{
    uint32_t k = 0;
    while (k < s->room.jobs && s->places[k].job.plan) k++;
    if (k == s->room.jobs || note->place >= s->matrix->cells.n)
        return diag_error(diag, "rank 0 has another matrix, or another version of onchip");
    Place *p = &s->places[k];
    const Cell *c = &s->matrix->cells.v[note->place];
    p->at = note->place;
    const Identity *id = &p->plan.id;
    if (!plan_cell(s->planner, c, &p->plan, diag)) return false;
    if (!strncmp(id->key, note->key, sizeof id->key)) return job_start(&p->job, &p->plan, diag);
    return diag_error(
        diag,
        "%s %s on %s has another key than on rank 0: another version of onchip there, other files or other arguments",
        id->program, id->params, id->gpu);
}

static void leave_place(Place *p)
{
    job_kill(&p->job);
    plan_free(&p->plan);
}

static void send_result(Server *s, Place *p)
{
    const Text *t = &p->job.result;
    for (size_t at = 0, n; at < t->n; at += n) {
        n = MIN(t->n - at, (size_t)PART);
        say(s, (Note){.kind = at + n < t->n ? NOTE_PART : NOTE_RESULT, .place = p->at}, t->v + at, n);
    }
    leave_place(p);
}

static bool listen(Server *s, Diag *diag)
{
    Text bytes = {0};
    Note note;
    int from;
    bool ok = true;
    while (ok && s->end == NOTE_ALIVE && note_next(s->ranks, &from, &note, &bytes)) {
        if (from) continue;  // only rank 0 has anything to say
        s->heard = awake(&s->clock);
        if (note.kind == NOTE_RUN) ok = start(s, &note, diag);
        if (note.kind == NOTE_HOME || note.kind == NOTE_LOST || (note.kind == NOTE_END && note.sweep == s->sweep))
            s->end = note.kind;
    }
    text_free(&bytes);
    if (awake(&s->clock) - s->heard > s->ranks->silence) s->end = NOTE_LOST;
    return ok;
}

static bool work(Server *s, Diag *diag)
{
    Job *jobs[MAX_JOBS];
    size_t n = 0;
    for (uint32_t k = 0; k < s->room.jobs; k++)
        if (s->places[k].job.plan) jobs[n++] = &s->places[k].job;
    if (!jobs_wait(jobs, n, PAUSE_MS, diag)) return false;
    for (uint32_t k = 0; k < s->room.jobs; k++)
        if (s->places[k].job.over) send_result(s, &s->places[k]);
    if (awake(&s->clock) - s->said >= 1) say(s, (Note){.kind = NOTE_ALIVE}, NULL, 0);
    return true;
}

int64_t sweep_called(Ranks *r)
{
    int64_t number;
    return wait_for_note(r, &number, HUGE_VAL) ? number : -1;
}

void sweep_refuse(const SweepOptions *o, const char *why)
{
    Note note = {.kind = NOTE_REFUSE, .sweep = o->number};
    if (note_send(o->ranks, 0, &note, why, strlen(why))) wait_for_note(o->ranks, NULL, o->ranks->silence);
}

bool sweep_serve(const Matrix *m, const SweepOptions *o)
{
    Server s = {.ranks = o->ranks,
                .matrix = m,
                .planner = planner_open(NULL),
                .room = sweep_room(o),
                .sweep = o->number,
                .end = NOTE_ALIVE};
    Diag diag = {0};
    bool ok = true;
    s.places = mem_alloc(sizeof *s.places * s.room.jobs);
    say(&s, (Note){.kind = NOTE_HELLO, .jobs = s.room.jobs, .memory = s.room.memory}, ONCHIP_VERSION,
        strlen(ONCHIP_VERSION));
    while (ok && s.end == NOTE_ALIVE && !(o->stop && *o->stop)) ok = listen(&s, &diag) && work(&s, &diag);
    for (uint32_t k = 0; k < s.room.jobs; k++) leave_place(&s.places[k]);
    if (!ok) {
        sweep_refuse(o, diag.text.v);
    } else if (s.end == NOTE_ALIVE) {
        say(&s, (Note){.kind = NOTE_LEAVE}, NULL, 0);
        if (s.end == NOTE_ALIVE) wait_for_note(s.ranks, NULL, s.ranks->silence);
    }
    mem_free(s.places);
    planner_close(s.planner);
    diag_free(&diag);
    return s.end == NOTE_END;
}
