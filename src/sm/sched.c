// sched.c: the table of schedulers, and what they share.
#include "sm/sm.h"

#define SCHED(id, name, ops, doc) extern const SchedOps ops;
#include "sm/sched.def"
#undef SCHED

const SchedInfo sched_info[SCHED_COUNT] = {
#define SCHED(id, name, ops, doc) [SCHED_##id] = {name, doc},
#include "sm/sched.def"
#undef SCHED
};

const SchedOps *sched_ops(uint32_t id)
{
    switch (id) {
#define SCHED(id, name, ops, doc) \
    case SCHED_##id: return &ops;
#include "sm/sched.def"
#undef SCHED
    default: return NULL;
    }
}

int sched_oldest(const Sched *s, uint64_t mask)
{
    int best = -1;
    for (uint64_t m = mask; m; m &= m - 1) {
        int w = __builtin_ctzll(m);
        if (best < 0 || s->age[w] < s->age[best]) best = w;
    }
    return best;
}
