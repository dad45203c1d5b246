// record.c: records of launches: their sums, and their end.
#include "chip/chip.h"

#include <string.h>

void record_free(Record *r)
{
    mem_free(r->kernel);
    mem_free(r->undefined);
    for (int k = 0; k < MAX_STRUCTURES; k++) mem_free(r->structure_name[k]);
    mem_free(r->inst);
    vec_free(&r->samples);
    *r = (Record){0};
}

bool record_alike(const Record *a, const Record *b)
{
    return !strcmp(a->kernel, b->kernel) && a->functional == b->functional;
}

// The place of a data structure in a sum; the last one takes what has no place.
static int place_of(Record *sum, const char *name)
{
    int at = 0;
    while (at < MAX_STRUCTURES - 1 && sum->structure_name[at] && strcmp(sum->structure_name[at], name)) at++;
    if (!sum->structure_name[at]) sum->structure_name[at] = mem_text(name);
    return at;
}

void record_add(Record *sum, const Record *r)
{
    if (!sum->kernel) {  // the first
        sum->kernel = mem_text(r->kernel);
        sum->info = r->info;
        sum->functional = r->functional;
        sum->occupancy_blocks = r->occupancy_blocks, sum->occupancy_warps = r->occupancy_warps;
        sum->occupancy_limit = r->occupancy_limit;
    }
    sum->launches += r->launches;
    sum->partial |= r->partial;
    sum->end += r->end - r->start;
    for (int c = 0; c < C_COUNT; c++) sum->count[c] += r->count[c];
    for (int k = 0; k < MAX_STRUCTURES; k++) {
        const StructStat *f = &r->structure[k];
        if (!(f->loads + f->stores + f->atomics)) continue;
        int at = place_of(sum, r->structure_name[k] ? r->structure_name[k] : "?");
        add_structure(&sum->structure[at], f);
        sum->structure_dram[at] += r->structure_dram[k];
    }
    for (size_t k = 0; k < r->samples.n; k++) vec_push(&sum->samples, r->samples.v[k]);
}
