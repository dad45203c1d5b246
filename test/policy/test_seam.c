// The seam between an SM and its policy: what a policy is told agrees with what is counted, what it decides happens,
// and a scheduler that knows the cache fits through it.
#include "check.h"
#include "device/device.h"
#include "seam.h"

#include <string.h>

enum { WARPS = 24, LINES = 8, ROUNDS = 24 };

// 24 warps of an SM, each of which reads 8 lines of its own again and again: 24 KiB in an L1 of 16 KiB, though six
// warps' lines would fit with room to spare. Lane 0 writes the sum.
static const char kernel_text[] = ".version 7.0\n.target sm_35\n.address_size 64\n"
                                  ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
                                  ".reg .b64 %o, %i, %a, %x;\n.reg .b32 %t, %w, %n, %v, %s, %k;\n.reg .pred %p, %q;\n"
                                  "ld.param.u64 %o, [out];\nld.param.u64 %i, [in];\nmov.u32 %t, %tid.x;\n"
                                  "shr.u32 %w, %t, 5;\nmul.wide.u32 %x, %w, 1024;\nadd.u64 %i, %i, %x;\n"
                                  "and.b32 %k, %t, 31;\nmul.wide.u32 %x, %k, 4;\nadd.u64 %i, %i, %x;\n"
                                  "mov.u32 %n, 0;\nmov.u32 %s, 0;\n"
                                  "R:\nmov.u64 %a, %i;\nmov.u32 %k, 0;\n"
                                  "L:\nld.global.u32 %v, [%a];\nadd.u32 %s, %s, %v;\nadd.u64 %a, %a, 128;\n"
                                  "add.u32 %k, %k, 1;\nsetp.lt.u32 %q, %k, 8;\n@%q bra L;\n"
                                  "add.u32 %n, %n, 1;\nsetp.lt.u32 %p, %n, 24;\n@%p bra R;\n"
                                  "mul.wide.u32 %x, %t, 4;\nadd.u64 %o, %o, %x;\nst.global.u32 [%o], %s;\nret;\n}\n";

// Runs it on one SM with a policy; null: the description's own.
static const char *more;  // a setting; null: none
static Record run(const oc_policy_type *type)
{
    const char *const sets[] = {"gpu.sms=1", "l1.size=16KiB", "l1.mshrs=16", "sched.policy=gto", more, NULL};
    oc_config config = {.gpu = "gtx480", .sets = sets};
    oc_device *d;
    oc_module *m;
    oc_kernel *k;
    oc_ptr in, out;
    uint32_t data[WARPS * LINES * 32], got[WARPS * 32];
    char message[500] = "";
    if (oc_open(&config, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    if (type) plug(d, type);
    for (uint32_t n = 0; n < COUNT(data); n++) data[n] = n * 2654435761u;
    assert_int_equal(oc_malloc(d, sizeof data, "in", &in), OC_OK);
    assert_int_equal(oc_malloc(d, sizeof got, "out", &out), OC_OK);
    assert_int_equal(oc_write(d, in, data, sizeof data, NULL), OC_OK);
    if (oc_load(d, kernel_text, strlen(kernel_text), "seam.ptx", &m) != OC_OK) fail_msg("%s", oc_error(d));
    assert_int_equal(oc_kernel_get(m, "k", &k), OC_OK);
    const void *args[] = {&out, &in};
    if (oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){WARPS * 32, 1, 1}, 1000, NULL, args) != OC_OK)
        fail_msg("%s", oc_error(d));
    assert_int_equal(oc_read(d, got, out, sizeof got, NULL), OC_OK);
    for (uint32_t t = 0; t < WARPS * 32; t++) {
        uint32_t want = 0;
        for (uint32_t l = 0; l < LINES; l++) want += ROUNDS * data[t / 32 * LINES * 32 + l * 32 + t % 32];
        assert_int_equal(got[t], want);
    }
    Record r = *device_record(d, 0);
    r.inst = NULL;  // it goes with the device
    Text broken = {0};
    if (counters_broken(r.count, &broken)) fail_msg("%s", broken.v);
    text_free(&broken);
    oc_close(d);
    return r;
}

// --- what it is told -------------------------------------------------------------------------------------------------
typedef struct Told {
    uint64_t outcome[3], stores, victims, issued, memory, warps[2], ctas[2], ticks, open;
    uint64_t own_lines, first_tick;
    uint32_t started[64];
} Told;
static Told told;

