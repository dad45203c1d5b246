// stranger.c: a program that talks to onchip as no libcudart would: calls with any numbers, texts that don't belong to
// them, half a call at its end. Each call that is whole must have an answer. Its argument says what it does.
#include "driver/wire.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CALLS = 20000, TEXT = 4096 };
static WireGreeting greeting;

static int enter(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const char *name = getenv(WIRE_VARIABLE);
    size_t n = name ? strlen(name) : 0;
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!n || n >= sizeof at.sun_path) exit(90);
    memcpy(at.sun_path + 1, name, n);
    if (connect(s, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n))) exit(91);
    return s;
}

static int take(int s, void *to, size_t bytes) { return recv(s, to, bytes, MSG_WAITALL) == (ssize_t)bytes; }

static void give(int s, const void *from, size_t bytes)
{
    if (bytes && send(s, from, bytes, MSG_NOSIGNAL) != (ssize_t)bytes) exit(92);
}

static uint64_t state = 1;
static uint64_t random_number(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;  // Marsaglia's xorshift64
    return state;
}

// Small numbers, which are often of something that there is; addresses in the device's memory; large ones.
static uint64_t any_number(void)
{
    uint64_t r = random_number();
    switch (r >> 60) {
    case 0: return r >> 2;
    case 1: return UINT64_MAX - (r & 7);
    case 2:
    case 3:
    case 4: return greeting.base + (r & 0x3fff);
    case 5: return r & 0xffff;
    default: return r & 3;
    }
}

static const char module[] = ".version 7.0\n.target sm_75\n.address_size 64\n.const .align 4 .b8 c[8];\n"
                             ".global .align 4 .b8 g[64];\n.visible .entry k(.param .u64 x, .param .u32 n) { ret; }\n";

// What comes back: the first number, or minus the error.
static int64_t ask(int s, const WireCall *c, const void *text)
{
    WireAnswer a;
    give(s, c, sizeof *c), give(s, text, c->bytes);
    if (!take(s, &a, sizeof a)) exit(93);
    for (uint64_t left = a.bytes; left;) {
        char part[4096];
        size_t n = left < sizeof part ? left : sizeof part;
        if (!take(s, part, n)) exit(94);
        left -= n;
    }
    return a.error ? -(int64_t)a.error : (int64_t)a.a;
}

static void any_calls(int s)
{
    char text[TEXT];
    for (int k = 0; k < CALLS; k++) {
        WireCall c = {
            (uint32_t)(random_number() % (ASKS + 2)), 0, 0, any_number(), any_number(), any_number(), any_number()};
        for (size_t t = 0; t < TEXT; t += 8) memcpy(text + t, &(uint64_t){any_number()}, 8);
        c.bytes = random_number() % 3 ? random_number() % 64 : random_number() % TEXT;
        if (c.ask == ASK_ALLOC) c.a &= 0xffff;
        if (c.ask == ASK_LOAD && random_number() % 2) memcpy(text, module, c.bytes = sizeof module - 1);
        if (c.ask == ASK_KERNEL) memcpy(text, "k", c.bytes = 1);
        if (c.ask == ASK_SYMBOL) memcpy(text, k & 1 ? "c" : "g", c.bytes = 1);
        if (c.ask == ASK_LAUNCH && random_number() % 4) {
            WireLaunch l = {{1 + k % 3u, 1, 1}, {32, 1, 1}, k % 5u ? 0 : 1000, k % 2u, {0}, 0};
            memcpy(text, &l, sizeof l), c.bytes = sizeof l + (k % 7 ? 12 : 11);
        }
        int object = c.ask == ASK_TEXTURE || c.ask == ASK_SURFACE || c.ask == ASK_REFERENCE;
        if (object && random_number() % 4) {
            WireTexture x = {.first = {0x200000000, any_number(), any_number()},
                             .width = any_number(),
                             .height = k % 3u,
                             .depth = random_number() % 3,
                             .layers = random_number() % 3,
                             .levels = (uint32_t)(random_number() % 40)};
            x.channels = k % 6u, x.bits = 8u << k % 3, x.kind = k % 4u, x.address[k % 3] = k % 5u;
            x.linear = x.normalized = x.unit = (uint32_t)any_number(), x.cube = k % 2u;
            if (c.ask == ASK_REFERENCE) x.name = (uint32_t)(random_number() % 8);
            memcpy(text, &x, sizeof x);
            c.bytes = sizeof x + (x.levels && random_number() % 4 ? (x.levels - 1) * sizeof x.first : 0) + x.name;
        }
        if (c.ask == ASK_RESET && k % 8) continue;
        ask(s, &c, text);
    }
}

