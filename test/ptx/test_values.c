// How many values live at once, counted by hand: one of 64 bits is one value and two registers.
#include "check.h"
#include "ptx/flow.h"
#include "ptx/unit.h"

static void expect(const char *body, uint32_t registers, uint32_t values)
{
    Text text = {0};
    Diag diag = {0};
    text_printf(&text, ".version 8.8 .target sm_30 .address_size 64\n.visible .entry k(.param .u64 p)\n{\n%s}\n", body);
    Module *m = ptx_parse(text.v, text.n, "values.ptx", &diag);
    if (!m) fail_msg("%s", diag.text.v);
    Flow *w = flow_build(m->functions.v[0]);
    flow_live(w);
    Alloc *a = alloc_colour(w);
    assert_int_equal(a->slots, registers);
    assert_int_equal(alloc_values(w), values);
    alloc_free(a);
    flow_free(w);
    ptx_free(m);
    text_free(&text);
}

static void counted(void **state)
{
    (void)state;
    // At the store an address and a word; the address takes two registers.
    expect(
        ".reg .b64 %p; .reg .b32 %r;\n ld.param.u64 %p, [p];\n mov.u32 %r, %tid.x;\n st.global.u32 [%p], %r;\n ret;\n",
        3, 2);
    // Two sums of double precision and the address that both go to.
    expect(".reg .b64 %p; .reg .f64 %a, %b;\n ld.param.u64 %p, [p];\n mov.f64 %a, 0d3FF0000000000000;\n"
           " mov.f64 %b, 0d4000000000000000;\n st.global.f64 [%p], %a;\n st.global.f64 [%p+8], %b;\n ret;\n",
           6, 3);
    // Predicates lie elsewhere.
    expect(".reg .b32 %r; .reg .pred %q;\n mov.u32 %r, %tid.x;\n setp.lt.u32 %q, %r, 7;\n @%q trap;\n ret;\n", 1, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
