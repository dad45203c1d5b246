// shared.c: infers shared memory's banks (Mei et al., §3.1 and §4.1). One warp chases pointers to themselves: lane i
// loads the word that holds this word's own address, again and again. So every load of a chain has the same pattern of
// conflicts, and none starts before the one before has come back (Listing 1). Two chains that differ by 64 loads differ
// by 64 latencies, since the clock, the start and the end cost both the same.
//
// The latency of a pattern is that without conflict, plus a cost for each way beyond the first. The cost is inferred
// from patterns on whose degree of conflict every model agrees. The latencies of all other patterns then choose among
// the models. A model of banks × width × mode says that a bank gives `width` bytes of one row at a time, and that
// `mode` consecutive bytes lie in a bank (Fig. 6). Words conflict if they share a bank but not a row. Limit: only
// powers of two up to 64 are tried as numbers of banks.
#include "probe/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = 32,
    CHAIN = 64,   // how many loads the long chain has more than the short one
    APART = 128,  // in words: so far apart, words are in different rows of one bank in every model
    PATTERNS = 1 + SHARED_STRIDES + SHARED_PAIRS + SHARED_WAYS,
    SHORT = 8,    // loads of the short chain
    REPEATS = 8,  // at most; it ends sooner if a repeat changes nothing
};

// --- measuring -------------------------------------------------------------------------------------------------------
// Both readings of the clock come after a store that waits for a load, so that the same instructions surround them.
static void chain(Text *out, const char *name, int loads)
{
    text_put(
        out,
        "    mov.u32 %a, %at;\n    ld.shared.u32 %a, [%a];\n    st.shared.u32 [sink], %a;\n    mov.u32 %t0, %clock;\n");
    for (int k = 0; k < loads; k++) text_put(out, "    ld.shared.u32 %a, [%a];\n");
    text_printf(out, "    st.shared.u32 [sink], %%a;\n    mov.u32 %%t1, %%clock;\n    sub.u32 %s, %%t1, %%t0;\n", name);
}

// words: for each pattern, the word of each lane.
static void kernel(Text *out)
{
    bench_begin(out);
    text_printf(
        out,
        ".visible .entry banks(.param .u64 words, .param .u32 patterns, .param .u64 out)\n{\n"
        "    .reg .pred %%p;\n    .reg .b32 %%lane, %%n, %%k, %%at, %%base, %%a, %%t0, %%t1, %%short, %%long;\n    "
        ".reg .b64 %%words, %%out, %%offset;\n"
        "    .shared .align 16 .b8 memory[%d];\n    .shared .align 4 .u32 sink;\n"
        "    ld.param.u64 %%words, [words];\n    ld.param.u32 %%n, [patterns];\n    ld.param.u64 %%out, [out];\n"
        "    mov.u32 %%lane, %%tid.x;\n    mul.wide.u32 %%offset, %%lane, 4;\n    add.u64 %%words, %%words, "
        "%%offset;\n    mov.u32 %%base, memory;\n    mov.u32 %%k, 0;\n"
        "NEXT:\n    ld.global.u32 %%at, [%%words];\n    shl.b32 %%at, %%at, 2;\n    add.u32 %%at, %%at, %%base;\n    "
        "bar.sync 0;\n    st.shared.u32 [%%at], %%at;\n"
        "    bar.sync 0;\n",
        4 * (APART * (LANES - 1) + 1));
    chain(out, "%short", SHORT);
    chain(out, "%long", SHORT + CHAIN);
    text_printf(out,
                "    setp.ne.u32 %%p, %%lane, 0;\n    @%%p bra OTHERS;\n    st.global.u32 [%%out], %%short;\n    "
                "st.global.u32 [%%out+4], %%long;\n"
                "OTHERS:\n    add.u64 %%out, %%out, 8;\n    add.u64 %%words, %%words, %d;\n    add.u32 %%k, %%k, 1;\n  "
                "  setp.lt.u32 %%p, %%k, %%n;\n    @%%p bra NEXT;\n    ret;\n}\n",
                4 * LANES);
}

