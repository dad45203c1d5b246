// sums.c: a kernel's launches as one: for the terminal, for the store, and for launches whose own record is forgotten.
// Counters add up. Data structures add up by name, since a launch may get as its first parameter what the launch before
// got as its second (ping-pong buffers).
#include "device/sim.h"

#include <string.h>

static SumStructure *structure_of(LaunchSum *sum, const char *name)
{
    int64_t at;
    if (!map_get(&sum->places, name, strlen(name), &at)) {
        at = (int64_t)sum->structures.n;
        map_put(&sum->places, name, strlen(name), at);
        vec_push(&sum->structures, (SumStructure){.name = mem_text(name)});
    }
    return &sum->structures.v[at];
}

// Two data structures with one name count as one.
static void add_why(LaunchSum *sum, const Record *r)
{
    uint32_t place[MAX_STRUCTURES];
    for (int k = 0; k < MAX_STRUCTURES; k++) {
        const char *name = r->structure_name[k] ? r->structure_name[k] : "?";
        place[k] = (uint32_t)(structure_used(r, k) ? structure_of(sum, name) - sum->structures.v : 0);
    }
    for (int k = 0; k < MAX_STRUCTURES; k++) {
        if (!structure_used(r, k)) continue;
        SumStructure *s = &sum->structures.v[place[k]];
        add_why_stat(&s->why, &r->why->of[k]);
        for (int by = 0; by < MAX_STRUCTURES; by++) {
            if (!r->why->evicted[k][by] || !structure_used(r, by)) continue;
            while (s->evicted.n <= place[by]) vec_push(&s->evicted, 0);
            s->evicted.v[place[by]] += r->why->evicted[k][by];
        }
    }
    memcpy(sum->why.can, r->why->can, sizeof sum->why.can);
    sum->why.l1 = r->why->l1, sum->why.lines = MAX(sum->why.lines, r->why->lines);
}

static void add_to_structure(LaunchSum *sum, const SumStructure *f)
{
    SumStructure *s = structure_of(sum, f->name);
    add_why_stat(&s->why, &f->why);
    for (size_t k = 0; k < f->evicted.n; k++) {
        while (s->evicted.n <= k) vec_push(&s->evicted, 0);
        s->evicted.v[k] += f->evicted.v[k];
    }
    add_structure(&s->stat, &f->stat);
    s->energy.l1 += f->energy.l1, s->energy.dram += f->energy.dram;
    s->dram_bytes += f->dram_bytes;
}

static uint64_t *no_pairs(void) { return mem_alloc(sizeof(uint64_t) * OC_MOST_WARPS * OC_MOST_WARPS); }

// That of the record's kernel; timed launches and others are apart.
static char **copy_names(char *const *names)
{
    char **copy = mem_alloc(sizeof *copy * MAX_STRUCTURES);
    for (int k = 0; k < MAX_STRUCTURES; k++) copy[k] = names[k] ? mem_text(names[k]) : NULL;
    return copy;
}

static LaunchSum *sum_of(LaunchSums *sums, const Record *r)
{
    for (size_t k = 0; k < sums->n; k++)
        if (!strcmp(sums->v[k].kernel, r->kernel) && sums->v[k].functional == r->functional) return &sums->v[k];
    LaunchSum sum = {.kernel = mem_text(r->kernel),
                     .info = r->info,
                     .functional = r->functional,
                     .occupancy_blocks = r->occupancy_blocks,
                     .occupancy_warps = r->occupancy_warps,
                     .occupancy_limit = r->occupancy_limit,
                     .code = r->code,
                     .insts = r->insts};
    if (r->inst) sum.inst = mem_alloc(sizeof *sum.inst * (r->insts + 1)), sum.names = copy_names(r->structure_name);
    vec_push(sums, sum);
    return &sums->v[sums->n - 1];
}

