// tables.h: the words of PTX, as tables (tables.c): types, modifiers, special registers, timing classes, and what
// ops.def says of each operation. ops.h has the operations' names.
#ifndef PTX_TABLES_H
#define PTX_TABLES_H

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
    const char *section, *what;
} OpInfo;
extern const OpInfo op_info[];
static inline bool op_has(Op op, unsigned properties) { return (op_info[op].properties & properties) != 0; }  // any
typedef enum OpState { OP_REFUSED, OP_ELSEWHERE } OpState;
typedef struct OpMissing {
    const char *name, *section, *what;
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

#endif
