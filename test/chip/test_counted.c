// What an instruction counts as: its kind and the space that it accesses, by name or by a generic address. One whose
// guard is off for all lanes accesses no space, and counts as an instruction only.
#include "bench.h"

#include <string.h>

typedef struct Case {
    const char *body;
    Counter counter;
} Case;

static const Case cases[] = {
    {"ld.global.u32 %r1, [%in];", C_LD_GLOBAL},
    {"ld.shared.u32 %r1, [smem];", C_LD_SHARED},
    {"ld.u32 %r1, [%in];", C_LD_GLOBAL},
    {"mov.u64 %rd1, smem;\ncvta.shared.u64 %rd1, %rd1;\nld.u32 %r1, [%rd1];", C_LD_SHARED},
    {"ld.const.u32 %r1, [table];", C_LD_CONST},
    {"st.global.u32 [%out], %r1;", C_ST_GLOBAL},
    {"st.shared.u32 [smem], %r1;", C_ST_SHARED},
    {"st.u32 [%out], %r1;", C_ST_GLOBAL},
    {"atom.global.add.u32 %r1, [%out], 1;", C_ATOMICS},
    {"atom.shared.add.u32 %r1, [smem], 1;", C_AT_SHARED},
};
static const Counter all[] = {C_LD_GLOBAL, C_LD_SHARED, C_LD_LOCAL, C_LD_CONST, C_ST_GLOBAL,
                              C_ST_SHARED, C_ST_LOCAL,  C_ATOMICS,  C_AT_SHARED};

static void check(const char *guard, uint64_t expected)
{
    for (size_t k = 0; k < COUNT(cases); k++) {
        Bench b;
        Text body = {0};
        const char *last = strrchr(cases[k].body, '\n');  // the guard is of the access, which comes last
        int before = last ? (int)(last + 1 - cases[k].body) : 0;
        text_printf(&body, ".const .u32 table[4] = {1, 2, 3, 4};\n---\nmov.u32 %%r1, 0;\n");
        text_printf(&body, "setp.gt.u32 %%p1, %%t, 1000;\n%.*s%s %s", before, cases[k].body, guard,
                    cases[k].body + before);
        bench_open(&b, "gtx480", NULL);
        bench_data(&b, NULL, 4096);
        const Record *r = bench_run(&b, body.v, (Shape){.shared = 1024}, 1);
        for (size_t c = 0; c < COUNT(all); c++)
            if (r->count[all[c]] != (all[c] == cases[k].counter ? expected : 0))
                fail_msg("%s %s: %s is %llu", guard, cases[k].body, counter_info[all[c]].name,
                         (unsigned long long)r->count[all[c]]);
        bench_close(&b);
        text_free(&body);
    }
}

static void by_space(void **state)
{
    (void)state;
    check("", 1);
    check("@!%p1", 1);
}

static void no_lane(void **state)
{
    (void)state;
    check("@%p1", 0);
}

// Copies to shared memory and prefetches are loads of their array: 32 words of it, four sectors, by one instruction.
static void not_into_registers(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "mad.wide.u32 %rd1, %t, 4, %in;\nmov.u32 %r1, smem;\nmad.lo.u32 %r1, %t, 4, %r1;\n"
        "cp.async.ca.shared.global [%r1], [%rd1], 4;\ncp.async.wait_all;",
        "mad.wide.u32 %rd1, %t, 4, %in;\nprefetch.global.L1 [%rd1];",
    };
    for (size_t k = 0; k < COUNT(bodies); k++) {
        Bench b;
        bench_open(&b, "h200", NULL);
        bench_data(&b, NULL, 4096);
        oc_kernel *kernel = bench_load(&b, bodies[k], "sm_80");
        const Record *r = bench_launch(&b, kernel, (Shape){.block = 32, .shared = 1024}, 1);
        assert_int_equal(COUNT_OF(r, LD_GLOBAL), 1);
        assert_int_equal(COUNT_OF(r, SECTORS_LOADED), 4);
        uint64_t loads = 0, sectors = 0;
        for (size_t s = 0; s < MAX_STRUCTURES; s++) loads += r->structure[s].loads, sectors += r->structure[s].sectors;
        assert_int_equal(loads, 1);
        assert_int_equal(sectors, 4);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_space),
        cmocka_unit_test(no_lane),
        cmocka_unit_test(not_into_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
