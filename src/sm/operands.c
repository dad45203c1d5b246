// operands.c: what an instruction asks of the register files and of the banks behind them. Each word of a warp's
// register is counted where it is read or written: in the last-result file, the operand register file or the main one,
// which alone has banks. Which file it is the compiler says (strands: ptx/files.c), or what was written lately
// (recent). Where registers share banks with shared memory and L1, an instruction's accesses of both are put together:
// it is late by a cycle for each access beyond the first to the bank that it asks most of (unified-memory §6.1).
#include "ptx/strands.h"
#include "sm/unit.h"

#include <string.h>

bool operands_count(const SmCfg *cfg)
{
    return cfg->reg_banks || cfg->hierarchy != HIERARCHY_NONE || cfg->storage == STORAGE_UNIFIED || cfg->energy;
}

void operands_begin(Sm *sm) { sm->storage.counts = operands_count(&sm->cfg); }

// Recent: the last-result file holds a warp's latest results, the operand register file the ones before. They are lost
// when the warp waits for memory.
static Counter recent_file(const Sm *sm, const WarpSlot *ws, uint16_t slot)
{
    for (uint32_t k = 0; k < ws->recent_n; k++)
        if (ws->recent[k] == slot) return k < sm->cfg.lrf ? C_LRF_READS : C_ORF_READS;
    return C_MRF_READS;
}

static void note_result(Sm *sm, WarpSlot *ws, uint16_t slot)
{
    uint32_t room = MIN(sm->cfg.lrf + sm->cfg.orf, MAX_RECENT), at = 0;
    sm->count[C_MRF_WRITES]++;
    if (!room) return;
    sm->count[sm->cfg.lrf ? C_LRF_WRITES : C_ORF_WRITES]++;
    while (at < ws->recent_n && ws->recent[at] != slot) at++;
    if (at == ws->recent_n && ws->recent_n < room) ws->recent_n++;
    at = MIN(at, ws->recent_n - 1u);
    memmove(ws->recent + 1, ws->recent, at * sizeof *ws->recent);
    ws->recent[0] = slot;
}

static Counter file_counter(const RegAccess *x)
{
    static const uint8_t of[2][2] = {{C_LRF_READS, C_LRF_WRITES}, {C_ORF_READS, C_ORF_WRITES}};
    return of[x->file >= FILE_OPERAND][x->write];
}

static void read_main(Sm *sm, const Files *f, uint16_t slot)
{
    sm->count[C_MRF_READS]++;
    if (!sm->cfg.reg_banks) return;
    uint32_t n = ++sm->storage.fetch.bank[f->bank ? f->bank[slot] : slot % sm->cfg.reg_banks];
    sm->storage.fetch.most = MAX(sm->storage.fetch.most, (n + sm->cfg.reg_ports - 1) / sm->cfg.reg_ports);
}

static void ask(Sm *sm, WarpSlot *ws, const Files *f, const RegAccess *x)
{
    if (sm->cfg.hierarchy == HIERARCHY_RECENT) {
        Counter from = x->write ? C_MRF_WRITES : recent_file(sm, ws, x->slot);
        if (x->write)
            note_result(sm, ws, x->slot);
        else if (from == C_MRF_READS)
            read_main(sm, f, x->slot);
        else
            sm->count[from]++;
        return;
    }
    bool from_main = !x->write && (x->file == FILE_MAIN || x->main);
    if (from_main) read_main(sm, f, x->slot);
    if (x->write && x->main) sm->count[C_MRF_WRITES]++;
    if (x->file == FILE_MAIN) return;
    sm->count[from_main ? C_ORF_WRITES : file_counter(x)]++;  // what is left there on its way is a write
}

void operands_fetch(Sm *sm, WarpSlot *ws, const Dinst *d)
{
    const Files *f = ws->warp->code->files;
    sm->storage.fetch = (Fetch){0};
    if (f->start[d->index]) sm->count[C_STRANDS]++;
    for (uint32_t k = f->first[d->index]; k < f->first[d->index + 1]; k++) ask(sm, ws, f, &f->access[k]);
    if (sm->storage.fetch.most > 1) sm->count[C_BANK_STALLS] += sm->storage.fetch.most - 1;
}

void operands_fetched(Sm *sm)
{
    static const uint8_t of[] = {C_BANK_MOST_1, C_BANK_MOST_1, C_BANK_MOST_2, C_BANK_MOST_3, C_BANK_MOST_4};
    sm->count[sm->storage.fetch.most < COUNT(of) ? of[sm->storage.fetch.most] : C_BANK_MOST_5]++;
}

// Cycles that an instruction's accesses of shared memory take, with its operands: `passes` by themselves.
uint32_t operands_shared(Sm *sm, const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t passes)
{
    if (sm->cfg.storage != STORAGE_UNIFIED) return sm->storage.fetch.most = MAX(sm->storage.fetch.most, passes);
    uint8_t rows[CLUSTER_BANKS];
    uint32_t most = cluster_passes(addr, mask, bytes, sm->cfg.scatter, rows);
    sm->storage.fetch.rows = 0;
    for (uint32_t k = 0; k < CLUSTER_BANKS; k++) {
        sm->storage.fetch.rows += rows[k];
        if (rows[k]) most = MAX(most, (uint32_t)rows[k] + sm->storage.fetch.bank[k % CLUSTER_WAYS]);
    }
    return sm->storage.fetch.most = MAX(sm->storage.fetch.most, most);
}

// Cycles by which the operands of an access of lines make it late, which takes one for each line by itself. Lines of
// another cache than the L1, and of none, aren't in these banks (§6.1: "the cache and shared memory").
uint32_t operands_lines(Sm *sm, const LsuOp *op)
{
    uint32_t n = op->count, most = sm->storage.fetch.most;
    if (op->port != &sm->ports.port[PORT_L1]) return most > n ? most - n : 0;
    if (sm->cfg.storage != STORAGE_UNIFIED) {
        most = MAX(most, n);  // a line lies in all banks
    } else {
        uint8_t lines[CLUSTER_WAYS] = {0};
        for (uint32_t k = 0; k < n; k++) lines[op->seg[k].address / SEGMENT % CLUSTER_WAYS]++;
        for (uint32_t b = 0; b < CLUSTER_WAYS; b++)
            if (lines[b]) most = MAX(most, (uint32_t)lines[b] + sm->storage.fetch.bank[b]);
    }
    sm->storage.fetch.most = most;
    return most > n ? most - n : 0;
}
