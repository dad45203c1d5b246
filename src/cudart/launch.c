// launch.c: launches. <<<>>> keeps the launch's shape (push), and calls the kernel's host function. That takes the
// shape back (pop), and launches by the host function's address.
#include "cudart/unit.h"

#include <string.h>

// A launch in an argument of another one, so deep. What is each thread's is little: clock.c wants it in the room that
// the loader keeps for libraries that a program opens late, which has some 1,600 bytes for all.
enum { DEEPEST = 8 };
static _Thread_local struct {
    Config at[DEEPEST];
    uint32_t n;
} pushed;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    if (pushed.n == DEEPEST) return (unsigned)noted(cudaErrorInvalidConfiguration);
    pushed.at[pushed.n++] = (Config){grid, block, shared, stream, false, {0, 0, 0}};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (!pushed.n) return noted(cudaErrorMissingConfiguration);
    const Config *c = &pushed.at[--pushed.n];
    *grid = c->grid, *block = c->block, *shared = c->shared;
    memcpy(stream, &c->stream, sizeof c->stream);
    return cudaSuccess;
}

cudaError_t launch_check(const Config *c, const Entry *e)
{
    uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
    if (!c->grid.x || !c->grid.y || !c->grid.z || !threads) return cudaErrorInvalidConfiguration;
    if (c->block.x > 1024 || c->block.y > 1024 || c->block.z > 64 || threads > 1024)
        return cudaErrorInvalidConfiguration;
    if (c->grid.x > 0x7fffffff || c->grid.y > 65535 || c->grid.z > 65535) return cudaErrorInvalidConfiguration;
    if (threads > e->info.max_threads) return cudaErrorLaunchOutOfResources;
    return c->shared > (size_t)MAX(e->most_dynamic, 0) ? cudaErrorInvalidValue : cudaSuccess;
}

void launch_values(const Entry *e, const Values *v, uint8_t *to)
{
    if (v->packed) memcpy(to, v->packed, MIN(v->bytes, e->info.param_bytes));
    for (uint32_t p = 0; !v->packed && p < e->info.params; p++)
        memcpy(to + e->params[p].at, v->args[p], e->params[p].bytes);
}

static WireLaunch said(const Entry *e, const Config *c)
{
    return (WireLaunch){{c->grid.x, c->grid.y, c->grid.z},
                        {c->block.x, c->block.y, c->block.z},
                        (uint32_t)c->shared,
                        c->cooperative,
                        {c->cluster.x, c->cluster.y, c->cluster.z},
                        e->large_clusters != 0};
}

cudaError_t launch_run(const void *function, const Config *c, const Values *v)
{
    Entry *e;
    uint64_t stream;
    READY();
    cudaError_t error = kernel_of(function, &e);
    if (!error) error = launch_check(c, e);
    if (!error && !stream_number(c->stream, &stream)) error = cudaErrorInvalidResourceHandle;
    if (!error && e->info.params && !v->args && !v->packed) error = cudaErrorInvalidValue;
    bool taken = false;
    if (!error && capture_on()) error = capture_kernel(function, c, v, &taken);
    if (error || taken) return noted(error);
    const WireLaunch l = said(e, c);
    size_t bytes = sizeof l + e->info.param_bytes;
    uint8_t *text = mem_alloc(bytes);
    memcpy(text, &l, sizeof l);
    launch_values(e, v, text + sizeof l);
    WireCall call = {.ask = ASK_LAUNCH, .a = e->number, .b = stream, .bytes = bytes};
    call.c = managed_used();  // the host may read it at any time, and then finds what the kernel has written
    error = client_ask(&call, text, NULL);
    mem_free(text);
    return noted(error);
}

static cudaError_t launch(const void *f, const Config *c, void **args)
{
    return launch_run(f, c, &(Values){.args = args});
}

cudaError_t cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s)
{
    return launch(f, &(Config){grid, block, shared, s, false, {0, 0, 0}}, args);
}

cudaError_t __cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s)
{
    return launch(f, &(Config){grid, block, shared, s, false, {0, 0, 0}}, args);
}