static int greedy(const oc_policy *p, uint32_t k, uint64_t ready)
{
    const oc_scheduler_view *s = p->sm->scheduler[k];
    assert_true(s->last == -1 || s->present >> s->last & 1);  // −1: none issued, or it is over
    return oc_greedy(s, ready);
}
static void on_open(oc_policy *p) { p->next_tick = 1000, told = (Told){.open = 1}; }
static void on_cta_start(oc_policy *p, uint32_t cta) { told.ctas[0]++, (void)p, assert_int_equal(cta, 0); }
static void on_cta_stop(oc_policy *p, uint32_t cta) { told.ctas[1]++, (void)p, assert_int_equal(cta, 0); }
static void on_start(oc_policy *p, uint32_t warp)
{
    assert_int_equal(told.ctas[0], 1);  // the CTA comes first
    assert_true(warp < p->sm->slots);
    told.warps[0]++, told.started[warp]++;
}
static void on_stop(oc_policy *p, uint32_t warp)
{
    (void)p;
    assert_int_equal(told.ctas[1], 0);
    told.warps[1]++, told.started[warp]--;
}
static void on_issued(oc_policy *p, uint32_t warp, bool memory)
{
    (void)p;
    assert_int_equal(told.started[warp], 1);
    told.issued++, told.memory += memory;
}
static void on_tick(oc_policy *p)
{
    if (!told.ticks) told.first_tick = *p->sm->now;
    assert_true(p->next_tick == OC_NEVER);
    p->next_tick = *p->sm->now + 1000;
    told.ticks++;
}
static void on_seen(oc_policy *p, const oc_access_event *e)
{
    assert_true(e->warp < p->sm->slots);
    told.outcome[e->outcome]++;
    told.stores += e->store;
    told.victims += e->victim != UINT64_MAX;
    if (e->outcome != OC_MISS) assert_true(e->owner == e->warp);  // no line serves two warps here
    if (e->victim != UINT64_MAX) assert_true(e->outcome == OC_MISS && e->owner < p->sm->slots);
    if (e->outcome == OC_MISS && e->victim == UINT64_MAX) assert_true(e->store || e->owner == e->warp);
    told.own_lines += e->victim != UINT64_MAX && e->owner == e->warp;
}
static const oc_policy_type listener = {.open = on_open,
                                        .pick = greedy,
                                        .cta_start = on_cta_start,
                                        .cta_stop = on_cta_stop,
                                        .start = on_start,
                                        .stop = on_stop,
                                        .issued = on_issued,
                                        .seen = on_seen,
                                        .tick = on_tick};

static void events(void **state)
{
    (void)state;
    Record plain = run(NULL), r = run(&listener);
    assert_memory_equal(plain.count, r.count, sizeof r.count);  // who listens and picks like gto is gto
    assert_int_equal(told.outcome[OC_HIT], r.count[C_L1_HITS]);
    assert_int_equal(told.outcome[OC_MERGE], r.count[C_L1_MERGES]);
    assert_int_equal(told.outcome[OC_MISS], r.count[C_L1_MISSES]);
    assert_int_equal(told.stores, r.count[C_L1_WRITES]);
    assert_int_equal(told.victims, r.count[C_L1_EVICTIONS]);
    assert_true(told.victims > told.own_lines);                        // they push out each other's
    assert_int_equal(told.issued, r.count[C_WARP_INSTS] - 2 * WARPS);  // but for the loads of parameters
    assert_int_equal(told.memory, r.count[C_LD_GLOBAL] + r.count[C_ST_GLOBAL]);
    assert_int_equal(told.warps[0], WARPS);
    assert_int_equal(told.warps[1], WARPS);
    assert_int_equal(told.ctas[0], 1);
    assert_int_equal(told.ctas[1], 1);
    assert_int_equal(told.first_tick, 1000);
    assert_in_range(told.ticks, r.count[C_SM_CYCLES] / 1000 - 1, r.count[C_SM_CYCLES] / 1000);
}

// --- what is under way -----------------------------------------------------------------------------------------------
// A recount of loads under way: one more after an instruction that accesses memory, one less when a load is back.
typedef struct Recount {
    uint32_t loads[64], pc[64], least_free;
    bool memory[64];  // the warp's last instruction accessed memory, and its load isn't counted
    uint64_t rises, falls, store_pc, load_pc;
} Recount;
static Recount recount;

