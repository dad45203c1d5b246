// bound.c: how much a part may do. Loads of chases and threads of other kernels are counted before they run. What would
// exceed the bound isn't run, and the part says what isn't known for that. The parts footprint, shared and ops make the
// same launches on every GPU, and need no bound.
// Invariant: a run that was refused adds nothing, so smaller ones can still be made.
#include "probe/infer.h"

const char bound_why[] = "it would take more loads than a part may make";

bool bound_take(Bound *b, uint64_t n)
{
    if (!b || !b->most) return true;
    if (n > b->most - MIN(b->done, b->most)) return b->spent = true, false;
    b->done += n;
    return true;
}

bool bound_asks(Bound *b)
{
    if (!b || !b->most || b->done <= b->most / 4 * 3) return true;
    return b->spent = true, false;
}

// --- what isn't known ------------------------------------------------------------------------------------------------
typedef struct Named {
    const char *name;  // null: another value's name says it, too
    Value *value;
} Named;

static void put_name(Text *out, const char *name) { text_printf(out, "%s%s", out->n ? ", " : "", name); }

// A value that was to be measured after the refused run has no verdict yet.
static void name_values(const Named *all, size_t n, Text *out)
{
    for (size_t k = 0; k < n; k++) {
        Value *v = all[k].value;
        if (v->verdict == ABSENT && !v->why) *v = undetermined(bound_why);
        if (v->verdict == UNDETERMINED && v->why == bound_why && all[k].name) put_name(out, all[k].name);
    }
}

static const char misses[] = "misses by the size of an array";

static void name_cache(Found *f, const MissCurve *curve, Text *out)
{
    const Named all[] = {{"size", &f->size},   {NULL, &f->entries}, {"line", &f->line},
                         {"fill", &f->fill},   {"sets", &f->sets},  {"index", &f->index},
                         {"policy", &f->rule}, {"hit", &f->low},    {"miss", &f->high}};
    name_values(all, COUNT(all), out);
    if (f->weight[0].verdict == MEASURED && f->again.verdict == ABSENT) put_name(out, "whether draws are independent");
    if (f->size.verdict == MEASURED && !curve->n) put_name(out, misses);
}

// Halves are absent where all hits take the same time.
static void name_l2(FoundL2 *f, Text *out)
{
    const Named all[] = {
        {"size", &f->size}, {"line", &f->line}, {"fill", &f->fill}, {"hit", &f->hit}, {"miss", &f->miss}};
    name_values(all, COUNT(all), out);
    if (f->near.why == bound_why) put_name(out, "hits in a nearer and a farther half");
}

static void name_tlbs(Probe *p, Text *out)
{
    FoundTlbs *t = &p->tlbs;
    Found *a = &t->level[0], *b = &t->level[1];
    const Named all[] = {{"page", &t->page},        {"l1_tlb size", &a->size},   {NULL, &a->entries},
                         {"l1_tlb sets", &a->sets}, {"l1_tlb index", &a->index}, {"l1_tlb policy", &a->rule},
                         {"l1_tlb miss", &t->late}, {"l2_tlb size", &b->size},   {NULL, &b->entries},
                         {"l2_tlb sets", &b->sets}, {"l2_tlb index", &b->index}, {"l2_tlb policy", &b->rule},
                         {"l2_tlb miss", &t->walk}, {"window", &p->window},      {NULL, &p->switching}};
    name_values(all, COUNT(all), out);
    bool lacks = false;
    for (int k = 0; k < 2; k++)
        lacks |=
            t->level[k].size.verdict == MEASURED && (k ? t->walk : t->late).verdict == MEASURED && !p->tlb_misses[k].n;
    if (lacks) put_name(out, misses);
}

void bound_names(Probe *p, Part part, Text *out)
{
    if (part <= PART_LOCAL) name_cache(&p->cache[part], &p->misses[part], out);
    switch (part) {
    case PART_L2: name_l2(&p->l2, out); break;
    case PART_TLB: name_tlbs(p, out); break;
    case PART_SPECTRUM: put_name(out, "the kinds of load that are missing"); break;
    case PART_THROUGHPUT: put_name(out, "the curves that are missing"); break;
    case PART_HITS: put_name(out, "the points that are missing"); break;
    default: break;
    }
}
