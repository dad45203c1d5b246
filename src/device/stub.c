// stub.c: kernels without code. Where a library has no code of a kernel for an architecture, the kernel prints a text
// that says so, and traps. Each of its threads does, and the fault alone would look like a mistake of the caller's. So
// such a launch tells once what the kernel is. A stub is known by its instructions, which are one path without a
// choice, on which it prints and at whose end it traps; and by its text, which is the same for all threads.
#include "device/sim.h"
#include "ptx/ops.h"

#include <string.h>

typedef struct Traits {
    bool chooses, prints, traps;
} Traits;

static void look(const Function *f, Traits *t)
{
    for (size_t n = 0; n < f->insts.n; n++) {
        const Inst *i = &f->insts.v[n];
        t->traps |= i->op == OP_TRAP && !i->guarded;
        t->chooses |= i->guarded || i->op == OP_BRX;
        for (int k = 0; k < i->operands && i->op == OP_CALL; k++) {
            const Operand *o = &i->opnd[k];
            t->prints |= o->kind == O_SYM && !strcmp(o->sym->name, "vprintf");
            t->chooses |= o->kind == O_REG;  // whom it calls
        }
    }
}

// Are all lines as the first one, of this length?
static bool repeats(const char *text, size_t length)
{
    for (const char *line = text; *line; line += length + (line[length] != 0))
        if (strncmp(line, text, length) || strcspn(line, "\n") != length) return false;
    return true;
}

bool sim_stub(const Kernel *k, Text *printed, Text *message)
{
    Traits t = {0};
    for (size_t c = 0; c < k->codes.n; c++) look(k->codes.v[c]->parsed, &t);
    if (t.chooses || !t.prints || !t.traps || !printed->n) return false;
    size_t length = strcspn(printed->v, "\n");
    if (!repeats(printed->v, length)) return false;
    message->n = 0;
    text_put(message, "this is a stub of its library, without code: whatever its arguments are, each thread prints a "
                      "text and traps");
    text_printf(message, "\n  it prints: %.*s", (int)MIN(length, 1000u), printed->v);
    text_printf(message, "\n  this PTX is for %s; the library's PTX for another architecture may have the kernel",
                k->image->module->target);
    printed->n = 0;
    return true;
}
