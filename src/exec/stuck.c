// stuck.c: loops that nothing will end. While nobody changes memory, a warp does what its state says and nothing else,
// so one that comes back to a state it was in (at a back edge: all splits, registers, local memory) goes round for
// ever, as long as nobody changes memory; when all warps do that, or have waited all the time, the kernel hangs. The
// launch turns the watch on, for epochs, when nothing that others can see has changed for some time; a change ends the
// epoch.
//
// A state is compared by hash with one that is remembered; which one, moves on at doubling distances (Brent's
// algorithm), so that any period is found. To hash a state takes time, above all where it has much local memory. So at
// most back edges a glance at the registers comes first, and a state is hashed only where that is what it was in the
// remembered state, and only once for as many back edges as it has words. Thus the search takes a small part of the
// time that the loops themselves take.
//
// A loop that counts something never comes back; of that one is only known that it polls: it reads memory by volatile,
// atomic or other strong accesses, which a computation that takes long doesn't.
#include "exec/unit.h"

#include <string.h>

static uint64_t mix(uint64_t h, const void *data, size_t bytes)
{
    const uint64_t *p = data;
    for (size_t k = 0; k < bytes / 8; k++) h = (h ^ p[k]) * 0x9E3779B97F4A7C15ull, h ^= h >> 29;
    return h;
}

static size_t local_bytes(const Warp *w) { return (size_t)w->local_cap * LANES; }

static uint32_t words_of(const Warp *w) { return (uint32_t)((w->rows_cap + local_bytes(w)) / 8); }

// A word of each register of the frame.
static uint64_t glance(const Warp *w)
{
    uint64_t h = w->pc;
    for (uint32_t at = 0; at < w->code->frame_bytes; at += ROW_BYTES) {
        uint32_t word;
        memcpy(&word, w->l.bank[0] + at, sizeof word);
        h = (h ^ word) * 0x9E3779B97F4A7C15ull;
    }
    return h;
}

static uint64_t state_of(const Warp *w)
{
    uint64_t h = w->live | (uint64_t)w->l.cc << 32;
    uint32_t top = 0;
    for (size_t k = 0; k < w->splits.n; k++) {
        const Split *s = &w->splits.v[k];
        if (s->state == SPLIT_FREE) continue;
        bool current = (int)k == w->cur;
        uint64_t words[4] = {(uint64_t)k << 32 | s->state,
                             (uint64_t)(current ? w->mask : s->mask) << 32 | (current ? w->pc : s->pc),
                             (uint64_t)s->arrived << 32 | s->base, (uint64_t)s->wait << 32 | (uint16_t)s->parent};
        h = mix(h, words, sizeof words);
        top = MAX(top, s->base + s->code->frame_bytes);
    }
    h = mix(h, w->rows, top);
    return mix(h, w->local, local_bytes(w));
}

static Watch *watch_of(const Env *env, Warp *w)
{
    if (w->watch.epoch != env->watch) w->watch = (Watch){.epoch = env->watch, .rest = words_of(w)};
    return &w->watch;
}

void watch_edge(const Env *env, Warp *w)
{
    Watch *x = watch_of(env, w);
    if (x->repeats || x->clocked) return;
    uint32_t edges = ++x->edges, rows = w->code->frame_bytes / ROW_BYTES;
    if (x->rest && --x->rest) return;
    if (rows && edges % (1u << (31 - __builtin_clz(rows)))) return;  // a row for each back edge, or two
    uint64_t now = glance(w);
    bool looks_same = x->next && now == x->glance;
    if (!looks_same && edges < x->next) return;
    uint64_t h = state_of(w);
    x->rest = words_of(w);
    if (looks_same && h == x->state)
        x->repeats = true;
    else if (edges >= x->next)
        x->glance = now, x->state = h, x->next = 2 * edges;
}

void watch_poll(const Env *env, Warp *w) { watch_of(env, w)->polls++; }
void watch_clock(const Env *env, Warp *w) { watch_of(env, w)->clocked = true; }

static bool waits_since(const Warp *w, uint64_t begin)
{
    for (size_t k = 0; k < w->splits.n; k++) {
        const Split *s = &w->splits.v[k];
        if ((s->state == SPLIT_BARRIER || s->state == SPLIT_SYNC || s->state == SPLIT_CLUSTER) && s->since <= begin)
            continue;
        if (s->state != SPLIT_FREE && s->state != SPLIT_KIDS) return false;
    }
    return true;
}

static bool tries_since(const Warp *w, uint64_t begin)
{
    bool tries = false;
    for (size_t k = 0; k < w->splits.n; k++) {
        const Split *s = &w->splits.v[k];
        if (s->state == SPLIT_FREE || s->state == SPLIT_KIDS) continue;
        if (s->state == SPLIT_READY || s->state == SPLIT_SLEEP || s->since > begin) return false;
        tries |= s->state == SPLIT_MBAR;
    }
    return tries;
}

// What a warp has done since the epoch began.
WatchVerdict watch_judge(const Env *env, Warp *w, uint64_t begin)
{
    const Watch *x = watch_of(env, w);
    if (waits_since(w, begin) || (x->repeats && !x->clocked)) return WATCH_STUCK;
    if (tries_since(w, begin)) return WATCH_POLLS;                     // its time may be over some day
    return x->polls >= 64 && !x->clocked ? WATCH_POLLS : WATCH_WORKS;  // by the clock a poll may end
}
