// stat.h: what an SM counts besides its counters: of each data structure, of each instruction, and of each reason why
// loads miss (why.c). Those of several SMs, and of several launches, are added up.
#ifndef SM_STAT_H
#define SM_STAT_H

#include "mem/mem.h"

typedef struct StructStat {  // per data structure
    uint64_t loads, stores, atomics, transactions, sectors, l1_accesses, l1_hits;
    uint64_t bank_reads, bank_writes;  // of the L1's banks
} StructStat;
static inline void add_structure(StructStat *to, const StructStat *s)
{
    to->loads += s->loads, to->stores += s->stores, to->atomics += s->atomics, to->transactions += s->transactions;
    to->sectors += s->sectors, to->l1_accesses += s->l1_accesses, to->l1_hits += s->l1_hits;
    to->bank_reads += s->bank_reads, to->bank_writes += s->bank_writes;
}
// Why loads miss in the L1 (why.c). A transaction is what the L1 looks up once.
typedef enum WhyClass {
    WHY_FIRST,     // nobody on this SM loaded it before
    WHY_CAPACITY,  // a fully associative L1 of that size, with LRU, would miss too
    WHY_CONFLICT,  // it wouldn't
    WHY_DROPPED,   // it was there, and a store or the start of a launch dropped it
    WHY_CLASSES
} WhyClass;
typedef enum WhyShadow {  // other L1s that the same loads are shown to
    WHY_FULL,             // fully associative, LRU
    WHY_TWICE,            // of twice the size
    WHY_FOUR,             // of four times the size
    WHY_HASHED,           // with hashed sets
    WHY_ALONE,            // without the loads of other data structures
    WHY_SHADOWS
} WhyShadow;
enum { WHY_DISTANCES = 24 };
typedef struct WhyStat {                   // of a data structure's loads
    uint64_t reads, served;                // transactions; hits and merges with misses under way
    uint64_t missed[WHY_CLASSES], unsure;  // unsure: of the first two or the last class, and the line isn't watched
    uint64_t shadow[WHY_SHADOWS];          // served there
    uint64_t reuse[WHY_DISTANCES];  // sampled: by the log2 of the lines that were loaded since; the last one: by more
    uint64_t sampled;               // all of them
} WhyStat;
typedef struct WhySums {
    WhyStat of[MAX_STRUCTURES];
    uint64_t evicted[MAX_STRUCTURES][MAX_STRUCTURES];  // [whose line][by whose access]
    uint64_t lines;                                    // 1 of so many lines is watched by the SM that watches fewest
    uint64_t l1;                                       // bytes of the L1
    bool can[WHY_SHADOWS];                             // there can be such an L1
} WhySums;
static inline void add_why_stat(WhyStat *t, const WhyStat *f)
{
    t->reads += f->reads, t->served += f->served, t->unsure += f->unsure, t->sampled += f->sampled;
    for (int n = 0; n < WHY_CLASSES; n++) t->missed[n] += f->missed[n];
    for (int n = 0; n < WHY_SHADOWS; n++) t->shadow[n] += f->shadow[n];
    for (int n = 0; n < WHY_DISTANCES; n++) t->reuse[n] += f->reuse[n];
}
typedef struct InstStat {  // per instruction of the kernel's code
    uint64_t issued, lanes, transactions, sectors, l1_accesses, l1_hits;
    uint64_t stalls, queued;  // empty slots: a warp before it waited for memory; for a place in the load-store unit
    uint64_t barrier;         // and at it, a barrier
} InstStat;
static inline void add_inst(InstStat *to, const InstStat *s)
{
    to->issued += s->issued, to->lanes += s->lanes, to->transactions += s->transactions;
    to->sectors += s->sectors, to->l1_accesses += s->l1_accesses, to->l1_hits += s->l1_hits;
    to->stalls += s->stalls, to->queued += s->queued, to->barrier += s->barrier;
}

#endif
