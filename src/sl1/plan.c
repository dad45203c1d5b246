// plan.c: finds which loops of a kernel are rewritten, and which data structure each of their accesses belongs to. A
// main loop is an outermost natural loop that accesses global memory through a pointer that derives from a kernel
// argument, perhaps by way of the arguments of functions that it calls. A main loop is left alone if a warp must stay
// together in it. The whole kernel is left alone if an atomic with a pointer of unknown origin might touch any
// structure.
#include "ptx/ops.h"
#include "sl1/unit.h"

#include <string.h>

// --- instructions ----------------------------------------------------------------------------------------------------
static bool may_be_global(const Inst *i) { return i->space == SP_GLOBAL || i->space == SP_GENERIC; }

static bool is_access(const Inst *i)
{
    Class class = op_info[i->op].class;
    return (class == CLASS_LOAD || class == CLASS_STORE) && may_be_global(i);
}

// Volatile, or with a memory order of its own: other threads may access the same bytes at any time.
bool sl1_is_strong(const Inst *i) { return i->mod[G_SEM] != M_NONE && i->mod[G_SEM] != M_WEAK; }

bool sl1_is_atomic(const Inst *i) { return op_info[i->op].class == CLASS_ATOMIC && may_be_global(i); }

// Votes and shuffles without .sync are about the lanes that are active, so splitting a warp would change their results.
// Below sm_70, volatile shared memory is how lanes exchange data without a barrier.
static bool must_stay_together(const Function *f, const Inst *i)
{
    Class class = op_info[i->op].class;
    bool exchange = f->module->sm < 70 && i->space == SP_SHARED && i->mod[G_SEM] == M_VOLATILE &&
                    (class == CLASS_LOAD || class == CLASS_STORE);
    return exchange || op_has(i->op, P_TOGETHER) || inst_has(i, G_SYNC) || inst_has(i, G_ALIGNED);
}

// Per instruction: does a mark of __syncwarp stand before it? Null: there is none.
static bool *find_marks(const Function *f)
{
    bool *marks = NULL;
    for (size_t k = 0; k < f->pragmas.n; k++) {
        const Pragma *p = &f->pragmas.v[k];
        if (p->inst >= f->insts.n || !strstr(p->text, WARP_PRAGMA)) continue;
        if (!marks) marks = mem_alloc(f->insts.n);
        marks[p->inst] = true;
    }
    return marks;
}

// What an instruction does that other lanes may see, or may have done: SL1_STORES, SL1_TILE_…
static uint32_t exchanges(const Inst *i)
{
    Class class = op_info[i->op].class;
    bool shared = i->space == SP_SHARED || i->space == SP_GENERIC, atomic = class == CLASS_ATOMIC;
    uint32_t facts = 0;
    if ((class == CLASS_STORE || atomic) && may_be_global(i)) facts |= SL1_STORES;
    if ((class == CLASS_STORE || atomic) && shared) facts |= SL1_TILE_STORES;
    if ((class == CLASS_LOAD || atomic) && shared) facts |= SL1_TILE_LOADS;
    return facts;
}

const Function *sl1_callee(const Inst *i)
{
    if (i->op != OP_CALL) return NULL;
    const Operand *o = &i->opnd[inst_dest_count(i) ? 1 : 0];
    return o->kind == O_SYM ? o->sym->function : NULL;
}

// --- functions -------------------------------------------------------------------------------------------------------
// A variable that exists once: a copy of the function must not have another one.
bool sl1_is_static(const Symbol *s) { return s->space != SP_LOCAL && s->space != SP_PARAM; }

static bool is_indirect(const Inst *i) { return i->op == OP_CALL && !sl1_callee(i); }

// Atomics and strong accesses, and calls by address, whose functions may have some.
static bool may_be_atomic(const Inst *i)
{
    return sl1_is_atomic(i) || (is_access(i) && sl1_is_strong(i)) || is_indirect(i);
}

