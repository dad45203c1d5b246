// ptx.h: PTX text → checked IR → analyses → lowered IR → text.
//
// ptx_parse reads a module and checks every instruction against ops.def; what it returns is legal and implemented, or
// it returns a diagnostic. ptx_parse_partly leaves out the functions that aren't implemented, and says why. The IR is
// close to the text: an Inst keeps its modifiers in source order, so printing is a walk. Analyses (cfg, liveness,
// provenance) are computed per function into a Flow; lower.c rewrites a copy by the passes of passes.def. What the files
// of this folder alone share stands in unit.h, parse.h and pass.h.
#ifndef PTX_H
#define PTX_H

#include "base/base.h"

// --- tables.c: types.def, mods.def, sregs.def, ops.def ---------------------------------------------------------------
typedef enum Kind { K_BITS, K_UINT, K_SINT, K_FLOAT, K_PRED, K_OPAQUE } Kind;

typedef enum Type {
    TY_NONE,
#define TYPE(id, text, kind, bits) TY_##id,
#include "ptx/types.def"
#undef TYPE
    TY_COUNT
} Type;
typedef struct TypeInfo {
    const char *name;
    Kind kind;
    int bits;
} TypeInfo;
extern const TypeInfo type_info[TY_COUNT];
static inline int type_bytes(Type t) { return (type_info[t].bits + 7) / 8; }

#define T(id) (1ull << TY_##id)
#define T_BIT (T(B16) | T(B32) | T(B64))
#define T_INT (T(U16) | T(U32) | T(U64) | T(S16) | T(S32) | T(S64))
#define T_FLT (T(F32) | T(F64))
#define T_HALF (T(F16) | T(BF16) | T(F16X2) | T(BF16X2))

typedef enum Group {
#define GROUP(id) G_##id,
#define MOD(group, id, text)
#include "ptx/mods.def"
#undef GROUP
#undef MOD
    G_COUNT
} Group;
#define G(id) (1ull << G_##id)
_Static_assert(G_COUNT <= 64, "a group is a bit");

typedef enum Mod {
    M_NONE,
#define GROUP(id)
#define MOD(group, id, text) M_##id,
#include "ptx/mods.def"
#undef GROUP
#undef MOD
    M_COUNT
} Mod;
typedef struct ModInfo {
    const char *name;
    Group group;
} ModInfo;
extern const ModInfo mod_info[M_COUNT];

typedef enum Sreg {
#define SREG(id, text, type, lane, clock) SR_##id,
#include "ptx/sregs.def"
#undef SREG
    SR_COUNT
} Sreg;
typedef struct SregInfo {
    const char *name;
    Type type;
    bool per_lane, clock;
} SregInfo;
extern const SregInfo sreg_info[SR_COUNT];

// Timing classes. A description gives each a latency and an initiation interval.
typedef enum Class {
#define CLASS(id) CLASS_##id,
#include "ptx/classes.def"
#undef CLASS
    CLASS_COUNT
} Class;

typedef uint16_t Op;  // a row of ops.def; ops.h names them
// Properties of operations: ops.def says what each means.
enum {
    P_COPY = 1 << 0,
    P_COPY_GLOBAL = 1 << 1,
    P_REGS = 1 << 2,
    P_EFFECT = 1 << 3,
    P_EARLY = 1 << 4,
    P_TOGETHER = 1 << 5,
    P_BRANCH = 1 << 6,
    P_TABLE = 1 << 7,
    P_LEAVE = 1 << 8,
    P_ORDER = 1 << 9,
    P_VIDEO = 1 << 10,
    P_THREE = 1 << 11,
    P_ALIGNED = 1 << 12,
    P_FOUR = 1 << 13,
    P_COPIES = 1 << 14,
    P_ADDS = 1 << 15,
};
typedef struct OpInfo {
    const char *name, *operands;
    uint64_t types, types2, groups;
    uint32_t properties;
    Class class;
    uint8_t slots32, slots64;
    const char *section;
} OpInfo;
extern const OpInfo op_info[];
static inline bool op_has(Op op, unsigned properties) { return (op_info[op].properties & properties) != 0; }  // any
typedef enum OpState { OP_REFUSED, OP_ELSEWHERE } OpState;
typedef struct OpMissing {
    const char *name, *section;
    OpState state;
    const char *why;
} OpMissing;
extern const OpMissing op_missing[];
extern const size_t op_missing_count;

