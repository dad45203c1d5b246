// code.h: what is run: a kernel decoded (decode.c) into Code, instructions whose operands are byte offsets and whose
// operation is a function over 32 lanes. A launch (launch.h) doesn't change its Code.
#ifndef EXEC_CODE_H
#define EXEC_CODE_H

#include "exec/launch.h"
#include "ptx/ptx.h"

#define FULL 0xffffffffu

// --- lanes: registers as [register][32 lanes] ------------------------------------------------------------------------
// A row is one 32-bit register of all lanes: 128 bytes. A 64-bit register is two rows holding 32 64-bit values, one of
// 128 bits four: its lower halves like a 64-bit register, then its upper ones. Values of 8 and 16 bits lie
// zero-extended in 32. Predicates are one 32-bit mask each; number 0 is always true, and nobody reads number 1.
#define ROW_BYTES 128u
enum { PRED_TRUE, PRED_SINK, PRED_FIRST };

typedef struct Lanes {
    uint8_t *bank[2];  // 0: the frame's rows; 1: the kernel's constants
    uint32_t *pred;
    uint32_t cc;  // the carry flag of add.cc … of each lane (PTX ISA §9.7.2)
} Lanes;

typedef struct Dinst Dinst;
typedef void ExecFn(Lanes *l, const Dinst *d, uint32_t mask);

// Where an operand's row lies: a multiple of ROW_BYTES, plus the bank.
typedef uint32_t Loc32;
static inline void *row(const Lanes *l, Loc32 at) { return l->bank[at & 1] + (at & ~(ROW_BYTES - 1)); }

// What exec_step does with an instruction.
typedef enum Kindx {
#define KIND(id, run, next) X_##id,
#include "exec/kinds.def"
#undef KIND
} Kindx;

