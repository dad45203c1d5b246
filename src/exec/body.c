// body.c: what is the same of a function for all kernels of its module that reach it: its lowered form, where its
// values lie, and what follows from its flow. Kernels of one module often share most of their functions, and finding
// this takes longer than decoding does. Invariant: a body is there as long as a kernel's code uses it.
#include "exec/decode.h"
#include "ptx/ops.h"
#include "ptx/strands.h"

static size_t place_of(const Image *image, const Function *f)
{
    return (size_t)(exec_function_address(image->module, f->symbol) - CODE_BASE);
}

static void find_places(const Image *image, const Flow *flow, Body *b)
{
    b->alloc = image->lower ? alloc_colour(flow) : alloc_identity(flow);
    if (image->files) b->files = files_allocate(flow, b->alloc, image->last, image->operand, image->values);
    if (image->files && image->banks) files_spread(b->files, flow, b->alloc->slots, image->banks);
    b->registers = image->values && image->lower ? alloc_values(flow) : 0;
    if (!b->registers) b->registers = b->alloc->slots;
}

static bool names(const Operand *o)
{
    bool is = o->sym;
    for (int k = 0; k < o->count && !is; k++) is = names(&o->items[k]);
    return is;
}

static void find_naming(const Function *parsed, Body *b)
{
    for (size_t n = 0; n < parsed->insts.n; n++) {
        const Inst *i = &parsed->insts.v[n];
        bool is = i->op == OP_CALL;
        for (int k = 0; k < i->operands && !is; k++) is = names(&i->opnd[k]);
        if (is) vec_push(&b->naming, (uint32_t)n);
    }
}

static Body *make(const Image *image, const Function *parsed)
{
    Body *b = mem_alloc(sizeof *b);
    b->f = image->lower || ptx_has_wmma(parsed) ? ptx_lower(parsed, image->reg_limit) : parsed;
    Flow *flow = flow_build(b->f);
    flow_live(flow);
    find_places(image, flow, b);
    b->reconverge = mem_alloc(sizeof *b->reconverge * (b->f->insts.n + 1));
    b->sass = mem_alloc(sizeof *b->sass * (b->f->insts.n + 1));
    for (size_t n = 0; n < b->f->insts.n; n++) b->sass[n] = inst_sass(&b->f->insts.v[n], image->module->sass);
    find_naming(parsed, b);
    for (uint32_t n = 0; n < b->f->insts.n; n++)
        if (b->f->insts.v[n].op == OP_BRA || b->f->insts.v[n].op == OP_BRX)
            b->reconverge[n] = flow_reconvergence(flow, n);
    flow_free(flow);
    return b;
}

Body *body_take(Image *image, const Function *parsed)
{
    const size_t at = place_of(image, parsed);
    if (!image->bodies) image->bodies = mem_alloc(sizeof *image->bodies * image->module->symbols.n);
    if (!image->bodies[at]) image->bodies[at] = make(image, parsed), image->made++;
    image->bodies[at]->users++;
    return image->bodies[at];
}

void body_give(Image *image, const Function *parsed)
{
    const size_t at = place_of(image, parsed);
    Body *b = image->bodies[at];
    if (--b->users) return;
    alloc_free(b->alloc), files_free(b->files);
    mem_free(b->reconverge), mem_free(b->uniform), mem_free(b->sass);
    vec_free(&b->naming);
    if (b->f != parsed) ptx_lowered_free((Function *)(uintptr_t)b->f);
    mem_free(b);
    image->bodies[at] = NULL;
    if (--image->made) return;
    mem_free(image->bodies);
    image->bodies = NULL;
}

const bool *body_uniform(Body *b)
{
    if (!b->uniform) b->uniform = ptx_uniform(b->f);
    return b->uniform;
}
