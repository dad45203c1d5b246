// chase.c: fine-grained pointer chasing (Mei et al., §3.2). One thread loads address after address; between reading the
// clock twice there is one load and a store of its value to shared memory, which waits for it. The loaded value, always
// zero, is added to the next address, so that no load starts before the one before is there and no compiler can tell.
// The list of walks is copied to shared memory first, and latencies stay there until the end: while the sequence runs,
// nothing else uses a cache or a TLB.
#include "probe/probe.h"

#include <string.h>

static const char *const loads[CHASE_KINDS] = {"ld.global.ca.u32", "ld.global.cg.u32", "ld.global.nc.u32"};

// A walk on the device: start, stride, and count with the highest bit for timed ones.
typedef struct DeviceWalk {
    uint64_t start;
    int32_t stride;
    uint32_t count;
} DeviceWalk;

static void kernel(const char *load, Text *out)
{
    text_printf(out,
        ".version 6.0\n.target sm_35\n.address_size 64\n"
        ".visible .entry chase(.param .u64 memory, .param .u64 list, .param .u32 walks, .param .u64 out)\n{\n"
        "    .reg .pred %%p, %%timed;\n    .reg .b32 %%n, %%k, %%at, %%count, %%stride, %%x, %%t0, %%t1, %%w, %%done, %%v, %%zero;\n"
        "    .reg .b64 %%memory, %%list, %%out, %%a, %%step, %%wide;\n"
        "    .shared .align 16 .b8 todo[%d];\n    .shared .align 4 .b8 took[%d];\n    .shared .align 4 .u32 sink;\n"
        "    ld.param.u64 %%memory, [memory];\n    ld.param.u64 %%list, [list];\n    ld.param.u32 %%n, [walks];\n    ld.param.u64 %%out, [out];\n"
        // the list: 16 bytes a walk
        "    mov.u32 %%k, 0;\n    mov.u32 %%w, todo;\n    shl.b32 %%count, %%n, 2;\n"
        "COPY:\n    setp.ge.u32 %%p, %%k, %%count;\n    @%%p bra COPIED;\n"
        "    ld.global.cg.u32 %%x, [%%list];\n    st.shared.u32 [%%w], %%x;\n    add.u64 %%list, %%list, 4;\n    add.u32 %%w, %%w, 4;\n    add.u32 %%k, %%k, 1;\n    bra COPY;\n"
        "COPIED:\n    mov.u32 %%w, todo;\n    mov.u32 %%at, took;\n    mov.u32 %%k, 0;\n    mov.u32 %%done, 0;\n    mov.u32 %%zero, 0;\n"
        "WALK:\n    setp.ge.u32 %%p, %%k, %%n;\n    @%%p bra END;\n"
        "    ld.shared.u64 %%a, [%%w];\n    ld.shared.u32 %%stride, [%%w+8];\n    ld.shared.u32 %%count, [%%w+12];\n"
        "    add.u64 %%a, %%a, %%memory;\n    cvt.s64.s32 %%step, %%stride;\n    setp.lt.s32 %%timed, %%count, 0;\n    and.b32 %%count, %%count, 2147483647;\n"
        "    @%%timed bra TIMED;\n"
        "FREE:\n    cvt.u64.u32 %%wide, %%zero;\n    add.u64 %%wide, %%a, %%wide;\n    %s %%zero, [%%wide];\n    st.shared.u32 [sink], %%zero;\n"
        "    add.u64 %%a, %%a, %%step;\n    sub.u32 %%count, %%count, 1;\n    setp.ne.u32 %%p, %%count, 0;\n    @%%p bra FREE;\n    bra NEXT;\n"
        // the clock is read when the address is there
        "TIMED:\n    cvt.u64.u32 %%wide, %%zero;\n    add.u64 %%wide, %%a, %%wide;\n    cvt.u32.u64 %%x, %%wide;\n    st.shared.u32 [sink], %%x;\n"
        "    mov.u32 %%t0, %%clock;\n    %s %%zero, [%%wide];\n    st.shared.u32 [sink], %%zero;\n    mov.u32 %%t1, %%clock;\n"
        "    sub.u32 %%v, %%t1, %%t0;\n    st.shared.u32 [%%at], %%v;\n    add.u32 %%at, %%at, 4;\n    add.u32 %%done, %%done, 1;\n"
        "    add.u64 %%a, %%a, %%step;\n    sub.u32 %%count, %%count, 1;\n    setp.ne.u32 %%p, %%count, 0;\n    @%%p bra TIMED;\n"
        "NEXT:\n    add.u32 %%w, %%w, 16;\n    add.u32 %%k, %%k, 1;\n    bra WALK;\n"
        "END:\n    mov.u32 %%at, took;\n    mov.u32 %%k, 0;\n"
        "GIVE:\n    setp.ge.u32 %%p, %%k, %%done;\n    @%%p bra OVER;\n    ld.shared.u32 %%v, [%%at];\n    st.global.u32 [%%out], %%v;\n"
        "    add.u32 %%at, %%at, 4;\n    add.u64 %%out, %%out, 4;\n    add.u32 %%k, %%k, 1;\n    bra GIVE;\n"
        "OVER:\n    ret;\n}\n"
        // The timer: a load (A), a load and arithmetic on its value (B), the arithmetic alone (C). B - C is the load's latency,
        // and A less that is what the clock and the store cost. The load hits after the first time.
        ".visible .entry timer(.param .u64 memory, .param .u64 out)\n{\n"
        "    .reg .b32 %%k, %%t0, %%t1, %%a, %%b, %%c, %%zero;\n    .reg .b64 %%memory, %%out, %%wide;\n    .reg .pred %%p;\n    .shared .align 4 .u32 sink;\n"
        "    ld.param.u64 %%memory, [memory];\n    ld.param.u64 %%out, [out];\n    mov.u32 %%k, 0;\n    mov.u32 %%zero, 0;\n"
        "AGAIN:\n    st.shared.u32 [sink], %%zero;\n    mov.u32 %%t0, %%clock;\n    %s %%zero, [%%memory];\n    st.shared.u32 [sink], %%zero;\n    mov.u32 %%t1, %%clock;\n    sub.u32 %%a, %%t1, %%t0;\n"
        "    st.shared.u32 [sink], %%a;\n    mov.u32 %%t0, %%clock;\n    %s %%zero, [%%memory];\n    mad.lo.u32 %%zero, %%zero, %%zero, %%zero;\n    st.shared.u32 [sink], %%zero;\n    mov.u32 %%t1, %%clock;\n"
        "    sub.u32 %%b, %%t1, %%t0;\n"
        "    st.shared.u32 [sink], %%b;\n    mov.u32 %%t0, %%clock;\n    mad.lo.u32 %%zero, %%zero, %%zero, %%zero;\n    st.shared.u32 [sink], %%zero;\n    mov.u32 %%t1, %%clock;\n    sub.u32 %%c, %%t1, %%t0;\n"
        "    add.u32 %%k, %%k, 1;\n    setp.lt.u32 %%p, %%k, 4;\n    @%%p bra AGAIN;\n"
        "    st.global.u32 [%%out], %%a;\n    st.global.u32 [%%out+4], %%b;\n    st.global.u32 [%%out+8], %%c;\n    ret;\n}\n",
        16 * CHASE_WALKS, 4 * CHASE_TIMED, load, load, load, load);
}

