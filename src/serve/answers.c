// answers.c: an answer for each row of calls.def. Every number that comes from the program is looked up here; the
// device checks addresses and sizes.
#include "names/names.h"
#include "serve/unit.h"

#include "exec/code.h"

#include <string.h>

enum { WAITING_MOST = 1024 };  // launches; the next one waits until they have run

// What was made under a number, from 1 on; null: nothing.
#define MADE(list, number) ((number)-1 < (list).n ? (list).v[(number)-1] : NULL)

static bool stream_known(const Serving *s, uint64_t number, oc_stream **stream)
{
    *stream = number ? MADE(s->guest->streams, number) : NULL;
    return !number || *stream;
}

// The numbers of things that are gone are given again.
#define KEEP(list, thing, number)                        \
    do {                                                 \
        size_t at_ = 0;                                  \
        while (at_ < (list)->n && (list)->v[at_]) at_++; \
        if (at_ == (list)->n) vec_push(list, NULL);      \
        (list)->v[at_] = (thing);                        \
        (number) = at_ + 1;                              \
    } while (0)

// --- launches --------------------------------------------------------------------------------------------------------
// Memory by which the blocks of a grid wait for one another: zeroed once, since every barrier leaves it as it needs it.
static bool make_workspace(Serving *s)
{
    enum { BYTES = 256 };
    if (s->guest->workspace) return true;
    return oc_malloc(s->device, BYTES, NULL, &s->guest->workspace) == OC_OK &&
           oc_fill(s->device, s->guest->workspace, 0, BYTES, NULL) == OC_OK;
}

// A cluster of so many blocks may be where a kernel asks for it (CUDA C++ Programming Guide, "Thread Block Clusters").
static uint64_t most_blocks(const oc_kernel *k, const WireLaunch *l)
{
    enum { PORTABLE = 8 };
    const uint32_t most = device_most_cluster(k);
    return l->large ? most : MIN(most, (uint32_t)PORTABLE);
}

static uint64_t blocks_of(oc_dim3 cluster)
{
    uint64_t all = (uint64_t)cluster.x * cluster.y;
    return __builtin_mul_overflow(all, cluster.z, &all) ? UINT64_MAX : all;
}

static int answer_LAUNCH(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    oc_kernel *k = MADE(s->guest->kernels, c->a);
    oc_stream *stream;
    WireLaunch l;
    if (!k || !stream_known(s, c->b, &stream)) return INVALID_HANDLE;
    if (s->text.n < sizeof l) return INVALID_VALUE;
    memcpy(&l, s->text.v, sizeof l);
    oc_dim3 grid = {l.grid[0], l.grid[1], l.grid[2]}, block = {l.block[0], l.block[1], l.block[2]};
    oc_dim3 cluster = {l.cluster[0], l.cluster[1], l.cluster[2]};
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (threads > oc_kernel_describe(k).max_threads) return OUT_OF_RESOURCES;
    if (blocks_of(cluster.x ? cluster : device_cluster(k)) > most_blocks(k, &l)) return INVALID_CLUSTER;
    oc_status status = oc_cluster(k, cluster);
    if (status == OC_OK) status = device_admit(k, grid, block, l.shared);
    if (status != OC_OK) return serve_tell(s), serve_result(s, status);
    const Kernel *code = device_kernel(k);
    if (s->text.n - sizeof l < code->param_bytes) return INVALID_VALUE;
    if (l.cooperative && !make_workspace(s)) return OUT_OF_MEMORY;
    Waiting w = {.kernel = k, .grid = grid, .block = block, .smem = l.shared, .stream = stream};
    w.cooperative = l.cooperative, w.cluster = cluster;
    w.params = mem_alloc(code->param_bytes + 1);
    w.args = mem_alloc(sizeof *w.args * (code->f->params.n + 1));
    memcpy(w.params, s->text.v + sizeof l, code->param_bytes);
    for (size_t p = 0; p < code->f->params.n; p++) w.args[p] = w.params + code->param_at.v[p];
    queue_add(s->guest, &w);
    if (c->c) queue_run(s);
    return SUCCESS;
}

