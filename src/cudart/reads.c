// reads.c: the C library's functions that read a clock. They have their names here too, and answer from the program's
// own clock (clock.c) where that is simulated; else they call the library's own. The clocks of C++, Fortran and OpenMP
// are made of them. Those of the processors count simulated time, too, since a call of CUDA's waits by turning round;
// a thread's is the process's.
//
// Invariant: a handler of a signal may call these, and so may whoever runs before this library has begun.
#include "cudart/unit.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
struct timeb {  // of <sys/timeb.h>, which is going away
    time_t time;
    unsigned short millitm;
    short timezone, dstflag;
};
int ftime(struct timeb *to);

static struct {
    bool finding;
    __typeof__(clock_gettime) *clock_gettime;
    __typeof__(gettimeofday) *gettimeofday;
    __typeof__(time) *time;
    __typeof__(clock) *clock;
    __typeof__(timespec_get) *timespec_get;
    __typeof__(times) *times;
    __typeof__(getrusage) *getrusage;
    __typeof__(ftime) *ftime;
} own;

// dlsym may allocate, and a program's malloc may read a clock.
__attribute__((constructor)) static void find(void)
{
#define FIND(name) own.name = (__typeof__(own.name))dlsym(RTLD_NEXT, #name)
    if (own.finding) return;
    own.finding = true;
    FIND(gettimeofday), FIND(time), FIND(clock), FIND(timespec_get), FIND(times), FIND(getrusage), FIND(ftime);
    FIND(clock_gettime);
#undef FIND
}

int64_t clock_host(int id)
{
    struct timespec t = {0};
    if (own.clock_gettime)
        own.clock_gettime(id, &t);
    else
        syscall(SYS_clock_gettime, id, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

// Where the C library's own functions are to be called, if they are known by now.
static bool is_hosts(void)
{
    const bool simulated = clock_is_simulated();
    clock_was_read(simulated);
    if (!simulated) find();
    return !simulated;
}

static int64_t shown(int id)
{
    if (!clock_is_simulated()) return clock_host(id);
    const Elapsed e = clock_elapsed();
    return clock_base(id) + (id == CLOCK_PROCESS_CPUTIME_ID || id == CLOCK_THREAD_CPUTIME_ID ? e.busy : e.all);
}

int clock_gettime(clockid_t id, struct timespec *to)
{
    if ((is_hosts() || clock_base(id) < 0) && own.clock_gettime) return own.clock_gettime(id, to);
    const int64_t now = shown(id);
    *to = (struct timespec){now / SECOND, now % SECOND};
    return 0;
}

int gettimeofday(struct timeval *restrict to, void *restrict zone)
{
    if ((is_hosts() || zone) && own.gettimeofday) return own.gettimeofday(to, zone);
    const int64_t now = shown(CLOCK_REALTIME);
    *to = (struct timeval){now / SECOND, now % SECOND / 1000};
    return 0;
}

time_t time(time_t *to)
{
    if (is_hosts() && own.time) return own.time(to);
    const time_t now = shown(CLOCK_REALTIME) / SECOND;
    if (to) *to = now;
    return now;
}

int timespec_get(struct timespec *to, int base)
{
    if ((is_hosts() || base != TIME_UTC) && own.timespec_get) return own.timespec_get(to, base);
    const int64_t now = shown(CLOCK_REALTIME);
    *to = (struct timespec){now / SECOND, now % SECOND};
    return base;
}

int ftime(struct timeb *to)
{
    if (is_hosts() && own.ftime) return own.ftime(to);
    const int64_t now = shown(CLOCK_REALTIME);
    *to = (struct timeb){.time = now / SECOND, .millitm = (unsigned short)(now % SECOND / 1000000)};
    return 0;
}

// --- the processors' time --------------------------------------------------------------------------------------------
clock_t clock(void)
{
    if (is_hosts() && own.clock) return own.clock();
    return shown(CLOCK_PROCESS_CPUTIME_ID) / (SECOND / CLOCKS_PER_SEC);
}

// What the system has done for the program counts as its own doing here.
clock_t times(struct tms *to)
{
    const bool hosts = is_hosts();
    const clock_t host = own.times ? own.times(to) : (clock_t)-1;
    if (hosts || host == (clock_t)-1) return host;
    const int64_t tick = SECOND / sysconf(_SC_CLK_TCK);
    if (to) to->tms_utime = shown(CLOCK_PROCESS_CPUTIME_ID) / tick, to->tms_stime = 0;
    return shown(CLOCK_MONOTONIC) / tick;
}

int getrusage(__rusage_who_t who, struct rusage *to)
{
    const bool hosts = is_hosts();
    const int error = own.getrusage ? own.getrusage(who, to) : -1;
    if (hosts || error || who != RUSAGE_SELF) return error;
    const int64_t now = shown(CLOCK_PROCESS_CPUTIME_ID);
    to->ru_utime = (struct timeval){now / SECOND, now % SECOND / 1000}, to->ru_stime = (struct timeval){0};
    return 0;
}
