// pass.h: what the passes over a parsed function share, and the check with them; no one else includes it.
#ifndef PTX_PASS_H
#define PTX_PASS_H

#include "ptx/flow.h"

// --- sets of types ---------------------------------------------------------------------------------------------------
#define T_INT8 (T(U8) | T(S8))
#define T_F8X2 (T(E4M3X2) | T(E5M2X2) | T(UE8M0X2))
#define T_F8 (T(E4M3) | T(E5M2))
#define T_INT4 (T(U4) | T(S4))
#define T_FACTOR (T_F8 | T(F16) | T(BF16) | T(TF32) | T(F64) | T_INT8 | T_INT4 | T(B1))  // of matrices A and B
#define T_SUM (T(F16) | T(F32) | T(F64) | T(S32))                                        // of C and D
#define T_I16X2 (T(U16X2) | T(S16X2))
#define T_MEM (T(B8) | T_BIT | T(B128) | T_INT8 | T_INT | T_FLT)
// Types of instructions alone: nothing is declared with them (§5.2.3, §5.2.4).
#define T_PARTS (T(U4) | T(U2) | T(S4) | T(S2))
#define T_ALTERNATE (T_PARTS | T(BF16) | T(BF16X2) | T(F32X2) | T(TF32) | T_F8X2 | T_I16X2 | T_F8 | T(B1))

// --- check.c ---------------------------------------------------------------------------------------------------------
bool imm_fits(const Operand *o, Type t);  // may this constant stand where type t is expected?
// The type that operand n is held against; TY_NONE: it has none (addresses, labels, lists).
Type inst_operand_type(const Inst *i, int n);
// The same of a source of an instruction that isn't checked yet; TY_NONE, too, where its modifiers are wrong, and where
// the address of a variable may stand (cvta).
Type inst_source_type(const Module *m, const Inst *i, int n);

// Writes an instruction of a pass's own that stands for `near`. i has its operation, operands, types and modifiers,
// which must be right; the rest is filled.
void inst_write(Function *f, const Inst *near, Inst *i);

// --- index.c: the instructions of each register ---------------------------------------------------------------------
typedef struct RegIndex {
    uint32_t *first,
        *inst;  // register r's: inst[first[r]] to inst[first[r + 1] - 1], as they stand, as often as they do
} RegIndex;
RegIndex reg_index(const Function *f, bool def);  // those that write it, or read it
void reg_index_free(RegIndex *x);
// Of those that write: has the register a single definition?
static inline bool reg_single(const RegIndex *x, uint32_t reg) { return x->first[reg + 1] - x->first[reg] == 1; }

// --- live.c ----------------------------------------------------------------------------------------------------------
void flow_live_out(const Flow *flow, uint32_t block, uint64_t *out);  // words words: what is live where the block ends

// --- alloc.c ---------------------------------------------------------------------------------------------------------
int reg_width(const Function *f, uint32_t reg);  // words of 32 bits; 0: a predicate
bool inst_on_alu(
    const Inst *i);  // arithmetic of the ALUs: it takes constant operands, and reaches the last-result file

// --- order.c ---------------------------------------------------------------------------------------------------------
void order_blocks(Function *f);

// --- wmma.c ----------------------------------------------------------------------------------------------------------
void expand_wmma(Function *f);

// --- merge.c ---------------------------------------------------------------------------------------------------------
// Loads of shared memory become wider ones. gone gets the instructions that are to be dropped. False: none were merged.
bool merge_shared(Function *f, bool *gone);

// --- spill.c ---------------------------------------------------------------------------------------------------------
bool spill_registers(Function *f, uint32_t limit);  // false: it still needs more

// flow.c: how much a block counts for what is chosen by use: ten times for each loop around it, up to a million.
double flow_weight(const Flow *flow, uint32_t block);

#endif
