// The public interface, call by call: the bytes say which function is called next and with what, among it sizes,
// offsets, alignments and shapes at 0, -1, 2^31, 2^32 and 2^63, null pointers, what another device owns, and what was
// released. Memory is held against a copy of what ought to be in it: an access inside of one allocation succeeds and
// moves these bytes, any other is refused and moves none. Whatever fails says why.
#include <onchip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    DEVICES = 2,
    ALLOCATIONS = 6,
    MODULES = 3,
    STREAMS = 3,
    TEXTURES = 3,
    CALLS = 60,
    MEMORY = 8 << 20,
    HOST = 1 << 16
};
typedef struct Block {
    oc_ptr at;  // 0: none
    size_t bytes;
    uint8_t *copy;  // of the first HOST bytes
} Block;
typedef struct World {
    oc_device *device;
    Block block[ALLOCATIONS];
    oc_module *module[MODULES];
    oc_stream *stream[STREAMS];
    oc_event *event[STREAMS];
    uint64_t texture[TEXTURES];
} World;
typedef struct Input {
    const uint8_t *at, *end;
} Input;

#define DEMAND(condition)                                           \
    do {                                                            \
        if (!(condition)) {                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
            abort();                                                \
        }                                                           \
    } while (0)

// --- what the bytes say ----------------------------------------------------------------------------------------------
static uint8_t byte(Input *in) { return in->at < in->end ? *in->at++ : 0; }

static uint64_t number(Input *in)
{
    static const uint64_t edges[] = {0,          1ull << 7,  1ull << 8,  1ull << 15, 1ull << 16, 1ull << 24, MEMORY,
                                     1ull << 31, 1ull << 32, 1ull << 33, 1ull << 40, 1ull << 62, 1ull << 63};
    uint8_t kind = byte(in);
    if (kind < 96) return kind;
    if (kind < 128) return 1ull << (kind - 96);
    if (kind < 160) return (uint64_t)byte(in) << 8 | byte(in);
    return edges[kind % (sizeof edges / sizeof *edges)] + byte(in) % 9 - 4;
}

static Block *block_of(World *w, Input *in) { return &w->block[byte(in) % ALLOCATIONS]; }

// In most cases a place within an allocation or near one.
static oc_ptr pointer(World *w, Input *in)
{
    uint8_t kind = byte(in);
    const Block *b = &w->block[kind % ALLOCATIONS];
    if (kind < 128) return b->at;
    if (kind < 192) return b->at + byte(in);
    if (kind < 224) return b->at + b->bytes + byte(in) % 17 - 8;
    return kind < 240 ? b->at + number(in) : number(in);
}

static size_t length(const World *w, Input *in)
{
    const Block *b = &w->block[byte(in) % ALLOCATIONS];
    uint8_t kind = byte(in);
    return kind < 100 ? kind : kind < 180 ? b->bytes + kind % 9 - 4 : number(in);
}

// Null and another device's from time to time.
static oc_stream *stream(World *all, World *w, Input *in)
{
    uint8_t kind = byte(in);
    return kind < 128 ? NULL : kind < 250 ? w->stream[kind % STREAMS] : all[kind % DEVICES].stream[0];
}

static bool foreign(const World *w, const oc_stream *s)
{
    if (!s) return false;
    for (int k = 0; k < STREAMS; k++)
        if (w->stream[k] == s) return false;
    return true;
}

static void said(const World *w, oc_status status)
{
    DEMAND(status >= OC_OK && status <= OC_LIMIT);
    DEMAND(status == OC_OK || (w->device && *oc_error(w->device)));
}

// --- memory ----------------------------------------------------------------------------------------------------------
static Block *inside(World *w, oc_ptr at, size_t bytes)
{
    for (int k = 0; k < ALLOCATIONS; k++) {
        Block *b = &w->block[k];
        if (b->at && at >= b->at && at - b->at <= b->bytes && bytes <= b->bytes - (at - b->at)) return b;
    }
    return NULL;
}

// In a variable of a module, whose bytes aren't followed.
static bool in_variable(World *w, oc_ptr at, size_t bytes)
{
    static const char *const names[] = {"g", "c"};
    for (int k = 0; k < 2 * MODULES; k++) {
        oc_ptr start;
        size_t n;
        if (!w->module[k / 2] || oc_symbol(w->module[k / 2], names[k % 2], &start, &n) != OC_OK) continue;
        if (at >= start && at - start <= n && bytes <= n - (at - start)) return true;
    }
    return false;
}

