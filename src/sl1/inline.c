// inline.c: replaces calls by the bodies of the functions they call, so that the plan sees which loop an access belongs
// to, and which argument its address comes from. Each call gets registers, labels, tables and variables of its own.
// Parameters and results become variables in local memory, which forward.c turns into registers. A return becomes a
// branch to behind the call. A call stays if the function calls itself (directly or through others), has no body, is
// only known at run time, or has variables that exist once; if its parameters are used in a way that local memory
// doesn't allow; or if the copy would become too long.
#include "ptx/ops.h"
#include "sl1/unit.h"

#include <string.h>

enum { MOST_INSTS = 4096 };  // of the copy
enum { MOST_COPIED = 256 };  // bytes of an argument that may be copied for the function
enum { MOST_DEEP = 64 };     // depth of calls inside calls

typedef struct Inliner {
    Function *f;  // the copy
    Sl1Names names;
    Map costs;  // cost_of the functions that were looked at, by address
    Sl1Graph graph;
    size_t room;     // instructions
    uint32_t calls;  // inlined so far
    uint32_t depth;  // how many calls the one being inlined is in
} Inliner;

// The body that is being copied: the outermost function's, or that of a function whose call is being replaced.
typedef struct Body {
    const Function *g;
    // The call, as it would stand in the copy; null: this is the outermost function's body.
    const Inst *call;
    uint32_t number;                    // of the call
    uint32_t reg, label, table, proto;  // where its own begin in the copy
    // Which variables of the copy replace its variables and parameters: addresses, by address.
    Map to;
    bool *replaced;  // per instruction: a call that is
    uint32_t back;   // the label behind the call, or NO_REG as long as nothing leads there
} Body;

static bool find(const Map *m, const void *p, int64_t *v) { return map_get(m, (const char *)&p, sizeof p, v); }
static void put(Map *m, const void *p, int64_t v) { map_put(m, (const char *)&p, sizeof p, v); }

static const Operand *results_of(const Inst *call) { return inst_dest_count(call) ? &call->opnd[0] : NULL; }
static const Operand *arguments_of(const Inst *call)
{
    int n = inst_dest_count(call) + 1;
    return call->operands > n && call->opnd[n].kind == O_LIST ? &call->opnd[n] : NULL;
}

// --- which functions -------------------------------------------------------------------------------------------------
typedef enum Mention {
    NO_MENTION,
    LOADED,
    STORED,
    PASSED,
    TAKEN,
    OTHERWISE
} Mention;  // TAKEN: its address is taken, or it is accessed as local memory

// What instruction i does with a .param variable that operand o of it, or an item of one, names.
static Mention mention(const Inst *i, const Operand *o)
{
    if (!o->sym || o->sym->space != SP_PARAM) return NO_MENTION;
    if (i->op == OP_CALL) return o->kind == O_SYM && !o->imm ? PASSED : OTHERWISE;
    if (i->op == OP_MOV) return TAKEN;
    if ((i->op != OP_LD && i->op != OP_ST) || o->kind != O_ADDR) return OTHERWISE;
    if (i->space == SP_LOCAL) return TAKEN;
    bool plain =
        i->space == SP_PARAM && inst_has(i, G_SPACE) && i->operands == 2 && i->suffixes == 2 + inst_has(i, G_VEC);
    return !plain ? OTHERWISE : i->op == OP_LD ? LOADED : STORED;
}

typedef void VisitMention(void *user, uint32_t n, const Symbol *s, Mention how);
static void each_mention(const Function *g, VisitMention *visit, void *user)
{
    for (uint32_t n = 0; n < g->insts.n; n++) {
        const Inst *i = &g->insts.v[n];
        for (int k = 0; k < i->operands; k++) {
            const Operand *o = &i->opnd[k];
            if (mention(i, o)) visit(user, n, o->sym, mention(i, o));
            for (int e = 0; e < o->count; e++)
                if (mention(i, &o->items[e])) visit(user, n, o->items[e].sym, mention(i, &o->items[e]));
        }
    }
}

static bool has(const Symbols *list, const Symbol *s)
{
    for (size_t k = 0; k < list->n; k++)
        if (list->v[k] == s) return true;
    return false;
}

typedef struct Uses {
    const Function *g;
    bool bad;
    const Symbol *of;  // the parameter that changes() asks about,
    bool changed;      // and whether it is used for more than reading
} Uses;