// Forms of implemented operations that are refused (forms.def).
typedef enum FormId {
#define FORM(id, op, parts, written, why) FORM_##id,
#include "ptx/forms.def"
#undef FORM
    FORMS
} FormId;
typedef struct FormInfo {
    Op op;
    const char *parts, *written, *why;
} FormInfo;
extern const FormInfo form_info[FORMS];

typedef enum Space { SP_NONE, SP_REG, SP_GENERIC, SP_GLOBAL, SP_CONST, SP_SHARED, SP_LOCAL, SP_PARAM, SP_TEX } Space;
extern const char *const space_names[];

// --- IR -------------------------------------------------------------------------------------------------------------
typedef struct Symbol Symbol;
typedef struct Function Function;
typedef struct Module Module;

typedef VEC(Symbol *) Symbols;

typedef enum OperandKind {
    O_SINK,    // _
    O_REG,     // reg
    O_IMM,     // imm: 64 bits; imm_kind says how it was written
    O_SREG,    // reg: a Sreg
    O_SYM,     // sym + imm: the address of a variable or function
    O_ADDR,    // [reg + imm], [sym + imm] or [imm]: reg is NO_REG where absent
    O_VEC,     // {items}
    O_PAIR,    // items[0] | items[1]
    O_TEX,     // [items[0], {…}] or with a sampler second: the coordinates are the last item, an O_VEC
    O_LABEL,   // reg: a label of the function
    O_LABELS,  // items: the labels of a .branchtargets
    O_LIST,    // (items): call parameters
    O_PROTO,   // reg: a .callprototype of the function, or .calltargets
} OperandKind;
typedef enum ImmKind { IMM_INT, IMM_F32, IMM_F64 } ImmKind;
#define NO_REG UINT32_MAX

typedef struct Operand {
    uint8_t kind, imm_kind;
    bool negated, minus;  // !p; -r of vmad
    bool indexed, sum;    // a[…]; a variable's name + …: while they are parsed
    bool whole;           // likewise: %tid, which is %tid.x, or in a mov.v4 all four
    uint16_t count;       // items
    uint16_t select;      // of a video instruction's register: SELECT_…, or 0
    uint32_t reg;
    uint32_t at;  // byte offset in the source
    Symbol *sym;
    uint64_t imm;  // value, offset, or the bits of a float (IMM_F32: a float's, IMM_F64: a double's)
    struct Operand *items;
} Operand;

// Which bytes or halves: 3 bits a digit, the last one written lowest; how many; SELECT_HALVES
#define SELECT_DIGIT(s, k) ((s) >> 3 * (k)&7)
#define SELECT_COUNT(s) ((s) >> 12 & 7)
#define SELECT_HALVES 0x8000u

// Bytes of variables, at most. Parameters of a kernel: PTX ISA 5.1.6. The others are ours: .shared of a kernel and
// .local of a function as much as a description can give a block and a thread; .const of a module.
#define MAX_PARAM 32764u
#define MAX_SHARED (1u << 20)
#define MAX_LOCAL (1u << 24)
#define MAX_CONST (1u << 24)

// Of a lowered instruction: what becomes of it in machine code (fuse.c). Nothing special; nothing, since others do it
// along; one product of integers; or one move.
typedef enum Fused { FUSED_NOT, FUSED_AWAY, FUSED_PRODUCT, FUSED_MOVE } Fused;

