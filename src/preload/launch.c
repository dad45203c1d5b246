// launch.c: launches a kernel that has rewritten ones beside it. A Launch keeps everything that the application asked
// for. From it a second Launch is made, with a rewritten kernel, two more parameters and more shared memory. If that
// isn't possible, or the driver refuses it, the application's own launch is issued. So the application sees an error
// only if its own launch has one.
#include "preload/unit.h"

#include <string.h>

typedef struct Launch {
    CUlaunchConfig c;
    CUfunction f;
    void **params, **extra;
    bool ex, ptsz;  // ex: by cuLaunchKernelEx; ptsz: stream 0 is the thread's own
} Launch;

// Lines of the log that are written once for each kernel.
enum {
    TOLD_LINES = 1,
    TOLD_ROOM = 2,
    TOLD_CAPTURE = 4,
    TOLD_COOPERATIVE = 8,
    TOLD_CLUSTERS = 16,
    TOLD_PARAMS = 32,
    TOLD_REFUSED = 64,
    TOLD_MISSING = 128,
    TOLD_GRAPH = 256,
    TOLD_ODD = 512
};

static bool first_time(Kernel *k, uint32_t what)
{
    pthread_mutex_lock(&preload.lock);
    bool first = !(k->told & what);
    k->told |= what;
    pthread_mutex_unlock(&preload.lock);
    return first;
}

// Logs a reason once. Returns false, which may_change and launch_rewritten pass on.
static bool left(Kernel *k, uint32_t what, const char *why)
{
    if (first_time(k, what)) log_line("%s: %s is launched as it is: %s", k->image->name, k->of->name, why);
    return false;
}

static CUresult issue(const Launch *l)
{
    const CUlaunchConfig *c = &l->c;
    if (l->ex)
        return l->ptsz ? REAL(cuLaunchKernelEx_ptsz, c, l->f, l->params, l->extra)
                       : REAL(cuLaunchKernelEx, c, l->f, l->params, l->extra);
    if (l->ptsz)
        return REAL(cuLaunchKernel_ptsz, l->f, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
                    c->block[2], c->smem, c->stream, l->params, l->extra);
    return REAL(cuLaunchKernel, l->f, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2],
                c->smem, c->stream, l->params, l->extra);
}

// --- may it be changed? ----------------------------------------------------------------------------------------------
// A launch that is captured into a graph stays as it is, since the application may change the graph later by its
// function and parameters. An error means that another stream's capture forbids this launch; the driver reports that to
// the application.
static bool is_captured(const Launch *l)
{
    int status = 0;
    CUresult r = l->ptsz ? REAL(cuStreamIsCapturing_ptsz, l->c.stream, &status)
                         : REAL(cuStreamIsCapturing, l->c.stream, &status);
    return r != CUDA_SUCCESS || status;
}

static bool may_change(const Launch *l, Kernel *k)
{
    for (unsigned n = 0; n < l->c.n && l->c.attrs; n++) {
        const CUlaunchAttribute *a = &l->c.attrs[n];
        // All its blocks must be resident at once, which the driver has counted for the original.
        if (a->id == LAUNCH_COOPERATIVE && a->value.cooperative) return left(k, TOLD_COOPERATIVE, "it is cooperative");
        if (a->id == LAUNCH_CLUSTER || a->id == LAUNCH_PREFERRED_CLUSTER)
            return left(k, TOLD_CLUSTERS, "its blocks form clusters");
        if (a->id == LAUNCH_UPDATABLE_NODE) return left(k, TOLD_GRAPH, "it becomes a node of a graph");
    }
    if (k->clusters) return left(k, TOLD_CLUSTERS, "its blocks form clusters");
    if (is_captured(l)) return left(k, TOLD_CAPTURE, "its stream is being captured");
    return true;
}

