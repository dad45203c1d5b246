// module.c: loads PTX on the simulated device: lays out and initialises variables, decodes kernels, and finds kernels
// by name.
#include "device/sim.h"

#include <stdlib.h>
#include <string.h>

// The most bytes that a byte of PTX becomes when it is parsed, lowered and decoded; and of kernels that stay decoded.
enum { BYTES_EACH = 48, MOST_DECODED = 1 << 30 };

static uint64_t target_address(const Module *m, const Reloc *r, uint64_t bank)
{
    if (r->sym->function) return exec_function_address(m, r->sym);
    return r->sym->address + (uint64_t)r->offset + (r->sym->space == SP_CONST && r->generic ? bank : 0);
}

// A texture, sampler or surface variable.
static bool is_reference(const Symbol *s)
{
    return s->space == SP_TEX || (s->space == SP_GLOBAL && type_info[s->type].kind == K_OPAQUE);
}

// Memory of the device for variables, which are zero unless they are initialised. 0: there is no room.
static uint64_t zeroed_room(Sim *d, uint64_t bytes, const char *label)
{
    const uint64_t fresh = GLOBAL_BASE + d->memory.top, at = gmem_alloc(&d->memory, bytes, label, true);
    if (at && at < fresh) memset(gmem_host(&d->memory, at), 0, bytes);
    if (at) check_written(d->chip.check, at, bytes, true);
    return at;
}

static bool no_room(const SimModule *mod, const Symbol *s, Diag *diag)
{
    diag->memory = true;
    return diag_at(diag, &mod->image.module->source, s->at, NULL, "no room in the %s memory for '%s'",
                   sim_of(mod->base.device)->memory.host_full ? "host's" : "device's", s->name);
}

static uint64_t variable_address(const Image *image, const Symbol *s)
{
    return s->address + (s->space == SP_CONST ? image->const_base : 0);
}

// Once all have their addresses, for the values of some are addresses of others.
static void initialise(SimModule *mod, Symbol *const *vars, size_t n)
{
    const Gmem *memory = &sim_of(mod->base.device)->memory;
    for (size_t k = 0; k < n; k++) {
        const Symbol *s = vars[k];
        if (!s->init || (s->space != SP_GLOBAL && s->space != SP_CONST)) continue;
        uint8_t *p = gmem_host(memory, variable_address(&mod->image, s));
        memcpy(p, s->init, s->bytes);
        for (const Reloc *r = s->relocs; r; r = r->next) {
            uint64_t a = target_address(mod->image.module, r, mod->image.const_base) >> r->shift;
            memcpy(p + r->at, &a, r->bytes);
        }
    }
}

static bool lay_out(SimModule *mod, Diag *diag)
{
    Sim *d = sim_of(mod->base.device);
    Module *m = mod->image.module;
    VEC(Symbol *) vars = {0};
    for (size_t k = 0; k < m->symbols.n; k++)
        if (!m->symbols.v[k]->function) vec_push(&vars, m->symbols.v[k]);
    for (size_t f = 0; f < m->functions.n; f++)
        for (size_t k = 0; k < m->functions.v[f]->locals.n; k++) vec_push(&vars, m->functions.v[f]->locals.v[k]);
    const Symbol *constant = NULL;  // the last one
    bool ok = true;
    for (size_t k = 0; ok && k < vars.n; k++) {
        Symbol *s = vars.v[k];
        if (is_reference(s)) {
            ok = references_open(d, s, diag, &m->source);
        } else if (s->space == SP_CONST) {
            uint64_t at = (mod->image.const_bytes + s->align - 1) / s->align * s->align;
            if (at > CONST_BANK || s->bytes > CONST_BANK - at) {
                ok = diag_at(diag, &m->source, s->at, NULL, "constant memory of more than 16 MiB");
                continue;
            }
            s->address = at, constant = s;
            mod->image.const_bytes = (uint32_t)(at + s->bytes);
        } else if (s->space == SP_GLOBAL && s->bytes && s->linkage != LINK_EXTERN) {
            s->address = zeroed_room(d, s->bytes, sim_keep_label(d, s->name));
            if (!s->address) ok = no_room(mod, s, diag);
        }
    }
    if (ok && mod->image.const_bytes) {
        mod->image.const_base = zeroed_room(d, mod->image.const_bytes, NULL);
        if (!mod->image.const_base) ok = no_room(mod, constant, diag);
    }
    if (ok) initialise(mod, vars.v, vars.n);
    vec_free(&vars);
    return ok;
}

static int by_name(const void *a, const void *b)
{
    const SimKernel *x = *(SimKernel *const *)a, *y = *(SimKernel *const *)b;
    return strcmp(x->f->symbol->name, y->f->symbol->name);
}

