// clocks.cu: a program that times itself. `clocks times` times eight kinds of work by five clocks each, and prints a
// line for each of the forty: its name, how many kernels it launched, and the milliseconds that the clock showed.
// `clocks waits` waits until a time of its clock and for a time, in every way there is, and prints what was wrong; the
// host's time it knows by a raw system call. `clocks fork` compares both in a child.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <errno.h>
#include <future>
#include <mutex>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <thread>
#include <threads.h>
#include <unistd.h>

__global__ void spin(int *x, int n)
{
    int v = *x;
    for (int k = 0; k < n; k++) v = v * 1664525 + 1013904223;
    *x = v;
}

// --- clocks, in milliseconds -----------------------------------------------------------------------------------------
static double of(timespec t) { return t.tv_sec * 1e3 + t.tv_nsec * 1e-6; }
template <int id> static double posix()
{
    timespec t;
    clock_gettime(id, &t);
    return of(t);
}
template <class Clock> static double chrono()
{
    return std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
}
static double day()
{
    timeval t;
    gettimeofday(&t, nullptr);
    return t.tv_sec * 1e3 + t.tv_usec * 1e-3;
}
static double standard() { return clock() * 1e3 / CLOCKS_PER_SEC; }
static double c11()
{
    timespec t;
    timespec_get(&t, TIME_UTC);
    return of(t);
}
static double usage()
{
    rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e3 + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-3;
}
static double openmp()
{
    static auto wtime = (double (*)())dlsym(dlopen("libgomp.so.1", RTLD_NOW), "omp_get_wtime");
    return wtime ? wtime() * 1e3 : posix<CLOCK_MONOTONIC>();
}
static const struct {
    const char *name;
    double (*read)();
} clocks[] = {{"realtime", posix<CLOCK_REALTIME>},
              {"monotonic", posix<CLOCK_MONOTONIC>},
              {"raw", posix<CLOCK_MONOTONIC_RAW>},
              {"boottime", posix<CLOCK_BOOTTIME>},
              {"process", posix<CLOCK_PROCESS_CPUTIME_ID>},
              {"thread", posix<CLOCK_THREAD_CPUTIME_ID>},
              {"gettimeofday", day},
              {"clock", standard},
              {"timespec_get", c11},
              {"getrusage", usage},
              {"omp_get_wtime", openmp},
              {"steady_clock", chrono<std::chrono::steady_clock>},
              {"system_clock", chrono<std::chrono::system_clock>},
              {"high_resolution_clock", chrono<std::chrono::high_resolution_clock>}};

// --- what is timed; each returns the number of its kernels -----------------------------------------------------------
enum { LONG = 40000, COPY = 32 << 20 };
static int *x, *shared, *plain, *large;
static cudaStream_t streams[2];
static cudaEvent_t event;

static int kernel() { return spin<<<1, 32>>>(x, LONG), cudaDeviceSynchronize(), 1; }
static int kernels()
{
    for (int k = 0; k < 5; k++) spin<<<1, 32, 0, streams[0]>>>(x, LONG / 4);
    return cudaStreamSynchronize(streams[0]), 5;
}
static int copy()
{
    spin<<<1, 32, 0, streams[0]>>>(x, LONG / 4);
    cudaMemcpyAsync(large, plain, COPY, cudaMemcpyHostToDevice, streams[0]);
    spin<<<1, 32, 0, streams[0]>>>(x, LONG / 4);
    return cudaStreamSynchronize(streams[0]), 2;
}
static int both()
{
    for (cudaStream_t s : streams) spin<<<1, 32, 0, s>>>(x, LONG);
    for (cudaStream_t s : streams) cudaStreamSynchronize(s);
    return 2;
}
static int managed()
{
    spin<<<1, 32>>>(shared, LONG);
    cudaDeviceSynchronize();
    return *(volatile int *)shared == 1 ? 0 : 1;
}
static int events()
{
    spin<<<1, 32>>>(x, LONG);
    cudaEventRecord(event);
    return cudaEventSynchronize(event), 1;
}
static int blocking()
{
    int v;
    spin<<<1, 32>>>(x, LONG);
    return cudaMemcpy(&v, x, sizeof v, cudaMemcpyDeviceToHost), 1;
}
// Another thread launches, and waits; it is there before, since to begin one takes the program about 0.1 ms of its own.
struct Other {
    std::mutex lock;
    std::condition_variable changed;
    bool wanted = false;
};
static Other &other = *new Other;  // never destroyed, since the thread waits until the end
static void serve_other()
{
    std::unique_lock<std::mutex> l(other.lock);
    for (;; other.wanted = false, other.changed.notify_all()) {
        other.changed.wait(l, [] { return other.wanted; });
        kernel();
    }
}
static int threaded()
{
    std::unique_lock<std::mutex> l(other.lock);
    other.wanted = true, other.changed.notify_all();
    other.changed.wait(l, [] { return !other.wanted; });
    return 1;
}
static const struct {
    const char *name;
    int (*run)();
} parts[] = {{"kernel", kernel},   {"kernels", kernels}, {"copy", copy},         {"streams", both},
             {"managed", managed}, {"events", events},   {"blocking", blocking}, {"thread", threaded}};

