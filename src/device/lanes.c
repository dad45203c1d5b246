// lanes.c: where the lanes of a warp access memory: the first time that an instruction does. Launches are executed
// without time for that, since where an access lies depends on no time.
#include "device/sim.h"
#include "names/names.h"

#include <string.h>

struct LaneWatch {
    Sim *d;
    const Kernel *kernel;  // of the launch; null: it was launched before
    uint8_t *seen;         // of its instructions, by their number: 1, it has accessed memory
    VEC(char *) done;      // names of the kernels that were launched
    VEC(LaneAccess) all;
    uint64_t left;
    Cache l1;
    bool cached;  // there is an L1
};

void device_lanes(oc_device *base)
{
    Sim *d = sim_of(base);
    if (d->lanes) return;
    const char *why;
    d->lanes = mem_alloc(sizeof *d->lanes);
    *d->lanes = (LaneWatch){.d = d};
    d->lanes->cached = d->gpu.sm.l1.size && cache_open(&d->lanes->l1, &d->gpu.sm.l1, 0, &why);
}

size_t device_lane_accesses(const oc_device *base, const LaneAccess **all, uint64_t *left)
{
    const LaneWatch *l = sim_of(base)->lanes;
    *all = l ? l->all.v : NULL;
    *left = l ? l->left : 0;
    return l ? l->all.n : 0;
}

void lanes_close(LaneWatch *l)
{
    if (!l) return;
    for (size_t k = 0; k < l->all.n; k++)
        mem_free(l->all.v[k].kernel), mem_free(l->all.v[k].array), mem_free(l->all.v[k].file);
    vec_free(&l->all);
    for (size_t k = 0; k < l->done.n; k++) mem_free(l->done.v[k]);
    vec_free(&l->done);
    mem_free(l->seen);
    if (l->cached) cache_close(&l->l1);
    mem_free(l);
}

void lanes_begin(Sim *d, const Kernel *k)
{
    LaneWatch *l = d->lanes;
    l->kernel = NULL;
    for (size_t n = 0; n < l->done.n; n++)
        if (!strcmp(l->done.v[n], k->f->symbol->name)) return;
    l->kernel = k;
    vec_push(&l->done, mem_text(k->f->symbol->name));
    mem_free(l->seen);
    l->seen = mem_alloc(k->insts);
    memset(l->seen, 0, k->insts);
}

// Its place in the source, and what it is.
static void name_access(const LaneWatch *l, const Step *s, LaneAccess *a)
{
    for (size_t c = 0; c < l->kernel->codes.n; c++) {
        const Code *code = l->kernel->codes.v[c];
        if (s->stat < code->stat_base || s->stat >= code->stat_base + code->n) continue;
        const LineStat at = inst_place(code->f->module, &code->f->insts.v[s->stat - code->stat_base]);
        a->file = at.file ? mem_text(at.file) : NULL;
        a->line = at.line;
    }
    a->kernel = name_shown(l->kernel->f->symbol->name);
    a->what = s->d->kind == X_LD ? "load" : s->d->kind == X_ST ? "store" : "atomic";
}

static void place_access(LaneWatch *l, const Step *s, LaneAccess *a)
{
    const SmCfg *cfg = &l->d->gpu.sm;
    const bool shared = s->space == SP_SHARED;
    const Allocation *in = shared ? NULL : gmem_find(&l->d->memory, s->addr[__builtin_ctz(a->mask)]);
    a->row = shared ? cfg->banks.banks * cfg->banks.width : cfg->l1.line;
    a->unit = shared ? cfg->banks.width : cfg->l1.sector;
    if (!shared) a->array = mem_text(in && in->label ? in->label : "unnamed memory");
    a->start = in ? in->start : 0;
    a->sets = !shared && l->cached && s->d->kind != X_ATOM ? l->l1.sets : 0;
    for (int n = 0; n < LANES; n++) {
        if (!(a->mask >> n & 1)) continue;
        a->addr[n] = s->addr[n];
        if (a->sets) a->set[n] = cache_set(&l->l1, s->addr[n]);
    }
    if (shared) a->passes = bank_passes(&cfg->banks, s->addr, a->mask, a->bytes);
}

void lanes_take(void *user, const Step *s)
{
    LaneWatch *l = user;
    const uint8_t kind = s->d->kind;
    if (!l->kernel || (kind != X_LD && kind != X_ST && kind != X_ATOM) || !s->mask) return;
    if ((s->space != SP_GLOBAL && s->space != SP_SHARED) || l->seen[s->stat]) return;
    l->seen[s->stat] = 1;
    if (l->all.n == MOST_LANE_ACCESSES) {
        l->left++;
        return;
    }
    LaneAccess a = {.mask = s->mask, .bytes = s->bytes};
    name_access(l, s, &a);
    place_access(l, s, &a);
    vec_push(&l->all, a);
}
