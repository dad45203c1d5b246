// widen.c: loads of shared memory that lie side by side become one of 64 or 128 bits, where its address is known to be
// a multiple of that, as ptxas of CUDA 13 does it; it leaves loads of global memory apart. Those become one, too, where
// sm.vectors says that the source has vectors; a pointer that is passed counts as a multiple of 16 there, and where it
// isn't, the launch fails. Of a block's loads between two instructions that may write that memory, the later ones move
// up to the first. Invariants: the base register and the later loads' results are neither written nor read between; a
// load with a guard stays alone.
#include "ptx/ops.h"
#include "ptx/pass.h"

#include <string.h>

enum { WINDOW = 128, MOST_ALIGN = 4096 };  // loads that are looked at together, instructions between the first and last

typedef struct Load {
    uint32_t inst, base, version;  // base: a register, or NO_REG; how often that was written before
    const Symbol *sym;
    uint64_t offset;
    uint32_t bytes;  // of shared memory 4 or 8
    bool taken;
} Load;
typedef struct Merge {
    Function *f;
    Space space;                // whose loads
    uint32_t *align, *version;  // per register: what its value is a multiple of; how often it was written so far
    bool *gone;                 // instructions
    VEC(Load) loads;
    bool any;
} Merge;

// --- what addresses are multiples of ---------------------------------------------------------------------------------
static uint32_t low_bit(uint64_t x) { return x ? (uint32_t)MIN(x & -x, MOST_ALIGN) : MOST_ALIGN; }

// Variables of 16 bytes and more begin at a multiple of 16 where merged loads may need it (exec/decode.c).
static uint32_t symbol_align(const Symbol *s)
{
    uint32_t align = MAX(s->align, 1u);
    return s->space == SP_SHARED && (s->bytes >= MERGED_BYTES || s->linkage == LINK_EXTERN) ? MAX(align, MERGED_BYTES)
                                                                                            : align;
}

static uint32_t align_of(const Merge *m, const Operand *o)
{
    switch (o->kind) {
    case O_REG: return m->align[o->reg];
    case O_IMM: return low_bit(o->imm);
    case O_SYM: return MIN(symbol_align(o->sym), low_bit(o->imm));
    default: return 1;
    }
}

static uint32_t result_align(const Merge *m, const Inst *i)
{
    const Operand *o = i->opnd;
    switch (i->op) {
    case OP_MOV: return align_of(m, &o[1]);
    case OP_ADD:
    case OP_SUB:
    case OP_OR: return MIN(align_of(m, &o[1]), align_of(m, &o[2]));
    case OP_AND: return MAX(align_of(m, &o[1]), align_of(m, &o[2]));
    case OP_SHL: return o[2].kind == O_IMM && o[2].imm < 12 ? MIN(align_of(m, &o[1]) << o[2].imm, MOST_ALIGN) : 1;
    case OP_MUL: return i->mod[G_MUL] == M_HI ? 1 : MIN((uint64_t)align_of(m, &o[1]) * align_of(m, &o[2]), MOST_ALIGN);
    case OP_MAD:
        if (i->mod[G_MUL] == M_HI) return 1;
        return MIN(MIN((uint64_t)align_of(m, &o[1]) * align_of(m, &o[2]), MOST_ALIGN), align_of(m, &o[3]));
    case OP_CVT: return i->type2 != TY_NONE && type_info[i->type2].kind != K_FLOAT ? align_of(m, &o[1]) : 1;
    default: return 1;
    }
}

// Is its result a number in one register, which may be part of an address?
static bool makes_number(const Inst *i)
{
    const Kind kind = type_info[i->type].kind;
    return (kind == K_UINT || kind == K_SINT || kind == K_BITS) && inst_dest_count(i) == 1 && i->opnd[0].kind == O_REG;
}

static void no_align(void *user, uint32_t reg, bool def)
{
    if (def) ((uint32_t *)user)[reg] = 1;
}

// For global memory, whose addresses move along in loops: of all definitions of a register what they have in common.
// It begins with the most, and becomes less until nothing changes.
static void find_common_aligns(Merge *m)
{
    const Function *f = m->f;
    for (size_t r = 0; r < f->regs.n; r++) m->align[r] = MOST_ALIGN;
    for (size_t n = 0; n < f->insts.n; n++)
        if (!makes_number(&f->insts.v[n])) inst_regs(&f->insts.v[n], no_align, m->align);
    for (bool less = true; less;) {
        less = false;
        for (size_t n = 0; n < f->insts.n; n++) {
            const Inst *i = &f->insts.v[n];
            if (!makes_number(i)) continue;
            const bool pointer = i->op == OP_LD && i->space == SP_PARAM && type_info[i->type].bits == 64;
            const uint32_t align = pointer ? MERGED_BYTES : result_align(m, i), r = i->opnd[0].reg;
            if (align < m->align[r]) m->align[r] = align, less = true;
        }
    }
}

