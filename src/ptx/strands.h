// strands.h: which values of a function lie in the small register files. A thread has three files: the main one, an
// operand register file (ORF) of a few entries and a last-result file (LRF) of one. The compiler decides what lies
// where (Gebhart et al., MICRO 2011; unified-memory §2.1). The small files belong to a strand: a stretch of code in
// which a warp never waits for memory. What is needed after a strand is in the main file when it ends.
//
// Everything here counts words: the 32-bit slots of the register file that alloc.c gave. A 64-bit register is two, or,
// where a value of any width is one register (registers.values), its first one alone.
#ifndef PTX_STRANDS_H
#define PTX_STRANDS_H

#include "ptx/flow.h"

enum { STRAND_STARTS = 1, STRAND_WAITS = 2 };  // WAITS: for all loads of the strands before
enum { FILE_MAIN, FILE_LAST, FILE_OPERAND };   // FILE_OPERAND + n: entry n of the ORF
enum { FILES_MOST_OPERAND = 12, FILES_COUNT = FILE_OPERAND + FILES_MOST_OPERAND };
typedef struct RegAccess {
    uint16_t slot;
    uint8_t file;  // a read: where it finds its value; a write: the small file that takes it, FILE_MAIN: none
    bool write;
    bool main;  // a write that goes to the main file; a read that leaves its value in `file` on its way
    bool more;  // another word than its register's first
} RegAccess;
typedef struct Files {
    RegAccess *access;  // reads before writes; a word that an instruction reads twice is fetched once
    uint32_t *first;    // per instruction, and two more: its accesses are [first[i], first[i + 1])
    uint8_t *start;     // per instruction, and one more: STRAND_…
    uint32_t strands;
    uint8_t *bank;  // per slot, files_spread's; null: a slot's bank is its number modulo the banks
} Files;

// strands.c: the accesses, all in the main file, and the strands. The caller frees it with files_free.
Files *strands_find(const Flow *flow, const Alloc *alloc);
void files_free(Files *f);
// Both files go with sets of slots for each block, of 64-bit words. Where those would be too many, each block waits for
// its loads, and every value goes to the main file.
#define MOST_SETS (1u << 23)
bool files_fit(const Flow *flow, const Alloc *alloc);
// Does an instruction's result come from memory, so late that a warp waits for it? Constants that come like operands
// don't.
bool strand_long(const Function *f, const Inst *i);
enum { STRAND_LENGTH = 1024 };  // instructions of a strand, at most, in the order of the text: a limit of ours
// files.c: the same, with values in an LRF of `last` entries (0 or 1) and an ORF of `operand` (0 to 12). whole: a value
// of any width takes one entry, and is fetched at once.
Files *files_allocate(const Flow *flow, const Alloc *alloc, uint32_t last, uint32_t operand, bool whole);
// The lowered function in strands: each instruction with the words that it reads => writes, and the file of each.
void files_print(const Function *parsed, uint32_t last, uint32_t operand, Text *out);
// spread.c: gives words that an instruction reads from the main file different banks. slots: Alloc's.
enum { MOST_BANKS_SPREAD = 64 };
void files_spread(Files *f, const Flow *flow, uint32_t slots, uint32_t banks);

#endif
