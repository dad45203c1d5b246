// sim.c: the public interface on a simulated GPU. A device owns its memory, its chip, its modules and the record of its
// launches. Streams are positions on a simulated timeline: copies take the host link and a copy engine, kernels the
// chip, each in the order it was issued; the default stream waits for all others and they for it.
#include "device/device.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct oc_stream {
    oc_device *device;
    double end;
};
struct oc_kernel {
    oc_module *module;
    Kernel *kernel;
    uint32_t *sizes;
    const char **names;
};
struct oc_module {
    oc_device *device;
    Image image;
    VEC(oc_kernel *) kernels;
};
struct oc_device {
    oc_config config;
    Gpu gpu;
    Gmem memory;
    Chip chip;
    char *error;
    VEC(oc_module *) modules;
    VEC(oc_stream *) streams;
    VEC(Record) records;
    VEC(Texture) textures;
    VEC(char *) labels;
    oc_stream standard;
    double copy_free[2], chip_free;   // when the engines are free, seconds
    double wall;
    uint64_t peak;
    regex_t only;
    bool has_only;
    uint64_t skip, matched;
    ModuleTransform *transform;
    void *transform_user;
};

static oc_status fail(oc_device *d, oc_status status, const char *format, ...)
{
    va_list args;
    Text t = {0};
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    while (t.n && t.v[t.n - 1] == '\n') t.v[--t.n] = 0;
    mem_free(d->error);
    d->error = mem_text(t.v ? t.v : "");
    text_free(&t);
    return status;
}

static void report(const Diag *diag, char *message, size_t capacity)
{
    if (message && capacity) snprintf(message, capacity, "%s", diag->text.v ? diag->text.v : "");
}

oc_status oc_open(const oc_config *config, oc_device **out, char *message, size_t capacity)
{
    Diag diag = {0};
    *out = NULL;
    oc_device *d = mem_alloc(sizeof *d);
    d->config = *config;
    d->standard.device = d;
    if (!gpu_load(&d->gpu, config->gpu ? config->gpu : "gtx480", config->sets, &diag)) {
        oc_status status = device_blame(config->gpu, &diag);
        report(&diag, message, capacity);
        diag_free(&diag);
        mem_free(d);
        return status;
    }
    if (!gmem_open(&d->memory, d->gpu.memory)) {
        if (message && capacity) snprintf(message, capacity, "the host can't reserve %llu bytes for the device's memory", (unsigned long long)d->gpu.memory);
        mem_free(d);
        return OC_OUT_OF_MEMORY;
    }
    if (!chip_open(&d->chip, &d->gpu, &d->memory, config->threads ? config->threads : 1, &diag)) {
        report(&diag, message, capacity);
        diag_free(&diag);
        chip_close(&d->chip);
        gmem_close(&d->memory);
        mem_free(d);
        return OC_BAD_FILE;
    }
    *out = d;
    return OC_OK;
}

void oc_close(oc_device *d)
{
    if (!d) return;
    while (d->modules.n) oc_unload(d->modules.v[d->modules.n - 1]);
    while (d->streams.n) oc_stream_destroy(d->streams.v[d->streams.n - 1]);
    for (size_t r = 0; r < d->records.n; r++) record_free(&d->records.v[r]);
    for (size_t l = 0; l < d->labels.n; l++) mem_free(d->labels.v[l]);
    vec_free(&d->records), vec_free(&d->modules), vec_free(&d->streams), vec_free(&d->textures), vec_free(&d->labels);
    chip_close(&d->chip);
    gmem_close(&d->memory);
    if (d->has_only) regfree(&d->only);
    mem_free(d->error);
    mem_free(d);
}

const char *oc_error(const oc_device *d) { return d->error ? d->error : ""; }

// --- memory -------------------------------------------------------------------------------------------------------------
// Labels outlive what they name: a message may be about memory that was freed.
static const char *keep_label(oc_device *d, const char *label)
{
    char *kept = mem_text(label);
    vec_push(&d->labels, kept);
    return kept;
}

oc_status oc_malloc(oc_device *d, size_t bytes, const char *label, oc_ptr *ptr)
{
    if (!bytes) return fail(d, OC_BAD_ARGUMENT, "an allocation has at least 1 byte");
    *ptr = gmem_alloc(&d->memory, bytes, label ? keep_label(d, label) : NULL, false);
    if (!*ptr) return fail(d, OC_OUT_OF_MEMORY, "the device's memory of %llu bytes has no room for %zu more (gpu.memory)", (unsigned long long)d->gpu.memory, bytes);
    d->peak = MAX(d->peak, d->memory.top);
    return OC_OK;
}

