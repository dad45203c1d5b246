// throughput.c: measures bytes a second of the L2, of DRAM and of shared memory, by number of threads, number of blocks
// and coalescing (Mokhtari and Stumm, s-l1 §2.3, Fig. 5 and 6).
//
// Every thread keeps two loads of its own words under way. With two, both of the paper's saturation points come out:
// about 512 threads a block for the L2, and 480 for DRAM. The value of a load is always zero; it is added to the next
// address, so that no compiler moves or removes the load. A point is the difference of a long launch and a short one,
// so that the costs of launching, starting and ending cancel out.
//
// In n-way coalesced loads, each n threads of a warp read words of one 128-byte segment (§2.1). For the L2, the same
// words are read again and again, past any L1. For DRAM, no word is read again before eight times what the L2 holds was
// read. The bytes that are counted as moved are whole 32-byte sectors, computed from the pattern.
//
// What limits: if throughput grows with the number of blocks, each of which is on an SM of its own, the limit is the
// SM's. If more blocks bring no more, it is the memory's.
#include "probe/measure.h"

#include <math.h>
#include <string.h>

enum { LANES = 32, LOADS = 2, SEGMENT = 128, SECTOR = 32, SHORT = 4, LONG = 12 };

// --- kernels ---------------------------------------------------------------------------------------------------------
// A load of a warp reads from 32 / ways segments of its own. For the L2, a segment may have room for the words of 2 or
// 4 loads (log2: `parts`), and a load reads one such part: the first `each` loads read the first parts, the next loads
// the next parts. So the words take no more room in the L2 than the sectors in which they lie, and the words of
// neighbouring loads lie in different slices.
static void global_kernel(Text *out)
{
    text_put(out, ".visible .entry stream(.param .u64 memory, .param .u32 ways, .param .u32 parts, .param .u32 each, "
                  ".param .u64 step, .param .u32 rounds, .param .u64 out)\n{\n"
                  "    .reg .pred %p;\n    .reg .b32 %n, %d, %q, %each, %lane, %warp, %warps, %t, %mask, %segment, "
                  "%at, %x, %y;\n    .reg .b64 %memory, %step, %out, %a, %b, %wx, %wy;\n"
                  "    ld.param.u64 %memory, [memory];\n    ld.param.u32 %d, [ways];\n    ld.param.u32 %q, [parts];\n  "
                  "  ld.param.u32 %each, [each];\n"
                  "    ld.param.u64 %step, [step];\n    ld.param.u32 %n, [rounds];\n"
                  "    mov.u32 %t, %tid.x;\n    and.b32 %lane, %t, 31;\n    mov.u32 %warp, %ntid.x;\n    shr.u32 "
                  "%warp, %warp, 5;\n    mov.u32 %warps, %nctaid.x;\n"
                  "    mul.lo.u32 %warps, %warps, %warp;\n"
                  "    mov.u32 %x, %ctaid.x;\n    mul.lo.u32 %warp, %warp, %x;\n    shr.u32 %t, %t, 5;\n    add.u32 "
                  "%warp, %warp, %t;\n");
    for (int l = 0; l < LOADS; l++) {
        text_put(out, "    rem.u32 %segment, %warp, %each;\n    sub.u32 %t, 5, %d;\n    shl.b32 %segment, %segment, "
                      "%t;\n    shr.u32 %t, %lane, %d;\n    add.u32 %segment, %segment, %t;\n"
                      "    div.u32 %at, %warp, %each;\n    sub.u32 %t, 7, %q;\n    shl.b32 %at, %at, %t;\n"
                      "    mov.u32 %mask, 1;\n    shl.b32 %mask, %mask, %d;\n    sub.u32 %mask, %mask, 1;\n    and.b32 "
                      "%t, %lane, %mask;\n    shl.b32 %t, %t, 2;\n"
                      "    add.u32 %at, %at, %t;\n");
        const char a = (char)('a' + l);
        text_printf(out,
                    "    mul.wide.u32 %%%c, %%segment, %d;\n    cvt.u64.u32 %%wx, %%at;\n    add.u64 %%%c, %%%c, "
                    "%%wx;\n    add.u64 %%%c, %%%c, %%memory;\n",
                    a, SEGMENT, a, a, a, a);
        text_put(out, "    add.u32 %warp, %warp, %warps;\n");
    }
    text_put(out, "    ld.global.cg.u32 %x, [%a];\n    add.u64 %a, %a, %step;\n    ld.global.cg.u32 %y, [%b];\n    "
                  "add.u64 %b, %b, %step;\n"
                  "LOOP:\n    sub.u32 %n, %n, 1;\n    setp.ne.u32 %p, %n, 0;\n"
                  "    cvt.u64.u32 %wx, %x;\n    add.u64 %a, %a, %wx;\n    ld.global.cg.u32 %x, [%a];\n    add.u64 %a, "
                  "%a, %step;\n"
                  "    cvt.u64.u32 %wy, %y;\n    add.u64 %b, %b, %wy;\n    ld.global.cg.u32 %y, [%b];\n    add.u64 %b, "
                  "%b, %step;\n    @%p bra LOOP;\n"
                  "    or.b32 %x, %x, %y;\n    setp.eq.u32 %p, %x, 0;\n    @%p bra END;\n    ld.param.u64 %out, "
                  "[out];\n    st.global.u32 [%out], %x;\nEND:\n    ret;\n}\n");
}

