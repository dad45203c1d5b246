// pass.h: what the passes over a parsed function share, and the check with them; no one else includes it.
#ifndef PTX_PASS_H
#define PTX_PASS_H

#include "ptx/flow.h"
#include "ptx/unit.h"

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

// --- inst.c ----------------------------------------------------------------------------------------------------------
// The type that operand n is held against; TY_NONE: it has none (addresses, labels, lists).
Type inst_operand_type(const Inst *i, int n);

// --- suffix.c --------------------------------------------------------------------------------------------------------
// The same of a source of an instruction that isn't checked yet; TY_NONE, too, where its modifiers are wrong, and where
// the address of a variable may stand (cvta).
Type inst_source_type(const Module *m, const Inst *i, int n);

// --- edit.c: changing a function -------------------------------------------------------------------------------------
static inline Operand operand_reg(uint32_t reg) { return (Operand){.kind = O_REG, .reg = reg}; }
static inline Operand operand_imm(uint64_t v) { return (Operand){.kind = O_IMM, .reg = NO_REG, .imm = v}; }
static inline uint16_t type_suffix(Type t) { return (uint16_t)(M_COUNT + t); }
uint32_t reg_new(Function *f, Type t);
uint32_t label_new(Function *f, uint32_t inst);
// An instruction of a pass's own that stands for `near`, checked; the suffixes and operands, which must be right, are
// copied.
Inst inst_make(Function *f, const Inst *near, Op op, const uint16_t *suffix, int suffixes, const Operand *opnd, int n);
void inst_own(Function *f, Inst *i);                  // its operands become a copy
void operand_rename(Operand *o, const uint32_t *to);  // to: per register
void insts_replace(Function *f, uint32_t first, uint32_t last, const Inst *by, uint32_t n);
void insts_drop(Function *f, const bool *gone);
void places_move(Function *f, const uint32_t *labels, const uint32_t *pragmas);  // where each instruction's are now

// --- uses.c: the instructions of each register -----------------------------------------------------------------------
typedef struct RegIndex {
    uint32_t *first,
        *inst;  // register r's: inst[first[r]] to inst[first[r + 1] - 1], as they stand, as often as they do
} RegIndex;
RegIndex reg_index(const Function *f, bool def);  // those that write it, or read it
void reg_index_free(RegIndex *x);
// Has the register a single definition? x is the index of those that write.
static inline bool reg_single(const RegIndex *x, uint32_t reg) { return x->first[reg + 1] - x->first[reg] == 1; }

// --- live.c ----------------------------------------------------------------------------------------------------------
void flow_live_out(const Flow *flow, uint32_t block, uint64_t *out);  // words words: what is live where the block ends

// --- alloc.c ---------------------------------------------------------------------------------------------------------
int reg_width(const Function *f, uint32_t reg);  // words of 32 bits; 0: a predicate
// Arithmetic of the ALUs: it takes constant operands, and reaches the last-result file.
bool inst_on_alu(const Inst *i);
// The registers that stand for a kernel's parameters, or for constant memory, and are read by arithmetic alone: machine
// code has such operands in the constant bank. Null: there are none. The caller frees.
bool *alloc_outside(const Function *f);
typedef struct Interval {
    uint32_t first, last, reg;  // instructions; first > last: never
} Interval;
// Per register, from where it first lives or is named to where it last does, as they stand. Needs liveness. The caller
// frees.
Interval *reg_intervals(const Flow *w);
int interval_by_first(const void *a, const void *b);  // for qsort

// --- deps.c: what must go before what in a part of a block -----------------------------------------------------------
// Instructions are numbered within their part. down: of each those that must go behind it, down[down_first[k]] to
// down[down_first[k + 1] - 1], some more than once; up: those that must go before it.
typedef struct Deps {
    const Function *f;
    uint32_t first, n;  // the part: instructions [first, first + n) of the function
    uint32_t *down_first, *down, *up_first, *up;
    struct DepsWork *work;
} Deps;
Deps deps_open(const Function *f, uint32_t most);  // most: instructions of a part
void deps_find(Deps *d, uint32_t first, uint32_t n);
void deps_close(Deps *d);
bool inst_stays(const Inst *i);  // is it a part by itself?

// --- pressure.c: how many words are alive ----------------------------------------------------------------------------
typedef struct Pressure {
    const Function *f;
    uint32_t first, n;  // the part: instructions are numbered within it
    uint32_t now;       // words that are alive
    // The rest is few.c's and its own. Per register: reads to come; alive now, before and behind the part; words, none
    // of those that take no register.
    uint32_t *left, start;
    uint8_t *alive, *before, *after, *width;
    int64_t change;
    const uint64_t *set;
} Pressure;
Pressure pressure_open(const Function *f, bool constants);  // constants: operands in the constant bank count nothing
void pressure_close(Pressure *p);
// Chooses a part, by what is alive behind it; then what is alive before it, a set of words.
void pressure_behind(Pressure *p, const uint64_t *live, uint32_t first, uint32_t n);
void pressure_ahead(Pressure *p, const uint64_t *live, uint32_t words);
void pressure_begin(Pressure *p);
int64_t pressure_change(Pressure *p, uint32_t inst);         // what an instruction would add
void pressure_step(Pressure *p, uint32_t inst);              // it goes next
uint32_t pressure_peak(Pressure *p, const uint32_t *order);  // the most at once; null: as the part stands

// --- few.c: an order that keeps few alive ----------------------------------------------------------------------------
typedef struct Few Few;
Few *few_open(Pressure *p, const Deps *d, uint32_t most);
bool few_find(Few *w, uint32_t *order);  // of the part of both; false: as it stands is as good
void few_close(Few *w);

// --- order.c ---------------------------------------------------------------------------------------------------------
void order_blocks(Function *f, uint32_t aim);  // aim: registers of a thread; 0: no more than it needs as it is

// --- copies.c --------------------------------------------------------------------------------------------------------
void replace_copies(Function *f);

// --- dead.c ----------------------------------------------------------------------------------------------------------
void drop_dead(Function *f);

// --- guard.c, unroll.c, fold.c: false: nothing was changed -----------------------------------------------------------
bool guard_branches(Function *f);
bool unroll_loops(Function *f);
bool fold_values(Function *f);

// --- wmma.c ----------------------------------------------------------------------------------------------------------
void expand_wmma(Function *f);

// --- fuse.c: marks what other instructions do along ------------------------------------------------------------------
void fuse_insts(Function *f);
void put_beginning(Function *f);  // what machine code of each kernel begins with

// --- widen.c ---------------------------------------------------------------------------------------------------------
void merge_shared(Function *f);  // loads of shared memory become wider ones
void merge_global(Function *f);  // those of global memory do, as if the source had vectors

// --- async.c ---------------------------------------------------------------------------------------------------------
void copy_async(Function *f);  // loads that only go to shared memory become copies

// --- hold.c ----------------------------------------------------------------------------------------------------------
// Leaves at most so many words alive at once, where instructions don't need more; the others are in local memory.
void hold_registers(Function *f, uint32_t words);
// A load of a register from its home, or a store into it, that serves `near`.
Inst home_access(Function *f, const Inst *near, bool load, uint32_t reg, Symbol *home);
Symbol *home_new(Function *f, uint32_t reg);  // where a register's value lies in local memory: a variable of its own

// --- spill.c ---------------------------------------------------------------------------------------------------------
bool spill_registers(Function *f, uint32_t limit);  // false: it still needs more

// flow.c: how much a block counts for what is chosen by use: ten times for each loop around it, up to a million.
double flow_weight(const Flow *flow, uint32_t block);

#endif
