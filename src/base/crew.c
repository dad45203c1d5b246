// crew.c: host threads that share the tasks of a phase. A phase is short (tens of microseconds), so members spin for a
// while before they sleep. Task k belongs to thread k mod threads, so that an SM's state stays in one core's cache; who
// has none left takes from the others. Members that are slow to come are not waited for: only tasks that were taken
// are. Which thread runs a task makes no difference to what is computed.
//
// A fork copies a crew but not its threads. The process is asked for by number before a launch; in another one than
// that of the threads they are begun anew. The lock is made anew, too: a thread that isn't there may hold it.
#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

// Tasks of one thread in one phase, in a word so that taking one is a single addition: the phase's number, how many
// there are, and the next one. Those that come first have a word of their own.
typedef struct Lane {
    _Alignas(64) atomic_ullong word[2];
} Lane;
#define WORD(phase, n) ((unsigned long long)(phase) << 40 | (unsigned long long)(n) << 20)
#define FIELD(word, shift) ((uint32_t)((word) >> (shift)) & 0xfffffu)

struct Crew {
    uint32_t threads;
    pid_t process;  // in which the threads are
    pthread_t *ids;
    Lane *lanes;
    _Alignas(64) atomic_uint done;
    _Alignas(64) atomic_uint gate;  // the last phase whose task 0 is done
    _Alignas(64) atomic_uint phase;
    atomic_uint sleepers;
    atomic_bool quit;
    pthread_mutex_t lock;
    pthread_cond_t start;
    uint32_t first;  // tasks that come first
    void (*task)(void *, uint32_t);
    void *user;
};
typedef struct Member {
    Crew *crew;
    uint32_t number;
} Member;

static void pause_cpu(uint32_t spins)
{
    if (spins % 2048 == 2047) sched_yield();
#if defined(__x86_64__)
    else
        __builtin_ia32_pause();
#endif
}

// Whoever was slow may have come to the next phase by now, so the word says which one's gate has to be open.
static void pass_gate(Crew *c, unsigned long long word)
{
    for (uint32_t spin = 0; FIELD((unsigned long long)atomic_load(&c->gate), 0) != FIELD(word, 40); spin++)
        pause_cpu(spin);
}

// Takes the tasks of a lane that come first, or the others.
static void take(Crew *c, uint32_t owner, bool others)
{
    atomic_ullong *word = &c->lanes[owner].word[others];
    for (;;) {
        unsigned long long w = atomic_load(word);
        if (FIELD(w, 0) >= FIELD(w, 20)) return;
        w = atomic_fetch_add(word, 1);
        if (FIELD(w, 0) >= FIELD(w, 20)) return;
        const uint32_t k = owner + FIELD(w, 0) * c->threads;
        if (others) pass_gate(c, w);
        c->task(c->user, others ? c->first + k : k);
        if (!others && !k) atomic_store(&c->gate, FIELD(w, 40));
        atomic_fetch_add(&c->done, 1);
    }
}

static void work(Crew *c, uint32_t me)
{
    for (int others = 0; others < 2; others++)
        for (uint32_t step = 0; step < c->threads; step++) take(c, (me + step) % c->threads, others);
}

static void *member(void *arg)
{
    Crew *c = ((Member *)arg)->crew;
    uint32_t me = ((Member *)arg)->number;
    mem_free(arg);
    for (unsigned seen = 0; !atomic_load(&c->quit);) {
        for (uint32_t spin = 0; atomic_load(&c->phase) == seen && spin < 40000; spin++) pause_cpu(spin);
        if (atomic_load(&c->phase) == seen) {
            pthread_mutex_lock(&c->lock);
            atomic_fetch_add(&c->sleepers, 1);
            while (atomic_load(&c->phase) == seen) pthread_cond_wait(&c->start, &c->lock);
            atomic_fetch_sub(&c->sleepers, 1);
            pthread_mutex_unlock(&c->lock);
        }
        seen = atomic_load(&c->phase);
        if (!atomic_load(&c->quit)) work(c, me);
    }
    return NULL;
}

static void next_phase(Crew *c)
{
    atomic_fetch_add(&c->phase, 1);
    if (!atomic_load(&c->sleepers)) return;
    pthread_mutex_lock(&c->lock);
    pthread_cond_broadcast(&c->start);
    pthread_mutex_unlock(&c->lock);
}

static void start_members(Crew *c)
{
    c->process = getpid();
    atomic_store(&c->phase, 0);
    atomic_store(&c->sleepers, 0);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->start, NULL);
    for (uint32_t t = 1; t < c->threads; t++) {
        Member *m = mem_alloc(sizeof *m);
        *m = (Member){c, t};
        if (!pthread_create(&c->ids[t], NULL, member, m)) continue;
        mem_free(m);  // the host gives no more: its lane is worked off by the others
        c->ids[t] = pthread_self();
    }
}

Crew *crew_open(uint32_t threads)
{
    Crew *c = aligned_alloc(64, (sizeof *c + 63) & ~(size_t)63);
    if (!c) abort();
    *c = (Crew){.threads = MAX(threads, 1u)};
    c->lanes = aligned_alloc(64, sizeof *c->lanes * c->threads);
    if (!c->lanes) abort();
    for (uint32_t t = 0; t < c->threads; t++)
        for (int others = 0; others < 2; others++) atomic_init(&c->lanes[t].word[others], 0);
    if (c->threads == 1) return c;
    c->ids = mem_alloc(sizeof *c->ids * c->threads);
    start_members(c);
    return c;
}

void crew_muster(Crew *c)
{
    if (c && c->threads > 1 && c->process != getpid()) start_members(c);
}

// A lane's tasks, of n.
static uint32_t share(const Crew *c, uint32_t lane, uint32_t n)
{
    return lane < n ? (n - lane + c->threads - 1) / c->threads : 0;
}

void crew_run(Crew *c, uint32_t first, uint32_t n, void (*task)(void *user, uint32_t k), void *user)
{
    if (!c || c->threads == 1) {
        for (uint32_t k = 0; k < first + n; k++) task(user, k);
        return;
    }
    c->task = task;
    c->user = user;
    c->first = first;
    atomic_store(&c->done, 0);
    unsigned phase = atomic_load(&c->phase) + 1;
    if (!first) atomic_store(&c->gate, FIELD(WORD(phase, 0), 40));
    for (uint32_t t = 0; t < c->threads; t++) {
        atomic_store(&c->lanes[t].word[0], WORD(phase, share(c, t, first)));
        atomic_store(&c->lanes[t].word[1], WORD(phase, share(c, t, n)));
    }
    next_phase(c);
    work(c, 0);
    for (uint32_t spin = 0; atomic_load(&c->done) < first + n; spin++) pause_cpu(spin);
}

void crew_close(Crew *c)
{
    if (!c) return;
    if (c->threads > 1 && c->process == getpid()) {
        atomic_store(&c->quit, true);
        next_phase(c);
        for (uint32_t t = 1; t < c->threads; t++)
            if (!pthread_equal(c->ids[t], pthread_self())) pthread_join(c->ids[t], NULL);
        pthread_mutex_destroy(&c->lock);
        pthread_cond_destroy(&c->start);
    }
    mem_free(c->ids);
    free(c->lanes);
    free(c);
}
