// soft_l1.c: the software L1 on a device. Modules are rewritten when they are loaded. At each launch sl1_launch decides
// whether the original kernel or a rewritten one runs; the functions here answer what it asks about the device.
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
    Sl1Share share;       // of the launch being made
    uint32_t structures;  // what soft_l1_structures returns
    uint32_t registers;   // what soft_l1_registers returns
};

static char *rewrite(void *user, const char *ptx, size_t length, const char *name)
{
    SoftL1 *s = user;
    Diag diag = {0};
    Text out = {0};
    Loaded l = {.module = NULL};
    bool parsed = sl1_rewrite_text(ptx, length, name ? name : "module.ptx", &s->options, true, &out, &l.of, &diag);
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

// A launch that is being decided on; sl1_launch hands it to the functions below.
typedef struct Asked {
    SoftL1 *s;
    const Sl1Kernel *k;
    oc_kernel *original, *kernel;  // kernel: the rewritten one
    oc_dim3 grid, block;
    uint32_t smem;
    oc_status status;
} Asked;

static bool allocation(void *user, uint64_t p, uint64_t *base, uint64_t *bytes)
{
    return device_range(((const Asked *)user)->s->device, p, base, bytes);
}

static bool rewritten(void *user, bool apart, const char *name)
{
    Asked *a = user;
    (void)apart;
    a->status = oc_kernel_get(a->original->module, name, &a->kernel);
    return a->status == OC_OK;
}

static uint32_t blocks_that_fit(void *user, bool original, uint32_t smem)
{
    const Asked *a = user;
    uint32_t blocks;
    return device_occupancy(original ? a->original : a->kernel, a->block, smem, &blocks) == OC_OK ? blocks : 0;
}

static Sl1Share share(void *user, bool apart)
{
    Asked *a = user;
    oc_device_info d = oc_describe(a->s->device);
    uint32_t taken = oc_kernel_describe(a->kernel).shared_bytes,
             most = d.shared_block > taken ? d.shared_block - taken : 0;
    return sl1_share(a->k, &a->s->options, apart, a->block.x * a->block.y * a->block.z,
                     (uint64_t)a->grid.x * a->grid.y * a->grid.z, d.sms, a->smem, most, blocks_that_fit, a);
}

static oc_status launch(void *user, oc_dim3 grid, oc_dim3 block, LaunchChange *change)
{
    SoftL1 *s = user;
    oc_kernel_info info = oc_kernel_describe(change->kernel);
    Asked a = {s,    find_kernel(s, change->kernel->module, info.name), change->kernel, NULL, grid, block, change->smem,
               OC_OK};
    if (!a.k || a.k->left) return OC_OK;
    s->structures = MAX(s->structures, a.k->structures);
    Sl1Choice c =
        sl1_launch(a.k, &s->options, (Sl1Args){.each = change->args}, &(Sl1Host){allocation, rewritten, share, &a});
    if (c.why) return a.status;
    uint32_t registers = oc_kernel_describe(a.kernel).registers;
    if (registers > info.registers) s->registers = MAX(s->registers, registers - info.registers);
    s->share = c.share;
    s->args.n = 0;
    for (uint32_t p = 0; p < a.k->params + 2; p++) vec_push(&s->args, NULL);
    sl1_args(a.k, change->args, &s->share, s->args.v);
    *change = (LaunchChange){a.kernel, c.share.smem, s->args.v};
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

const char *soft_l1_silent(const SoftL1 *s)
{
    for (size_t m = 0; m < s->modules.n; m++)
        for (size_t k = 0; k < s->modules.v[m].of.kernels.n; k++)
            if (s->modules.v[m].of.kernels.v[k].silent) return s->modules.v[m].of.kernels.v[k].name;
    return NULL;
}

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
