// work.c: the interface that workloads are written against, and how a workload is run. A run's memory, on host and
// device, is freed at its end. The first failure is kept. It makes every later call return at once, so that workloads
// need no error paths.
#include "work/stream.h"

#include "base/base.h"
#include "device/device.h"
#include "gpu/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct Work {
    oc_device *device;
    oc_module *module;
    const Workload *workload;
    int64_t values[MAX_PARAMS];
    WorkResult *result;
    VEC(void *) host;
    VEC(oc_ptr) buffers;
    VEC(uint64_t) textures;
    oc_stream *stream;
    uint64_t moved[2];  // bytes copied from the device, and to it
    uint64_t random;
    bool checked, shares;  // shares: it has asked for its share of the work
};

bool work_ok(const Work *w) { return !w->result->error; }

void work_fail(Work *w, const char *format, ...)
{
    if (w->result->error) return;
    Text t = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    w->result->error = mem_text(t.v ? t.v : "");
    text_free(&t);
}

static bool good(Work *w, oc_status status)
{
    if (status == OC_OK) return true;
    w->result->status = status;
    work_fail(w, "%s", oc_error(w->device));
    return false;
}

static int find_param(Work *w, const char *name)
{
    for (int k = 0; w->workload->params[k].name; k++)
        if (!strcmp(w->workload->params[k].name, name)) return k;
    work_fail(w, "%s has no parameter %s", w->workload->name, name);
    return -1;
}

int64_t work_param(Work *w, const char *name)
{
    int k = find_param(w, name);
    return k < 0 ? 1 : w->values[k];
}

int64_t work_param_or(Work *w, const char *name, int64_t otherwise)
{
    int k = find_param(w, name);
    if (k < 0) return otherwise;
    if (!w->values[k]) w->values[k] = otherwise;
    return w->values[k];
}

void work_refuse(Work *w, const char *name, const char *expected)
{
    int k = find_param(w, name);
    if (!work_ok(w)) return;
    w->result->status = OC_BAD_ARGUMENT;
    work_fail(w, "%s: %s=%lld is refused: %s is expected", w->workload->name, name, (long long)w->values[k], expected);
}

static uint32_t slices(const Work *w) { return oc_describe(w->device).real ? 1 : device_gpu(w->device)->slice; }

uint32_t work_blocks(Work *w, const char *name)
{
    uint32_t n = slices(w);
    int64_t blocks = work_param(w, name);
    if (blocks % n) work_refuse(w, name, "a multiple of gpu.slice");
    return (uint32_t)(blocks / n);
}

int64_t work_share(Work *w, int64_t elements)
{
    uint32_t n = slices(w);
    w->shares = true;
    return (elements + n - 1) / n;
}

int64_t work_shared(Work *w, const char *name) { return work_share(w, work_param(w, name)); }

void *work_host(Work *w, size_t bytes)
{
    if (!work_ok(w)) return NULL;
    void *p = mem_try(bytes, 1);
    if (!p) {
        w->result->status = OC_OUT_OF_MEMORY;
        work_fail(w, "the host has no room for %zu bytes", bytes);
        return NULL;
    }
    vec_push(&w->host, p);
    return p;
}

WorkBuf work_device(Work *w, const char *label, size_t bytes)
{
    WorkBuf b = {0, bytes};
    if (!work_ok(w) || !good(w, oc_malloc(w->device, bytes, label, &b.ptr))) return b;
    vec_push(&w->buffers, b.ptr);
    if (oc_describe(w->device).real)
        good(w, oc_fill(w->device, b.ptr, 0, bytes, w->stream));
    else
        device_zeroed(w->device, b.ptr, bytes);  // its new memory is
    return b;
}

void work_write(Work *w, WorkBuf to, const void *from, size_t bytes)
{
    if (work_ok(w) && good(w, oc_write(w->device, to.ptr, from, bytes, w->stream))) w->moved[1] += bytes;
}

void work_read(Work *w, void *to, WorkBuf from, size_t bytes)
{
    if (work_ok(w) && good(w, oc_read(w->device, to, from.ptr, bytes, w->stream))) w->moved[0] += bytes;
}

void work_fill(Work *w, WorkBuf b, uint8_t value)
{
    if (work_ok(w)) good(w, oc_fill(w->device, b.ptr, value, b.bytes, w->stream));
}

WorkBuf work_symbol(Work *w, const char *name)
{
    WorkBuf b = {0, 0};
    if (work_ok(w)) good(w, oc_symbol(w->module, name, &b.ptr, &b.bytes));
    return b;
}