static int answer_VALUE(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    oc_stream *stream;
    uint64_t value;
    const uint32_t bytes = c->d & WIRE_LONG ? 8 : 4;
    if (!stream_known(s, c->a, &stream)) return INVALID_HANDLE;
    if (c->d > WIRE_ALL_VALUES || c->b % bytes) return INVALID_VALUE;
    oc_status status = device_value(s->device, c->b, bytes, &value);
    if (status != OC_OK) return serve_result(s, status);
    queue_add(s->guest, &(Waiting){.stream = stream, .at = c->b, .value = c->c, .what = (uint32_t)c->d});
    return SUCCESS;
}

// --- memory ----------------------------------------------------------------------------------------------------------
static bool site_taken(const void *of, const char *name)
{
    const Serving *s = of;
    for (size_t k = 0; k < s->sites.n; k++)
        if (!strcmp(s->sites.v[k], name)) return true;
    return false;
}

// The name of memory that the calls in s->text asked for; null: it has none.
static const char *site(Serving *s)
{
    enum { MOST = 1024 };  // a program may say it has any number of places
    int64_t at;
    Text name = {0};
    if (!s->text.n || !s->o->site) return NULL;
    if (!map_get(&s->site_at, s->text.v, s->text.n, &at)) {
        if (s->sites.n == MOST) return NULL;
        s->o->site(s->o->user, s->text.v, site_taken, s, &name);
        at = (int64_t)s->sites.n;
        vec_push(&s->sites, mem_text(name.n ? name.v : ""));
        map_put(&s->site_at, s->text.v, s->text.n, at);
        text_free(&name);
    }
    return *s->sites.v[at] ? s->sites.v[at] : NULL;
}

static int answer_ALLOC(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)out;
    if (!c->a) return INVALID_VALUE;
    int error = serve_result(s, oc_malloc(s->device, c->a, site(s), &a->a));
    if (error == SUCCESS) vec_push(&s->guest->memory, a->a);
    if (error == SUCCESS && c->b) device_zeroed(s->device, a->a, c->a), device_shares(s->device, a->a);
    return error;
}

static int answer_FREE(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    Guest *g = s->guest;
    size_t k = g->memory.n;
    while (k && g->memory.v[k - 1] != c->a) k--;  // mostly one of the last
    if (!c->a) return SUCCESS;
    if (!k) return INVALID_VALUE;
    g->memory.v[k - 1] = g->memory.v[--g->memory.n];
    return serve_result(s, oc_free(s->device, c->a));
}

static int answer_RANGE(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)out;
    if (!device_range(s->device, c->a, &a->a, &a->b)) a->b = 0;
    return SUCCESS;
}

static int answer_RESERVE(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)out;
    int error = serve_result(s, device_reserve(s->device, c->a, c->b, &a->a));
    if (error == SUCCESS) vec_push(&s->guest->reserved, a->a);
    return error;
}

static int answer_MAP(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    Guest *g = s->guest;
    if (c->c > MAPPED_GIVEN_UP) return INVALID_VALUE;
    int error = serve_result(s, device_map(s->device, (Mapped)c->c, c->a, c->b, c->d));
    for (size_t k = g->reserved.n; error == SUCCESS && c->c == MAPPED_GIVEN_UP && k--;)
        if (g->reserved.v[k] == c->a) g->reserved.v[k] = g->reserved.v[--g->reserved.n];
    return error;
}

static int answer_ROOM(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)c, (void)out;
    a->b = oc_describe(s->device).memory;
    a->a = a->b - MIN(a->b, device_taken(s->device));
    return SUCCESS;
}

static int answer_COPY(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    oc_stream *stream;
    if (!stream_known(s, c->a, &stream)) return INVALID_HANDLE;
    return serve_result(s, oc_copy(s->device, c->b, c->c, c->d, stream));
}