// --- what a kernel is and may ----------------------------------------------------------------------------------------
typedef struct FuncAttributes {  // cudaFuncAttributes
    size_t shared, constant, local;
    int max_threads, registers, ptx_version, binary_version, cached, most_dynamic, carveout;
    int cluster_needed, cluster[3], cluster_policy, large_clusters, reserved[17];
} FuncAttributes;
_Static_assert(sizeof(FuncAttributes) == 144, "as in CUDA 13");
// cudaFuncAttribute; those of clusters are 10 to 15
enum { MAX_DYNAMIC = 8, CARVEOUT = 9, CLUSTER_WIDTH = 10, CLUSTER_NON_PORTABLE = 14, CLUSTER_POLICY = 15 };

cudaError_t cudaFuncGetAttributes(FuncAttributes *to, const void *f)
{
    Entry *e;
    READY();
    if (!to) return noted(cudaErrorInvalidValue);
    cudaError_t error = kernel_of(f, &e);
    if (error) return noted(error);
    const FuncAttributes all = {.shared = e->info.shared,
                                .constant = e->info.constant,
                                .local = e->info.local,
                                .max_threads = (int)e->info.max_threads,
                                .registers = (int)e->info.registers,
                                .ptx_version = (int)e->info.capability,
                                .binary_version = (int)client_device()->capability,
                                .most_dynamic = e->most_dynamic,
                                .carveout = e->carveout,
                                .cluster = {(int)e->info.cluster[0], (int)e->info.cluster[1], (int)e->info.cluster[2]},
                                .large_clusters = e->large_clusters};
    memcpy(to, &all, runtime_major() < 12 ? offsetof(FuncAttributes, cluster_needed) : sizeof all);
    return cudaSuccess;
}

// The carve-out is a hint, which a simulated GPU doesn't follow: its description divides the SM's storage.
cudaError_t cudaFuncSetAttribute(const void *f, int attribute, int value)
{
    Entry *e;
    READY();
    cudaError_t error = kernel_of(f, &e);
    if (error) return noted(error);
    if (attribute == MAX_DYNAMIC) {
        if (value < 0 || (uint64_t)value + e->info.shared > client_device()->shared_block)
            return noted(cudaErrorInvalidValue);
        e->most_dynamic = value;
    } else if (attribute == CARVEOUT) {
        if (value < -1 || value > 100) return noted(cudaErrorInvalidValue);
        e->carveout = value;
    } else if (attribute < CLUSTER_WIDTH || attribute > CLUSTER_POLICY) {
        return noted(cudaErrorInvalidValue);
    } else if (attribute < CLUSTER_NON_PORTABLE) {
        return client_missing("cudaFuncSetAttribute of a cluster's size");
    } else if (attribute == CLUSTER_NON_PORTABLE) {
        if (value < 0 || value > 1) return noted(cudaErrorInvalidValue);
        e->large_clusters = value;
    }
    return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *f, int cache)
{
    Entry *e;
    READY();
    cudaError_t error = kernel_of(f, &e);
    if (!error && (cache < 0 || cache > 3)) error = cudaErrorInvalidValue;
    return noted(error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *f, int threads,
                                                                   size_t dynamic, unsigned flags)
{
    Entry *e;
    Answer answer;
    READY();
    if (!blocks || threads < 1 || flags > 1) return noted(cudaErrorInvalidValue);
    cudaError_t error = kernel_of(f, &e);
    if (error) return noted(error);
    const WireCall call = {.ask = ASK_OCCUPANCY, .a = e->number, .b = (uint64_t)threads, .c = dynamic};
    error = client_ask(&call, NULL, &answer);
    *blocks = error ? 0 : (int)answer.of.a;
    return noted(error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *f, int threads, size_t dynamic)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, dynamic, 0);
}

// --- launches with attributes ----------------------------------------------------------------------------------------
typedef struct LaunchConfig {  // cudaLaunchConfig_t
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    const Attribute *attributes;
    unsigned n;
} LaunchConfig;
_Static_assert(sizeof(Attribute) == 72 && sizeof(LaunchConfig) == 56, "as in CUDA 13");
enum { COOPERATIVE = 2, CLUSTER = 4 };  // cudaLaunchAttributeID
enum { MOST_CLUSTER = 16 };             // blocks