uint32_t sl1_own_facts(const Function *f)
{
    enum { ANY = SL1_STORES | SL1_TILE_LOADS | SL1_TILE_STORES };
    uint32_t facts = f->has_body ? 0 : SL1_NO_COPY | ANY;
    bool *marks = find_marks(f);
    for (size_t k = 0; k < f->locals.n; k++)
        if (sl1_is_static(f->locals.v[k])) facts |= SL1_NO_COPY;
    for (size_t n = 0; n < f->insts.n; n++) {
        const Inst *i = &f->insts.v[n];
        if (must_stay_together(f, i) || (marks && marks[n])) facts |= SL1_HIDES | SL1_TOGETHER;
        if (op_has(i->op, P_TABLE) || is_indirect(i)) facts |= SL1_HIDES;
        facts |= is_indirect(i) ? ANY : exchanges(i);
        if (is_access(i) || sl1_is_atomic(i) || op_has(i->op, P_ORDER)) facts |= SL1_MEMORY;
        if (may_be_atomic(i)) facts |= SL1_ATOMIC;
    }
    mem_free(marks);
    return facts;
}

// What a call of f means for a loop: SL1_OPAQUE, SL1_HARMLESS, or 0 if f accesses memory as the loop itself might.
static int kind_of(const Sl1Plan *p, const Function *f)
{
    uint32_t facts = f ? sl1_facts(&p->graph, f) : SL1_HIDES;
    return facts & (SL1_HIDES | SL1_NO_COPY) ? SL1_OPAQUE : facts & SL1_MEMORY ? 0 : SL1_HARMLESS;
}

// Adds a body. A function is prepared first, as the kernel was.
static Sl1Body *add_body(Sl1Plan *p, const Function *of)
{
    Sl1Body *b = mem_alloc(sizeof *b);
    const Function *f = p->bodies.n ? (b->own = sl1_prepare(of)) : of;
    b->f = f, b->of = of, b->flow = flow_build(f);
    b->prov = ptx_provenance(f, &b->value);
    b->access = mem_alloc(sizeof *b->access * (f->insts.n + 1));
    b->call = mem_alloc(sizeof *b->call * (f->insts.n + 1));
    b->loop_of = mem_alloc(sizeof *b->loop_of * b->flow->blocks.n);
    b->from = mem_alloc(sizeof *b->from * (f->params.n + 1));
    // −2: no argument was seen yet.
    for (size_t k = 0; k < f->params.n; k++) b->from[k] = p->bodies.n ? -2 : (int16_t)k;
    for (size_t k = 0; k < b->flow->blocks.n; k++) b->loop_of[k] = p->bodies.n ? 0 : -1;
    for (int c = 0; c < 2; c++) {
        Text name = {0};
        text_printf(&name, "sl1_%c_out%zu", c ? 'c' : 'm', p->bodies.n);
        b->out[c] = (Symbol){.name = name.v, .space = SP_PARAM};
    }
    vec_push(&p->bodies, b);
    return b;
}

static bool in_loop(const Sl1Body *b, uint32_t n) { return b->loop_of[b->flow->block_of[n]] >= 0; }

// Makes a body for every function that a main loop calls, directly or through others.
static void find_bodies(Sl1Plan *p)
{
    for (size_t k = 0; k < p->bodies.n; k++) {
        Sl1Body *b = p->bodies.v[k];
        for (uint32_t n = 0; n < b->f->insts.n; n++) {
            const Inst *i = &b->f->insts.v[n];
            const Function *g = sl1_callee(i);
            b->call[n] = i->op == OP_CALL ? (int16_t)kind_of(p, g) : SL1_NO_CALL;
            if (b->call[n] || !in_loop(b, n)) continue;
            size_t at = 1;
            while (at < p->bodies.n && p->bodies.v[at]->of != g) at++;
            if (at == SL1_BODIES) {
                p->crowded = true;
                b->call[n] = SL1_OPAQUE;
                continue;
            }
            if (at == p->bodies.n) add_body(p, g);
            b->call[n] = (int16_t)at;
            const Operand *list = inst_dest_count(i) ? &i->opnd[0] : NULL;
            if (list && list->count == 1 &&
                !map_get(&b->results, (const char *)&list->items[0].sym, sizeof(Symbol *), NULL))
                map_put(&b->results, (const char *)&list->items[0].sym, sizeof(Symbol *), (int64_t)at);
        }
    }
}

