// ptx.h: PTX text → checked IR → analyses → lowered IR → text.
//
// ptx_parse reads a module and checks every instruction against ops.def; what it returns (ir.h) is legal and
// implemented, or it returns a diagnostic. ptx_parse_partly leaves out the functions that aren't implemented, and says
// why. Analyses (cfg, liveness, provenance) are computed per function into a Flow (flow.h); lower.c rewrites a copy by
// the passes of passes.def. What the files of this folder alone share stands in unit.h, parse.h and pass.h.
#ifndef PTX_H
#define PTX_H

#include "ptx/ir.h"

// --- parse.c ---------------------------------------------------------------------------------------------------------
// Reads a module and checks it. A function of which something isn't implemented takes nothing but itself away: its
// refusal is set.
Module *ptx_parse_partly(const char *text, size_t length, const char *name, Diag *diag);
void ptx_free(Module *module);
Symbol *ptx_find(const Module *module, const char *name);
// parse_var.c
uint32_t ptx_most_params(const Module *m);  // MAX_PARAM, or what older modules may have
// refuse.c: the function for which f can't be run: itself, or one that it names, and so on. Null: there is none.
const Function *ptx_blocked(const Function *f);
// check.c
bool check_inst(Module *m, Function *f, Inst *i, Diag *diag);  // fills type, mod[], space, vec
// inst.c
// The register that an operand list of f names, for error messages and dumps.
const char *reg_name(const Function *f, uint32_t reg);
// The bits that a constant operand stands for where type t is expected: integers cut to its width, a decimal rounded.
uint64_t imm_bits(const Operand *o, Type t);
// Calls visit for every register an instruction reads (def false) or writes (def true), the guard included.
typedef void RegVisit(void *user, uint32_t reg, bool def);
void inst_regs(const Inst *i, RegVisit *visit, void *user);
bool inst_writes(const Inst *i, uint32_t reg);
const char *file_named(const Module *m, uint32_t index);  // as a Loc names it; null: the module has no such .file
Space inst_from_space(const Inst *i);                     // of what copies (P_COPIES): where from
int ptx_dimensions(const Inst *i);                        // of a tensor's copy
int inst_dest_count(const Inst *i);                       // leading operands that are destinations

// --- texture.c: what textures and surfaces are addressed by ----------------------------------------------------------
// What may follow a texture's address: the level of a mipmap, the coordinates' derivatives, offsets in texels, a
// depth that texels are compared with.
typedef enum TexPart { TEX_LEVEL, TEX_DX, TEX_DY, TEX_OFFSET, TEX_DEPTH } TexPart;
TexPart tex_part(const Function *f, const Inst *i, int n);  // what operand n is, from 2 on
typedef struct TexShape {
    uint8_t coordinates;          // that count, without the layer
    uint8_t items;                // of the vector that has them: with the layer and what is ignored
    bool layered, cube, samples;  // a layer's number comes first; a sample's number belongs to it
} TexShape;
TexShape tex_shape(uint16_t geometry);  // a Mod of GEOM

// --- products.c: matrices, of which each lane of a warp has a fragment -----------------------------------------------
enum { MATRIX_D, MATRIX_A, MATRIX_B, MATRIX_C, MATRICES };
// D = A · B + C: D and C have m × n elements, A m × k, B k × n. Of wgmma, which has C in D, it is what one of four
// warps does: 16 of 64 rows.
typedef struct Product {
    uint16_t m, n, k;
    Type type[MATRICES];
    uint8_t registers[MATRICES];  // of a lane
    bool sparse;                  // of A each other element is stored
    bool quads;                   // four products, each of 8 lanes
    uint8_t version, sm;          // of the ISA, and the architecture, that it needs
} Product;
bool ptx_matrix(const Inst *i, Product *out);  // false: there is no such form
typedef struct Fragment {
    uint8_t registers;
    Type type;  // theirs
} Fragment;
Fragment ptx_fragment(const Inst *i, int n);  // of operand n, which is one