// Blocks that wait for one another must all have room at once (CUDA C++ Programming Guide, "Grid Synchronization").
static cudaError_t launch_together(const void *f, const Config *c, const Values *v)
{
    int blocks;
    const uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
    if (!threads || threads > 1024) return noted(cudaErrorInvalidConfiguration);
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, (int)threads, c->shared, 0);
    if (error) return error;
    if ((uint64_t)c->grid.x * c->grid.y * c->grid.z > (uint64_t)blocks * client_device()->sms)
        return noted(cudaErrorCooperativeLaunchTooLarge);
    return launch_run(f, &(Config){c->grid, c->block, c->shared, c->stream, true, {0, 0, 0}}, v);
}

cudaError_t cudaLaunchCooperativeKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t s)
{
    READY();
    return launch_together(f, &(Config){.grid = grid, .block = block, .shared = shared, .stream = s},
                           &(Values){.args = args});
}

// What n attributes say of a launch.
static cudaError_t take_attributes(const Attribute *list, unsigned n, Config *c)
{
    if (n && !list) return cudaErrorInvalidValue;
    for (unsigned k = 0; k < n; k++) {
        c->cooperative |= list[k].id == COOPERATIVE && list[k].value.cooperative;
        if (list[k].id != CLUSTER) continue;
        c->cluster = list[k].value.cluster;
        const uint64_t blocks = (uint64_t)c->cluster.x * c->cluster.y;
        if (!blocks || blocks > MOST_CLUSTER || !c->cluster.z || blocks * c->cluster.z > MOST_CLUSTER)
            return cudaErrorInvalidClusterSize;
    }
    return cudaSuccess;
}

static bool divides(dim3 cluster, dim3 grid)
{
    return !cluster.x || !(grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z);
}

cudaError_t launch_attributed(const void *f, const Config *given, const Attribute *list, unsigned n, const Values *v)
{
    Config c = *given;
    cudaError_t error = take_attributes(list, n, &c);
    if (!error && !divides(c.cluster, c.grid)) error = cudaErrorInvalidClusterSize;
    if (error) return noted(error);
    return c.cooperative ? launch_together(f, &c, v) : launch_run(f, &c, v);
}

cudaError_t cudaLaunchKernelExC(const LaunchConfig *c, const void *f, void **args)
{
    READY();
    if (!c) return noted(cudaErrorInvalidValue);
    const Config config = {.grid = c->grid, .block = c->block, .shared = c->shared, .stream = c->stream};
    return launch_attributed(f, &config, c->attributes, c->n, &(Values){.args = args});
}

cudaError_t launch_clusters(const void *f, const Config *given, const Attribute *list, unsigned n, bool largest,
                            int *out)
{
    Entry *e;
    Answer answer;
    Config c = *given;
    cudaError_t error = kernel_of(f, &e);
    if (!error) error = take_attributes(list, largest ? 0 : n, &c);
    if (!error && c.shared > UINT32_MAX) error = cudaErrorInvalidValue;
    if (error) return noted(error);
    const WireLaunch l = said(e, &c);
    const WireCall call = {.ask = ASK_CLUSTERS, .a = e->number, .b = largest, .bytes = sizeof l};
    error = client_ask(&call, &l, &answer);
    if (!error) *out = (int)answer.of.a;
    text_free(&answer.text);
    return noted(error);
}

static cudaError_t clusters(const void *f, const LaunchConfig *c, bool largest, int *out)
{
    READY();
    if (!c || !out) return noted(cudaErrorInvalidValue);
    const Config config = {.grid = c->grid, .block = c->block, .shared = c->shared, .stream = c->stream};
    return launch_clusters(f, &config, c->attributes, c->n, largest, out);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *n, const void *f, const LaunchConfig *config)
{
    return clusters(f, config, false, n);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *f, const LaunchConfig *config)
{
    return clusters(f, config, true, blocks);
}

// As in ptsz.c; the stream is in the config.
cudaError_t cudaLaunchKernelExC_ptsz(const LaunchConfig *config, const void *f, void **args)
{
    if (!config || config->stream) return cudaLaunchKernelExC(config, f, args);
    LaunchConfig c = *config;
    c.stream = (cudaStream_t)2;  // cudaStreamPerThread
    return cudaLaunchKernelExC(&c, f, args);
}