static int through(const Sl1Body *b, int prov) { return prov >= 0 ? b->from[prov] : PROV_NONE; }

// The kernel's parameter that the k-th argument of a call derives from.
static int argument(const Sl1Body *b, uint32_t n, int k)
{
    const Inst *call = &b->f->insts.v[n];
    const Operand *list = &call->opnd[inst_dest_count(call) ? 2 : 1], *o = &list->items[k];
    if (o->kind == O_REG) return through(b, b->value[o->reg]);
    for (uint32_t first = b->flow->blocks.v[b->flow->block_of[n]].first; n-- > first && o->kind == O_SYM;) {
        const Inst *i = &b->f->insts.v[n];
        if (i->op != OP_ST || i->opnd[0].kind != O_ADDR || i->opnd[0].sym != o->sym) continue;
        return !i->opnd[0].imm && type_bytes(i->type) == 8 && i->vec == 1 && i->opnd[1].kind == O_REG
                   ? through(b, b->value[i->opnd[1].reg])
                   : PROV_NONE;
    }
    return PROV_NONE;
}

// Finds for each parameter of a function the kernel's parameter that every call passes for it, if there is one.
// Repeated until nothing changes.
static void pass_arguments(Sl1Plan *p)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = 0; k < p->bodies.n; k++) {
            const Sl1Body *b = p->bodies.v[k];
            for (uint32_t n = 0; n < b->f->insts.n; n++) {
                if (b->call[n] <= 0 || !in_loop(b, n)) continue;
                Sl1Body *to = p->bodies.v[b->call[n]];
                for (size_t a = 0; a < to->f->params.n; a++) {
                    int16_t now = (int16_t)argument(b, n, (int)a);
                    if (now == -2 || now == to->from[a]) continue;
                    now = to->from[a] == -2 ? now : PROV_NONE;
                    changed |= now != to->from[a];
                    to->from[a] = now;
                }
            }
        }
    }
    for (size_t k = 1; k < p->bodies.n; k++) {
        Sl1Body *b = p->bodies.v[k];
        for (uint32_t n = 0; n < b->f->insts.n; n++) b->prov[n] = (int16_t)MAX(through(b, b->prov[n]), PROV_NONE);
    }
}

// --- structures ------------------------------------------------------------------------------------------------------
static int find_structure(const Sl1Plan *p, int param)
{
    for (uint32_t k = 0; k < p->structures; k++)
        if (p->structure[k].param == (uint32_t)param) return (int)k;
    return SL1_UNKNOWN;
}

// The structures of the main loops, those with most access instructions first. Those for which there is no room count
// as being of unknown origin.
static void find_structures(Sl1Plan *p)
{
    uint32_t *sites = mem_alloc(sizeof *sites * (p->f->params.n + 1));
    for (size_t k = 0; k < p->bodies.n; k++) {
        const Sl1Body *b = p->bodies.v[k];
        for (uint32_t n = 0; n < b->f->insts.n; n++)
            if (in_loop(b, n) && (is_access(&b->f->insts.v[n]) || sl1_is_atomic(&b->f->insts.v[n])) && b->prov[n] >= 0)
                sites[b->prov[n]]++;
    }
    for (; p->structures < SL1_STRUCTURES; p->structures++) {
        size_t most = 0;
        for (size_t k = 1; k < p->f->params.n; k++)
            if (sites[k] > sites[most]) most = k;
        if (!p->f->params.n || !sites[most]) break;
        p->structure[p->structures] = (Sl1Structure){.param = (uint32_t)most, .sites = sites[most]};
        sites[most] = 0;
    }
    mem_free(sites);
}