uint64_t work_texture_of(Work *w, const oc_texture *of)
{
    uint64_t handle = 0;
    if (work_ok(w) && good(w, oc_texture_create(w->device, of, &handle))) vec_push(&w->textures, handle);
    return handle;
}

uint64_t work_texture(Work *w, WorkBuf floats)
{
    const size_t texels = floats.bytes / sizeof(float);
    const oc_texture of = {.base = floats.ptr, .width = (uint32_t)texels, .channels = 1, .format = OC_TEX_F32};
    if (texels > 1 << 27) work_fail(w, "a 1D texture has 2^27 texels at most, not %zu", texels);
    return work_texture_of(w, &of);
}

void work_tensor(Work *w, const char *name, const oc_tensor *tensor)
{
    uint8_t map[OC_TENSOR_MAP];
    const WorkBuf to = work_symbol(w, name);
    if (!work_ok(w) || !good(w, oc_tensor_map(w->device, tensor, map))) return;
    if (to.bytes != sizeof map) work_fail(w, "%s has %zu bytes; a tensor's map has %zu", name, to.bytes, sizeof map);
    work_write(w, to, map, sizeof map);
}

uint32_t work_block_shared(const Work *w) { return oc_describe(w->device).shared_block; }

void work_on(Work *w, oc_stream *stream) { w->stream = stream; }
uint64_t work_moved(const Work *w, bool to_device) { return w->moved[to_device]; }
void work_good(Work *w, oc_status status) { good(w, status); }

WorkBuf work_upload(Work *w, const char *label, const void *host, size_t bytes)
{
    WorkBuf b = work_device(w, label, bytes);
    work_write(w, b, host, bytes);
    return b;
}

// PCG32 (O'Neill): 64 bits of state, an output permutation of rotations.
#define FIRST_STATE 0x853c49e6748fea9bull
static inline uint32_t draw(uint64_t *state)
{
    uint64_t old = *state;
    *state = old * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t x = (uint32_t)(((old >> 18) ^ old) >> 27), r = (uint32_t)(old >> 59);
    return x >> r | x << (-r & 31);
}

// Each seed's sequence starts at a state of its own: an odd multiple apart, mixed by a first step.
void work_seed(Work *w, int64_t seed)
{
    w->random = FIRST_STATE + (uint64_t)seed * 0x9e3779b97f4a7c15ull;
    if (seed) draw(&w->random);
}

uint32_t work_random(Work *w) { return draw(&w->random); }

float work_random_float(Work *w) { return (float)(work_random(w) >> 8) * 0x1p-24f; }

float *work_random_floats(Work *w, size_t count, float low, float high)
{
    float *data = work_host(w, count * sizeof(float));
    uint64_t state = w->random;
    for (size_t i = 0; data && i < count; i++) data[i] = low + (high - low) * ((float)(draw(&state) >> 8) * 0x1p-24f);
    w->random = state;
    return data;
}

void work_launch(Work *w, const char *kernel, oc_dim3 grid, oc_dim3 block, uint32_t smem, const WorkArg *args,
                 size_t count)
{
    oc_kernel *k;
    if (!work_ok(w) || !good(w, oc_kernel_get(w->module, kernel, &k))) return;
    oc_kernel_info info = oc_kernel_describe(k);
    const void *values[64];
    if (info.params != count || count > COUNT(values)) {
        work_fail(w, "kernel %s takes %u arguments, not %zu", kernel, info.params, count);
        return;
    }
    for (size_t a = 0; a < count; a++) {
        if (args[a].bytes != info.sizes[a]) {
            work_fail(w, "argument %zu of kernel %s has %u bytes, not %u", a, kernel, info.sizes[a], args[a].bytes);
            return;
        }
        values[a] = &args[a].v;
    }
    if (slices(w) > 1 && !w->shares) {
        w->result->status = OC_BAD_ARGUMENT;
        work_fail(w, "%s has no share of its input for a part of a GPU (gpu.slice)", w->workload->name);
        return;
    }
    good(w, oc_launch(k, grid, block, smem, w->stream, values));
}

void work_check_u32(Work *w, const char *what, const uint32_t *got, const uint32_t *want, size_t count)
{
    if (!work_ok(w)) return;
    w->checked = true;
    for (size_t i = 0; i < count; i++)
        if (got[i] != want[i]) {
            work_fail(w, "wrong result: %s[%zu] is %u, the CPU's is %u", what, i, got[i], want[i]);
            return;
        }
}

// Floats or doubles.
typedef struct Reals {
    const float *f32;
    const double *f64;  // null: f32 counts
} Reals;

