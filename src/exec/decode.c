// decode.c: a checked kernel → Code. Every function the kernel can reach is lowered, its registers are coloured, and
// each instruction becomes a Dinst: operands are row offsets, constants rows of the kernel's pool, branch targets
// instruction numbers with their reconvergence points. Shared memory is laid out per kernel, local memory per frame.
#include "exec/decode.h"

#include <stdlib.h>
#include <string.h>

// --- functions -------------------------------------------------------------------------------------------------------
static void lay_out(uint32_t *size, const Symbol *s, uint32_t *at)
{
    uint32_t align = MAX(s->align, 1u);
    *at = (*size + align - 1) / align * align;
    *size = *at + (uint32_t)s->bytes;
}

static void use_shared(Decode *x, const Operand *o)
{
    if (o->sym && o->sym->space == SP_SHARED && o->sym->linkage != LINK_EXTERN && o->sym->bytes &&
        places_find(&x->shared, o->sym) == NO_REG) {
        uint32_t at;
        lay_out(&x->k->static_shared, o->sym, &at);
        places_put(&x->shared, o->sym, at);
    } else if (o->sym && o->sym->space == SP_SHARED && o->sym->linkage == LINK_EXTERN) {
        x->extern_align = MAX(x->extern_align, o->sym->align);
    }
    for (int k = 0; k < o->count; k++) use_shared(x, &o->items[k]);
}

// Symbols whose address the function takes.
static void find_taken(const Function *f, Places *taken)
{
    for (size_t n = 0; n < f->insts.n; n++) {
        const Inst *i = &f->insts.v[n];
        for (int k = 0; (i->op == OP_MOV || i->op == OP_CVTA) && k < i->operands; k++)
            if (i->opnd[k].kind == O_SYM) places_put(taken, i->opnd[k].sym, 0);
    }
}

static void frame_params(Decode *x, const Symbols *list, uint32_t *rows)
{
    for (size_t p = 0; p < list->n; p++) {
        places_put(&x->param, list->v[p], *rows);
        *rows += param_row_count(list->v[p]);
    }
}