oc_status oc_free(oc_device *d, oc_ptr ptr)
{
    if (!ptr) return OC_OK;
    const Allocation *a = gmem_find(&d->memory, ptr);
    if (!a || a->internal || !gmem_free(&d->memory, ptr)) return fail(d, OC_BAD_ARGUMENT, "0x%llx is not the start of an allocation", (unsigned long long)ptr);
    return OC_OK;
}

// The host address of [ptr, ptr + bytes), in global memory or a constant bank; null, with an error, when it isn't whole.
static void *locate(oc_device *d, oc_ptr ptr, size_t bytes)
{
    const Allocation *a = gmem_find(&d->memory, ptr);
    if (a && !a->freed && bytes <= a->end - ptr) return gmem_host(&d->memory, ptr);
    for (size_t m = 0; m < d->modules.n; m++) {
        Image *i = &d->modules.v[m]->image;
        if (ptr >= i->const_base && ptr - i->const_base <= i->const_bytes && bytes <= i->const_bytes - (ptr - i->const_base)) return i->constants + (ptr - i->const_base);
    }
    a = gmem_near(&d->memory, ptr);
    fail(d, OC_BAD_ARGUMENT, "[0x%llx, +%zu) is not inside one allocation%s%s", (unsigned long long)ptr, bytes, a && a->label ? "; the nearest is " : "", a && a->label ? a->label : "");
    return NULL;
}

static void take_time(oc_device *d, oc_stream *s, double *engine, double seconds)
{
    double start = s ? s->end : d->standard.end;
    if (!s || s == &d->standard)
        for (size_t k = 0; k < d->streams.n; k++) start = MAX(start, d->streams.v[k]->end);
    else start = MAX(start, d->standard.end);
    start = MAX(start, *engine);
    *engine = start + seconds;
    (s ? s : &d->standard)->end = *engine;
}

static double copy_seconds(const oc_device *d, size_t bytes) { return d->gpu.host_us * 1e-6 + (double)bytes / (d->gpu.host_gbs * 1e9); }

oc_status oc_write(oc_device *d, oc_ptr to, const void *from, size_t bytes, oc_stream *s)
{
    void *p = locate(d, to, bytes);
    if (!p) return OC_BAD_ARGUMENT;
    memcpy(p, from, bytes);
    take_time(d, s, &d->copy_free[0], copy_seconds(d, bytes));
    return OC_OK;
}

oc_status oc_read(oc_device *d, void *to, oc_ptr from, size_t bytes, oc_stream *s)
{
    void *p = locate(d, from, bytes);
    if (!p) return OC_BAD_ARGUMENT;
    memcpy(to, p, bytes);
    take_time(d, s, &d->copy_free[d->gpu.engines > 1], copy_seconds(d, bytes));
    return OC_OK;
}

oc_status oc_copy(oc_device *d, oc_ptr to, oc_ptr from, size_t bytes, oc_stream *s)
{
    void *q = locate(d, from, bytes), *p = locate(d, to, bytes);
    if (!p || !q) return OC_BAD_ARGUMENT;
    memmove(p, q, bytes);
    take_time(d, s, &d->chip_free, 2.0 * (double)bytes / (d->gpu.dram_gbs * 1e9));
    return OC_OK;
}

oc_status oc_fill(oc_device *d, oc_ptr to, uint8_t value, size_t bytes, oc_stream *s)
{
    void *p = locate(d, to, bytes);
    if (!p) return OC_BAD_ARGUMENT;
    memset(p, value, bytes);
    take_time(d, s, &d->chip_free, (double)bytes / (d->gpu.dram_gbs * 1e9));
    return OC_OK;
}

// --- modules ------------------------------------------------------------------------------------------------------------
static uint64_t target_address(const Module *m, const Reloc *r, uint64_t bank)
{
    if (r->sym->function) {
        for (size_t k = 0; k < m->symbols.n; k++)
            if (m->symbols.v[k] == r->sym) return CODE_BASE + k;
        return 0;
    }
    return r->sym->address + (uint64_t)r->offset + (r->sym->space == SP_CONST && r->generic ? bank : 0);
}

