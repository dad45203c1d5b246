// lower.c: brings PTX closer to machine code, whose timing is simulated, by the passes of passes.def, one behind the
// other. A lowered function computes the same as the parsed one, after each pass. Each instruction keeps the index of
// the one it came from (origin). Registers become untyped, as the machine's are.
#include "ptx/ops.h"
#include "ptx/pass.h"

#include <string.h>

// A loop that is unrolled to its end leaves the one around it a single block.
static void unroll(Function *f)
{
    enum { DEEP = 4 };
    bool again = true;
    for (int k = 0; again; k++) {
        replace_copies(f);
        drop_dead(f);
        again = k < DEEP && unroll_loops(f);
        if (again) fold_values(f);
    }
}

enum { MOST_REGISTERS = 255 };  // of a thread

uint64_t ptx_block_threads(const Function *f)
{
    enum { MOST = 1 << 20 };
    const uint32_t *n = f->reqntid[0] ? f->reqntid : f->maxntid;
    uint64_t threads = MIN(n[0], MOST);
    for (int k = 1; k < 3; k++) threads = MIN(threads * MIN(MAX(n[k], 1u), MOST), MOST);
    return threads;
}

// The registers of a thread that ptxas aims at (CUDA 13, sm_75 to sm_90): as many as still leave an SM full of threads,
// in eights; of the threads of the blocks that fit, where .maxntid says how many these have; with .minnctapersm as
// many as so many blocks leave; and a limit takes its place. 0: nothing is aimed at.
static uint32_t aim_of(const Function *f, uint32_t limit)
{
    const Module *m = f->module;
    uint64_t block = ptx_block_threads(f), resident = m->sm_threads;
    if (!m->sm_registers || !f->entry) return 0;
    if (limit && limit < MOST_REGISTERS) return limit;
    if (block && f->minnctapersm)
        resident = block * f->minnctapersm;
    else if (block)
        resident = block * MAX(MIN(m->sm_blocks, m->sm_threads / block), 1u);
    return (uint32_t)MIN(m->sm_registers / MAX(resident, 1u) & ~7u, MOST_REGISTERS);
}

// ptxas of CUDA 13 leaves as many as the parts of the register file have for the warps that must fit, dealt out evenly:
// those of one block, or of .minnctapersm blocks if an SM has so many threads. .maxnreg overrules it. (Where more than
// some 1.4 times as many are alive at once, it was seen to go down to what it aims at instead; that isn't done here.)
uint32_t ptx_bound(const Function *f)
{
    const Module *m = f->module;
    const uint64_t threads = ptx_block_threads(f), warps = (threads + 31) / 32;
    const uint64_t blocks = MAX(f->minnctapersm, 1u), most = MIN(m->sm_threads / MAX(threads, 1u), m->sm_blocks);
    if (!f->entry || !threads || !m->file_registers || f->maxnreg) return 0;
    const uint64_t here = (warps * (blocks > most ? 1 : blocks) + m->file_parts - 1) / m->file_parts;
    const uint64_t each = m->file_registers / m->file_parts / here / m->file_unit * m->file_unit / 32;
    return each && each < MOST_REGISTERS ? (uint32_t)each : 0;
}

// Slots have gaps where pairs must be aligned, and one is the stack's, so that a few more may be needed than words are
// alive at once.
static void order(Function *f, uint32_t aim)
{
    enum { TRIES = 6 };
    uint32_t within = aim, over = 1;
    for (int k = 0; k < TRIES && over; k++) {
        order_blocks(f, within);
        if (!aim) return;
        Flow *w = flow_build(f);
        flow_live(w);
        Alloc *a = alloc_colour(w);
        over = a->slots + 1 > aim ? a->slots + 1 - aim : 0;
        within -= MIN(over, within - 1);
        alloc_free(a);
        flow_free(w);
    }
    f->aim = aim;
}

