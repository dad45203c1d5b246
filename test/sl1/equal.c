// equal.c: see equal.h. Each run has a device of its own, so that what the kernel finds in memory, addresses too, is
// the same in all. Most runs are functional; some seeds run in time as well: warps then take turns otherwise, and there
// are counters.
#include "equal.h"
#include "ptx/unit.h"
#include "work/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Setting {
    const char *name;
    Sl1Options options;
    bool timed;
} Setting;
static const Setting settings[] = {
    {"as they are", {.line = 16, .threshold = 300}, false},
    {"threshold 1, decide warp", {.line = 16, .threshold = 1, .per_warp = true}, false},
    {"threshold 7, line 8, decide warp", {.line = 8, .threshold = 7, .per_warp = true}, false},
    {"threshold 3, line 24, decide warp", {.line = 24, .threshold = 3, .per_warp = true}, false},
    {"threshold 1, line 24, noalias", {.line = 24, .threshold = 1, .apart = true}, false},
    {"threshold 5, line 24, layout banks", {.line = 24, .threshold = 5, .banks = true}, false},
    {"threshold 40", {.line = 16, .threshold = 40}, false},
    {"threshold 1, line 8, layout banks", {.line = 8, .threshold = 1, .banks = true}, false},
    {"threshold 3, layout banks, prefetch, decide warp",
     {.line = 16, .threshold = 3, .banks = true, .prefetch = true, .per_warp = true},
     false},
    {"strides", {.line = 16, .threshold = 20, .strides = true}, false},
    {"strides, registers 1, noalias, line 8",
     {.line = 8, .threshold = 5, .strides = true, .registers = 1, .apart = true},
     false},
    {"threshold 3, registers 7, decide warp", {.line = 16, .threshold = 3, .registers = 7, .per_warp = true}, false},
    {"threshold 2, registers 1, prefetch", {.line = 16, .threshold = 2, .registers = 1, .prefetch = true}, false},
    {"threshold 5, registers 2, line 8, noalias", {.line = 8, .threshold = 5, .registers = 2, .apart = true}, false},
    {"threshold 1, noalias", {.line = 16, .threshold = 1, .apart = true}, false},
    {"threshold 7, noalias, prefetch, scattered",
     {.line = 16, .threshold = 7, .apart = true, .prefetch = true, .scattered = true},
     false},
    {"threshold 3, clock 1, registers 1", {.line = 16, .threshold = 3, .clock = 1, .registers = 1}, false},
    {"threshold 9, pairs", {.line = 16, .threshold = 9, .pairs = true}, false},
    {"threshold 12, line 8, noalias, pairs, layout banks",
     {.line = 8, .threshold = 12, .apart = true, .pairs = true, .banks = true},
     false},
    {"strides, registers 1, pairs, prefetch, decide warp",
     {.line = 16, .threshold = 5, .strides = true, .registers = 1, .pairs = true, .prefetch = true, .per_warp = true},
     false},
    {"threshold 6, line 8, pairs", {.line = 8, .threshold = 6, .pairs = true}, false},
    {"threshold 4, neighbours", {.line = 16, .threshold = 4, .neighbours = true}, false},
    {"threshold 2, line 8, neighbours, prefetch, strides",
     {.line = 8, .threshold = 2, .neighbours = true, .prefetch = true, .strides = true},
     false},
    {"threshold 3, again 4", {.line = 16, .threshold = 3, .again = 4}, false},
    {"threshold 2, again 1, decide warp, registers 1, noalias",
     {.line = 16, .threshold = 2, .again = 1, .per_warp = true, .registers = 1, .apart = true},
     false},
    {"threshold 20, pairs, timed", {.line = 16, .threshold = 20, .pairs = true}, true},
    {"threshold 7, timed", {.line = 16, .threshold = 7}, true},
    {"threshold 7, clock 400, decide warp, timed", {.line = 16, .threshold = 7, .clock = 400, .per_warp = true}, true},
};
enum { TIMED_SEEDS = 5 };  // one in so many
uint32_t case_settings(size_t kernel, size_t machine)
{
    uint32_t sixth = 0;
    for (size_t bit = 0; bit < 31; bit++) sixth |= (uint32_t)((bit + 2 * kernel + machine) % 6 == 0) << bit;
    return getenv("ONCHIP_LONG") ? ALL_SETTINGS : sixth;
}

const Machine machines[3] = {{"gtx480", 20}, {"titan_black", 35}, {"h200", 90}};

// What a run left.
typedef struct Outcome {
    VEC(Buffer) buffers;
    VEC(oc_ptr) places;
    bool rewritten;
    uint64_t accesses, fills;  // of lines, if it was timed
    Text error;
} Outcome;

