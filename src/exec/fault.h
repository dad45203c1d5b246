// fault.h: what a kernel does wrong: a fault, which ends its launch, and a flaw, what PTX leaves undefined and --check
// finds. Both say where, and flaws what to write instead.
#ifndef EXEC_FAULT_H
#define EXEC_FAULT_H

#include "base/base.h"

typedef struct Code Code;

// --- faults ----------------------------------------------------------------------------------------------------------
typedef enum FaultKind {
    FAULT_NONE,
#define FAULT(id, place, cuda, text) FAULT_##id,
#include "exec/faults.def"
#undef FAULT
} FaultKind;
typedef struct Fault {
    FaultKind kind;
    uint64_t cycle, address;
    uint32_t bytes, lane, pc, sequence;
    Code *code;  // null: the fault has no place in the kernel
    uint32_t block[3], thread[3];
    bool write;
    uint64_t from;   // the kernel parameter that the address comes from, where it is known
    char note[240];  // of a failed assertion, of a policy's mistake
} Fault;

// --- check_flaw.c: what a kernel does that PTX leaves undefined (onchip run --check) ---------------------------------
typedef enum FlawKind {
#define FLAW(id, name, text, cure) FLAW_##id,
#include "exec/flaws.def"
#undef FLAW
    FLAW_KINDS
} FlawKind;
extern const char *const flaw_names[FLAW_KINDS], *const flaw_texts[FLAW_KINDS];
typedef struct FlawSide {
    char *access, *place, *inst;  // "write"; where, as exec_place has it; the instruction. access null: there is none
    uint32_t block[3], thread[3];
} FlawSide;
typedef struct Flaw {  // all of one kind at the same instructions; what it says is of the first
    FlawKind kind;
    uint64_t count, key;
    const char *space;
    char *name;        // of the data structure; null: it isn't about one
    uint64_t offset;   // in it, bytes
    uint32_t bytes;    // of the access
    FlawSide side[2];  // of a race, the earlier access first
    const char *cure;  // what orders such accesses rightly, or what to write
} Flaw;
typedef VEC(Flaw) Flaws;
void flaws_add(Flaws *to, const Flaw *f);  // to those that are there; a copy
void flaws_free(Flaws *all);

#endif
