// derive.c: what follows from a description's values: slices and channels from the whole, the links' latencies from
// those of a load. Invariant: a GPU that passed can be built, but for the host's memory.
#include "gpu/unit.h"
#include "ptx/ir.h"
#include "sm/sm.h"

bool gpu_refuse(Diag *diag, const char *section, const char *why)
{
    diag->memory |= why == mem_none;
    return diag_error(diag, "GPU description: %s: %s", section, why);
}

static bool check_cache(const char *section, const CacheCfg *cfg, Diag *diag)
{
    const char *why;
    return cache_check(cfg, &why) || gpu_refuse(diag, section, why);
}

static bool check_dram(const PartitionCfg *p, Diag *diag)
{
    const DramCfg *d = &p->dram;
    if (p->partitions % p->slices)
        return diag_error(diag, "GPU description: l2.partitions must be a multiple of dram.slices (%u)", p->slices);
    if (d->bank_bit_count && d->banks != 1ull << d->bank_bit_count)
        return diag_error(diag, "GPU description: dram.bank_bits numbers %llu banks, and dram.banks is %u",
                          1ull << d->bank_bit_count, d->banks);
    uint32_t reads = d->request ? (MAX(p->l2.fill, SEGMENT) + d->request - 1) / d->request : 1;
    if (d->request % SECTOR || d->queue < reads + 2)
        return diag_error(diag,
                          "GPU description: dram.request must be a multiple of %u bytes, and dram.queue have room for "
                          "what a miss reads with it and two stores: %u requests",
                          SECTOR, reads + 2);
    return true;
}

// Without an L2 a partition still tracks its misses: in lines that hold nothing once they are answered.
static void leave_out_l2(PartitionCfg *p)
{
    CacheCfg *c = &p->l2;
    *c = (CacheCfg){.line = SEGMENT,
                    .sector = SECTOR,
                    .fill = SECTOR,
                    .ways = 32,
                    .index = INDEX_XOR,
                    .replacement = c->replacement,
                    .latency = c->latency,
                    .mshrs = c->mshrs,
                    .merges = c->merges};
    c->size = (uint64_t)c->ways * 256 * c->line * p->partitions;
    p->absent = true;
}

static bool derive_partition(Gpu *g, Diag *diag)
{
    PartitionCfg *p = &g->part;
    p->sms = g->sms;
    if (p->chunk & (p->chunk - 1)) return diag_error(diag, "GPU description: l2.chunk must be a power of two");
    const char *why;
    partition_prepare(p);
    if (!partition_check(p, &why)) return gpu_refuse(diag, "l2", why);
    if (!p->l2.size) leave_out_l2(p);
    if (p->l2.size % p->partitions)
        return diag_error(diag, "GPU description: l2.size must be a multiple of l2.partitions");
    p->l2.size /= p->partitions;
    if (p->far && p->partitions % 2)
        return diag_error(diag, "GPU description: l2.far needs halves of the L2: an even number of l2.partitions");
    if (!check_dram(p, diag)) return false;
    p->dram.bytes_per_cycle = g->dram_gbs * 1e3 / g->core_mhz / p->partitions * p->slices;
    p->dram.clock_ratio = g->dram_mhz / g->core_mhz;
    p->page = g->tlb2.page, p->walk = g->tlb2.penalty, p->walk_far = g->tlb2.far;
    return true;
}

static bool check_caches(const Gpu *g, Diag *diag)
{
    if (!check_cache("l1", &g->sm.l1, diag) || !check_cache("readonly", &g->sm.ro, diag) ||
        !check_cache("const", &g->sm.cst, diag) || !check_cache("l2 (one slice)", &g->part.l2, diag))
        return false;
    const TlbCfg *tlbs[] = {&g->sm.tlb, &g->tlb2};
    for (int k = 0; k < 2; k++) {
        const char *why;
        if (!tlb_check(tlbs[k], &why)) return gpu_refuse(diag, k ? "tlb2" : "tlb1", why);
    }
    if (g->tlb2.entries && !g->sm.tlb.entries)
        return diag_error(diag, "GPU description: an L2 TLB needs L1 TLBs (tlb1.entries)");
    return true;
}