static void look_at_accesses(Sl1Plan *p, Sl1Body *b)
{
    for (uint32_t n = 0; n < b->f->insts.n; n++) {
        const Inst *i = &b->f->insts.v[n];
        bool access = is_access(i), touches = access || sl1_is_atomic(i);
        b->access[n] = SL1_OTHER;
        if (!touches) continue;
        int s = b->prov[n] >= 0 ? find_structure(p, b->prov[n]) : SL1_UNKNOWN;
        if (access) b->access[n] = (int16_t)s;
        if (sl1_is_atomic(i) || sl1_is_strong(i)) {
            if (s >= 0)
                p->structure[s].barred = true;
            else if (b->prov[n] < 0 || in_loop(b, n))
                p->left = "an atomic or volatile access may touch any structure";
        }
        if (!in_loop(b, n)) continue;
        p->unknown |= s == SL1_UNKNOWN && access;
        if (i->op == OP_LD && s >= 0) p->structure[s].loaded = true;
        if (i->op != OP_ST) continue;
        if (s >= 0)
            p->structure[s].written = true;
        else
            p->stores_unknown = true;
    }
}

static void look_at_calls(Sl1Plan *p)
{
    const Sl1Body *kernel = p->bodies.v[0];
    for (uint32_t n = 0; n < kernel->f->insts.n; n++) {
        const Function *g = sl1_callee(&kernel->f->insts.v[n]);
        if (kernel->f->insts.v[n].op != OP_CALL || kernel->call[n] == SL1_HARMLESS ||
            (kernel->call[n] > 0 && in_loop(kernel, n)))
            continue;
        if (!g || sl1_facts(&p->graph, g) & SL1_ATOMIC)
            p->left = "a function that it calls may touch any structure with atomics";
    }
}

// --- loops -----------------------------------------------------------------------------------------------------------
static const char *why_not(const Sl1Plan *p, const Flow *flow, const Loop *l, const bool *marks)
{
    const char *why = NULL;
    for (size_t k = 0; k < l->blocks.n; k++) {
        const Block *b = &flow->blocks.v[l->blocks.v[k]];
        for (uint32_t n = b->first; n < b->last; n++) {
            const Function *g = sl1_callee(&flow->f->insts.v[n]);
            if (must_stay_together(flow->f, &flow->f->insts.v[n]) || (marks && marks[n]) ||
                op_has(flow->f->insts.v[n].op, P_TABLE))
                why = "a warp must stay together in it";
            else if (g && sl1_facts(&p->graph, g) & SL1_TOGETHER)
                why = "a warp must stay together in a function that it calls";
        }
    }
    return why;
}

// Below sm_70 a warp's lanes execute each instruction together, so a lane may see what another stored an instruction
// before, with nothing in the text to show that it counts on that. In a rewritten loop the store stays in the lane's
// line for a while, and lanes go apart. Is this a loop in which lanes could see that? It stores to memory that may be
// global, or stores to shared memory and loads from it.
static bool is_silent(const Sl1Plan *p, const Flow *flow, const Loop *l)
{
    uint32_t facts = 0;
    for (size_t k = 0; k < l->blocks.n; k++) {
        const Block *b = &flow->blocks.v[l->blocks.v[k]];
        for (uint32_t n = b->first; n < b->last; n++) {
            const Inst *i = &flow->f->insts.v[n];
            const Function *g = sl1_callee(i);
            facts |= g ? sl1_facts(&p->graph, g) : is_indirect(i) ? SL1_STORES : exchanges(i);
        }
    }
    bool tile = facts & SL1_TILE_LOADS && facts & SL1_TILE_STORES;
    return flow->f->module->sm < 70 && (facts & SL1_STORES || tile);
}

static bool touches_memory(const Sl1Plan *p, const Sl1Body *body, const Loop *l)
{
    for (size_t k = 0; k < l->blocks.n; k++) {
        const Block *b = &body->flow->blocks.v[l->blocks.v[k]];
        for (uint32_t n = b->first; n < b->last; n++)
            if ((is_access(&body->f->insts.v[n]) && body->prov[n] >= 0) ||
                (body->f->insts.v[n].op == OP_CALL && !kind_of(p, sl1_callee(&body->f->insts.v[n]))))
                return true;
    }
    return false;
}

