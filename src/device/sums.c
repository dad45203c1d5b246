// sums.c: a kernel's launches as one. Counters add up; data structures add up by name, since a launch may get as its
// first parameter what the launch before got as its second (ping-pong buffers).
#include "device/device.h"

#include <string.h>

static SumStructure *structure_of(LaunchSum *sum, const char *name)
{
    for (size_t k = 0; k < sum->structures.n; k++)
        if (!strcmp(sum->structures.v[k].name, name)) return &sum->structures.v[k];
    SumStructure s = {.name = name};
    vec_push(&sum->structures, s);
    return &sum->structures.v[sum->structures.n - 1];
}

static void add_structures(LaunchSum *sum, const Record *r)
{
    for (int k = 0; k < MAX_STRUCTURES; k++) {
        const StructStat *f = &r->structure[k];
        if (!(f->loads + f->stores + f->atomics)) continue;
        SumStructure *t = structure_of(sum, r->structure_name[k] ? r->structure_name[k] : "?");
        t->loads += f->loads, t->stores += f->stores, t->atomics += f->atomics;
        t->transactions += f->transactions, t->sectors += f->sectors;
        t->l1_accesses += f->l1_accesses, t->l1_hits += f->l1_hits;
        t->dram_bytes += r->structure_dram[k];
    }
}

static void add(LaunchSum *sum, const Record *r)
{
    sum->launches += r->launches;
    sum->partial |= r->partial;
    sum->seconds += r->end - r->start;
    for (int c = 0; c < C_COUNT; c++) sum->count[c] += r->count[c];
    add_structures(sum, r);
    // Kernels of two modules may have one name: their instructions are others. Of modules that were unloaded, the
    // second's code may even lie where the first's did.
    bool like = sum->inst && r->inst && r->code == sum->first->code && r->insts == sum->first->insts;
    for (uint32_t k = 0; like && k < r->insts; k++) add_inst(&sum->inst[k], &r->inst[k]);
    for (size_t k = 0; k < r->samples.n; k++) vec_push(&sum->samples, r->samples.v[k]);
}

void launches_sum(const oc_device *d, LaunchSums *out)
{
    for (size_t k = 0; d && k < device_entries(d); k++) {
        const Record *r = device_entry(d, k);
        size_t at = 0;
        while (at < out->n && !record_alike(out->v[at].first, r)) at++;
        if (at == out->n) {
            LaunchSum sum = {.first = r, .count = mem_alloc(sizeof *sum.count * C_COUNT)};
            if (r->inst) sum.inst = mem_alloc(sizeof *sum.inst * (r->insts + 1));
            vec_push(out, sum);
        }
        add(&out->v[at], r);
    }
}

void launches_free(LaunchSums *sums)
{
    for (size_t k = 0; k < sums->n; k++) {
        LaunchSum *s = &sums->v[k];
        mem_free(s->count), mem_free(s->inst);
        vec_free(&s->structures), vec_free(&s->samples);
    }
    vec_free(sums);
}
