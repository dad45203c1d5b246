// energy.c: prices and accounts (energy.h). What an SM does besides its banks is one power, core: either it is given,
// or it is what the banks of this launch leave of the SM's dynamic power. The paper takes it from the baseline's run
// and holds it for every organisation (unified-memory §5.2).
#include "energy/unit.h"

#include <math.h>

// Table 4, per 16 bytes.
static const EnergyCfg table4 = {.bank = {2, 8, 12}, .read = {3.9, 9.8, 12.1}, .write = {5.1, 11.8, 14.9}};

const EnergyPart energy_parts[] = {{C_ENERGY_CORE, "core"},
                                   {C_ENERGY_LEAKAGE, "leakage"},
                                   {C_ENERGY_SRAM, "leakage of storage"},
                                   {C_ENERGY_REGISTERS, "registers"},
                                   {C_ENERGY_SHARED, "shared memory"},
                                   {C_ENERGY_L1, "L1"},
                                   {C_ENERGY_L2, "L2"},
                                   {C_ENERGY_DRAM, "DRAM"}};
const size_t energy_part_count = COUNT(energy_parts);

static uint64_t whole(double fj) { return fj >= 0x1p64 ? UINT64_MAX : fj > 0 ? (uint64_t)(fj + 0.5) : 0; }

double energy_of_access(const EnergyCfg *cfg, double kib, bool write)
{
    const EnergyCfg *t = cfg->bank[0] > 0 ? cfg : &table4;
    const double *price = write ? t->write : t->read;
    int n = 0, k = 0;
    while (n < MOST_BANK_SIZES && t->bank[n] > 0) n++;
    if (n == 1) return price[0];
    while (k < n - 2 && kib > t->bank[k + 1]) k++;
    double slope = (price[k + 1] - price[k]) / (t->bank[k + 1] - t->bank[k]);
    return fmax(price[k] + slope * (kib - t->bank[k]), 0);
}

const char *energy_refusal(const EnergyCfg *cfg)
{
    for (int k = 0; k < MOST_BANK_SIZES; k++) {
        bool size = cfg->bank[k] > 0;
        if (!size && (cfg->read[k] > 0 || cfg->write[k] > 0))
            return "energy.read and energy.write have a price for each size of energy.bank";
        if (size && !(cfg->read[k] > 0 && cfg->write[k] > 0))
            return "energy.bank, energy.read and energy.write have equally many values, above 0";
        if (k && size && cfg->bank[k] <= cfg->bank[k - 1]) return "the sizes of energy.bank ascend";
    }
    return NULL;
}

EnergyPrices energy_prices(const EnergyCfg *cfg, const SmCfg *s, double clock_mhz)
{
    // What lies in one array has banks of that array's size.
    bool unified = s->storage == STORAGE_UNIFIED, divided = s->storage != STORAGE_PARTITIONED;
    double all = s->storage_size / 1024.0, registers = unified ? all : 4.0 * s->registers / 1024,
           shared = divided ? all : s->shared_size / 1024.0, l1 = divided ? all : (double)s->l1.size / 1024,
           sram = unified ? all : registers + (divided ? all : shared + l1),
           wires = unified ? 1 + cfg->wiring / 100 : 1;
    registers /= SRAM_BANKS, shared /= SRAM_BANKS, l1 /= SRAM_BANKS;
    double cycle = 1e9 / clock_mhz;  // fJ for a cycle of a watt
    return (EnergyPrices){.lrf = whole(1000 * cfg->lrf),
                          .orf = whole(1000 * cfg->orf),
                          .register_read = whole(1000 * energy_of_access(cfg, registers, false)),
                          .register_write = whole(1000 * energy_of_access(cfg, registers, true)),
                          .shared_read = whole(1000 * wires * energy_of_access(cfg, shared, false)),
                          .shared_write = whole(1000 * wires * energy_of_access(cfg, shared, true)),
                          .l1_read = whole(1000 * wires * energy_of_access(cfg, l1, false)),
                          .l1_write = whole(1000 * wires * energy_of_access(cfg, l1, true)),
                          .l2_sector = whole(1000 * cfg->l2),
                          .dram_byte = whole(8000 * cfg->dram),
                          .sram = whole(cycle * cfg->sram / 1000 * sram),
                          .leakage = whole(cycle * cfg->leakage),
                          .dynamic = whole(cycle * (cfg->core > 0 ? cfg->core : cfg->dynamic)),
                          .calibrated = !(cfg->core > 0)};
}

static uint64_t account(uint64_t a, uint64_t price_a, uint64_t b, uint64_t price_b)
{
    return most_plus(most_times(a, price_a), most_times(b, price_b));
}

StructEnergy energy_of_structure(const EnergyPrices *p, uint64_t reads, uint64_t writes, uint64_t bytes)
{
    return (StructEnergy){account(reads, p->l1_read, writes, p->l1_write), most_times(bytes, p->dram_byte)};
}

void energy_count(const EnergyPrices *p, uint32_t sms, uint64_t *c)
{
    uint64_t main = account(c[C_MRF_READS], p->register_read, c[C_MRF_WRITES], p->register_write),
             small = account(c[C_LRF_READS] + c[C_LRF_WRITES], p->lrf, c[C_ORF_READS] + c[C_ORF_WRITES], p->orf);
    c[C_ENERGY_REGISTERS] = most_times(most_plus(main, small), REGISTER_ACCESSES);
    c[C_ENERGY_SHARED] = account(c[C_SHARED_BANK_READS], p->shared_read, c[C_SHARED_BANK_WRITES], p->shared_write);
    StructEnergy all = energy_of_structure(p, c[C_L1_BANK_READS], c[C_L1_BANK_WRITES],
                                           most_plus(c[C_DRAM_READ_BYTES], c[C_DRAM_WRITE_BYTES]));
    c[C_ENERGY_L1] = all.l1;
    c[C_ENERGY_L2] = most_times(c[C_L2_SECTORS], p->l2_sector);
    c[C_ENERGY_DRAM] = all.dram;
    uint64_t banks = most_plus(most_plus(c[C_ENERGY_REGISTERS], c[C_ENERGY_SHARED]), c[C_ENERGY_L1]),
             work = most_times(c[C_SM_CYCLES], p->dynamic);
    c[C_ENERGY_CORE] = !p->calibrated ? work : work > banks ? work - banks : 0;
    c[C_ENERGY_LEAKAGE] = most_times(most_times(c[C_CYCLES], sms), p->leakage);
    c[C_ENERGY_SRAM] = most_times(most_times(c[C_CYCLES], sms), p->sram);
    c[C_ENERGY] = 0;
    for (size_t k = 0; k < energy_part_count; k++) c[C_ENERGY] = most_plus(c[C_ENERGY], c[energy_parts[k].part]);
}

uint64_t tag_storage(const CacheCfg *cache)
{
    uint64_t lines = cache->line ? cache->size / cache->line : 0, sets = cache->ways ? lines / cache->ways : 0;
    uint32_t known = cache->line ? 31u - (uint32_t)__builtin_clz(cache->line) : 0;
    if (sets) known += 63u - (uint32_t)__builtin_clzll(sets);
    return lines * (32 - MIN(known, 32u)) / 8;
}
