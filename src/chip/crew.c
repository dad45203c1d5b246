// crew.c: host threads that share the tasks of a phase. A phase is short (microseconds), so the threads spin on a
// generation number for a while before they sleep on it. Tasks are taken from a counter; which thread runs which makes
// no difference to what is computed.
#include "chip/chip.h"

#include <pthread.h>
#include <stdatomic.h>

struct Crew {
    uint32_t threads;
    pthread_t *ids;
    pthread_mutex_t lock;
    pthread_cond_t start;
    atomic_uint generation, next, done;
    atomic_bool quit;
    uint32_t n, sleepers;
    void (*task)(void *, uint32_t);
    void *user;
};

static void work(Crew *c)
{
    uint32_t k;
    while ((k = atomic_fetch_add(&c->next, 1)) < c->n) c->task(c->user, k);
}

static void pause_cpu(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void *member(void *arg)
{
    Crew *c = arg;
    unsigned seen = 0;
    for (;;) {
        for (int spin = 0; atomic_load(&c->generation) == seen && spin < 20000; spin++) pause_cpu();
        if (atomic_load(&c->generation) == seen) {
            pthread_mutex_lock(&c->lock);
            c->sleepers++;
            while (atomic_load(&c->generation) == seen) pthread_cond_wait(&c->start, &c->lock);
            c->sleepers--;
            pthread_mutex_unlock(&c->lock);
        }
        seen = atomic_load(&c->generation);
        if (atomic_load(&c->quit)) return NULL;
        work(c);
        atomic_fetch_add(&c->done, 1);
    }
}

Crew *crew_open(uint32_t threads)
{
    Crew *c = mem_alloc(sizeof *c);
    c->threads = threads > 1 ? threads - 1 : 0;
    if (!c->threads) return c;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->start, NULL);
    c->ids = mem_alloc(sizeof *c->ids * c->threads);
    for (uint32_t t = 0; t < c->threads; t++)
        if (pthread_create(&c->ids[t], NULL, member, c)) {
            c->threads = t;
            break;
        }
    return c;
}

static void signal_start(Crew *c)
{
    pthread_mutex_lock(&c->lock);
    atomic_fetch_add(&c->generation, 1);
    if (c->sleepers) pthread_cond_broadcast(&c->start);
    pthread_mutex_unlock(&c->lock);
}

void crew_run(Crew *c, uint32_t n, void (*task)(void *user, uint32_t k), void *user)
{
    if (!c->threads) {
        for (uint32_t k = 0; k < n; k++) task(user, k);
        return;
    }
    c->task = task;
    c->user = user;
    c->n = n;
    atomic_store(&c->next, 0);
    atomic_store(&c->done, 0);
    signal_start(c);
    work(c);
    while (atomic_load(&c->done) < c->threads) pause_cpu();
}

void crew_close(Crew *c)
{
    if (!c) return;
    if (c->threads) {
        atomic_store(&c->quit, true);
        signal_start(c);
        for (uint32_t t = 0; t < c->threads; t++) pthread_join(c->ids[t], NULL);
        pthread_mutex_destroy(&c->lock);
        pthread_cond_destroy(&c->start);
    }
    mem_free(c->ids);
    mem_free(c);
}
