// decode.c: a checked kernel → Code. Every function the kernel can reach is lowered, its registers are coloured, and
// each instruction becomes a Dinst: operands are row offsets, constants rows of the kernel's pool, branch targets
// instruction numbers with their reconvergence points. Shared memory is laid out per kernel, local memory per frame.
#include "exec/decode.h"
#include "ptx/ops.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/strands.h"

// --- functions -------------------------------------------------------------------------------------------------------
// Puts a variable behind the others of its space, which have *size bytes so far, and may have most of them.
static uint32_t lay_out(Decode *x, uint32_t *size, const Symbol *s, uint32_t most)
{
    uint64_t align = MAX(s->align, 1u);
    if (x->image->module->sass && s->space == SP_SHARED && s->bytes >= MERGED_BYTES) align = MAX(align, MERGED_BYTES);
    uint64_t at = (*size + align - 1) / align * align;
    if (at > most || s->bytes > most - at) {
        diag_at(x->diag, &x->image->module->source, s->at ? s->at : x->f->symbol->at, NULL,
                "'%s' brings the .%s variables of '%s' to more than %u bytes", s->name, space_names[s->space],
                x->f->symbol->name, most);
        x->failed = true;
        return 0;
    }
    *size = (uint32_t)(at + s->bytes);
    return (uint32_t)at;
}

static void place_shared(Decode *x, const Symbol *s)
{
    if (s->space != SP_SHARED || s->linkage == LINK_EXTERN || !s->bytes) return;
    if (places_find(&x->shared, s) != NO_REG) return;
    VarPlace p = {s, lay_out(x, &x->k->static_shared, s, MAX_SHARED)};
    places_put(&x->shared, s, p.at);
    vec_push(&x->k->shared, p);
}

// What no instruction names lies behind the rest: of the kernel and of the functions that it calls. ptxas does the
// same, and leaves out what no instruction names of the module's variables.
static void place_unnamed(Decode *x)
{
    for (size_t c = 0; c < x->k->codes.n; c++) {
        const Symbols *own = &x->k->codes.v[c]->parsed->locals;
        for (size_t v = 0; v < own->n; v++) place_shared(x, own->v[v]);
    }
}

static void use_shared(Decode *x, const Operand *o)
{
    if (o->sym) place_shared(x, o->sym);
    if (o->sym && o->sym->space == SP_SHARED && o->sym->linkage == LINK_EXTERN) {
        x->extern_align = MAX(x->extern_align, o->sym->align);
        if (x->image->module->sass) x->extern_align = MAX(x->extern_align, MERGED_BYTES);
    }
    for (int k = 0; k < o->count; k++) use_shared(x, &o->items[k]);
}

// Symbols whose address the function takes, and parameters that it uses as local memory.
static void find_taken(const Function *f, Places *taken)
{
    for (size_t n = 0; n < f->insts.n; n++) {
        const Inst *i = &f->insts.v[n];
        for (int k = 0; k < i->operands; k++) {
            const Operand *o = &i->opnd[k];
            if (o->kind == O_SYM ? i->op == OP_MOV || i->op == OP_CVTA
                                 : o->kind == O_ADDR && o->sym && i->space == SP_LOCAL)
                places_put(taken, o->sym, 0);
        }
    }
}

// Rows of a frame's parameters and results, and of the .param variables of its body, from row on.
static uint64_t frame_params(Decode *x, const Symbols *list, uint64_t row)
{
    for (size_t p = 0; p < list->n; p++) {
        if (list->v[p]->space != SP_PARAM) continue;
        places_put(&x->param, list->v[p], (uint32_t)row);
        row += param_rows(list->v[p]);
    }
    return row;
}

static void frame_local(Decode *x, Code *code)
{
    const Function *f = code->f;
    code->spills_at = NO_REG;
    for (size_t s = 0; s < f->locals.n; s++) {
        const Symbol *v = f->locals.v[s];
        if (v->space != SP_LOCAL) continue;
        uint32_t at = lay_out(x, &code->local_bytes, v, MAX_LOCAL);
        places_put(&x->local, v, at);
        vec_push(&code->locals, ((VarPlace){v, at}));
        if (v->spilled) code->spills_at = MIN(code->spills_at, at);
    }
    if (f->entry) return;
    Places taken = {0};
    find_taken(f, &taken);
    for (size_t p = 0; p < f->params.n; p++) {
        const Symbol *v = f->params.v[p];
        if (places_find(&taken, v) == NO_REG) continue;
        uint32_t at = lay_out(x, &code->local_bytes, v, MAX_LOCAL);
        places_put(&x->local, v, at);
        vec_push(&code->locals, ((VarPlace){v, at}));
        LocalParam lp = {places_find(&x->param, v), param_words(v), at};
        vec_push(&code->local_params, lp);
    }
    places_clear(&taken);
}

