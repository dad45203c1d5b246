// What a line hits by strides (stride.c), against what follows by hand from 64 rounds, averaged over the places in a
// line where they may begin: bytes in a row touch four lines of 16 from a line's begin and five from elsewhere, (60 +
// 15·59) of 16·64 hits.
#include "check.h"
#include "ptx/unit.h"
#include "sl1/unit.h"

#include <stdio.h>
#include <string.h>

typedef struct Case {
    const char *name;
    int hits[2];       // of 1000, in structures a and b; SL1_NOT_KNOWN, or SL1_NOT_USED
    const char *body;  // of a loop of %n rounds counted by %i; %a and %b are the pointers
} Case;
static const Case cases[] = {
    {"bytes in a row", {922, SL1_NOT_USED}, "    ld.global.u8 %v, [%a];\n    add.s64 %a, %a, 1;\n"},
    {"words in a row, backwards", {738, SL1_NOT_USED}, "    sub.s64 %a, %a, 4;\n    ld.global.u32 %v, [%a];\n"},
    {"a line a round", {0, SL1_NOT_USED}, "    ld.global.v4.u32 {%v, %v1, %v2, %v3}, [%a];\n    add.s64 %a, %a, 16;\n"},
    {"the same place", {984, SL1_NOT_USED}, "    st.global.u32 [%a], %v;\n"},  // 63 of 64
    {"an index",
     {SL1_NOT_USED, 738},
     "    mul.wide.u32 %d, %i, 4;\n    add.s64 %e, %b, %d;\n    ld.global.u32 %v, [%e];\n"},
    {"an index, twice, of eight bytes",
     {SL1_NOT_USED, 492},
     "    shl.b32 %v1, %i, 3;\n    cvt.u64.u32 %d, %v1;\n    add.s64 %e, %d, %b;\n    ld.global.u32 %v, [%e+8];\n"},
    {"two places far from each other",
     {0, SL1_NOT_USED},
     "    ld.global.u8 %v, [%a];\n    add.s64 %d, %a, %m;\n    ld.global.u8 %v, [%d];\n    add.s64 %a, %a, 1;\n"},
    {"one unrolled",
     {747, SL1_NOT_USED},
     "    ld.global.u32 %v, [%a];\n    ld.global.u32 %v, [%a+4];\n    ld.global.u32 %v, [%a+8];\n    ld.global.u32 %v, "
     "[%a+12];\n    add.s64 %a, %a, 16;\n"},
    {"what memory says",
     {SL1_NOT_KNOWN, 738},
     "    ld.global.u32 %v, [%b];\n    add.s64 %b, %b, 4;\n    mul.wide.u32 %d, %v, 4;\n    add.s64 %e, %a, %d;\n    "
     "ld.global.u32 %v, [%e];\n"},
    {"not in every round",
     {SL1_NOT_KNOWN, SL1_NOT_USED},
     "    ld.global.u8 %v, [%a];\n    setp.eq.u32 %q, %v, 0;\n    @%q add.s64 %a, %a, 1;\n"},
};

static void put_kernel(const Case *c, Text *out)
{
    text_put(
        out,
        ".version 4.3\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 "
        "n)\n{\n"
        "    .reg .b32 %i, %n, %v, %v1, %v2, %v3;\n    .reg .b64 %a, %b, %m, %d, %e;\n    .reg .pred %p, %q;\n"
        "    ld.param.u64 %a, [a];\n    cvta.to.global.u64 %a, %a;\n    ld.param.u64 %b, [b];\n    cvta.to.global.u64 "
        "%b, %b;\n"
        "    ld.param.u32 %n, [n];\n    mul.wide.u32 %m, %n, 4096;\n    mov.u32 %i, 0;\n    mov.u32 %v, 0;\n$loop:\n");
    text_put(out, c->body);
    text_put(out, "    add.u32 %i, %i, 1;\n    setp.lt.u32 %p, %i, %n;\n    @%p bra $loop;\n    ret;\n}\n");
}

static int of_param(const Sl1Plan *p, uint32_t param)
{
    for (uint32_t k = 0; k < p->structures; k++)
        if (p->structure[k].param == param) return p->loop[0].hits[k];
    return SL1_NOT_USED;
}

// A loop whose strides are known has no monitor; one whose aren't has.
static void look_at_slices(const char *name, const Text *ptx, bool known)
{
    Text out = {0};
    Diag diag = {0};
    Sl1Module of;
    Sl1Options o = sl1_defaults;
    o.strides = true;
    assert_true(sl1_rewrite_text(ptx->v, ptx->n, name, &o, false, &out, &of, &diag));
    assert_int_equal(strstr(out.v, "$sl1_m") == NULL, known);
    sl1_module_free(&of);
    text_free(&out), diag_free(&diag);
}

static void hits(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        const Case *c = &cases[k];
        Text ptx = {0};
        Diag diag = {0};
        put_kernel(c, &ptx);
        Module *m = ptx_parse(ptx.v, ptx.n, c->name, &diag);
        if (!m) fail_msg("%s", diag.text.v);
        Sl1Plan *p = sl1_plan(ptx_find(m, "k")->function, false);
        sl1_strides(p, 16);
        for (uint32_t s = 0; s < 2; s++)
            if (of_param(p, s) != c->hits[s]) fail_msg("%s: %d, not %d", c->name, of_param(p, s), c->hits[s]);
        look_at_slices(c->name, &ptx, c->hits[0] != SL1_NOT_KNOWN);
        sl1_plan_free(p);
        ptx_free(m);
        text_free(&ptx), diag_free(&diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