static int answer_FILL(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    oc_stream *stream;
    if (!stream_known(s, c->a, &stream)) return INVALID_HANDLE;
    return serve_result(s, oc_fill(s->device, c->b, (uint8_t)c->d, c->c, stream));
}

static int answer_READ(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a;
    oc_stream *stream;
    if (!stream_known(s, c->a, &stream)) return INVALID_HANDLE;
    if (c->c > WIRE_TEXT || !mem_room(c->c)) return OUT_OF_MEMORY;
    out->v = mem_resize(out->v, out->cap = c->c + 1);
    oc_status status = oc_read(s->device, out->v, c->b, c->c, stream);
    out->n = status == OC_OK ? c->c : 0;
    out->v[out->n] = '\0';
    return serve_result(s, status);
}

static int answer_WRITE(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    oc_stream *stream;
    if (!stream_known(s, c->a, &stream)) return INVALID_HANDLE;
    return serve_result(s, oc_write(s->device, c->b, s->text.n ? s->text.v : "", s->text.n, stream));
}

static int answer_MOVED(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    oc_stream *stream;
    if (!stream_known(s, c->a, &stream)) return INVALID_HANDLE;
    return serve_result(s, device_moved(s->device, c->b, c->c, c->d == 1, stream));
}

// --- modules ---------------------------------------------------------------------------------------------------------
static int answer_LOAD(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    oc_module *m;
    device_bound_registers(s->device, (uint32_t)MIN(c->a, UINT32_MAX));
    oc_status status = oc_load(s->device, s->text.n ? s->text.v : "", s->text.n, "the program's PTX", &m);
    device_bound_registers(s->device, 0);
    if (status != OC_OK) {
        if (!c->b) serve_tell(s);
        text_put(out, oc_error(s->device));
        return serve_result(s, status);
    }
    KEEP(&s->guest->modules, m, a->a);
    for (size_t k = 0; c->b && k < oc_kernel_count(m); k++) {
        const char *why = device_left_out(oc_kernel_at(m, k));
        if (why) text_printf(out, "%s%s", out->n ? "\n" : "", why);
    }
    return SUCCESS;
}

// The report at the end still tells of its launches, so that a module goes when many others have gone after it. The
// numbers of its kernels aren't given again.
static int answer_UNLOAD(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    enum { MOST_GONE = 64 };
    (void)a, (void)out;
    oc_module *m = MADE(s->guest->modules, c->a);
    if (!m) return INVALID_HANDLE;
    for (size_t k = 0; k < s->guest->kernels.n; k++)
        if (s->guest->kernels.v[k] && s->guest->kernels.v[k]->module == m) {
            map_put(&s->guest->kernel_at, (const char *)&s->guest->kernels.v[k], sizeof s->guest->kernels.v[k], 0);
            s->guest->kernels.v[k] = NULL;
        }
    s->guest->modules.v[c->a - 1] = NULL;
    vec_push(&s->guest->gone, m);
    if (s->guest->gone.n <= MOST_GONE) return SUCCESS;
    oc_unload(s->guest->gone.v[0]);
    memmove(s->guest->gone.v, s->guest->gone.v + 1, --s->guest->gone.n * sizeof *s->guest->gone.v);
    return SUCCESS;
}

static int answer_KERNELS(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    oc_module *m = MADE(s->guest->modules, c->a);
    if (!m) return INVALID_HANDLE;
    a->a = oc_kernel_count(m);
    for (size_t k = 0; k < a->a; k++) {
        const char *name = device_kernel_name(oc_kernel_at(m, k));
        text_add(out, name, strlen(name) + 1);
    }
    return SUCCESS;
}

static uint64_t kernel_number(Serving *s, oc_kernel *k)
{
    int64_t known;
    if (map_get(&s->guest->kernel_at, (const char *)&k, sizeof k, &known) && known) return (uint64_t)known;
    vec_push(&s->guest->kernels, k);
    map_put(&s->guest->kernel_at, (const char *)&k, sizeof k, (int64_t)s->guest->kernels.n);
    return s->guest->kernels.n;
}