static void free_outcome(Outcome *o)
{
    for (size_t k = 0; k < o->buffers.n; k++) mem_free(o->buffers.v[k].data);
    vec_free(&o->buffers), vec_free(&o->places);
    text_free(&o->error);
}

static bool put_buffers(oc_device *d, oc_module *m, const Launch *l, Outcome *out)
{
    for (size_t k = 0; k < l->buffers.n; k++) {
        const Buffer *b = &l->buffers.v[k];
        oc_ptr p;
        size_t bytes;
        oc_status status = b->symbol ? oc_symbol(m, b->symbol, &p, &bytes) : oc_malloc(d, b->bytes, NULL, &p);
        if (status != OC_OK || oc_write(d, p, b->data, b->bytes, NULL) != OC_OK) return false;
        vec_push(&out->places, p);
        vec_push(&out->buffers, ((Buffer){mem_alloc(b->bytes), b->bytes, b->symbol}));
    }
    for (size_t k = 0; k < l->pointers.n; k++) {
        const Pointer *p = &l->pointers.v[k];
        uint64_t to = out->places.v[p->to] + p->offset;
        if (oc_write(d, out->places.v[p->in] + p->at, &to, sizeof to, NULL) != OC_OK) return false;
    }
    return true;
}

static bool launch(oc_device *d, const Text *ptx, const Launch *l, Outcome *out)
{
    uint64_t values[32];
    const void *args[32];
    oc_module *m;
    oc_kernel *k;
    if (oc_load(d, ptx->v, ptx->n, "k.ptx", &m) != OC_OK || oc_kernel_get(m, "k", &k) != OC_OK ||
        !put_buffers(d, m, l, out))
        return false;
    for (size_t a = 0; a < l->args.n; a++) {
        const Argument *g = &l->args.v[a];
        values[a] = g->value + (g->buffer >= 0 ? out->places.v[g->buffer] : 0), args[a] = &values[a];
    }
    if (oc_launch(k, l->grid, l->block, l->smem, NULL, args) != OC_OK) return false;
    for (size_t b = 0; b < out->buffers.n; b++)
        if (oc_read(d, out->buffers.v[b].data, out->places.v[b], out->buffers.v[b].bytes, NULL) != OC_OK) return false;
    out->rewritten = strstr(oc_launch_kernel(d, 0), SL1_ALIAS) != NULL;
    out->accesses = oc_launch_counter(d, 0, "sl1.accesses"), out->fills = oc_launch_counter(d, 0, "sl1.fills");
    return true;
}

static Outcome run_with(const char *gpu, const char *const *sets, bool timed, const Sl1Options *o, const Text *ptx,
                        const Launch *l)
{
    Outcome out = {.rewritten = false};
    oc_device *d;
    char message[1000];
    oc_config config = {.gpu = gpu, .sets = sets, .functional = !timed, .max_cycles = 20000000};
    if (oc_open(&config, &d, message, sizeof message) != OC_OK) {
        text_put(&out.error, message);
        return out;
    }
    SoftL1 *s = o ? soft_l1_open(d, o) : NULL;
    if (!launch(d, ptx, l, &out)) text_put(&out.error, oc_error(d));
    soft_l1_close(s);
    oc_close(d);
    return out;
}

static Outcome run(const char *gpu, bool timed, const Sl1Options *o, const Text *ptx, const Launch *l)
{
    return run_with(gpu, NULL, timed, o, ptx, l);
}

static bool same(const char *name, const char *gpu, const char *setting, const Outcome *a, const Outcome *b, FILE *out)
{
    if (a->error.n || b->error.n) {
        fprintf(out, "%s on %s, %s: %s: %s\n", name, gpu, setting, a->error.n ? "original" : "rewritten",
                a->error.n ? a->error.v : b->error.v);
        return false;
    }
    for (size_t k = 0; k < a->buffers.n; k++)
        for (uint32_t n = 0; n < a->buffers.v[k].bytes; n++) {
            if (a->places.v[k] == b->places.v[k] && a->buffers.v[k].data[n] == b->buffers.v[k].data[n]) continue;
            fprintf(out, "%s on %s, %s: buffer %zu differs at byte %u: %02x, rewritten %02x\n", name, gpu, setting, k,
                    n, a->buffers.v[k].data[n], b->buffers.v[k].data[n]);
            return false;
        }
    return true;
}

