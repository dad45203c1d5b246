// sim_launch.c: a launch on a simulated device, from its checks to its record: may it run, is it timed, what the chip
// makes of it, and when it was on its stream (timeline.c).
#include "device/sim.h"
#include "names/names.h"

#include <string.h>

typedef struct Progress {
    Sim *d;
    const char *kernel;
} Progress;
static void forward(void *user, uint64_t cycles, uint64_t insts, uint64_t done, uint64_t blocks)
{
    Progress *p = user;
    p->d->told = seconds_now();
    p->d->base.calling = true;
    p->d->config.progress(p->d->config.user, p->kernel, cycles, insts, done, blocks);
    p->d->base.calling = false;
}

// The clusters of a launch; 0 in the first: it has none.
static void cluster_of(const SimKernel *k, uint32_t to[3])
{
    const uint32_t *own = k->f->cluster;
    const oc_dim3 set = k->base.cluster, c = set.x ? set : (oc_dim3){own[0], own[1], own[2]};
    const uint32_t size[3] = {c.x, c.x ? MAX(c.y, 1u) : 0, c.x ? MAX(c.z, 1u) : 0};
    memcpy(to, size, sizeof size);
}

static oc_status check_cluster(Sim *d, const SimKernel *k, const char *name, oc_dim3 grid)
{
    uint32_t c[3];
    cluster_of(k, c);
    if (!c[0]) return OC_OK;
    if ((uint64_t)c[0] * c[1] > MAX_CLUSTER || (uint64_t)c[0] * c[1] * c[2] > MAX_CLUSTER)
        return fail(d, OC_BAD_ARGUMENT, "'%s': a cluster has at most %d blocks", name, MAX_CLUSTER);
    const uint32_t most = k->f->maxclusterrank;
    if (most && c[0] * c[1] * c[2] > most)
        return fail(d, OC_BAD_ARGUMENT, "'%s' is declared for clusters of at most %u blocks (.maxclusterrank)", name,
                    most);
    if (grid.x % c[0] || grid.y % c[1] || grid.z % c[2])
        return fail(d, OC_BAD_ARGUMENT, "'%s': clusters of %u×%u×%u blocks don't divide the grid", name, c[0], c[1],
                    c[2]);
    return OC_OK;
}

static oc_status check_launch(Sim *d, const Kernel *k, const char *name, oc_dim3 grid, oc_dim3 block, uint32_t smem)
{
    const Function *f = k->f;
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (!grid.x || !grid.y || !grid.z || !threads)
        return fail(d, OC_BAD_ARGUMENT, "grid and block sizes are at least 1");
    if (threads > 1024 || block.x > 1024 || block.y > 1024 || block.z > 64)
        return fail(d, OC_BAD_ARGUMENT, "a block has at most 1024 threads, and 64 in z");
    if (grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535)
        return fail(d, OC_BAD_ARGUMENT, "a grid has at most 2^31 - 1 by 65535 by 65535 blocks");
    if (f->maxntid[0] && threads > (uint64_t)f->maxntid[0] * f->maxntid[1] * f->maxntid[2])
        return fail(d, OC_BAD_ARGUMENT, "'%s' is declared for at most %u threads a block (.maxntid)", name,
                    f->maxntid[0] * f->maxntid[1] * f->maxntid[2]);
    if (f->reqntid[0] && (block.x != f->reqntid[0] || block.y != f->reqntid[1] || block.z != f->reqntid[2]))
        return fail(d, OC_BAD_ARGUMENT, "'%s' is declared for blocks of %u×%u×%u threads (.reqntid)", name,
                    f->reqntid[0], f->reqntid[1], f->reqntid[2]);
    if ((uint64_t)k->static_shared + smem > d->gpu.sm.shared_max)
        return fail(d, OC_BAD_ARGUMENT, "'%s' needs %llu bytes of shared memory a block, and there are %u (shared.max)",
                    name, (unsigned long long)k->static_shared + smem, d->gpu.sm.shared_max);
    return OC_OK;
}