#define MAX_SUFFIX 14
#define MAX_OPERANDS 10
typedef struct Inst {
    uint16_t op;
    uint8_t suffixes;  // modifiers and types in source order: a Mod, or M_COUNT + a Type
    uint16_t suffix[MAX_SUFFIX];
    uint8_t type, type2;    // first and second type; type2 is TY_NONE where there is one
    uint8_t space;          // a Space, for memory operations; SP_GENERIC where none is written
    uint8_t vec;            // 1, 2, 4 or 8
    uint16_t mod[G_COUNT];  // the Mod that fills each group, or M_NONE
    bool guarded, guard_negated;
    uint8_t fused;   // a Fused
    bool alone;      // guarded, but threads that skip it don't read what it would have written (guard.c)
    uint32_t guard;  // predicate register
    uint8_t operands;
    Operand *opnd;    // destinations first
    uint32_t at;      // byte offset in the source
    uint32_t loc;     // index into Module.locs + 1, or 0
    uint32_t origin;  // index of the instruction of the parsed function that this one stands for
} Inst;
static inline bool inst_has(const Inst *i, Group g) { return i->mod[g] != M_NONE; }

typedef struct Reg {
    const char *name;
    Type type;
} Reg;

typedef struct Reloc {
    struct Reloc *next;
    uint32_t at;  // byte offset in the initialiser
    Symbol *sym;
    int64_t offset;
    bool generic;
    uint8_t bytes, shift;  // mask 0xFF << shift of the address where bytes is 1
} Reloc;

typedef enum Linkage { LINK_NONE, LINK_EXTERN, LINK_VISIBLE, LINK_WEAK, LINK_COMMON } Linkage;
struct Symbol {
    const char *name;
    Space space;  // SP_NONE: a function
    Linkage linkage;
    Type type;
    uint32_t align;
    uint64_t bytes;               // 0: an .extern array without size
    bool array, ptr;              // declared with []; a parameter marked .ptr
    bool in_reg;                  // a function's parameter or result that was declared .reg; it travels as a .param
    uint8_t reg_type, reg_count;  // then: the type of its registers, and how many: the elements of a vector
    uint32_t part_count;  // several such results travel as one: its parts, and in the address of each its offset
    Symbol **parts;
    uint64_t elements;       // declared in the first dimension product
    const char *attributes;  // the text of .ptr and .attribute annotations, for printing; may be null
    const char *settings;    // of a texture's, sampler's or surface's initialiser
    const char *missing;     // what of its declaration isn't implemented, so that nothing may name it; or null
    uint8_t *init;           // bytes, or null
    Reloc *relocs;           // in the order of at
    Function *function;      // of an alias, once the module is parsed: its aliasee's
    Symbol *alias;           // of a function: whose second name it is (.alias), or null
    bool spilled;            // the home of a register, not a variable of the PTX
    uint32_t at;
    uint64_t address;  // where the symbol lies in its space; set by whoever loads the module
};

typedef struct Label {
    const char *name;
    uint32_t inst;  // index of the instruction behind it; Function.insts.n at the end
    uint32_t at;    // where it is defined in the source
    bool defined;
} Label;

typedef struct Pragma {  // of a body: stands before an instruction
    const char *text;
    uint32_t inst, at;  // at: in the source, where a loop's stands right behind its label
} Pragma;

// Statements in front of an instruction of a software cache: one that accesses a line, and one that fills it, which may
// read up to the end of the granule that its allocation ends in, since allocations are padded to whole ones; and one
// that loads the next line early, whose granule is a page: GPUs have none that are smaller.
#define LINE_PRAGMA "onchip.line"
#define FILL_PRAGMA "onchip.fill"
#define AHEAD_PRAGMA "onchip.ahead"
#define FILL_GRANULE 16
#define AHEAD_GRANULE 4096
#define WARP_PRAGMA "onchip.syncwarp"  // __syncwarp below sm_70, where it is no instruction (workloads/cuda.h)

typedef struct Proto {  // .callprototype or .calltargets
    const char *name;
    Symbols rets, params, targets;
    bool noreturn;
} Proto;

