// ops.c: measures how long the main classes of operations take, and how many of each an SM starts a cycle.
//
// For the latency, each operation of a chain waits for the one before. Two chains that differ by CHAIN operations
// differ by as many latencies, whatever the clock, the start and the end cost. For the rate, many warps execute several
// such chains side by side. A compiler must not change the chains. So they begin with loaded values, their results are
// stored, and no two neighbours can be merged into one operation (as an addition of an addition could be).
#include "probe/measure.h"

#include <string.h>

enum {
    CHAIN = 64,  // how many operations the long chain has more than the short one
    SHORT = 32,
    LOOPS = 16,     // of branches: there are few predicates, so a chain of branches is a loop
    SIDES = 8,      // chains of a thread, for the rate
    THREADS = 512,  // threads of the largest block, for the rate
    REPEATS = 4,    // at most: until one changes nothing
};

typedef enum Body { STRAIGHT, ALONE, BRANCHES } Body;
typedef struct Op {
    const char *name;
    Body body;               // straight: chains of x and y; alone: operations without operands
    int bits;                // of x and y
    const char *odd, *even;  // the operations of a chain, in turn; $ stands for the chain's number
} Op;
static const Op ops[OPS_KINDS] = {
    [OPS_ALU] = {"alu", STRAIGHT, 32, "add.u32 %x$, %x$, %y$", "xor.b32 %y$, %y$, %x$"},
    [OPS_MUL] = {"mul", STRAIGHT, 32, "mul.lo.u32 %x$, %x$, %y$", "mul.lo.u32 %y$, %y$, %x$"},
    [OPS_FMA] = {"fma", STRAIGHT, 32, "fma.rn.f32 %x$, %x$, %y$, %x$", "fma.rn.f32 %y$, %y$, %x$, %y$"},
    [OPS_F64] = {"f64", STRAIGHT, 64, "fma.rn.f64 %x$, %x$, %y$, %x$", "fma.rn.f64 %y$, %y$, %x$, %y$"},
    [OPS_SFU] = {"sfu", STRAIGHT, 32, "ex2.approx.ftz.f32 %x$, %y$", "ex2.approx.ftz.f32 %y$, %x$"},
    [OPS_CVT] = {"cvt", STRAIGHT, 32, "cvt.rn.f32.s32 %x$, %y$", "cvt.rzi.s32.f32 %y$, %x$"},
    [OPS_SHUFFLE] = {"shuffle", STRAIGHT, 32, "shfl.sync.idx.b32 %x$, %y$, %y$, 31, 4294967295",
                     "shfl.sync.idx.b32 %y$, %x$, %x$, 31, 4294967295"},
    [OPS_BRANCH] = {"branch", BRANCHES, 32, NULL, NULL},
    [OPS_BARRIER] = {"barrier", ALONE, 32, "bar.sync 0", "bar.sync 0"},
};

// --- kernels ---------------------------------------------------------------------------------------------------------
static void put_op(Text *out, const char *op, int side)
{
    text_put(out, "    ");
    for (; *op; op++) {
        if (*op == '$')
            text_printf(out, "%d", side);
        else
            text_add(out, op, 1);
    }
    text_put(out, ";\n");
}

static void straight(Text *out, const Op *op, int length, int sides)
{
    for (int k = 0; k < length; k++)
        for (int s = 0; s < sides; s++) put_op(out, k % 2 ? op->even : op->odd, s);
}

// Branches that are never taken. No branch tells anything about the next one.
static void branches(Text *out, int length)
{
    text_put(out, "LOOP:\n");
    for (int k = 0; k < length / LOOPS; k++) text_printf(out, "    @%%q%d bra END;\n", k);
    text_printf(out, "    add.u32 %%n, %%n, 1;\n    setp.lt.u32 %%p, %%n, %d;\n    @%%p bra LOOP;\n", LOOPS);
}

