// Small kernels, one for each thing that once went wrong in the software L1, or easily could: as they are and
// rewritten, with all settings and on all machines, they leave the same bytes. Without ONCHIP_LONG each machine has a
// sixth of the settings.
#include "check.h"
#include "equal.h"

#include <string.h>

enum {
    THREADS = 64,
    BYTES = 8192
};  // of the only block; of each of two buffers, in whose first half a thread owns 64 bytes

typedef struct Case {
    const char *name;
    uint32_t sm;       // at least
    int b;             // how far behind the first buffer's start the second pointer leads; −1: into the other buffer
    uint64_t c;        // the third argument
    const char *body;  // %a and %b lead to the thread's bytes, %c is the third argument, %t the thread
} Case;

static const Case cases[] = {
    {"two loops leave to one block", 20, -1, 0,
     "    mov.u32 %r0, 0;\n"
     "$first: ld.global.u32 %r1, [%a];\n    add.u32 %r0, %r0, 1;\n    st.global.u32 [%a], %r0;\n"
     "    setp.eq.u32 %p, %r0, %t;\n    @%p bra $out;\n    setp.lt.u32 %p, %r0, 20;\n    @%p bra $first;\n"
     "    mov.u32 %r0, 0;\n"
     "$second: ld.global.u32 %r1, [%b];\n    add.u32 %r0, %r0, 1;\n    st.global.u32 [%b+4], %r0;\n"
     "    setp.lt.u32 %p, %r0, 20;\n    @%p bra $second;\n"
     "$out: st.global.u32 [%a+8], %r0;\n"},
    {"an offset that is an argument, to a pointer that isn't one", 20, -1, 8,
     "    st.global.u64 [%b+32], %a;\n    mov.u32 %r0, 0;\n"
     "$loop: ld.global.u32 %r1, [%a+8];\n    add.u32 %r1, %r1, 1;\n    st.global.u32 [%a+8], %r1;\n"
     "    ld.global.u64 %d0, [%b+32];\n    add.s64 %d0, %d0, %c;\n    ld.global.u32 %r1, [%d0];\n    add.u32 %r1, %r1, "
     "1;\n    st.global.u32 [%d0], %r1;\n"
     "    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p, %r0, 100;\n    @%p bra $loop;\n"},
    {"an atomic through one of two pointers to the same bytes", 20, 0, 0,
     "    mov.u32 %r0, 0;\n"
     "$loop: ld.global.u32 %r1, [%a];\n    add.u32 %r1, %r1, 3;\n    st.global.u32 [%a], %r1;\n    atom.global.add.u32 "
     "%r2, [%b], 1;\n"
     "    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p, %r0, 100;\n    @%p bra $loop;\n    st.global.u32 [%a+4], %r2;\n"},
    {"a volatile store through one of two pointers to the same bytes", 20, 0, 0,
     "    mov.u32 %r0, 0;\n"
     "$loop: ld.global.u32 %r1, [%a];\n    add.u32 %r1, %r1, 3;\n    st.volatile.global.u32 [%b], %r1;\n"
     "    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p, %r0, 100;\n    @%p bra $loop;\n    st.global.u32 [%a+4], %r1;\n"},
    {"two pointers to the same line", 20, 4, 0,
     "    mov.u32 %r0, 0;\n"
     "$loop: ld.global.u32 %r1, [%a+4];\n    add.u32 %r1, %r1, 3;\n    st.global.u32 [%b], %r1;\n    ld.global.u32 "
     "%r1, [%a+4];\n    st.global.u32 [%b+8], %r1;\n"
     "    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p, %r0, 100;\n    @%p bra $loop;\n"},
    {"a vote of lanes that counted differently", 20, -1, 0,
     "    mov.u32 %r0, 0;\n    and.b32 %r3, %t, 3;\n    mov.u32 %r4, 0;\n    mov.u32 %r5, 0;\n    mov.u32 %r1, 0;\n"
     "$loop: setp.ne.u32 %p, %r3, 0;\n    @%p ld.global.u32 %r1, [%a];\n    ld.global.u32 %r2, [%a+4];\n    add.u32 "
     "%r1, %r1, %t;\n    and.b32 %r2, %r1, 7;\n"
     "    setp.ne.u32 %q, %r2, 0;\n    vote.all.pred %q, %q;\n    @%q add.u32 %r4, %r4, 1;\n    vote.ballot.b32 %r2, "
     "%p;\n    add.u32 %r5, %r5, %r2;\n"
     "    st.global.u32 [%a], %r1;\n"
     "    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p, %r0, 200;\n    @%p bra $loop;\n    st.global.v2.u32 [%b], {%r4, "
     "%r5};\n"},
    {"a vector of which parts aren't wanted", 20, -1, 0,
     "    mov.u32 %r0, 0;\n"
     "$loop: ld.global.v4.u32 {%r1, _, _, %r2}, [%a];\n    ld.global.v4.u8 {%r3, _, %r4, _}, [%a+8];\n    add.u32 %r1, "
     "%r1, %r2;\n    add.u32 %r1, %r1, %r4;\n"
     "    st.global.u32 [%a], %r1;\n    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p, %r0, 100;\n    @%p bra $loop;\n"},
    {"threads that leave in the middle of a loop", 20, -1, 0,
     "    mov.u32 %r0, 0;\n"
     "$loop: ld.global.u32 %r1, [%a];\n    add.u32 %r1, %r1, 3;\n    st.global.u32 [%a], %r1;\n    add.u32 %r0, %r0, "
     "1;\n"
     "    setp.eq.u32 %p, %r0, %t;\n    @%p exit;\n    add.u32 %r2, %t, 1;\n    setp.eq.u32 %q, %r0, %r2;\n    @%q "
     "ret;\n"
     "    setp.lt.u32 %p, %r0, 100;\n    @%p bra $loop;\n"},
    {"what a neighbour published lies in the own line, which was clean", 20, -1, 0,
     "    ld.param.u64 %d0, [k_0];\n    cvta.to.global.u64 %d0, %d0;\n    add.s64 %d0, %d0, 4096;\n    mul.wide.u32 "
     "%d3, %t, 8;\n    add.s64 %d1, %d0, %d3;\n"
     "    ld.param.u64 %d2, [k_1];\n    cvta.to.global.u64 %d2, %d2;\n    add.s64 %d2, %d2, 4096;\n    mov.u32 %r0, "
     "0;\n"
     "$loop: st.global.u8 [%d1], %t;\n    ld.global.u8 %r1, [%d1];\n    add.u32 %r1, %r1, 3;\n    st.global.u8 [%d1], "
     "%r1;\n    ld.global.u8 %r2, [%d1];\n"
     "    membar.gl;\n    atom.global.add.u32 %r2, [%d2], 1;\n    setp.ne.u32 %p, %r2, 63;\n    @%p bra $next;\n    "
     "membar.gl;\n"
     "    ld.global.u8 %r3, [%d0+496];\n    ld.global.u8 %r4, [%d0+504];\n    mad.lo.u32 %r3, %r3, 256, %r4;\n    "
     "st.global.u32 [%d2+256], %r3;\n"
     "$next: add.s64 %d0, %d0, 1;\n    add.s64 %d1, %d1, 1;\n    add.s64 %d2, %d2, 4;\n"
     "    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p, %r0, 8;\n    @%p bra $loop;\n"},
    {"sixteen bytes in one register", 70, -1, 0,
     "    .reg .b128 %q128;\n    mov.u32 %r0, 0;\n"
     "$loop: st.global.u32 [%a+4], %r0;\n    ld.global.b128 %q128, [%a];\n    st.global.b128 [%b], %q128;\n    "
     "ld.global.u8 %r1, [%b+5];\n    st.global.u32 [%a+8], %r1;\n"
     "    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p, %r0, 400;\n    @%p bra $loop;\n"},
    {"bytes that are only stored to, where lanes leave their lines in different rounds", 20, -1, 0,
     "    and.b32 %r2, %t, 1;\n    mul.lo.u32 %r2, %r2, 9;\n    mov.u32 %r0, 0;\n"
     "$loop: mad.lo.u32 %r1, %r0, 3, %r2;\n    and.b32 %r1, %r1, 63;\n    cvt.u64.u32 %d0, %r1;\n    add.s64 %d1, %b, "
     "%d0;\n    ld.global.u8 %r3, [%a+3];\n    add.u32 %r3, %r3, %r0;\n    st.global.u8 [%d1], %r3;\n"
     "    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p, %r0, 407;\n    @%p bra $loop;\n"},
    {"a loop that the kernel begins with", 20, -1, 0, NULL},
    {"neighbours in one line and in two", 20, -1, 0,
     "    mov.u32 %r0, 0;\n"
     "$loop: and.b32 %r1, %r0, 31;\n    cvt.u64.u32 %d0, %r1;\n    add.s64 %d1, %b, %d0;\n    add.s64 %d0, %a, %d0;\n"
     "    ld.global.u8 %r2, [%d0+1];\n    ld.global.u8 %r3, [%d0+3];\n    mad.lo.u32 %r2, %r3, 3, %r2;\n    "
     "st.global.u8 [%d0+5], %r2;\n    ld.global.u8 %r3, [%d0+2];\n    ld.global.u8 %r4, [%d0+5];\n    add.u32 %r3, "
     "%r3, %r4;\n    st.global.u8 [%d1], %r3;\n    st.global.u8 [%d1+1], %t;\n    st.global.u8 [%d1+7], %r2;\n"
     "    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p, %r0, 400;\n    @%p bra $loop;\n"},
    {"what comes between neighbours: their line moves, their base changes, one is guarded", 20, -1, 0,
     "    mov.u32 %r0, 0;\n    mov.u32 %r4, 0;\n$loop: and.b32 %r1, %r0, 31;\n    cvt.u64.u32 %d1, %r1;\n"
     "    add.s64 %d0, %a, %d1;\n    and.b32 %r3, %r0, 7;\n    setp.eq.u32 %q, %r3, 0;\n"
     "    setp.ne.u32 %p, %r3, 4;\n    ld.global.u8 %r2, [%d0];\n    @%q ld.global.u8 %r5, [%a+48];\n"
     "    ld.global.u8 %r6, [%d0+1];\n    mad.lo.u32 %r4, %r4, 5, %r6;\n    ld.global.u8 %r6, [%d0+2];\n"
     "    mad.lo.u32 %r4, %r4, 5, %r6;\n    selp.u32 %r5, 9, 0, %q;\n    add.u32 %r5, %r5, %r1;\n"
     "    cvt.u64.u32 %d2, %r5;\n    add.s64 %d0, %a, %d2;\n    ld.global.u8 %r6, [%d0+3];\n"
     "    mad.lo.u32 %r4, %r4, 5, %r6;\n    add.s64 %d0, %a, %d1;\n    @%p ld.global.u8 %r7, [%d0+2];\n"
     "    ld.global.u8 %r6, [%d0+4];\n    mad.lo.u32 %r4, %r4, 5, %r6;\n    @%q st.global.u8 [%d0+5], %r4;\n"
     "    ld.global.u8 %r6, [%d0+6];\n    mad.lo.u32 %r4, %r4, %r6, %r2;\n    add.u32 %r0, %r0, 1;\n"
     "    setp.lt.u32 %p, %r0, 400;\n    @%p bra $loop;\n    st.global.u32 [%b], %r4;\n"},
    {"neighbours that go on by a line", 20, -1, 0,
     "    mov.u32 %r0, 0;\n    mov.u32 %r4, 0;\n$loop: and.b32 %r1, %r0, 3;\n    mul.wide.u32 %d0, %r1, 16;\n"
     "    add.s64 %d0, %a, %d0;\n    ld.global.u8 %r2, [%d0];\n    ld.global.u8 %r3, [%d0+2];\n"
     "    mad.lo.u32 %r4, %r4, %r3, %r2;\n    ld.global.u8 %r3, [%d0+7];\n    mad.lo.u32 %r4, %r4, 5, %r3;\n"
     "    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p, %r0, 400;\n    @%p bra $loop;\n    st.global.u32 [%b], %r4;\n"},
    {"a way into the middle of neighbours", 20, -1, 0,
     "    mov.u32 %r0, 0;\n    mov.u32 %r4, 0;\n"
     "$loop: mad.lo.u32 %r1, %r0, 13, %t;\n    and.b32 %r1, %r1, 31;\n    cvt.u64.u32 %d0, %r1;\n    add.s64 %d0, "
     "%a, %d0;\n    and.b32 %r3, %r0, 1;\n    setp.ne.u32 %p, %r3, 0;\n    @%p bra $into;\n    ld.global.u8 %r2, "
     "[%d0];\n    mad.lo.u32 %r4, %r4, 5, %r2;\n"
     "$into: ld.global.u8 %r2, [%d0+1];\n    mad.lo.u32 %r4, %r4, 5, %r2;\n"
     "    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p, %r0, 400;\n    @%p bra $loop;\n    st.global.u32 [%b], %r4;\n"},
    {"the address is where the value goes", 20, -1, 0,
     "    st.global.u64 [%a], %a;\n    mov.b64 %d0, %a;\n    mov.u32 %r0, 0;\n"
     "$loop: ld.global.u64 %d0, [%d0];\n    ld.global.u32 %r1, [%a+8];\n    st.global.u32 [%a+8], %r0;\n    add.u32 "
     "%r0, %r0, 1;\n    setp.lt.u32 %p, %r0, 400;\n    @%p bra $loop;\n"
     "    sub.s64 %d0, %d0, %a;\n    st.global.u64 [%b], %d0;\n"},
};

