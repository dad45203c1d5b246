// rewrite.c: writes a module with the rewritten kernels behind its own. The PTX version is raised only as far as the
// rewritten kernels need it, since later versions refuse what older modules may contain (votes and shuffles without
// .sync, from 6.4 on for sm_70).
#include "sl1/unit.h"

#include <string.h>

const char sl1_silent[] =
    "the target is older than sm_70: it is assumed that lanes of a warp exchange no data in its loops through memory, "
    "without a barrier or a fence; the setting 'lockstep' leaves loops alone that could";

// How many bytes the first n parameters take in a buffer, each at its alignment, if the next one is aligned to `align`
// (CUDA Driver API, cuLaunchKernel: extra).
static uint64_t param_bytes(const Function *f, size_t n, uint32_t align)
{
    uint64_t at = 0;
    for (size_t p = 0; p < n; p++) {
        const Symbol *s = f->params.v[p];
        at = (at + s->align - 1) / s->align * s->align + s->bytes;
    }
    return (at + align - 1) / align * align;
}

static const char *why_left(const Module *m, const Sl1Plan *p, const Sl1Options *o)
{
    if (m->address_bits != 64) return "its addresses have 32 bits";
    if (m->sm < 12) return "its threads need vote, and with it .target sm_12";
    if (m->sm < 20 && o->registers) return "lines in registers need bfi and prmt, and with them .target sm_20";
    if (param_bytes(p->f, p->f->params.n, 4) + 8 > ptx_most_params(m))
        return "its parameters leave no room for two more";
    for (size_t r = 0; r < p->f->regs.n; r++)
        if (!strncmp(p->f->regs.v[r].name, "%sl1_", 5)) return "it is rewritten already";
    for (size_t k = 0; k < p->f->locals.n; k++)
        if (p->f->locals.v[k]->space == SP_GLOBAL) return "it has a variable of its own in global memory";
    if (o->line == 24 && p->unknown) return "lines of 24 bytes can't be looked up through pointers of unknown origin";
    if (!p->left && ptx_find(m, "sl1_shared")) return "its module is rewritten already";
    return p->left;
}

static const Function *kernel_of(const Symbol *s)
{
    return s->function && s->function->entry && s->function->has_body ? s->function : NULL;
}

// A kernel that is rewritten: what it is written from, and the most registers that its two kernels may have (apart,
// alias), or 0.
typedef struct Planned {
    const Function *original;
    Function *f;
    Sl1Plan *plan;
    uint32_t cap[2];
} Planned;
typedef VEC(Planned) Planneds;

static Sl1Kernel describe(const Sl1Plan *p, const Sl1Options *o, const char *left)
{
    const Function *f = p->f;
    Sl1Kernel kernel = {
        .name = mem_text(f->symbol->name), .params = (uint32_t)f->params.n, .left = left ? mem_text(left) : NULL};
    if (left) return kernel;
    kernel.structures = p->structures, kernel.warp_bytes = sl1_warp_bytes(p, o);
    kernel.pairs = o->pairs && o->line != 24 && !p->unknown;
    kernel.param_bytes = (uint32_t)param_bytes(f, f->params.n, 1);
    for (uint32_t l = 0; l < p->loops; l++) kernel.silent |= p->loop[l].silent && !p->loop[l].left;
    for (uint32_t s = 0; s < p->structures; s++)
        kernel.param[s] = p->structure[s].param,
        kernel.offset[s] = (uint32_t)param_bytes(f, p->structure[s].param, f->params.v[p->structure[s].param]->align);
    return kernel;
}

// The module's own text, and behind it the rewritten kernels.
static void write_module(const Module *module, const Sl1Options *o, const Planneds *planned, Text *out,
                         LineOrigins *origins)
{
    Text kernels = {0};
    LineOrigins inside = {0};
    for (size_t k = 0; k < planned->n; k++)
        for (int alias = 0; alias < 2 - sl1_needs_apart(o); alias++) {
            const Planned *p = &planned->v[k];
            text_put(&kernels, "\n");
            sl1_write_kernel(p->plan, o, alias, p->cap[alias], &kernels, &inside);
        }
    Module raised = *module;
    if (kernels.n && module->version_major < 2) raised.version_major = 2, raised.version_minor = 0;  // .pragma
    if ((module->sm >= 70 || (module->sm >= 30 && o->scattered)) && kernels.n &&
        module->version_major * 10 + module->version_minor < 62)
        raised.version_major = 6, raised.version_minor = 2;
    ptx_print_from(&raised, out, origins);
    if (kernels.n) {
        origin_put(origins, out, NO_ORIGIN, 0);
        text_printf(out, "\n.extern .shared .align %u .b8 sl1_shared[];\n", sl1_align(o));
        if (o->clock) text_put(out, ".shared .b8 sl1_loaded;\n");
        origins_move(origins, &inside, out->n);
        text_add(out, kernels.v, kernels.n);
    }
    text_free(&kernels), vec_free(&inside);
}

// The registers of the cache's state: three for each structure (§3.3), and six for the fill of a line, which are its
// words, its tag and the low half of the address. Each function that is called has them.
static uint32_t state_of(const Sl1Plan *p) { return (3 * p->structures + 6) * (uint32_t)p->bodies.n; }