static bool check_sm(const Gpu *g, Diag *diag)
{
    const SmCfg *s = &g->sm;
    for (uint32_t k = 0; s->storage == STORAGE_CARVED && k < MAX(s->carveout_count, 1u); k++)
        if (!s->carveout_count || s->carveouts[k] * 1024ull + s->l1.line * s->l1.ways > s->storage_size)
            return diag_error(
                diag, "GPU description: storage.carveouts must be sizes that leave an L1 something of storage.size");
    const char *list = s->preferred;
    char name[sizeof s->preferred];
    uint32_t kib;
    while (sm_preference(&list, name, &kib)) continue;
    if (*list)
        return diag_error(diag,
                          "GPU description: storage.kernels has names of kernels with KiB, as in scale:8,axpy:100, and "
                          "not '%s'",
                          list);
    if (s->storage != STORAGE_PARTITIONED && s->l1.set_count)
        return diag_error(
            diag, "GPU description: l1.sets settle the L1's size, and with storage.kind each launch chooses it: "
                  "give l1.ways instead");
    const BankCfg *bank = &s->banks;
    if ((bank->width != 4 && bank->width != 8) || (bank->mode != 4 && bank->mode != 8) || bank->mode > bank->width)
        return diag_error(diag,
                          "GPU description: shared.width and shared.mode are 4 or 8, and the mode at most the width");
    if (s->hierarchy == HIERARCHY_STRANDS && s->lrf > 1)
        return diag_error(diag, "GPU description: registers.lrf is 0 or 1 where registers.hierarchy is strands");
    if (s->storage == STORAGE_UNIFIED && s->reg_banks && s->reg_banks != CLUSTER_WAYS)
        return diag_error(diag,
                          "GPU description: unified storage has %d banks in a cluster: registers.banks is that or 0",
                          CLUSTER_WAYS);
    // The most packets that must leave at once: the fill of a line, the line it replaces, and a store that allocates.
    bool store_besides = s->l1.write_allocate && !s->l1.write_back;
    uint32_t least_credits = store_besides + 2 * MAX(MAX(s->l1.line, MAX(s->ro.line, s->cst.line)) / SEGMENT, 1u);
    if (g->part.credits < least_credits)
        return diag_error(diag, "GPU description: link.credits must be at least %u with these lines", least_credits);
    if (s->max_warps > 64 * s->schedulers) return diag_error(diag, "GPU description: at most 64 warps per scheduler");
    return true;
}

// 1/256 cycles from the column command of a read to its last byte: of the first read and the last burst, where it takes
// several.
static uint64_t transfer_time(const DramCfg *d, uint32_t bytes)
{
    uint32_t cost = link_cost(d->bytes_per_cycle), each = d->request ? MIN(d->request, bytes) : bytes;
    if (d->simple) return link_time(cost, bytes);
    uint32_t bursts = d->burst ? bytes / each * ((each + d->burst - 1) / d->burst) : bytes / each;
    uint64_t bus = link_time(cost, d->burst ? bursts * d->burst : bytes),
             cycle = (uint64_t)(256 / d->clock_ratio + 0.5);
    return d->cl * cycle + MAX(bus, (bursts - 1) * d->ccdl * cycle + bus / bursts);
}

static bool derive_latencies(Gpu *g, Diag *diag)
{
    PartitionCfg *p = &g->part;
    SmCfg *s = &g->sm;
    // An unloaded L2 hit: look-up a cycle after issue, the request through the SM's port, to the partition, the fill
    // through its port, back, and through the SM's port.
    uint32_t fill = s->l1.size && s->l1_global ? MIN(s->l1.fill, SEGMENT) : SECTOR;
    Link a = {0, link_cost(s->bytes_out)}, b = {0, link_cost(p->bytes_out)}, c = {0, link_cost(s->bytes_in)};
    uint32_t look_ups = MAX(fill / p->l2.line, 1u);  // the fill's, where the L2's lines are shorter
    uint32_t fixed = 1 + (look_ups - 1) * p->interval + (uint32_t)link_pass(&a, 0, packet_bytes(p, 0)) +
                     (uint32_t)link_pass(&b, 0, packet_bytes(p, fill)) +
                     (uint32_t)link_pass(&c, 0, packet_bytes(p, fill)) + s->lsu_extra;
    if (p->l2.latency < fixed + 2)
        return diag_error(diag, "GPU description: l2.latency must be at least %u cycles with these links", fixed + 2);
    uint32_t links = p->l2.latency - fixed;
    g->to_partition = s->to_partition = links / 2;
    g->to_sm = p->to_sm = links - links / 2;
    g->window = MIN(g->to_partition, g->to_sm);
    // A load from an open row adds tCL and the burst to that; the rest is the controller's.
    uint64_t burst = transfer_time(&p->dram, MAX(fill, p->l2.fill));
    uint32_t least = p->l2.latency + (uint32_t)((burst + 255) >> 8);
    if (g->dram_latency < least)
        return diag_error(
            diag, "GPU description: dram.latency must be at least %u cycles (l2.latency, tCL and the burst)", least);
    p->dram.latency = g->dram_latency - least;
    return true;
}

bool gpu_derive(Gpu *g, Diag *diag)
{
    if (!plug_settle(g, diag) || !gpu_cut(g, diag)) return false;
    scratch_configure(&g->sm);
    const char *why = energy_refusal(&g->energy);
    if (why) return gpu_refuse(diag, "energy", why);
    return derive_partition(g, diag) && check_caches(g, diag) && check_sm(g, diag) && derive_latencies(g, diag);
}

void gpu_lowering(const Gpu *g, Module *m)
{
    const SmCfg *sm = &g->sm;
    m->free_params = !sm->reg_params || sm->count == COUNT_SASS;
    m->near_constants = !sm->cst.size;
    m->lower = (uint8_t)sm->lower;
    m->reorder = sm->lower > 1 && sm->reorder != REORDER_NONE;
    m->sass = sm->count == COUNT_SASS ? (int)g->capability : 0;
    m->unspilled = sm->ideal.spills;
    m->vectors = sm->vectors;
    m->async = sm->async && g->capability >= 80;
    m->sm_threads = sm->max_threads, m->sm_blocks = sm->max_blocks;
    if (sm->reorder == REORDER_OCCUPANCY) m->sm_registers = sm->registers;
    if (sm->storage != STORAGE_UNIFIED)
        m->file_registers = sm->registers, m->file_parts = sm->reg_partitions, m->file_unit = sm->reg_unit;
}
