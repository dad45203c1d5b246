// serve.c: the life of a program. Its calls are answered one after the other, in the order in which they came. Launches
// are answered before they run, so that the program goes on meanwhile; whatever comes after a launch waits for it.
//
// A program may have several processes, or be a script that runs one after the other. Whoever comes when nobody is
// there finds the device as new. They share its memory, and each has what else it makes to itself.
#include "serve/unit.h"

#include "exec/gmem.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_GUESTS = 64 };
enum { PATIENCE = 200 };  // milliseconds between looks at whether the program lives, and whether the user wants to stop

static bool stopped(const Serving *s) { return s->device->stop && *s->device->stop; }

static bool ended(Serving *s)
{
    if (!s->ended) s->ended = waitpid(s->pid, &s->served->status, WNOHANG) == s->pid;
    return s->ended;
}

// --- bytes -----------------------------------------------------------------------------------------------------------
// After a call on the socket that has failed: is it to be tried again? The sockets' own patience is PATIENCE.
static bool again(Serving *s) { return (errno == EINTR || errno == EAGAIN) && !stopped(s) && !ended(s); }

// Reads so many bytes. False: there won't be any more.
static bool take(Serving *s, void *to, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t n = recv(s->guest->socket, (char *)to + at, bytes - at, 0);
        if (n > 0) at += (size_t)n;
        if (!n || (n < 0 && !again(s))) return false;
    }
    return true;
}

static bool give(Serving *s, const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t n = send(s->guest->socket, (const char *)from + at, bytes - at, MSG_NOSIGNAL);
        if (n > 0) at += (size_t)n;
        if (n < 0 && !again(s)) return false;
    }
    return true;
}

// Reads a call's text, which the program may say is as long as it likes.
static bool take_text(Serving *s, uint64_t bytes)
{
    s->text.n = 0;
    if (!bytes) return true;
    if (bytes > WIRE_TEXT || !mem_room(bytes)) return false;
    if (s->text.cap <= bytes) s->text.v = mem_resize(s->text.v, s->text.cap = bytes + 1);
    if (!take(s, s->text.v, bytes)) return false;
    s->text.v[s->text.n = bytes] = '\0';
    return true;
}

// The host's clock. Calls that wait in the queue have been made, and take their time when they run.
static double now(const Serving *s)
{
    uint64_t calls = 0;
    for (size_t g = 0; g < s->guests.n; g++) calls += s->guests.v[g]->calls;
    return device_now(s->device, calls);
}

// One call. False: there will be none any more.
static bool serve_call(Serving *s)
{
    WireCall c;
    Text out = {0};
    if (!take(s, &c, sizeof c) || !take_text(s, c.bytes)) return false;
    WireAnswer a = {0};
    a.error = answer(s, &c, &a, &out);
    a.bytes = out.n;
    a.printed = s->guest->printed.n > 0;
    a.now = now(s);
    s->served->read |= c.flags & (WIRE_READ_SIMULATED | WIRE_READ_HOST);
    bool ok = give(s, &a, sizeof a) && give(s, out.v, out.n);
    text_free(&out);
    return ok;
}

// --- processes come and go -------------------------------------------------------------------------------------------
// The socket at which the program's processes come in; name gets its name, which the system gives.
static int open_door(char name[16])
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    socklen_t n = sizeof at.sun_family;
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s < 0) return -1;
    bool ok = !bind(s, (struct sockaddr *)&at, n) && !listen(s, 8);
    n = sizeof at;
    ok = ok && !getsockname(s, (struct sockaddr *)&at, &n);
    size_t length = ok ? n - offsetof(struct sockaddr_un, sun_path) - 1 : 0;  // a null byte comes first
    if (!ok || length >= 16) return close(s), -1;
    memcpy(name, at.sun_path + 1, length);
    name[length] = '\0';
    return s;
}

// What a program is told of the memory: two transfers of the bus in a cycle of its clock are the bandwidth, as programs
// compute it. A description that doesn't know the bus has its DRAM's clock.
static uint32_t bus_bits(const Gpu *g)
{
    return g->dram_bus ? g->dram_bus : (uint32_t)(g->dram_gbs * 8e3 / (2 * g->dram_mhz) + 0.5);
}
static uint32_t memory_khz(const Gpu *g)
{
    return g->dram_bus ? (uint32_t)(g->dram_gbs * 8e6 / (2.0 * g->dram_bus) + 0.5) : (uint32_t)(g->dram_mhz * 1e3);
}

static bool greet(const Serving *s, int socket)
{
    const Gpu *g = device_gpu(s->device);
    oc_device_info info = oc_describe(s->device);
    WireGreeting greeting = {.version = WIRE_VERSION,
                             .base = GLOBAL_BASE,
                             .capacity = info.memory,
                             .later = GMEM_VIRTUAL,
                             .now = now(s),
                             .device = {.sms = info.sms,
                                        .capability = info.capability,
                                        .engines = g->engines,
                                        .threads = g->sm.max_threads,
                                        .blocks = g->sm.max_blocks,
                                        .registers = g->sm.registers,
                                        .shared_sm = info.shared_sm,
                                        .shared_block = info.shared_block,
                                        .l2 = (uint32_t)MIN(info.l2_bytes, INT32_MAX),
                                        .clock_khz = (uint32_t)(info.clock_mhz * 1e3),
                                        .memory_khz = memory_khz(g),
                                        .bus = bus_bits(g),
                                        .target = s->o->target.capability,
                                        .target_kind = (uint32_t)s->o->target.kind}};
    snprintf(greeting.device.name, sizeof greeting.device.name, "%s", info.name);
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.room = {0}};
    struct iovec part = {&greeting, sizeof greeting};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(c), &s->memory, sizeof(int));
    return sendmsg(socket, &m, MSG_NOSIGNAL) == (ssize_t)sizeof greeting;  // a new socket has room for it
}

