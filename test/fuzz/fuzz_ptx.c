// The PTX front end takes any bytes; and what it takes prints, reads back and is analysed, lowered and prepared for the
// software L1 consistently.
#include "mutate.h"
#include "ptx/ops.h"
#include "ptx/unit.h"
#include "sl1/unit.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

// Bytes in one case of three, tokens in the others.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return seed % 3 || !LLVMFuzzerMutate ? mutate_input(data, size, max_size, seed)
                                         : LLVMFuzzerMutate(data, size, max_size);
}

static void demand(bool good, const char *what, const Diag *diag)
{
    if (good) return;
    fprintf(stderr, "%s\n%s\n", what, diag && diag->text.v ? diag->text.v : "");
    abort();
}

// What m prints as reads back, and prints the same again.
static void round_trip(const Module *m, const char *what)
{
    Text once = {0}, twice = {0};
    Diag diag = {0};
    ptx_print(m, &once);
    Module *again = ptx_parse(once.v, once.n, "printed", &diag);
    demand(again != NULL, what, &diag);
    ptx_print(again, &twice);
    demand(!strcmp(once.v, twice.v), what, NULL);
    ptx_free(again);
    text_free(&once);
    text_free(&twice);
    diag_free(&diag);
}

// One of two registers is a copy of the other: they may share a slot, and what changes one of them ends that.
static bool copies(const Function *f, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < f->insts.n; i++) {
        const Operand *o = f->insts.v[i].opnd;
        if (f->insts.v[i].op != OP_MOV || o[0].kind != O_REG || o[1].kind != O_REG) continue;
        if ((o[0].reg == a && o[1].reg == b) || (o[0].reg == b && o[1].reg == a)) return true;
    }
    return false;
}

// Registers that live where a block begins lie apart.
static void check_alloc(const Flow *w, const Alloc *a)
{
    const Function *f = w->f;
    uint32_t *owner = mem_alloc(sizeof *owner * (a->slots + a->preds + 1));
    for (uint32_t b = 0; b < w->blocks.n; b++) {
        if (b && w->blocks.v[b].idom == NO_BLOCK) continue;  // nothing leads here
        memset(owner, 0, sizeof *owner * (a->slots + a->preds + 1));
        for (uint32_t r = 0; r < f->regs.n; r++) {
            if (!(w->live_in[(size_t)b * w->words + r / 64] >> (r % 64) & 1)) continue;
            int bits = type_info[f->regs.v[r].type].bits;
            uint32_t wide = bits == 1 ? 1 : (uint32_t)(bits + 31) / 32, at = a->slot[r] + (bits == 1 ? a->slots : 0);
            demand(a->slot[r] != NO_REG && (bits == 1 || a->slot[r] % wide == 0), "slot", NULL);
            for (uint32_t k = 0; k < wide; k++) {
                demand(!owner[at + k] || copies(f, r, owner[at + k] - 1), "two live registers share a slot", NULL);
                owner[at + k] = r + 1;
            }
        }
    }
    mem_free(owner);
}

static void analyse(const Function *f)
{
    Flow *w = flow_build(f);
    flow_live(w);
    for (uint32_t i = 0; i < f->insts.n; i++) demand(flow_reconvergence(w, i) <= f->insts.n, "reconvergence", NULL);
    Alloc *colour = alloc_colour(w), *scan = alloc_limited(w, 0), *identity = alloc_identity(w);
    check_alloc(w, colour);
    check_alloc(w, scan);
    alloc_free(colour);
    alloc_free(scan);
    alloc_free(identity);
    Text dot = {0};
    flow_dot(w, &dot);
    text_free(&dot);
    flow_free(w);
    int16_t *provenance = ptx_provenance(f, NULL);
    for (uint32_t i = 0; i < f->insts.n; i++)
        demand(provenance[i] == PROV_NONE || (size_t)provenance[i] < f->params.n, "provenance", NULL);
    mem_free(provenance);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 16) return 0;
    Diag diag = {0};
    Module *m = ptx_parse((const char *)data, size, "fuzz.ptx", &diag);
    demand((m == NULL) == diag.failed, "a module or a diagnostic", &diag);
    diag_free(&diag);
    if (!m) return 0;
    round_trip(m, "the module as printed");
    for (size_t k = 0; k < m->items.n; k++) {
        Function *f = m->items.v[k].function;
        if (!f || !f->has_body) continue;
        analyse(f);
        for (uint32_t limit = 0; limit <= 6; limit += 6) {  // as it comes, and squeezed into 6 registers
            Function *g = ptx_lower(f, limit);
            analyse(g);
            m->items.v[k].function = g;
            round_trip(m, "the lowered function as printed");
            m->items.v[k].function = f;
            ptx_lowered_free(g);
        }
        Function *prepared = sl1_prepare(f);
        analyse(prepared);
        m->items.v[k].function = prepared;
        round_trip(m, "the prepared function as printed");
        m->items.v[k].function = f;
        sl1_prepared_free(prepared);
    }
    ptx_free(m);
    return 0;
}