oc_status device_admit(oc_kernel *base, oc_dim3 grid, oc_dim3 block, uint32_t smem)
{
    const SimKernel *kernel = sim_kernel(base);
    Sim *d = sim_of(base->module->device);
    if (!kernel->kernel) return fail(d, kernel->status, "%s", kernel->refusal);
    char *shown = name_shown(kernel->f->symbol->name);
    oc_status status = check_launch(d, kernel->kernel, shown, grid, block, smem);
    if (status == OC_OK) status = check_cluster(d, kernel, shown, grid);
    mem_free(shown);
    return status;
}

oc_status sim_occupancy(oc_kernel *base, oc_dim3 block, uint32_t smem, uint32_t *blocks)
{
    const SimKernel *kernel = sim_kernel(base);
    Sim *d = sim_of(base->module->device);
    *blocks = 0;
    if (!kernel->kernel) return fail(d, kernel->status, "%s", kernel->refusal);
    LaunchInfo info = {
        .kernel = kernel->kernel, .grid = {1, 1, 1}, .block = {block.x, block.y, block.z}, .dynamic_shared = smem};
    SmCfg organised = d->gpu.sm;
    const char *limit;
    if (!block.x || !block.y || !block.z || (uint64_t)kernel->kernel->static_shared + smem > d->gpu.sm.shared_max)
        return OC_OK;
    sm_organise(&organised, &info, d->config.functional ? NULL : &d->chip.division);
    *blocks = sm_occupancy(&organised, &info, &limit);
    return OC_OK;
}

oc_dim3 device_cluster(const oc_kernel *k)
{
    const uint32_t *own = sim_kernel(k)->f->cluster;
    return own[0] ? (oc_dim3){own[0], MAX(own[1], 1u), MAX(own[2], 1u)} : (oc_dim3){0, 0, 0};
}

uint32_t device_most_cluster(const oc_kernel *k)
{
    const uint32_t own = sim_kernel(k)->f->maxclusterrank;
    return own ? MIN(own, (uint32_t)MAX_CLUSTER) : MAX_CLUSTER;
}

// As the chip places them: those of one cluster lie in one group of SMs.
oc_status device_clusters(oc_kernel *k, oc_dim3 block, uint32_t smem, uint32_t blocks, uint32_t *clusters)
{
    const Gpu *g = &sim_of(k->module->device)->gpu;
    const uint32_t group = g->cluster_sms ? MIN(g->cluster_sms, g->sms) : g->sms;
    uint32_t fit;
    *clusters = 0;
    oc_status status = sim_occupancy(k, block, smem, &fit);
    for (uint32_t s = 0; status == OC_OK && blocks && s < g->sms; s += group)
        *clusters += fit * MIN(group, g->sms - s) / blocks;
    return status;
}

uint32_t sim_most_threads(const SimKernel *k)
{
    const Sim *d = sim_of(k->base.module->device);
    const uint32_t named = (uint32_t)ptx_block_threads(k->f), most = named ? MIN(named, 1024u) : 1024;
    // Without time registers are no limit; but a program is told what it would be told with time, unless the registers
    // are those of code that no compiler has made shorter.
    if (!k->kernel || (d->config.functional && d->config.no_lowering)) return most;
    for (uint32_t warps = (most + LANES - 1) / LANES; warps; warps--) {
        SmCfg organised = d->gpu.sm;
        const char *limit;
        LaunchInfo info = {.kernel = k->kernel, .grid = {1, 1, 1}, .block = {MIN(warps * LANES, most), 1, 1}};
        sm_organise(&organised, &info, NULL);
        if (sm_occupancy(&organised, &info, &limit) || strcmp(limit, "registers")) return info.block[0];
    }
    return most;  // not even a warp fits: the launch says so
}

// Is the launch one of those that are timed? The filter is asked once for each kernel.
static oc_status choose(Sim *d, SimKernel *k, const char *shown, bool *timed)
{
    oc_status status = OC_OK;
    Diag why = {0};
    *timed = !d->config.functional;
    if (*timed && d->only && !k->asked) {
        k->asked = d->only->takes(d->only->user, k->f->symbol->name, shown, &k->taken, &why);
        if (!k->asked) status = fail(d, OC_BAD_ARGUMENT, "kernel %s: %s", shown, why.text.v);
        diag_free(&why);
    }
    if (*timed && d->only) *timed = k->taken;
    if (*timed && d->matched++ < d->skip) *timed = false;
    return status;
}

