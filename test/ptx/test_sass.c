// What instructions become in machine code, beside the facts of sass_facts.def, for capability 7.5, 8.6 and 9.0. A row
// of sass.def that counts for several capabilities is exact for one of them, and may be near the others only.
#include "check.h"
#include "ptx/unit.h"

enum { NONE = 255, GPUS = 3, CHIEF = 1 };  // CHIEF: the capability of which rows say what they are

static const int capabilities[GPUS] = {75, 86, 90};

static const struct {
    const char *text;
    uint8_t slots[GPUS];
    Class class;
    uint8_t units;
} facts[] = {
#define FACT(text, sm75, sm86, sm90, class, units) {text, {sm75, sm86, sm90}, CLASS_##class, units},
#define SAID(text, sm75, sm86, sm90, class, units) {text, {sm75, sm86, sm90}, CLASS_##class, units},
#include "sass_facts.def"
#undef FACT
#undef SAID
};

// How far a row may be off for another capability: few instructions are counted exactly.
static int most_off(int slots) { return slots >= 10 ? MAX(2, slots / 10) : slots >= 7; }

static Module *module_of(const char *text)
{
    Text t = {0};
    Diag diag = {0};
    text_printf(&t,
                ".version 8.7\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b16 %%h<9>; .reg .b32 %%r<21>; "
                ".reg .b64 %%d<9>; .reg .pred %%p<9>;\n%s\nret;\n}\n",
                text);
    Module *m = ptx_parse(t.v, t.n, text, &diag);
    if (!m) fail_msg("%s", diag.text.v);
    text_free(&t);
    return m;
}

static void counted(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t k = 0; k < COUNT(facts); k++) {
        Module *m = module_of(facts[k].text);
        const Inst *i = &ptx_find(m, "k")->function->insts.v[0];
        const int chief = facts[k].slots[CHIEF] == NONE ? CHIEF + 1 : CHIEF;
        for (int g = 0; g < GPUS; g++) {
            const int want = facts[k].slots[g];
            if (want == NONE) continue;
            const Sass got = inst_sass(i, capabilities[g]);
            const bool unit = g != chief || (got.class == facts[k].class && got.units == facts[k].units);
            if (unit && abs((int)got.slots - want) <= (g == chief ? 0 : most_off(want))) continue;
            print_error("%s on sm_%d: %u instructions, not %d, and %u of class %d, not %u of %d\n", facts[k].text,
                        capabilities[g], got.slots, want, got.units, got.class, facts[k].units, facts[k].class);
            wrong++;
        }
        ptx_free(m);
    }
    assert_int_equal(wrong, 0);
}

// What has no row is as ops.def says, and so is everything where machine code doesn't count.
static void none(void **state)
{
    (void)state;
    Sass got;
    Module *m = module_of("add.u32 %r1, %r2, %r3;");
    assert_false(ptx_sass(&ptx_find(m, "k")->function->insts.v[0], 86, &got));
    ptx_free(m);
    m = module_of("cvt.sat.f64.f64 %d1, %d2;");
    got = inst_sass(&ptx_find(m, "k")->function->insts.v[0], 0);
    assert_int_equal(got.slots, op_info[m->functions.v[0]->insts.v[0].op].slots64);
    assert_int_equal(got.class, CLASS_CVT);
    ptx_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counted), cmocka_unit_test(none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