static void look_at_mention(void *user, uint32_t n, const Symbol *s, Mention how)
{
    Uses *u = user;
    (void)n;
    if (has(&u->g->params, s))
        u->bad |= how == PASSED || how == OTHERWISE || (how != LOADED && s->bytes > MOST_COPIED);
    else if (has(&u->g->rets, s))
        u->bad |= how != STORED && how != LOADED;
    u->changed |= s == u->of && how != LOADED;
}

static bool changes(const Function *g, const Symbol *param)
{
    Uses u = {.g = g, .of = param};
    each_mention(g, look_at_mention, &u);
    return u.changed;
}

static bool is_fit(const Inliner *in, const Function *g)
{
    if (g->insts.n + g->params.n + g->rets.n > MOST_INSTS) return false;
    Uses u = {.g = g, .bad = !g->has_body || g->entry};
    for (size_t k = 0; k < g->locals.n; k++) u.bad |= sl1_is_static(g->locals.v[k]);
    for (size_t n = 0; n < g->insts.n; n++) {
        const Inst *i = &g->insts.v[n];
        bool access = (i->op == OP_LD || i->op == OP_ST) && i->space == SP_PARAM;
        u.bad |= access && !i->opnd[i->op == OP_LD].sym;
        u.bad |= i->op == OP_ALLOCA || i->op == OP_STACKSAVE || i->op == OP_STACKRESTORE;  // freed when it returns
    }
    each_mention(g, look_at_mention, &u);
    return !u.bad && !(sl1_facts(&in->graph, g) & SL1_CYCLE);
}

// How many instructions a call of g becomes, at most; 0: the call stays.
static size_t cost_of(Inliner *in, const Function *g)
{
    int64_t cost;
    if (find(&in->costs, g, &cost)) return (size_t)cost;
    cost = (int64_t)(is_fit(in, g) ? g->insts.n + g->rets.n + 1 : 0);
    for (size_t k = 0; k < g->params.n && cost; k++)
        cost += changes(g, g->params.v[k]) ? 2 * (int64_t)g->params.v[k]->bytes : 1;
    put(&in->costs, g, cost);
    return (size_t)cost;
}

// --- which calls -----------------------------------------------------------------------------------------------------
typedef struct Choice {
    const Function *g;
    Map index;    // of g's own .param variables
    bool *taken;  // per instruction: a call that is replaced
    bool *stays;  // per variable: something needs it as it is
} Choice;

static void keep_variable(void *user, uint32_t n, const Symbol *s, Mention how)
{
    Choice *c = user;
    int64_t k;
    bool simple = how == LOADED || how == STORED || (how == PASSED && c->taken[n]);
    if (!simple && find(&c->index, s, &k)) c->stays[k] = true;
}

// May this operand be passed? It must be a variable of the body, or a single value that is as wide as the parameter.
static bool may_pass(const Choice *c, const Operand *o, const Symbol *formal, bool result)
{
    int64_t k;
    bool scalar = !formal->array && formal->elements == 1 && formal->bytes <= 8;
    switch (o->kind) {
    case O_SYM: return find(&c->index, o->sym, &k) && !c->stays[k];
    case O_REG:
        return scalar && type_info[c->g->regs.v[o->reg].type].bits == 8 * (int)formal->bytes && formal->bytes > 1;
    case O_IMM: return scalar && !result;
    default: return o->kind == O_SINK && result;
    }
}

static bool may_replace(const Choice *c, const Inst *i)
{
    const Function *g = sl1_callee(i);
    const Operand *lists[] = {results_of(i), arguments_of(i)};
    for (int l = 0; l < 2; l++)
        for (int k = 0; lists[l] && k < lists[l]->count; k++) {
            const Operand *o = &lists[l]->items[k];
            if (!may_pass(c, o, (l ? &g->params : &g->rets)->v[k], !l)) return false;
            for (int r = 0; l && o->kind == O_SYM && lists[0] && r < lists[0]->count; r++)
                if (lists[0]->items[r].sym == o->sym) return false;
        }
    return true;
}

