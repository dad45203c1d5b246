// halves.c: an L2 may have a nearer and a farther half. Then the latencies of an SM's hits fall into two groups. Each
// SM is asked.
#include "probe/infer.h"
#include "probe/measure.h"

#include <math.h>
#include <stdlib.h>

enum { SPOTS = 16, FEW = 1, MANY = 4 };

// A thread of the SM `target` chases a pointer to itself on each of SPOTS lines. Two chains differ by MANY loads, so
// their times differ by as many latencies.
static void kernel(Text *out)
{
    bench_begin(out);
    text_put(out, ".visible .entry spots(.param .u64 memory, .param .u64 out, .param .u32 target, .param .u32 "
                  "spots)\n{\n    .reg .pred %p;\n"
                  "    .reg .b32 %sm, %n, %k, %t, %t0, %t1, %t2;\n    .reg .b64 %memory, %out, %a, %b;\n    .shared "
                  ".align 8 .u64 sink;\n"
                  "    mov.u32 %sm, %smid;\n    ld.param.u32 %n, [target];\n    setp.ne.u32 %p, %sm, %n;\n    @%p bra "
                  "END;\n    ld.param.u64 %out, [out];\n"
                  "    atom.global.exch.b32 %t, [%out], 1;\n    setp.ne.u32 %p, %t, 0;\n    @%p bra END;\n"
                  "    ld.param.u64 %memory, [memory];\n    ld.param.u32 %n, [spots];\n    mov.u32 %k, 0;\n"
                  "NEXT:\n    st.volatile.global.u64 [%memory], %memory;\n    membar.gl;\n    mov.u64 %a, %memory;\n   "
                  " ld.global.cg.u64 %a, [%a];\n    ld.global.cg.u64 %a, [%a];\n"
                  "    st.shared.u64 [sink], %a;\n    mov.u32 %t0, %clock;\n");
    for (int k = 0; k < FEW; k++) text_put(out, "    ld.global.cg.u64 %a, [%a];\n");
    text_put(out, "    st.shared.u64 [sink], %a;\n    mov.u32 %t1, %clock;\n");
    for (int k = 0; k < FEW + MANY; k++) text_put(out, "    ld.global.cg.u64 %a, [%a];\n");
    text_put(out, "    st.shared.u64 [sink], %a;\n    mov.u32 %t2, %clock;\n    sub.u32 %t2, %t2, %t1;\n    sub.u32 "
                  "%t1, %t1, %t0;\n    sub.u32 %t2, %t2, %t1;\n"
                  "    add.u64 %out, %out, 4;\n    st.global.u32 [%out], %t2;\n    add.u64 %memory, %memory, 4096;\n   "
                  " add.u32 %k, %k, 1;\n    setp.lt.u32 %p, %k, %n;\n    @%p bra NEXT;\n"
                  "END:\n    ret;\n}\n");
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// There are two groups if the widest gap between neighbouring values is wider than each group.
static SmHits hits_of(uint32_t sm, const uint32_t *took)
{
    double v[SPOTS], gap = 0;
    size_t at = 0;
    for (int k = 0; k < SPOTS; k++) v[k] = took[k] / (double)MANY;
    SmHits h = {.sm = sm, .first = v[0]};
    qsort(v, SPOTS, sizeof *v, compare);
    for (size_t k = SPOTS / 8; k < SPOTS - SPOTS / 8; k++)
        if (v[k] - v[k - 1] > gap) gap = v[k] - v[k - 1], at = k;
    bool two = gap > 0.1 * v[0] && gap > v[at - 1] - v[0] && gap > v[SPOTS - SPOTS / 8] - v[at];
    h.low = two ? v[at / 2] : v[SPOTS / 2], h.high = two ? v[(at + SPOTS) / 2] : h.low;
    return h;
}

bool l2_halves(oc_device *device, Bound *bound, FoundL2 *out, Diag *diag)
{
    Bench b;
    Text ptx = {0};
    uint32_t sms = oc_describe(device).sms, took[1 + SPOTS], spots = SPOTS;
    double near[2] = {INFINITY, 0}, far[2] = {INFINITY, 0}, sum[2] = {0};
    kernel(&ptx);
    bool ok = bench_open(&b, device, "l2.ptx", &ptx, SPOTS * 4096, sizeof took, diag);
    text_free(&ptx);
    b.bound = bound;
    for (uint32_t sm = 0; ok && sm < sms; sm++) {
        const void *args[] = {&b.memory, &b.out, &sm, &spots};
        ok = bench_clear(&b, diag) && bench_run(&b, "spots", sms, 1, args, diag) &&
             bench_read(&b, took, sizeof took, diag);
        if (!ok || !took[0]) continue;  // no SM has this number
        SmHits h = hits_of(sm, took + 1);
        vec_push(&out->sm, h);
        near[0] = MIN(near[0], h.low), near[1] = MAX(near[1], h.low), sum[0] += h.low;
        far[0] = MIN(far[0], h.high), far[1] = MAX(far[1], h.high), sum[1] += h.high;
    }
    bench_close(&b);
    if (ok && out->sm.n && far[0] > near[1]) {
        out->near = measured(sum[0] / (double)out->sm.n, near[0], near[1]);
        out->far = measured(sum[1] / (double)out->sm.n, far[0], far[1]);
    }
    if (!ok && bound && bound->spent) out->near = out->far = undetermined(bound_why);
    return ok;
}
