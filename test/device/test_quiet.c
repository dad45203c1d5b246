// A kernel that computes for a long time and changes no memory isn't taken for a hang, however often it is launched:
// the states that a warp was seen in say nothing about the warp that has its slot in the next launch, or the next
// block.
#include "check.h"

#include <onchip.h>
#include <string.h>

// n loads, one after the other; the memory is zero. 1900 take some 390000 cycles, so that the warps are watched once a
// launch: from cycle 2^18 on. A launch of a few more loads comes to the same states.
static const char ptx[] =
    ".version 7.0\n.target sm_35\n.address_size 64\n"
    ".visible .entry quiet(.param .u64 p, .param .u32 n)\n{\n.reg .pred %p;\n.reg .b32 %n, %x;\n.reg .b64 %a, %b;\n"
    "ld.param.u64 %a, [p];\nld.param.u32 %n, [n];\nmov.u64 %b, %a;\n"
    "AGAIN:\nld.global.cg.u32 %x, [%b];\nmad.wide.u32 %b, %x, 4, %a;\nsub.u32 %n, %n, 1;\n"
    "setp.ne.u32 %p, %n, 0;\n@%p bra AGAIN;\nst.global.u32 [%a], %n;\nret;\n}\n";

static void launches(bool functional, uint32_t blocks)
{
    oc_device *d;
    oc_module *m;
    oc_kernel *k;
    oc_ptr p;
    char message[500];
    if (oc_open(&(oc_config){.gpu = "gtx480", .functional = functional}, &d, message, sizeof message) != OC_OK)
        fail_msg("%s", message);
    if (oc_load(d, ptx, strlen(ptx), "quiet.ptx", &m) != OC_OK) fail_msg("%s", oc_error(d));
    assert_int_equal(oc_kernel_get(m, "quiet", &k), OC_OK);
    assert_int_equal(oc_malloc(d, 4, "p", &p), OC_OK);
    for (uint32_t n = 1900; n < 1930; n++) {
        const void *args[] = {&p, &n};
        if (oc_launch(k, (oc_dim3){blocks, 1, 1}, (oc_dim3){1, 1, 1}, 48 << 10, NULL, args) != OC_OK)
            fail_msg("%u loads: %s", n, oc_error(d));
    }
    oc_close(d);
}

static void timed(void **state)
{
    (void)state;
    launches(false, 1);
    launches(false, 30);  // 15 SMs have room for one each
}

static void functional(void **state)
{
    (void)state;
    launches(true, 1);
    launches(true, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(timed), cmocka_unit_test(functional)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