static bool takes_stack(const Function *f)
{
    bool takes = false;
    for (size_t n = 0; n < f->insts.n; n++) {
        Op op = f->insts.v[n].op;
        takes |= op == OP_ALLOCA || op == OP_STACKSAVE || op == OP_STACKRESTORE;
    }
    return takes;
}

// Instructions name a register's row in the scoreboard and a predicate by 16 bits, and all frames of a warp have a
// bounded stack.
static bool frame_fits(Decode *x, uint64_t rows)
{
    const Code *c = x->code;
    if (MAX(c->registers, c->reg_rows) + (uint64_t)c->preds > UINT16_MAX)
        return decode_fail(x, false, "'%s' has %u registers of 32 bits and %u predicates at a time, of at most %u",
                           x->f->symbol->name, MAX(c->registers, c->reg_rows), c->preds, UINT16_MAX);
    return rows * ROW_BYTES <= MAX_STACK / 2 ||
           decode_fail(x, false, "the parameters of '%s' and of its calls are too large", x->f->symbol->name);
}

// Can one lane of a warp add for the others? Their address is surely the same, and nobody reads the result (D_SAME).
static bool adds_to_one(Body *b, const Inst *i)
{
    int at = i->op == OP_ATOM ? 1 : 0;
    if ((i->op != OP_RED && (i->op != OP_ATOM || i->opnd[0].kind != O_SINK)) || i->vec > 1) return false;
    if (i->mod[G_ATOM] != M_A_ADD || (i->type != TY_U32 && i->type != TY_S32)) return false;
    return uniform_operand(body_uniform(b), &i->opnd[at]);
}

