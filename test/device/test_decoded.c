// Hundreds of kernels that all call one large function: together they are more than stays decoded, and each has its
// right attributes and results, in whatever order they are asked for. What an earlier launch counted stays known.
#include "check.h"

#include <malloc.h>
#include <onchip.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

enum { KERNELS = 300, STEPS = 20000 };  // 6 million instructions, each with its own constant

// step(x): x = 3 x + n for n from 0 on; kernel k stores step(k).
static void write_module(Text *t)
{
    text_put(t, ".version 7.0\n.target sm_70\n.address_size 64\n"
                ".func (.param .b32 out) step(.param .b32 in)\n{\n    .reg .b32 %r;\n    ld.param.u32 %r, [in];\n");
    for (int n = 0; n < STEPS; n++) text_printf(t, "    mad.lo.u32 %%r, %%r, 3, %d;\n", n);
    text_put(t, "    st.param.u32 [out], %r;\n    ret;\n}\n");
    for (int k = 0; k < KERNELS; k++)
        text_printf(t,
                    ".visible .entry k%d(.param .u64 p)\n{\n    .reg .b32 %%r;\n    .reg .b64 %%d;\n"
                    "    ld.param.u64 %%d, [p];\n    {\n    .param .b32 a;\n    .param .b32 b;\n"
                    "    st.param.b32 [a], %d;\n    call (b), step, (a);\n    ld.param.b32 %%r, [b];\n    }\n"
                    "    st.global.u32 [%%d], %%r;\n    ret;\n}\n",
                    k, k);
}

static uint32_t stepped(uint32_t x)
{
    for (uint32_t n = 0; n < STEPS; n++) x = 3 * x + n;
    return x;
}

static void all_kernels(void **state)
{
    (void)state;
    Text t = {0};
    char message[1000], name[20];
    oc_config config = {.gpu = "titan_v", .functional = true};
    oc_device *d;
    oc_module *m;
    oc_kernel *kernel[KERNELS];
    oc_ptr p;
    write_module(&t);
    if (oc_open(&config, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    if (oc_load(d, t.v, t.n, "many.ptx", &m) != OC_OK) fail_msg("%s", oc_error(d));
    assert_int_equal(oc_malloc(d, 4, "p", &p), OC_OK);
    for (int k = 0; k < KERNELS; k++) {
        snprintf(name, sizeof name, "k%d", k);
        assert_int_equal(oc_kernel_get(m, name, &kernel[k]), OC_OK);
        oc_kernel_info info = oc_kernel_describe(kernel[k]);
        if (info.refusal) fail_msg("%s: %s", name, info.refusal);
        assert_true(info.registers >= 2 && info.registers < 64 && info.max_threads == 1024);
    }
    // What is decoded has a GiB at most, where all of them would have 1.8.
    const struct mallinfo2 used = mallinfo2();
    assert_true(used.uordblks + used.hblkhd < 1300u << 20);
    for (int k = 0; k < KERNELS; k += k % 100 < 3 ? 1 : 97) {
        const void *args[] = {&p};
        uint32_t got;
        if (oc_launch(kernel[k], (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, 0, NULL, args) != OC_OK)
            fail_msg("k%d: %s", k, oc_error(d));
        assert_int_equal(oc_read(d, &got, p, 4, NULL), OC_OK);
        assert_int_equal(got, stepped((uint32_t)k));
    }
    const uint64_t counted = oc_launch_counter(d, 0, "warp_instructions");
    assert_true(counted > STEPS);
    for (int k = 0; k < KERNELS / 10; k++) oc_kernel_describe(kernel[k]);
    assert_int_equal(oc_launch_counter(d, 0, "warp_instructions"), counted);
    assert_string_equal(oc_launch_kernel(d, 0), "k0");
    oc_close(d);
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_kernels)};
    return cmocka_run_group_tests_name("device/decoded", tests, NULL, NULL);
}