static void shared_kernel(Text *out)
{
    text_printf(out,
                ".visible .entry shared(.param .u32 rounds, .param .u64 out)\n{\n    .reg .pred %%p;\n    .reg .b32 "
                "%%n, %%a, %%b, %%x, %%y;\n    .reg .b64 %%out;\n"
                "    .shared .align 16 .b8 memory[%d];\n"
                "    ld.param.u32 %%n, [rounds];\n    mov.u32 %%x, %%tid.x;\n    shl.b32 %%x, %%x, 2;\n    mov.u32 "
                "%%a, memory;\n    add.u32 %%a, %%a, %%x;\n    add.u32 %%b, %%a, %d;\n"
                "    mov.u32 %%x, 0;\n    st.shared.u32 [%%a], %%x;\n    st.shared.u32 [%%b], %%x;\n    bar.sync 0;\n"
                "    ld.shared.u32 %%x, [%%a];\n    ld.shared.u32 %%y, [%%b];\n"
                "LOOP:\n    sub.u32 %%n, %%n, 1;\n    setp.ne.u32 %%p, %%n, 0;\n    add.u32 %%a, %%a, %%x;\n    "
                "ld.shared.u32 %%x, [%%a];\n    add.u32 %%b, %%b, %%y;\n"
                "    ld.shared.u32 %%y, [%%b];\n    @%%p bra LOOP;\n"
                "    or.b32 %%x, %%x, %%y;\n    setp.eq.u32 %%p, %%x, 0;\n    @%%p bra END;\n    ld.param.u64 %%out, "
                "[out];\n    st.global.u32 [%%out], %%x;\nEND:\n    ret;\n}\n",
                2 * 4 * FLOW_THREADS, 4 * FLOW_THREADS);
}

// --- points ----------------------------------------------------------------------------------------------------------
static uint32_t log2_of(uint32_t x) { return 31u - (uint32_t)__builtin_clz(x); }
static uint32_t sectors_of(uint32_t ways) { return MAX(1u, ways * 4 / SECTOR); }  // of a segment

static uint32_t parts_of(const FlowPoint *p)
{
    return p->kind == FLOW_L2 ? 4 / sectors_of(p->ways) : 1;
}  // loads that share a segment

