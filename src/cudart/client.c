// client.c: asks onchip. One call is under way at a time: onchip does one thing after the other anyway.
#include "cudart/unit.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

typedef enum State { CONNECTED, ABSENT, LOST, FORKED } State;
static struct {
    pthread_once_t once;
    pthread_mutex_t asking, telling;
    atomic_int state;    // a State
    atomic_bool told;    // that this process was forked
    int socket, memory;  // memory: the file with the device's
    WireGreeting greeting;
    uint64_t base, reserved;  // addresses that were taken when the process began, and their bytes
    Map missing;              // names of what there isn't, which were told
} client = {.once = PTHREAD_ONCE_INIT,
            .asking = PTHREAD_MUTEX_INITIALIZER,
            .telling = PTHREAD_MUTEX_INITIALIZER,
            .state = ABSENT};

void client_line(const char *format, ...)
{
    Text line = {0};
    va_list args;
    va_start(args, format);
    text_put(&line, "onchip: ");
    text_vprintf(&line, format, args);
    text_put(&line, "\n");
    va_end(args);
    ssize_t n = write(STDERR_FILENO, line.v, line.n);
    (void)n;
    text_free(&line);
}

cudaError_t client_missing(const char *name)
{
    int64_t before;
    pthread_mutex_lock(&client.telling);
    bool known = map_get(&client.missing, name, strlen(name), &before);
    if (!known) map_put(&client.missing, name, strlen(name), 1);
    pthread_mutex_unlock(&client.telling);
    if (!known) client_line("%s isn't there yet; the program gets the error \"operation not supported\"", name);
    return noted(cudaErrorNotSupported);
}

// --- the socket ------------------------------------------------------------------------------------------------------
static bool give(const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t n = send(client.socket, (const char *)from + at, bytes - at, MSG_NOSIGNAL);
        if (n > 0) at += (size_t)n;
        if (n < 0 && errno != EINTR) return false;
    }
    return true;
}

static bool take(void *to, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t n = recv(client.socket, (char *)to + at, bytes - at, 0);
        if (n > 0) at += (size_t)n;
        if (!n || (n < 0 && errno != EINTR)) return false;
    }
    return true;
}

static bool take_answer(Answer *a)
{
    if (!take(&a->of, sizeof a->of)) return false;
    if (!a->of.bytes) return true;
    a->text.v = mem_resize(a->text.v, a->text.cap = a->of.bytes + 1);
    if (!take(a->text.v, a->of.bytes)) return false;
    a->text.v[a->text.n = a->of.bytes] = '\0';
    return true;
}

static cudaError_t exchange(const WireCall *call, const void *text, Answer *answer)
{
    WireCall more;
    pthread_mutex_lock(&client.asking);
    const uint32_t read = clock_said();
    if (read) more = *call, more.flags |= read, call = &more;
    bool ok = client.state == CONNECTED && give(call, sizeof *call) && give(text, call->bytes) && take_answer(answer);
    if (ok) clock_move(answer->of.now);
    if (!ok && client.state == CONNECTED) {
        client.state = LOST;
        client_line("the connection is lost; all further calls fail");
    }
    pthread_mutex_unlock(&client.asking);
    return ok ? answer->of.error : cudaErrorDevicesUnavailable;
}

// The last word: which clocks the program has read since its last call. A thread that waits for an answer keeps it.
__attribute__((destructor)) static void tell_clock(void)
{
    Answer answer = {0};
    if (client.state != CONNECTED || !clock_unsaid() || pthread_mutex_trylock(&client.asking)) return;
    pthread_mutex_unlock(&client.asking);
    exchange(&(WireCall){.ask = ASK_CLOCK}, NULL, &answer);
    text_free(&answer.text);
}

// --- connecting ------------------------------------------------------------------------------------------------------
static int connect_to(const char *name)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    size_t n = strlen(name);
    if (n >= sizeof at.sun_path) return errno = ENAMETOOLONG, -1;
    memcpy(at.sun_path + 1, name, n);
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    while (s >= 0 && connect(s, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n)))
        if (errno != EINTR) return close(s), -1;
    return s;
}

// Reads the greeting, and the descriptor that comes with it. −1: there is none.
static int take_greeting(void)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {&client.greeting, sizeof client.greeting};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n;
    int memory = -1;
    do n = recvmsg(client.socket, &m, MSG_WAITALL | MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (c && c->cmsg_type == SCM_RIGHTS) memcpy(&memory, CMSG_DATA(c), sizeof memory);
    if (n == (ssize_t)sizeof client.greeting && client.greeting.version == WIRE_VERSION && memory >= 0) return memory;
    if (!n)
        client_line("too many processes of this program use the GPU; this one can't");
    else
        client_line("libcudart is of another version than onchip");
    if (memory >= 0) close(memory);
    return -1;
}