static double real(Reals v, size_t i) { return v.f64 ? v.f64[i] : (double)v.f32[i]; }

// The mean magnitude of the finite elements.
static double mean_size(Reals v, size_t count)
{
    double mean = 0;
    for (size_t i = 0; i < count; i++) mean += isfinite(real(v, i)) ? fabs(real(v, i)) / (double)count : 0;
    return mean;
}

enum { SPAN = 64 };

// Whether SPAN floats are equal. Without a way out of the loop, so that it gets vectors.
static bool spans_equal(const float *got, const float *want)
{
    int32_t differ = 0;
    for (int i = 0; i < SPAN; i++) differ |= got[i] == want[i] ? 0 : 1;
    return !differ;
}

static void check_reals(Work *w, const char *what, Reals got, Reals want, size_t count, double tolerance)
{
    if (!work_ok(w)) return;
    w->checked = true;
    double floor = -1;  // the mean of what is wanted, computed when it is first asked for
    for (size_t i = 0, end; i < count; i = end) {
        end = MIN(count, i + SPAN);
        if (!got.f64 && end - i == SPAN && spans_equal(got.f32 + i, want.f32 + i)) continue;
        for (; i < end; i++) {
            const double g = real(got, i), r = real(want, i), error = fabs(g - r);
            if (g == r || (isfinite(error) && error <= tolerance * fabs(r))) continue;
            if (floor < 0) floor = mean_size(want, count);
            if (isfinite(error) && error <= tolerance * floor) continue;
            const int digits = want.f64 ? 17 : 9;
            work_fail(w, "wrong result: %s[%zu] is %.*g, the CPU's is %.*g (tolerance %g)", what, i, digits, g, digits,
                      r, tolerance);
            return;
        }
    }
}

void work_check_f32(Work *w, const char *what, const float *got, const float *want, size_t count, double tolerance)
{
    check_reals(w, what, (Reals){.f32 = got}, (Reals){.f32 = want}, count, tolerance);
}

void work_check_f64(Work *w, const char *what, const double *got, const double *want, size_t count, double tolerance)
{
    check_reals(w, what, (Reals){.f64 = got}, (Reals){.f64 = want}, count, tolerance);
}

// --- running ---------------------------------------------------------------------------------------------------------
// Where several suites have a name, the name alone means the workload that had it first: matrices and stored runs of
// that time go on to mean what they meant.
static const struct {
    const char *name, *suite;
} first_suites[] = {{"kmeans", "streaming"}, {"nn", "rodinia"}};

// The suite that name means: what stands before its slash, else the first suite. *length bytes; null: any.
static const char *suite_of(const char *name, size_t *length)
{
    const char *slash = strchr(name, '/'), *suite = slash ? name : NULL;
    for (size_t k = 0; k < COUNT(first_suites) && !slash; k++)
        if (!strcmp(first_suites[k].name, name)) suite = first_suites[k].suite;
    *length = slash ? (size_t)(slash - name) : suite ? strlen(suite) : 0;
    return suite;
}

const WorkloadEntry *workload_find(const char *name)
{
    size_t length;
    const WorkloadEntry *found = NULL;
    const char *slash = strchr(name, '/'), *suite = suite_of(name, &length);
    for (size_t k = 0; k < workload_count; k++) {
        const Workload *w = workload_table[k].workload;
        if (strcmp(w->name, slash ? slash + 1 : name)) continue;
        if (suite && (strlen(w->suite) != length || memcmp(w->suite, suite, length))) continue;
        if (found) return NULL;
        found = &workload_table[k];
    }
    return found;
}

void workload_name(const Workload *w, Text *name)
{
    const WorkloadEntry *alone = workload_find(w->name);
    if (!alone || alone->workload != w) text_printf(name, "%s/", w->suite);
    text_put(name, w->name);
}

const char *workload_near(const char *name)
{
    const char **names = mem_alloc(sizeof *names * workload_count);
    for (size_t k = 0; k < workload_count; k++) names[k] = workload_table[k].workload->name;
    const char *near = nearest_name(name, names, workload_count);
    mem_free(names);
    return near;
}

static void params_text(const WorkParam *p, const int64_t *values, Text *out)
{
    text_put(out, "");
    for (int k = 0; p[k].name; k++) text_printf(out, "%s%s=%lld", k ? " " : "", p[k].name, (long long)values[k]);
}