static bool decode_function(Decode *x, Code *code)
{
    const Function *f = x->f = code->f;
    x->code = code;
    x->i = NULL;
    places_clear(&x->local), places_clear(&x->param);
    Flow *flow = flow_build(f);
    flow_live(flow);
    code->alloc = x->image->lower ? alloc_colour(flow) : alloc_identity(flow);
    code->registers = code->alloc->slots;
    code->reg_rows = code->alloc->rows;
    code->preds = code->alloc->preds + PRED_FIRST;
    uint32_t rows = (code->reg_rows + 1) & ~1u;
    if (!f->entry) frame_params(x, &f->rets, &rows), frame_params(x, &f->params, &rows);
    for (size_t s = 0; s < f->locals.n; s++) {
        const Symbol *v = f->locals.v[s];
        uint32_t at;
        if (v->space == SP_PARAM) {
            places_put(&x->param, v, rows);
            rows += param_row_count(v);
        } else if (v->space == SP_LOCAL) {
            lay_out(&code->local_bytes, v, &at);
            places_put(&x->local, v, at);
        }
    }
    Places taken = {0};
    if (!f->entry) find_taken(f, &taken);
    for (size_t p = 0; p < f->params.n && !f->entry; p++) {
        const Symbol *v = f->params.v[p];
        uint32_t at;
        if (places_find(&taken, v) == NO_REG) continue;
        lay_out(&code->local_bytes, v, &at);
        places_put(&x->local, v, at);
        LocalParam lp = {places_find(&x->param, v), ((uint32_t)v->bytes + 3) / 4, at};
        vec_push(&code->local_params, lp);
    }
    places_clear(&taken);
    code->local_bytes = (code->local_bytes + 15) & ~15u;
    code->rows = rows + 2;
    code->frame_bytes = code->rows * ROW_BYTES + (code->preds * 4 + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
    code->n = (uint32_t)f->insts.n;
    code->insts = mem_alloc(sizeof *code->insts * (code->n + 1));
    int16_t *prov = f->entry ? ptx_provenance(f, NULL) : NULL;
    bool ok = true;
    for (uint32_t n = 0; n < code->n && ok; n++) {
        x->i = &f->insts.v[n];
        ok = decode_inst(x, &code->insts[n], flow, n) && !x->failed;
        if (prov) code->insts[n].prov = prov[n];
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
    flow_free(flow);
    return ok;
}

static void reach(Decode *x, const Function *f)
{
    if (places_find(&x->reached, f->symbol) != NO_REG) return;
    Code *code = mem_alloc(sizeof *code);
    code->parsed = f;
    code->kernel = x->k;
    code->number = (uint32_t)x->k->codes.n;
    places_put(&x->reached, f->symbol, code->number);
    vec_push(&x->k->codes, code);
    bool indirect = false;
    for (size_t n = 0; n < f->insts.n; n++) {
        const Inst *i = &f->insts.v[n];
        for (int k = 0; k < i->operands; k++) {
            use_shared(x, &i->opnd[k]);
            if (i->opnd[k].kind == O_SYM && i->opnd[k].sym->function && i->opnd[k].sym->function->has_body)
                reach(x, i->opnd[k].sym->function);
        }
        indirect |= i->op == OP_CALL && i->opnd[inst_dest_count(i)].kind == O_REG;
    }
    for (size_t s = 0; indirect && s < f->module->symbols.n; s++) {  // anything whose address may be in a table
        const Function *g = f->module->symbols.v[s]->function;
        if (g && !g->entry && g->has_body) reach(x, g);
    }
}

// Registers and local memory that a function needs with all it calls, along the deepest chain. A cycle is recursion,
// bounded when it runs.
typedef struct Need {
    uint32_t registers, local;
    enum { NEED_UNKNOWN, NEED_ASKED, NEED_KNOWN } state;
} Need;
static Need need(Kernel *k, const Code *c, Need *of)
{
    Need *mine = &of[c->number];
    if (mine->state == NEED_KNOWN) return *mine;
    if (mine->state == NEED_ASKED) {
        k->recursive = true;
        return (Need){0};
    }
    mine->state = NEED_ASKED;
    uint32_t registers = 0, local = 0;
    bool indirect = false;
    for (uint32_t n = 0; n < c->n; n++) {
        if (c->insts[n].kind != X_CALL) continue;
        if (!c->insts[n].call->callee)
            indirect = true;
        else {
            Need his = need(k, c->insts[n].call->callee, of);
            registers = MAX(registers, his.registers), local = MAX(local, his.local);
        }
    }
    for (size_t g = 1; indirect && g < k->codes.n; g++) {
        Need his = need(k, k->codes.v[g], of);
        registers = MAX(registers, his.registers), local = MAX(local, his.local);
    }
    *mine = (Need){c->registers + registers, c->local_bytes + local, NEED_KNOWN};
    return *mine;
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
    const Function *blocked = ptx_blocked(f);
    if (blocked) {
        decode_refused(&x, blocked);
        exec_kernel_free(k);
        return NULL;
    }
    for (size_t p = 0; p < f->params.n; p++) {
        uint32_t at;
        lay_out(&k->param_bytes, f->params.v[p], &at);
        vec_push(&k->param_at, at);
    }
    reach(&x, f);
    if (x.extern_align) k->static_shared = (k->static_shared + x.extern_align - 1) / x.extern_align * x.extern_align;
    k->code = k->codes.v[0];
    for (size_t c = 0; c < k->codes.n; c++)
        k->codes.v[c]->f = image->lower ? ptx_lower(k->codes.v[c]->parsed, image->reg_limit) : k->codes.v[c]->parsed;
    bool ok = true;
    for (size_t c = 0; c < k->codes.n && ok; c++) ok = decode_function(&x, k->codes.v[c]);
    for (size_t c = 0; c < k->codes.n && ok; c++) {
        Code *code = k->codes.v[c];
        code->stat_base = k->insts;
        k->insts += code->n + 1;
        k->score_size = MAX(k->score_size, code->reg_rows + code->preds);
    }
    if (ok) {
        Need *of = mem_alloc(sizeof *of * k->codes.n), all = need(k, k->code, of);
        k->registers = all.registers, k->local_bytes = all.local;
        mem_free(of);
    }
    fill_constants(&x);
    places_clear(&x.shared), places_clear(&x.local), places_clear(&x.param), places_clear(&x.reached);
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
        vec_free(&code->local_params);
        alloc_free(code->alloc);
        mem_free(code->insts);
        if (code->f != code->parsed) ptx_lowered_free((Function *)code->f);
        mem_free(code);
    }
    vec_free(&k->codes);
    vec_free(&k->param_at);
    free(k->consts);
    mem_free(k);
}
