// decode.h: what the files that decode share: operand.c (operands, and where things are), decode_memory.c,
// decode_matrix.c, decode_async.c and decode_inst.c (one instruction), decode.c (functions and kernels).
#ifndef EXEC_DECODE_H
#define EXEC_DECODE_H

#include "exec/unit.h"

// Where symbols are: an offset or a row of each.
typedef struct Place {
    const Symbol *sym;
    uint32_t at;
} Place;
typedef struct Places {
    VEC(Place) list;
    Map index;  // symbol → place in list
} Places;
typedef struct ConstEntry {
    uint64_t value;
    uint32_t row;
    bool wide;
} ConstEntry;

typedef struct Decode {
    Image *image;
    Kernel *k;
    Code *code;
    const Function *f;
    Diag *diag;
    const Inst *i;
    Places reached;         // functions → their number in Kernel.codes
    Places shared;          // in shared memory
    uint32_t extern_align;  // of the dynamic part: the most that one of its names asks for
    Places params;          // of the kernel: offset
    Places local, param;    // of the current function: local offset; first row
    VEC(ConstEntry) consts;
    Map rows;  // value and width → row of a constant
    bool failed;
} Decode;

// --- body.c ----------------------------------------------------------------------------------------------------------
typedef struct Body {
    uint32_t users;        // codes
    const Function *f;     // lowered, or as parsed
    Alloc *alloc;          // where its values lie
    struct Files *files;   // in the register files; null: nobody asks
    uint32_t registers;    // 32-bit slots
    uint32_t *reconverge;  // of each branch: where its lanes meet
    bool *uniform;         // of its registers; null: nobody has asked
    Sass *sass;            // of its instructions: what they cost
    VEC(uint32_t) naming;  // instructions, as parsed, that name a symbol, or call by address
} Body;
Body *body_take(Image *image, const Function *parsed);
void body_give(Image *image, const Function *parsed);
const bool *body_uniform(Body *b);

// --- straight.c ------------------------------------------------------------------------------------------------------
void straight_mark(Code *code);  // fills Code.straight, of decoded instructions

// --- operand.c -------------------------------------------------------------------------------------------------------
// Tells the first mistake with its place; always false. unsupported: it is legal, but not implemented.
bool decode_fail(Decode *x, bool unsupported, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool decode_refuse(Decode *x, FormId id);  // it is one of forms.def
void places_put(Places *p, const Symbol *s, uint32_t at);
uint32_t places_find(const Places *p, const Symbol *s);  // NO_REG: it isn't there
void places_clear(Places *p);
Loc32 constant_row(Decode *x, uint64_t value, bool wide);  // of the kernel's pool
uint64_t address_of(Decode *x, const Symbol *s);           // in its own space
bool reg_wide(const Decode *x, uint32_t reg);              // 64 bits
Loc32 reg_loc(const Decode *x, uint32_t reg);
uint16_t pred_of(const Decode *x, uint32_t reg);
Loc32 source_row(Decode *x, const Operand *o, Type t);
uint32_t pred_source(Decode *x, const Operand *o);  // 2 · number + negated
void set_psrc(Decode *x, Dinst *d, const Operand *o);
Loc32 scratch_row(const Decode *x);
Loc32 dest_row(const Decode *x, const Operand *o);
uint16_t pdest_of(const Decode *x, const Operand *o);
void half_rows(const Decode *x, const Operand *o, Loc32 to[2]);  // of a 128-bit register
void set_address(Decode *x, Dinst *d, const Operand *o);         // [reg + imm], [sym + imm], [imm]
void set_score(Decode *x, Dinst *d);                             // the scoreboard's view of x->i

// --- decode_memory.c, decode_matrix.c, decode_async.c, decode_inst.c -------------------------------------------------
bool decode_memory(Decode *x, Dinst *d);
bool decode_atomic(Decode *x, Dinst *d);
// The rows of a value or vector that is loaded (to) or stored.
void decode_elements(Decode *x, Dinst *d, const Operand *o, bool to);
bool decode_copy(Decode *x, Dinst *d);    // cp.async
bool decode_matrix(Decode *x, Dinst *d);  // ldmatrix, stmatrix
bool decode_tensor(Decode *x, Dinst *d);  // products of matrices
bool decode_group(Decode *x, Dinst *d);   // those of wgmma
bool decode_mbar(Decode *x, Dinst *d);
bool decode_bulk(Decode *x, Dinst *d);        // copies in bulk, and st.async
bool decode_tensor_map(Decode *x, Dinst *d);  // what changes one
bool decode_inst(Decode *x, Dinst *d, uint32_t at);
// decode_texture.c
bool decode_texture(Decode *x, Dinst *d);
bool decode_surface(Decode *x, Dinst *d);
bool decode_query(Decode *x, Dinst *d);

#endif
