// unit.h: what the files of advise ask of each other. What other parts call stands in advise.h.
#ifndef ADVISE_UNIT_H
#define ADVISE_UNIT_H

#include "advise/advise.h"
#include "gpu/gpu.h"

// --- code.c: what the kernels' text says -----------------------------------------------------------------------------
enum { ASYNC_CAPABILITY = 80 };  // that cp.async came with
typedef enum FactKind {
    FACT_VECTOR,  // neighbouring loads of a thread, of so many bytes together
    FACT_COPY,    // a load whose value only goes to shared memory
    FACT_AGAIN,   // a load that is made again behind a store
} FactKind;
typedef struct Fact {
    FactKind kind;
    const char *kernel, *array;
    const char *place;  // "add.cu:15", or "" where the text doesn't say
    uint32_t bytes;
    uint32_t times;  // that it stands on this line
    bool runs;       // FACT_COPY: sm.async does it
} Fact;
typedef VEC(Fact) Facts;
void code_facts(const Plan *plan, const StoredRun *run, Arena *arena, Facts *out);

// --- remedies.c: what can be changed ---------------------------------------------------------------------------------
// Adds the changes that may do something for the run as it is, of this plan. Texts belong to arena.
void remedies_find(const Plan *plan, const StoredRun *run, const Facts *facts, Arena *arena, Remedies *out);
// Adds those that the runs of the others suggest: the trial of change k has the number 1 + k.
void remedies_after(Advice *a);

// --- notes.c ---------------------------------------------------------------------------------------------------------
void notes_find(const Plan *plan, const StoredRun *run, const Facts *facts, Arena *arena, Notes *out);

// --- ideals.c --------------------------------------------------------------------------------------------------------
void ideals_find(const StoredRun *run, Ideals *out);                 // what is worth a run
void ideals_count(const StoredRun *run, uint32_t sms, Ideals *out);  // what the run's counters tell

#endif