// What is known of a kernel by its address goes with it.
static void drop(Sim *d, SimKernel *kernel)
{
    if (!kernel->kernel) return;
    for (size_t r = 0; r < d->records.n; r++)
        if (d->records.v[r].code == kernel->kernel) d->records.v[r].code = NULL;
    for (size_t s = 0; s < d->sums.n; s++)
        if (d->sums.v[s].code == kernel->kernel) d->sums.v[s].code = NULL;
    repeats_close(d->chip.repeats), d->chip.repeats = NULL;
    d->lines_launch = 0;
    d->decoded -= kernel->kernel->bytes;
    exec_kernel_free(kernel->kernel);
    kernel->kernel = NULL;
}

// The kernel that was asked for the longest ago, but for the one that stays; null: there is no other.
static SimKernel *oldest(const Sim *d, const SimKernel *stays)
{
    SimKernel *found = NULL;
    for (size_t m = 0; m < d->modules.n; m++)
        for (size_t k = 0; k < d->modules.v[m]->kernels.n; k++) {
            SimKernel *it = d->modules.v[m]->kernels.v[k];
            if (it->kernel && it != stays && (!found || it->turn < found->turn)) found = it;
        }
    return found;
}

// A kernel that can't be run is kept, and its launch fails with the reason. A module may have hundreds of kernels that
// call the same large functions, each of which has these decoded for itself: those that were asked for the longest ago
// make room, and are decoded anew when their turn comes.
static void make(SimModule *mod, SimKernel *kernel, Diag *diag)
{
    Sim *d = sim_of(mod->base.device);
    mem_free(kernel->refusal), kernel->refusal = NULL;
    kernel->kernel = exec_decode(&mod->image, kernel->f, diag);
    if (kernel->kernel) {
        d->decoded += kernel->kernel->bytes;
        for (SimKernel *old; d->decoded > MOST_DECODED && (old = oldest(d, kernel));) drop(d, old);
        return;
    }
    kernel->refusal = mem_text(diag->text.v ? diag->text.v : "");
    kernel->status = diag->unsupported ? OC_UNSUPPORTED : diag->memory ? OC_OUT_OF_MEMORY : OC_BAD_FILE;
}

const SimKernel *sim_kernel(const oc_kernel *base)
{
    SimKernel *kernel = (SimKernel *)(uintptr_t)base;
    const bool refused = kernel->refusal && kernel->status != OC_OUT_OF_MEMORY;
    Diag diag = {0};
    if (!kernel->kernel && !refused) make((SimModule *)base->module, kernel, &diag);
    kernel->turn = ++sim_of(base->module->device)->turns;
    diag_free(&diag);
    return kernel;
}

// A strict device makes every kernel at once, and refuses the module if one can't be run.
const char *device_left_out(const oc_kernel *base) { return ((const SimKernel *)base)->f->refusal; }

static bool add_kernel(SimModule *mod, const Function *fn, Diag *diag)
{
    SimKernel *kernel = mem_alloc(sizeof *kernel);
    *kernel = (SimKernel){.base = {&mod->base}, .f = fn};
    params_read(&kernel->params, fn);
    vec_push(&mod->kernels, kernel);
    if (sim_of(mod->base.device)->config.strict) make(mod, kernel, diag);
    return !kernel->refusal;
}

oc_status sim_load(oc_device *base, const char *ptx, size_t length, const char *name, oc_module **out)
{
    Sim *d = sim_of(base);
    Diag diag = {0};
    *out = NULL;
    if (!mem_room(length * BYTES_EACH))
        return fail(d, OC_OUT_OF_MEMORY, "the host has no memory for %s, %zu bytes of PTX", name ? name : "the module",
                    length);
    const uint32_t most = d->gpu.sm.reg_max;
    SimModule *mod = mem_alloc(sizeof *mod);
    mod->base.device = base;
    mod->image = (Image){.module = ptx_parse_partly(ptx, length, name ? name : "module.ptx", &diag),
                         .lower = !d->config.no_lowering && d->gpu.sm.lower,
                         .reg_limit = d->bound ? MIN(d->bound, most ? most : d->bound) : most,
                         .reg_least = d->gpu.sm.reg_stated ? d->stated : 0,
                         .values = d->gpu.sm.reg_values,
                         .banks = d->gpu.sm.reg_spread ? d->gpu.sm.reg_banks : 0,
                         .files = operands_count(&d->gpu.sm)};
    Module *m = mod->image.module;
    if (m) gpu_lowering(&d->gpu, m), names_of_source(m);
    if (d->gpu.sm.hierarchy == HIERARCHY_STRANDS)
        mod->image.last = MIN(d->gpu.sm.lrf, 1), mod->image.operand = d->gpu.sm.orf;
    vec_push(&d->modules, mod);
    bool ok = mod->image.module && lay_out(mod, &diag);
    for (size_t f = 0; ok && f < mod->image.module->symbols.n; f++) {
        const Function *fn = mod->image.module->symbols.v[f]->function;
        if (fn && fn->entry && (fn->has_body || fn->refusal)) ok = add_kernel(mod, fn, &diag);
    }
    if (!ok) {
        oc_status status = diag.memory ? OC_OUT_OF_MEMORY : diag.unsupported ? OC_UNSUPPORTED : OC_BAD_FILE;
        fail(d, status, "%s", diag.text.v ? diag.text.v : "");
        diag_free(&diag);
        sim_unload(&mod->base);
        return status;
    }
    diag_free(&diag);
    if (mod->kernels.n) qsort(mod->kernels.v, mod->kernels.n, sizeof *mod->kernels.v, by_name);
    *out = &mod->base;
    return OC_OK;
}