static bool lay_out(oc_module *mod, Diag *diag)
{
    oc_device *d = mod->device;
    Module *m = mod->image.module;
    VEC(Symbol *) vars = {0};
    for (size_t k = 0; k < m->symbols.n; k++)
        if (!m->symbols.v[k]->function) vec_push(&vars, m->symbols.v[k]);
    for (size_t f = 0; f < m->functions.n; f++)
        for (size_t k = 0; k < m->functions.v[f]->locals.n; k++) vec_push(&vars, m->functions.v[f]->locals.v[k]);
    bool ok = true;
    for (size_t k = 0; ok && k < vars.n; k++) {
        Symbol *s = vars.v[k];
        if (s->space == SP_CONST) {
            uint64_t at = (mod->image.const_bytes + s->align - 1) / s->align * s->align;
            if (at + s->bytes > CONST_BANK) ok = diag_at(diag, &m->source, s->at, NULL, "constant memory of more than 16 MiB");
            s->address = at;
            mod->image.const_bytes = (uint32_t)(at + s->bytes);
        } else if (s->space == SP_GLOBAL && s->bytes && s->linkage != LINK_EXTERN) {
            s->address = gmem_alloc(&d->memory, s->bytes, keep_label(d, s->name), true);
            if (!s->address) ok = diag_at(diag, &m->source, s->at, NULL, "no room in the device's memory for '%s'", s->name);
        }
    }
    mod->image.constants = mem_alloc(mod->image.const_bytes + 16);
    uint64_t bank = mod->image.const_base = CONST_WINDOW;  // the first that no other module has
    for (size_t k = 0; k < d->modules.n; k++)
        if (d->modules.v[k]->image.const_base == bank) mod->image.const_base = bank += CONST_BANK, k = (size_t)-1;
    for (size_t k = 0; ok && k < vars.n; k++) {
        Symbol *s = vars.v[k];
        if (!s->init || (s->space != SP_GLOBAL && s->space != SP_CONST)) continue;
        uint8_t *p = s->space == SP_CONST ? mod->image.constants + s->address : gmem_host(&d->memory, s->address);
        memcpy(p, s->init, s->bytes);
        for (const Reloc *r = s->relocs; r; r = r->next) {
            uint64_t a = target_address(m, r, bank) >> r->shift;
            memcpy(p + r->at, &a, r->bytes);
        }
    }
    vec_free(&vars);
    return ok;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(oc_kernel *const *)a)->kernel->f->symbol->name, (*(oc_kernel *const *)b)->kernel->f->symbol->name);
}

oc_status oc_load(oc_device *d, const char *ptx, size_t length, const char *name, oc_module **out)
{
    Diag diag = {0};
    *out = NULL;
    char *changed = d->transform ? d->transform(d->transform_user, ptx, length, name) : NULL;
    oc_module *mod = mem_alloc(sizeof *mod);
    mod->device = d;
    mod->image = (Image){.module = ptx_parse(changed ? changed : ptx, changed ? strlen(changed) : length, name ? name : "module.ptx", &diag),
                         .lower = !d->config.no_lowering, .reg_limit = d->gpu.sm.reg_max};
    mem_free(changed);
    bool ok = mod->image.module && lay_out(mod, &diag);
    for (size_t f = 0; ok && f < mod->image.module->symbols.n; f++) {
        const Function *fn = mod->image.module->symbols.v[f]->function;
        if (!fn || !fn->entry || !fn->has_body) continue;
        Kernel *k = exec_decode(&mod->image, fn, &diag);
        if (!k) {
            ok = false;
            break;
        }
        oc_kernel *kernel = mem_alloc(sizeof *kernel);
        *kernel = (oc_kernel){mod, k, mem_alloc(sizeof(uint32_t) * (fn->params.n + 1)), mem_alloc(sizeof(char *) * (fn->params.n + 1))};
        for (size_t p = 0; p < fn->params.n; p++) kernel->sizes[p] = (uint32_t)fn->params.v[p]->bytes, kernel->names[p] = fn->params.v[p]->name;
        vec_push(&mod->kernels, kernel);
    }
    vec_push(&d->modules, mod);
    if (!ok) {
        oc_status status = fail(d, diag.unsupported ? OC_UNSUPPORTED : OC_BAD_FILE, "%s", diag.text.v ? diag.text.v : "");
        diag_free(&diag);
        oc_unload(mod);
        return status;
    }
    diag_free(&diag);
    if (mod->kernels.n) qsort(mod->kernels.v, mod->kernels.n, sizeof *mod->kernels.v, by_name);
    *out = mod;
    return OC_OK;
}

