// plan.c: which loops of a kernel are rewritten, and which data structure each of their accesses belongs to. Main loops are
// outermost natural loops with an access of global memory whose pointer derives from a kernel argument. A loop is left alone
// where splitting a warp in it would be undefined, and the kernel where an atomic of unknown origin might touch any structure.
#include "sl1/sl1.h"

#include <string.h>

// --- instructions -------------------------------------------------------------------------------------------------------
static bool may_be_global(const Inst *i) { return i->space == SP_GLOBAL || i->space == SP_GENERIC; }

static bool is_access(const Inst *i) { return (i->op == OP_LD || i->op == OP_LDU || i->op == OP_ST) && may_be_global(i); }

// Volatile, or with an order of its own: other threads may look at it at any time.
static bool is_strong(const Inst *i) { return i->mod[G_SEM] != M_NONE && i->mod[G_SEM] != M_WEAK; }

static bool is_atomic(const Inst *i) { return (i->op == OP_ATOM || i->op == OP_RED) && may_be_global(i); }

static bool must_stay_together(const Inst *i)
{
    return i->op == OP_BAR || i->op == OP_BARRIER || i->op == OP_BRX || inst_has(i, G_SYNC) || inst_has(i, G_ALIGNED) || i->op == OP_ELECT || i->op == OP_REDUX;
}

// --- structures -----------------------------------------------------------------------------------------------------------
static int find_structure(const Sl1Plan *p, int param)
{
    for (uint32_t k = 0; k < p->structures; k++)
        if (p->structure[k].param == (uint32_t)param) return (int)k;
    return SL1_UNKNOWN;
}

// Structures of the main loops, those with most accesses first; what there is no room for counts as unknown.
static void find_structures(Sl1Plan *p, const int16_t *prov)
{
    const Function *f = p->f;
    uint32_t *sites = mem_alloc(sizeof *sites * (f->params.n + 1));
    for (size_t b = 0; b < p->flow->blocks.n; b++)
        for (uint32_t n = p->flow->blocks.v[b].first; p->loop_of[b] >= 0 && n < p->flow->blocks.v[b].last; n++)
            if (is_access(&f->insts.v[n]) && prov[n] >= 0) sites[prov[n]]++;
    for (; p->structures < SL1_STRUCTURES; p->structures++) {
        size_t most = 0;
        for (size_t k = 1; k < f->params.n; k++)
            if (sites[k] > sites[most]) most = k;
        if (!f->params.n || !sites[most]) break;
        p->structure[p->structures] = (Sl1Structure){.param = (uint32_t)most, .sites = sites[most]};
        sites[most] = 0;
    }
    mem_free(sites);
}

static void look_at_accesses(Sl1Plan *p, const int16_t *prov)
{
    const Function *f = p->f;
    for (uint32_t n = 0; n < f->insts.n; n++) {
        const Inst *i = &f->insts.v[n];
        bool access = is_access(i), touches = access || is_atomic(i);
        p->access[n] = SL1_OTHER;
        if (!touches) continue;
        int s = prov[n] >= 0 ? find_structure(p, prov[n]) : SL1_UNKNOWN;
        if (access) p->access[n] = (int16_t)s;
        if (is_atomic(i) || is_strong(i)) {
            if (s >= 0) p->structure[s].barred = true;
            else if (prov[n] < 0) p->left = "an atomic or volatile access may touch any structure";
        }
        if (p->loop_of[p->flow->block_of[n]] < 0) continue;
        p->unknown |= s == SL1_UNKNOWN && access;
        if (i->op != OP_ST) continue;
        if (s >= 0) p->structure[s].written = true;
        else p->stores_unknown = true;
    }
}

// --- loops ----------------------------------------------------------------------------------------------------------------
static const char *why_not(const Flow *flow, const Loop *l)
{
    for (size_t k = 0; k < l->blocks.n; k++) {
        const Block *b = &flow->blocks.v[l->blocks.v[k]];
        for (uint32_t n = b->first; n < b->last; n++)
            if (must_stay_together(&flow->f->insts.v[n])) return "a warp must stay together in it";
    }
    return NULL;
}

static bool touches_memory(const Flow *flow, const Loop *l, const int16_t *prov)
{
    for (size_t k = 0; k < l->blocks.n; k++) {
        const Block *b = &flow->blocks.v[l->blocks.v[k]];
        for (uint32_t n = b->first; n < b->last; n++)
            if (is_access(&flow->f->insts.v[n]) && prov[n] >= 0) return true;
    }
    return false;
}

static void find_loops(Sl1Plan *p, const int16_t *prov)
{
    const Flow *flow = p->flow;
    for (uint32_t k = 0; k < flow->loops.n; k++) {
        const Loop *l = &flow->loops.v[k];
        if (l->depth != 1 || !touches_memory(flow, l, prov) || p->loops == SL1_LOOPS) continue;
        p->loop[p->loops] = (Sl1Loop){k, l->head, why_not(flow, l)};
        for (size_t b = 0; b < l->blocks.n && !p->loop[p->loops].left; b++) p->loop_of[l->blocks.v[b]] = (int)p->loops;
        p->loops++;
    }
}

Sl1Plan *sl1_plan(const Function *f)
{
    Sl1Plan *p = mem_alloc(sizeof *p);
    p->f = f;
    p->flow = flow_build(f);
    p->access = mem_alloc(sizeof *p->access * (f->insts.n + 1));
    p->loop_of = mem_alloc(sizeof *p->loop_of * p->flow->blocks.n);
    for (size_t b = 0; b < p->flow->blocks.n; b++) p->loop_of[b] = -1;
    int16_t *prov = ptx_provenance(f);
    find_loops(p, prov);
    find_structures(p, prov);
    look_at_accesses(p, prov);
    mem_free(prov);
    uint32_t open = 0, good = 0;
    for (uint32_t k = 0; k < p->structures; k++) open += !p->structure[k].barred;
    for (uint32_t k = 0; k < p->loops; k++) good += !p->loop[k].left;
    if (!p->loops) p->left = "no loop of it touches a data structure";
    else if (!good) p->left = p->loop[0].left;
    else if (!open && !p->left) p->left = "atomics or volatile accesses touch every structure of its loops";
    return p;
}

void sl1_plan_free(Sl1Plan *p)
{
    if (!p) return;
    flow_free(p->flow);
    mem_free(p->access), mem_free(p->loop_of), mem_free(p);
}

void sl1_plan_print(const Sl1Plan *p, Text *out)
{
    const Function *f = p->f;
    text_printf(out, "%s: %s%s\n", f->symbol->name, p->left ? "left alone: " : "rewritten", p->left ? p->left : "");
    for (uint32_t k = 0; k < p->loops; k++) {
        const Loop *l = &p->flow->loops.v[p->loop[k].loop];
        text_printf(out, "  loop %u: %zu blocks from instruction %u%s%s\n", k, l->blocks.n, p->flow->blocks.v[l->head].first, p->loop[k].left ? ", left alone: " : "", p->loop[k].left ? p->loop[k].left : "");
    }
    for (uint32_t k = 0; k < p->structures; k++) {
        const Sl1Structure *s = &p->structure[k];
        text_printf(out, "  structure %u: %s, %u accesses, %s\n", k, f->params.v[s->param]->name, s->sites, s->barred ? "never cached: atomic or volatile" : s->written ? "read and written" : "only read");
    }
}
