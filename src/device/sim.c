// sim.c: the public interface on a simulated GPU. A device owns its memory, its chip, its modules and the record of its
// launches. When things happen is in timeline.c.
#include "device/sim.h"
#include "device/setup.h"

#include <stdlib.h>
#include <string.h>

// --- memory ----------------------------------------------------------------------------------------------------------
// Labels are kept after their memory is freed, since a message may be about freed memory.
const char *sim_keep_label(Sim *d, const char *label)
{
    int64_t at;
    if (map_get(&d->label_at, label, strlen(label), &at)) return d->labels.v[at];
    map_put(&d->label_at, label, strlen(label), (int64_t)d->labels.n);
    vec_push(&d->labels, mem_text(label));
    return d->labels.v[d->labels.n - 1];
}

static oc_status sim_alloc(oc_device *base, size_t bytes, const char *label, oc_ptr *ptr)
{
    Sim *d = sim_of(base);
    *ptr = gmem_alloc(&d->memory, bytes, label ? sim_keep_label(d, label) : NULL, false);
    if (*ptr) check_written(d->chip.check, *ptr, bytes, false);
    if (!*ptr && d->memory.host_full)
        return fail(d, OC_OUT_OF_MEMORY, "the host has no memory for %zu bytes of the device's", bytes);
    if (!*ptr)
        return fail(d, OC_OUT_OF_MEMORY, "the device's memory of %llu bytes has no room for %zu more (gpu.memory)",
                    (unsigned long long)d->gpu.memory, bytes);
    d->peak = MAX(d->peak, d->memory.top);
    return OC_OK;
}

static oc_status sim_release(oc_device *base, oc_ptr ptr)
{
    Sim *d = sim_of(base);
    const Allocation *a = gmem_find(&d->memory, ptr);
    if (!a || a->internal || !gmem_free(&d->memory, ptr))
        return fail(d, OC_BAD_ARGUMENT, "0x%llx is not the start of an allocation", (unsigned long long)ptr);
    return OC_OK;
}

// The host address of [ptr, ptr + bytes), in global memory or a constant bank; null, with an error, if not all of it is
// there.
void *sim_locate(Sim *d, oc_ptr ptr, size_t bytes)
{
    const Allocation *a = gmem_find(&d->memory, ptr);
    if (a && !a->freed && bytes <= a->end - ptr) return gmem_host(&d->memory, ptr);
    for (size_t m = 0; m < d->modules.n; m++) {
        Image *i = &d->modules.v[m]->image;
        if (ptr >= i->const_base && ptr - i->const_base <= i->const_bytes &&
            bytes <= i->const_bytes - (ptr - i->const_base))
            return i->constants + (ptr - i->const_base);
    }
    a = gmem_near(&d->memory, ptr);
    fail(d, OC_BAD_ARGUMENT, "[0x%llx, +%zu) is not inside one allocation%s%s", (unsigned long long)ptr, bytes,
         a && a->label ? "; the nearest is " : "", a && a->label ? a->label : "");
    return NULL;
}

// --- tensor maps --------------------------------------------------------------------------------------------
static oc_status sim_tensor_map(oc_device *base, const TensorMap *t, void *map)
{
    (void)base;
    tensor_map_write(t, map);
    return OC_OK;
}

static oc_status sim_pin(oc_device *base, size_t bytes, void **memory)
{
    *memory = malloc(bytes);
    return *memory ? OC_OK : fail(sim_of(base), OC_OUT_OF_MEMORY, "the host has no room for %zu bytes", bytes);
}

static void sim_unpin(oc_device *base, void *memory) { (void)base, free(memory); }
static void sim_queue(oc_device *base, bool on) { (void)base, (void)on; }