// Chooses the calls that are replaced. A call that shares a variable with a call that stays has to stay, too.
static bool *choose_calls(Inliner *in, const Function *g)
{
    Choice c = {.g = g, .taken = mem_alloc(g->insts.n + 1), .stays = mem_alloc(g->locals.n + 1)};
    for (size_t k = 0; k < g->locals.n; k++)
        if (g->locals.v[k]->space == SP_PARAM) put(&c.index, g->locals.v[k], (int64_t)k);
    for (size_t n = 0; n < g->insts.n; n++) {
        const Function *to = sl1_callee(&g->insts.v[n]);
        size_t cost = to ? cost_of(in, to) : 0;
        c.taken[n] = cost && cost <= in->room && in->depth < MOST_DEEP;
        if (c.taken[n]) in->room -= cost;
    }
    for (bool changed = true; changed;) {
        changed = false;
        each_mention(g, keep_variable, &c);
        for (size_t n = 0; n < g->insts.n; n++) {
            if (!c.taken[n] || may_replace(&c, &g->insts.v[n])) continue;
            in->room += cost_of(in, sl1_callee(&g->insts.v[n]));
            c.taken[n] = false, changed = true;
        }
    }
    map_free(&c.index);
    mem_free(c.stays);
    return c.taken;
}

// --- copying ---------------------------------------------------------------------------------------------------------
static const char *name_in(Inliner *in, const Body *b, const char *name)
{
    return b->call ? sl1_name(&in->names, name, b->number) : name;
}

static Symbol *add_variable(Inliner *in, const Body *b, const Symbol *s, Space space)
{
    Symbol *own = arena_alloc(&in->f->module->arena, sizeof *own);
    *own = *s;
    own->name = name_in(in, b, s->name), own->space = space;
    own->ptr = false, own->attributes = NULL;
    vec_push(&in->f->locals, own);
    return own;
}

static Symbol *symbol_in(const Body *b, Symbol *s)
{
    int64_t v;
    return s && find(&b->to, s, &v) ? (Symbol *)(uintptr_t)v : s;
}

static void lead(Body *b, const Symbol *from, const Symbol *to) { put(&b->to, from, (int64_t)(uintptr_t)to); }

static void copy_operand(const Inliner *in, const Body *b, Operand *o)
{
    switch (o->kind) {
    case O_REG: o->reg += b->reg; return;
    case O_LABEL: o->reg += b->label; return;
    case O_PROTO: o->reg += b->proto; return;
    case O_LABELS: *o = *in->f->tables.v[o->reg + b->table]; return;
    case O_ADDR: o->reg += o->reg == NO_REG ? 0 : b->reg; break;
    default: break;
    }
    o->sym = symbol_in(b, o->sym);
    if (!o->count) return;
    Operand *items = arena_alloc(&in->f->module->arena, sizeof *items * o->count);
    memcpy(items, o->items, sizeof *items * o->count);
    o->items = items;
    for (int k = 0; k < o->count; k++) copy_operand(in, b, &items[k]);
}

static Inst copy_inst(const Inliner *in, const Body *b, const Inst *from)
{
    Inst i = *from;
    i.opnd = arena_alloc(&in->f->module->arena, sizeof *i.opnd * MAX(i.operands, 1));
    memcpy(i.opnd, from->opnd, sizeof *i.opnd * i.operands);
    for (int k = 0; k < i.operands; k++) copy_operand(in, b, &i.opnd[k]);
    if (i.guarded) i.guard += b->reg;
    if (b->call) i.origin = b->call->origin, i.loc = i.loc ? i.loc : b->call->loc;
    bool access = i.op == OP_LD || i.op == OP_ST;
    const Symbol *s = access ? i.opnd[i.op == OP_LD].sym : NULL;
    if (!s || i.space != SP_PARAM || s->space != SP_LOCAL) return i;
    for (int k = 0; k < i.suffixes; k++)
        if (i.suffix[k] < M_COUNT && mod_info[i.suffix[k]].group == G_SPACE) i.suffix[k] = M_LOCAL;
    i.space = SP_LOCAL, i.mod[G_SPACE] = M_LOCAL;
    return i;
}

static void declare_tables(Inliner *in, Body *b)
{
    const Function *g = b->g;
    Arena *arena = &in->f->module->arena;
    for (size_t k = 0; k < g->tables.n; k++) {
        Operand *o = arena_alloc(arena, sizeof *o);
        *o = *g->tables.v[k];
        o->reg += b->table;
        o->items = arena_alloc(arena, sizeof *o->items * MAX(o->count, 1));
        memcpy(o->items, g->tables.v[k]->items, sizeof *o->items * o->count);
        for (int e = 0; e < o->count; e++) o->items[e].reg += b->label;
        vec_push(&in->f->tables, o);
        vec_push(&in->f->table_names, name_in(in, b, g->table_names.v[k]));
    }
    for (size_t k = 0; k < g->protos.n; k++) {
        Proto *p = arena_alloc(arena, sizeof *p);
        *p = *g->protos.v[k];
        p->name = name_in(in, b, p->name);
        vec_push(&in->f->protos, p);
    }
}

