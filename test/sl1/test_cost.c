// What the software L1 costs, against S-L1 §3.3: "the monitoring phase requires three registers per data structure",
// caching three, two if it is only read, and one if it isn't cached. Ours are counted where a pass of one structure
// more makes the difference.
#include "check.h"
#include "sl1/sl1.h"

#include <stdio.h>
#include <string.h>

// A kernel with so many structures, each of which its loop reads, and writes too, if that is asked for.
static void put_kernel(uint32_t structures, bool written, Text *out)
{
    text_put(out, ".version 4.3\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u32 n");
    for (uint32_t k = 0; k < structures; k++) text_printf(out, ", .param .u64 p%u", k);
    text_put(out, ")\n{\n    .reg .b32 %i, %n, %v;\n    .reg .b64 %a<8>;\n    .reg .pred %p;\n    ld.param.u32 %n, "
                  "[n];\n    mov.u32 %i, 0;\n");
    for (uint32_t k = 0; k < structures; k++)
        text_printf(out, "    ld.param.u64 %%a%u, [p%u];\n    cvta.to.global.u64 %%a%u, %%a%u;\n", k, k, k, k);
    text_put(out, "$loop:\n");
    for (uint32_t k = 0; k < structures; k++) {
        text_printf(out, "    ld.global.u32 %%v, [%%a%u];\n", k);
        if (written) text_printf(out, "    st.global.u32 [%%a%u], %%v;\n", k);
        text_printf(out, "    add.s64 %%a%u, %%a%u, 4;\n", k, k);
    }
    text_put(out, "    add.u32 %i, %i, 1;\n    setp.lt.u32 %p, %i, %n;\n    @%p bra $loop;\n    ret;\n}\n");
}

// 32-bit registers of ours that are alive at the loop's head in a slice (c or m): those of a structure, whose names end
// with its number.
static uint32_t held(const Function *f, char slice, uint32_t structure)
{
    Flow *flow = flow_build(f);
    flow_live(flow);
    uint32_t head = 0, n = 0;
    char name[20];
    for (size_t l = 0; l < f->labels.n; l++)
        if (!strncmp(f->labels.v[l].name, "$sl1_", 5) && f->labels.v[l].name[5] == slice) {
            head = f->labels.v[l].inst;
            break;
        }
    const uint64_t *live = flow->live_in + (size_t)flow->words * flow->block_of[head];
    for (uint32_t r = 0; r < f->regs.n; r++) {
        const char *reg = f->regs.v[r].name;
        snprintf(name, sizeof name, "%u", structure);
        if (strncmp(reg, "%sl1_", 5) || strlen(reg) != 7 || strcmp(reg + 6, name)) continue;
        if (live[r / 64] >> r % 64 & 1) n += (uint32_t)type_info[f->regs.v[r].type].bits / 32;
    }
    flow_free(flow);
    return n;
}

static void count(bool written, uint32_t monitored, uint32_t cached)
{
    Text ptx = {0}, out = {0};
    Diag diag = {0};
    Sl1Module of;
    put_kernel(3, written, &ptx);
    assert_true(sl1_rewrite_text(ptx.v, ptx.n, "k.ptx", &sl1_defaults, false, &out, &of, &diag));
    Module *m = ptx_parse(out.v, out.n, "k.ptx", &diag);
    assert_non_null(m);
    const Function *f = ptx_find(m, "k" SL1_APART)->function;
    for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(held(f, 'm', k), monitored);
        assert_int_equal(held(f, 'c', k), cached);
    }
    ptx_free(m);
    sl1_module_free(&of);
    text_free(&ptx), text_free(&out), diag_free(&diag);
}

static void registers(void **state)
{
    (void)state;
    count(false, 3, 2);
    count(true, 3, 3);
}

// How many instructions the computing slice of a loop with so many loads of neighbouring bytes has, from its head to
// the branch back, where all hit.
static size_t round_of(uint32_t bytes, bool neighbours)
{
    Text ptx = {0}, out = {0};
    Diag diag = {0};
    text_put(&ptx, ".version 4.3\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u32 n, .param .u64 p)\n{\n"
                   "    .reg .b32 %i, %n, %v, %s;\n    .reg .b64 %a;\n    .reg .pred %p;\n    ld.param.u32 %n, [n];\n"
                   "    mov.u32 %i, 0;\n    ld.param.u64 %a, [p];\n    cvta.to.global.u64 %a, %a;\n$loop:\n");
    for (uint32_t k = 0; k < bytes; k++)
        text_printf(&ptx, "    ld.global.u8 %%v, [%%a+%u];\n    add.u32 %%s, %%s, %%v;\n", k);
    text_put(&ptx, "    add.s64 %a, %a, 4;\n    add.u32 %i, %i, 1;\n    setp.lt.u32 %p, %i, %n;\n    @%p bra $loop;\n"
                   "    ret;\n}\n");
    Module *m = ptx_parse(ptx.v, ptx.n, "k.ptx", &diag);
    assert_non_null(m);
    assert_true(sl1_dump(m, &(Sl1Options){.line = 16, .threshold = 300, .apart = true, .neighbours = neighbours},
                         "compute", &out));
    size_t lines = 0;
    for (const char *p = strstr(out.v, "$sl1_c"); p && strncmp(p, "    @%p bra", 11); p = strchr(p, '\n') + 1)
        lines += *p == ' ' && p[4] != '.';
    ptx_free(m), text_free(&ptx), text_free(&out), diag_free(&diag);
    return lines;
}

// A hit is 6 instructions: the low half of the address, its distance from the tag, a comparison, a branch, the place,
// the load; 7 where the address has an offset. With `neighbours` the second one asks how
// the comparison ended, and loads: 2.
static void hits(void **state)
{
    (void)state;
    assert_int_equal(round_of(1, false), 6 + 1 + 3);  // a sum, and three instructions of the loop
    assert_int_equal(round_of(4, false) - round_of(1, false), 3 * (7 + 1));
    assert_int_equal(round_of(1, true), round_of(1, false));
    assert_int_equal(round_of(4, true) - round_of(1, true), 3 * (2 + 1));
    assert_int_equal(round_of(9, true) - round_of(8, true), 7 + 1);  // half a line from the first: it looks itself
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(registers), cmocka_unit_test(hits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