// x and y begin with zero, which is loaded from memory, so that no compiler knows it.
static void begin(Text *out, const Op *op, int sides)
{
    const char *const load = op->bits == 64 ? "ld.global.f64" : "ld.global.u32", *const type =
                                                                                     op->bits == 64 ? ".f64" : ".b32";
    text_printf(
        out,
        "    .reg %s %%x<%d>, %%y<%d>;\n    .reg .b32 %%n, %%round, %%t0, %%t1, %%word, %%half, %%thread, %%warp;\n",
        type, SIDES, SIDES);
    text_put(out,
             "    .reg .b64 %memory, %out, %offset;\n    .reg .pred %p, %q<6>;\n    .shared .align 8 .b8 sink[8];\n"
             "    ld.param.u64 %memory, [memory];\n    ld.param.u64 %out, [out];\n    mov.u32 %thread, %tid.x;\n");
    for (int s = 0; s < sides; s++)
        text_printf(out, "    %s %%x%d, [%%memory+%d];\n    %s %%y%d, [%%memory+%d];\n", load, s, 16 * s, load, s,
                    16 * s + 8);
    for (int q = 0; q < 6 && op->body == BRANCHES; q++)
        text_printf(out, "    ld.global.u32 %%word, [%%memory+%d];\n    setp.ne.u32 %%q%d, %%word, 0;\n", 4 * q, q);
}

static void finish(Text *out, const Op *op, int sides)
{
    text_put(out, "END:\n    mov.u32 %word, 0;\n");
    for (int s = 0; s < 2 * sides; s++) {
        char x = s % 2 ? 'y' : 'x';
        if (op->bits == 64)
            text_printf(out,
                        "    mov.b64 {%%n, %%half}, %%%c%d;\n    xor.b32 %%word, %%word, %%n;\n    xor.b32 %%word, "
                        "%%word, %%half;\n",
                        x, s / 2);
        else
            text_printf(out, "    xor.b32 %%word, %%word, %%%c%d;\n", x, s / 2);
    }
    text_printf(out,
                "    mul.wide.u32 %%offset, %%thread, 4;\n    add.u64 %%offset, %%offset, %%out;\n    st.global.u32 "
                "[%%offset+%d], %%word;\n"
                "    and.b32 %%n, %%thread, 31;\n    setp.ne.u32 %%p, %%n, 0;\n    @%%p bra OVER;\n"
                "    shr.u32 %%warp, %%thread, 5;\n    mul.wide.u32 %%offset, %%warp, 8;\n    add.u64 %%out, %%out, "
                "%%offset;\n    st.global.u32 [%%out], %%t0;\n"
                "    st.global.u32 [%%out+4], %%t1;\n"
                "OVER:\n    ret;\n}\n",
                THREADS / 32 * 8);
}

// The chain runs twice, since at first it isn't in the instruction cache. Warps start together, with n at hand. Both
// clocks are read behind a store that waits for x, so that what issues with them is the same.
static void kernel(Text *out, const char *name, const Op *op, int length, int sides)
{
    const char *const keep = op->bits == 64 ? "    st.shared.f64 [sink], %x0;\n" : "    st.shared.u32 [sink], %x0;\n";
    text_printf(out, ".visible .entry %s(.param .u64 memory, .param .u64 out)\n{\n", name);
    begin(out, op, sides);
    text_printf(out,
                "    mov.u32 %%round, 0;\nAGAIN:\n    mov.u32 %%n, 0;\n    bar.sync 0;\n    bar.sync 0;\n%s    mov.u32 "
                "%%t0, %%clock;\n",
                keep);
    if (op->body == BRANCHES)
        branches(out, length);
    else
        straight(out, op, length, sides);
    text_printf(out,
                "%s    mov.u32 %%t1, %%clock;\n    add.u32 %%round, %%round, 1;\n    setp.lt.u32 %%p, %%round, 2;\n    "
                "@%%p bra AGAIN;\n",
                keep);
    finish(out, op, sides);
}

