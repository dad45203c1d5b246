// What several SMs stored in a window (log.c) against a naive model: bytes one by one, each with the cycle and the SM
// of the store that it is from. The last in the order (cycle, SM) wins (doc/extend/design.md, "A window").
#include "check.h"

#include "exec/unit.h"

#include <string.h>

enum { SMS = 5, BYTES = 4096, WINDOW = 97 };

static uint32_t seed = 1;
static uint32_t below(uint32_t n) { return seed = seed * 1664525u + 1013904223u, (uint32_t)((uint64_t)seed * n >> 32); }

typedef struct Model {
    uint8_t value[BYTES];
    int64_t cycle[BYTES];  // of the store; -1: none in this window
    uint32_t sm[BYTES];
} Model;

typedef struct Fixture {
    Gmem g;
    uint64_t base;
    Log log[SMS];
    Env env[SMS];
    struct Env *envs[SMS];
    Model model;
} Fixture;

static void open(Fixture *f)
{
    *f = (Fixture){0};
    gmem_open(&f->g, 1 << 20);
    f->base = gmem_alloc(&f->g, BYTES, "bytes", false);
    for (int s = 0; s < SMS; s++) f->env[s].log = &f->log[s], f->env[s].gmem = &f->g, f->envs[s] = &f->env[s];
}

static void close(Fixture *f)
{
    for (int s = 0; s < SMS; s++) log_free(&f->log[s]);
    gmem_close(&f->g);
}

static void no_more(void *user, uint32_t sm, const Deferred *d)
{
    (void)user, (void)sm, (void)d;
    fail();
}

static void store(Fixture *f, uint32_t sm, uint32_t at, uint32_t bytes, uint32_t cycle)
{
    uint8_t data[BYTES];
    for (uint32_t k = 0; k < bytes; k++) {
        Model *m = &f->model;
        data[k] = (uint8_t)below(256);
        if (m->cycle[at + k] > cycle || (m->cycle[at + k] == cycle && m->sm[at + k] > sm)) continue;
        m->value[at + k] = data[k], m->cycle[at + k] = cycle, m->sm[at + k] = sm;
    }
    log_store(&f->log[sm], f->base + at, data, bytes, cycle);
}

static void edge(Fixture *f)
{
    log_apply(f->envs, SMS, &f->g, no_more, NULL);
    const uint8_t *got = gmem_host(&f->g, f->base);
    for (uint32_t k = 0; k < BYTES; k++)
        if (got[k] != f->model.value[k])
            fail_msg("byte %u is %u, not %u of SM %u at %lld", k, got[k], f->model.value[k], f->model.sm[k],
                     (long long)f->model.cycle[k]);
    for (uint32_t k = 0; k < BYTES; k++) f->model.cycle[k] = -1;
}

// All store to the same bytes: in one cycle, then in the order of their numbers, and the other way round.
static void one_place(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 2, 4, 8, 16, 128, 300};
    Fixture f;
    open(&f);
    for (size_t w = 0; w < COUNT(widths); w++)
        for (int order = -1; order <= 1; order++) {
            for (uint32_t s = 0; s < SMS; s++) {
                uint32_t who = order < 0 ? SMS - 1 - s : s;  // the cycles rise
                store(&f, who, 512 + 16, widths[w], order ? 10 + s : 10);
            }
            edge(&f);
        }
    close(&f);
}

// Any bytes in any cycles, SM by SM as a window runs them; a word is stored whole, since its bytes have one cycle.
static void anywhere(void **state)
{
    (void)state;
    Fixture f;
    open(&f);
    for (int round = 0; round < 400; round++) {
        uint32_t span = round % 2 ? 256 : BYTES;  // crowded, or not
        for (uint32_t s = 0; s < SMS; s++)
            for (uint32_t cycle = below(8); cycle < WINDOW; cycle += below(8)) {
                uint32_t bytes = 4 * (1 + below(below(8) ? 4 : 40)), at = 4 * below((span - bytes) / 4 + 1);
                store(&f, s, at, bytes, cycle);
            }
        edge(&f);
    }
    close(&f);
}

// Bytes of one word from several SMs, each of which stores to it in one cycle only.
static void single_bytes(void **state)
{
    (void)state;
    Fixture f;
    open(&f);
    for (int round = 0; round < 400; round++) {
        for (uint32_t s = 0; s < SMS; s++)
            for (uint32_t word = 0; word < 64; word++) {
                uint32_t cycle = below(4);
                for (uint32_t k = 0; k < 4; k++)
                    if (below(2)) store(&f, s, 60 * 4 + word * 4 + k, 1, cycle);
            }
        edge(&f);
    }
    close(&f);
}

// An SM's own loads see what it stored, byte by byte, and nothing of the others.
static void own_loads(void **state)
{
    (void)state;
    Fixture f;
    open(&f);
    uint8_t own[1024], got[1024];
    for (int round = 0; round < 200; round++) {
        memset(own, 0xEE, sizeof own);
        for (int k = 0; k < 20; k++) {
            uint8_t data[200];
            uint32_t bytes = 1 + below(below(2) ? 8 : sizeof data), at = below(sizeof own - bytes + 1);
            for (uint32_t b = 0; b < bytes; b++) data[b] = (uint8_t)below(256);
            memcpy(own + at, data, bytes);
            log_store(&f.log[1], f.base + at, data, bytes, 3);
            log_store(&f.log[2], f.base + at, "other", 5, 3);
        }
        for (int k = 0; k < 50; k++) {
            uint32_t bytes = 1 + below(300), at = below(sizeof own - bytes + 1);
            memset(got, 0xEE, sizeof got);
            log_patch(&f.log[1], f.base + at, got, bytes);
            assert_memory_equal(got, own + at, bytes);
            for (uint32_t b = 0; b < bytes; b++)
                assert_true(own[at + b] == 0xEE || log_has(&f.log[1], (f.base + at + b) >> 7));
            assert_int_equal(got[bytes], 0xEE);
        }
        log_apply(f.envs, SMS, &f.g, no_more, NULL);
        log_patch(&f.log[1], f.base, memset(got, 0xEE, sizeof got), sizeof got);  // empty again
        for (size_t b = 0; b < sizeof got; b++) assert_int_equal(got[b], 0xEE);
    }
    close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_place),
        cmocka_unit_test(anywhere),
        cmocka_unit_test(single_bytes),
        cmocka_unit_test(own_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