// --- parameters ------------------------------------------------------------------------------------------------------
static bool read_params(const Launch *l, const Sl1Kernel *of, Sl1Args *p)
{
    size_t bytes = 0;
    *p = (Sl1Args){.each = (const void *const *)l->params};
    if (!l->extra) return l->params;
    for (void **e = l->extra; (uintptr_t)e[0] != PARAM_END; e += 2) {
        if ((uintptr_t)e[0] == PARAM_BUFFER)
            p->buffer = e[1];
        else if ((uintptr_t)e[0] == PARAM_BYTES)
            bytes = *(const size_t *)e[1];
        else
            return false;
    }
    return !p->each && p->buffer && bytes >= of->param_bytes;
}

static bool allocation(void *user, uint64_t p, uint64_t *base, uint64_t *bytes)
{
    size_t size = 0;
    (void)user;
    bool known = REAL(cuMemGetAddressRange_v2, base, &size, p) == CUDA_SUCCESS;
    *bytes = size;
    return known;
}

// --- room ------------------------------------------------------------------------------------------------------------
typedef struct Question {
    CUfunction f, original;
    uint32_t threads;
} Question;

static uint32_t blocks_that_fit(void *user, bool original, uint32_t smem)
{
    const Question *q = user;
    int n = 0;
    return REAL(cuOccupancyMaxActiveBlocksPerMultiprocessor, &n, original ? q->original : q->f, (int)q->threads,
                smem) == CUDA_SUCCESS &&
                   n > 0
               ? (uint32_t)n
               : 0;
}

static uint32_t of_device(CUdevice d, int attribute)
{
    int v = 0;
    return REAL(cuDeviceGetAttribute, &v, attribute, d) == CUDA_SUCCESS && v > 0 ? (uint32_t)v : 0;
}

static uint32_t of_function(CUfunction f, bool is_kernel, CUdevice d, int attribute)
{
    int v = 0;
    CUresult r = is_kernel ? REAL(cuKernelGetAttribute, &v, attribute, (CUkernel)f, d)
                           : REAL(cuFuncGetAttribute, &v, attribute, f);
    return r == CUDA_SUCCESS && v > 0 ? (uint32_t)v : 0;
}

// Lets the rewritten kernel use all the shared memory that the GPU gives a block: above 48 KiB a kernel must opt in.
// The carve-out that the application prefers isn't passed on: if it asks for a large L1, that is the contrary of what
// the lines need. Without a preference the driver goes by the shared memory of the launches.
static Sl1Share ask_share(const Kernel *k, CUfunction f, const Shape *s)
{
    Sl1Share none = {.left = SL1_NO_ROOM};
    Question q = {f, k->handle, s->threads};
    uint32_t sms = of_device(s->device, DEVICE_SMS), block = of_device(s->device, DEVICE_SHARED_BLOCK),
             optin = of_device(s->device, DEVICE_SHARED_OPTIN);
    uint32_t taken = of_function(f, k->library, s->device, FUNCTION_SHARED), all = MAX(block, optin);
    if (!sms || all <= taken) return none;
    // The application didn't opt in to as much as it launches with, so its own launch must fail.
    if (s->smem > of_function(k->handle, k->is_kernel, s->device, FUNCTION_MAX_DYNAMIC)) return none;
    if (all > block) {
        CUresult r = k->library
                         ? REAL(cuKernelSetAttribute, FUNCTION_MAX_DYNAMIC, (int)(all - taken), (CUkernel)f, s->device)
                         : REAL(cuFuncSetAttribute, f, FUNCTION_MAX_DYNAMIC, (int)(all - taken));
        if (r != CUDA_SUCCESS) all = MAX(block, taken);
    }
    return sl1_share(k->of, settings(), s->apart, s->threads, s->blocks, sms, s->smem, all - taken, blocks_that_fit,
                     &q);
}

static bool same_shape(const Shape *a, const Shape *b)
{
    return a->device == b->device && a->apart == b->apart && a->threads == b->threads && a->smem == b->smem &&
           a->blocks == b->blocks;
}