// What a launch says of how it ended; why: the chip's words for it.
static oc_status outcome(Sim *d, RunResult result, const char *kernel, const char *why, bool timed, const Record *r)
{
    switch (result) {
    case RUN_OK: return OC_OK;
    case RUN_MEMORY: return fail(d, OC_OUT_OF_MEMORY, "kernel %s: %s", kernel, why);
    case RUN_FAULT: return fail(d, OC_FAULT, "kernel %s: %s", kernel, why);
    case RUN_HANG: return fail(d, OC_HANG, "kernel %s: %s", kernel, why);
    case RUN_LIMIT:
        if (d->config.cap && d->executed >= d->config.cap)
            return fail(d, OC_LIMIT, "kernel %s was stopped: %llu warp instructions were executed (cap)", kernel,
                        (unsigned long long)d->executed);
        return fail(d, OC_LIMIT, "kernel %s was stopped after %llu cycles (max_cycles)", kernel,
                    (unsigned long long)d->config.max_cycles);
    case RUN_STOPPED:
        return fail(d, OC_STOPPED, "interrupted: kernel %s was stopped after %llu %s", kernel,
                    (unsigned long long)r->count[timed ? C_CYCLES : C_WARP_INSTS],
                    timed ? "cycles" : "warp instructions");
    case RUN_TOO_LARGE: return fail(d, OC_BAD_ARGUMENT, "kernel %s: %s", kernel, why);
    }
    return OC_OK;
}

// A launch, from its checks to its record.
typedef struct Launching {
    Sim *d;
    SimKernel *kernel;
    SimStream *stream;
    const char *name;
    char *shown;  // its name in C++
    bool timed;
    LaunchInfo info;
    Text printed, message;
    Record r;
} Launching;

// Checks the launch and copies its parameters.
static oc_status prepare(Launching *l, oc_dim3 grid, oc_dim3 block, uint32_t smem, const void *const *args)
{
    Sim *d = l->d;
    Kernel *k = l->kernel->kernel;
    oc_status status = check_launch(d, k, l->shown, grid, block, smem);
    if (status == OC_OK) status = check_cluster(d, l->kernel, l->shown, grid);
    if (status == OC_OK && d->config.cap && d->executed >= d->config.cap)
        status = outcome(d, RUN_LIMIT, l->shown, "", true, NULL);
    if (status == OC_OK) status = choose(d, l->kernel, l->shown, &l->timed);
    if (status != OC_OK) return status;
    l->info = (LaunchInfo){.kernel = k,
                           .grid = {grid.x, grid.y, grid.z},
                           .block = {block.x, block.y, block.z},
                           .dynamic_shared = smem,
                           .id = sim_launches(&d->base) + 1,
                           .params = mem_alloc(k->param_bytes + 16),
                           .local_limit = d->gpu.sm.local_limit,
                           .workspace = d->workspace};
    cluster_of(l->kernel, l->info.cluster);
    for (size_t p = 0; p < k->f->params.n; p++)
        memcpy(l->info.params + k->param_at.v[p], args[p], l->kernel->params.sizes[p]);
    return OC_OK;
}

// Until the kernel starts, once its stream and the chip are free. It is less if the launch finds its stream's last
// kernel running.
static double launch_seconds(const Launching *l)
{
    const Gpu *g = &l->d->gpu;
    const bool running = l->d->node || (l->stream->behind && l->stream->end > l->d->host);
    return 1e-6 * (running && g->next_us > 0 ? g->next_us : g->launch_us);
}

// When the kernel starts: host.launch behind the beginning of its call, or of the graph's, at the earliest.
static double launch_start(const Launching *l)
{
    const Sim *d = l->d;
    const double called = d->node ? d->graph : d->host;
    return MAX(sim_free_from(d, &l->stream->base, d->chip_free) + launch_seconds(l), called + 1e-6 * d->gpu.launch_us);
}

// Learns from a launch that is one of those to be timed; runs says whether it was.
static void learn(Launching *l, bool runs)
{
    Sim *d = l->d;
    if (runs) {
        foretell_learn(d->foretell, &l->r);
        return;
    }
    foretell_estimate(d->foretell, &l->r);
    chip_name(&d->chip, &l->info, &l->r);
    d->chip.clock_ns += (uint64_t)((double)l->r.count[C_CYCLES] * 1e3 / d->gpu.core_mhz);
}

