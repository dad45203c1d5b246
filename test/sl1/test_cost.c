// What the software L1 costs, against S-L1 §3.3: "the monitoring phase requires three registers per data structure",
// caching three, two if it is only read, and one if it isn't cached. Ours are counted where a pass of one structure
// more makes the difference. Hits and accesses share a register.
#include "check.h"
#include "ptx/unit.h"
#include "sl1/unit.h"
#include "work/programs.h"

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
// with its number, and in the monitoring slice with _m.
static uint32_t held(const Function *f, char slice, uint32_t structure)
{
    Flow *flow = flow_build(f);
    flow_live(flow);
    uint32_t head = 0, n = 0;
    char end[20];
    for (size_t l = 0; l < f->labels.n; l++)
        if (!strncmp(f->labels.v[l].name, "$sl1_", 5) && f->labels.v[l].name[5] == slice) {
            head = f->labels.v[l].inst;
            break;
        }
    const uint64_t *live = flow->live_in + (size_t)flow->words * flow->block_of[head];
    for (uint32_t r = 0; r < f->regs.n; r++) {
        const char *reg = f->regs.v[r].name;
        snprintf(end, sizeof end, "%u%s", structure, slice == 'm' ? "_m" : "");
        if (strncmp(reg, "%sl1_", 5) || strcmp(reg + 6, end)) continue;
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
    count(false, 2, 2);
    count(true, 2, 3);
}

// The registers that rewriting adds to a workload's kernel: at most the paper's three for each structure, and six for
// the fill of a line: its four words, its tag, and the low half of the address.
static void added(void **state)
{
    (void)state;
    static const char *const names[] = {"upper",
                                        "wordcount",
                                        "dna",
                                        "opinion",
                                        "index_links",
                                        "pageview",
                                        "affinity_customers",
                                        "affinity_merchants",
                                        "matmul",
                                        "matmul_rows",
                                        "kmeans"};
    uint32_t seen = 0;
    for (size_t e = 0; e < workload_count; e++) {
        Diag diag = {0};
        Text out = {0};
        Sl1Module of;
        Module *m = ptx_parse(workload_table[e].ptx, workload_table[e].ptx_bytes, "w.ptx", &diag), *r;
        assert_non_null(m);
        m->sm = 20;  // without a cap
        sl1_rewrite(m, &sl1_defaults, &out, NULL, &of);
        assert_non_null(r = ptx_parse(out.v, out.n, "r.ptx", &diag));
        for (size_t k = 0; k < COUNT(names); k++) {
            const Sl1Kernel *kernel = sl1_find(&of, names[k]);
            char apart[40];
            snprintf(apart, sizeof apart, "%s" SL1_APART, names[k]);
            if (!kernel || kernel->left) continue;
            uint32_t before = sl1_need(ptx_find(r, names[k])->function), after = sl1_need(ptx_find(r, apart)->function);
            printf("%s: %u registers, rewritten %u\n", names[k], before, after);
            assert_true(after <= before + 3 * kernel->structures + 6);
            seen++;
        }
        ptx_free(m), ptx_free(r), sl1_module_free(&of);
        text_free(&out), diag_free(&diag);
    }
    assert_int_equal(seen, COUNT(names));
}

// Warps of a multiprocessor by a thread's registers, from the CUDA occupancy calculator: capability 3.5 holds 64 with
// 32 registers, 48 with 40, 40 with 48; 7.5 holds 32 with 64, and 28 with 72. The original's warps are kept, if that
// spills at most 9 or 18 registers.
static void caps(void **state)
{
    (void)state;
    assert_int_equal(sl1_cap(35, 24, 33, 9), 32);
    assert_int_equal(sl1_cap(35, 24, 41, 9), 32);
    assert_int_equal(sl1_cap(35, 24, 42, 9), 40);  // ten more than 32, but it gets to 48 warps
    assert_int_equal(sl1_cap(35, 24, 32, 9), 0);   // nothing to win
    assert_int_equal(sl1_cap(35, 32, 36, 9), 32);
    assert_int_equal(sl1_cap(35, 33, 36, 9), 0);  // the original has no more warps
    assert_int_equal(sl1_cap(35, 33, 44, 9), 40);
    assert_int_equal(sl1_cap(35, 38, 56, 18), 40);
    assert_int_equal(sl1_cap(75, 24, 36, 9), 0);  // 32 warps with either
    assert_int_equal(sl1_cap(75, 24, 66, 9), 64);
    assert_int_equal(sl1_cap(20, 20, 24, 9), 0);
}

// A capped kernel has the directive, unless the kernel brought one of its own; the original stays as it was. grep calls
// functions that call each other: ptxas 13.0 gives its rewritten kernel 32 registers on sm_75.
static void directive(void **state)
{
    (void)state;
    for (int own = 0; own < 2; own++)
        for (size_t e = 0; e < workload_count; e++) {
            const char *name = workload_table[e].workload->name;
            if (strcmp(name, "dna") && strcmp(name, "grep")) continue;
            Diag diag = {0};
            Text out = {0}, apart = {0};
            Sl1Module of;
            Module *m = ptx_parse(workload_table[e].ptx, workload_table[e].ptx_bytes, "w.ptx", &diag), *r;
            assert_non_null(m);
            Function *f = ptx_find(m, name)->function;
            f->maxnreg = own ? 60 : 0;
            if (own) vec_push(&f->directives, ".maxnreg 60");
            sl1_rewrite(m, &sl1_defaults, &out, NULL, &of);
            assert_non_null(r = ptx_parse(out.v, out.n, "r.ptx", &diag));
            text_printf(&apart, "%s" SL1_APART, name);
            assert_int_equal(ptx_find(r, name)->function->maxnreg, own ? 60 : 0);
            assert_int_equal(ptx_find(r, apart.v)->function->maxnreg, own ? 60 : 32);
            ptx_free(m), ptx_free(r), sl1_module_free(&of);
            text_free(&out), text_free(&apart), diag_free(&diag);
        }
}

// A function needs its own registers and those of the most hungry one that it calls; a call back to a caller adds none.
// Each of the three holds one value.
static void chain(void **state)
{
    (void)state;
    static const char text[] = ".version 4.3\n.target sm_35\n.address_size 64\n"
                               ".func g(.param .u32 x);\n"
                               ".func h(.param .u32 x)\n{\n.reg .b32 %v;\nld.param.u32 %v, [x];\n"
                               "{\n.param .u32 y;\nst.param.u32 [y], %v;\ncall g, (y);\n}\nret;\n}\n"
                               ".func g(.param .u32 x)\n{\n.reg .b32 %v;\nld.param.u32 %v, [x];\n"
                               "{\n.param .u32 y;\nst.param.u32 [y], %v;\ncall h, (y);\n}\nret;\n}\n"
                               ".visible .entry k(.param .u32 n)\n{\n.reg .b32 %v;\nld.param.u32 %v, [n];\n"
                               "{\n.param .u32 y;\nst.param.u32 [y], %v;\ncall g, (y);\n}\nret;\n}\n";
    Diag diag = {0};
    Module *m = ptx_parse(text, sizeof text - 1, "c.ptx", &diag);
    assert_non_null(m);
    assert_int_equal(sl1_need(ptx_find(m, "k")->function), 3);  // one of each
    assert_int_equal(sl1_need(ptx_find(m, "g")->function), 2);  // of g and h
    ptx_free(m), diag_free(&diag);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(registers), cmocka_unit_test(added), cmocka_unit_test(caps),
                                       cmocka_unit_test(directive), cmocka_unit_test(chain), cmocka_unit_test(hits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
