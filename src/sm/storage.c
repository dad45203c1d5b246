// storage.c: how an SM's storage is shared out among registers, shared memory and L1, per launch. Partitioned: as
// described, fixed. Fermi-like: shared memory and L1 share `size`, a quarter and three quarters or the other way round
// (unified-memory §2.2, §6.3): the larger shared memory where it lets more blocks run. Unified: all three share `size`;
// registers and shared memory for as many threads as fit come first, the cache gets what is left (§4.5). Carved, since
// Volta: shared memory takes the least of some sizes that doesn't keep blocks out, the L1 the rest (CUDA programming
// guide, "Shared Memory" of capability 7.x to 9.0). The driver's rule isn't published, and what a program prefers
// (cudaFuncAttributePreferredSharedMemoryCarveout) is ignored; storage.kernels says it by name. A division may stay for
// later launches, as long as it keeps no block out (per = program: unified-memory §4.4).
#include "names/names.h"
#include "sm/unit.h"

#include <stdlib.h>
#include <string.h>

static uint32_t round_up(uint32_t x, uint32_t unit) { return unit ? (x + unit - 1) / unit * unit : x; }

BlockNeeds sm_block_needs(const SmCfg *cfg, const LaunchInfo *l)
{
    uint32_t threads = l->block[0] * l->block[1] * l->block[2], warps = (threads + LANES - 1) / LANES;
    return (BlockNeeds){
        .threads = threads,
        .warps = warps,
        .registers = round_up(MAX(l->kernel->registers, 1u) * LANES, cfg->reg_unit) * warps,
        .shared = round_up(l->kernel->static_shared + l->dynamic_shared + cfg->shared_reserved, cfg->shared_unit)};
}

// The blocks whose registers fit. Where the register file has parts, a warp's registers lie in one, and a block's warps
// are dealt out evenly: as many warps fit as fit a part, times the parts (cuda_occupancy.h of CUDA's toolkit).
static uint32_t registers_fit(const SmCfg *cfg, const BlockNeeds *n)
{
    uint32_t parts = cfg->storage == STORAGE_UNIFIED ? 1 : cfg->reg_partitions;
    return cfg->registers / parts / (n->registers / n->warps) * parts / n->warps;
}

uint32_t sm_occupancy(const SmCfg *cfg, const LaunchInfo *l, const char **limit)
{
    BlockNeeds n = sm_block_needs(cfg, l);
    uint32_t registers = registers_fit(cfg, &n);
    uint32_t fit = cfg->max_blocks;
    *limit = "blocks";
    if (cfg->max_warps / n.warps < fit) fit = cfg->max_warps / n.warps, *limit = "warps";
    if (cfg->max_threads / n.threads < fit) fit = cfg->max_threads / n.threads, *limit = "threads";
    if (registers < fit) fit = registers, *limit = "registers";
    if (n.shared && cfg->shared_size / n.shared < fit) fit = cfg->shared_size / n.shared, *limit = "shared memory";
    return fit;
}

static uint32_t fit_with(SmCfg *cfg, const LaunchInfo *l, uint32_t shared)
{
    const char *limit;
    cfg->shared_size = shared;
    return sm_occupancy(cfg, l, &limit);
}

static void set_l1(SmCfg *cfg, uint64_t bytes)
{
    uint64_t unit = (uint64_t)cfg->l1.line * cfg->l1.ways;
    cfg->l1.size = bytes / unit * unit;  // the sets are whatever number fits
}

Division sm_division(const SmCfg *cfg) { return (Division){cfg->registers, cfg->shared_size, cfg->l1.size}; }

bool sm_preference(const char **list, char *name, uint32_t *kib)
{
    const char *p = *list + strspn(*list, " ,");
    const size_t n = strcspn(p, ":,"), digits = p[n] ? strspn(p + n + 1, "0123456789") : 0, all = n + 1 + digits;
    *list = p;
    if (!n || p[n] != ':' || !digits || digits > 6 || (p[all] && p[all] != ',')) return false;
    memcpy(name, p, n);
    name[n] = 0;
    *kib = (uint32_t)strtoul(p + n + 1, NULL, 10);
    *list = p + all;
    return true;
}

// What the kernel prefers, in KiB; UINT32_MAX: nothing.
static uint32_t preferred(const SmCfg *cfg, const LaunchInfo *l)
{
    char name[sizeof cfg->preferred];
    const char *list = cfg->preferred;
    for (uint32_t kib; sm_preference(&list, name, &kib);)
        if (name_means(l->kernel->f->symbol->name, name)) return kib;
    return UINT32_MAX;
}

// The least size that is as much as a kernel prefers, and has room for a block; UINT32_MAX: there is none.
static uint32_t as_preferred(SmCfg *cfg, const LaunchInfo *l)
{
    const uint32_t wish = preferred(cfg, l);
    uint32_t least = UINT32_MAX;
    for (uint32_t k = 0; wish < UINT32_MAX && k < cfg->carveout_count; k++)
        if (cfg->carveouts[k] >= wish && fit_with(cfg, l, cfg->carveouts[k] * 1024))
            least = MIN(least, cfg->carveouts[k] * 1024);
    return least;
}

// Sets the sizes that a launch has by itself.
static void divide(SmCfg *cfg, const LaunchInfo *l)
{
    uint32_t size = cfg->storage_size;
    if (cfg->storage == STORAGE_FERMI) {
        uint32_t less = size / 4, more = size - less;
        bool wants_more = fit_with(cfg, l, more) > fit_with(cfg, l, less);
        cfg->shared_size = wants_more ? more : less;
        set_l1(cfg, size - cfg->shared_size);
    } else if (cfg->storage == STORAGE_UNIFIED) {
        const char *limit;
        BlockNeeds n = sm_block_needs(cfg, l);
        uint32_t blocks = size / (4 * n.registers + n.shared);
        cfg->registers = blocks * n.registers;
        cfg->shared_size = blocks * n.shared;
        uint32_t fit = sm_occupancy(cfg, l, &limit);  // threads, warps and blocks limit it too
        cfg->registers = fit * n.registers;
        cfg->shared_size = fit * n.shared;
        set_l1(cfg, size - fit * (4 * n.registers + n.shared));
    } else if (cfg->storage == STORAGE_CARVED) {
        uint32_t most = 0, least = as_preferred(cfg, l);  // 0 is a size, too
        const bool chosen = least < UINT32_MAX;
        for (uint32_t k = 0; !chosen && k < cfg->carveout_count; k++)
            most = MAX(most, fit_with(cfg, l, cfg->carveouts[k] * 1024));
        for (uint32_t k = 0; !chosen && k < cfg->carveout_count; k++) {
            uint32_t bytes = cfg->carveouts[k] * 1024;
            if (fit_with(cfg, l, bytes) == most) least = MIN(least, bytes);
        }
        cfg->shared_size = least;
        set_l1(cfg, size - least);
    }
}

void sm_organise(SmCfg *cfg, const LaunchInfo *l, const Division *before)
{
    const char *limit;
    SmCfg kept = *cfg;
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    divide(cfg, l);
    if (cfg->per != PER_PROGRAM || !before || !before->registers) return;
    kept.registers = before->registers, kept.shared_size = before->shared_size, kept.l1.size = before->l1_size;
    if (sm_occupancy(&kept, l, &limit) >= MAX(MIN(sm_occupancy(cfg, l, &limit), blocks), 1u)) *cfg = kept;
}