static int answer_KERNEL(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    oc_module *m = MADE(s->guest->modules, c->a);
    oc_kernel *k;
    if (!m) return INVALID_HANDLE;
    // Under CUDA a kernel has no other name than the PTX's.
    const char *name = s->text.n ? s->text.v : "";
    if (oc_kernel_get(m, name, &k) != OC_OK || strcmp(device_kernel_name(k), name)) return NOT_FOUND;
    oc_kernel_info info = oc_kernel_describe(k);
    const Kernel *code = device_kernel(k);
    if (!code) {
        char *shown = name_shown(info.name);
        Text line = {0};
        text_printf(&line, "kernel %s can't be run: %s", shown, info.refusal ? info.refusal : "");
        s->o->tell(s->o->user, line.v);
        text_add(out, line.v, line.n), text_free(&line), mem_free(shown);
        return NOT_SUPPORTED;
    }
    WireKernel w = {.params = (uint32_t)code->f->params.n,
                    .param_bytes = code->param_bytes,
                    .registers = info.registers,
                    .shared = info.shared_bytes,
                    .local = info.local_bytes,
                    .constant = code->image->const_bytes,
                    .max_threads = info.max_threads,
                    .capability = (uint32_t)code->image->module->sm};
    const oc_dim3 cluster = device_cluster(k);
    w.cluster[0] = cluster.x, w.cluster[1] = cluster.y, w.cluster[2] = cluster.z;
    a->a = kernel_number(s, k);
    text_add(out, (const char *)&w, sizeof w);
    for (uint32_t p = 0; p < w.params; p++) {
        WireParam x = {code->param_at.v[p], info.sizes[p]};
        text_add(out, (const char *)&x, sizeof x);
    }
    return SUCCESS;
}

static int answer_SYMBOL(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)out;
    oc_module *m = MADE(s->guest->modules, c->a);
    size_t bytes;
    if (!m) return INVALID_HANDLE;
    if (oc_symbol(m, s->text.n ? s->text.v : "", &a->a, &bytes) != OC_OK) return NOT_FOUND;
    a->b = bytes;
    if (c->b) device_shares(s->device, a->a);
    return SUCCESS;
}

static int answer_OCCUPANCY(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)out;
    oc_kernel *k = MADE(s->guest->kernels, c->a);
    uint32_t blocks = 0;
    if (!k) return INVALID_HANDLE;
    if (!c->b || c->b > 1024 || c->c > UINT32_MAX) return INVALID_VALUE;
    oc_status status = device_occupancy(k, (oc_dim3){(uint32_t)c->b, 1, 1}, (uint32_t)c->c, &blocks);
    a->a = blocks;
    return serve_result(s, status);
}

// The most blocks, up to so many, of a cluster that has room; 0: none has.
static oc_status largest_cluster(oc_kernel *k, oc_dim3 block, uint32_t smem, uint64_t most, uint64_t *blocks)
{
    uint32_t clusters = 0;
    for (*blocks = most; *blocks; --*blocks) {
        oc_status status = device_clusters(k, block, smem, (uint32_t)*blocks, &clusters);
        if (status != OC_OK || clusters) return status;
    }
    return OC_OK;
}

// Where the kernel says its clusters' size, a launch can only repeat it.
static int answer_CLUSTERS(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)out;
    oc_kernel *k = MADE(s->guest->kernels, c->a);
    WireLaunch l;
    uint32_t clusters;
    if (!k) return INVALID_HANDLE;
    if (s->text.n != sizeof l) return INVALID_VALUE;
    memcpy(&l, s->text.v, sizeof l);
    const oc_dim3 block = {l.block[0], l.block[1], l.block[2]}, given = {l.cluster[0], l.cluster[1], l.cluster[2]};
    const oc_dim3 own = device_cluster(k);
    const uint64_t most = most_blocks(k, &l), threads = blocks_of(block);
    if (!threads || threads > 1024) return INVALID_VALUE;
    if (c->b && !own.x) return serve_result(s, largest_cluster(k, block, l.shared, most, &a->a));
    if (!c->b && own.x && given.x && memcmp(&given, &own, sizeof own)) return INVALID_CLUSTER;
    const uint64_t blocks = blocks_of(own.x ? own : given);
    if (!blocks || blocks > most) return INVALID_CLUSTER;
    oc_status status = device_clusters(k, block, l.shared, (uint32_t)blocks, &clusters);
    a->a = c->b ? blocks : clusters;
    return serve_result(s, status);
}

