// inner.c: loops inside a main loop. A warp whose lanes have made enough accesses can't leave the monitoring slice in
// the middle of a round: with a way to the computing slice there, the lanes that leave an inner loop would no longer
// have a point at which they meet the others, and would go on alone. But it can go on in a copy of the inner loop whose
// ways out lead to the same places as those of the monitored one. There are two:
//
// - the quiet copy, as the loop was;
// - the cached copy, for a loop directly inside a main loop. At its head the warp makes its choice, and its lanes go on
//   with lines. At the way out lines end, since the rest of the round is monitored. Threads keep their choice.
//
// So a main loop of long rounds is monitored no longer than others, and what an inner loop does in the first round is
// cached. If nothing was chosen the quiet copy serves as the plain slice does.
#include "ptx/ops.h"
#include "sl1/unit.h"

enum { MOST_INSTS = 4096, MOST_LOOPS = 64 };  // of a kernel's quiet copies

static bool is_among(const Operand *list, const Symbol *variable)
{
    bool found = false;
    for (int k = 0; list && k < list->count; k++) found |= list->items[k].sym == variable;
    return found;
}

// A call in a quiet copy is of the function itself. It leaves its result in its own variable, and a monitored call in
// another one (calls.c). So a result must be looked at before the next call, in the same block.
static bool results_stay(const Sl1Body *b)
{
    for (size_t k = 0; k < b->flow->blocks.n; k++) {
        const Operand *last = NULL;  // the results of the last call
        for (uint32_t n = b->flow->blocks.v[k].first; n < b->flow->blocks.v[k].last; n++) {
            const Inst *i = &b->f->insts.v[n];
            const Symbol *s = i->op == OP_LD && i->space == SP_PARAM ? i->opnd[1].sym : NULL;
            if (i->op == OP_CALL) last = inst_dest_count(i) ? &i->opnd[0] : NULL;
            if (s && map_get(&b->results, (const char *)&s, sizeof s, NULL) && !is_among(last, s)) return false;
        }
    }
    return true;
}

static bool is_monitored(const Sl1Plan *p, const Sl1Body *b, uint32_t n)
{
    return b->call[n] > 0 || (b->access[n] >= 0 && !p->structure[b->access[n]].barred);
}

// Sets plan->quiet: which of the kernel's loops have a quiet copy. One in which nothing is monitored needs none.
void sl1_find_quiet(Sl1Plan *p)
{
    const Sl1Body *b = p->bodies.v[0];
    const Flow *flow = b->flow;
    size_t room = MOST_INSTS, loops = 0;
    p->quiet = mem_alloc(flow->loops.n + 1);
    if (!results_stay(b)) return;
    for (size_t k = 0; k < flow->loops.n && loops < MOST_LOOPS; k++) {
        const Loop *l = &flow->loops.v[k];
        size_t insts = 0;
        bool monitored = false;
        if (l->depth < 2 || b->loop_of[l->head] < 0) continue;
        for (size_t j = 0; j < l->blocks.n && insts <= room; j++) {
            const Block *block = &flow->blocks.v[l->blocks.v[j]];
            insts += block->last - block->first;
            for (uint32_t n = block->first; n < block->last && !monitored; n++) monitored = is_monitored(p, b, n);
        }
        p->quiet[k] = monitored && insts <= room;
        if (p->quiet[k]) room -= insts, loops++;
    }
}
