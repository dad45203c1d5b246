// clock.c: the program's own clock. What a program reads of it (reads.c) is the time at which it began, and on top of
// that the simulated time of the GPU and of its link, as onchip's answers tell it, and the program's own time: that of
// its processors between calls of CUDA, and what it has slept by its own wish (waits.c). While a thread is in a
// function of CUDA's, simulated time alone passes: how long onchip takes is no time of the program's.
//
// The own time is added up from sample to sample. One is taken whenever a thread enters or leaves CUDA, begins or ends
// to sleep, or reads the clock. Several threads that compute side by side take no longer than the host's clock says.
//
// Invariant: the clock never goes back, in no thread. Reading it neither waits nor allocates, so that a signal's
// handler may; and nothing of it reaches onchip but which clocks were read.
#include "cudart/unit.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define QUICK __attribute__((tls_model("initial-exec")))  // a handler may be the first to use it
enum { IDS = CLOCK_TAI + 1 };

static struct {
    atomic_bool begun, busy;        // busy: somebody takes a sample
    bool inherited;                 // children of this process that it forks have its clock
    int64_t base[IDS];              // what each clock showed at the beginning
    int64_t began;                  // of the host's CLOCK_MONOTONIC
    int64_t wall, spent;            // at the last sample: the host's clock, and the processors' time
    double now;                     // of the simulated host, at the last answer; the client's lock is its lock
    atomic_int inside, asleep;      // threads
    _Atomic int64_t own, cpu, gpu;  // nanoseconds: own time with and without sleep; simulated
    atomic_uint missed;             // samples in a row that another one was in the way of
    atomic_uint read, told;         // WIRE_READ_…
} clocks;
atomic_bool clock_on;
static _Thread_local QUICK int depth;  // calls of CUDA's functions that this thread is in

int64_t clock_base(int id) { return id >= 0 && id < IDS ? clocks.base[id] : -1; }

// --- samples ---------------------------------------------------------------------------------------------------------
static void add(_Atomic int64_t *to, int64_t n) { atomic_fetch_add_explicit(to, n, memory_order_relaxed); }

// Who was where is asked before the time is: a thread that comes or goes meanwhile may have found no time to do this.
static void take_sample(void)
{
    const bool stands = clocks.inside, asleep = clocks.asleep;
    const int64_t wall = clock_host(CLOCK_MONOTONIC), spent = clock_host(CLOCK_PROCESS_CPUTIME_ID);
    const int64_t passed = MAX(wall - clocks.wall, 0), busy = MAX(spent - clocks.spent, 0);
    if (!stands) {
        add(&clocks.own, asleep ? passed : MIN(passed, busy));
        add(&clocks.cpu, busy);
    }
    clocks.wall = wall, clocks.spent = spent;
}

// If another thread takes one, or the one that a handler has interrupted, that will do. A handler may also have jumped
// out of one, which then never ends: a clock that stood for ever would be worse than two samples at a time.
static void sample(void)
{
    enum { TRIES = 1000, MISSES = 1000 };
    int k = 0;
    while (atomic_exchange_explicit(&clocks.busy, true, memory_order_acquire)) {
        if (++k < TRIES) continue;
        if (++clocks.missed <= MISSES) return;
        clocks.missed = 0;
        clocks.busy = false;
    }
    take_sample();
    clocks.missed = 0;
    atomic_store_explicit(&clocks.busy, false, memory_order_release);
}

Elapsed clock_elapsed(void)
{
    sample();
    const int64_t own = clocks.own, cpu = clocks.cpu, gpu = clocks.gpu;
    return (Elapsed){own + gpu, cpu + gpu};
}

int64_t clock_lag(void)
{
    const Elapsed e = clock_elapsed();
    return clock_host(CLOCK_MONOTONIC) - clocks.began - e.all;
}

void clock_sleeps(int by)
{
    sample();
    clocks.asleep += by;
}

bool clock_stands(void) { return clocks.inside; }

// --- CUDA's functions ------------------------------------------------------------------------------------------------
void clock_enter(void)
{
    if (depth++) return;
    sample();
    clocks.inside++;
}

void clock_leave(void)
{
    if (--depth) return;
    sample();
    clocks.inside--;
}

int clock_outside(void)
{
    const int before = depth;
    depth = MIN(depth, 1);
    if (before) clock_leave();
    return before;
}

void clock_inside(int before)
{
    if (before) clock_enter();
    depth = before;
}

void clock_nap(unsigned microseconds)
{
    const struct timespec t = {microseconds / 1000000, microseconds % 1000000 * 1000L};
    const int before = clock_outside();
    syscall(SYS_nanosleep, &t, NULL);  // the library's function is one of waits.c, and would count as the program's
    clock_inside(before);
}

// --- simulated time --------------------------------------------------------------------------------------------------
void clock_start(double now) { clocks.now = now; }

void clock_move(double now)
{
    if (now > clocks.now) add(&clocks.gpu, (int64_t)((now - clocks.now) * 1e9));
    clocks.now = now;
}

// --- which one it is -------------------------------------------------------------------------------------------------
bool clock_is_simulated(void) { return clock_on && !depth; }

void clock_was_read(bool simulated)
{
    const unsigned bit = simulated ? WIRE_READ_SIMULATED : WIRE_READ_HOST;
    if (!(clocks.read & bit)) clocks.read |= bit;
}

bool clock_unsaid(void) { return clocks.read != clocks.told; }

uint32_t clock_said(void)
{
    const uint32_t read = clocks.read;
    return read == clocks.told ? 0 : (clocks.told = read);
}

static void rebase(void)
{
    clocks.wall = clock_host(CLOCK_MONOTONIC), clocks.spent = clock_host(CLOCK_PROCESS_CPUTIME_ID);
    clocks.busy = false;
    clocks.inside = clocks.asleep = 0;
}

// Only the thread that forked is there. It has used no processor yet.
static void forked(void)
{
    if (!clock_on) return;
    rebase();
    depth = 0;
    clock_on = clocks.inherited;
}

// Without a wish, simulated time is for a program that does itself use CUDA, and not for its children, for scripts and
// for interpreters, which time other things, too.
void clock_begin(bool uses_cuda)
{
    const char *wish = getenv(CLOCK_VARIABLE);
    if (atomic_exchange(&clocks.begun, true)) return;
    clocks.inherited = wish && !strcmp(wish, CLOCK_SIMULATED);
    if (!clocks.inherited && (!uses_cuda || (wish && !strcmp(wish, CLOCK_HOST)))) return;
    for (int id = 0; id < IDS; id++) clocks.base[id] = clock_host(id);
    clocks.began = clocks.base[CLOCK_MONOTONIC];
    rebase();
    pthread_atfork(NULL, NULL, forked);
    clock_on = true;
}
