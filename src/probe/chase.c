// chase.c: the host's side of fine-grained pointer chasing (Mei et al., §3.2). A sequence is checked, handed to the
// kernel of chase_ptx.c, and launched. One launch can record a window of the timed loads; a longer sequence takes
// several launches. Every launch executes the whole sequence and times the same loads, so that a window's latencies
// don't depend on which window it is.
#include "probe/measure.h"

// SHARED: shared memory of a launch, as much as any GPU gives a block without opting in.
enum { SHARED = 48 << 10, TRIALS = 15 };
// A GPU sets aside local memory for every thread that can be resident, and an SM has room for 2048 at most (CUDA C++
// Programming Guide, "Technical Specifications"). All of them together get at most a LOCAL_PART of the memory.
enum { LOCAL_MOST = 16 << 10, LOCAL_LEAST = 1 << 10, LOCAL_THREADS = 2048, LOCAL_PART = 7 };

static const char *const names[CHASE_KINDS] = {"global loads",    "loads past the L1", "read-only loads",
                                               "texture fetches", "constant loads",    "local loads"};

static bool failed(const Chase *c, Diag *diag) { return diag_error(diag, "%s", oc_error(c->device)); }

// --- opening ---------------------------------------------------------------------------------------------------------
// The largest width of a texture over linear memory depends on the GPU (2^27 texels from capability 2.0 on, 2^28 from
// 9.0 on: CUDA C Programming Guide, "Technical Specifications"), and coordinates are signed. If a width is refused,
// the next smaller power of two is tried.
static void open_texture(Chase *c, uint64_t span)
{
    uint64_t width = MIN(span / 4, 0x7fffffff);
    while (width) {
        oc_texture t = {.base = c->memory, .width = (uint32_t)width, .channels = 1, .format = OC_TEX_U32};
        if (oc_texture_create(c->device, &t, &c->texture) == OC_OK) break;
        uint64_t power = 1ull << (63 - __builtin_clzll(width));
        width = power < width ? power : width / 2;
    }
    if (!width) c->texture = 0;
    c->span[CHASE_TEXTURE] = 4 * width;
}

// Loads the kernel of a kind. The carve-out leaves to the L1 what shared memory doesn't need.
static void open_kind(Chase *c, ChaseKind kind, uint64_t span)
{
    const uint64_t own[CHASE_KINDS] = {[CHASE_CONST] = CONST_SPAN, [CHASE_LOCAL] = 32ull * c->local};
    oc_device_info info = oc_describe(c->device);
    oc_kernel *k;
    Text t = {0};
    if (kind == CHASE_TEXTURE && !c->texture) return;
    chase_ptx(kind, c->local, &t);
    if (oc_load(c->device, t.v, t.n, "chase.ptx", &c->module[kind]) != OC_OK)
        c->module[kind] = NULL;
    else if (kind != CHASE_TEXTURE)
        c->span[kind] = own[kind] ? own[kind] : span;
    if (c->module[kind] && info.shared_sm && oc_kernel_get(c->module[kind], "chase", &k) == OC_OK)
        oc_kernel_carveout(k, (int)MIN((100ull * c->shared + info.shared_sm - 1) / info.shared_sm, 100));
    text_free(&t);
}

static void close_kind(Chase *c, ChaseKind kind)
{
    if (c->module[kind]) oc_unload(c->module[kind]);
    c->module[kind] = NULL;
    c->span[kind] = 0;
}

static bool has_own_addresses(ChaseKind kind)
{
    return kind == CHASE_TEXTURE || kind == CHASE_CONST || kind == CHASE_LOCAL;
}