// Where an element lies: of a lane's registers of a matrix, number reg, element e of it (PTX ISA §9.7.14.5.1–13). Not
// for quads. The layout of wmma's fragments is left open (§9.7.14.4.1): they have the same one, m × n in parts of
// 16 × 8, and where there are more registers than these take, the others repeat them.
typedef struct Element {
    uint16_t row, column;
} Element;
int matrix_per_register(Type t);  // elements
Element matrix_element(const Product *x, int which, uint32_t lane, uint32_t reg, uint32_t e);
uint32_t matrix_metadata(const Product *x, uint32_t selector, uint32_t row, uint32_t stored, uint32_t *shift);
uint32_t matrix_place(const Product *x, uint32_t stored, uint32_t metadata);

// --- print.c ---------------------------------------------------------------------------------------------------------
void ptx_print(const Module *m, Text *out);                        // a module that parses back to the same IR
void ptx_print_inst(const Function *f, const Inst *i, Text *out);  // one instruction, without newline
void ptx_print_function(const Function *f, Text *out);
// Its parts: all before the body, with a suffix to its name and more parameters ("" for none); declarations.
void ptx_print_head(const Function *f, const char *suffix, const char *params, Text *out);
void ptx_print_declarations(const Function *f, Text *out);

// The most that loads of shared memory read which widen.c makes one. Variables of as many bytes begin at a multiple of
// it.
enum { MERGED_BYTES = 16 };

// --- lower.c: the passes of passes.def; the parsed function is left alone --------------------------------------------
// The registers that a kernel's bounds leave each thread (.maxntid, .reqntid, .minnctapersm, §11.4); 0: any number.
uint32_t ptx_bound(const Function *f);
uint64_t ptx_block_threads(const Function *f);  // that .reqntid or .maxntid name, at most 2^20; 0: neither is there
bool ptx_changes_registers(const Function *f);  // setmaxnreg: its warps have more later than they begin with
typedef enum PassWhen {
    PASS_ALWAYS,
    PASS_SASS,     // machine instructions count (sm.count)
    PASS_ORDERED,  // registers.reorder
    PASS_BOUND,    // a thread's registers are bounded
    PASS_VECTORS,  // sm.vectors
    PASS_ASYNC,    // sm.async
} PassWhen;
typedef struct PassInfo {
    const char *name, *files, *doc;
    uint8_t level;  // of sm.lower, from which on it runs
    PassWhen when;
} PassInfo;
extern const PassInfo lower_passes[];
extern const size_t lower_pass_count;
typedef void PassSeen(void *user, const PassInfo *pass, const Function *f);
Function *ptx_lower(const Function *f, uint32_t limit);  // registers per thread, beyond which values are spilled; 0: no
// The same; seen gets what each pass that runs leaves.
Function *ptx_lower_seen(const Function *f, uint32_t limit, PassSeen *seen, void *user);
void ptx_lowered_free(Function *f);

// --- wmma.c ----------------------------------------------------------------------------------------------------------
bool ptx_has_wmma(const Function *f);  // wmma.load or wmma.store, which only the lowered function is without

// --- provenance.c: which parameter an address comes from -------------------------------------------------------------
#define PROV_NONE (-1)  // not from a parameter, or not known
// The pointer parameter that each instruction's address derives from; in regs each register's (regs may be null).
int16_t *ptx_provenance(const Function *f, int16_t **regs);  // caller frees

// --- sass.c: what an instruction becomes in machine code -------------------------------------------------------------
typedef struct Sass {
    uint8_t slots, units;  // instructions, and how many of them the class's unit does
    Class class;
} Sass;
Sass inst_sass(const Inst *i, int capability);  // of any instruction; capability 0: as ops.def says
// --- counts.c --------------------------------------------------------------------------------------------------------
// Adds the machine instructions in a lowered function's code: a line for each timing class, the sum last.
void ptx_counts(const Function *f, Text *out);

// --- uniform.c: registers that hold one value for all threads of a warp ----------------------------------------------
bool *ptx_uniform(const Function *f);                               // of each register, where it is sure; caller frees
bool uniform_operand(const bool *uniform, const Operand *operand);  // the same of an operand, or of an address

#endif
