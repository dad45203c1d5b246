// energy.h: the energy of a launch, computed from its counters by the model of Gebhart et al. (unified-memory §5.2).
// Accounts are whole femtojoules (fJ): an access, a byte and a cycle of each component have a price that is rounded
// once, and an account is a count times a price. So accounts add up exactly, over components, launches and data
// structures.
#ifndef ENERGY_H
#define ENERGY_H

#include "base/counters.h"
#include "sm/config.h"

enum {
    BANK_ACCESS = 16,                       // bytes of an access of a bank that has one price (unified-memory Table 4)
    REGISTER_ACCESSES = 128 / BANK_ACCESS,  // of a word of a warp's register: each of 32 lanes has four bytes
    SRAM_BANKS = 32,                        // of registers, shared memory and L1 each (unified-memory §2.1, §4.1)
    MOST_BANK_SIZES = 8
};

typedef struct EnergyCfg {  // keys of [energy]
    // Prices of an access by the bank's size, ascending; sizes end with the first 0. None: those of Table 4.
    double bank[MOST_BANK_SIZES], read[MOST_BANK_SIZES], write[MOST_BANK_SIZES];  // KiB, pJ, pJ
    double wiring;                                                                // % of an access's price
    double lrf, orf;                                                              // pJ for an access of 16 bytes
    double l2;                                                                    // pJ for a sector
    double dram;                                                                  // pJ for a bit
    double sram;                                                                  // mW for a KiB
    double leakage, dynamic, core;                                                // W for an SM
} EnergyCfg;

typedef struct EnergyPrices {                                                                        // fJ
    uint64_t lrf, orf, register_read, register_write, shared_read, shared_write, l1_read, l1_write;  // for 16 bytes
    uint64_t l2_sector, dram_byte;
    uint64_t sram, leakage, dynamic;  // for a cycle of an SM
    bool calibrated;                  // dynamic includes the banks, whose energy is subtracted from it
} EnergyPrices;

// energy.c
typedef struct EnergyPart {
    Counter part;
    const char *name;  // as reports say it
} EnergyPart;
extern const EnergyPart energy_parts[];  // that add up to C_ENERGY
extern const size_t energy_part_count;

// Null, or why the keys make no model.
const char *energy_refusal(const EnergyCfg *cfg);
// The prices on an SM whose storage is shared out as organised says.
EnergyPrices energy_prices(const EnergyCfg *cfg, const SmCfg *organised, double clock_mhz);
// Fills the counters energy.* from the others. sms: of the GPU; all of them leak, those with blocks do work.
void energy_count(const EnergyPrices *p, uint32_t sms, uint64_t *count);
typedef struct StructEnergy {  // a data structure's part of energy.l1 and energy.dram
    uint64_t l1, dram;         // fJ
} StructEnergy;
// reads, writes: of the L1's banks; bytes: to and from DRAM
StructEnergy energy_of_structure(const EnergyPrices *p, uint64_t reads, uint64_t writes, uint64_t bytes);
// Bytes of a cache's tags: for each line the bits of a 32-bit address that its set and its offset don't give.
uint64_t tag_storage(const CacheCfg *cache);

#endif