oc_status oc_load_file(oc_device *d, const char *path, oc_module **module)
{
    Text t = {0};
    *module = NULL;
    if (!text_read_file(&t, path)) return fail(d, OC_BAD_FILE, "can't read %s: %s", path, strerror(errno));
    oc_status s = oc_load(d, t.v ? t.v : "", t.n, path, module);
    text_free(&t);
    return s;
}

static void free_globals(oc_module *mod)
{
    const Module *m = mod->image.module;
    for (size_t k = 0; m && k < m->symbols.n; k++)
        if (m->symbols.v[k]->space == SP_GLOBAL && m->symbols.v[k]->address) gmem_free(&mod->device->memory, m->symbols.v[k]->address);
    for (size_t f = 0; m && f < m->functions.n; f++)
        for (size_t k = 0; k < m->functions.v[f]->locals.n; k++) {
            const Symbol *s = m->functions.v[f]->locals.v[k];
            if (s->space == SP_GLOBAL && s->address) gmem_free(&mod->device->memory, s->address);
        }
}

void oc_unload(oc_module *mod)
{
    oc_device *d = mod->device;
    for (size_t r = 0; r < d->records.n; r++)
        for (size_t k = 0; k < mod->kernels.n; k++)
            if (d->records.v[r].code == mod->kernels.v[k]->kernel) d->records.v[r].code = NULL;
    for (size_t k = 0; k < mod->kernels.n; k++) {
        exec_kernel_free(mod->kernels.v[k]->kernel);
        mem_free(mod->kernels.v[k]->sizes);
        mem_free(mod->kernels.v[k]->names);
        mem_free(mod->kernels.v[k]);
    }
    vec_free(&mod->kernels);
    free_globals(mod);
    mem_free(mod->image.constants);
    ptx_free(mod->image.module);
    for (size_t m = 0; m < d->modules.n; m++)
        if (d->modules.v[m] == mod) {
            memmove(d->modules.v + m, d->modules.v + m + 1, (d->modules.n - m - 1) * sizeof *d->modules.v);
            d->modules.n--;
            break;
        }
    mem_free(mod);
}

