// waits.c: the C library's functions that wait until a time, or for a time. They have their names here too.
//
// A deadline is one of the program's clock, which lies behind the host's: each is translated into the host's. When the
// host's has come there, the program's may still lack what it has stood for a call of CUDA in another thread; then the
// wait goes on. Whoever waits sleeps by its own wish, so that the program's clock moves on with the host's; so it does
// in waits that have an end, but don't name it (poll, usleep): these take as long as they say.
//
// Invariant: where the clock is the host's, each function is the library's own.
#include "cudart/unit.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
typedef struct timespec Time;

// The library's own function of this name; two threads may look it up at the same time, and find the same.
#define OWN(name)                                             \
    static __typeof__(&name) own;                             \
    if (!own) own = (__typeof__(own))dlsym(RTLD_NEXT, #name); \
    if (!own) return errno = ENOSYS, -1

// --- deadlines -------------------------------------------------------------------------------------------------------
typedef struct Deadline {
    Time at;  // of the host's
    int64_t lag;
    const Time *of;
} Deadline;

// A wait that is only a moment too short for a clock that stands isn't made again and again.
static void translate(Deadline *d)
{
    enum { MOMENT = 1000000, LATER = 1000 };  // nanoseconds
    d->lag = clock_lag();
    const int64_t by = d->lag + (clock_stands() ? MOMENT : LATER), rest = d->of->tv_nsec + by % SECOND;
    const int64_t carry = rest < 0 ? -1 : rest / SECOND;  // the program's clock may be ahead of the host's
    d->at = (Time){d->of->tv_sec + by / SECOND + carry, rest - carry * SECOND};
    if (d->at.tv_sec < 0) d->at = (Time){0};
}

// A thread that is cancelled meanwhile doesn't sleep any more.
static void wakes(void *unused)
{
    (void)unused;
    clock_sleeps(-1);
}

// What isn't a time is the library's to refuse.
static bool is_ours(const Time *until)
{
    return clock_is_simulated() && until && until->tv_sec >= 0 && until->tv_sec < INT64_MAX / 4 &&
           until->tv_nsec >= 0 && until->tv_nsec < SECOND;
}

// `call` waits until d.at, and leaves in r whether the time was over (late).
#define UNTIL(until, call, late)                 \
    do {                                         \
        Deadline d = {.of = (until)};            \
        pthread_cleanup_push(wakes, NULL);       \
        clock_sleeps(1);                         \
        do {                                     \
            translate(&d);                       \
            r = (call);                          \
        } while ((late) && clock_lag() > d.lag); \
        pthread_cleanup_pop(0);                  \
        const int error = errno;                 \
        clock_sleeps(-1);                        \
        errno = error;                           \
    } while (0)

// Functions that return an error, and such that leave it in errno.
#define RETURNS(name, parameters, until, ...)                  \
    int name parameters                                        \
    {                                                          \
        int r;                                                 \
        OWN(name);                                             \
        if (!is_ours(until)) return own(__VA_ARGS__, until);   \
        UNTIL(until, own(__VA_ARGS__, &d.at), r == ETIMEDOUT); \
        return r;                                              \
    }
#define LEAVES(type, name, parameters, until, ...)                          \
    type name parameters                                                    \
    {                                                                       \
        type r;                                                             \
        OWN(name);                                                          \
        if (!is_ours(until)) return own(__VA_ARGS__, until);                \
        UNTIL(until, own(__VA_ARGS__, &d.at), r < 0 && errno == ETIMEDOUT); \
        return r;                                                           \
    }

typedef pthread_mutex_t Mutex;
typedef pthread_rwlock_t Lock;
RETURNS(pthread_cond_timedwait, (pthread_cond_t *restrict c, Mutex *restrict m, const Time *restrict until), until, c,
        m)
RETURNS(pthread_cond_clockwait,
        (pthread_cond_t *restrict c, Mutex *restrict m, clockid_t id, const Time *restrict until), until, c, m, id)
RETURNS(pthread_mutex_timedlock, (Mutex *restrict m, const Time *restrict until), until, m)
RETURNS(pthread_mutex_clocklock, (Mutex *restrict m, clockid_t id, const Time *restrict until), until, m, id)
RETURNS(pthread_rwlock_timedrdlock, (Lock *restrict l, const Time *restrict until), until, l)
RETURNS(pthread_rwlock_timedwrlock, (Lock *restrict l, const Time *restrict until), until, l)
RETURNS(pthread_rwlock_clockrdlock, (Lock *restrict l, clockid_t id, const Time *restrict until), until, l, id)
RETURNS(pthread_rwlock_clockwrlock, (Lock *restrict l, clockid_t id, const Time *restrict until), until, l, id)
RETURNS(pthread_timedjoin_np, (pthread_t t, void **value, const Time *until), until, t, value)
RETURNS(pthread_clockjoin_np, (pthread_t t, void **value, clockid_t id, const Time *until), until, t, value, id)
LEAVES(int, sem_timedwait, (sem_t *restrict s, const Time *restrict until), until, s)
LEAVES(int, sem_clockwait, (sem_t *restrict s, clockid_t id, const Time *restrict until), until, s, id)
LEAVES(int, mq_timedsend, (mqd_t q, const char *text, size_t n, unsigned priority, const Time *until), until, q, text,
       n, priority)
LEAVES(ssize_t, mq_timedreceive,
       (mqd_t q, char *restrict text, size_t n, unsigned *restrict priority, const Time *restrict until), until, q,
       text, n, priority)

int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const Time *restrict until)
{
    int r;
    OWN(cnd_timedwait);
    if (!is_ours(until)) return own(c, m, until);
    UNTIL(until, own(c, m, &d.at), r == thrd_timedout);
    return r;
}

