// origin.h: where the lines of a text come from that a pass wrote from a module. While it writes, the pass notes a byte
// of the source for each stretch of its text. Afterwards the notes become line marks.
#ifndef PTX_ORIGIN_H
#define PTX_ORIGIN_H

#include "ptx/ptx.h"

// From byte `at` of the text on, lines come from byte `source` of the module's source. loc is their .loc, as Inst.loc
// has it; 0 where the text itself has it. NO_ORIGIN: the lines are the writer's own.
typedef struct LineOrigin {
    size_t at;
    uint32_t source, loc;
} LineOrigin;
typedef VEC(LineOrigin) LineOrigins;
#define NO_ORIGIN UINT32_MAX

// --- origin.c: notes, and the marks that they become -----------------------------------------------------------------
// Notes where the text comes from that is written next. o may be null.
void origin_put(LineOrigins *o, const Text *out, uint32_t source, uint32_t loc);
// The text that from is about was put behind the first `by` bytes of that of to, which may be null.
void origins_move(LineOrigins *to, LineOrigins *from, size_t by);
// Writes the text with line marks, so that whoever parses it tells the places of the module's source. own names the
// text: it is said of its own lines.
void origins_mark(const LineOrigins *o, const Text *text, const Module *m, const char *own, Text *out);

// --- print.c ---------------------------------------------------------------------------------------------------------
void ptx_print_from(const Module *m, Text *out, LineOrigins *origins);  // ptx_print with notes

#endif
