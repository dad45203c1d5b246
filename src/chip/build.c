// build.c: a chip's SMs and partitions. Each is built when a launch uses it for the first time. A channel of DRAM takes
// part in a launch from the first packet to one of its partitions on. Invariant: while an SM and a partition both take
// part, the tables have the wires between them; else they have `nothing`.
#include "chip/unit.h"

#include <string.h>

// What all launches need. False: the host has no memory for it, since a description that was read can be built
// (derive.c).
static bool build(Chip *c)
{
    const Gpu *gpu = &c->gpu;
    const char *why = NULL;
    uint32_t sms = gpu->sms, parts = gpu->part.partitions;
    c->sms = mem_map(sms, sizeof *c->sms);
    c->parts = mem_map(parts, sizeof *c->parts);
    c->to_part = mem_map((size_t)sms * parts, sizeof *c->to_part);
    c->from_part = mem_map((size_t)sms * parts, sizeof *c->from_part);
    c->credit = mem_map((size_t)sms * parts, sizeof *c->credit);
    if (!c->sms || !c->parts || !c->to_part || !c->from_part || !c->credit) return false;
    c->parts[0].cfg = gpu->part;  // what all of them have, for who asks before it is built
    c->channels = parts / gpu->part.slices;
    c->envs = mem_alloc(sizeof *c->envs * sms);
    c->late = mem_alloc(sizeof *c->late * sms);
    c->built.v = mem_alloc(sizeof *c->built.v * c->channels);
    c->awake.v = mem_alloc(sizeof *c->awake.v * c->channels);
    c->stage = mem_alloc(c->channels);
    if (gpu->part.ordered && !crossbar_open(&c->crossbar, &gpu->part, gpu->sm.bytes_in)) return false;
    if (!mmu_open(&c->mmu, &gpu->sm.tlb, &gpu->tlb2, gpu->dram_latency + gpu->tlb2.penalty + gpu->tlb2.far, &why))
        return false;
    c->crew = crew_open(MIN(c->threads, sms + parts));
    return true;
}

// The first so many SMs, with storage shared out so. False: as build.
bool chip_build_sms(Chip *c, uint32_t n, const SmCfg *cfg)
{
    const char *why = NULL;
    const uint32_t parts = c->gpu.part.partitions;
    for (; c->opened < n; c->opened++) {
        const uint32_t s = c->opened;
        Sm *sm = &c->sms[s];
        if (!sm_open(sm, cfg, &c->gpu.part, s, c->gpu.sms, s ? &c->sms[0] : NULL, &why)) return sm_close(sm), false;
        c->envs[s] = &sm->env;
        sm->env.gmem = c->gmem;
        sm->env.ns_per_clock = 1e3 / c->gpu.core_mhz;
        c->late[s] = links_late(sm);
        for (uint32_t p = 0; p < parts; p++) {
            c->from_part[s * parts + p] = c->gpu.part.ordered && !p ? &c->crossbar.wire[s] : &c->nothing;
            c->credit[s * parts + p] = &c->nothing;
        }
    }
    return true;
}

// False: as build.
static bool build_channel(Chip *c, uint32_t channel)
{
    const char *why = NULL;
    if (c->stage[channel]) return true;
    Partition *before = NULL;
    const Partition *like = c->built.n ? &c->parts[c->built.v[0]] : NULL;
    c->stage[channel] = CHANNEL_BUILT;
    c->built.v[c->built.n++] = channel;
    for (uint32_t p = channel; p < c->gpu.part.partitions; before = &c->parts[p], p += c->channels)
        if (!partition_open(&c->parts[p], &c->gpu.part, p, before, like ? like : before, &why)) return false;
    return true;
}

// From now on the channel takes part in the launch. False: as build.
static bool wake_channel(Chip *c, uint32_t channel)
{
    const uint32_t sms = c->gpu.sms, parts = c->gpu.part.partitions;
    if (!build_channel(c, channel)) return false;
    c->stage[channel] = CHANNEL_AWAKE;
    c->awake.v[c->awake.n++] = channel;
    for (Partition *p = &c->parts[channel]; p; p = p->next_slice) {
        partition_begin(p, c->used);
        p->due = NEVER;  // but for what comes now
        p->from = c->to_part + (size_t)p->index * sms;
        for (uint32_t s = 0; s < c->used; s++) {
            c->to_part[p->index * sms + s] = links_wire(&c->sms[s], p->index);
            if (!c->gpu.part.ordered) c->from_part[s * parts + p->index] = &p->reply[s];
            c->credit[s * parts + p->index] = &p->credit[s];
        }
    }
    return true;
}

