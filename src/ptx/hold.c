// hold.c: decides which values a thread holds in its registers at each instruction, when there are more of them than
// registers. What isn't held lies in local memory, in the value's home. A register with one definition is stored right
// behind it; one with several is stored when it leaves, if it has changed. A load brings it back before a use. The held
// value whose next use is farthest leaves first (Belady 1966; over blocks as Braun and Hack, CC 2009, do it). Values
// that don't live at the same time share a home, as ptxas has it: a thread's frame stays small.
//
// Invariant: where a block begins, the values that are held are held at the end of each block that leads to it, under
// their own name. Within a block, each load and each definition gives the value a new name, so that slots are chosen
// anew.
#include "ptx/ops.h"
#include "ptx/pass.h"

#include <stdlib.h>
#include <string.h>

enum { FAR = 1 << 20, LOOK = 16, MOST_HELD = 1 << 24 };
#define NEVER INT64_MAX

typedef VEC(uint32_t) Regs;

// A load or a store: before instruction at / 2, or behind it if at is odd; stores go first, so that what is loaded has
// their room. life: an index into lives; 0: under its own name.
typedef struct Move {
    uint32_t at;
    bool load;
    uint32_t order, reg, life;
} Move;

// A register that an instruction reads, or one that it writes, has the name of a life there.
typedef struct Renamed {
    uint32_t inst;
    bool def;
    uint32_t reg, life;
} Renamed;

typedef struct Life {
    uint32_t reg, name;  // name: NO_REG until it is known
} Life;

typedef struct Hold {
    Function *f;
    const Flow *w;
    uint32_t room;  // words
    RegIndex reads, writes;
    uint8_t *width;  // per register: words; 0: it isn't ours to move
    bool *outside;   // registers that take no slot, or null
    uint64_t *out;   // what lives behind the block at hand
    uint32_t *at;    // per register: its index in held plus 1, or 0
    uint32_t *life, *stamp, now;
    int64_t *next;  // per register that is held: the instruction of its next use, as next_use counts
    Regs held;
    uint32_t words;     // of held
    Regs *begin, *end;  // per block: what is held
    bool *begun, *ended;
    bool *changed;  // per register that is held: its home has another value
    Regs *differs;  // per block: of end, those whose homes have other values
    VEC(Move) moves;
    VEC(Renamed) renamed;
    VEC(Life) lives;
    bool *loaded;  // per register
    VEC(Inst) insts;
    Symbol **home;
} Hold;

