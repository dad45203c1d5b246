// legal.h: what the files share that say which forms of operations are legal: legal.c, legal_memory.c (what accesses
// and orders memory), legal_async.c (asynchronous copies, and mbarrier), legal_convert.c (cvt, and the video
// instructions), legal_matrix.c (matrices).
#ifndef PTX_LEGAL_H
#define PTX_LEGAL_H

#include "ptx/ops.h"
#include "ptx/parse.h"

#include <string.h>

#define HALF (T(F16) | T(F16X2))
#define BRAIN (T(BF16) | T(BF16X2))
#define INT32_64 (T(U32) | T(S32) | T(U64) | T(S64))

typedef struct Legal {
    const Module *m;
    const Inst *i;
    Diag *diag;
} Legal;

static inline size_t mod_at(const Legal *c, Group g)
{
    for (int k = 0; k < c->i->suffixes; k++)
        if (c->i->suffix[k] == c->i->mod[g]) return suffix_at(c->m, c->i, k);
    return c->i->at;
}

// legal.c: tells what is wrong; false.
bool legal_tell(const Legal *c, bool form, size_t at, const char *format, ...) __attribute__((format(printf, 4, 5)));
bool legal_refuse(const Legal *c, size_t at, FormId id);  // a form of forms.def
// What is wrong is the form, which isn't known and so isn't implemented; or its operands, or the module is too old.
#define fail(c, ...) legal_tell(c, true, __VA_ARGS__)
#define wrong(c, ...) legal_tell(c, false, __VA_ARGS__)

static inline bool has(const Legal *c, Group g) { return c->i->mod[g] != M_NONE; }
static inline const char *name(const Legal *c) { return op_info[c->i->op].name; }

static inline bool needs(const Legal *c, bool good, const char *what)
{
    return good || fail(c, c->i->at, "'%s' needs %s", name(c), what);
}

// The modifier of group g, if there is one, goes with types only.
static inline bool only_types(const Legal *c, Group g, uint64_t types)
{
    if (!has(c, g) || types >> c->i->type & 1) return true;
    return fail(c, mod_at(c, g), "modifier .%s of '%s' doesn't go with type .%s", mod_info[c->i->mod[g]].name, name(c),
                type_info[c->i->type].name);
}

static inline bool only(const Legal *c, Group g, bool good)
{
    return !has(c, g) || good ||
           fail(c, mod_at(c, g), "modifier .%s doesn't apply to this form of '%s'", mod_info[c->i->mod[g]].name,
                name(c));
}

static inline bool apart(const Legal *c, Group a, Group b)
{
    if (!has(c, a) || !has(c, b)) return true;
    return fail(c, mod_at(c, b), "modifiers .%s and .%s of '%s' exclude each other", mod_info[c->i->mod[a]].name,
                mod_info[c->i->mod[b]].name, name(c));
}

// d|p, of which d alone may be thrown away
static inline bool gives_predicate(const Legal *c)
{
    const Operand *o = c->i->opnd;
    if (c->i->operands && o->kind == O_PAIR && o->items[1].kind == O_REG) return true;
    return wrong(c, c->i->operands ? o->at : c->i->at, "'%s' gives a pair, whose second is a predicate", name(c));
}

// A form that came later: with which version of the ISA, and with which architecture.
static inline bool since(const Legal *c, const char *what, int version, int sm)
{
    if (c->m->version_major * 10 + c->m->version_minor < version)
        return wrong(c, c->i->at, "%s needs .version %d.%d", what, version / 10, version % 10);
    return c->m->sm >= sm || wrong(c, c->i->at, "%s needs .target sm_%d", what, sm);
}

// Is the target one architecture, or one family, alone (sm_90a, sm_100f)?
static inline bool is_special(const Module *m)
{
    char last = m->target[3 + strspn(m->target + 3, "0123456789")];
    return last == 'a' || last == 'f';
}

static inline bool is(const Legal *c, Group g, Mod a, Mod b) { return c->i->mod[g] == a || c->i->mod[g] == b; }

// --- legal_memory.c, legal_async.c, legal_convert.c, legal_matrix.c --------------------------------------------------
typedef bool LegalRule(const Legal *c);
// Null: the operation is of another file.
extern LegalRule *const legal_memory[OP_COUNT], *const legal_async[OP_COUNT], *const legal_convert[OP_COUNT],
                                                                                  *const legal_matrix[OP_COUNT];
bool legal_video(const Legal *c);  // the video instructions' rule

#endif