static bool failed(const Chase *c, Diag *diag) { return diag_error(diag, "%s", oc_error(c->device)); }

// Of the first kind that the device has: the clock's cost isn't the load's.
static bool measure_timer(Chase *c, Diag *diag)
{
    uint32_t t[3];
    oc_kernel *k;
    oc_dim3 one = {1, 1, 1};
    const void *args[] = {&c->memory, &c->out};
    int kind = 0;
    while (!c->module[kind]) kind++;
    if (oc_kernel_get(c->module[kind], "timer", &k) != OC_OK || oc_launch(k, one, one, 0, NULL, args) != OC_OK || oc_read(c->device, t, c->out, sizeof t, NULL) != OC_OK)
        return failed(c, diag);
    uint32_t load = t[1] - t[2];
    if (t[1] <= t[2] || t[0] < load) return diag_error(diag, "the clock can't be trusted: a load took %u cycles, with arithmetic %u, arithmetic alone %u", t[0], t[1], t[2]);
    c->overhead = t[0] - load;
    return true;
}

bool chase_open(Chase *c, oc_device *device, uint64_t span, Diag *diag)
{
    *c = (Chase){.device = device, .span = span};
    if (oc_malloc(device, span, "chased", &c->memory) != OC_OK || oc_malloc(device, sizeof(DeviceWalk) * CHASE_WALKS, "walks", &c->list) != OC_OK ||
        oc_malloc(device, 4 * CHASE_TIMED, "latencies", &c->out) != OC_OK)
        return failed(c, diag);
    // A simulated device's memory is zero, and stays unmapped on the host until it is used.
    if (oc_describe(device).real && oc_fill(device, c->memory, 0, span, NULL) != OC_OK) return failed(c, diag);
    bool any = false;
    for (int k = 0; k < CHASE_KINDS; k++) {
        Text t = {0};
        kernel(loads[k], &t);
        if (oc_load(device, t.v, t.n, "chase.ptx", &c->module[k]) != OC_OK) c->module[k] = NULL;
        any |= c->module[k] != NULL;
        text_free(&t);
    }
    return (any || failed(c, diag)) && measure_timer(c, diag);
}

