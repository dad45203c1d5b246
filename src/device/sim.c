// sim.c: the public interface on a simulated GPU: opens a device, which owns its memory (sim_memory.c), its chip, its
// modules and the record of its launches (sim_launch.c), and closes it. When things happen is in timeline.c.
#include "device/sim.h"
#include "device/setup.h"

#include <string.h>

static oc_status sim_tensor_map(oc_device *base, const TensorMap *t, void *map)
{
    (void)base;
    tensor_map_write(t, map);
    return OC_OK;
}

static void sim_queue(oc_device *base, bool on) { (void)base, (void)on; }
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
    lanes_close(d->lanes);
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
    .metric_name = sim_metric_name,
    .launch_structure = sim_launch_structure,
    .launch_misses = sim_launch_misses,
    .launch_finding = sim_launch_finding,
    .launch_unchecked = sim_launch_unchecked,
    .launch_line = sim_launch_line,
    .launch_series = sim_launch_series,
    .launch_value = sim_launch_value,
    .trace = sim_trace,
    .forget = sim_forget,
};

oc_status sim_open(const oc_config *config, oc_device **out, Diag *diag)
{
    Gpu gpu;
    *out = NULL;
    if (!gpu_load(&gpu, config->gpu ? config->gpu : OC_DEFAULT_GPU, config->sets, diag))
        return device_blame(config->gpu, diag);
    oc_status status = device_open(config, &gpu, out, diag);
    gpu_free(&gpu);
    return status;
}

// --- for the program's own folders -----------------------------------------------------------------------------------
oc_status device_open(const oc_config *config, const Gpu *gpu, oc_device **out, Diag *diag)
{
    const Setup setup = setup_of(config);
    if (!setup_agrees(setup_given(&setup), false, NAMES_FIELD, diag)) return *out = NULL, OC_BAD_ARGUMENT;
    Sim *d = mem_alloc(sizeof *d);
    d->base.ops = &sim_ops;
    d->base.stop = config->stop;
    d->config = *config;
    d->told = seconds_now();
    d->standard.base.device = &d->base;
    d->gpu = *gpu;
    gpu_hold(gpu);
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
void device_check_policy(oc_device *d) { sim_of(d)->chip.gpu.sm.laws = true; }
void device_state_registers(oc_device *d, uint32_t count) { sim_of(d)->stated = count; }
void device_bound_registers(oc_device *d, uint32_t most) { sim_of(d)->bound = most; }
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