int mtx_timedlock(mtx_t *restrict m, const Time *restrict until)
{
    int r;
    OWN(mtx_timedlock);
    if (!is_ours(until)) return own(m, until);
    UNTIL(until, own(m, &d.at), r == thrd_timedout);
    return r;
}

// A processors' clock is no clock to sleep by here: the host's knows nothing of simulated time.
int clock_nanosleep(clockid_t id, int flags, const Time *until, Time *rest)
{
    int r;
    OWN(clock_nanosleep);
    const bool processors = id == CLOCK_PROCESS_CPUTIME_ID || id == CLOCK_THREAD_CPUTIME_ID;
    if (processors || !is_ours(until)) return own(id, flags, until, rest);
    if (flags & TIMER_ABSTIME)
        UNTIL(until, own(id, flags, &d.at, rest), !r);
    else
        UNTIL(until, own(id, flags, until, rest), false);
    return r;
}

// --- timers ----------------------------------------------------------------------------------------------------------
static void translate_timer(const struct itimerspec *from, struct itimerspec *to)
{
    Deadline d = {.of = &from->it_value};
    *to = *from;
    if (!from->it_value.tv_sec && !from->it_value.tv_nsec) return;  // it is stopped
    translate(&d);
    to->it_value = d.at;
}

int timer_settime(timer_t t, int flags, const struct itimerspec *restrict when, struct itimerspec *restrict before)
{
    struct itimerspec at;
    OWN(timer_settime);
    if (!(flags & TIMER_ABSTIME) || !when || !is_ours(&when->it_value)) return own(t, flags, when, before);
    translate_timer(when, &at);
    return own(t, flags, &at, before);
}

int timerfd_settime(int t, int flags, const struct itimerspec *when, struct itimerspec *before)
{
    struct itimerspec at;
    OWN(timerfd_settime);
    if (!(flags & TFD_TIMER_ABSTIME) || !when || !is_ours(&when->it_value)) return own(t, flags, when, before);
    translate_timer(when, &at);
    return own(t, flags, &at, before);
}