// Wakes the channels of the partitions that SMs sent something to for the first time. False: as build.
bool chip_wake_asked(Chip *c)
{
    for (uint32_t s = 0; s < c->used; s++) {
        Links *l = &c->sms[s].links;
        if (!l->asks) continue;
        l->asks = false;
        for (uint32_t p = 0; p < c->gpu.part.partitions; p++)
            if (l->asked[p] && c->stage[p % c->channels] < CHANNEL_AWAKE && !wake_channel(c, p % c->channels))
                return false;
    }
    return true;
}

// Before a launch: all channels sleep, and what they sent in the one before and nobody took is lost. Or all are awake:
// where replies keep their order the crossbar looks at all partitions, and what of a sampled launch isn't timed warms
// them.
bool chip_put_to_sleep(Chip *c, bool all_awake)
{
    const uint32_t parts = c->gpu.part.partitions;
    EACH_AWAKE(c, p)
    for (uint32_t s = 0; s < p->sms; s++) {
        if (!c->gpu.part.ordered) c->from_part[s * parts + p->index] = &c->nothing;
        c->credit[s * parts + p->index] = &c->nothing;
    }
    for (uint32_t k = 0; k < c->awake.n; k++) c->stage[c->awake.v[k]] = CHANNEL_BUILT;
    c->awake.n = 0;
    for (uint32_t k = 0; k < c->channels && all_awake; k++)
        if (!wake_channel(c, k)) return false;
    return true;
}

void chip_open(Chip *c, const Gpu *gpu, Gmem *gmem, uint32_t threads)
{
    *c = (Chip){.gpu = *gpu, .gmem = gmem, .threads = threads};
}

void chip_close(Chip *c)
{
    crew_close(c->crew);
    chip_spare(c);
    repeats_close(c->repeats);
    const uint32_t sms = c->gpu.sms, parts = c->gpu.part.partitions;
    while (c->opened) sm_close(&c->sms[--c->opened]);  // the first one last: the others share its tables
    for (uint32_t k = 0; k < c->built.n; k++)
        for (uint32_t p = c->built.v[k]; p < parts; p += c->channels) partition_close(&c->parts[p]);
    mem_unmap(c->sms, sms, sizeof *c->sms), mem_unmap(c->parts, parts, sizeof *c->parts);
    mem_unmap(c->to_part, (size_t)sms * parts, sizeof *c->to_part);
    mem_unmap(c->from_part, (size_t)sms * parts, sizeof *c->from_part);
    mem_unmap(c->credit, (size_t)sms * parts, sizeof *c->credit);
    mmu_close(&c->mmu);
    crossbar_close(&c->crossbar);
    mem_free(c->envs), mem_free(c->late), mem_free(c->built.v), mem_free(c->awake.v), mem_free(c->stage);
    *c = (Chip){0};
}

void chip_spare(Chip *c)
{
    for (uint32_t s = 0; s < c->opened; s++) sm_spare(&c->sms[s]);
    for (uint32_t k = 0; k < c->idle; k++) exec_cta_free(c->ctas.v[k]), mem_free(c->ctas.v[k]);
    vec_free(&c->ctas);
    c->idle = 0;
}

// After a fault or a limit the chip must be as new: what is under way is dropped, and the next launch builds it anew.
void chip_reset(Chip *c)
{
    Gpu gpu = c->gpu;
    Gmem *gmem = c->gmem;
    uint64_t ns = c->clock_ns, launches = c->launches;
    Division division = c->division;
    uint32_t threads = c->threads;
    Check *check = c->check;
    struct Repeats *repeats = c->repeats;
    bool simulate_all = c->simulate_all;
    uint64_t version = c->version;
    c->repeats = NULL;
    chip_close(c);
    chip_open(c, &gpu, gmem, threads);
    c->check = check;
    c->repeats = repeats, c->simulate_all = simulate_all, c->version = version + 1;
    c->clock_ns = ns;
    c->launches = launches;
    c->division = division;
}

// What the first launch needs. False: the host has no memory for them.
bool chip_built(Chip *c, Text *message)
{
    if (c->sms) return true;
    if (!chip_affords(&c->gpu, message)) return false;
    if (build(c)) return true;
    chip_reset(c);
    return text_put(message, mem_none), false;
}

void chip_copied(Chip *c, uint64_t address, uint64_t bytes)
{
    const PartitionCfg *cfg = &c->gpu.part;
    if (!cfg->copies || cfg->absent || !cfg->l2.keep || !bytes) return;
    Text unsaid = {0};  // the launch will say it
    bool built = chip_built(c, &unsaid);
    text_free(&unsaid);
    if (!built) return;
    c->version++;
    uint64_t piece = MIN(cfg->l2.line, cfg->chunk), to = address + bytes, next, local;
    for (uint64_t at = address; at < to; at = next) {
        next = MIN((at | (piece - 1)) + 1, to);
        uint32_t part = partition_of(cfg, at, &local);
        if (!build_channel(c, part % c->channels)) return chip_reset(c);
        partition_copied(&c->parts[part], local, (uint32_t)(next - at));
    }
}