static RunResult simulate(Launching *l)
{
    Sim *d = l->d;
    Progress progress = {d, l->name};
    const TraceSink *sink = sim_trace_sink(d);
    RunOptions o = {.max_cycles = d->config.max_cycles,
                    .interval = d->config.interval,
                    .why = d->config.why,
                    .sample = d->config.sample,
                    .progress = d->config.progress ? forward : NULL,
                    .user = &progress,
                    .printed = &l->printed,
                    .trace = sink,
                    .stop = d->base.stop};
    l->r = (Record){.kernel = mem_text(l->name), .launches = 1};
    if (d->config.cap && (l->timed || d->config.functional)) o.max_insts = d->config.cap - d->executed;
    if (sink && l->timed) sink->work(sink->user, l->name, NULL, 0, launch_start(l), -1);
    double began = seconds_now();
    // So a program of many short launches is told of, too.
    const uint32_t *grid = l->info.grid;
    if (o.progress && began - d->told > 0.25) forward(&progress, 0, 0, 0, (uint64_t)grid[0] * grid[1] * grid[2]);
    if (d->lanes && l->timed) lanes_begin(d, l->kernel->kernel), o.take = lanes_take, o.taker = d->lanes;
    const bool runs = l->timed && !d->lanes && (!d->foretell || foretell_times(d->foretell, &l->info, &d->memory));
    o.warm = d->foretell && !runs && foretell_warm(d->foretell);
    if (d->foretell && runs) o.before = foretell_before(d->foretell);
    RunResult result = (runs ? chip_launch : chip_execute)(&d->chip, &l->info, d->textures.v, (uint32_t)d->textures.n,
                                                           &o, &l->r, &l->message);
    if (l->timed && d->foretell && result == RUN_OK) learn(l, runs);
    d->wall += seconds_now() - began;
    if (o.max_insts) d->executed += l->r.count[C_WARP_INSTS];
    return result;
}

// Gives the launch its time on its stream, keeps what it counted, and passes on what it printed.
static oc_status record(Launching *l, RunResult result)
{
    Sim *d = l->d;
    Record *r = &l->r;
    r->info.params = NULL;
    double seconds = (double)r->count[C_CYCLES] / (d->gpu.core_mhz * 1e6);
    double held = d->chip_free - sim_free_from(d, &l->stream->base, 0);
    if (l->timed && held > 0) d->held++, d->held_seconds += held;
    d->busy += launch_seconds(l) + seconds;
    r->start = launch_start(l), r->end = r->start + seconds;
    d->chip_free = l->stream->end = r->end;
    sim_call(d);
    l->stream->behind = true;
    const TraceSink *sink = sim_trace_sink(d);
    if (sink && l->timed) sink->work(sink->user, l->name, NULL, 0, r->start, r->end);
    if (result == RUN_TOO_LARGE)
        record_free(r);  // it never ran
    else
        vec_push(&d->records, *r);
    if (result == RUN_FAULT) sim_stub(l->kernel->kernel, &l->printed, &l->message);
    d->base.calling = true;
    if (l->printed.n && d->config.print) d->config.print(d->config.user, l->printed.v, l->printed.n);
    d->base.calling = false;
    return outcome(d, result, l->shown, l->message.v ? l->message.v : "", l->timed, r);
}

oc_status sim_launch(oc_kernel *base, oc_dim3 grid, oc_dim3 block, uint32_t smem, oc_stream *stream,
                     const void *const *args)
{
    const SimKernel *kernel = sim_kernel(base);
    Sim *d = sim_of(base->module->device);
    if (!kernel->kernel) return fail(d, kernel->status, "%s", kernel->refusal);
    Launching l = {.d = d,
                   .kernel = (SimKernel *)base,
                   .stream = stream ? stream_of(stream) : &d->standard,
                   .name = kernel->f->symbol->name};
    l.shown = name_shown(l.name);
    oc_status status = prepare(&l, grid, block, smem, args);
    if (status == OC_OK) status = record(&l, simulate(&l));
    mem_free(l.info.params), mem_free(l.shown);
    text_free(&l.printed), text_free(&l.message);
    return status;
}