// Declares in the copy what a body declares. A called function's declarations get new names. The .param variables of
// calls that are replaced become variables in local memory.
static void declare(Inliner *in, Body *b)
{
    const Function *g = b->g;
    Function *f = in->f;
    b->reg = (uint32_t)f->regs.n, b->label = (uint32_t)f->labels.n, b->table = (uint32_t)f->tables.n,
    b->proto = (uint32_t)f->protos.n;
    for (size_t k = 0; k < g->regs.n; k++) sl1_reg(f, name_in(in, b, g->regs.v[k].name), g->regs.v[k].type);
    for (size_t k = 0; k < g->labels.n; k++) {
        const Label *l = &g->labels.v[k];
        vec_push(&f->labels, ((Label){.name = name_in(in, b, l->name), .at = l->at}));
    }
    declare_tables(in, b);
    b->replaced = choose_calls(in, g);
    for (size_t n = 0; n < g->insts.n; n++) {
        const Operand *lists[] = {results_of(&g->insts.v[n]), arguments_of(&g->insts.v[n])};
        for (int l = 0; l < 2 && b->replaced[n]; l++)
            for (int k = 0; lists[l] && k < lists[l]->count; k++) {
                const Operand *o = &lists[l]->items[k];
                if (o->kind == O_SYM && symbol_in(b, o->sym) == o->sym)
                    lead(b, o->sym, add_variable(in, b, o->sym, SP_LOCAL));
            }
    }
    for (size_t k = 0; k < g->locals.n; k++) {
        Symbol *s = g->locals.v[k];
        if (symbol_in(b, s) != s) continue;
        if (b->call)
            lead(b, s, add_variable(in, b, s, s->space));
        else
            vec_push(&f->locals, s);
    }
}

// --- calls -----------------------------------------------------------------------------------------------------------
static uint32_t add_label(Inliner *in, const Body *b, const char *name)
{
    vec_push(&in->f->labels, ((Label){.name = sl1_name(&in->names, name, b->number), .at = b->call->at}));
    return (uint32_t)in->f->labels.n - 1;
}

static void set_label(Inliner *in, uint32_t label)
{
    if (label != NO_REG) in->f->labels.v[label].defined = true, in->f->labels.v[label].inst = (uint32_t)in->f->insts.n;
}

static void put_branch(Inliner *in, const Inst *near, uint32_t label, uint32_t guard, bool negated)
{
    Operand to = {.kind = O_LABEL, .reg = label};
    Inst i = sl1_inst(in->f, near, OP_BRA, NULL, 0, &to, 1);
    if (near->guarded) i.guarded = true, i.guard = guard, i.guard_negated = negated;
    vec_push(&in->f->insts, i);
}

static void put_access(Inliner *in, const Inst *near, bool load, Operand value, Symbol *s, uint64_t at, uint64_t bytes)
{
    uint16_t suffix[] = {M_LOCAL, (uint16_t)(M_COUNT + sl1_bits(bytes))};
    Operand o[2];
    o[load ? 0 : 1] = value, o[load ? 1 : 0] = (Operand){.kind = O_ADDR, .reg = NO_REG, .sym = s, .imm = at};
    vec_push(&in->f->insts, sl1_inst(in->f, near, load ? OP_LD : OP_ST, suffix, 2, o, 2));
}

static void put_copy(Inliner *in, const Body *b, Symbol *from, Symbol *to)
{
    uint64_t step = MIN(MIN(from->align, to->align), 8);
    while (to->bytes % step) step /= 2;
    for (uint64_t at = 0; at < to->bytes; at += step) {
        Operand r = {.kind = O_REG,
                     .reg = sl1_reg(in->f, sl1_name(&in->names, "%copy", b->number), sl1_bits(MAX(step, 2)))};
        put_access(in, b->call, true, r, from, at, step);
        put_access(in, b->call, false, r, to, at, step);
    }
}

// Passes an argument. If the function only reads it, the function reads the caller's variable; otherwise it gets a
// copy.
static void pass(Inliner *in, Body *b, const Symbol *param, const Operand *o)
{
    if (o->kind == O_SYM && !changes(b->g, param)) {
        o->sym->align = MAX(o->sym->align, param->align);
        lead(b, param, o->sym);
        return;
    }
    Symbol *own = add_variable(in, b, param, SP_LOCAL);
    lead(b, param, own);
    Operand value = {.kind = o->kind, .reg = o->reg, .at = o->at};
    if (o->kind == O_IMM) value.imm = imm_bits(o, param->type);
    if (o->kind == O_SYM)
        put_copy(in, b, o->sym, own);
    else
        put_access(in, b->call, false, value, own, 0, own->bytes);
}