static void see_loads(uint32_t warp, uint32_t loads)
{
    uint32_t more_loads = loads - recount.loads[warp];
    assert_in_range(more_loads, 0, recount.memory[warp]);
    recount.rises += more_loads, recount.loads[warp] = loads;
    recount.memory[warp] = recount.memory[warp] && !more_loads;
}
static int recounting(const oc_policy *p, uint32_t k, uint64_t ready)
{
    const oc_scheduler_view *s = p->sm->scheduler[k];
    assert_int_equal(s->memory & ~s->in[OC_WAIT_READY], 0);
    for (uint32_t w = k; w < p->sm->slots; w += p->sm->schedulers) see_loads(w, oc_warp(p->sm, w)->loads);
    return oc_greedy(s, ready);
}
static void on_memory(oc_policy *p, uint32_t warp, bool memory)
{
    const oc_warp_view *w = oc_warp(p->sm, warp);
    assert_int_equal(p->sm->scheduler[w->scheduler]->memory >> w->bit & 1, memory);  // as the pick before it saw
    see_loads(warp, w->loads);
    recount.memory[warp] = memory;
}
static void on_loaded(oc_policy *p, uint32_t warp)
{
    see_loads(warp, oc_warp(p->sm, warp)->loads + 1);
    recount.loads[warp]--, recount.falls++;
}
static void on_first(oc_policy *p, uint32_t cta)
{
    (void)cta;
    recount = (Recount){.least_free = *p->sm->mshrs_free};
    assert_int_equal(recount.least_free, 16);  // nothing is under way
}
static oc_route on_route(oc_policy *p, uint32_t warp, const oc_access *a)
{
    (void)p;
    assert_int_equal(a->transactions, 1);
    recount.pc[warp] = a->pc;
    return OC_TO_L1;
}
static void on_access(oc_policy *p, const oc_access_event *e)
{
    assert_in_range(*p->sm->mshrs_free, 0, 16);
    recount.least_free = *p->sm->mshrs_free < recount.least_free ? *p->sm->mshrs_free : recount.least_free;
    assert_int_equal(e->pc, recount.pc[e->warp]);
    uint64_t *pc = e->store ? &recount.store_pc : &recount.load_pc;  // the kernel has one of each
    assert_true(!*pc || *pc == e->pc);
    *pc = e->pc;
}
static const oc_policy_type recounter = {.wants = OC_WANTS_MEMORY,
                                         .pick = recounting,
                                         .cta_start = on_first,
                                         .issued = on_memory,
                                         .loaded = on_loaded,
                                         .seen = on_access,
                                         .route = on_route};

static void loads_under_way(void **state)
{
    (void)state;
    Record plain = run(NULL), r = run(&recounter);
    assert_memory_equal(plain.count, r.count, sizeof r.count);
    assert_int_equal(recount.rises, r.count[C_LD_GLOBAL]);
    assert_int_equal(recount.falls, r.count[C_LD_GLOBAL]);
    assert_true(r.count[C_L1_REFUSED_MSHR] > 0 && recount.least_free == 0);
    assert_true(recount.load_pc && recount.load_pc < recount.store_pc);
}

// --- where accesses go -----------------------------------------------------------------------------------------------
static oc_route where;
static uint64_t asked, since[64];
static oc_route to_where(oc_policy *p, uint32_t warp, const oc_access *a)
{
    asked++;
    assert_false(a->local);
    assert_int_equal(a->address % 128, 0);
    if (where != OC_ROUTE_WAIT) return where;
    if (!since[warp]) since[warp] = *p->sm->now;
    if (*p->sm->now < since[warp] + 50) return OC_ROUTE_WAIT;
    since[warp] = 0;
    return OC_TO_L1;
}
static const oc_policy_type router = {.pick = greedy, .route = to_where};
static const oc_policy_type isolator = {.wants = OC_WANTS_SCRATCH, .pick = greedy, .route = to_where};

