// ir.h: a module in its intermediate form, which is close to the text: an Inst keeps its modifiers in source order, so
// printing is a walk. All of it lies in the module's arena.
#ifndef PTX_IR_H
#define PTX_IR_H

#include "ptx/tables.h"

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

// What becomes of a lowered instruction in machine code (fuse.c): nothing special; nothing, since others do it along;
// one product of integers; or one move.
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
    uint32_t minnctapersm, maxnreg, maxclusterrank;
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
    bool async;      // loads that only go to shared memory become cp.async
    bool vectors;    // loads of global memory that lie side by side become one
    bool unspilled;  // what a thread has no registers for stays in registers all the same
    // The register file: how many registers, in how many parts, and how many of them a warp takes at once. 0: nothing
    // is known.
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

#endif
