// serve.c: the life of a program. Its calls are answered one after the other, in the order in which they came. Launches
// are answered before they run, so that the program goes on meanwhile; whatever comes after a launch waits for it.
//
// One process at a time may be connected: a program may be a script that runs several, one after the other. Each finds
// the device as new.
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
        ssize_t n = recv(s->socket, (char *)to + at, bytes - at, 0);
        if (n > 0) at += (size_t)n;
        if (!n || (n < 0 && !again(s))) return false;
    }
    return true;
}

static bool give(Serving *s, const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t n = send(s->socket, (const char *)from + at, bytes - at, MSG_NOSIGNAL);
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

// One call. False: there will be none any more.
static bool serve_call(Serving *s)
{
    WireCall c;
    Text out = {0};
    if (!take(s, &c, sizeof c) || !take_text(s, c.bytes)) return false;
    WireAnswer a = {0};
    a.error = answer(s, &c, &a, &out);
    a.bytes = out.n;
    a.printed = s->printed->n > 0;
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

static bool greet(const Serving *s, int socket)
{
    const Gpu *g = device_gpu(s->device);
    oc_device_info info = oc_describe(s->device);
    WireGreeting greeting = {.version = WIRE_VERSION,
                             .base = GLOBAL_BASE,
                             .capacity = info.memory,
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
                                        .memory_khz = (uint32_t)(g->dram_mhz * 1e3),
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

static void leave(Serving *s)
{
    answers_run(s);
    s->served->untold |= s->untold;
    s->untold = false;
    if (s->socket >= 0) close(s->socket);
    s->socket = -1;
}

// Somebody comes in. Only this user may, and only while nobody else is connected.
static void meet(Serving *s)
{
    struct timeval patience = {.tv_usec = PATIENCE * 1000};
    struct ucred who = {0};
    socklen_t n = sizeof who;
    int in = accept4(s->door, NULL, NULL, SOCK_CLOEXEC);
    if (in < 0) return;
    bool ok = s->socket < 0 && !getsockopt(in, SOL_SOCKET, SO_PEERCRED, &who, &n) && who.uid == getuid() &&
              !setsockopt(in, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) &&
              !setsockopt(in, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (!ok || !greet(s, in)) {
        close(in);
        return;
    }
    if (s->served->connected) answers_reset(s);
    s->socket = in, s->served->connected = true;
}

// Until the program has ended, or the user stops it.
static void serve_all(Serving *s)
{
    int process = (int)syscall(SYS_pidfd_open, s->pid, 0);  // −1 where there is no such call: then the patience ends
    while (!stopped(s) && !ended(s)) {
        struct pollfd from[] = {{s->socket, POLLIN, 0}, {s->door, POLLIN, 0}, {process, POLLIN, 0}};
        int n = poll(from, COUNT(from), s->waiting.n ? 0 : PATIENCE);
        if (n > 0 && from[0].revents && !serve_call(s)) leave(s);
        if (n > 0 && !from[0].revents && from[1].revents) meet(s);
        if (!n) answers_run(s);
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
    Serving s = {.device = d, .o = o, .served = served, .printed = printed, .pid = -1, .socket = -1};
    s.memory = device_share(d);
    if (s.memory < 0) return diag_error(diag, "can't share the device's memory: %s", strerror(errno));
    s.door = open_door(name);
    if (s.door < 0) return diag_error(diag, "can't make a socket: %s", strerror(errno));
    s.pid = child_start(o, name, diag);
    if (s.pid > 0) serve_all(&s);
    leave(&s);
    close(s.door);
    if (s.pid > 0 && !s.ended && stopped(&s)) end_program(&s);
    while (s.pid > 0 && !s.ended)
        if (waitpid(s.pid, &served->status, 0) == s.pid || errno != EINTR) s.ended = true;
    answers_free(&s);
    return s.pid > 0;
}