bool flow_open(Flow *f, oc_device *device, Diag *diag)
{
    Text ptx = {0};
    oc_device_info info = oc_describe(device);
    *f = (Flow){.l2_bytes = info.l2_bytes, .cursor = info.l2_bytes, .real = info.real, .sms = info.sms};
    // The L2's words; then eight times as many, and enough that the largest launch of 1-way coalesced loads reads
    // nothing twice.
    uint64_t largest = (uint64_t)info.sms * FLOW_THREADS / LANES * LOADS * LANES * SEGMENT * 2 * LONG;
    uint64_t span = MIN(info.l2_bytes + MAX(8 * info.l2_bytes, largest), info.memory / 2) / SEGMENT * SEGMENT;
    bench_begin(&ptx);
    global_kernel(&ptx);
    shared_kernel(&ptx);
    bool ok = bench_open(&f->bench, device, "throughput.ptx", &ptx, span, 4, diag);
    text_free(&ptx);
    return ok;
}

void flow_close(Flow *f) { bench_close(&f->bench); }

static bool launch(Flow *f, const FlowPoint *p, uint32_t rounds, double *seconds, Diag *diag)
{
    // L2: 128-byte segments are shared by as many loads as there are parts. DRAM: a segment of one's own each time.
    uint32_t ways = log2_of(p->ways), parts = log2_of(parts_of(p));
    uint32_t loads = p->blocks * p->threads / LANES * LOADS, each = (loads + (1u << parts) - 1) >> parts;
    uint64_t round = (uint64_t)loads * (LANES / p->ways) * SEGMENT, step = p->kind == FLOW_L2 ? 0 : round,
             bytes = round * (step ? rounds + 1 : 1);
    if (f->cursor + bytes > f->bench.bytes) f->cursor = f->l2_bytes;  // what is below is the L2's
    oc_ptr from = f->bench.memory + (p->kind == FLOW_DRAM ? f->cursor : 0);
    const void *args[] = {&from, &ways, &parts, &each, &step, &rounds, &f->bench.out},
               *shared_args[] = {&rounds, &f->bench.out};
    bool shared = p->kind == FLOW_SHARED;
    if (!bench_run(&f->bench, shared ? "shared" : "stream", p->blocks, p->threads, shared ? shared_args : args, diag))
        return false;
    if (p->kind == FLOW_DRAM) f->cursor += bytes;
    *seconds = f->bench.seconds;
    return true;
}

// Why a point can't be measured, or null.
static const char *why_not(const Flow *f, const FlowPoint *p, uint32_t rounds)
{
    uint64_t loads = (uint64_t)p->blocks * p->threads / LANES * LOADS, segments = LANES / p->ways;
    if (p->kind == FLOW_L2 && ((loads + parts_of(p) - 1) / parts_of(p)) * segments * SEGMENT > f->bench.bytes)
        return "the device's memory is too small for so many threads";
    if (p->kind == FLOW_L2 && loads * segments * sectors_of(p->ways) * SECTOR > f->l2_bytes * 3 / 4)
        return "the words of so many threads don't fit the L2";
    if (p->kind == FLOW_DRAM && loads * segments * SEGMENT * (rounds + 1) + f->l2_bytes > f->bench.bytes)
        return "the device's memory is too small for so many threads";
    return NULL;
}

bool flow_point(Flow *f, FlowPoint *p, Diag *diag)
{
    // A real GPU's events have a resolution of half a microsecond, so there the difference should be at least 200.
    const double enough = f->real ? 200e-6 : 0;
    double took = 0, shorter, longer;
    p->useful = p->moved = 0;
    if ((p->why = why_not(f, p, LONG))) return true;
    if (p->kind == FLOW_L2 && !launch(f, p, 1, &shorter, diag)) return false;  // brings the words into the L2
    for (uint32_t times = 1;; times *= 2) {
        if (!launch(f, p, SHORT * times, &shorter, diag) || !launch(f, p, LONG * times, &longer, diag)) return false;
        took = (longer - shorter) / times;
        if (longer - shorter >= enough || times >= 1u << 16 || why_not(f, p, LONG * times * 2)) break;
    }
    if (took <= 0) return p->why = "a run with more loads took no more time", true;
    double loads = (double)p->blocks * p->threads / LANES * LOADS * (LONG - SHORT);
    p->useful = loads * LANES * 4 / took / 1e9;
    p->moved =
        p->kind == FLOW_SHARED ? p->useful : loads * (LANES / p->ways) * sectors_of(p->ways) * SECTOR / took / 1e9;
    return true;
}