// --- streams, events -------------------------------------------------------------------------------------------------
static int answer_STREAM(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)c, (void)out;
    oc_stream *stream;
    oc_status status = oc_stream_create(s->device, &stream);
    if (status != OC_OK) return serve_result(s, status);
    KEEP(&s->guest->streams, stream, a->a);
    return SUCCESS;
}

static int answer_STREAM_END(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    oc_stream *stream = MADE(s->guest->streams, c->a);
    if (!stream) return INVALID_HANDLE;
    s->guest->streams.v[c->a - 1] = NULL;
    oc_stream_destroy(stream);
    return SUCCESS;
}

static int answer_STREAM_AFTER(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    oc_stream *stream;
    const oc_event *event = MADE(s->guest->events, c->b);
    if (!stream_known(s, c->a, &stream) || !event) return INVALID_HANDLE;
    device_after(s->device, stream, event);
    return SUCCESS;
}

// All launches have run when it is answered, or all of the stream and what comes before it.
enum { FOR_NOTHING, FOR_STREAM, FOR_EVENT };
static int answer_WAIT(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    oc_stream *stream;
    oc_event *event = c->a == FOR_EVENT ? MADE(s->guest->events, c->b) : NULL;
    switch (c->a) {
    case FOR_NOTHING: return SUCCESS;
    case FOR_STREAM:
        return stream_known(s, c->b, &stream) ? serve_result(s, oc_synchronize(s->device, stream)) : INVALID_HANDLE;
    case FOR_EVENT: return event ? serve_result(s, oc_event_synchronize(event)) : INVALID_HANDLE;
    default: return INVALID_VALUE;
    }
}

static int answer_GRAPH(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    s->guest->nodes = c->a;
    if (c->a) s->guest->graph = device_graph(s->device, c->a - 1);
    return SUCCESS;
}

static int answer_EVENT(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)c, (void)out;
    oc_event *event;
    oc_status status = oc_event_create(s->device, &event);
    if (status != OC_OK) return serve_result(s, status);
    KEEP(&s->guest->events, event, a->a);
    return SUCCESS;
}

static bool event_used(const Serving *s, const oc_event *event)
{
    for (size_t g = 0; g < s->guests.n; g++)
        for (size_t k = 0; k < s->guests.v[g]->events.n; k++)
            if (s->guests.v[g]->events.v[k] == event) return true;
    return false;
}

// The last process that has the event ends it.
static void end_event(Serving *s, oc_event **place)
{
    oc_event *event = *place;
    *place = NULL;
    if (!event || event_used(s, event)) return;
    for (size_t k = s->shared.n; k--;)
        if (s->shared.v[k].event == event) s->shared.v[k] = s->shared.v[--s->shared.n];
    oc_event_destroy(event);
}

static int answer_EVENT_END(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    if (!MADE(s->guest->events, c->a)) return INVALID_HANDLE;
    end_event(s, &s->guest->events.v[c->a - 1]);
    return SUCCESS;
}

static int answer_EVENT_SHARE(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)out;
    oc_event *event = MADE(s->guest->events, c->a);
    if (!event) return INVALID_HANDLE;
    for (size_t k = 0; k < s->shared.n; k++)
        if (s->shared.v[k].event == event) return a->a = s->shared.v[k].key, SUCCESS;
    a->a = ++s->keys;
    vec_push(&s->shared, ((Shared){a->a, event}));
    return SUCCESS;
}