// How many registers a rewritten kernel needs is known when it is written. So all are written, read again and counted.
static void find_caps(const Module *module, const Sl1Options *o, Planneds *planned)
{
    Text text = {0};
    Diag diag = {0};
    write_module(module, o, planned, &text, NULL);
    Module *m = ptx_parse_partly(text.v, text.n, "", &diag);
    for (size_t k = 0; k < planned->n && m; k++) {
        Planned *p = &planned->v[k];
        const Function *f = p->f;
        if (f->maxnreg || f->minnctapersm) continue;
        for (int alias = 0; alias < 2 - sl1_needs_apart(o); alias++) {
            Text name = {0};
            text_printf(&name, "%s%s", f->symbol->name, alias ? SL1_ALIAS : SL1_APART);
            const Symbol *s = ptx_find(m, name.v);
            if (s && s->function && s->function->has_body)
                p->cap[alias] =
                    sl1_cap((uint32_t)module->sm, sl1_need(p->original), sl1_need(s->function), state_of(p->plan));
            text_free(&name);
        }
    }
    ptx_free(m);
    text_free(&text), diag_free(&diag);
}

void sl1_rewrite(const Module *module, const Sl1Options *o, Text *out, LineOrigins *origins, Sl1Module *m)
{
    Planneds planned = {0};
    *m = (Sl1Module){.kernels = {0}};
    for (size_t k = 0; k < module->symbols.n; k++) {
        const Function *original = kernel_of(module->symbols.v[k]);
        if (!original) continue;
        Planned p = {.original = original, .f = sl1_prepare(original)};
        p.plan = sl1_plan(p.f, o->lockstep);
        const char *left =
            ptx_blocked(original) ? "a function that it needs isn't implemented" : why_left(module, p.plan, o);
        if (!left && o->strides) sl1_strides(p.plan, o->line);
        vec_push(&m->kernels, describe(p.plan, o, left));
        if (left)
            sl1_plan_free(p.plan), sl1_prepared_free(p.f);
        else
            vec_push(&planned, p);
    }
    if (planned.n && module->sm >= 30) find_caps(module, o, &planned);
    write_module(module, o, &planned, out, origins);
    for (size_t k = 0; k < planned.n; k++) sl1_plan_free(planned.v[k].plan), sl1_prepared_free(planned.v[k].f);
    vec_free(&planned);
}

bool sl1_rewrite_text(const char *ptx, size_t length, const char *name, const Sl1Options *o, bool marked, Text *out,
                      Sl1Module *m, Diag *diag)
{
    Module *module = ptx_parse_partly(ptx, length, name, diag);
    if (!module) return false;
    Text text = {0}, own = {0};
    LineOrigins origins = {0};
    sl1_rewrite(module, o, marked ? &text : out, marked ? &origins : NULL, m);
    text_printf(&own, "%s (as onchip sl1 writes it)", name);
    if (marked) origins_mark(&origins, &text, module, own.v, out);
    text_free(&text), text_free(&own), vec_free(&origins);
    ptx_free(module);
    return true;
}

static void dump_slice(const Sl1Plan *p, const Sl1Options *o, Slice slice, Text *out)
{
    bool apart = o->apart || sl1_needs_apart(o);
    text_printf(out, "// %s%s%s\n", p->f->symbol->name,
                p->left ? " is left alone: "
                : apart ? SL1_APART
                        : SL1_ALIAS,
                p->left ? p->left : "");
    if (!p->left) sl1_write_slice(p, o, !apart, slice, out);
}

bool sl1_dump(const Module *module, const Sl1Options *o, const char *step, Text *out)
{
    enum { INLINE, FORWARD, PLAN, MONITOR };  // then the slices, in the order of Slice
    static const char *const steps[] = {"inline", "forward", "plan", "monitor", "compute", "plain"};
    size_t s = 0;
    while (s < COUNT(steps) && strcmp(steps[s], step)) s++;
    if (s == COUNT(steps)) return false;
    for (size_t k = 0; k < module->symbols.n; k++) {
        const Function *kernel = kernel_of(module->symbols.v[k]);
        if (!kernel) continue;
        Function *f = sl1_inline(kernel);
        if (s > INLINE) sl1_forward(f);
        Sl1Plan *p = sl1_plan(f, o->lockstep);
        p->left = why_left(module, p, o);
        sl1_strides(p, o->line);
        if (s <= FORWARD)
            ptx_print_function(f, out);
        else if (s == PLAN)
            sl1_plan_print(p, out);
        else
            dump_slice(p, o, (Slice)(SLICE_MONITOR + s - MONITOR), out);
        sl1_plan_free(p), sl1_prepared_free(f);
    }
    return true;
}

const Sl1Kernel *sl1_find(const Sl1Module *m, const char *name)
{
    for (size_t k = 0; k < m->kernels.n; k++)
        if (!strcmp(m->kernels.v[k].name, name)) return &m->kernels.v[k];
    return NULL;
}

void sl1_module_free(Sl1Module *m)
{
    for (size_t k = 0; k < m->kernels.n; k++) mem_free(m->kernels.v[k].name), mem_free(m->kernels.v[k].left);
    vec_free(&m->kernels);
}
