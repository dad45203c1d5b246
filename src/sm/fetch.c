// fetch.c: where instructions come from (icache.*). An SM has a cache of them that gives all schedulers what they need,
// and a second one behind it; what neither has comes from the L2. Lines have 128 bytes, eight instructions of machine
// code. While warps run a line, the next one comes; so straight code is as fast as its lines come, and only a jump to a
// line that neither cache has waits for the L2's latency.
// Both have four ways, of which the least recently used goes: on an RTX 3060 code that is repeated gets slower from 64
// KiB to 80, and from 128 KiB to 160, as if one set after the other were overrun (AmpereArchViaMicroBenchMark).
// Kernels lie one behind the other, in the order of their first launches, and lines stay from launch to launch.
#include "sm/unit.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LINE = 128, WAYS = FETCH_WAYS };

static uint32_t sets_of(uint64_t size) { return (uint32_t)(size / LINE / WAYS); }

void fetch_open(Sm *sm)
{
    Front *f = &sm->front;
    *f = (Front){.sets = {sets_of(sm->cfg.icache), sets_of(sm->cfg.icache_second)}};
    for (int k = 0; k < 2; k++) f->set[k] = f->sets[k] ? mem_alloc(sizeof *f->set[k] * f->sets[k]) : NULL;
    f->cost[0] = (uint64_t)(LINE * 256 / sm->cfg.icache_second_rate);
    f->cost[1] = (uint64_t)(LINE * 256 / sm->cfg.icache_rate);
}

void fetch_close(Sm *sm)
{
    vec_free(&sm->front.kernels);
    mem_free(sm->front.set[0]), mem_free(sm->front.set[1]);
}

uint64_t fetch_bytes(const SmCfg *cfg)
{
    return sizeof(FetchSet) * ((uint64_t)sets_of(cfg->icache) + sets_of(cfg->icache_second));
}

FrontCopy *fetch_copy(const Sm *sm)
{
    const Front *f = &sm->front;
    if (!f->kernels.n) return NULL;
    FrontCopy *copy = mem_alloc(sizeof *copy);
    *copy = *f;
    for (int k = 0; k < 2; k++) {
        const size_t bytes = sizeof *f->set[k] * f->sets[k];
        copy->set[k] = bytes ? memcpy(mem_alloc(bytes), f->set[k], bytes) : NULL;
    }
    memset(&copy->kernels, 0, sizeof copy->kernels);
    for (size_t k = 0; k < f->kernels.n; k++) vec_push(&copy->kernels, f->kernels.v[k]);
    return copy;
}

void fetch_hold(Sm *sm, const FrontCopy *copy)
{
    Front *f = &sm->front;
    f->kernels.n = 0;
    for (size_t k = 0; copy && k < copy->kernels.n; k++) vec_push(&f->kernels, copy->kernels.v[k]);
    for (int k = 0; k < 2; k++) {
        const size_t bytes = sizeof *f->set[k] * f->sets[k];
        if (bytes && copy) memcpy(f->set[k], copy->set[k], bytes);
        if (bytes && !copy) memset(f->set[k], 0, bytes);
    }
    f->launch = copy ? copy->launch : 0;
}

void fetch_copy_free(FrontCopy *copy)
{
    if (!copy) return;
    mem_free(copy->set[0]), mem_free(copy->set[1]);
    vec_free(&copy->kernels);
    mem_free(copy);
}

// A kernel is known by its name and its length, so that the same launches take the same time in any process.
static uint32_t place_of(Front *f, const Kernel *kernel)
{
    enum { MOST = 256 };
    const char *name = kernel->f->symbol->name;
    const uint64_t which = XXH3_64bits_withSeed(name, strlen(name), kernel->lines);
    uint32_t at = 0;
    for (size_t k = 0; k < f->kernels.n; k++) {
        if (f->kernels.v[k].which == which) return f->kernels.v[k].at;
        at = f->kernels.v[k].at + f->kernels.v[k].lines;
    }
    if (f->kernels.n == MOST || at > UINT32_MAX / 4) {
        for (int k = 0; k < 2; k++) memset(f->set[k], 0, sizeof *f->set[k] * f->sets[k]);
        f->kernels.n = at = 0;
    }
    vec_push(&f->kernels, ((FetchKernel){which, at, kernel->lines}));
    return at;
}

void fetch_begin(Sm *sm, const Kernel *kernel)
{
    Front *f = &sm->front;
    if (!f->sets[0]) return;
    f->at = place_of(f, kernel);
    f->end = f->at + kernel->lines;
    f->free = f->last = 0;
    f->launch++;
}

// A line of a cache becomes the latest one of its set. Returns the cycle from which on it is there; NEVER: it wasn't.
static uint64_t use(FetchSet *set, uint32_t line, uint32_t launch)
{
    uint32_t k = 0;
    if (set->launch != launch) memset(set->from, 0, sizeof set->from), set->launch = launch;
    while (k < WAYS && set->line[k] != line) k++;
    const uint64_t from = k < WAYS ? set->from[k] : NEVER;
    for (k = MIN(k, WAYS - 1u); k; k--) set->line[k] = set->line[k - 1], set->from[k] = set->from[k - 1];
    set->line[0] = line, set->from[0] = from;
    return from;
}

// The cycle from which on a line can be run.
static uint64_t bring(Sm *sm, uint32_t line)
{
    Front *f = &sm->front;
    FetchSet *first = &f->set[0][line % f->sets[0]], *second = f->sets[1] ? &f->set[1][line % f->sets[1]] : NULL;
    const uint64_t from = use(first, line, f->launch);
    if (from != NEVER) return from;
    const bool far = !second || use(second, line, f->launch) == NEVER, follows = line == f->last + 1;
    if (second) second->from[0] = 0;
    f->last = line;
    f->free = MAX(f->free, sm->now << 8) + f->cost[far];
    return first->from[0] = ((f->free + 255) >> 8) + (far && !follows ? sm->cfg.icache_latency : 0);
}

uint64_t fetch_line(Sm *sm, uint32_t line)
{
    const uint32_t at = sm->front.at + line;
    const uint64_t from = bring(sm, at);
    if (at < sm->front.end) bring(sm, at + 1);
    return from;
}
