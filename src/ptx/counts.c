// counts.c: how many machine instructions stand in a function's code, by timing class; loads and stores also by the
// memory that they access. An instruction that becomes several counts as many: those that its class's unit does there,
// the others as sums and logic.
#include "ptx/pass.h"

#include <inttypes.h>

enum { SPACES = SP_TEX + 1 };

void ptx_counts(const Function *f, Text *out)
{
    static const char *const names[] = {
#define CLASS(id) #id,
#include "ptx/classes.def"
#undef CLASS
    };
    uint64_t count[CLASS_COUNT][SPACES] = {{0}}, sum = 0;
    for (size_t n = 0; n < f->insts.n; n++) {
        const Inst *i = &f->insts.v[n];
        const Sass s = inst_sass(i, f->module->sass);
        const bool memory = s.class == CLASS_LOAD || s.class == CLASS_STORE || s.class == CLASS_ATOMIC;
        const unsigned space = memory ? i->space : SP_NONE;
        count[s.class][space] += s.units;
        count[CLASS_ALU][SP_NONE] += s.slots - s.units;
        sum += s.slots;
    }
    for (size_t c = 0; c < CLASS_COUNT; c++)
        for (size_t s = 0; s < SPACES; s++)
            if (count[c][s])
                text_printf(out, "  %s%s%s %" PRIu64 "\n", names[c], s ? "." : "", s ? space_names[s] : "",
                            count[c][s]);
    text_printf(out, "  all %" PRIu64 "\n", sum);
}