bool workload_params(const WorkloadEntry *e, const WorkOptions *o, int64_t *values, Text *params, Diag *diag)
{
    const WorkParam *p = e->workload->params;
    for (int k = 0; p[k].name; k++) values[k] = o->small ? p[k].small : p[k].standard;
    for (const char *const *s = o->params; s && *s; s++) {
        const char *equals = strchr(*s, '=');
        int k = 0;
        if (!equals)
            return diag_error(diag, "'%s': parameter=value is expected, such as %s=%lld", *s,
                              p[0].name ? p[0].name : "n", p[0].name ? (long long)p[0].small : 1);
        while (p[k].name &&
               (strlen(p[k].name) != (size_t)(equals - *s) || memcmp(p[k].name, *s, (size_t)(equals - *s))))
            k++;
        if (!p[k].name) {
            Text names = {0};
            for (int n = 0; p[n].name; n++) text_printf(&names, "%s%s", n ? ", " : "", p[n].name);
            diag_error(diag, "%s has no parameter '%.*s'; it has: %s", e->workload->name, (int)(equals - *s), *s,
                       names.n ? names.v : "none");
            return text_free(&names), false;
        }
        uint64_t v;
        if (!parse_size(equals + 1, &v) || v > INT64_MAX || (int64_t)v < p[k].min || (int64_t)v > p[k].max)
            return diag_error(diag, "%s: %s is refused: a whole number from %lld to %lld is expected (%s)",
                              e->workload->name, *s, (long long)p[k].min, (long long)p[k].max, p[k].doc);
        values[k] = (int64_t)v;
    }
    params_text(p, values, params);
    return true;
}

static bool read_params(Work *w, const WorkloadEntry *e, const WorkOptions *o)
{
    Text params = {0};
    Diag error = {0};
    bool ok = true;
    for (int k = 0; o->values && e->workload->params[k].name; k++) w->values[k] = o->values[k];
    if (!o->values) ok = workload_params(e, o, w->values, &params, &error);
    if (!ok) work_fail(w, "%s", error.text.v);
    text_free(&params), diag_free(&error);
    return ok;
}

// Keeps the parameters as they were used: work_param_or may have changed some.
static void note_params(Work *w)
{
    Text t = {0};
    params_text(w->workload->params, w->values, &t);
    w->result->params = mem_text(t.v);
    text_free(&t);
}

static oc_status load(Work *w, const WorkloadEntry *e, const WorkOptions *o)
{
    char name[128];
    snprintf(name, sizeof name, "%s.ptx", e->workload->name);
    if (!o->ptx) return oc_load(w->device, e->ptx, e->ptx_bytes, name, &w->module);
    if (!o->text) return oc_load_file(w->device, o->ptx, &w->module);
    return oc_load(w->device, o->text->v ? o->text->v : "", o->text->n, o->ptx, &w->module);
}

// Registers of a thread, as papers count them.
static const struct {
    const char *suite, *name;
    uint32_t count;
} stated[] = {
#define REGISTERS(suite, name, count) {suite, name, count},
#include "work/registers.def"
#undef REGISTERS
};

uint32_t workload_registers(const WorkloadEntry *e)
{
    for (size_t k = 0; k < COUNT(stated); k++)
        if (!strcmp(stated[k].name, e->workload->name) && !strcmp(stated[k].suite, e->workload->suite))
            return stated[k].count;
    return 0;
}

bool workload_run(oc_device *d, const WorkloadEntry *e, const WorkOptions *o, WorkResult *r)
{
    *r = (WorkResult){.status = OC_OK};
    Work w = {.device = d, .workload = e->workload, .result = r, .random = FIRST_STATE};
    bool known = read_params(&w, e, o);
    const bool real = oc_describe(d).real;
    if (!known) r->status = OC_BAD_ARGUMENT;
    if (!real) device_state_registers(d, workload_registers(e));
    if (work_ok(&w) && good(&w, load(&w, e, o))) {
        if (o->run)
            o->run(&w, o->user);
        else
            e->workload->run(&w);
    }
    if (!real) device_state_registers(d, 0);
    if (work_ok(&w) && !w.checked) work_fail(&w, "the workload checked nothing");
    r->verified = work_ok(&w);
    if (known) note_params(&w);
    for (size_t k = 0; k < w.host.n; k++) mem_free(w.host.v[k]);
    for (size_t k = 0; k < w.textures.n; k++) oc_texture_destroy(d, w.textures.v[k]);
    for (size_t k = 0; k < w.buffers.n; k++) oc_free(d, w.buffers.v[k]);
    vec_free(&w.host), vec_free(&w.buffers), vec_free(&w.textures);
    return r->verified;
}

void work_result_free(WorkResult *r)
{
    mem_free(r->error), mem_free(r->params);
    *r = (WorkResult){0};
}
