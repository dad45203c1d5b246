// link.h: several PTX modules made one, as the toolkit's nvlink makes one of their machine code, and with its words.
//
// What the modules say of one name must agree. If a name has several definitions, one is taken. What only one module
// can see stays in that module. The result is a PTX text. Nothing of it is parsed beyond what linking needs: whether
// instructions are right is for the one who loads it.
#ifndef LINK_LINK_H
#define LINK_LINK_H

#include "base/base.h"

typedef struct Link Link;

// --- link.c ----------------------------------------------------------------------------------------------------------
Link *link_new(void);
void link_free(Link *l);  // null: nothing
// Adds the modules of a text of n bytes, which is copied. Null bytes end a module, and another may follow. name is
// what messages call it; null: its number. False, and why, with its place: it isn't PTX that can be linked, or there is
// no memory for it. The link is as it was before, then.
bool link_add(Link *l, const char *name, const char *text, size_t n, Diag *diag);
// Kernels take so many registers a thread at most; those that say a number (.maxnreg) keep theirs. 0: any number.
void link_bound(Link *l, uint32_t registers);
// Names that nothing defines stay declared, for what was linked before: a kernel that needs one is refused when it is
// launched.
void link_open(Link *l);
// Links all that was added, in that order, and adds the text to out. warnings gets a line for each thing that a card
// may take otherwise; it may be null. False, and why: they don't go together. May be called again, also with more
// modules.
bool link_finish(Link *l, Text *out, Text *warnings, Diag *diag);

#endif