static void put_kernel(const Case *c, uint32_t sm, Text *out)
{
    text_printf(out,
                ".version %s\n.target sm_%u\n.address_size 64\n.visible .entry k(.param .u64 k_0, .param .u64 k_1, "
                ".param .u64 k_2)\n{\n"
                "    .reg .b32 %%t, %%r<8>;\n    .reg .b64 %%a, %%b, %%c, %%d<4>;\n    .reg .pred %%p, %%q;\n",
                sm >= 70 ? "8.3" : "4.3", sm);
    const char *bases = "    mov.u32 %t, %tid.x;\n    mul.wide.u32 %d3, %t, 64;\n    ld.param.u64 %a, [k_0];\n    "
                        "ld.param.u64 %b, [k_1];\n"
                        "    cvta.to.global.u64 %a, %a;\n    cvta.to.global.u64 %b, %b;\n    add.s64 %a, %a, %d3;\n    "
                        "add.s64 %b, %b, %d3;\n    ld.param.u64 %c, [k_2];\n";
    if (!c->body)
        text_printf(out,
                    "$loop:\n%s    ld.global.u32 %%r1, [%%a];\n    add.u32 %%r1, %%r1, 1;\n    st.global.u32 [%%a], "
                    "%%r1;\n    and.b32 %%r1, %%r1, 255;\n    setp.ne.u32 %%p, %%r1, 0;\n    @%%p bra $loop;\n",
                    bases);
    else
        text_printf(out, "%s%s", bases, c->body);
    text_put(out, "    ret;\n}\n");
}

