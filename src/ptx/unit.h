// unit.h: what the files of ptx ask of each other. What other parts call stands in ptx.h.
#ifndef PTX_UNIT_H
#define PTX_UNIT_H

#include "ptx/ptx.h"

// --- tables.c: types.def, mods.def, sregs.def, ops.def ---------------------------------------------------------------

// The form that a modifier or type makes of an operation, which doesn't take it otherwise; FORMS: none is known.
FormId form_of(Op op, const char *part, size_t length);

// --- IR -------------------------------------------------------------------------------------------------------------

static inline bool inst_keeps(const Inst *i) { return i->guarded && !i->alone; }  // old values, for some threads

// --- parse.c ---------------------------------------------------------------------------------------------------------
// Parses and checks a module. name is what diagnostics call it. Null on failure, with the diagnostic in diag.
Module *ptx_parse(const char *text, size_t length, const char *name, Diag *diag);

// --- inst.c ----------------------------------------------------------------------------------------------------------
// The letters for an instruction's operands (ops.def), or null. Of its operation's alternatives it is the one with as
// many operands; with .L2::cache_hint a cache policy comes last.
const char *inst_signature(const Inst *i);
Space space_of(uint16_t mod);   // that a modifier names, or SP_GENERIC
bool inst_adds(const Inst *i);  // it reads its destination, too
// May it name what a call calls?
static inline bool is_callee(const Operand *o) { return o->kind == O_SYM || o->kind == O_REG; }

// --- products.c: matrices, of which each lane of a warp has a fragment -----------------------------------------------
Type inst_type(const Inst *i, int n);  // the type that is written in place n, or TY_NONE

// A sparse product: how many sparsity selectors it has; which lane has the metadata of the stored-th element of a row
// of A, and where in its word the four bits begin; which column they say that element is of.
uint32_t matrix_selectors(const Product *x);

// --- sass.c: what an instruction becomes in machine code -------------------------------------------------------------
bool ptx_sass(const Inst *i, int capability, Sass *out);  // false: it is as ops.def says

#endif