// The device's memory comes with the first call, and by then the program may have mapped something where it belongs: a
// language's heap may lie anywhere. So the addresses are taken before the program begins. AddressSanitizer has its own
// memory there, and must find the place free.
__attribute__((constructor)) static void reserve(void)
{
    const char *room = getenv(ROOM_VARIABLE);
    char *end = NULL;
    if (!room || dlsym(RTLD_DEFAULT, "__asan_init")) return;
    const uint64_t base = strtoull(room, &end, 16), bytes = strtoull(end, NULL, 16);
    void *want = (void *)(uintptr_t)base;
    if (!base || !bytes) return;
    void *at = mmap(want, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
    if (at == want) client.base = base, client.reserved = bytes;
    if (at != want && at != MAP_FAILED) munmap(at, bytes);
}

// Maps the device's memory at its own addresses, so that a pointer means the same to the program and to its kernels.
static bool map_memory(int memory)
{
    void *want = (void *)(uintptr_t)client.greeting.base;
    uint64_t bytes = client.greeting.capacity, all = bytes + client.greeting.later;
    const bool ours = client.base == client.greeting.base && client.reserved == all;
    void *at =
        ours ? want
             : mmap(want, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
    if (at == want &&
        mmap(want, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, memory, 0) == want)
        return true;
    client_line("the program has no room for the GPU's memory, %llu bytes from %p on: %s; a smaller gpu.memory may fit",
                (unsigned long long)bytes, want, at == MAP_FAILED ? strerror(errno) : "other memory lies there");
    if (at != MAP_FAILED) munmap(at, all);
    return false;
}

// A child of this process can't go on with its parent's device.
static void forked(void)
{
    if (client.state == CONNECTED) client.state = FORKED;
}

static void connect_once(void)
{
    const char *name = getenv(WIRE_VARIABLE);
    if (!name || !*name) {
        client_line("no GPU: this library of CUDA is for programs that `onchip run PROGRAM` starts");
        return;
    }
    client.socket = connect_to(name);
    if (client.socket < 0) {
        client_line("no GPU: onchip doesn't answer: %s", strerror(errno));
        return;
    }
    int memory = take_greeting();
    if (memory >= 0 && map_memory(memory)) {
        clock_start(client.greeting.now);
        client.state = CONNECTED;
        pthread_atfork(NULL, NULL, forked);
    }
    client.memory = memory;
    if (client.state == CONNECTED) return;
    if (memory >= 0) close(memory);
    close(client.socket);
}

cudaError_t client_connect(void)
{
    if (client.state == CONNECTED) return cudaSuccess;
    IN_CALL();
    pthread_once(&client.once, connect_once);
    if (client.state == FORKED && !atomic_exchange(&client.told, true)) {
        client_line("this process was forked from one that uses the GPU, and can't use it itself");
    }
    return client.state == CONNECTED ? cudaSuccess
           : client.state == ABSENT  ? cudaErrorNoDevice
                                     : cudaErrorDevicesUnavailable;
}

bool client_forked(void) { return client.state == FORKED; }

const WireDevice *client_device(void) { return &client.greeting.device; }

bool client_mapped(uint64_t address, uint64_t bytes)
{
    uint64_t at = address - client.greeting.base;
    const uint64_t all = client.greeting.capacity + client.greeting.later;
    return at < all && bytes <= all - at;
}

bool client_map(uint64_t at, uint64_t bytes, uint64_t from, bool on)
{
    void *to = (void *)(uintptr_t)at;
    const int flags = MAP_FIXED | MAP_NORESERVE;
    if (!client_mapped(at, bytes)) return false;
    if (!on) return mmap(to, bytes, PROT_NONE, flags | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == to;
    const off_t place = (off_t)(from - client.greeting.base);
    return mmap(to, bytes, PROT_READ | PROT_WRITE, flags | MAP_SHARED, client.memory, place) == to;
}

// --- asking ----------------------------------------------------------------------------------------------------------
static void print_out(void)
{
    Answer answer = {0};
    if (!exchange(&(WireCall){.ask = ASK_PRINTED}, NULL, &answer) && answer.text.n) {
        fwrite(answer.text.v, 1, answer.text.n, stdout);
        fflush(stdout);
    }
    text_free(&answer.text);
}

// The calls that bring out what kernels have printed (CUDA C++ Programming Guide, "Formatted Output": a launch at its
// start, synchronization, copies that wait, loading of a module, the device's reset).
static bool brings_out(uint32_t ask)
{
    return ask == ASK_LAUNCH || ask == ASK_WAIT || ask == ASK_READ || ask == ASK_WRITE || ask == ASK_MOVED ||
           ask == ASK_LOAD || ask == ASK_RESET;
}

// May somebody else write the value that a call waits for?
static bool others(const Answer *a)
{
    size_t threads = 0;
    DIR *d = opendir("/proc/self/task");
    for (const struct dirent *e; d && (e = readdir(d));) threads += e->d_name[0] != '.';
    if (d) closedir(d);
    return a->of.a || threads > 1 || memory_given();
}

// The call is made again and again, as long as somebody may write the value, but not for ever.
static cudaError_t insist(WireCall call, const void *text, Answer *a)
{
    enum { TIMES = 1000, NAP = 10000 };  // microseconds
    cudaError_t error = WIRE_HELD;
    for (int k = 0; error == WIRE_HELD; k++) {
        if (k < TIMES && others(a))
            clock_nap(NAP);
        else
            call.flags |= WIRE_GIVES_UP;
        error = exchange(&call, text, a);
    }
    return error;
}

cudaError_t client_ask(const WireCall *call, const void *text, Answer *answer)
{
    IN_CALL();
    Answer own = {0}, *a = answer ? answer : &own;
    *a = (Answer){0};
    cudaError_t error = client_connect();
    if (error) return error;
    error = exchange(call, text, a);
    if (error == WIRE_HELD) error = insist(*call, text, a);
    if (a->of.printed && brings_out(call->ask)) print_out();
    text_free(&own.text);
    return error;
}
