// code.c: what the kernels' text says about changes that counters don't show: neighbouring loads of one thread, a load
// whose value only goes to shared memory, and a load that is made again since a store could have changed it. Without
// the text it says nothing.
#include "advise/unit.h"
#include "driver/fatbin.h"
#include "names/names.h"
#include "ptx/flow.h"
#include "ptx/ops.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_KERNELS = 16 };  // that are looked at

typedef struct Look {
    const Plan *plan;
    const RunKernel *kernel;
    const Function *f;
    const int16_t *from;  // of each instruction the parameter that its address derives from
    Arena *arena;
    Facts *out;
} Look;

// The array that the run found at a line; null: none.
static const char *array_at(const RunKernel *r, const char *file, uint32_t line)
{
    const RunLine *most = NULL;
    for (size_t k = 0; k < r->lines.n; k++) {
        const RunLine *l = &r->lines.v[k];
        if (!l->array || l->line != line || !l->file || strcmp(base_name(l->file), base_name(file))) continue;
        if (!strcmp(l->array, "shared memory") || !strcmp(l->array, "local memory")) continue;
        if (!most || l->transactions > most->transactions) most = l;
    }
    return most ? most->array : NULL;
}

// By the parameter, where the run has no lines.
static const char *array_of(const Look *x, const Inst *i)
{
    const int16_t from = x->from[i - x->f->insts.v];
    if (from < 0) return "global memory";
    char *shown = param_shown(x->f->symbol->name, x->f->params.v[from]->name);
    const char *name = arena_copy(x->arena, shown);
    mem_free(shown);
    return name;
}

// Adds what instruction i of the parsed function shows. Of a line each kind is told once.
static void add(const Look *x, FactKind kind, const Inst *i, uint32_t bytes)
{
    const Module *m = x->f->module;
    const Loc *loc = i->loc ? &m->locs.v[i->loc - 1] : NULL;
    const char *file = loc ? file_named(m, loc->file) : NULL, *array = NULL, *place = "";
    if (file && loc->line) {
        place = arena_printf(x->arena, "%s:%" PRIu32, base_name(file), loc->line);
        array = array_at(x->kernel, file, loc->line);
    }
    for (size_t k = 0; k < x->out->n; k++) {
        Fact *o = &x->out->v[k];
        if (o->kind == kind && !strcmp(o->kernel, x->kernel->name) && !strcmp(o->place, place)) {
            o->times++, o->bytes = MAX(o->bytes, bytes);
            return;
        }
    }
    vec_push(x->out, ((Fact){kind, x->kernel->name, array ? arena_copy(x->arena, array) : array_of(x, i), place, bytes,
                             1, false}));
}

// --- neighbouring loads: what sm.vectors would make one --------------------------------------------------------------
static void find_vectors(const Look *x)
{
    Module *m = x->f->module;
    gpu_lowering(x->plan->gpu, m);
    m->vectors = true;
    Function *g = ptx_lower(x->f, 0);
    for (size_t n = 0; n < g->insts.n; n++) {
        const Inst *i = &g->insts.v[n];
        if (i->op != OP_LD || i->space != SP_GLOBAL || i->vec < 2 || i->origin >= x->f->insts.n) continue;
        const Inst *was = &x->f->insts.v[i->origin];
        if (was->op == OP_LD && was->vec < 2) add(x, FACT_VECTOR, was, i->vec * (uint32_t)type_bytes(i->type));
    }
    ptx_lowered_free(g);
}

// --- loads that are looked at within a block -------------------------------------------------------------------------
static bool plain_load(const Inst *i)
{
    return i->op == OP_LD && i->space == SP_GLOBAL && i->vec <= 1 && !inst_has(i, G_SEM) && i->opnd[0].kind == O_REG &&
           i->opnd[1].kind == O_ADDR;
}

typedef struct Named {
    uint32_t reg;
    uint32_t reads, writes;
} Named;
static void name(void *user, uint32_t reg, bool def)
{
    Named *n = user;
    if (reg == n->reg) *(def ? &n->writes : &n->reads) += 1;
}

// Does the loaded value go to shared memory, and nowhere else?
static void find_copy(const Look *x, const Block *b, uint32_t at)
{
    const Function *f = x->f;
    const Inst *load = &f->insts.v[at];
    const int bytes = type_bytes(load->type);
    Named all = {.reg = load->opnd[0].reg};
    if (bytes != 4 && bytes != 8 && bytes != 16) return;
    for (size_t n = 0; n < f->insts.n && all.reads < 2; n++) inst_regs(&f->insts.v[n], name, &all);
    for (uint32_t n = at + 1; n < b->last && all.reads == 1 && all.writes == 1; n++) {
        const Inst *i = &f->insts.v[n];
        if (i->op != OP_ST || i->space != SP_SHARED || i->opnd[1].kind != O_REG || i->opnd[1].reg != all.reg) continue;
        if (type_bytes(i->type) == bytes && i->vec <= 1) add(x, FACT_COPY, load, (uint32_t)bytes);
        return;
    }
}

