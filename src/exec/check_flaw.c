// check_flaw.c: what --check has found, in words. Accesses of the same kind at the same instructions are one
// finding: it is counted, and said of the first of them. What a finding says is made when it comes, since a kernel's
// code may be gone when somebody asks.
#include "exec/check.h"
#include "names/names.h"

#include <string.h>

enum { MOST = 1000 };  // different findings of a launch

const char *const flaw_names[FLAW_KINDS] = {
#define FLAW(id, name, text, cure) [FLAW_##id] = name,
#include "exec/flaws.def"
#undef FLAW
};
const char *const flaw_texts[FLAW_KINDS] = {
#define FLAW(id, name, text, cure) [FLAW_##id] = text,
#include "exec/flaws.def"
#undef FLAW
};

const char *const flaw_cures[FLAW_KINDS] = {
#define FLAW(id, name, text, cure) [FLAW_##id] = cure,
#include "exec/flaws.def"
#undef FLAW
};

const Code *check_code(const Kernel *k, uint32_t inst, uint32_t *pc)
{
    for (size_t c = 0; c < k->codes.n; c++) {
        const Code *code = k->codes.v[c];
        if (inst < code->stat_base || inst - code->stat_base >= code->n) continue;
        *pc = inst - code->stat_base;
        return code;
    }
    return NULL;
}

Found found_at(FlawKind kind, const Warp *w, uint32_t pc, uint32_t lane)
{
    return (Found){.kind = kind,
                   .code = {NULL, w->code},
                   .pc = {0, pc},
                   .thread = {0, w->tid0 + lane},
                   .block = {0, w->cta->number},
                   .none = true};
}

void found_after(Found *f, const Kernel *k, uint32_t inst, uint32_t thread, uint64_t block)
{
    f->code[0] = check_code(k, inst, &f->pc[0]);
    f->thread[0] = thread, f->block[0] = block;
    f->none = !f->code[0];
}

bool check_proxy(const Access *x, uint32_t lane, Touch wrote, uint64_t address)
{
    Found f = found_at(FLAW_PROXY, x->w, x->d->index, lane);
    f.space = x->global ? SP_GLOBAL : SP_SHARED, f.address = address, f.bytes = 4;
    found_after(&f, x->env->launch->kernel, touch_inst(wrote), touch_thread(wrote), x->w->cta->number);
    if (!f.none) check_found(x->c, &f);
    return !f.none;
}

static const char *access_of(FlawKind kind, bool exited, const Code *code, uint32_t pc)
{
    if (kind == FLAW_RESIZE && exited) return "exited";
    if (kind == FLAW_SUMS && code->insts[pc].kind != X_WGMMA) return "access";
    if (kind == FLAW_BARRIER) return exited ? "exited" : code->insts[pc].kind == X_BARRIER ? "waits" : "elsewhere";
    switch (code->insts[pc].kind) {
    case X_ST:
    case X_STMATRIX: return "write";
    case X_ATOM: return "atomic";
    case X_CP_ASYNC:
    case X_BULK: return "copy";
    case X_WGMMA: return "product";
    case X_MBAR:
    case X_MBAR_TRY:
    case X_MBAR_COPIES: return "mbarrier";
    case X_SHFL:
    case X_VOTE:
    case X_MATCH:
    case X_REDUX:
    case X_ELECT:
    case X_WARP_SYNC: return "executes";
    case X_NOP: return "setmaxnreg";
    default: return "read";
    }
}

static void put_side(const Check *c, const Found *f, int k, FlawSide *s)
{
    Text place = {0}, inst = {0};
    const uint32_t *b = c->launch->block, *g = c->launch->grid, t = f->thread[k];
    uint64_t n = f->block[k];
    exec_place(f->code[k], f->pc[k], &place);
    if (f->pc[k] < f->code[k]->n) ptx_print_inst(f->code[k]->f, &f->code[k]->f->insts.v[f->pc[k]], &inst);
    *s = (FlawSide){.access = mem_text(access_of(f->kind, k && f->exited, f->code[k], f->pc[k])),
                    .place = place.v,
                    .inst = inst.v ? inst.v : mem_text(""),
                    .block = {(uint32_t)(n % g[0]), (uint32_t)(n / g[0] % g[1]), (uint32_t)(n / g[0] / g[1])},
                    .thread = {t % b[0], t / b[0] % b[1], t / b[0] / b[1]}};
}

// A variable of a function has the function's name in front of its own: _ZZ…E, its length, and maybe _ and a number.
static char *shown(const char *name)
{
    for (const char *e = strncmp(name, "_ZZ", 3) ? NULL : strchr(name, 'E'); e; e = strchr(e + 1, 'E')) {
        size_t n = 0, k = 1;
        for (; e[k] >= '0' && e[k] <= '9' && n < 10000; k++) n = n * 10 + (size_t)(e[k] - '0');
        if (!n || n > strlen(e + k) || (e[k + n] && strspn(e + k + n, "_0123456789") != strlen(e + k + n))) continue;
        char *own = mem_text(e + k);
        own[n] = '\0';
        return own;
    }
    return name_shown(name);
}