void prepared_text(const Text *ptx, Text *out)
{
    Diag diag = {0};
    Module *m = ptx_parse(ptx->v, ptx->n, "k.ptx", &diag);
    VEC(Function *) made = {0};
    for (size_t k = 0; m && k < m->items.n; k++) {
        Item *i = &m->items.v[k];
        if (!i->function || !i->function->entry) continue;
        i->function = sl1_prepare(i->function);
        vec_push(&made, i->function);
    }
    if (m)
        ptx_print(m, out);
    else
        text_put(out, diag.text.v);
    for (size_t k = 0; k < made.n; k++) sl1_prepared_free(made.v[k]);
    vec_free(&made);
    ptx_free(m), diag_free(&diag);
}

static void compare_prepared(const char *name, const Machine *machine, const Text *ptx, const Launch *l,
                             const Outcome *original, Tally *t)
{
    Text text = {0};
    prepared_text(ptx, &text);
    Outcome prepared = run(machine->gpu, false, NULL, &text, l);
    t->different += !same(name, machine->gpu, "prepared", original, &prepared, t->out);
    free_outcome(&prepared);
    text_free(&text);
}

void compare_kernel(const char *name, const Machine *machine, uint32_t rows, const Text *ptx, const Launch *l, Tally *t)
{
    bool any = false;
    Outcome original = run(machine->gpu, false, NULL, ptx, l);
    compare_prepared(name, machine, ptx, l, &original, t);
    for (size_t k = 0; k < COUNT(settings); k++) {
        const Setting *s = &settings[k];
        if ((s->options.apart && !l->apart) || !(rows >> k & 1)) continue;
        Outcome rewritten = run(machine->gpu, s->timed, &s->options, ptx, l);
        t->runs++, t->rewritten += rewritten.rewritten, t->odd += rewritten.rewritten && s->options.line == 24;
        any |= rewritten.rewritten;
        t->different += !same(name, machine->gpu, s->name, &original, &rewritten, t->out);
        if (s->timed) {
            Outcome slow = run(machine->gpu, true, NULL, ptx, l);
            t->different += !same(name, machine->gpu, s->name, &original, &slow, t->out);
            t->timed++, t->cached += rewritten.fills > 0;
            t->accesses += rewritten.accesses, t->fills += rewritten.fills;
            free_outcome(&slow);
        }
        free_outcome(&rewritten);
    }
    t->kernels++, t->changed += any;
    free_outcome(&original);
}

// Every second one, those with lines of 24 bytes wherever they may be had, and from time to time the one that is timed.
static uint32_t draw_rows(uint64_t n, bool plain)
{
    uint32_t rows = 0;
    for (size_t k = 0; k < COUNT(settings); k++)
        if (settings[k].timed ? n % TIMED_SEEDS == 0 : (n + k) % 2 == 0 || (plain && settings[k].options.line == 24))
            rows |= 1u << k;
    return rows;
}

static void compare_sets(const char *name, const Machine *machine, const char *const *sets, const Text *ptx,
                         const Launch *l, Tally *t)
{
    Outcome plain = run(machine->gpu, false, NULL, ptx, l), set = run_with(machine->gpu, sets, true, NULL, ptx, l);
    t->kernels++;
    t->different += !same(name, machine->gpu, sets[0], &plain, &set, t->out);
    free_outcome(&plain), free_outcome(&set);
}

// sets: null: with the software L1.
static void compare_seed(uint64_t seed, const char *const *sets, Tally *t)
{
    const Machine *machine = &machines[seed % COUNT(machines)];
    Text ptx = {0}, name = {0};
    Launch l;
    generate(seed, machine->sm, &ptx, &l);
    text_printf(&name, "seed %llu", (unsigned long long)seed);
    if (sets)
        compare_sets(name.v, machine, sets, &ptx, &l, t);
    else
        compare_kernel(name.v, machine, draw_rows(seed / COUNT(machines), l.plain), &ptx, &l, t);
    launch_free(&l);
    text_free(&ptx), text_free(&name);
}

void compare_seeds(uint64_t first, uint32_t n, Tally *t)
{
    for (uint32_t k = 0; k < n; k++) compare_seed(first + k, NULL, t);
    fprintf(t->out, "%u of %u kernels rewritten, %u of %u launches, %u with lines of 24 bytes\n", t->changed,
            t->kernels, t->rewritten, t->runs, t->odd);
    fprintf(t->out, "in time: %u of %u had lines, of whose %llu accesses %llu hit\n", t->cached, t->timed,
            (unsigned long long)t->accesses, (unsigned long long)(t->accesses - t->fills));
}

void compare_with(uint64_t first, uint32_t n, const char *const *sets, Tally *t)
{
    for (uint32_t k = 0; k < n; k++) compare_seed(first + k, sets, t);
}
