// hits.c: how many loads a first-level cache serves as more threads use it (s-l1 Fig. 1 and footnote 4). No counters
// are needed: every load is timed by itself.
//
// Each thread of one SM reads the 32 words of a 128-byte chunk of its own. The lanes of a warp take turns, so that a
// latency is that of one load, not of 32. Every latency goes into one of two histograms in shared memory: that of the
// chunks' first loads, which the cache can't have, or that of the other loads. All data was brought into the L2 before.
// With a single warp the first histogram shows the time of a miss, and the second that of a hit. A load is counted as a
// hit if its latency is below the middle between both; the loads near the middle give the interval.
//
// More threads than a block can have need several blocks on one SM. So many blocks are launched that all SMs are full.
// Each waits until all have started; then the blocks on other SMs than the first block's end. If not all of them start,
// an SM doesn't have room for so many threads.
#include "probe/measure.h"

enum {
    // A histogram's shape; the last bin has all loads that took longer. Two blocks' histograms must fit 16 KiB.
    LANES = 32,
    WORDS = 32,  // of a chunk
    BIN = 4,     // cycles
    BINS = 768,
    TOUCH = 32,  // bytes: the smallest sector of an L2
    TOUCHERS = 256,
    BLOCK = 1024,       // most threads of a block
    PATIENCE = 200000,  // cycles that a block waits for the others
};

// What a launch writes: words 0 to 3, then the histograms.
typedef struct Out {
    uint32_t started, chosen, blocks,
        missing;  // chosen: the SM's number plus one; missing: blocks that gave up waiting
    uint32_t first[BINS], rest[BINS];
} Out;

// --- kernels ---------------------------------------------------------------------------------------------------------
static void put_load(Text *out, HitKind kind)
{
    if (kind == HITS_TEXTURE)
        text_put(out, "    tex.1d.v4.u32.s32 {%x, %y, %u, %v}, [%texture, {%index}];\n");
    else
        text_printf(out, "    ld.global.%s.u32 %%x, [%%a];\n", kind == HITS_READONLY ? "nc" : "ca");
}

// Brings the words into the L2.
static void put_touch(Text *out)
{
    text_put(out, ".visible .entry touch(.param .u64 memory, .param .u64 out)\n{\n    .reg .pred %p;\n    .reg .b32 "
                  "%t, %n, %x;\n    .reg .b64 %a, %o;\n"
                  "    ld.param.u64 %a, [memory];\n    ld.param.u64 %o, [out];\n    mov.u32 %t, %ctaid.x;\n    mov.u32 "
                  "%n, %ntid.x;\n    mul.lo.u32 %t, %t, %n;\n"
                  "    mov.u32 %n, %tid.x;\n    add.u32 %t, %t, %n;\n"
                  "    mul.wide.u32 %o, %t, 32;\n    add.u64 %a, %a, %o;\n    ld.global.cg.u32 %x, [%a];\n    "
                  "setp.eq.u32 %p, %x, 0;\n    @%p bra END;\n"
                  "    ld.param.u64 %o, [out];\n    st.global.u32 [%o], %x;\nEND:\n    ret;\n}\n");
}