#define VEC_COPY(to, from)                                                       \
    do {                                                                         \
        (to)->v = mem_alloc(sizeof *(from)->v * ((from)->n + 1));                \
        if ((from)->n) memcpy((to)->v, (from)->v, sizeof *(from)->v *(from)->n); \
        (to)->n = (from)->n;                                                     \
        (to)->cap = (from)->n + 1;                                               \
    } while (0)

bool ptx_changes_registers(const Function *f)
{
    for (size_t i = 0; i < f->insts.n; i++)
        if (f->insts.v[i].op == OP_SETMAXNREG) return true;
    return false;
}

// --- the passes ------------------------------------------------------------------------------------------------------
// What bounds a thread's registers; 0: nothing does.
typedef struct Bounds {
    uint32_t aim, limit;
} Bounds;

const PassInfo lower_passes[] = {
#define PASS(name, level, when, call, files, doc) {#name, files, doc, level, PASS_##when},
#include "ptx/passes.def"
#undef PASS
};
const size_t lower_pass_count = COUNT(lower_passes);

#define PASS(name, level, when, call, files, doc)              \
    static void pass_##name(Function *f, const Bounds *bounds) \
    {                                                          \
        (void)bounds;                                          \
        call;                                                  \
    }
#include "ptx/passes.def"
#undef PASS
static void (*const calls[])(Function *f, const Bounds *bounds) = {
#define PASS(name, level, when, call, files, doc) pass_##name,
#include "ptx/passes.def"
#undef PASS
};

static bool runs(const PassInfo *p, const Module *m, const Bounds *bounds)
{
    const bool when[] = {
        [PASS_ALWAYS] = true,        [PASS_SASS] = m->sass,   [PASS_ORDERED] = m->reorder,
        [PASS_VECTORS] = m->vectors, [PASS_ASYNC] = m->async, [PASS_BOUND] = bounds->limit > 0 && !m->unspilled};
    return (m->lower ? m->lower : 3) >= p->level && when[p->when];
}

static Function *copy_untyped(const Function *f)
{
    Function *g = mem_alloc(sizeof *g);
    *g = *f;
    VEC_COPY(&g->insts, &f->insts);
    VEC_COPY(&g->regs, &f->regs);
    VEC_COPY(&g->labels, &f->labels);
    VEC_COPY(&g->locals, &f->locals);
    VEC_COPY(&g->pragmas, &f->pragmas);
    for (size_t r = 0; r < g->regs.n; r++) {
        const Type bits[] = {TY_PRED, TY_B8, TY_B16, TY_B32, TY_B64, TY_B128};
        Type *t = &g->regs.v[r].type;
        int width = type_info[*t].bits;
        for (size_t k = 0; k < COUNT(bits); k++)
            if (type_info[bits[k]].bits == width) *t = bits[k];
    }
    return g;
}

Function *ptx_lower_seen(const Function *f, uint32_t limit, PassSeen *seen, void *user)
{
    Function *g = copy_untyped(f);
    if (f->maxnreg && (!limit || f->maxnreg < limit)) limit = f->maxnreg;
    const uint32_t bound = ptx_changes_registers(f) ? 0 : ptx_bound(f);
    const Bounds bounds = {aim_of(f, limit), bound && (!limit || bound < limit) ? bound : limit};
    for (size_t k = 0; k < COUNT(lower_passes); k++) {
        if (!runs(&lower_passes[k], f->module, &bounds)) continue;
        calls[k](g, &bounds);
        if (seen) seen(user, &lower_passes[k], g);
    }
    return g;
}

Function *ptx_lower(const Function *f, uint32_t limit) { return ptx_lower_seen(f, limit, NULL, NULL); }

void ptx_lowered_free(Function *f)
{
    if (!f) return;
    vec_free(&f->insts);
    vec_free(&f->regs);
    vec_free(&f->labels);
    vec_free(&f->locals);
    vec_free(&f->pragmas);
    mem_free(f);
}