// Launches with a byte of the parameters too few, of what isn't there, and of as much as there must be. The errors are
// cudaErrorInvalidValue, cudaErrorInvalidResourceHandle and cudaErrorNotSupported.
static int launches(int s)
{
    enum { PARAMS = 12 };
    struct {
        WireLaunch l;
        char params[PARAMS];
    } text = {{{1, 1, 1}, {1, 1, 1}, 0, 0, {0}, 0}, {0}};
    const uint64_t all = sizeof(WireLaunch) + PARAMS;
    int64_t m = ask(s, &(WireCall){.ask = ASK_LOAD, .bytes = sizeof module - 1}, module);
    int64_t k = ask(s, &(WireCall){.ask = ASK_KERNEL, .a = (uint64_t)m, .bytes = 1}, "k");
    if (m < 1 || k < 1) return 80;
    WireCall c = {.ask = ASK_LAUNCH, .a = (uint64_t)k, .bytes = all};
    if (ask(s, &c, &text)) return 81;
    c.bytes = all - 1;
    if (ask(s, &c, &text) != -1) return 82;
    c.bytes = sizeof(WireLaunch) - 1;
    if (ask(s, &c, &text) != -1) return 83;
    c.bytes = all, c.a++;
    if (ask(s, &c, &text) != -400) return 84;
    c.a = (uint64_t)k, c.b = 1;
    if (ask(s, &c, &text) != -400) return 85;
    if (ask(s, &(WireCall){.ask = ASKS}, NULL) != -801) return 86;
    return ask(s, &(WireCall){.ask = ASK_WAIT}, NULL) ? 87 : 3;
}

// Two processes at once have the same memory, and what else they make to themselves. There are 64 at most, and whoever
// comes when all have gone finds the device as new.
static int twice(int s)
{
    enum { MOST = 64, INVALID_VALUE = 1, INVALID_HANDLE = 400 };
    int others[MOST] = {s};
    const WireCall alloc = {.ask = ASK_ALLOC, .a = 64};
    for (int k = 1; k < MOST; k++) {
        others[k] = enter();
        if (!take(others[k], &greeting, sizeof greeting)) return 97;
    }
    int more = enter();
    if (take(more, &greeting, sizeof greeting)) return 98;
    close(more);
    int64_t first = ask(s, &alloc, NULL), second = ask(others[1], &alloc, NULL);
    if (first <= 0 || second <= 0 || first == second) return 99;
    int64_t m = ask(s, &(WireCall){.ask = ASK_LOAD, .bytes = sizeof module - 1}, module);
    const WireCall kernel = {.ask = ASK_KERNEL, .a = (uint64_t)m, .bytes = 1};
    if (m < 1 || ask(s, &kernel, "k") < 1 || ask(others[1], &kernel, "k") != -INVALID_HANDLE) return 100;
    const WireCall free_first = {.ask = ASK_FREE, .a = (uint64_t)first};
    if (ask(others[1], &free_first, NULL) != -INVALID_VALUE) return 101;
    close(s);
    for (int k = 0; k < 100 && ask(others[1], &(WireCall){.ask = ASK_RANGE, .a = (uint64_t)first}, NULL) > 0; k++)
        usleep(10000);  // it isn't told when the first one was seen to leave
    const WireCall fill = {.ask = ASK_FILL, .b = (uint64_t)first, .c = 64};
    if (ask(others[1], &fill, NULL) != -INVALID_VALUE) return 102;
    const WireCall fill_second = {.ask = ASK_FILL, .b = (uint64_t)second, .c = 64};
    if (ask(others[1], &fill_second, NULL)) return 103;
    for (int k = 1; k < MOST; k++) close(others[k]);
    for (int k = 0; k < 100; k++) {
        s = enter();
        if (!take(s, &greeting, sizeof greeting)) return 104;
        if (ask(s, &fill_second, NULL) == -INVALID_VALUE) return 3;
        close(s);
        usleep(10000);
    }
    return 105;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int s = enter();
    if (!take(s, &greeting, sizeof greeting)) return 95;
    if (greeting.version != WIRE_VERSION) return 96;
    WireCall c = {.ask = ASK_ALLOC, .a = 64, .bytes = UINT64_MAX};
    if (!strcmp(what, "calls")) any_calls(s);
    if (!strcmp(what, "launch")) return launches(s);
    if (!strcmp(what, "huge")) {  // a text without end: there is no answer, but an end
        WireAnswer a;
        give(s, &c, sizeof c);
        return take(s, &a, sizeof a) ? 97 : 3;
    }
    if (!strcmp(what, "twice")) return twice(s);
    give(s, &c, sizeof c / 2);
    if (!strcmp(what, "sleep")) puts("asleep"), fflush(stdout), pause();
    return 3;
}