static void free_globals(SimModule *mod)
{
    const Module *m = mod->image.module;
    Gmem *memory = &sim_of(mod->base.device)->memory;
    for (size_t k = 0; m && k < m->symbols.n; k++) {
        const Symbol *s = m->symbols.v[k];
        if (is_reference(s))
            references_close(sim_of(mod->base.device), s);
        else if (s->space == SP_GLOBAL && s->address)
            gmem_free(memory, s->address);
    }
    for (size_t f = 0; m && f < m->functions.n; f++)
        for (size_t k = 0; k < m->functions.v[f]->locals.n; k++) {
            const Symbol *s = m->functions.v[f]->locals.v[k];
            if (is_reference(s))
                references_close(sim_of(mod->base.device), s);
            else if (s->space == SP_GLOBAL && s->address)
                gmem_free(memory, s->address);
        }
}

void sim_unload(oc_module *base)
{
    SimModule *mod = (SimModule *)base;
    Sim *d = sim_of(base->device);
    for (size_t k = 0; k < mod->kernels.n; k++) {
        drop(d, mod->kernels.v[k]);
        mem_free(mod->kernels.v[k]->refusal);
        params_free(&mod->kernels.v[k]->params);
        mem_free(mod->kernels.v[k]);
    }
    vec_free(&mod->kernels);
    free_globals(mod);
    if (mod->image.const_base) gmem_free(&d->memory, mod->image.const_base);
    ptx_free(mod->image.module);
    for (size_t m = 0; m < d->modules.n; m++)
        if (d->modules.v[m] == mod) {
            memmove(d->modules.v + m, d->modules.v + m + 1, (d->modules.n - m - 1) * sizeof *d->modules.v);
            d->modules.n--;
            break;
        }
    mem_free(mod);
}

oc_status sim_kernel_get(oc_module *base, const char *name, oc_kernel **kernel)
{
    SimModule *mod = (SimModule *)base;
    const char *names[64];
    size_t n = 0;
    for (size_t k = 0; k < mod->kernels.n; k++) {
        const char *it = mod->kernels.v[k]->f->symbol->name;
        if (n < COUNT(names)) names[n++] = it;
        if (strcmp(it, name)) continue;
        *kernel = &mod->kernels.v[k]->base;
        return OC_OK;
    }
    *kernel = NULL;
    char hint[100];
    return fail(sim_of(base->device), OC_BAD_ARGUMENT, "no kernel '%s' in %s%s", name, mod->image.module->source.name,
                did_you_mean(name, names, n, hint));
}

size_t sim_kernel_count(const oc_module *m) { return ((const SimModule *)m)->kernels.n; }
oc_kernel *sim_kernel_at(oc_module *m, size_t index)
{
    return index < sim_kernel_count(m) ? &((SimModule *)m)->kernels.v[index]->base : NULL;
}

oc_status sim_symbol(oc_module *base, const char *name, oc_ptr *ptr, size_t *bytes)
{
    const SimModule *mod = (const SimModule *)base;
    const Symbol *s = ptx_find(mod->image.module, name);
    if (!s || is_reference(s) || (s->space != SP_GLOBAL && s->space != SP_CONST))
        return fail(sim_of(base->device), OC_BAD_ARGUMENT, "no .global or .const variable '%s'", name);
    *ptr = variable_address(&mod->image, s);
    if (bytes) *bytes = s->bytes;
    return OC_OK;
}

const char *sim_kernel_name(const oc_kernel *k) { return ((const SimKernel *)k)->f->symbol->name; }

oc_kernel_info sim_kernel_describe(const oc_kernel *base)
{
    const SimKernel *k = sim_kernel(base);
    return (oc_kernel_info){.name = k->f->symbol->name,
                            .params = (uint32_t)k->f->params.n,
                            .registers = k->kernel ? k->kernel->registers : 0,
                            .shared_bytes = k->kernel ? k->kernel->static_shared : 0,
                            .local_bytes = k->kernel ? k->kernel->local_bytes : 0,
                            .max_threads = sim_most_threads(k),
                            .sizes = k->params.sizes,
                            .names = k->params.names,
                            .types = k->params.types,
                            .declared = k->params.declared,
                            .refusal = k->refusal};
}