// Loads near the end of the memory, so that a device with less memory fails here.
static bool launch_timer(const Chase *c, ChaseKind kind, uint32_t t[3])
{
    uint64_t address =
        (has_own_addresses(kind) ? 0 : c->memory) + (c->span[kind] - MIN(c->span[kind], 128u)) / 128 * 128;
    uint32_t never = 0;
    oc_kernel *k;
    oc_dim3 one = {1, 1, 1};
    const void *args[] = {&address, &c->texture, &never, &c->out};
    return oc_kernel_get(c->module[kind], "timer", &k) == OC_OK &&
           oc_launch(k, one, one, c->shared, NULL, args) == OC_OK &&
           oc_read(c->device, t, c->out, 3 * sizeof *t, NULL) == OC_OK;
}

static uint32_t local_bytes(const oc_device_info *info)
{
    uint64_t bytes = LOCAL_MOST;
    while (bytes > LOCAL_LEAST && bytes * LOCAL_THREADS * info->sms > info->memory / LOCAL_PART) bytes /= 2;
    return (uint32_t)bytes;
}

// A device that can't set aside so much local memory may have room for less.
static bool can_launch(Chase *c, ChaseKind kind)
{
    uint32_t t[3];
    while (!launch_timer(c, kind, t)) {
        close_kind(c, kind);
        if (kind != CHASE_LOCAL || c->local <= LOCAL_LEAST) return false;
        c->local /= 2;
        open_kind(c, kind, 0);
        if (!c->module[kind]) return false;
    }
    return true;
}

// Measures the clock's cost, with the kind's own load. If the kernel can't be launched, the device doesn't have this
// kind.
static bool measure_timer(Chase *c, ChaseKind kind, Diag *diag)
{
    uint32_t t[TRIALS][3], m[3], trials = c->noisy ? TRIALS : 1;
    if (!can_launch(c, kind)) return true;
    for (uint32_t k = 0; k < trials; k++)
        if (!launch_timer(c, kind, t[k])) return close_kind(c, kind), true;
    for (int k = 0; k < 3; k++) m[k] = settle_value(&t[0][k], 3, trials, NULL);
    uint32_t load = m[1] - m[2];
    if (m[1] <= m[2] || m[0] < load)
        return diag_error(
            diag, "the clock can't be trusted with %s: one took %u cycles, with arithmetic %u, arithmetic alone %u",
            names[kind], m[0], m[1], m[2]);
    c->overhead[kind] = m[0] - load;
    return true;
}

// A GPU that was idle first runs at a low clock.
static bool warm_up(Chase *c, Diag *diag)
{
    const double end = seconds_now() + 0.2;
    int kind = 0;
    while (!c->module[kind]) kind++;
    uint32_t t[3];
    while (seconds_now() < end)
        if (!launch_timer(c, (ChaseKind)kind, t)) return failed(c, diag);
    return true;
}

static bool check_clock(Chase *c, ChaseKind kind, Diag *diag);

bool chase_open(Chase *c, oc_device *device, uint64_t span, Diag *diag)
{
    oc_device_info info = oc_describe(device);
    bool any = false, ok = true;
    *c = (Chase){.device = device,
                 .noisy = info.real,
                 .shared = MIN(info.shared_block, (uint32_t)SHARED),
                 .local = local_bytes(&info)};
    if (oc_malloc(device, span, "chased", &c->memory) != OC_OK ||
        oc_malloc(device, sizeof(DeviceHead) + sizeof(DeviceWalk) * CHASE_WALKS, "walks", &c->list) != OC_OK ||
        oc_malloc(device, SHARED, "latencies", &c->out) != OC_OK)
        return failed(c, diag);
    // A simulated device's memory is zero, and stays unmapped on the host until it is used.
    if (info.real && oc_fill(device, c->memory, 0, span, NULL) != OC_OK) return failed(c, diag);
    open_texture(c, span);
    for (int k = 0; k < CHASE_KINDS; k++) {
        open_kind(c, (ChaseKind)k, span);
        any |= c->module[k] != NULL;
    }
    if (!any) return failed(c, diag);
    if (info.real && !warm_up(c, diag)) return false;
    any = false;
    for (int k = 0; k < CHASE_KINDS && ok; k++) {
        ok = !c->module[k] || (measure_timer(c, (ChaseKind)k, diag) &&
                               (!info.real || !c->module[k] || check_clock(c, (ChaseKind)k, diag)));
        any |= c->module[k] != NULL;
    }
    return ok && (any || failed(c, diag));
}