struct Function {
    Symbol *symbol;
    Module *module;
    bool entry, has_body;
    Symbols rets, params;
    Symbols locals;  // .param, .local, .shared, .const and .global variables of the body
    VEC(Reg) regs;
    VEC(Label) labels;
    VEC(Operand *) tables;  // .branchtargets, as O_LABELS
    VEC(const char *) table_names;
    VEC(Proto *) protos;
    VEC(Inst) insts;
    uint32_t maxntid[3], reqntid[3], cluster[3];  // 0: not given
    uint32_t minnctapersm, maxnreg;
    uint32_t aim;                  // of a lowered one: the registers that a compiler aims at; 0: none
    VEC(const char *) directives;  // performance directives and pragmas of the head, as text
    VEC(Pragma) pragmas;
    const char *refusal;         // of a function that ptx_parse_partly left out, which has no body: the diagnostic
    uint32_t text_at, text_end;  // its text in the source, from its linkage to its end
};

// What stands at module scope, in the order of the text: a variable, a function or its prototype (function), only the
// declaration of a variable that is .extern there, or an .alias directive.
typedef struct Item {
    Symbol *symbol;
    Function *function;
    bool declares;
    const Symbol *aliasee;  // of an .alias; at: where it stands
    uint32_t at;
} Item;

typedef struct Loc {
    uint32_t file, line, column;
    uint32_t at_file, at_line;  // where its function was inlined, outside of all inlined functions; line 0: it wasn't
} Loc;
typedef struct FileName {
    uint32_t index;
    const char *name;
} FileName;

struct Module {
    Arena arena;
    Source source;  // a copy
    int version_major, version_minor;
    const char *target;      // "sm_35" with its options
    int sm, address_bits;    // sm: 35
    bool maps_f64;           // the target's option map_f64_to_f32
    bool separate_samplers;  // its option texmode_independent
    // Set by who loads it: parameters for arithmetic take no registers; order.c is asked; constants come like operands.
    bool free_params, reorder, near_constants;
    // What an SM has, where order.c may use more registers than the code needs, as long as that is full of threads.
    uint32_t sm_registers, sm_threads, sm_blocks;
    // Of its register file: how many, in how many parts, and how many of them a warp takes at once. 0: nothing is
    // known.
    uint32_t file_registers, file_parts, file_unit;
    int sass;       // the capability whose machine code counts (sass.c); 0: ops.def counts
    uint8_t lower;  // sm.lower, what ptx_lower does; 0: as 3
    VEC(Item) items;
    Symbols symbols;  // module scope, each once: variables and functions
    Map symbol_map;
    VEC(Function *) functions;  // every one parsed, prototypes too
    VEC(Loc) locs;
    VEC(LineMark) marks;  // source.marks
    VEC(FileName) files;
};

// --- parse.c ---------------------------------------------------------------------------------------------------------
// The same, but a function of which something isn't implemented takes nothing but itself away: its refusal is set.
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
Space inst_from_space(const Inst *i);  // of what copies (P_COPIES): where from
int ptx_dimensions(const Inst *i);     // of a tensor's copy
int inst_dest_count(const Inst *i);    // leading operands that are destinations

// --- texture.c: what textures and surfaces are addressed by ----------------------------------------------------------
// Behind a texture's address: the level of a mipmap, the coordinates' derivatives, offsets in texels, a depth that
// texels are compared with.
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

// Of loads of shared memory that widen.c makes one. Variables of as many bytes begin at a multiple of it.
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
// Of each instruction the pointer parameter that its address derives from; of each register its value's (may be null).
int16_t *ptx_provenance(const Function *f, int16_t **regs);  // caller frees

// --- sass.c: what an instruction becomes in machine code -------------------------------------------------------------
typedef struct Sass {
    uint8_t slots, units;  // instructions, and how many of them the class's unit does
    Class class;
} Sass;
Sass inst_sass(const Inst *i, int capability);  // of any instruction; capability 0: as ops.def says
// --- counts.c --------------------------------------------------------------------------------------------------------
// Of a lowered function: the machine instructions that stand in its code, a line for each timing class, the sum last.
void ptx_counts(const Function *f, Text *out);

// --- uniform.c: registers that hold one value for all threads of a warp ----------------------------------------------
bool *ptx_uniform(const Function *f);                               // of each register, where it is sure; caller frees
bool uniform_operand(const bool *uniform, const Operand *operand);  // the same of an operand, or of an address

#endif