void sums_add(LaunchSums *sums, const Record *r)
{
    LaunchSum *sum = sum_of(sums, r);
    sum->launches += r->launches;
    sum->partial |= r->partial;
    sum->seconds += r->end - r->start;
    sum->sm_most += r->sm_most, sum->sm_least += r->sm_least;
    for (int c = 0; c < C_COUNT; c++) sum->count[c] += r->count[c];
    for (int c = 0; c < OWN_COUNTERS; c++) sum->own[c] += r->own[c];
    for (int k = 0; k < MAX_STRUCTURES; k++) {
        SumStructure f = {.name = r->structure_name[k] ? r->structure_name[k] : "?",
                          .stat = r->structure[k],
                          .energy = r->structure_energy[k],
                          .dram_bytes = r->structure_dram[k]};
        if (structure_used(r, k)) add_to_structure(sum, &f);
    }
    if (r->why) add_why(sum, r);
    sum->checked |= r->checked;
    sum->overreads += r->overreads;
    if (r->overread && !sum->overread) sum->overread = mem_text(r->overread);
    if (r->unchecked) sum->unchecked = r->unchecked;
    for (size_t k = 0; k < r->flaws.n; k++) flaws_add(&sum->flaws, &r->flaws.v[k]);
    // Kernels of two modules may have one name: their instructions are others. Of modules that were unloaded, the
    // second's code may even lie where the first's did.
    bool like = sum->inst && r->inst && r->code == sum->code && r->insts == sum->insts;
    for (uint32_t k = 0; like && k < r->insts; k++) add_inst(&sum->inst[k], &r->inst[k]);
    for (size_t k = 0; k < r->samples.n; k++) vec_push(&sum->samples, r->samples.v[k]);
    sampled_add(&sum->sampled, r->sampled);
    if (r->pairs.n && !sum->pairs) sum->pairs = no_pairs();
    for (size_t k = 0; k < r->pairs.n; k++)
        sum->pairs[r->pairs.v[k].warp * OC_MOST_WARPS + r->pairs.v[k].by] += r->pairs.v[k].misses;
}

void sums_copy(LaunchSums *to, const LaunchSums *from)
{
    for (size_t k = 0; k < from->n; k++) {
        const LaunchSum *f = &from->v[k];
        LaunchSum sum = *f;
        sum.kernel = mem_text(f->kernel);
        sum.overread = f->overread ? mem_text(f->overread) : NULL;
        memset(&sum.places, 0, sizeof sum.places);
        memset(&sum.structures, 0, sizeof sum.structures);
        memset(&sum.samples, 0, sizeof sum.samples);
        memset(&sum.flaws, 0, sizeof sum.flaws);
        for (size_t n = 0; n < f->flaws.n; n++) flaws_add(&sum.flaws, &f->flaws.v[n]);
        for (size_t s = 0; s < f->structures.n; s++) add_to_structure(&sum, &f->structures.v[s]);
        if (f->inst)
            sum.inst = memcpy(mem_alloc(sizeof *f->inst * (f->insts + 1)), f->inst, sizeof *f->inst * f->insts);
        for (size_t n = 0; n < f->samples.n; n++) vec_push(&sum.samples, f->samples.v[n]);
        if (f->names) sum.names = copy_names(f->names);
        sum.sampled = NULL;
        sampled_add(&sum.sampled, f->sampled);
        if (f->pairs) sum.pairs = memcpy(no_pairs(), f->pairs, sizeof *f->pairs * OC_MOST_WARPS * OC_MOST_WARPS);
        vec_push(to, sum);
    }
}

void sums_free(LaunchSums *sums)
{
    for (size_t k = 0; k < sums->n; k++) {
        LaunchSum *s = &sums->v[k];
        for (size_t n = 0; n < s->structures.n; n++)
            mem_free(s->structures.v[n].name), vec_free(&s->structures.v[n].evicted);
        for (int n = 0; s->names && n < MAX_STRUCTURES; n++) mem_free(s->names[n]);
        mem_free(s->kernel), mem_free(s->overread), mem_free(s->inst), mem_free(s->pairs), mem_free(s->names),
            mem_free(s->sampled);
        map_free(&s->places);
        vec_free(&s->structures), vec_free(&s->samples);
        flaws_free(&s->flaws);
    }
    vec_free(sums);
}

void sums_interference(const LaunchSums *sums, Interference *out)
{
    *out = (Interference){0};
    for (size_t k = 0; k < sums->n; k++)
        for (uint32_t p = 0; p < OC_MOST_WARPS * OC_MOST_WARPS && sums->v[k].pairs; p++) {
            uint32_t warp = p / OC_MOST_WARPS, by = p % OC_MOST_WARPS;
            out->misses[warp][by] += sums->v[k].pairs[p];
            if (sums->v[k].pairs[p]) out->slots = MAX(out->slots, MAX(warp, by) + 1);
        }
    out->least = out->slots > 1 ? UINT64_MAX : 0;
    for (uint32_t warp = 0; warp < out->slots; warp++)
        for (uint32_t by = 0; by < out->slots; by++)
            if (warp != by)
                out->least = MIN(out->least, out->misses[warp][by]), out->most = MAX(out->most, out->misses[warp][by]);
}
