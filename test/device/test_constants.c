// The address of a .const variable is one of global memory, too: kernels write, add to and read constants through it
// as global and as generic memory, later launches load what they wrote with ld.const, and nothing around the module's
// constants is reached. Variables that aren't visible have names for the host as well.
#include "check.h"

#include <onchip.h>
#include <stdio.h>
#include <string.h>

// 32 words that nobody else sees, and a variable that other modules would.
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".const .align 16 .b8 inner[128];\n"
    ".visible .const .align 4 .u32 outer[4] = {1, 2, 3, 4};\n"
    ".global .align 8 .u64 place = generic(inner);\n"
    ".visible .entry write(.param .u64 to, .param .u32 value)\n"
    "{\n"
    "    .reg .b32 %r<4>;\n    .reg .b64 %d<4>;\n"
    "    ld.param.u64 %d1, [to];\n    ld.param.u32 %r1, [value];\n    mov.u32 %r2, %tid.x;\n"
    "    mul.wide.u32 %d2, %r2, 16;\n    add.u64 %d1, %d1, %d2;\n    add.u32 %r2, %r2, %r1;\n"
    "    st.global.v4.u32 [%d1], {%r2, %r1, %r1, %r2};\n    ret;\n"
    "}\n"
    ".visible .entry more(.param .u64 to, .param .u64 out)\n"
    "{\n"
    "    .reg .b32 %r<8>;\n    .reg .b64 %d<8>;\n"
    "    ld.param.u64 %d1, [to];\n    ld.param.u64 %d2, [out];\n    mov.u32 %r1, %tid.x;\n"
    "    mul.wide.u32 %d3, %r1, 4;\n    add.u64 %d4, %d1, %d3;\n    add.u64 %d5, %d2, %d3;\n"
    "    ld.global.u32 %r2, [%d4];\n    st.global.u32 [%d5], %r2;\n"
    "    atom.global.add.u32 %r3, [%d4], 5;\n    st.global.u32 [%d5+128], %r3;\n"
    "    atom.add.u32 %r4, [%d4], 7;\n    st.global.u32 [%d5+256], %r4;\n"
    "    ld.u32 %r5, [%d4];\n    add.u32 %r5, %r5, 100;\n    st.u32 [%d4], %r5;\n    ret;\n"
    "}\n"
    ".visible .entry read(.param .u64 out)\n"
    "{\n"
    "    .reg .pred %p<4>;\n    .reg .b32 %r<8>;\n    .reg .b64 %d<8>;\n"
    "    ld.param.u64 %d1, [out];\n    mov.u32 %r1, %tid.x;\n    mul.wide.u32 %d2, %r1, 4;\n"
    "    add.u64 %d1, %d1, %d2;\n    mov.u64 %d3, inner;\n    add.u64 %d3, %d3, %d2;\n"
    "    ld.const.u32 %r2, [%d3];\n    st.global.u32 [%d1], %r2;\n"
    "    cvta.const.u64 %d4, %d3;\n    ld.u32 %r3, [%d4];\n    st.global.u32 [%d1+128], %r3;\n"
    "    ld.global.u64 %d5, [place];\n    add.u64 %d5, %d5, %d2;\n    setp.eq.u64 %p1, %d4, %d5;\n"
    "    cvta.to.const.u64 %d6, %d5;\n    setp.eq.and.u64 %p1, %d6, %d3, %p1;\n"
    "    isspacep.const %p2, %d4;\n    isspacep.global %p3, %d4;\n    not.pred %p3, %p3;\n"
    "    and.pred %p1, %p1, %p2;\n    and.pred %p1, %p1, %p3;\n"
    "    isspacep.const %p2, %d1;\n    isspacep.global %p3, %d1;\n    not.pred %p2, %p2;\n"
    "    and.pred %p1, %p1, %p2;\n    and.pred %p1, %p1, %p3;\n"
    "    selp.u32 %r4, 1, 0, %p1;\n    st.global.u32 [%d1+256], %r4;\n    ret;\n"
    "}\n";

enum { WORDS = 32 };

typedef struct Bench {
    oc_device *d;
    oc_module *m;
    oc_ptr inner, outer, out;
} Bench;

static oc_status launch(const Bench *b, const char *name, uint32_t threads, const void *const *args)
{
    oc_kernel *k;
    assert_int_equal(oc_kernel_get(b->m, name, &k), OC_OK);
    return oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){threads, 1, 1}, 0, NULL, args);
}

static void must_launch(const Bench *b, const char *name, uint32_t threads, const void *const *args)
{
    oc_finding f;
    if (launch(b, name, threads, args) != OC_OK) fail_msg("%s: %s", name, oc_error(b->d));
    for (size_t l = 0; l < oc_launches(b->d); l++)
        if (oc_launch_finding(b->d, l, 0, &f)) fail_msg("%s: %s in %s", name, f.kind, f.structure);
}