static bool decode_function(Decode *x, Code *code)
{
    const Function *f = x->f = code->f = code->body->f;
    code->alloc = code->body->alloc, code->files = code->body->files, code->registers = code->body->registers;
    x->code = code;
    x->i = NULL;
    places_clear(&x->local), places_clear(&x->param);
    code->reg_rows = code->alloc->rows;
    code->preds = code->alloc->preds + PRED_FIRST;
    uint64_t rows = ((uint64_t)code->reg_rows + 1) & ~1ull;
    if (!f->entry) rows = frame_params(x, &f->params, frame_params(x, &f->rets, rows));
    rows = frame_params(x, &f->locals, rows);
    code->stack = takes_stack(f) ? (uint32_t)rows : NO_REG;
    if (code->stack != NO_REG) rows += 2;
    x->k->grows |= code->stack != NO_REG;
    frame_local(x, code);
    bool ok = !x->failed && frame_fits(x, rows);
    if (!ok) rows = 0;
    code->local_bytes = (code->local_bytes + 15) & ~15u;
    code->spills_at = MIN(code->spills_at, code->local_bytes);
    code->rows = (uint32_t)rows + 2;
    code->frame_bytes = code->rows * ROW_BYTES + (code->preds * 4 + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
    code->n = (uint32_t)f->insts.n;
    code->insts = mem_alloc(sizeof *code->insts * (code->n + 1));
    int16_t *prov = f->entry ? ptx_provenance(f, NULL) : NULL;
    for (uint32_t n = 0; n < code->n && ok; n++) {
        x->i = &f->insts.v[n];
        ok = decode_inst(x, &code->insts[n], n) && !x->failed;
        if (prov) code->insts[n].prov = prov[n];
        if (ok && adds_to_one(code->body, x->i)) code->insts[n].flags |= D_SAME;
        if (x->image->operand + x->image->last && code->files->start[n] & STRAND_WAITS) code->insts[n].flags |= D_WAITS;
    }
    for (size_t p = 0; p < f->pragmas.n; p++) {
        const Pragma *s = &f->pragmas.v[p];
        if (s->inst < code->n && strstr(s->text, FILL_PRAGMA)) code->insts[s->inst].soft = SOFT_FILL;
        if (s->inst < code->n && strstr(s->text, AHEAD_PRAGMA)) code->insts[s->inst].soft = SOFT_AHEAD;
        if (s->inst < code->n && strstr(s->text, LINE_PRAGMA)) code->insts[s->inst].soft = SOFT_LINE;
    }
    code->insts[code->n] = (Dinst){.kind = f->entry ? X_EXIT : X_RET,
                                   .class = CLASS_BRANCH,
                                   .guard = PRED_TRUE,
                                   .prov = PROV_NONE,
                                   .index = code->n,
                                   .op = OP_EXIT};
    mem_free(prov);
    straight_mark(code);
    return ok;
}

// Each function begins a line of its own; an issue slot is 16 bytes of machine code.
static void number_lines(Kernel *k, Code *code)
{
    uint64_t slots = 0;
    code->line = mem_alloc(sizeof *code->line * (code->n + 1));
    for (uint32_t n = 0; n <= code->n; n++) {
        code->line[n] = k->lines + 1 + (uint32_t)(slots / 8);
        slots += code->insts[n].slots;
    }
    k->lines += (uint32_t)((slots + 7) / 8);
}

// The functions that a kernel leads to, each with what it calls before what stands behind the call. Chains of calls may
// be as long as the text, so what is under way is a list.
typedef struct Visit {
    const Function *f;
    const Body *body;
    size_t inst;  // among those that name something
    int operand;
    bool indirect;  // it has a call by address
} Visit;
typedef VEC(Visit) Visits;

static void enter(Decode *x, Visits *under_way, const Function *f)
{
    if (places_find(&x->reached, f->symbol) != NO_REG) return;
    Code *code = mem_alloc(sizeof *code);
    code->parsed = f;
    code->kernel = x->k;
    code->number = (uint32_t)x->k->codes.n;
    code->body = body_take(x->image, f);
    places_put(&x->reached, f->symbol, code->number);
    vec_push(&x->k->codes, code);
    vec_push(under_way, ((Visit){.f = f, .body = code->body}));
}

// Goes on with the last of those under way. False: it is through.
static bool visit(Decode *x, Visits *under_way, size_t *symbol)
{
    size_t depth = under_way->n;
    Visit v = under_way->v[depth - 1];
    for (; v.inst < v.body->naming.n && under_way->n == depth; v.inst++, v.operand = 0) {
        const Inst *i = &v.f->insts.v[v.body->naming.v[v.inst]];
        while (v.operand < i->operands && under_way->n == depth) {
            const Operand *o = &i->opnd[v.operand++];
            use_shared(x, o);
            if (o->kind == O_SYM && o->sym->function && o->sym->function->has_body)
                enter(x, under_way, o->sym->function);
        }
        if (under_way->n > depth) break;
        v.indirect |= i->op == OP_CALL && i->opnd[inst_dest_count(i)].kind == O_REG;
    }
    const Symbols *all = &x->image->module->symbols;
    while (v.indirect && *symbol < all->n && under_way->n == depth) {  // anything whose address may be in a table
        const Function *g = all->v[(*symbol)++]->function;
        if (g && !g->entry && g->has_body) enter(x, under_way, g);
    }
    under_way->v[depth - 1] = v;
    return under_way->n > depth;
}

static void reach(Decode *x, const Function *kernel)
{
    Visits under_way = {0};
    size_t symbol = 0;
    enter(x, &under_way, kernel);
    while (under_way.n)
        if (!visit(x, &under_way, &symbol)) under_way.n--;
    vec_free(&under_way);
}

// Registers and local memory that a function needs with all it calls, along the deepest chain. A cycle is recursion,
// bounded when it runs. A call by address may lead to any function. A thread has at most reg_limit registers, and no
// more than the kernel's .maxnreg: where a chain takes more, a callee saves some on the stack first, as the ABI has it.
// Only the room for that is modelled.
typedef struct Need {
    uint64_t registers, local;
    enum { NEED_UNKNOWN, NEED_ASKED, NEED_KNOWN } state;
} Need;
typedef struct NeedVisit {
    uint32_t code, inst;
    Need callee;  // the most of what it calls
    bool indirect;
} NeedVisit;
typedef struct Needs {
    Kernel *k;
    Need *of, any;  // per code; the most of all that are known, the kernel apart
    size_t next;    // none below it is unknown
    VEC(NeedVisit) under_way;
} Needs;

static void most(Need *a, const Need *b)
{
    a->registers = MAX(a->registers, b->registers), a->local = MAX(a->local, b->local);
}

static void ask(Needs *w, uint32_t code)
{
    w->of[code].state = NEED_ASKED;
    vec_push(&w->under_way, ((NeedVisit){.code = code}));
}

// Goes on with the last of those under way. False: it is through, and known.
static bool find_need(Needs *w)
{
    NeedVisit *v = &w->under_way.v[w->under_way.n - 1];
    const Code *c = w->k->codes.v[v->code];
    for (; v->inst < c->n; v->inst++) {
        if (c->insts[v->inst].kind != X_CALL) continue;
        const Code *to = c->insts[v->inst].call->callee;
        if (!to) {
            v->indirect = true;
            continue;
        }
        if (w->of[to->number].state == NEED_UNKNOWN) return ask(w, to->number), true;
        w->k->recursive |= w->of[to->number].state == NEED_ASKED;
        if (w->of[to->number].state == NEED_KNOWN) most(&v->callee, &w->of[to->number]);
    }
    if (v->indirect) {
        while (w->next < w->k->codes.n && w->of[w->next].state != NEED_UNKNOWN) w->next++;
        if (w->next < w->k->codes.n) return ask(w, (uint32_t)w->next), true;
        w->k->recursive |= v->code != 0;  // it may lead to itself
        most(&v->callee, &w->any);
    }
    Need *mine = &w->of[v->code];
    *mine = (Need){c->registers + v->callee.registers, c->local_bytes + v->callee.local, NEED_KNOWN};
    if (v->code) most(&w->any, mine);
    return false;
}

static void find_needs(Kernel *k)
{
    Needs w = {.k = k, .of = mem_alloc(sizeof *w.of * k->codes.n)};
    ask(&w, 0);
    while (w.under_way.n)
        if (!find_need(&w)) w.under_way.n--;
    // With setmaxnreg a warp has more than these later, and saves none.
    const Function *f = k->codes.v[0]->parsed;
    const uint64_t limit = k->image->reg_limit ? k->image->reg_limit : MAX_REGISTERS;
    const bool chain = f->maxnreg && k->codes.n > 1;  // a kernel alone has been spilled to its .maxnreg
    const uint32_t bound = chain ? (uint32_t)f->maxnreg : ptx_bound(f), first = bound ? bound : MAX_REGISTERS;
    const uint64_t most = MIN(limit, ptx_changes_registers(f) ? MAX_REGISTERS : first),
                   saved = 4 * (MAX(w.of[0].registers, most) - most);
    k->registers = (uint32_t)MIN(MIN(MAX(w.of[0].registers, k->image->reg_least), most), first);
    k->local_bytes = (uint32_t)MIN(w.of[0].local + saved, UINT32_MAX);
    vec_free(&w.under_way);
    mem_free(w.of);
}

// Each kernel has the functions that it reaches decoded for itself. So all kernels of a module may be far more than its
// text, and the host is asked for room for each.
enum { FUNCTION_BYTES = 2048, INST_BYTES = sizeof(Dinst) + 4 + sizeof(Straight) };  // by itself; 4: Code.line
static bool has_room(Decode *x)
{
    enum { EACH = INST_BYTES + ROW_BYTES };  // an instruction, and a constant that no other has
    uint64_t insts = 0;
    for (size_t c = 0; c < x->k->codes.n; c++) insts += x->k->codes.v[c]->parsed->insts.n;
    if (mem_room(insts * EACH + x->k->codes.n * FUNCTION_BYTES)) return true;
    x->diag->memory = true;
    return decode_fail(x, false,
                       "the host has no memory for the %llu instructions of '%s' and of all functions that it calls",
                       (unsigned long long)insts, x->f->symbol->name);
}

static void fill_constants(Decode *x)
{
    Kernel *k = x->k;
    k->const_rows = MAX(k->const_rows, 2u);
    k->consts = aligned_alloc(64, (size_t)k->const_rows * ROW_BYTES);
    if (!k->consts) abort();
    memset(k->consts, 0, (size_t)k->const_rows * ROW_BYTES);
    for (size_t c = 0; c < x->consts.n; c++) {
        uint8_t *r = k->consts + (size_t)x->consts.v[c].row * ROW_BYTES;
        for (int n = 0; n < LANES; n++) {
            uint32_t narrow = (uint32_t)x->consts.v[c].value;
            if (x->consts.v[c].wide)
                memcpy(r + 8 * n, &x->consts.v[c].value, 8);
            else
                memcpy(r + 4 * n, &narrow, 4);
        }
    }
}

// The diagnostic that would have refused the module
static void decode_refused(const Decode *x, const Function *g)
{
    if (x->diag->failed) return;
    x->diag->failed = x->diag->unsupported = true;
    text_put(&x->diag->text, g->refusal);
    if (g != x->f)
        text_printf(&x->diag->text, "\nkernel '%s' needs function '%s'", x->f->symbol->name, g->symbol->name);
}

Kernel *exec_decode(Image *image, const Function *f, Diag *diag)
{
    Kernel *k = mem_alloc(sizeof *k);
    Decode x = {.image = image, .k = k, .f = f, .diag = diag};
    k->f = f;
    k->image = image;
    k->its = image->module->sm >= 70;
    k->address = exec_pick_address();
    k->straight = exec_pick_straight();
    const Function *blocked = ptx_blocked(f);
    if (blocked) {
        decode_refused(&x, blocked);
        exec_kernel_free(k);
        return NULL;
    }
    for (size_t p = 0; p < f->params.n; p++) {
        vec_push(&k->param_at, lay_out(&x, &k->param_bytes, f->params.v[p], MAX_PARAM));
        places_put(&x.params, f->params.v[p], k->param_at.v[p]);
    }
    reach(&x, f);
    place_unnamed(&x);
    if (x.extern_align) k->static_shared = (k->static_shared + x.extern_align - 1) / x.extern_align * x.extern_align;
    k->code = k->codes.v[0];
    bool ok = !x.failed && has_room(&x);
    for (size_t c = 0; c < k->codes.n && ok; c++) ok = decode_function(&x, k->codes.v[c]);
    for (size_t c = 0; c < k->codes.n && ok; c++) {
        Code *code = k->codes.v[c];
        code->stat_base = k->insts;
        k->insts += code->n + 1;
        k->score_size = MAX(k->score_size, code->reg_rows + code->preds);
        number_lines(k, code);
    }
    if (ok) find_needs(k);
    fill_constants(&x);
    k->bytes = k->insts * INST_BYTES + k->codes.n * FUNCTION_BYTES + (uint64_t)k->const_rows * ROW_BYTES;
    places_clear(&x.shared), places_clear(&x.local), places_clear(&x.param), places_clear(&x.params);
    places_clear(&x.reached);
    map_free(&x.rows);
    vec_free(&x.consts);
    if (ok) return k;
    exec_kernel_free(k);
    return NULL;
}

void exec_kernel_free(Kernel *k)
{
    if (!k) return;
    for (size_t c = 0; c < k->codes.n; c++) {
        Code *code = k->codes.v[c];
        for (size_t s = 0; s < code->calls.n; s++) {
            vec_free(&code->calls.v[s]->args);
            vec_free(&code->calls.v[s]->rets);
            mem_free(code->calls.v[s]);
        }
        vec_free(&code->calls);
        for (size_t r = 0; r < code->results.n; r++) mem_free(code->results.v[r]);
        vec_free(&code->results);
        for (size_t t = 0; t < code->tensors.n; t++) mem_free(code->tensors.v[t]);
        vec_free(&code->tensors);
        for (size_t b = 0; b < code->bulks.n; b++) mem_free(code->bulks.v[b]);
        vec_free(&code->bulks);
        vec_free(&code->local_params);
        vec_free(&code->locals);
        mem_free(code->line), mem_free(code->straight), mem_free(code->insts);
        if (code->body) body_give(k->image, code->parsed);
        mem_free(code);
    }
    vec_free(&k->codes);
    vec_free(&k->param_at);
    vec_free(&k->shared);
    free(k->consts);
    mem_free(k);
}
