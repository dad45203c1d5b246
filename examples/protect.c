// protect.c: a replacement policy that keeps lines which are used again, and sends loads past an L1 that they would
// only flush. It is SRRIP with 2 bits (Jaleel et al., ISCA 2010): a line has a value, 2 when it moves in and 0 after a
// hit; a line with 3 makes room, and while none has 3 all values grow by 1. Beside that each load instruction has a
// count of how often the lines that it brought were used again. Loads of one whose lines are hardly ever used go past
// the L1; every 32nd of them takes a line all the same, so that a change is noticed. It is a plug-in:
//     cc -O2 -shared -fPIC -I include examples/protect.c -o protect.so
//     onchip run … --set l1.replacement=./protect.so
#include <onchip_cache.h>

enum { BYPASS, TRIAL };
static const oc_policy_param params[] = {
    [BYPASS] = {"bypass", "", "whether loads whose lines aren't used again go past the L1", 1, 0, 1, true, "assumed",
                "no yes"},
    [TRIAL] = {"trial", "line", "lines of an instruction that must have gone before it is judged", 32, 1, 1e6, true,
               "assumed"},
    {.name = NULL},
};
enum { REUSED, WASTED };
static const oc_policy_counter counters[] = {
    [REUSED] = {"reused", "line", "lines that had been used again when they made room"},
    [WASTED] = {"wasted", "line", "lines that hadn't"},
    {.name = NULL},
};

enum { LONG = 3, MOVED_IN = 2, PCS = 256, AGAIN = 32, MOST = 4096 };
typedef struct Line {
    uint8_t value, pc;
    bool there, used;
} Line;
typedef struct Pc {
    uint32_t used, gone, misses;
} Pc;
typedef struct Own {
    Pc of[PCS];  // by PC, modulo their number
} Own;

static void hit(oc_replacement *r, const oc_cache_access *a)
{
    Line *l = oc_line_state(r, a->set, a->way);
    l->value = 0, l->used = true;
}

static void gone(oc_replacement *r, const Line *l)
{
    Pc *pc = &((Own *)r->own)->of[l->pc];
    pc->gone++, pc->used += l->used;
    if (pc->gone >= MOST) pc->gone /= 2, pc->used /= 2;  // the latest count most
    r->count[l->used ? REUSED : WASTED]++;
}

// Values grow when a line moves in, not when a victim is looked for: that may happen more than once for one line.
static void fill(oc_replacement *r, const oc_cache_access *a)
{
    Line *l = oc_line_state(r, a->set, a->way);
    const uint8_t by = (uint8_t)(LONG - l->value);
    if (l->there) {
        gone(r, l);
        for (uint32_t w = 0; w < r->cache->ways[a->set]; w++) {
            Line *other = oc_line_state(r, a->set, w);
            other->value = (uint8_t)(other->value + by < LONG ? other->value + by : LONG);
        }
    }
    *l = (Line){.value = MOVED_IN, .pc = (uint8_t)(a->pc % PCS), .there = true};
    if (!a->prefetch) ((Own *)r->own)->of[a->pc % PCS].misses++;
}

static uint32_t victim(const oc_replacement *r, const oc_cache_access *a, uint64_t may)
{
    uint32_t best = oc_first_way(may);
    for (; may; may &= may - 1) {
        const Line *l = oc_line_state(r, a->set, oc_first_way(may)), *m = oc_line_state(r, a->set, best);
        if (l->value > m->value) best = oc_first_way(may);
    }
    return best;
}

// Fewer than one of 16 lines was used again.
static bool bypass(const oc_replacement *r, const oc_cache_access *a)
{
    Pc *pc = &((Own *)r->own)->of[a->pc % PCS];
    if (r->param[BYPASS] == 0 || pc->gone < (uint32_t)r->param[TRIAL] || 16 * pc->used >= pc->gone) return false;
    return ++pc->misses % AGAIN != 0;
}

const oc_replacement_type onchip_replacement = {
    .version = ONCHIP_CACHE_VERSION,
    .name = "protect",
    .doc = "SRRIP, and loads whose lines aren't used again go past the L1",
    .state = sizeof(Own),
    .line_state = sizeof(Line),
    .params = params,
    .counters = counters,
    .hit = hit,
    .fill = fill,
    .victim = victim,
    .bypass = bypass,
};