// --- times -----------------------------------------------------------------------------------------------------------
// From the first warp's start to the last one's end; the clock wraps.
static bool run_op(Bench *b, const char *name, uint32_t threads, double *cycles, Diag *diag)
{
    uint32_t t[THREADS / 32][2], first = 0, last = 0;
    const void *args[] = {&b->memory, &b->out};
    if (!bench_run(b, name, 1, threads, args, diag) || !bench_read(b, t, threads / 32 * sizeof *t, diag)) return false;
    for (uint32_t w = 0; w < threads / 32; w++)
        if ((int32_t)(t[w][0] - t[0][0]) < (int32_t)first) first = t[w][0] - t[0][0];
    for (uint32_t w = 0; w < threads / 32; w++) last = MAX(last, t[w][1] - t[0][0] - first);
    *cycles = last;
    return true;
}

// Cycles that CHAIN operations take: the least of some repeats, and the most.
static bool difference(Bench *b, const char *few, const char *many, uint32_t threads, double *least, double *most,
                       Diag *diag)
{
    *least = *most = 0;
    for (int r = 0; r < REPEATS; r++) {
        double shorter, longer;
        if (!run_op(b, few, threads, &shorter, diag) || !run_op(b, many, threads, &longer, diag)) return false;
        double d = longer - shorter;
        if (r && d >= *least && d <= *most) return true;
        *least = r ? MIN(*least, d) : d;
        *most = r ? MAX(*most, d) : d;
    }
    return true;
}

// The most of several numbers of warps: schedulers that prefer one warp to another leave some alone at the end.
static bool rate(Bench *b, int sides, Value *best, Diag *diag)
{
    double least, most;
    *best = undetermined("more operations took no more time");
    for (uint32_t threads = 128; threads <= THREADS; threads += 64) {
        double done = (double)threads * CHAIN * sides;
        if (!difference(b, "rate_short", "rate_long", threads, &least, &most, diag)) return false;
        if (least > 0 && (best->verdict != MEASURED || done / least > best->value))
            *best = measured(done / least, done / most, done / least);
    }
    return true;
}

static bool measure(oc_device *device, const Op *op, OpTiming *t, Diag *diag)
{
    Bench b;
    Text ptx = {0};
    Diag refused = {0};
    double least, most;
    *t = (OpTiming){.name = op->name};
    bench_begin(&ptx);
    kernel(&ptx, "chain_short", op, SHORT, 1);
    kernel(&ptx, "chain_long", op, SHORT + CHAIN, 1);
    kernel(&ptx, "rate_short", op, SHORT, op->body == STRAIGHT ? SIDES : 1);
    kernel(&ptx, "rate_long", op, SHORT + CHAIN, op->body == STRAIGHT ? SIDES : 1);
    bool ok = bench_open(&b, device, "ops.ptx", &ptx, 16 * SIDES, THREADS / 32 * 8 + THREADS * 4, &refused);
    text_free(&ptx);
    if (!ok && !b.module) {  // an operation that the device hasn't is no failure
        t->latency.why = t->rate.why = "the device refuses this operation";
        diag_free(&refused);
        return true;
    }
    ok = ok || diag_error(diag, "%s", refused.text.v);
    diag_free(&refused);
    ok = ok && difference(&b, "chain_short", "chain_long", 32, &least, &most, diag);
    if (ok)
        t->latency = least > 0 ? measured(least / CHAIN, least / CHAIN, most / CHAIN)
                               : undetermined("more operations took no more time");
    ok = ok && rate(&b, op->body == STRAIGHT ? SIDES : 1, &t->rate, diag);
    bench_close(&b);
    return ok;
}

bool ops_measure(oc_device *device, OpTiming timing[OPS_KINDS], Diag *diag)
{
    for (int k = 0; k < OPS_KINDS; k++)
        if (!measure(device, &ops[k], &timing[k], diag)) return false;
    return true;
}
