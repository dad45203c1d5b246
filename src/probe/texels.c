// texels.c: fetches pairs of texels from a 2D texture, from which footprint.c infers what a miss brings in together. A
// texel is fetched, then a neighbour, then the texel again; all are timed. Each pair has a stretch of the texture to
// itself, wider and higher than a tile can be, so that nothing fetched for another pair is near. Every launch is made
// twice: texture caches are empty at a kernel's start and the L2 isn't, so the misses of the second launch are as fast
// as misses can be.
//
// There are three groups of pairs: along x from 32 positions, along y from 32, and across from four.
//
// A device that has no textures has no footprint. If the device has too little memory for such a texture, the footprint
// stays undetermined.
#include "probe/infer.h"
#include "probe/measure.h"

enum { REACH = FOOTPRINT_REACH, PAIRS = 1000, WIDTH = 4096, ROOM = 4 * REACH };
enum {
    PAIR_BYTES = 3 * 2 * sizeof(int32_t),
    SPARE = 8
};  // of shared memory: for the fetches of a pair, and for a word to which stores go
// The distance of rows isn't a power of two; otherwise all stretches would meet in a few sets of the L2.
enum { PITCH = 4 * WIDTH + 384 };

// The kernel makes three fetches for each pair. Their coordinates are in shared memory; the latencies replace them.
static const char text[] =
    ".version 6.0\n.target sm_35\n.address_size 64\n"
    ".extern .shared .align 16 .b8 shared[];\n"
    ".visible .entry fetch(.param .u64 list, .param .u64 out, .param .u32 bytes, .param .u64 texture)\n{\n"
    "    .reg .pred %p;\n    .reg .b32 %thread, %k, %n, %w, %v, %i, %j, %x, %y1, %y2, %y3, %t0, %t1, %end;\n    .reg "
    ".b64 %list, %out, %texture, %a;\n"
    "    ld.param.u64 %list, [list];\n    ld.param.u64 %out, [out];\n    ld.param.u32 %n, [bytes];\n    ld.param.u64 "
    "%texture, [texture];\n"
    "    mov.u32 %thread, %tid.x;\n    shl.b32 %k, %thread, 2;\n"
    "COPY:\n    setp.ge.u32 %p, %k, %n;\n    @%p bra COPIED;\n"
    "    cvt.u64.u32 %a, %k;\n    add.u64 %a, %a, %list;\n    ld.global.cg.u32 %v, [%a];\n    mov.u32 %w, shared;\n    "
    "add.u32 %w, %w, %k;\n    st.shared.u32 [%w], %v;\n"
    "    add.u32 %k, %k, 1024;\n    bra COPY;\n"
    "COPIED:\n    bar.sync 0;\n    setp.ne.u32 %p, %thread, 0;\n    @%p bra DONE;\n"
    "    mov.u32 %w, shared;\n    add.u32 %end, %w, %n;\n    mov.u32 %x, 0;\n"
    "FETCH:\n    ld.shared.u32 %i, [%w];\n    ld.shared.u32 %j, [%w+4];\n    add.u32 %i, %i, %x;\n    add.u32 %j, %j, "
    "%x;\n    st.shared.u32 [%end], %i;\n    st.shared.u32 [%end], %j;\n"
    "    mov.u32 %t0, %clock;\n    tex.2d.v4.u32.s32 {%x, %y1, %y2, %y3}, [%texture, {%i, %j}];\n    st.shared.u32 "
    "[%end], %x;\n    mov.u32 %t1, %clock;\n"
    "    sub.u32 %v, %t1, %t0;\n    st.shared.u32 [%w], %v;\n    add.u32 %w, %w, 8;\n    setp.lt.u32 %p, %w, %end;\n   "
    " @%p bra FETCH;\n"
    "DONE:\n    bar.sync 0;\n    shl.b32 %k, %thread, 3;\n    shl.b32 %i, %thread, 2;\n"
    "GIVE:\n    setp.ge.u32 %p, %k, %n;\n    @%p bra OVER;\n    mov.u32 %w, shared;\n    add.u32 %w, %w, %k;\n    "
    "ld.shared.u32 %v, [%w];\n"
    "    cvt.u64.u32 %a, %i;\n    add.u64 %a, %a, %out;\n    st.global.u32 [%a], %v;\n    add.u32 %k, %k, 2048;\n    "
    "add.u32 %i, %i, 1024;\n    bra GIVE;\n"
    "OVER:\n    ret;\n}\n";