// The name of what was accessed, and where in it.
static char *structure_of(const Check *c, const Found *f, uint64_t *offset)
{
    const Kernel *k = c->launch->kernel;
    *offset = f->address;
    if (f->space == SP_LOCAL) return f->sym ? shown(f->sym->name) : mem_text("local memory");
    if (f->space == SP_SHARED) {
        for (size_t n = 0; n < k->shared.n; n++) {
            const VarPlace *p = &k->shared.v[n];
            if (f->address < p->at || f->address - p->at >= p->sym->bytes) continue;
            *offset = f->address - p->at;
            return shown(p->sym->name);
        }
        if (f->address < k->static_shared) return mem_text("shared memory");
        *offset = f->address - k->static_shared;
        return mem_text("dynamic shared memory");
    }
    if (f->space == SP_CONST) return mem_text("the module's constants");
    const size_t below = f->kind == FLAW_OVERREAD ? gmem_below(c->gmem, f->address) : 0;
    const Allocation *a = below ? &c->gmem->allocs.v[below - 1] : gmem_find(c->gmem, f->address);
    int16_t prov = f->code[1]->insts[f->pc[1]].prov;
    if (a) *offset = f->address - a->start;
    if (a && a->label) return mem_text(a->label);
    if (prov >= 0) return param_shown(k->f->symbol->name, k->f->params.v[prov]->name);
    return mem_text(a ? gmem_unlabelled(a) : "unnamed memory");
}

static const char *space_text(Space s)
{
    switch (s) {
    case SP_SHARED: return "shared memory";
    case SP_LOCAL: return "local memory";
    case SP_CONST: return "constant memory";
    default: return "global memory";
    }
}

static uint64_t key_of(const Found *f)
{
    uint64_t inst[2] = {0};
    for (int k = f->none; k < 2; k++) inst[k] = (uint64_t)f->code[k]->stat_base + f->pc[k] + 1;
    uint64_t low = MIN(inst[0], inst[1]), high = MAX(inst[0], inst[1]);
    return low << 36 | high << 10 | (uint64_t)f->space << 5 | (uint64_t)f->kind << 1 | 1;
}

void check_found(Check *c, const Found *f)
{
    uint64_t key = key_of(f);
    uint32_t at = (uint32_t)(key * 0x9E3779B97F4A7C15ull >> 52);
    c->found++;
    for (; c->table[at]; at = (at + 1) % COUNT(c->table)) {
        Flaw *there = &c->flaws.v[c->table[at] - 1];
        if (there->key != key) continue;
        there->count++;
        return;
    }
    if (c->flaws.n == MOST) {
        c->limit = "findings beyond the first 1000";
        return;
    }
    Flaw n = {.kind = f->kind, .count = 1, .key = key, .bytes = f->bytes};
    n.cure = f->cure ? f->cure : flaw_cures[f->kind];
    const bool memory =
        f->kind != FLAW_BARRIER && f->kind != FLAW_MASK && f->kind != FLAW_SUMS && f->kind != FLAW_RESIZE;
    if (memory) n.space = space_text(f->space), n.name = structure_of(c, f, &n.offset);
    for (int k = f->none; k < 2; k++) put_side(c, f, k, &n.side[k]);
    vec_push(&c->flaws, n);
    c->table[at] = (uint32_t)c->flaws.n;
}

static char *copy(const char *s) { return s ? mem_text(s) : NULL; }
static bool equal(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool alike(const Flaw *a, const Flaw *b)
{
    if (a->kind != b->kind || !equal(a->space, b->space)) return false;
    for (int k = 0; k < 2; k++)
        if (!equal(a->side[k].access, b->side[k].access) || !equal(a->side[k].place, b->side[k].place) ||
            !equal(a->side[k].inst, b->side[k].inst))
            return false;
    return true;
}

void flaws_add(Flaws *to, const Flaw *f)
{
    for (size_t k = 0; k < to->n; k++)
        if (alike(&to->v[k], f)) {
            to->v[k].count += f->count;
            return;
        }
    Flaw n = *f;
    n.name = copy(f->name);
    for (int k = 0; k < 2; k++) {
        n.side[k].access = copy(f->side[k].access);
        n.side[k].place = copy(f->side[k].place);
        n.side[k].inst = copy(f->side[k].inst);
    }
    vec_push(to, n);
}

void flaws_free(Flaws *all)
{
    for (size_t k = 0; k < all->n; k++) {
        mem_free(all->v[k].name);
        for (int s = 0; s < 2; s++) {
            FlawSide *side = &all->v[k].side[s];
            mem_free(side->access), mem_free(side->place), mem_free(side->inst);
        }
    }
    vec_free(all);
}