static void begin()
{
    cudaMalloc(&x, sizeof *x), cudaMalloc(&large, COPY), plain = (int *)malloc(COPY);
    cudaMallocManaged(&shared, sizeof *shared);
    for (cudaStream_t &s : streams) cudaStreamCreate(&s);
    cudaEventCreate(&event);
    memset(plain, 1, COPY);
    std::thread(serve_other).detach();
    for (auto &p : parts) p.run();
}

static void times()
{
    const int n = sizeof clocks / sizeof *clocks;
    int row = 0;
    begin();
    for (auto &c : clocks) c.read();
    for (auto &p : parts)
        for (int k = 0; k < 5; k++) {
            auto &c = clocks[row++ % n];
            const double from = c.read();
            const int launches = p.run();
            const double to = c.read();
            printf("%s/%s %d %.4f\n", p.name, c.name, launches, to - from);
        }
}

// --- waits -----------------------------------------------------------------------------------------------------------
static double host()
{
    timespec t;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return of(t);
}
static timespec after(int id, double ms)
{
    timespec t;
    clock_gettime(id, &t);
    const long long all = t.tv_nsec + (long long)(ms * 1e6);
    return {t.tv_sec + all / 1000000000, (long)(all % 1000000000)};
}
static const double WAIT = 30;
static int wrong;

template <class Wait> static void wait(const char *name, Wait until, bool alone = true)
{
    const double from = posix<CLOCK_MONOTONIC>(), began = host();
    const bool late = until();
    const double own = posix<CLOCK_MONOTONIC>() - from, real = host() - began;
    if (late && own >= WAIT - 0.01 && real < 40 * WAIT && (real >= WAIT - 0.01 || !alone)) return;
    printf("%s: %s, %.3f ms by its clock, %.3f ms by the host's\n", name, late ? "late" : "not late", own, real);
    wrong++;
}

// Whatever a thread has seen, no other one sees an earlier time afterwards.
static void goes_back()
{
    std::atomic<double> seen{0};
    std::atomic<int> back{0};
    auto read = [&] {
        for (int k = 0; k < 20000; k++) {
            const double before = seen;
            const double now = posix<CLOCK_MONOTONIC>();
            back += now < before;
            for (double s = seen; now > s && !seen.compare_exchange_weak(s, now);) continue;
        }
    };
    std::thread a(read), b(read), c([] {
        for (int k = 0; k < 10; k++) kernel(), usleep(100);
    });
    a.join(), b.join(), c.join();
    if (back) printf("the clock goes back %d times\n", (int)back);
    wrong += back > 0;
}

static double lag() { return host() - posix<CLOCK_MONOTONIC>(); }