// Is it loaded once more from the same address, behind a store that may have changed it?
static void find_again(const Look *x, const Block *b, uint32_t at)
{
    const Inst *load = &x->f->insts.v[at];
    const Operand *a = &load->opnd[1];
    Named base = {.reg = a->reg};
    bool stored = false;
    if (load->mod[G_NC] != M_NONE) return;
    inst_regs(load, name, &base);
    base.writes = load->opnd[0].reg == a->reg;
    for (uint32_t n = at + 1; n < b->last && !base.writes; n++) {
        const Inst *i = &x->f->insts.v[n];
        stored |= i->op == OP_ST && (i->space == SP_GLOBAL || i->space == SP_GENERIC);
        if (plain_load(i) && i->opnd[1].reg == a->reg && i->opnd[1].sym == a->sym && i->opnd[1].imm == a->imm &&
            i->type == load->type) {
            if (stored) add(x, FACT_AGAIN, i, (uint32_t)type_bytes(i->type));
            return;
        }
        inst_regs(i, name, &base);
    }
}

// Does sm.async make copies of the kernel's loads? Not of targets before it.
static void find_async(const Look *x, size_t from)
{
    Module *m = x->f->module;
    gpu_lowering(x->plan->gpu, m);
    m->async = x->plan->gpu->capability >= ASYNC_CAPABILITY;
    Function *g = ptx_lower(x->f, 0);
    bool any = false;
    for (size_t n = 0; n < g->insts.n; n++) {
        const Inst *i = &g->insts.v[n];
        any |= i->op == OP_CP_ASYNC && i->origin < x->f->insts.n && x->f->insts.v[i->origin].op == OP_ST;
    }
    for (size_t k = from; k < x->out->n; k++) x->out->v[k].runs |= any && x->out->v[k].kind == FACT_COPY;
    ptx_lowered_free(g);
}

static void look(Look *x)
{
    int16_t *params = ptx_provenance(x->f, NULL);
    const size_t from = x->out->n;
    x->from = params;
    find_vectors(x);
    Flow *w = flow_build(x->f);
    for (size_t b = 0; b < w->blocks.n; b++)
        for (uint32_t n = w->blocks.v[b].first; n < w->blocks.v[b].last; n++) {
            if (n >= x->f->insts.n || !plain_load(&x->f->insts.v[n])) continue;
            find_copy(x, &w->blocks.v[b], n);
            find_again(x, &w->blocks.v[b], n);
        }
    flow_free(w);
    find_async(x, from);
    mem_free(params);
}

// --- the text --------------------------------------------------------------------------------------------------------
// A program's PTX that has the kernel.
static bool program_ptx(const Plan *plan, const char *kernel, Text *ptx)
{
    enum { MOST = 1 << 28 };
    Text file = {0};
    Diag none = {0};
    const Wish wish = {.capability = plan->gpu->capability};
    bool ok = text_read_file(&file, plan->words[0]) && file.n < MOST && binary_ptx(&file, kernel, &wish, ptx, &none);
    text_free(&file);
    diag_free(&none);
    return ok;
}

static void look_into(Look *x, const char *ptx, size_t n)
{
    Diag none = {0};
    Module *m = ptx_parse_partly(ptx, n, x->plan->cell->program, &none);
    for (size_t k = 0; m && k < m->functions.n; k++) {
        x->f = m->functions.v[k];
        if (x->f->entry && x->f->has_body && !x->f->refusal && !strcmp(x->f->symbol->name, x->kernel->name)) look(x);
    }
    ptx_free(m);
    diag_free(&none);
}

void code_facts(const Plan *plan, const StoredRun *run, Arena *arena, Facts *out)
{
    Look x = {.plan = plan, .arena = arena, .out = out};
    for (size_t k = 0; k < run->kernels.n && k < MOST_KERNELS; k++) {
        Text own = {0};
        x.kernel = &run->kernels.v[k];
        if (x.kernel->functional) continue;
        if (plan->ptx)
            look_into(&x, plan->ptx->v ? plan->ptx->v : "", plan->ptx->n);
        else if (plan->workload)
            look_into(&x, plan->workload->ptx, plan->workload->ptx_bytes);
        else if (plan->words && program_ptx(plan, x.kernel->name, &own))
            look_into(&x, own.v, own.n);
        text_free(&own);
    }
}