static size_t kept(const Block *b) { return b->bytes < HOST ? b->bytes : HOST; }

static void take_copy(World *w, Block *b)
{
    if (b->at) DEMAND(oc_read(w->device, b->copy, b->at, kept(b), NULL) == OC_OK);
}

static void check_copies(World *w)
{
    for (int k = 0; k < ALLOCATIONS; k++) {
        const Block *b = &w->block[k];
        if (!b->at) continue;
        uint8_t *now = malloc(kept(b));
        DEMAND(now && oc_read(w->device, now, b->at, kept(b), NULL) == OC_OK);
        DEMAND(!memcmp(now, b->copy, kept(b)));
        free(now);
    }
}

static void allocate(World *w, Input *in)
{
    static const char *const labels[] = {NULL, "", "a", "%s%n", "\xff"};
    Block *b = block_of(w, in);
    oc_ptr at = 1;
    if (b->at) {
        DEMAND(oc_free(w->device, b->at) == OC_OK);
        DEMAND(oc_free(w->device, b->at) == OC_BAD_ARGUMENT);
        free(b->copy);
        *b = (Block){0};
    }
    size_t bytes = number(in);
    oc_status status = oc_malloc(w->device, bytes, labels[byte(in) % 5], &at);
    said(w, status);
    if (status != OC_OK) {
        DEMAND(at == 0);
        return;
    }
    DEMAND(bytes && bytes <= MEMORY && at && at % 256 == 0 && !inside(w, at, 1) && !inside(w, at + bytes - 1, 1));
    *b = (Block){at, bytes, malloc(HOST)};
    take_copy(w, b);
}

static void move(World *all, World *w, Input *in)
{
    oc_ptr at = pointer(w, in), from = pointer(w, in);
    size_t bytes = length(w, in);
    oc_stream *s = stream(all, w, in);
    uint8_t value = byte(in), kind = byte(in) % 4;
    Block *b = inside(w, at, bytes), *c = inside(w, from, bytes);
    bool good = b && !foreign(w, s) && (kind != 3 || c);
    if (in_variable(w, at, bytes) || (kind == 3 && in_variable(w, from, bytes))) return;
    if (good && kind < 2 && bytes > HOST) return;
    uint8_t *host = malloc(good && kind < 2 && bytes ? bytes : 16);
    DEMAND(host);
    if (kind == 0) memset(host, value, good && bytes ? bytes : 16);
    oc_status status = kind == 0   ? oc_write(w->device, at, host, bytes, s)
                       : kind == 1 ? oc_read(w->device, host, at, bytes, s)
                       : kind == 2 ? oc_fill(w->device, at, value, bytes, s)
                                   : oc_copy(w->device, at, from, bytes, s);
    said(w, status);
    if (bytes && (status == OC_OK) != good)
        fprintf(stderr, "kind %d of %zu bytes to 0x%llx: %s\n", kind, bytes, (unsigned long long)at,
                oc_error(w->device));
    if (bytes) DEMAND((status == OC_OK) == good);
    if (good && bytes) {
        size_t offset = at - b->at, most = offset < kept(b) ? kept(b) - offset : 0, n = bytes < most ? bytes : most;
        if (kind == 1)
            DEMAND(!memcmp(host, b->copy + (n ? offset : 0), n));
        else if (kind == 3)
            take_copy(w, b);
        else if (n)
            memset(b->copy + offset, value, n);
    }
    free(host);
    check_copies(w);
}

