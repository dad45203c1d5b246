// accounts.c: how an SM's storage was shared out for a launch, and the launch's energy, also by data structure. Both
// follow from the launch's counters and the description.
#include "chip/unit.h"

static void count(const Gpu *g, const SmCfg *organised, const EnergyPrices *prices, uint64_t *c)
{
    c[C_STORAGE_REGISTERS] = most_times(4ull * organised->registers, c[C_CYCLES]);
    c[C_STORAGE_SHARED] = most_times(organised->shared_size, c[C_CYCLES]);
    c[C_STORAGE_L1] = most_times(organised->l1.size, c[C_CYCLES]);
    c[C_STORAGE_TAGS] = most_times(tag_storage(&organised->l1), c[C_CYCLES]);
    if (organised->energy) energy_count(prices, g->sms, c);
}

void chip_account(const Gpu *g, const SmCfg *organised, uint64_t *c)
{
    EnergyPrices prices = energy_prices(&g->energy, organised, g->core_mhz);
    count(g, organised, &prices, c);
}

// In each replica of a sampled launch, too.
static void count_replicas(const Gpu *g, const SmCfg *organised, const EnergyPrices *prices, Record *r)
{
    uint64_t other[C_COUNT];
    for (int k = 0; k < REPLICAS; k++) {
        float *off = r->sampled->off[k];
        for (int c = 0; c < C_COUNT; c++) other[c] = sample_round((double)r->count[c] + off[c]);
        count(g, organised, prices, other);
        for (int c = 0; c < C_COUNT; c++) off[c] = (float)((double)other[c] - (double)r->count[c]);
    }
}

void record_account(Record *r, const Gpu *g, const SmCfg *organised)
{
    EnergyPrices prices = energy_prices(&g->energy, organised, g->core_mhz);
    count(g, organised, &prices, r->count);
    if (r->sampled) count_replicas(g, organised, &prices, r);
    for (int k = 0; k < MAX_STRUCTURES && organised->energy; k++) {
        const StructStat *s = &r->structure[k];
        r->structure_energy[k] = energy_of_structure(&prices, s->bank_reads, s->bank_writes, r->structure_dram[k]);
    }
}