static Sl1Share share_of(Kernel *k, CUfunction f, Shape s)
{
    enum { MOST = 32 };  // if an application has more shapes, all are forgotten and asked for again
    bool known = false;
    pthread_mutex_lock(&preload.lock);
    for (size_t n = 0; n < k->shapes.n && !known; n++)
        if (same_shape(&k->shapes.v[n], &s)) s.share = k->shapes.v[n].share, known = true;
    pthread_mutex_unlock(&preload.lock);
    if (known) return s.share;
    s.share = ask_share(k, f, &s);
    pthread_mutex_lock(&preload.lock);
    if (k->shapes.n == MOST) k->shapes.n = 0;
    vec_push(&k->shapes, s);
    pthread_mutex_unlock(&preload.lock);
    return s.share;
}

// --- launching -------------------------------------------------------------------------------------------------------
static CUfunction rewritten_kernel(Kernel *k, bool apart, const char *name)
{
    CUfunction f = k->rewritten[apart];
    if (f) return f;
    CUkernel kernel = NULL;
    CUresult r;
    if (k->library)
        r = REAL(cuLibraryGetKernel, &kernel, k->owner, name), f = (CUfunction)kernel;
    else
        r = REAL(cuModuleGetFunction, &f, k->owner, name);
    if (r != CUDA_SUCCESS) return NULL;
    k->rewritten[apart] = f;
    return f;
}

// Issues the launch with the two hidden parameters behind the application's.
static CUresult issue_rewritten(const Launch *l, const Sl1Kernel *of, Sl1Args p, CUfunction f, Sl1Share share)
{
    Launch to = *l;
    to.f = f, to.c.smem = share.smem;
    if (p.each) {
        to.params = mem_alloc(sizeof *to.params * (of->params + 2));
        sl1_args(of, p.each, &share, (const void **)to.params);
        CUresult r = issue(&to);
        mem_free(to.params);
        return r;
    }
    size_t at = (of->param_bytes + 3) & ~3u, bytes = at + 8;
    uint8_t *buffer = mem_alloc(bytes);
    memcpy(buffer, p.buffer, of->param_bytes);
    memcpy(buffer + at, &share.region, 4), memcpy(buffer + at + 4, &share.lines, 4);
    void *extra[] = {(void *)(uintptr_t)PARAM_BUFFER, buffer, (void *)(uintptr_t)PARAM_BYTES, &bytes,
                     (void *)(uintptr_t)PARAM_END};
    to.extra = extra;
    CUresult r = issue(&to);
    mem_free(buffer);
    return r;
}

// A launch that is to be decided on, as a host of sl1_launch.
typedef struct Asked {
    const Launch *l;
    Kernel *k;
    CUfunction f;  // the rewritten kernel
    Shape shape;
} Asked;

static bool rewritten(void *user, bool apart, const char *name)
{
    Asked *a = user;
    a->f = rewritten_kernel(a->k, apart, name);
    return a->f && REAL(cuCtxGetDevice, &a->shape.device) == CUDA_SUCCESS;
}

// Only the number of blocks for each multiprocessor matters, and only up to what it can hold. So larger grids have the
// same shape.
static Sl1Share share(void *user, bool apart)
{
    Asked *a = user;
    const CUlaunchConfig *c = &a->l->c;
    a->shape.apart = apart;
    a->shape.threads = c->block[0] * c->block[1] * c->block[2], a->shape.smem = c->smem;
    a->shape.blocks = MIN((uint64_t)c->grid[0] * c->grid[1] * c->grid[2], 1 << 16);
    return share_of(a->k, a->f, a->shape);
}