static void waits()
{
    for (int k = 0; k < 40 && lag() < 3 * WAIT && lag() > -3 * WAIT; k++) kernel();
    const double by = lag();
    printf("%s the host's\n", by > 2 * WAIT ? "behind" : by < -2 * WAIT ? "ahead of" : "near");
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER, mono;
    pthread_condattr_t how;
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    sem_t sem;
    mtx_t m11;
    cnd_t c11;
    pthread_condattr_init(&how), pthread_condattr_setclock(&how, CLOCK_MONOTONIC), pthread_cond_init(&mono, &how);
    sem_init(&sem, 0, 0), mtx_init(&m11, mtx_timed), cnd_init(&c11);
    std::thread holder([&] { pthread_mutex_lock(&held), pthread_rwlock_wrlock(&lock); });
    holder.join();
    std::mutex sm;
    std::condition_variable sc;
    std::promise<int> never;
    auto future = never.get_future();
    std::timed_mutex tm;
    std::thread([&] { tm.lock(); }).join();
    const auto span = std::chrono::microseconds((int)(WAIT * 1e3));
    const int real = CLOCK_REALTIME, other = CLOCK_MONOTONIC;
    timespec t;
    pthread_mutex_lock(&m), mtx_lock(&m11);
    wait("pthread_cond_timedwait",
         [&] { return t = after(real, WAIT), pthread_cond_timedwait(&c, &m, &t) == ETIMEDOUT; });
    wait("of a monotonic one",
         [&] { return t = after(other, WAIT), pthread_cond_timedwait(&mono, &m, &t) == ETIMEDOUT; });
    wait("pthread_cond_clockwait",
         [&] { return t = after(other, WAIT), pthread_cond_clockwait(&c, &m, other, &t) == ETIMEDOUT; });
    wait("pthread_mutex_timedlock",
         [&] { return t = after(real, WAIT), pthread_mutex_timedlock(&held, &t) == ETIMEDOUT; });
    wait("pthread_mutex_clocklock",
         [&] { return t = after(other, WAIT), pthread_mutex_clocklock(&held, other, &t) == ETIMEDOUT; });
    wait("pthread_rwlock_timedrdlock",
         [&] { return t = after(real, WAIT), pthread_rwlock_timedrdlock(&lock, &t) == ETIMEDOUT; });
    wait("pthread_rwlock_clockwrlock",
         [&] { return t = after(other, WAIT), pthread_rwlock_clockwrlock(&lock, other, &t) == ETIMEDOUT; });
    wait("sem_timedwait", [&] { return t = after(real, WAIT), sem_timedwait(&sem, &t) && errno == ETIMEDOUT; });
    wait("sem_clockwait", [&] { return t = after(other, WAIT), sem_clockwait(&sem, other, &t) && errno == ETIMEDOUT; });
    wait("cnd_timedwait", [&] { return t = after(real, WAIT), cnd_timedwait(&c11, &m11, &t) == thrd_timedout; });
    wait("clock_nanosleep",
         [&] { return t = after(other, WAIT), !clock_nanosleep(other, TIMER_ABSTIME, &t, nullptr); });
    wait("pthread_timedjoin_np", [&] {
        pthread_t sleeper;
        pthread_create(&sleeper, nullptr, [](void *) -> void * { return usleep(200000), nullptr; }, nullptr);
        t = after(real, WAIT);
        const bool late = pthread_timedjoin_np(sleeper, nullptr, &t) == ETIMEDOUT;
        return pthread_detach(sleeper), late;
    });
    wait("timer_settime", [&] {
        sigset_t set;
        timer_t timer;
        int number;
        sigevent how = {};
        how.sigev_notify = SIGEV_SIGNAL, how.sigev_signo = SIGUSR1;
        sigemptyset(&set), sigaddset(&set, SIGUSR1), pthread_sigmask(SIG_BLOCK, &set, nullptr);
        itimerspec when = {{0, 0}, after(other, WAIT)};
        const timespec most = {10, 0};
        const bool ok = !timer_create(other, &how, &timer) && !timer_settime(timer, TIMER_ABSTIME, &when, nullptr);
        return ok && (number = sigtimedwait(&set, nullptr, &most)) == SIGUSR1;
    });
    wait("timerfd", [&] {
        uint64_t n;
        itimerspec when = {{0, 0}, after(other, WAIT)};
        const int f = timerfd_create(other, 0);
        const bool ok = !timerfd_settime(f, TFD_TIMER_ABSTIME, &when, nullptr);
        pollfd p = {f, POLLIN, 0};
        const bool there = ok && poll(&p, 1, 10000) == 1 && read(f, &n, sizeof n) == sizeof n;
        return close(f), there;
    });
    wait("condition_variable::wait_for", [&] {
        std::unique_lock<std::mutex> l(sm);
        return !sc.wait_for(l, span, [] { return false; });
    });
    wait("condition_variable::wait_until", [&] {
        std::unique_lock<std::mutex> l(sm);
        return sc.wait_until(l, std::chrono::system_clock::now() + span) == std::cv_status::timeout;
    });
    wait("future::wait_for", [&] { return future.wait_for(span) == std::future_status::timeout; });
    wait("future::wait_until", [&] {
        return future.wait_until(std::chrono::system_clock::now() + span) == std::future_status::timeout;
    });
    wait("timed_mutex", [&] { return !tm.try_lock_for(span); });
    wait("sleep_until", [&] { return std::this_thread::sleep_until(std::chrono::steady_clock::now() + span), true; });
    wait("sleep_for", [&] { return std::this_thread::sleep_for(span), true; });
    wait("usleep", [&] { return !usleep((useconds_t)(WAIT * 1e3)); });
    wait("poll", [&] { return !poll(nullptr, 0, (int)WAIT); });
    wait("select", [&] {
        timeval v = {0, (suseconds_t)(WAIT * 1e3)};
        return !select(0, nullptr, nullptr, nullptr, &v);
    });
    wait("epoll_wait", [&] {
        epoll_event e;
        const int f = epoll_create1(0), n = epoll_wait(f, &e, 1, (int)WAIT);
        return close(f), !n;
    });
    wait("polling the clock", [&] {
        const double end = posix<CLOCK_MONOTONIC>() + WAIT;
        while (posix<CLOCK_MONOTONIC>() < end) continue;
        return true;
    });
    // While another thread is in a call of CUDA's, simulated time alone passes, and a deadline waits with it.
    std::thread busy([] {
        for (int k = 0; k < 20; k++) kernel();
    });
    wait(
        "beside a kernel", [&] { return t = after(real, WAIT), pthread_cond_timedwait(&c, &m, &t) == ETIMEDOUT; },
        false);
    busy.join();
    goes_back();
    printf("%d wrong\n", wrong);
}

// How far the clock lies behind the host's, in a child and here: the child has the host's, unless it was asked for.
static void lags()
{
    const double own = lag();
    fflush(stdout);
    if (!fork()) {
        printf("child %s\n", lag() < 1 ? "as the host" : lag() >= own - 1 ? "as here" : "elsewhere");
        exit(0);
    }
    wait(nullptr);
    printf("here %s\n", own < 1 ? "as the host" : "behind");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "times")) return times(), 0;
    begin();
    if (!strcmp(what, "waits")) return waits(), 0;
    if (!strcmp(what, "fork")) return lags(), 0;
    return 1;
}