// --- waits for a time ------------------------------------------------------------------------------------------------
// `call` waits; ends: not for ever.
#define FOR(ends, call)                                    \
    do {                                                   \
        if (!clock_is_simulated() || !(ends)) return call; \
        pthread_cleanup_push(wakes, NULL);                 \
        clock_sleeps(1);                                   \
        r = call;                                          \
        pthread_cleanup_pop(0);                            \
        const int error = errno;                           \
        clock_sleeps(-1);                                  \
        errno = error;                                     \
        return r;                                          \
    } while (0)
#define LASTS(type, name, parameters, ends, ...) \
    type name parameters                         \
    {                                            \
        type r;                                  \
        OWN(name);                               \
        FOR(ends, own(__VA_ARGS__));             \
    }

LASTS(int, nanosleep, (const Time *how_long, Time *rest), true, how_long, rest)
LASTS(int, usleep, (useconds_t how_long), true, how_long)
LASTS(unsigned, sleep, (unsigned how_long), true, how_long)
LASTS(int, thrd_sleep, (const Time *how_long, Time *rest), true, how_long, rest)
LASTS(int, poll, (struct pollfd * files, nfds_t n, int most), most > 0, files, n, most)
LASTS(int, ppoll, (struct pollfd * files, nfds_t n, const Time *most, const sigset_t *mask), most, files, n, most, mask)
// What _FORTIFY_SOURCE makes of calls with an array.
int __poll_chk(struct pollfd *files, nfds_t n, int most, size_t bytes);
int __ppoll_chk(struct pollfd *files, nfds_t n, const Time *most, const sigset_t *mask, size_t bytes);
LASTS(int, __poll_chk, (struct pollfd * files, nfds_t n, int most, size_t bytes), most > 0, files, n, most, bytes)
LASTS(int, __ppoll_chk, (struct pollfd * files, nfds_t n, const Time *most, const sigset_t *mask, size_t bytes), most,
      files, n, most, mask, bytes)
LASTS(int, select,
      (int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict bad, struct timeval *restrict most), most, n,
      in, out, bad, most)
LASTS(int, pselect,
      (int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict bad, const Time *restrict most,
       const sigset_t *restrict mask),
      most, n, in, out, bad, most, mask)
LASTS(int, epoll_wait, (int file, struct epoll_event *events, int n, int most), most > 0, file, events, n, most)
LASTS(int, epoll_pwait, (int file, struct epoll_event *events, int n, int most, const sigset_t *mask), most > 0, file,
      events, n, most, mask)
LASTS(int, epoll_pwait2, (int file, struct epoll_event *events, int n, const Time *most, const sigset_t *mask), most,
      file, events, n, most, mask)
LASTS(int, sigtimedwait, (const sigset_t *restrict set, siginfo_t *restrict info, const Time *restrict most), most, set,
      info, most)

// --- futexes ---------------------------------------------------------------------------------------------------------
// C++'s futures and semaphores wait so; other raw system calls are as they are.
long syscall(long number, ...)
{
    long a[6], r;
    va_list args;
    va_start(args, number);
    for (int k = 0; k < 6; k++) a[k] = va_arg(args, long);
    va_end(args);
    static __typeof__(&syscall) own;
    static _Thread_local bool finding;  // dlsym may allocate, and a program's malloc may come here
    if (!own && !finding) finding = true, own = (__typeof__(own))dlsym(RTLD_NEXT, "syscall"), finding = false;
    if (!own) return errno = ENOSYS, -1;
    const long what = a[1] & FUTEX_CMD_MASK;
    const Time *until = (const Time *)(uintptr_t)a[3];
    if (number != SYS_futex || !until || (what != FUTEX_WAIT && what != FUTEX_WAIT_BITSET) || !is_ours(until))
        return own(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (what == FUTEX_WAIT) FOR(true, own(number, a[0], a[1], a[2], until, a[4], a[5]));
    UNTIL(until, own(number, a[0], a[1], a[2], &d.at, a[4], a[5]), r < 0 && errno == ETIMEDOUT);
    return r;
}