static void routes(void **state)
{
    (void)state;
    Record plain = run(NULL), r;
    uint64_t accesses = WARPS * LINES * ROUNDS + WARPS;
    assert_int_equal(plain.count[C_L1_ACCESSES], accesses);
    for (int k = OC_TO_L1; k <= OC_ROUTE_WAIT; k++) {
        where = k, asked = 0;
        memset(since, 0, sizeof since);
        r = run(&router);
        if (k == OC_TO_L1) assert_memory_equal(plain.count, r.count, sizeof r.count);
        assert_true(asked >= accesses);
        if (k == OC_TO_L1_NO_ALLOCATE) {
            assert_int_equal(r.count[C_L1_MISSES], accesses);
            assert_int_equal(r.count[C_L1_EVICTIONS] + r.count[C_L1_BYPASSES], 0);
        }
        if (k == OC_TO_SCRATCH) assert_memory_equal(plain.count, r.count, sizeof r.count);  // there is none
        if (k == OC_PAST_L1) {
            assert_int_equal(r.count[C_L1_ACCESSES] + r.count[C_SCRATCH_ACCESSES], 0);
            assert_int_equal(r.count[C_L1_BYPASSES], accesses);
        }
        if (k == OC_ROUTE_WAIT) {  // an instruction waits 50 cycles at the head
            assert_int_equal(r.count[C_L1_ACCESSES], accesses);
            assert_int_equal(r.count[C_L1_REFUSED_POLICY], accesses * 50);
            assert_true(r.count[C_CYCLES] >= accesses * 50);
        } else {
            assert_int_equal(r.count[C_L1_REFUSED_POLICY], 0);
        }
    }
    // The 48 KiB of shared memory that nobody uses have room for all lines: each misses once.
    where = OC_TO_SCRATCH;
    r = run(&isolator);
    assert_int_equal(r.count[C_L1_ACCESSES] + r.count[C_L1_BYPASSES], 0);
    assert_int_equal(r.count[C_SCRATCH_ACCESSES], accesses);
    assert_int_equal(r.count[C_SCRATCH_MISSES], WARPS * LINES + WARPS);
}

// --- a scheduler that knows the cache --------------------------------------------------------------------------------
static void knows_the_cache(void **state)
{
    (void)state;
    Record gto = run(NULL), r = run(&policy_victim_tags);
    uint64_t reads = WARPS * LINES * ROUNDS;
    assert_true(gto.count[C_L1_READ_HITS] < reads / 2);  // they push each other's lines out
    assert_true(r.count[C_L1_READ_HITS] > 3 * reads / 4);
    assert_true(r.count[C_CYCLES] < gto.count[C_CYCLES]);
    assert_int_equal(gto.count[C_STALL_SCHED], 0);
    assert_true(r.count[C_STALL_SCHED] > 0);  // slots in which only loads that may not go were ready
}

// With an L1 for each warp nobody pushes anything out.
static void private_l1(void **state)
{
    (void)state;
    more = "l1.private=yes";
    Record r = run(&listener);
    more = NULL;
    assert_int_equal(r.count[C_L1_ACCESSES], WARPS * LINES * ROUNDS + WARPS);
    assert_int_equal(r.count[C_L1_MISSES], WARPS * LINES + WARPS);
    assert_int_equal(r.count[C_L1_EVICTIONS], 0);
    assert_int_equal(told.outcome[OC_MISS], r.count[C_L1_MISSES]);
}

// A block of 1,000 bytes of shared memory holds 1,024 as long as the SM has blocks: it is the only one.
static void shared_held(void **state)
{
    (void)state;
    Record r = run(NULL);
    assert_int_equal(r.count[C_SHARED_HELD], 1024 * r.count[C_SM_CYCLES]);
    assert_int_equal(r.count[C_SCRATCH_HELD], 0);
    where = OC_TO_SCRATCH;
    r = run(&isolator);  // 182 rows of data and 6 of tags, of 256 bytes
    double rows = (double)r.count[C_SCRATCH_HELD] / 256 / (double)r.count[C_CYCLES];
    assert_true(rows > 187 && rows <= 188);
}

// Greedy then youngest: the last one as long as it can issue, else the one that started last.
static uint32_t changes;
static int youngest(const oc_policy *p, uint32_t scheduler, uint64_t ready)
{
    const oc_scheduler_view *s = p->sm->scheduler[scheduler];
    const oc_policy_type *gty = NULL;
    for (size_t k = 0; !gty; k++)
        if (!strcmp(policies[k]->name, "gty")) gty = policies[k];
    const int bit = gty->pick(p, scheduler, ready);
    assert_true(ready >> bit & 1);
    if (s->last >= 0 && ready >> s->last & 1) {
        assert_int_equal(bit, s->last);
        return bit;
    }
    for (uint64_t m = ready; m; m &= m - 1) assert_false(s->older[__builtin_ctzll(m)] >> bit & 1);
    changes += (ready & (ready - 1)) != 0;
    return bit;
}

static void greedy_then_youngest(void **state)
{
    (void)state;
    static const oc_policy_type checked = {
        .version = ONCHIP_POLICY_VERSION, .name = "checked", .doc = "gty, checked", .pick = youngest};
    run(&checked);
    assert_true(changes > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events),
        cmocka_unit_test(loads_under_way),
        cmocka_unit_test(routes),
        cmocka_unit_test(knows_the_cache),
        cmocka_unit_test(private_l1),
        cmocka_unit_test(shared_held),
        cmocka_unit_test(greedy_then_youngest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