// --- launches --------------------------------------------------------------------------------------------------------
typedef struct Progress {
    Sim *d;
    const char *kernel;
} Progress;
static void forward(void *user, uint64_t cycles, uint64_t insts, uint64_t done, uint64_t blocks)
{
    Progress *p = user;
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

static oc_status sim_occupancy(oc_kernel *base, oc_dim3 block, uint32_t smem, uint32_t *blocks)
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

static bool sim_range(oc_device *base, oc_ptr ptr, oc_ptr *start, uint64_t *bytes)
{
    const Allocation *a = gmem_find(&sim_of(base)->memory, ptr);
    if (!a) return false;
    *start = a->start, *bytes = a->end - a->start;
    return true;
}

// Is the launch one of those that are timed? The filter is asked once for each kernel.
static oc_status choose(Sim *d, SimKernel *k, const char *shown, bool *timed)
{
    oc_status status = OC_OK;
    Text why = {0};
    *timed = !d->config.functional;
    if (*timed && d->only && !k->asked) {
        k->asked = d->only->takes(d->only->user, k->f->symbol->name, shown, &k->taken, &why);
        if (!k->asked) status = fail(d, OC_BAD_ARGUMENT, "kernel %s: %s", shown, why.v);
        text_free(&why);
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
    const bool running = l->stream->behind && l->stream->end > l->d->host;
    return 1e-6 * (running && g->next_us > 0 ? g->next_us : g->launch_us);
}

// When the kernel starts: host.launch behind the call's beginning at the earliest.
static double launch_start(const Launching *l)
{
    const Sim *d = l->d;
    return MAX(sim_free_from(d, &l->stream->base, d->chip_free) + launch_seconds(l), d->host + 1e-6 * d->gpu.launch_us);
}

// Of a launch that is one of those to be timed: runs says whether it was.
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
    const bool runs = l->timed && (!d->foretell || foretell_times(d->foretell, &l->info, &d->memory));
    o.warm = d->foretell && !runs && foretell_warm(d->foretell);
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

static oc_status sim_launch(oc_kernel *base, oc_dim3 grid, oc_dim3 block, uint32_t smem, oc_stream *stream,
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

static uint32_t sim_params(const oc_kernel *k) { return (uint32_t)((const SimKernel *)k)->f->params.n; }

// This is a hint, which a simulated device ignores: its description divides the SM's storage.
static oc_status sim_carveout(oc_kernel *k, int percent) { return (void)k, (void)percent, OC_OK; }

static oc_device_info sim_info(const oc_device *base)
{
    const Gpu *g = &sim_of(base)->gpu;
    return (oc_device_info){.name = g->name,
                            .sms = g->sms,
                            .clock_mhz = g->core_mhz,
                            .capability = g->capability,
                            .memory = g->memory,
                            .l2_bytes = g->part.absent ? 0 : (uint64_t)g->part.l2.size * g->part.partitions,
                            .shared_sm = g->sm.shared_size,
                            .shared_block = g->sm.shared_max};
}

// --- opening ---------------------------------------------------------------------------------------------------------
static void sim_close(oc_device *base)
{
    Sim *d = sim_of(base);
    sim_trace_end(d);
    while (d->modules.n) sim_unload(&d->modules.v[d->modules.n - 1]->base);
    while (d->events.n) sim_event_destroy(&d->events.v[d->events.n - 1]->base);
    while (d->streams.n) sim_stream_destroy(&d->streams.v[d->streams.n - 1]->base);
    sim_free_launches(d);
    textures_clear(d, true);
    for (size_t l = 0; l < d->labels.n; l++) mem_free(d->labels.v[l]);
    map_free(&d->label_at), map_free(&d->on_host);
    vec_free(&d->modules), vec_free(&d->streams), vec_free(&d->events), vec_free(&d->textures), vec_free(&d->labels),
        vec_free(&d->lines);
    check_close(d->chip.check);
    foretell_close(d->foretell);
    chip_close(&d->chip);
    gpu_free(&d->gpu);
    gmem_close(&d->memory);
    mem_free(d);
}

static const DeviceOps sim_ops = {
    .close = sim_close,
    .info = sim_info,
    .alloc = sim_alloc,
    .release = sim_release,
    .write = sim_write,
    .read = sim_read,
    .copy = sim_copy,
    .fill = sim_fill,
    .load = sim_load,
    .unload = sim_unload,
    .kernel_get = sim_kernel_get,
    .kernel_count = sim_kernel_count,
    .kernel_at = sim_kernel_at,
    .kernel_describe = sim_kernel_describe,
    .kernel_name = sim_kernel_name,
    .params = sim_params,
    .carveout = sim_carveout,
    .symbol = sim_symbol,
    .tensor_map = sim_tensor_map,
    .texture_create = sim_texture_create,
    .texture_destroy = sim_texture_destroy,
    .surface_create = sim_surface_create,
    .surface_destroy = sim_surface_destroy,
    .reference_bind = sim_reference_bind,
    .stream_create = sim_stream_create,
    .stream_destroy = sim_stream_destroy,
    .stream_time = sim_stream_time,
    .event_create = sim_event_create,
    .event_destroy = sim_event_destroy,
    .event_record = sim_event_record,
    .event_seconds = sim_event_seconds,
    .occupancy = sim_occupancy,
    .range = sim_range,
    .pin = sim_pin,
    .unpin = sim_unpin,
    .queue = sim_queue,
    .wait = sim_wait,
    .event_wait = sim_event_wait,
    .gather = sim_gather,
    .launch = sim_launch,
    .launches = sim_launches,
    .launch_kernel = sim_launch_kernel,
    .launch_counter = sim_launch_counter,
    .launch_rate = sim_launch_rate,
    .counter_name = sim_counter_name,
    .rate_name = sim_rate_name,
    .launch_structure = sim_launch_structure,
    .launch_misses = sim_launch_misses,
    .launch_finding = sim_launch_finding,
    .launch_unchecked = sim_launch_unchecked,
    .launch_line = sim_launch_line,
    .launch_value = sim_launch_value,
    .trace = sim_trace,
    .forget = sim_forget,
};

oc_status sim_open(const oc_config *config, oc_device **out, Text *message)
{
    Diag diag = {0};
    Gpu gpu;
    *out = NULL;
    oc_status status;
    if (gpu_load(&gpu, config->gpu ? config->gpu : "gtx480", config->sets, &diag)) {
        status = device_open(config, &gpu, out, message);
        gpu_free(&gpu);
        return status;
    }
    status = device_blame(config->gpu, &diag);
    text_put(message, diag.text.v ? diag.text.v : "");
    diag_free(&diag);
    return status;
}

// --- for the program's own folders -----------------------------------------------------------------------------------
oc_status device_open(const oc_config *config, const Gpu *gpu, oc_device **out, Text *message)
{
    const Setup setup = setup_of(config);
    if (!setup_agrees(setup_given(&setup), false, NAMES_FIELD, message)) return *out = NULL, OC_BAD_ARGUMENT;
    Sim *d = mem_alloc(sizeof *d);
    d->base.ops = &sim_ops;
    d->base.stop = config->stop;
    d->config = *config;
    d->standard.base.device = &d->base;
    d->gpu = *gpu;
    plugin_hold(gpu->plugin);
    gmem_open(&d->memory, d->gpu.memory);
    chip_open(&d->chip, &d->gpu, &d->memory, config->threads ? config->threads : 1);
    d->chip.simulate_all = config->simulate_all || config->sample;
    if (config->check) d->chip.check = check_open();
    if (config->sample) d->foretell = foretell_open();
    *out = &d->base;
    return OC_OK;
}

oc_status device_blame(const char *gpu, const Diag *diag)
{
    if (diag->memory) return OC_OUT_OF_MEMORY;
    bool override = diag->text.v && !strncmp(diag->text.v, "--set:", 6);
    return gpu && strpbrk(gpu, "./") && !override ? OC_BAD_FILE : OC_BAD_ARGUMENT;
}

const Gpu *device_gpu(const oc_device *d) { return &sim_of(d)->gpu; }
void device_cooperate(oc_device *d, uint64_t workspace) { sim_of(d)->workspace = workspace; }
void device_state_registers(oc_device *d, uint32_t count) { sim_of(d)->stated = count; }
int device_share(oc_device *d) { return gmem_share(&sim_of(d)->memory); }
void device_clear(oc_device *base)
{
    Sim *d = sim_of(base);
    for (size_t k = 0; k < d->memory.allocs.n; k++) {
        const Allocation *a = &d->memory.allocs.v[k];
        if (!a->freed && !a->internal) gmem_free(&d->memory, a->start);
    }
    textures_clear(d, false);
}

void device_zeroed(oc_device *base, oc_ptr at, uint64_t bytes)
{
    check_written(sim_of(base)->chip.check, at, bytes, true);
}

uint64_t device_taken(const oc_device *base)
{
    const Gmem *g = &sim_of(base)->memory;
    uint64_t bytes = 0;
    for (size_t k = 0; k < g->allocs.n; k++)
        if (!g->allocs.v[k].freed) bytes += g->allocs.v[k].end - g->allocs.v[k].start;
    return bytes;
}

FaultKind device_fault(const oc_device *base)
{
    const Sim *d = sim_of(base);
    return d->records.n ? d->records.v[d->records.n - 1].fault : FAULT_NONE;
}

uint64_t device_repeated(const oc_device *d) { return chip_repeated(&sim_of(d)->chip); }
double device_wall_seconds(const oc_device *d) { return sim_of(d)->wall; }

uint64_t device_held(const oc_device *d, double *seconds)
{
    *seconds = sim_of(d)->held_seconds;
    return sim_of(d)->held;
}
bool device_samples(const oc_device *d) { return sim_of(d)->foretell; }
double device_busy_seconds(const oc_device *d) { return sim_of(d)->busy; }
uint64_t device_bytes(const oc_device *d) { return MAX(sim_of(d)->peak, sim_of(d)->memory.top); }
const Kernel *device_kernel(const oc_kernel *k) { return sim_kernel(k)->kernel; }

void device_select(oc_device *d, const KernelFilter *kernels, uint64_t skip)
{
    sim_of(d)->only = kernels;
    sim_of(d)->skip = skip;
}