// Finds them for registers with one definition; nothing is known of others. Each is looked at once, in the order of the
// text.
static void find_aligns(Merge *m)
{
    const Function *f = m->f;
    RegIndex writers = reg_index(f, true);
    for (size_t r = 0; r < f->regs.n; r++) m->align[r] = 1;
    for (size_t n = 0; n < f->insts.n; n++) {
        const Inst *i = &f->insts.v[n];
        const TypeInfo *t = &type_info[i->type];
        bool number = t->kind == K_UINT || t->kind == K_SINT || t->kind == K_BITS;
        if (number && !i->guarded && inst_dest_count(i) == 1 && i->opnd[0].kind == O_REG &&
            reg_single(&writers, i->opnd[0].reg))
            m->align[i->opnd[0].reg] = result_align(m, i);
    }
    reg_index_free(&writers);
}

// --- loads -----------------------------------------------------------------------------------------------------------
// Must loads stay on its other side?
static bool parts(const Merge *m, const Inst *i)
{
    Class c = op_info[i->op].class;
    if (op_has(i->op, P_TOGETHER | P_BRANCH | P_LEAVE | P_ORDER) || c == CLASS_ATOMIC || c == CLASS_BRANCH) return true;
    if (inst_has(i, G_MMIO) || (inst_has(i, G_SEM) && i->mod[G_SEM] != M_WEAK)) return true;
    return (c == CLASS_STORE || c == CLASS_ASYNC) && (i->space == m->space || i->space == SP_GENERIC);
}

static bool is_load(const Merge *m, const Inst *i)
{
    const int bytes = type_info[i->type].bits / 8;
    const bool size = bytes == 4 || bytes == 8 || (m->space == SP_GLOBAL && (bytes == 1 || bytes == 2));
    // Loads of global memory must be plain, or of one way: nothing else stands before their type.
    const bool plain = m->space == SP_SHARED || i->suffixes <= 3;
    const bool weak = m->space == SP_SHARED || !inst_has(i, G_SEM);
    return i->op == OP_LD && i->space == m->space && !i->guarded && i->vec <= 1 && size && plain && weak &&
           i->opnd[0].kind == O_REG && i->opnd[1].kind == O_ADDR && i->operands == 2;
}

// Do two loads differ in their addresses alone?
static bool alike(const Merge *m, const Load *a, const Load *b)
{
    const Inst *x = &m->f->insts.v[a->inst], *y = &m->f->insts.v[b->inst];
    return m->space == SP_SHARED ||
           (x->suffixes == y->suffixes && !memcmp(x->suffix, y->suffix, x->suffixes * sizeof *x->suffix));
}

typedef struct Touch {
    uint32_t reg;
    bool touched;
} Touch;
static void touches(void *user, uint32_t reg, bool def)
{
    Touch *t = user;
    (void)def;
    t->touched |= reg == t->reg;
}

// Can the load's result be there from instruction `to` on?
static bool may_move(const Merge *m, const Load *l, uint32_t to)
{
    Touch t = {.reg = m->f->insts.v[l->inst].opnd[0].reg};
    if (l->inst - to > WINDOW) return false;
    for (uint32_t n = to; n < l->inst && !t.touched; n++)
        if (!m->gone[n]) inst_regs(&m->f->insts.v[n], touches, &t);
    return !t.touched;
}

static Load *find(Merge *m, const Load *like, uint64_t offset)
{
    for (size_t k = 0; k < m->loads.n; k++) {
        Load *l = &m->loads.v[k];
        if (!l->taken && l->base == like->base && l->version == like->version && l->sym == like->sym &&
            l->offset == offset && l->bytes == like->bytes && alike(m, l, like))
            return l;
    }
    return NULL;
}