static void give_back(Inliner *in, Body *b, const Symbol *ret, const Operand *o)
{
    if (o->kind != O_SYM) {
        lead(b, ret, add_variable(in, b, ret, SP_LOCAL));
        return;
    }
    o->sym->align = MAX(o->sym->align, ret->align);
    lead(b, ret, o->sym);
}

static void put_body(Inliner *in, Body *b);

static void put_call(Inliner *in, const Body *from, const Inst *i)
{
    Inst call = copy_inst(in, from, i);
    const Operand *results = results_of(&call), *arguments = arguments_of(&call);
    Body b = {.g = sl1_callee(i), .call = &call, .number = ++in->calls, .back = NO_REG};
    uint32_t skip = call.guarded ? add_label(in, &b, "$skip") : NO_REG;
    if (call.guarded) put_branch(in, &call, skip, call.guard, !call.guard_negated);
    for (int k = 0; results && k < results->count; k++) give_back(in, &b, b.g->rets.v[k], &results->items[k]);
    for (int k = 0; arguments && k < arguments->count; k++) pass(in, &b, b.g->params.v[k], &arguments->items[k]);
    in->depth++;
    put_body(in, &b);
    in->depth--;
    set_label(in, b.back);
    for (int k = 0; results && k < results->count; k++) {
        Symbol *ret = b.g->rets.v[k];
        if (results->items[k].kind == O_REG)
            put_access(in, &call, true, results->items[k], symbol_in(&b, ret), 0, ret->bytes);
    }
    set_label(in, skip);
    map_free(&b.to);
}

static void put_return(Inliner *in, Body *b, const Inst *i)
{
    if (b->back == NO_REG) b->back = add_label(in, b, "$back");
    Inst near = *i;
    near.origin = b->call->origin, near.loc = i->loc ? i->loc : b->call->loc;
    put_branch(in, &near, b->back, i->guard + b->reg, i->guard_negated);
}

static void put_body(Inliner *in, Body *b)
{
    const Function *g = b->g;
    Function *f = in->f;
    uint32_t *at = mem_alloc(sizeof *at * (g->insts.n + 1));
    size_t pragma = 0;
    declare(in, b);
    for (uint32_t n = 0; n <= g->insts.n; n++) {
        at[n] = (uint32_t)f->insts.n;
        for (; pragma < g->pragmas.n && g->pragmas.v[pragma].inst == n; pragma++)
            vec_push(&f->pragmas, ((Pragma){g->pragmas.v[pragma].text, at[n], g->pragmas.v[pragma].at}));
        if (n == g->insts.n) break;
        const Inst *i = &g->insts.v[n];
        bool returns = b->call && i->op == OP_RET;
        if (b->replaced[n])
            put_call(in, b, i);
        else if (returns && n + 1 < g->insts.n)
            put_return(in, b, i);
        else if (!returns)
            vec_push(&f->insts, copy_inst(in, b, i));
    }
    for (size_t l = 0; l < g->labels.n; l++) {
        Label *to = &f->labels.v[b->label + l];
        to->defined = g->labels.v[l].defined, to->inst = to->defined ? at[g->labels.v[l].inst] : 0;
    }
    mem_free(at), mem_free(b->replaced);
}

#define EMPTY(list) memset(&(list), 0, sizeof(list))

Function *sl1_inline(const Function *of)
{
    Function *f = mem_alloc(sizeof *f);
    *f = *of;
    EMPTY(f->locals), EMPTY(f->regs), EMPTY(f->labels), EMPTY(f->insts), EMPTY(f->pragmas);
    EMPTY(f->tables), EMPTY(f->table_names), EMPTY(f->protos);
    Inliner in = {.f = f, .graph = sl1_graph(of), .room = of->insts.n < MOST_INSTS ? MOST_INSTS - of->insts.n : 0};
    Body b = {.g = of, .back = NO_REG};
    sl1_take_names(&in.names, of);
    put_body(&in, &b);
    sl1_names_free(&in.names);
    map_free(&in.costs), map_free(&b.to), sl1_graph_free(&in.graph);
    return f;
}