// --- what a curve says -----------------------------------------------------------------------------------------------
// The sum of squares that y = peak × min(x / at, 1) leaves, with the best peak.
static double misfit(const double *x, const double *y, size_t n, double at, double *peak)
{
    double fy = 0, ff = 0, squares = 0;
    for (size_t k = 0; k < n; k++) {
        double f = MIN(x[k] / at, 1);
        fy += f * y[k], ff += f * f;
    }
    *peak = fy / ff;
    for (size_t k = 0; k < n; k++) {
        double off = y[k] - *peak * MIN(x[k] / at, 1);
        squares += off * off;
    }
    return squares;
}

Knee knee_fit(const double *x, const double *y, size_t n)
{
    enum { STEPS = 2000 };
    Knee k = {.at = undetermined("too few points"), .peak = undetermined("too few points")};
    if (n < 4) return k;
    double first = x[0], last = x[n - 1], best = INFINITY, at = last, low = INFINITY, high = 0, peak;
    for (int s = 0; s <= STEPS; s++) {
        double try = first + (last - first) * s / STEPS, squares = misfit(x, y, n, try, &peak);
        if (squares < best) best = squares, at = try;
    }
    // The interval: all saturation points that the likelihood ratio doesn't rule out. Errors below a thousandth of what
    // is measured count as rounding.
    double sum = 0, t = student_t(0.95, (uint32_t)n - 2);
    for (size_t p = 0; p < n; p++) sum += y[p] * y[p];
    double most = MAX(best, 1e-6 * sum) * (1 + t * t / (double)(n - 2));
    for (int s = 0; s <= STEPS; s++) {
        double try = first + (last - first) * s / STEPS;
        if (misfit(x, y, n, try, &peak) <= most) low = MIN(low, try), high = MAX(high, try);
    }
    misfit(x, y, n, at, &peak);
    k.slope = peak / at;
    k.residual = sqrt(best / sum);
    // The peak is the mean of the points behind the saturation. There must be at least two of them, or the curve may
    // still grow.
    double mean = 0, squares = 0, m = 0;
    for (size_t p = 0; p < n; p++) mean += x[p] >= at ? y[p] : 0, m += x[p] >= at;
    if (m < 2 || high >= last) {
        k.at = k.peak = undetermined("throughput still grows at the last points");
        return k;
    }
    mean /= m;
    for (size_t p = 0; p < n; p++) squares += x[p] >= at ? (y[p] - mean) * (y[p] - mean) : 0;
    double half = student_t(0.95, (uint32_t)m - 1) * sqrt(squares / (m - 1) / m);
    k.peak = measured(mean, mean - half, mean + half);
    k.at = low <= first ? undetermined("throughput doesn't grow after the first point") : measured(at, low, high);
    return k;
}

static void fit_curve(FlowCurve *c)
{
    double x[FLOW_POINTS], y[FLOW_POINTS];
    size_t n = 0;
    for (size_t k = 0; k < c->n; k++)
        if (!c->points[k].why)
            x[n] = c->along_blocks ? c->points[k].blocks : c->points[k].threads, y[n++] = c->points[k].moved;
    c->knee = knee_fit(x, y, n);
}

// Is the last point of a curve along blocks in proportion to its first?
static bool grows_to_the_end(const FlowCurve *c)
{
    const FlowPoint *first = &c->points[0], *last = &c->points[c->n - 1];
    return !first->why && !last->why && last->moved / last->blocks >= 0.9 * first->moved / first->blocks;
}