static void put_vector(Merge *m, Load *const *parts, uint32_t n)
{
    uint32_t at = parts[0]->inst;
    for (uint32_t k = 1; k < n; k++) at = MIN(at, parts[k]->inst);
    Operand *items = arena_alloc(&m->f->module->arena, n * sizeof *items);
    for (uint32_t k = 0; k < n; k++) {
        items[k] = m->f->insts.v[parts[k]->inst].opnd[0];
        m->gone[parts[k]->inst] = parts[k]->inst != at;
        parts[k]->taken = true;
    }
    const Operand o[] = {{.kind = O_VEC, .count = (uint16_t)n, .items = items, .reg = NO_REG},
                         m->f->insts.v[parts[0]->inst].opnd[1]};
    const uint16_t shared[] = {M_SHARED, n == 4 ? M_V4 : M_V2, type_suffix(parts[0]->bytes == 4 ? TY_B32 : TY_B64)};
    const Inst *like = &m->f->insts.v[parts[0]->inst];
    uint16_t global[4] = {0};
    memcpy(global, like->suffix, like->suffixes * sizeof *global);
    if (m->space == SP_GLOBAL) {  // the vector stands before the type
        global[like->suffixes] = global[like->suffixes - 1];
        global[like->suffixes - 1] = n == 4 ? M_V4 : M_V2;
    }
    const bool of_global = m->space == SP_GLOBAL;
    m->f->insts.v[at] = inst_make(m->f, &m->f->insts.v[at], OP_LD, of_global ? global : shared,
                                  of_global ? like->suffixes + 1 : 3, o, 2);
    m->any = true;
}

// Merges a load with those behind it in memory, n in all, if its address is a multiple of what they have together.
static bool merge_at(Merge *m, Load *first, uint32_t n)
{
    Load *parts[4] = {first};
    uint32_t bytes = n * first->bytes, at = first->inst;
    uint32_t align = first->base == NO_REG ? MOST_ALIGN : m->align[first->base];
    if (first->sym) align = MIN(align, symbol_align(first->sym));
    if (bytes > MERGED_BYTES || align % bytes || first->offset % bytes) return false;
    for (uint32_t k = 1; k < n; k++) {
        if (!(parts[k] = find(m, first, first->offset + k * first->bytes))) return false;
        at = MIN(at, parts[k]->inst);
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!may_move(m, parts[k], at)) return false;
        for (uint32_t j = 0; j < k; j++)  // two results in one register
            if (m->f->insts.v[parts[k]->inst].opnd[0].reg == m->f->insts.v[parts[j]->inst].opnd[0].reg) return false;
    }
    put_vector(m, parts, n);
    return true;
}

static void merge_loads(Merge *m)
{
    for (uint32_t n = 4; n > 1; n /= 2)
        for (size_t k = 0; k < m->loads.n; k++)
            if (!m->loads.v[k].taken) merge_at(m, &m->loads.v[k], n);
    m->loads.n = 0;
}

static void count_def(void *user, uint32_t reg, bool def) { ((uint32_t *)user)[reg] += def; }

static void merge_of(Function *f, Space space)
{
    Merge m = {.f = f, .space = space, .gone = mem_alloc(f->insts.n + 1)};
    Flow *w = flow_build(f);
    m.align = mem_alloc(sizeof *m.align * (f->regs.n + 1));
    m.version = mem_alloc(sizeof *m.version * (f->regs.n + 1));
    (space == SP_SHARED ? find_aligns : find_common_aligns)(&m);
    for (uint32_t b = 0; b + 1 < w->blocks.n; b++) {
        for (uint32_t n = w->blocks.v[b].first; n < w->blocks.v[b].last; n++) {
            const Inst *i = &f->insts.v[n];
            if (parts(&m, i) || m.loads.n == WINDOW) merge_loads(&m);
            if (is_load(&m, i)) {
                const Operand *a = &i->opnd[1];
                vec_push(&m.loads, ((Load){.inst = n,
                                           .base = a->reg,
                                           .version = a->reg == NO_REG ? 0 : m.version[a->reg],
                                           .sym = a->sym,
                                           .offset = a->imm,
                                           .bytes = (uint32_t)type_info[i->type].bits / 8}));
            }
            inst_regs(&f->insts.v[n], count_def, m.version);
        }
        merge_loads(&m);
    }
    vec_free(&m.loads);
    mem_free(m.align), mem_free(m.version);
    flow_free(w);
    if (m.any) insts_drop(f, m.gone);
    mem_free(m.gone);
}

void merge_shared(Function *f) { merge_of(f, SP_SHARED); }

void merge_global(Function *f) { merge_of(f, SP_GLOBAL); }