void chase_close(Chase *c)
{
    for (int k = 0; k < CHASE_KINDS; k++)
        if (c->module[k]) oc_unload(c->module[k]);
    if (c->memory) oc_free(c->device, c->memory);
    if (c->list) oc_free(c->device, c->list);
    if (c->out) oc_free(c->device, c->out);
    *c = (Chase){.device = NULL};
}

bool chase_run(Chase *c, ChaseKind kind, const Walk *walks, size_t n, uint32_t *latency, Diag *diag)
{
    static const char *const names[] = {"global loads", "loads past the L1", "read-only loads"};
    oc_kernel *k;
    size_t timed = 0;
    uint32_t count = (uint32_t)n;
    if (!c->module[kind]) return diag_error(diag, "this device has no %s", names[kind]);
    if (n > CHASE_WALKS) return diag_error(diag, "a sequence has at most %d walks", CHASE_WALKS);
    DeviceWalk *list = mem_alloc(sizeof *list * (n + 1));
    for (size_t w = 0; w < n; w++) {
        timed += walks[w].timed ? walks[w].count : 0;
        c->loads += walks[w].count;
        list[w] = (DeviceWalk){walks[w].start, walks[w].stride, walks[w].count | (walks[w].timed ? 1u << 31 : 0)};
    }
    bool ok = timed <= CHASE_TIMED || diag_error(diag, "a sequence times at most %d loads", CHASE_TIMED);
    const void *args[] = {&c->memory, &c->list, &count, &c->out};
    oc_dim3 one = {1, 1, 1};
    ok = ok && ((oc_write(c->device, c->list, list, sizeof *list * n, NULL) == OC_OK && oc_kernel_get(c->module[kind], "chase", &k) == OC_OK &&
                 oc_launch(k, one, one, 0, NULL, args) == OC_OK && (!timed || oc_read(c->device, latency, c->out, 4 * timed, NULL) == OC_OK)) || failed(c, diag));
    for (size_t t = 0; ok && t < timed; t++) latency[t] -= MIN(latency[t], c->overhead);
    mem_free(list);
    return ok;
}