static void find_loops(Sl1Plan *p, Sl1Body *b, bool lockstep)
{
    bool *marks = find_marks(b->f);
    for (uint32_t k = 0; k < b->flow->loops.n; k++) {
        const Loop *l = &b->flow->loops.v[k];
        if (l->depth != 1 || !touches_memory(p, b, l) || p->loops == SL1_LOOPS) continue;
        Sl1Loop found = {
            .loop = k, .head = l->head, .left = why_not(p, b->flow, l, marks), .silent = is_silent(p, b->flow, l)};
        if (found.silent && lockstep && !found.left) found.left = "lanes of a warp could exchange data in it";
        p->loop[p->loops] = found;
        for (size_t i = 0; i < l->blocks.n && !p->loop[p->loops].left; i++) b->loop_of[l->blocks.v[i]] = (int)p->loops;
        p->loops++;
    }
    mem_free(marks);
}

Sl1Plan *sl1_plan(const Function *f, bool lockstep)
{
    Sl1Plan *p = mem_alloc(sizeof *p);
    p->f = f;
    p->graph = sl1_graph(f);
    find_loops(p, add_body(p, f), lockstep);
    find_bodies(p);
    pass_arguments(p);
    find_structures(p);
    for (size_t k = 0; k < p->bodies.n; k++) look_at_accesses(p, p->bodies.v[k]);
    look_at_calls(p);
    sl1_find_quiet(p);
    if (p->crowded) p->left = "its loops call too many functions";
    uint32_t open = 0, good = 0;
    for (uint32_t k = 0; k < p->structures; k++) open += !p->structure[k].barred;
    for (uint32_t k = 0; k < p->loops; k++) good += !p->loop[k].left;
    if (!p->loops)
        p->left = "no loop of it touches a data structure";
    else if (!good)
        p->left = p->loop[0].left;
    else if (!p->structures)
        p->left = "no loop of it touches a data structure";
    else if (!open && !p->left)
        p->left = "atomics or volatile accesses touch every structure of its loops";
    return p;
}

void sl1_plan_free(Sl1Plan *p)
{
    if (!p) return;
    for (size_t k = 0; k < p->bodies.n; k++) {
        Sl1Body *b = p->bodies.v[k];
        flow_free(b->flow);
        mem_free((char *)b->out[0].name), mem_free((char *)b->out[1].name);
        mem_free(b->prov), mem_free(b->value), mem_free(b->access), mem_free(b->call), mem_free(b->loop_of),
            mem_free(b->from);
        map_free(&b->results);
        sl1_prepared_free(b->own), mem_free(b);
    }
    sl1_graph_free(&p->graph);
    vec_free(&p->bodies);
    mem_free(p->quiet), mem_free(p);
}

void sl1_plan_print(const Sl1Plan *p, Text *out)
{
    const Flow *flow = p->bodies.v[0]->flow;
    text_printf(out, "%s: %s%s\n", p->f->symbol->name, p->left ? "left alone: " : "rewritten", p->left ? p->left : "");
    for (uint32_t k = 0; k < p->loops; k++) {
        const Loop *l = &flow->loops.v[p->loop[k].loop];
        text_printf(out, "  loop %u: %zu blocks from instruction %u%s%s\n", k, l->blocks.n,
                    flow->blocks.v[l->head].first, p->loop[k].left ? ", left alone: " : "",
                    p->loop[k].left ? p->loop[k].left : "");
    }
    for (size_t k = 1; k < p->bodies.n; k++) text_printf(out, "  function %s\n", p->bodies.v[k]->f->symbol->name);
    for (uint32_t k = 0; k < p->structures; k++) {
        const Sl1Structure *s = &p->structure[k];
        text_printf(out, "  structure %u: %s, %u accesses, %s", k, p->f->params.v[s->param]->name, s->sites,
                    s->barred    ? "never cached: atomic or volatile"
                    : s->written ? "read and written"
                                 : "only read");
        for (uint32_t l = 0; l < p->loops; l++)
            if (p->loop[l].hits[k] >= 0 && !p->loop[l].left)
                text_printf(out, ", by its stride %.1f %% hits in loop %u", p->loop[l].hits[k] / 10.0, l);
        text_put(out, "\n");
    }
}
