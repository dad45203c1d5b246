// accounts.c: how an SM's storage was shared out for a launch, and the launch's energy, also by data structure. Both
// follow from the launch's counters and the description.
#include "chip/chip.h"

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

void record_account(Record *r, const Gpu *g, const SmCfg *organised)
{
    EnergyPrices prices = energy_prices(&g->energy, organised, g->core_mhz);
    count(g, organised, &prices, r->count);
    for (int k = 0; k < MAX_STRUCTURES && organised->energy; k++) {
        const StructStat *s = &r->structure[k];
        r->structure_energy[k] = energy_of_structure(&prices, s->bank_reads, s->bank_writes, r->structure_dram[k]);
    }
}
