// soft_l1.c: the software L1 (src/sl1) on a device: modules are rewritten when they are loaded, and of each launch it
// is decided which kernel it gets: the original, where there is no room for a line; the one that looks up all lines,
// where pointers may alias; else the one that doesn't.
#include "device/device.h"
#include "sl1/sl1.h"
#include "work/programs.h"

#include <string.h>

typedef struct Loaded {
    oc_module *module;
    Sl1Module of;
} Loaded;
struct SoftL1 {
    oc_device *device;
    Sl1Options options;
    VEC(Loaded) modules;  // the last may have no module yet
    VEC(const void *) args;
    uint32_t region, lines;  // of the launch being made
    uint32_t structures;     // most of a launched kernel's
    uint32_t registers;      // most that a rewritten kernel that was launched has beyond its original
};

static char *rewrite(void *user, const char *ptx, size_t length, const char *name)
{
    SoftL1 *s = user;
    Diag diag = {0};
    Text out = {0};
    Loaded l = {.module = NULL};
    bool parsed = sl1_rewrite_text(ptx, length, name ? name : "module.ptx", &s->options, &out, &l.of, &diag);
    diag_free(&diag);
    if (!parsed) return NULL;  // the loader says why
    vec_push(&s->modules, l);
    return out.v;
}

static void loaded(void *user, oc_module *m)
{
    SoftL1 *s = user;
    s->modules.v[s->modules.n - 1].module = m;
}

static const Sl1Kernel *find_kernel(const SoftL1 *s, oc_module *m, const char *name)
{
    for (size_t k = 0; k < s->modules.n; k++)
        if (s->modules.v[k].module == m) return sl1_find(&s->modules.v[k].of, name);
    return NULL;
}

static bool allocation(void *user, uint64_t p, uint64_t *base, uint64_t *bytes)
{
    return device_range(((const SoftL1 *)user)->device, p, base, bytes);
}

static bool all_apart(SoftL1 *s, const Sl1Kernel *k, const void *const *args)
{
    uint64_t pointer[SL1_STRUCTURES];
    for (uint32_t i = 0; i < k->structures; i++) memcpy(&pointer[i], args[k->param[i]], sizeof pointer[i]);
    return sl1_apart(k, &s->options, pointer, allocation, s);
}

typedef struct Question {
    oc_kernel *kernel, *original;
    oc_dim3 block;
} Question;

static uint32_t blocks_that_fit(void *user, bool original, uint32_t smem)
{
    const Question *q = user;
    uint32_t blocks;
    return device_occupancy(original ? q->original : q->kernel, q->block, smem, &blocks) == OC_OK ? blocks : 0;
}

static oc_status launch(void *user, oc_dim3 grid, oc_dim3 block, LaunchChange *change)
{
    SoftL1 *s = user;
    oc_kernel *original = change->kernel;
    oc_kernel_info info = oc_kernel_describe(original);
    const Sl1Kernel *k = find_kernel(s, original->module, info.name);
    if (!k || k->left) return OC_OK;
    s->structures = MAX(s->structures, k->structures);
    Text name = {0};
    Question q = {.original = original, .block = block};
    bool apart = all_apart(s, k, change->args);
    if (!apart && sl1_needs_apart(&s->options)) return OC_OK;
    text_printf(&name, "%s%s", info.name, apart ? SL1_APART : SL1_ALIAS);
    oc_status status = oc_kernel_get(original->module, name.v, &q.kernel);
    text_free(&name);
    if (status != OC_OK) return status;
    oc_device_info d = oc_describe(s->device);
    uint32_t taken = oc_kernel_describe(q.kernel).shared_bytes,
             most = d.shared_block > taken ? d.shared_block - taken : 0;
    Sl1Share share = sl1_share(k, &s->options, apart, block.x * block.y * block.z, (uint64_t)grid.x * grid.y * grid.z,
                               d.sms, change->smem, most, blocks_that_fit, &q);
    if (share.left) return OC_OK;
    uint32_t registers = oc_kernel_describe(q.kernel).registers;
    if (registers > info.registers) s->registers = MAX(s->registers, registers - info.registers);
    s->args.n = 0;
    for (uint32_t p = 0; p < k->params; p++) vec_push(&s->args, change->args[p]);
    s->region = share.region, s->lines = share.lines;
    vec_push(&s->args, &s->region);
    vec_push(&s->args, &s->lines);
    *change = (LaunchChange){q.kernel, share.smem, s->args.v};
    return OC_OK;
}

SoftL1 *soft_l1_open(oc_device *device, const Sl1Options *options)
{
    SoftL1 *s = mem_alloc(sizeof *s);
    *s = (SoftL1){.device = device, .options = *options};
    device_transform(device, &(Transform){rewrite, loaded, launch, s});
    return s;
}

uint32_t soft_l1_structures(const SoftL1 *s) { return s->structures; }
uint32_t soft_l1_registers(const SoftL1 *s) { return s->registers; }

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

bool soft_l1_made(const char *kernel) { return ends_in(kernel, SL1_ALIAS) || ends_in(kernel, SL1_APART); }

void soft_l1_close(SoftL1 *s)
{
    if (!s) return;
    for (size_t k = 0; k < s->modules.n; k++) sl1_module_free(&s->modules.v[k].of);
    vec_free(&s->modules), vec_free(&s->args);
    mem_free(s);
}