void chase_close(Chase *c)
{
    for (int k = 0; k < CHASE_KINDS; k++) close_kind(c, (ChaseKind)k);
    if (c->texture) oc_texture_destroy(c->device, c->texture);
    if (c->memory) oc_free(c->device, c->memory);
    if (c->list) oc_free(c->device, c->list);
    if (c->out) oc_free(c->device, c->out);
    *c = (Chase){.device = NULL};
}

// --- sequences -------------------------------------------------------------------------------------------------------
size_t chase_timed(const Walk *walks, size_t n)
{
    size_t timed = 0;
    for (size_t w = 0; w < n; w++) timed += walks[w].timed ? walks[w].count : 0;
    return timed;
}

// Beside the walks and the window there is a slot for latencies that aren't kept, and a word to which stores go.
size_t chase_window(const Chase *c, size_t n)
{
    size_t used = sizeof(DeviceHead) + sizeof(DeviceWalk) * n + 8;
    return used < c->shared ? (c->shared - used) / 4 : 0;
}

uint32_t chase_walks(const Chase *c)
{
    const size_t used = sizeof(DeviceHead) + 8;
    const size_t room = c->shared > used ? (c->shared - used) / (sizeof(DeviceWalk) + 8) : 0;
    return (uint32_t)MIN(room, CHASE_WALKS);
}

// Translates the walks for the kernel: global memory gets absolute addresses; a walk that doesn't wrap gets a wrap
// that no multiple of 4 reaches. Walks without loads are left out.
static bool translate(const Chase *c, ChaseKind kind, const Walk *walks, size_t n, DeviceHead *head, DeviceWalk *list,
                      Diag *diag)
{
    const uint64_t base = has_own_addresses(kind) ? 0 : c->memory;
    for (size_t w = 0; w < n; w++) {
        if (!walks[w].count) continue;
        if (!walk_inside(&walks[w], c->span[kind]))
            return diag_error(
                diag,
                "walk %zu (%u loads from %llu on, %lld apart) isn't of multiples of 4 within the %llu bytes for %s", w,
                walks[w].count, (unsigned long long)walks[w].start, (long long)walks[w].stride,
                (unsigned long long)c->span[kind], names[kind]);
        list[head->walks++] = (DeviceWalk){base + walks[w].start, (uint64_t)walks[w].stride,
                                           walks[w].wrap ? walks[w].wrap : UINT64_MAX, walks[w].count, walks[w].timed};
    }
    return true;
}

static bool launch(Chase *c, ChaseKind kind, const DeviceHead *head, uint32_t *latency, Diag *diag)
{
    oc_kernel *k;
    const void *args[] = {&c->list, &c->out};
    if (oc_write(c->device, c->list, head, sizeof *head, NULL) != OC_OK ||
        oc_kernel_get(c->module[kind], "chase", &k) != OC_OK ||
        oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){CHASE_BLOCK, 1, 1}, c->shared, NULL, args) != OC_OK ||
        (head->room && oc_read(c->device, latency, c->out, head->room, NULL) != OC_OK))
        return failed(c, diag);
    oc_forget(c->device, PROBE_KEPT);
    for (uint32_t t = 0; t < head->room / 4; t++) latency[t] -= MIN(latency[t], c->overhead[kind]);
    return true;
}