// along: the curve along blocks of the same kind and ways, with full blocks; may be null.
static void find_limit(FlowCurve *c, const FlowCurve *along)
{
    uint32_t blocks = c->along_blocks ? c->points[c->n - 1].blocks : c->points[0].blocks;
    const Value *at = along ? &along->knee.at : NULL;
    c->limit = LIMIT_UNKNOWN;
    if (!c->along_blocks && c->knee.peak.verdict != MEASURED)
        c->limit = LIMIT_THREADS, c->why = "throughput still grows with more threads";
    else if (!along)
        c->why = "it wasn't measured by the number of blocks";
    else if (at->verdict == MEASURED && blocks <= at->low)
        c->limit = LIMIT_SM, c->why = "throughput still grows with more blocks";
    else if (at->verdict == MEASURED && blocks >= at->high)
        c->limit = LIMIT_MEMORY, c->why = "more blocks bring no more";
    else if (at->verdict == MEASURED)
        c->why = "the memory's limit begins at about this many blocks";
    else if (grows_to_the_end(along))
        c->limit = LIMIT_SM, c->why = "each further block brings as much";
    else
        c->why = "throughput grows with the number of blocks, but less than in proportion";
}

// --- the experiment --------------------------------------------------------------------------------------------------
static bool measure_curve(Flow *f, FlowCurve *c, FlowKind kind, uint32_t ways, uint32_t blocks, uint32_t points,
                          Diag *diag)
{
    *c = (FlowCurve){.kind = kind, .ways = ways, .along_blocks = !blocks, .n = blocks ? points : MIN(f->sms, points)};
    for (uint32_t k = 0; k < c->n; k++) {
        FlowPoint *p = &c->points[k];
        *p = (FlowPoint){.kind = kind, .ways = ways, .threads = FLOW_THREADS, .blocks = blocks};
        if (blocks)
            p->threads = FLOW_THREADS * (k + 1) / points / LANES * LANES;
        else
            p->blocks = c->n > 1 ? 1 + (f->sms - 1) * k / ((uint32_t)c->n - 1) : 1;
        if (!flow_point(f, p, diag)) return false;
    }
    fit_curve(c);
    return true;
}

// Measures a curve along blocks; and curves along threads for one block, for as many blocks as there are SMs, and, with
// the paper's coalescing, for some numbers in between.
static bool measure_ways(Flow *f, Throughput *t, FlowKind kind, uint32_t ways, uint32_t points, Diag *diag)
{
    uint32_t curves = ways == 4 ? MIN(f->sms, 5u) : MIN(f->sms, 2u);
    FlowCurve c;
    if (!measure_curve(f, &c, kind, ways, 0, kind == FLOW_SHARED ? MIN(points, 4u) : points, diag)) return false;
    size_t along = t->curves.n;
    find_limit(&c, &c);
    vec_push(&t->curves, c);
    for (uint32_t k = 0; k < curves; k++) {
        if (!measure_curve(f, &c, kind, ways, curves > 1 ? 1 + (f->sms - 1) * k / (curves - 1) : 1, points, diag))
            return false;
        find_limit(&c, &t->curves.v[along]);
        vec_push(&t->curves, c);
    }
    return true;
}

bool throughput_measure(oc_device *device, double scale, Bound *bound, Throughput *t, Diag *diag)
{
    static const uint32_t ways[] = {4, 1, 2, 8, 32};  // the paper's first
    uint32_t points = scale >= 1 ? FLOW_POINTS : (uint32_t)MAX(8, scale * FLOW_POINTS);
    Flow f;
    *t = (Throughput){0};
    bool ok = flow_open(&f, device, diag);
    f.bench.bound = bound;
    for (size_t w = 0; ok && w < (scale < 0.5 ? 1 : COUNT(ways)); w++)
        ok = measure_ways(&f, t, FLOW_L2, ways[w], points, diag) &&
             measure_ways(&f, t, FLOW_DRAM, ways[w], points, diag);
    ok = ok && measure_ways(&f, t, FLOW_SHARED, 32, points, diag);
    flow_close(&f);
    return ok;
}

void throughput_free(Throughput *t) { vec_free(&t->curves); }
