// host.next: a launch that finds the one before it of its stream running costs that, any other host.launch; cycles and
// the seconds of a kernel are without either.
#include "check.h"

#include "device/device.h"

#include <math.h>
#include <onchip.h>
#include <stdio.h>
#include <string.h>

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry busy(.param .u32 n)\n"
                          "{\n"
                          "    .reg .pred %p1;\n    .reg .b32 %r<4>;\n"
                          "    ld.param.u32 %r1, [n];\n"
                          "L:  sub.u32 %r1, %r1, 1;\n    setp.ne.u32 %p1, %r1, 0;\n    @%p1 bra L;\n"
                          "    ret;\n"
                          "}\n";

enum { LAUNCHES = 6 };

// What each launch costs besides its cycles, in µs: two in a row; one behind a copy; one of another stream; two behind
// waits of the host, for any stream and for all.
static void costs(const char *next, const double wants[LAUNCHES])
{
    char message[1000];
    const char *const sets[] = {"host.launch=50", "host.call=0", "host.latency=0", "host.bandwidth=10000", next, NULL};
    oc_config config = {.gpu = "gtx480", .sets = sets};
    oc_device *d;
    oc_module *m;
    oc_kernel *k;
    oc_stream *a, *b;
    oc_ptr p;
    uint32_t n = 1000, word = 0;
    const void *args[] = {&n};
    double all = 0;
    if (oc_open(&config, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    assert_int_equal(oc_load(d, ptx, strlen(ptx), "busy.ptx", &m), OC_OK);
    assert_int_equal(oc_kernel_get(m, "busy", &k), OC_OK);
    assert_int_equal(oc_malloc(d, 4, "p", &p), OC_OK);
    assert_int_equal(oc_stream_create(d, &a), OC_OK);
    assert_int_equal(oc_stream_create(d, &b), OC_OK);
    for (size_t l = 0; l < LAUNCHES; l++) {
        oc_stream *s = l < 3 ? a : b;
        if (l == 2) assert_int_equal(oc_write(d, p, &word, sizeof word, a), OC_OK);
        if (l == 4) assert_int_equal(oc_synchronize(d, s), OC_OK);
        if (l == 5) assert_int_equal(oc_synchronize(d, NULL), OC_OK);
        assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, s, args), OC_OK);
        all += 1e-6 * wants[l] + (double)oc_launch_counter(d, l, "cycles") / 700e6;  // gtx480's clock
        if (fabs(oc_stream_time(s) - all) > 1e-9)
            fail_msg("%s, launch %zu ends at %.9f, not %.9f", next, l, oc_stream_time(s), all);
    }
    oc_close(d);
}

static void in_a_row(void **state)
{
    (void)state;
    costs("host.next=2", (const double[LAUNCHES]){50, 2, 50, 50, 50, 50});
    costs("host.next=0", (const double[LAUNCHES]){50, 50, 50, 50, 50, 50});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_a_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
