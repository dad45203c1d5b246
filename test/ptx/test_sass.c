// What instructions become in machine code: twenty of the operations that were counted in what ptxas of CUDA 13.0
// wrote for capability 7.5 and 8.6.
#include "check.h"
#include "ptx/unit.h"

#include <string.h>

static const struct {
    const char *text;
    int capability;
    uint8_t slots, units;
    Class class;
} cases[] = {
    {"rem.u32 %r1, %r2, %r3;", 86, 17, 3, CLASS_SFU},       {"rem.u32 %r1, %r2, 10;", 86, 6, 4, CLASS_ALU},
    {"div.s64 %d1, %d2, %d3;", 75, 86, 38, CLASS_ALU},      {"div.rn.f32 %f1, %f2, %f3;", 86, 10, 2, CLASS_SFU},
    {"div.approx.f32 %f1, %f2, %f3;", 86, 5, 1, CLASS_SFU}, {"div.approx.ftz.f32 %f1, %f2, %f3;", 86, 2, 1, CLASS_SFU},
    {"div.full.f32 %f1, %f2, %f3;", 86, 8, 1, CLASS_SFU},   {"sqrt.rn.f64 %g1, %g2;", 86, 18, 8, CLASS_F64},
    {"mul.wide.u32 %d1, %r2, %r3;", 86, 1, 1, CLASS_MUL},   {"mad.wide.u32 %d1, %r2, %r3, %d2;", 86, 3, 1, CLASS_MUL},
    {"mul.hi.s64 %d1, %d2, %d3;", 86, 17, 6, CLASS_MUL},    {"popc.b64 %r1, %d2;", 86, 3, 2, CLASS_SFU},
    {"cvt.rn.f32.s32 %f1, %r2;", 75, 1, 1, CLASS_SFU},      {"cvt.rn.f32.s32 %f1, %r2;", 86, 1, 1, CLASS_ALU},
    {"cvt.rzi.s32.f32 %r1, %f2;", 86, 1, 1, CLASS_SFU},     {"cvt.rn.f64.s32 %g1, %r2;", 86, 1, 1, CLASS_F64},
    {"cvt.s64.s32 %d1, %r2;", 86, 1, 1, CLASS_ALU},         {"bfe.u32 %r1, %r2, 5, 7;", 86, 2, 2, CLASS_ALU},
    {"bfe.u32 %r1, %r2, %r3, %r4;", 86, 5, 5, CLASS_ALU},   {"min.s64 %d1, %d2, %d3;", 86, 4, 4, CLASS_ALU},
};

static void counted(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        Text t = {0};
        Diag diag = {0};
        Sass got;
        text_printf(&t,
                    ".version 7.0\n.target sm_70\n.address_size 64\n.entry k()\n{\n.reg .b32 %%r<9>; .reg .b64 %%d<9>; "
                    ".reg .f32 %%f<9>; .reg .f64 %%g<9>;\n%s\nret;\n}\n",
                    cases[k].text);
        Module *m = ptx_parse(t.v, t.n, "sass.ptx", &diag);
        if (!m) fail_msg("%s", diag.text.v);
        if (!ptx_sass(&ptx_find(m, "k")->function->insts.v[0], cases[k].capability, &got))
            fail_msg("%s has no row", cases[k].text);
        if (got.slots != cases[k].slots || got.units != cases[k].units || got.class != cases[k].class)
            fail_msg("%s: %u instructions, %u of them of class %d", cases[k].text, got.slots, got.units, got.class);
        ptx_free(m);
        text_free(&t);
    }
}

// What has no row is as ops.def says.
static void none(void **state)
{
    (void)state;
    Text t = {0};
    Diag diag = {0};
    Sass got;
    text_put(&t, ".version 7.0\n.target sm_70\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<9>;\nadd.u32 %r1, %r2, "
                 "%r3;\nret;\n}\n");
    Module *m = ptx_parse(t.v, t.n, "sass.ptx", &diag);
    assert_non_null(m);
    assert_false(ptx_sass(&ptx_find(m, "k")->function->insts.v[0], 86, &got));
    ptx_free(m);
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counted), cmocka_unit_test(none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