typedef VEC(Pair) Pairs;
typedef struct Place {  // where the next stretch begins
    int32_t x, y;
} Place;

// Adds a pair in a new stretch of w × h texels. Its first texel is (px, py) from the stretch's beginning; or from REACH
// texels behind that, in a direction in which the stretch is longer than REACH.
static void add(Pairs *pairs, Place *at, int32_t w, int32_t h, int32_t px, int32_t py, int32_t dx, int32_t dy)
{
    if (at->x + w > WIDTH) at->x = 0, at->y += h;
    vec_push(pairs,
             ((Pair){at->x + (w > REACH ? REACH : 0) + px, at->y + (h > REACH ? REACH : 0) + py, dx, dy, false}));
    at->x += w;
}

static void next_group(Place *at, int32_t h) { at->x = 0, at->y = (at->y + h + REACH - 1) / REACH * REACH; }

// Returns how many rows the texture has.
static uint32_t choose_pairs(Pairs *pairs)
{
    static const int32_t corner[4][2] = {{0, 0}, {5, 3}, {REACH - 1, REACH - 1}, {18, 9}};
    Place at = {0, 0};
    for (int32_t p = 0; p < REACH; p++)
        for (int32_t d = -REACH; d <= REACH; d++)
            if (d) add(pairs, &at, ROOM, REACH, p, 0, d, 0);
    next_group(&at, REACH);
    for (int32_t p = 0; p < REACH; p++)
        for (int32_t d = -REACH; d <= REACH; d++)
            if (d) add(pairs, &at, REACH, ROOM, 0, p, 0, d);
    next_group(&at, ROOM);
    for (int c = 0; c < 4; c++)
        for (int32_t a = 1; a < REACH; a *= 2)
            for (int32_t b = 1; b < REACH; b *= 2)
                for (int s = 0; s < 4; s++)
                    add(pairs, &at, ROOM, ROOM, corner[c][0], corner[c][1], s & 1 ? a : -a, s & 2 ? b : -b);
    return (uint32_t)(at.y + ROOM);
}

// --- measuring -------------------------------------------------------------------------------------------------------
typedef struct Fetcher {
    Chase *c;
    oc_ptr texels, list, out;
    uint64_t texture;
    oc_module *module;
    oc_kernel *kernel;
} Fetcher;

static bool failed(const Fetcher *f, Diag *diag) { return diag_error(diag, "%s", oc_error(f->c->device)); }

static bool open_fetcher(Fetcher *f, uint32_t rows, Diag *diag)
{
    oc_device *d = f->c->device;
    const size_t bytes = (size_t)PITCH * rows;
    if (oc_malloc(d, bytes, "texels", &f->texels) != OC_OK ||
        oc_malloc(d, PAIR_BYTES * PAIRS, "pairs", &f->list) != OC_OK ||
        oc_malloc(d, 12 * PAIRS, "latencies", &f->out) != OC_OK)
        return failed(f, diag);
    if (oc_describe(d).real && oc_fill(d, f->texels, 0, bytes, NULL) != OC_OK) return failed(f, diag);
    oc_texture t = {
        .base = f->texels, .width = WIDTH, .height = rows, .pitch = PITCH, .channels = 1, .format = OC_TEX_U32};
    if (oc_texture_create(d, &t, &f->texture) != OC_OK) return f->texture = 0, failed(f, diag);
    return (oc_load(d, text, sizeof text - 1, "footprint.ptx", &f->module) == OC_OK &&
            oc_kernel_get(f->module, "fetch", &f->kernel) == OC_OK) ||
           failed(f, diag);
}

