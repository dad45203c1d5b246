// neighbour.c: accesses that need no look at a tag of their own. A loop that a compiler has unrolled accesses bytes
// that are a few bytes apart, by one base register. If the first access, the leader, finds that the furthest of them
// lies in its line, too, then the line holds them all. So a leader's test is narrower by its reach, the distance of its
// furthest neighbour, and a neighbour only asks how that test ended.
//
// The line must be the leader's when the neighbour comes. So nothing between them may move it: no other access of the
// structure, none of unknown origin, no call, no flush; and control comes to the neighbour from the leader alone.
#include "ptx/ops.h"
#include "sl1/unit.h"

typedef struct Leader {
    bool open;
    uint32_t inst, base;
    int64_t offset;
} Leader;
typedef struct Search {
    Sl1Writer *w;
    Leader leader[SL1_STRUCTURES];
} Search;

static void close_all(Search *s)
{
    for (uint32_t k = 0; k < SL1_STRUCTURES; k++) s->leader[k].open = false;
}

static void close_by_register(void *user, uint32_t reg, bool def)
{
    Search *s = user;
    for (uint32_t k = 0; k < SL1_STRUCTURES && def; k++)
        if (s->leader[k].base == reg) s->leader[k].open = false;
}

// Does control come to block b only from the one before it, in the same loop slice?
static bool goes_on(const Sl1Body *body, uint32_t b)
{
    const Block *block = &body->flow->blocks.v[b];
    return b && block->pred.n == 1 && block->pred.v[0] == b - 1 && body->loop_of[b] == body->loop_of[b - 1];
}

// A neighbour is less than half a line from its leader: in more than half of the places that a leader may have in its
// line, it has the neighbour there as well.
static bool is_near(const Search *s, const Leader *l, const Operand *a)
{
    int64_t apart = a->imm - l->offset;
    return l->open && l->base == a->reg && apart >= 0 && apart < s->w->options->line / 2;
}

static void take_access(Search *s, uint32_t n, uint32_t k)
{
    const Inst *i = &s->w->body->f->insts.v[n];
    const Operand *a = sl1_address_of(i);
    Leader *l = &s->leader[k];
    if (is_near(s, l, a)) {
        Sl1Near *leader = &s->w->near[l->inst];
        uint32_t apart = (uint32_t)(a->imm - l->offset);
        leader->leads = true, leader->apart = MAX(leader->apart, apart);
        s->w->near[n] = (Sl1Near){.follows = true, .apart = apart};
        return;
    }
    *l = (Leader){.open = a->reg != NO_REG && !i->guarded, .inst = n, .base = a->reg, .offset = a->imm};
}

static void look_at(Search *s, uint32_t n)
{
    const Sl1Writer *w = s->w;
    const Inst *i = &w->body->f->insts.v[n];
    int k = w->body->access[n];
    bool own = k >= 0 && (i->op == OP_LD || i->op == OP_ST) && !sl1_is_strong(i) && sl1_through_own(w, i, k);
    if (own)
        take_access(s, n, (uint32_t)k);
    else if (k == SL1_UNKNOWN || w->body->call[n] != SL1_NO_CALL || op_has(i->op, P_ORDER) || sl1_is_strong(i))
        close_all(s);
    else if (k >= 0)
        s->leader[k].open = false;
    inst_regs(i, close_by_register, s);
}

// Fills w->near for the instructions of w->body: a row of zeros where an access stands alone.
void sl1_find_neighbours(Sl1Writer *w)
{
    const Flow *flow = w->body->flow;
    Search s = {.w = w};
    w->near = mem_alloc(sizeof *w->near * (w->body->f->insts.n + 1));
    if (!w->options->neighbours || w->alias || w->options->line == 24 || w->options->banks || sl1_pairs(w)) return;
    for (uint32_t b = 0; b + 1 < flow->blocks.n; b++) {
        if (!goes_on(w->body, b)) close_all(&s);
        for (uint32_t n = flow->blocks.v[b].first; n < flow->blocks.v[b].last; n++) look_at(&s, n);
    }
}