#define MAX_SCORE 34
struct Dinst {
    ExecFn *fn;
    Loc32 dst, a, b, c;             // destination and sources; vectors: see vec
    uint64_t imm;                   // address offset, lookup table, label …
    uint8_t kind;                   // Kindx
    uint8_t class, slots;           // timing class and issue slots
    uint8_t op, type, type2;        // of the Inst
    uint8_t space, vec, bytes;      // memory: state space, elements, bytes of an element
    uint8_t soft;                   // SOFT_…: what it does for a software cache
    uint16_t flags;                 // D_…
    uint16_t guard;                 // predicate that lanes must have set; PRED_TRUE: none
    bool guard_negated, wants_old;  // wants_old: an atomic gives the value from before to dst
    uint16_t pdst, pdst2, psrc;     // predicate operands
    bool psrc_negated;
    uint8_t reduction, component;  // Mods: what bar.red makes of the predicates; what tld4 gathers
    uint8_t units;                 // how many of its issue slots take the class's unit
    int16_t prov;                  // the kernel parameter its address comes from, or PROV_NONE
    uint32_t target, reconverge;   // branches
    uint32_t index;                // in Code.insts
    const Inst *inst;              // of the executed (lowered) function
    union {
        const struct CallSite *call;
        const Loc32 *results;  // an atomic's where it has several: the rows that get the elements' old values
        const struct Tensor *tensor;
        const struct BulkForm *bulk;
    };
    Loc32 vector[8];  // rows of a vector's elements; texture coordinates are a, b, c
    // The scoreboard's view of the frame: registers by their first row, then from Code.reg_rows on predicates;
    // destinations first.
    uint8_t score_dst, score_n;
    uint16_t mod;  // the modifier that selects among variants (vote, shfl, atom, geometry), a Mod
    uint16_t score[MAX_SCORE];
};
_Static_assert(sizeof(Dinst) == 192, "three lines of the host's cache");
// A product of matrices: the rows of its fragments. Element e of register r of lane l of a matrix is number lane[l] +
// element[r][e] of it; A goes by rows, B, C and D too. B's rows are those along k. Single bits are counted in words.
#define MAX_FRAGMENT 8
typedef struct Tensor {
    Product x;
    Loc32 row[MATRICES][MAX_FRAGMENT], metadata;
    uint16_t lane[MATRICES][LANES], element[MATRICES][MAX_FRAGMENT][8];
    uint8_t used[MATRICES];  // registers that are looked at, or have a result
    uint8_t per[MATRICES];   // elements of a register
    uint8_t selector;        // which lanes' metadata counts
    uint32_t fmas;           // products that are added
} Tensor;
// D = A · B + C of plain matrices: c has C's elements and gets D's. a and b may be changed. columns: of a sparse A's.
typedef void MultiplyFn(const Tensor *t, const Inst *i, uint32_t *a, uint32_t *b, const uint16_t *columns, uint32_t *c);
// One of wgmma; Dinst.tensor is its first part, which has A's fragment at most. The descriptors are Dinst's a and b.
#define MAX_SUMS 128
typedef struct GroupTensor {
    Tensor tensor;
    Loc32 sum[MAX_SUMS];       // rows of D
    uint16_t score[MAX_SUMS];  // D in the scoreboard
    uint8_t scores;            // of them
    bool a_memory;             // A lies in shared memory, too
    bool a_across, b_across;   // neighbours in memory are those along M or N, not along K
    bool minus;                // products are subtracted
    uint32_t bytes;            // of shared memory that the warp reads, with its part of B
    MultiplyFn *multiply;
} GroupTensor;
enum { SOFT_NONE, SOFT_LINE, SOFT_FILL, SOFT_AHEAD };
enum {
    D_SYNC = 1 << 0,      // waits for all lanes of its mask, or of the warp (.sync, from sm_70 on)
    D_STRONG = 1 << 1,    // volatile, relaxed, acquire or release: not a plain access
    D_UNCACHED = 1 << 2,  // .cg, .cv or strong: passes the L1 by
    D_READONLY = 1 << 3,  // .nc or ldu: may use the read-only cache
    D_ACQUIRE = 1 << 4,   // later accesses of the thread wait for it
    D_FRAME = 1 << 5,     // the address is relative to the frame's local memory
    D_COMPUTED = 1 << 6,  // of a kernel's parameters, at an address that isn't a parameter's name
    D_BACK = 1 << 7,      // a branch backwards
    D_LONG = 1 << 8,      // a 64-bit destination, or value to store
    D_SRC_LONG = 1 << 9,  // cvt, mov, addresses: a 64-bit source register
    D_DST_32 = 1 << 10,   // cvt: a 32-bit destination register, though the type may be narrower
    D_CARRY_IN = 1 << 11,
    D_CARRY_OUT = 1 << 12,
    D_WAITS = 1 << 14,  // a strand starts here, which waits for all loads before
    D_WORD = 1 << 13,   // a plain load or store of a word, from or into a 32-bit register
    D_SAME = 1 << 15,   // an addition of 32-bit integers to one address for all lanes, whose result nobody reads
};

// The addresses of an access's lanes: its base register plus an offset. Returns the lanes of the runs, 32, 16 or 8,
// in which they step by what the first two differ by; 0: there are none.
typedef uint32_t AddressFn(const Lanes *l, const Dinst *d, uint64_t offset, uint64_t addr[LANES]);

// What straight.c knows of an instruction: how it runs it; of an access, the slot of its base register; and which slot
// what it writes has.
typedef struct Straight {
    uint8_t how, base, writes;
} Straight;

// ops_straight.c: runs a warp on, which can run, where there is no log and nobody checks: at most so many instructions,
// at least 1. Returns how many; 0: the next one is for exec_step. It goes no further than to a store. Each instruction
// takes one of the clock. *threads grows by the lanes that took part. env->step has the last one's result alone; take,
// unless null, gets the steps of all accesses but those of shared memory.
struct Env;
struct Warp;
struct Step;
typedef void StepTaker(void *taker, const struct Step *s);
typedef uint32_t StraightFn(struct Env *env, struct Warp *w, uint32_t most, uint64_t *threads, StepTaker *take,
                            void *taker);