bool chase_run(Chase *c, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
               uint32_t *latency, Diag *diag)
{
    DeviceHead head = {.texture = c->texture, .rounds = rounds};
    const uint64_t timed = chase_timed(walks, n), skipped = first * timed,
                   kept = rounds > first ? rounds * timed - skipped : 0;
    const size_t window = chase_window(c, n);
    uint64_t loads = 0, from = 0;
    if (!c->module[kind]) return diag_error(diag, "this device has no %s", names[kind]);
    if (n > CHASE_WALKS || !window)
        return diag_error(diag, "%zu walks are more than a sequence of at most %d, or than shared memory has room for",
                          n, CHASE_WALKS);
    if ((uint64_t)MAX(rounds, first) * timed >= 1u << 29)
        return diag_error(diag, "a sequence times fewer than 2^29 loads");
    for (size_t w = 0; w < n; w++) loads += walks[w].count;
    DeviceWalk *list = mem_alloc(sizeof *list * (n + 1));
    bool ok = translate(c, kind, walks, n, &head, list, diag);
    ok = ok &&
         (!head.walks || oc_write(c->device, c->list + sizeof head, list, sizeof *list * head.walks, NULL) == OC_OK ||
          failed(c, diag));
    mem_free(list);
    while (ok) {
        head.at = (uint32_t)(0 - 4 * (skipped + from));
        head.room = (uint32_t)(4 * MIN(window, kept - from));
        ok = launch(c, kind, &head, latency + from, diag);
        c->loads += loads * rounds;
        if ((from += window) >= kept) break;
    }
    return ok;
}

// --- the clock -------------------------------------------------------------------------------------------------------
// Runs n loads, `stride` bytes apart. Returns the cycles of a load: from those of the whole sequence, which begins and
// ends with a reading of the clock, or from the readings around each load.
static bool cycles_of(Chase *c, ChaseKind kind, uint64_t stride, uint32_t n, bool timed, uint32_t *cycles, Diag *diag)
{
    const Walk walk = {.stride = (int64_t)stride, .count = n, .timed = timed};
    uint32_t *latency = mem_alloc(sizeof *latency * n), total = 0;
    const uint64_t loads = c->loads;
    bool ok = chase_run(c, kind, &walk, 1, 1, 0, latency, diag);
    if (ok && !timed) ok = oc_read(c->device, &total, c->out, sizeof total, NULL) == OC_OK || failed(c, diag);
    for (uint32_t k = 0; ok && timed && k < n; k++) total += latency[k];
    c->loads = loads;
    mem_free(latency);
    return *cycles = total / n, ok;
}

// A simulated GPU executes the PTX in its order. A real GPU's driver orders machine code anew, and might read the
// clock before a load is done. So loads of many lines and loads of one line are compared. What the former take longer
// by the whole sequences doesn't depend on that order: each load needs the value of the one before. By the readings
// around each load, it must not be less. It may be more, where loads of one line are so fast that the loop's own
// instructions take longer.
static bool check_clock(Chase *c, ChaseKind kind, Diag *diag)
{
    enum { LOADS = 1000, APART = 33 << 10, CLEAR = 20, SLACK = 8 };
    const uint64_t far = MIN(c->span[kind] / LOADS, (uint64_t)APART) / 4 * 4;
    uint32_t of[2][2][TRIALS], unused, trials = c->noisy ? TRIALS : 1;
    double more[2];
    if (!cycles_of(c, kind, far, LOADS, false, &unused, diag)) return false;  // fills the L2
    for (uint32_t t = 0; t < trials; t++)
        for (int timed = 0; timed < 2; timed++)
            for (int many = 0; many < 2; many++)
                if (!cycles_of(c, kind, many ? far : 0, LOADS, timed, &of[timed][many][t], diag)) return false;
    for (int timed = 0; timed < 2; timed++)
        more[timed] =
            (double)settle_value(of[timed][1], 1, trials, NULL) - (double)settle_value(of[timed][0], 1, trials, NULL);
    if (more[0] < CLEAR || more[0] - more[1] <= MAX(SLACK, 0.1 * more[0])) return true;
    return diag_error(
        diag,
        "the clock can't be trusted with %s: loads of many lines take %.0f cycles more each by the time of "
        "all, and %.0f more by the clock around each; perhaps the driver's compiler reads it too early",
        names[kind], more[0], more[1]);
}