static uint32_t word_stride(uint32_t stride, uint32_t lane) { return lane * stride; }
static uint32_t word_pair(uint32_t k, uint32_t lane) { return lane == 1 ? k : 0; }
static uint32_t word_ways(uint32_t ways, uint32_t lane) { return lane < ways ? lane * APART : 0; }

// Calls visit with each pattern and the place of its latency.
typedef void Visit(void *user, double *latency, const uint32_t words[LANES]);
static void each_pattern(SharedResult *r, Visit *visit, void *user)
{
    uint32_t words[LANES];
    for (uint32_t s = 0; s < SHARED_STRIDES; s++) {
        for (uint32_t l = 0; l < LANES; l++) words[l] = word_stride(s, l);
        visit(user, &r->stride[s], words);
    }
    for (uint32_t k = 0; k < SHARED_PAIRS; k++) {
        for (uint32_t l = 0; l < LANES; l++) words[l] = word_pair(k, l);
        visit(user, &r->pair[k], words);
    }
    for (uint32_t w = 0; w < SHARED_WAYS; w++) {
        for (uint32_t l = 0; l < LANES; l++) words[l] = word_ways(w + 1, l);
        visit(user, &r->ways[w], words);
    }
}

typedef struct List {
    uint32_t words[PATTERNS][LANES], got[PATTERNS][2];
    uint32_t n, repeat, better;  // better: how many patterns took less than ever before
} List;
static void list_pattern(void *user, double *latency, const uint32_t words[LANES])
{
    List *l = user;
    (void)latency;
    memcpy(l->words[l->n++], words, sizeof l->words[0]);
}
// The shortest time counts, since disturbances only lengthen a load.
static void take_latency(void *user, double *latency, const uint32_t words[LANES])
{
    List *l = user;
    (void)words;
    double took = ((double)l->got[l->n][1] - (double)l->got[l->n][0]) / CHAIN;
    if (!l->repeat || took < *latency) *latency = took, l->better++;
    l->n++;
}

bool shared_measure(oc_device *device, SharedResult *r, Diag *diag)
{
    Bench b;
    Text ptx = {0};
    List *l = mem_alloc(sizeof *l);
    const uint32_t n = PATTERNS;
    const void *args[] = {&b.memory, &n, &b.out};
    *r = (SharedResult){0};
    kernel(&ptx);
    l->n = 1;  // the first pattern, all lanes on word 0, only fills the instruction cache
    each_pattern(r, list_pattern, l);
    bool ok = bench_open(&b, device, "shared.ptx", &ptx, sizeof l->words, sizeof l->got, diag) &&
              bench_write(&b, l->words, sizeof l->words, diag);
    for (l->repeat = 0, l->better = 1; ok && l->better && l->repeat < REPEATS; l->repeat++) {
        ok = bench_run(&b, "banks", 1, LANES, args, diag) && bench_read(&b, l->got, sizeof l->got, diag);
        l->n = 1, l->better = 0;
        if (ok) each_pattern(r, take_latency, l);
    }
    bench_close(&b);
    text_free(&ptx);
    mem_free(l);
    return ok;
}

// --- inferring -------------------------------------------------------------------------------------------------------
typedef struct Model {
    uint32_t banks, width, mode;
} Model;

// The degree of conflict: the most rows that any bank is asked for (Fig. 4 and 6).
static uint32_t degree(const Model *m, const uint32_t words[LANES])
{
    uint32_t bank[LANES], row[LANES], rows[64] = {0}, most = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t unit = words[l] * 4 / m->mode, e = 0;
        bank[l] = unit % m->banks;
        row[l] = unit / m->banks / (m->width / m->mode);
        while (bank[e] != bank[l] || row[e] != row[l]) e++;
        if (e == l) rows[bank[l]]++;
        most = MAX(most, rows[bank[l]]);
    }
    return most;
}