// False: the application's own launch must be issued.
static bool launch_rewritten(const Launch *l, Kernel *k)
{
    static const uint32_t told[] = {
        [SL1_POINTERS] = TOLD_ODD, [SL1_NO_KERNEL] = TOLD_MISSING, [SL1_CROWDED] = TOLD_ROOM};
    Sl1Args p;
    Asked a = {.l = l, .k = k};
    if (!may_change(l, k)) return false;
    if (!read_params(l, k->of, &p)) return left(k, TOLD_PARAMS, "its parameters are not understood");
    Sl1Choice c = sl1_launch(k->of, settings(), p, &(Sl1Host){allocation, rewritten, share, &a});
    if (c.why) return left(k, told[c.verdict], c.why);
    if (first_time(k, TOLD_LINES))
        log_line("%s: %s is launched rewritten: %u line%s of %u bytes a thread, %u bytes of dynamic shared memory a "
                 "block, pointers %s",
                 k->image->name, k->of->name, c.share.lines, c.share.lines == 1 ? "" : "s", settings()->line,
                 c.share.smem, c.apart ? "apart" : "that may alias");
    CUresult r = issue_rewritten(l, k->of, p, a.f, c.share);
    if (r == CUDA_SUCCESS) return true;
    if (first_time(k, TOLD_REFUSED))
        log_line("%s: %s is launched as it is: the driver refuses the rewritten one: %s", k->image->name, k->of->name,
                 error_name(r));
    return false;
}

static CUresult launch(const Launch *l)
{
    Kernel *k = handles_find(l->f);
    return k && launch_rewritten(l, k) ? CUDA_SUCCESS : issue(l);
}

CUresult cuLaunchKernel LAUNCH_PARAMETERS
{
    return launch(
        &(Launch){.c = {{gx, gy, gz}, {bx, by, bz}, smem, s, NULL, 0}, .f = f, .params = params, .extra = extra});
}
CUresult cuLaunchKernel_ptsz LAUNCH_PARAMETERS
{
    return launch(&(Launch){
        .c = {{gx, gy, gz}, {bx, by, bz}, smem, s, NULL, 0}, .f = f, .params = params, .extra = extra, .ptsz = true});
}

static CUresult launch_ex(const CUlaunchConfig *c, CUfunction f, void **params, void **extra, bool ptsz)
{
    Launch l = {.f = f, .params = params, .extra = extra, .ex = true, .ptsz = ptsz};
    if (c) return l.c = *c, launch(&l);
    return ptsz ? REAL(cuLaunchKernelEx_ptsz, c, f, params, extra) : REAL(cuLaunchKernelEx, c, f, params, extra);
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra)
{
    return launch_ex(c, f, params, extra, false);
}
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *c, CUfunction f, void **params, void **extra)
{
    return launch_ex(c, f, params, extra, true);
}

static void tell_cooperative(CUfunction f)
{
    Kernel *k = handles_find(f);
    if (k) left(k, TOLD_COOPERATIVE, "it is cooperative");
}
CUresult cuLaunchCooperativeKernel COOPERATIVE_PARAMETERS
{
    return tell_cooperative(f), REAL(cuLaunchCooperativeKernel, f, gx, gy, gz, bx, by, bz, smem, s, params);
}
CUresult cuLaunchCooperativeKernel_ptsz COOPERATIVE_PARAMETERS
{
    return tell_cooperative(f), REAL(cuLaunchCooperativeKernel_ptsz, f, gx, gy, gz, bx, by, bz, smem, s, params);
}

// --- attributes ------------------------------------------------------------------------------------------------------
// The attribute may change how much shared memory the application can ask for, so the shapes are forgotten. The other
// attributes, apart from the carve-out, are about clusters.
static void attribute_set(void *handle, int attribute)
{
    Kernel *k = handles_find(handle);
    if (!k) return;
    pthread_mutex_lock(&preload.lock);
    k->shapes.n = 0;
    if (attribute != FUNCTION_MAX_DYNAMIC && attribute != FUNCTION_CARVEOUT) k->clusters = true;
    pthread_mutex_unlock(&preload.lock);
}

CUresult cuFuncSetAttribute(CUfunction f, int attribute, int value)
{
    CUresult r = REAL(cuFuncSetAttribute, f, attribute, value);
    if (r == CUDA_SUCCESS) attribute_set(f, attribute);
    return r;
}

CUresult cuKernelSetAttribute(int attribute, int value, CUkernel k, CUdevice d)
{
    CUresult r = REAL(cuKernelSetAttribute, attribute, value, k, d);
    if (r == CUDA_SUCCESS) attribute_set(k, attribute);
    return r;
}