static void all_alike(void **state)
{
    (void)state;
    Tally t = {.out = stdout};
    static uint8_t data[2][BYTES];
    for (size_t k = 0; k < BYTES / 2; k++) data[0][k] = (uint8_t)(k * 7), data[1][k] = (uint8_t)(k * 13);
    for (size_t k = 0; k < COUNT(cases); k++) {
        const Case *c = &cases[k];
        for (size_t g = 0; g < COUNT(machines); g++) {
            bool unsynchronised = strstr(c->name, "vote") && machines[g].sm >= 70;
            if (machines[g].sm < c->sm || unsynchronised) continue;
            Text ptx = {0};
            Launch l = {.grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .apart = c->b < 0};
            put_kernel(c, machines[g].sm, &ptx);
            for (int b = 0; b < 2; b++) vec_push(&l.buffers, ((Buffer){data[b], BYTES, NULL}));
            vec_push(&l.args, ((Argument){8, 0, 0}));
            vec_push(&l.args, ((Argument){8, c->b < 0, c->b < 0 ? 0 : (uint64_t)c->b}));
            vec_push(&l.args, ((Argument){8, -1, c->c}));
            compare_kernel(c->name, &machines[g], case_settings(k, g), &ptx, &l, &t);
            vec_free(&l.buffers), vec_free(&l.args);
            text_free(&ptx);
        }
    }
    printf("%u of %u kernels rewritten\n", t.changed, t.kernels);
    assert_int_equal(t.different, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