static void open_bench(Bench *b, bool functional, bool check)
{
    char message[1000];
    size_t bytes;
    oc_config config = {.gpu = "titan_v", .functional = functional, .check = check};
    if (oc_open(&config, &b->d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    if (oc_load(b->d, ptx, strlen(ptx), "constants.ptx", &b->m) != OC_OK) fail_msg("%s", oc_error(b->d));
    assert_int_equal(oc_symbol(b->m, "inner", &b->inner, &bytes), OC_OK);
    assert_int_equal(bytes, 4 * WORDS);
    assert_int_equal(oc_symbol(b->m, "outer", &b->outer, &bytes), OC_OK);
    assert_int_equal(bytes, 16);
    assert_int_equal(oc_malloc(b->d, 12 * WORDS, "out", &b->out), OC_OK);
}

// What `read` finds: the words by ld.const and by their generic addresses.
static void expect(const Bench *b, const uint32_t words[WORDS])
{
    const void *args[] = {&b->out};
    uint32_t got[3 * WORDS], direct[WORDS];
    must_launch(b, "read", WORDS, args);
    assert_int_equal(oc_read(b->d, got, b->out, sizeof got, NULL), OC_OK);
    assert_int_equal(oc_read(b->d, direct, b->inner, sizeof direct, NULL), OC_OK);
    for (int k = 0; k < WORDS; k++) {
        assert_int_equal(got[k], words[k]);
        assert_int_equal(got[WORDS + k], words[k]);
        assert_int_equal(got[2 * WORDS + k], 1);
        assert_int_equal(direct[k], words[k]);
    }
}

static void written(bool functional, bool check)
{
    Bench b;
    uint32_t words[WORDS] = {0}, got[3 * WORDS], value = 40;
    open_bench(&b, functional, check);
    expect(&b, words);
    const void *args[] = {&b.inner, &value}, *both[] = {&b.inner, &b.out};
    must_launch(&b, "write", WORDS / 4, args);
    for (uint32_t k = 0; k < WORDS; k++) words[k] = value + (k % 4 == 0 || k % 4 == 3 ? k / 4 : 0);
    expect(&b, words);
    must_launch(&b, "more", WORDS, both);
    assert_int_equal(oc_read(b.d, got, b.out, sizeof got, NULL), OC_OK);
    for (int k = 0; k < WORDS; k++) {
        assert_int_equal(got[k], words[k]);
        assert_int_equal(got[WORDS + k], words[k]);
        assert_int_equal(got[2 * WORDS + k], words[k] + 5);
        words[k] += 5 + 7 + 100;
    }
    expect(&b, words);
    // The host's fills and copies change them as kernels do.
    assert_int_equal(oc_fill(b.d, b.inner, 0, 64, NULL), OC_OK);
    assert_int_equal(oc_copy(b.d, b.inner + 64, b.outer, 16, NULL), OC_OK);
    for (uint32_t k = 0; k < 20; k++) words[k] = k < 16 ? 0 : k - 15;
    expect(&b, words);
    oc_close(b.d);
}

static void write_and_read(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) written(k & 1, k & 2);
}

// 128 bytes of `inner` and 16 of `outer` are all that there is; 16 more or 16 before are a fault, and do nothing.
static void bounds(void **state)
{
    (void)state;
    for (int functional = 0; functional < 2; functional++) {
        Bench b;
        uint32_t value = 9, got[4];
        open_bench(&b, functional, false);
        assert_int_equal(b.outer, b.inner + 4 * WORDS);
        oc_ptr last = b.outer, past = b.outer + 16, before = b.inner - 16;
        const void *args[] = {&last, &value}, *beyond[] = {&past, &value}, *below[] = {&before, &value};
        must_launch(&b, "write", 1, args);
        assert_int_equal(oc_read(b.d, got, b.outer, sizeof got, NULL), OC_OK);
        assert_true(got[0] == 9 && got[1] == 9 && got[2] == 9 && got[3] == 9);
        assert_int_equal(launch(&b, "write", 1, beyond), OC_FAULT);
        assert_non_null(strstr(oc_error(b.d), "nearest allocation: a module's constants"));
        assert_non_null(strstr(oc_error(b.d), ", 0 bytes past its end"));
        assert_int_equal(launch(&b, "write", 1, below), OC_FAULT);
        assert_int_equal(oc_read(b.d, got, b.outer, sizeof got + 1, NULL), OC_BAD_ARGUMENT);
        assert_int_equal(oc_read(b.d, got, b.inner - 4, 4, NULL), OC_BAD_ARGUMENT);
        assert_int_equal(oc_free(b.d, b.inner), OC_BAD_ARGUMENT);
        oc_close(b.d);
    }
}

// A second copy of the module has constants of its own; those of the first are gone with it.
static void copies(void **state)
{
    (void)state;
    Bench b, second;
    uint32_t value = 3, words[WORDS] = {0};
    open_bench(&b, true, true);
    second = b;
    assert_int_equal(oc_load(b.d, ptx, strlen(ptx), "second.ptx", &second.m), OC_OK);
    assert_int_equal(oc_symbol(second.m, "inner", &second.inner, NULL), OC_OK);
    assert_true(b.inner != second.inner);
    const void *args[] = {&second.inner, &value};
    must_launch(&b, "write", WORDS / 4, args);  // a kernel of the first module may write to the second's
    expect(&b, words);
    for (uint32_t k = 0; k < WORDS; k++) words[k] = value + (k % 4 == 0 || k % 4 == 3 ? k / 4 : 0);
    expect(&second, words);
    oc_unload(second.m);
    assert_int_equal(launch(&b, "write", 1, args), OC_FAULT);
    assert_non_null(strstr(oc_error(b.d), "freed"));
    oc_close(b.d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_and_read),
        cmocka_unit_test(bounds),
        cmocka_unit_test(copies),
    };
    return cmocka_run_group_tests_name("device/constants", tests, NULL, NULL);
}