static int answer_EVENT_OPEN(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)out;
    for (size_t k = 0; k < s->shared.n; k++) {
        if (s->shared.v[k].key != c->a) continue;
        KEEP(&s->guest->events, s->shared.v[k].event, a->a);
        return SUCCESS;
    }
    return INVALID_HANDLE;
}

static int answer_CLOCK(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)s, (void)c, (void)a, (void)out;
    return SUCCESS;
}

static int answer_EVENT_RECORD(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    oc_event *event = MADE(s->guest->events, c->a);
    oc_stream *stream;
    if (!event || !stream_known(s, c->b, &stream)) return INVALID_HANDLE;
    return serve_result(s, oc_event_record(event, stream));
}

static int answer_EVENT_BETWEEN(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)out;
    oc_event *from = MADE(s->guest->events, c->a), *to = MADE(s->guest->events, c->b);
    double seconds = 0;
    if (!from || !to) return INVALID_HANDLE;
    oc_status status = oc_event_seconds(from, to, &seconds);
    memcpy(&a->a, &seconds, sizeof seconds);
    return serve_result(s, status);
}

// --- textures --------------------------------------------------------------------------------------------------------
static bool format_of(const WireTexture *w, oc_tex_format *format)
{
    static const struct {
        uint8_t bits, kind;  // cudaChannelFormatKind: signed, unsigned, float
        oc_tex_format format;
    } formats[] = {{8, 0, OC_TEX_S8},   {16, 0, OC_TEX_S16}, {32, 0, OC_TEX_S32}, {8, 1, OC_TEX_U8},
                   {16, 1, OC_TEX_U16}, {32, 1, OC_TEX_U32}, {16, 2, OC_TEX_F16}, {32, 2, OC_TEX_F32}};
    for (size_t k = 0; k < COUNT(formats); k++)
        if (formats[k].bits == w->bits && formats[k].kind == w->kind) return *format = formats[k].format, true;
    return false;
}

enum { MOST_LEVELS = 32 };
typedef struct Described {
    WireTexture w;
    oc_texture t;
    oc_tex_level rest[MOST_LEVELS];
} Described;

static bool level_of(const WireLevel *w, oc_tex_level *l)
{
    *l = (oc_tex_level){w->base, (uint32_t)w->pitch, w->slice};
    return w->pitch <= UINT32_MAX;
}

// The texture that the call's text describes, with so many bytes of a name behind it.
static bool describe(const Serving *s, Described *d)
{
    static const oc_tex_address addresses[] = {OC_TEX_WRAP, OC_TEX_CLAMP, OC_TEX_MIRROR, OC_TEX_BORDER};
    WireTexture *w = &d->w;
    oc_tex_level first;
    *d = (Described){0};
    if (s->text.n < sizeof *w) return false;
    memcpy(w, s->text.v, sizeof *w);
    if (!w->levels || w->levels > MOST_LEVELS) return false;
    if (s->text.n != sizeof *w + (w->levels - 1) * sizeof w->first + w->name) return false;
    if ((w->width | w->height | w->depth | w->layers) > UINT32_MAX || !level_of(&w->first, &first)) return false;
    for (uint32_t k = 1; k < w->levels; k++) {
        WireLevel l;
        memcpy(&l, s->text.v + sizeof *w + (k - 1) * sizeof l, sizeof l);
        if (!level_of(&l, &d->rest[k - 1])) return false;
    }
    for (int k = 0; k < 3; k++)
        if (w->address[k] >= COUNT(addresses)) return false;
    d->t = (oc_texture){.base = first.base,
                        .pitch = first.pitch,
                        .slice = first.slice,
                        .width = (uint32_t)w->width,
                        .height = (uint32_t)w->height,
                        .depth = (uint32_t)w->depth,
                        .layers = (uint32_t)w->layers,
                        .cube = w->cube,
                        .levels = w->levels,
                        .mipmap = d->rest,
                        .channels = w->channels,
                        .address = addresses[w->address[0]],
                        .by_axis = true,
                        .address_y = addresses[w->address[1]],
                        .address_z = addresses[w->address[2]],
                        .linear = w->linear,
                        .normalized = w->normalized,
                        .unit_float = w->unit,
                        .srgb = w->srgb,
                        .linear_levels = w->linear_levels,
                        .level_bias = w->bias,
                        .level_min = w->least,
                        .level_max = w->most};
    memcpy(d->t.border, w->border, sizeof d->t.border);
    return format_of(w, &d->t.format);
}

