// rewrite.c: a module with the rewritten kernels behind its own. The version is raised only as far as they need it, since later
// ones refuse what older modules may contain (votes and shuffles without .sync, from 6.4 on for sm_70).
#include "sl1/sl1.h"

#include <string.h>

static bool has_symbol(const Module *m, const char *name) { return ptx_find(m, name) != NULL; }

static const char *why_left(const Module *m, const Sl1Plan *p)
{
    if (m->address_bits != 64) return "its addresses have 32 bits";
    for (size_t r = 0; r < p->f->regs.n; r++)
        if (!strncmp(p->f->regs.v[r].name, "%sl1_", 5)) return "it is rewritten already";
    return p->left;
}

void sl1_rewrite(const Module *module, const Sl1Options *o, Text *out, Sl1Module *m)
{
    Text kernels = {0};
    *m = (Sl1Module){.kernels = {0}};
    for (size_t k = 0; k < module->symbols.n; k++) {
        const Function *f = module->symbols.v[k]->function;
        if (!f || !f->entry || !f->has_body) continue;
        Sl1Plan *p = sl1_plan(f);
        const char *left = why_left(module, p);
        if (!left && has_symbol(module, "sl1_shared")) left = "its module is rewritten already";
        Sl1Kernel kernel = {.name = mem_text(f->symbol->name), .params = (uint32_t)f->params.n, .left = left ? mem_text(left) : NULL};
        if (!left) {
            kernel.structures = p->structures, kernel.warp_bytes = sl1_warp_bytes(p);
            for (uint32_t s = 0; s < p->structures; s++) kernel.param[s] = p->structure[s].param;
            for (int alias = 0; alias < 2; alias++) text_put(&kernels, "\n"), sl1_write_kernel(p, o, alias, &kernels);
        }
        vec_push(&m->kernels, kernel);
        sl1_plan_free(p);
    }
    Module raised = *module;
    if (module->sm >= 30 && !o->per_thread && kernels.n && module->version_major * 10 + module->version_minor < 62) raised.version_major = 6, raised.version_minor = 2;
    ptx_print(&raised, out);
    if (kernels.n) {
        text_put(out, "\n.extern .shared .align 16 .b8 sl1_shared[];\n");
        sl1_write_functions(o, out);
        text_add(out, kernels.v, kernels.n);
    }
    text_free(&kernels);
}

void sl1_module_free(Sl1Module *m)
{
    for (size_t k = 0; k < m->kernels.n; k++) mem_free(m->kernels.v[k].name), mem_free(m->kernels.v[k].left);
    vec_free(&m->kernels);
}
