// lines.c: what a kernel's instructions did, by lines of its source.
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

static int by_heat(const void *a, const void *b)
{
    const LineStat *x = a, *y = b;
    uint64_t p = x->stat.stalls + x->stat.issued, q = y->stat.stalls + y->stat.issued;
    if (p != q) return p < q ? 1 : -1;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return strcmp(x->file, y->file);
}

// The place of an instruction: the line of its .loc, or that of the PTX where there is none or the compiler gave it no
// line.
static LineStat place_of(const Module *m, const Inst *i)
{
    const Loc *loc = i->loc ? &m->locs.v[i->loc - 1] : NULL;
    if (loc && loc->line)
        for (size_t k = 0; k < m->files.n; k++)
            if (m->files.v[k].index == loc->file) return (LineStat){.file = m->files.v[k].name, .line = loc->line};
    SourcePlace place = source_place(&m->source, i->at);
    return (LineStat){.file = place.name, .line = (uint32_t)place.line};
}

void lines_of(const Kernel *kernel, const InstStat *inst, LineStats *out)
{
    for (size_t c = 0; kernel && inst && c < kernel->codes.n; c++) {
        const Code *code = kernel->codes.v[c];
        for (uint32_t i = 0; i < code->n; i++) {
            const InstStat *s = &inst[code->stat_base + i];
            if (!s->issued) continue;
            LineStat l = place_of(code->f->module, &code->f->insts.v[i]);
            size_t k = 0;
            while (k < out->n && (out->v[k].line != l.line || strcmp(out->v[k].file, l.file))) k++;
            if (k == out->n) vec_push(out, l);
            add_inst(&out->v[k].stat, s);
        }
    }
    if (out->n) qsort(out->v, out->n, sizeof *out->v, by_heat);
}