static int answer_TEXTURE(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)c, (void)out;
    Described d;
    return describe(s, &d) ? serve_result(s, oc_texture_create(s->device, &d.t, &a->a)) : INVALID_VALUE;
}

static int answer_SURFACE(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)c, (void)out;
    Described d;
    return describe(s, &d) ? serve_result(s, oc_surface_create(s->device, &d.t, &a->a)) : INVALID_VALUE;
}

static int answer_SURFACE_END(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    return serve_result(s, oc_surface_destroy(s->device, c->a));
}

static int answer_REFERENCE(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)out;
    oc_module *m = MADE(s->guest->modules, c->a);
    Described d;
    if (!m) return INVALID_HANDLE;
    if (!describe(s, &d)) return INVALID_VALUE;
    char *name = mem_alloc(d.w.name + 1);
    memcpy(name, s->text.v + s->text.n - d.w.name, d.w.name);
    oc_status status = oc_reference_bind(m, name, c->b ? NULL : &d.t, &a->a);
    mem_free(name);
    return serve_result(s, status);
}

static int answer_REFERENCE_KIND(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)out;
    oc_module *m = MADE(s->guest->modules, c->a);
    if (!m) return INVALID_HANDLE;
    a->a = (uint64_t)device_reference(m, s->text.n ? s->text.v : "");
    return SUCCESS;
}

static int answer_TEXTURE_END(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)a, (void)out;
    return serve_result(s, oc_texture_destroy(s->device, c->a));
}

// --- the rest --------------------------------------------------------------------------------------------------------
static int answer_PRINTED(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)c, (void)a;
    Text *printed = &s->guest->printed;
    if (printed->n) text_add(out, printed->v, printed->n);
    printed->n = 0;
    return SUCCESS;
}

static void drop_all(Serving *s)
{
    Guest *g = s->guest;
    queue_drop(g);
    for (size_t k = 0; k < g->streams.n; k++)
        if (g->streams.v[k]) oc_stream_destroy(g->streams.v[k]);
    for (size_t k = 0; k < g->events.n; k++) end_event(s, &g->events.v[k]);
    for (size_t k = 0; k < g->modules.n; k++)
        if (g->modules.v[k]) oc_unload(g->modules.v[k]);
    for (size_t k = 0; k < g->gone.n; k++) oc_unload(g->gone.v[k]);
    for (size_t k = 0; k < g->reserved.n; k++) device_map(s->device, MAPPED_DROPPED, g->reserved.v[k], 0, 0);
    for (size_t k = 0; k < g->memory.n; k++) oc_free(s->device, g->memory.v[k]);
    if (g->workspace) oc_free(s->device, g->workspace);
    map_free(&g->kernel_at);
    g->streams.n = g->events.n = g->modules.n = g->gone.n = g->kernels.n = g->memory.n = 0;
    g->reserved.n = 0;
    g->failed = SUCCESS, g->sticky = false, g->workspace = 0;
}

void answers_reset(Serving *s)
{
    drop_all(s);
    if (s->guests.n < 2) device_clear(s->device);
}

static int answer_RESET(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    (void)c, (void)a, (void)out;
    answers_reset(s);
    return SUCCESS;
}