// The first thread of each block waits until all blocks have started.
static void put_gate(Text *out)
{
    text_printf(
        out,
        ".visible .entry hits(.param .u64 memory, .param .u64 out, .param .u64 texture)\n{\n"
        "    .reg .pred %%p, %%other, %%first;\n"
        "    .reg .b32 %%thread, %%threads, %%grid, %%sm, %%chosen, %%started, %%rank, %%x, %%y, %%u, %%v, %%t0, %%t1, "
        "%%t, %%at, %%lane, %%turn, %%word, %%index, %%histogram;\n"
        "    .reg .b64 %%memory, %%out, %%texture, %%a, %%wide;\n    .shared .align 4 .b8 times[%d];\n    .shared "
        ".align 4 .u32 place;\n    .shared .align 4 .u32 sink;\n"
        "    ld.param.u64 %%memory, [memory];\n    ld.param.u64 %%out, [out];\n    ld.param.u64 %%texture, [texture];\n"
        "    mov.u32 %%thread, %%tid.x;\n    mov.u32 %%threads, %%ntid.x;\n    mov.u32 %%grid, %%nctaid.x;\n    "
        "mov.u32 %%sm, %%smid;\n    add.u32 %%sm, %%sm, 1;\n"
        "    and.b32 %%lane, %%thread, 31;\n"
        "    mov.u32 %%t, %%thread;\n    mov.u32 %%x, 0;\nCLEAR:\n    shl.b32 %%at, %%t, 2;\n    mov.u32 %%y, times;\n "
        "   add.u32 %%at, %%at, %%y;\n"
        "    st.shared.u32 [%%at], %%x;\n"
        "    add.u32 %%t, %%t, %%threads;\n    setp.lt.u32 %%p, %%t, %d;\n    @%%p bra CLEAR;\n"
        "    setp.ne.u32 %%other, %%thread, 0;\n    @%%other bra READY;\n"
        "    mov.u32 %%t, %%ctaid.x;\n    setp.ne.u32 %%p, %%t, 0;\n    @%%p bra ARRIVE;\n    st.volatile.global.u32 "
        "[%%out+4], %%sm;\n    membar.gl;\n"
        "ARRIVE:\n    atom.global.add.u32 %%started, [%%out], 1;\n    mov.u32 %%t0, %%clock;\n"
        "WAIT:\n    ld.volatile.global.u32 %%started, [%%out];\n    setp.ge.u32 %%p, %%started, %%grid;\n    @%%p bra "
        "ALL;\n    mov.u32 %%t1, %%clock;\n"
        "    sub.u32 %%t1, %%t1, %%t0;\n    setp.lt.u32 %%p, %%t1, %d;\n    @%%p bra WAIT;\n"
        "    atom.global.add.u32 %%x, [%%out+12], 1;\n"
        "ALL:\n    mov.u32 %%rank, 4294967295;\n    ld.volatile.global.u32 %%chosen, [%%out+4];\n    setp.ne.u32 %%p, "
        "%%chosen, %%sm;\n    @%%p bra PLACED;\n"
        "    atom.global.add.u32 %%rank, [%%out+8], 1;\n"
        "PLACED:\n    st.shared.u32 [place], %%rank;\n"
        "READY:\n    bar.sync 0;\n    ld.shared.u32 %%rank, [place];\n    setp.eq.u32 %%p, %%rank, 4294967295;\n    "
        "@%%p bra OVER;\n",
        2 * BINS * 4, 2 * BINS, PATIENCE);
}

// The words one after the other, and for each word the lanes in turn. x is zero.
static void put_turns(Text *out, HitKind kind)
{
    text_printf(out,
                "    mul.lo.u32 %%t, %%rank, %%threads;\n    add.u32 %%t, %%t, %%thread;\n    mul.wide.u32 %%a, %%t, "
                "%d;\n    add.u64 %%a, %%a, %%memory;\n"
                "    mul.lo.u32 %%index, %%t, %d;\n    mov.u32 %%word, 0;\n    mov.u32 %%histogram, times;\n"
                "WORD:\n    mov.u32 %%turn, 0;\n"
                "TURN:\n    setp.ne.u32 %%p, %%lane, %%turn;\n    @%%p bra NEXT;\n    mov.u32 %%t0, %%clock;\n",
                4 * WORDS, WORDS);
    put_load(out, kind);
    text_printf(
        out,
        "    st.shared.u32 [sink], %%x;\n    mov.u32 %%t1, %%clock;\n    sub.u32 %%t, %%t1, %%t0;\n    shr.u32 %%t, "
        "%%t, 2;\n    min.u32 %%t, %%t, %d;\n"
        "    shl.b32 %%t, %%t, 2;\n    add.u32 %%at, %%histogram, %%t;\n"
        "    red.shared.add.u32 [%%at], 1;\n    add.u32 %%x, %%x, 4;\n    cvt.u64.u32 %%wide, %%x;\n    add.u64 %%a, "
        "%%a, %%wide;\n    add.u32 %%index, %%index, 1;\n"
        "NEXT:\n    bar.warp.sync 4294967295;\n    add.u32 %%turn, %%turn, 1;\n    setp.lt.u32 %%p, %%turn, 32;\n    "
        "@%%p bra TURN;\n"
        "    mov.u32 %%histogram, times;\n    add.u32 %%histogram, %%histogram, %d;\n    add.u32 %%word, %%word, 1;\n  "
        "  setp.lt.u32 %%p, %%word, %d;\n    @%%p bra WORD;\n"
        "    bar.sync 0;\n    mov.u32 %%t, %%thread;\n"
        "GIVE:\n    shl.b32 %%at, %%t, 2;\n    cvt.u64.u32 %%wide, %%at;\n    add.u64 %%a, %%out, %%wide;\n    mov.u32 "
        "%%y, times;\n    add.u32 %%at, %%at, %%y;\n"
        "    ld.shared.u32 %%x, [%%at];\n    red.global.add.u32 [%%a+16], %%x;\n"
        "    add.u32 %%t, %%t, %%threads;\n    setp.lt.u32 %%p, %%t, %d;\n    @%%p bra GIVE;\nOVER:\n    ret;\n}\n",
        BINS - 1, BINS * 4, WORDS, 2 * BINS);
}