// --- modules and launches --------------------------------------------------------------------------------------------
static void load(World *w, Input *in)
{
    char text[3000];
    long long v[16];
    uint8_t which = byte(in);
    for (int k = 0; k < 16; k++) v[k] = k < 8 ? 16 : 0;
    for (int k = 0; k < 5; k++) v[byte(in) % 16] = (long long)number(in);
    static const char *const heads[] = {"", ".maxntid 64, 1, 1 ", ".reqntid 32, 2, 1 ", ".minnctapersm 2 ",
                                        ".maxnreg 16 "};
    int n =
        snprintf(text, sizeof text,
                 ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .align %llu .b8 g[%lld];\n.visible "
                 ".const .align 4 .b8 c[%lld];\n"
                 ".extern .shared .align 4 .b8 dynamic[];\n"
                 ".visible .entry k(.param .u64 p, .param .align 4 .b8 q[%lld], .param .u32 n)\n%s{\n.reg .b32 "
                 "%%r<9>;\n.reg .b64 %%d<9>;\n"
                 ".shared .align 4 .b8 s[%lld];\n.local .align 4 .b8 l[%lld];\n"
                 "ld.param.u64 %%d1, [p];\nld.param.u32 %%r1, [q+%lld];\nld.const.u32 %%r2, [c+%lld];\nst.shared.u32 "
                 "[s+%lld], %%r1;\nst.local.u32 [l+%lld], %%r2;\n"
                 "ld.local.u32 %%r3, [l+%lld];\nld.global.u32 %%r4, [g+%lld];\nld.global.u32 %%r5, "
                 "[%%d1+%lld];\nadd.u32 %%r5, %%r5, %%r4;\n"
                 "st.global.u32 [%%d1+%lld], %%r5;\n%s%sret;\n}\n",
                 1ull << (which & 15), v[0], v[1], v[2], heads[(which >> 4) % 5], v[3], v[4], v[8], v[9], v[10], v[11],
                 v[12], v[13], v[14], v[15], which & 64 ? "mov.u32 %r6, dynamic;\nst.shared.u32 [%r6+4], %r5;\n" : "",
                 which & 128 ? "ld.param.u64 %d2, [q];\ncvt.rn.f32.u32 %r7, %r5;\n tex.2d.v4.f32.f32 {%r1, %r2, %r3, "
                               "%r4}, [%d2, {%r7, %r7}];\n"
                             : "");
    oc_module **m = &w->module[byte(in) % MODULES];
    oc_unload(*m);
    said(w, oc_load(w->device, text, (size_t)n, "m.ptx", m));
    oc_ptr at;
    size_t bytes;
    static const char *const names[] = {"g", "c", "k", "q", "", "nothing"};
    if (*m && oc_symbol(*m, names[byte(in) % 6], &at, &bytes) == OC_OK && bytes && bytes <= HOST) {
        uint8_t *host = malloc(bytes);
        DEMAND(oc_read(w->device, host, at, bytes, NULL) == OC_OK &&
               oc_write(w->device, at, host, bytes, NULL) == OC_OK);
        free(host);
    }
}

static void launch(World *all, World *w, Input *in)
{
    oc_module *m = w->module[byte(in) % MODULES];
    oc_kernel *k = NULL;
    if (!m) return;
    oc_status status = oc_kernel_get(m, byte(in) < 250 ? "k" : "nothing", &k);
    said(w, status);
    if (!k) return;
    DEMAND(oc_kernel_at(m, oc_kernel_count(m)) == NULL);
    oc_kernel_info info = oc_kernel_describe(k);
    DEMAND(info.params == 3 && info.sizes[0] == 8);
    uint32_t shape[7] = {1, 1, 1, 32, 1, 1, 0};
    for (int n = byte(in) % 4; n; n--) shape[byte(in) % 7] = (uint32_t)number(in);
    oc_ptr p = pointer(w, in);
    uint32_t n = 3;
    uint8_t *q = info.sizes[1] <= HOST ? calloc(1, info.sizes[1] + 1u) : NULL;
    if (!q) return;
    if (info.sizes[1] >= 8) memcpy(q, &w->texture[byte(in) % TEXTURES], 8);
    const void *args[] = {&p, byte(in) < 250 ? q : NULL, &n};
    size_t before = oc_launches(w->device);
    status = oc_launch(k, (oc_dim3){shape[0], shape[1], shape[2]}, (oc_dim3){shape[3], shape[4], shape[5]}, shape[6],
                       stream(all, w, in), args);
    said(w, status);
    DEMAND(oc_launches(w->device) - before <= 1);
    if (oc_launches(w->device) > before) {
        DEMAND(!strcmp(oc_launch_kernel(w->device, before), "k"));
        oc_launch_counter(w->device, before, "cycles"), oc_launch_rate(w->device, before, "ipc");
    }
    free(q);
    for (int b = 0; b < ALLOCATIONS; b++) take_copy(w, &w->block[b]);
}