typedef struct Fit {
    const Model *model;
    double base, each;  // latency without conflict, cost of a way
    uint32_t wrong;     // how many patterns took another time than the model says
    double low, high;   // range of the latencies of patterns that should have no conflict
} Fit;
static void judge(void *user, double *latency, const uint32_t words[LANES])
{
    Fit *f = user;
    uint32_t d = degree(f->model, words);
    if (fabs(*latency - f->base - f->each * (d - 1)) >= f->each / 2)
        f->wrong++;
    else if (d == 1)
        f->low = MIN(f->low, *latency), f->high = MAX(f->high, *latency);
}

// A straight line through the latencies of 1 to 32 ways.
static void fit_ways(SharedResult *r, double *base)
{
    double x = 0, y = 0, xx = 0, xy = 0, squares = 0;
    const double n = SHARED_WAYS;
    for (int k = 0; k < SHARED_WAYS; k++) x += k / n, y += r->ways[k] / n;
    for (int k = 0; k < SHARED_WAYS; k++) xx += (k - x) * (k - x), xy += (k - x) * (r->ways[k] - y);
    double slope = xy / xx;
    *base = y - slope * x;
    for (int k = 0; k < SHARED_WAYS; k++) {
        double off = r->ways[k] - *base - slope * k;
        squares += off * off;
        r->residual = MAX(r->residual, fabs(off));
    }
    double half = student_t(0.95, SHARED_WAYS - 2) * sqrt(squares / (n - 2) / xx);
    r->conflict = measured(slope, slope - half, slope + half);
}

static void no_banks(SharedResult *r, const char *why) { r->banks = r->width = r->mode = undetermined(why); }

// The value of a field on which all models agree that explain the patterns equally well.
static Value common(const Fit *fits, size_t n, uint32_t most_wrong, size_t field)
{
    double value = 0;
    for (size_t k = 0; k < n; k++) {
        if (fits[k].wrong > most_wrong) continue;
        double v = *(const uint32_t *)((const char *)fits[k].model + field);
        if (value && v != value) return undetermined("several models of the banks explain every pattern");
        value = v;
    }
    return counted(value);
}

void shared_infer(SharedResult *r)
{
    static const uint32_t layouts[][2] = {{4, 4}, {8, 4}, {8, 8}};
    enum { MODELS = 7 * COUNT(layouts) };
    Model models[MODELS];
    Fit fits[MODELS];
    double base;
    const Fit *best = fits;
    r->residual = 0;
    fit_ways(r, &base);
    r->latency = counted(r->ways[0]);
    if (r->conflict.low <= 0) return no_banks(r, "conflicts take no time that the clock shows");
    if (r->residual >= r->conflict.value / 2) {
        r->conflict = undetermined("the latency isn't linear in the number of ways");
        return no_banks(r, r->conflict.why);
    }
    for (uint32_t k = 0; k < MODELS; k++) {
        models[k] = (Model){1u << k / COUNT(layouts), layouts[k % COUNT(layouts)][0], layouts[k % COUNT(layouts)][1]};
        fits[k] = (Fit){&models[k], base, r->conflict.value, 0, r->ways[0], r->ways[0]};
        each_pattern(r, judge, &fits[k]);
        if (fits[k].wrong < best->wrong) best = &fits[k];
    }
    r->wrong = best->wrong;
    r->latency = measured(r->ways[0], best->low, best->high);
    // One pattern in fifty may be disturbed; a model that fails on more is wrong.
    if (best->wrong * 50 > PATTERNS) return no_banks(r, "no model of banks, width and mode explains the conflicts");
    uint32_t most = 2 * best->wrong + 1;
    r->banks = common(fits, MODELS, most, offsetof(Model, banks));
    r->width = common(fits, MODELS, most, offsetof(Model, width));
    r->mode = common(fits, MODELS, most, offsetof(Model, mode));
}