static void close_fetcher(Fetcher *f)
{
    oc_device *d = f->c->device;
    if (f->module) oc_unload(f->module);
    if (f->texture) oc_texture_destroy(d, f->texture);
    if (f->texels) oc_free(d, f->texels);
    if (f->list) oc_free(d, f->list);
    if (f->out) oc_free(d, f->out);
}

// The three latencies of n ≤ PAIRS pairs; settled where the device is noisy, after a launch that fills the L2.
static bool fetch(const Fetcher *f, const Pair *pairs, size_t n, uint32_t *took, Diag *diag)
{
    static const oc_dim3 one = {1, 1, 1}, block = {CHASE_BLOCK, 1, 1};
    oc_device *d = f->c->device;
    int32_t list[PAIRS][3][2];
    uint32_t bytes = (uint32_t)(n * sizeof *list), launches = f->c->noisy ? SETTLE_MOST : 1;
    uint32_t *traces = mem_alloc(3 * n * (launches + 1) * sizeof *traces);
    const void *args[] = {&f->list, &f->out, &bytes, &f->texture};
    for (size_t p = 0; p < n; p++)
        for (int k = 0; k < 3; k++)
            list[p][k][0] = pairs[p].x + (k == 1 ? pairs[p].dx : 0),
            list[p][k][1] = pairs[p].y + (k == 1 ? pairs[p].dy : 0);
    bool ok = oc_write(d, f->list, list, bytes, NULL) == OC_OK;
    for (uint32_t k = 0; ok && k <= launches; k++) {
        uint32_t *trace = traces + (k ? k - 1 : 0) * 3 * n;  // the first is overwritten
        ok = oc_launch(f->kernel, one, block, bytes + SPARE, NULL, args) == OC_OK &&
             oc_read(d, trace, f->out, 12 * n, NULL) == OC_OK;
        oc_forget(d, PROBE_KEPT);
        f->c->loads += 3 * n;
        if (k < MIN(launches, (uint32_t)SETTLE_LEAST)) continue;
        if (ok && !settle(traces, k, 3 * n, SETTLE_WITHIN, took).moving) break;
    }
    for (size_t t = 0; t < 3 * n; t++) took[t] -= MIN(took[t], f->c->overhead[CHASE_TEXTURE]);
    mem_free(traces);
    return ok || failed(f, diag);
}

bool footprint_measure(Chase *c, Footprint *f, Diag *diag)
{
    Pairs pairs = {0};
    Fetcher fetcher = {.c = c};
    *f = (Footprint){.pairs = 0};
    if (!c->module[CHASE_TEXTURE]) return f->width = f->height = f->linear = absent("the device has no textures"), true;
    const size_t most = c->shared > SPARE ? MIN((size_t)PAIRS, (c->shared - SPARE) / PAIR_BYTES) : 0;
    const uint32_t rows = choose_pairs(&pairs);
    bool ok = true, room = most && (uint64_t)PITCH * rows <= oc_describe(c->device).memory / 2;
    if (room) {
        uint32_t *took = mem_alloc(3 * pairs.n * sizeof *took);
        ok = open_fetcher(&fetcher, rows, diag);
        for (size_t p = 0; ok && p < pairs.n; p += most)
            ok = fetch(&fetcher, pairs.v + p, MIN(pairs.n - p, most), took + 3 * p, diag);
        close_fetcher(&fetcher);
        if (ok) footprint_judge(pairs.v, pairs.n, took, f);
        mem_free(took);
    } else {
        f->width = f->height = f->linear = undetermined("the device has too little memory to keep pairs apart");
    }
    vec_free(&pairs);
    return ok;
}