// Does the program's call return when what it asks for is done? A copy or a fill on the device alone never waits for
// that, and a copy on the host alone always does (CUDA Runtime API, "API synchronization behavior").
static bool waits(const Serving *s, const WireCall *c)
{
    const bool wish = c->flags & WIRE_WAITS;
    const oc_device *d = s->device;
    switch (c->ask) {
    case ASK_COPY: {
        const bool to = device_on_host(d, c->b), from = device_on_host(d, c->c);
        return (wish && (to || from)) || (to && from);
    }
    case ASK_FILL: return wish && device_on_host(d, c->b);
    case ASK_MOVED: return wish || device_on_host(d, c->b);
    case ASK_READ:
    case ASK_WRITE:
    case ASK_FREE: return wish;
    default: return false;
    }
}

static void wait_in(const Serving *s, const WireCall *c)
{
    oc_stream *stream = NULL;
    if (!waits(s, c)) return;
    if (c->ask != ASK_FREE) stream_known(s, c->a, &stream);
    device_until(s->device, stream);
}

// Can't a call be answered before what is held has run?
static bool held_up(const Serving *s, const WireCall *c)
{
    uint64_t number = 0;
    oc_stream *stream;
    switch (c->ask) {
    case ASK_COPY:
    case ASK_READ:
    case ASK_WRITE:
    case ASK_FILL:
    case ASK_MOVED:
    case ASK_STREAM_AFTER:
    case ASK_STREAM_END: number = c->a; break;
    case ASK_EVENT_RECORD: number = c->b; break;
    case ASK_WAIT:
        if (c->a == FOR_EVENT) return false;  // it was recorded before
        number = c->b;
        break;
    case ASK_FREE:
    case ASK_MAP:
    case ASK_UNLOAD: break;
    default: return false;
    }
    return stream_known(s, number, &stream) && queue_holds(s->guest, stream);
}

int answer(Serving *s, const WireCall *c, WireAnswer *a, Text *out)
{
    static int (*const answers[ASKS])(Serving *, const WireCall *, WireAnswer *, Text *) = {
#define ASK(name, what) [ASK_##name] = answer_##name,
#include "driver/calls.def"
#undef ASK
    };
    if (c->ask >= ASKS) return NOT_SUPPORTED;
    if (c->ask == ASK_CLOCK)
        return answer_CLOCK(s, c, a, out);  // it comes when the program ends, and waits for nothing
    const bool joins = c->ask == ASK_LAUNCH || c->ask == ASK_VALUE;
    if (!joins || s->guest->waiting.n >= WAITING_MOST) queue_run(s);
    if (s->guest->held && (joins ? s->guest->waiting.n >= WAITING_MOST : held_up(s, c))) {
        a->a = s->guests.n - 1;
        if (!(c->flags & WIRE_GIVES_UP)) return WIRE_HELD;
        queue_fail(s);
    }
    if (s->guest->failed && c->ask != ASK_RESET && c->ask != ASK_PRINTED) {
        int failed = s->guest->failed;
        s->guest->untold = false;
        if (!s->guest->sticky) s->guest->failed = SUCCESS;
        return failed;
    }
    device_goes_on(s->device, c->flags & WIRE_MORE);
    device_node(s->device, s->guest->nodes ? &s->guest->graph : NULL);
    int error = answers[c->ask](s, c, a, out);
    if (error == SUCCESS) wait_in(s, c);
    return error;
}

// What it has made is gone already, or the device has it, and the report may still need it.
void guest_free(Guest *g)
{
    queue_drop(g);
    map_free(&g->kernel_at);
    vec_free(&g->streams), vec_free(&g->events), vec_free(&g->modules), vec_free(&g->gone), vec_free(&g->kernels);
    vec_free(&g->waiting), vec_free(&g->memory), vec_free(&g->reserved);
    text_free(&g->printed);
    mem_free(g);
}

void answers_free(Serving *s)
{
    map_free(&s->site_at);
    for (size_t k = 0; k < s->sites.n; k++) mem_free(s->sites.v[k]);
    vec_free(&s->sites), vec_free(&s->shared);
    text_free(&s->text);
}
