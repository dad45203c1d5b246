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
    case SCHED_##id:              \
        return &ops;
#include "sm/sched.def"
#undef SCHED
    default: return NULL;
    }
}

void sched_start(Sched *s, int warp)
{
    s->present |= 1ull << warp;
    for (int k = 0; k < 64; k++) s->older[k] &= ~(1ull << warp);
    s->older[warp] = ~(1ull << warp);
    s->ops->start(s, warp);
}

int sched_oldest(const Sched *s, uint64_t mask)
{
    int oldest = -1;
    for (; mask; mask &= s->older[oldest]) oldest = __builtin_ctzll(mask);
    return oldest;
}
