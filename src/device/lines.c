// lines.c: what a kernel's instructions did, by lines of its source.
#include "device/device.h"
#include "exec/code.h"

#include <stdlib.h>
#include <string.h>

static uint64_t heat(const InstStat *s) { return s->stalls + s->queued + s->issued; }

static int by_place(const LineStat *x, const LineStat *y)
{
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    int order = strcmp(x->file, y->file);
    if (!order && x->at_line != y->at_line) order = x->at_line < y->at_line ? -1 : 1;
    if (!order && x->at_file) order = strcmp(x->at_file, y->at_file);
    return order;
}

static int by_heat(const void *a, const void *b)
{
    const LineStat *x = a, *y = b;
    uint64_t p = heat(&x->stat), q = heat(&y->stat);
    return p != q ? (p < q ? 1 : -1) : by_place(x, y);
}

// The place of an instruction: the line of its .loc, or that of the PTX where there is none or the compiler gave it no
// line.
LineStat inst_place(const Module *m, const Inst *i)
{
    const Loc *loc = i->loc ? &m->locs.v[i->loc - 1] : NULL;
    const char *file = loc && loc->line ? file_named(m, loc->file) : NULL, *at = NULL;
    if (file) {
        if (loc->at_line) at = file_named(m, loc->at_file);
        return (LineStat){.file = file, .line = loc->line, .at_file = at, .at_line = at ? loc->at_line : 0};
    }
    SourcePlace place = source_place(&m->source, i->at);
    return (LineStat){.file = place.name, .line = (uint32_t)place.line};
}

static bool same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static void add_line(LineStats *out, const LineStat *l, const InstStat *s)
{
    size_t k = 0;
    while (k < out->n && (by_place(&out->v[k], l) || !same(out->v[k].array, l->array) || out->v[k].what != l->what))
        k++;
    if (k == out->n) vec_push(out, *l);
    add_inst(&out->v[k].stat, s);
}

void lines_of(const Kernel *kernel, const InstStat *inst, LineStats *out)
{
    for (size_t c = 0; kernel && inst && c < kernel->codes.n; c++) {
        const Code *code = kernel->codes.v[c];
        for (uint32_t i = 0; i < code->n; i++) {
            const InstStat *s = &inst[code->stat_base + i];
            LineStat l = inst_place(code->f->module, &code->f->insts.v[i]);
            if (s->issued) add_line(out, &l, s);
        }
    }
    if (out->n) qsort(out->v, out->n, sizeof *out->v, by_heat);
}

void insts_of(const Kernel *kernel, const InstStat *inst, InstFn *fn, void *user)
{
    for (size_t c = 0; kernel && inst && c < kernel->codes.n; c++) {
        const Code *code = kernel->codes.v[c];
        for (uint32_t i = 0; i < code->n; i++) {
            const InstStat *s = &inst[code->stat_base + i];
            if (!s->issued) continue;
            LineStat l = inst_place(code->f->module, &code->f->insts.v[i]);
            l.stat = *s;
            fn(user, &l, code->f, &code->f->insts.v[i]);
        }
    }
}

void own_lines_of(const Kernel *kernel, const InstStat *inst, LineStats *out)
{
    LineStats all = {0};
    lines_of(kernel, inst, &all);
    for (size_t k = 0; k < all.n; k++) {
        const LineStat *l = &all.v[k];
        LineStat own = {.file = l->at_file ? l->at_file : l->file, .line = l->at_file ? l->at_line : l->line};
        add_line(out, &own, &l->stat);
    }
    if (out->n) qsort(out->v, out->n, sizeof *out->v, by_heat);
    vec_free(&all);
}

// What an instruction does with memory; null: nothing, or with parameters and constants only.
static const char *access_of(const Dinst *d)
{
    switch (d->kind) {
    case X_LD: return d->space == SP_PARAM || d->space == SP_CONST ? NULL : "load";
    case X_LDMATRIX: return "load";
    case X_STMATRIX: return "store";
    case X_TEX: return "texture fetch";
    case X_CP_ASYNC: return "copy to shared memory";
    case X_BULK: return "copy in bulk";
    case X_PREFETCH: return "prefetch";
    case X_ST: return d->space == SP_PARAM ? NULL : "store";
    case X_ATOM: return "atomic";
    default: return NULL;
    }
}

static const char *array_of(const Dinst *d, char *const *names)
{
    if (d->space == SP_SHARED) return "shared memory";
    if (d->space == SP_LOCAL) return "local memory";
    return d->prov >= 0 && d->prov < MAX_STRUCTURES - 2 ? names[d->prov + 1] : NULL;
}

static int in_order(const void *a, const void *b)
{
    const LineStat *x = a, *y = b;
    int order = by_place(x, y);
    if (!order) order = strcmp(x->array ? x->array : "", y->array ? y->array : "");
    return order ? order : strcmp(x->what, y->what);
}

void accesses_of(const Kernel *kernel, const InstStat *inst, char *const *names, LineStats *out)
{
    for (size_t c = 0; kernel && inst && names && c < kernel->codes.n; c++) {
        const Code *code = kernel->codes.v[c];
        for (uint32_t i = 0; i < code->n; i++) {
            const InstStat *s = &inst[code->stat_base + i];
            const Dinst *d = &code->insts[i];
            LineStat l = inst_place(code->f->module, &code->f->insts.v[i]);
            l.what = access_of(d), l.array = array_of(d, names);
            if (s->issued && l.what) add_line(out, &l, s);
        }
    }
    if (out->n) qsort(out->v, out->n, sizeof *out->v, in_order);
}