// The last one leaves what it has made to the report, until somebody else comes.
static void leave(Serving *s, size_t which)
{
    Guest *g = s->guest = s->guests.v[which];
    queue_run(s);
    if (g->held) queue_fail(s);
    s->served->untold |= g->untold;
    g->untold = false;
    close(g->socket);
    g->socket = -1;
    if (s->guests.n < 2) return;
    answers_reset(s);
    memmove(s->guests.v + which, s->guests.v + which + 1, (--s->guests.n - which) * sizeof *s->guests.v);
    guest_free(g);
}

static size_t present(const Serving *s)
{
    size_t n = 0;
    for (size_t k = 0; k < s->guests.n; k++) n += s->guests.v[k]->socket >= 0;
    return n;
}

static void clear(Serving *s)
{
    s->guest = s->guests.v[0];
    answers_reset(s);
    guest_free(s->guest);
    s->guests.n = 0;
}

// Somebody comes in. Only this user may, and not too many.
static void meet(Serving *s)
{
    struct timeval patience = {.tv_usec = PATIENCE * 1000};
    struct ucred who = {0};
    socklen_t n = sizeof who;
    int in = accept4(s->door, NULL, NULL, SOCK_CLOEXEC);
    if (in < 0) return;
    bool ok = present(s) < MOST_GUESTS && !getsockopt(in, SOL_SOCKET, SO_PEERCRED, &who, &n) && who.uid == getuid() &&
              !setsockopt(in, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) &&
              !setsockopt(in, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (!ok || !greet(s, in)) {
        close(in);
        return;
    }
    if (s->guests.n && !present(s)) clear(s);
    Guest *g = mem_alloc(sizeof *g);
    g->socket = in;
    vec_push(&s->guests, g);
    s->served->connected = true;
}

// The launches that wait, of all.
static void run_waiting(Serving *s)
{
    for (size_t k = 0; k < s->guests.n; k++) s->guest = s->guests.v[k], queue_run(s);
}

// How long to wait for a call: not at all where something can run.
static int patience(const Serving *s)
{
    enum { HELD = 10 };  // a value may be written without a call
    int most = PATIENCE;
    for (size_t k = 0; k < s->guests.n; k++)
        if (s->guests.v[k]->waiting.n) most = MIN(most, s->guests.v[k]->held ? HELD : 0);
    return most;
}

static bool answer_one(Serving *s, const struct pollfd *from)
{
    for (size_t k = 0; k < s->guests.n; k++) {
        if (!from[k].revents || s->guests.v[k]->socket < 0) continue;
        s->guest = s->guests.v[k];
        if (!serve_call(s)) leave(s, k);
        return true;
    }
    return false;
}

// Until the program has ended, or the user stops it.
static void serve_all(Serving *s)
{
    int process = (int)syscall(SYS_pidfd_open, s->pid, 0);  // −1 where there is no such call: then the patience ends
    while (!stopped(s) && !ended(s)) {
        struct pollfd from[MOST_GUESTS + 2];
        const size_t guests = s->guests.n;
        for (size_t k = 0; k < guests; k++) from[k] = (struct pollfd){s->guests.v[k]->socket, POLLIN, 0};
        from[guests] = (struct pollfd){s->door, POLLIN, 0};
        from[guests + 1] = (struct pollfd){process, POLLIN, 0};
        int n = poll(from, guests + 2, patience(s));
        if (n > 0 && !answer_one(s, from) && from[guests].revents) meet(s);
        if (!n) run_waiting(s);
    }
    if (process >= 0) close(process);
}

// The user has stopped onchip: the program is told to end, and then made to.
static void end_program(Serving *s)
{
    enum { LOOKS = 25 };
    kill(s->pid, SIGTERM);
    for (int k = 0; k < LOOKS && !ended(s); k++) poll(NULL, 0, PATIENCE);
    if (!ended(s)) kill(s->pid, SIGKILL);
}

bool serve(oc_device *d, const ServeOptions *o, Text *printed, Served *served, Diag *diag)
{
    char name[16];
    *served = (Served){0};
    Serving s = {.device = d, .o = o, .served = served, .printed = printed, .pid = -1};
    s.memory = device_share(d);
    if (s.memory < 0) return diag_error(diag, "can't share the device's memory: %s", strerror(errno));
    s.door = open_door(name);
    if (s.door < 0) return diag_error(diag, "can't make a socket: %s", strerror(errno));
    s.pid = child_start(o, name, GLOBAL_BASE, oc_describe(s.device).memory + GMEM_VIRTUAL, diag);
    if (s.pid > 0) serve_all(&s);
    while (present(&s)) leave(&s, s.guests.n - 1);
    close(s.door);
    if (s.pid > 0 && !s.ended && stopped(&s)) end_program(&s);
    while (s.pid > 0 && !s.ended)
        if (waitpid(s.pid, &served->status, 0) == s.pid || errno != EINTR) s.ended = true;
    for (size_t k = 0; k < s.guests.n; k++) guest_free(s.guests.v[k]);
    vec_free(&s.guests);
    answers_free(&s);
    return s.pid > 0;
}
