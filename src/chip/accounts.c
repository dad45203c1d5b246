// accounts.c: how an SM's storage was shared out for a launch, and the launch's energy, also by data structure. Both
// follow from the launch's counters and the description.
#include "chip/chip.h"

// Bytes of a part of storage, times the cycles of a launch.
static uint64_t held(double bytes, uint64_t cycles)
{
    uint64_t product;
    return __builtin_mul_overflow((uint64_t)bytes, cycles, &product) ? UINT64_MAX : product;
}

void chip_account(const Gpu *g, const SmCfg *organised, uint64_t *c)
{
    c[C_STORAGE_REGISTERS] = held(4.0 * organised->registers, c[C_CYCLES]);
    c[C_STORAGE_SHARED] = held(organised->shared_size, c[C_CYCLES]);
    c[C_STORAGE_L1] = held((double)organised->l1.size, c[C_CYCLES]);
    c[C_STORAGE_TAGS] = held((double)tag_storage(&organised->l1), c[C_CYCLES]);
    if (!organised->energy) return;
    EnergyPrices prices = energy_prices(&g->energy, organised, g->core_mhz);
    energy_count(&prices, g->sms, c);
}

void record_account(Record *r, const Gpu *g, const SmCfg *organised)
{
    chip_account(g, organised, r->count);
    EnergyPrices prices = energy_prices(&g->energy, organised, g->core_mhz);
    for (int k = 0; k < MAX_STRUCTURES && organised->energy; k++) {
        StructStat *s = &r->structure[k];
        s->l1_energy = energy_of_banks(&prices, s->bank_reads, s->bank_writes);
        s->dram_energy = energy_of_dram(&prices, r->structure_dram[k]);
    }
}