static void kernel(Text *out, HitKind kind)
{
    bench_begin(out);
    put_touch(out);
    put_gate(out);
    put_turns(out, kind);
}

// --- times -----------------------------------------------------------------------------------------------------------
// One launch with so many threads on an SM. out->missing isn't zero if they don't fit.
static bool run_hits(Bench *b, uint64_t texture, uint32_t sms, uint32_t threads, Out *out, Diag *diag)
{
    uint32_t blocks = (threads + BLOCK - 1) / BLOCK, cover = (threads * WORDS * 4 / TOUCH + TOUCHERS - 1) / TOUCHERS;
    const void *args[] = {&b->memory, &b->out, &texture}, *touch_args[] = {&b->memory, &b->out};
    return bench_clear(b, diag) && bench_run(b, "touch", cover, TOUCHERS, touch_args, diag) &&
           bench_run(b, "hits", blocks > 1 ? blocks * sms : 1, threads / blocks, args, diag) &&
           bench_read(b, out, sizeof *out, diag);
}

// The middle of the bin in which the median lies.
static double median(const uint32_t bins[BINS])
{
    uint64_t n = 0, below = 0;
    for (int k = 0; k < BINS; k++) n += bins[k];
    for (int k = 0; k < BINS; k++)
        if ((below += bins[k]) * 2 >= n) return (k + 0.5) * BIN;
    return 0;
}

// The share of loads that took less than a hit plus this part of the distance to a miss.
static double share(const Out *o, const HitCurve *c, double part)
{
    double n = 0, below = 0;
    for (int k = 0; k < BINS; k++) {
        n += o->first[k] + o->rest[k];
        if ((k + 0.5) * BIN < c->hit.value + part * (c->miss.value - c->hit.value)) below += o->first[k] + o->rest[k];
    }
    return below / n;
}

static Value rate_of(const Out *o, const HitCurve *c, uint32_t threads)
{
    if (o->blocks != (threads + BLOCK - 1) / BLOCK)
        return undetermined("the blocks weren't spread evenly over the SMs");
    double low = share(o, c, 0.25), high = share(o, c, 0.75);
    if (high - low > 0.1) return undetermined("hits and misses take about the same time");
    return measured(share(o, c, 0.5), low, high);
}

static bool measure(Bench *b, uint64_t texture, uint32_t sms, HitCurve *c, Diag *diag)
{
    static const uint32_t threads[HIT_POINTS] = {32,  64,  96,  128, 160,  192,  256,  320,  384,  448,
                                                 512, 640, 768, 896, 1024, 1152, 1280, 1536, 1792, 2048};
    Out *o = mem_alloc(sizeof *o);
    bool ok = true;
    for (int k = 0; k < HIT_POINTS; k++) {
        if (!(ok = run_hits(b, texture, sms, threads[k], o, diag)) || o->missing) break;
        if (!k) {
            double hit = median(o->rest), miss = median(o->first);
            if (hit > 0.9 * miss) {
                c->why = "later loads of a line are no faster than its first: no cache";
                break;
            }
            c->hit = measured(hit, hit - BIN / 2.0, hit + BIN / 2.0);
            c->miss = measured(miss, miss - BIN / 2.0, miss + BIN / 2.0);
        }
        c->points[c->n++] = (HitPoint){threads[k], rate_of(o, c, threads[k])};
    }
    mem_free(o);
    return ok;
}

bool hits_measure(oc_device *device, HitKind kind, Bound *bound, HitCurve *c, Diag *diag)
{
    Bench b;
    Text ptx = {0};
    Diag refused = {0};
    uint64_t texture = 0;
    const uint64_t bytes = 4096 * WORDS * 4;  // more than enough, in case an SM gets more blocks than its share
    *c = (HitCurve){.kind = kind};
    kernel(&ptx, kind);
    bool ok = bench_open(&b, device, "hits.ptx", &ptx, bytes, sizeof(Out), &refused), none = !b.module;
    text_free(&ptx);
    if (none)
        c->why = "the device refuses such loads";
    else if (!ok)
        diag_error(diag, "%s", refused.text.v);
    diag_free(&refused);
    if (ok && kind == HITS_TEXTURE) {
        const oc_texture t = {.base = b.memory, .width = bytes / 4, .channels = 1, .format = OC_TEX_U32};
        ok = oc_texture_create(device, &t, &texture) == OC_OK || diag_error(diag, "%s", oc_error(device));
    }
    b.bound = bound;
    ok = ok && measure(&b, texture, oc_describe(device).sms, c, diag);
    if (texture) oc_texture_destroy(device, texture);
    bench_close(&b);
    return ok || none;
}