typedef struct VarPlace {  // a variable in shared memory, or in a frame's local memory
    const Symbol *sym;
    uint32_t at;
} VarPlace;
typedef struct Code {
    const Function *f;  // the executed form (lowered or as parsed)
    const Function *parsed;
    struct Kernel *kernel;
    uint32_t number;     // in Kernel.codes
    Dinst *insts;        // n + 1: the last one is an exit
    uint32_t *line;      // of each: the line of 128 bytes of machine code it lies in, from 1 on, among the kernel's
    Straight *straight;  // of each
    uint32_t n;
    uint32_t rows, preds;  // of a frame: registers, .param variables, two scratch rows
    uint32_t registers;    // 32-bit slots after allocation
    uint32_t local_bytes;  // of this frame
    uint32_t spills_at;    // where spilled registers begin, behind the PTX's own variables; local_bytes: there are none
    uint32_t frame_bytes;  // rows and predicates
    uint32_t reg_rows;     // rows that hold registers
    uint32_t stack;        // the row of the lanes' stacks (stack.c); NO_REG: it takes none
    uint32_t stat_base;    // number of its first instruction among all of the kernel's
    struct Body *body;     // what other kernels share with it; null: it isn't decoded
    const struct Alloc *alloc;  // the body's
    const struct Files *files;  // the body's: where its values lie; null: nobody asks (Image.files)
    VEC(struct CallSite *) calls;
    VEC(Loc32 *) results;  // that instructions refer to
    VEC(Tensor *) tensors;
    VEC(struct BulkForm *) bulks;
    VEC(struct LocalParam) local_params;  // formal parameters whose address is taken
    VEC(VarPlace) locals;                 // its .local variables
} Code;

// --- decode.c, operand.c: kernels and modules as loaded --------------------------------------------------------------
typedef struct Kernel {
    const Function *f;
    Code *code;            // the entry
    AddressFn *address;    // this host's
    StraightFn *straight;  // likewise
    VEC(Code *) codes;     // the entry and what it can call
    uint8_t *consts;       // constant rows, 64-byte aligned
    uint32_t const_rows;
    uint32_t static_shared, param_bytes;
    VEC(uint32_t) param_at;  // offset of each parameter
    VEC(VarPlace) shared;    // its .shared variables, without those of the launch's size
    uint32_t registers;      // per thread, callees included
    uint32_t insts;          // of all codes, their sentinels included
    uint32_t lines;          // of 128 bytes of machine code
    uint64_t bytes;          // about what it takes of the host's memory
    uint32_t score_size;     // the most scoreboard entries of a frame
    uint32_t local_bytes;    // per thread, deepest chain; recursion is bounded by the device
    bool recursive, grows;   // grows: it takes more local memory while it runs (alloca)
    bool its;                // independent thread scheduling: .target sm_70 or later
    struct Image *image;
} Kernel;

#define CONST_BANK MAX_CONST
// Module-scope variables laid out in a device's memory. Those in .const space are one allocation there, the module's
// bank of constants: what they are in .const space is an offset in it, and their generic address one of global memory.
typedef struct Image {
    Module *module;
    uint64_t const_base;  // the bank's address; 0: there are no constants
    uint32_t const_bytes;
    bool lower;
    uint32_t reg_limit, reg_least;  // of a thread; the limit wins
    bool files;                     // each register access is counted
    uint32_t banks;                 // of the register file, among which words are spread; 0: they aren't
    bool values;                    // a value of any width takes one register (registers.values)
    uint32_t last, operand;         // entries of the register files that the compiler fills (ptx/strands.h)
    struct Body **bodies;           // by the function's place among the module's symbols; null: there are none
    size_t made;                    // of them
} Image;
// Decodes a kernel for execution; its module's symbols must have addresses. Null on failure, e.g. unimplemented forms.
Kernel *exec_decode(Image *image, const Function *f, Diag *diag);
void exec_kernel_free(Kernel *k);
uint64_t exec_function_address(const Module *m, const Symbol *s);  // what a pointer to a function is; 0: not one of m's

#endif