// --- textures, streams, events ---------------------------------------------------------------------------------------
static void texture(World *w, Input *in)
{
    uint64_t *t = &w->texture[byte(in) % TEXTURES];
    if (*t) DEMAND(oc_texture_destroy(w->device, *t) == OC_OK && oc_texture_destroy(w->device, *t) == OC_BAD_ARGUMENT);
    oc_texture x = {.base = pointer(w, in),
                    .width = (uint32_t)number(in),
                    .height = (uint32_t)number(in),
                    .pitch = (uint32_t)number(in)};
    uint8_t a = byte(in), b = byte(in);
    static const uint32_t channels[] = {1, 2, 4, 0, 3, 256, 1, 1};
    x.channels = channels[a & 7], x.format = (oc_tex_format)(a >> 3 & 7), x.address = (oc_tex_address)(b & 3);
    x.linear = b >> 2 & 1, x.normalized = b >> 3 & 1, x.unit_float = b >> 4 & 1;
    static const uint32_t slices[] = {0, 1, 2, 6, 12, 65537, UINT32_MAX, 0};
    const oc_tex_level rest[2] = {{x.base, x.pitch, x.pitch}, {x.base + 16, x.width, x.height}};
    uint8_t c = byte(in), e = byte(in);
    x.depth = slices[c & 7], x.layers = slices[c >> 3 & 7], x.slice = (uint64_t)x.pitch * x.height;
    x.cube = c >> 6 & 1, x.levels = e & 3, x.mipmap = e >> 2 & 1 ? rest : NULL, x.linear_levels = e >> 3 & 1;
    x.by_axis = e >> 4 & 1, x.address_y = (oc_tex_address)(e >> 5), x.srgb = c >> 7;
    said(w, oc_texture_create(w->device, &x, t));
    uint64_t surface = 0;
    said(w, oc_surface_create(w->device, &x, &surface));
    if (surface) DEMAND(oc_surface_destroy(w->device, surface) == OC_OK);
}

static void times(World *all, World *w, Input *in)
{
    uint8_t kind = byte(in), k = byte(in) % STREAMS;
    double seconds = 0;
    switch (kind % 6) {
    case 0:
        oc_stream_destroy(w->stream[k]);
        said(w, oc_stream_create(w->device, &w->stream[k]));
        break;
    case 1:
        oc_event_destroy(w->event[k]);
        said(w, oc_event_create(w->device, &w->event[k]));
        break;
    case 2:
        if (w->event[k]) said(w, oc_event_record(w->event[k], stream(all, w, in)));
        break;
    case 3: said(w, oc_synchronize(w->device, stream(all, w, in))); break;
    case 4:
        if (w->event[k]) said(w, oc_event_synchronize(w->event[k]));
        break;
    default:
        if (w->event[k] && w->event[0] && oc_event_seconds(w->event[k], w->event[0], &seconds) == OC_OK)
            DEMAND(seconds == seconds);
        DEMAND(oc_stream_time(w->stream[k]) >= 0);
    }
}

// --- devices ---------------------------------------------------------------------------------------------------------
static void end(World *w)
{
    for (int k = 0; k < ALLOCATIONS; k++) free(w->block[k].copy);
    oc_close(w->device);
    *w = (World){0};
}

static void begin(World *w, Input *in)
{
    static const char *const gpus[] = {"gtx480", "titan_black", "h200", "nothing", "", NULL};
    const char *const sets[] = {"gpu.sms=2",      "gpu.memory=8MiB", "sm.local=4096",
                                "l2.size=128KiB", "l2.partitions=2", NULL};
    uint8_t kind = byte(in);
    oc_config config = {.gpu = gpus[kind % 6],
                        .sets = sets,
                        .functional = kind & 32,
                        .no_lowering = kind & 64,
                        .max_cycles = kind & 32 ? 20000 : 4000,
                        .interval = kind & 128 ? number(in) : 0};
    char message[4] = "";
    end(w);
    oc_status status = oc_open(&config, &w->device, message, byte(in) % 5);
    DEMAND((status == OC_OK) == (w->device != NULL));
    if (w->device) DEMAND(oc_describe(w->device).memory == MEMORY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Input in = {data, data + size};
    World all[DEVICES] = {0};
    for (int calls = 0; calls < CALLS && in.at < in.end; calls++) {
        uint8_t what = byte(&in);
        World *w = &all[what >> 7 & (what >> 6 & 1)];  // the first in most cases
        if (!w->device || what % 32 == 31) begin(w, &in);
        if (!w->device) continue;
        switch (what % 8) {
        case 0:
        case 1: allocate(w, &in); break;
        case 2:
        case 3: move(all, w, &in); break;
        case 4: load(w, &in); break;
        case 5: launch(all, w, &in); break;
        case 6: texture(w, &in); break;
        default: times(all, w, &in);
        }
    }
    for (int k = 0; k < DEVICES; k++) end(&all[k]);
    return 0;
}