// --- when a value is read next ---------------------------------------------------------------------------------------
static uint32_t first_from(const RegIndex *x, uint32_t reg, uint32_t inst)
{
    uint32_t lo = x->first[reg], hi = x->first[reg + 1];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (x->inst[mid] < inst)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static uint32_t depth(const Flow *w, uint32_t loop) { return loop == NO_BLOCK ? 0 : w->loops.v[loop].depth; }

static uint32_t common_depth(const Flow *w, uint32_t a, uint32_t b)
{
    uint32_t x = w->blocks.v[a].loop, y = w->blocks.v[b].loop;
    while (x != y) {
        if (depth(w, x) >= depth(w, y))
            x = w->loops.v[x].parent;
        else
            y = w->loops.v[y].parent;
    }
    return depth(w, x);
}

// From instruction n on, in block b, counted in instructions; each loop that has to be left before counts FAR. What
// comes round a loop is taken as far as the loop is long.
static int64_t next_use(const Hold *h, uint32_t reg, uint32_t n, uint32_t b)
{
    const Flow *w = h->w;
    const Block *k = &w->blocks.v[b];
    uint32_t read = first_from(&h->reads, reg, n), end = h->reads.first[reg + 1];
    uint32_t write = first_from(&h->writes, reg, n);
    bool here = read < end && h->reads.inst[read] < k->last;
    if (write < h->writes.first[reg + 1] && h->writes.inst[write] < k->last) {
        uint32_t inst = h->writes.inst[write];
        here = here && h->reads.inst[read] <= inst;
        if (!inst_keeps(&h->f->insts.v[inst])) return here ? h->reads.inst[read] - n : NEVER;
        if (!here) return inst - n;
    }
    if (here) return h->reads.inst[read] - n;
    if (!(h->out[reg / 64] >> reg % 64 & 1)) return NEVER;
    const uint32_t deep = depth(w, k->loop);
    int64_t best = (int64_t)FAR * (deep + 1);
    for (uint32_t r = read; r < end && r < read + LOOK; r++) {
        uint32_t at = h->reads.inst[r], block = w->block_of[at];
        best = MIN(best, (int64_t)FAR * (deep - common_depth(w, b, block)) + MIN(at - n, FAR - 1u));
    }
    uint32_t inner = deep;
    for (uint32_t l = k->loop; l != NO_BLOCK; l = w->loops.v[l].parent, inner--) {
        const Block *head = &w->blocks.v[w->loops.v[l].head];
        uint32_t r = first_from(&h->reads, reg, head->first);
        for (uint32_t seen = 0; r < end && seen < LOOK && h->reads.inst[r] < n; r++, seen++)
            if (common_depth(w, b, w->block_of[h->reads.inst[r]]) >= inner) {
                const uint32_t round = n - head->first + h->reads.inst[r] - head->first;
                best = MIN(best, (int64_t)FAR * (deep - inner) + MIN(round, FAR - 1u));
                break;
            }
    }
    return best;
}

// --- what is held ----------------------------------------------------------------------------------------------------
static void take(Hold *h, uint32_t reg, uint32_t life, uint32_t n, uint32_t b)
{
    if (!h->at[reg]) {
        vec_push(&h->held, reg);
        h->at[reg] = (uint32_t)h->held.n;
        h->words += h->width[reg];
    }
    h->life[reg] = life;
    h->next[reg] = next_use(h, reg, n, b);
    if (h->next[reg] < NEVER) h->next[reg] += n;
}

static void leave(Hold *h, uint32_t reg)
{
    uint32_t last = h->held.v[--h->held.n];
    h->held.v[h->at[reg] - 1] = last;
    h->at[last] = h->at[reg];
    h->at[reg] = 0;
    h->words -= h->width[reg];
}

static void move(Hold *h, uint32_t at, bool load, uint32_t reg, uint32_t life)
{
    vec_push(&h->moves, ((Move){at, load, (uint32_t)h->moves.n, reg, life}));
    h->loaded[reg] = true;
    h->changed[reg] = false;
}

static void make_room(Hold *h, uint32_t at)  // what has the stamp of now stays
{
    while (h->words > h->room) {
        uint32_t worst = NO_REG;
        for (size_t k = 0; k < h->held.n; k++) {
            uint32_t r = h->held.v[k];
            if (h->stamp[r] != h->now && (worst == NO_REG || h->next[r] > h->next[worst])) worst = r;
        }
        if (worst == NO_REG) return;
        if (h->changed[worst] && h->next[worst] < NEVER) move(h, at, false, worst, h->life[worst]);
        leave(h, worst);
    }
}

// --- an instruction --------------------------------------------------------------------------------------------------
typedef struct Visit {
    Regs use, def;
    const Hold *h;
} Visit;
static void visit(void *user, uint32_t reg, bool def)
{
    Visit *v = user;
    if (!v->h->width[reg]) return;
    if (def)
        vec_push(&v->def, reg);
    else
        vec_push(&v->use, reg);
}

static uint32_t new_life(Hold *h, uint32_t reg)
{
    vec_push(&h->lives, ((Life){reg, NO_REG}));
    return (uint32_t)h->lives.n - 1;
}

static void step(Hold *h, Visit *v, uint32_t n, uint32_t b)
{
    const Inst *i = &h->f->insts.v[n];
    v->use.n = v->def.n = 0;
    inst_regs(i, visit, v);
    h->now++;
    const bool keeps = inst_keeps(i) || inst_adds(i);
    for (size_t k = 0; keeps && k < v->def.n; k++) vec_push(&v->use, v->def.v[k]);
    for (size_t k = 0; k < v->use.n; k++) {
        uint32_t r = v->use.v[k];
        if (!h->at[r]) {
            const uint32_t life = new_life(h, r);
            move(h, 2 * n, true, r, life);
            take(h, r, life, n, b);
        }
        if (h->stamp[r] != h->now && h->life[r]) vec_push(&h->renamed, ((Renamed){n, false, r, h->life[r]}));
        h->stamp[r] = h->now;
    }
    make_room(h, 2 * n);
    for (size_t k = 0; k < v->use.n; k++) {
        uint32_t r = v->use.v[k];
        if (h->at[r]) take(h, r, h->life[r], n + 1, b);
        if (h->at[r] && h->next[r] == NEVER) leave(h, r);
    }
    h->now++;
    for (size_t k = 0; k < v->def.n; k++) {
        uint32_t r = v->def.v[k];
        if (h->stamp[r] == h->now) continue;
        if (!keeps) {
            h->life[r] = reg_single(&h->writes, r) ? 0 : new_life(h, r);
            if (h->life[r]) vec_push(&h->renamed, ((Renamed){n, true, r, h->life[r]}));
        }
        take(h, r, h->life[r], n + 1, b);
        h->changed[r] = !reg_single(&h->writes, r);
        h->stamp[r] = h->now;
    }
    make_room(h, 2 * n);
    for (size_t k = 0; k < v->def.n; k++)
        if (h->at[v->def.v[k]] && h->next[v->def.v[k]] == NEVER) leave(h, v->def.v[k]);
}

// --- blocks ----------------------------------------------------------------------------------------------------------
static bool lives_in(const Hold *h, uint32_t b, uint32_t reg)
{
    return h->w->live_in[(size_t)b * h->w->words + reg / 64] >> reg % 64 & 1;
}

// Words that are alive at most at once in a block, of those that are ours.
static uint32_t peak(Hold *h, uint32_t b, Visit *v)
{
    const Block *k = &h->w->blocks.v[b];
    uint32_t words = 0, most = 0;
    flow_live_out(h->w, b, h->out);
    for (uint32_t x = 0; x < h->w->words; x++)
        for (uint64_t bits = h->out[x]; bits; bits &= bits - 1)
            words += h->width[x * 64 + (uint32_t)__builtin_ctzll(bits)];
    most = words;
    for (uint32_t n = k->last; n-- > k->first;) {
        v->use.n = v->def.n = 0;
        inst_regs(&h->f->insts.v[n], visit, v);
        for (size_t d = 0; d < v->def.n && !inst_keeps(&h->f->insts.v[n]); d++) {
            uint32_t r = v->def.v[d];
            if (h->out[r / 64] >> r % 64 & 1) words -= h->width[r];
            h->out[r / 64] &= ~(1ull << r % 64);
        }
        for (size_t u = 0; u < v->use.n; u++) {
            uint32_t r = v->use.v[u];
            if (!(h->out[r / 64] >> r % 64 & 1)) words += h->width[r];
            h->out[r / 64] |= 1ull << r % 64;
        }
        most = MAX(most, words);
    }
    return most;
}

typedef struct Near {
    int64_t next;
    uint32_t reg;
} Near;
static int by_next(const void *a, const void *b)
{
    const Near *x = a, *y = b;
    return x->next != y->next ? (x->next < y->next ? -1 : 1) : x->reg < y->reg ? -1 : x->reg > y->reg;
}

static bool holds(const Regs *r, uint32_t reg)
{
    for (size_t k = 0; k < r->n; k++)
        if (r->v[k] == reg) return true;
    return false;
}

// Where what a block does last stands: before its jump, or behind its last instruction.
static uint32_t end_of(const Hold *h, uint32_t b)
{
    const uint32_t last = h->w->blocks.v[b].last - 1;
    return 2 * last + !op_has(h->f->insts.v[last].op, P_BRANCH);
}

static bool is_empty(const Hold *h, uint32_t b) { return h->w->blocks.v[b].first == h->w->blocks.v[b].last; }

static void forget(Regs *r, uint32_t reg)
{
    for (size_t k = 0; k < r->n; k++)
        if (r->v[k] == reg) r->v[k--] = r->v[--r->n];
}

// At the head of a loop: what the loop reads, nearest first; then what lives through it, if that has room beside the
// loop's own. What a block before the loop doesn't hold is loaded at its end, where it leads nowhere else.
static void begin_loop(Hold *h, uint32_t b, Visit *v)
{
    const Flow *w = h->w;
    const Block *k = &w->blocks.v[b];
    VEC(Near) near = {0};
    uint32_t through = 0, most = 0, words = 0;
    for (uint32_t l = 0; l < w->loops.n; l++)
        if (w->loops.v[l].head == b)
            for (size_t x = 0; x < w->loops.v[l].blocks.n; x++) most = MAX(most, peak(h, w->loops.v[l].blocks.v[x], v));
    flow_live_out(w, b, h->out);
    for (uint32_t r = 0; r < h->f->regs.n; r++)
        if (h->width[r] && lives_in(h, b, r)) {
            vec_push(&near, ((Near){next_use(h, r, k->first, b), r}));
            if (near.v[near.n - 1].next >= FAR) through += h->width[r];
        }
    if (near.n) qsort(near.v, near.n, sizeof *near.v, by_next);
    uint32_t own = most > through ? most - through : 0, room = h->room > own ? h->room - own : 0;
    for (size_t x = 0; x < near.n; x++) {
        uint32_t r = near.v[x].reg, wide = h->width[r];
        bool far = near.v[x].next >= FAR, may = words + wide <= h->room && (!far || wide <= room);
        for (size_t p = 0; may && p < k->pred.n; p++) {
            uint32_t from = k->pred.v[p];
            if (h->ended[from] && !holds(&h->end[from], r))
                may = !far && w->blocks.v[from].succ.n == 1 && !is_empty(h, from);
        }
        if (!may) continue;
        words += wide;
        if (far) room -= wide;
        vec_push(&h->begin[b], r);
    }
    vec_free(&near);
    for (size_t p = 0; p < k->pred.n; p++) {
        uint32_t from = k->pred.v[p];
        for (size_t x = 0; h->ended[from] && x < h->begin[b].n; x++)
            if (!holds(&h->end[from], h->begin[b].v[x])) move(h, end_of(h, from), true, h->begin[b].v[x], 0);
    }
}

// Elsewhere: what all blocks that lead here hold.
static void begin_plain(Hold *h, uint32_t b)
{
    const Block *k = &h->w->blocks.v[b];
    if (!k->pred.n) return;
    const Regs *first = &h->end[k->pred.v[0]];
    for (size_t x = 0; x < first->n; x++) {
        bool all = lives_in(h, b, first->v[x]);
        for (size_t p = 1; all && p < k->pred.n; p++) all = holds(&h->end[k->pred.v[p]], first->v[x]);
        if (all) vec_push(&h->begin[b], first->v[x]);
    }
}

// Is a register written in a loop whose head this block is?
static bool loop_writes(const Hold *h, uint32_t b, uint32_t reg)
{
    for (uint32_t x = h->writes.first[reg]; x < h->writes.first[reg + 1]; x++)
        for (uint32_t l = h->w->blocks.v[h->w->block_of[h->writes.inst[x]]].loop; l != NO_BLOCK;
             l = h->w->loops.v[l].parent)
            if (h->w->loops.v[l].head == b) return true;
    return false;
}

// The homes of what lives here and isn't held have its value, so blocks that lead here store it. So they do for what a
// loop may drop in each turn without having changed it. What is held has another value than its home, if it may have.
static void begin_homes(Hold *h, uint32_t b, bool loop)
{
    const Block *k = &h->w->blocks.v[b];
    for (size_t p = 0; p < k->pred.n; p++) {
        uint32_t from = k->pred.v[p];
        Regs *differs = &h->differs[from];
        for (size_t x = differs->n; x-- > 0;) {
            uint32_t r = differs->v[x];
            if (!lives_in(h, b, r) || (holds(&h->begin[b], r) && !(loop && !loop_writes(h, b, r)))) continue;
            move(h, end_of(h, from), false, r, 0);
            forget(differs, r);
        }
    }
    for (size_t x = 0; x < h->begin[b].n; x++) {
        uint32_t r = h->begin[b].v[x];
        h->changed[r] = loop && !reg_single(&h->writes, r) && loop_writes(h, b, r);
        for (size_t p = 0; p < k->pred.n && !h->changed[r]; p++) h->changed[r] = holds(&h->differs[k->pred.v[p]], r);
    }
}

// What the heads of loops that this block leads back to hold is held at its end, and what they don't is stored.
static void end_block(Hold *h, uint32_t b)
{
    const Block *k = &h->w->blocks.v[b];
    h->now++;
    for (size_t s = 0; s < k->succ.n; s++) {
        uint32_t to = k->succ.v[s];
        for (size_t x = 0; h->begun[to] && x < h->begin[to].n; x++) {
            uint32_t r = h->begin[to].v[x];
            if (!h->at[r]) move(h, end_of(h, b), true, r, 0), take(h, r, 0, k->last, b);
            h->stamp[r] = h->now;
        }
        for (size_t x = 0; h->begun[to] && x < h->held.n; x++) {
            uint32_t r = h->held.v[x];
            if (h->changed[r] && lives_in(h, to, r) && !holds(&h->begin[to], r))
                move(h, end_of(h, b), false, r, h->life[r]);
        }
    }
    make_room(h, end_of(h, b));
    for (size_t x = 0; x < h->held.n; x++) {
        uint32_t r = h->held.v[x];
        if (!(h->out[r / 64] >> r % 64 & 1)) continue;
        vec_push(&h->end[b], r);
        if (h->changed[r]) vec_push(&h->differs[b], r);
        if (h->life[r]) h->lives.v[h->life[r]].name = r;
    }
    h->ended[b] = true;
}

static void decide(Hold *h)
{
    const Flow *w = h->w;
    Visit v = {.h = h};
    for (size_t o = 0; o < w->order.n; o++) {
        uint32_t b = w->order.v[o];
        const Block *k = &w->blocks.v[b];
        if (is_empty(h, b)) continue;  // the end
        bool loop = false;
        for (size_t p = 0; p < k->pred.n; p++) loop |= !h->ended[k->pred.v[p]];
        if (loop)
            begin_loop(h, b, &v);
        else
            begin_plain(h, b);
        begin_homes(h, b, loop);
        h->begun[b] = true;
        flow_live_out(w, b, h->out);
        while (h->held.n) leave(h, h->held.v[h->held.n - 1]);
        for (size_t x = 0; x < h->begin[b].n; x++) take(h, h->begin[b].v[x], 0, k->first, b);
        for (uint32_t n = k->first; n < k->last; n++) step(h, &v, n, b);
        end_block(h, b);
    }
    vec_free(&v.use), vec_free(&v.def);
}

// --- homes -----------------------------------------------------------------------------------------------------------
static Type home_type(Type t)
{
    int bits = type_info[t].bits;
    return bits == 64 ? TY_B64 : bits == 16 ? TY_B16 : bits == 8 ? TY_B8 : TY_B32;
}

Symbol *home_new(Function *f, uint32_t reg)
{
    Symbol *s = arena_alloc(&f->module->arena, sizeof *s);
    Type t = home_type(f->regs.v[reg].type);
    *s = (Symbol){.name = arena_printf(&f->module->arena, "spilled$%u", reg),
                  .space = SP_LOCAL,
                  .type = t,
                  .align = (uint32_t)type_bytes(t),
                  .bytes = (uint64_t)type_bytes(t),
                  .elements = 1,
                  .spilled = true};
    vec_push(&f->locals, s);
    return s;
}

Inst home_access(Function *f, const Inst *near, bool load, uint32_t reg, Symbol *home)
{
    const Operand value = operand_reg(reg), at = {.kind = O_ADDR, .reg = NO_REG, .sym = home};
    const Operand o[] = {load ? value : at, load ? at : value};
    const uint16_t suffix[] = {M_LOCAL, type_suffix(home->type)};
    return inst_make(f, near, load ? OP_LD : OP_ST, suffix, 2, o, 2);
}

// Homes that nobody needs any more, by their type.
typedef struct Free {
    uint32_t last;
    Symbol *home;
} Free;

static void give_homes(Hold *h)
{
    Function *f = h->f;
    const size_t n = f->regs.n;
    Interval *v = reg_intervals(h->w);
    VEC(Free) old = {0};
    qsort(v, n, sizeof *v, interval_by_first);
    for (size_t k = 0; k < n && v[k].first != UINT32_MAX; k++) {
        uint32_t r = v[k].reg;
        if (!h->loaded[r]) continue;
        for (size_t o = 0; o < old.n && !h->home[r]; o++)
            if (old.v[o].last < v[k].first && old.v[o].home->type == home_type(f->regs.v[r].type))
                h->home[r] = old.v[o].home, old.v[o].last = v[k].last;
        if (h->home[r]) continue;
        h->home[r] = home_new(f, r);
        vec_push(&old, ((Free){v[k].last, h->home[r]}));
    }
    vec_free(&old);
    mem_free(v);
}

// A definition that is made again instead of a load: of a constant, or of a kernel's parameter. Null: there is none.
static const Inst *again(const Hold *h, uint32_t reg)
{
    if (!reg_single(&h->writes, reg)) return NULL;
    const Inst *i = &h->f->insts.v[h->writes.inst[h->writes.first[reg]]];
    if (i->guarded || i->operands != 2 || i->opnd[0].kind != O_REG || i->vec > 1) return NULL;
    bool constant = i->op == OP_MOV && i->opnd[1].kind == O_IMM;
    bool param =
        i->op == OP_LD && i->space == SP_PARAM && h->f->entry && i->opnd[1].kind == O_ADDR && i->opnd[1].reg == NO_REG;
    return constant || param ? i : NULL;
}

// --- the function, written anew --------------------------------------------------------------------------------------
static void put_move(Hold *h, const Move *m, const Inst *near)
{
    const uint32_t name = m->life ? h->lives.v[m->life].name : m->reg;
    const Inst *made = m->load ? again(h, m->reg) : NULL;
    if (!made) {
        vec_push(&h->insts, home_access(h->f, near, m->load, name, h->home[m->reg]));
        return;
    }
    Inst i = *made;
    inst_own(h->f, &i);
    i.opnd[0].reg = name;
    i.origin = near->origin, i.at = near->at, i.loc = near->loc;
    vec_push(&h->insts, i);
}

typedef struct Stores {
    Hold *h;
    const Inst *from;
} Stores;
static void store_def(void *user, uint32_t reg, bool def)
{
    Stores *s = user;
    Symbol *home = s->h->home[reg];
    if (def && home && reg_single(&s->h->writes, reg))
        vec_push(&s->h->insts, home_access(s->h->f, s->from, false, reg, home));
}

static int by_place(const void *a, const void *b)
{
    const Move *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->load != y->load ? x->load - y->load : x->order < y->order ? -1 : 1;
}
static int by_inst(const void *a, const void *b)
{
    const Renamed *x = a, *y = b;
    if (x->inst != y->inst) return x->inst < y->inst ? -1 : 1;
    return x->def != y->def ? x->def - y->def : x->reg < y->reg ? -1 : 1;
}

// Operands [first, last) of an instruction get the names of lives; a sum that is read and written is one operand.
static void put_names(Hold *h, Inst *i, const Renamed *from, size_t n, uint32_t *name, int first, int last)
{
    for (size_t k = 0; k < n; k++) name[from[k].reg] = h->lives.v[from[k].life].name;
    for (int o = first; n && o < last; o++) operand_rename(&i->opnd[o], name);
    for (size_t k = 0; k < n; k++) name[from[k].reg] = from[k].reg;
}

static void write_anew(Hold *h)
{
    Function *f = h->f;
    const size_t old = f->regs.n;
    uint32_t *name = mem_alloc(sizeof *name * (old + 1)), *moved = mem_alloc(sizeof *moved * (f->insts.n + 1)),
             *self = mem_alloc(sizeof *self * (f->insts.n + 1));
    for (uint32_t r = 0; r < old; r++) name[r] = r;
    if (h->moves.n) qsort(h->moves.v, h->moves.n, sizeof *h->moves.v, by_place);
    if (h->renamed.n) qsort(h->renamed.v, h->renamed.n, sizeof *h->renamed.v, by_inst);
    for (size_t k = 1; k < h->lives.n; k++)
        if (h->lives.v[k].name == NO_REG) h->lives.v[k].name = reg_new(f, f->regs.v[h->lives.v[k].reg].type);
    size_t l = 0, x = 0;
    for (uint32_t n = 0; n < f->insts.n; n++) {
        const Inst *from = &f->insts.v[n];
        const Renamed *names = h->renamed.v + x;
        size_t uses = 0, defs = 0;
        moved[n] = (uint32_t)h->insts.n;
        for (; l < h->moves.n && h->moves.v[l].at == 2 * n; l++) put_move(h, &h->moves.v[l], from);
        for (; x < h->renamed.n && h->renamed.v[x].inst == n && !h->renamed.v[x].def; x++) uses++;
        for (; x < h->renamed.n && h->renamed.v[x].inst == n; x++) defs++;
        Inst i = *from;
        const int dests = inst_dest_count(&i);
        const bool keeps = inst_keeps(from) || inst_adds(from);
        if (uses + defs) inst_own(f, &i);
        put_names(h, &i, names, uses, name, keeps ? 0 : dests, i.operands);
        put_names(h, &i, names + uses, defs, name, 0, dests);
        self[n] = (uint32_t)h->insts.n;
        vec_push(&h->insts, i);
        inst_regs(from, store_def, &(Stores){h, from});
        for (; l < h->moves.n && h->moves.v[l].at == 2 * n + 1; l++) put_move(h, &h->moves.v[l], from);
    }
    moved[f->insts.n] = self[f->insts.n] = (uint32_t)h->insts.n;
    places_move(f, moved, self);
    mem_free(f->insts.v);
    f->insts.v = h->insts.v, f->insts.n = h->insts.n, f->insts.cap = h->insts.cap;
    mem_free(name), mem_free(moved), mem_free(self);
}

// What may be moved: not what is read without having been written, and not sums that a matrix unit is still adding to.
static void find_ours(Hold *h)
{
    const Function *f = h->f;
    for (uint32_t r = 0; r < f->regs.n; r++) {
        int wide = reg_width(f, r);
        h->width[r] = wide > 2 || (h->outside && h->outside[r]) || lives_in(h, 0, r) ? 0 : (uint8_t)wide;
    }
    Visit v = {.h = h};
    for (uint32_t n = 0; n < f->insts.n; n++) {
        if (!inst_adds(&f->insts.v[n])) continue;
        v.use.n = v.def.n = 0;
        inst_regs(&f->insts.v[n], visit, &v);
        for (size_t k = 0; k < v.def.n; k++) h->width[v.def.v[k]] = 0;
    }
    vec_free(&v.use), vec_free(&v.def);
}

void hold_registers(Function *f, uint32_t words)
{
    Flow *w = flow_build(f);
    flow_live(w);
    const size_t n = f->regs.n, blocks = w->blocks.n;
    if ((uint64_t)blocks * words > MOST_HELD) {
        flow_free(w);
        return;
    }
    Hold h = {.f = f, .w = w, .room = words, .reads = reg_index(f, false), .writes = reg_index(f, true)};
    h.width = mem_alloc(n + 1), h.loaded = mem_alloc(n + 1);
    h.outside = alloc_outside(f);
    h.out = mem_alloc(w->words * 8);
    h.at = mem_alloc(sizeof *h.at * (n + 1)), h.life = mem_alloc(sizeof *h.life * (n + 1));
    h.stamp = mem_alloc(sizeof *h.stamp * (n + 1)), h.next = mem_alloc(sizeof *h.next * (n + 1));
    h.begin = mem_alloc(sizeof *h.begin * (blocks + 1)), h.end = mem_alloc(sizeof *h.end * (blocks + 1));
    h.begun = mem_alloc(blocks + 1), h.ended = mem_alloc(blocks + 1);
    h.changed = mem_alloc(n + 1), h.differs = mem_alloc(sizeof *h.differs * (blocks + 1));
    h.home = mem_alloc(sizeof(Symbol *) * (n + 1));
    vec_push(&h.lives, ((Life){NO_REG, NO_REG}));
    find_ours(&h);
    decide(&h);
    for (uint32_t r = 0; r < n; r++)
        if (h.loaded[r] && again(&h, r)) h.loaded[r] = false;
    if (h.moves.n) give_homes(&h), write_anew(&h);
    for (size_t b = 0; b < blocks; b++) vec_free(&h.begin[b]), vec_free(&h.end[b]), vec_free(&h.differs[b]);
    mem_free(h.changed), mem_free(h.differs), mem_free(h.begin), mem_free(h.end), mem_free(h.begun), mem_free(h.ended);
    vec_free(&h.moves), vec_free(&h.renamed), vec_free(&h.lives), vec_free(&h.held);
    mem_free(h.width), mem_free(h.loaded), mem_free(h.outside), mem_free(h.out), mem_free(h.at), mem_free(h.life);
    mem_free(h.stamp), mem_free(h.next), mem_free(h.home);
    reg_index_free(&h.reads), reg_index_free(&h.writes);
    flow_free(w);
}