oc_status oc_kernel_get(oc_module *mod, const char *name, oc_kernel **kernel)
{
    const char *names[64];
    size_t n = 0;
    for (size_t k = 0; k < mod->kernels.n; k++) {
        const char *it = mod->kernels.v[k]->kernel->f->symbol->name;
        if (n < COUNT(names)) names[n++] = it;
        if (strcmp(it, name)) continue;
        *kernel = mod->kernels.v[k];
        return OC_OK;
    }
    *kernel = NULL;
    const char *near = nearest_name(name, names, n);
    return fail(mod->device, OC_BAD_ARGUMENT, "no kernel '%s' in %s%s%s%s", name, mod->image.module->source.name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

size_t oc_kernel_count(const oc_module *mod) { return mod->kernels.n; }
oc_kernel *oc_kernel_at(oc_module *mod, size_t index) { return index < mod->kernels.n ? mod->kernels.v[index] : NULL; }

oc_status oc_symbol(oc_module *mod, const char *name, oc_ptr *ptr, size_t *bytes)
{
    const Symbol *s = ptx_find(mod->image.module, name);
    if (!s || (s->space != SP_GLOBAL && s->space != SP_CONST)) return fail(mod->device, OC_BAD_ARGUMENT, "no .global or .const variable '%s'", name);
    *ptr = s->space == SP_CONST ? mod->image.const_base + s->address : s->address;
    if (bytes) *bytes = s->bytes;
    return OC_OK;
}

oc_kernel_info oc_kernel_describe(const oc_kernel *k)
{
    const Function *f = k->kernel->f;
    uint32_t max = f->maxntid[0] ? f->maxntid[0] * f->maxntid[1] * f->maxntid[2] : 1024;
    if (f->reqntid[0]) max = f->reqntid[0] * f->reqntid[1] * f->reqntid[2];
    return (oc_kernel_info){f->symbol->name, (uint32_t)f->params.n, k->kernel->registers, k->kernel->static_shared, k->kernel->local_bytes, max, k->sizes, k->names};
}

// --- textures, streams ----------------------------------------------------------------------------------------------------
oc_status oc_texture_create(oc_device *d, const oc_texture *t, uint64_t *handle)
{
    Texture x = {t->base, t->width, t->height, t->pitch, (uint8_t)t->channels, (uint8_t)t->format, (uint8_t)t->address, t->linear, t->normalized, t->unit_float, true};
    if (t->channels != 1 && t->channels != 2 && t->channels != 4) return fail(d, OC_BAD_ARGUMENT, "a texel has 1, 2 or 4 channels");
    if (!t->width || t->format > OC_TEX_S16 || t->address > OC_TEX_MIRROR) return fail(d, OC_BAD_ARGUMENT, "malformed texture description");
    if (t->linear && t->format != OC_TEX_F32 && !t->unit_float) return fail(d, OC_BAD_ARGUMENT, "filtering needs texels read as floats");
    if (t->height && t->pitch < t->width * texel_bytes(&x)) return fail(d, OC_BAD_ARGUMENT, "the pitch is smaller than a row");
    uint64_t bytes = t->height ? (uint64_t)t->pitch * (t->height - 1) + (uint64_t)t->width * texel_bytes(&x) : (uint64_t)t->width * texel_bytes(&x);
    if (!locate(d, t->base, bytes)) return OC_BAD_ARGUMENT;
    *handle = TEXTURE_TAG + d->textures.n;
    vec_push(&d->textures, x);
    return OC_OK;
}

oc_status oc_texture_destroy(oc_device *d, uint64_t handle)
{
    if (handle - TEXTURE_TAG >= d->textures.n || !d->textures.v[handle - TEXTURE_TAG].used) return fail(d, OC_BAD_ARGUMENT, "not a texture object");
    d->textures.v[handle - TEXTURE_TAG].used = false;
    return OC_OK;
}

oc_status oc_stream_create(oc_device *d, oc_stream **stream)
{
    *stream = mem_alloc(sizeof **stream);
    **stream = (oc_stream){d, d->standard.end};
    vec_push(&d->streams, *stream);
    return OC_OK;
}

void oc_stream_destroy(oc_stream *s)
{
    oc_device *d = s->device;
    for (size_t k = 0; k < d->streams.n; k++)
        if (d->streams.v[k] == s) {
            d->streams.v[k] = d->streams.v[--d->streams.n];
            break;
        }
    mem_free(s);
}

double oc_stream_time(const oc_stream *s) { return s->end; }

// --- launches -------------------------------------------------------------------------------------------------------------
static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct Progress {
    oc_device *d;
    const char *kernel;
} Progress;
static void forward(void *user, uint64_t cycles, uint64_t insts, uint64_t done, uint64_t blocks)
{
    Progress *p = user;
    p->d->config.progress(p->d->config.user, p->kernel, cycles, insts, done, blocks);
}

static oc_status check_launch(oc_device *d, const Kernel *k, oc_dim3 grid, oc_dim3 block, uint32_t smem)
{
    const Function *f = k->f;
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (!grid.x || !grid.y || !grid.z || !threads) return fail(d, OC_BAD_ARGUMENT, "grid and block sizes are at least 1");
    if (threads > 1024 || block.x > 1024 || block.y > 1024 || block.z > 64) return fail(d, OC_BAD_ARGUMENT, "a block has at most 1024 threads, and 64 in z");
    if (grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535) return fail(d, OC_BAD_ARGUMENT, "a grid has at most 2^31 - 1 by 65535 by 65535 blocks");
    if (f->maxntid[0] && threads > (uint64_t)f->maxntid[0] * f->maxntid[1] * f->maxntid[2])
        return fail(d, OC_BAD_ARGUMENT, "'%s' is declared for at most %u threads a block (.maxntid)", f->symbol->name, f->maxntid[0] * f->maxntid[1] * f->maxntid[2]);
    if (f->reqntid[0] && (block.x != f->reqntid[0] || block.y != f->reqntid[1] || block.z != f->reqntid[2]))
        return fail(d, OC_BAD_ARGUMENT, "'%s' is declared for blocks of %u×%u×%u threads (.reqntid)", f->symbol->name, f->reqntid[0], f->reqntid[1], f->reqntid[2]);
    if ((uint64_t)k->static_shared + smem > d->gpu.sm.shared_max)
        return fail(d, OC_BAD_ARGUMENT, "'%s' needs %llu bytes of shared memory a block, and there are %u (shared.max)", f->symbol->name, (unsigned long long)k->static_shared + smem, d->gpu.sm.shared_max);
    return OC_OK;
}

oc_status oc_launch(oc_kernel *kernel, oc_dim3 grid, oc_dim3 block, uint32_t smem, oc_stream *stream, const void *const *args)
{
    oc_device *d = kernel->module->device;
    Kernel *k = kernel->kernel;
    oc_status status = check_launch(d, k, grid, block, smem);
    if (status != OC_OK) return status;
    LaunchInfo info = {.kernel = k, .grid = {grid.x, grid.y, grid.z}, .block = {block.x, block.y, block.z}, .dynamic_shared = smem, .id = d->records.n + 1,
                       .params = mem_alloc(k->param_bytes + 16), .local_limit = d->gpu.sm.local_limit};
    for (size_t p = 0; p < k->f->params.n; p++) memcpy(info.params + k->param_at.v[p], args[p], kernel->sizes[p]);
    const char *name = k->f->symbol->name;
    Progress progress = {d, name};
    Text printed = {0}, message = {0};
    RunOptions o = {.max_cycles = d->config.max_cycles, .interval = d->config.interval, .progress = d->config.progress ? forward : NULL, .user = &progress, .printed = &printed};
    Record r = {.kernel = mem_text(name)};
    bool timed = !d->config.functional && (!d->has_only || !regexec(&d->only, name, 0, NULL, 0));
    if (timed && d->matched++ < d->skip) timed = false;
    double began = seconds_now();
    RunResult result = (timed ? chip_run : chip_execute)(&d->chip, &info, d->textures.v, (uint32_t)d->textures.n, &o, &r, &message);
    d->wall += seconds_now() - began;
    r.info.params = NULL;
    mem_free(info.params);
    double seconds = (double)r.count[C_CYCLES] / (d->gpu.core_mhz * 1e6);
    take_time(d, stream, &d->chip_free, d->gpu.launch_us * 1e-6 + seconds);
    r.end = (stream ? stream : &d->standard)->end;
    r.start = r.end - seconds;
    vec_push(&d->records, r);
    if (printed.n && d->config.print) d->config.print(d->config.user, printed.v, printed.n);
    text_free(&printed);
    switch (result) {
    case RUN_OK: break;
    case RUN_FAULT: status = fail(d, OC_FAULT, "kernel %s: %s", name, message.v ? message.v : ""); break;
    case RUN_HANG: status = fail(d, OC_HANG, "kernel %s: %s", name, message.v ? message.v : ""); break;
    case RUN_LIMIT: status = fail(d, OC_LIMIT, "kernel %s was stopped after %llu cycles (max_cycles)", name, (unsigned long long)d->config.max_cycles); break;
    case RUN_TOO_LARGE: status = fail(d, OC_BAD_ARGUMENT, "kernel %s: %s", name, message.v ? message.v : ""); break;
    }
    text_free(&message);
    return status;
}

size_t oc_launches(const oc_device *d) { return d->records.n; }
const char *oc_launch_kernel(const oc_device *d, size_t launch) { return launch < d->records.n ? d->records.v[launch].kernel : ""; }

uint64_t oc_launch_counter(const oc_device *d, size_t launch, const char *name)
{
    for (int c = 0; c < C_COUNT && launch < d->records.n; c++)
        if (!strcmp(counter_info[c].name, name)) return d->records.v[launch].count[c];
    return 0;
}

double oc_launch_rate(const oc_device *d, size_t launch, const char *name)
{
    for (size_t k = 0; k < rate_count && launch < d->records.n; k++)
        if (!strcmp(rates[k].name, name)) return rates[k].value(d->records.v[launch].count, &d->gpu);
    return 0;
}

// --- for the program's own folders ------------------------------------------------------------------------------------------
oc_status device_blame(const char *gpu, const Diag *diag)
{
    bool override = diag->text.v && !strncmp(diag->text.v, "--set:", 6);
    return gpu && strpbrk(gpu, "./") && !override ? OC_BAD_FILE : OC_BAD_ARGUMENT;
}

const Gpu *device_gpu(const oc_device *d) { return &d->gpu; }
const Record *device_record(const oc_device *d, size_t launch) { return launch < d->records.n ? &d->records.v[launch] : NULL; }
double device_wall_seconds(const oc_device *d) { return d->wall; }
uint64_t device_bytes(const oc_device *d) { return MAX(d->peak, d->memory.top); }
const Kernel *device_kernel(const oc_kernel *k) { return k->kernel; }
const Module *device_module(const oc_module *m) { return m->image.module; }

bool device_select(oc_device *d, const char *kernels, uint64_t skip)
{
    d->skip = skip;
    if (!kernels) return true;
    d->has_only = !regcomp(&d->only, kernels, REG_EXTENDED | REG_NOSUB);
    return d->has_only;
}

void device_transform(oc_device *d, ModuleTransform *transform, void *user)
{
    d->transform = transform;
    d->transform_user = user;
}
